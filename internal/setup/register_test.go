package setup

import (
	"os"
	"path/filepath"
	"runtime"
	"testing"

	"github.com/bmcis/bmcis/internal/home"
	"github.com/bmcis/bmcis/internal/onnx"
	"github.com/bmcis/bmcis/internal/pg"
	"github.com/bmcis/bmcis/internal/pg/private"
	"github.com/bmcis/bmcis/models"
)

// TestEverySourceForReal fetches every source of the register that fits this
// machine, the fallbacks too, and uses what it brought. It needs the package
// clients, a compiler and some minutes, so it runs only when asked for.
func TestEverySourceForReal(t *testing.T) {
	if os.Getenv("BMCIS_TEST_FETCH") == "" {
		t.Skip("BMCIS_TEST_FETCH is not set: the fallbacks are not fetched for real")
	}
	// The private database's user must get through.
	dir, err := os.MkdirTemp("", "bmcis-fetch-")
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { os.RemoveAll(dir) })
	if err := os.Chmod(dir, 0o755); err != nil {
		t.Fatal(err)
	}
	for _, a := range models.All() {
		for i, src := range a.Sources {
			if !src.Fits(runtime.GOOS, runtime.GOARCH, true) || src.Client == "hub" {
				continue
			}
			t.Run(src.Client+" "+a.Name+" "+src.Release, func(t *testing.T) {
				t.Setenv(home.EnvHome, filepath.Join(dir, string(rune('a'+i))))
				for _, name := range []string{home.EnvDatabaseURL, home.EnvModelDir, home.EnvONNXRuntime} {
					t.Setenv(name, "")
				}
				alone := a
				alone.Sources = []models.Source{src}
				items, err := runOn(t.Context(), []models.Artifact{alone}, Options{}, nil)
				if err != nil {
					t.Fatal(err)
				}
				t.Logf("%s in %s", items[0].Source, items[0].Duration)
				if items, err = runOn(t.Context(), []models.Artifact{alone}, Options{Full: true}, nil); err != nil || items[0].State != Present {
					t.Errorf("second run: %+v %v", items, err)
				}
				use(t, a.Name)
			})
		}
	}
}

func use(t *testing.T, name string) {
	t.Helper()
	switch name {
	case models.Postgres:
		c, err := private.New(private.Config{})
		if err != nil {
			t.Fatal(err)
		}
		defer c.Stop(t.Context())
		pool, done, err := c.Connect(t.Context(), pg.Config{Migrate: true, MaxConns: 2})
		if err != nil {
			t.Fatal(err)
		}
		defer done()
		info, err := pg.Inspect(t.Context(), pool)
		if err != nil {
			t.Fatal(err)
		}
		var distance float64
		if err := pool.QueryRow(t.Context(), "select '[1,0]'::halfvec <=> '[0,1]'::halfvec").Scan(&distance); err != nil || distance != 1 {
			t.Errorf("distance %v, %v", distance, err)
		}
		t.Logf("PostgreSQL %s, pgvector %s", info.Server, info.VectorInstalled)
	case models.ONNXRuntime:
		path, err := home.ONNXRuntime()
		if err != nil {
			t.Fatal(err)
		}
		// A process loads one library only, so the others are checked by their sums alone.
		if onnx.RuntimeVersion() == "" {
			if err := onnx.Init(path); err != nil {
				t.Error(err)
			}
			t.Logf("ONNX Runtime %s", onnx.RuntimeVersion())
		}
	case models.EmbeddingModel:
		if _, _, _, err := home.EmbeddingModel(); err != nil {
			t.Error(err)
		}
	}
}
