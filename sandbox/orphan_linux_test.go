package sandbox

import (
	"bufio"
	"context"
	"fmt"
	"math/rand/v2"
	"os"
	"os/exec"
	"path/filepath"
	"strconv"
	"strings"
	"sync"
	"sync/atomic"
	"syscall"
	"testing"
	"time"

	"golang.org/x/sys/unix"
)

// The test binary as a server that will be killed.
func TestMain(m *testing.M) {
	if os.Getenv("BMCIS_TEST_SERVER") == "" {
		os.Exit(m.Run())
	}
	r, err := NewRunner(Config{})
	if err != nil {
		panic(err)
	}
	go r.Run(context.Background(), Program{Source: "spindeaf"}, Limits{}, nil)
	go r.Run(context.Background(), Program{Source: "sleep 1h"}, Limits{}, nil)
	time.Sleep(500 * time.Millisecond)
	fmt.Println("ready")
	select {}
}

// children lists the processes whose parent is pid.
func children(pid int) []int {
	var out []int
	stats, _ := filepath.Glob("/proc/[0-9]*/stat")
	for _, name := range stats {
		b, err := os.ReadFile(name)
		if err != nil {
			continue
		}
		// pid (name) state ppid
		_, rest, _ := strings.Cut(string(b), ") ")
		f := strings.Fields(rest)
		if len(f) > 1 && f[1] == strconv.Itoa(pid) {
			n, _ := strconv.Atoi(filepath.Base(filepath.Dir(name)))
			out = append(out, n)
		}
	}
	return out
}

func alive(pid int) bool {
	b, err := os.ReadFile("/proc/" + strconv.Itoa(pid) + "/stat")
	if err != nil {
		return false
	}
	_, rest, _ := strings.Cut(string(b), ") ")
	return !strings.HasPrefix(rest, "Z") && !strings.HasPrefix(rest, "X")
}

// When the server is killed, its children die with it, busy or not.
func TestOrphans(t *testing.T) {
	cmd := exec.Command("/proc/self/exe")
	cmd.Env = append(os.Environ(), "BMCIS_TEST_SERVER=1")
	cmd.SysProcAttr = &syscall.SysProcAttr{Pdeathsig: syscall.SIGKILL}
	out, err := cmd.StdoutPipe()
	if err != nil {
		t.Fatal(err)
	}
	if err := cmd.Start(); err != nil {
		t.Fatal(err)
	}
	if line, err := bufio.NewReader(out).ReadString('\n'); err != nil {
		t.Fatal(line, err)
	}
	pids := children(cmd.Process.Pid)
	if len(pids) < 3 {
		t.Errorf("the server has children %v, want two that run and spares", pids)
	}
	cmd.Process.Kill()
	cmd.Wait()
	deadline := time.Now().Add(2 * time.Second)
	for _, pid := range pids {
		for alive(pid) {
			if time.Now().After(deadline) {
				t.Fatalf("child %d outlived its parent", pid)
			}
			time.Sleep(5 * time.Millisecond)
		}
	}
}

// Children killed at random under load harm nobody but themselves, and nothing is
// left over.
func TestRandomKills(t *testing.T) {
	r := newTestRunner(t, Config{})
	mustRun(t, r, "return 1", Limits{})
	fds := len(mustGlob(t, "/proc/self/fd/*"))
	stop := make(chan struct{})
	var killer, wg sync.WaitGroup
	killer.Add(1)
	go func() {
		defer killer.Done()
		for {
			select {
			case <-stop:
				return
			case <-time.After(3 * time.Millisecond):
			}
			if pids := children(os.Getpid()); len(pids) > 0 {
				// Not syscall.Kill by number alone: the process is our child and not
				// reaped while the lock of its handle is held; a number of ours that
				// was reused in between would be another child.
				_ = syscall.Kill(pids[rand.IntN(len(pids))], syscall.SIGKILL)
			}
		}
	}()
	var ok, died atomic.Int64
	for range 8 {
		wg.Add(1)
		go func() {
			defer wg.Done()
			for range 25 {
				out, err := r.Run(context.Background(), Program{Source: "call echo 1\nsleep 5ms\nreturn 1"}, Limits{}, testCaller)
				switch {
				case err != nil:
					died.Add(1) // killed before its hello, several times
				case out.Kind == KindOK:
					ok.Add(1)
				case out.Kind == KindHost:
					died.Add(1)
				default:
					t.Errorf("%s %+v", out.Kind, out.Error)
				}
			}
		}()
	}
	wg.Wait()
	close(stop)
	killer.Wait()
	t.Logf("%d ended well, %d were killed", ok.Load(), died.Load())
	if ok.Load() == 0 || died.Load() == 0 {
		t.Error("the test did not test")
	}
	if out := mustRun(t, r, "return 1", Limits{}); out.Kind != KindOK {
		t.Errorf("afterwards: %s %+v", out.Kind, out.Error)
	}
	r.Close()
	if left := children(os.Getpid()); len(left) != 0 {
		t.Errorf("children left: %v", left)
	}
	if now := len(mustGlob(t, "/proc/self/fd/*")); now > fds {
		t.Errorf("%d descriptors, %d before", now, fds)
	}
}

// The kernel ends a child that uses too much CPU time even if its own monitor and
// the parent sleep. It is process 1 of its namespace, which makes some signals
// weaker; not this one.
func TestKernelCPULimit(t *testing.T) {
	r := newTestRunner(t, Config{})
	start := time.Now()
	out := mustRun(t, r, "cpulimit 1\nspindeaf", Limits{Wall: 20 * time.Second})
	if out.Kind != KindHost || !strings.Contains(out.Error.Message, "killed") || time.Since(start) > 10*time.Second {
		t.Errorf("%s %+v after %v", out.Kind, out.Error, time.Since(start))
	}
}

func cpuLimit(seconds uint64) {
	_ = unix.Prlimit(0, unix.RLIMIT_CPU, &unix.Rlimit{Cur: seconds, Max: seconds}, nil)
}
