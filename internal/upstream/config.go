package upstream

import (
	"bytes"
	"encoding/json"
	"errors"
	"fmt"
	"net/url"
	"os"
	"slices"
	"strings"
	"time"
	"unicode/utf8"

	"github.com/bmcis/bmcis/internal/spell"
)

// Transport is how a server is reached.
type Transport string

// The transports.
const (
	// Stdio starts the server as a child and speaks over its standard streams.
	Stdio Transport = "stdio"
	// HTTP is streamable HTTP.
	HTTP Transport = "http"
	// SSE is HTTP with server-sent events, as in the revision of 2024-11-05.
	SSE Transport = "sse"
	// auto is a url without a type: streamable HTTP, and SSE when the server refuses it.
	auto Transport = "auto"
)

// Config is what a file in the mcpServers JSON says.
type Config struct {
	// Servers in the file's order, disabled ones included.
	Servers []Server
	// Notes name what was read and not used, one line each.
	Notes []string
}

// Server is one entry of the config, variables expanded.
type Server struct {
	Name      string
	Transport Transport
	Disabled  bool

	Command string
	Args    []string
	// Env is added to the few variables that children get; see docs/upstream.md.
	Env map[string]string
	Cwd string // "" for this process's working directory

	URL     string
	Headers map[string]string

	// AllowedTools and DeniedTools hold patterns on the server's own tool names, "*"
	// for any run of characters. No AllowedTools: all. What is denied is not in the
	// catalogue.
	AllowedTools, DeniedTools []string
	// DestructiveTools marks tools as destructive whatever the server says of them.
	DestructiveTools []string

	// ConnectTimeout and CallTimeout; 0 takes the manager's.
	ConnectTimeout, CallTimeout time.Duration
	// MaxCalls at a time; 0 takes the manager's.
	MaxCalls int

	secrets []string // values that may not show in messages
}

// Load reads a config file; see [Parse].
func Load(path string) (Config, error) {
	b, err := os.ReadFile(path)
	if err != nil {
		return Config{}, fmt.Errorf("read the config of MCP servers: %w", err)
	}
	c, err := Parse(b)
	if err != nil {
		return Config{}, fmt.Errorf("%s: %w", path, err)
	}
	return c, nil
}

// Parse reads the mcpServers JSON, with ${VAR} and ${VAR:-default} taken from this
// process's environment. It reports all that is wrong, a line each. Keys that other
// clients add and that mean nothing here are named in Config.Notes; other unknown keys
// are errors, because a misspelt deniedTools must not pass.
func Parse(b []byte) (Config, error) { return parse(b, os.LookupEnv) }

// What other clients write for our keys. A rule about tools is heeded under all its
// names: to ignore one would allow what somebody has denied.
var aliases = map[string]string{
	"httpUrl": "url", "serverUrl": "url", "transport": "type", "transportType": "type",
	"includeTools": "allowedTools", "excludeTools": "deniedTools", "disabledTools": "deniedTools",
}

var serverKeys = []string{
	"type", "command", "args", "env", "cwd", "url", "headers", "disabled",
	"allowedTools", "deniedTools", "destructiveTools", "connectTimeout", "callTimeout", "maxConcurrentCalls",
}

// What other clients write and what it would mean.
var ignoredKeys = map[string]string{
	"alwaysAllow": "calls are allowed by policy", "autoApprove": "calls are allowed by policy", "trust": "calls are allowed by policy",
	"timeout": "clients disagree about its unit; use connectTimeout and callTimeout",
	"name":    "", "title": "", "description": "", "icon": "", "note": "", "notes": "", "comment": "", "version": "", "gallery": "",
	"dev": "", "watchPaths": "", "tags": "", "alwaysLoad": "", "fromGalleryId": "", "source": "", "disabledReason": "", "managed": "",
}

// Keys that change what a server is or may do, so that ignoring them would be wrong.
var refusedKeys = map[string]string{
	"envFile":          "write its variables into env, as ${VAR} where they are secret",
	"headersHelper":    "write the headers into headers, as ${VAR} where they are secret",
	"oauth":            "OAuth is not built; give a token in headers",
	"auth":             "OAuth is not built; give a token in headers",
	"authProviderType": "OAuth is not built; give a token in headers",
}

