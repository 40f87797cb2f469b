package sandbox

import (
	"encoding/json"
	"errors"
	"fmt"
	"unicode/utf8"
)

// checkJSON says whether data is one JSON value in UTF-8 whose arrays and objects
// nest at most maxJSONDepth deep. The depth is counted first, by a loop that
// cannot run deep itself.
func checkJSON(data []byte) error {
	if len(data) == 0 {
		return errors.New("empty, want a JSON value")
	}
	if !utf8.Valid(data) {
		return errors.New("not valid UTF-8")
	}
	depth, inString := 0, false
	for i := 0; i < len(data); i++ {
		switch c := data[i]; {
		case inString:
			switch c {
			case '\\':
				i++
			case '"':
				inString = false
			}
		case c == '"':
			inString = true
		case c == '[' || c == '{':
			if depth++; depth > maxJSONDepth {
				return fmt.Errorf("nested deeper than %d", maxJSONDepth)
			}
		case c == ']' || c == '}':
			depth--
		}
	}
	if !json.Valid(data) {
		return errors.New("not valid JSON")
	}
	return nil
}
