//go:build linux && (amd64 || arm64)

package sandbox

import (
	"errors"
	"fmt"
	"os"
	"unsafe"

	"golang.org/x/sys/unix"
)

// Actions of a filter.
const (
	retAllow = unix.SECCOMP_RET_ALLOW
	retKill  = unix.SECCOMP_RET_KILL_PROCESS
	retErrno = unix.SECCOMP_RET_ERRNO
)

// allowed are the system calls of the Go runtime and the C library's threads in a
// process that reads and writes pipes, the most frequent first. Nothing here opens
// a file, makes a socket or reaches another process.
var allowed = []uint32{
	unix.SYS_FUTEX,
	unix.SYS_READ,
	unix.SYS_WRITE,
	unix.SYS_NANOSLEEP,
	unix.SYS_CLOCK_NANOSLEEP,
	unix.SYS_CLOCK_GETTIME,
	unix.SYS_GETTIMEOFDAY,
	unix.SYS_MADVISE,
	unix.SYS_MUNMAP,
	unix.SYS_RT_SIGRETURN,
	unix.SYS_RT_SIGPROCMASK,
	unix.SYS_RT_SIGACTION,
	unix.SYS_SIGALTSTACK,
	unix.SYS_SCHED_YIELD,
	unix.SYS_SCHED_GETAFFINITY,
	unix.SYS_GETPID,
	unix.SYS_GETTID,
	unix.SYS_GETRUSAGE,
	unix.SYS_GETRANDOM,
	unix.SYS_SET_ROBUST_LIST,
	unix.SYS_RSEQ,
	unix.SYS_MEMBARRIER,
	unix.SYS_MINCORE,
	unix.SYS_BRK,
	unix.SYS_RESTART_SYSCALL,
	unix.SYS_EPOLL_PWAIT,
	unix.SYS_CLOSE,
	unix.SYS_EXIT,
	unix.SYS_EXIT_GROUP,
}

// fatal are calls that only a process under somebody else's control would make.
// They end it; everything else that is not allowed fails with EPERM.
var fatal = []uint32{
	unix.SYS_EXECVE,
	unix.SYS_EXECVEAT,
	unix.SYS_PTRACE,
	unix.SYS_PROCESS_VM_READV,
	unix.SYS_PROCESS_VM_WRITEV,
	unix.SYS_IO_URING_SETUP,
	unix.SYS_IO_URING_ENTER,
	unix.SYS_IO_URING_REGISTER,
	unix.SYS_BPF,
	unix.SYS_PERF_EVENT_OPEN,
	unix.SYS_USERFAULTFD,
	unix.SYS_SOCKET,
	unix.SYS_SOCKETPAIR,
	unix.SYS_CONNECT,
	unix.SYS_BIND,
	unix.SYS_MOUNT,
	unix.SYS_UMOUNT2,
	unix.SYS_PIVOT_ROOT,
	unix.SYS_CHROOT,
	unix.SYS_UNSHARE,
	unix.SYS_SETNS,
	unix.SYS_KEYCTL,
	unix.SYS_ADD_KEY,
	unix.SYS_REQUEST_KEY,
	unix.SYS_INIT_MODULE,
	unix.SYS_FINIT_MODULE,
	unix.SYS_KEXEC_LOAD,
	unix.SYS_OPEN_BY_HANDLE_AT,
	unix.SYS_PIDFD_OPEN,
	unix.SYS_PIDFD_GETFD,
	unix.SYS_PIDFD_SEND_SIGNAL,
	unix.SYS_PERSONALITY,
}

// Offsets into struct seccomp_data.
const (
	dataNr   = 0
	dataArch = 4
	dataArgs = 16
)

// argLow is the offset of the low half of argument i on little-endian machines.
func argLow(i int) uint32 { return uint32(dataArgs + 8*i) }

