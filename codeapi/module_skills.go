package codeapi

import (
	"encoding/json"
	"fmt"
	"slices"
	"strings"

	"go.starlark.net/starlark"

	"github.com/bmcis/bmcis/codeapi/internal/guest"
	"github.com/bmcis/bmcis/internal/pylang"
)

const skillsText = `
"""Saved code. A skill belongs to the identity that saved it and is its own until it is
shared. Use it with from skills import NAME: that is the function NAME of its code, or its
only function, or else the module of all that it defines."""

def save_skill(name, code, description=None):
    """Saves code as a skill, or as its next version, and returns {name, owner,
    description, version, digest, shared, modules, inputs, import, new_version, updated}.
    The name is a Python identifier. Without a description the docstring counts."""

def load_skill(name, version=None):
    """The code of a skill as text, to read it: the newest version or the one asked for.
    name is NAME or OWNER/NAME. To use it write from skills import NAME."""

def list_skills(query=None, *, own=False, limit=100):
    """The skills that one may load, as a list of {name, owner, description, version,
    digest, shared, modules, inputs, import, updated}: those with query in name or
    description, or with own=True one's own."""

def share_skill(name, identities=None, *, everyone=False):
    """Lets identities, by name, or everyone load a skill of one's own; returns the names
    that it is shared with."""

def unshare_skill(name, identities=None, *, everyone=False):
    """Takes that back, from the next call on."""

def revoke_skill(name, version=None):
    """Ends a version of a skill of one's own for everybody, or all; returns how many."""
`

var skillsDoc = guest.Lazy(skillsText)

func (r *run) skillsModule() *pylang.Module {
	return &pylang.Module{
		Name: "skills", Doc: skillsDoc().Doc, Resolve: r.importSkill,
		Members: skillsDoc().Bind("skills", map[string]guest.Impl{
			"save_skill": r.saveSkill, "load_skill": r.loadSkill, "list_skills": r.listSkills,
			"share_skill": r.shareSkill(false), "unshare_skill": r.shareSkill(true), "revoke_skill": r.revokeSkill,
		}),
	}
}

func (r *run) saveSkill(_ *starlark.Thread, a *guest.Args) (starlark.Value, error) {
	var args SaveSkillArgs
	for i, into := range []*string{&args.Name, &args.Code, &args.Description} {
		s, err := a.Str(i, "")
		if err != nil {
			return nil, err
		}
		*into = s
	}
	return r.serve(MethodSaveSkill, args, func(raw json.RawMessage) (starlark.Value, error) { return r.record("Skill", raw) })
}

func skillArgs(a *guest.Args) (args LoadSkillArgs, err error) {
	if args.Name, err = a.Str(0, ""); err != nil {
		return args, err
	}
	args.Version, err = a.Int(1, 0, 1, 1<<30)
	return args, err
}

func (r *run) loadSkill(_ *starlark.Thread, a *guest.Args) (starlark.Value, error) {
	args, err := skillArgs(a)
	if err != nil {
		return nil, err
	}
	return r.serve(MethodLoadSkill, args, func(raw json.RawMessage) (starlark.Value, error) {
		var k Skill
		if err := decodeReply(MethodLoadSkill, raw, &k); err != nil {
			return nil, err
		}
		return starlark.String(k.Code), nil
	})
}

func (r *run) listSkills(_ *starlark.Thread, a *guest.Args) (starlark.Value, error) {
	args := ListSkillsArgs{Own: a.Bool(1, false)}
	var err error
	if args.Query, err = a.Str(0, ""); err != nil {
		return nil, err
	}
	if args.Limit, err = a.Int(2, 100, 1, 1000); err != nil {
		return nil, err
	}
	return r.serve(MethodListSkills, args, func(raw json.RawMessage) (starlark.Value, error) {
		var list struct {
			Skills []json.RawMessage `json:"skills"`
		}
		if err := decodeReply(MethodListSkills, raw, &list); err != nil {
			return nil, err
		}
		return r.recordList("Skill", list.Skills)
	})
}

