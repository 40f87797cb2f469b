package setup

import (
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"strings"

	"github.com/bmcis/bmcis/models"
)

// aptSource downloads a source package's archive. The machine's own release is
// asked first; Debian 12 has no pgvector, so on Debian the next release is asked
// too. The list of places is made from the machine's own list, with only the
// release changed. Nothing is installed, and the system's apt state is not touched.
func (f *fetcher) aptSource(dir string, src models.Source) error {
	apt, err := lookTool("apt-get")
	if err != nil {
		return errors.New("apt-get, which fetches pgvector's source, is not on this system")
	}
	stanza, suite, err := aptPlace()
	if err != nil {
		return err
	}
	suites := []string{suite}
	if release, err := os.ReadFile("/etc/os-release"); err == nil && strings.Contains(string(release), "\nID=debian") {
		suites = append(suites, "trixie")
	}
	var errs []error
	for _, suite := range suites {
		options, err := f.aptState(apt, stanza, suite)
		if err == nil {
			err = f.command(dir, apt, append(options, "source", "-q", "--download-only", src.Package)...)
		}
		if err == nil {
			err = verify(filepath.Join(dir, src.Archive.Path), src.Archive)
		}
		if err == nil {
			return nil
		}
		errs = append(errs, fmt.Errorf("release %s: %w", suite, err))
	}
	return joinLine(errs)
}

// aptState makes an apt state of our own that knows one release's sources, and
// returns the options that select it.
func (f *fetcher) aptState(apt, stanza, suite string) ([]string, error) {
	state := filepath.Join(f.temp, "apt-"+suite)
	if err := os.MkdirAll(filepath.Join(state, "lists", "partial"), 0o755); err != nil {
		return nil, err
	}
	list := filepath.Join(state, "places.sources")
	if err := os.WriteFile(list, []byte(fmt.Sprintf(stanza, suite)), 0o644); err != nil {
		return nil, err
	}
	options := []string{
		"-o", "Dir::Etc::sourcelist=" + list, "-o", "Dir::Etc::sourceparts=-",
		"-o", "Dir::State::lists=" + filepath.Join(state, "lists"), "-o", "APT::Get::List-Cleanup=0",
		"-o", "Dir::Cache=" + state, "-o", "Acquire::Retries=2",
		"-o", "APT::Sandbox::User=", // the downloads land in our folder, where _apt may not write
	}
	return options, f.command(state, apt, append(options, "update")...)
}

// aptBinary downloads a binary package of the machine's release and unpacks it
// into a folder of ours, without installing it.
func (f *fetcher) aptBinary(name string) (string, error) {
	apt, err := lookTool("apt-get")
	if err != nil {
		return "", err
	}
	dpkg, err := lookTool("dpkg-deb")
	if err != nil {
		return "", err
	}
	dir, err := os.MkdirTemp(f.temp, "package-")
	if err != nil {
		return "", err
	}
	if err := f.command(dir, apt, "download", "-q", "-o", "APT::Sandbox::User=", name); err != nil {
		return "", fmt.Errorf("%w; try: apt-get update", err)
	}
	found, _ := filepath.Glob(filepath.Join(dir, name+"_*.deb"))
	if len(found) != 1 {
		return "", fmt.Errorf("apt-get brought %d files of %s", len(found), name)
	}
	root := filepath.Join(dir, "root")
	return root, f.command(dir, dpkg, "-x", found[0], root)
}

// aptPlace reads where the machine's packages come from. It returns a stanza in
// apt's deb822 form for source packages, with %s for the release, and the release.
func aptPlace() (stanza, suite string, err error) {
	files, _ := filepath.Glob("/etc/apt/sources.list.d/*.sources")
	for _, path := range files {
		if text, err := os.ReadFile(path); err == nil {
			if stanza, suite := deb822(string(text)); stanza != "" {
				return stanza, suite, nil
			}
		}
	}
	if text, err := os.ReadFile("/etc/apt/sources.list"); err == nil {
		if stanza, suite := oneLineList(string(text)); stanza != "" {
			return stanza, suite, nil
		}
	}
	return "", "", errors.New("no usable list of packages below /etc/apt")
}

// deb822 makes a source stanza from the first usable one of a .sources file.
func deb822(text string) (stanza, suite string) {
	for _, block := range strings.Split(strings.ReplaceAll(text, "\r", ""), "\n\n") {
		var kept []string
		types, suite := false, ""
		for line := range strings.Lines(block) {
			line = strings.TrimRight(line, "\n")
			key, value, _ := strings.Cut(line, ":")
			switch strings.ToLower(key) {
			case "types":
				types = strings.Contains(value, "deb")
				kept = append(kept, "Types: deb-src")
			case "suites":
				if fields := strings.Fields(value); len(fields) > 0 {
					suite = fields[0]
				}
				kept = append(kept, "Suites: %s")
			default:
				if line != "" && !strings.HasPrefix(line, "#") {
					kept = append(kept, strings.ReplaceAll(line, "%", "%%"))
				}
			}
		}
		if types && suite != "" && !strings.Contains(suite, "security") {
			return strings.Join(kept, "\n") + "\n", suite
		}
	}
	return "", ""
}

// oneLineList does the same from a line "deb [options] place release components...".
func oneLineList(text string) (stanza, suite string) {
	for line := range strings.Lines(text) {
		line = strings.TrimSpace(line)
		rest, ok := strings.CutPrefix(line, "deb ")
		if !ok {
			continue
		}
		signed := ""
		if strings.HasPrefix(strings.TrimSpace(rest), "[") {
			options, after, ok := strings.Cut(rest, "]")
			if !ok {
				continue
			}
			for _, o := range strings.Fields(strings.Trim(options, " [")) {
				if key, ok := strings.CutPrefix(o, "signed-by="); ok {
					signed = "Signed-By: " + key + "\n"
				}
			}
			rest = after
		}
		f := strings.Fields(rest)
		if len(f) < 3 || strings.Contains(f[1], "security") {
			continue
		}
		place := strings.ReplaceAll(f[0], "%", "%%")
		return "Types: deb-src\nURIs: " + place + "\nSuites: %s\nComponents: " + strings.Join(f[2:], " ") + "\n" + signed, f[1]
	}
	return "", ""
}
