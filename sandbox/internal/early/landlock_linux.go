package early

import (
	"syscall"
	"unsafe"
)

// Landlock's system calls have the same numbers on every architecture.
const (
	sysLandlockCreate   = 444
	sysLandlockAdd      = 445
	sysLandlockRestrict = 446

	accessExecute  = 1 << 0
	accessReadFile = 1 << 2
)

// LandlockABI returns the version of Landlock that the kernel offers, 0 if none.
func LandlockABI() int {
	v, _, e := syscall.RawSyscall(sysLandlockCreate, 0, 0, 1)
	if e != 0 {
		return 0
	}
	return int(v)
}

// landlock takes away every right of the kernel's version over all files but the
// program's own (which may be read and executed, as the second image must start
// from them), TCP, and signals and abstract sockets to the outside. It binds this
// thread and what is executed from it.
func landlock() error {
	abi := LandlockABI()
	if abi < 1 {
		return syscall.ENOSYS
	}
	attr := [3]uint64{1<<13 - 1, 0, 0} // rights over files, over TCP ports, scopes
	attrSize := uintptr(8)
	if abi >= 2 {
		attr[0] |= 1 << 13 // refer
	}
	if abi >= 3 {
		attr[0] |= 1 << 14 // truncate
	}
	if abi >= 4 {
		attr[1] = 1<<0 | 1<<1 // bind, connect
		attrSize = 16
	}
	if abi >= 5 {
		attr[0] |= 1 << 15 // ioctl on devices
	}
	if abi >= 6 {
		attr[2] = 1<<0 | 1<<1 // abstract sockets, signals
		attrSize = 24
	}
	ruleset, _, e := syscall.RawSyscall(sysLandlockCreate, uintptr(unsafe.Pointer(&attr)), attrSize, 0)
	if e != 0 {
		return e
	}
	defer syscall.Close(int(ruleset))
	for _, path := range files() {
		fd, err := pathFD(path)
		if err != nil {
			continue
		}
		var rule [12]byte // rights (8 bytes), descriptor (4), in the machine's order
		*(*uint64)(unsafe.Pointer(&rule[0])) = accessExecute | accessReadFile
		*(*int32)(unsafe.Pointer(&rule[8])) = int32(fd)
		_, _, e := syscall.RawSyscall6(sysLandlockAdd, ruleset, 1, uintptr(unsafe.Pointer(&rule)), 0, 0, 0)
		_ = syscall.Close(fd)
		if e != 0 {
			return e
		}
	}
	if _, _, e := syscall.RawSyscall(sysLandlockRestrict, ruleset, 0, 0); e != 0 {
		return e
	}
	return nil
}
