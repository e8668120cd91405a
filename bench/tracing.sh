#!/bin/sh
# SPDX-License-Identifier: MIT
# bench/tracing.sh [BUILD] - what traces cost: the same streams from two askd on one mock model, one of
# them sending its spans to a receiver that takes them all. In turns, so that what else the machine does
# meets both. BUILD is a bench build (default build/bench). Prints CPU per token and per request of each
# round, and the ratio of the medians. Needs node for the receiver. Everything it starts, it ends.
# BENCH_STREAMS (100), BENCH_RATE (50 tokens/s), BENCH_TOKENS (100), BENCH_REQUESTS (400), BENCH_ROUNDS (3).
set -eu
root=$(cd "$(dirname "$0")/.." && pwd)
build=$(cd "${1:-$root/build/bench}" && pwd)
work=$(mktemp -d)
pids=
cleanup() {
    for pid in $pids; do kill "$pid" 2>/dev/null || true; done
    wait 2>/dev/null || true
    rm -rf "$work"
}
trap cleanup EXIT
trap 'exit 130' INT TERM

wait_for() { # FILE PATTERN
    for _ in $(seq 200); do
        if grep -q "$2" "$1"; then return; fi
        sleep 0.05
    done
    echo "bench/tracing.sh: nothing listens:" >&2
    cat "$1" >&2
    exit 1
}
port_of() { sed -n 's/.*127\.0\.0\.1:\([0-9][0-9]*\).*/\1/p' "$1" | head -n 1; }

mock=$build/mockllm/mockllm
[ -x "$mock" ] || mock=$build/tests/mockllm/mockllm # a build with the tests
"$mock" --rate "${BENCH_RATE:-50}" --tokens "${BENCH_TOKENS:-100}" --stamp \
    >"$work/mock" 2>&1 &
pids="$pids $!"
node -e 'require("http").createServer((request, response) => { let bytes = 0;
    request.on("data", part => { bytes += part.length; }).on("end", () => response.end("{}")); })
    .listen(0, "127.0.0.1", function () { console.log(`127.0.0.1:${this.address().port}`); })' >"$work/sink" &
pids="$pids $!"
wait_for "$work/mock" listening
wait_for "$work/sink" 127

start_askd() { # NAME ENDPOINT
    (cd "$root" && exec env OPENAI_API_KEY=bench OPENAI_MODEL=mock ASKD_MODEL=openai ASKD_PORT=0 \
        OPENAI_BASE_URL="http://127.0.0.1:$(port_of "$work/mock")/v1" ASKD_HOST=127.0.0.1 \
        ASKD_LOG_LEVEL=warn ASKD_MAX_RUNS=20000 ASKD_LLM_IN_FLIGHT=20000 ASKD_LINGER_SECONDS=1 \
        ASKD_CHECKPOINT_URL=none OTEL_EXPORTER_OTLP_ENDPOINT="$2" "$build/askd" serve) >"$work/$1" 2>&1 &
    echo $! >"$work/$1.pid"
    pids="$pids $!"
    wait_for "$work/$1" 'http://127.0.0.1'
}
start_askd plain ''
start_askd traced "http://$(cat "$work/sink")"

body='{"input":{"message":"Hello there"},"conversation":{"id":"bench-##########","user_id":"u1","company_id":"acme"}}'
for _ in $(seq "${BENCH_ROUNDS:-3}"); do
    for name in plain traced; do
        "$build/bench/bench_load" --name $name --pid "$(cat "$work/$name.pid")" --body "$body" \
            --url "http://127.0.0.1:$(port_of "$work/$name")/internal/graphs/general_agent/stream" \
            --streams "${BENCH_STREAMS:-100}" --requests "${BENCH_REQUESTS:-400}" | tee -a "$work/lines"
    done
done
median() { awk -v name="$1" -v column="$2" '$1 == name { print $column }' "$work/lines" | sort -n |
    awk '{ all[NR] = $1 } END { print all[int((NR + 1) / 2)] }'; }
echo "$(median plain 14) $(median traced 14) $(median plain 15) $(median traced 15)" | awk '{
    printf "us per token: plain %s, traced %s, ratio %.2f; us per request: %s, %s, ratio %.2f\n",
        $1, $2, $2 / $1, $3, $4, $4 / $3 }'
curl -s "http://127.0.0.1:$(port_of "$work/traced")/metrics" | grep '^askd_trace_'
