package setup

import (
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
)

// ToolError names a program that is not on the machine and what installs it.
type ToolError struct{ Tool, Remedy string }

func (e *ToolError) Error() string {
	return fmt.Sprintf("%s is not installed; %s", e.Tool, e.Remedy)
}

// lookTool finds a program on PATH, or says how to install it.
func lookTool(name string) (string, error) {
	path, err := exec.LookPath(name)
	if err != nil {
		return "", missingTool(name)
	}
	return path, nil
}

// toolPackages: program -> package manager -> package.
var toolPackages = map[string]map[string]string{
	"pip":     {"apt-get": "python3-pip", "dnf": "python3-pip", "yum": "python3-pip", "zypper": "python3-pip", "pacman": "python-pip", "apk": "py3-pip", "brew": "python"},
	"python3": {"apt-get": "python3", "dnf": "python3", "yum": "python3", "zypper": "python3", "pacman": "python", "apk": "python3", "brew": "python"},
	"mvn":     {"apt-get": "maven", "dnf": "maven", "yum": "maven", "zypper": "maven", "pacman": "maven", "apk": "maven", "brew": "maven"},
	"npm":     {"apt-get": "npm", "dnf": "npm", "yum": "npm", "zypper": "npm", "pacman": "npm", "apk": "npm", "brew": "node"},
	"cc":      {"apt-get": "gcc libc6-dev", "dnf": "gcc", "yum": "gcc", "zypper": "gcc", "pacman": "gcc", "apk": "gcc musl-dev", "brew": "gcc"},
}

func missingTool(name string) *ToolError {
	packages := toolPackages[name]
	for _, manager := range []string{"apt-get", "dnf", "yum", "zypper", "pacman", "apk", "brew"} {
		if _, err := exec.LookPath(manager); err == nil && packages[manager] != "" {
			verb := " install "
			switch manager {
			case "pacman":
				verb = " -S "
			case "apk":
				verb = " add "
			}
			sudo := "sudo "
			if os.Geteuid() == 0 || manager == "brew" {
				sudo = ""
			}
			return &ToolError{name, "install it with: " + sudo + manager + verb + packages[manager]}
		}
	}
	if len(packages) == 0 {
		return &ToolError{name, "install it and run: bmcis setup"}
	}
	return &ToolError{name, fmt.Sprintf("install the package %s (Debian, Ubuntu), %s (Fedora) or %s (brew)", packages["apt-get"], packages["dnf"], packages["brew"])}
}

// Tool is a program that setup may need, for doctor.
type Tool struct {
	Name   string
	Path   string // empty when missing
	Remedy string // set when missing
	For    string
}

// Tools looks for the programs that setup uses.
func Tools() []Tool {
	pip := Tool{Name: "pip", For: "fetches PostgreSQL and ONNX Runtime"}
	if cmd, err := findPip(); err == nil {
		pip.Path = cmd[0]
	} else {
		pip.Remedy = err.(*ToolError).Remedy
	}
	mvn := Tool{Name: "mvn", For: "fetches the embedding model"}
	if path, err := lookTool("mvn"); err == nil {
		mvn.Path = path
	} else {
		mvn.Remedy = err.(*ToolError).Remedy
	}
	return []Tool{pip, mvn}
}

// Compiler finds the C compiler, which building bmcis itself and the source
// fallback need.
func Compiler() (string, error) {
	names := []string{"cc", "gcc", "clang"}
	if cc := os.Getenv("CC"); cc != "" {
		names = []string{cc}
	}
	for _, name := range names {
		if path, err := exec.LookPath(name); err == nil {
			return path, nil
		}
	}
	return "", missingTool("cc")
}

// usesGlibc reports whether the machine's programs are linked against the GNU C
// library; the fetched ones are.
func usesGlibc() bool {
	for _, pattern := range []string{"/lib64/ld-linux-*", "/lib/ld-linux-*", "/lib/*/ld-linux-*"} {
		if found, _ := filepath.Glob(pattern); len(found) > 0 {
			return true
		}
	}
	return false
}
