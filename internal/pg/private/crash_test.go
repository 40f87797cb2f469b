package private

import (
	"context"
	"errors"
	"net"
	"os"
	"os/exec"
	"path/filepath"
	"strconv"
	"strings"
	"syscall"
	"testing"
	"time"

	"github.com/bmcis/bmcis/internal/pg"
)

func TestKilledServerLosesNothingCommitted(t *testing.T) {
	t.Parallel()
	c := cluster(t, folder(t))
	pool, done, err := c.Connect(t.Context(), pg.Config{})
	if err != nil {
		t.Fatal(err)
	}
	defer done()
	if _, err := pool.Exec(t.Context(), "create table t (n int primary key)"); err != nil {
		t.Fatal(err)
	}
	committed := make(chan int)
	go func() {
		n := 0
		defer func() { committed <- n }()
		for {
			if _, err := pool.Exec(context.Background(), "insert into t values ($1)", n+1); err != nil {
				return
			}
			n++
		}
	}()
	time.Sleep(300 * time.Millisecond)
	p, err := readPostmaster(c.data())
	if err != nil {
		t.Fatal(err)
	}
	if err := syscall.Kill(p.pid, syscall.SIGKILL); err != nil {
		t.Fatal(err)
	}
	n := <-committed
	begin := time.Now()
	var found int
	for try := 0; ; try++ {
		if err = pool.QueryRow(t.Context(), "select count(*) from t").Scan(&found); err == nil {
			break
		}
		if try == 5 {
			t.Fatalf("after the crash: %v", err)
		}
	}
	t.Logf("%d rows committed, %d found, back after %s", n, found, time.Since(begin).Round(time.Millisecond))
	// The last insert may have been committed without the word getting through.
	if n == 0 || found < n || found > n+1 {
		t.Errorf("%d rows committed, %d found", n, found)
	}
}

func TestKilledBackendDoesNotStopTheCluster(t *testing.T) {
	t.Parallel()
	c := cluster(t, folder(t))
	pool, done, err := c.Connect(t.Context(), pg.Config{})
	if err != nil {
		t.Fatal(err)
	}
	defer done()
	var backend int
	if err := pool.QueryRow(t.Context(), "select pg_backend_pid()").Scan(&backend); err != nil {
		t.Fatal(err)
	}
	if err := syscall.Kill(backend, syscall.SIGKILL); err != nil {
		t.Fatal(err)
	}
	ensure(t, c)
	var x int
	for try := 0; ; try++ {
		if err := pool.QueryRow(t.Context(), "select 1").Scan(&x); err == nil {
			break
		} else if try == 50 {
			t.Fatal(err)
		}
		time.Sleep(50 * time.Millisecond)
	}
}

// TestMissingVectorIsNamed takes pgvector away from the unpacked programs.
func TestMissingVectorIsNamed(t *testing.T) {
	t.Parallel()
	dir := folder(t)
	artifact := filepath.Dir(bin(t))
	for filepath.Base(filepath.Dir(artifact)) != "artifacts" {
		if artifact = filepath.Dir(artifact); artifact == "/" {
			t.Skip("this PostgreSQL is not one that setup fetched, and cannot be copied")
		}
	}
	programs := filepath.Join(dir, "programs")
	if err := os.CopyFS(programs, os.DirFS(artifact)); err != nil {
		t.Fatal(err)
	}
	inside, err := filepath.Rel(artifact, bin(t))
	if err != nil {
		t.Fatal(err)
	}
	programs = filepath.Join(programs, inside)
	library := filepath.Join(filepath.Dir(programs), "lib", "postgresql", "vector.so")
	c, err := New(Config{Home: filepath.Join(dir, "home"), Bin: programs, Idle: time.Minute})
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { c.Stop(context.Background()) })
	open := func(state, want string) {
		t.Helper()
		_, done, err := c.Connect(t.Context(), pg.Config{Migrate: true})
		if err == nil {
			done()
		}
		var e *pg.Error
		switch {
		case want == "" && err != nil:
			t.Errorf("%s: %v", state, err)
		case want != "" && (err == nil || !strings.Contains(err.Error(), want) || !strings.HasSuffix(err.Error(), "run: bmcis setup") || !errors.As(err, &e) || e.Kind != pg.NoVector):
			t.Errorf("%s: %v", state, err)
		}
	}
	move := func(from, to string) {
		t.Helper()
		if err := os.Rename(from, to); err != nil {
			t.Fatal(err)
		}
	}
	move(library, library+".away")
	open("new database without the library", "could not access file")
	move(library+".away", library)
	open("mended", "")
	move(library, library+".away")
	open("used database without the library", "could not access file")
	if err := os.WriteFile(library, []byte("rubbish"), 0o755); err != nil {
		t.Fatal(err)
	}
	open("damaged library", "could not load library")
	move(library+".away", library)
	open("mended again", "")
}

