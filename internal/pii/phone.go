package pii

import "strings"

// digitGroups is a run of digits with what people put between the parts of a phone
// number.
type digitGroups struct {
	start int // of the plus sign, the bracket or the first digit
	plus  bool
	group [10]struct {
		start, end int
		sep        byte // before it: ' ', '-', '.', '/', '(', ')' or loose; 0 for the first
	}
	n int // groups
}

func (g *digitGroups) length(i int) int { return g.group[i].end - g.group[i].start }

func (g *digitGroups) digits(t string, from, to int) string {
	if to-from == 1 {
		return t[g.group[from].start:g.group[from].end]
	}
	var b strings.Builder
	for i := from; i < to; i++ {
		b.WriteString(t[g.group[i].start:g.group[i].end])
	}
	return b.String()
}

func (g *digitGroups) total(k int) (n int) {
	for i := range k {
		n += g.length(i)
	}
	return n
}

// loose is the separator of groups that stand apart: two spaces, or a sign between
// spaces.
const loose = '~'

// maxPhone is the most digits that are looked at: 15 of E.164, a prefix for calls
// abroad, a zero that is left out.
const maxPhone = 20

// parseGroups reads the groups of digits at i, where digits begin.
func parseGroups(t string, i int) (g digitGroups) {
	g.start = i
	open := false
	switch at(t, i-1) {
	case '+':
		g.plus = true
		g.start--
		if at(t, i-2) == '(' {
			g.start, open = i-2, true
		}
	case '(':
		g.start, open = i-1, true
	}
	brackets := 0
	if open {
		brackets = 1
	}
	total := 0
	var sep byte
	for g.n < len(g.group) {
		end := digitsFrom(t, i)
		if total += end - i; total > maxPhone {
			break
		}
		g.group[g.n].start, g.group[g.n].end, g.group[g.n].sep = i, end, sep
		g.n++
		next, c := phoneGap(t, end, open, g.plus)
		if next == 0 || c == '(' && brackets > 0 {
			break
		}
		if c == '(' {
			brackets++
		}
		open = c == '('
		i, sep = next, c
	}
	return g
}

// phoneGap returns where the next group begins after the one that ends at i, 0 when
// there is none, and what stands between.
func phoneGap(t string, i int, open, plus bool) (next int, sep byte) {
	if open != (at(t, i) == ')') {
		return 0, 0
	}
	j := i
	if open {
		sep = ')'
		j++
	}
	switch b := at(t, j); {
	case b == '\r' && at(t, j+1) == '\n' && plus:
		j += 2
	case b == '\n' && plus:
		j++
	case b == ' ':
		j++
		switch c := at(t, j); {
		case (c == '-' || c == '/' || c == '.') && at(t, j+1) == ' ':
			b = c
			j += 2
		case c == ' ':
			j++
		}
	case b == '-' || b == '.' || b == '/':
		j++
	case sep == 0 && b != '(':
		return 0, 0
	}
	if sep == 0 {
		if sep = at(t, i); sep == '\n' || sep == '\r' {
			sep = ' '
		}
		if sep == ' ' && j > i+1 {
			sep = loose
		}
		if at(t, j) == '(' {
			j++
			sep = '('
		}
	}
	if !digitAt(t, j) {
		return 0, 0
	}
	return j, sep
}

// phone returns the phone number at i, where digits begin; end 0 when there is none.
func (s *scanner) phone(i int) (start, end int) {
	t := s.s
	if n := digitsFrom(t, i) - i; n > 16 || n == 1 && !is(at(t, i+1), isSpace) && strings.IndexByte("-.(/)", at(t, i+1)) < 0 {
		return 0, 0
	}
	g := parseGroups(t, i)
	if g.total(g.n) < 7 || wordBefore(t, g.start) {
		return 0, 0
	}
	k := 0
	switch before := at(t, g.start-1); {
	case g.plus:
		if before == '+' || before == ')' {
			return 0, 0
		}
		k = international(t, &g, g.digits(t, 0, g.n), 0)
	case before == '$' || (before == '-' || before == '.') && wordBefore(t, g.start-1) || before == '*':
		return 0, 0
	default:
		k = s.national(&g)
	}
	if k == 0 {
		return 0, 0
	}
	end = g.group[k-1].end
	if at(t, g.start) == '(' && k == 1 && at(t, end) == ')' {
		end++
	}
	if e := extension(t, end); e > 0 {
		return g.start, e
	}
	if wordAt(t, end) || at(t, end) == '.' && digitAt(t, end+1) || !g.plus && at(t, end) == '-' && wordAt(t, end+1) && !digitAt(t, end+1) {
		return 0, 0
	}
	return g.start, end
}

