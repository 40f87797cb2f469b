package private

import (
	"context"
	"errors"
	"io/fs"
	"os"
	"time"
)

// Status is what there is to say about a cluster without starting it.
type Status struct {
	Exists    bool   // has a data folder
	Running   bool   // a server process lives
	Ready     bool   // and takes connections
	PID       int    // of the server, when running
	DSN       string // when running
	Data, Log string // paths
}

// Status looks at the cluster and changes nothing.
func (c *Cluster) Status(ctx context.Context) Status {
	s := Status{Data: c.data(), Log: c.LogFile()}
	if _, err := os.Stat(c.data()); err == nil {
		s.Exists = true
	}
	p, err := readPostmaster(c.data())
	if err != nil || !p.alive(c.data()) {
		return s
	}
	s.Running, s.PID, s.DSN = true, p.pid, dsn(p.socketDir, Database)
	s.Ready = ping(ctx, p.socketDir, Database) == nil
	return s
}

// Stop ends the server, with clients or without; what was committed is safe, and
// the next Ensure starts it again. It reports whether there was one.
func (c *Cluster) Stop(ctx context.Context) (was bool, err error) {
	if _, err := os.Stat(c.dir()); errors.Is(err, fs.ErrNotExist) {
		return false, nil
	}
	start := c.startLock()
	defer start.Close()
	if _, err := start.TryLockContext(ctx, 10*time.Millisecond); err != nil {
		return false, c.lockError(start.Path(), err)
	}
	p, err := readPostmaster(c.data())
	switch {
	case errors.Is(err, fs.ErrNotExist):
		return false, nil
	case errors.Is(err, fs.ErrPermission):
		return false, c.notOurs()
	case err != nil || !p.alive(c.data()):
		return false, nil
	}
	if err := c.stopServer(ctx); err != nil {
		return true, err
	}
	wait(ctx, 5*time.Second, func() bool { return !c.supervised() })
	return true, nil
}
