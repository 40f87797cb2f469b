package codeapi

import (
	"context"

	"github.com/bmcis/bmcis/sandbox"
)

// Engine runs one program: it is the [sandbox.Engine] of the child process.
func Engine(ctx context.Context, p sandbox.Program, l sandbox.Limits, h sandbox.Host) sandbox.EngineResult {
	return sandbox.EngineResult{}
}

var _ sandbox.Engine = Engine
