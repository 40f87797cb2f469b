"""Writes golden/*.txt: calls of the standard library and what CPython gives for them.

Run with TZ=UTC python3 golden.py in this folder (CPython 3.11). Each line is an
expression, a tab, and repr() of its value or "!" and the name of its exception.
The seed is fixed: the same calls each time.
"""
import base64, bisect, collections, copy, datetime, functools, hashlib, heapq, itertools, json, math, operator
import random, re, statistics, string, textwrap, urllib.parse
import difflib, pprint, unicodedata

SEED = 20261121
R = random.Random(SEED)

WORDS = ["a", "egg", "raft", "Paxos", "naïve", "日本", "x-y", "foo_bar", "don't", "", " ", "Zoë", "hello world", "1.5", "-3", "🎉"]


def text(n=None):
    n = R.randint(0, 12) if n is None else n
    return " ".join(R.choice(WORDS) for _ in range(n))


def num():
    k = R.random()
    if k < 0.3:
        return R.randint(-10, 10)
    if k < 0.5:
        return R.randint(-10**6, 10**6)
    if k < 0.6:
        return R.randint(-10**30, 10**30)
    if k < 0.8:
        return round(R.uniform(-10, 10), R.randint(0, 6))
    if k < 0.95:
        return R.uniform(-1e3, 1e3)
    return R.choice([0.0, -0.0, 1e300, 1e-300, 5e-324, 1e16, 123456789012345680.0])


def small():
    return R.choice([R.randint(-5, 20), round(R.uniform(-5, 20), R.randint(0, 4))])


def value(depth=0):
    k = R.random()
    if depth < 3 and k < 0.2:
        return [value(depth + 1) for _ in range(R.randint(0, 4))]
    if depth < 3 and k < 0.4:
        return {R.choice(WORDS): value(depth + 1) for _ in range(R.randint(0, 4))}
    return R.choice([None, True, False, num(), num(), text(2), text(1), "tab\tquote\"back\\slash\n", "\x00\x1f\x7f"])


def nums(lo=0, hi=9):
    n = R.randint(lo, hi)
    k = R.random()
    if k < 0.3:
        return [R.randint(-100, 100) for _ in range(n)]
    if k < 0.6:
        return [round(R.uniform(-100, 100), R.randint(0, 3)) for _ in range(n)]
    if k < 0.8:
        return [R.randint(1, 5) for _ in range(n)]
    return [num() for _ in range(n)]


def gen_math():
    one = "ceil floor trunc fabs sqrt cbrt exp exp2 expm1 log log2 log10 log1p sin cos tan asin acos atan sinh cosh tanh asinh acosh atanh degrees radians isfinite isinf isnan frexp modf erf erfc gamma lgamma ulp".split()
    for f in one:
        for _ in range(50):
            x = R.choice([num(), small(), round(R.uniform(-1, 1), 3), R.uniform(0, 50), R.uniform(-1, 1)])
            yield f"math.{f}({x!r})"
        for x in ["math.inf", "-math.inf", "math.nan", "0", "-0.0", "1", "True", "'x'"]:
            yield f"math.{f}({x})"
    for f in "pow atan2 copysign fmod remainder nextafter".split():
        for _ in range(40):
            yield f"math.{f}({R.choice([num(), small()])!r}, {R.choice([num(), small()])!r})"
        for x, y in itertools.product(["math.inf", "0.0", "-1.5", "math.nan", "2"], repeat=2):
            yield f"math.{f}({x}, {y})"
    for _ in range(60):
        yield f"math.factorial({R.randint(-2, 60)})"
        yield f"math.comb({R.randint(-1, 60)}, {R.randint(-1, 60)})"
        yield f"math.perm({R.randint(-1, 30)}, {R.randint(-1, 30)})"
        yield f"math.gcd({R.randint(-999, 999)}, {R.randint(-999, 999)}, {R.randint(0, 99)})"
        yield f"math.lcm({R.randint(-99, 99)}, {R.randint(-99, 99)})"
        yield f"math.isqrt({R.randint(-3, 10**R.randint(0, 40))})"
        yield f"math.fsum({nums()!r})"
        yield f"math.prod({nums()!r}, start={R.choice([1, 2, 0.5])})"
        yield f"math.hypot(*{[small() for _ in range(R.randint(0, 4))]!r})"
        yield f"math.dist({[small(), small()]!r}, {[small(), small()]!r})"
        yield f"math.isclose({small()!r}, {small()!r}, rel_tol={R.choice([0.1, 1e-9])}, abs_tol={R.choice([0, 0.5])})"
        yield f"math.ldexp({small()!r}, {R.randint(-1100, 1100)})"
        yield f"math.log({abs(num())!r}, {R.choice([2, 10, 1, 0, 0.5, 7])})"
    yield "math.perm(5)"
    yield "math.gcd()"
    yield "math.sqrt()"
    yield "math.sqrt(1, 2)"
    yield "(math.pi, math.e, math.tau, math.inf, -math.inf, math.nan)"


def gen_heapq():
    for _ in range(120):
        xs = [R.choice([R.randint(-9, 9), R.randint(0, 3), 2.5, True]) for _ in range(R.randint(0, 12))]
        v, n = R.randint(-9, 9), R.randint(-1, 6)
        yield f"(lambda h: [heapq.heapify(h), h])({xs})"
        yield f"(lambda h: [[heapq.heappush(h, x), h[:]] for x in {xs}])([])"
        yield f"(lambda h: [heapq.heapify(h)] + [(heapq.heappop(h), h[:]) for _ in range({n})])({xs})"
        yield f"(lambda h: [heapq.heapify(h), heapq.heappushpop(h, {v}), h, heapq.heapreplace(h, {v}), h])({xs})"
        yield f"[heapq.nsmallest({n}, {xs}), heapq.nlargest({n}, {xs}, key=abs)]"
        yield f"[list(heapq.merge(sorted({xs}), sorted({xs[::2]}))), list(heapq.merge({sorted(xs, reverse=True)}, [{v}], reverse=True))]"
        yield f"[f(sorted({xs}), {v}) for f in (bisect.bisect_left, bisect.bisect_right, bisect.bisect)]"
        yield f"[bisect.bisect_left(sorted({xs}), {v}, {n}), bisect.bisect({sorted(xs, reverse=True)}, -{v}, key=lambda x: -x)]"
        yield f"(lambda s: [bisect.insort(s, {v}), bisect.insort_left(s, {v}), s])(sorted({xs}))"
    yield from ["heapq.heappop([])", "heapq.heapify((1, 2))", "heapq.heapify([1, 'a'])", "bisect.bisect([1], 'a')", "bisect.bisect([1], 1, -1)"]

