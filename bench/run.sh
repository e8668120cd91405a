#!/bin/sh
# SPDX-License-Identifier: MIT
# bench/run.sh [BUILD] - askd against a bare relay (epoll alone) and against the floor (libuv and
# libcurl alone), in the same run, on the same mock model: the orchestrator with and without a store,
# streams at a set pace, the same over one HTTP/2 connection and with one, two and four workers, the
# same through each facade, one-token requests, then the micro benches,
# then the SQL guard against the engines' own parsers. BUILD is a release build (default
# build/release); what is missing or old in it is built first, unless ASKD names another program to
# measure. Prints one table; ratios are askd's CPU to the relay's, to the floor's, and a facade's to
# the native stream's. No thresholds. Everything it starts, it ends.
# bench_cancel needs servers, and is run by hand: tests/servers/servers.sh start FOLDER, then
# bench_cancel with what FOLDER/*.url say.
# bench_sqlite FILE, by hand too, compares SQLite on a thread and in a child process, alone and beside
# the worst statements.
# BENCH_STREAMS, BENCH_RATE, BENCH_TOKENS, BENCH_REQUESTS, BENCH_DOOR_ROUNDS (how often each facade
# is measured), BENCH_RACE_ROUNDS (of the relay and askd), BENCH_MICRO_MS, BENCH_GUARD_ROUNDS,
# BENCH_CHUNKS and BENCH_OTHERS change the sizes; BENCH_ONLY=race ends it after the relay,
# BENCH_ONLY=streams after the streams.
set -eu
. "$(dirname "$0")/lib.sh"
build=$(cd "${1:-$root/build/release}" && pwd)
if [ -z "${ASKD:-}" ]; then
    cmake --build "$build" --target askd mockllm bench_load bench_floor bench_relay bench_micro \
        bench_guard bench_guard_path bench_search bench_grow >&2
fi
streams=${BENCH_STREAMS:-1000} rate=${BENCH_RATE:-50} tokens=${BENCH_TOKENS:-100}
requests=${BENCH_REQUESTS:-20000} door_rounds=${BENCH_DOOR_ROUNDS:-3}
askd=${ASKD:-$(program askd)}
floor=$(program bench_floor) relay=$(program bench_relay) load=$(program bench_load) micro=$(program bench_micro)
guard=$(program bench_guard) path=$(program bench_guard_path) search=$(program bench_search)
grow=$(program bench_grow)

start_all() { # rate, tokens
    start_mock --rate "$1" --tokens "$2" --stamp
    : >"$work/floor"
    "$floor" --upstream "$upstream" >"$work/floor" 2>&1 &
    floor_pid=$!
    pids="$pids $floor_pid"
    # shellcheck disable=SC2086 # a list
    start_askd "$askd" $without_limits ASKD_LINGER_SECONDS=1
    wait_for "$work/floor" listening
}

body='{"input":{"message":"Hello there"},"conversation":{"id":"bench-##########","user_id":"u1","company_id":"acme"}}'
run_load() { # name, port, path, pid, streams, requests
    "$load" --name "$1" --url "http://127.0.0.1:$2$3" --pid "$4" --streams "$5" --requests "$6" \
        --body "$body" || true
}

pair() { # title, streams, requests
    printf '\n%s\n' "$1"
    printf '%-8s %6s %8s %8s %5s %6s %9s %9s %9s %9s %9s %8s %8s %7s %8s %8s %7s\n' server streams \
        requests complete error broken tokens event50 event99 token50 token99 add50 add99 us/tok \
        us/req KiB/str seconds
    run_load floor "$(port_of "$work/floor")" /x "$floor_pid" "$2" "$3" | tee "$work/a"
    run_load askd "$askd_port" /internal/graphs/general_agent/stream "$askd_pid" "$2" "$3" |
        tee "$work/b"
    paste "$work/a" "$work/b" | awk '{ if ($14 > 0 && $15 > 0)
        printf "ratio askd/floor: %.2f per token, %.2f per request\n", $31 / $14, $32 / $15 }'
}

