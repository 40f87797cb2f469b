package codeapi

import (
	"encoding/json"
	"time"
)

// The methods of services: what an agent keeps and calls besides searching. All of them
// answer with an [Answer].
const (
	MethodWriteFile  = "workspace.write"   // WriteFileArgs → File
	MethodReadFile   = "workspace.read"    // ReadFileArgs → FilePart
	MethodListFiles  = "workspace.list"    // ListFilesArgs → FileList
	MethodDeleteFile = "workspace.delete"  // FileArgs → null
	MethodSession    = "workspace.session" // SessionArgs → Session
	MethodSessions   = "workspace.sessions"
	MethodGrant      = "workspace.grant"  // GrantArgs → null
	MethodSaveSkill  = "skills.save"      // SaveSkillArgs → Skill
	MethodLoadSkill  = "skills.load"      // LoadSkillArgs → Skill with its code
	MethodListSkills = "skills.list"      // ListSkillsArgs → SkillList
	MethodShareSkill = "skills.share"     // ShareSkillArgs → SkillShares
	MethodRevoke     = "skills.revoke"    // LoadSkillArgs → RevokedSkill
	MethodTools      = "tools.search"     // SearchToolsArgs → ToolList
	MethodDefinition = "tools.definition" // DefinitionArgs → Tool
	MethodCallTool   = "tools.call"       // CallToolArgs → ToolAnswer
	MethodSanitize   = "pii.sanitize"     // PIIArgs → the value with tokens
	MethodRestore    = "pii.restore"      // PIIArgs → the value without
)

// Bounds of the services.
const (
	MaxFilePart  = 2 << 20 // bytes of a file that one call moves
	MaxToolHits  = 1000    // tools of one search
	DefaultTools = 20      // tools of a search when the program does not say
	MaxPII       = 3 << 20 // JSON that one call of pii takes
)

// Answer is a service's answer: a value, or why there is none.
type Answer struct {
	Value   json.RawMessage `json:"value,omitempty"`
	Failure *Failure        `json:"failure,omitempty"`
}

// Failure is an exception that a service raises in the program.
type Failure struct {
	// Class is Python's name of it, such as FileNotFoundError.
	Class   string `json:"class"`
	Message string `json:"message"`
	Hint    string `json:"hint,omitempty"`
}

func (f *Failure) Error() string { return f.Message }

// FileArgs name a file: of the session with that handle, or of one's own space. A name
// may also be HANDLE/NAME.
type FileArgs struct {
	Name    string `json:"name"`
	Session string `json:"session,omitempty"`
	IfMatch string `json:"if_match,omitempty"`
}

// WriteFileArgs write a file or append lines to it.
type WriteFileArgs struct {
	FileArgs
	Data   []byte `json:"data"` // base64, at most MaxFilePart
	Type   string `json:"type,omitempty"`
	Append bool   `json:"append,omitempty"`
}

// ReadFileArgs read at most MaxFilePart bytes from Offset on.
type ReadFileArgs struct {
	FileArgs
	Offset int64 `json:"offset,omitempty"`
}

// FilePart answers ReadFileArgs.
type FilePart struct {
	File
	Data []byte `json:"data"`
}

// File describes a file.
type File struct {
	// Name within its space; Path is HANDLE/NAME in a session, else the name.
	Name    string `json:"name"`
	Path    string `json:"path"`
	Type    string `json:"type"`
	Size    int64  `json:"size"`
	ETag    string `json:"etag"`
	Updated string `json:"updated"` // RFC 3339 in UTC
	Writer  string `json:"writer"`
	Expires string `json:"expires"` // empty: it stays
}

// ListFilesArgs ask for one page of names that begin with Prefix.
type ListFilesArgs struct {
	Prefix  string `json:"prefix,omitempty"`
	Session string `json:"session,omitempty"`
	After   string `json:"after,omitempty"`
	Limit   int    `json:"limit,omitempty"`
}

// FileList answers ListFilesArgs; totals and quotas are of the whole space.
type FileList struct {
	Files      []File `json:"files"`
	Next       string `json:"next,omitempty"`
	TotalFiles int    `json:"total_files"`
	TotalBytes int64  `json:"total_bytes"`
	QuotaFiles int    `json:"quota_files"`
	QuotaBytes int64  `json:"quota_bytes"`
	Expires    string `json:"expires"`
}

// SessionArgs make a session that lives for so many hours; 0 for the default.
type SessionArgs struct {
	Hours float64 `json:"hours,omitempty"`
}

// Session is a space with a handle and an end.
type Session struct {
	Handle  string `json:"handle"`
	Owner   string `json:"owner"`
	Expires string `json:"expires"`
	Writes  bool   `json:"writes"`
	Files   int    `json:"files"`
	Bytes   int64  `json:"bytes"`
}

// SessionList answers MethodSessions.
type SessionList struct {
	Sessions []Session `json:"sessions"`
}

