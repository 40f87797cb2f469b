// Command tokens writes texts as our analysis sees them, so that all engines index and
// ask for the same tokens: a line per text, tokens between spaces.
//
//	tokens -field text <corpus.jsonl >tokens.txt
//	tokens -field query <queries.jsonl >queries.txt
package main

import (
	"bufio"
	"encoding/json"
	"flag"
	"fmt"
	"os"
	"strings"

	"github.com/bmcis/bmcis/internal/text"
)

func main() {
	field := flag.String("field", "text", "the key of the text in each line's object")
	language := flag.String("language", "english", "of the analysis")
	flag.Parse()
	if err := run(*field, *language); err != nil {
		fmt.Fprintln(os.Stderr, "tokens:", err)
		os.Exit(1)
	}
}

func run(field, language string) error {
	a, err := text.New(language)
	if err != nil {
		return err
	}
	out := bufio.NewWriterSize(os.Stdout, 1<<20)
	in := bufio.NewScanner(os.Stdin)
	in.Buffer(nil, 64<<20)
	var tokens []text.Token
	for in.Scan() {
		var object map[string]any
		if err := json.Unmarshal(in.Bytes(), &object); err != nil {
			return err
		}
		s, ok := object[field].(string)
		if !ok {
			return fmt.Errorf("no text under %q in %.100s", field, in.Bytes())
		}
		tokens = a.Tokens(tokens[:0], s)
		for i, t := range tokens {
			if i > 0 {
				out.WriteByte(' ')
			}
			out.WriteString(strings.ReplaceAll(t.Term, " ", "_"))
		}
		out.WriteByte('\n')
	}
	if err := in.Err(); err != nil {
		return err
	}
	return out.Flush()
}
