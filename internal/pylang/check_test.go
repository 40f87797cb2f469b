package pylang_test

import (
	"strings"
	"testing"

	"github.com/bmcis/bmcis/internal/pylang"
	"go.starlark.net/starlark"
)

// apiConfig is a small API in the shape of ours.
func apiConfig(calls *[]string) pylang.Config {
	fn := func(name string) starlark.Value {
		return starlark.NewBuiltin(name, func(_ *starlark.Thread, _ *starlark.Builtin, args starlark.Tuple, kwargs []starlark.Tuple) (starlark.Value, error) {
			if calls != nil {
				*calls = append(*calls, name)
			}
			hit := starlark.NewDict(4)
			for _, kv := range []starlark.Tuple{{starlark.String("id"), starlark.String("d1")}, {starlark.String("score"), starlark.Float(0.9)}} {
				if err := hit.SetKey(kv[0], kv[1]); err != nil {
					return nil, err
				}
			}
			return starlark.NewList([]starlark.Value{hit}), nil
		})
	}
	members := starlark.StringDict{"hybrid_search": fn("hybrid_search"), "vector_search": fn("vector_search")}
	api := starlark.NewBuiltin("HybridSearchAPI", func(*starlark.Thread, *starlark.Builtin, starlark.Tuple, []starlark.Tuple) (starlark.Value, error) {
		return &object{members}, nil
	})
	all := starlark.StringDict{"HybridSearchAPI": api}
	for k, v := range members {
		all[k] = v
	}
	search := &pylang.Module{Name: "search", Members: all, Aliases: []string{"bmcis_knowledge.search", "src.code_api.search"}}
	params := []string{"query", "bm25_weight", "vector_weight", "top_k", "filters"}
	return pylang.Config{
		Modules:     map[string]*pylang.Module{"search": search, "json": {Name: "json", Members: starlark.StringDict{"dumps": fn("dumps")}}},
		Predeclared: starlark.StringDict{"read_file": fn("read_file"), "search": &object{all}},
		Context:     starlark.StringDict{"query": starlark.String("what is it")},
		Signatures: map[string]pylang.Signature{
			"search.hybrid_search":   {Params: params, Required: 1},
			"search.vector_search":   {Params: params, Required: 1},
			"search.HybridSearchAPI": {Returns: "search"},
			"read_file":              {Params: []string{"name"}, Required: 1},
		},
	}
}

// object is a value with fixed attributes.
type object struct{ members starlark.StringDict }

func (o *object) String() string        { return "<object>" }
func (o *object) Type() string          { return "object" }
func (o *object) Freeze()               {}
func (o *object) Truth() starlark.Bool  { return true }
func (o *object) Hash() (uint32, error) { return 0, nil }
func (o *object) AttrNames() []string   { return o.members.Keys() }
func (o *object) Attr(name string) (starlark.Value, error) {
	return o.members[name], nil
}

