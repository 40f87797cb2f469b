package upstream

import (
	"bufio"
	"encoding/json"
	"os"
	"os/exec"
	"testing"
	"time"
)

// A server does not outlive the program that started it, even when that is killed and
// gets to do nothing more, and even when the server does not mind its input's end.
func TestServersDieWithTheirHost(t *testing.T) {
	exe, err := os.Executable()
	if err != nil {
		t.Fatal(err)
	}
	cmd := exec.Command(exe)
	cmd.Env = append(os.Environ(), hostileEnv+"=host")
	out, err := cmd.StdoutPipe()
	if err != nil {
		t.Fatal(err)
	}
	if err := cmd.Start(); err != nil {
		t.Fatal(err)
	}
	line, err := bufio.NewReader(out).ReadBytes('\n')
	if err != nil {
		t.Fatal(err)
	}
	var pids struct{ Parent int }
	if err := json.Unmarshal(line, &pids); err != nil || !alive(pids.Parent) {
		t.Fatalf("%s: %v", line, err)
	}
	if err := cmd.Process.Kill(); err != nil {
		t.Fatal(err)
	}
	_ = cmd.Wait()
	for i := 0; alive(pids.Parent) && !zombie(pids.Parent); i++ {
		if i == 1000 {
			t.Fatal("the server lives on")
		}
		time.Sleep(10 * time.Millisecond)
	}
}