def gen_copy():
    for x in ["collections.deque([[1], [2]], 3)", "collections.Counter('aab')", "collections.defaultdict(list, {1: [2]})",
              "collections.OrderedDict(a=[1])", "collections.namedtuple('P', 'x y')([1], 2)", "datetime.date(2024, 1, 2)", "{1: {2: [3]}}", "({1, 2}, frozenset([3]))"]:
        yield f"[copy.copy({x}), copy.deepcopy({x})]"
        yield f"(lambda v: type(copy.deepcopy(v)) is type(v) and copy.deepcopy(v) == v)({x})"
    yield "(lambda d: [d, copy.copy(d), copy.deepcopy(d), d[0].append(9)])(collections.deque([[1]]))"
    yield "(lambda d: [d, copy.copy(d), copy.deepcopy(d), d[1].append(9)])(collections.defaultdict(list, {1: [2]}))"

def gen_json():
    for _ in range(400):
        v = value()
        opts = []
        if R.random() < 0.3: opts.append(f"indent={R.choice([None, 0, 1, 2, 4])}")
        if R.random() < 0.3: opts.append("sort_keys=True")
        if R.random() < 0.3: opts.append("ensure_ascii=False")
        if R.random() < 0.2: opts.append("separators=(',', ':')")
        yield f"json.dumps({v!r}{''.join(', ' + o for o in opts)})"
        s = json.dumps(v, indent=R.choice([None, 1]))
        yield f"json.loads({s!r})"
        if len(s) > 2:
            k = R.randrange(len(s))
            broken = R.choice([s[:k], s[:k] + R.choice(",:{}[]\"x\\ \n1") + s[k:], s[:k] + s[k + 1:]])
            yield f"json.loads({broken!r})"
            yield f"message(lambda: json.loads({broken!r}))"
    for s in ["", " ", "nul", "tru", "NaN", "[Infinity, -Infinity]", "-", "01", "1.", ".5", "1e5", "1E+2", "-0", "-0.0", "1e400", '"\\ud83c\\udf89"', '"\\u00e9"', '"\\u12"', '"\\x"', '"a\nb"', "[1,]", '{"a":1,}', '{"a" 1}', "{1:2}", "[1 2]", "123456789012345678901234567890", '{"a":1,"a":2}', "\ufeff[]", "1 2", '["a', "{", "[", '{"a"', '{"a":', "1.5e-3"]:
        yield f"json.loads({s!r})"
        yield f"message(lambda: json.loads({s!r}))"
    for e in ["json.dumps({1: 2, 1.5: 3, None: 4, True: 5})", "json.dumps((1, 2))", "json.dumps({(1, 2): 3})", "json.dumps({(1, 2): 3}, skipkeys=True)", "json.dumps({1, 2})", "json.dumps({1, 2}, default=list)", "json.dumps(float('nan'))", "json.dumps(float('inf'), allow_nan=False)", "json.dumps([], indent=2)", "json.dumps({}, indent=2)", "json.dumps([[], {}], indent=2)", "json.dumps('x', indent='\\t')", "json.dumps([1, [2]], indent='--')", "json.dumps(b'x')", "json.loads(b'[1]')", "json.loads(5)", "json.loads(None)", "json.loads('[1.5, 2]', parse_float=str)", "json.loads('[1.5, 2]', parse_int=float)", "json.loads('{\"a\": {\"b\": 1}}', object_hook=lambda d: sorted(d))", "json.loads('{\"a\": 1}', object_pairs_hook=list)", "json.dumps(1e16)", "json.dumps(1e22)", "json.dumps(0.1 + 0.2)", "json.dumps(-0.0)", "json.dumps(10**25)"]:
        yield e


def gen_statistics():
    for f in "mean fmean geometric_mean harmonic_mean median median_low median_high median_grouped mode multimode stdev pstdev variance pvariance".split():
        for _ in range(40):
            xs = nums(0, 8)
            if f in ("geometric_mean", "harmonic_mean"):
                xs = [abs(x) for x in xs]
            yield f"statistics.{f}({xs!r})"
    for _ in range(60):
        n = R.randint(0, 7)
        yield f"statistics.quantiles({nums(0, 8)!r}, n={R.choice([1, 2, 4, 5, 10, 0])}, method={R.choice(['exclusive', 'inclusive', 'x'])!r})"
        a, b = [small() for _ in range(n)], [small() for _ in range(n)]
        for f in ("covariance", "correlation", "linear_regression"):
            yield f"tuple(statistics.{f}({a!r}, {b!r}))" if f == "linear_regression" else f"statistics.{f}({a!r}, {b!r})"
        yield f"statistics.fmean({[abs(x) for x in a]!r}, weights={[R.randint(1, 4) for _ in a]!r})"
        yield f"statistics.harmonic_mean({[abs(x) for x in a]!r}, weights={[R.randint(1, 4) for _ in a]!r})"
        yield f"statistics.pvariance({nums(1, 6)!r}, mu={small()!r})"
        yield f"statistics.stdev({nums(2, 6)!r}, xbar={small()!r})"
    yield "statistics.mode('abracadabra')"
    yield "statistics.multimode('aabbc')"
    yield "statistics.mean(['a'])"
    yield "statistics.mean([True, False, True])"
    yield "statistics.median(['b', 'a', 'c'])"


def gen_itertools():
    def seq():
        return repr(R.choice([nums(0, 5), list("abcd")[: R.randint(0, 4)], "xyz", (1, 2, 3), ""]))
    for _ in range(60):
        yield f"list(itertools.islice(itertools.count({small()!r}, {R.choice([1, 2, 0.5, -1])}), {R.randint(0, 6)}))"
        yield f"list(itertools.islice(itertools.cycle({seq()}), {R.randint(0, 9)}))"
        yield f"list(itertools.repeat({small()!r}, {R.randint(-1, 4)}))"
        yield f"list(itertools.accumulate({nums(0, 6)!r}))"
        yield f"list(itertools.accumulate({nums(0, 6)!r}, max, initial={R.choice([None, 0, 5])}))"
        yield f"list(itertools.chain({seq()}, {seq()}))"
        yield f"list(itertools.chain.from_iterable([{seq()}, {seq()}]))"
        yield f"list(itertools.compress({seq()}, {[R.randint(0, 1) for _ in range(R.randint(0, 5))]!r}))"
        yield f"list(itertools.dropwhile(lambda x: x < 2, {nums(0, 6)!r}))"
        yield f"list(itertools.takewhile(lambda x: x < 2, {nums(0, 6)!r}))"
        yield f"list(itertools.filterfalse(lambda x: x < 2, {nums(0, 6)!r}))"
        yield f"[(k, list(g)) for k, g in itertools.groupby({[R.randint(0, 3) for _ in range(8)]!r})]"
        yield f"[(k, list(g)) for k, g in itertools.groupby({[R.randint(0, 9) for _ in range(8)]!r}, key=lambda x: x % 2)]"
        yield f"list(itertools.islice({seq()}, {R.randint(0, 3)}, {R.choice([None, R.randint(0, 6)])}, {R.choice([None, 1, 2])}))"
        yield f"list(itertools.pairwise({seq()}))"
        yield f"list(itertools.starmap(lambda a, b: a * b, [({R.randint(0, 5)}, {R.randint(0, 5)}), (2, 3)]))"
        yield f"[list(x) for x in itertools.tee({seq()}, {R.randint(0, 3)})]"
        yield f"list(itertools.zip_longest({seq()}, {seq()}, fillvalue={R.choice([None, 0, '-'])!r}))"
        yield f"list(itertools.product({seq()}, {seq()}))"
        yield f"list(itertools.product({'ab'!r}, repeat={R.randint(0, 3)}))"
        yield f"list(itertools.permutations({seq()}, {R.choice([None, 0, 1, 2, 3])}))"
        yield f"list(itertools.combinations({seq()}, {R.randint(0, 4)}))"
        yield f"list(itertools.combinations_with_replacement({seq()}, {R.randint(0, 3)}))"
    for e in ["itertools.islice([1], -1)", "list(itertools.islice([1, 2, 3], 1, None, 0))", "list(itertools.permutations([1, 2], -1))", "list(itertools.combinations(5, 2))", "list(itertools.chain(5))", "list(itertools.groupby([]))", "[k for k, g in itertools.groupby([1, 1, 2])]", "list(itertools.count('a'))"]:
        yield e


