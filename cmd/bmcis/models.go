package main

import (
	"encoding/json"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"

	"github.com/spf13/cobra"

	"github.com/bmcis/bmcis/internal/home"
	"github.com/bmcis/bmcis/internal/setup"
	"github.com/bmcis/bmcis/models"
)

func newModelsCommand(g *globals) *cobra.Command {
	cmd := &cobra.Command{
		Use:   "models",
		Short: "List, fetch or verify models and the other artifacts",
		Args:  args(cobra.NoArgs),
		RunE: func(cmd *cobra.Command, _ []string) error {
			return usagef("say what to do: %s list|pull|verify", cmd.CommandPath())
		},
	}
	var asJSON bool
	list := &cobra.Command{
		Use:   "list",
		Short: "Show every artifact: version, licence, size, where it is",
		Args:  args(cobra.NoArgs),
		RunE:  func(cmd *cobra.Command, _ []string) error { return listModels(cmd, asJSON) },
	}
	list.Flags().BoolVar(&asJSON, "json", false, "print as JSON")
	pull := &cobra.Command{
		Use:   "pull [NAME...]",
		Short: "Fetch artifacts that are missing or damaged; all without a name",
		RunE: func(cmd *cobra.Command, names []string) error {
			for _, name := range names {
				if _, ok := models.ByName(name); !ok {
					return usagef("no artifact is called %q; `bmcis models list` names them", name)
				}
			}
			return g.setUp(cmd.Context(), setup.Options{DatabaseURL: g.dsn, Only: names, Full: true})
		},
	}
	verify := &cobra.Command{
		Use:   "verify",
		Short: "Hash every file again and compare it with its pinned sum",
		Args:  args(cobra.NoArgs),
		RunE:  func(cmd *cobra.Command, _ []string) error { return verifyModels(cmd) },
	}
	cmd.AddCommand(list, pull, verify)
	return cmd
}

// modelRow is one artifact as `models list` shows it.
type modelRow struct {
	Name    string `json:"name"`
	Purpose string `json:"purpose"`
	Release string `json:"release"`
	Licence string `json:"licence"`
	Bytes   int64  `json:"bytes"`
	SHA256  string `json:"sha256,omitempty"`
	State   string `json:"state"` // bundled, replaced, given, installed, missing, damaged
	Where   string `json:"where,omitempty"`
}

func listModels(cmd *cobra.Command, asJSON bool) error {
	root, err := home.Artifacts()
	if err != nil {
		return err
	}
	var rows []modelRow
	for _, a := range models.All() {
		row := modelRow{Name: a.Name, Purpose: a.Purpose, State: "missing"}
		src, ok := setup.Preferred(a)
		if ok {
			row.Release, row.Licence, row.Bytes, row.SHA256 = src.Release, src.Licence, src.Archive.Size, src.Archive.SHA256
			for _, f := range src.Files {
				if f.Path == models.ModelFile {
					row.Bytes, row.SHA256 = f.Size, f.SHA256
				}
			}
		}
		dir, rec, err := home.Find(root, a)
		given := os.Getenv(a.Given)
		switch {
		case given != "" && a.Name == models.Postgres:
			row.State = "given" // a DSN may hold a password
		case given != "":
			row.State, row.Where = "given", given
		case errors.Is(err, fs.ErrNotExist):
		case err != nil:
			row.State = "damaged"
		default:
			row.State, row.Where, row.Release, row.Licence = "installed", dir, rec.Release, rec.Licence
			if rec.Check(dir, false) != nil {
				row.State = "damaged"
			}
		}
		rows = append(rows, row)
	}
	reranker := models.RerankerFiles()[0]
	rows = append(rows, modelRow{models.RerankerName, "puts the best candidates in order", "int8", "Apache-2.0",
		reranker.Size, reranker.SHA256, "bundled", ""})
	if dir := os.Getenv(home.EnvRerankerDir); dir != "" {
		rows[len(rows)-1].State = "replaced"
		rows = append(rows, modelRow{Name: filepath.Base(dir), Purpose: "puts the best candidates in order", State: "given", Where: dir})
	}
	out := cmd.OutOrStdout()
	if asJSON {
		enc := json.NewEncoder(out)
		enc.SetIndent("", "  ")
		return enc.Encode(rows)
	}
	var lines [][]any
	for _, r := range rows {
		lines = append(lines, []any{r.Name, r.Release, r.Licence, fmt.Sprintf("%.1f", float64(r.Bytes)/1e6), r.State, r.Where})
	}
	return table(out, "NAME RELEASE LICENCE MB STATE WHERE", lines)
}

func verifyModels(cmd *cobra.Command) error {
	out := cmd.OutOrStdout()
	var bad []error
	for _, v := range setup.Verify() {
		state := "ok"
		if v.Err != nil {
			state = "FAIL"
			bad = append(bad, v.Err)
		}
		fmt.Fprintf(out, "%-4s  %-18s %s\n", state, v.Artifact, v.Detail)
	}
	return errors.Join(bad...)
}
