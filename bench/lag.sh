#!/bin/sh
# SPDX-License-Identifier: MIT
# bench/lag.sh [BUILD] - how long one caller's large result holds the loop: a probe asks /healthz
# without a pause on one connection, alone and while results of some 4 MB are read one after the
# other. Prints the probe's p50, p99 and longest answer in milliseconds, and the server's own
# histogram of the lag. BUILD is a release build (default build/release). Without a model: the
# statement is made offline. LAG_RESULTS (10) says how many. No threshold; the figure to watch is the
# longest answer beside the results, which should be 2 ms above the one alone.
# ASKD names another program to measure.
set -eu
. "$(dirname "$0")/lib.sh"
build=$(cd "${1:-$root/build/release}" && pwd)
[ -n "${ASKD:-}" ] || cmake --build "$build" --target askd >&2

# The probe's figures of the answers that FILE has.
figures() { # title, file
    sort -n "$2" | awk -v title="$1" '{ t[NR] = $1 * 1000 } END {
        printf "%-24s %8d answers  p50 %6.2f  p99 %6.2f  longest %6.2f ms\n", title, NR,
            t[int(NR / 2) + 1], t[int(NR * 0.99) + 1], t[NR] }'
}

probe() { # file: until it is ended
    curl -s -o /dev/null -w '%{time_total}\n' "http://127.0.0.1:$askd_port/healthz?[1-10000000]" >"$1" &
    probe_pid=$!
    pids="$pids $probe_pid"
}

end_probe() {
    kill "$probe_pid"
    wait "$probe_pid" 2>/dev/null || true
    sed -i '$d' "$1" # perhaps half a line
}

"$root/scripts/node.sh" node --no-warnings -e '
    const { DatabaseSync } = require("node:sqlite");
    const db = new DatabaseSync(process.argv[1]);
    db.exec("CREATE TABLE notes (id INTEGER PRIMARY KEY, title TEXT, body TEXT); BEGIN");
    const add = db.prepare("INSERT INTO notes VALUES (?, ?, ?)");
    for (let i = 1; i <= 1000; i++) add.run(i, `title ${i}`, `word "q" line ${i} `.repeat(200));
    db.exec("COMMIT");' "$work/large.db"
upstream=http://127.0.0.1:1/v1
start_askd "${ASKD:-$(program askd)}" ASKD_MODEL=offline ASKD_WORKERS=1 MAX_QUERY_ROWS=1000 \
    ASKD_DATABASE_URL="sqlite:$work/large.db" ASKD_CHECKPOINT_URL="$(store_url sqlite)"
sleep 1
probe "$work/alone"
sleep 2
end_probe "$work/alone"
figures alone "$work/alone"
probe "$work/beside"
i=0 bytes=0
while [ "$i" -lt "${LAG_RESULTS:-10}" ]; do
    i=$((i + 1))
    bytes=$(curl -s -H 'content-type: application/json' -d '{"input":{"message":"List the id, title and body of all notes"},"conversation":{"id":"lag-'"$i"'","user_id":"u1","company_id":"acme"}}' \
        "http://127.0.0.1:$askd_port/internal/graphs/sql_agent/stream" | wc -c)
done
end_probe "$work/beside"
figures "beside $bytes bytes" "$work/beside"
curl -s "http://127.0.0.1:$askd_port/metrics" | grep '^askd_loop_lag_seconds' | head -n 8
stop_askd
