#!/usr/bin/env bash
# Writes testdata/catalogue/tools.jsonl anew: installs the packages that
# testdata/catalogue/servers.json names, at their pinned versions, starts each with a
# dummy token, and asks it for its tools. No tool is called. Needs npm, git and go.
#
#   gather.sh SCRATCH-FOLDER
set -euo pipefail
here=$(cd "$(dirname "$0")" && pwd)
catalogue=$here/../testdata/catalogue
mkdir -p "$1"
CATALOGUE=$(cd "$1" && pwd)
export CATALOGUE
github=64a49f34d076b6f5917dae1424521d43c7bcae84

cd "$CATALOGUE"
[ -e package.json ] || npm init -y >/dev/null
sed -n 's/.*"x-package": "npm:\([^"]*\)".*/\1/p' "$catalogue/servers.json" |
  xargs npm install --no-audit --no-fund --ignore-scripts --loglevel=error
# GitHub's own server is a Go program; its repository keeps the definitions as files.
if [ ! -d github-mcp-server ]; then
  git clone --quiet https://github.com/github/github-mcp-server
fi
git -C github-mcp-server checkout --quiet "$github"

cd "$here"
go run gather.go -snaps github="$CATALOGUE/github-mcp-server/pkg/github/__toolsnaps__" "$catalogue/servers.json" >"$CATALOGUE/tools.jsonl"
mv "$CATALOGUE/tools.jsonl" "$catalogue/tools.jsonl"