func TestProblems(t *testing.T) {
	tests := []struct{ name, src, want string }{
		{"empty", " \n# nothing\n", "validation 1:1: the program is empty"},
		{"predeclared member", "search.hybrid_serch('x')", "1:8: module 'search' has no name 'hybrid_serch' [did you mean hybrid_search?"},
		{"imported member", "from search import hybrid_serch", "1:20: module 'search' has no name 'hybrid_serch'"},
		{"method of a constructor", "import search\napi = search.HybridSearchAPI()\napi.vector_serch('x')", "3:5: module 'search' has no name 'vector_serch'"},
		{"long name", strings.Repeat("q", 1<<20), "1:1: name 'qqqq"},
		{"interactive prompt", ">>> print(1)\n1\n", "this is a session of an interactive prompt"},
		{"notebook", "!pip install numpy\nprint(1)", "nothing can be installed"},
		{"list of steps", "Sure! Here is what I do:\n1. Search\n2. Rank\n", "this is prose"},
		{"old name", "for i in xrange(3):\n    pass", "this is Python 3: write range"},
		{"minus sign", "x = 5 \u2013 3", "write -"},
		{"import", "import os", "validation 1:8: Non-whitelisted import: os ["},
		{"import as", "x = 1\nimport subprocess as sp\n", "validation 2:8: Non-whitelisted import: subprocess"},
		{"from import", "from os.path import join", "Non-whitelisted import: os.path"},
		{"near module", "import jsn", "did you mean json?"},
		{"member", "from search import hybird_search", "validation 1:20: module 'search' has no name 'hybird_search' [did you mean hybrid_search?"},
		{"attribute of module", "import search\nsearch.hybrid_serch('x')", "2:8: module 'search' has no name 'hybrid_serch' [did you mean hybrid_search?"},
		{"name", "resluts = [1]\nprint(results)", "validation 2:7: name 'results' is not defined [did you mean resluts?]"},
		{"module not imported", "x = json.dumps(1)", "add the line: import json"},
		{"eval", "x = eval('1+1')", "1:5: eval is not available in this sandbox"},
		{"exec skill", "exec(load_it)\nload_it = 1", "from skills import NAME"},
		{"open", "with open('f') as f:\n    pass", "1:6: open is not available in this sandbox ["},
		{"dunder", "x = ().__class__.__bases__", "1:18: attribute __bases__ is not available"},
		{"dunder by getattr", "x = getattr(1, '__subclasses__')", "attribute __subclasses__ is not available"},
		{"import function", "__import__('os')", "__import__ is not available"},
		{"keyword", "from search import hybrid_search\nhybrid_search('x', limit=5)", "2:20: hybrid_search() has no parameter 'limit' [did you mean 'top_k'?"},
		{"keyword by module", "search.hybrid_search(query='x', topk=5)", "has no parameter 'topk' [did you mean 'top_k'?"},
		{"keyword by api object", "from src.code_api.search import HybridSearchAPI\napi = HybridSearchAPI()\nr = await api.hybrid_search(qury='x')", "3:29: hybrid_search() has no parameter 'qury' [did you mean 'query'?"},
		{"missing argument", "search.hybrid_search(top_k=3)", "hybrid_search() is missing the argument 'query'"},
		{"too many", "read_file('a', 'b')", "read_file() takes at most 1 positional arguments but 2 were given"},
		{"all at once", "import os\nprint(nope)\nsearch.hybrid_search('x', k=1)\n", "1:8: Non-whitelisted import: os"},
		{"return", "return 5", "'return' outside function [assign the answer instead: result = ...]"},
		{"break", "break", "'break' outside loop"},
		{"await", "def f():\n    await g()\ndef g(): pass", "'await' outside async function"},
		{"metaclass", "class A(metaclass=M): pass\nclass M: pass", "metaclasses are not available"},
		{"star import", "from json import *", "'import *' is not available"},
		{"python 2 print", "print \"hello\"", "syntax 1:1: Missing parentheses in call to 'print' [this is Python 3"},
		{"python 2 raise", "raise ValueError, 'x'", "this is Python 3"},
		{"python 2 ne", "if 1 <> 2: pass", "write !="},
		{"python 2 except", "try:\n    pass\nexcept ValueError, e:\n    pass", "this is Python 3: write except ... as ...:"},
		{"prose", "Please search for the best documents about databases.\nThen rerank them and show me the top results.\n", "this is prose, not a program"},
		{"javascript", "const x = 5", "JavaScript"},
		{"assign in condition", "x = 1\nif x = 1:\n    pass", "compare with =="},
		{"bad indent", "if True:\nprint(1)", "expected an indented block after 'if' statement on line 1"},
		{"unclosed", "x = (1,\n", "syntax 1:5: '(' was never closed"},
		{"quotes", "x = “a”", "use straight quotes"},
		{"nonlocal", "def f():\n    nonlocal x\n    x = 1", "no binding for nonlocal 'x' found"},
		{"complex", "x = 3j", "complex numbers are not available"},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			got := run(tt.src, apiConfig(nil)).text()
			if !strings.Contains(got, tt.want) {
				t.Errorf("got %q, want it to contain %q", got, tt.want)
			}
		})
	}
	if n := len(run("import os\nprint(nope)\nsearch.hybrid_search('x', k=1)\neval('1')", apiConfig(nil)).problems); n != 4 {
		t.Errorf("%d problems at once, want 4", n)
	}
}

