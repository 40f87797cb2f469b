package private

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"os"
	"os/exec"
	"strings"
	"syscall"
	"time"

	"github.com/gofrs/flock"

	"github.com/bmcis/bmcis/internal/home"
)

// startLimit bounds how long a caller waits for a server that lives and says
// that it is starting: recovery after a crash replays at most a few GB.
const startLimit = 5 * time.Minute

// crashLimit bounds the same while it only breaks connections off, as it does
// for a moment when one of its processes has crashed.
const crashLimit = 30 * time.Second

// ensureRunning returns the DSN of the running server, started if need be. The
// caller holds the clients lock, so nobody stops it for idleness meanwhile.
func (c *Cluster) ensureRunning(ctx context.Context) (string, error) {
	start := c.startLock()
	defer start.Close()
	begin := time.Now()
	for {
		if _, err := start.TryLockContext(ctx, 10*time.Millisecond); err != nil {
			return "", c.lockError(start.Path(), err)
		}
		dsn, again, err := c.attempt(ctx)
		if !again {
			return dsn, err
		}
		start.Unlock() // whoever starts or stops the server may need it
		waited := time.Since(begin)
		if err != nil && waited > crashLimit {
			return "", fmt.Errorf("connect to the private database: %w; see %s", err, c.LogFile())
		}
		if waited > startLimit {
			return "", fmt.Errorf("private database does not become ready in %s; see %s", startLimit, c.LogFile())
		}
		select {
		case <-ctx.Done():
			return "", fmt.Errorf("wait for the private database: %w", ctx.Err())
		case <-time.After(50 * time.Millisecond):
		}
	}
}

// attempt looks once at the state of things under the start lock and does what
// it asks for; again means that the state will change by itself, err then says
// what is wrong meanwhile, if anything.
func (c *Cluster) attempt(ctx context.Context) (address string, again bool, err error) {
	supervised := c.supervised()
	p, err := readPostmaster(c.data())
	if err == nil && p.alive(c.data()) && p.socketDir != "" {
		err := ping(ctx, p.socketDir, Database)
		switch {
		case err == nil && supervised:
			return dsn(p.socketDir, Database), false, c.noteUse(false)
		case err == nil, databaseMissing(err):
			// Its supervisor was killed, maybe before it had made the database.
			return c.spawn(ctx, true)
		case starting(err), errors.Is(err, errNotRunning):
			return "", true, nil
		case ctx.Err() != nil:
			return "", false, ctx.Err()
		case sqlState(err) == "":
			return "", true, err // not the server's word: it has crashed or is about to end
		default:
			return "", false, fmt.Errorf("connect to the private database: %w", err)
		}
	}
	if supervised {
		return "", true, nil // it is starting the server, or has yet to notice its end
	}
	if err := c.create(ctx); err != nil {
		return "", false, err
	}
	return c.spawn(ctx, false)
}

// supervised reports whether a supervisor lives.
func (c *Cluster) supervised() bool {
	l := c.supervisorLock()
	defer l.Close()
	ok, err := l.TryLock()
	return err == nil && !ok
}

// order is what the supervisor is told on its command line.
type order struct {
	Home  string `json:"home"`
	Bin   string `json:"bin"`
	Adopt bool   `json:"adopt"` // the server runs already
}

// spawn starts a supervisor and waits for its word. It lives on in a session of
// its own when this process ends.
func (c *Cluster) spawn(ctx context.Context, adopt bool) (address string, again bool, err error) {
	self, err := os.Executable()
	if err != nil {
		return "", false, fmt.Errorf("start the private database: %w", err)
	}
	if _, err := os.Stat(self); err != nil {
		self = "/proc/self/exe" // replaced by an update, or `go run` has removed it
	}
	if err := c.noteUse(!adopt); err != nil {
		return "", false, err
	}
	words, err := json.Marshal(order{c.home, c.bin, adopt})
	if err != nil {
		return "", false, err
	}
	read, write, err := os.Pipe()
	if err != nil {
		return "", false, fmt.Errorf("start the private database: %w", err)
	}
	defer read.Close()
	cmd := exec.Command(self, supervisorName, string(words))
	cmd.Dir = "/"
	cmd.Env = append(plainEnv(), supervisorEnv+"=1")
	cmd.ExtraFiles = []*os.File{write}
	cmd.SysProcAttr = &syscall.SysProcAttr{Setsid: true}
	err = cmd.Start()
	write.Close()
	if err != nil {
		return "", false, fmt.Errorf("start the private database's supervisor: %w", err)
	}
	go cmd.Wait() // no zombie, should it end before us
	word, err := readWord(ctx, read)
	if err != nil {
		return "", false, fmt.Errorf("start the private database: %w", err)
	}
	switch {
	case word == wordBusy:
		return "", true, nil
	case strings.HasPrefix(word, wordReady):
		return dsn(strings.TrimPrefix(word, wordReady), Database), false, nil
	case word == "":
		return "", false, fmt.Errorf("start the private database: its supervisor ended without a word; see %s", c.LogFile())
	default:
		return "", false, fmt.Errorf("start the private database: %s", strings.TrimPrefix(word, wordError))
	}
}

