#!/bin/sh
# SPDX-License-Identifier: MIT
# tests/docker/unit.sh SOURCE BUILD - docker/askd.service as systemd reads it: no key it does not
# know, and fenced in so far that its exposure is at most 2.0 of 10.
set -eu
source=$1
command -v systemd-analyze >/dev/null || exit 77
place=$(mktemp -d)
trap 'rm -rf "$place"' EXIT
# The program need not be installed to read the unit.
sed 's|/usr/local/bin/askd|/bin/true|; s|^Documentation=.*||' "$source/docker/askd.service" \
    >"$place/askd.service"
systemd-analyze verify --man=no "$place/askd.service" >"$place/said" 2>&1 || {
    cat "$place/said" >&2
    exit 1
}
if grep -F askd.service "$place/said" >&2; then
    exit 1
fi
systemd-analyze security --offline=true --threshold=20 "$place/askd.service" >"$place/said" 2>&1 || {
    tail -n 20 "$place/said" >&2
    exit 1
}
