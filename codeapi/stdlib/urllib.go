package stdlib

import (
	"strings"
	"unicode/utf8"

	"go.starlark.net/starlark"

	"github.com/bmcis/bmcis/codeapi/internal/guest"
	"github.com/bmcis/bmcis/internal/pylang"
)

const urllibText = `
"""Texts of URLs; nothing is fetched."""

def quote(string, safe="/", encoding=None, errors=None): """Replaces special characters by %XX."""
def quote_plus(string, safe="", encoding=None, errors=None): """quote with + for spaces."""
def unquote(string, encoding="utf-8", errors="replace"): """Replaces %XX by the characters."""
def unquote_plus(string, encoding="utf-8", errors="replace"): """unquote with + for spaces."""
def urlencode(query, doseq=False, safe="", encoding=None, errors=None, quote_via=None): """A query of a dict or of pairs."""
def parse_qs(qs, keep_blank_values=False): """A dict of lists of a query."""
def parse_qsl(qs, keep_blank_values=False): """A list of pairs of a query."""
def urlsplit(url, scheme="", allow_fragments=True): """(scheme, netloc, path, query, fragment)"""
def urlparse(url, scheme="", allow_fragments=True): """(scheme, netloc, path, params, query, fragment)"""
def urlunsplit(components): ...
def urlunparse(components): ...
def urljoin(base, url, allow_fragments=True): """url as seen from base."""
`

var urllibDoc = guest.Lazy(urllibText)

func makeURLlib(_ *Env, c *guest.Contract) starlark.StringDict {
	return c.Bind("urllib.parse", map[string]guest.Impl{
		"quote":      func(t *starlark.Thread, a *guest.Args) (starlark.Value, error) { return quoteArgs(a, "/", false) },
		"quote_plus": func(t *starlark.Thread, a *guest.Args) (starlark.Value, error) { return quoteArgs(a, "", true) },
		"unquote": func(_ *starlark.Thread, a *guest.Args) (starlark.Value, error) {
			s, err := str(a, 0)
			return text(unquote(s)), err
		},
		"unquote_plus": func(_ *starlark.Thread, a *guest.Args) (starlark.Value, error) {
			s, err := str(a, 0)
			return text(unquote(strings.ReplaceAll(s, "+", " "))), err
		},
		"urlencode": urlencode, "parse_qs": parseQS, "parse_qsl": parseQSL,
		"urlsplit": urlsplitFunc, "urlparse": urlparseFunc, "urlunsplit": urlunsplit, "urlunparse": urlunparse,
		"urljoin": urljoin,
	})
}

func always(c byte) bool {
	return c >= 'a' && c <= 'z' || c >= 'A' && c <= 'Z' || c >= '0' && c <= '9' || c == '_' || c == '.' || c == '-' || c == '~'
}

func quote(s, safe string, plus bool) string {
	var b strings.Builder
	for i := 0; i < len(s); i++ {
		switch c := s[i]; {
		case always(c) || c < utf8.RuneSelf && strings.IndexByte(safe, c) >= 0:
			b.WriteByte(c)
		case plus && c == ' ':
			b.WriteByte('+')
		default:
			b.WriteString("%" + strings.ToUpper(string([]byte{"0123456789abcdef"[c>>4], "0123456789abcdef"[c&15]})))
		}
	}
	return b.String()
}

func quoteArgs(a *guest.Args, def string, plus bool) (starlark.Value, error) {
	var s string
	switch v := a.V[0].(type) {
	case starlark.String:
		s = string(v)
	case starlark.Bytes:
		s = string(v)
	default:
		return nil, raise("TypeError", "quote_from_bytes() expected bytes")
	}
	safe, err := safeArg(a, 1, def)
	return text(quote(s, safe, plus)), err
}

func safeArg(a *guest.Args, i int, def string) (string, error) {
	switch v := a.V[i].(type) {
	case nil:
		return def, nil
	case starlark.Bytes:
		return string(v), nil
	}
	return str(a, i)
}

