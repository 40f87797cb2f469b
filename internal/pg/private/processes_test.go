package private

import (
	"bufio"
	"context"
	"fmt"
	"io"
	"os"
	"os/exec"
	"os/user"
	"path/filepath"
	"strconv"
	"strings"
	"syscall"
	"testing"
	"time"
)

// The test binary plays other processes: with BMCIS_TEST_ROLE=hold it takes hold
// of the cluster in BMCIS_TEST_DIR, says where it is, and lets go when its
// standard input ends.
func TestMain(m *testing.M) {
	if os.Getenv("BMCIS_TEST_ROLE") == "hold" {
		os.Exit(holdMain())
	}
	os.Exit(m.Run())
}

func holdMain() int {
	idle, _ := time.ParseDuration(os.Getenv("BMCIS_TEST_IDLE"))
	c, err := New(Config{Home: os.Getenv("BMCIS_TEST_DIR"), Bin: os.Getenv("BMCIS_TEST_PG_BIN"), Idle: idle})
	if err == nil {
		var dsn string
		if dsn, _, err = c.Ensure(context.Background()); err == nil {
			fmt.Printf("pid=%d %s\n", c.Status(context.Background()).PID, dsn)
			io.Copy(io.Discard, os.Stdin)
			return 0
		}
	}
	fmt.Printf("error: %v\n", err)
	return 1
}

// holder is another process that uses a cluster.
type holder struct {
	cmd   *exec.Cmd
	stdin io.Closer
	line  string // what it said
}

// hold starts a process that uses the cluster of home. as, when not nil, is the
// user that it runs as; program the test binary or a copy of it.
func hold(t *testing.T, program, homeDir string, idle time.Duration, as *syscall.Credential) *holder {
	t.Helper()
	cmd := exec.Command(program)
	cmd.Env = append(os.Environ(), "BMCIS_TEST_ROLE=hold", "BMCIS_TEST_DIR="+homeDir,
		"BMCIS_TEST_PG_BIN="+bin(t), "BMCIS_TEST_IDLE="+idle.String())
	cmd.Dir = "/"
	cmd.SysProcAttr = &syscall.SysProcAttr{Credential: as}
	stdin, err := cmd.StdinPipe()
	if err != nil {
		t.Fatal(err)
	}
	stdout, err := cmd.StdoutPipe()
	if err != nil {
		t.Fatal(err)
	}
	cmd.Stderr = os.Stderr
	if err := cmd.Start(); err != nil {
		t.Fatal(err)
	}
	h := &holder{cmd: cmd, stdin: stdin}
	t.Cleanup(h.end)
	h.line, _ = bufio.NewReader(stdout).ReadString('\n')
	h.line = strings.TrimSpace(h.line)
	return h
}

func (h *holder) end() {
	h.stdin.Close()
	h.cmd.Wait()
}

func (h *holder) kill() {
	h.cmd.Process.Kill()
	h.cmd.Wait()
}

func self(t *testing.T) string {
	t.Helper()
	path, err := os.Executable()
	if err != nil {
		t.Fatal(err)
	}
	return path
}

func TestEightProcessesShareOneCluster(t *testing.T) {
	t.Parallel()
	c := cluster(t, folder(t))
	lines := make(chan string)
	for range 8 {
		go func() { lines <- hold(t, self(t), c.home, time.Minute, nil).line }()
	}
	first := <-lines
	if !strings.HasPrefix(first, "pid=") {
		t.Fatal(first)
	}
	for range 7 {
		if line := <-lines; line != first {
			t.Errorf("one process sees %q, another %q", first, line)
		}
	}
	made, _ := filepath.Glob(filepath.Join(c.dir(), newPrefix+"*"))
	if len(made) != 0 {
		t.Errorf("left behind: %v", made)
	}
}

