//go:build ignore

// Gather writes the tools of the servers in a config as JSON lines, as a catalogue for
// measuring tool search: name, server, description, input_schema. Only lists are asked
// for; no tool is called. With -snaps it adds definitions that a project keeps as
// files, one JSON object each, under the given name of a server.
//
//	go run gather.go [-snaps NAME=FOLDER]... CONFIG >tools.jsonl
package main

import (
	"cmp"
	"context"
	"encoding/json"
	"flag"
	"fmt"
	"log"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"time"

	"github.com/bmcis/bmcis/internal/upstream"
)

type line struct {
	Name        string          `json:"name"`
	Server      string          `json:"server"`
	Description string          `json:"description"`
	InputSchema json.RawMessage `json:"input_schema"`
}

func main() {
	log.SetFlags(0)
	var lines []line
	flag.Func("snaps", "NAME=FOLDER of definitions as files", func(v string) error {
		name, dir, ok := strings.Cut(v, "=")
		if !ok {
			return fmt.Errorf("write NAME=FOLDER, not %q", v)
		}
		files, err := filepath.Glob(filepath.Join(dir, "*.snap"))
		if err != nil {
			return err
		}
		for _, f := range files {
			b, err := os.ReadFile(f)
			if err != nil {
				return err
			}
			var t struct {
				Name, Description string
				InputSchema       json.RawMessage
			}
			if err := json.Unmarshal(b, &t); err != nil || t.Name == "" {
				return fmt.Errorf("%s is no definition: %v", f, err)
			}
			lines = append(lines, line{t.Name, name, t.Description, t.InputSchema})
		}
		return nil
	})
	flag.Parse()
	cfg, err := upstream.Load(flag.Arg(0))
	if err != nil {
		log.Fatal(err)
	}
	m, err := upstream.New(cfg, upstream.Options{ConnectTimeout: 2 * time.Minute, CallTimeout: 4 * time.Minute})
	if err != nil {
		log.Fatal(err)
	}
	defer m.Close()
	tools, problems := m.Tools(context.Background())
	for _, p := range problems {
		log.Printf("%s: %s", p.Server, p.Message)
	}
	for _, t := range tools {
		lines = append(lines, line{t.Name, t.Server, t.Description, t.InputSchema})
	}
	slices.SortStableFunc(lines, func(a, b line) int {
		return cmp.Or(cmp.Compare(a.Server, b.Server), cmp.Compare(a.Name, b.Name))
	})
	// The same definition twice, as two builds of one tool have it, is one tool here.
	lines = slices.CompactFunc(lines, func(a, b line) bool { return a.Server == b.Server && a.Name == b.Name })
	counts := map[string]int{}
	out := json.NewEncoder(os.Stdout)
	out.SetEscapeHTML(false)
	for _, l := range lines {
		counts[l.Server]++
		if err := out.Encode(l); err != nil {
			log.Fatal(err)
		}
	}
	for _, s := range m.Status() {
		log.Printf("%-20s %4d tools, protocol %s", s.Name, counts[s.Name], s.Protocol)
	}
	log.Printf("%d tools of %d servers", len(lines), len(counts))
}
