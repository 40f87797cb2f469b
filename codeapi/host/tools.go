package host

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"maps"
	"slices"
	"strings"
	"sync"

	"github.com/bmcis/bmcis/codeapi"
	"github.com/bmcis/bmcis/internal/identity"
	"github.com/bmcis/bmcis/internal/render"
	"github.com/bmcis/bmcis/internal/skills"
	"github.com/bmcis/bmcis/internal/spell"
	"github.com/bmcis/bmcis/internal/upstream"
	"github.com/bmcis/bmcis/search"
)

// Ranker orders texts that are in no collection; a *search.Texts is one. Its methods are
// called concurrently.
type Ranker interface {
	Rank(ctx context.Context, query string, texts []string, limit int) ([]search.TextScore, []search.Degradation, error)
}

// card is a tool as the search for tools sees it.
type card struct {
	codeapi.Tool
	text    string // what is ranked
	summary string // the description at the level with_description
	module  string // of from servers.MODULE import FUNCTION
	fn      string
}

// ownCards are the functions of the code API.
var ownCards = sync.OnceValue(func() []card {
	var out []card
	for _, t := range codeapi.Functions() {
		c := card{Tool: t, summary: firstSentence(t.Description)}
		c.text = cardText(t.Name, "", t.Description, t.Parameters)
		out = append(out, c)
	}
	return out
})

// cardText is what a tool is found by: its name, in words too, what it says of itself, and
// the names of its arguments.
func cardText(name, title, description string, arguments []string) string {
	words := strings.Join(strings.FieldsFunc(strings.TrimPrefix(name, "mcp__"), func(r rune) bool {
		return r == '_' || r == '.' || r == '-' || r == '/'
	}), " ")
	var b strings.Builder
	for _, s := range []string{words, title, firstOf(description, 600), strings.Join(arguments, ", ")} {
		if s = strings.TrimSpace(s); s != "" {
			b.WriteString(s)
			b.WriteByte('\n')
		}
	}
	b.WriteString(name)
	return b.String()
}

func firstOf(s string, n int) string {
	if len(s) > n {
		s = strings.ToValidUTF8(s[:n], "")
	}
	return s
}

// firstSentence is the beginning of a description up to the end of a sentence, at most 160
// characters.
func firstSentence(s string) string {
	s = strings.Join(strings.Fields(s), " ")
	for i := 0; i+1 < len(s); i++ {
		if (s[i] == '.' || s[i] == '!' || s[i] == '?') && s[i+1] == ' ' && i > 8 && !strings.HasSuffix(s[:i+1], "e.g.") && !strings.HasSuffix(s[:i+1], "i.e.") {
			s = s[:i+1]
			break
		}
	}
	if r := []rune(s); len(r) > 160 {
		s = strings.TrimSpace(string(r[:159])) + "…"
	}
	return s
}

func upstreamCard(t upstream.Tool) card {
	c := card{module: t.Module, fn: t.Function, Tool: codeapi.Tool{
		Name: t.QualifiedName, Server: t.Server, Category: t.Server, Description: t.Description, Import: t.Import(),
		Signature: upstream.Signature(t), InputSchema: t.InputSchema, OutputSchema: t.OutputSchema,
		Destructive: t.Destructive(), Parameters: upstream.Parameters(t)}}
	if c.Description == "" {
		c.Description = t.Title
	}
	c.summary = firstSentence(c.Description)
	c.text = cardText(t.QualifiedName, t.Title, t.Description, c.Parameters)
	return c
}

func skillCard(k skills.Skill) card {
	c := card{Tool: codeapi.Tool{Name: "skills." + k.Name, Server: "skills", Category: "skills", Description: k.Description,
		Import: "from skills import " + k.Name}}
	if !k.Own {
		c.Name = "skills." + k.Qualified()
	}
	schema := map[string]any{}
	var required, parts []string
	for _, in := range k.Inputs {
		property := map[string]any{}
		part := in.Name
		if in.Type != "" {
			property["description"] = in.Type
			part += ": " + in.Type
		}
		schema[in.Name] = property
		c.Parameters = append(c.Parameters, in.Name)
		if in.Required {
			required = append(required, in.Name)
		} else {
			part += " = …"
		}
		parts = append(parts, part)
	}
	c.Signature = k.Name + "(" + strings.Join(parts, ", ") + ")"
	input := map[string]any{"type": "object", "properties": schema}
	if required != nil {
		input["required"] = required
	}
	c.InputSchema, _ = json.Marshal(input)
	c.summary = firstSentence(c.Description)
	c.text = cardText(c.Name, "", k.Description, c.Parameters)
	return c
}

