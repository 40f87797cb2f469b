package host

import (
	"cmp"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"time"

	"github.com/bmcis/bmcis/codeapi"
	"github.com/bmcis/bmcis/internal/audit"
	"github.com/bmcis/bmcis/internal/render"
	"github.com/bmcis/bmcis/internal/skills"
	"github.com/bmcis/bmcis/internal/upstream"
	"github.com/bmcis/bmcis/internal/workspace"
	"github.com/bmcis/bmcis/sandbox"
)

// Services are what identities have besides searching. A nil one is not available, and
// its functions say so. The host closes none of them.
type Services struct {
	Workspace *workspace.Store
	Skills    *skills.Store
	// Upstream are the tools of other MCP servers.
	Upstream *upstream.Manager
	// Audit gets a record of each program. When it does not take one, the program's
	// answer is withheld: what cannot be recorded is not done.
	Audit *audit.Writer
}

// service is one function of a service. Its error is a *codeapi.Failure where the program
// is to see an exception of a class of its own.
type service struct {
	run func(*session, context.Context, json.RawMessage) (any, error)
	// touches says that the answer is text a direct tool would have printed.
	touches bool
}

var services = map[string]service{
	codeapi.MethodWriteFile:  {(*session).writeFile, false},
	codeapi.MethodReadFile:   {(*session).readFile, true},
	codeapi.MethodListFiles:  {(*session).listFiles, true},
	codeapi.MethodDeleteFile: {(*session).deleteFile, false},
	codeapi.MethodSession:    {(*session).newSession, false},
	codeapi.MethodSessions:   {(*session).listSessions, true},
	codeapi.MethodGrant:      {(*session).grant, false},
	codeapi.MethodSaveSkill:  {(*session).saveSkill, false},
	codeapi.MethodLoadSkill:  {(*session).loadSkill, true},
	codeapi.MethodListSkills: {(*session).listSkills, true},
	codeapi.MethodShareSkill: {(*session).shareSkill, false},
	codeapi.MethodRevoke:     {(*session).revokeSkill, false},
	codeapi.MethodTools:      {(*session).searchTools, true},
	codeapi.MethodDefinition: {(*session).definition, true},
	codeapi.MethodCallTool:   {(*session).callTool, true},
	codeapi.MethodSanitize:   {(*session).sanitizePII, false},
	codeapi.MethodRestore:    {(*session).restorePII, false},
}

// answer calls a service and wraps what comes back.
func (s *session) answer(ctx context.Context, sv service, args json.RawMessage) (any, error) {
	value, err := sv.run(s, ctx, args)
	var f *codeapi.Failure
	if errors.As(err, &f) {
		return codeapi.Answer{Failure: f}, nil
	}
	if err != nil {
		return nil, err
	}
	raw, err := render.JSON(value)
	if err != nil {
		return nil, err
	}
	if sv.touches {
		s.ledger.printedTexts([]string{string(raw)})
	}
	return codeapi.Answer{Value: raw}, nil
}

// Service calls one function of a service for the identity of the context, outside of a
// program: what a direct tool does. The error is a *codeapi.Failure or a *sandbox.Error
// for what the caller did wrong or the service refuses.
func (h *Host) Service(ctx context.Context, method string, args any) (json.RawMessage, error) {
	if _, ok := services[method]; !ok {
		return nil, invalid("", "there is no service %.60q", method)
	}
	raw, err := render.JSON(args)
	if err != nil {
		return nil, fmt.Errorf("encode the arguments of %s: %w", method, err)
	}
	s := h.newSession(ctx, 0)
	defer s.ledger.close()
	reply, err := s.Call(ctx, method, raw)
	if err != nil {
		return nil, err
	}
	var a codeapi.Answer
	if err := json.Unmarshal(reply, &a); err != nil {
		return nil, fmt.Errorf("read the answer of %s: %w", method, err)
	}
	if a.Failure != nil {
		return nil, a.Failure
	}
	return a.Value, nil
}

