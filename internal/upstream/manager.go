package upstream

import (
	"cmp"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"log/slog"
	"slices"
	"sync"
	"time"

	"github.com/mark3labs/mcp-go/client/transport"
	"github.com/mark3labs/mcp-go/mcp"

	"github.com/bmcis/bmcis/internal/spell"
	"github.com/bmcis/bmcis/internal/telemetry"
)

// Options of a [Manager]. The zero value is ready to use.
type Options struct {
	// ConnectTimeout bounds the start of a server with its handshake. Defaults to 15 s.
	ConnectTimeout time.Duration
	// CallTimeout bounds one call, with the connection when there is none yet; it must
	// be longer than ConnectTimeout. Defaults to 25 s, which is less than the 30 s of
	// a program's run: so a program learns which call hung before it is ended. A call
	// whose context ends earlier ends a little before that.
	CallTimeout time.Duration
	// MaxAnswerBytes bounds one message of a server. Defaults to 4 MiB.
	MaxAnswerBytes int
	// MaxTools of one server. Defaults to 5,000.
	MaxTools int
	// MaxCalls is how many calls one server gets at a time, unless its entry says
	// otherwise; more wait, within their own time. Defaults to 16.
	MaxCalls int
	// CacheDir keeps each server's list of tools for a week, so that [Manager.Tools]
	// starts no server that it has seen before. "" keeps nothing on disk. Calls always
	// go by the list of the running server.
	CacheDir string
	// Version of this program, told to servers. Defaults to "dev".
	Version string
	// Logger gets what is wrong and no caller is told. Defaults to slog.Default().
	Logger *slog.Logger
}

const (
	maxListBytes = 32 << 20
	// listAge is how long a list of tools is believed without a word from the server:
	// not all of them tell when it changes.
	listAge = 10 * time.Minute
	// listPause is how often a server that keeps saying "changed" is asked again.
	listPause = time.Second
	// A server that leaves this many calls in a row unanswered is started anew.
	maxTimeouts = 3
	// longWait is how long a call waits for the next attempt to connect; when it is
	// further away the call fails at once.
	longWait = 2 * time.Second
)

// Manager holds the connections to all servers of a config. Nothing is started before
// it is needed. Its methods may be called concurrently.
type Manager struct {
	opts    Options
	servers []*server // in the config's order
	byName  map[string]*server
	life    context.Context
	end     context.CancelFunc
	running sync.WaitGroup // attempts and connections

	closing sync.Mutex // guards closed, so that nothing starts behind Close's back
	closed  bool

	// backoff is the wait after n failures in a row. Tests shorten it.
	backoff func(n int) time.Duration
	pause   time.Duration
}

// server is one upstream server: its connection, if any, and what is known of it.
type server struct {
	cfg       Server
	module    string // its name in programs
	connector connector

	mu       sync.Mutex
	conn     *conn    // nil when there is none
	attempt  *attempt // nil when none is being made
	failures int      // in a row
	next     time.Time
	last     *Error // of the last attempt or the last connection's end

	slots   chan struct{} // holds what calls are under way
	listing chan struct{} // holds one token: who has it lists the tools
	listed  catalogue     // guarded by mu
}

// attempt is one try to connect, shared by all who wait for it.
type attempt struct {
	done chan struct{}
	conn *conn
	err  *Error
}

// catalogue is a server's list of tools at one time.
type catalogue struct {
	on       *conn // nil: from disk
	at       time.Time
	tools    []Tool
	byName   map[string]int // qualified name to index
	problems []string
	hidden   []string // qualified names that the config keeps back
}

