package upstream

import (
	"context"
	"encoding/json"
	"fmt"
	"strconv"
	"strings"
	"sync/atomic"

	"github.com/mark3labs/mcp-go/mcp"
)

// maxReports is how many reports of progress one call passes on.
const maxReports = 1000

type progressKey struct{}

// WithProgress attaches a function that is told how a call gets on, one line a time, as
// far as its server says so: "3/10 fetching". It is called from other goroutines, and
// never after [Manager.Call] has returned; the server waits for it.
func WithProgress(ctx context.Context, report func(line string)) context.Context {
	return context.WithValue(ctx, progressKey{}, report)
}

// asking is a call that waits for reports.
type asking struct {
	report func(string)
	n      atomic.Int32
}

// askProgress makes a request ask for reports of its progress if its caller wants any.
// done ends them.
func (c *conn) askProgress(ctx context.Context, meta **mcp.Meta) (done func()) {
	report, ok := ctx.Value(progressKey{}).(func(string))
	if !ok {
		return func() {}
	}
	token := "bmcis-" + strconv.FormatInt(c.calls.Add(1), 10)
	*meta = &mcp.Meta{ProgressToken: token}
	c.reports.Lock()
	defer c.reports.Unlock()
	if c.asking == nil {
		c.asking = map[string]*asking{}
	}
	c.asking[token] = &asking{report: report}
	return func() {
		c.reports.Lock()
		defer c.reports.Unlock()
		delete(c.asking, token)
	}
}

// progress passes on what a server reports. What nobody asked for, is too much, or is no
// report is dropped.
func (c *conn) progress(params map[string]any) {
	token, _ := params["progressToken"].(string)
	c.reports.Lock() // held while reporting: nothing comes after done
	defer c.reports.Unlock()
	a, ok := c.asking[token]
	if !ok || a.n.Add(1) > maxReports {
		return
	}
	number := func(key string) string {
		switch n := params[key].(type) {
		case float64:
			return strconv.FormatFloat(n, 'f', -1, 64)
		case json.Number:
			return n.String()
		}
		return ""
	}
	var parts []string
	if at := number("progress"); at != "" {
		if total := number("total"); total != "" {
			at += "/" + total
		}
		parts = append(parts, clip(at, 40))
	}
	if text, _ := params["message"].(string); text != "" {
		parts = append(parts, clip(text, 300))
	}
	if len(parts) > 0 {
		a.report(fmt.Sprint(strings.Join(parts, " ")))
	}
}
