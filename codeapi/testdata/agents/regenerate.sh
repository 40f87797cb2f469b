#!/bin/sh
# Makes every NNN_name.golden.json anew with CPython 3.11. PYTHON names another interpreter.
# Fails at the first program that fails; programs given as arguments are done alone.
set -eu
cd "$(dirname "$0")"
[ $# -gt 0 ] || set -- [0-9][0-9][0-9]_*.py
for p in "$@"; do
	PYTHONHASHSEED=0 "${PYTHON:-python3.11}" bmcis_stub.py "$p" >"${p%.py}.golden.json.new" || { echo "failed: $p" >&2; exit 1; }
	mv "${p%.py}.golden.json.new" "${p%.py}.golden.json"
done
