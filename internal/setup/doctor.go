package setup

import (
	"context"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"os/exec"
	"path/filepath"
	"runtime"
	"strings"
	"syscall"
	"time"

	"github.com/bmcis/bmcis/internal/embed"
	"github.com/bmcis/bmcis/internal/home"
	"github.com/bmcis/bmcis/internal/onnx"
	"github.com/bmcis/bmcis/internal/pg"
	"github.com/bmcis/bmcis/internal/pg/private"
	"github.com/bmcis/bmcis/migrations"
	"github.com/bmcis/bmcis/models"
	"github.com/bmcis/bmcis/rerank"
)

// Verdict of a check.
type Verdict string

// The verdicts. Warn works but could be better, Fail does not work.
const (
	OK   Verdict = "ok"
	Warn Verdict = "warn"
	Fail Verdict = "fail"
)

// Check is one line of doctor.
type Check struct {
	Name    string  `json:"name"`
	Verdict Verdict `json:"verdict"`
	Value   string  `json:"value"`
	Remedy  string  `json:"remedy,omitempty"`
}

// DoctorOptions says what to look at.
type DoctorOptions struct {
	// DSN is the database; empty means the private one.
	DSN string
	// Extra are checks of other parts, such as the sandbox, run in order.
	Extra []func(context.Context) Check
}

// Doctor looks at everything that bmcis needs and tries each part for real: it
// hashes the artifacts, loads the library, runs both models, asks the database.
// It fetches nothing; an existing private database is started, none is made.
func Doctor(ctx context.Context, o DoctorOptions, each func(Check)) {
	for _, check := range []func(context.Context, DoctorOptions) Check{
		checkSystem, checkProcessor, checkFolder, checkTools, checkCompiler,
		checkArtifact(models.Postgres), checkArtifact(models.ONNXRuntime), checkArtifact(models.EmbeddingModel),
		checkReranker, checkRuntime, checkEmbedding, checkReranking,
	} {
		if ctx.Err() != nil {
			return
		}
		if c := check(ctx, o); c.Name != "" {
			each(c)
		}
	}
	checkDatabase(ctx, o, each)
	for _, check := range o.Extra {
		each(check(ctx))
	}
}

func checkSystem(context.Context, DoctorOptions) Check {
	c := Check{"system", OK, fmt.Sprintf("%s/%s, %d cores", runtime.GOOS, runtime.GOARCH, runtime.NumCPU()), ""}
	if runtime.GOOS != "linux" {
		c.Verdict, c.Remedy = Warn, "setup fetches for Linux only; name your own with BMCIS_DATABASE_URL, BMCIS_ONNXRUNTIME, BMCIS_MODEL_DIR"
	} else if !usesGlibc() {
		c.Verdict, c.Remedy = Warn, "setup fetches programs for the GNU C library, which is not here; name your own with BMCIS_DATABASE_URL and BMCIS_ONNXRUNTIME"
	}
	return c
}

func checkProcessor(context.Context, DoctorOptions) Check {
	if home.HasAVX2() {
		return Check{"processor", OK, "runs all artifacts", ""}
	}
	return Check{"processor", Warn, "no AVX2", "setup compiles pgvector from source for this processor; that needs a C compiler and apt"}
}

func checkFolder(context.Context, DoctorOptions) Check {
	dir, err := home.Dir()
	if err != nil {
		return Check{"data folder", Fail, "none", err.Error()}
	}
	c := Check{"data folder", OK, dir, ""}
	free, err := freeBytes(dir)
	if err != nil {
		return c
	}
	c.Value += fmt.Sprintf(", %.1f GiB free", float64(free)/(1<<30))
	if free < 1<<30 {
		c.Verdict, c.Remedy = Warn, "free some space, or set BMCIS_HOME to another disk"
	}
	return c
}

// freeBytes is the space left for us on the disk of dir, or of the nearest folder above it.
func freeBytes(dir string) (int64, error) {
	for {
		var st syscall.Statfs_t
		err := syscall.Statfs(dir, &st)
		if err == nil {
			return int64(st.Bavail) * int64(st.Bsize), nil
		}
		if !errors.Is(err, fs.ErrNotExist) || dir == filepath.Dir(dir) {
			return 0, err
		}
		dir = filepath.Dir(dir)
	}
}

func checkTools(context.Context, DoctorOptions) Check {
	var have, missing, remedies []string
	for _, t := range Tools() {
		if t.Path != "" {
			have = append(have, t.Name)
		} else {
			missing = append(missing, t.Name+" ("+t.For+")")
			remedies = append(remedies, t.Remedy)
		}
	}
	if len(missing) == 0 {
		return Check{"package clients", OK, strings.Join(have, ", "), ""}
	}
	c := Check{"package clients", Warn, "missing: " + strings.Join(missing, ", "), strings.Join(remedies, "; ")}
	if _, err := home.Locate(); err == nil {
		c.Verdict, c.Remedy = OK, "" // nothing is left to fetch
	}
	return c
}

func checkCompiler(context.Context, DoctorOptions) Check {
	path, err := Compiler()
	if err == nil {
		return Check{"C compiler", OK, path, ""}
	}
	var missing *ToolError
	errors.As(err, &missing)
	if home.HasAVX2() {
		return Check{"C compiler", OK, "none; needed only to build bmcis itself", ""}
	}
	return Check{"C compiler", Warn, "none", missing.Remedy}
}