// TestStaleFiles leaves behind what crashes leave behind.
func TestStaleFiles(t *testing.T) {
	t.Parallel()
	c := cluster(t, folder(t))
	dsn := ensure(t, c)
	one(t, dsn, "select 1::text")
	p, err := readPostmaster(c.data())
	if err != nil {
		t.Fatal(err)
	}
	pidFile, err := os.ReadFile(filepath.Join(c.data(), "postmaster.pid"))
	if err != nil {
		t.Fatal(err)
	}
	if _, err := c.Stop(t.Context()); err != nil {
		t.Fatal(err)
	}
	id, err := c.serverIdentity()
	if err != nil {
		t.Fatal(err)
	}
	// The process id has been given to another process of the server's user.
	other := exec.Command("sleep", "60")
	other.SysProcAttr = id.attributes()
	if err := other.Start(); err != nil {
		t.Fatal(err)
	}
	defer func() { other.Process.Kill(); other.Wait() }()
	_, rest, _ := strings.Cut(string(pidFile), "\n")
	put := func(path, text string) {
		t.Helper()
		if err := os.WriteFile(path, []byte(text), 0o600); err != nil {
			t.Fatal(err)
		}
		if err := id.give(path); err != nil {
			t.Fatal(err)
		}
	}
	put(filepath.Join(c.data(), "postmaster.pid"), strconv.Itoa(other.Process.Pid)+"\n"+rest)
	socket := filepath.Join(p.socketDir, ".s.PGSQL."+strconv.Itoa(port))
	l, err := net.Listen("unix", socket)
	if err != nil {
		t.Fatal(err)
	}
	l.(*net.UnixListener).SetUnlinkOnClose(false)
	l.Close()
	put(socket+".lock", strconv.Itoa(other.Process.Pid)+"\n"+rest)
	for _, name := range []string{"clients.lock", "start.lock", "supervisor.lock"} {
		put(filepath.Join(c.dir(), name), "12345 was here\n")
	}
	if err := os.Mkdir(filepath.Join(c.dir(), newPrefix+"killed"), 0o700); err != nil {
		t.Fatal(err)
	}
	if got := one(t, ensure(t, c), "select 'healed'"); got != "healed" {
		t.Error(got)
	}
}

func TestRubbishInPidFile(t *testing.T) {
	t.Parallel()
	c := cluster(t, folder(t))
	ensure(t, c)
	if _, err := c.Stop(t.Context()); err != nil {
		t.Fatal(err)
	}
	id, err := c.serverIdentity()
	if err != nil {
		t.Fatal(err)
	}
	for _, text := range []string{"", "rubbish\n", "-1\n", "99999999999999999999\n"} {
		path := filepath.Join(c.data(), "postmaster.pid")
		if err := os.WriteFile(path, []byte(text), 0o600); err != nil {
			t.Fatal(err)
		}
		if err := id.give(path); err != nil {
			t.Fatal(err)
		}
		one(t, ensure(t, c), "select 'healed'")
		if _, err := c.Stop(t.Context()); err != nil {
			t.Fatal(err)
		}
	}
}

