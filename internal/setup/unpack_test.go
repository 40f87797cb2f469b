package setup

import (
	"archive/tar"
	"archive/zip"
	"compress/gzip"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/bmcis/bmcis/models"
)

func makeZip(t *testing.T, entries ...string) string {
	t.Helper()
	path := filepath.Join(t.TempDir(), "a.zip")
	f, err := os.Create(path)
	if err != nil {
		t.Fatal(err)
	}
	z := zip.NewWriter(f)
	for _, name := range entries {
		h := &zip.FileHeader{Name: name}
		h.SetMode(0o600)
		if strings.Contains(name, "bin/") {
			h.SetMode(0o700)
		}
		w, err := z.CreateHeader(h)
		if err != nil {
			t.Fatal(err)
		}
		w.Write([]byte(name))
	}
	if err := z.Close(); err != nil {
		t.Fatal(err)
	}
	f.Close()
	return path
}

func TestUnpackZip(t *testing.T) {
	dir := t.TempDir()
	archive := makeZip(t, "pkg/bin/tool", "pkg/share/data", "other/file", "single")
	if err := unpack(archive, dir, []models.Member{{From: "pkg/", To: "p/"}, {From: "single", To: "renamed"}}); err != nil {
		t.Fatal(err)
	}
	for path, mode := range map[string]os.FileMode{"p/bin/tool": 0o755, "p/share/data": 0o644, "renamed": 0o644} {
		info, err := os.Stat(filepath.Join(dir, path))
		if err != nil || info.Mode().Perm() != mode {
			t.Errorf("%s: %v %v, want mode %v", path, info, err, mode)
		}
	}
	if _, err := os.Stat(filepath.Join(dir, "other")); err == nil {
		t.Error("took what was not asked for")
	}
}

func TestUnpackRefuses(t *testing.T) {
	for name, c := range map[string]struct {
		entries []string
		member  models.Member
		want    string
	}{
		"way out":        {[]string{"pkg/../../evil"}, models.Member{From: "pkg/", To: ""}, "leads out"},
		"absolute":       {[]string{"pkg//etc/evil"}, models.Member{From: "pkg/", To: ""}, "leads out"},
		"missing member": {[]string{"pkg/a"}, models.Member{From: "lib/", To: ""}, "holds no lib/"},
		"twice":          {[]string{"pkg/a", "pkg/a"}, models.Member{From: "pkg/", To: ""}, "exists"},
	} {
		outer := t.TempDir()
		dir := filepath.Join(outer, "a", "b")
		err := unpack(makeZip(t, c.entries...), dir, []models.Member{c.member})
		if err == nil || !strings.Contains(err.Error(), c.want) {
			t.Errorf("%s: %v", name, err)
		}
		if _, err := os.Stat(filepath.Join(outer, "evil")); err == nil {
			t.Errorf("%s: wrote outside", name)
		}
	}
	bad := filepath.Join(t.TempDir(), "bad.whl")
	if err := os.WriteFile(bad, []byte("no archive"), 0o600); err != nil {
		t.Fatal(err)
	}
	if err := unpack(bad, t.TempDir(), nil); err == nil || !strings.Contains(err.Error(), "bad.whl") {
		t.Error(err)
	}
}

func TestUnpackTarGz(t *testing.T) {
	path := filepath.Join(t.TempDir(), "a.tgz")
	f, err := os.Create(path)
	if err != nil {
		t.Fatal(err)
	}
	gz := gzip.NewWriter(f)
	w := tar.NewWriter(gz)
	for _, h := range []tar.Header{
		{Name: "package/lib.so", Typeflag: tar.TypeReg, Size: 3, Mode: 0o600},
		{Name: "package/link", Typeflag: tar.TypeSymlink, Linkname: "/etc/passwd"},
	} {
		if err := w.WriteHeader(&h); err != nil {
			t.Fatal(err)
		}
		if h.Size > 0 {
			w.Write([]byte("lib"))
		}
	}
	w.Close()
	gz.Close()
	f.Close()
	dir := t.TempDir()
	if err := unpack(path, dir, []models.Member{{From: "package/", To: ""}}); err != nil {
		t.Fatal(err)
	}
	if text, err := os.ReadFile(filepath.Join(dir, "lib.so")); err != nil || string(text) != "lib" {
		t.Errorf("%q %v", text, err)
	}
	if _, err := os.Lstat(filepath.Join(dir, "link")); err == nil {
		t.Error("made a link")
	}
}

func TestAptPlaces(t *testing.T) {
	stanza, suite := deb822("# comment\nTypes: deb\nURIs: place://mirror/x%20y\nSuites: bookworm bookworm-updates\nComponents: main\nSigned-By: /k.gpg\n\nTypes: deb\nSuites: other\n")
	want := "Types: deb-src\nURIs: place://mirror/x%%20y\nSuites: %s\nComponents: main\nSigned-By: /k.gpg\n"
	if stanza != want || suite != "bookworm" {
		t.Errorf("%q %q", stanza, suite)
	}
	if s, _ := deb822("Types: deb\nSuites: bookworm-security\n"); s != "" {
		t.Errorf("took security: %q", s)
	}
	stanza, suite = oneLineList("# x\ndeb-src place://a b c\ndeb [arch=amd64 signed-by=/k.gpg] place://mirror/debian bookworm main contrib\n")
	want = "Types: deb-src\nURIs: place://mirror/debian\nSuites: %s\nComponents: main contrib\nSigned-By: /k.gpg\n"
	if stanza != want || suite != "bookworm" {
		t.Errorf("%q %q", stanza, suite)
	}
}