def gen_collections():
    for _ in range(60):
        s, t = text(), text()
        yield f"collections.Counter({s!r})"
        yield f"collections.Counter({s!r}).most_common({R.choice([None, 0, 1, 3])})"
        yield f"collections.Counter({s!r}) + collections.Counter({t!r})"
        yield f"collections.Counter({s!r}) - collections.Counter({t!r})"
        yield f"collections.Counter({s!r}) & collections.Counter({t!r})"
        yield f"collections.Counter({s!r}) | collections.Counter({t!r})"
        yield f"sorted(collections.Counter({s!r}).elements())"
        yield f"collections.Counter({s!r}).total()"
        yield f"dict(collections.Counter({s!r}))"
        yield f"collections.Counter({s!r}) == collections.Counter({''.join(sorted(s))!r})"
        yield f"collections.OrderedDict([({R.randint(0, 3)}, 1), ({R.randint(0, 3)}, 2)])"
        n = R.randint(0, 6)
        yield f"collections.deque({nums(0, 6)!r}, {R.choice([None, 0, 2, 4])})"
        yield f"list(collections.deque({list(range(n))!r}))"
        yield f"rotated({list(range(n))!r}, {R.randint(-8, 8)})"
    for e in ["collections.Counter(a=1, b=2)['c']", "collections.Counter({'a': 3, 'b': -1}) + collections.Counter()", "collections.namedtuple('P', 'x y')(1, 2)", "collections.namedtuple('P', ['x', 'y'])(1, y=2)._asdict()", "collections.namedtuple('P', 'x, y', defaults=[5])(1)", "collections.namedtuple('P', 'x y')(1)", "collections.namedtuple('P', 'x y')(1, 2, 3)", "collections.namedtuple('P', 'x x')", "collections.namedtuple('P', 'x class')", "collections.namedtuple('P', 'x class', rename=True)(1, 2)", "collections.namedtuple('P', 'x y')(1, 2)._replace(x=9)", "collections.namedtuple('P', 'x y')(1, 2) == (1, 2)", "collections.namedtuple('P', 'x y')._fields", "collections.namedtuple('P', 'x y')._make([1, 2])", "collections.namedtuple('P', 'x y')(1, 2)[1]", "collections.namedtuple('P', 'x y')(1, 2)[:1]", "len(collections.namedtuple('P', 'x y')(1, 2))", "collections.deque().pop()", "collections.deque([1]).index(2)", "collections.deque([1, 2, 3]).index(2)", "collections.deque([1, 2, 1]).count(1)", "collections.deque([1, 2]) == collections.deque([1, 2])", "collections.deque([1]) + collections.deque([2])", "collections.defaultdict(int, a=1)", "collections.defaultdict(list)['x']", "collections.defaultdict(lambda: 7)['x']", "collections.defaultdict()['x']", "collections.defaultdict(5)", "collections.OrderedDict(a=1) == {'a': 1}", "sorted(collections.Counter('banana').items())", "max(collections.Counter('banana'), key=collections.Counter('banana').get)", "collections.Counter([1, 1.0, True])", "sum(collections.Counter('abc').values())", "'a' in collections.Counter('abc')", "list(collections.OrderedDict(b=1, a=2))", "[x for x in reversed(list(collections.deque([1, 2])))]", "isinstance(collections.Counter(), dict)", "type(collections.Counter()).__name__"]:
        yield e


def gen_functools():
    for _ in range(30):
        xs = nums(0, 6)
        yield f"functools.reduce(lambda a, b: a + b, {xs!r})"
        yield f"functools.reduce(lambda a, b: a * b, {xs!r}, 2)"
        yield f"functools.partial(max, {small()!r})({small()!r})"
        yield f"functools.partial(sorted, reverse=True)({xs!r})"
        yield f"sorted({xs!r}, key=functools.cmp_to_key(lambda a, b: (a < b) - (a > b)))"
        yield f"sorted({xs!r}, key=operator.neg)"
        yield f"[operator.itemgetter(1)(p) for p in [(1, {small()!r})]]"
        yield f"operator.itemgetter(0, 1)({['a', small()]!r})"
        yield f"operator.methodcaller('split', 'a')({text()!r})"
        for f in "add sub mul truediv floordiv mod".split():
            yield f"operator.{f}({small()!r}, {small()!r})"
        for f in "eq ne lt le gt ge".split():
            yield f"operator.{f}({small()!r}, {small()!r})"
        for f in "neg pos abs not_ truth".split():
            yield f"operator.{f}({small()!r})"
        yield f"operator.contains({xs!r}, {R.randint(0, 5)})"
        yield f"operator.countOf({xs!r}, {R.randint(0, 5)})"
        yield f"operator.indexOf({xs!r}, {R.randint(0, 5)})"
        yield f"operator.and_({R.randint(0, 99)}, {R.randint(0, 99)}) ^ operator.or_({R.randint(0, 99)}, 1)"
        yield f"operator.pow({R.randint(-5, 5)}, {R.randint(-3, 5)})"
    yield "functools.reduce(lambda a, b: a, [])"
    yield "operator.itemgetter('a')({'b': 1})"
    yield "operator.getitem([1, 2], -1)"
    yield "operator.concat([1], [2])"
    yield "functools.partial(int, base=2)('101')"