# A door's path and body; the same graph, the same question, a conversation of its own each time.
path_of() {
    case $1 in
        native) echo /internal/graphs/general_agent/stream ;;
        chat) echo /v1/chat/completions ;;
        responses) echo /v1/responses ;;
        ui) echo /api/chat ;;
        agui) echo /ag-ui/general_agent ;;
        langgraph) echo /runs/stream ;;
    esac
}
body_of() { # door, round
    model='"model":"general_agent"' id="\"$1-$2-##########\""
    said='"role":"user","content":"Hello there"'
    case $1 in
        native) echo "{\"input\":{\"message\":\"Hello there\"},\"conversation\":{\"id\":$id,\"user_id\":\"u1\",\"company_id\":\"acme\"}}" ;;
        chat) echo "{$model,\"stream\":true,\"messages\":[{$said}],\"metadata\":{\"conversation_id\":$id}}" ;;
        responses) echo "{$model,\"stream\":true,\"input\":\"Hello there\",\"conversation\":$id}" ;;
        ui) echo "{$model,\"id\":$id,\"messages\":[{\"id\":\"m\",\"role\":\"user\",\"parts\":[{\"type\":\"text\",\"text\":\"Hello there\"}]}]}" ;;
        langgraph) echo "{\"assistant_id\":\"general_agent\",\"stream_mode\":\"messages-tuple\",\"input\":{\"messages\":[{\"type\":\"human\",\"content\":\"Hello there\"}]}}" ;;
        agui) echo "{\"threadId\":$id,\"runId\":$id,\"messages\":[{\"id\":\"m\",$said}],\"tools\":[],\"context\":[]}" ;;
    esac
}

doors() { # streams, requests: in turn, so that what else the machine does meets them all
    printf '\neach door, %s streams: CPU per token, the median of %s, and against the native stream\n' \
        "$1" "$door_rounds"
    : >"$work/doors"
    for round in $(seq "$door_rounds"); do
        for door in native chat responses ui agui langgraph; do
            "$load" --name "$door" --door "$door" --url "http://127.0.0.1:$askd_port$(path_of $door)" \
                --pid "$askd_pid" --streams "$1" --requests "$2" --body "$(body_of $door "$round")" >>"$work/doors" || true
        done
    done
    sort -k1,1 -k14,14n "$work/doors" | awk '
        { count[$1]++; us[$1, count[$1]] = $14; broken[$1] += $5 + $6 }
        END {
            native = us["native", int((count["native"] + 1) / 2)]
            split("native chat responses ui agui langgraph", names, " ")
            for (i = 1; i <= 6; i++) {
                name = names[i]; mid = us[name, int((count[name] + 1) / 2)]
                printf "%-10s %7.2f us/tok  ratio %.2f  least %.2f  failed %d\n", name, mid, \
                    (native > 0 ? mid / native : 0), us[name, 1], broken[name]
            }
        }'
}

# The whole job: a router's call, then the answer's, each round in turn; the least CPU counts.
race() { # title, rate, tokens, streams, requests
    printf '\n%s\n%-12s %8s %6s %9s %6s %9s %8s %6s\n' "$1" server us/tok ratio us/req ratio \
        token50 KiB/str failed
    : >"$work/race"
    for _ in $(seq "${BENCH_RACE_ROUNDS:-3}"); do
        start_mock --rate "$2" --tokens "$3" --script "$work/routes"
        : >"$work/relay"
        "$relay" --upstream "$(port_of "$work/mock")" --calls 2 >"$work/relay" &
        relay_pid=$!
        pids="$pids $relay_pid"
        wait_for "$work/relay" listening
        run_load relay "$(port_of "$work/relay")" /x "$relay_pid" "$4" "$5" >>"$work/race"
        for store in none sqlite; do
            # shellcheck disable=SC2086 # a list
            start_askd "$askd" $without_limits ASKD_CHECKPOINT_URL="$(store_url "$store")"
            run_load "$store" "$askd_port" /internal/chat/stream "$askd_pid" "$4" "$5" >>"$work/race"
            stop_askd
        done
        stop_all
    done
    awk '
        { failed[$1] += $5 + $6 }
        !($1 in token) || $14 < token[$1] { token[$1] = $14; request[$1] = $15 }
        !($1 in first) || $10 < first[$1] { first[$1] = $10; kib[$1] = $16 }
        END {
            split("relay none sqlite", names, " ")
            for (i = 1; i <= 3; i++) {
                name = names[i]
                printf "%-12s %8.2f %6.2f %9.1f %6.2f %9.0f %8.1f %6d\n", \
                    i == 1 ? name : "askd, " name, token[name], token[name] / token["relay"], \
                    request[name], request[name] / request["relay"], first[name], kib[name], \
                    failed[name]
            }
        }' "$work/race"
}

