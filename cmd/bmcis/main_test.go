package main

import (
	"context"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"github.com/jackc/pgx/v5"
	"github.com/rogpeppe/go-internal/testscript"

	"github.com/bmcis/bmcis/internal/pg/pgtest"
	"github.com/bmcis/bmcis/sandbox"
	"github.com/bmcis/bmcis/search"
)

// TestMain makes the test binary answer as bmcis itself inside the stories, child
// processes of the sandbox included.
func TestMain(m *testing.M) {
	testscript.Main(m, map[string]func(){
		"bmcis": func() { os.Exit(run(os.Args[1:])) },
	})
}

// TestStories runs testdata/script: each file tells one story of the command line, on
// a database of its own, with the real models.
func TestStories(t *testing.T) {
	pgtest.Empty(t) // skips here where there is no database: inside Setup that would be a panic
	testscript.Run(t, testscript.Params{
		Dir: "testdata/script",
		Cmds: map[string]func(ts *testscript.TestScript, neg bool, args []string){
			"binary": func(ts *testscript.TestScript, _ bool, args []string) { // binary FILE: bytes that are no text
				ts.Check(os.WriteFile(ts.MkAbs(args[0]), []byte("\x89PNG\r\n\x1a\n\x00\x00\x00\rIHDR\x00\xff"), 0o644))
			},
			"sql": func(ts *testscript.TestScript, _ bool, args []string) { // sql STATEMENT: on the story's database
				conn, err := pgx.Connect(context.Background(), ts.Getenv("BMCIS_DATABASE_URL"))
				ts.Check(err)
				defer conn.Close(context.Background())
				tag, err := conn.Exec(context.Background(), args[0])
				ts.Check(err)
				if tag.RowsAffected() == 0 {
					ts.Fatalf("%s: no row", args[0])
				}
			},
		},
		Setup: func(env *testscript.Env) error {
			examples, err := filepath.Abs("../../examples")
			if err != nil {
				return err
			}
			env.Setenv("EXAMPLES", examples)
			env.Setenv("CATALOGUE", filepath.Join(examples, "../internal/upstream/testdata/catalogue/tools.jsonl"))
			env.Setenv("BMCIS_VAULT_KEY", strings.Repeat("5a", 32))
			pool := pgtest.Empty(t)
			env.Setenv("BMCIS_DATABASE_URL", pool.Config().ConnString()+" dbname="+pool.Config().ConnConfig.Database)
			for _, name := range []string{"BMCIS_HOME", "BMCIS_ONNXRUNTIME", "BMCIS_MODEL_DIR"} {
				if value, ok := os.LookupEnv(name); ok {
					env.Setenv(name, value)
				}
			}
			if home, err := os.UserHomeDir(); err == nil && os.Getenv("BMCIS_HOME") == "" {
				env.Setenv("HOME", home) // where setup put the models
			}
			return nil
		},
	})
}

func TestExitCodes(t *testing.T) {
	t.Setenv("BMCIS_DATABASE_URL", "host=/nowhere")
	for _, c := range []struct {
		line string
		want int
	}{
		{"help", exitDone}, {"help db start", exitDone}, {"--version", exitDone},
		{"frob", exitUsage}, {"help frob", exitUsage}, {"db frob", exitUsage}, {"db", exitUsage},
		{"completion", exitUsage}, {"search", exitUsage}, {"search x --limt 3", exitUsage},
		{"search x --limit many", exitUsage}, {"status extra", exitUsage}, {"status --frob", exitUsage},
		{"status", exitFailed}, {"exec nothere.py", exitFailed},
	} {
		if got := run(strings.Fields(c.line)); got != c.want {
			t.Errorf("bmcis %s: exit code %d, want %d", c.line, got, c.want)
		}
	}
	if got := exitCode(fmt.Errorf("index: %w", partlyError{errors.New("one is missing")})); got != exitPartly {
		t.Errorf("partly done: exit code %d", got)
	}
}

func TestSizes(t *testing.T) {
	for text, want := range map[string]int64{"512MiB": 512 << 20, "1GiB": 1 << 30, "64KiB": 64 << 10, "1000": 1000, "2MB": 2e6} {
		if got, err := parseBytes(text); err != nil || got != want {
			t.Errorf("%q: %d, %v; want %d", text, got, err, want)
		}
	}
	for _, text := range []string{"", "-1MiB", "12XB", "MiB", "99999999999GiB"} {
		if _, err := parseBytes(text); err == nil {
			t.Errorf("%q was taken for a size", text)
		}
	}
}

func TestDocumentsDoNotWriteToTheTerminal(t *testing.T) {
	const evil = "a\x1b]0;owned\x07\nb\u202e"
	var out strings.Builder
	printResults(&globals{quiet: true}, &out, &search.Results{Hits: []search.Hit{{
		Title: evil, DocumentID: evil, Text: evil + strings.Repeat("é", 500), Headings: []string{evil + "!"},
	}}}, false)
	if strings.ContainsAny(out.String(), "\x1b\x07\u202e") || strings.Count(out.String(), "\n") != 3 || !strings.Contains(out.String(), "é…\n") {
		t.Errorf("printed %q", out.String())
	}
}

func TestLimitsOfPrograms(t *testing.T) {
	file := filepath.Join(t.TempDir(), "bmcis.json")
	if err := os.WriteFile(file, []byte(`{"limits": {"wall": "90s", "memory": "1GiB", "result": "1000", "calls": "5"}}`), 0o600); err != nil {
		t.Fatal(err)
	}
	c, err := loadConfig(file)
	if want := (sandbox.Limits{Wall: 90 * time.Second, MemoryBytes: 1 << 30, ResultBytes: 1000, HostCalls: 5}); err != nil || c.limits != want {
		t.Errorf("%+v, %v", c.limits, err)
	}
}