def gen_string():
    for _ in range(60):
        yield f"string.capwords({text()!r})"
        yield f"string.capwords({text()!r}, {R.choice(['-', 'a', ' '])!r})"
        yield f"string.Template('${{a}} $b $$ {R.choice(['$c', '$1', '$', 'x'])}').safe_substitute(a={text(1)!r}, b=2)"
        yield f"string.Template('$a-$b{R.choice(['', '$', '$$', '$c'])}').substitute(a={text(1)!r}, b=2)"
    yield "string.Template('$a').substitute({'a': 1})"
    yield "(string.ascii_letters, string.digits, string.punctuation, string.whitespace, string.hexdigits, string.octdigits, string.printable)"


def gen_random():
    for seed in [0, 1, 42, -7, 2**70, "abc", "", 1.5, -0.25, 1e100, b"xyz", True] + [R.randint(0, 2**40) for _ in range(40)]:
        k = R.randint(0, 9)
        calls = ["random.random()", "random.randint(1, 100)", "random.randint(-10**20, 10**20)", "random.randrange(10)", "random.randrange(0, 100, 7)", "random.randrange(10, 0, -3)", "random.uniform(-1, 5)", "random.choice('abcdef')", "random.choice([1, 2, 3])", "random.choices([1, 2, 3], k=4)", "random.choices('abc', weights=[5, 1, 1], k=5)", "random.choices('abc', cum_weights=[1, 2, 9], k=3)", "random.sample(range(100), 5)", "random.sample(list('abcdefgh'), 8)", "random.sample(range(1000), 30)", "random.sample(['a', 'b'], counts=[3, 2], k=4)", "shuffled(list(range(10)))", "random.getrandbits(70)", "random.getrandbits(8)", "random.triangular(0, 10, 3)", "random.triangular()", "random.gauss(0, 1)", "random.gauss()", "random.normalvariate(5, 2)", "random.expovariate(1.5)", "random.lognormvariate(0, 0.5)", "random.paretovariate(3)", "random.weibullvariate(1, 2)"]
        R.shuffle(calls)
        yield f"seeded({seed!r}, lambda: [{', '.join(calls[:6])}])"
        yield f"[random.Random({seed!r}).random(), random.Random({seed!r}).randint(0, {k})]"
    for e in ["random.choice([])", "random.randint(5, 1)", "random.randrange(0)", "random.randrange(1, 10, 0)", "random.sample([1], 2)", "random.sample({1, 2}, 1)", "random.choices([], k=1)", "random.choices([1], weights=[0])", "random.choices([1], weights=[1, 2])", "random.shuffle((1, 2))", "random.shuffle('ab')", "random.randint('a', 2)", "random.seed([])"]:
        yield e


def gen_base64():
    for _ in range(80):
        b = bytes(R.randrange(256) for _ in range(R.randint(0, 20)))
        yield f"base64.b64encode({b!r})"
        yield f"base64.urlsafe_b64encode({b!r})"
        yield f"base64.b32encode({b!r})"
        yield f"base64.b16encode({b!r})"
        e = base64.b64encode(b)
        yield f"base64.b64decode({e!r})"
        yield f"base64.b64decode({e.decode()!r})"
        yield f"base64.urlsafe_b64decode({base64.urlsafe_b64encode(b)!r})"
        yield f"base64.b32decode({base64.b32encode(b)!r})"
        yield f"base64.b16decode({base64.b16encode(b)!r})"
        k = R.randint(0, len(e))
        broken = e[:k] + R.choice([b"", b"=", b"!", b"\n", b"A", b"=="]) + e[k + R.randint(0, 1):]
        yield f"base64.b64decode({broken!r})"
        yield f"base64.b64decode({broken!r}, validate=True)"
        yield f"hashlib.{R.choice(['md5', 'sha1', 'sha224', 'sha256', 'sha384', 'sha512', 'sha3_256', 'sha3_512'])}({b!r}).hexdigest()"
        yield f"hashlib.new({R.choice(['md5', 'sha256'])!r}, {b!r}).digest()"
    for e in ["hashlib.md5('x')", "hashlib.new('nope')", "hashlib.sha256().digest_size", "hashlib.sha256(b'a').name", "hashlib.sha512().block_size", "base64.b64encode('x')", "base64.b64decode('é')", "base64.b64encode(b'\\xff\\xfe', altchars=b'-_')", "base64.b32decode('ME======')", "base64.b32decode('me======', casefold=True)", "base64.b16decode('6x')", "base64.b16decode('6a')", "base64.b16decode('6')"]:
        yield e


def gen_urllib():
    urls = ["http://user:pw@Example.COM:8080/a/b;p?q=1&r=%20x#frag", "https://example.com", "//host/path", "mailto:a@b.c", "file:///etc/x", "/rel/path?x", "", "http://[::1]:80/x", "a/b/../c", "http://h/a?b=c;d", "HTTP://X.y/%7Ez", "javascript:alert(1)", "http://h:99999/", "http://h:x/", "ftp://h/a;type=i"]
    for u in urls:
        yield f"tuple(urllib.parse.urlsplit({u!r}))"
        yield f"tuple(urllib.parse.urlparse({u!r}))"
        yield f"urllib.parse.urlsplit({u!r}).geturl()"
        for a in "hostname port username password netloc".split():
            yield f"urllib.parse.urlsplit({u!r}).{a}"
        for v in ["x", "../y", "/z", "?q", "#f", "//o/p", "http://n/", "", ".", "..", "g;x=1/../y", "./g/.", "../../../g", "a//b"]:
            yield f"urllib.parse.urljoin({u!r}, {v!r})"
    for _ in range(120):
        s = text() + R.choice(["", "/a?b=c&d", "~._-", "+%20%zz%C3%A9", "%ff%FEx", "%E6%97%A5", "%e6%97", "%f0%9f%8e"])
        yield f"urllib.parse.quote({s!r})"
        yield f"urllib.parse.quote({s!r}, safe={R.choice(['', '/', 'a&'])!r})"
        yield f"urllib.parse.quote_plus({s!r})"
        yield f"urllib.parse.unquote({s!r})"
        yield f"urllib.parse.unquote_plus({s!r})"
        yield f"urllib.parse.urlencode({ {text(1): num(), 'b c': text(2)}!r})"
        yield f"urllib.parse.urlencode([('a', {text(1)!r}), ('a', 2)])"
        yield f"urllib.parse.urlencode({{'a': [1, {text(1)!r}]}}, doseq={R.choice([True, False])})"
        q = urllib.parse.urlencode([(text(1), text(1)) for _ in range(R.randint(0, 3))]) + R.choice(["", "&", "&x", "=", "&a="])
        yield f"urllib.parse.parse_qs({q!r})"
        yield f"urllib.parse.parse_qsl({q!r}, keep_blank_values={R.choice([True, False])})"