func TestStopsWhenIdleAndNotBefore(t *testing.T) {
	t.Parallel()
	c := cluster(t, folder(t))
	const idle = 1200 * time.Millisecond
	a := hold(t, self(t), c.home, idle, nil)
	b := hold(t, self(t), c.home, idle, nil)
	a.kill() // a killed client counts as gone
	time.Sleep(2 * idle)
	if !c.Status(t.Context()).Ready {
		t.Fatalf("stopped under a client; clients said %q, %q", a.line, b.line)
	}
	begin := time.Now()
	b.end()
	if !wait(t.Context(), 20*time.Second, func() bool { return !c.Status(t.Context()).Running && !c.supervised() }) {
		t.Fatal("does not stop when idle")
	}
	t.Logf("stopped %s after the last client", time.Since(begin).Round(10*time.Millisecond))
	if took := time.Since(begin); took < idle {
		t.Errorf("stopped after %s, before the idle time %s", took, idle)
	}
	ensure(t, c)
}

// Who starts a cluster that runs already, and wants it for longer, gets it for longer,
// counted from then; who wants it for less takes nothing away.
func TestTheLongestWishHolds(t *testing.T) {
	t.Parallel()
	c := cluster(t, folder(t))
	use := func(idle time.Duration) time.Time {
		t.Helper()
		c.idle = idle
		_, release, err := c.Ensure(t.Context())
		if err != nil {
			t.Fatal(err)
		}
		release()
		return time.Now()
	}
	const short, long = 500 * time.Millisecond, 5 * time.Second
	use(short)
	use(long)
	from := use(short)
	if !wait(t.Context(), 30*time.Second, func() bool { return !c.Status(t.Context()).Running }) {
		t.Fatal("does not stop afterwards")
	}
	if took := time.Since(from); took < long {
		t.Errorf("stopped %s after the last use, although %s were wanted", took, long)
	}
	// A new server knows nothing of old wishes.
	use(short)
	if idle, _ := c.lastUse(); idle != short {
		t.Errorf("the wish for %s outlived its server: %s", long, idle)
	}
}

func TestForeignClientAtWorkIsNotCutOff(t *testing.T) {
	t.Parallel()
	c := cluster(t, folder(t))
	c.idle = 500 * time.Millisecond
	dsn, release, err := c.Ensure(t.Context())
	if err != nil {
		t.Fatal(err)
	}
	done := make(chan string)
	go func() { done <- one(t, dsn, "select 'slept' from pg_sleep(3)") }()
	time.Sleep(100 * time.Millisecond)
	release()
	if got := <-done; got != "slept" {
		t.Errorf("got %q", got)
	}
	if !wait(t.Context(), 20*time.Second, func() bool { return !c.Status(t.Context()).Running }) {
		t.Error("does not stop afterwards")
	}
}

func TestEverythingKilledAtOnce(t *testing.T) {
	t.Parallel()
	c := cluster(t, folder(t))
	h := hold(t, self(t), c.home, time.Minute, nil)
	dsn := ensure(t, c)
	for _, pid := range []int{supervisorPID(t, c), c.Status(t.Context()).PID, h.cmd.Process.Pid} {
		if err := syscall.Kill(pid, syscall.SIGKILL); err != nil {
			t.Fatal(err)
		}
	}
	if again := ensure(t, c); again != dsn {
		t.Errorf("%s, before %s", again, dsn)
	}
	one(t, dsn, "select 'back'")
}

