//go:build conformance

package main

import (
	"bufio"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"syscall"
	"testing"
	"time"
)

// TestConformance runs the protocol's conformance suite, server role, against `bmcis
// serve` in a build that has the suite's fixtures: all scenarios that each revision
// requires. `make conformance` installs the suite and runs this.
func TestConformance(t *testing.T) {
	folder := os.Getenv("BMCIS_CONFORMANCE")
	if folder == "" {
		t.Fatal("BMCIS_CONFORMANCE is not set: run `make conformance`, which installs the suite")
	}
	node := "node"
	if own := filepath.Join(folder, "node_modules", ".bin", "node"); exists(own) {
		node = own
	}
	script := filepath.Join(folder, "node_modules", "@modelcontextprotocol", "conformance", "dist", "index.js")
	url := startServer(t, newHousehold(t))
	suite := func(t *testing.T, args ...string) string {
		t.Helper()
		cmd := exec.CommandContext(t.Context(), node, append([]string{script, "server", "--url", url}, args...)...)
		cmd.Dir = t.TempDir()
		out, err := cmd.CombinedOutput()
		_, summary, _ := strings.Cut(string(out), "=== SUMMARY ===")
		if err != nil {
			t.Errorf("%q: %v\n%s", args, err, out)
		}
		return strings.TrimSpace(summary)
	}
	for _, revision := range []string{"2025-11-25", "2026-07-28"} {
		t.Run(revision, func(t *testing.T) {
			t.Log(suite(t, "--requirements", revision))
			// What the library loses now and then must come every time.
			for range 10 {
				suite(t, "--scenario", "tools-call-with-progress", "--spec-version", revision)
				if revision == "2025-11-25" {
					suite(t, "--scenario", "tools-call-with-logging", "--spec-version", revision)
				}
			}
		})
	}
}

func exists(path string) bool {
	_, err := os.Stat(path)
	return err == nil
}

// startServer returns the address of a server over HTTP that ends with the test.
func startServer(t *testing.T, h household) string {
	t.Helper()
	cmd := h.command("serve", "--http", "127.0.0.1:0")
	stderr, err := cmd.StderrPipe()
	if err != nil {
		t.Fatal(err)
	}
	if err := cmd.Start(); err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() {
		_ = cmd.Process.Signal(syscall.SIGTERM)
		_ = cmd.Wait()
	})
	address := make(chan string, 1)
	go func() {
		for lines := bufio.NewScanner(stderr); lines.Scan(); {
			if rest, ok := strings.CutPrefix(lines.Text(), "listening on "); ok {
				listen, _, _ := strings.Cut(rest, ",")
				address <- listen
			}
		}
	}()
	select {
	case listen := <-address:
		return "http://" + listen + "/mcp"
	case <-time.After(time.Minute):
		t.Fatal("the server did not start within a minute")
	}
	return ""
}
