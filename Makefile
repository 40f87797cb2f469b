# BMCIS. `make help` lists what there is; `make demo` and `make test` do all that they need.

GO    ?= go
BIN   := bin/bmcis
# The private database of BMCIS_HOME also serves the tests: each makes a database of
# its own in it and drops it. Give BMCIS_TEST_DATABASE_URL to use another server.
TESTDB = $${BMCIS_TEST_DATABASE_URL:-$$(BMCIS_DB_IDLE=$${BMCIS_DB_IDLE:-90m} $(BIN) db start --quiet)}
# Judged collections in BEIR layout, for tests and `make eval`. Who has none skips them.
CORPORA ?= $(wildcard $(abspath ../shared/corpora))
QUALITY_SETS ?= claude_docs cranfield datatalks_faq
FUZZTIME ?= 20s
STATICCHECK := honnef.co/go/tools/cmd/staticcheck@v0.8.2

.DEFAULT_GOAL := help
.PHONY: verify-dashboard help setup build demo test upstream-servers eval quality clients conformance check fmt vet staticcheck race fuzz bench bench-tokens docs clean compiler

help: ## list the targets
	@awk -F ':.*## ' '/^[a-z-]+:.*## / {printf "  %-16s %s\n", $$1, $$2}' $(MAKEFILE_LIST)

compiler: ## say what is missing to build
	@command -v $(GO) >/dev/null || { echo "make: go is missing; install Go 1.26 or newer (Debian: golang, macOS: brew install go)" >&2; exit 1; }
	@command -v $${CC:-cc} >/dev/null || command -v gcc >/dev/null || command -v clang >/dev/null || { echo "make: a C compiler is missing, and ONNX Runtime is called through cgo; install gcc (Debian: apt-get install gcc libc6-dev, macOS: xcode-select --install)" >&2; exit 1; }

build: compiler ## write bin/bmcis
	@mkdir -p bin
	@echo "building $(BIN) (a few minutes the first time)"
	@CGO_ENABLED=1 $(GO) build -o $(BIN) ./cmd/bmcis

setup: build ## fetch what is missing: PostgreSQL + pgvector, ONNX Runtime, embedding model
	$(BIN) setup

demo: setup ## index Go's documentation, run three programs over MCP, show what they save
	$(GO) run ./internal/demo -bmcis $(BIN)

# Debian's package; without root it is unpacked below .cache.
verify-dashboard: setup ## each query of the Grafana dashboard against a real Prometheus and a real server
	@prometheus=$$(command -v prometheus || deploy/prometheus/fetch.sh .cache/prometheus) && \
	BMCIS_PROMETHEUS="$$prometheus" BMCIS_TEST_DATABASE_URL="$(TESTDB)" $(GO) test ./cmd/bmcis -run '^TestDashboard$$' -count 1 -v

upstream-servers: ## install the MCP servers that tests talk to, pinned, below .cache
	@internal/upstream/servers/install.sh .cache/upstream

test: setup upstream-servers ## everything: unit tests, a real database, the real models, hostile programs
	BMCIS_TEST_DATABASE_URL="$(TESTDB)" BMCIS_TEST_CORPORA="$(CORPORA)" $(GO) test ./...

eval: setup ## ranking quality on three judged collections below CORPORA
	@[ -d "$(CORPORA)/scifact" ] || { echo "make: no judged collections at CORPORA=$(CORPORA)" >&2; [ -z "$$CI" ]; exit; }
	$(BIN) eval --beir $(CORPORA)/scifact --mode lexical --fail-under 0.67
	$(BIN) eval --beir $(CORPORA)/claude_docs --mode hybrid --fail-under 0.75
	$(BIN) eval --beir $(CORPORA)/cranfield --mode hybrid --fail-under 0.38
	$(BIN) eval --beir $(CORPORA)/scifact --mode hybrid --fail-under 0.70

quality: setup ## ours beside common Python recipes on QUALITY_SETS below CORPORA (hours with all of them; RERANK=1 for the reranker)
	bench/peers/quality/run.sh $(BIN) $(CORPORA) .cache/quality $(QUALITY_SETS)

clients: demo ## real MCP clients on both transports: Python's SDK, old and new, and the Inspector
	internal/mcpserver/clients/run.sh $(BIN) .cache/clients

conformance: setup ## the Model Context Protocol's conformance suite, server role, against bmcis serve
	internal/mcpserver/clients/conformance.sh .cache/conformance

console-test: setup ## the console in real Chromium (Debian: apt-get install chromium): keyboard, axe-core, lost server
	@internal/console/browser/install.sh .cache/console
	BMCIS_TEST_DATABASE_URL="$(TESTDB)" BMCIS_CONSOLE_BROWSER="$(CURDIR)/.cache/console" $(GO) test -count=1 -v -run TestInChromium ./internal/console

check: fmt vet staticcheck test ## all checks and all tests

fmt: ## fail on files that gofmt would change
	@files=$$(gofmt -l $$(git ls-files '*.go')); [ -z "$$files" ] || { echo "gofmt these files: $$files" >&2; exit 1; }

vet: compiler ## go vet
	$(GO) vet ./...

staticcheck: compiler ## what go vet does not look for
	$(GO) run $(STATICCHECK) ./...

race: setup upstream-servers ## the tests under the race detector
	BMCIS_TEST_DATABASE_URL="$(TESTDB)" $(GO) test -race ./...

fuzz: compiler ## each fuzz test for FUZZTIME
	@grep -rl '^func Fuzz' --include='*_test.go' . | xargs -n1 dirname | sort -u | while read -r dir; do \
		for name in $$(grep -ho '^func Fuzz[A-Za-z0-9_]*' $$dir/*_test.go | cut -c6-); do \
			echo "$$dir $$name"; $(GO) test -run '^$$' -fuzz "^$$name$$" -fuzztime $(FUZZTIME) $$dir || exit 1; \
		done; \
	done

bench: setup ## Go benchmarks
	BMCIS_TEST_DATABASE_URL="$(TESTDB)" $(GO) test -run '^$$' -bench . -benchtime 1s ./...

bench-tokens: setup ## tokens, cost and latency of direct tools beside programs, into docs/bench
	@mkdir -p .cache
	$(BIN) bench tokens --json --plot docs/bench/tokens.svg --report docs/bench/tokens.md > .cache/bench-tokens.json
	mv .cache/bench-tokens.json bench/tokens/results.json

docs: build ## write docs/code-api.md anew
	$(GO) generate ./codeapi/...

clean: ## remove what make built here; documents and fetched artifacts stay
	rm -rf bin .cache
