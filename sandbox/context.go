package sandbox

import "encoding/json"

// RawContext makes a [Program]'s Context of values that are JSON already, so that the
// program sees the keys of objects in their order and numbers with all their digits.
func RawContext(vars map[string]json.RawMessage) map[string]any {
	if vars == nil {
		return nil
	}
	context := make(map[string]any, len(vars))
	for name, value := range vars {
		context[name] = value
	}
	return context
}
