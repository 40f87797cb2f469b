// Package hostile holds programs that try to break out, to use up the machine or
// to confuse the host, by class, each with the outcome that it must have. They were
// written before the code that contains them. Nothing imports this package; its
// test runs every program through the real runner, engine and child.
package hostile