// New returns a manager of the config's servers that are not disabled. It fails when
// time-outs are not in order.
func New(cfg Config, opts Options) (*Manager, error) {
	opts.ConnectTimeout = cmp.Or(opts.ConnectTimeout, 15*time.Second)
	opts.CallTimeout = cmp.Or(opts.CallTimeout, 25*time.Second)
	opts.MaxAnswerBytes = cmp.Or(opts.MaxAnswerBytes, 4<<20)
	opts.MaxTools = cmp.Or(opts.MaxTools, 5000)
	opts.MaxCalls = cmp.Or(opts.MaxCalls, 16)
	opts.Version = cmp.Or(opts.Version, "dev")
	if opts.Logger == nil {
		opts.Logger = slog.Default()
	}
	m := &Manager{opts: opts, byName: map[string]*server{}, backoff: backoff, pause: listPause}
	m.life, m.end = context.WithCancel(context.Background())
	var names []string
	for _, s := range cfg.Servers {
		if !s.Disabled {
			names = append(names, s.Name)
		}
	}
	modules := uniqueNames(names, pythonName, func(n, mapped string) bool { return n == mapped })
	for _, s := range cfg.Servers {
		if s.Disabled {
			continue
		}
		k := connector{
			server: s, max: opts.MaxAnswerBytes, clientVersion: opts.Version, running: &m.running,
			connect: cmp.Or(s.ConnectTimeout, opts.ConnectTimeout), call: cmp.Or(s.CallTimeout, opts.CallTimeout),
		}
		if k.connect >= k.call {
			return nil, fmt.Errorf("server %q: a call (%v) must be given more time than connecting (%v); raise callTimeout or lower connectTimeout",
				s.Name, k.call, k.connect)
		}
		u := &server{cfg: s, module: modules[s.Name], connector: k, listing: make(chan struct{}, 1),
			slots: make(chan struct{}, cmp.Or(s.MaxCalls, opts.MaxCalls))}
		u.listing <- struct{}{}
		m.servers = append(m.servers, u)
		m.byName[s.Name] = u
	}
	return m, nil
}

// backoff grows from a quarter of a second to half a minute.
func backoff(n int) time.Duration {
	return min(30*time.Second, 250*time.Millisecond<<min(n-1, 10))
}

// Close ends all connections and the servers that were started, with all that those
// started in their process groups, and returns when they are gone: within about four
// seconds. It may be called more than once.
func (m *Manager) Close() error {
	m.closing.Lock()
	m.closed = true
	m.closing.Unlock()
	m.end()
	m.running.Wait()
	return nil
}

// ServerStatus is what is known of one server without asking it.
type ServerStatus struct {
	Name      string    `json:"name"`
	Module    string    `json:"module"` // its name in programs
	Transport Transport `json:"transport"`
	Connected bool      `json:"connected"`
	// Calls itself, and the protocol's revision; "" when not connected.
	ServerName string `json:"server_name,omitempty"`
	Protocol   string `json:"protocol,omitempty"`
	Tools      int    `json:"tools"` // of the last list
	// Failures in a row, and the last error.
	Failures  int    `json:"failures"`
	LastError string `json:"last_error,omitempty"`
}

// Status tells of each server that is not disabled, in the config's order. It starts
// nothing.
func (m *Manager) Status() []ServerStatus {
	out := make([]ServerStatus, len(m.servers))
	for i, u := range m.servers {
		u.mu.Lock()
		s := ServerStatus{Name: u.cfg.Name, Module: u.module, Transport: u.cfg.Transport, Tools: len(u.listed.tools), Failures: u.failures}
		if u.conn != nil && u.conn.life.Err() == nil {
			s.Connected, s.ServerName, s.Protocol = true, clip(u.conn.name, 100), u.conn.version
		}
		if u.last != nil && u.failures > 0 {
			s.LastError = u.last.Error()
		}
		if s.Transport == auto {
			s.Transport = HTTP
		}
		u.mu.Unlock()
		out[i] = s
	}
	return out
}

// Tools returns the tools of all servers that are not disabled, in the order of their
// qualified names, and what is wrong with some. It connects to those servers whose
// tools are not known, all at once; one that fails costs its own tools only. The
// caller must not change what is returned.
func (m *Manager) Tools(ctx context.Context) ([]Tool, []Problem) {
	type part struct {
		c   catalogue
		err *Error
	}
	parts := make([]part, len(m.servers))
	var wg sync.WaitGroup
	for i, u := range m.servers {
		wg.Go(func() {
			ctx, cancel := callContext(ctx, u.connector.call)
			defer cancel()
			parts[i].c, parts[i].err = m.catalogueOf(ctx, u)
		})
	}
	wg.Wait()
	var tools []Tool
	var problems []Problem
	for i, u := range m.servers {
		for _, text := range parts[i].c.problems {
			problems = append(problems, Problem{Server: u.cfg.Name, Message: mask(text, u.cfg.secrets)})
		}
		if parts[i].err != nil {
			problems = append(problems, Problem{Server: u.cfg.Name, Message: parts[i].err.Error(), Unusable: true})
		}
		if plain := pythonName(u.cfg.Name); plain != u.module {
			problems = append(problems, Problem{Server: u.cfg.Name, Message: fmt.Sprintf("server %q is servers.%s in programs: another one is servers.%s", u.cfg.Name, u.module, plain)})
		}
		tools = append(tools, parts[i].c.tools...)
	}
	slices.SortFunc(tools, func(a, b Tool) int { return cmp.Compare(a.QualifiedName, b.QualifiedName) })
	return tools, problems
}

