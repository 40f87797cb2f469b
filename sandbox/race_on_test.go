//go:build race

package sandbox

// underRace says that the child is built with the race detector, whose shadow
// memory does not fit into any limit.
const underRace = true
