package eval

import (
	"bufio"
	"fmt"
	"io"
	"math"
	"os"
	"strconv"
	"strings"
)

// TRECRun is the answers to all queries of a set, in its order.
type TRECRun struct {
	Answers []Answer
}

// Answer is the ranking that one query got.
type Answer struct {
	Query   string // its id
	Ranking []Ranked
}

// Write writes TREC's six columns: query, Q0, document, rank from 1, score, tag.
// Scores are written so that they read back exactly. trec_eval ignores the rank and
// sorts by score, ties by id: so does this package.
func (r TRECRun) Write(w io.Writer, tag string) error {
	if tag == "" || strings.ContainsAny(tag, " \t\n") {
		return fmt.Errorf("run tag %q must be one word", tag)
	}
	out := bufio.NewWriter(w)
	for _, a := range r.Answers {
		for i, d := range trecOrder(a.Ranking) {
			if strings.ContainsAny(d.ID, " \t\n\r") || d.ID == "" {
				return fmt.Errorf("document id %q holds white space, which a run file cannot", d.ID)
			}
			fmt.Fprintf(out, "%s Q0 %s %d %s %s\n", a.Query, d.ID, i+1, strconv.FormatFloat(d.Score, 'g', -1, 64), tag)
		}
	}
	return out.Flush()
}

// ReadRun reads a run file. Answers come in the order in which their queries first
// appear.
func ReadRun(r io.Reader) (TRECRun, error) {
	var run TRECRun
	index := map[string]int{}
	s := lines(r)
	for n := 1; s.Scan(); n++ {
		f := strings.Fields(s.Text())
		if len(f) == 0 {
			continue
		}
		if len(f) != 6 {
			return run, fmt.Errorf("run line %d has %d columns, want 6", n, len(f))
		}
		score, err := strconv.ParseFloat(f[4], 64)
		if err != nil || math.IsNaN(score) {
			return run, fmt.Errorf("run line %d: score %q is not a number", n, f[4])
		}
		i, ok := index[f[0]]
		if !ok {
			i = len(run.Answers)
			index[f[0]] = i
			run.Answers = append(run.Answers, Answer{Query: f[0]})
		}
		run.Answers[i].Ranking = append(run.Answers[i].Ranking, Ranked{ID: f[2], Score: score})
	}
	return run, s.Err()
}

// OpenRun reads a run file that answers queries of the set. One that answers none of
// them is an error, because it would look like a run that found nothing.
func OpenRun(path string, set *Set) (TRECRun, error) {
	f, err := os.Open(path)
	if err != nil {
		return TRECRun{}, fmt.Errorf("read run file: %w; `bmcis eval --run FILE` writes one", err)
	}
	defer f.Close()
	run, err := ReadRun(f)
	if err != nil {
		return run, fmt.Errorf("read run file %s: %w", path, err)
	}
	for _, a := range run.Answers {
		if len(set.Qrels[a.Query]) > 0 {
			return run, nil
		}
	}
	return run, fmt.Errorf("run file %s answers none of the %d judged queries of %s: it belongs to another collection", path, len(set.Queries), set.Name)
}

// Judge measures every judged query of the set, in its order. Queries that the run
// does not answer count as zero.
func (r TRECRun) Judge(set *Set) []Metrics {
	answers := map[string][]Ranked{}
	for _, a := range r.Answers {
		answers[a.Query] = a.Ranking
	}
	list := make([]Metrics, len(set.Queries))
	for i, q := range set.Queries {
		list[i] = Judge(answers[q.ID], set.Qrels[q.ID])
	}
	return list
}