// catalogueOf returns a server's tools: from memory, from disk, or by asking it.
func (m *Manager) catalogueOf(ctx context.Context, u *server) (catalogue, *Error) {
	u.mu.Lock()
	if u.listed.at.IsZero() && m.opts.CacheDir != "" {
		if raw := readCache(cachePath(m.opts.CacheDir, u.cfg), 2*maxListBytes); raw != nil {
			u.listed = newCatalogue(u, raw, "")
		}
	}
	c, live := u.listed, u.conn != nil && u.conn.life.Err() == nil
	u.mu.Unlock()
	if !live && !c.at.IsZero() {
		return c, nil // starting a server only to hear the same is not worth it
	}
	on, err := m.connect(ctx, u)
	if err != nil {
		return c, err
	}
	return m.list(ctx, u, on)
}

func newCatalogue(u *server, raw []json.RawMessage, note string) catalogue {
	c := catalogue{at: time.Now(), byName: map[string]int{}}
	c.tools, c.problems = parseTools(u.cfg, u.module, raw)
	if note != "" {
		c.problems = append(c.problems, note)
	}
	for i, t := range c.tools {
		c.byName[t.QualifiedName] = i
	}
	for _, r := range raw {
		var t struct{ Name string }
		if json.Unmarshal(r, &t) == nil && !u.cfg.shows(t.Name) {
			c.hidden = append(c.hidden, qualifiedName(u.cfg.Name, t.Name))
		}
	}
	return c
}

// list returns the tools as the connection's server has them now: the last list while
// that holds, else a new one. Only one caller asks at a time.
func (m *Manager) list(ctx context.Context, u *server, on *conn) (catalogue, *Error) {
	select {
	case <-u.listing:
		defer func() { u.listing <- struct{}{} }()
	case <-ctx.Done():
		return catalogue{}, ended(ctx, u.cfg.Name, "listing its tools")
	}
	u.mu.Lock()
	c := u.listed
	u.mu.Unlock()
	age := time.Since(c.at)
	if c.on == on && age < listAge && (!on.changed.Load() || age < m.pause) {
		return c, nil
	}
	on.changed.Store(false) // before asking: a change meanwhile counts again
	raw, note, err := on.listTools(ctx, m.opts.MaxTools, maxListBytes)
	if err != nil {
		on.changed.Store(true)
		var f listFailure
		if !errors.As(err, &f) {
			f.err = err
		}
		e := u.callFailure(ctx, on, f.err, f.x, Tool{}, "list its tools")
		e.MayHaveActed = false
		return catalogue{}, e
	}
	raw = on.withResources(raw)
	c = newCatalogue(u, raw, note)
	c.on = on
	u.mu.Lock()
	u.listed = c
	u.mu.Unlock()
	if m.opts.CacheDir != "" {
		if err := writeCache(cachePath(m.opts.CacheDir, u.cfg), raw); err != nil {
			m.opts.Logger.Warn("the tools of an MCP server were not kept on disk", "server", u.cfg.Name, "err", err)
		}
	}
	return c, nil
}

// connect returns the server's connection, and makes one if there is none. All who
// come meanwhile wait for the same attempt, which outlasts them if need be.
func (m *Manager) connect(ctx context.Context, u *server) (*conn, *Error) {
	for {
		u.mu.Lock()
		if u.conn != nil {
			if u.conn.life.Err() == nil {
				c := u.conn
				u.mu.Unlock()
				return c, nil
			}
			m.buried(u)
		}
		a := u.attempt
		if a == nil {
			if wait := time.Until(u.next); wait > 0 {
				last := u.last
				u.mu.Unlock()
				if deadline, ok := ctx.Deadline(); wait > longWait || ok && time.Until(deadline) < wait {
					e := *last
					e.MayHaveActed = false
					e.Hint = fmt.Sprintf("the next attempt is in %v", wait.Round(100*time.Millisecond))
					return nil, &e
				}
				select {
				case <-time.After(wait):
				case <-ctx.Done():
				case <-m.life.Done():
				}
				if ctx.Err() != nil {
					return nil, ended(ctx, u.cfg.Name, "connecting")
				}
				continue
			}
			a = &attempt{done: make(chan struct{})}
			if !m.start(func() { m.try(u, a) }) {
				u.mu.Unlock()
				return nil, &Error{Kind: KindConnect, Server: u.cfg.Name, Message: fmt.Sprintf("server %q: this program is shutting down", u.cfg.Name)}
			}
			u.attempt = a
		}
		u.mu.Unlock()
		select {
		case <-a.done:
			if a.err != nil {
				e := *a.err
				return nil, &e
			}
			return a.conn, nil
		case <-ctx.Done():
			return nil, ended(ctx, u.cfg.Name, "connecting")
		}
	}
}