func checkArtifact(name string) func(context.Context, DoctorOptions) Check {
	return func(_ context.Context, o DoctorOptions) Check {
		a, _ := models.ByName(name)
		c := Check{Name: name}
		root, err := home.Artifacts()
		if err != nil {
			return Check{name, Fail, "none", err.Error()}
		}
		s := &run{options: Options{DatabaseURL: o.DSN, Full: true}, root: root}
		if s.options.DatabaseURL == "" {
			s.options.DatabaseURL = os.Getenv(home.EnvDatabaseURL)
		}
		item, ok, err := s.installed(a, func(Event) {})
		switch {
		case ok && item.State == Given:
			c.Verdict, c.Value = OK, item.Where
		case ok:
			c.Verdict, c.Value = OK, filepath.Base(item.Where)+", sha256 of every file is right"
		case err != nil:
			c.Verdict, c.Value, c.Remedy = Fail, err.Error(), "run: bmcis setup"
		default:
			c.Verdict, c.Value, c.Remedy = Fail, "missing ("+a.Purpose+")", "run: bmcis setup"
		}
		return c
	}
}

func checkReranker(context.Context, DoctorOptions) Check {
	if err := models.VerifyReranker(); err != nil {
		return Check{models.RerankerName, Fail, "damaged", err.Error()}
	}
	return Check{models.RerankerName, OK, "bundled, sha256 is right", ""}
}

func checkRuntime(context.Context, DoctorOptions) Check {
	const name = "ONNX Runtime loads"
	path, err := home.ONNXRuntime()
	if err == nil {
		err = onnx.Init(path)
	}
	if err != nil {
		return failed(name, err)
	}
	version := onnx.RuntimeVersion()
	if advice := onnx.Advice(version); advice != "" {
		return Check{name, Warn, version, advice}
	}
	return Check{name, OK, version, ""}
}

func checkEmbedding(ctx context.Context, _ DoctorOptions) Check {
	const name = "embedding works"
	library, err := home.ONNXRuntime()
	if err != nil {
		return failed(name, err)
	}
	dir, _, _, err := home.EmbeddingModel()
	if err != nil {
		return failed(name, err)
	}
	begin := time.Now()
	e, err := embed.Open(embed.Config{ModelDir: dir, LibraryPath: library, Workers: 1})
	if err != nil {
		return failed(name, err)
	}
	defer e.Close()
	v, err := e.Query(ctx, "is anybody there")
	if err != nil {
		return failed(name, err)
	}
	return Check{name, OK, fmt.Sprintf("%s, %d numbers, first text after %s", e.Space().Model, len(v), time.Since(begin).Round(time.Millisecond)), ""}
}

func checkReranking(ctx context.Context, _ DoctorOptions) Check {
	const name = "reranking works"
	library, err := home.ONNXRuntime()
	if err != nil {
		return failed(name, err)
	}
	cfg := rerank.Config{LibraryPath: library, Name: models.RerankerName, Workers: 1}
	cfg.Model, cfg.Tokenizer = models.Reranker()
	r, err := rerank.Open(cfg)
	if err != nil {
		return failed(name, err)
	}
	defer r.Close()
	scores, err := r.Rerank(ctx, "how to open a file", []string{"Open opens the named file for reading.", "Bread is baked from flour."})
	if err != nil {
		return failed(name, err)
	}
	if len(scores) != 2 || scores[0] <= scores[1] {
		return Check{name, Fail, fmt.Sprintf("wrong order: %v", scores), "the library and the model do not go together; run: bmcis setup"}
	}
	return Check{name, OK, r.Model(), ""}
}

func checkDatabase(ctx context.Context, o DoctorOptions, each func(Check)) {
	const name = "database"
	if o.DSN == "" {
		c, err := private.New(private.Config{})
		if err != nil {
			each(failed(name, err))
			return
		}
		if s := c.Status(ctx); !s.Exists {
			version, err := exec.CommandContext(ctx, filepath.Join(must(home.PostgresBin()), "postgres"), "--version").Output()
			if err != nil {
				each(Check{name, Fail, "the server program does not run: " + err.Error(), "run: bmcis setup"})
				return
			}
			each(Check{name, OK, "private, made when first used; " + strings.TrimSpace(string(version)), ""})
			return
		}
	}
	var warnings []string
	pool, closePool, err := private.Connect(ctx, pg.Config{DSN: o.DSN, MaxConns: 2, Warn: func(s string) { warnings = append(warnings, s) }})
	if err != nil {
		each(failed(name, err))
		return
	}
	defer closePool()
	info, err := pg.Inspect(ctx, pool)
	if err != nil {
		each(failed(name, err))
		return
	}
	where := "private"
	if o.DSN != "" {
		where = "given"
	}
	each(Check{name, OK, fmt.Sprintf("%s, PostgreSQL %s, reachable", where, info.Server), ""})
	vector := Check{"pgvector", OK, info.Vector(), ""}
	if len(warnings) > 0 {
		vector.Verdict, vector.Remedy = Warn, strings.Join(warnings, "; ")
	}
	each(vector)
	pending, err := migrations.Pending(ctx, pool)
	switch {
	case err != nil:
		each(failed("schema", err))
	case pending:
		each(Check{"schema", Warn, "behind this program", "run: bmcis db migrate (indexing and searching do it too)"})
	default:
		each(Check{"schema", OK, "current", ""})
	}
}

func must(s string, _ error) string { return s }

// failed turns an error, which names its own remedy, into a check.
func failed(name string, err error) Check {
	text := err.Error()
	if i := strings.LastIndex(text, "; "); i > 0 {
		return Check{name, Fail, text[:i], text[i+2:]}
	}
	return Check{name, Fail, text, ""}
}
