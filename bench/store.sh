#!/bin/sh
# SPDX-License-Identifier: MIT
# bench/store.sh [BUILD] - what it costs to keep what runs say: askd's CPU per token with each store,
# against askd without one, on the same mock model at a set pace. BUILD is a release build (default
# build/release). STORE_FOLDER, of tests/servers/servers.sh start FOLDER, adds PostgreSQL and Redis.
# Only askd's own CPU is counted. STORE_STREAMS ("100 500"), STORE_RATE, STORE_TOKENS and STORE_ROUNDS
# change the sizes; the least of the rounds counts. No thresholds. Everything it starts, it ends.
set -eu
root=$(cd "$(dirname "$0")/.." && pwd)
build=$(cd "${1:-$root/build/release}" && pwd)
cmake --build "$build" --target askd mockllm bench_load >&2
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
        ! grep -qs "$2" "$1" || return 0
        sleep 0.05
    done
    cat "$1" >&2
    exit 1
}

"$(find "$build" -name mockllm -type f | head -n 1)" --rate "${STORE_RATE:-50}" \
    --tokens "${STORE_TOKENS:-100}" >"$work/mock" 2>&1 &
pids="$pids $!"
wait_for "$work/mock" listening
upstream=http://127.0.0.1:$(sed -n 's/.*127\.0\.0\.1:\([0-9][0-9]*\).*/\1/p' "$work/mock" | head -n 1)/v1
load=$(find "$build" -name bench_load -type f | head -n 1)
body='{"input":{"message":"Hello there"},"conversation":{"id":"bench-##########","user_id":"u1","company_id":"acme"}}'
port=$((20000 + $$ % 10000))

measure() { # url, streams: microseconds of CPU per token
    port=$((port + 1))
    rm -f "$work"/runs.db*
    (cd "$root" && exec env OPENAI_API_KEY=bench OPENAI_BASE_URL="$upstream" OPENAI_MODEL=mock \
        ASKD_MODEL=openai ASKD_HOST=127.0.0.1 ASKD_PORT="$port" ASKD_WORKERS=1 ASKD_API_KEYS= \
        ASKD_LOG_LEVEL=warn ASKD_MAX_RUNS=20000 ASKD_MAX_CONNECTIONS=20000 \
        ASKD_LLM_IN_FLIGHT=20000 ASKD_CHECKPOINT_URL="$1" "$build/askd" serve) >"$work/askd" 2>&1 &
    askd=$!
    wait_for "$work/askd" "127.0.0.1:$port"
    sleep 1
    "$load" --name x --url "http://127.0.0.1:$port/internal/graphs/general_agent/stream" \
        --pid "$askd" --streams "$2" --requests "$((2 * $2))" --body "$body" >"$work/load" ||
        cat "$work/load" "$work/askd" >&2
    kill "$askd"
    wait "$askd" 2>/dev/null || true
    awk '{ print $14 }' "$work/load"
}

stores="sqlite:$work/runs.db"
for name in postgres redis; do
    [ ! -f "${STORE_FOLDER:-}/$name.url" ] || stores="$stores $(head -n 1 "$STORE_FOLDER/$name.url")"
done
printf '%-12s %8s %8s %8s %6s\n' store streams us/token none ratio
for streams in ${STORE_STREAMS:-100 500}; do
    for round in $(seq "${STORE_ROUNDS:-3}"); do
        for url in none $stores; do
            echo "${url%%:*} $(measure "$url" "$streams")" >>"$work/figures-$streams"
        done
    done
    awk -v streams="$streams" '!($1 in least) || $2 < least[$1] { least[$1] = $2 }
        END { for (name in least) if (name != "none") printf "%-12s %8d %8.2f %8.2f %6.2f\n", name,
            streams, least[name], least["none"], least[name] / least["none"] }' "$work/figures-$streams"
done