func parse(b []byte, lookup func(string) (string, bool)) (Config, error) {
	top, err := object(b)
	if err != nil {
		return Config{}, err
	}
	var c Config
	var problems []error
	var servers json.RawMessage
	for _, m := range top {
		switch {
		case m.key == "mcpServers", m.key == "servers" && !has(top, "mcpServers"):
			servers = m.value
		case spell.Nearest(m.key, []string{"mcpServers"}) != "":
			problems = append(problems, fmt.Errorf("unknown key %q; did you mean \"mcpServers\"?", m.key))
		default:
			c.Notes = append(c.Notes, fmt.Sprintf("key %q is ignored", m.key))
		}
	}
	if servers == nil && problems == nil {
		problems = append(problems, errors.New(`there is no "mcpServers" object; write {"mcpServers": {"name": {"command": "..."}}}`))
	}
	if servers != nil {
		entries, err := object(servers)
		if err != nil {
			return Config{}, fmt.Errorf("mcpServers: %w", err)
		}
		for _, e := range entries {
			s, notes, errs := parseServer(e.key, e.value, lookup)
			for _, err := range errs {
				problems = append(problems, fmt.Errorf("server %q: %w", e.key, err))
			}
			c.Servers = append(c.Servers, s)
			c.Notes = append(c.Notes, notes...)
		}
	}
	if problems != nil {
		return Config{}, errors.Join(problems...)
	}
	return c, nil
}

