#!/bin/sh
# SPDX-License-Identifier: MIT
# bench/durability.sh [BUILD] - the price list of durability: askd's CPU per token, per run of one
# token, and the time to first token, without a store and with each one in each of ASKD_DURABILITY's
# modes. BUILD is a release build (default build/release). STORE_FOLDER, of tests/servers/servers.sh
# start FOLDER, adds PostgreSQL and Redis. Only askd's own CPU is counted. Ratios are to the same
# without a store; async is to stay below 1.4 per token. No thresholds. PRICE_STORES ("sqlite redis"),
# PRICE_STREAMS, PRICE_RATE, PRICE_TOKENS, PRICE_RUNS and PRICE_ROUNDS change the sizes; the least of
# the rounds counts.
set -eu
. "$(dirname "$0")/lib.sh"
build=$(cd "${1:-$root/build/release}" && pwd)
if [ -z "${ASKD:-}" ]; then
    cmake --build "$build" --target askd mockllm bench_load >&2
fi
askd=${ASKD:-$(program askd)}
streams=${PRICE_STREAMS:-200} runs=${PRICE_RUNS:-4000} rounds=${PRICE_ROUNDS:-3}
body='{"input":{"message":"Hello there"},"conversation":{"id":"bench-##########","user_id":"u1","company_id":"acme"}}'
: >"$work/figures"

load() { # streams, requests: one line of figures in $work/load
    "$(program bench_load)" --name x --pid "$askd_pid" --body "$body" \
        --url "http://127.0.0.1:$askd_port/internal/graphs/general_agent/stream" \
        --streams "$1" --requests "$2" >"$work/load" || cat "$work/load" "$work/askd" >&2
}

measure() { # store, mode, what (token or run), streams, requests
    # shellcheck disable=SC2086 # a list
    start_askd "$askd" $without_limits ASKD_LINGER_SECONDS=1 ASKD_DURABILITY="$2" \
        ASKD_CHECKPOINT_URL="$(store_url "$1")"
    sleep 1
    load "$4" "$5"
    stop_askd
    awk -v key="$1 $2 $3" '{ print key, $14, $15, $10 / 1000 }' "$work/load" >>"$work/figures"
}

all() { # what, streams, requests
    for _ in $(seq "$rounds"); do
        measure none async "$1" "$2" "$3"
        for store in ${PRICE_STORES:-$(stores)}; do
            for mode in exit async sync; do
                measure "$store" "$mode" "$1" "$2" "$3"
            done
        done
    done
}

start_mock --rate "${PRICE_RATE:-50}" --tokens "${PRICE_TOKENS:-100}"
all token "$streams" "$((2 * streams))"
stop_all
start_mock --rate 0 --tokens 1
all run 32 "$runs"
stop_all

printf '%-12s %-6s %9s %6s %9s %6s %12s\n' store mode us/token ratio us/run ratio 'first ms p50'
awk '
    { key = $1 " " $2; us = $3 == "token" ? $4 : $5 }
    !((key, $3) in least) || us < least[key, $3] { least[key, $3] = us }
    $3 == "token" && (!(key in first) || $6 < first[key]) { first[key] = $6 }
    !(key in seen) { seen[key] = 1; keys[++count] = key }
    END {
        for (i = 1; i <= count; i++) {
            split(keys[i], part, " ")
            token = least[keys[i], "token"]; run = least[keys[i], "run"]
            printf "%-12s %-6s %9.2f %6.2f %9.1f %6.2f %12.1f\n", part[1], \
                part[1] == "none" ? "-" : part[2], token, token / least["none async", "token"], run, \
                run / least["none async", "run"], first[keys[i]]
        }
    }' "$work/figures"
