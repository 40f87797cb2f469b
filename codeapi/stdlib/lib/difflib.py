"""Differences between sequences."""

from collections import namedtuple

Match = namedtuple("Match", "a b size")


class SequenceMatcher:
    def __init__(self, isjunk=None, a="", b="", autojunk=True):
        self.isjunk = isjunk
        self.autojunk = autojunk
        self.set_seqs(a, b)

    def set_seqs(self, a, b):
        self.a = a
        self.set_seq2(b)

    def set_seq1(self, a):
        self.a = a
        self._blocks = self._codes = None

    def set_seq2(self, b):
        self.b = b
        self._blocks = self._codes = None
        self._counts = None
        places = {}
        for i, x in enumerate(b):
            places.setdefault(x, []).append(i)
        self.bjunk = set()
        self.bpopular = set()
        if self.isjunk:
            self.bjunk = {x for x in places if self.isjunk(x)}
        if self.autojunk and len(b) >= 200:
            many = len(b) // 100 + 1
            self.bpopular = {x for x, at in places.items() if x not in self.bjunk and len(at) > many}
        self.b2j = {x: at for x, at in places.items() if x not in self.bjunk and x not in self.bpopular}

    def find_longest_match(self, alo=0, ahi=None, blo=0, bhi=None):
        a, b, junk = self.a, self.b, self.bjunk
        if ahi is None:
            ahi = len(a)
        if bhi is None:
            bhi = len(b)
        best_i, best_j, best = alo, blo, 0
        lengths = {}
        for i in range(alo, ahi):
            new = {}
            for j in self.b2j.get(a[i], ()):
                if j < blo:
                    continue
                if j >= bhi:
                    break
                k = lengths.get(j - 1, 0) + 1
                new[j] = k
                if k > best:
                    best_i, best_j, best = i - k + 1, j - k + 1, k
            lengths = new
        # What is too common or junk may only extend a match.
        for allowed in (False, True):
            while best_i > alo and best_j > blo and (b[best_j - 1] in junk) == allowed and a[best_i - 1] == b[best_j - 1]:
                best_i, best_j, best = best_i - 1, best_j - 1, best + 1
            while best_i + best < ahi and best_j + best < bhi and (b[best_j + best] in junk) == allowed and a[best_i + best] == b[best_j + best]:
                best += 1
        return Match(best_i, best_j, best)

    def get_matching_blocks(self):
        if self._blocks is not None:
            return self._blocks
        found = []
        todo = [(0, len(self.a), 0, len(self.b))]
        while todo:
            alo, ahi, blo, bhi = todo.pop()
            i, j, k = m = self.find_longest_match(alo, ahi, blo, bhi)
            if k:
                found.append(m)
                if alo < i and blo < j:
                    todo.append((alo, i, blo, j))
                if i + k < ahi and j + k < bhi:
                    todo.append((i + k, ahi, j + k, bhi))
        found.sort()
        joined = []
        i1 = j1 = k1 = 0
        for i2, j2, k2 in found:
            if i1 + k1 == i2 and j1 + k1 == j2:
                k1 += k2
            else:
                if k1:
                    joined.append(Match(i1, j1, k1))
                i1, j1, k1 = i2, j2, k2
        if k1:
            joined.append(Match(i1, j1, k1))
        joined.append(Match(len(self.a), len(self.b), 0))
        self._blocks = joined
        return joined

    def get_opcodes(self):
        if self._codes is not None:
            return self._codes
        i = j = 0
        codes = []
        for ai, bj, size in self.get_matching_blocks():
            if i < ai and j < bj:
                codes.append(("replace", i, ai, j, bj))
            elif i < ai:
                codes.append(("delete", i, ai, j, bj))
            elif j < bj:
                codes.append(("insert", i, ai, j, bj))
            i, j = ai + size, bj + size
            if size:
                codes.append(("equal", ai, i, bj, j))
        self._codes = codes
        return codes

    def get_grouped_opcodes(self, n=3):
        codes = list(self.get_opcodes()) or [("equal", 0, 1, 0, 1)]
        if codes[0][0] == "equal":
            tag, i1, i2, j1, j2 = codes[0]
            codes[0] = tag, max(i1, i2 - n), i2, max(j1, j2 - n), j2
        if codes[-1][0] == "equal":
            tag, i1, i2, j1, j2 = codes[-1]
            codes[-1] = tag, i1, min(i2, i1 + n), j1, min(j2, j1 + n)
        group = []
        for tag, i1, i2, j1, j2 in codes:
            if tag == "equal" and i2 - i1 > n + n:
                group.append((tag, i1, min(i2, i1 + n), j1, min(j2, j1 + n)))
                yield group
                group = []
                i1, j1 = max(i1, i2 - n), max(j1, j2 - n)
            group.append((tag, i1, i2, j1, j2))
        if group and not (len(group) == 1 and group[0][0] == "equal"):
            yield group

    def ratio(self):
        matches = sum(m[2] for m in self.get_matching_blocks())
        return _ratio(matches, len(self.a) + len(self.b))

    def quick_ratio(self):
        if self._counts is None:
            self._counts = {}
            for x in self.b:
                self._counts[x] = self._counts.get(x, 0) + 1
        left = dict(self._counts)
        matches = 0
        for x in self.a:
            if left.get(x, 0) > 0:
                left[x] -= 1
                matches += 1
        return _ratio(matches, len(self.a) + len(self.b))

    def real_quick_ratio(self):
        return _ratio(min(len(self.a), len(self.b)), len(self.a) + len(self.b))


