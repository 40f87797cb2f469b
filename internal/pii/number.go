package pii

import "strings"

// numbers finds what begins with digits: IBANs, cards, social security numbers, IPv4
// addresses and phone numbers, in this order at each place, from left to right.
func (s *scanner) numbers() {
	t := s.s
	sorted := s.found
	for i := 0; i < len(t); {
		if !is(t[i], isDigit) {
			i++
			continue
		}
		if m, ok := s.number(i, sorted); ok {
			s.found = append(s.found, m)
			i = m.End
			continue
		}
		i = digitsFrom(t, i)
	}
}

// number returns the value at i, where digits begin.
func (s *scanner) number(i int, sorted []Match) (Match, bool) {
	t := s.s
	try := func(k Kind, start, end int) (Match, bool) {
		return Match{k, start, end}, end > 0 && s.free(sorted, start, end)
	}
	if s.set.Has(IBAN) {
		if m, ok := try(IBAN, i-2, iban(t, i-2)); ok {
			return m, true
		}
	}
	if s.set.Has(Card) {
		if m, ok := try(Card, i, s.card(i)); ok {
			return m, true
		}
	}
	if s.set.Has(SSN) {
		if m, ok := try(SSN, i, s.ssn(i)); ok {
			return m, true
		}
	}
	if s.set.Has(IP) {
		if m, ok := try(IP, i, ip4(t, i)); ok {
			return m, true
		}
	}
	if s.set.Has(Phone) {
		if start, end := s.phone(i); end > 0 {
			if m, ok := try(Phone, start, end); ok {
				return m, true
			}
		}
	}
	return Match{}, false
}

// ssn returns the end of the social security number at i, 0 when there is none: 3, 2
// and 4 digits in the ranges that are given out (SSA, since 2011: no area 000, 666 or
// 900 to 999, no group 00, no serial 0000). Without hyphens it needs a word before it.
func (s *scanner) ssn(i int) int {
	t := s.s
	if wordBefore(t, i) {
		return 0
	}
	var digits string
	var end int
	bare := false
	switch n := digitsFrom(t, i) - i; n {
	case 9:
		end, bare = i+9, true
		digits = t[i:end]
	case 3:
		sep := at(t, i+3)
		if sep != '-' && sep != ' ' || digitsFrom(t, i+4) != i+6 || at(t, i+6) != sep || digitsFrom(t, i+7) != i+11 {
			return 0
		}
		end, bare = i+11, sep == ' '
		digits = t[i:i+3] + t[i+4:i+6] + t[i+7:end]
	default:
		return 0
	}
	if area := digits[:3]; area == "000" || area == "666" || area[0] == '9' || digits[3:5] == "00" || digits[5:] == "0000" {
		return 0
	}
	if glued(t, i, end) || bare && !s.hinted(i, ssnWord) {
		return 0
	}
	return end
}

// glued reports whether the number t[i:end] is part of something longer: 1-123-45-6789,
// 3.14, 536-22-18435.
func glued(t string, i, end int) bool {
	if wordAt(t, end) || at(t, end) == '-' && wordAt(t, end+1) || at(t, end) == '.' && digitAt(t, end+1) {
		return true
	}
	if b := at(t, i-1); b == '-' || b == '.' {
		return wordBefore(t, i-1)
	}
	return wordBefore(t, i)
}

// card returns the end of the card number at i, 0 when there is none: a known issuer's
// prefix and length, in groups as they are printed, with a right check digit. Every
// tenth number has that, and programs print many numbers: lengths that hardly any card
// has need a word before them.
func (s *scanner) card(i int) int {
	t := s.s
	if wordBefore(t, i) {
		return 0
	}
	var digits [19]byte
	var groups [8]int
	n, g, end := 0, 0, i
	var sep byte
	for {
		stop := digitsFrom(t, end)
		if n+stop-end > len(digits) {
			break
		}
		n += copy(digits[n:], t[end:stop])
		groups[g] = stop - end
		g++
		end = stop
		if g == len(groups) {
			break
		}
		next, c := cardGap(t, stop)
		if next == 0 || sep != 0 && c != sep {
			break
		}
		sep = c
		end = next
	}
	if g == 0 {
		return 0
	}
	// The groups may go on with numbers that do not belong to it.
	for k := g; k >= 1; k-- {
		total := 0
		for _, x := range groups[:k] {
			total += x
		}
		if total < 13 || !printed(groups[:k]) || !issued(digits[:total]) || !luhn(digits[:total]) {
			continue
		}
		end := i
		for j := range k {
			if j > 0 {
				end, _ = cardGap(t, end)
			}
			end += groups[j]
		}
		if k == 1 && (at(t, i-1) == '-' || (total == 13 || total == 19) && digits[0] == '4' && !s.hinted(i, cardWord)) {
			return 0
		}
		if glued(t, i, end) || k < g && (sep == '-' || groups[k] == 4) || fourBefore(t, i) && k > 1 {
			return 0
		}
		return end
	}
	return 0
}

// cardGap returns where the next group of digits begins after the one that ends at i,
// 0 when there is none, and the separator, ' ' for all space.
func cardGap(t string, i int) (next int, sep byte) {
	switch {
	case at(t, i) == '-' && digitAt(t, i+1):
		return i + 1, '-'
	case is(at(t, i), isSpace):
		for next = i + 1; next < i+3 && is(at(t, next), isSpace); {
			next++
		}
		if digitAt(t, next) {
			return next, ' '
		}
	}
	return 0, 0
}

