package sandbox

import (
	"os"
	"runtime"
	"sync"
	"syscall"
)

// nobody is the user and group of children when the parent is root.
const nobody = 65534

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

func spawn(l Limits) (*child, error) {
	c, ends, err := newChild("/proc/self/exe", l)
	if err != nil {
		return nil, err
	}
	c.cmd.Dir = "/"
	attr := &syscall.SysProcAttr{Setpgid: true, Pdeathsig: syscall.SIGKILL}
	if os.Geteuid() == 0 {
		attr.Credential = &syscall.Credential{Uid: nobody, Gid: nobody}
	}
	c.cmd.SysProcAttr = attr
	done := make(chan error)
	spawner() <- func() { done <- c.launch(ends) }
	if err := <-done; err != nil {
		return nil, err
	}
	return c, nil
}
