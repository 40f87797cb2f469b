package load

import (
	"context"
	"encoding/json"
	"fmt"
	"net/http"
	"strings"
	"time"
)

// AwaitReady waits until a server says that it is ready and goes without nothing. When
// limit is over it is enough that it is ready; an error means that it is not.
func AwaitReady(ctx context.Context, url string, limit time.Duration) error {
	client := &http.Client{Timeout: 5 * time.Second}
	last := "no answer"
	for end := time.Now().Add(limit); ; {
		req, err := http.NewRequestWithContext(ctx, http.MethodGet, strings.TrimSuffix(url, "/")+"/readyz", nil)
		if err != nil {
			return err
		}
		var a struct {
			Ready            bool
			Database, Schema string
			Degraded         []string
		}
		resp, err := client.Do(req)
		if err == nil {
			err = json.NewDecoder(resp.Body).Decode(&a)
			resp.Body.Close()
		}
		if err == nil {
			last = fmt.Sprintf("database %s, schema %s", a.Database, a.Schema)
		}
		late := time.Now().After(end)
		switch {
		case err == nil && a.Ready && (len(a.Degraded) == 0 || late):
			return nil
		case late:
			return fmt.Errorf("the server at %s is not ready after %v: %s", url, limit, last)
		}
		if !sleep(ctx, 200*time.Millisecond) {
			return ctx.Err()
		}
	}
}
