//go:build !linux

package sandbox

func forbidden(string) string { return "" }

func cpuLimit(uint64) {}
