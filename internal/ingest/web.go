package ingest

import (
	"context"
	"errors"
	"fmt"
	"io"
	"iter"
	"mime"
	"net/http"
	"net/url"
	"path"
	"strings"
	"time"

	"github.com/bmcis/bmcis/internal/chunk"
)

const (
	maxPageBytes = 16 << 20
	pageTimeout  = 30 * time.Second
)

// URL reads web pages by their addresses: HTML, Markdown and plain text, 16 MiB and
// 30 seconds at most each, up to ten redirects. It reads these pages only and follows
// no links. A document's id is its address; its source is the host.
func URL(urls ...string) Source {
	return &pages{urls: urls, client: &http.Client{Timeout: pageTimeout}}
}

type pages struct {
	urls   []string
	client *http.Client
}

func isURL(s string) bool {
	return strings.HasPrefix(s, "http://") || strings.HasPrefix(s, "https://")
}

func (p *pages) Count(context.Context) int { return len(p.urls) }

func (p *pages) Scopes() []Scope {
	var scopes []Scope
	for _, u := range p.urls {
		scopes = append(scopes, Scope{URI: u})
	}
	return scopes
}

func (p *pages) Documents(ctx context.Context) iter.Seq2[Document, error] {
	return func(yield func(Document, error) bool) {
		for _, u := range p.urls {
			d, err := p.fetch(ctx, u)
			if ctx.Err() != nil {
				err = ctx.Err()
			} else if err != nil {
				err = &Failure{ID: u, Reason: err.Error(), uri: u}
			}
			if !yield(d, err) {
				return
			}
		}
	}
}

func (p *pages) fetch(ctx context.Context, address string) (Document, error) {
	u, err := url.Parse(address)
	if err != nil || u.Host == "" || !isURL(address) {
		return Document{}, fmt.Errorf("is not an http or https address")
	}
	u.Fragment = ""
	req, err := http.NewRequestWithContext(ctx, http.MethodGet, u.String(), nil)
	if err != nil {
		return Document{}, err
	}
	req.Header.Set("User-Agent", "bmcis")
	req.Header.Set("Accept", "text/html, text/markdown, text/plain;q=0.9")
	resp, err := p.client.Do(req)
	var named *url.Error
	if errors.As(err, &named) {
		err = named.Err // the address is said already
	}
	if err != nil {
		return Document{}, fmt.Errorf("cannot be fetched: %w", err)
	}
	defer resp.Body.Close()
	if resp.StatusCode != http.StatusOK {
		return Document{}, fmt.Errorf("the server answered %s", resp.Status)
	}
	contentType := resp.Header.Get("Content-Type")
	format, err := pageFormat(contentType, u.Path)
	if err != nil {
		return Document{}, err
	}
	data, err := io.ReadAll(io.LimitReader(resp.Body, maxPageBytes+1))
	if err != nil {
		return Document{}, fmt.Errorf("read page: %w", err)
	}
	if len(data) > maxPageBytes {
		return Document{}, fmt.Errorf("the page has more than %d MiB", maxPageBytes>>20)
	}
	text, err := decodeText(data, format, contentType)
	if err != nil {
		return Document{}, err
	}
	return Document{ID: u.String(), URI: u.String(), Source: u.Host, Text: text, Format: format, fallbackTitle: path.Base(u.Path)}, nil
}

func pageFormat(contentType, urlPath string) (string, error) {
	media, _, err := mime.ParseMediaType(contentType)
	if err != nil {
		media = "text/html"
	}
	switch media {
	case "text/html", "application/xhtml+xml":
		return chunk.HTML, nil
	case "text/markdown":
		return chunk.Markdown, nil
	case "text/plain":
		if f := formats[strings.ToLower(path.Ext(urlPath))]; f != "" {
			return f, nil
		}
		return chunk.Text, nil
	}
	return "", fmt.Errorf("the page is %s; HTML, Markdown and plain text are read", media)
}
