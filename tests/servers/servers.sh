#!/bin/sh
# servers.sh start|stop FOLDER, servers.sh down|up FOLDER postgres|mysql|redis - real PostgreSQL,
# MariaDB and Redis for the tests, on loopback, and Chroma, our own Qdrant, and PGlite with pgvector
# where ./test could install what they need.
#
# start leaves FOLDER/postgres.url and FOLDER/mysql.url (an administrator each: a test makes its
# own database, see tests/lib/test_server.h) and FOLDER/redis.url (a test takes a number of its own),
# and stops what an earlier start left, even one that was killed. Ports are free ones below the ephemeral range. The servers' own files lie in a scratch
# folder, whose name is in FOLDER/scratch. Servers refuse to run as root, so there root becomes an
# unprivileged user. A start that gives up prints the ends of the logs and leaves nothing running.
# down ends one of them as a crash does, with its connections; up starts it again on its old port.
set -eu
PATH=$PATH:/usr/sbin

verb=$1
case $verb in
start | stop) ;;
down | up) engine=${3:?postgres, mysql or redis} ;;
*) echo "usage: servers.sh start|stop|down|up FOLDER [postgres|mysql|redis]" >&2 && exit 2 ;;
esac
mkdir -p "$2"
folder=$(cd "$2" && pwd)
root=$(cd "$(dirname "$0")/../.." && pwd)
chroma=$root/build/tools/chroma/node_modules/.bin/chroma
node=$root/tests/node # with servers of our own: NAME/server.mjs

# The user that servers run as: us, unless we are root. Words before a command make it so.
user=$(id -un)
unprivileged=
if [ "$(id -u)" -eq 0 ]; then
    user=$(getent passwd postgres >/dev/null && echo postgres || echo nobody)
    unprivileged="setpriv --reuid $user --regid $(id -gn "$user") --clear-groups"
fi

# free_port FROM: the first port nobody listens on, from FROM on.
free_port() {
    port=$1
    while grep -q "^ *[0-9]*: [0-9A-F]*:$(printf '%04X' "$port") [0-9A-F:]* 0A" /proc/net/tcp \
        /proc/net/tcp6 2>/dev/null; do
        port=$((port + 1))
    done
    echo "$port"
}

# running PID: a server of this scratch folder, not another process that has its number now.
running() {
    [ -n "$1" ] && tr '\0' ' ' 2>/dev/null <"/proc/$1/cmdline" | grep -qF "$scratch/"
}

# pid_in FILE: the number on its first line, or nothing.
pid_in() {
    head -n 1 "$1" 2>/dev/null || true
}

# end PID SIGNAL: ask it to end, and make it end after a minute.
end() {
    tries=0
    signal=$2
    while running "$1" && [ $tries -lt 620 ]; do
        [ $tries -ne 600 ] || signal=KILL
        case $tries in 0 | 600) kill -s $signal "$1" 2>/dev/null || true ;; esac
        tries=$((tries + 1))
        sleep 0.1
    done
}