// unquote decodes runs of %XX as UTF-8; what is none becomes U+FFFD.
func unquote(s string) string {
	if !strings.Contains(s, "%") {
		return s
	}
	var b strings.Builder
	for i := 0; i < len(s); {
		var raw []byte
		for i+2 < len(s) && s[i] == '%' {
			hi, lo := hexDigit(s[i+1]), hexDigit(s[i+2])
			if hi < 0 || lo < 0 {
				break
			}
			raw = append(raw, byte(hi<<4|lo))
			i += 3
		}
		if raw != nil {
			b.WriteString(replaceInvalid(raw))
			continue
		}
		b.WriteByte(s[i])
		i++
	}
	return b.String()
}

func hexDigit(c byte) int { return strings.IndexByte("0123456789abcdef", lowerHex(c)) }

// replaceInvalid decodes UTF-8 with one U+FFFD for each maximal part of a broken
// sequence, as Unicode recommends and CPython does.
func replaceInvalid(raw []byte) string {
	var b strings.Builder
	for len(raw) > 0 {
		r, n := utf8.DecodeRune(raw)
		if r != utf8.RuneError || n > 1 {
			b.WriteRune(r)
			raw = raw[n:]
			continue
		}
		b.WriteRune(utf8.RuneError)
		raw = raw[brokenPart(raw):]
	}
	return b.String()
}

// brokenPart is the length of the longest start of a valid sequence, at least 1.
func brokenPart(raw []byte) int {
	for n := min(3, len(raw)); n > 1; n-- {
		if !utf8.FullRune(raw[:n]) {
			return n
		}
	}
	return 1
}

func urlencode(t *starlark.Thread, a *guest.Args) (starlark.Value, error) {
	safe, err := safeArg(a, 2, "")
	if err != nil {
		return nil, err
	}
	enc := func(s string) (string, error) {
		if !a.Given(5) {
			return quote(s, safe, true), nil
		}
		v, err := pylang.Call(t, a.V[5], starlark.Tuple{text(s), text(safe)}, nil)
		if err != nil {
			return "", err
		}
		out, _ := starlark.AsString(v)
		return out, nil
	}
	one := func(v starlark.Value) (string, error) {
		if b, ok := v.(starlark.Bytes); ok {
			return enc(string(b))
		}
		s, err := pylang.Str(t, v)
		if err != nil {
			return "", err
		}
		return enc(s)
	}
	var parts []string
	add := func(k, v starlark.Value) error {
		key, err := one(k)
		if err != nil {
			return err
		}
		_, isText := v.(starlark.String)
		_, isBytes := v.(starlark.Bytes)
		if a.Bool(1, false) && !isText && !isBytes {
			if vs, err := elements(t, v); err == nil {
				for _, x := range vs {
					s, err := one(x)
					if err != nil {
						return err
					}
					parts = append(parts, key+"="+s)
				}
				return nil
			}
		}
		s, err := one(v)
		parts = append(parts, key+"="+s)
		return err
	}
	if m, ok := a.V[0].(starlark.IterableMapping); ok {
		for _, kv := range m.Items() {
			if err := add(kv[0], kv[1]); err != nil {
				return nil, err
			}
		}
		return text(strings.Join(parts, "&")), nil
	}
	err = guest.Each(t, a.V[0], func(v starlark.Value) error {
		kv, err := elements(t, v)
		if err != nil || len(kv) != 2 {
			return raise("TypeError", "not a valid non-string sequence or mapping object")
		}
		return add(kv[0], kv[1])
	})
	return text(strings.Join(parts, "&")), err
}

func queryPairs(a *guest.Args) ([][2]string, error) {
	s, err := str(a, 0)
	if err != nil {
		return nil, err
	}
	var out [][2]string
	if s == "" {
		return nil, nil
	}
	for _, p := range strings.Split(s, "&") {
		if p == "" {
			continue
		}
		k, v, has := strings.Cut(p, "=")
		if v == "" && !a.Bool(1, false) || !has && !a.Bool(1, false) {
			continue
		}
		out = append(out, [2]string{unquote(strings.ReplaceAll(k, "+", " ")), unquote(strings.ReplaceAll(v, "+", " "))})
	}
	return out, nil
}

