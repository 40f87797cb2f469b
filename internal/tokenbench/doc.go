// Package tokenbench compares two ways in which an agent can do the same task: by calling
// tools directly, and by sending programs to execute_code. In: a built bmcis, an indexed
// collection of Go's documentation, a file of tool definitions, and a choice of scenarios.
// Out: a [Report] of tokens, cost, latency and equality of the answers, as table, JSON,
// Markdown or plot. Callers: `bmcis bench tokens` and the tests.
//
// A scenario has one task and three scripts: full and lean call direct tools, code sends
// programs. Each runs against real server processes through a real MCP client, and what
// crosses the model's boundary is written down as it crosses: see [Transcript]. The scripts
// play the agent; no model runs. docs/bench/tokens-baselines.md fixes what the direct ones
// do and what is counted.
//
// All scripts of a scenario must end with the same answer, or its figures mean nothing:
// [Run] then returns a [*DifferError] with the differences.
package tokenbench
