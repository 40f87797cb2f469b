package main

import (
	"context"
	"errors"
	"fmt"
	"io"
	"log/slog"
	"net"
	"os"
	"time"

	"github.com/spf13/cobra"

	"github.com/bmcis/bmcis/internal/console"
	"github.com/bmcis/bmcis/internal/mcpserver"
	"github.com/bmcis/bmcis/sandbox"
	"github.com/bmcis/bmcis/search"
)

func newServeCommand(g *globals) *cobra.Command {
	var opts struct {
		stdio                   bool
		http, tools, collection string
		config                  string
		metrics, logFormat      string
	}
	cmd := &cobra.Command{
		Use:   "serve",
		Short: "Serve agents over MCP, on stdio (default) or streamable HTTP",
		Example: "  bmcis serve --stdio\n" +
			"  bmcis serve --http 127.0.0.1:8737        (clients connect to /mcp)\n" +
			"  bmcis serve --http 0.0.0.0:8737 --config bmcis.json   (with tokens: bmcis tokens create NAME)",
		Long: "Serves agents over the Model Context Protocol. --config FILE names other MCP servers whose\n" +
			"tools programs may call, in the mcpServers JSON that MCP clients share, and beside it:\n\n" +
			"  \"pii\": {\"hide\": [\"*\"], \"kinds\": [\"email\"], \"sinks\": [\"mcp__mail__send\"]}\n" +
			"  \"http\": {\"require_token\": true}\n" +
			"  \"limits\": {\"wall\": \"60s\", \"memory\": \"1GiB\", \"result\": \"64KiB\"}\n\n" +
			"Who comes over stdio or a loopback address without a token is the identity local. Other\n" +
			"addresses take bearer tokens only. The server speaks no TLS: beyond this machine put a\n" +
			"proxy that does in front, and set require_token.",
		Args: args(cobra.NoArgs),
		RunE: func(cmd *cobra.Command, _ []string) error {
			if opts.stdio && opts.http != "" {
				return usagef("give --stdio or --http, not both")
			}
			if err := oneOf("tools", opts.tools, "code", "direct", "both"); err != nil {
				return err
			}
			if opts.http != "" {
				if err := mcpserver.CheckListenAddress(opts.http, true); err != nil {
					return usageError{err}
				}
			}
			cfg, err := loadConfig(opts.config)
			if err != nil {
				return usageError{err}
			}
			watch, err := g.observe(cmd.Context(), opts.logFormat)
			if err != nil {
				return err
			}
			defer watch.Close()
			b, err := g.openBackend(cmd.Context(), cfg)
			if err != nil {
				return err
			}
			defer b.Close()
			engine := b.engine
			if opts.http != "" {
				if err := b.mayListen(cmd.Context(), func(tokens bool) error { return mcpserver.CheckListenAddress(opts.http, tokens) }); err != nil {
					return err
				}
			}
			switch err := engine.CheckCollection(cmd.Context(), opts.collection); {
			case errors.Is(err, search.ErrNotFound):
				// No reason to refuse: it may be indexed while this serves, calls may name
				// another one, and most clients hide why a server did not start.
				fmt.Fprintf(os.Stderr, "bmcis: warning: %v\n", err)
			case search.IsInvalidRequest(err):
				return usagef("--collection: %w", err)
			case err != nil:
				return err
			}
			// The first call should not pay for loading the models.
			warming, stopWarming := context.WithCancel(cmd.Context())
			defer stopWarming()
			var runner *sandbox.Runner // direct tools run no programs
			if tools := mcpserver.Tools(opts.tools); tools != mcpserver.ToolsDirect {
				if runner, err = sandbox.NewRunner(sandbox.Config{Logger: slog.Default(), QueueWait: queueWait}); err != nil {
					return err
				}
				defer runner.Close()
			}
			server, err := mcpserver.New(mcpserver.Config{
				Engine: engine, Runner: runner, Tools: mcpserver.Tools(opts.tools), Version: version(),
				Collection: opts.collection, Services: b.services, Privacy: b.privacy, Log: b.log, Identities: b.people,
				RequireToken: cfg.HTTP.RequireToken, Limits: cfg.limits, CacheDir: cacheDir("tools"),
				Telemetry: watch.recorder, Ready: watch.ready, MetricsApart: opts.metrics != "",
			})
			if err != nil {
				return err
			}
			watch.watch(engine, runner, server)
			if opts.metrics != "" {
				address, err := watch.serveMetrics(cmd.Context(), opts.metrics)
				if err != nil {
					return err
				}
				g.say("metrics at http://%s/metrics", address)
			}
			go func() {
				if err := engine.Warm(warming); err != nil && warming.Err() == nil {
					slog.Warn("models are not ready; searches will say what is degraded", "error", err)
				}
				if err := server.Warm(warming); err != nil && warming.Err() == nil {
					slog.Warn("the search for tools goes by words alone", "error", err)
				}
			}()
			go func() { _ = b.services.Workspace.Run(warming) }() // deletes what has expired; it logs what fails
			if opts.http != "" {
				page := console.Config{Server: server, Engine: engine, Log: b.log, Version: version()}
				if b.services.Audit != nil {
					page.Flush = b.services.Audit.Flush
				}
				routes, err := console.Routes(page)
				if err != nil {
					return err
				}
				return server.ServeHTTP(cmd.Context(), opts.http, func(a net.Addr) {
					g.say("listening on %s, MCP at /mcp, console at /console", a)
				}, routes...)
			}
			return server.ServeStdio(cmd.Context(), os.Stdin, os.Stdout)
		},
	}
	f := cmd.Flags()
	f.BoolVar(&opts.stdio, "stdio", false, "one client on standard input and output (the default)")
	f.StringVar(&opts.http, "http", "", "listen address for streamable HTTP, such as 127.0.0.1:8737")
	f.StringVar(&opts.collection, "collection", search.DefaultCollection, "collection that is searched when a call names none")
	f.StringVar(&opts.config, "config", "", "JSON file with other MCP servers (mcpServers), pii, http and limits")
	f.StringVar(&opts.metrics, "metrics", "", "address of a listener for /metrics alone, without tokens, such as 127.0.0.1:9464")
	f.StringVar(&opts.logFormat, "log-format", "text", "text or json, on standard error")
	f.StringVar(&opts.tools, "tools", "code", "tool table: code, direct or both")
	return cmd
}

// queueWait is how long a program waits for room before its caller hears "busy": longer
// than that, who waits has better things to do.
const queueWait = 5 * time.Second

// closeWithin closes c but does not wait long: a client that went away while the models
// were loading should not see the process linger, and its end frees the rest.
func closeWithin(c io.Closer, limit time.Duration) {
	done := make(chan error, 1)
	go func() { done <- c.Close() }()
	select {
	case <-done:
	case <-time.After(limit):
	}
}
