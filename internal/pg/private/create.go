package private

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
)

const newPrefix = "new-" // a cluster that is being made, see create

// create makes the data folder if there is none. initdb works in a folder of
// another name that is renamed at the end, so a data folder is whole or absent.
// The caller holds the start lock.
func (c *Cluster) create(ctx context.Context) error {
	version, err := os.ReadFile(filepath.Join(c.data(), "PG_VERSION"))
	switch {
	case err == nil:
		return c.checkVersion(ctx, strings.TrimSpace(string(version)))
	case !errors.Is(err, fs.ErrNotExist):
		return fmt.Errorf("look at the data folder: %w", err)
	}
	if _, err := os.Lstat(c.data()); err == nil {
		return fmt.Errorf("data folder %s has no PG_VERSION: not a whole database; nothing was changed; restore it, or move it away to begin anew", c.data())
	}
	c.progress("creating the private database in " + c.data())
	id, err := c.serverIdentity()
	if err != nil {
		return fmt.Errorf("create the private database: %w", err)
	}
	// Left by a creation that was killed: never a database that anyone used.
	left, _ := filepath.Glob(filepath.Join(c.dir(), newPrefix+"*"))
	for _, dir := range left {
		os.RemoveAll(dir)
	}
	temp, err := os.MkdirTemp(c.dir(), newPrefix)
	if err != nil {
		return fmt.Errorf("create the private database: %w", err)
	}
	if err := id.give(temp); err != nil {
		return fmt.Errorf("create the private database: %w", err)
	}
	if err := c.initdb(ctx, id, temp); err != nil {
		os.RemoveAll(temp)
		return fmt.Errorf("create the private database: %w", err)
	}
	return os.Rename(temp, c.data())
}

func (c *Cluster) initdb(ctx context.Context, id identity, dir string) error {
	args := []string{
		"-D", dir, "-U", User, "--auth=peer", "--encoding=UTF8", "--locale=C", "--no-instructions",
	}
	var output bytes.Buffer
	cmd := exec.CommandContext(ctx, filepath.Join(c.bin, "initdb"), args...)
	cmd.Dir = "/"
	cmd.Env = plainEnv()
	cmd.Stdout, cmd.Stderr = &output, &output
	cmd.SysProcAttr = id.attributes()
	if err := cmd.Run(); err != nil {
		if ctx.Err() != nil {
			return ctx.Err()
		}
		if errors.Is(err, fs.ErrPermission) {
			return fmt.Errorf("%w; user %s must be able to enter %s", err, userName(id.uid), c.bin)
		}
		return fmt.Errorf("initdb: %w: %s", err, lastLines(output.String()))
	}
	conf, err := os.OpenFile(filepath.Join(dir, "postgresql.conf"), os.O_WRONLY|os.O_APPEND, 0)
	if err != nil {
		return err
	}
	_, err = fmt.Fprintf(conf, "\n# Set by bmcis when it made this cluster; yours to edit.\n%s\n", strings.Join(tuning(machine()), "\n"))
	return errors.Join(err, conf.Close())
}

// checkVersion refuses a data folder of another major version.
func (c *Cluster) checkVersion(ctx context.Context, have string) error {
	out, err := exec.CommandContext(ctx, filepath.Join(c.bin, "postgres"), "--version").Output()
	if err != nil {
		return fmt.Errorf("ask %s for its version: %w; run: bmcis setup", filepath.Join(c.bin, "postgres"), err)
	}
	// "postgres (PostgreSQL) 18.4"
	fields := strings.Fields(string(out))
	if len(fields) < 3 {
		return fmt.Errorf("%s calls itself %q", filepath.Join(c.bin, "postgres"), strings.TrimSpace(string(out)))
	}
	if want, _, _ := strings.Cut(fields[2], "."); want != have {
		return fmt.Errorf("data folder %s was made by PostgreSQL %s, the programs are %s; nothing was changed; "+
			"dump it with `bmcis db backup` under the old programs and restore it into another BMCIS_HOME", c.data(), have, fields[2])
	}
	return nil
}

// lastLines condenses what a program printed to one line.
func lastLines(text string) string {
	lines := strings.Split(strings.TrimSpace(text), "\n")
	lines = lines[max(0, len(lines)-3):]
	for i := range lines {
		lines[i] = strings.TrimSpace(lines[i])
	}
	return strings.Join(lines, "; ")
}
