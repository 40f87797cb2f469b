package pg

import (
	"context"
	"errors"
	"io/fs"
	"net"
	"net/url"
	"regexp"
	"strconv"
	"strings"
	"syscall"

	"github.com/jackc/pgx/v5/pgconn"
)

// Kind is the nature of a database error that a person can mend.
type Kind string

// The kinds.
const (
	BadDSN      Kind = "dsn"
	Unreachable Kind = "unreachable"
	AuthFailed  Kind = "auth"
	NoDatabase  Kind = "no-database"
	NoVector    Kind = "no-pgvector"
	OldVector   Kind = "old-pgvector"
	Privileges  Kind = "privileges"
	Full        Kind = "full"  // disk or connections
	Other       Kind = "other" // none of these; no hint
)

// Error is a database error for people: one line, with the remedy.
type Error struct {
	Kind Kind
	Msg  string
	Hint string
	Err  error // the cause; nil when we found it ourselves
}

func (e *Error) Error() string {
	if e.Hint == "" {
		return e.Msg
	}
	return e.Msg + "; " + e.Hint
}

func (e *Error) Unwrap() error { return e.Err }

// explainDSN keeps passwords out of the message: pgx quotes the DSN only after
// hiding them, and so do we by not quoting it at all.
func explainDSN(err error) error {
	reason := "it cannot be parsed"
	var parse *pgconn.ParseConfigError
	if cause := errors.Unwrap(err); errors.As(err, &parse) && parse.Unwrap() != nil {
		reason = parse.Unwrap().Error()
	} else if cause != nil {
		reason = cause.Error()
	}
	var u *url.Error
	if errors.As(err, &u) {
		reason = u.Err.Error()
	}
	return &Error{BadDSN, "wrong database DSN: " + hidePasswords(reason),
		"write it as postgres://user:password@host:5432/database or host=... user=... dbname=...", err}
}

var passwords = regexp.MustCompile(`(?i)(password\s*=\s*)('[^']*'|\S+)|(://[^:/@\s]*:)[^@\s]*@`)

func hidePasswords(s string) string { return passwords.ReplaceAllString(s, "$1$3…@") }

// Explain turns an error of pgx into an [*Error] with a remedy. An error that is
// one already, or a cancelled context, is returned as it is.
func Explain(err error) error {
	var ours *Error
	if err == nil || errors.As(err, &ours) || errors.Is(err, context.Canceled) {
		return err
	}
	if e := explainServer(err); e != nil {
		return e
	}
	var connect *pgconn.ConnectError
	if errors.As(err, &connect) {
		return explainConnect(connect, err)
	}
	return &Error{Other, err.Error(), "", err}
}

func explainServer(err error) *Error {
	var server *pgconn.PgError
	if !errors.As(err, &server) {
		return nil
	}
	e := &Error{Kind: Other, Msg: "database: " + server.Message, Err: err}
	switch server.Code {
	case "28P01", "28000": // invalid_password, invalid_authorization_specification
		e.Kind, e.Hint = AuthFailed, "check user and password in the DSN, and pg_hba.conf on the server"
	case "3D000": // invalid_catalog_name
		e.Kind, e.Hint = NoDatabase, "create it (createdb), or correct the DSN"
	case "42501": // insufficient_privilege
		e.Kind, e.Hint = Privileges, "let the database's owner grant it, or run `bmcis db migrate` once as the owner"
	case "53300": // too_many_connections
		e.Kind, e.Hint = Full, "close other clients, raise max_connections, or put PgBouncer in front"
	case "53100": // disk_full
		e.Kind, e.Hint = Full, "free space on the server's disk"
	case "58P01", "0A000": // undefined_file, feature_not_supported
		if strings.Contains(server.Message, "vector") {
			e.Kind, e.Msg = NoVector, "pgvector is not whole on the server: "+server.Message
			e.Hint = "install it there anew, or give no database to use the private one"
		}
	}
	return e
}

func explainConnect(connect *pgconn.ConnectError, err error) error {
	where := connect.Config.Host
	if !strings.HasPrefix(where, "/") {
		where = net.JoinHostPort(where, strconv.Itoa(int(connect.Config.Port)))
	}
	e := &Error{Kind: Unreachable, Err: err}
	var dns *net.DNSError
	switch {
	case errors.As(err, &dns):
		e.Msg, e.Hint = "no database at "+where+": the host name is unknown", "correct the host in the DSN"
	case errors.Is(err, syscall.ECONNREFUSED):
		e.Msg, e.Hint = "no database at "+where+": nothing listens there", "start the server, or correct host and port in the DSN"
	case errors.Is(err, fs.ErrNotExist):
		e.Msg, e.Hint = "no database at "+where+": no socket there", "start the server, or correct host in the DSN"
	case errors.Is(err, fs.ErrPermission):
		e.Msg, e.Hint = "no database at "+where+": permission denied", "run as a user who may enter that folder"
	case errors.Is(err, context.DeadlineExceeded), isTimeout(err):
		e.Msg, e.Hint = "no database at "+where+": no answer in time", "check host, port and firewall"
	default:
		cause := errors.Unwrap(connect)
		text := connect.Error()
		if cause != nil {
			text = cause.Error()
		}
		e.Msg, e.Hint = "no database at "+where+": "+hidePasswords(strings.Join(strings.Fields(text), " ")), "check the DSN"
	}
	return e
}

func isTimeout(err error) bool {
	var t net.Error
	return errors.As(err, &t) && t.Timeout()
}
