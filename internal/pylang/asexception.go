package pylang

import "go.starlark.net/starlark"

// AsException gives an error that came out of a call the form in which a program
// sees it: an exception, or a Fatal that nothing may catch.
func AsException(thread *starlark.Thread, err error) (*Exception, *Fatal) {
	return rtOf(thread).toException(err)
}
