package private

import (
	"context"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"strconv"
	"strings"
	"syscall"
	"time"

	"github.com/jackc/pgx/v5"
	"github.com/jackc/pgx/v5/pgconn"
)

// postmaster is what postmaster.pid says: PostgreSQL writes it at start and
// removes it at an orderly end.
type postmaster struct {
	pid       int
	socketDir string
}

func readPostmaster(data string) (postmaster, error) {
	text, err := os.ReadFile(filepath.Join(data, "postmaster.pid"))
	if err != nil {
		return postmaster{}, err
	}
	lines := strings.Split(string(text), "\n")
	pid, err := strconv.Atoi(strings.TrimSpace(lines[0]))
	if err != nil || pid <= 1 {
		return postmaster{}, fmt.Errorf("postmaster.pid says %q instead of a process id", lines[0])
	}
	p := postmaster{pid: pid}
	if len(lines) > 4 {
		p.socketDir = strings.TrimSpace(lines[4])
	}
	return p, nil
}

// alive reports whether the process is a server on this data folder. The id
// alone proves nothing, it may have been given to another process since; a
// server's working folder is its data folder.
func (p postmaster) alive(data string) bool { return worksIn(p.pid, data) }

func worksIn(pid int, data string) bool {
	cwd, err := os.Readlink(fmt.Sprintf("/proc/%d/cwd", pid))
	if err != nil {
		return false
	}
	real, err := filepath.EvalSymlinks(data)
	return err == nil && cwd == real
}

// serverProcesses lists the processes of any server on this data folder: the
// postmaster, and its children, which outlive it for a moment when it is killed.
func serverProcesses(data string) []int {
	entries, err := os.ReadDir("/proc")
	if err != nil {
		return nil
	}
	var pids []int
	for _, e := range entries {
		pid, err := strconv.Atoi(e.Name())
		if err != nil || !worksIn(pid, data) {
			continue
		}
		// Not a shell that somebody opened there.
		if comm, err := os.ReadFile(fmt.Sprintf("/proc/%d/comm", pid)); err == nil && strings.HasPrefix(string(comm), "postgres") {
			pids = append(pids, pid)
		}
	}
	return pids
}

// dsn is the address of the cluster on a socket folder.
func dsn(socketDir, database string) string {
	quote := strings.NewReplacer(`\`, `\\`, `'`, `\'`).Replace
	return fmt.Sprintf("host='%s' port=%d user=%s dbname=%s sslmode=disable", quote(socketDir), port, User, database)
}

var errNotRunning = errors.New("not running")

// ping connects once. errNotRunning means that no server is there; any other
// error that a server is there and refuses or is not ready (see starting).
func ping(ctx context.Context, socketDir, database string) error {
	ctx, cancel := context.WithTimeout(ctx, 5*time.Second)
	defer cancel()
	conn, err := pgx.Connect(ctx, dsn(socketDir, database))
	if err == nil {
		return conn.Close(ctx)
	}
	if errors.Is(err, syscall.ECONNREFUSED) || errors.Is(err, fs.ErrNotExist) {
		return errNotRunning
	}
	return err
}

// starting reports that the server will be ready, or gone, soon.
func starting(err error) bool {
	var server *pgconn.PgError
	return errors.As(err, &server) && server.Code == "57P03" // cannot_connect_now
}

// wait polls until done or the deadline.
func wait(ctx context.Context, limit time.Duration, done func() bool) bool {
	end := time.Now().Add(limit)
	for pause := 2 * time.Millisecond; !done(); pause = min(pause*2, 100*time.Millisecond) {
		if time.Now().After(end) {
			return false
		}
		select {
		case <-ctx.Done():
			return false
		case <-time.After(pause):
		}
	}
	return true
}
