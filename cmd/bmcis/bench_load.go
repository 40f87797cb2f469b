package main

import (
	"bufio"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"os"
	"os/exec"
	"regexp"
	"strconv"
	"strings"
	"syscall"
	"time"

	"github.com/spf13/cobra"

	"github.com/bmcis/bmcis/internal/load"
)

func newBenchLoadCommand(g *globals) *cobra.Command {
	var o load.Options
	var opts struct {
		mix, queries, plot string
		findRate           bool
		p95                time.Duration
		json               bool
	}
	cmd := &cobra.Command{
		Use:   "load",
		Short: "Load a server with many users: latency, errors, refusals, memory, tokens",
		Long: "Runs virtual users against one server, each with an MCP session of its own over HTTP.\n" +
			"Without --url a server is started on a free port for the run, on the database that the\n" +
			"flags name. A closed loop (--users, --think) or an arrival rate (--rate); with\n" +
			"--find-rate the highest rate at which p95 stays below --p95 and nothing fails or is\n" +
			"refused, where each step takes --duration. Calls that the server refuses for want of\n" +
			"room (429, busy) are counted apart from errors. Scenarios for --mix:\n\n" + load.Describe() +
			"\nExit code 1: errors, or the server died in the middle, which ends the run.",
		Example: "  bmcis bench load --users 50 --think 30s --ramp 5s --duration 5m --plot load.svg\n" +
			"  bmcis bench load --rate 5 --duration 1m --mix search=70,rerank=30\n" +
			"  bmcis bench load --find-rate --duration 30s\n" +
			"  bmcis bench load --url http://server:8737 --token-file token --users 500 --think 30s",
		Args: args(cobra.NoArgs),
	}
	var tokenFile string
	cmd.RunE = func(cmd *cobra.Command, _ []string) (err error) {
		ctx := cmd.Context()
		if o.Users < 1 || o.Rate < 0 || o.Think < 0 || o.Ramp < 0 || o.Duration <= o.Ramp {
			return usagef("--users must be at least 1, --rate and --think at least 0, and --duration longer than --ramp")
		}
		if o.Rate > 0 && cmd.Flags().Changed("think") {
			return usagef("--rate and --think do not go together: at a rate nobody waits for answers")
		}
		if o.Mix, err = parseMix(opts.mix); err != nil {
			return err
		}
		if opts.queries != "" {
			if o.Queries, err = readQueries(opts.queries); err != nil {
				return fmt.Errorf("--queries: %w", err)
			}
		}
		if tokenFile != "" {
			raw, err := os.ReadFile(tokenFile)
			if err != nil {
				return fmt.Errorf("--token-file: %w", err)
			}
			o.Token = strings.TrimSpace(string(raw))
		}
		if !g.quiet {
			o.Progress = func(line string) { fmt.Fprintln(os.Stderr, line) }
		}
		if o.URL == "" {
			tools := "code"
			if o.Mix["direct"] > 0 {
				tools = "both"
			}
			flags := []string{"--tools", tools}
			if o.Collection != "" {
				flags = append(flags, "--collection", o.Collection)
			}
			s, err := g.startServer(ctx, flags...)
			if err != nil {
				return err
			}
			defer s.stop()
			o.URL, o.PID, o.Exited = s.url, s.cmd.Process.Pid, s.exited
		}
		out := cmd.OutOrStdout()
		if opts.findRate {
			best, steps, err := load.HighestRate(ctx, o, opts.p95)
			if opts.json {
				_ = json.NewEncoder(out).Encode(map[string]any{"highest_rate_per_s": best, "p95_limit_ms": opts.p95.Milliseconds(), "steps": steps})
			} else {
				fmt.Fprintf(out, "%10s %10s %10s %8s %8s  %s\n", "rate /s", "accepted/s", "p95 ms", "refused", "load", "")
				for _, s := range steps {
					fmt.Fprintf(out, "%10.3g %10.2f %10.0f %8d %8.1f  %s\n", s.Rate, s.Accepted, s.P95, s.Refused, s.Load, s.Why)
				}
				fmt.Fprintf(out, "highest rate with p95 below %v: %.3g a second\n", opts.p95, best)
			}
			return err
		}
		p, err := load.Run(ctx, o)
		if err != nil {
			return err
		}
		if opts.plot != "" {
			if err := os.WriteFile(opts.plot, []byte(load.Plot(p)), 0o644); err != nil {
				return fmt.Errorf("write the plot: %w", err)
			}
		}
		if opts.json {
			err = json.NewEncoder(out).Encode(p)
		} else {
			_, err = fmt.Fprint(out, p)
		}
		switch {
		case err != nil:
			return err
		case p.Died != nil:
			return fmt.Errorf("the server died after %.1f s: %s", p.Died.AtSeconds, p.Died.Why)
		case p.ErrorRate > 0:
			return fmt.Errorf("%.2f %% of the calls failed", 100*p.ErrorRate)
		case p.Accepted == 0:
			return errors.New("no call was answered")
		}
		return nil
	}
	f := cmd.Flags()
	f.StringVar(&o.URL, "url", "", "server to load, such as http://127.0.0.1:8737 (default: one that is started for the run)")
	f.StringVar(&tokenFile, "token-file", "", "file with a bearer token for --url")
	f.IntVar(&o.PID, "pid", 0, "process of --url on this machine, to read its memory and processor time")
	f.IntVar(&o.Users, "users", 50, "virtual users")
	f.DurationVar(&o.Think, "think", 30*time.Second, "mean time between an answer and the same user's next call")
	f.Float64Var(&o.Rate, "rate", 0, "calls a second, arriving at random, instead of a closed loop")
	f.DurationVar(&o.Ramp, "ramp", 0, "time in which users start, or the rate rises")
	f.DurationVar(&o.Duration, "duration", time.Minute, "length of the run, or of each step of --find-rate")
	f.StringVar(&opts.mix, "mix", "", "how often each scenario is chosen, such as search=70,rerank=30")
	f.StringVar(&opts.queries, "queries", "", "file of queries, a line each (default: titles and headings of the collection)")
	f.StringVar(&o.Collection, "collection", "", "collection to ask (default: the server's)")
	f.DurationVar(&o.Timeout, "timeout", time.Minute, "time for one call")
	f.Uint64Var(&o.Seed, "seed", 1, "of all random choices")
	f.BoolVar(&opts.findRate, "find-rate", false, "find the highest rate that holds --p95")
	f.DurationVar(&opts.p95, "p95", 2*time.Second, "what --find-rate holds")
	f.StringVar(&opts.plot, "plot", "", "also write a plot to this SVG file")
	f.BoolVar(&opts.json, "json", false, "print as JSON")
	return cmd
}