func parseQSL(_ *starlark.Thread, a *guest.Args) (starlark.Value, error) {
	pairs, err := queryPairs(a)
	out := make([]starlark.Value, len(pairs))
	for i, p := range pairs {
		out[i] = starlark.Tuple{text(p[0]), text(p[1])}
	}
	return list(out), err
}

func parseQS(_ *starlark.Thread, a *guest.Args) (starlark.Value, error) {
	pairs, err := queryPairs(a)
	if err != nil {
		return nil, err
	}
	d := new(starlark.Dict)
	for _, p := range pairs {
		v, ok, _ := d.Get(starlark.String(p[0]))
		if !ok {
			v = new(starlark.List)
			if err := d.SetKey(starlark.String(p[0]), v); err != nil {
				return nil, err
			}
		}
		if err := v.(*starlark.List).Append(starlark.String(p[1])); err != nil {
			return nil, err
		}
	}
	return d, nil
}

// urlParts are scheme, netloc, path, query and fragment.
type urlParts struct{ scheme, netloc, path, query, fragment string }

// splitURL is urlsplit.
func splitURL(url, scheme string, fragments bool) (urlParts, error) {
	url = strings.TrimLeft(url, "\x00\x01\x02\x03\x04\x05\x06\x07\x08\t\n\x0b\x0c\r\x0e\x0f\x10\x11\x12\x13\x14\x15\x16\x17\x18\x19\x1a\x1b\x1c\x1d\x1e\x1f ")
	url = strings.NewReplacer("\t", "", "\n", "", "\r", "").Replace(url)
	scheme = strings.NewReplacer("\t", "", "\n", "", "\r", "").Replace(strings.Trim(scheme, " \t\r\n\x00"))
	u := urlParts{scheme: scheme}
	if i := strings.IndexByte(url, ':'); i > 0 && url[0] < utf8.RuneSelf && (url[0]|0x20 >= 'a' && url[0]|0x20 <= 'z') {
		valid := true
		for j := 0; j < i; j++ {
			c := url[j]
			valid = valid && (c|0x20 >= 'a' && c|0x20 <= 'z' || c >= '0' && c <= '9' || c == '+' || c == '-' || c == '.')
		}
		if valid {
			u.scheme, url = strings.ToLower(url[:i]), url[i+1:]
		}
	}
	if strings.HasPrefix(url, "//") {
		url = url[2:]
		end := strings.IndexAny(url, "/?#")
		if end < 0 {
			end = len(url)
		}
		u.netloc, url = url[:end], url[end:]
		if strings.Contains(u.netloc, "[") != strings.Contains(u.netloc, "]") {
			return u, raise("ValueError", "Invalid IPv6 URL")
		}
		if open, shut := strings.IndexByte(u.netloc, '['), strings.IndexByte(u.netloc, ']'); open >= 0 && shut > open {
			if address := u.netloc[open+1 : shut]; strings.Trim(address, "0123456789abcdefABCDEF:.") != "" && address[0] != 'v' {
				return u, raise("ValueError", "'%s' does not appear to be an IPv4 or IPv6 address", u.netloc[open+1:shut])
			}
		}
	}
	if fragments {
		url, u.fragment, _ = strings.Cut(url, "#")
	}
	u.path, u.query, _ = strings.Cut(url, "?")
	return u, nil
}

func joinURL(u urlParts) string {
	url := u.path
	if u.netloc != "" || u.scheme != "" && usesNetloc[u.scheme] && !strings.HasPrefix(url, "//") {
		if url != "" && !strings.HasPrefix(url, "/") {
			url = "/" + url
		}
		url = "//" + u.netloc + url
	}
	if u.scheme != "" {
		url = u.scheme + ":" + url
	}
	if u.query != "" {
		url += "?" + u.query
	}
	if u.fragment != "" {
		url += "#" + u.fragment
	}
	return url
}

