"""The code API of BMCIS over corpus.json, for CPython: it makes the goldens.

    python3.11 bmcis_stub.py PROGRAM.py     prints {"answer", "result", "output"} as JSON

It is written from DESIGN section 8 alone, without knowledge of the front end. The
host's part is deterministic and small, so that a fake host in Go can do the same:

WORDS     words(s): A-Z become a-z, then every run of [a-z0-9] is a word (all else,
          also non-ASCII letters, separates); STOP words are dropped.
LEXICAL   lexical_score = for each distinct query word, the number of its occurrences in
          words(title + " " + text), summed, as a float. Candidates have > 0.
VECTOR    Q, D: the sets of the words of query and (title + " " + text), each cut to its
          first 5 characters. vector_score = round6(|Q & D| / sqrt(|Q| * |D|)), 0 when a
          set is empty. Candidates have > 0.
RANKS     lexical_rank, vector_rank: 1-based place among all candidates of that leg, after
          the filter, by score descending, then id ascending.
SCORE     bm25_search:   round6(min(1, lexical/10)); vector_score and vector_rank absent.
          vector_search: round6(min(1, vector/0.5)); lexical_score and lexical_rank absent.
          hybrid_search: candidates of either leg;
            round6(clamp01((wb*min(1, lexical/10) + wv*min(1, vector/0.5)) / (wb + wv)));
            a weight that is not given is 0.5. A leg without the hit (0): score absent,
            rank 0.
ORDER     score descending, then id ascending; cut to top_k. Hits below min_score go.
FILTER    package filter over id (= document_id), title, source, uri and metadata.
SIMILAR   similar(id): id is a document's or a chunk's. D of that text (a document: of its
          first chunk) takes the place of Q; chunks of the same document are left out;
          score = vector_score.
DOCUMENT  by document_id: text = its chunks' texts in corpus order joined by "\\n\\n";
          title, source, uri, metadata of the first. Unknown: an error.
RERANK    grams(s): the set of 3-character substrings (code points) of s after A-Z became
          a-z and every run of [^a-z0-9] became one space, with no space at the ends.
          score = round6(|G(query) & G(text)| / |G(query)|), 0 if G(query) is empty.
          Of a chunk the whole text is scored, without the title. Reply weight: 1.
TOKENS    (number of code points + 3) // 4.
ERRORS    a query that is blank; top_k outside 1..1000; a filter that package filter
          refuses; an unknown document or chunk.

round6 is Python's round(x, 6). A value that is "absent" is None for the program.

What DESIGN leaves open (fuse, pack, cite, format_for_agent, boost's rounding, ...) is
implemented here in one plausible way; the programs are to depend only on what every
reasonable reading has in common. README.md lists it. Suspicious use (ties in a rerank,
a dedupe that depends on its key) is reported on standard error.
"""

import ast
import asyncio
import contextlib
import inspect
import io
import json
import math
import os
import re
import sys
import types

HERE = os.path.dirname(os.path.abspath(__file__))
STOP = set("a an and are as at by do for from how i in is it of on or that the to what when which with".split())
CORPUS = json.load(open(os.path.join(HERE, "corpus.json"), encoding="utf-8"))
CALLS = {}
LAST_QUERY = [None]


def warn(text):
    print("bmcis_stub: " + text, file=sys.stderr)


def ascii_lower(s):
    return re.sub("[A-Z]+", lambda m: m.group().lower(), s)


def words(s):
    return [w for w in re.findall("[a-z0-9]+", ascii_lower(s)) if w not in STOP]


def stems(s):
    return {w[:5] for w in words(s)}


def cosine(q, d):
    return round(len(q & d) / math.sqrt(len(q) * len(d)), 6) if q and d else 0.0


def grams(s):
    s = re.sub("[^a-z0-9]+", " ", ascii_lower(s)).strip()
    return {s[i:i + 3] for i in range(len(s) - 2)}


def whole(c):
    return c["title"] + " " + c["text"]