func parseServer(name string, raw json.RawMessage, lookup func(string) (string, bool)) (s Server, notes []string, problems []error) {
	s.Name = name
	wrong := func(format string, args ...any) { problems = append(problems, fmt.Errorf(format, args...)) }
	if !serverName.MatchString(name) || len(name) > 64 {
		wrong("a name has letters, digits, \".\", \"-\" and single \"_\", at most 64 of them, and begins with a letter or digit and does not end in \"_\"; rename it")
	}
	members, err := object(raw)
	if err != nil {
		wrong("%w", err)
		return s, notes, problems
	}

	values := map[string]json.RawMessage{}
	for _, m := range members {
		key := m.key
		if ours, ok := aliases[key]; ok {
			if values[ours] != nil || has(members, ours) {
				wrong("%q and %q say the same; keep one", ours, key)
				continue
			}
			key = ours
		}
		if slices.Contains(serverKeys, key) {
			values[key] = m.value
			continue
		}
		if remedy, ok := refusedKeys[key]; ok {
			wrong("key %q is not supported; %s", key, remedy)
			continue
		}
		why, ignored := ignoredKeys[key]
		switch {
		case ignored && why != "":
			notes = append(notes, fmt.Sprintf("server %q: key %q is ignored: %s", name, key, why))
		case ignored, strings.HasPrefix(key, "_"), strings.HasPrefix(key, "$"), strings.HasPrefix(key, "//"), strings.HasPrefix(key, "x-"):
			notes = append(notes, fmt.Sprintf("server %q: key %q is ignored", name, key))
		default:
			if near := spell.Nearest(key, append(slices.Clone(serverKeys), "httpUrl", "serverUrl", "includeTools", "excludeTools", "disabledTools")); near != "" {
				wrong("unknown key %q; did you mean %q?", key, near)
			} else {
				wrong("unknown key %q; there are %s", key, strings.Join(serverKeys, ", "))
			}
		}
	}

	read := func(key, want string, into any) {
		if v := values[key]; v != nil {
			if err := json.Unmarshal(v, into); err != nil {
				wrong("%q must be %s, not %s", key, want, clip(string(v), 60))
			}
		}
	}
	var kind string
	read("type", "a string", &kind)
	read("command", "a string", &s.Command)
	read("args", "a list of strings", &s.Args)
	read("env", "an object of strings", &s.Env)
	read("cwd", "a string", &s.Cwd)
	read("url", "a string", &s.URL)
	read("headers", "an object of strings", &s.Headers)
	read("disabled", "true or false", &s.Disabled)
	read("allowedTools", "a list of strings", &s.AllowedTools)
	read("deniedTools", "a list of strings", &s.DeniedTools)
	read("destructiveTools", "a list of strings", &s.DestructiveTools)
	s.ConnectTimeout = readDuration(values, "connectTimeout", wrong)
	s.CallTimeout = readDuration(values, "callTimeout", wrong)
	if v := values["maxConcurrentCalls"]; v != nil && (json.Unmarshal(v, &s.MaxCalls) != nil || s.MaxCalls < 1) {
		wrong("\"maxConcurrentCalls\" must be a whole number from 1 on, not %s", clip(string(v), 60))
	}

	if s.Disabled {
		// What is not used need not be complete: its variables may well be unset.
		return s, notes, problems
	}
	s.Transport = transportOf(kind, s, wrong)

	secret := func(v string) {
		// Short values would mask ordinary words.
		if len(v) >= 6 && !slices.Contains(s.secrets, v) {
			s.secrets = append(s.secrets, v)
		}
	}
	expandIn := func(where, v string) string {
		out, used, err := expand(v, lookup)
		if err != nil {
			wrong("%s: %w", where, err)
		}
		for _, u := range used {
			// Folders are written as variables too, and messages need them.
			if !strings.HasPrefix(u, "/") {
				secret(u)
			}
		}
		return out
	}
	s.Command = expandIn("command", s.Command)
	s.Cwd = expandIn("cwd", s.Cwd)
	s.URL = expandIn("url", s.URL)
	for i := range s.Args {
		s.Args[i] = expandIn("args", s.Args[i])
	}
	for _, k := range sortedKeys(s.Env) {
		s.Env[k] = expandIn("env "+k, s.Env[k])
		if secretKey(k) {
			secret(s.Env[k])
		}
		if k == "" || strings.ContainsAny(k, "=\x00") || strings.Contains(s.Env[k], "\x00") {
			wrong("env %q is no name of a variable", k)
		}
	}
	for _, k := range sortedKeys(s.Headers) {
		s.Headers[k] = expandIn("headers "+k, s.Headers[k])
		secret(s.Headers[k])
		if _, token, ok := strings.Cut(s.Headers[k], " "); ok {
			secret(token)
		}
		if !validHeader(k, s.Headers[k]) {
			wrong("header %q is not a valid HTTP header; look for spaces, line ends and letters outside ASCII", k)
		}
	}
	if s.Transport != Stdio && s.URL != "" && problems == nil {
		u, err := url.Parse(s.URL)
		switch {
		case err != nil || u.Host == "" || u.Scheme != "http" && u.Scheme != "https":
			wrong("url %q is no http or https address", clip(mask(s.URL, s.secrets), 100))
		default:
			if password, ok := u.User.Password(); ok {
				secret(password)
			}
			for _, vs := range u.Query() {
				for _, v := range vs {
					secret(v)
				}
			}
		}
	}
	return s, notes, problems
}

func transportOf(kind string, s Server, wrong func(string, ...any)) Transport {
	var t Transport
	switch strings.ToLower(kind) {
	case "stdio":
		t = Stdio
	case "http", "streamable-http", "streamablehttp", "streamable_http":
		t = HTTP
	case "sse":
		t = SSE
	case "":
		switch {
		case s.Command != "":
			t = Stdio
		case s.URL != "":
			t = auto
		}
	default:
		wrong("type %q is none of stdio, http, sse", kind)
		return ""
	}
	switch {
	case s.Command == "" && s.URL == "" && t != Stdio && t != HTTP && t != SSE:
		wrong("needs a \"command\" to start or a \"url\" to call")
	case t == Stdio && s.Command == "":
		wrong("type \"stdio\" needs a \"command\"")
	case t != Stdio && s.URL == "":
		wrong("type %q needs a \"url\"", kind)
	case s.Command != "" && s.URL != "":
		wrong("has a \"command\" and a \"url\"; keep one")
	case t == Stdio && s.Headers != nil:
		wrong("\"headers\" belong to a \"url\"; give a stdio server its secrets in \"env\"")
	case t != Stdio && (s.Args != nil || s.Env != nil || s.Cwd != ""):
		wrong("\"args\", \"env\" and \"cwd\" belong to a \"command\"")
	}
	return t
}

