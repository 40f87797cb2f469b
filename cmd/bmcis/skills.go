package main

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"io"
	"maps"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"text/tabwriter"

	"github.com/jackc/pgx/v5/pgxpool"
	"github.com/spf13/cobra"

	"github.com/bmcis/bmcis/internal/identity"
	"github.com/bmcis/bmcis/internal/skills"
)

// joinCounts tells counts in words, the largest first.
func joinCounts(counts map[string]int64) string {
	names := slices.SortedFunc(maps.Keys(counts), func(a, b string) int {
		return cmp.Or(cmp.Compare(counts[b], counts[a]), strings.Compare(a, b))
	})
	parts := make([]string, len(names))
	for i, name := range names {
		parts[i] = fmt.Sprintf("%s %d", cell(name, 60), counts[name])
	}
	return strings.Join(parts, ", ")
}

// skillsCommand is what the sub-commands share: they act as one identity.
type skillsCommand struct {
	g  *globals
	as string
}

func newSkillsCommand(g *globals) *cobra.Command {
	s := &skillsCommand{g: g}
	cmd := &cobra.Command{
		Use:   "skills",
		Short: "List, save, share, revoke, import and export agents' saved code",
		Long: "A skill is code with a name and a description that programs load with\n" +
			"`from skills import NAME`. It belongs to one identity; these commands act as the one\n" +
			"that --identity names.",
	}
	cmd.PersistentFlags().StringVar(&s.as, "identity", identity.LocalName, "whose skills")
	cmd.AddCommand(s.list(), s.show(), s.save(), s.importFiles(), s.export(), s.share(), s.unshare(), s.revoke())
	return cmd
}

// with runs f as the identity. What the person wrote wrong is wrong use.
func (s *skillsCommand) with(ctx context.Context, f func(store *skills.Store, who int64) error) error {
	return s.g.withPool(ctx, func(pool *pgxpool.Pool) error {
		id, err := identity.New(pool).Get(ctx, s.as)
		if err != nil {
			return err
		}
		err = f(skills.New(pool), id.ID)
		if errors.Is(err, skills.ErrInvalid) {
			return usageError{err}
		}
		return err
	})
}

func (s *skillsCommand) list() *cobra.Command {
	var q skills.Query
	var asJSON bool
	cmd := &cobra.Command{
		Use:   "list",
		Short: "Show the skills that the identity may load",
		Args:  args(cobra.NoArgs),
		RunE: func(cmd *cobra.Command, _ []string) error {
			return s.with(cmd.Context(), func(store *skills.Store, who int64) error {
				all := []skills.Skill{}
				for more := true; more; {
					var page []skills.Skill
					var err error
					if page, more, err = store.List(cmd.Context(), who, q); err != nil {
						return err
					}
					all = append(all, page...)
					if more {
						q.After = page[len(page)-1].Qualified()
					}
				}
				if asJSON {
					return printJSON(cmd, all)
				}
				w := tabwriter.NewWriter(cmd.OutOrStdout(), 0, 8, 2, ' ', 0)
				for _, k := range all {
					state := k.Shared
					if k.Revoked != nil {
						state = "revoked"
					}
					fmt.Fprintf(w, "%s\tversion %d\t%s\t%s\n", k.Qualified(), k.Version, state, cell(k.Description, 80))
				}
				if len(all) == 0 {
					s.g.say("no skills; save one with `bmcis skills save NAME FILE`")
				}
				return w.Flush()
			})
		},
	}
	cmd.Flags().StringVar(&q.Text, "text", "", "with this text in name or description")
	cmd.Flags().BoolVar(&q.Own, "own", false, "only its own")
	cmd.Flags().BoolVar(&q.Revoked, "revoked", false, "its own revoked ones too")
	cmd.Flags().BoolVar(&asJSON, "json", false, "print as JSON")
	return cmd
}

