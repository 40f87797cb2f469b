package mcpserver

import (
	"context"
	"encoding/base64"
	"encoding/json"
	"errors"
	"fmt"
	"net/url"
	"slices"
	"strings"
	"time"
	"unicode/utf8"

	"github.com/mark3labs/mcp-go/mcp"
	"github.com/mark3labs/mcp-go/server"

	"github.com/bmcis/bmcis/codeapi"
	"github.com/bmcis/bmcis/codeapi/host"
	"github.com/bmcis/bmcis/internal/identity"
	"github.com/bmcis/bmcis/search"
)

const (
	filesURI     = "bmcis://workspace/"
	documentsURI = "bmcis://documents/"

	fileTemplate     = filesURI + "{+name}"
	documentTemplate = documentsURI + "{collection}/{+id}"
	// resourcePage is how many resources one page lists.
	resourcePage = 100
)

// addResources offers workspace files and documents as resources, by templates; the list
// is made anew for each request, since it is the caller's own.
func (s *Server) addResources() {
	if s.services.Workspace != nil {
		s.mcp.AddResourceTemplate(mcp.NewResourceTemplate(fileTemplate, "Workspace file",
			mcp.WithTemplateTitle("Workspace file"), mcp.WithTemplateIcons(icon("file")),
			mcp.WithTemplateDescription("A file of yours, or HANDLE/NAME of a session")), s.recorded(s.readFileResource))
	}
	s.mcp.AddResourceTemplate(mcp.NewResourceTemplate(documentTemplate, "Document",
		mcp.WithTemplateTitle("Document"), mcp.WithTemplateIcons(icon("file")),
		mcp.WithTemplateDescription("The text of a document of a collection")), s.recorded(s.readDocumentResource))
}

// mayReadFiles and mayReadDocuments say whether a tool would give the identity what a
// resource does: rights on tools hold for both ways.
func (s *Server) mayReadFiles(id identity.Identity) bool {
	return s.services.Workspace != nil && mayCallOne(id, "read_workspace_file", "execute_code")
}

func mayReadDocuments(id identity.Identity) bool {
	return mayCallOne(id, "get_document", "execute_code")
}

func mayCallOne(id identity.Identity, tools ...string) bool {
	return slices.ContainsFunc(tools, func(tool string) bool { return id.MayCall(tool, false) == nil })
}

// resourceCursor is where the next page of resources begins.
type resourceCursor struct {
	Files      bool   `json:"f,omitempty"` // among the files, after After
	Collection string `json:"c,omitempty"` // among the documents of it, after After
	After      string `json:"a,omitempty"`
}

// listResources fills in a page: one's files, then the documents of each collection.
func (s *Server) listResources(ctx context.Context, _ any, request *mcp.ListResourcesRequest, result *mcp.ListResourcesResult) {
	ctx, id, err := s.identify(ctx)
	if err != nil {
		return
	}
	cursor := resourceCursor{Files: true}
	if request.Params.Cursor != "" {
		raw, err := base64.StdEncoding.DecodeString(string(request.Params.Cursor))
		if err != nil || json.Unmarshal(raw, &cursor) != nil {
			return // the library has refused what is no base64; this names no page
		}
	}
	for cursor != (resourceCursor{}) && len(result.Resources) < resourcePage {
		if cursor, err = s.page(ctx, id, cursor, result); err != nil {
			s.logger.Error("list resources", "error", err)
			return
		}
	}
	if cursor != (resourceCursor{}) {
		raw, _ := json.Marshal(cursor) // strings
		result.NextCursor = mcp.Cursor(base64.StdEncoding.EncodeToString(raw))
	}
	if san := s.host.Sanitizer(ctx); san != nil {
		for i := range result.Resources {
			r := &result.Resources[i]
			clean, _ := san.Texts(ctx, []string{r.Name, r.Title, r.URI, r.Description}) // safe also when it fails
			r.Name, r.Title, r.URI, r.Description = clean[0], clean[1], clean[2], clean[3]
		}
	}
}

