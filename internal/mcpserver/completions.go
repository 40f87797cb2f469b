package mcpserver

import (
	"context"
	"encoding/json"
	"errors"
	"slices"
	"strings"

	"github.com/mark3labs/mcp-go/mcp"

	"github.com/bmcis/bmcis/codeapi"
	"github.com/bmcis/bmcis/search"
)

// maxCompletions is how many values the protocol lets one answer hold.
const maxCompletions = 100

// completer completes the arguments of resource templates: names of one's files, of
// collections, and ids of documents, as far as the caller may read them.
type completer struct{ s *Server }

// CompleteResourceArgument returns the values that begin with what is there. A template or
// an argument that there is not has none.
func (c completer) CompleteResourceArgument(ctx context.Context, template string, a mcp.CompleteArgument, given mcp.CompleteContext) (*mcp.Completion, error) {
	ctx, id, err := c.s.identify(ctx)
	if err != nil {
		return nil, err
	}
	var values []string
	switch {
	case template == fileTemplate && a.Name == "name" && c.s.mayReadFiles(id):
		values, err = c.files(ctx, a.Value)
	case template == documentTemplate && !mayReadDocuments(id):
	case template == documentTemplate && a.Name == "collection":
		values, err = c.collections(ctx, a.Value)
	case template == documentTemplate && a.Name == "id" && given.Arguments["collection"] != "":
		values, err = c.documents(ctx, given.Arguments["collection"], a.Value)
	}
	if err != nil {
		c.s.logger.Error("complete an argument", "template", template, "argument", a.Name, "error", err)
		return nil, errors.New("completions are not available now")
	}
	out := &mcp.Completion{Values: values}
	if len(values) > maxCompletions {
		out.Values, out.HasMore = values[:maxCompletions], true
	}
	if san := c.s.host.Sanitizer(ctx); san != nil {
		out.Values, _ = san.Texts(ctx, out.Values) // safe also when it fails
	}
	return out, nil
}

func (c completer) files(ctx context.Context, prefix string) (names []string, err error) {
	raw, err := c.s.host.Service(ctx, codeapi.MethodListFiles, codeapi.ListFilesArgs{Prefix: prefix, Limit: maxCompletions + 1})
	var f *codeapi.Failure
	if errors.As(err, &f) {
		return nil, nil // a prefix that no name can have
	}
	if err != nil {
		return nil, err
	}
	var list codeapi.FileList
	if err := json.Unmarshal(raw, &list); err != nil {
		return nil, err
	}
	for _, f := range list.Files {
		names = append(names, f.Path)
	}
	return names, nil
}

func (c completer) collections(ctx context.Context, prefix string) (names []string, err error) {
	list, err := c.s.engine.Collections(ctx)
	for _, info := range list {
		if strings.HasPrefix(info.Name, prefix) {
			names = append(names, info.Name)
		}
	}
	slices.Sort(names)
	return names, err
}

// documents are the ids behind the prefix: one that is the prefix is complete already.
func (c completer) documents(ctx context.Context, collection, prefix string) (ids []string, err error) {
	docs, err := c.s.engine.Documents(ctx, collection, prefix, maxCompletions+1)
	if errors.Is(err, search.ErrNotFound) || search.IsInvalidRequest(err) {
		return nil, nil
	}
	for _, d := range docs {
		if !strings.HasPrefix(d.ID, prefix) {
			break // ids are in order
		}
		ids = append(ids, d.ID)
	}
	return ids, err
}
