package pylang

import (
	"strings"

	"github.com/bmcis/bmcis/internal/pysyntax"
)

// What a program may call is told before it runs, so what cannot be followed counts as
// used: a module that is passed on or stored may be asked for any of its functions.

// splitMember takes a qualified name apart.
func splitMember(name string) (module, member string) {
	i := strings.LastIndexByte(name, '.')
	if i < 0 {
		return "", name
	}
	return name[:i], name[i+1:]
}

// memberUsed notes X.name of an expression that is surely a module or stands for one,
// and reports whether it has such a member.
func (lw *lowerer) memberUsed(e *pysyntax.Attr) bool {
	lw.base = e.X
	name := lw.callee(e)
	if name == "" {
		return true
	}
	module, member := splitMember(name)
	m := lw.cfg.module(module)
	if m != nil && !m.has(member) && m.Resolve == nil && lw.cfg.module(name) == nil && !isDunder(member) {
		lw.noMember(e.NamePos, m, member)
		return false
	}
	lw.mention(name)
	return true
}

// nameUsed notes a name that is used for itself, not for a member of it.
func (lw *lowerer) nameUsed(e *pysyntax.Name) {
	if lw.base == pysyntax.Expr(e) {
		return
	}
	v := lw.lookup(e.ID)
	switch {
	case v == nil:
		if _, shadowed := lw.cfg.Context[e.ID]; !shadowed && lw.cfg.Predeclared[e.ID] != nil {
			lw.mentionAll(e.ID)
		}
	case v.imp != nil && v.imp.module != nil && v.imp.member == "":
		lw.mentionAll(v.imp.module.Name)
	case v.imp != nil && v.imp.module != nil:
		name := v.imp.module.Name + "." + v.imp.member
		lw.mention(name)
		lw.mentionAll(name)
	case v.value != nil && v.binds == 1:
		if c, ok := v.value.(*pysyntax.Call); ok {
			lw.mentionAll(lw.cfg.Signatures[lw.callee(c.Fn)].Returns)
		}
	}
}

// moduleMade notes the call of a class whose instances stand for a module, unless the
// instance can be followed: it is a member's base, or the one value of a variable.
func (lw *lowerer) moduleMade(e *pysyntax.Call, returns string) {
	if returns == "" || lw.base == pysyntax.Expr(e) {
		return
	}
	for s := lw.scope; s != nil; s = s.parent {
		for _, v := range s.order {
			if v.value == pysyntax.Expr(e) && v.binds == 1 && s.kind != classScope {
				return
			}
		}
	}
	lw.mentionAll(returns)
}

// mentionAll notes all functions of a module that is called so; nothing where no module
// is.
func (lw *lowerer) mentionAll(module string) {
	if module == "" {
		return
	}
	if m := lw.cfg.module(module); m != nil {
		for member := range m.Members {
			lw.mention(m.Name + "." + member)
		}
	}
}
