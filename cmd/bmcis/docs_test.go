package main

import (
	"os"
	"path/filepath"
	"regexp"
	"strings"
	"testing"
)

var (
	inDocument = regexp.MustCompile("(?m)`(bmcis [^`\n]+)`|(?:^|[|] |bin/)(bmcis [^`\n]+)$")
	afterwards = regexp.MustCompile(`  .*| # .*| [|<>&] .*|\\$`) // a remark, or another command
	quoted     = regexp.MustCompile(`'[^']*'|"[^"]*"`)
	aFlag      = regexp.MustCompile(`(?:^| )--([a-z][a-z-]*)`)
	aWord      = regexp.MustCompile(`^[a-z][a-z-]*$`)
)

// TestCommandsInDocuments: each bmcis command that a document shows exists, with its
// sub-commands and flags.
func TestCommandsInDocuments(t *testing.T) {
	var files []string
	for _, pattern := range []string{"../../*.md", "../../docs/*.md", "../../docs/*/*.md", "../../models/*.md", "../../models/*/*.md"} {
		found, err := filepath.Glob(pattern)
		if err != nil {
			t.Fatal(err)
		}
		files = append(files, found...)
	}
	seen := 0
	for _, file := range files {
		text, err := os.ReadFile(file)
		if err != nil {
			continue // a folder
		}
		for _, m := range inDocument.FindAllStringSubmatch(string(text), -1) {
			line := quoted.ReplaceAllString(m[1]+m[2], "x")
			line = afterwards.ReplaceAllString(line, "")
			if problem := wrongCommand(line); problem != "" {
				t.Errorf("%s: %s: %s", file, line, problem)
			}
			seen++
		}
	}
	if seen < 60 {
		t.Errorf("found %d commands only", seen)
	}
	for _, bad := range []string{"bmcis frob", "bmcis db frob", "bmcis search x --limt 3", "bmcis tokens crate ann"} {
		if wrongCommand(bad) == "" {
			t.Errorf("%s passes", bad)
		}
	}
}

// wrongCommand says what is wrong with a command line, "" when nothing is.
func wrongCommand(line string) string {
	words := strings.Fields(strings.TrimPrefix(line, "bmcis help"))
	if len(words) > 0 && words[0] == "bmcis" {
		words = words[1:]
	}
	cmd := newRootCommand()
	for len(words) > 0 && cmd.HasSubCommands() && aWord.MatchString(words[0]) {
		sub, _, err := cmd.Find(words[:1])
		if err != nil || sub == cmd {
			return "there is no " + words[0]
		}
		cmd, words = sub, words[1:]
	}
	for _, m := range aFlag.FindAllStringSubmatch(" "+strings.Join(words, " "), -1) {
		cmd.InitDefaultHelpFlag()
		if cmd.Flag(m[1]) == nil && cmd.InheritedFlags().Lookup(m[1]) == nil && m[1] != "version" {
			return "there is no --" + m[1]
		}
	}
	return ""
}
