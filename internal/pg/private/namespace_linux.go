package private

import (
	"os"
	"syscall"
)

func namespaceAttributes(id identity) *syscall.SysProcAttr {
	return &syscall.SysProcAttr{
		Cloneflags:  syscall.CLONE_NEWUSER,
		UidMappings: []syscall.SysProcIDMap{{ContainerID: id.innerUID, HostID: os.Geteuid(), Size: 1}},
		GidMappings: []syscall.SysProcIDMap{{ContainerID: id.innerGID, HostID: os.Getegid(), Size: 1}},
	}
}
