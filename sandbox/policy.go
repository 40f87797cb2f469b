package sandbox

// A Policy names how much confinement a runner demands of its children.
type Policy string

// The policies.
const (
	// PolicyStandard demands on Linux limits, no_new_privs and seccomp, and
	// elsewhere a process of its own with limits. It is the default.
	PolicyStandard Policy = "standard"
	// PolicyStrict demands besides Landlock, a user that is not root, and
	// nothing short of this: on platforms without these layers nothing runs.
	PolicyStrict Policy = "strict"
	// PolicyBestEffort takes what there is.
	PolicyBestEffort Policy = "best-effort"
)
