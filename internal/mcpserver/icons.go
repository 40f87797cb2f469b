package mcpserver

import (
	"encoding/base64"

	"github.com/mark3labs/mcp-go/mcp"
)

// Icons of tools, prompts and templates, for the lists that clients show to people; models do not see them. Each
// is a drawing of lines in a square of 24, as a data URI, so that no client fetches
// anything to show it. The server itself has none: 2026-07-28 puts what it says of itself
// into every answer.
var icons = map[string]string{
	"program": `<path d="m4 7 5 5-5 5M12 18h8"/>`,
	"search":  `<circle cx="10" cy="10" r="6"/><path d="m15 15 6 6"/>`,
	"tool":    `<path d="M14 7a4 4 0 0 1 6-3l-3 3 2 2 3-3a4 4 0 0 1-5 5l-9 9-3-3z"/>`,
	"skill":   `<path d="M6 3h12v18l-6-4-6 4z"/>`,
	"file":    `<path d="M6 3h8l4 4v14H6zM14 3v4h4"/>`,
	"privacy": `<path d="M6 11h12v9H6zM9 11V7a3 3 0 0 1 6 0v4"/>`,
	"stats":   `<path d="M5 20v-6M12 20V4M19 20v-9"/>`,
	"order":   `<path d="M5 7h14M5 12h9M5 17h5"/>`,
}

// iconOf names the icon of each tool.
var iconOf = map[string]string{
	"execute_code": "program", "search_tools": "search", "get_tool_definition": "tool",
	"save_skill": "skill", "load_skill": "skill", "list_skills": "skill",
	"sanitize_pii": "privacy", "restore_pii": "privacy",
	"write_workspace_file": "file", "read_workspace_file": "file", "list_workspace_files": "file",
	"get_execution_stats": "stats",
	"bm25_search":         "search", "vector_search": "search", "hybrid_search": "search",
	"rerank_results": "order", "filter_results": "order", "get_document": "file", "list_collections": "file",
}

func icon(name string) mcp.Icon {
	drawing := `<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 24 24" fill="none" stroke="#4a6fa5" stroke-width="2">` + icons[name] + `</svg>`
	return mcp.Icon{Src: "data:image/svg+xml;base64," + base64.StdEncoding.EncodeToString([]byte(drawing)), MIMEType: "image/svg+xml", Sizes: []string{"any"}}
}
