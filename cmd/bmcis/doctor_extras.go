package main

import (
	"context"

	"github.com/bmcis/bmcis/internal/setup"
)

// doctorExtras are checks of parts that setup knows nothing of, such as the
// sandbox's level of confinement.
var doctorExtras []func(context.Context) setup.Check
