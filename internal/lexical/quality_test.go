package lexical

import (
	"bufio"
	"cmp"
	"encoding/json"
	"math"
	"os"
	"path/filepath"
	"slices"
	"strconv"
	"strings"
	"testing"

	"github.com/jackc/pgx/v5"
)

// TestQuality measures nDCG@10 on judged collections in BEIR's layout, whose folder
// BMCIS_TEST_CORPORA names, against the figures beside them (bm25.json: bm25s with the
// same k1 and b): it fails where ours is more than 0.5 points below.
func TestQuality(t *testing.T) {
	root := os.Getenv("BMCIS_TEST_CORPORA")
	if root == "" {
		if os.Getenv("CI") != "" {
			t.Fatal("BMCIS_TEST_CORPORA is not set: it names a folder of judged collections")
		}
		t.Skip("BMCIS_TEST_CORPORA is not set: it names a folder of judged collections")
	}
	dirs, _ := filepath.Glob(filepath.Join(root, "*", "qrels.tsv"))
	for _, d := range dirs {
		dir := filepath.Dir(d)
		t.Run(filepath.Base(dir), func(t *testing.T) {
			var reference map[string]map[string]float64
			data, err := os.ReadFile(filepath.Join(dir, "bm25.json"))
			if err != nil {
				t.Skip(err)
			}
			if err := json.Unmarshal(data, &reference); err != nil {
				t.Fatal(err)
			}
			f := newFixture(t)
			ids := loadBEIR(t, f, filepath.Join(dir, "corpus.jsonl"))
			qrels := readQrels(t, d)
			for _, p := range [][2]float64{{0.9, 0.4}, {1.2, 0.75}} {
				f.c.K1, f.c.B = p[0], p[1]
				var sum float64
				n := 0
				eachJSON(t, filepath.Join(dir, "queries.jsonl"), func(q beirDoc) {
					rel := qrels[q.ID]
					if len(rel) == 0 {
						return
					}
					n++
					var ranked []string
					for _, h := range f.search(Query{Text: q.Text, Plain: true}).Hits {
						ranked = append(ranked, ids[h.Chunk])
					}
					sum += ndcg(ranked, rel)
				})
				key := strconv.FormatFloat(p[0], 'g', -1, 64) + "," + strconv.FormatFloat(p[1], 'g', -1, 64)
				got, want := sum/float64(n), reference[key]["nDCG@10"]
				t.Logf("%-18s k1,b = %-8s nDCG@10 %.4f, reference %.4f (%+.2f points)", filepath.Base(dir), key, got, want, 100*(got-want))
				if got < want-0.005 {
					t.Errorf("%s k1,b = %s: nDCG@10 %.4f is more than 0.5 points below %.4f", filepath.Base(dir), key, got, want)
				}
			}
		})
	}
}

type beirDoc struct {
	ID    string `json:"_id"`
	Title string `json:"title"`
	Text  string `json:"text"`
}

func eachJSON(t testing.TB, path string, f func(beirDoc)) {
	t.Helper()
	file, err := os.Open(path)
	if err != nil {
		t.Fatal(err)
	}
	defer file.Close()
	s := bufio.NewScanner(file)
	s.Buffer(nil, 64<<20)
	for s.Scan() {
		var d beirDoc
		if err := json.Unmarshal(s.Bytes(), &d); err != nil {
			t.Fatal(err)
		}
		f(d)
	}
	if s.Err() != nil {
		t.Fatal(s.Err())
	}
}

func loadBEIR(t testing.TB, f *fixture, path string) map[int64]string {
	ids := map[int64]string{}
	var batch []Document
	flush := func() {
		f.tx(func(tx pgx.Tx) error { return f.ix.Append(t.Context(), tx, f.c, batch) })
		batch = batch[:0]
	}
	eachJSON(t, path, func(d beirDoc) {
		ids[f.next] = d.ID
		batch = append(batch, Document{Chunk: f.next, Title: d.Title, Body: d.Text})
		f.next++
		if len(batch) == 2000 {
			flush()
		}
	})
	flush()
	if _, err := f.ix.Optimize(t.Context(), f.c); err != nil {
		t.Fatal(err)
	}
	return ids
}

func readQrels(t testing.TB, path string) map[string]map[string]float64 {
	data, err := os.ReadFile(path)
	if err != nil {
		t.Fatal(err)
	}
	out := map[string]map[string]float64{}
	for _, line := range strings.Split(string(data), "\n")[1:] {
		f := strings.Fields(line)
		if len(f) != 3 {
			continue
		}
		if out[f[0]] == nil {
			out[f[0]] = map[string]float64{}
		}
		out[f[0]][f[1]], _ = strconv.ParseFloat(f[2], 64)
	}
	return out
}

func ndcg(ranked []string, rel map[string]float64) float64 {
	var dcg, ideal float64
	for i, id := range ranked[:min(10, len(ranked))] {
		dcg += rel[id] / math.Log2(float64(i+2))
	}
	var all []float64
	for _, r := range rel {
		all = append(all, r)
	}
	slices.SortFunc(all, func(a, b float64) int { return cmp.Compare(b, a) })
	for i, r := range all[:min(10, len(all))] {
		ideal += r / math.Log2(float64(i+2))
	}
	if ideal == 0 {
		return 0
	}
	return dcg / ideal
}