func TestUserWithoutAName(t *testing.T) {
	t.Parallel()
	nobody(t) // only root can try this
	dir := folder(t)
	who := &syscall.Credential{Uid: 54321, Gid: 54321}
	homeDir := filepath.Join(dir, "home")
	if err := os.Mkdir(homeDir, 0o755); err != nil {
		t.Fatal(err)
	}
	if err := os.Chown(homeDir, int(who.Uid), int(who.Gid)); err != nil {
		t.Fatal(err)
	}
	c := cluster(t, dir)
	h := hold(t, copyOfSelf(t, dir), homeDir, time.Minute, who)
	if strings.HasPrefix(h.line, "error:") {
		if !strings.Contains(h.line, "54321 has no name") {
			t.Errorf("unclear: %s", h.line)
		}
		t.Skipf("no user namespaces here: %s", h.line)
	}
	h.end()
	if h = hold(t, copyOfSelf(t, folder(t)), homeDir, time.Minute, who); !strings.HasPrefix(h.line, "pid=") {
		t.Errorf("second time: %s", h.line)
	}
	h.end()
	if _, err := c.Stop(t.Context()); err != nil {
		t.Fatal(err)
	}
}

func supervisorPID(t *testing.T, c *Cluster) int {
	t.Helper()
	entries, err := os.ReadDir("/proc")
	if err != nil {
		t.Fatal(err)
	}
	for _, e := range entries {
		words, err := os.ReadFile("/proc/" + e.Name() + "/cmdline")
		if err == nil && strings.Contains(string(words), supervisorName) && strings.Contains(string(words), `"`+c.home+`"`) && !strings.Contains(string(words), "test.run") {
			pid, err := strconv.Atoi(e.Name())
			if err == nil {
				return pid
			}
		}
	}
	t.Fatal("no supervisor")
	return 0
}

func TestKilledSupervisorIsReplaced(t *testing.T) {
	t.Parallel()
	c := cluster(t, folder(t))
	dsn := ensure(t, c)
	before := c.Status(t.Context()).PID
	if err := syscall.Kill(supervisorPID(t, c), syscall.SIGKILL); err != nil {
		t.Fatal(err)
	}
	if !wait(t.Context(), 5*time.Second, func() bool { return !c.supervised() }) {
		t.Fatal("the lock outlives the supervisor")
	}
	one(t, dsn, "select 'the server lives on'")
	h := hold(t, self(t), c.home, time.Second, nil)
	if after := c.Status(t.Context()).PID; after != before {
		t.Errorf("another server: %d instead of %d", after, before)
	}
	if !c.supervised() {
		t.Fatalf("nobody watches the server; the process said %q", h.line)
	}
	// The new one notices the end of a server that is not its child.
	if err := syscall.Kill(before, syscall.SIGKILL); err != nil {
		t.Fatal(err)
	}
	ensure(t, c)
	if after := c.Status(t.Context()).PID; after == before || after == 0 {
		t.Errorf("server %d, the killed one was %d", after, before)
	}
}

// copyOfSelf puts the test binary where other users may run it.
func copyOfSelf(t *testing.T, dir string) string {
	t.Helper()
	data, err := os.ReadFile(self(t))
	if err != nil {
		t.Fatal(err)
	}
	path := filepath.Join(dir, "private.test")
	if err := os.WriteFile(path, data, 0o755); err != nil {
		t.Fatal(err)
	}
	return path
}

func nobody(t *testing.T) *syscall.Credential {
	t.Helper()
	if os.Geteuid() != 0 {
		t.Skip("only root can become another user")
	}
	u, err := user.Lookup("nobody")
	if err != nil {
		t.Skip("there is no user nobody")
	}
	uid, _ := strconv.Atoi(u.Uid)
	gid, _ := strconv.Atoi(u.Gid)
	return &syscall.Credential{Uid: uint32(uid), Gid: uint32(gid)}
}

