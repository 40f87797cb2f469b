package stdlib

import (
	_ "embed"
	"fmt"
	"sort"
	"strings"
	"time"

	"go.starlark.net/starlark"

	"github.com/bmcis/bmcis/codeapi/internal/guest"
	"github.com/bmcis/bmcis/internal/pylang"
)

// Env is what the modules need of the outside.
type Env struct {
	// Sleep waits so many seconds; its error ends the program.
	Sleep func(seconds float64) error
	// Now is the clock.
	Now func() time.Time
}

// module is one module of the library.
type module struct {
	name     string
	contract func() *guest.Contract
	// make binds the contract and adds what are not functions.
	make func(env *Env, c *guest.Contract) starlark.StringDict
	// source is Python that defines further names, or empty.
	source string
}

//go:embed lib/collections.py
var collectionsSource string

//go:embed lib/functools.py
var functoolsSource string

//go:embed lib/io.py
var ioSource string

var ioDoc = guest.Lazy(`
"""Text in memory: StringIO(initial_value="") with write, getvalue, read, readline, seek and iteration over lines. There are no files."""
`)

func nothing(*Env, *guest.Contract) starlark.StringDict { return starlark.StringDict{} }

func all() []module {
	return []module{
		{"base64", base64Doc, makeBase64, ""},
		{"bisect", bisectDoc, makeBisect, ""},
		{"collections", collectionsDoc, makeCollections, collectionsSource},
		{"csv", csvDoc, makeCSV, csvSource},
		{"datetime", datetimeDoc, makeDatetime, ""},
		{"functools", functoolsDoc, makeFunctools, functoolsSource},
		{"hashlib", hashlibDoc, makeHashlib, ""},
		{"heapq", heapqDoc, makeHeapq, ""},
		{"io", ioDoc, nothing, ioSource},
		{"itertools", itertoolsDoc, makeItertools, ""},
		{"json", jsonDoc, makeJSON, ""},
		{"math", mathDoc, makeMath, ""},
		{"operator", operatorDoc, makeOperator, ""},
		{"random", randomDoc, makeRandom, ""},
		{"re", reDoc, makeRe, ""},
		{"statistics", statisticsDoc, makeStatistics, ""},
		{"string", stringDoc, makeString, ""},
		{"textwrap", textwrapDoc, makeTextwrap, ""},
		{"time", timeDoc, makeTime, ""},
		{"urllib.parse", urllibDoc, makeURLlib, ""},
	}
}

// Modules makes all modules, by name.
func Modules(env *Env) map[string]*pylang.Module {
	out := make(map[string]*pylang.Module)
	for _, m := range all() {
		c := m.contract()
		out[m.name] = &pylang.Module{Name: m.name, Doc: c.Doc, Members: m.make(env, c), Source: m.source}
	}
	return out
}

// Signatures adds the signatures of all functions under their qualified names.
func Signatures(to map[string]pylang.Signature) {
	for _, m := range all() {
		m.contract().Signatures(m.name, to)
	}
}

// Names lists the modules.
func Names() []string {
	var names []string
	for _, m := range all() {
		names = append(names, m.name)
	}
	sort.Strings(names)
	return names
}

// Help is the contract of a module or function, empty when there is none.
func Help(name string) string {
	for _, m := range all() {
		if m.name == name {
			var b strings.Builder
			fmt.Fprintf(&b, "%s: %s\n", name, m.contract().Doc)
			for _, f := range m.contract().Funcs {
				fmt.Fprintf(&b, "  %s\n", f.Text())
			}
			return b.String()
		}
		if fn, ok := strings.CutPrefix(name, m.name+"."); ok {
			if f := m.contract().Func(fn); f != nil {
				return f.Text() + "\n    " + strings.ReplaceAll(f.Doc, "\n", "\n    ")
			}
		}
	}
	return ""
}

// Contracts gives every module's contract, in order of their names, for the
// documentation.
func Contracts(visit func(name string, c *guest.Contract)) {
	ms := all()
	sort.Slice(ms, func(i, j int) bool { return ms[i].name < ms[j].name })
	for _, m := range ms {
		visit(m.name, m.contract())
	}
}
