package early

import "syscall"

const (
	prSetPdeathsig  = 1
	prCapbsetDrop   = 24
	prSetNoNewPrivs = 38
	sysCloseRange   = 436 // the same number on every architecture
	oPath           = 0x200000

	rlimitMemlock    = 8
	rlimitSigpending = 11
	rlimitMsgqueue   = 12
	rlimitRtprio     = 14

	// threadStack is the stack of the C library's threads, which it takes from
	// RLIMIT_STACK when it starts. Go's goroutines do not run on it; 8 MiB for
	// each thread would only eat address space.
	threadStack = 512 << 10
	maxFiles    = 16
)

// first puts in place what the kernel keeps per thread, and limits that the C
// library reads when it starts, and executes the same binary again. It runs on the
// main thread, before any goroutine of ours, so that the second image starts from
// exactly this thread.
func first() {
	var done, failed string
	ok := func(layer string) { done = join(done, layer) }
	fail := func(layer string, err error) { failed = join(failed, layer+": "+err.Error()) }

	// The parent may itself have been started with descriptors that survive exec.
	if _, _, e := syscall.RawSyscall(sysCloseRange, 3, 1<<31-1, 0); e != 0 {
		for fd := 3; fd < 4096; fd++ {
			_ = syscall.Close(fd)
		}
	}
	ok("closed-descriptors")

	_ = prctl(prSetPdeathsig, uintptr(syscall.SIGKILL))
	// If we are still root, the second image is one without capabilities.
	for capability := uintptr(0); capability < 64; capability++ {
		if prctl(prCapbsetDrop, capability) != nil {
			break
		}
	}
	syscall.Umask(0o077)

	// The second image reads its own size here; it cannot open files any more.
	statm, err := syscall.Open("/proc/self/statm", syscall.O_RDONLY, 0)
	statmFD := ""
	if err == nil && statm < 10 {
		statmFD = string(rune('0' + statm))
	}

	if err := prctl(prSetNoNewPrivs, 1); err != nil {
		fail("no-new-privs", err)
	} else {
		ok("no-new-privs")
	}
	if err := landlock(); err != nil {
		fail("landlock", err)
	} else {
		ok("landlock")
	}
	if err := rlimits(); err != nil {
		fail("rlimits", err)
	} else {
		ok("rlimits")
	}

	env := []string{
		EnvStage + "=2",
		EnvDone + "=" + done,
		EnvFailed + "=" + failed,
		EnvStatm + "=" + statmFD,
		// One arena for malloc: the default is one per thread, 64 MiB of address
		// space each.
		"MALLOC_ARENA_MAX=1",
	}
	for _, name := range passOn {
		if v, found := syscall.Getenv(name); found {
			env = append(env, name+"="+v)
		}
	}
	err = syscall.Exec("/proc/self/exe", []string{"bmcis-sandbox"}, env)
	msg := "sandbox child: execute /proc/self/exe again: " + err.Error() + " (" + failed + ")\n"
	_, _ = syscall.Write(2, []byte(msg))
	syscall.Exit(125)
}

func rlimits() error {
	for _, l := range []struct {
		what  int
		limit uint64
	}{
		{syscall.RLIMIT_FSIZE, 0},
		{syscall.RLIMIT_CORE, 0},
		{syscall.RLIMIT_STACK, threadStack},
		{rlimitMemlock, 0},
		{rlimitMsgqueue, 0},
		{rlimitRtprio, 0},
		{rlimitSigpending, 64},
		{syscall.RLIMIT_NOFILE, maxFiles},
	} {
		if err := syscall.Setrlimit(l.what, &syscall.Rlimit{Cur: l.limit, Max: l.limit}); err != nil {
			return err
		}
	}
	return nil
}

func prctl(op, arg uintptr) error {
	if _, _, e := syscall.RawSyscall6(syscall.SYS_PRCTL, op, arg, 0, 0, 0, 0); e != 0 {
		return e
	}
	return nil
}

func join(list, s string) string {
	if list == "" {
		return s
	}
	return list + ";" + s
}

// files returns the files that this image is made of: the program, the loader and
// the libraries. The second image needs them to start.
func files() []string {
	fd, err := syscall.Open("/proc/self/maps", syscall.O_RDONLY, 0)
	if err != nil {
		return nil
	}
	defer syscall.Close(fd)
	var text []byte
	buf := make([]byte, 16<<10)
	for {
		n, err := syscall.Read(fd, buf)
		if n <= 0 || err != nil {
			break
		}
		text = append(text, buf[:n]...)
	}
	// The C library looks up the bounds of the main stack in maps.
	out := []string{"/proc/self/maps", "/proc/self/exe", "/etc/ld.so.cache"}
	for start, i := 0, 0; i < len(text); i++ {
		if text[i] != '\n' {
			continue
		}
		line := text[start:i]
		start = i + 1
		for j := range line {
			if line[j] != '/' {
				continue
			}
			if p := string(line[j:]); p != out[len(out)-1] {
				out = append(out, p)
			}
			break
		}
	}
	return out
}

func pathFD(path string) (int, error) {
	return syscall.Open(path, oPath|syscall.O_CLOEXEC, 0)
}