// page adds what is left of one place and returns where to go on.
func (s *Server) page(ctx context.Context, id identity.Identity, at resourceCursor, result *mcp.ListResourcesResult) (next resourceCursor, err error) {
	room := resourcePage - len(result.Resources)
	if at.Files {
		if s.mayReadFiles(id) {
			raw, err := s.host.Service(ctx, codeapi.MethodListFiles, codeapi.ListFilesArgs{After: at.After, Limit: room})
			if err != nil {
				return next, err
			}
			var list codeapi.FileList
			if err := json.Unmarshal(raw, &list); err != nil {
				return next, err
			}
			for _, f := range list.Files {
				r := mcp.NewResource(filesURI+escapePath(f.Path), f.Name, mcp.WithMIMEType(f.Type))
				r.Title = "File " + f.Name
				r.Size = &f.Size
				result.Resources = append(result.Resources, r)
			}
			if list.Next != "" {
				return resourceCursor{Files: true, After: list.Next}, nil
			}
		}
		at = resourceCursor{}
	}
	if !mayReadDocuments(id) {
		return resourceCursor{}, nil
	}
	if at.Collection == "" || len(result.Resources) >= resourcePage {
		return s.collectionAfter(ctx, at.Collection)
	}
	room = resourcePage - len(result.Resources)
	docs, err := s.engine.Documents(ctx, at.Collection, at.After, room)
	if errors.Is(err, search.ErrNotFound) { // deleted meanwhile
		return s.collectionAfter(ctx, at.Collection)
	}
	if err != nil {
		return next, err
	}
	for _, d := range docs {
		r := mcp.NewResource(documentsURI+url.PathEscape(at.Collection)+"/"+escapePath(d.ID), at.Collection+"/"+d.ID, mcp.WithMIMEType("text/plain"))
		r.Title = d.Title
		r.Size = &d.Bytes
		result.Resources = append(result.Resources, r)
	}
	if len(docs) == room {
		return resourceCursor{Collection: at.Collection, After: docs[len(docs)-1].ID}, nil
	}
	return s.collectionAfter(ctx, at.Collection)
}

// collectionAfter is the beginning of the next collection that the caller may read.
func (s *Server) collectionAfter(ctx context.Context, name string) (resourceCursor, error) {
	list, err := s.engine.Collections(ctx)
	if err != nil {
		return resourceCursor{}, err
	}
	var next resourceCursor
	for _, c := range list { // in the order of bytes, whatever the database's is
		if c.Name > name && (next.Collection == "" || c.Name < next.Collection) {
			next.Collection = c.Name
		}
	}
	return next, nil
}

func escapePath(path string) string {
	parts := strings.Split(path, "/")
	for i, p := range parts {
		parts[i] = url.PathEscape(p)
	}
	return strings.Join(parts, "/")
}

// resourceContent is a resource on its way out, with tokens where data is hidden.
func (s *Server) resourceContent(ctx context.Context, uri, mediaType string, data []byte) ([]mcp.ResourceContents, error) {
	if !utf8.Valid(data) {
		return []mcp.ResourceContents{mcp.BlobResourceContents{URI: uri, MIMEType: mediaType, Blob: base64.StdEncoding.EncodeToString(data)}}, nil
	}
	text := string(data)
	if san := s.host.Sanitizer(ctx); san != nil {
		text, _ = san.Text(ctx, text) // safe also when it fails
	}
	return []mcp.ResourceContents{mcp.TextResourceContents{URI: uri, MIMEType: mediaType, Text: text}}, nil
}

// missing gives what is not there the protocol's error.
func missing(uri string, err error) error {
	var f *codeapi.Failure
	if errors.As(err, &f) && (f.Class == "FileNotFoundError" || f.Class == "ValueError") || errors.Is(err, search.ErrNotFound) {
		return fmt.Errorf("%s: %w: %s", uri, server.ErrResourceNotFound, err.Error())
	}
	return err
}

// missingPrefix before a URI makes it one that no template fits.
const missingPrefix = "missing:"

