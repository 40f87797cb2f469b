package main

import (
	"bufio"
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"strconv"
	"strings"
	"syscall"
	"testing"
	"time"

	"github.com/bmcis/bmcis/internal/home"
	"github.com/bmcis/bmcis/internal/pg/pgtest"
)

// household is a BMCIS_HOME of its own with a private database, and the fetched
// artifacts of this machine.
type household struct {
	t   *testing.T
	env []string
	dir string
}

func newHousehold(t *testing.T) household {
	t.Helper()
	artifacts, err := home.Artifacts()
	if err == nil {
		_, err = home.PostgresBin()
	}
	if err == nil {
		_, err = home.Locate()
	}
	if err != nil {
		if os.Getenv("CI") != "" {
			t.Fatalf("not set up: %v", err)
		}
		t.Skipf("not set up: %v", err)
	}
	// Not t.TempDir: the database's user must be able to enter.
	dir, err := os.MkdirTemp("", "bmcis-test-")
	if err != nil {
		t.Fatal(err)
	}
	h := household{t: t, dir: dir}
	h.env = append(os.Environ(), "BMCIS_HOME="+filepath.Join(dir, "home"), "BMCIS_DATABASE_URL=", "BMCIS_DB_IDLE=1m")
	t.Cleanup(func() {
		h.command("db", "stop").Run()
		os.RemoveAll(dir)
	})
	err = errors.Join(os.Chmod(dir, 0o755), os.Mkdir(filepath.Join(dir, "home"), 0o755),
		os.Symlink(artifacts, filepath.Join(dir, "home", "artifacts")))
	if err != nil {
		t.Fatal(err)
	}
	return h
}

func (h household) command(args ...string) *exec.Cmd {
	cmd := exec.Command("bmcis", args...)
	cmd.Env, cmd.Dir = h.env, h.dir
	return cmd
}

// must runs a command that has to succeed, and returns its standard output.
func (h household) must(args ...string) string {
	h.t.Helper()
	var stderr bytes.Buffer
	cmd := h.command(args...)
	cmd.Stderr = &stderr
	out, err := cmd.Output()
	if err != nil {
		h.t.Fatalf("bmcis %q: %v: %s", args, err, stderr.String())
	}
	return string(out)
}

// documents counts what is committed in a collection.
func (h household) documents(collection string) int {
	h.t.Helper()
	var list []struct {
		Name      string
		Documents int
	}
	if err := json.Unmarshal([]byte(h.must("collections", "--json")), &list); err != nil {
		h.t.Fatal(err)
	}
	for _, c := range list {
		if c.Name == collection {
			return c.Documents
		}
	}
	return 0
}

// killPostgres kills the private database's postmaster without warning.
func (h household) killPostgres() error {
	data, err := os.ReadFile(filepath.Join(h.dir, "home", "postgres", "data", "postmaster.pid"))
	if err != nil {
		return err
	}
	first, _, _ := strings.Cut(string(data), "\n")
	pid, err := strconv.Atoi(first)
	if err != nil {
		return err
	}
	return syscall.Kill(pid, syscall.SIGKILL)
}

