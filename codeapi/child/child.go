// Package child turns a process that was started as a sandbox child into one: its
// init runs the program and ends the process, before main and before packages that
// come later in Go's order of initialisation. In any other process it does nothing.
//
// A binary (or test) that runs programs imports it for its effect:
//
//	import _ "github.com/bmcis/bmcis/codeapi/child"
package child

import (
	"github.com/bmcis/bmcis/codeapi"
	"github.com/bmcis/bmcis/sandbox"
)

func init() { sandbox.ChildMain(codeapi.Engine) }