def count(method):
    CALLS[method] = CALLS.get(method, 0) + 1


# Values: usable with and without await.

class Awaited:
    def __await__(self):
        yield from ()
        return self

    __hash__ = object.__hash__


class HitList(Awaited, list):
    __hash__ = object.__hash__

    def __getitem__(self, i):
        got = list.__getitem__(self, i)
        return HitList(got) if isinstance(i, slice) else got

    def __add__(self, other):
        return HitList(list.__add__(self, list(other)))


class AwaitDict(Awaited, dict):
    __hash__ = object.__hash__

    def __getattr__(self, name):
        try:
            return self[name]
        except KeyError:
            raise AttributeError(name) from None


class AwaitInt(Awaited, int):
    __hash__ = int.__hash__


class AwaitStr(Awaited, str):
    __hash__ = str.__hash__


class Hit:
    """Attributes and keys alike."""

    def __init__(self, **fields):
        self.__dict__.update(fields)

    def __getitem__(self, key):
        try:
            return self.__dict__[key]
        except KeyError:
            raise KeyError(key) from None

    def __contains__(self, key):
        return key in self.__dict__

    def get(self, key, default=None):
        value = self.__dict__.get(key)
        return default if value is None else value

    def keys(self):
        return self.__dict__.keys()

    def to_dict(self):
        return dict(self.__dict__)


def make_hit(c, score, lex=None, vec=None, lrank=0, vrank=0):
    return Hit(id=c["id"], document_id=c["document_id"], title=c["title"], source=c["source"], uri=c["uri"],
               headings=list(c["headings"]), metadata=json.loads(json.dumps(c["metadata"])), text=c["text"],
               content=c["text"][:200], score=score, relevance_score=score, lexical_score=lex, vector_score=vec,
               rerank_score=None, lexical_rank=lrank, vector_rank=vrank)


# Filters: the part of package filter that the programs use.

OPS = {"=": "eq", "==": "eq", "eq": "eq", "!=": "ne", "ne": "ne", "<": "lt", "lt": "lt", "<=": "lte", "lte": "lte",
       "le": "lte", ">": "gt", "gt": "gt", ">=": "gte", "gte": "gte", "ge": "gte", "in": "in", "nin": "nin",
       "not_in": "nin", "contains": "contains", "prefix": "prefix", "exists": "exists"}
BUILTIN = {"id": "document_id", "title": "title", "source": "source", "uri": "uri"}


def field(c, name):
    get = c.__getitem__ if isinstance(c, dict) else lambda k: getattr(c, k)
    if name in BUILTIN:
        return get(BUILTIN[name])
    value = get("metadata")
    for key in name.removeprefix("metadata.").split("."):
        value = value.get(key) if isinstance(value, dict) else None
    return value


def test(c, name, op, want):
    have = field(c, name)
    if op == "eq":
        return have == want or isinstance(have, list) and want in have
    if op == "ne":
        return not test(c, name, "eq", want)
    if op in ("in", "nin"):
        return any(test(c, name, "eq", w) for w in want) == (op == "in")
    if op == "contains":
        return want in have if isinstance(have, (str, list)) else False
    if op == "prefix":
        return isinstance(have, str) and have.startswith(want)
    if op == "exists":
        return have is not None and have != ""
    number = (int, float)
    if not (isinstance(have, number) and isinstance(want, number) or isinstance(have, str) and isinstance(want, str)):
        return False
    return {"lt": have < want, "lte": have <= want, "gt": have > want, "gte": have >= want}[op]