// TestKilledWhileIndexing kills first the indexing process, then PostgreSQL under it.
// What was committed is there afterwards, and the same command goes on from there.
func TestKilledWhileIndexing(t *testing.T) {
	h := newHousehold(t)
	const documents = 192 // three batches
	for i := range documents {
		path := filepath.Join(h.dir, "docs", fmt.Sprintf("%03d.md", i))
		text := fmt.Sprintf("# Note %d\n\n", i) + strings.Repeat(fmt.Sprintf("The note with the number %d says little of worth. ", i), 4)
		if err := errors.Join(os.MkdirAll(filepath.Dir(path), 0o755), os.WriteFile(path, []byte(text), 0o644)); err != nil {
			t.Fatal(err)
		}
	}
	h.must("db", "migrate", "--quiet")
	for _, victim := range []string{"bmcis", "postgres"} {
		var stderr bytes.Buffer
		index := h.command("index", "docs", "--collection", victim, "--quiet")
		index.Stderr = &stderr
		if err := index.Start(); err != nil {
			t.Fatal(err)
		}
		ended := make(chan error, 1)
		go func() { ended <- index.Wait() }()
		before := 0
		ctx, cancel := context.WithTimeout(t.Context(), 5*time.Minute)
		for before == 0 && ctx.Err() == nil {
			before = h.documents(victim)
		}
		cancel()
		var err error
		if victim == "bmcis" {
			err = index.Process.Kill()
		} else {
			err = h.killPostgres()
		}
		if err != nil {
			t.Fatalf("kill %s: %v", victim, err)
		}
		err = <-ended
		after := h.documents(victim)
		t.Logf("%s killed at %d of %d documents; index: %v; found %d", victim, before, documents, err, after)
		if after < before {
			t.Errorf("%s killed: %d documents were committed, %d are left", victim, before, after)
		}
		if said := strings.TrimSpace(stderr.String()); victim == "postgres" && err != nil && (!strings.HasPrefix(said, "bmcis: ") || strings.Contains(said, "\n")) {
			t.Errorf("not one line: %q", said)
		}
		again := h.must("index", "docs", "--collection", victim)
		if got := h.documents(victim); got != documents {
			t.Errorf("%s killed: after the next run %d documents: %s", victim, got, again)
		}
		if out := h.must("index", "docs", "--collection", victim); !strings.HasPrefix(out, fmt.Sprintf("0 added, 0 changed, %d unchanged", documents)) {
			t.Errorf("a third run: %s", out)
		}
		if out := h.must("search", "note with the number 77", "--collection", victim, "--mode", "lexical"); !strings.Contains(out, "Note 77") {
			t.Errorf("search after %s was killed: %s", victim, out)
		}
	}
}

// TestKilledChild kills the sandbox's child under a running program.
func TestKilledChild(t *testing.T) {
	pool := pgtest.Empty(t)
	env := append(os.Environ(), "BMCIS_DATABASE_URL="+pool.Config().ConnString()+" dbname="+pool.Config().ConnConfig.Database)
	program := filepath.Join(t.TempDir(), "endless.py")
	if err := os.WriteFile(program, []byte("print('under way')\nwhile True:\n    pass\n"), 0o644); err != nil {
		t.Fatal(err)
	}
	cmd := exec.Command("bmcis", "exec", program, "--timeout", "5m")
	cmd.Env = env
	var stderr bytes.Buffer
	cmd.Stderr = &stderr
	out, err := cmd.StdoutPipe()
	if err != nil {
		t.Fatal(err)
	}
	if err := cmd.Start(); err != nil {
		t.Fatal(err)
	}
	defer cmd.Process.Kill()
	if line, err := bufio.NewReader(out).ReadString('\n'); line != "under way\n" {
		t.Fatalf("%q, %v", line, err)
	}
	lists, err := filepath.Glob(fmt.Sprintf("/proc/%d/task/*/children", cmd.Process.Pid))
	if err != nil {
		t.Fatal(err)
	}
	killed := 0
	for _, list := range lists {
		children, _ := os.ReadFile(list)
		for _, child := range strings.Fields(string(children)) {
			if pid, err := strconv.Atoi(child); err == nil && syscall.Kill(pid, syscall.SIGKILL) == nil {
				killed++
			}
		}
	}
	if killed == 0 {
		t.Fatal("there is no child to kill")
	}
	err = cmd.Wait()
	said := strings.TrimSpace(stderr.String())
	if exit := (*exec.ExitError)(nil); !errors.As(err, &exit) || exit.ExitCode() != exitFailed ||
		!strings.HasPrefix(said, "bmcis: ") || strings.Contains(said, "\n") {
		t.Errorf("%v: %q", err, said)
	}
	t.Log(said)
	cmd = exec.Command("bmcis", "exec", "-")
	cmd.Env, cmd.Stdin = env, strings.NewReader("1 + 1")
	if got, err := cmd.Output(); err != nil || string(got) != "2\n" {
		t.Errorf("the next program: %q, %v", got, err)
	}
}