var usesNetloc = wordSet("ftp http gopher nntp telnet imap wais file mms https shttp snews prospero rtsp rtspu rsync svn svn+ssh sftp nfs git git+ssh ws wss")
var usesRelative = wordSet("ftp http gopher nntp imap wais file https shttp mms prospero rtsp rtspu sftp svn svn+ssh ws wss")
var usesParams = wordSet("ftp hdl prospero http imap https shttp rtsp rtspu sip sips mms sftp tel")

func wordSet(s string) map[string]bool {
	m := map[string]bool{"": true}
	for _, w := range strings.Fields(s) {
		m[w] = true
	}
	return m
}

var (
	splitType = &tupleType{name: "SplitResult", fields: []string{"scheme", "netloc", "path", "query", "fragment"}}
	parseType = &tupleType{name: "ParseResult", fields: []string{"scheme", "netloc", "path", "params", "query", "fragment"}}
)

func urlArgs(a *guest.Args) (urlParts, error) {
	s, err := str(a, 0)
	if err != nil {
		return urlParts{}, err
	}
	scheme := ""
	if a.V[1] != nil {
		if scheme, err = str(a, 1); err != nil {
			return urlParts{}, err
		}
	}
	return splitURL(s, scheme, a.Bool(2, true))
}

func urlsplitFunc(_ *starlark.Thread, a *guest.Args) (starlark.Value, error) {
	u, err := urlArgs(a)
	if err != nil {
		return nil, err
	}
	return &urlResult{splitType.make(starlark.Tuple{text(u.scheme), text(u.netloc), text(u.path), text(u.query), text(u.fragment)}), u}, nil
}

func urlparseFunc(_ *starlark.Thread, a *guest.Args) (starlark.Value, error) {
	u, err := urlArgs(a)
	if err != nil {
		return nil, err
	}
	path, params := splitParams(u)
	return &urlResult{parseType.make(starlark.Tuple{text(u.scheme), text(u.netloc), text(path), text(params), text(u.query), text(u.fragment)}), u}, nil
}

func splitParams(u urlParts) (path, params string) {
	if !usesParams[u.scheme] || !strings.Contains(u.path, ";") {
		return u.path, ""
	}
	from := strings.LastIndexByte(u.path, '/')
	i := strings.IndexByte(u.path[from+1:], ';')
	if i < 0 {
		return u.path, ""
	}
	return u.path[:from+1+i], u.path[from+2+i:]
}

// urlResult adds hostname, port and the rest to the parts.
type urlResult struct {
	*tuple
	u urlParts
}

func (r *urlResult) AttrNames() []string {
	return append(r.tuple.AttrNames(), "geturl", "hostname", "password", "port", "username")
}

func (r *urlResult) Attr(name string) (starlark.Value, error) {
	user, host, hasUser := "", r.u.netloc, false
	if i := strings.LastIndexByte(host, '@'); i >= 0 {
		user, host, hasUser = host[:i], host[i+1:], true
	}
	name0, pass, hasPass := strings.Cut(user, ":")
	port := ""
	if i := strings.IndexByte(host, ']'); i >= 0 {
		host, port = strings.TrimPrefix(host[:i], "["), strings.TrimPrefix(host[i+1:], ":")
	} else if h, p, ok := strings.Cut(host, ":"); ok {
		host, port = h, p
	}
	switch name {
	case "username":
		if hasUser {
			return text(name0), nil
		}
		return starlark.None, nil
	case "password":
		if hasPass {
			return text(pass), nil
		}
		return starlark.None, nil
	case "hostname":
		if host == "" {
			return starlark.None, nil
		}
		return text(strings.ToLower(host)), nil
	case "port":
		if port == "" {
			return starlark.None, nil
		}
		n := 0
		for _, c := range port {
			if c < '0' || c > '9' {
				return nil, raise("ValueError", "Port could not be cast to integer value as %s", reprText(port))
			}
			n = min(n*10+int(c-'0'), 1<<20)
		}
		if n > 65535 {
			return nil, raise("ValueError", "Port out of range 0-65535")
		}
		return starlark.MakeInt(n), nil
	case "geturl":
		return nullary(name, func() starlark.Value { return text(joinURL(r.u)) }), nil
	case "_replace":
		return method(name, func(t *starlark.Thread, args starlark.Tuple, kwargs []starlark.Tuple) (starlark.Value, error) {
			v, err := r.tuple.replace(t, args, kwargs)
			if err != nil {
				return nil, err
			}
			n := v.(*tuple)
			u, err := partsOf(n.Tuple)
			return &urlResult{n, u}, err
		}), nil
	}
	return r.tuple.Attr(name)
}

