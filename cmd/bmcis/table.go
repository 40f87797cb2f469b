package main

import (
	"encoding/json"
	"fmt"
	"io"
	"strings"
	"text/tabwriter"

	"github.com/spf13/cobra"
)

// table prints rows in aligned columns under a heading, two spaces apart. It prints
// nothing when there are no rows: the caller says so in words.
func table(w io.Writer, heading string, rows [][]any) error {
	if len(rows) == 0 {
		return nil
	}
	t := tabwriter.NewWriter(w, 0, 8, 2, ' ', 0)
	fmt.Fprintln(t, strings.Join(strings.Fields(heading), "\t"))
	for _, row := range rows {
		cells := make([]string, len(row))
		for i, c := range row {
			cells[i] = strings.TrimSpace(fmt.Sprint(c))
		}
		fmt.Fprintln(t, strings.Join(cells, "\t"))
	}
	return t.Flush()
}

// cell keeps what others named or wrote from taking over the terminal: control
// characters become spaces, and what is long is cut.
func cell(text string, width int) string {
	text = strings.Map(func(r rune) rune {
		if r < ' ' || r >= 0x7f && r < 0xa0 || r >= 0x200b && r <= 0x200f || r >= 0x2028 && r <= 0x202e || r >= 0x2066 && r <= 0x2069 {
			return ' '
		}
		return r
	}, text)
	if runes := []rune(text); len(runes) > width {
		return string(runes[:width-1]) + "…"
	}
	return text
}

// printMeasured prints a report of measurements in words, or as one line of JSON.
func printMeasured(cmd *cobra.Command, report any, asJSON bool) error {
	if asJSON {
		return json.NewEncoder(cmd.OutOrStdout()).Encode(report)
	}
	_, err := fmt.Fprintln(cmd.OutOrStdout(), report)
	return err
}

// printJSON prints one JSON value, indented, with code as it was written.
func printJSON(cmd *cobra.Command, value any) error {
	e := json.NewEncoder(cmd.OutOrStdout())
	e.SetEscapeHTML(false)
	e.SetIndent("", "  ")
	return e.Encode(value)
}