# The same load on one worker and on several, in turns; the least CPU counts.
workers() { # title, rate, tokens, streams, requests
    printf '\n%s\n%-12s %8s %6s %9s %6s %6s\n' "$1" workers us/tok ratio us/req ratio failed
    : >"$work/race"
    start_mock --rate "$2" --tokens "$3" --script "$work/routes"
    for _ in $(seq "${BENCH_RACE_ROUNDS:-3}"); do
        for count in 1 2 4; do
            # shellcheck disable=SC2086 # a list
            start_askd "$askd" $without_limits ASKD_WORKERS=$count ASKD_CHECKPOINT_URL="$(store_url sqlite)"
            run_load "$count" "$askd_port" /internal/chat/stream "$askd_pid" "$4" "$5" >>"$work/race"
            stop_askd
        done
    done
    stop_all
    awk '
        { failed[$1] += $5 + $6 }
        !($1 in token) || $14 < token[$1] { token[$1] = $14; request[$1] = $15 }
        END {
            for (i = 1; i <= 4; i *= 2)
                printf "%-12s %8.2f %6.2f %9.1f %6.2f %6d\n", i, token[i], token[i] / token[1], \
                    request[i], request[i] / request[1], failed[i]
        }' "$work/race"
}

echo "times in microseconds; CPU is user and system time of the server's process"
echo '{"system":"You route questions","reply":"GENERAL"}' >"$work/routes"
race "one token each, 32 at a time, beside a bare relay" 0 1 32 "$requests"
race "100 streams at $rate tokens/s, beside a bare relay" "$rate" "$tokens" 100 200
race "$streams streams at $rate tokens/s, beside a bare relay" "$rate" "$tokens" "$streams" \
    "$streams"
race "64 streams of 500 tokens, as fast as they are taken, beside a bare relay" 0 500 64 2000
workers "100 streams at $rate tokens/s, by the number of workers" "$rate" "$tokens" 100 200
workers "one token each, 32 at a time, by the number of workers" 0 1 32 "$requests"
if command -v h2load >/dev/null; then
    printf '\n%s streams at %s tokens/s over one HTTP/2 connection, beside one each\n' "$streams" "$rate"
    BENCH_STREAMS=$streams BENCH_RATE=$rate BENCH_TOKENS=$tokens ASKD=$askd "$root/bench/http2.sh" "$build"
fi
if [ "${BENCH_ONLY:-}" = race ]; then exit; fi
start_all "$rate" "$tokens"
pair "$streams streams at $rate tokens/s, $tokens tokens each" "$streams" "$streams"
doors "$streams" "$streams"
stop_all
if [ "${BENCH_ONLY:-}" = streams ]; then exit; fi
start_all 0 1
pair "one token each, 32 at a time" 32 "$requests"
stop_all
printf '\nmicro\n'
"$micro" --ms "${BENCH_MICRO_MS:-200}"
printf '\nSQL guard, by dialect; x: against the engine'"'"'s own parser on the same texts\n'
"$guard" "${BENCH_GUARD_ROUNDS:-20}"
printf '\nA statement on its way from the model to the database: the guard and run_sql together\n'
"$path" "${BENCH_GUARD_ROUNDS:-20}"
printf '\nsearches of documents; ratio: to a plain loop over the same vectors\n'
"$search" --rows "${BENCH_CHUNKS:-10000}"
printf '\na request beside more and more other runs\n'
"$grow" "${BENCH_OTHERS:-12800}"
