package host

import (
	"context"
	"encoding/json"
)

func (s *session) sanitizePII(context.Context, json.RawMessage) (any, error) {
	return nil, unavailable("tokens for personal data are", "leave such data out of the answer")
}

func (s *session) restorePII(context.Context, json.RawMessage) (any, error) {
	return nil, unavailable("tokens for personal data are", "leave them as they are")
}
