package pg

import (
	"bytes"
	"context"
	"crypto/sha256"
	"errors"
	"fmt"
	"io"
	"net/url"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"slices"
	"strconv"
	"strings"

	"github.com/jackc/pgx/v5"
	"github.com/jackc/pgx/v5/pgconn"
)

// A backup is a file of pg_dump in its compressed custom format, which pg_restore
// reads too, with a seal at the end: sealMagic and the sha256 of all before it.
// pg_restore itself takes a cut file for a whole one when only the end is missing.
const sealMagic = "BMCISEAL"

const sealSize = int64(len(sealMagic) + sha256.Size)

// Dump writes the whole database into file: a consistent state of one moment,
// taken while others read and write. The file appears under its name when it is
// complete. bin is a folder to look for the tool in, beside PATH; empty for none.
func Dump(ctx context.Context, bin, dsn, file string) error {
	tool, err := clientTool(ctx, "pg_dump", bin, dsn)
	if err != nil {
		return err
	}
	if _, err := os.Stat(filepath.Dir(file)); err != nil {
		return fmt.Errorf("write backup: %w", err)
	}
	temp := file + ".part"
	out, err := os.OpenFile(temp, os.O_CREATE|os.O_RDWR|os.O_TRUNC, 0o600) // it holds all documents
	if err != nil {
		return fmt.Errorf("write backup: %w", err)
	}
	defer os.Remove(temp) // gone when all went well
	err = runClient(ctx, tool, dsn, nil, out, "--format=custom", "--no-owner", "--no-privileges")
	if err == nil {
		err = seal(out)
	}
	if err == nil {
		err = out.Sync()
	}
	if err = errors.Join(err, out.Close()); err != nil {
		return fmt.Errorf("back up: %w", err)
	}
	return os.Rename(temp, file)
}

// ErrNotEmpty says that a restore would overwrite documents, or what agents and
// administrators left.
var ErrNotEmpty = errors.New("the database holds documents, tokens, skills, files or an audit log; a restore would replace them")

// precious are the tables of which one row forbids a restore without being asked.
var precious = []string{"documents", "tokens", "skills", "workspace_files", "audit_runs", "vault_values"}

// Restore brings a Dump back, all of it or nothing. A database that is
// not empty is left alone ([ErrNotEmpty]) unless replace is set; then its content is gone.
func Restore(ctx context.Context, bin, dsn, file string, replace bool) error {
	in, err := os.Open(file)
	if err != nil {
		return fmt.Errorf("read backup: %w", err)
	}
	defer in.Close()
	if err := checkSeal(in); err != nil {
		return fmt.Errorf("read backup %s: %w", file, err)
	}
	tool, err := clientTool(ctx, "pg_restore", bin, dsn)
	if err != nil {
		return err
	}
	if !replace {
		if err := checkEmpty(ctx, dsn); err != nil {
			return err
		}
	}
	err = runClient(ctx, tool, dsn, in, nil, "--clean", "--if-exists", "--no-owner", "--no-privileges", "--single-transaction", "--exit-on-error")
	if err != nil {
		return fmt.Errorf("restore (nothing was changed): %w", err)
	}
	return nil
}

// seal ends a backup.
func seal(f *os.File) error {
	size, err := f.Seek(0, io.SeekEnd)
	if err != nil {
		return err
	}
	sum, err := hashOf(f, size)
	if err != nil {
		return err
	}
	_, err = f.Write(append([]byte(sealMagic), sum...))
	return err
}

// checkSeal reads the whole backup before the database is touched.
func checkSeal(f *os.File) error {
	info, err := f.Stat()
	if err != nil {
		return err
	}
	head := make([]byte, 5)
	if _, err := f.ReadAt(head, 0); err != nil || string(head) != "PGDMP" {
		return errors.New("this is not a file of `bmcis db backup`")
	}
	end := make([]byte, sealSize)
	if _, err := f.ReadAt(end, info.Size()-sealSize); err != nil || string(end[:len(sealMagic)]) != sealMagic {
		return errors.New("its end is missing: not a whole backup; nothing was changed")
	}
	sum, err := hashOf(f, info.Size()-sealSize)
	if err != nil {
		return err
	}
	if !bytes.Equal(sum, end[len(sealMagic):]) {
		return errors.New("it is damaged (wrong sha256); nothing was changed")
	}
	return nil
}

func hashOf(f *os.File, size int64) ([]byte, error) {
	h := sha256.New()
	if _, err := io.Copy(h, io.NewSectionReader(f, 0, size)); err != nil {
		return nil, err
	}
	return h.Sum(nil), nil
}

