package sandbox

import "golang.org/x/sys/unix"

const (
	auditArch = unix.AUDIT_ARCH_X86_64
	x32Bit    = 0x40000000 // the x32 ABI has its own numbers
)

var allowedHere = []uint32{unix.SYS_EPOLL_WAIT, unix.SYS_ARCH_PRCTL}

var fatalHere = []uint32{unix.SYS_FORK, unix.SYS_VFORK, unix.SYS_MODIFY_LDT, unix.SYS_IOPL, unix.SYS_IOPERM, unix.SYS_KEXEC_FILE_LOAD}
