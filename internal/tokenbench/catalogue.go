package tokenbench

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"math/rand/v2"
	"net"
	"net/http"
	"os"
	"strings"
	"time"

	"github.com/mark3labs/mcp-go/mcp"
	"github.com/mark3labs/mcp-go/server"
)

// A definition is a real server's tool, as it lists it.
type definition struct {
	Name        string          `json:"name"`
	Server      string          `json:"server"`
	Description string          `json:"description"`
	InputSchema json.RawMessage `json:"input_schema"`
}

// drawDefinitions reads a file of definitions, one JSON object a line, and draws n of them
// with a fixed seed; a smaller draw is a part of a larger one.
func drawDefinitions(file string, n int) ([]definition, error) {
	f, err := os.Open(file)
	if err != nil {
		return nil, fmt.Errorf("tool definitions: %w; run this in the source tree, name the file with --catalogue, or leave out (g) with --scenario", err)
	}
	defer f.Close()
	var all []definition
	for dec := json.NewDecoder(f); ; {
		var d definition
		if err := dec.Decode(&d); errors.Is(err, io.EOF) {
			break
		} else if err != nil {
			return nil, fmt.Errorf("%s, after %d tools: %w", file, len(all), err)
		}
		all = append(all, d)
	}
	if len(all) < n {
		return nil, fmt.Errorf("%s has %d tools, (g) needs %d", file, len(all), n)
	}
	r := rand.New(rand.NewPCG(7, 5))
	r.Shuffle(len(all), func(i, j int) { all[i], all[j] = all[j], all[i] })
	return all[:n], nil
}

// serveDefinitions lists definitions over MCP, each under the server that it comes from, on
// a loopback port. It returns each server's address and ends with ctx.
func serveDefinitions(ctx context.Context, list []definition) (map[string]string, error) {
	listener, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		return nil, err
	}
	mux := http.NewServeMux()
	urls, servers := map[string]string{}, map[string]*server.MCPServer{}
	for _, d := range list {
		m := servers[d.Server]
		if m == nil {
			m = server.NewMCPServer(d.Server, "1", server.WithToolCapabilities(false))
			servers[d.Server] = m
			path := "/" + d.Server + "/mcp"
			mux.Handle(path, server.NewStreamableHTTPServer(m, server.WithEndpointPath(path), server.WithStateLess(true)))
			urls[d.Server] = "http://" + listener.Addr().String() + path
		}
		m.AddTool(mcp.NewToolWithRawSchema(d.Name, d.Description, d.InputSchema), func(context.Context, mcp.CallToolRequest) (*mcp.CallToolResult, error) {
			return mcp.NewToolResultError("the benchmark lists this tool of " + d.Server + " and does not run it"), nil
		})
	}
	web := &http.Server{Handler: mux, ReadHeaderTimeout: 10 * time.Second}
	go func() { _ = web.Serve(listener) }()
	context.AfterFunc(ctx, func() { _ = web.Close() })
	return urls, nil
}

// upstreamConfig is the mcpServers JSON with which `bmcis serve` reaches the tracker and the
// listed servers.
func upstreamConfig(bmcis string, trackerArgs []string, urls map[string]string) ([]byte, error) {
	servers := map[string]any{"tracker": map[string]any{"command": bmcis, "args": trackerArgs}}
	for name, url := range urls {
		if strings.EqualFold(name, "tracker") {
			return nil, fmt.Errorf("the catalogue has a server called %s, as the benchmark's own", name)
		}
		servers[name] = map[string]any{"type": "http", "url": url}
	}
	return json.MarshalIndent(map[string]any{"mcpServers": servers}, "", "  ")
}
