package catalog

import (
	"bytes"
	"encoding/json"
	"strconv"
)

// metadata decodes a jsonb object so that numbers keep all their digits: whole numbers
// become int64, others float64, and what neither holds stays a json.Number. A database
// may hold any of them, and one odd number must not make a chunk unreadable.
type metadata map[string]any

// UnmarshalJSON implements json.Unmarshaler, through which pgx reads jsonb.
func (m *metadata) UnmarshalJSON(data []byte) error {
	dec := json.NewDecoder(bytes.NewReader(data))
	dec.UseNumber()
	var decoded map[string]any
	if err := dec.Decode(&decoded); err != nil {
		return err
	}
	for k, v := range decoded {
		decoded[k] = exact(v)
	}
	*m = decoded
	return nil
}

// exact turns json.Numbers into Go's numbers where nothing is lost.
func exact(v any) any {
	switch v := v.(type) {
	case map[string]any:
		for k, x := range v {
			v[k] = exact(x)
		}
	case []any:
		for i, x := range v {
			v[i] = exact(x)
		}
	case json.Number:
		if i, err := strconv.ParseInt(v.String(), 10, 64); err == nil {
			return i
		}
		if !isWhole(v.String()) {
			if f, err := v.Float64(); err == nil {
				return f
			}
		}
	}
	return v
}

// isWhole reports whether a number is written with digits alone.
func isWhole(s string) bool {
	for i := range len(s) {
		if (s[i] < '0' || s[i] > '9') && !(i == 0 && s[i] == '-') {
			return false
		}
	}
	return true
}
