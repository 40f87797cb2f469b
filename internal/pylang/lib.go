package pylang

import _ "embed"

//go:embed lib/asyncio.py
var asyncioSource string

//go:embed lib/abc.py
var abcSource string

//go:embed lib/contextlib.py
var contextlibSource string

//go:embed lib/inspect.py
var inspectSource string

//go:embed lib/sys.py
var sysSource string

//go:embed lib/traceback.py
var tracebackSource string

//go:embed lib/types.py
var typesSource string
