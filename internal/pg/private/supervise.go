package private

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"os"
	"os/exec"
	"os/signal"
	"path/filepath"
	"strconv"
	"strings"
	"syscall"
	"time"

	"github.com/jackc/pgx/v5"
)

// The supervisor is this program started again. Its entry is an init, so that
// any program that imports this package can play the part: bmcis, an analyst's
// own, a test binary. Both the name and the variable must be there.
const (
	supervisorName = "database-supervisor"
	supervisorEnv  = "BMCIS_DATABASE_SUPERVISOR"
)

func init() {
	if len(os.Args) == 3 && os.Args[1] == supervisorName && os.Getenv(supervisorEnv) != "" {
		os.Exit(supervisorMain(os.Args[2]))
	}
}

func supervisorMain(words string) int {
	signal.Ignore(syscall.SIGHUP, syscall.SIGPIPE)
	say := os.NewFile(3, "word")
	syscall.CloseOnExec(3)
	word := func(format string, args ...any) {
		if say != nil {
			fmt.Fprintf(say, format, args...)
			say.Close()
			say = nil
		}
	}
	var o order
	if err := json.Unmarshal([]byte(words), &o); err != nil {
		word("%sread the order: %v", wordError, err)
		return 1
	}
	c, err := New(Config{Home: o.Home, Bin: o.Bin})
	if err != nil {
		word("%s%v", wordError, err)
		return 1
	}
	lock := c.supervisorLock()
	defer lock.Close()
	// Somebody may be trying the lock just now to see whether we live.
	if !wait(context.Background(), 300*time.Millisecond, func() bool { ok, _ := lock.TryLock(); return ok }) {
		word(wordBusy)
		return 0
	}
	ctx, stop := signal.NotifyContext(context.Background(), syscall.SIGTERM, syscall.SIGINT)
	defer stop()
	s, err := c.supervise(ctx, o.Adopt)
	if err != nil {
		word("%s%v", wordError, err)
		return 1
	}
	word("%s%s", wordReady, s.socketDir)
	s.watch(ctx)
	return 0
}

// supervisor watches one running server.
type supervisor struct {
	*Cluster
	postmaster
	exited <-chan struct{} // closed when our child ends; nil when adopted
}

// supervise starts the server, or adopts the running one, and returns when it
// takes connections and has our database.
func (c *Cluster) supervise(ctx context.Context, adopt bool) (*supervisor, error) {
	s := &supervisor{Cluster: c}
	if adopt {
		p, err := readPostmaster(c.data())
		if err != nil || !p.alive(c.data()) {
			return nil, errors.New("the server to adopt is gone; try again")
		}
		s.postmaster = p
	} else if err := s.launch(ctx); err != nil {
		return nil, err
	}
	if err := createDatabase(ctx, s.socketDir); err != nil {
		return nil, fmt.Errorf("create database %s: %w", Database, err)
	}
	return s, nil
}

