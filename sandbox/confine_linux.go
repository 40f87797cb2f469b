package sandbox

import (
	"errors"
	"fmt"
	"os"
	"strconv"
	"strings"
	"time"

	"golang.org/x/sys/unix"

	"github.com/bmcis/bmcis/sandbox/internal/early"
)

// confine is the second half of confinement, in the image that runs the program
// (the first half is package early). It returns the address space in use, from
// which the memory limit is counted, and the layers in place.
func confine() (base int64, layers, missing []string) {
	layers = []string{LayerProcess, LayerGroup, LayerEnvironment, LayerLiveMonitors}
	add := func(layer string, err error) {
		if err != nil {
			missing = append(missing, layer+": "+err.Error())
		} else {
			layers = append(layers, layer)
		}
	}
	if early.Done != "" {
		layers = append(layers, strings.Split(early.Done, ";")...)
	}
	if early.Failed != "" {
		missing = append(missing, strings.Split(early.Failed, ";")...)
	}
	add(LayerParentDeath, unix.Prctl(unix.PR_SET_PDEATHSIG, uintptr(unix.SIGKILL), 0, 0, 0))
	if os.Getuid() == 0 || os.Geteuid() == 0 {
		add(LayerUser, errors.New("runs as root: "+early.Refused))
	} else {
		add(LayerUser, nil)
	}
	if os.Getpid() == 1 {
		add(LayerNamespaces, nil)
	} else {
		add(LayerNamespaces, errors.New(early.Refused))
	}
	base, err := addressSpace()
	if err == nil {
		err = setBudget(base)
	}
	add(LayerMemory, err)
	add(LayerNotDumpable, unix.Prctl(unix.PR_SET_DUMPABLE, 0, 0, 0, 0))
	add(LayerSeccomp, seccomp())
	return base, layers, missing
}

// addressSpace reads the size of this process from the descriptor that the first
// image left open, and closes it.
func addressSpace() (int64, error) {
	fd, err := strconv.Atoi(early.Statm)
	if err != nil {
		return 0, errors.New("/proc/self/statm could not be opened")
	}
	defer unix.Close(fd)
	var b [128]byte
	n, err := unix.Read(fd, b[:])
	if err != nil {
		return 0, err
	}
	first, _, _ := strings.Cut(string(b[:n]), " ")
	pages, err := strconv.ParseInt(first, 10, 64)
	if err != nil {
		return 0, fmt.Errorf("/proc/self/statm: %w", err)
	}
	return pages * int64(os.Getpagesize()), nil
}

// setBudget sets the hard limits that hold before any program is known: those of
// the largest program that this child may get.
func setBudget(base int64) error {
	memory, err := strconv.ParseInt(early.Memory, 10, 64)
	if err != nil {
		return fmt.Errorf("memory limit: %w", err)
	}
	cpu, err := strconv.ParseInt(early.CPU, 10, 64)
	if err != nil {
		return fmt.Errorf("CPU limit: %w", err)
	}
	return hardLimits(base, Limits{MemoryBytes: memory, CPU: time.Duration(cpu) * time.Second})
}

// hardLimits bounds address space and CPU time; the kernel lets them only fall.
func hardLimits(base int64, l Limits) error {
	if base > 0 {
		if err := setrlimit(unix.RLIMIT_AS, uint64(base+planMemory(l.MemoryBytes).hardRoom)); err != nil {
			return err
		}
	}
	// Soft = hard: Go ignores the signal of the soft limit.
	return setrlimit(unix.RLIMIT_CPU, uint64((processCPU()+l.CPU)/time.Second)+2)
}

func setrlimit(what int, n uint64) error {
	return unix.Prlimit(0, what, &unix.Rlimit{Cur: n, Max: n}, nil)
}

func cpuTime() time.Duration { return processCPU() }
