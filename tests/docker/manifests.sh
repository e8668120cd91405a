#!/bin/sh
# SPDX-License-Identifier: MIT
# tests/docker/manifests.sh SOURCE BUILD - what the image, the unit and the manifests name is there:
# variables, endpoints, files; and a pod is given as long to stop as askd takes.
set -eu
source=$1 build=$2
manifest=$source/docker/kubernetes/askd.yaml
wrong=0
say() {
    echo "$*" >&2
    wrong=1
}

"$build/askd" config env-example | sed -n 's/^#\([A-Z_0-9]*\)=.*/\1/p' | sort -u >"$build/variables.txt"
grep -ohE '\b(ASKD|OPENAI|DB)_[A-Z_0-9]+' "$source"/docker/Dockerfile "$source"/docker/askd.service \
    "$manifest" | sort -u | while read -r name; do
    grep -qx "${name%_FILE}" "$build/variables.txt" || echo "docker/: $name is no variable of askd"
done >"$build/wrong.txt"
[ ! -s "$build/wrong.txt" ] || say "$(cat "$build/wrong.txt")"

for path in $(sed -n 's/.*httpGet: {path: \([^,]*\),.*/\1/p' "$manifest") \
    $(sed -n 's|.*prometheus.io/path: ||p' "$manifest"); do
    grep -q "\"$path\"" "$source/server/process/routes.c" || say "$manifest: $path is not served"
done
grep -q askd_sse_streams_active "$source/server/observe/meters.h" || say "$manifest: there is no such metric"

number() { sed -n "s/.*$1: *\"\{0,1\}\([0-9]*\).*/\1/p" "$manifest" | head -n 1; }
least=$(($(number ASKD_DRAIN_DELAY_SECONDS) + $(number ASKD_DRAIN_TIMEOUT_SECONDS) + 10))
[ "$(number terminationGracePeriodSeconds)" -ge $least ] ||
    say "$manifest: terminationGracePeriodSeconds is under $least"
user=$(sed -n 's/^USER //p' "$source/docker/Dockerfile" | tail -n 1)
[ "$(number runAsUser)" = "$user" ] || say "$manifest: runAsUser is not the image's $user"

# What the Dockerfile copies by name.
for path in scripts/packages.sh samples/manual samples/financial; do
    [ -e "$source/$path" ] || say "docker/Dockerfile: there is no $path"
done
exit $wrong