func parseMix(text string) (map[string]int, error) {
	if text == "" {
		return load.DefaultMix(), nil
	}
	mix := map[string]int{}
	for part := range strings.SplitSeq(text, ",") {
		name, number, _ := strings.Cut(part, "=")
		n, err := strconv.Atoi(strings.TrimSpace(number))
		if err != nil {
			return nil, usagef("--mix %q: write scenario=number, such as search=70,rerank=30", text)
		}
		mix[strings.TrimSpace(name)] = n
	}
	if err := load.CheckMix(mix); err != nil {
		return nil, usagef("--mix: %w", err)
	}
	return mix, nil
}

// ownServer is a server that a benchmark has started.
type ownServer struct {
	cmd    *exec.Cmd
	url    string
	exited chan struct{} // closed when the process has ended
}

// startServer starts this program as a server on a free port and waits until it is ready
// and its models are loaded.
func (g *globals) startServer(ctx context.Context, flags ...string) (*ownServer, error) {
	self, err := os.Executable()
	if err != nil {
		return nil, err
	}
	s := &ownServer{exited: make(chan struct{})}
	s.cmd = exec.Command(self, append([]string{"serve", "--http", "127.0.0.1:0", "--log-level", "error"}, flags...)...)
	s.cmd.Env = os.Environ()
	if g.dsn != "" {
		s.cmd.Env = append(s.cmd.Env, "BMCIS_DATABASE_URL="+g.dsn) // not a flag: others see those
	}
	stderr, err := s.cmd.StderrPipe()
	if err != nil {
		return nil, err
	}
	if err := s.cmd.Start(); err != nil {
		return nil, fmt.Errorf("start a server: %w", err)
	}
	address := make(chan string, 1)
	read := make(chan struct{})
	go func() { // until the end, so that the server never blocks on its log
		defer close(read)
		listening := regexp.MustCompile(`listening on ([^\s,]+)`)
		lines := bufio.NewScanner(stderr)
		for lines.Scan() {
			if m := listening.FindStringSubmatch(lines.Text()); m != nil {
				address <- m[1]
			} else {
				fmt.Fprintln(os.Stderr, "server: "+lines.Text())
			}
		}
		_, _ = io.Copy(io.Discard, stderr)
	}()
	go func() {
		<-read
		_ = s.cmd.Wait()
		close(s.exited)
	}()
	select {
	case a := <-address:
		s.url = "http://" + a
	case <-s.exited:
		return nil, errors.New("the server ended before it listened; its words are above")
	case <-ctx.Done():
		s.stop()
		return nil, ctx.Err()
	}
	if err := load.AwaitReady(ctx, s.url, time.Minute); err != nil {
		s.stop()
		return nil, err
	}
	return s, nil
}

// stop asks the server to end, and kills it when it takes longer than ten seconds.
func (s *ownServer) stop() {
	_ = s.cmd.Process.Signal(syscall.SIGTERM)
	select {
	case <-s.exited:
	case <-time.After(10 * time.Second):
		_ = s.cmd.Process.Kill()
		<-s.exited
	}
}