func (s *skillsCommand) show() *cobra.Command {
	var asJSON bool
	cmd := &cobra.Command{
		Use:   "show NAME",
		Short: "Show the versions of a skill, and whom it is shared with",
		Args:  args(cobra.ExactArgs(1)),
		RunE: func(cmd *cobra.Command, a []string) error {
			return s.with(cmd.Context(), func(store *skills.Store, who int64) error {
				versions, err := store.Versions(cmd.Context(), who, a[0])
				if err != nil {
					return err
				}
				with := []string{}
				if len(versions) > 0 && versions[0].Own {
					if with, err = store.Shares(cmd.Context(), who, versions[0].Name); err != nil {
						return err
					}
				}
				if asJSON {
					return printJSON(cmd, struct {
						Versions   []skills.Skill `json:"versions"`
						SharedWith []string       `json:"shared_with"`
					}{append([]skills.Skill{}, versions...), append([]string{}, with...)})
				}
				out := cmd.OutOrStdout()
				for i, k := range versions {
					if i == 0 {
						fmt.Fprintf(out, "%s, %s", k.Qualified(), k.Shared)
						if len(with) > 0 {
							fmt.Fprintf(out, ": %s", strings.Join(with, ", "))
						}
						fmt.Fprintln(out)
					}
					state := ""
					if k.Revoked != nil {
						state = ", revoked " + k.Revoked.Format("2006-01-02")
					}
					fmt.Fprintf(out, "version %d of %s%s: %s\n", k.Version, k.Created.Format("2006-01-02"), state, cell(k.Description, 200))
					fmt.Fprintf(out, "  %s  modules: %s  inputs: %s\n", k.Digest, orNone(k.Modules), orNone(inputNames(k)))
				}
				return nil
			})
		},
	}
	cmd.Flags().BoolVar(&asJSON, "json", false, "print as JSON")
	return cmd
}

func orNone(list []string) string {
	if len(list) == 0 {
		return "none"
	}
	return strings.Join(list, ", ")
}

func inputNames(k skills.Skill) (names []string) {
	for _, in := range k.Inputs {
		names = append(names, in.Name)
	}
	return names
}

// readInput reads a file, or standard input for -.
func readInput(name string, stdin io.Reader) ([]byte, error) {
	if name == "-" {
		return io.ReadAll(stdin)
	}
	return os.ReadFile(name)
}

func (s *skillsCommand) save() *cobra.Command {
	var description string
	cmd := &cobra.Command{
		Use:   "save NAME FILE|-",
		Short: "Save code as a skill, or as its next version",
		Args:  args(cobra.ExactArgs(2)),
		RunE: func(cmd *cobra.Command, a []string) error {
			code, err := readInput(a[1], cmd.InOrStdin())
			if err != nil {
				return err
			}
			return s.with(cmd.Context(), func(store *skills.Store, who int64) error {
				return s.put(cmd, store, who, skills.Draft{Name: a[0], Description: description, Code: string(code)})
			})
		},
	}
	cmd.Flags().StringVar(&description, "description", "", "what it is for (default: its docstring)")
	return cmd
}

// put saves a draft and says what became of it.
func (s *skillsCommand) put(cmd *cobra.Command, store *skills.Store, who int64, d skills.Draft) error {
	k, err := store.Save(cmd.Context(), who, d)
	if err != nil {
		return err
	}
	if k.NewVersion {
		s.g.say("saved %s, version %d", k.Qualified(), k.Version)
	} else {
		s.g.say("%s, version %d, has this code already", k.Qualified(), k.Version)
	}
	return nil
}

func (s *skillsCommand) importFiles() *cobra.Command {
	return &cobra.Command{
		Use:   "import FILE…",
		Short: "Save skills from SKILL.md files, folders with one, or JSON files",
		Args:  args(cobra.MinimumNArgs(1)),
		RunE: func(cmd *cobra.Command, files []string) error {
			return s.with(cmd.Context(), func(store *skills.Store, who int64) error {
				var failed []error
				for _, name := range files {
					d, err := readSkill(name, cmd.InOrStdin())
					if err == nil {
						err = s.put(cmd, store, who, d)
					}
					if err != nil {
						failed = append(failed, fmt.Errorf("%s: %w", name, err))
					}
				}
				switch {
				case len(failed) == 0:
					return nil
				case len(failed) == len(files):
					return errors.Join(failed...)
				}
				return partlyError{fmt.Errorf("imported %d of %d: %s", len(files)-len(failed), len(files), oneLine(errors.Join(failed...)))}
			})
		},
	}
}

