#!/usr/bin/env bash
# Installs what drives Chromium in the console's test, at pinned versions, into a folder of
# its own; no script of a package is run and no browser is downloaded. Without Chromium
# (Debian: apt-get install chromium) it says so and succeeds: the test is then skipped.
# What is missing is an error in CI.
#
#   install.sh FOLDER
set -euo pipefail
folder=$1
packages=(playwright-core@1.65.1 axe-core@4.14.1)
if ! command -v "${CHROMIUM:-chromium}" >/dev/null; then
  echo "console: SKIP: Chromium is missing, so the page is not tried in a browser; install it (Debian: apt-get install chromium) or name it in CHROMIUM" >&2
  [ -z "${CI:-}" ]
  exit
fi
mark=$folder/installed
if [ -e "$mark" ] && [ "$(cat "$mark")" = "${packages[*]}" ]; then
  exit
fi
if ! command -v npm >/dev/null; then
  echo "console: npm is missing; install Node.js 20 or newer to try the page in Chromium" >&2
  [ -z "${CI:-}" ]
  exit
fi
mkdir -p "$folder"
cd "$folder"
[ -e package.json ] || npm init -y >/dev/null
if ! npm install --no-audit --no-fund --ignore-scripts --loglevel=error "${packages[@]}"; then
  echo "console: npm could not install ${packages[*]}; the page is not tried in Chromium" >&2
  [ -z "${CI:-}" ]
  exit
fi
echo "${packages[*]}" >installed
