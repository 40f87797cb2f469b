//go:build !linux

package early

func first() {}