// launch cleans up after a crash, starts the server and waits until it is ready.
func (s *supervisor) launch(ctx context.Context) error {
	c := s.Cluster
	if err := c.heal(ctx); err != nil {
		return err
	}
	id, err := c.serverIdentity()
	if err != nil {
		return err
	}
	dir, err := c.socketFolder(id)
	if err != nil {
		return err
	}
	// Nobody is there (heal has seen to it), so sockets in our folder are stale.
	stale, _ := filepath.Glob(filepath.Join(dir, ".s.PGSQL.*"))
	for _, path := range stale {
		os.Remove(path)
	}
	hba, ident, err := c.writeAccess(id)
	if err != nil {
		return err
	}
	log, err := c.openLog()
	if err != nil {
		return err
	}
	defer log.Close()
	begin, err := log.Seek(0, 2)
	if err != nil {
		return err
	}
	cmd := exec.Command(filepath.Join(c.bin, "postgres"),
		"-D", c.data(), "-k", `"`+strings.ReplaceAll(dir, `"`, `""`)+`"`, "-p", strconv.Itoa(port),
		"-c", "listen_addresses=", "-c", "unix_socket_permissions=0700",
		"-c", "hba_file="+hba, "-c", "ident_file="+ident,
		"-c", "logging_collector=off", "-c", "fsync=on", "-c", "full_page_writes=on")
	cmd.Dir = "/"
	cmd.Env = plainEnv()
	cmd.Stdout, cmd.Stderr = log, log
	cmd.SysProcAttr = id.attributes()
	cmd.SysProcAttr.Setsid = true // a Ctrl-C at the terminal must not stop it
	if err := cmd.Start(); err != nil {
		return err
	}
	exited := make(chan struct{})
	go func() { cmd.Wait(); close(exited) }()
	s.exited = exited
	s.postmaster = postmaster{cmd.Process.Pid, dir}
	if err := s.waitReady(ctx); err != nil {
		if text := c.logSince(begin); text != "" {
			err = fmt.Errorf("%w: %s", err, text)
		}
		return fmt.Errorf("%w; see %s, and `bmcis db restore` for a data folder that cannot be mended", err, c.LogFile())
	}
	return nil
}

// connectLimit is how long a server may take to open its socket. Recovery comes
// after that, and may take longer.
const connectLimit = time.Minute

func (s *supervisor) waitReady(ctx context.Context) error {
	begin := time.Now()
	for pause := 3 * time.Millisecond; ; pause = min(pause*2, 100*time.Millisecond) {
		select {
		case <-s.exited:
			return errors.New("the server ended at once")
		case <-ctx.Done():
			syscall.Kill(s.pid, syscall.SIGINT)
			<-s.exited
			return ctx.Err()
		case <-time.After(pause):
		}
		err := ping(ctx, s.socketDir, "postgres")
		if err == nil {
			return nil
		}
		late := time.Since(begin) > connectLimit
		if !starting(err) && (late || !errors.Is(err, errNotRunning)) && ctx.Err() == nil {
			syscall.Kill(s.pid, syscall.SIGINT)
			<-s.exited
			return err
		}
	}
}

func createDatabase(ctx context.Context, socketDir string) error {
	conn, err := pgx.Connect(ctx, dsn(socketDir, "postgres"))
	if err != nil {
		return err
	}
	defer conn.Close(ctx)
	var exists bool
	if err := conn.QueryRow(ctx, "select exists (select from pg_database where datname = $1)", Database).Scan(&exists); err != nil || exists {
		return err
	}
	_, err = conn.Exec(ctx, "create database "+pgx.Identifier{Database}.Sanitize())
	return err
}

// databaseMissing reports that the server is there and our database is not yet.
func databaseMissing(err error) bool { return sqlState(err) == "3D000" }

// writeAccess writes who may connect: over the socket only, as the users whom
// the kernel vouches for.
func (c *Cluster) writeAccess(id identity) (hba, ident string, err error) {
	hba, ident = filepath.Join(c.dir(), "hba.conf"), filepath.Join(c.dir(), "ident.conf")
	var names strings.Builder
	for _, name := range c.clientNames(id) {
		fmt.Fprintf(&names, "bmcis \"%s\" %s\n", name, User)
	}
	const head = "# Written by bmcis at each start.\n"
	err = errors.Join(
		c.writeFile(hba, head+"local all all peer map=bmcis\nlocal replication all peer map=bmcis\n"),
		c.writeFile(ident, head+names.String()))
	if err != nil {
		return "", "", fmt.Errorf("write access rules: %w", err)
	}
	return hba, ident, nil
}

// writeFile replaces a file of the folder at once, for everybody to read.
func (c *Cluster) writeFile(path, text string) error {
	temp := path + ".new"
	if err := os.WriteFile(temp, []byte(text), 0o644); err != nil {
		return err
	}
	if err := errors.Join(os.Chmod(temp, 0o644), c.giveToOwner(temp)); err != nil {
		return err
	}
	return os.Rename(temp, path)
}
