# SPDX-License-Identifier: MIT
# bench/lib.sh - what the benches that start servers share. Read (.) by a script of this folder after
# set -eu: makes $root, and $work, a folder of its own; everything started here is ended, and $work
# removed, however the script ends.
root=$(cd "$(dirname "$0")/.." && pwd)
work=$(mktemp -d)
pids=

stop_all() {
    for pid in $pids; do kill "$pid" 2>/dev/null || true; done
    wait 2>/dev/null || true
    pids=
}

cleanup() {
    stop_all
    rm -rf "$work"
}
trap cleanup EXIT
trap 'exit 130' INT TERM

# program NAME: where it is in $build.
program() {
    path=$(find "$build" -name "$1" -type f -perm -u+x | head -n 1)
    [ -n "$path" ] || { echo "bench: $1 is not in $build: build it first" >&2; exit 2; }
    echo "$path"
}

# wait_for FILE PATTERN: until the program that writes FILE says where it listens.
wait_for() {
    for _ in $(seq 200); do
        ! grep -qs "$2" "$1" || return 0
        sleep 0.05
    done
    echo "bench: nothing listens:" >&2
    cat "$1" >&2
    exit 1
}

port_of() { sed -n 's/.*127\.0\.0\.1:\([0-9][0-9]*\).*/\1/p' "$1" | head -n 1; }

# start_mock ARGUMENT...: the mock model; its address in $upstream.
start_mock() {
    : >"$work/mock" # what the one before said
    "$(program mockllm)" "$@" >"$work/mock" 2>&1 &
    pids="$pids $!"
    wait_for "$work/mock" listening
    upstream=http://127.0.0.1:$(port_of "$work/mock")/v1
}

# start_askd PROGRAM NAME=VALUE...: askd on that model; $askd_pid, and $askd_port, a free one.
start_askd() {
    server=$1
    shift
    : >"$work/askd"
    (cd "$work" && exec env OPENAI_API_KEY=bench OPENAI_BASE_URL="$upstream" OPENAI_MODEL=mock \
        ASKD_MODEL=openai ASKD_HOST=127.0.0.1 ASKD_PORT=0 ASKD_API_KEYS= \
        ASKD_LOG_LEVEL=error "$@" "$server" serve) >"$work/askd" 2>&1 &
    askd_pid=$!
    pids="$pids $askd_pid"
    wait_for "$work/askd" 'http://127\.0\.0\.1:'
    askd_port=$(port_of "$work/askd")
}

# Room for as many runs as a bench asks for, on one worker.
without_limits="ASKD_WORKERS=1 ASKD_MAX_RUNS=20000 ASKD_MAX_CONNECTIONS=20000 ASKD_LLM_IN_FLIGHT=20000"

stop_askd() {
    kill "$askd_pid"
    wait "$askd_pid" 2>/dev/null || true
}

# The stores there are: sqlite, and those of STORE_FOLDER, of tests/servers/servers.sh start FOLDER.
stores() {
    echo sqlite
    for name in postgres redis; do
        [ ! -f "${STORE_FOLDER:-}/$name.url" ] || echo "$name"
    done
}

# store_url NAME: where a store is; sqlite: an empty one.
store_url() {
    case $1 in
        none) echo none ;;
        sqlite) rm -f "$work"/runs.db*; echo "sqlite:$work/runs.db" ;;
        *) head -n 1 "$STORE_FOLDER/$1.url" ;;
    esac
}