// What a supervisor says on its pipe.
const (
	wordReady = "ready " // followed by the socket folder
	wordBusy  = "busy"   // another supervisor is there
	wordError = "error " // followed by the reason
)

func readWord(ctx context.Context, r *os.File) (string, error) {
	stop := context.AfterFunc(ctx, func() { r.SetReadDeadline(time.Now()) })
	defer stop()
	data, err := io.ReadAll(r)
	if err != nil && ctx.Err() != nil {
		err = ctx.Err()
	}
	return strings.TrimSpace(string(data)), err
}

// makeFolders makes home and home/postgres. Others may enter but not list the
// latter: the server's user must get through to its data.
func (c *Cluster) makeFolders() error {
	if err := home.MakeFolder(c.home); err != nil {
		return err
	}
	err := os.Mkdir(c.dir(), 0o711)
	if err == nil {
		err = errors.Join(os.Chmod(c.dir(), 0o711), c.giveToOwner(c.dir())) // whatever the umask
	}
	if errors.Is(err, fs.ErrExist) {
		err = nil
	}
	if err == nil && os.Geteuid() == 0 {
		// The owner of the folder must be able to open what root makes first.
		for _, l := range []*flock.Flock{c.clientsLock(), c.startLock(), c.supervisorLock()} {
			f, e := os.OpenFile(l.Path(), os.O_CREATE|os.O_RDONLY, 0o600)
			if e == nil {
				e = errors.Join(c.giveToOwner(l.Path()), f.Close())
			}
			err = errors.Join(err, e)
		}
	}
	if err != nil {
		return fmt.Errorf("make data folder: %w; set %s to a folder that you may write", err, home.EnvHome)
	}
	return nil
}

// lockError explains a lock that cannot be taken.
func (c *Cluster) lockError(path string, err error) error {
	if errors.Is(err, fs.ErrPermission) {
		return c.notOurs()
	}
	return fmt.Errorf("lock %s: %w", path, err)
}

// notOurs says whose the cluster is.
func (c *Cluster) notOurs() error {
	uid, _, err := owner(c.dir())
	if err != nil {
		return fmt.Errorf("look at the data folder: %w", err)
	}
	return fmt.Errorf("data folder %s belongs to %s; run as that user or as root, or set BMCIS_HOME to a folder of your own", c.dir(), userName(uid))
}

// giveToOwner lets root leave files in a user's data folder to that user.
func (c *Cluster) giveToOwner(path string) error {
	if os.Geteuid() != 0 {
		return nil
	}
	uid, gid, err := owner(c.home)
	if err != nil || uid == 0 {
		return err
	}
	return os.Lchown(path, uid, gid)
}

func owner(path string) (uid, gid int, err error) {
	info, err := os.Stat(path)
	if err != nil {
		return 0, 0, err
	}
	st := info.Sys().(*syscall.Stat_t)
	return int(st.Uid), int(st.Gid), nil
}

// plainEnv is our environment without what would change PostgreSQL's ways.
func plainEnv() []string {
	env := []string{"LC_ALL=C", "TZ=UTC"}
	for _, kv := range os.Environ() {
		name, _, _ := strings.Cut(kv, "=")
		switch {
		case strings.HasPrefix(name, "PG"), strings.HasPrefix(name, "LC_"), name == "LANG", name == "TZ", name == supervisorEnv:
		default:
			env = append(env, kv)
		}
	}
	return env
}
