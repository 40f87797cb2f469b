#!/usr/bin/env bash
# Installs the protocol's conformance suite, pinned, below a scratch folder, and runs all
# server scenarios that the revisions 2025-11-25 and 2026-07-28 require against
# `bmcis serve`. Needs npm; Node.js 22 is installed beside the suite where it is missing.
#
#   conformance.sh SCRATCH-FOLDER
set -euo pipefail
suite=@modelcontextprotocol/conformance@0.2.0-alpha.12
scratch=$1
mkdir -p "$scratch"
scratch=$(realpath "$scratch")
packages=("$suite")
if [ "$(node --version 2>/dev/null | sed 's/^v\([0-9]*\).*/\1/')" -lt 22 ] 2>/dev/null || ! command -v node >/dev/null; then
  packages+=(node@22)
fi
if [ ! -e "$scratch/installed" ] || [ "$(cat "$scratch/installed")" != "${packages[*]}" ]; then
  command -v npm >/dev/null || { echo "conformance: npm is missing; install Node.js 20 or newer" >&2; exit 1; }
  (cd "$scratch" && { [ -e package.json ] || npm init -y >/dev/null; } && npm install --no-audit --no-fund --loglevel=error "${packages[@]}")
  echo "${packages[*]}" >"$scratch/installed"
fi
BMCIS_CONFORMANCE=$scratch "${GO:-go}" test -tags conformance -count=1 -timeout 20m -v -run '^TestConformance$' ./cmd/bmcis