// start runs f in a goroutine that Close waits for, unless Close has been called.
func (m *Manager) start(f func()) bool {
	m.closing.Lock()
	defer m.closing.Unlock()
	if m.closed {
		return false
	}
	m.running.Go(f)
	return true
}

// buried takes note of a connection's end. The caller holds u.mu.
func (m *Manager) buried(u *server) {
	c := u.conn
	u.conn = nil
	var cause *Error
	if !errors.As(context.Cause(c.life), &cause) {
		cause = &Error{Kind: KindConnect, Message: "the connection ended"}
	}
	e := *cause
	e.Server, e.Message = u.cfg.Name, fmt.Sprintf("server %q: %s", u.cfg.Name, e.Message)
	u.last = &e
	if c.served.Load() {
		u.failures = 0 // it was of use: try again at once
		return
	}
	u.failures++
	u.next = time.Now().Add(m.backoff(u.failures))
}

// try makes the attempt. Its caller holds u.mu until u.attempt is set.
func (m *Manager) try(u *server, a *attempt) {
	c, err := u.connector.open(m.life)
	u.mu.Lock()
	defer u.mu.Unlock()
	u.attempt = nil
	if err != nil {
		if !errors.As(err, &a.err) {
			a.err = &Error{Kind: KindConnect, Server: u.cfg.Name, Message: fmt.Sprintf("server %q cannot be used: %v", u.cfg.Name, err), cause: err}
		}
		u.last = a.err
		u.failures++
		u.next = time.Now().Add(m.backoff(u.failures))
	} else {
		a.conn, u.conn = c, c
	}
	close(a.done)
}

// callContext bounds a call by its own time and by the caller's, a little less than
// that: the caller gets to say what hung.
func callContext(ctx context.Context, d time.Duration) (context.Context, context.CancelFunc) {
	if deadline, ok := ctx.Deadline(); ok {
		left := time.Until(deadline)
		d = min(d, left-min(left/10, 250*time.Millisecond))
	}
	return context.WithTimeout(ctx, d)
}

// Call calls a tool by its qualified name for whom the policy speaks. The arguments
// are a JSON object; nil is an empty one. They are sent as they are, every digit of
// them. Policy and arguments are checked against the tools that the server has at this
// moment, before anything is sent. The error, if any, is an [*Error]; a tool that
// fails is one of [KindUpstream] with the tool's words. A call is sent once and never
// repeated, except when a server has refused it because it forgot the session.
func (m *Manager) Call(ctx context.Context, qualifiedName string, args json.RawMessage, policy Policy) (Result, error) {
	r, err := m.call(ctx, qualifiedName, args, policy)
	if err != nil {
		return r, err
	}
	return r, nil
}

func (m *Manager) call(ctx context.Context, name string, args json.RawMessage, policy Policy) (Result, *Error) {
	u, err := m.find(name)
	if err != nil {
		return Result{}, err
	}
	// What no tool of this name would be allowed is not worth a connection.
	if err := policy.Check(Tool{Server: u.cfg.Name, QualifiedName: name}); err != nil {
		return Result{}, asError(err)
	}
	ctx, cancel := callContext(ctx, u.connector.call)
	defer cancel()
	for again := false; ; again = true {
		on, err := m.connect(ctx, u)
		if err != nil {
			return Result{}, err
		}
		c, err := m.list(ctx, u, on)
		if err != nil {
			return Result{}, err
		}
		t, err := c.find(u, name)
		if err != nil {
			return Result{}, err
		}
		if err := policy.Check(t); err != nil {
			return Result{}, asError(err)
		}
		checked, err := checkArguments(t, args)
		if err != nil {
			return Result{}, err
		}
		select {
		case u.slots <- struct{}{}:
		case <-ctx.Done():
			e := ended(ctx, u.cfg.Name, fmt.Sprintf("waiting behind the %d calls that it gets at a time", cap(u.slots)))
			if e.Kind == KindTimeout {
				e.Hint = "make fewer calls at once, or set a larger maxConcurrentCalls"
			}
			return Result{}, e
		}
		r, err := u.callOn(ctx, on, t, checked)
		<-u.slots
		if err != nil && !again && errors.Is(err, transport.ErrSessionTerminated) {
			on.die(&Error{Kind: KindConnect, Message: "the server forgot the session"})
			continue
		}
		return r, err
	}
}