// cardCache keeps the cards of tools of other servers, which cost reading their schemas.
type cardCache struct {
	mu    sync.Mutex
	cards map[string]cachedCard
}

type cachedCard struct {
	of   upstream.Tool
	card card
}

// get is upstreamCard, once for each tool as its server describes it.
func (c *cardCache) get(t upstream.Tool) card {
	c.mu.Lock()
	defer c.mu.Unlock()
	same := func(x, y json.RawMessage) bool { return len(x) == len(y) && (len(x) == 0 || &x[0] == &y[0]) }
	if k, ok := c.cards[t.QualifiedName]; ok && same(k.of.InputSchema, t.InputSchema) && same(k.of.OutputSchema, t.OutputSchema) &&
		k.of.Description == t.Description && k.of.Title == t.Title && k.of.Destructive() == t.Destructive() {
		return k.card
	}
	if c.cards == nil || len(c.cards) > 50_000 {
		c.cards = map[string]cachedCard{}
	}
	k := cachedCard{t, upstreamCard(t)}
	c.cards[t.QualifiedName] = k
	return k.card
}

// cards are all tools that the identity may call, and what is degraded.
func (s *session) cards(ctx context.Context) (list []card, degraded []string, err error) {
	list = slices.Clone(ownCards())
	if m := s.host.cfg.Upstream; m != nil && s.who.known {
		tools, problems := m.Tools(ctx)
		for _, t := range tools {
			if s.policy().Check(t) == nil {
				list = append(list, s.host.cards.get(t))
			}
		}
		for _, p := range problems {
			if p.Unusable {
				degraded = append(degraded, "tools: server "+p.Server+": "+p.Message)
			}
		}
	}
	if store := s.host.cfg.Skills; store != nil && s.who.known {
		after := ""
		for {
			saved, more, err := store.List(ctx, s.who.ID, skills.Query{Limit: 1000, After: after})
			if err != nil {
				return nil, nil, err
			}
			for _, k := range saved {
				list = append(list, skillCard(k))
			}
			if !more {
				break
			}
			after = saved[len(saved)-1].Qualified()
		}
	}
	return list, degraded, nil
}

// policy is what the identity may call of other servers.
func (s *session) policy() upstream.Policy {
	if !s.who.known {
		return upstream.Policy{}
	}
	return policyOf(s.who.Identity)
}

func policyOf(id identity.Identity) upstream.Policy {
	allow, deny := id.ToolRules()
	return upstream.Policy{Identity: id.Name, Allow: allow, Deny: deny}
}

func (s *session) searchTools(ctx context.Context, raw json.RawMessage) (any, error) {
	var a codeapi.SearchToolsArgs
	if err := decode(raw, &a); err != nil {
		return nil, err
	}
	switch a.Detail {
	case "", "summary":
		a.Detail = codeapi.DetailDescription
	case codeapi.DetailName, codeapi.DetailDescription, codeapi.DetailFull:
	default:
		return nil, invalid("", "detail_level %.40q is none of name_only, with_description, full", a.Detail)
	}
	if a.Limit == 0 {
		a.Limit = codeapi.DefaultTools
	}
	if a.Limit < 1 || a.Limit > codeapi.MaxToolHits {
		return nil, invalid("", "limit must be 1..%d, got %d", codeapi.MaxToolHits, a.Limit)
	}
	if err := checkText("query", a.Query, codeapi.MaxQueryBytes); err != nil {
		return nil, err
	}
	all, degraded, err := s.cards(ctx)
	if err != nil {
		return nil, err
	}
	list := all
	if a.Category != "" {
		list = slices.DeleteFunc(slices.Clone(all), func(c card) bool { return !c.in(a.Category) })
		if len(list) == 0 {
			return nil, noCategory(all, a.Category)
		}
	}
	out := codeapi.ToolList{Tools: []codeapi.Tool{}, Total: len(list), Degraded: degraded}
	if strings.TrimSpace(a.Query) == "" {
		slices.SortStableFunc(list, func(x, y card) int { return strings.Compare(x.Name, y.Name) })
		for _, c := range list[:min(a.Limit, len(list))] {
			out.Tools = append(out.Tools, c.at(a.Detail))
		}
		return out, nil
	}
	if s.host.ranker == nil {
		return nil, unavailable("search for tools is", "search_tools() without a query lists them")
	}
	texts := make([]string, len(list))
	for i, c := range list {
		texts[i] = c.text
	}
	ranked, parts, err := s.host.ranker.Rank(ctx, a.Query, texts, a.Limit)
	if err != nil {
		return nil, err
	}
	for _, d := range parts {
		out.Degraded = append(out.Degraded, "tools: "+d.Stage+": "+d.Reason)
	}
	s.degrade(out.Degraded)
	for _, r := range ranked {
		out.Tools = append(out.Tools, list[r.Index].at(a.Detail))
	}
	return out, nil
}

