package early

import (
	"fmt"
	"os"
	"os/exec"
	"strings"
	"syscall"
	"testing"
)

// In the second image: what the first one took away is really gone.
func init() {
	if Stage != 2 {
		return
	}
	fmt.Println("done", Done)
	fmt.Println("failed", Failed)
	try := func(what string, err error) { fmt.Printf("%s: %v\n", what, err) }
	_, err := os.ReadFile("/etc/passwd")
	try("read", err)
	_, err = os.ReadDir("/")
	try("list", err)
	try("write", os.WriteFile("/tmp/early-test", []byte("x"), 0o600))
	try("null", func() error { _, err := os.OpenFile("/dev/null", os.O_RDWR, 0); return err }())
	try("signal", syscall.Kill(os.Getppid(), 0))
	fd, err := syscall.Socket(syscall.AF_INET, syscall.SOCK_STREAM, 0)
	if err == nil {
		err = syscall.Connect(fd, &syscall.SockaddrInet4{Port: 9, Addr: [4]byte{127, 0, 0, 1}})
	}
	try("connect", err)
	fmt.Println("environment", os.Environ())
	var l syscall.Rlimit
	syscall.Getrlimit(syscall.RLIMIT_NOFILE, &l)
	fmt.Println("files", l.Cur, l.Max)
	os.Exit(0)
}

func TestFirstImage(t *testing.T) {
	cmd := exec.Command("/proc/self/exe")
	cmd.Env = []string{EnvStage + "=1", "SECRET=1"}
	out, err := cmd.CombinedOutput()
	text := string(out)
	t.Log(text)
	if err != nil {
		t.Fatal(err)
	}
	if !strings.Contains(text, "files 16 16\n") || !strings.Contains(text, "environment []\n") {
		t.Error("limits or environment")
	}
	abi := LandlockABI()
	if abi == 0 {
		t.Skip("no Landlock on this kernel")
	}
	denied := []string{"read", "list", "write", "null"}
	if abi >= 4 {
		denied = append(denied, "connect")
	}
	if abi >= 6 {
		denied = append(denied, "signal")
	}
	for _, what := range denied {
		_, rest, _ := strings.Cut(text, "\n"+what+": ")
		line, _, _ := strings.Cut(rest, "\n")
		if !strings.HasSuffix(line, "permission denied") && !strings.HasSuffix(line, "operation not permitted") {
			t.Errorf("%s: %s", what, line)
		}
	}
}
