package host

import (
	"context"
	"encoding/json"

	"github.com/bmcis/bmcis/codeapi"
	"github.com/bmcis/bmcis/internal/identity"
	"github.com/bmcis/bmcis/internal/skills"
)

func (s *session) skillStore() (*skills.Store, error) {
	if s.host.cfg.Skills == nil || !s.who.known {
		return nil, unavailable("saved skills are", "put the code into the program")
	}
	return s.host.cfg.Skills, nil
}

func skillFailure(err error) error {
	return failure(err, skills.ErrNotFound, "LookupError", skills.ErrRevoked, "LookupError", skills.ErrAmbiguous, "LookupError",
		skills.ErrInvalid, "ValueError", skills.ErrQuota, "OSError", identity.ErrNotFound, "LookupError")
}

// skillCall is the store and the arguments.
func (s *session) skillCall(raw json.RawMessage, into any) (*skills.Store, error) {
	store, err := s.skillStore()
	if err != nil {
		return nil, err
	}
	return store, decode(raw, into)
}

func wireSkill(k skills.Skill) codeapi.Skill {
	out := codeapi.Skill{Name: k.Name, Owner: k.Owner, Description: k.Description, Version: k.Version, Digest: k.Digest.String(),
		Shared: k.Shared, Modules: append([]string{}, k.Modules...), Inputs: []codeapi.SkillInput{}, Import: "from skills import " + k.Name,
		Code: k.Code, Updated: codeapi.WireTime(k.Updated)}
	for _, in := range k.Inputs {
		out.Inputs = append(out.Inputs, codeapi.SkillInput(in))
	}
	return out
}

func (s *session) saveSkill(ctx context.Context, raw json.RawMessage) (any, error) {
	var a codeapi.SaveSkillArgs
	store, err := s.skillCall(raw, &a)
	if err != nil {
		return nil, err
	}
	saved, err := store.Save(ctx, s.who.ID, skills.Draft{Name: a.Name, Code: a.Code, Description: a.Description})
	if err != nil {
		return nil, skillFailure(err)
	}
	out := wireSkill(saved.Skill)
	out.Code, out.NewVersion = "", &saved.NewVersion
	return out, nil
}

func (s *session) loadSkill(ctx context.Context, raw json.RawMessage) (any, error) {
	var a codeapi.LoadSkillArgs
	store, err := s.skillCall(raw, &a)
	if err != nil {
		return nil, err
	}
	k, err := store.Load(ctx, s.who.ID, a.Name, a.Version)
	if err != nil {
		return nil, skillFailure(err)
	}
	return wireSkill(k), nil
}

func (s *session) listSkills(ctx context.Context, raw json.RawMessage) (any, error) {
	var a codeapi.ListSkillsArgs
	store, err := s.skillCall(raw, &a)
	if err != nil {
		return nil, err
	}
	if err := pageSize(a.Limit); err != nil {
		return nil, err
	}
	list, more, err := store.List(ctx, s.who.ID, skills.Query{Text: a.Query, Own: a.Own, Limit: a.Limit, After: a.After})
	if err != nil {
		return nil, skillFailure(err)
	}
	out := codeapi.SkillList{Skills: make([]codeapi.Skill, len(list))}
	for i, k := range list {
		out.Skills[i] = wireSkill(k)
	}
	if more {
		out.Next = list[len(list)-1].Qualified()
	}
	return out, nil
}

func (s *session) shareSkill(ctx context.Context, raw json.RawMessage) (any, error) {
	var a codeapi.ShareSkillArgs
	store, err := s.skillCall(raw, &a)
	if err != nil {
		return nil, err
	}
	change := store.Share
	if a.Remove {
		change = store.Unshare
	}
	if err := change(ctx, s.who.ID, a.Name, a.With, a.Everyone); err != nil {
		return nil, skillFailure(err)
	}
	names, err := store.Shares(ctx, s.who.ID, a.Name)
	if err != nil {
		return nil, skillFailure(err)
	}
	return codeapi.SkillShares{Name: a.Name, With: append([]string{}, names...)}, nil
}

func (s *session) revokeSkill(ctx context.Context, raw json.RawMessage) (any, error) {
	var a codeapi.LoadSkillArgs
	store, err := s.skillCall(raw, &a)
	if err != nil {
		return nil, err
	}
	n, err := store.Revoke(ctx, s.who.ID, a.Name, a.Version)
	if err != nil {
		return nil, skillFailure(err)
	}
	return codeapi.RevokedSkill{Name: a.Name, Revoked: n}, nil
}