func readDuration(values map[string]json.RawMessage, key string, wrong func(string, ...any)) time.Duration {
	raw := values[key]
	if raw == nil {
		return 0
	}
	var text string
	if err := json.Unmarshal(raw, &text); err == nil {
		if d, err := time.ParseDuration(text); err == nil && d > 0 {
			return d
		}
	}
	wrong("%q must be a time like \"20s\" or \"2m\", not %s", key, clip(string(raw), 60))
	return 0
}

// secretKey tells names of variables whose values are secret, by custom.
func secretKey(name string) bool {
	upper := strings.ToUpper(name)
	for _, part := range []string{"TOKEN", "KEY", "SECRET", "PASS", "CREDENTIAL", "AUTH", "DSN", "DATABASE_URL", "CONNECTION", "COOKIE"} {
		if strings.Contains(upper, part) {
			return true
		}
	}
	return false
}

// mask replaces secrets in text that somebody will read.
func mask(text string, secrets []string) string {
	for _, s := range secrets {
		text = strings.ReplaceAll(text, s, "***")
		if escaped := url.QueryEscape(s); escaped != s {
			text = strings.ReplaceAll(text, escaped, "***")
		}
	}
	return text
}

func validHeader(name, value string) bool {
	if name == "" {
		return false
	}
	for i := range len(name) {
		c := name[i]
		if c <= ' ' || c >= 0x7F || strings.IndexByte(`"(),/:;<=>?@[\]{}`, c) >= 0 {
			return false
		}
	}
	for i := range len(value) {
		if c := value[i]; c < ' ' && c != '\t' || c == 0x7F {
			return false
		}
	}
	return true
}

type member struct {
	key   string
	value json.RawMessage
}

func has(members []member, key string) bool {
	return slices.ContainsFunc(members, func(m member) bool { return m.key == key })
}

// object reads a JSON object in the order of its text and refuses a key that comes
// twice: encoding/json would keep the last, and which server is meant must be clear.
func object(b []byte) ([]member, error) {
	b = bytes.TrimPrefix(b, []byte("\xEF\xBB\xBF"))
	var check json.RawMessage
	if err := json.Unmarshal(b, &check); err != nil {
		return nil, jsonError(b, err)
	}
	d := json.NewDecoder(bytes.NewReader(b))
	if t, err := d.Token(); err != nil || t != json.Delim('{') {
		return nil, fmt.Errorf("must be a JSON object, not %s", clip(string(b), 60))
	}
	var out []member
	for d.More() {
		t, err := d.Token()
		if err != nil {
			return nil, err
		}
		m := member{key: t.(string)}
		if err := d.Decode(&m.value); err != nil {
			return nil, err
		}
		if has(out, m.key) {
			return nil, fmt.Errorf("key %q comes twice", m.key)
		}
		out = append(out, m)
	}
	return out, nil
}

// jsonError says where JSON breaks off, and the usual reason where it can be told.
func jsonError(b []byte, err error) error {
	var syntax *json.SyntaxError
	if !errors.As(err, &syntax) {
		return fmt.Errorf("is not JSON: %w", err)
	}
	at := max(0, min(int(syntax.Offset)-1, len(b)))
	before := b[:at]
	line := bytes.Count(before, []byte("\n")) + 1
	column := utf8.RuneCount(before[bytes.LastIndexByte(before, '\n')+1:]) + 1
	hint := ""
	if at < len(b) {
		switch {
		case b[at] == '/':
			hint = "; JSON has no comments"
		case (b[at] == '}' || b[at] == ']') && bytes.HasSuffix(bytes.TrimSpace(before), []byte(",")):
			hint = "; JSON allows no comma after the last item"
		}
	}
	return fmt.Errorf("is not JSON at line %d, column %d: %w%s", line, column, err, hint)
}

func sortedKeys[V any](m map[string]V) []string {
	keys := make([]string, 0, len(m))
	for k := range m {
		keys = append(keys, k)
	}
	slices.Sort(keys)
	return keys
}
