#!/bin/sh
# fetch.sh DIR: unpacks Debian's package prometheus below DIR, where it is not there yet,
# and prints the path of the program. Nothing is installed.
set -eu
dir=$1
if [ ! -x "$dir/usr/bin/prometheus" ]; then
	command -v apt-get >/dev/null || { echo "fetch.sh: no apt-get here; install Prometheus so that it is in PATH" >&2; exit 1; }
	mkdir -p "$dir"
	(cd "$dir" && apt-get download -q prometheus >&2 && dpkg-deb -x prometheus_*.deb . && rm -f prometheus_*.deb)
fi
case $dir in /*) ;; *) dir=$PWD/$dir ;; esac
echo "$dir/usr/bin/prometheus"