// markMissing looks whether a resource is there before the library calls its handler: of
// the errors of a handler it makes an internal error, and only for a URI that nothing fits
// it has the code that the protocol's revision wants.
func (s *Server) markMissing(ctx context.Context, _ any, r *mcp.ReadResourceRequest) {
	read := s.readDocumentResource
	switch {
	case strings.HasPrefix(r.Params.URI, filesURI) && s.services.Workspace != nil:
		read = s.readFileResource
	case !strings.HasPrefix(r.Params.URI, documentsURI):
		return
	}
	reading, a, err := s.reading(ctx)
	if err != nil {
		return // the handler will say so
	}
	if _, err := read(reading, *r); errors.Is(err, server.ErrResourceNotFound) {
		if lost := s.recordReading(reading, a, r.Params.URI, err); lost != nil {
			return // the handler will try to record it, too, and answer accordingly
		}
		r.Params.URI = missingPrefix + r.Params.URI
	}
}

// reading is the context in which a resource is read: as by a tool of that name.
func (s *Server) reading(ctx context.Context) (context.Context, *attended, error) {
	ctx, id, err := s.identify(ctx)
	conn := host.ConnectionOf(ctx)
	conn.Tool = string(mcp.MethodResourcesRead)
	a := &attended{id: id, conn: conn, start: time.Now()}
	return context.WithValue(host.WithConnection(ctx, conn), attendedKey{}, a), a, err
}

// recordReading writes a reading of a resource into the audit log.
func (s *Server) recordReading(ctx context.Context, a *attended, uri string, err error) error {
	call := mcp.CallToolRequest{Params: mcp.CallToolParams{Name: a.conn.Tool, Arguments: map[string]any{"uri": uri}}}
	result := &mcp.CallToolResult{IsError: err != nil}
	if err != nil {
		result.Content = []mcp.Content{mcp.NewTextContent(err.Error())}
	}
	return s.record(ctx, call, a, result, nil, s.host.Sanitizer(ctx))
}

// recorded is a handler of resources whose readings are in the audit log. What cannot be
// recorded is not answered.
func (s *Server) recorded(read server.ResourceTemplateHandlerFunc) server.ResourceTemplateHandlerFunc {
	return func(ctx context.Context, r mcp.ReadResourceRequest) ([]mcp.ResourceContents, error) {
		ctx, a, err := s.reading(ctx)
		if err != nil {
			return nil, err
		}
		contents, err := read(ctx, r)
		if lost := s.recordReading(ctx, a, r.Params.URI, err); lost != nil {
			return nil, lost
		}
		return contents, err
	}
}

func (s *Server) readFileResource(ctx context.Context, r mcp.ReadResourceRequest) ([]mcp.ResourceContents, error) {
	ctx, who, err := s.identify(ctx)
	if err != nil {
		return nil, err
	}
	if !s.mayReadFiles(who) {
		refused(ctx)
		return nil, missing(r.Params.URI, search.ErrNotFound)
	}
	name, err := url.PathUnescape(strings.TrimPrefix(r.Params.URI, filesURI))
	if err != nil {
		return nil, missing(r.Params.URI, search.ErrNotFound)
	}
	var data []byte
	for {
		part, err := s.filePart(ctx, codeapi.ReadFileArgs{FileArgs: codeapi.FileArgs{Name: name}, Offset: int64(len(data))})
		if err != nil {
			return nil, missing(r.Params.URI, err)
		}
		data = append(data, part.Data...)
		if int64(len(data)) >= part.Size || len(part.Data) == 0 {
			return s.resourceContent(ctx, r.Params.URI, part.Type, data)
		}
	}
}

func (s *Server) readDocumentResource(ctx context.Context, r mcp.ReadResourceRequest) ([]mcp.ResourceContents, error) {
	ctx, who, err := s.identify(ctx)
	if err != nil {
		return nil, err
	}
	if !mayReadDocuments(who) {
		refused(ctx)
		return nil, missing(r.Params.URI, search.ErrNotFound)
	}
	collection, id, _ := strings.Cut(strings.TrimPrefix(r.Params.URI, documentsURI), "/")
	collection, err1 := url.PathUnescape(collection)
	id, err2 := url.PathUnescape(id)
	if err1 != nil || err2 != nil || collection == "" {
		return nil, missing(r.Params.URI, search.ErrNotFound)
	}
	d, err := s.engine.Document(ctx, collection, id)
	if err != nil {
		if !who.MayRead(collection) {
			refused(ctx)
		}
		return nil, missing(r.Params.URI, err)
	}
	return s.resourceContent(ctx, r.Params.URI, "text/plain", []byte(d.Text))
}