def gen_textwrap():
    def para():
        parts = []
        for _ in range(R.randint(0, 30)):
            parts.append(R.choice(["the", "quick", "brown", "fox-trot", "jumps", "over--and", "a", "well-known", "e.g.", "end.", "Ünïcödé", "supercalifragilistic", "x" * R.randint(1, 30), "--", "-", "self-evident--yes", "1-2", "use-", "\"quoted.\"", "don't", "a-b-c-d", "http://x.y/z-w"]))
            parts.append(R.choice([" ", " ", " ", "  ", "\n", "\t", "\n\n"]))
        return "".join(parts)
    for _ in range(250):
        p, w = para(), R.randint(1, 50)
        opts = []
        for o in ["break_long_words=False", "break_on_hyphens=False", "drop_whitespace=False", "replace_whitespace=False", "expand_tabs=False", "fix_sentence_endings=True", "initial_indent='* '", "subsequent_indent='  '", "max_lines=2", "placeholder='...'", "tabsize=4"]:
            if R.random() < 0.15:
                opts.append(o)
        yield f"textwrap.wrap({p!r}, {w}{''.join(', ' + o for o in opts)})"
        yield f"textwrap.fill({p!r}, width={w})"
        yield f"textwrap.shorten({p!r}, width={w})"
        d = "\n".join(R.choice(["", "  ", "    ", "\t"]) + R.choice(["a", "bb", ""]) for _ in range(R.randint(0, 5)))
        yield f"textwrap.dedent({d!r})"
        yield f"textwrap.indent({d!r}, {R.choice(['> ', '', '  '])!r})"
    yield "textwrap.indent('a\\n\\nb', '+', lambda line: True)"
    yield "textwrap.wrap('a', 0)"


def gen_re():
    pats = [r"\d+", r"[a-z]+", r"(\w+)-(\w+)", r"(?P<a>\w)(?P<b>\w)?", r"\s+", r"x*", r"(a)|(b)", r"^\w+", r"\w+$", r"(?i)RAFT", r"[^\w\s]", r"\b\w", r"a.c", r"(?:ab)+", r"\w{2,3}", r"\w+?", r"[\d.]+", r"", r"é|ï", r"\.", r"[-a]", r"[]a]", r"\\", r"(a(b)?)+", r"\D+", r"\W", r"[^a]", r"\$", r"a{2}", r"a{,2}", r"{", r"a|", r"\u00e9", r"\x41", r"\t", r"(?s).+", r"(?m)^.", r"(?x) a  b # c", r"[\s,]+", r"\S+@\S+", r"(\d{4})-(\d\d)", "日本", r"[à-ü]", r"(?:)", r"z?"]
    subjects = ["", "abc", "hello world 42", "a-b c-d", "raft Raft RAFT", "naïve café 日本語 🎉", "x1y22z333", "foo@bar.com, a@b", "aaa", "ab\ncd\n", "2024-05-31 and 1999-12-01", "a.c abc a\nc", "  spaced  out ", "abab", "(x) [y] {z} $5 \\ ^", "bab"]
    for p in pats:
        for s in R.sample(subjects, 10):
            yield f"re.findall({p!r}, {s!r})"
            yield f"span(re.search({p!r}, {s!r}))"
            f = R.choice(["match", "fullmatch"])
            yield f"span(re.{f}({p!r}, {s!r}))"
            yield f"re.split({p!r}, {s!r}, {R.choice([0, 0, 1, 2])})"
            yield f"re.sub({p!r}, {R.choice(['-', '<' + chr(92) + 'g<0>>', '', chr(92) + chr(92), chr(92) + 'n'])!r}, {s!r}{R.choice(['', ', 1', ', count=2'])})"
            yield f"[m.span() for m in re.finditer({p!r}, {s!r})]"
            yield f"re.subn({p!r}, lambda m: m.group(0).upper() + '!', {s!r})"
    for e in [r"re.search(r'(?P<y>\d+)-(?P<m>\d+)', 'on 2024-05').groupdict()", r"re.search(r'(a)|(b)', 'b').groups()", r"re.search(r'(a)|(b)', 'b').groups('-')", r"re.search(r'(a)|(b)', 'b').lastindex", r"re.search(r'(?P<q>a)', 'a').lastgroup", r"re.match(r'(\w)(\w)', 'ab').group(1, 2)", r"re.match(r'(\w)(\w)', 'ab')[2]", r"re.match(r'a', 'ab').end()", r"re.match(r'(a)', 'ab').group(5)", r"re.sub(r'(\w+) (\w+)', r'\2 \1', 'hello world')", r"re.sub(r'(?P<w>\w+)', r'<\g<w>>', 'a b')", r"re.sub(r'(a)(b)?', r'[\2]', 'ab a')", r"re.compile(r'\d').sub('x', 'a1b2', count=1)", r"re.compile('a', re.I).findall('aA')", r"re.compile('a', re.I | re.M).pattern", r"re.compile('(a)(?P<n>b)').groupindex", r"re.compile('(a)(?P<n>b)').groups", r"re.escape('a.b*c[d] é -_~')", r"re.findall('a', 'Aa', re.I)", r"re.findall('^a', 'a\na', flags=re.M)", r"re.search('x', 'y')", r"bool(re.match('x', 'x'))", r"re.compile('(')", r"re.compile('[')", r"re.compile('*')", r"re.compile('a**')", r"re.compile(r'\q')", r"re.compile('(?P<1>a)')", r"re.compile(')')", r"re.sub('a', r'\9', 'a')", r"re.sub('a', r'\g<x>', 'a')", r"re.sub('(', '', 'a')", r"re.findall(5, 'a')", r"re.findall('a', 5)", r"re.compile('b').search('abcb', 2).span()", r"re.compile('^b').search('abcb', 1)", r"re.match('(?i)A', 'a').group()", r"re.search('é', 'aé').start()", r"re.split('(,)', 'a,b')", r"re.sub('', '-', 'abc')", r"re.sub('x*', '-', 'abxd')", r"re.findall(r'\b', 'a b')", r"re.sub('(?m)^', '> ', 'a\nb')", r"re.compile('a+').fullmatch('aaa').group()", r"re.match(r'(?P<x>a)(?P<y>b)?', 'a').groupdict('no')", r"re.match('a(b)?', 'a').expand(r'x\1y')", r"re.match('(a)', 'a').expand(r'\1\1')", r"re.match('a', 'a').re.pattern", r"re.match('a', 'ab').string", r"[re.I, re.M, re.S, re.X] == [2, 8, 16, 64]"]:
        yield e