// GrantArgs let an identity use a session of one's own, or no longer.
type GrantArgs struct {
	Session string `json:"session"`
	To      string `json:"to"`
	Writes  bool   `json:"writes,omitempty"`
	Revoke  bool   `json:"revoke,omitempty"`
}

// SaveSkillArgs save code under a name.
type SaveSkillArgs struct {
	Name        string `json:"name"`
	Code        string `json:"code"`
	Description string `json:"description,omitempty"`
}

// LoadSkillArgs name a skill; version 0 is the newest, or in a revocation all.
type LoadSkillArgs struct {
	Name    string `json:"name"`
	Version int    `json:"version,omitempty"`
}

// Skill is one version of a skill.
type Skill struct {
	Name        string       `json:"name"`
	Owner       string       `json:"owner"`
	Description string       `json:"description"`
	Version     int          `json:"version"`
	Digest      string       `json:"digest"`
	Shared      string       `json:"shared"` // private, named or everyone
	Modules     []string     `json:"modules"`
	Inputs      []SkillInput `json:"inputs"`
	Import      string       `json:"import"`
	Code        string       `json:"code,omitempty"`
	NewVersion  *bool        `json:"new_version,omitempty"`
	Updated     string       `json:"updated"`
}

// SkillInput is a parameter of the skill's main function.
type SkillInput struct {
	Name     string `json:"name"`
	Required bool   `json:"required"`
	Type     string `json:"type,omitempty"`
}

// ListSkillsArgs choose skills.
type ListSkillsArgs struct {
	Query string `json:"query,omitempty"`
	Own   bool   `json:"own,omitempty"`
	Limit int    `json:"limit,omitempty"`
	After string `json:"after,omitempty"`
}

// SkillList answers ListSkillsArgs. Next is what After asks on with.
type SkillList struct {
	Skills []Skill `json:"skills"`
	Next   string  `json:"next,omitempty"`
}

// ShareSkillArgs share a skill of one's own, or take that back.
type ShareSkillArgs struct {
	Name     string   `json:"name"`
	With     []string `json:"with,omitempty"`
	Everyone bool     `json:"everyone,omitempty"`
	Remove   bool     `json:"remove,omitempty"`
}

// SkillShares says with whom a skill is shared by name.
type SkillShares struct {
	Name string   `json:"name"`
	With []string `json:"with"`
}

// RevokedSkill says how many versions ended.
type RevokedSkill struct {
	Name    string `json:"name"`
	Revoked int    `json:"revoked"`
}

// The levels of detail of a tool.
const (
	DetailName        = "name_only"
	DetailDescription = "with_description" // also called summary
	DetailFull        = "full"
)

// SearchToolsArgs look for tools. An empty query lists them by name.
type SearchToolsArgs struct {
	Query    string `json:"query"`
	Detail   string `json:"detail_level,omitempty"`
	Category string `json:"category,omitempty"`
	Limit    int    `json:"limit,omitempty"`
}

// Tool is a tool, as far as the level of detail goes.
type Tool struct {
	Name        string `json:"name"`
	Server      string `json:"server,omitempty"`
	Category    string `json:"category,omitempty"`
	Description string `json:"description,omitempty"`
	Import      string `json:"import,omitempty"`
	// Signature is the tool as a function of Python.
	Signature    string          `json:"signature,omitempty"`
	InputSchema  json.RawMessage `json:"input_schema,omitempty"`
	OutputSchema json.RawMessage `json:"output_schema,omitempty"`
	// Destructive tools must be allowed by name.
	Destructive bool `json:"destructive,omitempty"`
	// Parameters are the names of the arguments in their order, in a definition.
	Parameters []string `json:"parameters,omitempty"`
}

// ToolList answers SearchToolsArgs.
type ToolList struct {
	Tools []Tool `json:"tools"`
	// Total counts what fits, of which Tools are the best.
	Total    int      `json:"total"`
	Degraded []string `json:"degraded,omitempty"`
}

// DefinitionArgs name a tool: by its name, or by the name within its category. Module
// and Function are those of from servers.MODULE import FUNCTION.
type DefinitionArgs struct {
	Name     string `json:"name,omitempty"`
	Category string `json:"category,omitempty"`
	Module   string `json:"module,omitempty"`
	Function string `json:"function,omitempty"`
}

// CallToolArgs call a tool of another server.
type CallToolArgs struct {
	Name  string          `json:"name"`
	Input json.RawMessage `json:"input,omitempty"`
}

// ToolAnswer is what a tool answered.
type ToolAnswer struct {
	Value json.RawMessage `json:"value"`
	// Contents describes items that are not text.
	Contents json.RawMessage `json:"contents,omitempty"`
	Note     string          `json:"note,omitempty"`
}

// PIIArgs are a value to sanitise or restore.
type PIIArgs struct {
	Value json.RawMessage `json:"value"`
	Kinds []string        `json:"kinds,omitempty"`
}

// WireTime writes a time for programs: RFC 3339 in UTC, empty for none.
func WireTime(t time.Time) string {
	if t.IsZero() {
		return ""
	}
	return t.UTC().Truncate(time.Second).Format(time.RFC3339)
}
