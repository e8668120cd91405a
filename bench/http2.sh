#!/bin/sh
# SPDX-License-Identifier: MIT
# bench/http2.sh [BUILD] - what a token costs askd when all its streams share one HTTP/2 connection,
# beside a connection each over HTTP/1.1, from the same client (h2load, Debian's nghttp2-client) and
# the same mock model, in turns. BUILD is a release build (default build/release). Prints CPU us per
# token of each and of the bare relay (bench_relay) over HTTP/1.1, the median of BENCH_ROUNDS (3), and
# the ratios. RELAY names another server to measure in the relay's place: a command in which {port}
# and {mock} stand for ports.
# BENCH_STORE (sqlite, or none), BENCH_STREAMS (1000), BENCH_RATE (50 tokens a second), BENCH_TOKENS
# (100). Everything it starts, it ends.
set -eu
. "$(dirname "$0")/lib.sh"
build=$(cd "${1:-$root/build/release}" && pwd)
streams=${BENCH_STREAMS:-1000} rate=${BENCH_RATE:-50} tokens=${BENCH_TOKENS:-100}
rounds=${BENCH_ROUNDS:-3}
askd=${ASKD:-$(program askd)}
command -v h2load >/dev/null || {
    echo "bench: h2load is missing: apt install nghttp2-client" >&2
    exit 1
}

ticks_of() { awk '{ sub(/.*\) /, ""); print $12 + $13 }' "/proc/$1/stat"; }
printf '%s' '{"input":{"message":"Hello there"}}' >"$work/body"

measure() { # name, pid, port, path, options of h2load
    name=$1 pid=$2 port=$3 path=$4
    shift 4
    before=$(ticks_of "$pid")
    h2load -n "$streams" -d "$work/body" -H 'content-type: application/json' -T 120 "$@" \
        "http://127.0.0.1:$port$path" >"$work/h2load" 2>&1
    after=$(ticks_of "$pid")
    grep -q " $streams succeeded, 0 failed, 0 errored" "$work/h2load" || {
        grep requests: "$work/h2load" >&2
        echo "bench: $name: not all streams were whole" >&2
        exit 1
    }
    echo "$name $before $after $(getconf CLK_TCK) $((streams * tokens))" |
        awk '{ printf "%s %.2f\n", $1, ($3 - $2) / $4 * 1e6 / $5 }' >>"$work/costs"
}

start_mock --rate "$rate" --tokens "$tokens"
# shellcheck disable=SC2086 # a list
start_askd "$askd" $without_limits ASKD_LINGER_SECONDS=1 \
    ASKD_CHECKPOINT_URL="$(store_url "${BENCH_STORE:-sqlite}")"
if [ -n "${RELAY:-}" ]; then
    relay_port=$((20000 + $$ % 20000))
    # shellcheck disable=SC2086 # a command
    $(echo "$RELAY" | sed "s/{port}/$relay_port/; s/{mock}/$(port_of "$work/mock")/") >"$work/relay" 2>&1 &
    relay_pid=$!
    pids="$pids $relay_pid"
    sleep 1
    kill -0 "$relay_pid" || { cat "$work/relay" >&2; exit 1; }
else
    : >"$work/relay"
    "$(program bench_relay)" --upstream "$(port_of "$work/mock")" --calls 1 >"$work/relay" &
    relay_pid=$!
    pids="$pids $relay_pid"
    wait_for "$work/relay" listening
    relay_port=$(port_of "$work/relay")
fi
graph=/internal/graphs/general_agent/stream
round=0
while [ $round -lt "$rounds" ]; do
    measure http2 "$askd_pid" "$askd_port" "$graph" -c 1 -m "$streams" -w 30 -W 30
    measure http1 "$askd_pid" "$askd_port" "$graph" --h1 -c "$streams" -m 1
    measure relay "$relay_pid" "$relay_port" "/internal/chat/stream" --h1 -c "$streams" -m 1
    round=$((round + 1))
done
sort -k1,1 -k2,2n "$work/costs" | awk -v rounds="$rounds" '
    $1 != name { name = $1; n = 0 }
    ++n == int((rounds + 1) / 2) { cost[name] = $2; printf "%-6s %6.2f CPU us per token\n", name, $2 }
    END { printf "http2 to http1: %.2f\n", cost["http2"] / cost["http1"]
          printf "http2 to relay: %.2f\n", cost["http2"] / cost["relay"] }'
