package upstream

import (
	"errors"
	"fmt"
	"io"
	"os"
	"os/exec"
	"sync"
	"time"
)

// How long a server gets to end after its input was closed, and then after it was
// asked to. The specification gives the order, not the times.
const (
	closeGrace     = 2 * time.Second
	terminateGrace = 2 * time.Second
)

// A process is a stdio server: a child that leads a process group of its own, so that
// what it started ends with it. On Linux the kernel also kills it when this process
// dies without a word.
type process struct {
	cmd    *exec.Cmd
	stdin  *os.File // ours to write
	stdout *os.File // ours to read
	stderr *tail

	exited   chan struct{} // closed when the leader has ended and its group was killed
	state    string        // how it ended; read after exited
	closeIn  sync.Once
	stopOnce sync.Once
}

// inherited are the variables that a server gets of ours: what programs need to find
// their files, their network and their language, and no secrets. MCP's own clients
// hand down a list like this one.
var inherited = []string{
	"PATH", "HOME", "USER", "LOGNAME", "SHELL", "TERM", "TMPDIR", "LANG", "LC_ALL", "LC_CTYPE", "TZ",
	"HTTP_PROXY", "HTTPS_PROXY", "NO_PROXY", "ALL_PROXY", "http_proxy", "https_proxy", "no_proxy", "all_proxy",
	"SSL_CERT_FILE", "SSL_CERT_DIR", "NODE_EXTRA_CA_CERTS", "REQUESTS_CA_BUNDLE",
	"XDG_CACHE_HOME", "XDG_CONFIG_HOME", "XDG_DATA_HOME", "XDG_RUNTIME_DIR",
	"SystemRoot", "SystemDrive", "APPDATA", "LOCALAPPDATA", "USERPROFILE", "TEMP", "TMP", "PATHEXT", "ComSpec", "ProgramFiles",
}

func environment(s Server) []string {
	var env []string
	for _, k := range inherited {
		if _, given := s.Env[k]; given {
			continue
		}
		if v, ok := os.LookupEnv(k); ok {
			env = append(env, k+"="+v)
		}
	}
	for _, k := range sortedKeys(s.Env) {
		env = append(env, k+"="+s.Env[k])
	}
	return env
}

// startProcess starts the server of s. The caller reads stdout and calls stop.
func startProcess(s Server) (*process, error) {
	p := &process{cmd: exec.Command(s.Command, s.Args...), stderr: &tail{}, exited: make(chan struct{})}
	p.cmd.Env = environment(s)
	p.cmd.Dir = s.Cwd
	if s.Cwd != "" {
		if info, err := os.Stat(s.Cwd); err != nil || !info.IsDir() {
			return nil, fmt.Errorf("cwd %q is no directory", s.Cwd)
		}
	}
	ownGroup(p.cmd)

	var theirs []*os.File
	closeAll := func(files []*os.File) {
		for _, f := range files {
			_ = f.Close()
		}
	}
	pipe := func() (r, w *os.File, err error) { return os.Pipe() }
	inR, inW, err := pipe()
	if err != nil {
		return nil, err
	}
	outR, outW, err := pipe()
	if err != nil {
		closeAll([]*os.File{inR, inW})
		return nil, err
	}
	errR, errW, err := pipe()
	if err != nil {
		closeAll([]*os.File{inR, inW, outR, outW})
		return nil, err
	}
	theirs = []*os.File{inR, outW, errW}
	p.cmd.Stdin, p.cmd.Stdout, p.cmd.Stderr = inR, outW, errW
	p.stdin, p.stdout = inW, outR
	err = startFromLastingThread(p.cmd)
	closeAll(theirs)
	if err != nil {
		closeAll([]*os.File{inW, outR, errR})
		if errors.Is(err, exec.ErrNotFound) || errors.Is(err, os.ErrNotExist) {
			return nil, fmt.Errorf("command %q is not there; install it, or give its full path", s.Command)
		}
		return nil, fmt.Errorf("start %q: %w", s.Command, err)
	}

	drained := make(chan struct{})
	go func() {
		defer close(drained)
		_, _ = io.Copy(p.stderr, errR)
	}()
	go func() {
		waitAndKillGroup(p.cmd)
		// Its last words are in the pipe by now. Who left the group can hold the
		// pipe open for ever, so they are not waited for long.
		select {
		case <-drained:
		case <-time.After(time.Second):
		}
		_ = errR.Close()
		p.state = p.cmd.ProcessState.String()
		close(p.exited)
	}()
	return p, nil
}

// closeInput tells the server that nothing more will come.
func (p *process) closeInput() { p.closeIn.Do(func() { _ = p.stdin.Close() }) }

// stop ends the server as the specification says: close its input, wait, ask it to
// end, wait, kill. With force it is killed at once. It returns when the server's
// process group is gone, and may be called more than once.
func (p *process) stop(force bool) {
	p.stopOnce.Do(func() {
		p.closeInput()
		if !force {
			if p.endsWithin(closeGrace) {
				return
			}
			terminateGroup(p.cmd.Process)
			if p.endsWithin(terminateGrace) {
				return
			}
		}
		killGroup(p.cmd.Process)
	})
	<-p.exited
	_ = p.stdout.Close()
}

func (p *process) endsWithin(d time.Duration) bool {
	select {
	case <-p.exited:
		return true
	case <-time.After(d):
		return false
	}
}

// tail keeps the last of what is written to it.
type tail struct {
	mu  sync.Mutex
	buf []byte
}

const tailBytes = 8 << 10

// Write never fails and never blocks for long, so a server cannot get stuck on a full
// pipe.
func (t *tail) Write(b []byte) (int, error) {
	t.mu.Lock()
	defer t.mu.Unlock()
	if len(b) >= tailBytes {
		t.buf = append(t.buf[:0], b[len(b)-tailBytes:]...)
		return len(b), nil
	}
	if over := len(t.buf) + len(b) - tailBytes; over > 0 {
		t.buf = append(t.buf[:0], t.buf[over:]...)
	}
	t.buf = append(t.buf, b...)
	return len(b), nil
}

func (t *tail) String() string {
	t.mu.Lock()
	defer t.mu.Unlock()
	return string(t.buf)
}
