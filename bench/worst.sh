#!/bin/sh
# SPDX-License-Identifier: MIT
# bench/worst.sh [BUILD] - one caller sends the worst statements that the guard lets through, one a
# second and each of them too long for its deadline, while others ask what takes milliseconds:
# bench_fair --questions against askd on SQLite and, with STORE_FOLDER of tests/servers/servers.sh
# start FOLDER, on PostgreSQL and MariaDB. BUILD is a release build (default build/bench). No
# threshold; the figures to watch are the ratios of the p50s and p99s. The same again with the worst
# statements sent to another askd on the same database: what others lose there is lost to the
# database and to the processors, and nothing in askd could give it back. WORST_ENGINES ("sqlite
# postgres mysql"), WORST_RATE (8 a second, of the others), WORST_NOISE, WORST_SECONDS and
# WORST_ROUNDS change the sizes.
set -eu
. "$(dirname "$0")/lib.sh"
build=$(cd "${1:-$root/build/bench}" && pwd)
cmake --build "$build" --target askd mockllm make_samples bench_fair >&2
samples=$(program make_samples)

# What the guard accepts and a database works on for long: joins that compare, texts that are
# searched, sorted and gathered, many tables at once, rows that no index finds.
numbers='WITH RECURSIVE c(n) AS (SELECT 1 UNION ALL SELECT n+1 FROM c WHERE n<100000)'
cat >"$work/worst" <<'SQL'
NUMBERS SELECT count(*) FROM c a JOIN c b ON a.n<=b.n
NUMBERS SELECT max(a.n*b.n) FROM c a JOIN c b ON a.n<>b.n
NUMBERS SELECT a.n+b.n AS s, count(*) FROM c a JOIN c b ON a.n<b.n GROUP BY a.n+b.n ORDER BY 2 DESC
NUMBERS SELECT count(DISTINCT a.n*b.n) FROM c a JOIN c b ON a.n<>b.n
SELECT count(DISTINCT a.amount*b.amount) FROM transactions a JOIN transactions b ON a.id<>b.id
SELECT a.amount, count(*) FROM transactions a JOIN transactions b ON a.amount<>b.amount GROUP BY a.amount, b.amount ORDER BY 2 DESC
SELECT max(length(replace(a.type, 'a', b.type))) FROM transactions a JOIN transactions b ON a.id<>b.id
SELECT count(*) FROM transactions a JOIN transactions b ON a.amount<b.amount WHERE a.type LIKE '%a%e%i%' OR b.type LIKE '%o%u%'
SELECT count(*) FROM transactions a JOIN transactions b ON a.amount<=b.amount JOIN transactions d ON b.amount<=d.amount
SQL
sed -i "s/NUMBERS/$numbers/" "$work/worst"
awk 'BEGIN { print "How many customers are there?" } { printf "Show the worst of all, number %d.\n", NR }' \
    "$work/worst" >"$work/questions"
awk '{ gsub(/"/, "\\\""); printf "{\"system\":\"SELECT statement that answers a question\",\"user\":\"number %d.\",\"reply\":\"%s\"}\n", NR, $0
       printf "{\"system\":\"You repair one\",\"user\":\"number %d.\",\"reply\":\"%s\"}\n", NR, $0 }' \
    "$work/worst" >"$work/script"
cat >>"$work/script" <<'SCRIPT'
{"system":"You route questions","match":"","reply":"SQL"}
{"system":"Choose the tables","match":"","reply":"[\"transactions\",\"customers\"]"}
{"system":"SELECT statement that answers a question","match":"","reply":"SELECT count(*) FROM customers"}
{"match":"","reply":"There are some."}
SCRIPT
start_mock --script "$work/script"

# database_url ENGINE: where the samples are in it.
database_url() {
    [ -f "$work/sample.db" ] || "$samples" "$work/sample.db" >&2
    if [ "$1" = sqlite ]; then
        echo "sqlite:$work/sample.db"
        return
    fi
    "$samples" --sql "$1" "$work/sample.db" >"$work/$1.sql"
    "$root/tests/servers/database.sh" create "$STORE_FOLDER" "$1" bench_worst "$work/$1.sql"
}

engines() {
    echo sqlite
    for name in postgres mysql; do
        [ ! -f "${STORE_FOLDER:-}/$name.url" ] || echo "$name"
    done
}

# start ENGINE: an askd on that database; its address in $url.
start() {
    start_askd "$(program askd)" ASKD_DATABASE_URL="$database" ASKD_TENANCY=off \
        ASKD_CHECKPOINT_URL=none ASKD_LINGER_SECONDS=1 ASKD_PROMPT_DIR="$root/agents" \
        ASKD_SQL_TIMEOUT_SECONDS="${WORST_TIMEOUT:-3}" ASKD_SQL_MAX_COST="${WORST_COST:-0}" \
        ASKD_DISCONNECT_GRACE_SECONDS=1
    url=http://127.0.0.1:$askd_port/internal/chat/stream
}

# measure QUIET NOISY: the others ask at QUIET, the one with the worst statements at NOISY.
measure() {
    "$(program bench_fair)" --url "$1" --noise-url "$2" --rate "${WORST_RATE:-8}" \
        --noise "${WORST_NOISE:-1}" --seconds "${WORST_SECONDS:-20}" \
        --rounds "${WORST_ROUNDS:-2}" --questions "$work/questions"
}

for engine in ${WORST_ENGINES:-$(engines)}; do
    database=$(database_url "$engine")
    start
    quiet=$url quiet_pid=$askd_pid
    start
    echo "database: $engine"
    measure "$quiet" "$quiet"
    echo "database: $engine, the noise through another askd"
    measure "$quiet" "$url"
    stop_askd
    askd_pid=$quiet_pid
    stop_askd
    [ "$engine" = sqlite ] ||
        "$root/tests/servers/database.sh" drop "$STORE_FOLDER" "$engine" bench_worst
done
