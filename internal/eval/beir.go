package eval

import (
	"bufio"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"os"
	"path/filepath"
	"strconv"
	"strings"
)

// Query is one question of a judged collection.
type Query struct {
	ID   string
	Text string
}

// Qrels are the judgements: query id → document id → grade. Grades above 0 are
// relevant.
type Qrels map[string]map[string]int

// Set is a judged collection: questions and judgements.
type Set struct {
	// Name is the folder's name.
	Name string
	Dir  string
	// Documents counts the lines of corpus.jsonl.
	Documents int
	// Queries have at least one judgement, in the order of queries.jsonl.
	Queries []Query
	Qrels   Qrels
}

// LoadBEIR reads a folder in BEIR layout as [LoadQuestions] does, and counts its
// corpus.jsonl.
func LoadBEIR(dir string) (*Set, error) {
	set, err := LoadQuestions(dir)
	if err != nil {
		return nil, err
	}
	set.Documents, err = readFile(filepath.Join(dir, "corpus.jsonl"), countLines)
	return set, err
}

// LoadQuestions reads the questions and judgements of a folder: queries.jsonl ({"_id",
// "text"} a line) and qrels.tsv or qrels/test.tsv (query-id, corpus-id, score; a header
// line is allowed). Queries without a judgement are left out, as trec_eval does; a
// judgement of an unknown query is an error, because it would be left out silently.
func LoadQuestions(dir string) (*Set, error) {
	abs, err := filepath.Abs(dir)
	if err != nil {
		return nil, fmt.Errorf("read BEIR folder: %w", err)
	}
	set := &Set{Name: filepath.Base(abs), Dir: dir}
	qrelsPath := filepath.Join(dir, "qrels.tsv")
	if _, err := os.Stat(qrelsPath); errors.Is(err, os.ErrNotExist) {
		if other := filepath.Join(dir, "qrels", "test.tsv"); exists(other) {
			qrelsPath = other
		}
	}
	if set.Qrels, err = readFile(qrelsPath, ReadQrels); err != nil {
		return nil, err
	}
	all, err := readFile(filepath.Join(dir, "queries.jsonl"), readQueries)
	if err != nil {
		return nil, err
	}
	known := map[string]bool{}
	for _, q := range all {
		if known[q.ID] {
			return nil, fmt.Errorf("read %s: query %q occurs twice", filepath.Join(dir, "queries.jsonl"), q.ID)
		}
		known[q.ID] = true
		if len(set.Qrels[q.ID]) > 0 {
			set.Queries = append(set.Queries, q)
		}
	}
	for id := range set.Qrels {
		if !known[id] {
			return nil, fmt.Errorf("read %s: query %q is not in queries.jsonl", qrelsPath, id)
		}
	}
	if len(set.Queries) == 0 {
		return nil, fmt.Errorf("read %s: no query has a judgement", dir)
	}
	return set, nil
}

func exists(path string) bool {
	_, err := os.Stat(path)
	return err == nil
}

func readFile[T any](path string, read func(io.Reader) (T, error)) (T, error) {
	f, err := os.Open(path)
	if err != nil {
		var zero T
		return zero, fmt.Errorf("read BEIR folder: %w; it needs corpus.jsonl, queries.jsonl and qrels.tsv", err)
	}
	defer f.Close()
	v, err := read(f)
	if err != nil {
		return v, fmt.Errorf("read %s: %w", path, err)
	}
	return v, nil
}

func lines(r io.Reader) *bufio.Scanner {
	s := bufio.NewScanner(r)
	s.Buffer(make([]byte, 1<<20), 64<<20)
	return s
}

// ReadQrels reads judgements: three columns as BEIR has them, or four as TREC has
// them (query, iteration, document, grade), separated by white space.
func ReadQrels(r io.Reader) (Qrels, error) {
	qrels := Qrels{}
	s := lines(r)
	for n := 1; s.Scan(); n++ {
		f := strings.Fields(s.Text())
		if len(f) == 0 {
			continue
		}
		if len(f) == 4 {
			f = []string{f[0], f[2], f[3]}
		}
		if len(f) != 3 {
			return nil, fmt.Errorf("line %d has %d columns, want query-id, corpus-id, score", n, len(f))
		}
		grade, err := strconv.Atoi(f[2])
		if err != nil {
			if n == 1 {
				continue // the header
			}
			return nil, fmt.Errorf("line %d: score %q is not a whole number", n, f[2])
		}
		if qrels[f[0]] == nil {
			qrels[f[0]] = map[string]int{}
		}
		qrels[f[0]][f[1]] = grade
	}
	return qrels, s.Err()
}

func readQueries(r io.Reader) ([]Query, error) {
	var queries []Query
	s := lines(r)
	for n := 1; s.Scan(); n++ {
		if strings.TrimSpace(s.Text()) == "" {
			continue
		}
		var q struct {
			ID   string `json:"_id"`
			Text string `json:"text"`
		}
		if err := json.Unmarshal(s.Bytes(), &q); err != nil {
			return nil, fmt.Errorf("line %d: %w", n, err)
		}
		if q.ID == "" {
			return nil, fmt.Errorf(`line %d has no "_id"`, n)
		}
		queries = append(queries, Query{q.ID, q.Text})
	}
	return queries, s.Err()
}

func countLines(r io.Reader) (int, error) {
	s := lines(r)
	n := 0
	for s.Scan() {
		if len(strings.TrimSpace(s.Text())) > 0 {
			n++
		}
	}
	return n, s.Err()
}
