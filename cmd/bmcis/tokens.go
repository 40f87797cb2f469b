package main

import (
	"errors"
	"fmt"
	"strconv"
	"strings"
	"text/tabwriter"
	"time"

	"github.com/jackc/pgx/v5/pgxpool"
	"github.com/spf13/cobra"

	"github.com/bmcis/bmcis/internal/identity"
	"github.com/bmcis/bmcis/internal/spell"
)

func newTokensCommand(g *globals) *cobra.Command {
	cmd := &cobra.Command{
		Use:   "tokens",
		Short: "Make, list and revoke bearer tokens, and say what their bearers may do",
		Long: "An identity is who asks over HTTP: it owns files, skills and lines of the audit log,\n" +
			"and has rights and limits. Each has one token or more. A token is shown once, when it\n" +
			"is made; the database holds only its SHA-256. Who comes over stdio or loopback without\n" +
			"a token is the identity local. Changes reach a running server within a second.",
	}
	cmd.AddCommand(newTokensCreate(g), newTokensSet(g), newTokensList(g), newTokensRevoke(g))
	return cmd
}

// identityError makes what the person wrote wrong use.
func identityError(err error) error {
	if errors.Is(err, identity.ErrInvalid) {
		return usageError{err}
	}
	return err
}

func newTokensCreate(g *globals) *cobra.Command {
	var name, expires, label string
	var asJSON bool
	var rights rightsFlags
	cmd := &cobra.Command{
		Use:   "create NAME",
		Short: "Make a token and print it; the identity too where there is none of that name",
		Args:  args(cobra.MaximumNArgs(1)),
		RunE: func(cmd *cobra.Command, a []string) error {
			switch {
			case len(a) == 1 && name != "" && a[0] != name:
				return usagef("name the identity once: %q or --name %q", a[0], name)
			case len(a) == 1:
				name = a[0]
			case name == "":
				return usagef("name the identity; usage: %s", cmd.UseLine())
			}
			n := identity.NewToken{Name: name, Label: label}
			if expires != "never" {
				var err error
				if n.Lifetime, err = parseSpan(expires); err != nil || n.Lifetime == 0 {
					return usagef("--expires %q: write a time span such as 90d, or never", expires)
				}
			}
			if rights.changed(cmd) {
				policy := identity.DefaultPolicy()
				if err := rights.apply(cmd, &policy); err != nil {
					return err
				}
				n.Policy = &policy
			}
			return g.withPool(cmd.Context(), func(pool *pgxpool.Pool) error {
				c, err := identity.New(pool).Create(cmd.Context(), n)
				if err != nil {
					return identityError(err)
				}
				if asJSON {
					return printJSON(cmd, struct {
						Token    string            `json:"token"`
						Info     identity.Token    `json:"info"`
						Identity identity.Identity `json:"identity"`
						New      bool              `json:"new_identity"`
					}{c.Secret, c.Token, c.Identity, c.NewIdentity})
				}
				g.say("token %d of %s, shown this once; %s; %s", c.Token.ID, c.Identity.Name, ending(c.Token), describeRights(c.Identity.Policy))
				fmt.Fprintln(cmd.OutOrStdout(), c.Secret)
				return nil
			})
		},
	}
	cmd.Flags().StringVar(&name, "name", "", "the identity, instead of the argument")
	cmd.Flags().StringVar(&expires, "expires", "90d", "when the token ends: a time span, or never")
	cmd.Flags().StringVar(&label, "label", "", "a word to know the token by, such as a host name")
	cmd.Flags().BoolVar(&asJSON, "json", false, "print as JSON")
	rights.register(cmd)
	return cmd
}

func newTokensSet(g *globals) *cobra.Command {
	var rights rightsFlags
	cmd := &cobra.Command{
		Use:   "set NAME",
		Short: "Change what an identity may do; what is not named stays",
		Args:  args(cobra.ExactArgs(1)),
		RunE: func(cmd *cobra.Command, a []string) error {
			if !rights.changed(cmd) {
				return usagef("say what to change; `%s --help` lists the flags", cmd.CommandPath())
			}
			return g.withPool(cmd.Context(), func(pool *pgxpool.Pool) error {
				s := identity.New(pool)
				id, err := s.Get(cmd.Context(), a[0])
				if err != nil {
					return err
				}
				if err := rights.apply(cmd, &id.Policy); err != nil {
					return err
				}
				if err := s.SetPolicy(cmd.Context(), id.Name, id.Policy); err != nil {
					return identityError(err)
				}
				g.say("%s: %s", id.Name, describeRights(id.Policy))
				return nil
			})
		},
	}
	rights.register(cmd)
	return cmd
}

