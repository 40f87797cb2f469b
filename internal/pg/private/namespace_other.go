//go:build !linux

package private

import "syscall"

// namespaceAttributes: only Linux has user namespaces. The server then starts as
// we are, and says itself what it does not like.
func namespaceAttributes(identity) *syscall.SysProcAttr { return &syscall.SysProcAttr{} }