// TestAsNormalUser runs this package's other tests once more without root's rights.
func TestAsNormalUser(t *testing.T) {
	t.Parallel()
	who := nobody(t)
	dir := folder(t)
	cmd := exec.Command(copyOfSelf(t, dir), "-test.v", "-test.timeout=5m", "-test.skip=^TestAsNormalUser$")
	temp := filepath.Join(dir, "t")
	if err := os.Mkdir(temp, 0o755); err != nil {
		t.Fatal(err)
	}
	if err := os.Chown(temp, int(who.Uid), int(who.Gid)); err != nil {
		t.Fatal(err)
	}
	cmd.Dir = "/"
	cmd.Env = append(os.Environ(), "HOME="+temp, "TMPDIR="+temp, "BMCIS_TEST_PG_BIN="+bin(t))
	cmd.SysProcAttr = &syscall.SysProcAttr{Credential: who}
	out, err := cmd.CombinedOutput()
	if err != nil {
		t.Errorf("as nobody: %v\n%s", err, out)
	}
	if n := strings.Count(string(out), "--- PASS"); n < 5 {
		t.Errorf("only %d tests passed as nobody:\n%s", n, out)
	}
	for line := range strings.Lines(string(out)) {
		if strings.HasPrefix(line, "---") {
			t.Log(strings.TrimSpace(line))
		}
	}
}

func TestRootAndOwnerShareTheOwnersFolder(t *testing.T) {
	t.Parallel()
	who := nobody(t)
	dir := folder(t)
	c := cluster(t, dir)
	if err := os.Mkdir(c.home, 0o755); err != nil {
		t.Fatal(err)
	}
	if err := os.Chown(c.home, int(who.Uid), int(who.Gid)); err != nil {
		t.Fatal(err)
	}
	dsn := ensure(t, c) // root makes and starts it
	if uid, _, err := owner(c.data()); err != nil || uid != int(who.Uid) {
		t.Fatalf("data belongs to %d (%v), the home to %d", uid, err, who.Uid)
	}
	one(t, dsn, "select 'root is let in'")
	h := hold(t, copyOfSelf(t, dir), c.home, time.Minute, who)
	if !strings.Contains(h.line, dsn) {
		t.Fatalf("the owner: %s", h.line)
	}
	if _, err := c.Stop(t.Context()); err != nil {
		t.Fatal(err)
	}
	h.end()
	h = hold(t, copyOfSelf(t, folder(t)), c.home, time.Minute, who) // the owner starts it
	if !strings.HasPrefix(h.line, "pid=") {
		t.Fatalf("the owner: %s", h.line)
	}
	one(t, ensure(t, c), "select 'root is let in'")
}

func TestStrangersStayOut(t *testing.T) {
	t.Parallel()
	who := nobody(t)
	dir := folder(t)
	c := cluster(t, dir)
	ensure(t, c)
	if uid, _, _ := owner(c.data()); uid == int(who.Uid) {
		t.Skip("the server itself runs as nobody here")
	}
	h := hold(t, copyOfSelf(t, dir), c.home, time.Minute, who)
	if !strings.HasPrefix(h.line, "error:") || !strings.Contains(h.line, "BMCIS_HOME") {
		t.Errorf("a stranger got %q", h.line)
	}
}

func TestClosedHomeUsesANamespaceOrSaysWhy(t *testing.T) {
	t.Parallel()
	if os.Geteuid() != 0 {
		t.Skip("only root's server runs as another user")
	}
	dir := folder(t)
	closed := filepath.Join(dir, "closed")
	if err := os.Mkdir(closed, 0o700); err != nil {
		t.Fatal(err)
	}
	c := cluster(t, closed)
	dsn, release, err := c.Ensure(t.Context())
	if err != nil {
		if !strings.Contains(err.Error(), "may not enter "+closed) || !strings.Contains(err.Error(), "BMCIS_HOME") {
			t.Errorf("the error names no remedy: %v", err)
		}
		t.Skipf("no user namespaces here: %v", err)
	}
	defer release()
	one(t, dsn, "select 'let in'")
	if uid, _, err := owner(c.data()); err != nil || uid != 0 {
		t.Errorf("data belongs to %d, %v", uid, err)
	}
	// And once more, on the data that root owns now.
	if _, err := c.Stop(t.Context()); err != nil {
		t.Fatal(err)
	}
	one(t, ensure(t, c), "select 'let in'")
}