def matcher(expr):
    """A function of one document, from the short form, the JSON tree or text."""
    if expr is None:
        return lambda c: True
    if isinstance(expr, str):
        return Text(expr).parse()
    if not isinstance(expr, dict):
        raise ValueError("a filter is a dict or a text")
    if "field" in expr and "op" in expr:
        op = OPS[expr["op"]]
        return lambda c: test(c, expr["field"], op, expr.get("value"))
    parts = []
    for name, want in expr.items():
        if name in ("and", "or"):
            subs = [matcher(e) for e in want]
            fold = all if name == "and" else any
            parts.append(lambda c, subs=subs, fold=fold: fold(s(c) for s in subs))
        elif name == "not":
            sub = matcher(want)
            parts.append(lambda c, sub=sub: not sub(c))
        elif isinstance(want, dict):
            for op, value in want.items():
                op = op.removeprefix("$")
                if op not in OPS:
                    raise ValueError(f"unknown operator {op}")
                parts.append(lambda c, n=name, o=OPS[op], v=value: test(c, n, o, v))
        elif isinstance(want, list):
            parts.append(lambda c, n=name, v=want: test(c, n, "in", v))
        else:
            parts.append(lambda c, n=name, v=want: test(c, n, "eq", v))
    return lambda c: all(p(c) for p in parts)


class Text:
    """The text form: or, and, not, brackets, FIELD OP VALUE, FIELD in (...), exists FIELD."""

    def __init__(self, s):
        self.toks = re.findall(r'"[^"]*"|\'[^\']*\'|[<>!]=|[=<>(),]|-?\d+(?:\.\d+)?|[\w.]+', s)
        if "".join(self.toks) != re.sub(r"\s(?=(?:[^\"']*[\"'][^\"']*[\"'])*[^\"']*$)", "", s):
            raise ValueError("cannot read the filter " + s)

    def peek(self):
        return self.toks[0] if self.toks else ""

    def take(self):
        if not self.toks:
            raise ValueError("the filter ends too early")
        return self.toks.pop(0)

    def parse(self):
        m = self.either()
        if self.toks:
            raise ValueError("unexpected " + self.toks[0])
        return m

    def either(self):
        parts = [self.both()]
        while self.peek() == "or":
            self.take()
            parts.append(self.both())
        return lambda c: any(p(c) for p in parts)

    def both(self):
        parts = [self.one()]
        while self.peek() == "and":
            self.take()
            parts.append(self.one())
        return lambda c: all(p(c) for p in parts)

    def one(self):
        t = self.take()
        if t == "not":
            sub = self.one()
            return lambda c: not sub(c)
        if t == "(":
            sub = self.either()
            self.take()
            return sub
        if t == "exists":
            name = self.take()
            return lambda c: test(c, name, "exists", None)
        op = self.take()
        if op not in OPS:
            raise ValueError("unknown operator " + op)
        if op == "in":
            self.take()
            values = [self.value()]
            while self.take() == ",":
                values.append(self.value())
            return lambda c: test(c, t, "in", values)
        value = self.value()
        return lambda c: test(c, t, OPS[op], value)

    def value(self):
        t = self.take()
        if t[0] in "\"'":
            return t[1:-1]
        if t in ("true", "false", "null"):
            return {"true": True, "false": False, "null": None}[t]
        return float(t) if "." in t else int(t)


# The host: search.

def check(query, top_k):
    if not isinstance(query, str):
        raise TypeError("query must be a string")
    if not query.strip():
        raise ValueError("query is empty")
    if not isinstance(top_k, int) or isinstance(top_k, bool) or not 1 <= top_k <= 1000:
        raise ValueError(f"top_k must be 1..1000, got {top_k}")