func readSkill(name string, stdin io.Reader) (skills.Draft, error) {
	if info, err := os.Stat(name); err == nil && info.IsDir() {
		name = filepath.Join(name, "SKILL.md")
	}
	text, err := readInput(name, stdin)
	if err != nil {
		return skills.Draft{}, err
	}
	if strings.EqualFold(filepath.Ext(name), ".json") {
		return skills.ParseJSON(text)
	}
	return skills.ParseMarkdown(text)
}

func (s *skillsCommand) export() *cobra.Command {
	var version int
	var format string
	cmd := &cobra.Command{
		Use:   "export NAME",
		Short: "Print a skill as SKILL.md, as JSON, or its code alone",
		Args:  args(cobra.ExactArgs(1)),
		RunE: func(cmd *cobra.Command, a []string) error {
			if err := oneOf("format", format, "md", "json", "code"); err != nil {
				return err
			}
			return s.with(cmd.Context(), func(store *skills.Store, who int64) error {
				k, err := store.Load(cmd.Context(), who, a[0], version)
				if err != nil {
					return err
				}
				text := []byte(k.Code)
				switch format {
				case "md":
					text = k.Markdown()
				case "json":
					if text, err = k.JSON(); err != nil {
						return err
					}
				}
				_, err = cmd.OutOrStdout().Write(text)
				return err
			})
		},
	}
	cmd.Flags().IntVar(&version, "version", 0, "this version, instead of the newest")
	cmd.Flags().StringVar(&format, "format", "md", "md, json or code")
	return cmd
}

func (s *skillsCommand) share() *cobra.Command {
	return s.sharing("share NAME", "Let identities load a skill, or everyone", "with", "shared",
		func(store *skills.Store) shareFunc { return store.Share })
}

func (s *skillsCommand) unshare() *cobra.Command {
	return s.sharing("unshare NAME", "Take a skill back from identities, or from everyone", "from", "no longer shared",
		func(store *skills.Store) shareFunc { return store.Unshare })
}

type shareFunc = func(ctx context.Context, owner int64, name string, with []string, everyone bool) error

func (s *skillsCommand) sharing(use, short, flag, done string, method func(*skills.Store) shareFunc) *cobra.Command {
	var names []string
	var everyone bool
	cmd := &cobra.Command{
		Use:   use,
		Short: short,
		Args:  args(cobra.ExactArgs(1)),
		RunE: func(cmd *cobra.Command, a []string) error {
			if len(names) == 0 && !everyone {
				return usagef("say %s whom: --%s NAME,… or --everyone", flag, flag)
			}
			return s.with(cmd.Context(), func(store *skills.Store, who int64) error {
				if err := method(store)(cmd.Context(), who, a[0], names, everyone); err != nil {
					return err
				}
				if everyone {
					names = append(names, "everyone")
				}
				s.g.say("%s is %s %s %s", a[0], done, flag, strings.Join(names, ", "))
				return nil
			})
		},
	}
	cmd.Flags().StringSliceVar(&names, flag, nil, "identities, by name")
	cmd.Flags().BoolVar(&everyone, "everyone", false, "everyone")
	return cmd
}

func (s *skillsCommand) revoke() *cobra.Command {
	var version int
	cmd := &cobra.Command{
		Use:   "revoke NAME",
		Short: "End all versions of a skill, or one; they stay on record",
		Args:  args(cobra.ExactArgs(1)),
		RunE: func(cmd *cobra.Command, a []string) error {
			return s.with(cmd.Context(), func(store *skills.Store, who int64) error {
				n, err := store.Revoke(cmd.Context(), who, a[0], version)
				if err == nil {
					s.g.say("revoked %d versions of %s", n, a[0])
				}
				return err
			})
		},
	}
	cmd.Flags().IntVar(&version, "version", 0, "this version only")
	return cmd
}
