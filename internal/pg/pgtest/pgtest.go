// Package pgtest gives each test a fresh, migrated database of its own on a real
// PostgreSQL with pgvector, named by BMCIS_TEST_DATABASE_URL (`make test` starts
// one). Callers: tests only.
package pgtest

import (
	"context"
	"crypto/rand"
	"fmt"
	"os"
	"testing"

	"github.com/jackc/pgx/v5"
	"github.com/jackc/pgx/v5/pgxpool"

	"github.com/bmcis/bmcis/migrations"
)

// New returns a pool on a database that exists for this test alone and is dropped
// when the test ends. Without BMCIS_TEST_DATABASE_URL the test is skipped, and
// fails when CI is set: a skip there would hide that nothing was tested.
func New(t testing.TB) *pgxpool.Pool {
	t.Helper()
	pool := Empty(t)
	if err := migrations.Up(t.Context(), pool); err != nil {
		t.Fatal(err)
	}
	return pool
}

// Empty is New without the migrations.
func Empty(t testing.TB) *pgxpool.Pool {
	t.Helper()
	base := os.Getenv("BMCIS_TEST_DATABASE_URL")
	if base == "" {
		if os.Getenv("CI") != "" {
			t.Fatal("BMCIS_TEST_DATABASE_URL is not set: run `make test`, which starts a database")
		}
		t.Skip("BMCIS_TEST_DATABASE_URL is not set: run `make test`, which starts a database")
	}
	ctx := context.Background()
	admin, err := pgx.Connect(ctx, base)
	if err != nil {
		t.Fatalf("connect to BMCIS_TEST_DATABASE_URL: %v", err)
	}
	defer admin.Close(ctx)
	name := "bmcis_test_" + rand.Text()
	quoted := pgx.Identifier{name}.Sanitize()
	if _, err := admin.Exec(ctx, "create database "+quoted); err != nil {
		t.Fatalf("create test database: %v", err)
	}
	cfg, err := pgxpool.ParseConfig(base)
	if err != nil {
		t.Fatal(err)
	}
	cfg.ConnConfig.Database = name
	pool, err := pgxpool.NewWithConfig(ctx, cfg)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() {
		pool.Close()
		conn, err := pgx.Connect(ctx, base)
		if err != nil {
			t.Errorf("drop test database: %v", err)
			return
		}
		defer conn.Close(ctx)
		if _, err := conn.Exec(ctx, fmt.Sprintf("drop database if exists %s with (force)", quoted)); err != nil {
			t.Errorf("drop test database: %v", err)
		}
	})
	return pool
}
