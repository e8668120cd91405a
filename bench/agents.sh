#!/bin/sh
# SPDX-License-Identifier: MIT
# bench/agents.sh [BUILD] - agents at once: 1,000 runs of data_agent, each of which takes three turns,
# calls four tools and runs two statements; what a turn costs the processor.
#
# The model is the mock's script, the database a SQLite file of samples. A line of bench_load, then
# the processor's time a turn. BENCH_STREAMS (1000) and BENCH_REQUESTS (5000) change the sizes.
set -eu
. "$(dirname "$0")/lib.sh"
build=$(cd "${1:-$root/build/release}" && pwd)
streams=${BENCH_STREAMS:-1000} requests=${BENCH_REQUESTS:-5000}
count='SELECT COUNT(*) AS n FROM employee'
cat >"$work/script" <<SCRIPT
{"match":"","result":"s4","reply":"There are 22 employees [s3] [s4]."}
{"match":"","result":"employee","calls":[{"name":"run_sql","arguments":{"sql":"$count"}},{"name":"run_sql","arguments":{"sql":"SELECT COUNT(DISTINCT id) AS n FROM employee"}}]}
{"match":"","calls":[{"name":"list_tables","arguments":{}},{"name":"describe_tables","arguments":{"tables":["employee"]}}]}
SCRIPT
"$(program make_samples)" "$work/sample.db"
start_mock --script "$work/script"
start_askd "$(program askd)" ASKD_DATABASE_URL="sqlite:$work/sample.db" ASKD_TENANCY=off \
    ASKD_CHECKPOINT_URL=none ASKD_LINGER_SECONDS=1 ASKD_PROMPT_DIR="$root/agents" \
    ASKD_COMPANY_SHARE=100
body='{"input":{"message":"How many employees are there?"},"conversation":{"id":"bench-##########","user_id":"u1","company_id":"acme"}}'
printf '%-8s %6s %8s %8s %5s %6s %9s %9s %9s %9s %9s %8s %8s %7s %8s %8s %7s\n' server streams \
    requests complete error broken tokens event50 event99 token50 token99 add50 add99 us/tok \
    us/req KiB/str seconds
"$(program bench_load)" --name agents --url "http://127.0.0.1:$askd_port/internal/graphs/data_agent/stream" \
    --pid "$askd_pid" --streams "$streams" --requests "$requests" --body "$body" | tee "$work/line"
awk '{ printf "a turn: %.0f us of the processor\n", $15 / 3 }' "$work/line"
