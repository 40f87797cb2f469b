// Package route decides how a query is answered. The query, what the caller asked for
// and the corpus statistics of its terms go in; a [Plan] comes out: which legs, how
// much each counts, how deep, whether a reranker may run, and why, in words. Pure
// functions; caller: search.
//
// Five layers, the later ones only where the earlier left room: the caller's override,
// syntax as hard constraints, rules on free features and corpus statistics, a learned
// correction of the weight, and after fusion the gate before the reranker ([Gate]).
package route

import (
	"fmt"
	"math"
	"strings"
)

// Class is the kind of a query.
type Class string

const (
	Identifier Class = "identifier" // ERR_CONN_RESET, CVE-2024-3094, os.path.join
	Phrase     Class = "phrase"     // "to be or not to be"
	Keyword    Class = "keyword"    // postgres hnsw memory
	Natural    Class = "natural"    // how do I back up the database?
	Mixed      Class = "mixed"      // what does run_target do
)

// Mode says which legs answer.
type Mode string

const (
	Auto    Mode = "auto" // in Input only: the router chooses
	Hybrid  Mode = "hybrid"
	Lexical Mode = "lexical"
	Vector  Mode = "vector"
)

// Weights is the share of each leg; in a Plan they sum to one.
type Weights struct{ Lexical, Vector float64 }

// Term is one analysed query term with its statistics.
type Term struct {
	Text string
	DF   int64 // chunks that hold it
	IDF  float64
}

// Rerank is what the caller asked of the reranker.
type Rerank string

const (
	RerankAuto Rerank = "" // when it is worth its time
	RerankOn   Rerank = "on"
	RerankOff  Rerank = "off"
)

// Input is everything that Route looks at.
type Input struct {
	Query string
	// Mode is the caller's; empty is Auto.
	Mode Mode
	// Weights are the caller's; both zero lets the router choose.
	Weights Weights
	// Window is the caller's number of candidates from each leg; 0 lets the router
	// choose. Limit is the number of hits that the answer needs.
	Window, Limit int
	Rerank        Rerank
	// Terms and Documents come from lexical.Analyze. Without them the statistics are
	// not used.
	Terms     []Term
	Documents int64
	// Learned corrects the weights of the rules; nil for none.
	Learned *Model
}

// Plan is the decision.
type Plan struct {
	Class   Class
	Mode    Mode // Hybrid, Lexical or Vector
	Weights Weights
	// Constrained says that the query holds a phrase, +must, -not or field: only chunks
	// that satisfy it may be answered, also those that the vector leg found.
	Constrained bool
	// Embed is what to embed: the query, without operators and without what must not be
	// there when it is Constrained (a vector knows no "not").
	Embed string
	// Rerank says that the reranker may run; [Gate] decides after fusion.
	Rerank bool
	// Window is the number of candidates from each leg.
	Window int
	// Rare are the identifiers of the query that stand in a few chunks only, as terms:
	// what holds one must not be lost. Name is the identifier that makes up the whole
	// query, as written, else "".
	Rare []string
	Name string
	// Reasons are one line for each decision, in the order in which they were taken.
	Reasons []string
}

func (p *Plan) because(format string, args ...any) {
	p.Reasons = append(p.Reasons, fmt.Sprintf(format, args...))
}

const (
	defaultWindow = 100
	rerankWindow  = 200
	maxWindow     = 2000

	// rareDF is up to how many chunks hold a rare term.
	rareDF = 5
)

// classWeights is how much the lexical leg counts by class, on the scales of
// rank.Linear; the vector leg counts the rest.
//
// Evidence (2026-11-21, bge-small-en-v1.5 int8, BM25 with k1 1.2 and b 0.75, whole
// documents, best 100 of each leg, nDCG@10 for lexical weights of .3 to .9). natural:
// flat from .4 to .6 on claude_docs, cranfield, scifact, vaswani and datatalks_faq;
// lower is better where documents are single sentences or snippets (wikiqa, cosqa).
// mixed: flat from .6 to .8 on codebase_chunks and datatalks_faq, falling above .6 on
// scifact. keyword: .5 is a compromise between vaswani (.6) and cosqa (.3). identifier
// and phrase are set by their purpose, to find what is written; no collection here
// holds enough of them to measure.
var classWeights = map[Class]float64{
	Identifier: 0.95,
	Phrase:     0.90,
	Mixed:      0.60,
	Keyword:    0.50,
	Natural:    0.40,
}

// Route decides. Errors: an unknown mode or policy, weights that are no numbers,
// negative or (one given) both 0, a negative window.
func Route(in Input) (Plan, error) {
	if err := in.check(); err != nil {
		return Plan{}, err
	}
	var p Plan
	q := read(in.Query)
	p.Class = q.class(&p)
	p.constrain(in, q)
	p.weigh(in, q)
	p.choose(in, q)
	p.rerank(in)
	p.window(in)
	p.Rare = q.rareTerms(in)
	if len(q.words) == 1 && q.phrases == 0 && (p.Class == Identifier || strings.ContainsAny(strings.Trim(q.words[0], "./"), "./")) {
		p.Name = q.words[0]
	}
	return p, nil
}

