package private

import (
	"context"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"syscall"
	"time"

	"github.com/jackc/pgx/v5"
)

// watch returns when the server has ended: stopped by us for idleness or because
// the context ended, stopped by somebody else, or crashed.
func (s *supervisor) watch(ctx context.Context) {
	// A socket folder outside of BMCIS_HOME goes with the server.
	defer func() {
		if s.socketDir != filepath.Join(s.dir(), "run") {
			os.Remove(s.socketDir)
		}
	}()
	every := 15 * time.Second
	used := time.Now()
	if s.idle, _ = s.lastUse(); s.idle > 0 {
		every = min(every, max(s.idle/10, 50*time.Millisecond))
	}
	if s.exited == nil {
		every = min(every, 250*time.Millisecond) // nobody tells us when an adopted server ends
	}
	tick := time.NewTicker(every)
	defer tick.Stop()
	for {
		select {
		case <-s.exited: // nil, and so never ready, when adopted
			return
		case <-ctx.Done():
			s.stopServer(context.Background())
			return
		case <-tick.C:
		}
		if !s.alive(s.data()) {
			return
		}
		s.rotateLog()
		var at time.Time
		if s.idle, at = s.lastUse(); at.After(used) {
			used = at // shorter than a tick
		}
		if s.inUse() {
			used = time.Now()
		}
		if s.idle > 0 && time.Since(used) >= s.idle && s.stopIdle(ctx) {
			return
		}
	}
}

// noteUse tells the supervisor that the cluster was used just now, and how long it is
// wanted without clients: what the longest-lasting wish since its start says, so that
// `bmcis db start` for something that takes no lock of ours (tests, psql) counts on a
// server that others have started. The caller holds the start lock.
func (c *Cluster) noteUse(started bool) error {
	idle := c.idle
	if before, _ := c.lastUse(); !started && idle > 0 && (before < 0 || before > idle) {
		idle = before
	}
	if err := c.writeFile(c.useFile(), idle.String()); err != nil {
		return fmt.Errorf("note the use of the private database: %w", err)
	}
	return nil
}

// lastUse reads what noteUse wrote; without it, the cluster's own idle time.
func (c *Cluster) lastUse() (idle time.Duration, at time.Time) {
	info, err := os.Stat(c.useFile())
	if err != nil {
		return c.idle, at
	}
	text, err := os.ReadFile(c.useFile())
	if err != nil {
		return c.idle, at
	}
	if idle, err = time.ParseDuration(string(text)); err != nil {
		idle = c.idle // emptied by a crash of the machine
	}
	return idle, info.ModTime()
}

func (c *Cluster) useFile() string { return filepath.Join(c.dir(), "used") }

// inUse reports whether some process holds the cluster.
func (s *supervisor) inUse() bool {
	l := s.clientsLock()
	defer l.Close()
	ok, err := l.TryLock()
	return err != nil || !ok
}

// stopIdle stops the server unless it is in use after all. Both locks are held
// from the last look to the end of the server: who comes now waits, and starts
// it anew.
func (s *supervisor) stopIdle(ctx context.Context) bool {
	start := s.startLock()
	defer start.Close()
	if ok, err := start.TryLock(); err != nil || !ok {
		return false
	}
	clients := s.clientsLock()
	defer clients.Close()
	if ok, err := clients.TryLock(); err != nil || !ok {
		return false
	}
	if s.foreignActivity(ctx) {
		return false
	}
	s.note("no clients for %s: stopping", s.idle)
	s.stopServer(ctx)
	return true
}

// foreignActivity reports clients that hold no lock of ours, such as psql, and
// did something within the idle time.
func (s *supervisor) foreignActivity(ctx context.Context) bool {
	ctx, cancel := context.WithTimeout(ctx, 10*time.Second)
	defer cancel()
	conn, err := pgx.Connect(ctx, dsn(s.socketDir, "postgres"))
	if err != nil {
		return false
	}
	defer conn.Close(ctx)
	var n int
	err = conn.QueryRow(ctx, `select count(*) from pg_stat_activity
		where backend_type = 'client backend' and pid <> pg_backend_pid()
		  and (state <> 'idle' or state_change > now() - $1::interval)`, s.idle).Scan(&n)
	return err == nil && n > 0
}

// stopServer ends the server in an orderly way (clients are cut off, what was
// committed is safe), within a bound.
func (c *Cluster) stopServer(ctx context.Context) error {
	p, err := readPostmaster(c.data())
	if err != nil || !p.alive(c.data()) {
		return nil
	}
	for _, step := range []struct {
		signal syscall.Signal
		limit  time.Duration
	}{{syscall.SIGINT, time.Minute}, {syscall.SIGQUIT, 15 * time.Second}, {syscall.SIGKILL, 5 * time.Second}} {
		if err := syscall.Kill(p.pid, step.signal); err != nil && err != syscall.ESRCH {
			return fmt.Errorf("stop the private database (process %d): %w", p.pid, err)
		}
		if wait(ctx, step.limit, func() bool { return !p.alive(c.data()) }) {
			return nil
		}
		if ctx.Err() != nil {
			return fmt.Errorf("stop the private database: %w", ctx.Err())
		}
	}
	return fmt.Errorf("stop the private database: process %d does not end", p.pid)
}

// heal makes the way free for a new server after a crash. The caller holds the
// supervisor's lock and has seen that no server answers.
func (c *Cluster) heal(ctx context.Context) error {
	data := c.data()
	p, err := readPostmaster(data)
	gone := func() bool { return len(serverProcesses(data)) == 0 }
	if err == nil && p.alive(data) {
		// Started by somebody else, or ending just now.
		if !wait(ctx, 30*time.Second, gone) {
			return fmt.Errorf("a server that we did not start (process %d) holds %s; stop it", p.pid, data)
		}
	}
	// Children of a killed postmaster notice within moments. PostgreSQL refuses to
	// start beside them, rightly.
	if !wait(ctx, 5*time.Second, gone) {
		for _, signal := range []syscall.Signal{syscall.SIGQUIT, syscall.SIGKILL} {
			for _, pid := range serverProcesses(data) {
				syscall.Kill(pid, signal)
			}
			if wait(ctx, 5*time.Second, gone) {
				break
			}
		}
	}
	if !gone() {
		return fmt.Errorf("remains of a crashed server do not end: processes %v", serverProcesses(data))
	}
	// PostgreSQL removes a stale postmaster.pid itself, but not when the process id
	// in it has been given to another process meanwhile, nor when a full disk left
	// it empty. That no process works in the data folder is proof enough then.
	unreadable := err != nil && !errors.Is(err, fs.ErrNotExist)
	if unreadable || p.pid != 0 && syscall.Kill(p.pid, 0) != syscall.ESRCH {
		return removeStale(data)
	}
	return nil
}
