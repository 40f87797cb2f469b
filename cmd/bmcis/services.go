package main

import (
	"bytes"
	"context"
	"encoding/json"
	"fmt"
	"log/slog"
	"maps"
	"os"
	"path"
	"path/filepath"
	"slices"
	"strings"
	"time"

	"github.com/jackc/pgx/v5/pgxpool"

	"github.com/bmcis/bmcis/codeapi/host"
	"github.com/bmcis/bmcis/internal/audit"
	"github.com/bmcis/bmcis/internal/home"
	"github.com/bmcis/bmcis/internal/identity"
	"github.com/bmcis/bmcis/internal/pg"
	"github.com/bmcis/bmcis/internal/pg/private"
	"github.com/bmcis/bmcis/internal/pii"
	"github.com/bmcis/bmcis/internal/skills"
	"github.com/bmcis/bmcis/internal/spell"
	"github.com/bmcis/bmcis/internal/upstream"
	"github.com/bmcis/bmcis/internal/vault"
	"github.com/bmcis/bmcis/internal/workspace"
	"github.com/bmcis/bmcis/sandbox"
	"github.com/bmcis/bmcis/search"
)

// serverConfig is what --config FILE says: other MCP servers in the usual mcpServers JSON,
// and the keys pii, http and limits of ours beside it.
type serverConfig struct {
	upstream upstream.Config
	PII      struct {
		// Hide names the identities, by pattern, whose programs send out tokens in the
		// place of personal data.
		Hide []string `json:"hide"`
		// Kinds that are hidden: email, phone, ssn, card, iban, ip, name. Defaults to all
		// but names.
		Kinds []string `json:"kinds"`
		// Sinks are the tools, by pattern, that get values and not tokens.
		Sinks []string `json:"sinks"`
	}
	HTTP struct {
		// RequireToken refuses requests without a token on loopback addresses, too: for a
		// server behind a proxy.
		RequireToken bool `json:"require_token"`
	}
	kinds pii.Kinds
	// limits of each program, where the file names one. Identities have the same or
	// narrower ones.
	limits sandbox.Limits
}

// loadConfig reads the file; "" is an empty one.
func loadConfig(file string) (c serverConfig, err error) {
	if file == "" {
		return c, nil
	}
	raw, err := os.ReadFile(file)
	if err != nil {
		return c, fmt.Errorf("--config: %w", err)
	}
	var top map[string]json.RawMessage
	if err := json.Unmarshal(raw, &top); err != nil {
		return c, fmt.Errorf("--config %s is no JSON object: %w", file, err)
	}
	var limits map[string]string
	for key, into := range map[string]any{"pii": &c.PII, "http": &c.HTTP, "limits": &limits} {
		part, ok := top[key]
		if !ok {
			continue
		}
		dec := json.NewDecoder(bytes.NewReader(part))
		dec.DisallowUnknownFields()
		if err := dec.Decode(into); err != nil {
			return c, fmt.Errorf("--config %s: %s: %w", file, key, err)
		}
		delete(top, key)
	}
	for _, name := range c.PII.Kinds {
		k, ok := pii.ParseKind(name)
		if !ok {
			return c, fmt.Errorf("--config %s: pii: kind %q is none of email, phone, ssn, card, iban, ip, name", file, name)
		}
		c.kinds |= pii.SetOf(k)
	}
	if c.limits, err = programLimits(limits); err != nil {
		return c, fmt.Errorf("--config %s: limits: %w", file, err)
	}
	for _, pattern := range c.PII.Hide {
		if _, err := path.Match(pattern, ""); err != nil {
			return c, fmt.Errorf("--config %s: pii: hide: %q is no pattern; write a name, or * for everybody", file, pattern)
		}
	}
	for _, key := range slices.Sorted(maps.Keys(top)) {
		if near := spell.Nearest(key, []string{"pii", "http", "limits"}); near != "" {
			return c, fmt.Errorf("--config %s: unknown key %q; did you mean %q?", file, key, near)
		}
	}
	if _, ok := top["mcpServers"]; !ok {
		if _, ok := top["servers"]; !ok && len(top) == 0 {
			return c, nil
		}
	}
	// Parsed whole, so that a message names the place in the file.
	if c.upstream, err = upstream.Parse(raw); err != nil {
		return c, fmt.Errorf("--config %s: %w", file, err)
	}
	return c, nil
}

// programLimits reads the limits of programs by the names that tokens create --limits has.
func programLimits(texts map[string]string) (sandbox.Limits, error) {
	var l identity.Limits
	for name, text := range texts {
		if name == "rpm" || name == "burst" || name == "concurrent" {
			return sandbox.Limits{}, fmt.Errorf("%s is a limit of one identity; give it with bmcis tokens set NAME --limits %s=%s", name, name, text)
		}
		if err := setLimit(&l, name, text); err != nil {
			return sandbox.Limits{}, err
		}
	}
	return sandbox.Limits{Wall: l.Wall, CPU: l.CPU, MemoryBytes: l.MemoryBytes, MaxSteps: l.Steps,
		SourceBytes: l.SourceBytes, OutputBytes: l.OutputBytes, ResultBytes: l.ResultBytes, HostCalls: l.HostCalls}, nil
}

