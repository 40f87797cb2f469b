#!/usr/bin/env bash
# Installs the MCP servers that the tests of internal/upstream talk to, at pinned
# versions, into a folder of their own. Nothing is run and nothing outside the folder
# is touched. Where they cannot be had it says so and succeeds: the tests that need the
# servers then skip. With CI set both are errors.
#
#   install.sh FOLDER
set -euo pipefail
folder=$1
servers=(
  @modelcontextprotocol/server-everything@2026.8.31
  @modelcontextprotocol/server-filesystem@2026.8.31
  @modelcontextprotocol/server-memory@2026.8.31
)
mark=$folder/installed
if [ -e "$mark" ] && [ "$(cat "$mark")" = "${servers[*]}" ]; then
  exit 0
fi
if ! command -v npm >/dev/null; then
  echo "upstream servers: npm is missing; install Node.js 20 or newer to run the tests with real MCP servers" >&2
  [ -z "${CI:-}" ]
  exit
fi
mkdir -p "$folder"
cd "$folder"
[ -e package.json ] || npm init -y >/dev/null
if ! npm install --no-audit --no-fund --ignore-scripts --loglevel=error "${servers[@]}"; then
  echo "upstream servers: npm could not install them; the tests that need them are skipped" >&2
  [ -z "${CI:-}" ]
  exit
fi
echo "${servers[*]}" >installed