func asError(err error) *Error {
	var e *Error
	if errors.As(err, &e) {
		return e
	}
	return &Error{Kind: KindPolicy, Message: err.Error(), cause: err}
}

// find returns the server that a qualified name belongs to.
func (m *Manager) find(name string) (*server, *Error) {
	var known []string
	for _, u := range m.servers {
		known = append(known, u.cfg.Name)
	}
	there := "there are no servers in the config"
	if len(known) > 0 {
		there = "there are " + list(known)
	}
	server, _, ok := splitQualified(name)
	if !ok {
		return nil, &Error{Kind: KindUnknownTool, Message: fmt.Sprintf("%q is no tool's name", clip(name, 100)), Hint: "write mcp__server__tool; " + there}
	}
	if u, ok := m.byName[server]; ok {
		return u, nil
	}
	e := &Error{Kind: KindUnknownServer, Server: server, Message: fmt.Sprintf("there is no server %q", clip(server, 60)), Hint: there}
	if near := spell.Nearest(server, known); near != "" {
		e.Hint = fmt.Sprintf("did you mean %q?", near)
	}
	return nil, e
}

func (c catalogue) find(u *server, name string) (Tool, *Error) {
	if i, ok := c.byName[name]; ok {
		return c.tools[i], nil
	}
	if slices.Contains(c.hidden, name) {
		return Tool{}, &Error{Kind: KindPolicy, Server: u.cfg.Name, Message: fmt.Sprintf("%s is kept back by the config of server %q", name, u.cfg.Name),
			Hint: "change its allowedTools or deniedTools"}
	}
	e := &Error{Kind: KindUnknownTool, Server: u.cfg.Name, Message: fmt.Sprintf("server %q has no tool %q", u.cfg.Name, clip(name, 150))}
	var known, short []string
	_, tool, _ := splitQualified(name)
	for _, t := range c.tools {
		if t.Function == tool || t.Name == tool {
			e.Hint = fmt.Sprintf("its name is %q", t.QualifiedName)
			return Tool{}, e
		}
		_, s, _ := splitQualified(t.QualifiedName)
		known, short = append(known, t.QualifiedName), append(short, s)
	}
	switch near := spell.Nearest(tool, short); {
	case near != "":
		e.Hint = fmt.Sprintf("did you mean %q?", known[slices.Index(short, near)])
	case len(known) == 0:
		e.Hint = "it has none that can be used"
	default:
		e.Hint = "it has " + list(known)
	}
	return Tool{}, e
}

