package sandbox

import "golang.org/x/sys/unix"

const (
	auditArch = unix.AUDIT_ARCH_AARCH64
	x32Bit    = 0 // no second ABI under this architecture's value
)

var allowedHere []uint32

var fatalHere = []uint32{unix.SYS_KEXEC_FILE_LOAD}
