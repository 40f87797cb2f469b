package sandbox

import (
	"bufio"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"log/slog"
	"os"
	"os/exec"
	"strconv"
	"sync"
	"time"

	"github.com/bmcis/bmcis/sandbox/internal/early"
)

// startTimeout bounds the time from starting a child to its hello. Machines under
// heavy load need seconds.
const startTimeout = 20 * time.Second

// A child is the parent's handle on one process, from its start to its end.
type child struct {
	cmd    *exec.Cmd
	in     *os.File // to the child
	out    *os.File // from the child
	errs   *os.File // the child's stderr; read after its end
	r      *bufio.Reader
	w      *frameWriter
	hello  helloMsg
	killMu sync.Mutex
	waited bool
	log    *slog.Logger
	limits Limits // the largest that it may be given
}

// startChild starts a process for programs within l and waits for its hello.
func startChild(l Limits) (*child, error) {
	if IsChild() {
		return nil, errors.New("sandbox: a child may not start children")
	}
	c, err := spawn(l)
	if err != nil {
		return nil, fmt.Errorf("start sandbox child: %w", err)
	}
	if err := c.readHello(); err != nil {
		c.kill()
		state := c.wait()
		if text := c.stderr(); text != "" {
			err = fmt.Errorf("%w (%s: %.300s)", err, state, text)
		} else if state != nil {
			err = fmt.Errorf("%w (%s)", err, state)
		}
		return nil, fmt.Errorf("start sandbox child: %w; does the program import a package whose init calls sandbox.ChildMain?", err)
	}
	return c, nil
}

// newChild makes the pipes and the command; the platform adds its attributes and
// starts it.
func newChild(path string, l Limits) (c *child, ends []*os.File, err error) {
	var files []*os.File
	pipe := func() (r, w *os.File) {
		if err != nil {
			return nil, nil
		}
		if r, w, err = os.Pipe(); err == nil {
			files = append(files, r, w)
		}
		return r, w
	}
	inR, inW := pipe()
	outR, outW := pipe()
	errR, errW := pipe()
	if err != nil {
		for _, f := range files {
			f.Close()
		}
		return nil, nil, err
	}
	c = &child{in: inW, out: outR, errs: errR, limits: l}
	c.w = &frameWriter{w: inW}
	c.r = bufio.NewReaderSize(outR, 32<<10)
	c.cmd = &exec.Cmd{
		Path: path, Args: []string{"bmcis-sandbox"}, Dir: os.TempDir(),
		Env: []string{
			early.EnvStage + "=1",
			early.EnvMemory + "=" + strconv.FormatInt(l.MemoryBytes, 10),
			early.EnvCPU + "=" + strconv.FormatInt(int64((l.CPU+time.Second-1)/time.Second), 10),
		},
		Stdin: inR, Stdout: outW, Stderr: errW,
	}
	return c, []*os.File{inR, outW, errW}, nil
}

// launch starts c and closes the ends that belong to it.
func (c *child) launch(ends []*os.File) error {
	err := c.cmd.Start()
	for _, f := range ends {
		f.Close()
	}
	if err != nil {
		c.close()
	}
	return err
}

func (c *child) readHello() error {
	if err := c.out.SetReadDeadline(time.Now().Add(startTimeout)); err != nil && !errors.Is(err, os.ErrNoDeadline) {
		return err
	}
	skipped := 0
	for {
		typ, payload, err := readFrame(c.r, func(typ byte) int {
			if typ == frameHello || typ >= frameSkippable {
				return maxSkippable
			}
			return -1
		})
		switch {
		case errors.Is(err, os.ErrDeadlineExceeded):
			return fmt.Errorf("no hello within %v", startTimeout)
		case errors.Is(err, io.EOF):
			return errors.New("it ended before its hello")
		case err != nil:
			return err
		}
		if typ != frameHello {
			if skipped += len(payload) + frameHeader; skipped > maxSkippableTotal {
				return violation("%d bytes of frames to skip", skipped)
			}
			continue
		}
		if err := json.Unmarshal(payload, &c.hello); err != nil {
			return violation("hello: %v", err)
		}
		if c.hello.Protocol != protocolVersion {
			return fmt.Errorf("it speaks version %d of the protocol, this process version %d; the binary was replaced, restart", c.hello.Protocol, protocolVersion)
		}
		_ = c.out.SetReadDeadline(time.Time{})
		return nil
	}
}

// kill ends the process and its group. It may be called at any time.
func (c *child) kill() {
	c.killMu.Lock()
	defer c.killMu.Unlock()
	if c.waited || c.cmd.Process == nil {
		return
	}
	killGroup(c.cmd.Process)
}

// wait reaps the process, which has been killed or has ended.
func (c *child) wait() *os.ProcessState {
	// Between Wait's reaping and the flag a kill could hit a stranger that got
	// the same number; os.Process guards its own Kill, the lock guards ours.
	waitExited(c.cmd.Process)
	c.killMu.Lock()
	defer c.killMu.Unlock()
	if !c.waited {
		_ = c.cmd.Wait()
		c.waited = true
	}
	return c.cmd.ProcessState
}

// stderr returns what the ended child wrote there, cut.
func (c *child) stderr() string {
	_ = c.errs.SetReadDeadline(time.Now().Add(100 * time.Millisecond))
	b, _ := io.ReadAll(io.LimitReader(c.errs, maxStderr))
	return string(b)
}

func (c *child) close() {
	c.in.Close()
	c.out.Close()
	c.errs.Close()
}

// end kills, reaps and closes.
func (c *child) end() {
	c.kill()
	c.wait()
	c.close()
}

// logPanic tells the log about a panic of the host.
func (c *child) logPanic(method string, v any, stack []byte) {
	if c.log != nil {
		c.log.Error("sandbox: panic in a host call", "method", method, "panic", v, "stack", string(stack))
	}
}
