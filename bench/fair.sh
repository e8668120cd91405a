#!/bin/sh
# SPDX-License-Identifier: MIT
# bench/fair.sh [BUILD] - what one noisy company at a hundred times the others' load does to their
# time to first token: bench_fair against askd whose model takes 32 calls at once and is overloaded.
# BUILD is a release build (default build/release). No threshold; the figure to watch is the ratio
# of the p95s (less than 1.10). FAIR_RATE, FAIR_NOISE, FAIR_SECONDS, FAIR_ROUNDS and
# FAIR_IN_FLIGHT change the sizes.
set -eu
root=$(cd "$(dirname "$0")/.." && pwd)
build=$(cd "${1:-$root/build/release}" && pwd)
cmake --build "$build" --target askd mockllm bench_fair >&2
work=$(mktemp -d)
pids=

cleanup() {
    for pid in $pids; do kill "$pid" 2>/dev/null || true; done
    wait 2>/dev/null || true
    rm -rf "$work"
}
trap cleanup EXIT
trap 'exit 130' INT TERM

# wait_for FILE PATTERN: until the program that writes FILE says where it listens.
wait_for() {
    for _ in $(seq 200); do
        ! grep -q "$2" "$1" || return 0
        sleep 0.05
    done
    cat "$1" >&2
    exit 1
}

mock=$(find "$build" -name mockllm -type f | head -n 1)
"$mock" --rate 50 --tokens 20 >"$work/mock" 2>&1 &
pids="$pids $!"
wait_for "$work/mock" listening
upstream=http://127.0.0.1:$(sed -n 's/.*127\.0\.0\.1:\([0-9][0-9]*\).*/\1/p' "$work/mock" | head -n 1)/v1
port=$((20000 + $$ % 10000))
(cd "$work" && exec env OPENAI_API_KEY=bench OPENAI_BASE_URL="$upstream" OPENAI_MODEL=mock \
    ASKD_MODEL=openai ASKD_HOST=127.0.0.1 ASKD_PORT=$port ASKD_API_KEYS= ASKD_LOG_LEVEL=error \
    ASKD_MAX_RUNS=64 ASKD_MAX_QUEUED_RUNS=64 ASKD_LLM_IN_FLIGHT="${FAIR_IN_FLIGHT:-32}" \
    ASKD_LINGER_SECONDS=1 ASKD_DISCONNECT_GRACE_SECONDS=1 "$build/askd" serve) >"$work/askd" 2>&1 &
pids="$pids $!"
wait_for "$work/askd" "127.0.0.1:$port"
"$(find "$build" -name bench_fair -type f | head -n 1)" \
    --url "http://127.0.0.1:$port/internal/chat/stream" --rate "${FAIR_RATE:-4}" \
    --noise "${FAIR_NOISE:-100}" --seconds "${FAIR_SECONDS:-10}" --rounds "${FAIR_ROUNDS:-3}"