// fourBefore reports whether a group of four digits stands right before i, as in a
// table of such.
func fourBefore(t string, i int) bool {
	return i >= 5 && (t[i-1] == ' ' || t[i-1] == '-') && digitAt(t, i-2) && digitAt(t, i-3) && digitAt(t, i-4) && digitAt(t, i-5)
}

// printed reports whether card numbers are printed in such groups.
func printed(groups []int) bool {
	switch len(groups) {
	case 1:
		return true
	case 3: // American Express, Diners Club
		return groups[0] == 4 && groups[1] == 6 && (groups[2] == 5 || groups[2] == 4)
	case 4:
		return groups[0] == 4 && groups[1] == 4 && groups[2] == 4 && groups[3] >= 1 && groups[3] <= 4
	case 5:
		return groups[0] == 4 && groups[1] == 4 && groups[2] == 4 && groups[3] == 4 && groups[4] <= 3
	}
	return false
}

// issued reports whether cards with such a prefix have such a length. Source: the
// issuers' published ranges (ISO/IEC 7812).
func issued(d []byte) bool {
	p := 0
	for _, c := range d[:4] {
		p = p*10 + int(c-'0')
	}
	n := len(d)
	switch p2 := p / 100; {
	case d[0] == '4': // Visa
		return n == 13 || n == 16 || n == 19
	case p2 >= 51 && p2 <= 55, p >= 2221 && p <= 2720: // Mastercard
		return n == 16
	case p2 == 34, p2 == 37: // American Express
		return n == 15
	case p == 6011, p >= 6440 && p <= 6599: // Discover
		return n >= 16
	case p >= 3528 && p <= 3589: // JCB
		return n >= 16
	case p >= 3000 && p <= 3059, p2 == 36, p2 == 38, p2 == 39: // Diners Club
		return n == 14 || p2 == 36 && n >= 16
	case p2 == 62: // UnionPay
		return n >= 16
	case p >= 2200 && p <= 2204: // Mir
		return n >= 16
	case p == 5018, p == 5020, p == 5038, p == 5893, p == 6304, p == 6759, p >= 6761 && p <= 6763: // Maestro
		return true
	case p >= 5060 && p <= 5079 && p != 5080: // Verve, RuPay
		return n == 16 || n == 19
	case p2 == 60: // RuPay
		return n == 16
	case p == 9792: // Troy
		return n == 16
	}
	return false
}

// luhn checks the check digit of ISO/IEC 7812-1, annex B.
func luhn(d []byte) bool {
	sum := 0
	for i := range d {
		v := int(d[len(d)-1-i] - '0')
		if i%2 == 1 {
			if v *= 2; v > 9 {
				v -= 9
			}
		}
		sum += v
	}
	return sum%10 == 0
}

// ibanLengths by country, from the registry of ISO 13616.
const ibanLengths = "AD24 AE23 AL28 AT20 AZ28 BA20 BE16 BG22 BH22 BI27 BR29 BY28 CH21 CR22 CY28 CZ24 DE22 DJ27 DK18 DO28 " +
	"EE20 EG29 ES24 FI18 FK18 FO18 FR27 GB22 GE22 GI23 GL18 GR27 GT28 HN28 HR21 HU28 IE22 IL23 IQ23 IS26 IT27 JO30 " +
	"KW30 KZ20 LB28 LC32 LI21 LT20 LU20 LV21 LY25 MC27 MD24 ME22 MK19 MN20 MR27 MT31 MU30 NI28 NL18 NO15 OM23 PK24 " +
	"PL28 PS29 PT25 QA29 RO24 RS22 RU33 SA24 SC31 SD18 SE24 SI19 SK24 SM27 SO23 ST25 SV28 TL23 TN24 TR26 UA29 VA22 " +
	"VG24 XK20 YE30"

var ibanLength = func() map[[2]byte]int {
	m := map[[2]byte]int{}
	for f := range strings.FieldsSeq(ibanLengths) {
		m[[2]byte{f[0], f[1]}] = int(f[2]-'0')*10 + int(f[3]-'0')
	}
	return m
}()

// iban returns the end of the account number whose country code is at i; 0 when there
// is none.
func iban(t string, i int) int {
	if i < 0 || !is(t[i], isAlpha) || !is(t[i+1], isAlpha) || !digitAt(t, i+3) || wordBefore(t, i) {
		return 0
	}
	lower := is(t[i], isLower)
	want := ibanLength[[2]byte{t[i] &^ 0x20, t[i+1] &^ 0x20}]
	if want == 0 {
		return 0
	}
	var v [34]byte
	n, end := 0, i
	for n < want {
		b := at(t, end)
		if !is(b, isAlnum) || lower && is(b, isUpper) {
			// One separator between groups of four.
			if n == 0 || n%4 != 0 || !is(b, isSpace) && b != '-' || !is(at(t, end-1), isAlnum) {
				return 0
			}
			end++
			continue
		}
		if is(b, isAlpha) {
			b &^= 0x20
		}
		v[n] = b
		n++
		end++
	}
	if wordAt(t, end) || end-i > n && at(t, end) == '-' && wordAt(t, end+1) || !mod97(v[:n]) {
		return 0
	}
	return end
}

// mod97 checks the check digits of ISO 7064.
func mod97(v []byte) bool {
	r := 0
	for i := range v {
		c := v[(i+4)%len(v)]
		if is(c, isDigit) {
			r = (r*10 + int(c-'0')) % 97
		} else {
			r = (r*100 + int(c-'A') + 10) % 97
		}
	}
	return r == 1
}