func newTokensList(g *globals) *cobra.Command {
	var asJSON bool
	cmd := &cobra.Command{
		Use:   "list [NAME]",
		Short: "Show identities with their rights and tokens",
		Args:  args(cobra.MaximumNArgs(1)),
		RunE: func(cmd *cobra.Command, a []string) error {
			return g.withPool(cmd.Context(), func(pool *pgxpool.Pool) error {
				s := identity.New(pool)
				var ids []identity.Identity
				var name string
				var err error
				if len(a) == 1 {
					name = a[0]
					id, err := s.Get(cmd.Context(), name)
					if err != nil {
						return err
					}
					ids = append(ids, id)
				} else if ids, err = s.List(cmd.Context()); err != nil {
					return err
				}
				tokens, err := s.Tokens(cmd.Context(), name)
				if err != nil {
					return err
				}
				if asJSON {
					return printJSON(cmd, struct {
						Identities []identity.Identity `json:"identities"`
						Tokens     []identity.Token    `json:"tokens"`
					}{ids, append([]identity.Token{}, tokens...)})
				}
				return printTokens(cmd, ids, tokens)
			})
		},
	}
	cmd.Flags().BoolVar(&asJSON, "json", false, "print as JSON")
	return cmd
}

func printTokens(cmd *cobra.Command, ids []identity.Identity, tokens []identity.Token) error {
	w := tabwriter.NewWriter(cmd.OutOrStdout(), 0, 8, 2, ' ', 0)
	for _, id := range ids {
		fmt.Fprintf(w, "%s: %s\n", id.Name, describeRights(id.Policy))
		for _, t := range tokens {
			if t.Identity != id.Name {
				continue
			}
			used := "never used"
			if t.LastUsed != nil {
				used = "used " + t.LastUsed.Format(time.DateOnly)
			}
			fmt.Fprintf(w, "  token %d\t%s…\t%s\t%s\t%s\t%s\n", t.ID, t.Hint, t.State, ending(t), used, cell(t.Label, 40))
		}
	}
	return w.Flush()
}

func ending(t identity.Token) string {
	switch {
	case t.Revoked != nil:
		return "revoked " + t.Revoked.Format(time.DateOnly)
	case t.Expires == nil:
		return "never expires"
	}
	return "expires " + t.Expires.Format(time.DateOnly)
}

func newTokensRevoke(g *globals) *cobra.Command {
	var all string
	cmd := &cobra.Command{
		Use:   "revoke TOKEN-NUMBER…",
		Short: "End tokens by their numbers, or with --all those of an identity",
		RunE: func(cmd *cobra.Command, a []string) error {
			if (len(a) == 0) == (all == "") {
				return usagef("give the numbers of tokens, as `bmcis tokens list` shows them, or --all NAME")
			}
			numbers := make([]int64, len(a))
			for i, text := range a {
				n, err := strconv.ParseInt(text, 10, 64)
				if err != nil {
					// The text may be a token: it is not repeated.
					return usagef("a token is revoked by its number, as `bmcis tokens list` shows it, not by its text or its identity's name (for that: --all NAME)")
				}
				numbers[i] = n
			}
			return g.withPool(cmd.Context(), func(pool *pgxpool.Pool) error {
				s := identity.New(pool)
				if all != "" {
					n, err := s.RevokeAll(cmd.Context(), all)
					if err != nil {
						return err
					}
					g.say("revoked %d tokens of %s", n, all)
					return nil
				}
				for _, n := range numbers {
					t, err := s.Revoke(cmd.Context(), n)
					if err != nil {
						return err
					}
					g.say("revoked token %d of %s", t.ID, t.Identity)
				}
				return nil
			})
		},
	}
	cmd.Flags().StringVar(&all, "all", "", "end all tokens of this identity")
	return cmd
}

// rightsFlags are the flags that say what an identity may do.
type rightsFlags struct {
	collections, allow, deny, destructive []string
	limits                                map[string]string
	allCollections, restorePII, admin     bool
}

func (r *rightsFlags) register(cmd *cobra.Command) {
	f := cmd.Flags()
	f.StringSliceVar(&r.collections, "collections", nil, "collections it may read, by name or with * (all when nothing is said)")
	f.BoolVar(&r.allCollections, "all-collections", false, "it may read all collections")
	f.StringSliceVar(&r.allow, "allow-tools", nil, "tools it may call, by name or with *; empty for all. Where all begin with mcp__, the tools of bmcis itself stay allowed")
	f.StringSliceVar(&r.deny, "deny-tools", nil, "tools it may not call, by name or with *")
	f.StringSliceVar(&r.destructive, "destructive", nil, "destructive tools it may call, by exact name")
	f.StringToStringVar(&r.limits, "limits", nil, "bounds, such as wall=10s,memory=256MiB,steps=1000000,calls=100,rpm=60,burst=10,concurrent=2")
	f.BoolVar(&r.restorePII, "restore-pii", false, "it may turn tokens of private data back")
	f.BoolVar(&r.admin, "admin", false, "it may see everybody's statistics and the audit log")
}