stop() {
    [ -s "$folder/scratch" ] || return 0
    scratch=$(cat "$folder/scratch")
    end "$(pid_in "$scratch/postgres/postmaster.pid")" INT
    end "$(pid_in "$scratch/mariadbd")" TERM
    end "$(pid_in "$scratch/redis/pid")" TERM
    end "$(pid_in "$scratch/chroma.pid")" TERM
    end "$(pid_in "$scratch/qdrant.pid")" TERM
    end "$(pid_in "$scratch/pgvector.pid")" TERM
    rm -rf "$scratch" || { # what a killed start had begun may still write there
        sleep 1
        rm -rf "$scratch"
    }
    rm -f "$folder"/*.url "$folder"/*.pem "$folder/scratch"
}

# What a server has said is done survives its own crash (the kernel has it), though not the machine's.

# serve_postgres PORT: 1 when it cannot.
serve_postgres() {
    $unprivileged "$(pg_config --bindir)/pg_ctl" -D "$scratch/postgres" -w -t 300 \
        -l "$scratch/postgres.log" -o \
        "-p $1 -k $scratch -c listen_addresses=127.0.0.1 -c fsync=off -c max_connections=200 \
         -c authentication_timeout=300 -c full_page_writes=off" \
        start >/dev/null 2>&1
}

start_postgres() {
    $unprivileged "$(pg_config --bindir)/initdb" -D "$scratch/postgres" -A trust -U askd -E UTF8 --locale C.UTF-8 -N \
        >"$scratch/initdb.log" 2>&1
    for try in 1 2 3 4 5; do
        port=$(free_port "$((20000 + ($$ * 7 + try * 131) % 10000))")
        if serve_postgres "$port"; then
            echo "postgresql://askd@127.0.0.1:$port/postgres" >"$folder/postgres.url"
            return 0
        fi
    done
    return 1
}

# A certificate for MariaDB, by an authority of its own: FOLDER/mysql_ca.pem. FOLDER/other_ca.pem is
# one that signed nothing.
make_certificates() {
    for name in mysql other; do
        openssl req -x509 -newkey ec -pkeyopt ec_paramgen_curve:prime256v1 -nodes -days 2 \
            -subj "/CN=$name test authority" -keyout "$scratch/${name}_ca.key" \
            -out "$folder/${name}_ca.pem"
    done
    openssl req -newkey ec -pkeyopt ec_paramgen_curve:prime256v1 -nodes -subj "/CN=test" \
        -keyout "$scratch/server.key" -out "$scratch/server.csr"
    echo "subjectAltName=IP:127.0.0.1" >"$scratch/server.ext"
    openssl x509 -req -in "$scratch/server.csr" -CA "$folder/mysql_ca.pem" \
        -CAkey "$scratch/mysql_ca.key" -set_serial 1 -days 2 -extfile "$scratch/server.ext" \
        -out "$scratch/server.pem"
    chmod 644 "$scratch/server.key"
}

# As root by the socket, which only the scratch folder's owner and root can reach.
mariadb_root() {
    mariadb --no-defaults -u root -S "$scratch/mariadb.sock" "$@"
}

# Wait until the server of this number answers, five minutes at most. 1: it has ended, or is not heard.
await_mariadb() {
    until running "$1" || ! kill -0 "$1" 2>/dev/null; do
        sleep 0.1 # it is still a copy of this shell
    done
    tries=0
    while running "$1" && [ $tries -lt 3000 ]; do
        ! mariadb_root -e "SELECT 1" >/dev/null 2>&1 || return 0
        tries=$((tries + 1))
        sleep 0.1
    done
    return 1
}

# serve_mariadb PORT: 1 when it cannot. Its temporary tables have a folder of their own: a server
# that starts deletes all that it finds there, also what another one is using.
serve_mariadb() {
    # No stream of ours: ctest would wait for whoever holds one.
    $unprivileged mariadbd --no-defaults --datadir="$scratch/mariadb" --tmpdir="$scratch/mariadb_tmp" \
        --port="$1" --bind-address=127.0.0.1 --socket="$scratch/mariadb.sock" \
        --pid-file="$scratch/mariadb.pid" --innodb-flush-log-at-trx-commit=2 \
        --skip-log-bin --max-connections=200 --connect-timeout=300 \
        --character-set-server=utf8mb4 --skip-name-resolve --ssl-cert="$scratch/server.pem" \
        --ssl-key="$scratch/server.key" >>"$scratch/mariadb.log" 2>&1 </dev/null &
    echo $! >"$scratch/mariadbd"
    await_mariadb $! || {
        end $! TERM
        return 1
    }
}

start_mariadb() {
    make_certificates >"$scratch/openssl.log" 2>&1
    $unprivileged mkdir "$scratch/mariadb_tmp"
    $unprivileged mariadb-install-db --no-defaults --datadir="$scratch/mariadb" \
        --tmpdir="$scratch/mariadb_tmp" --skip-test-db \
        --auth-root-authentication-method=normal >"$scratch/install.log" 2>&1
    for try in 1 2 3 4 5; do
        port=$(free_port "$((20000 + ($$ * 11 + try * 173 + 50) % 10000))")
        if serve_mariadb "$port"; then
            mariadb_root -e "CREATE OR REPLACE USER 'askd'@'%' IDENTIFIED BY 'askd-test';
                GRANT ALL ON *.* TO 'askd'@'%' WITH GRANT OPTION"
            echo "mysql://askd:askd-test@127.0.0.1:$port/mysql" >"$folder/mysql.url"
            return 0
        fi
    done
    return 1
}

# serve_redis PORT: 1 when it cannot.
serve_redis() {
    $unprivileged redis-server "$scratch/redis/redis.conf" --port "$1" >>"$scratch/redis.log" 2>&1 </dev/null &
    tries=0
    while kill -0 $! 2>/dev/null && [ $tries -lt 3000 ]; do
        # Its own folder: not another that has just taken the port.
        ! redis-cli -p "$1" config get dir 2>/dev/null | grep -qF "$scratch/" || return 0
        tries=$((tries + 1))
        sleep 0.1
    done
    end $! TERM
    return 1
}

start_redis() {
    $unprivileged mkdir -p "$scratch/redis"
    printf '%s\n' "bind 127.0.0.1" "dir $scratch/redis" "pidfile $scratch/redis/pid" 'save ""' \
        "appendonly yes" "appendfsync no" "databases 64" "set-proc-title no" |
        $unprivileged tee "$scratch/redis/redis.conf" >/dev/null
    for try in 1 2 3 4 5; do
        port=$(free_port "$((20000 + ($$ * 17 + try * 211 + 90) % 10000))")
        if serve_redis "$port"; then
            echo "redis://127.0.0.1:$port/0" >"$folder/redis.url"
            return 0
        fi
    done
    return 1
}

# await PID COMMAND...: until it succeeds, five minutes at most. 1: PID has ended, or it never does.
await() {
    awaited=$1
    shift
    tries=0
    while kill -0 "$awaited" 2>/dev/null && [ $tries -lt 3000 ]; do
        ! "$@" >/dev/null 2>&1 || return 0
        tries=$((tries + 1))
        sleep 0.1
    done
    end "$awaited" TERM
    return 1
}

# serve_chroma PORT: 1 when it cannot; some seconds on a machine that is busy.
serve_chroma() {
    "$chroma" run --path "$scratch/chroma" --host 127.0.0.1 --port "$1" \
        >>"$scratch/chroma.log" 2>&1 </dev/null &
    echo $! >"$scratch/chroma.pid"
    await $! curl -fs "http://127.0.0.1:$1/api/v2/heartbeat"
}

start_chroma() {
    for try in 1 2 3; do
        port=$(free_port "$((20000 + ($$ * 13 + try * 191 + 70) % 10000))")
        if serve_chroma "$port"; then
            echo "http://127.0.0.1:$port" >"$folder/chroma.url"
            return 0
        fi
    done
    return 1
}

# serve_node NAME PORT ARGUMENTS...: a server of ours, which says its number when it is there. 1: it
# cannot.
serve_node() {
    name=$1
    shift
    node "$node/$name/server.mjs" "$@" "$scratch/$name.pid" >>"$scratch/$name.log" 2>&1 </dev/null &
    await $! test -s "$scratch/$name.pid"
}

start_qdrant() {
    for try in 1 2 3; do
        port=$(free_port "$((20000 + ($$ * 19 + try * 223 + 110) % 10000))")
        if serve_node qdrant "$port" askd-test; then
            echo "http://:askd-test@127.0.0.1:$port" >"$folder/qdrant.url"
            return 0
        fi
    done
    return 1
}

start_pgvector() {
    for try in 1 2 3; do
        port=$(free_port "$((20000 + ($$ * 23 + try * 227 + 130) % 10000))")
        if serve_node pgvector "$port"; then
            echo "postgresql://postgres@127.0.0.1:$port/postgres?sslmode=disable" \
                >"$folder/pgvector.url"
            return 0
        fi
    done
    return 1
}

# The port of the engine's url.
port_of() {
    place=$(cat "$folder/$1.url")
    place=${place#*://}
    place=${place##*@}
    place=${place%%/*}
    echo "${place#*:}"
}

down() {
    case $engine in
    postgres) end "$(pid_in "$scratch/postgres/postmaster.pid")" QUIT ;;
    mysql) end "$(pid_in "$scratch/mariadbd")" KILL ;;
    redis) end "$(pid_in "$scratch/redis/pid")" KILL ;;
    esac
}

up() {
    cd "$scratch" # a folder that both users may enter
    export HOME="$scratch"
    case $engine in
    postgres) serve_postgres "$(port_of postgres)" ;;
    mysql) serve_mariadb "$(port_of mysql)" ;;
    redis) serve_redis "$(port_of redis)" ;;
    esac
}

# However a start ends without servers: say why, leave none.
give_up() {
    status=$?
    trap - EXIT
    [ $status -ne 0 ] || exit 0
    for log in "$scratch"/*.log; do
        echo "--- ${log##*/}" >&2
        tail -n 40 "$log" >&2
    done
    stop
    exit $status
}

case $verb in
down | up)
    scratch=$(cat "$folder/scratch")
    "$verb"
    exit
    ;;
esac
stop
[ "$verb" = start ] || exit 0
scratch=$(cd "$(mktemp -d "${TMPDIR:-/tmp}/askd-servers.XXXXXX")" && pwd)
echo "$scratch" >"$folder/scratch"
trap give_up EXIT
trap 'exit 1' HUP INT TERM
[ "$(id -u)" -ne 0 ] || chown "$user" "$scratch"
cd "$scratch" # a folder that both users may enter
export HOME="$scratch"
start_postgres
start_mariadb
start_redis
[ ! -x "$chroma" ] || start_chroma || echo "Chroma is installed, but does not start" >&2
[ ! -d "$node/node_modules/@qdrant" ] || start_qdrant || echo "our Qdrant does not start" >&2
[ ! -d "$node/node_modules/@electric-sql" ] || start_pgvector || echo "PGlite does not start" >&2
