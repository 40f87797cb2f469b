package pii

import (
	"net/netip"
	"strings"
)

// ip6s finds IPv6 addresses around every colon.
func (s *scanner) ip6s() {
	t := s.s
	sorted := s.found
	for i := 0; ; {
		j := strings.IndexByte(t[i:], ':')
		if j < 0 {
			return
		}
		i += j
		start := i
		for start > 0 && i-start <= 4 && is(t[start-1], isHex) {
			start--
		}
		end, colons := i, 0
		for end < len(t) && end-start < 64 && (is(t[end], isHex) || t[end] == ':' || t[end] == '.') {
			if t[end] == ':' {
				colons++
			}
			end++
		}
		next := end
		if colons >= 2 && i-start <= 4 {
			if start == i && at(t, i+1) != ':' { // "client:2001:db8::1"
				i++
				continue
			}
			for end > start && (t[end-1] == '.' || t[end-1] == ':' && t[end-2] != ':') {
				end--
			}
			if stop := ip6(t, start, end); stop > 0 && s.free(sorted, start, stop) {
				s.found = append(s.found, Match{IP, start, stop})
				next = stop
			}
		}
		i = max(next, i+1)
	}
}

// ip6 returns the end of the address t[start:end], zone included; 0 when that is none
// or one that no single machine has.
func ip6(t string, start, end int) int {
	if wordBefore(t, start) || wordAt(t, end) || at(t, end) == '_' || digitAt(t, start-2) && at(t, start-1) == '.' ||
		at(t, start-1) == ':' && is(at(t, start-2), isHex|isDigit) {
		return 0
	}
	a, err := netip.ParseAddr(t[start:end])
	if err != nil || !unicast6(a) {
		return 0
	}
	if wholeNetwork(t, end, a) {
		return 0
	}
	if at(t, end) == '%' && is(at(t, end+1), isAlnum) {
		z := end + 1
		for z < len(t) && z-end <= 15 && (is(t[z], isAlnum) || t[z] == '_' || t[z] == '-' || t[z] == '.' && wordAt(t, z+1)) {
			z++
		}
		return z
	}
	return end
}

var ranges6 = []netip.Prefix{
	netip.MustParsePrefix("2000::/3"),     // global
	netip.MustParsePrefix("fc00::/7"),     // local, RFC 4193
	netip.MustParsePrefix("fe80::/10"),    // of a link
	netip.MustParsePrefix("64:ff9b::/96"), // IPv4 through NAT64
}

// unicast6 reports whether a machine can have the address. Everything else that parses
// as one, a::b or 1::2, is code.
func unicast6(a netip.Addr) bool {
	if a.Is4In6() {
		return unicast4(a.Unmap())
	}
	for _, r := range ranges6 {
		if r.Contains(a) {
			return true
		}
	}
	return false
}

// unicast4 reports whether a machine can have the address: not 0.0.0.0/8, loopback,
// multicast, or what is reserved above it, netmasks and broadcast with it.
func unicast4(a netip.Addr) bool {
	b := a.As4()
	return b[0] != 0 && b[0] != 127 && b[0] < 224
}

// wholeNetwork reports whether the address that ends at i is that of a network:
// 10.0.0.0/8.
func wholeNetwork(t string, i int, a netip.Addr) bool {
	if at(t, i) != '/' {
		return false
	}
	end := digitsFrom(t, i+1)
	if end == i+1 || end > i+4 {
		return false
	}
	bits := 0
	for _, c := range []byte(t[i+1 : end]) {
		bits = bits*10 + int(c-'0')
	}
	p, err := a.Prefix(bits)
	return err == nil && bits < a.BitLen() && p.Addr() == a
}

// ip4 returns the end of the IPv4 address at i, where digits begin; 0 when there is
// none, or one that no single machine has, or when it looks like a version.
func ip4(t string, i int) int {
	if wordBefore(t, i) || at(t, i-1) == '.' && (digitAt(t, i-2) || wordBefore(t, i-1)) {
		return 0
	}
	end := i
	for part := range 4 {
		if part > 0 {
			if at(t, end) != '.' {
				return 0
			}
			end++
		}
		n := end
		end = digitsFrom(t, end)
		if n = end - n; n == 0 || n > 3 || n > 1 && t[end-n] == '0' {
			return 0
		}
	}
	switch {
	case wordAt(t, end) || at(t, end) == '_':
		return 0
	case at(t, end) == '.' && (digitAt(t, end+1) || archive(t[end+1:])):
		return 0
	case at(t, end) == '-' && digitAt(t, end+1) && at(t, digitsFrom(t, end+1)) != '.':
		return 0 // 1.2.3.4-1
	}
	a, err := netip.ParseAddr(t[i:end])
	if err != nil || !unicast4(a) || wholeNetwork(t, end, a) || versioned(t, i) {
		return 0
	}
	return end
}

// archive reports whether a file name ends in the suffix of a package.
func archive(s string) bool {
	n := 0
	for n < len(s) && is(s[n], isAlnum) {
		n++
	}
	switch s[:n] {
	case "tar", "tgz", "gz", "zip", "whl", "jar", "deb", "rpm", "exe", "dll", "so", "msi", "dmg", "apk", "nupkg", "gem", "src", "orig", "x", "dev", "rc", "el7", "el8", "el9":
		return true
	}
	return false
}

// versioned reports whether the number at i is introduced as a version or a section.
func versioned(t string, i int) bool {
	switch at(t, i-1) {
	case '^', '~':
		return true
	case '/':
		// Chrome/1.2.3.4, but not https://1.2.3.4 and /hosts/1.2.3.4
		j := i - 1
		for j > 0 && i-j < 32 && is(t[j-1], isAlpha) {
			j--
		}
		if b := at(t, j-1); j < i-1 && b != '/' && b != '.' && (is(t[j], isUpper) || b == 0 || is(b, isSpace)) {
			return true
		}
	}
	j := i
	for j > 0 && i-j < 5 && strings.IndexByte(" \t=<>~!\"'(:", t[j-1]) >= 0 {
		j--
	}
	if n := i - j; n > 0 {
		op := t[j:i]
		if strings.Contains(op, "==") || strings.Contains(op, ">=") || strings.Contains(op, "<=") || strings.Contains(op, "~=") || strings.Contains(op, "~>") {
			return true
		}
	}
	if strings.HasSuffix(t[:j], "§") {
		return true
	}
	if w := lastWord(t[:j]); w != "" {
		return versionWords[w] || strings.HasSuffix(w, "version")
	}
	// RFC 5280, 4.2.1.13
	for j > 0 && i-j < 4 && strings.IndexByte(", ", t[j-1]) >= 0 {
		j--
	}
	for j > 0 && i-j < 12 && (is(t[j-1], isDigit) || t[j-1] == '-' || t[j-1] == ' ') {
		j--
	}
	return standardWords[lastWord(t[:j])]
}

var (
	versionWords = set(`version versions ver release releases build firmware section sections sec clause chapter paragraph
		appendix annex table figure oid sdk driver rule subsection article tag
		chrome chromium firefox safari edge opera nginx openssl kernel`)
	standardWords = set(`rfc iso iec ecma ieee din dwarf spec itu`)
)

// lastWord returns the ASCII word at the end of t, at most 24 letters of it, in lower
// case.
func lastWord(t string) string {
	i := len(t)
	for i > 0 && len(t)-i < 24 && is(t[i-1], isAlpha) {
		i--
	}
	return strings.ToLower(t[i:])
}