// partsOf reads five or six components.
func partsOf(vs []starlark.Value) (urlParts, error) {
	if len(vs) != 5 && len(vs) != 6 {
		return urlParts{}, raise("ValueError", "a URL has 5 or 6 components, got %d", len(vs))
	}
	s := make([]string, len(vs))
	for i, v := range vs {
		str, ok := starlark.AsString(v)
		if !ok && v != starlark.None {
			return urlParts{}, raise("TypeError", "components of a URL must be strings")
		}
		s[i] = str
	}
	if len(s) == 5 {
		return urlParts{s[0], s[1], s[2], s[3], s[4]}, nil
	}
	path := s[2]
	if s[3] != "" {
		path += ";" + s[3]
	}
	return urlParts{s[0], s[1], path, s[4], s[5]}, nil
}

func urlunsplit(t *starlark.Thread, a *guest.Args) (starlark.Value, error) {
	vs, err := elements(t, a.V[0])
	if err != nil {
		return nil, err
	}
	u, err := partsOf(vs)
	return text(joinURL(u)), err
}

func urlunparse(t *starlark.Thread, a *guest.Args) (starlark.Value, error) { return urlunsplit(t, a) }

func urljoin(_ *starlark.Thread, a *guest.Args) (starlark.Value, error) {
	base, err := str(a, 0)
	if err != nil {
		return nil, err
	}
	url, err := str(a, 1)
	if err != nil {
		return nil, err
	}
	if base == "" {
		return text(url), nil
	}
	if url == "" {
		return text(base), nil
	}
	fragments := a.Bool(2, true)
	b, err := splitURL(base, "", fragments)
	if err != nil {
		return nil, err
	}
	u, err := splitURL(url, b.scheme, fragments)
	if err != nil {
		return nil, err
	}
	if u.scheme != b.scheme || !usesRelative[u.scheme] {
		return text(url), nil
	}
	if usesNetloc[u.scheme] {
		if u.netloc != "" {
			return text(joinURL(u)), nil
		}
		u.netloc = b.netloc
	}
	if u.path == "" {
		u.path = b.path
		if u.query == "" {
			u.query = b.query
		}
		return text(joinURL(u)), nil
	}
	u.path = resolvePath(b.path, u.path)
	return text(joinURL(u)), nil
}

// resolvePath is RFC 3986, section 5.2.4, with CPython's treatment of excess dots.
func resolvePath(base, path string) string {
	bparts := strings.Split(base, "/")
	if bparts[len(bparts)-1] != "" {
		bparts = bparts[:len(bparts)-1]
	}
	var segments []string
	if strings.HasPrefix(path, "/") {
		segments = strings.Split(path, "/")
	} else {
		segments = append(append([]string(nil), bparts...), strings.Split(path, "/")...)
		for i := 1; i < len(segments)-1; {
			if segments[i] == "" {
				segments = append(segments[:i], segments[i+1:]...)
			} else {
				i++
			}
		}
	}
	var out []string
	for _, s := range segments {
		switch s {
		case "..":
			if len(out) > 0 {
				out = out[:len(out)-1]
			}
		case ".":
		default:
			out = append(out, s)
		}
	}
	if last := segments[len(segments)-1]; last == "." || last == ".." {
		out = append(out, "")
	}
	if p := strings.Join(out, "/"); p != "" {
		return p
	}
	return "/"
}

func lowerHex(c byte) byte {
	if c >= 'A' && c <= 'F' {
		return c + 'a' - 'A'
	}
	return c
}
