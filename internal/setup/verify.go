package setup

import (
	"errors"
	"fmt"
	"io/fs"
	"os"
	"runtime"

	"github.com/bmcis/bmcis/internal/home"
	"github.com/bmcis/bmcis/models"
)

// Preferred returns the source that setup tries first on this machine.
func Preferred(a models.Artifact) (models.Source, bool) {
	for _, s := range a.Sources {
		// The hub pins its files alone; the package with an archive says more.
		if s.Fits(runtime.GOOS, runtime.GOARCH, home.HasAVX2()) {
			return s, true
		}
	}
	return models.Source{}, false
}

// Verified is the result of hashing one artifact.
type Verified struct {
	Artifact string
	Detail   string // what was hashed, or why not
	Err      error
}

// Verify hashes every file of every artifact and compares it with the record
// and the register. What the user gave is not ours to judge, and says so.
func Verify() []Verified {
	var all []Verified
	root, err := home.Artifacts()
	if err != nil {
		return []Verified{{"artifacts", "", err}}
	}
	for _, a := range models.All() {
		v := Verified{Artifact: a.Name}
		if os.Getenv(a.Given) != "" {
			v.Detail = "given by " + a.Given + ", not verified"
			all = append(all, v)
			continue
		}
		dir, rec, err := home.Find(root, a)
		if errors.Is(err, fs.ErrNotExist) {
			err = &home.MissingError{Name: a.Name, Purpose: a.Purpose, Where: root}
		}
		if err == nil {
			err = errors.Join(pinned(a, rec, dir), rec.Check(dir, true))
		}
		v.Err = err
		if err != nil {
			v.Detail = err.Error()
		} else {
			v.Detail = fmt.Sprintf("%d files in %s", len(rec.Files), dir)
		}
		all = append(all, v)
	}
	v := Verified{Artifact: models.RerankerName, Detail: "bundled", Err: models.VerifyReranker()}
	return append(all, v)
}
