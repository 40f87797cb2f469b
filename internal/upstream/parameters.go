package upstream

import "slices"

// Parameters are the names of a tool's arguments in the order in which [Signature] writes
// them: the required ones as its schema lists them, then the others by name.
func Parameters(t Tool) []string {
	input, err := decodeNumbers(t.InputSchema)
	s, ok := input.(map[string]any)
	if err != nil || !ok {
		return nil
	}
	properties, _ := s["properties"].(map[string]any)
	var names []string
	required := stringList(s["required"])
	for _, name := range required {
		if _, ok := properties[name]; ok {
			names = append(names, name)
		}
	}
	for _, name := range sortedKeys(properties) {
		if !slices.Contains(required, name) {
			names = append(names, name)
		}
	}
	return names
}