// international returns how many groups are a number with country code; digits are
// those of all groups, of which the first skip are a prefix for calls abroad.
func international(t string, g *digitGroups, digits string, skip int) int {
	cc, shortest, longest := callingCode(digits[skip:])
	if cc == 0 {
		return 0
	}
	for k := g.n; k >= 1; k-- {
		total := g.total(k)
		n := total - skip - cc
		if n < shortest {
			return 0
		}
		rest := digits[skip+cc : total]
		if rest[0] == '0' && (n > longest || zeroGroup(t, g, k)) {
			// The zero that is only dialled inside the country: +44 (0)20 …
			rest = rest[1:]
			n--
		}
		if n < shortest || n > longest {
			continue
		}
		if cc == 1 && digits[skip] == '1' && !northAmerican(rest) || rest[0] == '0' && g.n == 1 && !zeroStarts[digits[skip:skip+cc]] {
			return 0
		}
		if k < g.n && g.group[k].sep == '-' && n == longest && digits[skip] != '1' {
			continue
		}
		return k
	}
	return 0
}

// zeroGroup reports whether one of the first k groups is "(0)".
func zeroGroup(t string, g *digitGroups, k int) bool {
	for i := range k {
		if g.length(i) == 1 && g.group[i].sep == '(' && t[g.group[i].start] == '0' {
			return true
		}
	}
	return false
}

// Countries where numbers begin with a zero also when called from abroad.
var zeroStarts = map[string]bool{"39": true, "225": true, "229": true, "241": true, "242": true, "378": true}

// northAmerican reports whether ten digits may be a number of North America. Really
// neither area nor exchange begins with 0 or 1, but 555-123-4567 and 123-456-7890 are
// what people write when they make one up, or test what becomes of it.
func northAmerican(d string) bool {
	return len(d) == 10 && d[0] >= '2' || d == "1234567890"
}

// national returns how many groups are a number without a plus sign.
func (s *scanner) national(g *digitGroups) int {
	t := s.s
	i := g.group[0].start
	hint := s.hinted(g.start, phoneWord)
	if !hint && s.hinted(g.start, otherWord) {
		return 0
	}
	if !hint && phoneAfter(wordAhead(t, g.group[g.n-1].end)) {
		hint = true
	}
	inRow := strings.IndexByte(" -./:", at(t, g.start-1)) >= 0 && digitAt(t, g.start-2) || dumped(t, g)
	// 00 or 011 and a country code
	for _, prefix := range [...]string{"00", "011"} {
		if strings.HasPrefix(t[i:g.group[0].end], prefix) && (g.n > 1 && !inRow || hint) {
			if prefix == "011" && g.length(0) != 3 || g.n > 1 && g.group[1].sep == '.' {
				continue
			}
			if k := international(t, g, g.digits(t, 0, g.n), len(prefix)); k > 0 && (k == g.n || hint) {
				return k
			}
		}
	}
	// North America: 3, 3 and 4 digits, perhaps with a 1 before
	first := 0
	if g.length(0) == 1 && t[i] == '1' {
		first = 1
	}
	if k := first + 3; g.n >= k && g.length(first) == 3 && g.length(first+1) == 3 && g.length(first+2) == 4 &&
		northAmerican(g.digits(t, first, k)) {
		a, b := g.group[first+1].sep, g.group[first+2].sep
		printed := a == ')' || a == b && (a == '-' || a == '.') || a == '/' && b == '-'
		alone := k == g.n || g.group[k].sep != '-' && g.group[k].sep != '.'
		assigned := t[g.group[first].start+1:g.group[first].end] != "00" || t[g.group[first].start] >= '5'
		if hint && alone || printed && alone && assigned && (a != '.' || !versioned(t, i)) {
			return k
		}
	}
	total := g.total(g.n)
	if dated(t, g) {
		return 0
	}
	// Elsewhere: a zero that stands for "inside the country"
	if t[i] == '0' && at(t, i+1) != '0' && g.length(0) > 1 && !inRow && g.n > 1 && zeroPrinted(g, total) {
		return g.n
	}
	if !hint {
		return 0
	}
	k := g.n
	for k > 1 && g.total(k) > 13 {
		k--
	}
	if total = g.total(k); total < 7 || total > 15 || k > 6 {
		return 0
	}
	dots := 0
	for j := 1; j < k; j++ {
		if g.length(j) == 1 {
			return 0
		}
		if g.group[j].sep == '.' {
			dots++
		}
	}
	if dots > 0 && dots < k-1 {
		return 0
	}
	return k
}