func (in Input) check() error {
	switch in.Mode {
	case "", Auto, Hybrid, Lexical, Vector:
	default:
		return fmt.Errorf("mode %q is none of auto, hybrid, lexical, vector", in.Mode)
	}
	switch in.Rerank {
	case RerankAuto, RerankOn, RerankOff:
	default:
		return fmt.Errorf("rerank %q is none of on, off or empty", in.Rerank)
	}
	for _, w := range []float64{in.Weights.Lexical, in.Weights.Vector} {
		if math.IsNaN(w) || math.IsInf(w, 0) || w < 0 {
			return fmt.Errorf("weights must be numbers of at least 0, got lexical %v, vector %v", in.Weights.Lexical, in.Weights.Vector)
		}
	}
	if in.Window < 0 || in.Limit < 0 {
		return fmt.Errorf("window and limit must not be negative, got %d and %d", in.Window, in.Limit)
	}
	return in.Learned.Check()
}

func (p *Plan) constrain(in Input, q features) {
	p.Embed = in.Query
	if p.Constrained = len(q.constraints) > 0; !p.Constrained {
		return
	}
	if in.Mode == Vector {
		p.because("%s: not heeded, since vectors alone cannot check it", join(q.constraints))
	} else {
		p.because("%s: only chunks that satisfy it are answered", join(q.constraints))
	}
	if len(q.words) > 0 {
		p.Embed = strings.Join(q.words, " ")
	}
}

// weigh sets the weights, before the legs are chosen.
func (p *Plan) weigh(in Input, q features) {
	if l, v := in.Weights.Lexical, in.Weights.Vector; l > 0 || v > 0 {
		top := max(l, v)
		l, v = l/top, v/top
		p.Weights = Weights{l / (l + v), v / (l + v)}
		p.because("weights given by the caller: lexical %.2f, vector %.2f", p.Weights.Lexical, p.Weights.Vector)
		return
	}
	w := classWeights[p.Class]
	reason := fmt.Sprintf("weights for a query of class %s", p.Class)
	if p.Class == Identifier && q.unknown(in) {
		w, reason = classWeights[Mixed], "no chunk holds the identifier as written, so meaning counts more"
	}
	if in.Learned != nil && Learns(p.Class) {
		learned := in.Learned.Weight(w, q.vector(in))
		reason += fmt.Sprintf(", %.2f, corrected to %.2f by the learned model %s", w, learned, in.Learned.Version)
		w = learned
	}
	p.Weights = Weights{w, 1 - w}
	p.because("%s: lexical %.2f, vector %.2f", reason, p.Weights.Lexical, p.Weights.Vector)
}

// choose sets the legs, and the weights of a leg that does not run to 0.
func (p *Plan) choose(in Input, q features) {
	switch {
	case in.Mode == Lexical || in.Mode == Vector:
		p.Mode = in.Mode
		p.because("mode %s asked for", in.Mode)
	case in.Mode != Hybrid && len(q.words) == 0 && len(q.constraints) == 0:
		p.Mode = Vector
		p.because("the query holds no word to look up, so vectors answer alone")
	case in.Mode == Hybrid:
		p.Mode = Hybrid
		p.because("mode hybrid asked for")
	case p.Weights.Vector == 0:
		p.Mode = Lexical
		p.because("the vector leg has no weight, so it is left out")
	case p.Weights.Lexical == 0:
		p.Mode = Vector
		p.because("the lexical leg has no weight, so it is left out")
	case p.Class == Identifier && in.Weights == Weights{} && q.rare(in) != nil:
		p.Mode = Lexical
		p.because("%q stands in only %d chunks, so BM25 finds it alone and nothing is embedded", q.rare(in).Text, q.rare(in).DF)
	default:
		p.Mode = Hybrid
		p.because("both legs answer")
	}
	switch p.Mode {
	case Lexical:
		p.Weights = Weights{Lexical: 1}
	case Vector:
		p.Weights = Weights{Vector: 1}
	}
}

func (p *Plan) rerank(in Input) {
	switch {
	case in.Rerank == RerankOff:
		p.because("reranking switched off by the caller")
	case in.Rerank == RerankOn:
		p.Rerank = true
		p.because("reranking asked for")
	case p.Class == Natural || p.Class == Mixed:
		p.Rerank = true
		p.because("a %s query may gain from the reranker", p.Class)
	default:
		p.because("a %s query is better served by its exact order than by a reranker", p.Class)
	}
}

func (p *Plan) window(in Input) {
	p.Window = in.Window
	if p.Window == 0 {
		p.Window = defaultWindow
		if p.Rerank {
			p.Window = rerankWindow
		}
	}
	p.Window = min(max(p.Window, in.Limit), maxWindow)
}