def gen_re_backtracking():
    pats = [r"(?<!^)(?=[A-Z])", r"(?<=[a-z])[A-Z]", r"(?<!!)\[([^\]]+)\]\(([^)]+)\)", r"(?<=\d)(?=(?:\d{3})+$)", r"\B(?=(\d{3})+(?!\d))", r"(\w)\1", r"\b(\w+) \1\b", r"(?P<q>['\"]).*?(?P=q)", r"^(?=.*\d)(?=.*[a-z])(?=.*[A-Z]).{8,}$", r"(?>a+)b", r"(?>a+)a", r"(<)?\w+@\w+(?(1)>|$)", r"foo(?!bar)", r"(?<!\$)\b\d+", r"(?=(\w\w))", r"x*(?!y)", r"(?i)(?<=KEY=)\w+", r"(?m)^(?!#).+$", r"(?s)<(\w+)>.*?</\1>", r"(?x) (?<= , ) \s* \w+ # after a comma", r"(a)|b(?=c)", r"(?:(a)|b)*(?=c)", r"(?<=é)\w|\u00ef(?=v)", r"[\s,]+(?=\S)", r"(?=)", r"(?!)", r"(\d+)(?:px|em)(?=\s|;)", r"(?<![\w.])\.?\d+", r"((?=a)a|b)+", r"(?<=\x41)\x42", "(?<=🎉)."]
    subjects = ["", "camelCaseString", "HTTPServerError", "1234567", "price 1234567.89", "![img](a.png) and [text](url)", "hello  letter book", "the the cat sat sat", "say 'hi' and \"yo\" 'x\"", "Passw0rdX", "password", "aaab aaa", "<ab@cd> ef@gh <ij@kl", "foobar foobaz foo", "$5 6 $70 80", "xxy xx y", "key=abc KEY=def", "#c\nline\n# d\nmore", "<b>x</b><i>y</b></i>", "a, b,c ,d", "abc bcc abab c", "naïve café", "margin: 10px 2em;3px", "1.5 .5 v2.0", "AB aB ABAB", "🎉x🎉 日本"]
    for p in pats:
        for s in R.sample(subjects, 12) + [""]:
            yield f"re.findall({p!r}, {s!r})"
            yield f"span(re.search({p!r}, {s!r}))"
            yield f"span(re.{R.choice(['match', 'fullmatch'])}({p!r}, {s!r}))"
            yield f"re.split({p!r}, {s!r}, {R.choice([0, 0, 1, 2])})"
            yield f"re.sub({p!r}, {R.choice(['-', '_' + chr(92) + 'g<0>', ','])!r}, {s!r}{R.choice(['', ', count=1'])})"
            yield f"[m.span() for m in re.finditer({p!r}, {s!r})]"
            yield f"span(re.compile({p!r}).search({s!r}, {R.randint(0, 4)}, {R.randint(3, 20)}))"
    for e in [r"re.compile(r'(?P<x>a)(?=b)(c)?').groupindex", r"re.compile(r'(?P<x>a)(?=b)(c)?').groups", r"re.search(r'(?P<x>\d)(?P<y>x)?(?=z)', '1z').groupdict()", r"re.sub(r'(?P<w>\w+) (?P=w)', r'\g<w>', 'go go on')", r"re.sub(r'(?<=a)(b)', lambda m: m[1].upper(), 'ab b')", r"re.compile(r'\2(a)')", r"re.compile(r'(a\1)')", r"re.compile(r'(?P=no)')", r"re.compile(r'(?(2)a|b)')", r"re.compile(r'(?<=a')", r"re.compile(r'(?=')", r"re.search(r'(a)(?=b)', 'ab').lastindex", r"re.search(r'(?<=é)b', 'éb').span()", r"re.search(r'(?=a)', 'ba').expand(r'<\g<0>>')", r"re.compile(r'\b\w+ \w+').search('a b c d', 2).group()", r"re.compile(r'\b\w+ \w+').match('a b c d', 2).span()", r"re.compile(r'\ba|\bab').fullmatch('xx ab', 3).span()", r"re.compile(r'^b').search('abab', 1)", r"re.findall(r'[^\W\d_]+', 'abc_1 déf 日本5')", r"re.findall(r'[\W_]+', 'a_b - c!é')", r"re.findall(r'[\s\S]', 'a\n ')", r"re.findall(r'[^\S\n]+', 'a \t\n b')", r"re.split(r'[\W]', 'a,b c')", r"re.findall(r'(?<=a)[^\W]+', 'aé-ab 🎉a')", r"re.compile(r'(?m)^\w').findall('ab\ncd\nef', 1)", r"re.compile(r'\B\w').findall('abc de', 2)", r"[m.span() for m in re.compile(r'\b').finditer('ab cd', 1)]"]:
        yield e


def gen_difflib():
    def lines():
        return [R.choice("abcde") * R.randint(1, 2) for _ in range(R.randint(0, 14))]

    for _ in range(150):
        a = lines()
        b = [x for x in a if R.random() < 0.8] if R.random() < 0.7 else lines()
        for _ in range(R.randint(0, 3)):
            b.insert(R.randint(0, len(b)), R.choice("abxyz"))
        yield f"list(difflib.unified_diff({a!r}, {b!r}, 'old', 'new', lineterm='', n={R.randint(0, 3)}))"
        yield f"list(difflib.context_diff({a!r}, {b!r}, 'old', 'new', '1999', n={R.randint(0, 3)}))"
        yield f"difflib.SequenceMatcher(None, {a!r}, {b!r}).get_opcodes()"
        yield f"[tuple(m) for m in difflib.SequenceMatcher(None, {''.join(a)!r}, {''.join(b)!r}).get_matching_blocks()]"
        x, y = text(), text()
        yield f"difflib.SequenceMatcher(None, {x!r}, {y!r}).ratio()"
        yield f"difflib.SequenceMatcher(lambda c: c in ' -', {x!r}, {y!r}).get_opcodes()"
        yield f"(lambda m: (m.quick_ratio(), m.real_quick_ratio()))(difflib.SequenceMatcher(None, {x!r}, {y!r}))"
        yield f"difflib.get_close_matches({R.choice(WORDS)!r}, {[R.choice(WORDS) + R.choice('abc') for _ in range(6)]!r}, {R.randint(1, 4)}, {R.choice([0.1, 0.4, 0.6])})"
    long = "".join(R.choice("abcdefgh") for _ in range(260))
    other = long[:100] + "xyz" + long[120:]
    for e in [f"difflib.SequenceMatcher(None, {long!r}, {other!r}).ratio()", f"difflib.SequenceMatcher(None, {long!r}, {other!r}, autojunk=False).ratio()", f"sorted(difflib.SequenceMatcher(None, '', {'a' * 210 + 'b'!r}).bpopular)", "difflib.SequenceMatcher(None, 'abcd', 'bcde').find_longest_match(0, 4, 0, 4)", "difflib.get_close_matches('a', ['a'], 0)", "difflib.get_close_matches('a', ['a'], 1, 2)", "difflib.SequenceMatcher(None, [1, 2, 3], [2, 3, 4]).get_opcodes()", "list(difflib.unified_diff([1], ['a']))", "difflib.Match(1, 2, 3)", "difflib.get_close_matches('appel', ['ape', 'apple', 'peach', 'puppy'])"]:
        yield e


