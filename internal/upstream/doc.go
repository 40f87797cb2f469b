// Package upstream calls the tools of other MCP servers.
//
// In: a config in the mcpServers JSON that MCP clients share, and for each call a
// tool's qualified name, its arguments as JSON and the [Policy] of the one who calls.
// Out: a catalogue of tools with names that work in programs, and results with their
// integers whole. Callers: codeapi/host, which lends the tools to programs, and the
// tool search.
//
// [Parse] reads a config. A [Manager] holds one connection a server, made when it is
// first needed, shared by all calls and made anew after it broke. Servers are somebody
// else's programs: whatever one of them does (answers garbage, floods, lies about ids
// and schemas, never answers, dies) costs its callers an [Error] of a known [Kind] and
// nobody else anything. What leaves a server's process group or machine cannot be
// taken back, so an error also says whether the tool may have acted.
//
// The client is mark3labs/mcp-go, which knows the revisions of the protocol. Beneath
// it stand transports of our own, because the bounds have to sit where bytes are read.
package upstream
