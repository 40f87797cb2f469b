// Package render prints hits and documents for agents: whole texts or a lean
// preview as JSON for direct tools, a readable list for programs. It also counts
// tokens. Values go in, text comes out; direct tools, the code API's host and
// the token benchmark call it, so that both ways of working are measured by the
// same print.
package render
