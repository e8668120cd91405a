#!/bin/sh
# SPDX-License-Identifier: MIT
# tests/docker/install.sh SOURCE BUILD - installed elsewhere, askd finds its prompts there, and
# `askd health` tells whether one serves.
set -eu
source=$1 build=$2
place=$(mktemp -d)
pid=
cleanup() {
    [ -z "$pid" ] || { kill "$pid" 2>/dev/null || true; wait "$pid" 2>/dev/null || true; }
    rm -rf "$place"
}
trap cleanup EXIT

fail() {
    echo "tests/docker/install.sh: $*" >&2
    exit 1
}

cmake --install "$build" --prefix "$place/usr" >/dev/null
askd=$place/usr/bin/askd
cd "$place"
"$askd" graph check >/dev/null || fail "graph check"
(cd "$source" && find agents -path '*/prompts/*' -type f | sort) >wanted
(cd usr/share/askd && find agents -type f | sort) >got
cmp -s wanted got || fail "prompts: $(diff wanted got)"

export ASKD_MODEL=offline ASKD_DATABASE_URL=sqlite:$place/sample.db ASKD_TENANCY=off
"$build/make_samples" sample.db >/dev/null

# A broken prompt of the installed ones is noticed: so those are read.
echo '{no_such_variable}' >>usr/share/askd/agents/orchestrator/prompts/classify.txt
if ASKD_PORT=0 "$askd" serve 2>broken.log; then
    fail "it served with a broken prompt"
fi
grep -q "$place.*classify.txt" broken.log || fail "it did not name the prompt: $(cat broken.log)"
cp "$source/agents/orchestrator/prompts/classify.txt" usr/share/askd/agents/orchestrator/prompts/

: >serve.log # it is read before the child has begun
ASKD_PORT=0 "$askd" serve 2>serve.log &
pid=$!
port=
for _ in $(seq 600); do
    port=$(sed -n 's|.*http://127\.0\.0\.1:\([0-9]*\).*|\1|p' serve.log)
    [ -z "$port" ] || break
    sleep 0.1
done
[ -n "$port" ] || fail "it did not serve: $(cat serve.log)"
ASKD_PORT=$port "$askd" health >health.json || fail "not healthy: $(cat health.json serve.log)"
grep -q '"status":"ready"' health.json || fail "not ready: $(cat health.json)"
kill "$pid"
wait "$pid" || fail "it did not end well: $(cat serve.log)"
pid=
if ASKD_PORT=$port "$askd" health 2>gone.log; then
    fail "healthy, though nobody serves"
fi
grep -q "http://127.0.0.1:$port/readyz" gone.log || fail "it did not say where: $(cat gone.log)"