// TestJudgedOnTree: words in texts and comments are no calls.
func TestJudgedOnTree(t *testing.T) {
	src := "# eval(x) import os\nr = search.hybrid_search(query='how does eval( work with __import__ and open(')\nd = {'exec': 1}\nresult = d['exec']"
	o := run(src, apiConfig(nil))
	if o.problems != nil || o.err != nil || o.result.String() != "1" {
		t.Errorf("%s %v", o.text(), o.result)
	}
}

// TestPatterns runs the owner's three patterns as they stand, with every
// spelling of the imports.
func TestPatterns(t *testing.T) {
	tests := []struct{ name, src, want string }{
		{"simple", `
from src.code_api.search import HybridSearchAPI

search_api = HybridSearchAPI()
results = await search_api.hybrid_search(
    query="BMCIS overview",
    top_k=5
)

__result__ = results
`, `[{"id": "d1"`},
		{"conditional", `
from src.code_api.search import HybridSearchAPI

search_api = HybridSearchAPI()
if len(query.split()) > 10:
    # Complex query: use vector search
    results = await search_api.vector_search(query, top_k=10)
else:
    results = await search_api.hybrid_search(query, top_k=10)
summaries = [
    {
        'id': r['id'],
        'relevance': 'high' if r['score'] > 0.8 else 'medium'
    }
    for r in results
]

__result__ = summaries
`, `[{"id": "d1", "relevance": "high"}]`},
		{"module", "from bmcis_knowledge import search\nresult = search.hybrid_search('x')[0]['id']", `"d1"`},
		{"function", "from bmcis_knowledge.search import hybrid_search as hs\nresult = hs('x')[0]['id']", `"d1"`},
		{"dotted", "import bmcis_knowledge.search\nresult = bmcis_knowledge.search.hybrid_search('x')[0]['id']", `"d1"`},
		{"dotted as", "import bmcis_knowledge.search as s\nresult = s.hybrid_search('x')[0]['id']", `"d1"`},
		{"load", "load('search', 'hybrid_search', v='vector_search')\nresult = [hybrid_search('x')[0]['id'], v('x')[0]['id']]", `["d1", "d1"]`},
		{"predeclared", "result = search.hybrid_search('x')[0]['id']", `"d1"`},
		{"relative", "from .search import hybrid_search\nresult = hybrid_search('x')[0]['id']", `"d1"`},
		{"fenced", "Here it is:\n\n```python\nresult = 1 + 1\n```\nDone.", "2"},
		{"last expression", "x = 2\nx * 3", "6"},
		{"last expression in main", "def main():\n    return 7\nif __name__ == '__main__':\n    main()", "7"},
		{"asyncio.run", "import asyncio\nasync def main():\n    return len(await search.hybrid_search('x'))\nasyncio.run(main())", "1"},
		{"forgotten await", "async def main():\n    return 5\nresult = main()", "5"},
		{"context assigned", "query = query.upper()\nresult = query", `"WHAT IS IT"`},
		{"builtin assigned", "sum = sum([1, 2])\nlist = [sum]\nresult = list", "[3]"},
		{"result wins", "result = 1\n2", "1"},
		{"__result__ wins", "result = 1\n__result__ = 3", "3"},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			o := run(tt.src, apiConfig(nil))
			if o.problems != nil || o.err != nil || o.result == nil || !strings.HasPrefix(o.result.String(), tt.want) {
				t.Errorf("result %v, want %s\n%s", o.result, tt.want, o.text())
			}
		})
	}
}

func TestNoEffectBeforeProblems(t *testing.T) {
	var calls []string
	if o := run("search.hybrid_search('x')\nprint(nope)", apiConfig(&calls)); o.problems == nil || len(calls) > 0 {
		t.Errorf("problems %v, calls %v", o.problems, calls)
	}
}

func TestCalls(t *testing.T) {
	p, problems := pylang.Compile("from src.code_api.search import HybridSearchAPI\napi = HybridSearchAPI()\napi.vector_search('x')\nread_file('a')", apiConfig(nil))
	if problems != nil {
		t.Fatal(problems)
	}
	if got := strings.Join(p.Calls(), " "); got != "read_file search.HybridSearchAPI search.vector_search" {
		t.Error(got)
	}
}