def gen_pprint():
    def data(depth=0):
        k = R.random()
        n = R.randint(0, 6)
        if depth < 4 and k < 0.25:
            return {R.choice(["k%d" % R.randint(0, 99), R.choice(WORDS)]): data(depth + 1) for _ in range(n)}
        if depth < 4 and k < 0.5:
            return [data(depth + 1) for _ in range(n)]
        if depth < 4 and k < 0.6:
            return tuple(data(depth + 1) for _ in range(n))
        if k < 0.65:
            return {R.randint(0, 99) for _ in range(n // 3)}
        return R.choice([None, True, num(), text(2), text(12), text(40), "line one\n" + text(9) + "\n" + text(30), R.randint(0, 10**9)])

    for _ in range(600):
        o = R.choice(["", "", "", f", width={R.choice([1, 10, 20, 40, 120])}", f", indent={R.randint(0, 6)}", ", compact=True", f", compact=True, width={R.randint(20, 60)}", ", sort_dicts=False", f", depth={R.randint(1, 4)}", f", depth={R.randint(1, 3)}, indent=4", ", underscore_numbers=True"])
        yield f"pprint.pformat({data()!r}{o})"
    for e in ["pprint.pformat({2: 1, 'a': 2, None: 3})", "pprint.pformat(frozenset(range(40)))", "pprint.pformat('x' * 200)", "pprint.pformat(['x y ' * 40])", "pprint.pformat(1, depth=0)", "pprint.pformat(1, indent=-1)", "pprint.pformat(1, width=0)", "pprint.pformat({})", "pprint.pformat([[]])", "pprint.PrettyPrinter(width=20).pformat(list(range(20)))", "pprint.saferepr({'b': 1, 'a': 2})"]:
        yield e


def gen_unicodedata():
    texts = [text(3) for _ in range(30)] + ["Crème Brûlée", "ﬁ½²Å", "e\u0301\u0323", "가각힣", "ｆｕｌｌ", "İıß"]
    for s in texts:
        for form in ["NFC", "NFD", "NFKC", "NFKD"]:
            yield f"unicodedata.normalize({form!r}, {s!r})"
            yield f"unicodedata.is_normalized({form!r}, {s!r})"
    for c in "aAzZ09 _-.é日ßµ½²€$+<\t\n\u0301\u200b\u00a0🎉ǅʰ٣Ⅷ\u00ad«»“”‿\u2028‹가":
        for f in ["category", "combining", "east_asian_width"]:
            yield f"unicodedata.{f}({c!r})"
    for e in ["unicodedata.normalize('NFX', 'a')", "unicodedata.category('')", "unicodedata.category('ab')", "unicodedata.category(1)", "unicodedata.normalize('NFC')", "''.join([c for c in unicodedata.normalize('NFKD', 'Ångström') if not unicodedata.combining(c)])"]:
        yield e


def gen_datetime():
    def d():
        return R.choice([
            f"datetime.date({R.randint(1, 9999)}, {R.randint(1, 12)}, {R.randint(1, 28)})",
            f"datetime.date(2024, {R.randint(1, 12)}, {R.randint(1, 28)})"])
    def dt(aware=None):
        tz = R.choice(["", "", ", tzinfo=datetime.timezone.utc", f", tzinfo=datetime.timezone(datetime.timedelta(hours={R.randint(-12, 12)}, minutes={R.choice([0, 30])}))"]) if aware is None else aware
        return f"datetime.datetime({R.randint(1900, 2100)}, {R.randint(1, 12)}, {R.randint(1, 28)}, {R.randint(0, 23)}, {R.randint(0, 59)}, {R.randint(0, 59)}, {R.choice([0, 0, R.randint(0, 999999)])}{tz})"
    def td():
        return R.choice([
            f"datetime.timedelta(days={R.randint(-400, 400)})",
            f"datetime.timedelta(hours={R.randint(-50, 50)}, seconds={R.randint(-5000, 5000)})",
            f"datetime.timedelta(days={round(R.uniform(-3, 3), 4)!r}, minutes={round(R.uniform(-99, 99), 2)!r}, microseconds={R.randint(-10**7, 10**7)})",
            f"datetime.timedelta(weeks={R.randint(-3, 3)}, milliseconds={R.randint(-5000, 5000)})"])
    fmts = ["%Y-%m-%d", "%d/%m/%y", "%B %d, %Y", "%b %d %Y", "%A %a %w", "%H:%M:%S.%f", "%I:%M %p", "%j %U %W", "%c", "%x %X", "%%", "%G-W%V-%u", "%z|%Z", "%-d.%-m.%Y", "%e %k %l", "%F %T", "%y%m%d", "%D", "%s", "%q", "x%", "%C %h %n%t", "%^a %#b", "%5d|%-H|%_m|%010Y", "%R %r", "%p %P"]
    for _ in range(100):
        a, b = d(), d()
        yield a
        yield f"str({a})"
        yield f"{a} - {b}"
        yield f"{a} {R.choice(['<', '<=', '==', '!=', '>', '>='])} {b}"
        yield f"{a} {R.choice(['+', '-'])} {td()}"
        yield f"{a}.{R.choice(['isoformat()', 'weekday()', 'isoweekday()', 'toordinal()', 'ctime()', 'year', 'isocalendar()[:]', 'replace(day=1)', 'replace(month=2, day=3)', 'timetuple()[:]'])}"
        f = R.choice(fmts)
        yield f"{a}.strftime({f!r})"
        x, y = dt(), dt()
        yield x
        yield f"str({x})"
        yield f"{x} - {y}"
        yield f"{x} {R.choice(['<', '<=', '==', '!=', '>'])} {y}"
        yield f"{x} {R.choice(['+', '-'])} {td()}"
        yield f"{td()} + {x}"
        yield f"{x}.strftime({R.choice(fmts)!r})"
        at = R.choice(["isoformat()", "isoformat(' ')", "isoformat(timespec='minutes')", "isoformat('T', 'milliseconds')", "date()", "time()", "timetz()", "timestamp()", "utcoffset()", "tzname()", "replace(year=2000, microsecond=5)", "replace(tzinfo=None)", "replace(hour=99)", "weekday()", "hour", "microsecond", "tzinfo", "astimezone(datetime.timezone.utc)", "astimezone(datetime.timezone(datetime.timedelta(hours=-5)))", "ctime()"])
        yield f"{x}.{at}"
        p, q = td(), td()
        yield p
        yield f"str({p})"
        yield f"{p} {R.choice(['+', '-', '/', '//', '%'])} {q}"
        yield f"{p} {R.choice(['*', '/'])} {R.choice([2, -3, 0.5, 1.7, 0, 7])}"
        yield f"{p} // {R.choice([2, -3, 0, 7])}"
        yield f"{R.choice([2, 0.3])} * {p}"
        yield f"{p} {R.choice(['<', '==', '>='])} {q}"
        yield f"({p}).{R.choice(['total_seconds()', 'days', 'seconds', 'microseconds'])}"
        yield f"-({p})"
        yield f"abs({p})"
        yield f"bool({p})"
        sd, st = eval(a), eval(x)
        for f in R.sample(["%Y-%m-%d", "%d/%m/%Y", "%B %d, %Y", "%b %d %Y", "%Y%m%d", "%A, %d %B %Y", "%j %Y"], 2):
            s = sd.strftime(f) if sd.year >= 1000 else "2001-02-03"
            yield f"datetime.datetime.strptime({s!r}, {f!r})"
        for f in R.sample(["%Y-%m-%d %H:%M:%S", "%Y-%m-%dT%H:%M:%S.%f", "%d.%m.%y %I:%M %p", "%a %b %d %H:%M:%S %Y", "%c", "%x %X", "%G-W%V-%u %H", "%U %w %Y", "%Y %W %a"], 2):
            s = st.strftime(f)
            yield f"datetime.datetime.strptime({s!r}, {f!r})"
            k = R.randrange(len(s))
            yield f"datetime.datetime.strptime({(s[:k] + s[k + 1:])!r}, {f!r})"
        iso = st.isoformat()
        for s in [iso, iso.replace("T", " "), iso[:10], iso[:16], iso[:10].replace("-", "") + iso[10:19].replace(":", "") + iso[19:], iso + "Z", iso[:R.randint(0, len(iso))], sd.strftime("%G-W%V-%u")]:
            yield f"datetime.datetime.fromisoformat({s!r})"
            if "T" not in s[:10] and " " not in s[:10]:  # CPython takes part of a time for a date here
                yield f"datetime.date.fromisoformat({s[:10]!r})"
        yield f"datetime.time.fromisoformat({iso[11:]!r})"
        ts = R.choice([R.randint(-10**9, 3 * 10**9), round(R.uniform(0, 2e9), R.randint(0, 7))])
        yield f"datetime.datetime.fromtimestamp({ts!r})"
        yield f"datetime.datetime.fromtimestamp({ts!r}, datetime.timezone.utc)"
        yield f"datetime.date.fromordinal({R.randint(-1, 3700000)})"
        yield f"datetime.date.fromisocalendar({R.randint(1, 2100)}, {R.randint(0, 54)}, {R.randint(0, 8)})"
        yield f"datetime.time({R.randint(0, 24)}, {R.randint(0, 60)}, {R.randint(0, 59)}, {R.randint(0, 999999)})"
        yield f"datetime.datetime.combine({a}, datetime.time({R.randint(0, 23)}, {R.randint(0, 59)}))"
        yield f"'{{:{R.choice(fmts).replace('%%', 'p').replace('x%', 'x')}}}'.format({x})"
        yield f"datetime.date({R.randint(-1, 10000)}, {R.randint(0, 13)}, {R.randint(0, 32)})"
    for e in ["datetime.timedelta()", "datetime.timedelta(1, 2, 3)", "datetime.timedelta(days=10**10)", "datetime.timedelta(seconds=1.5e-6)", "datetime.timedelta(microseconds=0.5)", "datetime.timedelta(microseconds=1.5)", "datetime.timedelta(days='x')", "datetime.timezone.utc", "str(datetime.timezone.utc)", "datetime.timezone(datetime.timedelta(hours=25))", "datetime.timezone(datetime.timedelta(hours=1), 'CET')", "str(datetime.timezone(datetime.timedelta(hours=1), 'CET'))", "str(datetime.timezone(datetime.timedelta(hours=-3.5)))", "datetime.timezone(5)", "datetime.date(2024, 2, 30)", "datetime.date(2024, 2, 29).replace(year=2023)", "datetime.date.max + datetime.timedelta(1)", "datetime.date.min", "datetime.datetime.max", "datetime.timedelta.max", "datetime.datetime(2024, 1, 1) - datetime.date(2024, 1, 1)", "datetime.date(2024, 1, 1) < datetime.datetime(2024, 1, 1)", "datetime.date(2024, 1, 1) == datetime.datetime(2024, 1, 1)", "datetime.date('x', 1, 1)", "datetime.datetime(2024, 1, 1) == 5", "datetime.datetime(2024, 1, 1) < 5", "datetime.datetime.strptime('x', '%Q')", "datetime.datetime.strptime('2024', '%')", "datetime.datetime.strptime('12 ', '%d')", "datetime.datetime.strptime('+0530', '%z')", "datetime.datetime.strptime('2024-01-01 UTC', '%Y-%m-%d %Z')", "datetime.datetime.strptime('Z', '%z')", "sorted([datetime.date(2024, 5, 1), datetime.date(2023, 1, 1)])", "{datetime.date(2024, 1, 1): 1}[datetime.date(2024, 1, 1)]", "max(datetime.timedelta(1), datetime.timedelta(2))", "sum([datetime.timedelta(1), datetime.timedelta(2)], datetime.timedelta())", "isinstance(datetime.datetime(2024, 1, 1), datetime.datetime)", "isinstance(datetime.datetime(2024, 1, 1), datetime.date)", "isinstance(datetime.date(2024, 1, 1), datetime.datetime)", "type(datetime.date(2024, 1, 1)).__name__", "f'{datetime.date(2024, 5, 31):%d.%m.%Y}'", "f'{datetime.datetime(2024, 5, 31, 12, 30)}'", "divmod(datetime.timedelta(hours=5), datetime.timedelta(hours=2))"]:
        yield e


def message(f):
    try:
        f()
        return "no error"
    except Exception as e:
        return str(e)


def seeded(s, f):
    random.seed(s)
    return f()


def shuffled(xs):
    random.shuffle(xs)
    return xs


def rotated(xs, n):
    d = collections.deque(xs)
    d.rotate(n)
    return list(d)


def span(m):
    return m and (m.span(), m.groups())


def main():
    for name, gen in sorted((n[4:], g) for n, g in globals().items() if n.startswith("gen_")):
        R.seed(f"{SEED} {name}")
        seen, lines = set(), []
        for expr in gen():
            if expr in seen or "\n" in expr:
                continue
            seen.add(expr)
            try:
                result = repr(eval(expr))
            except Exception as e:
                result = "!" + type(e).__name__
            lines.append(expr + "\t" + result.replace("\n", "\\n"))
        with open(f"golden/{name}.txt", "w", encoding="utf-8") as f:
            f.write("\n".join(lines) + "\n")
        print(name, len(lines))


main()
