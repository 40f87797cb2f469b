package stdlib

import (
	"embed"
	"fmt"
	"sort"
	"strings"
	"sync"
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

//go:embed lib/*.py
var sources embed.FS

// source is the Python part of a module.
func source(name string) string {
	text, err := sources.ReadFile("lib/" + name + ".py")
	if err != nil {
		panic(err) // the files are compiled in
	}
	return string(text)
}

// pythonModules are written in Python as a whole, under lib.
var pythonModules = []struct{ name, doc string }{
	{"calendar", "Facts about the calendar: isleap, monthrange, monthcalendar, weekday, month_name, day_name, Calendar, TextCalendar."},
	{"concurrent.futures", "ThreadPoolExecutor, with submit, map, as_completed and wait, for programs written for threads: here one call runs after the other. For calls at once use asyncio.gather."},
	{"decimal", "Decimal numbers: Decimal, getcontext, localcontext, quantize and the ROUND_ modes, as in Python."},
	{"difflib", "Differences: SequenceMatcher, get_close_matches, unified_diff, context_diff. There is no ndiff and no HtmlDiff."},
	{"fractions", "Exact fractions: Fraction."},
	{"io", "Text in memory: StringIO(initial_value=\"\") with write, getvalue, read, readline, seek and iteration over lines. There are no files."},
	{"logging", "Logging to the printed output: getLogger, basicConfig, StreamHandler, Formatter, debug to critical. There are no log files."},
	{"pprint", "Values over several lines: pprint, pformat, pp, PrettyPrinter."},
	{"struct", "Numbers as bytes: pack, unpack, unpack_from, iter_unpack, calcsize."},
	{"uuid", "Identifiers: UUID, uuid1, uuid3, uuid4, uuid5 and the NAMESPACE_ constants. Random ones come from random, which a seed repeats."},
	{"warnings", "warn prints a warning once; filterwarnings, simplefilter, catch_warnings."},
}

func nothing(*Env, *guest.Contract) starlark.StringDict { return starlark.StringDict{} }

var all = sync.OnceValue(func() []module {
	list := []module{
		{"base64", base64Doc, makeBase64, ""},
		{"bisect", bisectDoc, makeBisect, ""},
		{"collections", collectionsDoc, makeCollections, source("collections")},
		{"csv", csvDoc, makeCSV, source("csv")},
		{"datetime", datetimeDoc, makeDatetime, ""},
		{"functools", functoolsDoc, makeFunctools, source("functools")},
		{"hashlib", hashlibDoc, makeHashlib, ""},
		{"heapq", heapqDoc, makeHeapq, ""},
		{"itertools", itertoolsDoc, makeItertools, ""},
		{"json", jsonDoc, makeJSON, source("json")},
		{"math", mathDoc, makeMath, ""},
		{"operator", operatorDoc, makeOperator, ""},
		{"random", randomDoc, makeRandom, ""},
		{"re", reDoc, makeRe, ""},
		{"statistics", statisticsDoc, makeStatistics, ""},
		{"string", stringDoc, makeString, ""},
		{"textwrap", textwrapDoc, makeTextwrap, ""},
		{"time", timeDoc, makeTime, ""},
		{"unicodedata", unicodedataDoc, makeUnicodedata, ""},
		{"urllib.parse", urllibDoc, makeURLlib, ""},
		{"zoneinfo", zoneinfoDoc, makeZoneinfo, ""},
	}
	for _, m := range pythonModules {
		list = append(list, module{m.name, guest.Lazy("\n\"\"\"" + m.doc + "\"\"\"\n"), nothing, source(m.name)})
	}
	return list
})

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