// failure gives an error of a store the class that a program catches. states are pairs of
// a sentinel and the class; others travel on as they are.
func failure(err error, states ...any) error {
	if err == nil {
		return nil
	}
	for i := 0; i+1 < len(states); i += 2 {
		if errors.Is(err, states[i].(error)) {
			return &codeapi.Failure{Class: states[i+1].(string), Message: err.Error()}
		}
	}
	if errors.Is(err, context.DeadlineExceeded) {
		return &codeapi.Failure{Class: "TimeoutError", Message: err.Error()}
	}
	return err
}

// recorded notes a call for the audit log and for whoever watches.
func (s *session) recorded(method string, args json.RawMessage, start time.Time, reply json.RawMessage, err error) {
	if s.host.cfg.Audit == nil && s.watch == nil {
		return
	}
	c := audit.Call{Method: method, ArgsDigest: audit.DigestOf(args), Start: start.Sub(s.start), Duration: time.Since(start), Outcome: string(sandbox.KindOK)}
	if method == codeapi.MethodCallTool {
		var a codeapi.CallToolArgs
		if json.Unmarshal(args, &a) == nil {
			c.Target = firstOf(a.Name, 300)
		}
	}
	var e *sandbox.Error
	var a codeapi.Answer
	switch {
	case errors.As(err, &e):
		c.Outcome, c.Error = string(e.Kind), e.Message
	case err != nil:
		c.Outcome, c.Error = string(sandbox.KindHost), err.Error()
	case services[method].run != nil && len(reply) < 64<<10 && json.Unmarshal(reply, &a) == nil && a.Failure != nil:
		c.Outcome, c.Error = a.Failure.Class, a.Failure.Message
		if c.Outcome == "PermissionError" {
			c.Outcome = string(sandbox.KindPolicy)
		}
	}
	if err != nil {
		if collection, is := s.forbidden(method, args); is {
			c.Outcome, c.Target = string(sandbox.KindPolicy), firstOf(collection, 300)
		}
	}
	s.mu.Lock()
	kept := len(s.calls) < audit.MaxCalls
	if kept {
		s.calls = append(s.calls, c)
	} else {
		s.omitted++
	}
	s.mu.Unlock()
	if kept && s.watch != nil {
		s.tell(c)
	}
}

// record is what the audit log keeps of a run.
func (s *session) record(p sandbox.Program, l sandbox.Limits, r RunResult, ours error) audit.Record {
	s.mu.Lock()
	defer s.mu.Unlock()
	rec := audit.Record{
		Started: s.start, Duration: time.Since(s.start), IdentityID: s.who.ID, Identity: s.who.Name,
		Session: s.conn.Session, Transport: s.conn.Transport, Kind: audit.KindProgram, Tool: s.conn.Tool,
		Program: p.Source, Digest: audit.DigestOf([]byte(p.Source)), Description: s.conn.Description,
		Outcome: string(sandbox.KindOK), Calls: s.calls, CallsOmitted: s.omitted,
	}
	rec.Limits, _ = json.Marshal(effective(l))
	if ours != nil {
		rec.Outcome, rec.Error = string(sandbox.KindHost), ours.Error()
		return rec
	}
	if r.Error != nil {
		rec.Outcome, rec.Error = string(r.Error.Kind), r.Error.Message
	}
	rec.Ledger, _ = json.Marshal(r.Ledger)
	rec.Usage, _ = json.Marshal(r.Usage)
	return rec
}

// effective is the limits with the defaults of those that are zero.
func effective(l sandbox.Limits) sandbox.Limits {
	d := sandbox.DefaultLimits()
	return sandbox.Limits{
		Wall: cmp.Or(l.Wall, d.Wall), CPU: cmp.Or(l.CPU, l.Wall, d.Wall), MemoryBytes: cmp.Or(l.MemoryBytes, d.MemoryBytes),
		MaxSteps: cmp.Or(l.MaxSteps, d.MaxSteps), SourceBytes: cmp.Or(l.SourceBytes, d.SourceBytes),
		OutputBytes: cmp.Or(l.OutputBytes, d.OutputBytes), ResultBytes: cmp.Or(l.ResultBytes, d.ResultBytes),
		HostCalls: cmp.Or(l.HostCalls, d.HostCalls), Depth: cmp.Or(l.Depth, d.Depth),
	}
}