def _ratio(matches, length):
    return 2.0 * matches / length if length else 1.0


def get_close_matches(word, possibilities, n=3, cutoff=0.6):
    if not n > 0:
        raise ValueError("n must be > 0: %r" % (n,))
    if not 0.0 <= cutoff <= 1.0:
        raise ValueError("cutoff must be in [0.0, 1.0]: %r" % (cutoff,))
    scored = []
    s = SequenceMatcher()
    s.set_seq2(word)
    for x in possibilities:
        s.set_seq1(x)
        if s.real_quick_ratio() >= cutoff and s.quick_ratio() >= cutoff and s.ratio() >= cutoff:
            scored.append((s.ratio(), x))
    scored.sort(reverse=True)
    return [x for _, x in scored[:n]]


def _unified_range(start, stop):
    length = stop - start
    if length == 1:
        return str(start + 1)
    if not length:
        return f"{start},0"
    return f"{start + 1},{length}"


def unified_diff(a, b, fromfile="", tofile="", fromfiledate="", tofiledate="", n=3, lineterm="\n"):
    started = False
    for group in SequenceMatcher(None, a, b).get_grouped_opcodes(n):
        if not started:
            started = True
            yield "--- {}{}{}".format(fromfile, "\t" + fromfiledate if fromfiledate else "", lineterm)
            yield "+++ {}{}{}".format(tofile, "\t" + tofiledate if tofiledate else "", lineterm)
        first, last = group[0], group[-1]
        yield "@@ -{} +{} @@{}".format(_unified_range(first[1], last[2]), _unified_range(first[3], last[4]), lineterm)
        for tag, i1, i2, j1, j2 in group:
            if tag == "equal":
                for line in a[i1:i2]:
                    yield " " + line
                continue
            if tag in ("replace", "delete"):
                for line in a[i1:i2]:
                    yield "-" + line
            if tag in ("replace", "insert"):
                for line in b[j1:j2]:
                    yield "+" + line


def _context_range(start, stop):
    length = stop - start
    if not length:
        return str(start)
    if length <= 1:
        return str(start + 1)
    return f"{start + 1},{start + length}"


def context_diff(a, b, fromfile="", tofile="", fromfiledate="", tofiledate="", n=3, lineterm="\n"):
    prefix = {"insert": "+ ", "delete": "- ", "replace": "! ", "equal": "  "}
    started = False
    for group in SequenceMatcher(None, a, b).get_grouped_opcodes(n):
        if not started:
            started = True
            yield "*** {}{}{}".format(fromfile, "\t" + fromfiledate if fromfiledate else "", lineterm)
            yield "--- {}{}{}".format(tofile, "\t" + tofiledate if tofiledate else "", lineterm)
        first, last = group[0], group[-1]
        yield "***************" + lineterm
        yield "*** {} ****{}".format(_context_range(first[1], last[2]), lineterm)
        if any(tag in ("replace", "delete") for tag, _, _, _, _ in group):
            for tag, i1, i2, _, _ in group:
                if tag != "insert":
                    for line in a[i1:i2]:
                        yield prefix[tag] + line
        yield "--- {} ----{}".format(_context_range(first[3], last[4]), lineterm)
        if any(tag in ("replace", "insert") for tag, _, _, _, _ in group):
            for tag, _, _, j1, j2 in group:
                if tag != "delete":
                    for line in b[j1:j2]:
                        yield prefix[tag] + line
