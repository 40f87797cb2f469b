package ingest

import (
	"net/http"
	"net/http/httptest"
	"strings"
	"testing"

	"github.com/bmcis/bmcis/internal/catalog"
	"github.com/bmcis/bmcis/internal/pg/pgtest"
)

func TestPages(t *testing.T) {
	mux := http.NewServeMux()
	page := func(path, contentType, body string) {
		mux.HandleFunc(path, func(w http.ResponseWriter, _ *http.Request) {
			w.Header().Set("Content-Type", contentType)
			_, _ = w.Write([]byte(body))
		})
	}
	page("/guide", "text/html; charset=iso-8859-1", "<title>Guide</title><nav>menu</nav><main><h1>Caf\xe9</h1><p>text</p></main>")
	page("/notes.md", "text/plain", "# Notes\n\nmarkdown")
	page("/logo", "image/png", "\x89PNG")
	page("/large", "text/html", strings.Repeat("x", maxPageBytes+1))
	mux.Handle("/moved", http.RedirectHandler("/guide", http.StatusFound))
	server := httptest.NewServer(mux)
	defer server.Close()

	pool := pgtest.New(t)
	ix := newIndexer(t, pool, newHashEncoder("a"))
	gone := httptest.NewServer(http.NotFoundHandler())
	gone.Close()
	// Files takes addresses too, as the command line does.
	src := Files(server.URL+"/guide#part", server.URL+"/notes.md", server.URL+"/moved", server.URL+"/logo",
		server.URL+"/large", server.URL+"/missing", gone.URL+"/x")
	r := mustIndex(t, ix, Options{}, src)
	wantCounts(t, r, 3, 0, 0, 0, 4)
	for i, want := range []string{"image/png", "16 MiB", "404", "refused"} {
		if !strings.Contains(r.Failed[i].Reason, want) {
			t.Errorf("failure %v, want %q", r.Failed[i], want)
		}
	}
	col, _ := catalog.Get(t.Context(), pool, "default")
	guide, err := catalog.DocumentByID(t.Context(), pool, col.ID, server.URL+"/guide")
	if err != nil || guide.Title != "Guide" || guide.Text != "# Café\n\ntext\n" || guide.Source != strings.TrimPrefix(server.URL, "http://") {
		t.Errorf("%+v %v", guide, err)
	}
	notes, err := catalog.DocumentByID(t.Context(), pool, col.ID, server.URL+"/notes.md")
	if err != nil || notes.Title != "Notes" {
		t.Errorf("%+v %v", notes, err)
	}
	wantCounts(t, mustIndex(t, ix, Options{}, src), 0, 0, 3, 0, 4)
	// A page that cannot be reached is not gone.
	wantCounts(t, mustIndex(t, ix, Options{Prune: true}, Files(server.URL+"/missing", server.URL+"/guide")), 0, 0, 1, 0, 1)
}
