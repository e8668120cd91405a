#!/bin/sh
# SPDX-License-Identifier: MIT
# bench/store.sh [BUILD] - what it costs to keep what runs say: askd's CPU per token with each store,
# against askd without one, on the same mock model at a set pace. BUILD is a release build (default
# build/release). STORE_FOLDER, of tests/servers/servers.sh start FOLDER, adds PostgreSQL and Redis.
# Only askd's own CPU is counted. STORE_NAMES ("sqlite redis"), STORE_STREAMS ("100 500"), STORE_RATE,
# STORE_TOKENS and STORE_ROUNDS change the sizes; the least of the rounds counts. No thresholds.
set -eu
. "$(dirname "$0")/lib.sh"
build=$(cd "${1:-$root/build/release}" && pwd)
cmake --build "$build" --target askd mockllm bench_load >&2
start_mock --rate "${STORE_RATE:-50}" --tokens "${STORE_TOKENS:-100}"
body='{"input":{"message":"Hello there"},"conversation":{"id":"bench-##########","user_id":"u1","company_id":"acme"}}'

measure() { # store, streams: microseconds of CPU per token
    # shellcheck disable=SC2086 # a list
    start_askd "$(program askd)" $without_limits ASKD_CHECKPOINT_URL="$(store_url "$1")"
    sleep 1
    "$(program bench_load)" --name x \
        --url "http://127.0.0.1:$askd_port/internal/graphs/general_agent/stream" \
        --pid "$askd_pid" --streams "$2" --requests "$((2 * $2))" --body "$body" >"$work/load" ||
        cat "$work/load" "$work/askd" >&2
    stop_askd
    awk -v name="$1" '{ print name, $14 }' "$work/load" >>"$work/figures-$2"
}

printf '%-12s %8s %8s %8s %6s\n' store streams us/token none ratio
for streams in ${STORE_STREAMS:-100 500}; do
    for _ in $(seq "${STORE_ROUNDS:-3}"); do
        for store in none ${STORE_NAMES:-$(stores)}; do
            measure "$store" "$streams"
        done
    done
    awk -v streams="$streams" '!($1 in least) || $2 < least[$1] { least[$1] = $2 }
        END { for (name in least) if (name != "none") printf "%-12s %8d %8.2f %8.2f %6.2f\n", name,
            streams, least[name], least["none"], least[name] / least["none"] }' "$work/figures-$streams"
done