func (c card) in(category string) bool {
	return strings.EqualFold(c.Category, category) || strings.EqualFold(c.Server, category) || c.module != "" && c.module == category
}

func noCategory(all []card, category string) error {
	names := map[string]bool{}
	for _, c := range all {
		names[c.Category] = true
	}
	known := slices.Sorted(maps.Keys(names))
	f := &codeapi.Failure{Class: "LookupError", Message: fmt.Sprintf("there is no category %.60q of tools", category), Hint: "there are " + strings.Join(known, ", ")}
	if near := spell.Nearest(category, known); near != "" {
		f.Hint = "did you mean " + near + "?"
	}
	return f
}

// at is the tool at a level of detail.
func (c card) at(level string) codeapi.Tool {
	switch level {
	case codeapi.DetailName:
		return codeapi.Tool{Name: c.Name}
	case codeapi.DetailDescription:
		return codeapi.Tool{Name: c.Name, Server: c.Server, Category: c.Category, Description: c.summary}
	}
	t := c.Tool
	t.OutputSchema, t.Parameters = nil, nil
	return t
}

func (s *session) definition(ctx context.Context, raw json.RawMessage) (any, error) {
	var a codeapi.DefinitionArgs
	if err := decode(raw, &a); err != nil {
		return nil, err
	}
	all, degraded, err := s.cards(ctx)
	if err != nil {
		return nil, err
	}
	s.degrade(degraded)
	if a.Module != "" {
		return s.imported(ctx, all, degraded, a)
	}
	var names []string
	var found []card
	for _, c := range all {
		if a.Category != "" && !c.in(a.Category) {
			continue
		}
		_, last, _ := cutLast(c.Name)
		switch {
		case c.Name == a.Name:
			return c.Tool, nil
		case last == a.Name || c.fn != "" && c.fn == a.Name:
			found = append(found, c)
		}
		names = append(names, c.Name)
	}
	switch len(found) {
	case 1:
		return found[0].Tool, nil
	case 0:
		if a.Category != "" && len(names) == 0 {
			return nil, noCategory(all, a.Category)
		}
		f := &codeapi.Failure{Class: "LookupError", Message: fmt.Sprintf("there is no tool %.100q", a.Name), Hint: "search_tools(query) finds tools by what they do"}
		if near := spell.Nearest(a.Name, names); near != "" {
			f.Hint = "did you mean " + near + "?"
		}
		return nil, f
	}
	var both []string
	for _, c := range found {
		both = append(both, c.Name)
	}
	return nil, &codeapi.Failure{Class: "LookupError", Message: fmt.Sprintf("tool %.100q is ambiguous", a.Name), Hint: "name one of " + strings.Join(both[:min(8, len(both))], ", ")}
}

// cutLast splits a name before its last part: search.hybrid_search, mcp__github__search.
func cutLast(name string) (before, last string, ok bool) {
	if rest, isTool := strings.CutPrefix(name, "mcp__"); isTool {
		if server, tool, ok := strings.Cut(rest, "__"); ok {
			return server, tool, true
		}
	}
	i := strings.LastIndexAny(name, "./")
	if i < 0 {
		return "", name, false
	}
	return name[:i], name[i+1:], true
}

// imported is the tool of from servers.MODULE import FUNCTION.
func (s *session) imported(ctx context.Context, all []card, degraded []string, a codeapi.DefinitionArgs) (any, error) {
	if s.host.cfg.Upstream == nil || !s.who.known {
		return nil, unavailable("tools of other MCP servers are", "none is configured: bmcis serve --config FILE")
	}
	var functions, modules []string
	for _, c := range all {
		if c.module == "" {
			continue
		}
		if !slices.Contains(modules, c.module) {
			modules = append(modules, c.module)
		}
		if c.module != a.Module {
			continue
		}
		if c.fn == a.Function {
			return c.Tool, nil
		}
		functions = append(functions, c.fn)
	}
	if functions == nil {
		f := &codeapi.Failure{Class: "LookupError", Message: fmt.Sprintf("there is no server %.60q", a.Module), Hint: "there are " + strings.Join(modules, ", ")}
		if modules == nil {
			f.Hint = "no server has a tool for you"
		}
		if near := spell.Nearest(a.Module, modules); near != "" {
			f.Hint = "did you mean servers." + near + "?"
		}
		if i := slices.IndexFunc(degraded, func(d string) bool { return strings.HasPrefix(d, "tools: server "+a.Module+":") }); i >= 0 {
			f.Message = degraded[i]
		}
		return nil, f
	}
	// A tool that is there and denied says so, as a call of it would.
	tools, _ := s.host.cfg.Upstream.Tools(ctx)
	for _, t := range tools {
		if t.Module == a.Module && t.Function == a.Function {
			if err := s.policy().Check(t); err != nil {
				return nil, s.refusal(t.QualifiedName, toolFailure(err))
			}
		}
	}
	f := &codeapi.Failure{Class: "LookupError", Message: fmt.Sprintf("server %s has no tool %.60q", a.Module, a.Function), Hint: "it has " + strings.Join(functions[:min(20, len(functions))], ", ")}
	if near := spell.Nearest(a.Function, functions); near != "" {
		f.Hint = "did you mean " + near + "?"
	}
	return nil, f
}

