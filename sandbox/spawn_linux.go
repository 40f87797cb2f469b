package sandbox

import (
	"errors"
	"os"
	"runtime"
	"sync"
	"sync/atomic"
	"syscall"

	"github.com/bmcis/bmcis/sandbox/internal/early"
)

// nobody is the user and group of children when the parent is root.
const nobody = 65534

// namespaces give a child an empty network, its own process numbers and nothing
// to share: a second wall behind seccomp. Together they cost about a
// millisecond at the start of a spare.
const namespaces = syscall.CLONE_NEWUSER | syscall.CLONE_NEWNET | syscall.CLONE_NEWPID | syscall.CLONE_NEWIPC | syscall.CLONE_NEWUTS

// noNamespaces holds the reason once the kernel has refused them. Containers
// usually do.
var noNamespaces atomic.Pointer[string]

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
// the kernel refuses.
func spawn(l Limits) (*child, error) {
	if noNamespaces.Load() == nil {
		c, err := spawnWith(l, true)
		if err == nil || !refusesNamespaces(err) {
			return c, err
		}
		why := err.Error()
		noNamespaces.Store(&why)
	}
	return spawnWith(l, false)
}

// refusesNamespaces tells the errors of clone and of writing the maps from others.
func refusesNamespaces(err error) bool {
	for _, e := range []error{syscall.EPERM, syscall.EACCES, syscall.ENOSPC, syscall.EINVAL, syscall.ENOSYS, syscall.EUSERS} {
		if errors.Is(err, e) {
			return true
		}
	}
	return false
}

func spawnWith(l Limits, isolated bool) (*child, error) {
	c, ends, err := newChild("/proc/self/exe", l)
	if err != nil {
		return nil, err
	}
	c.cmd.Dir = "/"
	attr := &syscall.SysProcAttr{Setpgid: true, Pdeathsig: syscall.SIGKILL}
	uid, gid := os.Geteuid(), os.Getegid()
	if uid == 0 {
		uid, gid = nobody, nobody
		attr.Credential = &syscall.Credential{Uid: nobody, Gid: nobody}
		attr.GidMappingsEnableSetgroups = true
	}
	if isolated {
		attr.Cloneflags = namespaces
		attr.UidMappings = []syscall.SysProcIDMap{{ContainerID: uid, HostID: uid, Size: 1}}
		attr.GidMappings = []syscall.SysProcIDMap{{ContainerID: gid, HostID: gid, Size: 1}}
	} else if why := noNamespaces.Load(); why != nil {
		c.cmd.Env = append(c.cmd.Env, early.EnvNoSpaces+"="+*why)
	}
	c.cmd.SysProcAttr = attr
	done := make(chan error)
	spawner() <- func() { done <- c.launch(ends) }
	if err := <-done; err != nil {
		return nil, err
	}
	return c, nil
}