// backend is the engine with all that identities have besides.
type backend struct {
	engine   *search.Engine
	services host.Services
	privacy  host.Privacy
	people   *identity.Store
	log      *audit.Store
	local    identity.Identity
	close    []func()
}

// openBackend opens the database and what lies in it. Servers of the config are not
// started before they are needed.
func (g *globals) openBackend(ctx context.Context, cfg serverConfig) (b *backend, err error) {
	b = &backend{}
	defer func() {
		if err != nil {
			b.Close()
		}
	}()
	pool, closePool, err := private.Connect(ctx, pg.Config{DSN: g.dsn, Migrate: true, MaxConns: 16, Warn: g.warn})
	if err != nil {
		return nil, err
	}
	b.close = append(b.close, closePool)
	if b.engine, err = search.New(pool, search.Config{Warn: g.warn, Observer: g.observer}); err != nil {
		return nil, err
	}
	b.close = append(b.close, func() { closeWithin(b.engine, time.Second) })
	b.people = identity.New(pool)
	if b.local, err = b.people.Local(ctx); err != nil {
		return nil, err
	}
	b.log = audit.New(pool)
	writer := b.log.NewWriter(audit.WriterConfig{OnError: func(err error) { slog.Error("audit log", "error", err) }})
	b.close = append(b.close, func() {
		last, cancel := context.WithTimeout(context.WithoutCancel(ctx), 5*time.Second)
		defer cancel()
		if err := writer.Close(last); err != nil {
			slog.Error("audit log", "error", err)
		}
	})
	b.services = host.Services{Workspace: workspace.New(pool, workspace.Config{}), Skills: skills.New(pool), Audit: writer}
	if len(cfg.upstream.Servers) > 0 {
		m, err := upstream.New(cfg.upstream, upstream.Options{CacheDir: cacheDir("mcp"), Version: version(), Logger: slog.Default()})
		if err != nil {
			return nil, fmt.Errorf("--config: %w", err)
		}
		b.close = append(b.close, func() { _ = m.Close() })
		b.services.Upstream = m
		for _, note := range cfg.upstream.Notes {
			if !strings.HasPrefix(note, `key "pii"`) && !strings.HasPrefix(note, `key "http"`) {
				g.warn("--config: " + note)
			}
		}
	}
	return b, b.openVaults(ctx, pool, g, cfg)
}

// openVaults needs the key of this machine. Without it there are no tokens, which is an
// error only where something is to be hidden.
func (b *backend) openVaults(ctx context.Context, pool *pgxpool.Pool, g *globals, cfg serverConfig) error {
	b.privacy = host.Privacy{Kinds: cfg.kinds, Sinks: cfg.PII.Sinks}
	key, err := vault.LoadKey()
	if err == nil {
		b.privacy.Vaults, err = vault.Open(ctx, pool, key)
	}
	if err != nil && len(cfg.PII.Hide) > 0 {
		return fmt.Errorf("tokens for personal data: %w", err)
	}
	if err != nil {
		b.privacy.Vaults = nil
		g.warn("no tokens for personal data: " + err.Error())
	}
	if len(cfg.PII.Hide) > 0 {
		b.privacy.Hides = func(id identity.Identity) bool {
			return slices.ContainsFunc(cfg.PII.Hide, func(pattern string) bool {
				ok, _ := path.Match(pattern, id.Name) // the pattern has been checked
				return ok
			})
		}
		// What is logged may come from programs, too. Logs need no way back.
		slog.SetDefault(slog.New(pii.NewLogHandler(slog.Default().Handler(), &pii.Sanitizer{Kinds: cfg.kinds})))
	}
	return nil
}

// cacheDir is a folder for what can be made again; "" keeps nothing.
func cacheDir(name string) string {
	dir, err := home.Dir()
	if err != nil {
		return ""
	}
	return filepath.Join(dir, "cache", name)
}

// Close closes everything, the last opened first. It may be called twice.
func (b *backend) Close() {
	for i := len(b.close) - 1; i >= 0; i-- {
		b.close[i]()
	}
	b.close = nil
}

// mayListen refuses an address beyond loopback while nobody has a token.
func (b *backend) mayListen(ctx context.Context, check func(tokens bool) error) error {
	if check(false) == nil {
		return nil
	}
	tokens, err := b.people.Tokens(ctx, "")
	if err != nil {
		return err
	}
	live := slices.ContainsFunc(tokens, func(t identity.Token) bool { return t.State == "live" })
	if err := check(live); err != nil {
		return usageError{err}
	}
	return nil
}
