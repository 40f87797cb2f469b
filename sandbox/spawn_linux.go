package sandbox

import (
	"errors"
	"os"
	"runtime"
	"sync"
	"syscall"

	"github.com/bmcis/bmcis/sandbox/internal/early"
)

// nobody is the user and group of children when the parent is root.
const nobody = 65534

// namespaces give a child an empty network, its own process numbers and nothing
// to share: a second wall behind seccomp. Together they cost about a
// millisecond at the start of a spare.
const namespaces = syscall.CLONE_NEWUSER | syscall.CLONE_NEWNET | syscall.CLONE_NEWPID | syscall.CLONE_NEWIPC | syscall.CLONE_NEWUTS

// A way to start a child. The kernel, a container or the mode of the binary may
// refuse the better ones.
type way struct {
	drop    bool // root becomes nobody
	isolate bool // namespaces
}

// ways are in order of preference.
func ways() []way {
	if os.Geteuid() == 0 {
		return []way{{true, true}, {true, false}, {false, true}, {false, false}}
	}
	return []way{{false, true}, {false, false}}
}

// refusedWays is how many of the ways do not work here, and why the last did not.
var refusedWays struct {
	sync.Mutex
	n   int
	why string
}

// spawner starts children from one thread that lives as long as the process: the
// parent-death signal fires when the starting thread ends, not the process
// (golang/go#27505).
var spawner = sync.OnceValue(func() chan<- func() {
	work := make(chan func())
	go func() {
		runtime.LockOSThread()
		for f := range work {
			f()
		}
	}()
	return work
})

// spawn starts a child with all that the parent can give it, and with less where
// that is refused. What was refused once is not tried again.
func spawn(l Limits) (*child, error) {
	all := ways()
	for {
		refusedWays.Lock()
		n, why := min(refusedWays.n, len(all)-1), refusedWays.why
		refusedWays.Unlock()
		c, err := spawnAs(l, all[n], why)
		if err == nil || n == len(all)-1 || !refusal(err) {
			return c, err
		}
		refusedWays.Lock()
		if refusedWays.n == n {
			refusedWays.n, refusedWays.why = n+1, err.Error()
		}
		refusedWays.Unlock()
	}
}

// refusal tells the errors of clone, of changing the user and of writing the maps
// of a namespace from others.
func refusal(err error) bool {
	for _, e := range []error{syscall.EPERM, syscall.EACCES, syscall.ENOSPC, syscall.EINVAL, syscall.ENOSYS, syscall.EUSERS} {
		if errors.Is(err, e) {
			return true
		}
	}
	return false
}

func spawnAs(l Limits, w way, why string) (*child, error) {
	c, ends, err := newChild("/proc/self/exe", l)
	if err != nil {
		return nil, err
	}
	c.cmd.Dir = "/"
	attr := &syscall.SysProcAttr{Setpgid: true, Pdeathsig: syscall.SIGKILL}
	uid, gid := os.Geteuid(), os.Getegid()
	if w.drop {
		uid, gid = nobody, nobody
		attr.Credential = &syscall.Credential{Uid: nobody, Gid: nobody}
		attr.GidMappingsEnableSetgroups = true
	}
	if w.isolate {
		attr.Cloneflags = namespaces
		attr.UidMappings = []syscall.SysProcIDMap{{ContainerID: uid, HostID: uid, Size: 1}}
		attr.GidMappings = []syscall.SysProcIDMap{{ContainerID: gid, HostID: gid, Size: 1}}
	}
	if why != "" {
		c.cmd.Env = append(c.cmd.Env, early.EnvRefused+"="+why)
	}
	c.cmd.SysProcAttr = attr
	done := make(chan error)
	spawner() <- func() { done <- c.launch(ends) }
	if err := <-done; err != nil {
		return nil, err
	}
	return c, nil
}