def find(query, top_k, filters, mode, wb=None, wv=None, min_score=0.0):
    check(query, top_k)
    keep = matcher(filters)
    LAST_QUERY[0] = query
    terms, stem = set(words(query)), stems(query)
    lex, vec = {}, {}
    for c in filter(keep, CORPUS):
        ws = words(whole(c))
        n = float(sum(ws.count(t) for t in terms))
        v = cosine(stem, stems(whole(c)))
        if n and mode != "vector":
            lex[c["id"]] = n
        if v and mode != "bm25":
            vec[c["id"]] = v
    lrank = {i: r for r, i in enumerate(sorted(lex, key=lambda i: (-lex[i], i)), 1)}
    vrank = {i: r for r, i in enumerate(sorted(vec, key=lambda i: (-vec[i], i)), 1)}
    wb = {"bm25": 1.0, "vector": 0.0}.get(mode, 0.5 if wb is None else wb)
    wv = {"bm25": 0.0, "vector": 1.0}.get(mode, 0.5 if wv is None else wv)
    hits = HitList()
    for c in CORPUS:
        i = c["id"]
        if i in lex or i in vec:
            s = (wb * min(1.0, lex.get(i, 0.0) / 10) + wv * min(1.0, vec.get(i, 0.0) / 0.5)) / (wb + wv)
            s = round(max(0.0, min(1.0, s)), 6)
            if s >= min_score:
                hits.append(make_hit(c, s, lex.get(i), vec.get(i), lrank.get(i, 0), vrank.get(i, 0)))
    hits.sort(key=lambda h: (-h.score, h.id))
    return hits[:top_k]


def hybrid_search(query, bm25_weight=None, vector_weight=None, top_k=10, filters=None, min_score=0.0):
    count("search.hybrid")
    return find(query, top_k, filters, "hybrid", bm25_weight, vector_weight, min_score)


def bm25_search(query, top_k=10, filters=None):
    count("search.lexical")
    return find(query, top_k, filters, "bm25")


def vector_search(query, top_k=10, filters=None):
    count("search.vector")
    return find(query, top_k, filters, "vector")


def batch_search(queries, top_k=10, filters=None):
    count("search.batch")
    return HitList(find(q, top_k, filters, "hybrid") for q in queries)


class Stream:
    def __init__(self, batches):
        self.batches = batches

    def __iter__(self):
        return iter(self.batches)

    async def __aiter__(self):
        for b in self.batches:
            yield b

    def __await__(self):
        yield from ()
        return self


def hybrid_search_streaming(query, batch_size=10, top_k=100, filters=None):
    count("search.hybrid")
    hits = find(query, top_k, filters, "hybrid")
    return Stream([hits[i:i + batch_size] for i in range(0, len(hits), batch_size)])


def get_document(id):
    count("search.document")
    chunks = [c for c in CORPUS if c["document_id"] == id]
    if not chunks:
        raise ValueError(f"no document {id}")
    c = chunks[0]
    return AwaitDict(document_id=id, title=c["title"], source=c["source"], uri=c["uri"],
                     metadata=json.loads(json.dumps(c["metadata"])), text="\n\n".join(x["text"] for x in chunks))


def similar(id, top_k=10, filters=None):
    count("search.similar")
    start = [c for c in CORPUS if id in (c["id"], c["document_id"])]
    if not start:
        raise ValueError(f"no chunk or document {id}")
    check("x", top_k)
    keep, q = matcher(filters), stems(whole(start[0]))
    hits = HitList()
    for c in filter(keep, CORPUS):
        v = cosine(q, stems(whole(c)))
        if v and c["document_id"] != start[0]["document_id"]:
            hits.append(make_hit(c, v, None, v))
    hits.sort(key=lambda h: (-h.score, h.id))
    for r, h in enumerate(hits, 1):
        h.vector_rank = r
    return hits[:top_k]


def copy_of(h, **more):
    if isinstance(h, Hit):
        return Hit(**{**h.__dict__, **more})
    return AwaitDict({**h, **more})


def get(h, key, default=None):
    return h.get(key, default)


def fuse(a, b, weights=(0.5, 0.5)):
    wa, wb = weights
    merged, score = {}, {}
    for hits, w in ((a, wa), (b, wb)):
        for h in hits:
            merged.setdefault(h.id, h)
            score[h.id] = score.get(h.id, 0.0) + w * h.score / (wa + wb)
    out = HitList(copy_of(h, score=round(score[i], 6), relevance_score=round(score[i], 6)) for i, h in merged.items())
    out.sort(key=lambda h: (-h.score, h.id))
    return out