var rightsNames = []string{"collections", "all-collections", "allow-tools", "deny-tools", "destructive", "limits", "restore-pii", "admin"}

func (r *rightsFlags) changed(cmd *cobra.Command) bool {
	for _, name := range rightsNames {
		if cmd.Flags().Changed(name) {
			return true
		}
	}
	return false
}

// apply changes the rights that flags name. An empty value empties a list.
func (r *rightsFlags) apply(cmd *cobra.Command, p *identity.Policy) error {
	has := cmd.Flags().Changed
	if has("collections") && r.allCollections {
		return usagef("--collections or --all-collections, not both")
	}
	if has("collections") {
		p.Collections, p.AllCollections = r.collections, false
	}
	if has("all-collections") {
		p.AllCollections = r.allCollections
		if r.allCollections {
			p.Collections = nil
		}
	}
	for _, list := range []struct {
		flag       string
		into, from *[]string
	}{{"allow-tools", &p.AllowTools, &r.allow}, {"deny-tools", &p.DenyTools, &r.deny}, {"destructive", &p.Destructive, &r.destructive}} {
		if has(list.flag) {
			*list.into = *list.from
		}
	}
	if has("restore-pii") {
		p.RestorePII = r.restorePII
	}
	if has("admin") {
		p.Admin = r.admin
	}
	for name, value := range r.limits {
		if err := setLimit(&p.Limits, name, value); err != nil {
			return usagef("--limits: %w", err)
		}
	}
	return nil
}

// setLimit sets one bound; 0 is the server's.
func setLimit(l *identity.Limits, name, value string) error {
	counts := map[string]*int{"calls": &l.HostCalls, "rpm": &l.RequestsPerMinute, "burst": &l.Burst, "concurrent": &l.Concurrent}
	sizes := map[string]*int64{"memory": &l.MemoryBytes, "source": &l.SourceBytes, "output": &l.OutputBytes, "result": &l.ResultBytes}
	times := map[string]*time.Duration{"wall": &l.Wall, "cpu": &l.CPU}
	var err error
	switch {
	case counts[name] != nil:
		*counts[name], err = strconv.Atoi(value)
	case name == "steps":
		l.Steps, err = strconv.ParseInt(value, 10, 64)
	case times[name] != nil:
		*times[name], err = parseSpan(value)
	case sizes[name] != nil && value == "0":
		*sizes[name] = 0
	case sizes[name] != nil:
		*sizes[name], err = parseBytes(value)
	default:
		known := []string{"wall", "cpu", "memory", "steps", "source", "output", "result", "calls", "rpm", "burst", "concurrent"}
		if near := spell.Nearest(name, known); near != "" {
			return fmt.Errorf("%q is no bound; did you mean %s", name, near)
		}
		return fmt.Errorf("%q is none of %s", name, strings.Join(known, ", "))
	}
	if err != nil {
		return fmt.Errorf("%s=%s: %w", name, value, err)
	}
	return nil
}

// describeRights tells a policy in words.
func describeRights(p identity.Policy) string {
	parts := []string{"reads no collection"}
	switch {
	case p.AllCollections:
		parts[0] = "reads all collections"
	case len(p.Collections) > 0:
		parts[0] = "reads " + strings.Join(p.Collections, ", ")
	}
	list := func(what string, names []string) {
		if len(names) > 0 {
			parts = append(parts, what+" "+strings.Join(names, ", "))
		}
	}
	if len(p.AllowTools) > 0 && p.AllowsOwn() {
		list("calls all tools of bmcis, and of other servers only", p.AllowTools)
	} else {
		list("calls only", p.AllowTools)
	}
	list("never calls", p.DenyTools)
	list("may call destructive", p.Destructive)
	if p.RestorePII {
		parts = append(parts, "restores private data")
	}
	if p.Admin {
		parts = append(parts, "administrator")
	}
	l := p.Limits
	for _, bound := range []struct {
		name  string
		set   bool
		value any
	}{
		{"wall", l.Wall > 0, l.Wall}, {"cpu", l.CPU > 0, l.CPU}, {"memory", l.MemoryBytes > 0, l.MemoryBytes}, {"steps", l.Steps > 0, l.Steps},
		{"source", l.SourceBytes > 0, l.SourceBytes}, {"output", l.OutputBytes > 0, l.OutputBytes}, {"result", l.ResultBytes > 0, l.ResultBytes},
		{"calls", l.HostCalls > 0, l.HostCalls}, {"rpm", l.RequestsPerMinute > 0, l.RequestsPerMinute}, {"burst", l.Burst > 0, l.Burst}, {"concurrent", l.Concurrent > 0, l.Concurrent},
	} {
		if bound.set {
			parts = append(parts, fmt.Sprintf("%s %v", bound.name, bound.value))
		}
	}
	return strings.Join(parts, "; ")
}
