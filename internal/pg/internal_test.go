package pg

import (
	"errors"
	"strings"
	"testing"
)

func TestOlderThan(t *testing.T) {
	for _, c := range []struct {
		a, b string
		want bool
	}{
		{"0.7.4", "0.8.0", true}, {"0.8.0", "0.8.0", false}, {"0.8", "0.8.0", false}, {"0.10.0", "0.8.4", false},
		{"0.8.3", "0.8.4", true}, {"1.0", "0.8.4", false}, {"", "0.8.0", true},
	} {
		if got := olderThan(c.a, c.b); got != c.want {
			t.Errorf("olderThan(%q, %q) = %v", c.a, c.b, got)
		}
	}
}

func TestVectorVersions(t *testing.T) {
	for _, c := range []struct {
		info Info
		kind Kind // empty: no error
		warn bool
	}{
		{Info{Server: "18.4", CanCreate: true}, NoVector, false},
		{Info{Server: "16.2", VectorAvailable: "0.6.2", CanCreate: true}, OldVector, true},
		{Info{VectorInstalled: "0.7.0", VectorAvailable: "0.8.5"}, OldVector, true},
		{Info{VectorAvailable: "0.8.5"}, Privileges, false},
		{Info{VectorAvailable: "0.8.0", CanCreate: true}, "", true},
		{Info{VectorInstalled: "0.8.5"}, "", false},
	} {
		err := c.info.check()
		var e *Error
		if (err == nil) != (c.kind == "") || err != nil && (!errors.As(err, &e) || e.Kind != c.kind) {
			t.Errorf("%+v: %v", c.info, err)
		}
		if got := c.info.Warning() != ""; got != c.warn {
			t.Errorf("%+v: warning %v", c.info, got)
		}
	}
}

func TestHidePasswords(t *testing.T) {
	for _, s := range []string{"postgres://u:hush@h/d", "host=h password=hush x", "password = 'hush hush' x", "a postgresql://u:hush@h"} {
		if got := hidePasswords(s); strings.Contains(got, "hush") {
			t.Errorf("%q -> %q", s, got)
		}
	}
	if got := hidePasswords("postgres://u@h/d"); got != "postgres://u@h/d" {
		t.Errorf("%q", got)
	}
}

func TestForLibpq(t *testing.T) {
	for _, c := range []struct{ dsn, clean, password string }{
		{"postgres://u:p%40x@h:5/d?sslmode=require&pool_max_conns=3", "postgres://u@h:5/d?sslmode=require", "p@x"},
		{"host=/s user=u password='a b\\'c' dbname=d pool_max_conns=9", "host=/s user=u dbname=d", "a b'c"},
		{`host='/it\'s here' port=5432`, `host='/it\'s here' port=5432`, ""},
	} {
		clean, password, err := forLibpq(c.dsn)
		if err != nil || clean != c.clean || password != c.password {
			t.Errorf("%q: %q %q %v", c.dsn, clean, password, err)
		}
	}
}