// callOn sends the call and makes sense of what comes back.
func (u *server) callOn(ctx context.Context, on *conn, t Tool, args json.RawMessage) (Result, *Error) {
	ctx, x := withExchange(ctx)
	var err error
	if t.resources != "" {
		err = on.onResources(ctx, t.resources, args)
	} else {
		request := mcp.CallToolRequest{}
		request.Params.Name = t.Name
		request.Params.Arguments = args
		done := on.askProgress(ctx, &request.Params.Meta)
		if fields := telemetry.Meta(ctx); fields != nil { // the call goes on in its caller's trace
			if request.Params.Meta == nil {
				request.Params.Meta = &mcp.Meta{}
			}
			request.Params.Meta.AdditionalFields = fields
		}
		_, err = on.client.CallTool(ctx, request)
		done()
	}
	shot := x.snapshot()
	if shot.result == nil || shot.fault != nil || needsInput(shot.result) {
		if err == nil {
			err = errors.New("it asks for input that only a person can give")
		}
		return Result{}, u.callFailure(ctx, on, err, shot, t, "answer")
	}
	// What the client's types could not hold is no matter as long as ours can.
	var r Result
	var failed bool
	if t.resources != "" {
		r, err = resourcesResult(t.resources, shot.result)
	} else {
		r, failed, err = parseResult(t, shot.result)
	}
	if err != nil {
		return Result{}, u.callFailure(ctx, on, &Error{Kind: KindGarbage, Message: err.Error(), cause: err}, shot, t, "answer")
	}
	on.served.Store(true)
	on.timeouts.Store(0)
	u.mu.Lock()
	u.failures = 0
	u.mu.Unlock()
	if failed {
		text := r.Text
		if text == "" && r.Source == FromStructured {
			text = string(r.Value)
		}
		if text == "" {
			text = "the tool failed and says nothing more"
		}
		return r, &Error{Kind: KindUpstream, Server: t.Server, Tool: t.Name, Message: t.QualifiedName + ": " + mask(clip(text, 4<<10), u.cfg.secrets), MayHaveActed: true}
	}
	r.Note = mask(r.Note, u.cfg.secrets)
	return r, nil
}

func needsInput(result json.RawMessage) bool {
	var m struct {
		ResultType string `json:"resultType"`
	}
	return json.Unmarshal(result, &m) == nil && m.ResultType == string(mcp.ResultTypeInputRequired)
}

// callFailure words what went wrong on a connection that stood.
func (u *server) callFailure(ctx context.Context, on *conn, err error, x trace, t Tool, what string) *Error {
	e := &Error{Server: u.cfg.Name, Tool: t.Name, MayHaveActed: x.sent, cause: err}
	who := fmt.Sprintf("server %q", u.cfg.Name)
	if t.Name != "" {
		who = t.QualifiedName
	}
	diagnosis := ""
	if on.stdio != nil {
		diagnosis = on.stdio.diagnosis()
	}
	var ours *Error
	switch {
	case x.fault != nil:
		e.Kind, e.Message, e.Hint = x.fault.Kind, x.fault.Message, x.fault.Hint
	case x.rpcError != nil && x.result == nil:
		e.Kind = KindUpstream
		e.Message = fmt.Sprintf("the server refused the request: %s (%d)", clip(x.rpcError.Message, 4<<10), x.rpcError.Code)
		// The codes that JSON-RPC has for requests that were not run.
		if c := x.rpcError.Code; c == mcp.INVALID_PARAMS || c == mcp.METHOD_NOT_FOUND || c == mcp.INVALID_REQUEST || c == mcp.PARSE_ERROR {
			e.MayHaveActed = false
		}
		on.timeouts.Store(0)
	case errors.As(err, &ours):
		e.Kind, e.Message, e.Hint = ours.Kind, ours.Message+diagnosis, ours.Hint
	case ctx.Err() != nil && errors.Is(ctx.Err(), context.Canceled):
		e.Kind, e.Message = KindCancelled, "the call was cancelled"
	case ctx.Err() != nil:
		e.Kind, e.Message = KindTimeout, fmt.Sprintf("it did not %s in time", what)
		e.Hint = "ask for less, or set a longer callTimeout"
		if on.stdio != nil && on.stdio.garbage.Load()+on.stdio.strays.Load() > 0 && !on.served.Load() {
			e.Kind = KindGarbage
		}
		e.Message += diagnosis
		if n := on.timeouts.Add(1); n >= maxTimeouts {
			on.die(&Error{Kind: KindTimeout, Message: fmt.Sprintf("it left %d calls in a row unanswered and was ended", n)})
		}
	case x.status >= 400:
		e.Kind = KindUpstream
		e.Message, e.Hint = httpFailure(&x)
		if x.status < 500 {
			e.MayHaveActed = false
		}
	case errors.Is(err, transport.ErrSessionTerminated):
		e.Kind, e.Message, e.MayHaveActed = KindConnect, "the server forgot the session", false
	case x.status != 0 && x.status < 300:
		e.Kind, e.Message = KindGarbage, "its answer cannot be read: "+u.connector.reason(err)
	case needsInput(x.result):
		e.Kind, e.Message = KindUpstream, "it asks for input that only a person can give"
	default:
		e.Kind, e.Message = KindConnect, u.connector.reason(err)
		if !x.sent {
			on.die(e)
		}
	}
	e.Message = mask(who+": "+e.Message, u.cfg.secrets)
	return e
}