func checkEmpty(ctx context.Context, dsn string) error {
	conn, err := pgx.Connect(ctx, dsn)
	if err != nil {
		return Explain(err)
	}
	defer conn.Close(ctx)
	for _, table := range precious {
		var has bool
		if err := conn.QueryRow(ctx, "select to_regclass($1) is not null", table).Scan(&has); err != nil {
			return Explain(err)
		}
		if !has { // of an older program, or nothing at all
			continue
		}
		if err := conn.QueryRow(ctx, "select exists (select from "+table+")").Scan(&has); err != nil {
			return Explain(err)
		}
		if has {
			return ErrNotEmpty
		}
	}
	return nil
}

// clientTool finds a client program that is not older than the server: on PATH,
// which knows TLS and the site's authentication, else in bin.
func clientTool(ctx context.Context, name, bin, dsn string) (string, error) {
	conn, err := pgx.Connect(ctx, dsn)
	if err != nil {
		return "", Explain(err)
	}
	var server int
	err = conn.QueryRow(ctx, "select current_setting('server_version_num')::int / 10000").Scan(&server)
	conn.Close(ctx)
	if err != nil {
		return "", Explain(err)
	}
	var found []string
	for _, path := range []string{name, filepath.Join(bin, name)} {
		if path == name && bin != "" && strings.Contains(dsn, "host='/") {
			continue // the private cluster: its own tools fit best
		}
		if path, err := exec.LookPath(path); err == nil {
			have := toolMajor(ctx, path)
			if have >= server {
				return path, nil
			}
			found = append(found, fmt.Sprintf("%s is %d", path, have))
		}
	}
	if len(found) > 0 {
		return "", fmt.Errorf("%s is too old for the server, PostgreSQL %d (%s); install postgresql-client-%d", name, server, strings.Join(found, ", "), server)
	}
	return "", fmt.Errorf("%s is not installed; install postgresql-client-%d, or run: bmcis setup", name, server)
}

var toolVersion = regexp.MustCompile(`\(PostgreSQL\) (\d+)`)

func toolMajor(ctx context.Context, path string) int {
	out, err := exec.CommandContext(ctx, path, "--version").Output()
	if m := toolVersion.FindSubmatch(out); err == nil && m != nil {
		major, _ := strconv.Atoi(string(m[1]))
		return major
	}
	return 0
}

func runClient(ctx context.Context, tool, dsn string, in, out *os.File, args ...string) error {
	clean, password, err := forLibpq(dsn)
	if err != nil {
		return err
	}
	var stderr bytes.Buffer
	cmd := exec.CommandContext(ctx, tool, append(args, "--dbname="+clean)...)
	cmd.Stdin, cmd.Stderr = nil, &stderr
	if in != nil {
		cmd.Stdin = in
	}
	if out != nil {
		cmd.Stdout = out
	}
	cmd.Env = os.Environ()
	if password != "" {
		cmd.Env = append(cmd.Env, "PGPASSWORD="+password) // not on the command line, which all can read
	}
	if err := cmd.Run(); err != nil {
		if ctx.Err() != nil {
			return ctx.Err()
		}
		return fmt.Errorf("%s: %w: %s", filepath.Base(tool), err, hidePasswords(strings.Join(strings.Fields(stderr.String()), " ")))
	}
	return nil
}

// pgxOnly are DSN settings that pgx knows and libpq refuses.
var pgxOnly = []string{
	"default_query_exec_mode", "statement_cache_capacity", "description_cache_capacity", "min_read_buffer_size",
	"pool_max_conns", "pool_min_conns", "pool_min_idle_conns", "pool_max_conn_lifetime", "pool_max_conn_idle_time",
	"pool_health_check_period", "pool_max_conn_lifetime_jitter",
}

// forLibpq returns a DSN that libpq understands, without its password.
func forLibpq(dsn string) (clean, password string, err error) {
	cfg, err := pgconn.ParseConfig(dsn)
	if err != nil {
		return "", "", explainDSN(err)
	}
	if strings.HasPrefix(dsn, "postgres://") || strings.HasPrefix(dsn, "postgresql://") {
		u, err := url.Parse(dsn)
		if err != nil {
			return "", "", explainDSN(err)
		}
		if u.User != nil {
			u.User = url.User(u.User.Username())
		}
		q := u.Query()
		q.Del("password")
		for _, key := range pgxOnly {
			q.Del(key)
		}
		u.RawQuery = q.Encode()
		return u.String(), cfg.Password, nil
	}
	var kept []string
	for _, m := range keyValue.FindAllStringSubmatch(dsn, -1) {
		if key := strings.ToLower(m[1]); key != "password" && !slices.Contains(pgxOnly, key) {
			kept = append(kept, m[1]+"="+m[2])
		}
	}
	return strings.Join(kept, " "), cfg.Password, nil
}

var keyValue = regexp.MustCompile(`(\w+)\s*=\s*('(?:[^'\\]|\\.)*'|(?:[^\s\\]|\\.)*)`)
