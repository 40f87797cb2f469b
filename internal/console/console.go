// Package console is a page in the browser on the server's own functions: a playground
// for searches, a pane that runs programs, the tokens saved, the audit log, and the
// health of the indexes.
//
// In: a running server with its engine and log. Out: routes below /console. Caller:
// `bmcis serve --http`.
//
// The page itself (web/, embedded, plain HTML, CSS and JavaScript modules) holds nothing
// of anybody's and is open to all. All data comes from /console/api/, which is
// authenticated as /mcp is; what an identity may see and do is decided there, by the same
// functions that answer the tools, and never in the page.
package console

import (
	"bytes"
	"context"
	"crypto/sha256"
	"embed"
	"encoding/hex"
	"errors"
	"io/fs"
	"net/http"
	"path"
	"strings"
	"time"

	"github.com/bmcis/bmcis/internal/audit"
	"github.com/bmcis/bmcis/internal/mcpserver"
	"github.com/bmcis/bmcis/search"
)

// Config is what a console shows.
type Config struct {
	Server *mcpserver.Server // required
	Engine *search.Engine    // required
	// Log is the audit log. Nil: the panes that need it say that there is none.
	Log *audit.Store
	// Flush writes what waits to be written into the log, so that a run shows in it at
	// once. Nil: it shows a moment later.
	Flush func(context.Context) error
	// Version is shown. Defaults to "dev".
	Version string
}

// Routes returns what the server answers below /console.
func Routes(cfg Config) ([]mcpserver.Route, error) {
	if cfg.Server == nil || cfg.Engine == nil {
		return nil, errors.New("console: a server and its engine are needed")
	}
	if cfg.Version == "" {
		cfg.Version = "dev"
	}
	page, err := newPage()
	if err != nil {
		return nil, err
	}
	return []mcpserver.Route{
		{Pattern: "/console", Handler: http.RedirectHandler("/console/", http.StatusPermanentRedirect), Open: true},
		{Pattern: "/console/", Handler: page, Open: true},
		{Pattern: "/console/api/", Handler: newAPI(cfg)},
	}, nil
}

//go:embed web
var web embed.FS

// policy lets the page load its own files and call its own server, and nothing else.
const policy = "default-src 'none'; script-src 'self'; style-src 'self'; img-src 'self'; connect-src 'self'; " +
	"base-uri 'none'; form-action 'none'; frame-ancestors 'none'"

// page answers the embedded files.
type page struct{ files map[string]file }

type file struct {
	data      []byte
	kind, tag string
}

var kinds = map[string]string{".html": "text/html; charset=utf-8", ".css": "text/css; charset=utf-8",
	".js": "text/javascript; charset=utf-8", ".svg": "image/svg+xml"}

func newPage() (*page, error) {
	p := &page{files: map[string]file{}}
	err := fs.WalkDir(web, "web", func(name string, d fs.DirEntry, err error) error {
		if err != nil || d.IsDir() {
			return err
		}
		data, err := web.ReadFile(name)
		if err != nil {
			return err
		}
		kind, ok := kinds[path.Ext(name)]
		if !ok {
			return errors.New("console: no content type for " + name)
		}
		sum := sha256.Sum256(data)
		p.files[strings.TrimPrefix(name, "web/")] = file{data, kind, `"` + hex.EncodeToString(sum[:8]) + `"`}
		return nil
	})
	return p, err
}

func (p *page) ServeHTTP(w http.ResponseWriter, r *http.Request) {
	h := w.Header()
	secure(h)
	if r.Method != http.MethodGet && r.Method != http.MethodHead {
		h.Set("Allow", "GET, HEAD")
		http.Error(w, "the console's page is read with GET", http.StatusMethodNotAllowed)
		return
	}
	name := strings.TrimPrefix(r.URL.Path, "/console/")
	if name == "" {
		name = "index.html"
	}
	f, ok := p.files[name]
	if !ok {
		http.Error(w, "the console has no such page; it is at /console/", http.StatusNotFound)
		return
	}
	h.Set("Content-Security-Policy", policy)
	h.Set("Content-Type", f.kind)
	h.Set("ETag", f.tag)
	h.Set("Cache-Control", "no-cache") // asked for again after an upgrade, answered 304 before
	http.ServeContent(w, r, "", time.Time{}, bytes.NewReader(f.data))
}

// secure sets what holds for every answer.
func secure(h http.Header) {
	h.Set("X-Content-Type-Options", "nosniff")
	h.Set("Referrer-Policy", "no-referrer")
	h.Set("Cross-Origin-Opener-Policy", "same-origin")
	h.Set("Cross-Origin-Resource-Policy", "same-origin")
}
