// Package tracker is the other server of the token benchmark: issues, comparisons of
// versions, a sheet and deployments, in memory, with state, over MCP. In: sizes. Out: an
// MCP server. Callers: the hidden command `bmcis bench tokens-upstream`, as which it runs
// in a process of its own, and tests.
//
// What it holds is drawn from fixed seeds, so that two processes hold the same. Every
// repository that is asked for exists and has the same contents; what is written to one
// stays there. docs/bench/tokens-baselines.md lists the tools.
package tracker