// dumped reports whether groups of two digits are bytes in a dump: two hexadecimal
// digits stand before or after them.
func dumped(t string, g *digitGroups) bool {
	if g.length(g.n-1) != 2 {
		return false
	}
	i := g.start
	for i > 0 && g.start-i < 2 && t[i-1] == ' ' {
		i--
	}
	before := i < g.start && i >= 2 && is(t[i-1], isHex) && is(t[i-2], isHex) && !wordBefore(t, i-2)
	if before && !is(t[i-1], isDigit) && !is(t[i-2], isDigit) {
		before = i >= 5 && is(t[i-3], isSpace) && is(t[i-4], isHex) && is(t[i-5], isHex) // not the word "de"
	}
	i = g.group[g.n-1].end
	end := i
	for end < len(t) && end-i < 2 && t[end] == ' ' {
		end++
	}
	after := end > i && is(at(t, end), isHex) && is(at(t, end+1), isHex) && !wordAt(t, end+2)
	return before || after
}

// zeroPrinted reports whether the groups are those in which numbers with a leading zero
// are printed: 020 7946 0958, 01632 960123, 03-1234-5678, 01 99 00 12 34.
func zeroPrinted(g *digitGroups, total int) bool {
	sep := g.group[1].sep
	if sep == ')' && g.n > 2 {
		sep = g.group[2].sep
	}
	pairs := total == 10 && g.n == 5
	for i := range g.n {
		if i > 1 && g.group[i].sep != sep {
			return false
		}
		pairs = pairs && g.length(i) == 2
	}
	if pairs {
		return sep != '/' && sep != loose
	}
	shortest := 2
	if sep == '-' {
		shortest = 3
	} else if sep != ' ' && sep != ')' {
		return false
	}
	for i := 1; i < g.n; i++ {
		if g.length(i) < shortest {
			return false
		}
	}
	return total >= 9 && total <= 12 && g.n <= 5 && g.length(0) <= 5 && (g.n > 2 || g.length(0) >= 3 && g.length(1) >= 5)
}

// dated reports whether a date is among the groups: 2026-11-21, 21.11.2026.
func dated(t string, g *digitGroups) bool {
	for i := range g.n {
		if g.length(i) != 4 {
			continue
		}
		year := t[g.group[i].start:g.group[i].end]
		if !strings.HasPrefix(year, "19") && !strings.HasPrefix(year, "20") {
			continue
		}
		if i >= 2 && g.length(i-1) <= 2 && g.length(i-2) <= 2 || i+2 < g.n && g.length(i+1) <= 2 && g.length(i+2) <= 2 {
			return true
		}
	}
	return false
}

// extension returns the end of the extension that follows a number that ends at i:
// x42, ext. 42; 0 when there is none.
func extension(t string, i int) int {
	j := i
	if at(t, j) == ',' {
		j++
	}
	for n := 0; n < 2 && at(t, j) == ' '; n++ {
		j++
	}
	word := lastWordEnd(t, j)
	switch strings.ToLower(t[j:word]) {
	case "x":
		j = word
	case "ext", "extn", "extension", "durchwahl", "poste":
		j = word
		if at(t, j) == '.' {
			j++
		}
		if at(t, j) == ' ' {
			j++
		}
	default:
		return 0
	}
	end := digitsFrom(t, j)
	if n := end - j; n == 0 || n > 6 || wordAt(t, end) {
		return 0
	}
	return end
}

// lastWordEnd returns the end of the ASCII word at i, at most 12 letters of it.
func lastWordEnd(t string, i int) int {
	end := i
	for end < len(t) && end-i < 12 && is(t[end], isAlpha) {
		end++
	}
	return end
}