func TestCancelledEnsureLeavesAWayOn(t *testing.T) {
	t.Parallel()
	c := cluster(t, folder(t))
	for _, after := range []time.Duration{time.Millisecond, 50 * time.Millisecond, 200 * time.Millisecond, 400 * time.Millisecond, 700 * time.Millisecond} {
		ctx, cancel := context.WithTimeout(t.Context(), after)
		if _, release, err := c.Ensure(ctx); err == nil {
			release()
		}
		cancel()
	}
	one(t, ensure(t, c), "select 'made after all'")
}

func TestLongPath(t *testing.T) {
	t.Parallel()
	dir := filepath.Join(folder(t), strings.Repeat("long-", 12), strings.Repeat("längér ", 8), "it's")
	c := cluster(t, dir)
	dsn := ensure(t, c)
	one(t, dsn, "select 'reached'")
	p, err := readPostmaster(c.data())
	if err != nil {
		t.Fatal(err)
	}
	if strings.HasPrefix(p.socketDir, c.home) {
		t.Errorf("socket folder %s should be elsewhere", p.socketDir)
	}
	info, err := os.Lstat(p.socketDir)
	if err != nil || info.Mode().Perm() != 0o700 {
		t.Errorf("socket folder: %v %v", info, err)
	}
	if _, err := c.Stop(t.Context()); err != nil {
		t.Fatal(err)
	}
	if !wait(t.Context(), 5*time.Second, func() bool { _, err := os.Lstat(p.socketDir); return err != nil }) {
		t.Errorf("%s is left behind", p.socketDir)
	}
}

func TestCommaInPath(t *testing.T) {
	t.Parallel()
	c := cluster(t, filepath.Join(folder(t), "a,b"))
	one(t, ensure(t, c), "select 'reached'")
}

func TestForeignDataIsLeftAlone(t *testing.T) {
	t.Parallel()
	for name, files := range map[string]map[string]string{
		"made by PostgreSQL 9":       {"PG_VERSION": "9\n", "base": "precious"},
		"not a whole database":       {"base": "precious"},
		"no PG_VERSION: not a whole": {},
	} {
		c := cluster(t, folder(t))
		if err := os.MkdirAll(c.data(), 0o755); err != nil {
			t.Fatal(err)
		}
		for file, text := range files {
			if err := os.WriteFile(filepath.Join(c.data(), file), []byte(text), 0o644); err != nil {
				t.Fatal(err)
			}
		}
		_, _, err := c.Ensure(t.Context())
		if err == nil || !strings.Contains(err.Error(), name) || !strings.Contains(err.Error(), "nothing was changed") {
			t.Errorf("%s: %v", name, err)
		}
		left, err := os.ReadDir(c.data())
		if err != nil || len(left) != len(files) {
			t.Errorf("%s: %d files are left of %d, %v", name, len(left), len(files), err)
		}
	}
}

func TestLogStaysBounded(t *testing.T) {
	t.Parallel()
	c := cluster(t, folder(t))
	if err := os.MkdirAll(c.home, 0o755); err != nil {
		t.Fatal(err)
	}
	big := strings.Repeat("x", maxLog) + "the end\n"
	if err := os.WriteFile(c.LogFile(), []byte(big), 0o600); err != nil {
		t.Fatal(err)
	}
	ensure(t, c)
	now, err := os.Stat(c.LogFile())
	if err != nil || now.Size() > 1<<20 {
		t.Errorf("log: %v %v", now, err)
	}
	old, err := os.ReadFile(c.LogFile() + ".1")
	if err != nil || len(old) > maxLog || !strings.HasSuffix(string(old), "the end\n") {
		t.Errorf("old log: %d bytes, %v", len(old), err)
	}
}