func (r *run) shareSkill(remove bool) guest.Impl {
	return func(t *starlark.Thread, a *guest.Args) (starlark.Value, error) {
		args := ShareSkillArgs{Remove: remove, Everyone: a.Bool(2, false)}
		var err error
		if args.Name, err = a.Str(0, ""); err != nil {
			return nil, err
		}
		if args.With, err = stringsArg(t, a, 1); err != nil {
			return nil, err
		}
		return r.serve(MethodShareSkill, args, func(raw json.RawMessage) (starlark.Value, error) {
			var s SkillShares
			if err := decodeReply(MethodShareSkill, raw, &s); err != nil {
				return nil, err
			}
			return fromJSON(s.With, 0)
		})
	}
}

func (r *run) revokeSkill(_ *starlark.Thread, a *guest.Args) (starlark.Value, error) {
	args, err := skillArgs(a)
	if err != nil {
		return nil, err
	}
	return r.serve(MethodRevoke, args, func(raw json.RawMessage) (starlark.Value, error) {
		var k RevokedSkill
		if err := decodeReply(MethodRevoke, raw, &k); err != nil {
			return nil, err
		}
		return starlark.MakeInt(k.Revoked), nil
	})
}

// importSkill gives what from skills import NAME binds.
func (r *run) importSkill(name string) (starlark.Value, error) {
	names, err := r.skill(name)
	if err != nil {
		return nil, err
	}
	if v := names[name]; v != nil {
		return v, nil
	}
	var only starlark.Value
	functions := 0
	for _, v := range names {
		if f, ok := v.(starlark.Callable); ok {
			functions++
			only = f
		}
	}
	if functions == 1 {
		return only, nil
	}
	return &apiValue{name: "skills." + name, module: &pylang.Module{Name: "skills." + name, Members: names}}, nil
}

// skillModule is the module skills.NAME.
func (r *run) skillModule(name string) *pylang.Module {
	return &pylang.Module{Name: "skills." + name, Doc: "The saved skill " + name + ".", Resolve: func(member string) (starlark.Value, error) {
		names, err := r.skill(name)
		if err != nil {
			return nil, err
		}
		return names[member], nil
	}}
}

// skill runs a skill's code once in a run and returns what it defines, private names
// left out.
func (r *run) skill(name string) (starlark.StringDict, error) {
	if names, ok := r.skills[name]; ok {
		if names == nil {
			return nil, pylang.Raise("ImportError", "skill %s imports itself", name)
		}
		return names, nil
	}
	var k Skill
	if err := r.serveNow(MethodLoadSkill, LoadSkillArgs{Name: name}, &k); err != nil {
		if x, fatal := pylang.AsException(r.thread, err); fatal == nil && x.Class == "LookupError" {
			e := pylang.Raise("ImportError", "cannot import name '%s' from 'skills': %s", name, x.Message)
			e.Hint = x.Hint
			return nil, e
		}
		return nil, err
	}
	cfg := r.cfg
	cfg.Context = nil // a skill takes arguments; it does not see who calls it
	prog, problems := pylang.CompileModule("skill "+name, k.Code, cfg)
	if len(problems) > 0 {
		p := explained(problems, k.Code)[0]
		e := pylang.Raise("ImportError", "skill %s (version %d), line %d: %s", name, k.Version, p.Line, p.Message)
		e.Hint = p.Hint
		return nil, e
	}
	if r.skills == nil {
		r.skills = map[string]starlark.StringDict{}
	}
	r.skills[name] = nil
	names, err := prog.RunModule(r.thread)
	if err != nil {
		delete(r.skills, name)
		return nil, err
	}
	for n := range names {
		if strings.HasPrefix(n, "_") {
			delete(names, n)
		}
	}
	r.skills[name] = names
	return names, nil
}

// explained gives problems with skills the line that works.
func explained(problems []pylang.Problem, source string) []pylang.Problem {
	for i, p := range problems {
		if !strings.HasPrefix(p.Message, "exec is not available") {
			continue
		}
		if names := loadedSkills(source); len(names) > 0 {
			problems[i].Message = "exec is not available in this sandbox: a saved skill is imported"
			problems[i].Hint = fmt.Sprintf("write from skills import %s instead of exec(load_skill(%q))", strings.Join(names, ", "), names[0])
		}
	}
	return problems
}

// loadedSkills are the skills that a source loads by a plain name.
func loadedSkills(source string) []string {
	var names []string
	for _, m := range loadsSkill.FindAllStringSubmatch(source, -1) {
		if !slices.Contains(names, m[1]) {
			names = append(names, m[1])
		}
	}
	return names
}
