#!/bin/sh
# SPDX-License-Identifier: MIT
# bench/fair.sh [BUILD] - what one noisy company at a hundred times the others' load does to their
# time to first token: bench_fair against askd whose model takes 32 calls at once and is overloaded,
# without a store and with each one. BUILD is a release build (default build/release). STORE_FOLDER,
# of tests/servers/servers.sh start FOLDER, adds PostgreSQL and Redis. No threshold; the figure to
# watch is the ratio of the p95s (less than 1.10). FAIR_STORES ("none sqlite") says which stores;
# FAIR_RATE, FAIR_NOISE, FAIR_SECONDS, FAIR_ROUNDS and FAIR_IN_FLIGHT change the sizes.
set -eu
. "$(dirname "$0")/lib.sh"
build=$(cd "${1:-$root/build/release}" && pwd)
cmake --build "$build" --target askd mockllm bench_fair >&2
start_mock --rate 50 --tokens 20
for store in ${FAIR_STORES:-none $(stores)}; do
    start_askd "$(program askd)" ASKD_MAX_RUNS=64 ASKD_MAX_QUEUED_RUNS=64 \
        ASKD_LLM_IN_FLIGHT="${FAIR_IN_FLIGHT:-32}" ASKD_LINGER_SECONDS=1 \
        ASKD_DISCONNECT_GRACE_SECONDS=1 ASKD_CHECKPOINT_URL="$(store_url "$store")"
    echo "store: $store"
    "$(program bench_fair)" --url "http://127.0.0.1:$askd_port/internal/chat/stream" \
        --rate "${FAIR_RATE:-4}" --noise "${FAIR_NOISE:-100}" --seconds "${FAIR_SECONDS:-10}" \
        --rounds "${FAIR_ROUNDS:-3}"
    stop_askd
done