# Reranking.

def rerank(query=None, documents=None, top_k=5, threshold=None):
    if documents is None and not isinstance(query, str):
        query, documents = None, query
    if query is None:
        query = LAST_QUERY[0]
    count("rerank")
    by_id = {c["id"]: c for c in CORPUS}
    q = grams(query)
    scored = []
    for d in documents:
        if isinstance(d, str):
            raise TypeError("documents are hits or dicts")
        i = get(d, "id")
        text = by_id[i]["text"] if i in by_id else d["text"]
        score = round(len(q & grams(text)) / len(q), 6) if q else 0.0
        if threshold is None or score >= threshold:
            scored.append((score, copy_of(d, rerank_score=score)))
    scored.sort(key=lambda p: -p[0])
    for (s, x), (t, y) in zip(scored[:top_k], scored[1:top_k + 1]):
        if s == t:
            warn(f"rerank tie at {s}: {get(x, 'id')} {get(y, 'id')}")
    return HitList(d for _, d in scored[:top_k])


# Filtering.

def where(results, expr):
    keep = matcher(expr)
    return HitList(h for h in results if keep(h))


def filter_by_domain(results, domain):
    return where(results, {"domain": domain})


def filter_by_source(results, source):
    return where(results, {"source": source})


def filter_by_score(results, min_score):
    return HitList(h for h in results if h["score"] >= min_score)


def boost(results, by, factor):
    keep = matcher(by)
    out = HitList()
    for h in results:
        s = max(0.0, min(1.0, h["score"] * factor)) if keep(h) else h["score"]
        out.append(copy_of(h, score=s, relevance_score=s))
    out.sort(key=lambda h: (-h["score"], h["id"]))
    return out


def dedupe(results):
    by_id, by_doc = {}, {}
    for h in results:
        by_id.setdefault(h["id"], h)
        by_doc.setdefault(h["document_id"], h)
    if len(by_id) != len(by_doc):
        warn("dedupe depends on its key")
    return HitList(by_id.values())


def group_by(results, by):
    groups = AwaitDict()
    for h in results:
        key = h["document_id"] if by == "document_id" else field(h, by)
        groups.setdefault(key, []).append(h)
    return groups


# Results.

def summarize(results, max_content_length=200, fields=None):
    out = HitList()
    for h in results:
        entry = AwaitDict(id=h["id"], title=h["title"], score=h["score"],
                          preview=h["text"][:max_content_length])
        for f in fields or ():
            entry[f] = h[f]
        out.append(entry)
    return out


def format_for_agent(results):
    if not results:
        return AwaitStr("No results found")
    lines = []
    for i, h in enumerate(results, 1):
        lines.append(f"{i}. {h['title']}")
        lines.append(f"   Score: {h['score']:.2f}")
        if get(h, "preview"):
            lines.append("   " + h["preview"])
    return AwaitStr("\n".join(lines))


def tokens(text):
    return (len(text) + 3) // 4


def count_tokens(text):
    count("results.tokens")
    return AwaitInt(tokens(text))


def pack(results, max_tokens):
    out, used = HitList(), 0
    for h in results:
        n = tokens(h["text"])
        if used + n <= max_tokens:
            used += n
            out.append(h)
    return out


def cite(results):
    return HitList(f"[{i}] {h['title']} ({h['uri']})" for i, h in enumerate(results, 1))


def get_execution_stats():
    return AwaitDict(tokens_touched=0, tokens_returned=0, calls=dict(CALLS), hits=0, documents=0, host_ms=0.0)


def attempt(fn, *args, **kwargs):
    try:
        return AwaitDict(ok=True, value=fn(*args, **kwargs), error=None)
    except Exception as e:
        return AwaitDict(ok=False, value=None, error=str(e))


# The modules in all their spellings.

