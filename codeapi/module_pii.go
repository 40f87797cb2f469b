package codeapi

import (
	"encoding/json"

	"go.starlark.net/starlark"

	"github.com/bmcis/bmcis/codeapi/internal/guest"
	"github.com/bmcis/bmcis/internal/pylang"
)

const piiText = `
"""Personal data behind tokens such as [EMAIL_ab12cd]. The same value has the same token
within one identity's vault."""

def sanitize_pii(value, kinds=None):
    """The value, a text or anything that JSON knows, with tokens in the place of e-mail
    addresses, phone and social security numbers, payment cards, IBANs and IP addresses.
    kinds chooses among email, phone, ssn, card, iban, ip, name; names are left alone
    unless asked for."""

def restore_pii(value):
    """The value with what its tokens stand for. PermissionError for identities that may
    not; tokens of other vaults stay as they are."""
`

var piiDoc = guest.Lazy(piiText)

func (r *run) piiModule() *pylang.Module {
	return &pylang.Module{
		Name: "pii", Doc: piiDoc().Doc,
		Members: piiDoc().Bind("pii", map[string]guest.Impl{"sanitize_pii": r.pii(MethodSanitize), "restore_pii": r.pii(MethodRestore)}),
	}
}

func (r *run) pii(method string) guest.Impl {
	return func(t *starlark.Thread, a *guest.Args) (starlark.Value, error) {
		var args PIIArgs
		var err error
		if args.Value, err = encodeJSON(t, a.Or(0), "value", MaxPII); err != nil {
			return nil, err
		}
		if len(a.V) > 1 {
			if args.Kinds, err = stringsArg(t, a, 1); err != nil {
				return nil, err
			}
		}
		return r.serve(method, args, func(raw json.RawMessage) (starlark.Value, error) { return r.value(raw) })
	}
}