// seccomp installs the filter on all threads at once.
func seccomp() error {
	prog := seccompFilter(uint32(os.Getpid()))
	fprog := unix.SockFprog{Len: uint16(len(prog)), Filter: &prog[0]}
	const setModeFilter, tsync = 1, 1
	r, _, e := unix.Syscall(unix.SYS_SECCOMP, setModeFilter, tsync, uintptr(unsafe.Pointer(&fprog)))
	if e != 0 {
		return e
	}
	if r != 0 {
		return fmt.Errorf("thread %d could not be bound", r)
	}
	// Ask the filter itself: this call must now fail with its error, not with
	// another layer's.
	if _, _, e := unix.RawSyscall6(unix.SYS_OPENAT, 0, 0, 0, 0, 0, 0); e != unix.EPERM {
		return errors.New("the filter is not in force")
	}
	return nil
}

// seccompFilter compiles the lists. pid is the only process that may be signalled.
func seccompFilter(pid uint32) []unix.SockFilter {
	var p []unix.SockFilter
	load := func(off uint32) {
		p = append(p, unix.SockFilter{Code: unix.BPF_LD | unix.BPF_W | unix.BPF_ABS, K: off})
	}
	ret := func(action uint32) { p = append(p, unix.SockFilter{Code: unix.BPF_RET | unix.BPF_K, K: action}) }
	// jump goes on with the next instruction when the condition holds, and skips
	// one otherwise.
	ifNot := func(op uint16, k uint32, skip uint8) {
		p = append(p, unix.SockFilter{Code: unix.BPF_JMP | op | unix.BPF_K, Jf: skip, K: k})
	}
	deny := uint32(retErrno) | uint32(unix.EPERM)

	load(dataArch)
	p = append(p, unix.SockFilter{Code: unix.BPF_JMP | unix.BPF_JEQ | unix.BPF_K, Jt: 1, K: auditArch})
	ret(retKill)
	load(dataNr)
	if x32Bit != 0 {
		ifNot(unix.BPF_JGE, x32Bit, 1)
		ret(retKill)
	}
	for _, nr := range append(append([]uint32{}, allowed...), allowedHere...) {
		ifNot(unix.BPF_JEQ, nr, 1)
		ret(retAllow)
	}

	// Calls that depend on an argument: load it, compare, decide.
	withArg := func(nr uint32, arg int, op uint16, k uint32, yes, no uint32) {
		ifNot(unix.BPF_JEQ, nr, 4)
		load(argLow(arg))
		ifNot(op, k, 1)
		ret(yes)
		ret(no)
	}
	// Memory that can be written never becomes code.
	withArg(unix.SYS_MMAP, 2, unix.BPF_JSET, unix.PROT_EXEC, deny, retAllow)
	withArg(unix.SYS_MPROTECT, 2, unix.BPF_JSET, unix.PROT_EXEC, deny, retAllow)
	// Threads, not processes.
	withArg(unix.SYS_CLONE, 0, unix.BPF_JSET, unix.CLONE_THREAD, retAllow, deny)
	// Signals to its own threads: the runtime preempts with them.
	withArg(unix.SYS_TGKILL, 0, unix.BPF_JEQ, pid, retAllow, deny)
	// Its own limits, which it can only lower.
	withArg(unix.SYS_PRLIMIT64, 0, unix.BPF_JEQ, 0, retAllow, deny)
	// Names of memory areas.
	withArg(unix.SYS_PRCTL, 0, unix.BPF_JEQ, unix.PR_SET_VMA, retAllow, deny)
	// clone3 hides its flags behind a pointer; the C library falls back to clone.
	ifNot(unix.BPF_JEQ, unix.SYS_CLONE3, 1)
	ret(uint32(retErrno) | uint32(unix.ENOSYS))

	for _, nr := range append(append([]uint32{}, fatal...), fatalHere...) {
		ifNot(unix.BPF_JEQ, nr, 1)
		ret(retKill)
	}
	ret(deny)
	return p
}
