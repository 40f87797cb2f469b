package console

import (
	"bufio"
	"fmt"
	"io"
	"net"
	"net/http"
	"os"
	"os/exec"
	"strings"
	"testing"

	"github.com/bmcis/bmcis/internal/identity"
	"github.com/bmcis/bmcis/internal/mcpserver"
	"github.com/bmcis/bmcis/search"
)

// door serves a handler at one address and can be shut and opened again.
type door struct {
	address string
	handler http.Handler
	srv     *http.Server
}

func (d *door) open(t *testing.T) {
	t.Helper()
	l, err := net.Listen("tcp", d.address)
	if err != nil {
		t.Fatal(err)
	}
	d.address = l.Addr().String()
	d.srv = &http.Server{Handler: d.handler}
	go func(s *http.Server) { _ = s.Serve(l) }(d.srv)
}

func (d *door) url() string { return "http://" + d.address + "/console/" }

// TestInChromium tries the page in a real browser: browser/check.mjs says what.
func TestInChromium(t *testing.T) {
	modules := os.Getenv("BMCIS_CONSOLE_BROWSER")
	if modules == "" {
		t.Skip("the page is tried in Chromium by `make console-test`")
	}
	name := os.Getenv("CHROMIUM")
	if name == "" {
		name = "chromium"
	}
	missing := t.Skip
	if os.Getenv("CI") != "" {
		missing = t.Fatal
	}
	chromium, err := exec.LookPath(name)
	if err != nil {
		missing("Chromium is missing: apt-get install chromium, or name it in CHROMIUM")
	}
	if _, err := os.Stat(modules + "/installed"); err != nil {
		missing("what drives Chromium is not installed: npm is missing or reached no registry; run make console-test")
	}
	docs := library{
		doc("raft", "Raft", "A candidate that gathers the votes of a majority becomes leader. Leaders send heartbeats.", "consensus", 2014),
		doc("paxos", "Paxos", "Proposers and acceptors agree on one value by votes, although messages may be lost.", "consensus", 1998),
		doc("vacuum", "<b>Vacuum</b>", "Dead tuples are reclaimed by vacuum so that tables do not grow without end.", "database", 2001),
		doc("wal", "Write-ahead log", "Every change is written to the log before the page; a majority of replicas confirms it.", "database", 2003),
		doc("bread", "Bread", "The dough rests for an hour before it goes into the oven.", "kitchen", 2020),
	}
	collections := map[string]library{"notes": docs, "recipes": docs[4:]}
	s := openSite(t, search.IndexOptions{}, collections, nil)
	locked := openSite(t, search.IndexOptions{}, map[string]library{"notes": docs}, func(c *mcpserver.Config) { c.RequireToken = true })
	token := locked.token(t, "reader", identity.DefaultPolicy())
	front, back := &door{address: "127.0.0.1:0", handler: s.handler}, &door{address: "127.0.0.1:0", handler: locked.handler}
	for _, d := range []*door{front, back} {
		d.open(t)
		t.Cleanup(func() { d.srv.Close() })
	}

	cmd := exec.CommandContext(t.Context(), "node", "browser/check.mjs", modules, chromium, front.url(), back.url(), token)
	cmd.Stderr = os.Stderr
	in, err := cmd.StdinPipe()
	if err != nil {
		t.Fatal(err)
	}
	out, err := cmd.StdoutPipe()
	if err != nil {
		t.Fatal(err)
	}
	if err := cmd.Start(); err != nil {
		t.Fatal(err)
	}
	steps := 0
	for lines := bufio.NewScanner(out); lines.Scan(); {
		switch line := lines.Text(); {
		case line == "stop":
			front.srv.Close()
		case line == "start":
			front.open(t)
		case strings.HasPrefix(line, "ok "):
			steps++
			fallthrough
		default:
			t.Log(line)
			continue
		}
		if _, err := io.WriteString(in, "done\n"); err != nil {
			t.Fatal(err)
		}
	}
	if err := cmd.Wait(); err != nil {
		t.Fatal(fmt.Errorf("browser/check.mjs: %w, after %d steps", err, steps))
	}
	if steps != 8 {
		t.Errorf("%d steps were taken, want 8", steps)
	}
}
