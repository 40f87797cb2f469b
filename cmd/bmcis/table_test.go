package main

import (
	"strings"
	"testing"
)

func TestTable(t *testing.T) {
	var b strings.Builder
	if err := table(&b, "NAME SIZE WHERE", [][]any{{"grün", 7, ""}, {"a long name", 1234, "/here"}}); err != nil {
		t.Fatal(err)
	}
	want := "NAME         SIZE  WHERE\n" + "grün         7     \n" + "a long name  1234  /here\n"
	if b.String() != want {
		t.Errorf("got\n%q\nwant\n%q", b.String(), want)
	}
	b.Reset()
	if err := table(&b, "NAME", nil); err != nil || b.Len() > 0 {
		t.Errorf("no rows: %q, %v", b.String(), err)
	}
}

func TestCell(t *testing.T) {
	for text, want := range map[string]string{"plain": "plain", "\x1b[31mred": " [31mred", "a\u202eb\nc": "a b c", "0123456789ab": "012345678…", "ääääääääääää": "äääääääää…"} {
		if got := cell(text, 10); got != want {
			t.Errorf("%q: %q", text, got)
		}
	}
}