// callingCodes are the country codes of ITU-T E.164 that are in use, each with the
// shortest and longest national number that is called from abroad there. Where a
// country has no fixed length, common lengths are meant: a number that is two digits
// longer than any real one is no number.
const callingCodes = "1:10-10 7:10-10 20:8-10 27:9-9 30:10-10 31:7-11 32:8-9 33:9-9 34:9-9 36:8-9 39:6-11 40:9-9 41:9-12 43:5-13 " +
	"44:9-10 45:8-8 46:7-10 47:8-8 48:9-9 49:6-13 51:8-9 52:10-11 53:8-10 54:10-11 55:9-11 56:9-9 57:8-11 58:10-10 " +
	"60:8-10 61:9-10 62:8-12 63:8-12 64:8-10 65:8-11 66:8-10 81:9-10 82:8-10 84:9-10 86:9-11 90:10-10 91:10-10 " +
	"92:8-10 93:9-9 94:9-9 95:7-10 98:10-10 211:9-9 212:9-9 213:8-9 216:8-8 218:8-9 220:7-7 221:9-9 222:8-8 223:8-8 " +
	"224:8-9 225:8-10 226:8-8 227:8-8 228:8-8 229:8-10 230:7-8 231:7-9 232:8-8 233:8-9 234:7-11 235:8-8 236:8-8 " +
	"237:8-9 238:7-7 239:7-7 240:9-9 241:7-8 242:9-9 243:7-9 244:9-9 245:7-9 246:7-7 247:5-6 248:7-7 249:9-9 250:9-9 " +
	"251:9-9 252:7-9 253:8-8 254:7-9 255:9-9 256:9-9 257:8-8 258:8-9 260:9-9 261:9-9 262:9-9 263:7-10 264:8-9 265:7-9 " +
	"266:8-8 267:7-10 268:8-8 269:7-7 290:4-5 291:7-7 297:7-7 298:6-6 299:6-6 350:8-8 351:9-9 352:6-11 353:7-10 " +
	"354:7-9 355:7-9 356:8-8 357:8-8 358:6-11 359:7-9 370:8-8 371:8-8 372:7-8 373:8-8 374:8-8 375:9-10 376:6-9 " +
	"377:8-9 378:8-10 380:9-9 381:7-9 382:8-8 383:8-9 385:8-9 386:8-8 387:8-9 389:8-8 420:9-9 421:9-9 423:7-9 500:5-5 " +
	"501:7-11 502:8-11 503:7-8 504:8-11 505:8-8 506:8-10 507:7-8 508:6-9 509:8-8 590:9-9 591:8-9 592:7-7 593:8-11 " +
	"594:9-9 595:9-11 596:9-9 597:6-7 598:7-8 599:7-8 670:7-8 672:6-6 673:7-7 674:7-7 675:7-8 676:5-7 677:5-7 678:5-7 " +
	"679:7-11 680:7-7 681:6-9 682:5-5 683:4-7 685:5-7 686:5-8 687:6-6 688:5-7 689:6-9 690:4-5 691:7-7 692:7-7 800:8-8 " +
	"808:8-8 850:8-10 852:8-9 853:7-8 855:8-10 856:8-10 870:9-9 878:12-12 880:8-10 881:9-10 882:7-12 883:9-12 886:8-9 " +
	"888:11-11 960:7-10 961:7-8 962:8-9 963:8-9 964:8-10 965:7-8 966:8-10 967:7-9 968:8-8 970:8-10 971:8-9 972:8-10 " +
	"973:8-8 974:7-8 975:7-8 976:8-8 977:8-11 979:9-9 992:9-9 993:8-8 994:9-9 995:9-9 996:9-9 998:9-9"

type nationalLength struct{ shortest, longest uint8 }

// nationalLengths by country code.
var nationalLengths = func() (t [1000]nationalLength) {
	number := func(s string) (n int) {
		for i := range len(s) {
			n = n*10 + int(s[i]-'0')
		}
		return n
	}
	for f := range strings.FieldsSeq(callingCodes) {
		cc, lengths, _ := strings.Cut(f, ":")
		shortest, longest, _ := strings.Cut(lengths, "-")
		t[number(cc)] = nationalLength{uint8(number(shortest)), uint8(number(longest))}
	}
	return t
}()

// callingCode returns how many digits of d are a country code, 0 for none, and the
// length of national numbers there. No code is the beginning of another.
func callingCode(d string) (n, shortest, longest int) {
	cc := 0
	for n < len(d) && n < 3 {
		cc = cc*10 + int(d[n]-'0')
		n++
		if l := nationalLengths[cc]; cc > 0 && d[0] != '0' && l.longest > 0 {
			return n, int(l.shortest), int(l.longest)
		}
	}
	return 0, 0, 0
}
