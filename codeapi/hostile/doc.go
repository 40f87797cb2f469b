// Package hostile holds programs that try to break out, to use up the machine or
// to confuse the host, by class, each with the outcome that it must have. Nothing
// imports this package; its test runs every program through the real runner, engine
// and child.
//
// testdata/CLASS.txtar holds the programs of a class. The first lines of each are
// comments that only the test reads:
//
//	# want: memory|timeout   kinds of outcome, any of them
//	# says: too long         part of the error's message or hint
//	# result: [1,2]          the answer as JSON
//	# MiB: 512               memory limit, if 96 MiB are not enough
//	# context: {"a": 1}      variables of the caller
//
// HOSTILE=regex/ runs those whose name has that in it, -v tells the fate of each.
package hostile
