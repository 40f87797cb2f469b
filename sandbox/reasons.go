package sandbox

import (
	"fmt"
	"time"
)

const (
	maxMessage = 6 << 10
	maxReport  = 1 << 20
)

// What a limit says when it is reached. Parent and child use the same words.

func errWall(d time.Duration) *Error {
	return &Error{Kind: KindTimeout, Message: fmt.Sprintf("the program ran longer than %v", d),
		Hint: "do less in one run (smaller top_k, fewer queries), or ask for a longer timeout"}
}

func errCPU(d time.Duration) *Error {
	return &Error{Kind: KindTimeout, Message: fmt.Sprintf("the program used more than %v of CPU time", d),
		Hint: "look for a loop that does not end, or do less in one run"}
}

func errMemory(n int64) *Error {
	return &Error{Kind: KindMemory, Message: fmt.Sprintf("the program used more than %s of memory", size(n)),
		Hint: "keep only what you need: work in batches, drop full texts, use smaller top_k"}
}

func errSteps(n int64) *Error {
	return &Error{Kind: KindSteps, Message: fmt.Sprintf("the program made more than %d steps", n),
		Hint: "look for a loop that does not end, or do less in one run"}
}

func errOutput(n int64) *Error {
	return &Error{Kind: KindOutput, Message: fmt.Sprintf("the program printed more than %s", size(n)),
		Hint: "print a summary, and return the data as the result"}
}

func errResult(n, limit int64) *Error {
	return &Error{Kind: KindOutput, Message: fmt.Sprintf("the result is %s of JSON, at most %s can be returned", size(n), size(limit)),
		Hint: "return a summary or the first items"}
}

func errCalls(n int) *Error {
	return &Error{Kind: KindCalls, Message: fmt.Sprintf("the program made more than %d host calls", n),
		Hint: "ask for more results in one call instead of calling in a loop"}
}

func errNesting() *Error {
	return &Error{Kind: KindRuntime, Message: "the program nests or recurses too deeply",
		Hint: "use a loop instead of recursion, and flatten nested data"}
}

// size writes a number of bytes for people.
func size(n int64) string {
	switch {
	case n >= 1<<20 && n%(1<<20) == 0:
		return fmt.Sprintf("%d MiB", n>>20)
	case n >= 10<<20:
		return fmt.Sprintf("%d MiB", n>>20)
	case n >= 1<<10:
		return fmt.Sprintf("%d KiB", n>>10)
	}
	return fmt.Sprintf("%d bytes", n)
}
