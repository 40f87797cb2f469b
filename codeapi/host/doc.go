// Package host answers what programs ask: it is the parent's end of the code
// API. In come the calls of a child process, which are treated as if they came
// from the Internet; out go searches on the engine and small replies. It keeps
// the ledger of each run. The MCP server and the command line call [Host.Execute].
package host