func (s *session) callTool(ctx context.Context, raw json.RawMessage) (any, error) {
	var a codeapi.CallToolArgs
	if err := decode(raw, &a); err != nil {
		return nil, err
	}
	if s.host.cfg.Upstream == nil || !s.who.known {
		return nil, unavailable("tools of other MCP servers are", "none is configured: bmcis serve --config FILE")
	}
	if !strings.HasPrefix(a.Name, "mcp__") {
		return nil, &codeapi.Failure{Class: "LookupError", Message: fmt.Sprintf("%.100q is no tool of another server", a.Name),
			Hint: "name it mcp__SERVER__TOOL; functions such as search.hybrid_search are called as they are"}
	}
	s.repeat(a.Name, a.Input)
	input, err := s.forSink(ctx, a.Name, a.Input)
	if err != nil {
		return nil, fmt.Errorf("hide personal data in the arguments of %s: %w", a.Name, err)
	}
	r, err := s.host.cfg.Upstream.Call(s.reporting(ctx, a.Name), a.Name, input, s.policy())
	if err != nil {
		return nil, s.refusal(a.Name, toolFailure(err))
	}
	answer := codeapi.ToolAnswer{Value: r.Value, Note: r.Note}
	if r.Value == nil {
		answer.Value = json.RawMessage("null")
	}
	if len(r.Contents) > 0 {
		if answer.Contents, err = render.JSON(r.Contents); err != nil {
			return nil, err
		}
	}
	if r.Note != "" {
		s.degrade([]string{"tools: " + a.Name + ": " + r.Note})
	}
	return answer, nil
}

// refusal says of a call that a policy forbids who may allow it, and how.
func (s *session) refusal(tool string, err error) error {
	var f *codeapi.Failure
	if !errors.As(err, &f) || f.Class != "PermissionError" {
		return err
	}
	why := s.who.MayCall(tool, false)
	if why == nil { // then it is that the tool is destructive
		why = s.who.MayCall(tool, true)
	}
	var denied *identity.Denied
	if errors.As(why, &denied) {
		f.Hint = denied.Remedy
	}
	return f
}

// toolFailure gives a failed call the class that programs catch.
func toolFailure(err error) error {
	var e *upstream.Error
	if !errors.As(err, &e) {
		return err
	}
	if e.Kind == upstream.KindCancelled {
		return context.Canceled
	}
	f := &codeapi.Failure{Class: "RuntimeError", Message: e.Message, Hint: e.Hint}
	switch e.Kind {
	case upstream.KindPolicy:
		f.Class = "PermissionError"
	case upstream.KindUnknownServer, upstream.KindUnknownTool:
		f.Class = "LookupError"
	case upstream.KindArguments:
		f.Class = "ValueError"
	case upstream.KindConnect:
		f.Class = "ConnectionError"
	case upstream.KindTimeout:
		f.Class = "TimeoutError"
	}
	if e.MayHaveActed && f.Hint == "" {
		f.Hint = "the tool may have done its work all the same: look before calling it again"
	}
	return f
}

// Warm makes the vectors of the functions of the code API and of the tools of other
// servers, so that the first search for tools does not pay for them. It connects to
// servers whose tools are not known yet.
func (h *Host) Warm(ctx context.Context) error {
	prepare, ok := h.ranker.(interface {
		Prepare(ctx context.Context, texts []string) error
	})
	if !ok {
		return nil
	}
	var texts []string
	for _, c := range ownCards() {
		texts = append(texts, c.text)
	}
	if h.cfg.Upstream != nil {
		tools, _ := h.cfg.Upstream.Tools(ctx)
		for _, t := range tools {
			texts = append(texts, h.cards.get(t).text)
		}
	}
	return prepare.Prepare(ctx, texts)
}