def api(*functions):
    """A class with these functions as methods, callable on the class as well."""
    class API:
        def __init__(self, *args, **kwargs):
            pass
    for f in functions:
        setattr(API, f.__name__, staticmethod(f))
    return API


MODULES = {
    "search": [hybrid_search, bm25_search, vector_search, hybrid_search_streaming, batch_search, fuse, get_document, similar],
    "reranking": [rerank],
    "filtering": [filter_by_domain, filter_by_source, filter_by_score, where, boost, dedupe, group_by],
    "results": [summarize, format_for_agent, pack, cite, count_tokens],
    "stats": [get_execution_stats],
}
CLASSES = {"search": "HybridSearchAPI", "reranking": "RerankerAPI", "filtering": "FilterAPI", "results": "ResultProcessor"}


class FilterModule(types.ModuleType):
    """filter is Python's function, with members."""

    def __call__(self, function, iterable):
        return filter(function, iterable)


def install():
    """Puts the modules into sys.modules; returns the predeclared names."""
    parts = {}
    for name, functions in MODULES.items():
        m = (FilterModule if name == "filtering" else types.ModuleType)(name)
        for f in functions:
            setattr(m, f.__name__, f)
        if name in CLASSES:
            setattr(m, CLASSES[name], api(*functions))
        parts[name] = sys.modules[name] = m
    parts["reranker"] = parts["reranking"]
    parts["filter"] = parts["filtering"]
    for top in ("bmcis_knowledge", "src", "src.code_api", "code_api"):
        m = sys.modules[top] = types.ModuleType(top)
        m.__path__ = []
        if top == "src":
            continue
        for name, part in parts.items():
            setattr(m, name, part)
            sys.modules[f"{top}.{name}"] = part
    sys.modules["src"].code_api = sys.modules["src.code_api"]
    create_task = asyncio.create_task
    asyncio.create_task = lambda x, **k: create_task(x, **k) if inspect.iscoroutine(x) else asyncio.ensure_future(x)
    return {**parts, "ResultProcessor": parts["results"].ResultProcessor, "attempt": attempt}


def plain(v):
    if isinstance(v, Hit):
        return plain(v.to_dict())
    if isinstance(v, dict):
        return {k: plain(x) for k, x in v.items()}
    if isinstance(v, (list, tuple)):
        return [plain(x) for x in v]
    if v is None or isinstance(v, (bool, int, float, str)):
        return v
    raise TypeError(f"the result holds a {type(v).__name__}")


def run(path):
    source = open(path, encoding="utf-8").read()
    names = {"__name__": "__main__", **install()}
    first = source.split("\n", 1)[0]
    if first.startswith("# context: "):
        names.update(json.loads(first.removeprefix("# context: ")))

    def load(module, *wanted, **renamed):
        for name in wanted:
            names[name] = getattr(sys.modules[module], name)
        for alias, name in renamed.items():
            names[alias] = getattr(sys.modules[module], name)
    names["load"] = load

    tree = ast.parse(source)
    if tree.body and isinstance(tree.body[-1], ast.Expr):
        tree.body[-1] = ast.Assign([ast.Name("__last__", ast.Store())], tree.body[-1].value)
        ast.fix_missing_locations(tree)
    code = compile(tree, path, "exec", flags=ast.PyCF_ALLOW_TOP_LEVEL_AWAIT)
    out = io.StringIO()
    with contextlib.redirect_stdout(out):
        if code.co_flags & inspect.CO_COROUTINE:
            asyncio.run(types.FunctionType(code, names)())
        else:
            exec(code, names)
    output = out.getvalue()
    for answer in ("__result__", "result", "__last__"):
        if answer in names and (answer != "__last__" or names[answer] is not None):
            return {"answer": "expression" if answer == "__last__" else answer, "result": plain(names[answer]), "output": output}
    return {"answer": "output", "result": None, "output": output}


if __name__ == "__main__":
    print(json.dumps(run(sys.argv[1]), ensure_ascii=False, indent=1, allow_nan=False))
