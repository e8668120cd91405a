#!/bin/sh
# servers.sh start|stop FOLDER - real PostgreSQL and MariaDB for the tests, on loopback.
#
# start leaves FOLDER/postgres.url and FOLDER/mysql.url (an administrator each: a test makes its
# own database, see tests/lib/test_server.h) and stops what an earlier start left. Ports are free
# ones below the ephemeral range. The servers' own files lie in a scratch folder, whose name is in
# FOLDER/scratch. Servers refuse to run as root, so there root becomes an unprivileged user.
set -eu
PATH=$PATH:/usr/sbin

verb=$1
mkdir -p "$2"
folder=$(cd "$2" && pwd)

# As a user a server accepts: us, unless we are root.
user=$(id -un)
[ "$(id -u)" -ne 0 ] || user=$(getent passwd postgres >/dev/null && echo postgres || echo nobody)
unprivileged() {
    if [ "$(id -u)" -eq 0 ]; then
        setpriv --reuid "$user" --regid "$(id -gn "$user")" --clear-groups \
            env -C "$scratch" HOME="$scratch" "$@"
    else
        "$@"
    fi
}

# free_port FROM: the first port nobody listens on, from FROM on.
free_port() {
    port=$1
    while grep -q "^ *[0-9]*: [0-9A-F]*:$(printf '%04X' "$port") [0-9A-F:]* 0A" /proc/net/tcp \
        /proc/net/tcp6 2>/dev/null; do
        port=$((port + 1))
    done
    echo "$port"
}

stop() {
    [ -f "$folder/scratch" ] || return 0
    scratch=$(cat "$folder/scratch")
    pg=$(head -n 1 "$scratch/postgres/postmaster.pid" 2>/dev/null) && kill -INT "$pg" || true
    my=$(cat "$scratch/mariadb.pid" 2>/dev/null) && kill -TERM "$my" || true
    tries=0
    while [ $tries -lt 100 ] &&
        { [ -e "$scratch/postgres/postmaster.pid" ] || [ -e "$scratch/mariadb.pid" ]; }; do
        tries=$((tries + 1))
        sleep 0.1
    done
    [ $tries -lt 100 ] || kill -KILL $pg $my 2>/dev/null || true
    rm -rf "$scratch"
    rm -f "$folder"/*.url "$folder"/*.pem "$folder/scratch"
}

start_postgres() {
    bin=$(pg_config --bindir)
    unprivileged "$bin/initdb" -D "$scratch/postgres" -A trust -U askd -E UTF8 --locale C.UTF-8 -N \
        >"$scratch/initdb.log" 2>&1
    for try in 1 2 3 4 5; do
        port=$(free_port "$((20000 + ($$ * 7 + try * 131) % 10000))")
        if unprivileged "$bin/pg_ctl" -D "$scratch/postgres" -w -t 60 -l "$scratch/postgres.log" -o \
            "-p $port -k $scratch -c listen_addresses=127.0.0.1 -c fsync=off -c max_connections=200 \
             -c synchronous_commit=off -c full_page_writes=off" start >/dev/null 2>&1; then
            echo "postgresql://askd@127.0.0.1:$port/postgres" >"$folder/postgres.url"
            return 0
        fi
    done
    cat "$scratch/initdb.log" "$scratch/postgres.log" >&2
    return 1
}

# A certificate for MariaDB, by an authority of its own: FOLDER/mysql_ca.pem. FOLDER/other_ca.pem is
# one that signed nothing.
make_certificates() {
    command -v openssl >/dev/null || {
        echo "openssl is needed to make the test server's certificate" >&2
        return 1
    }
    for name in mysql other; do
        openssl req -x509 -newkey ec -pkeyopt ec_paramgen_curve:prime256v1 -nodes -days 2 \
            -subj "/CN=$name test authority" -keyout "$scratch/${name}_ca.key" -out "$folder/${name}_ca.pem" 2>/dev/null
    done
    openssl req -newkey ec -pkeyopt ec_paramgen_curve:prime256v1 -nodes -subj "/CN=test" \
        -keyout "$scratch/server.key" -out "$scratch/server.csr" 2>/dev/null
    echo "subjectAltName=IP:127.0.0.1" >"$scratch/server.ext"
    openssl x509 -req -in "$scratch/server.csr" -CA "$folder/mysql_ca.pem" \
        -CAkey "$scratch/mysql_ca.key" -set_serial 1 -days 2 -extfile "$scratch/server.ext" \
        -out "$scratch/server.pem" 2>/dev/null
    chmod 644 "$scratch/server.key"
}

start_mariadb() {
    make_certificates
    unprivileged mariadb-install-db --no-defaults --datadir="$scratch/mariadb" --skip-test-db \
        --auth-root-authentication-method=normal >"$scratch/install.log" 2>&1 || {
        cat "$scratch/install.log" >&2
        return 1
    }
    for try in 1 2 3 4 5; do
        port=$(free_port "$((20000 + ($$ * 11 + try * 173 + 50) % 10000))")
        ( # exec: the shell that waits here would keep our own output open, and ctest with it
            exec >"$scratch/mariadb.log" 2>&1 </dev/null
            unprivileged mariadbd --no-defaults --datadir="$scratch/mariadb" --port="$port" \
                --bind-address=127.0.0.1 --socket="$scratch/mariadb.sock" \
                --pid-file="$scratch/mariadb.pid" --innodb-flush-log-at-trx-commit=0 \
                --skip-log-bin --max-connections=200 --character-set-server=utf8mb4 \
                --skip-name-resolve --ssl-cert="$scratch/server.pem" \
                --ssl-key="$scratch/server.key"
        ) &
        server=$!
        while kill -0 "$server" 2>/dev/null; do
            if mariadb --no-defaults -u root -S "$scratch/mariadb.sock" -e \
                "CREATE USER 'askd'@'%' IDENTIFIED BY 'askd-test';
                 GRANT ALL ON *.* TO 'askd'@'%' WITH GRANT OPTION" 2>/dev/null; then
                echo "mysql://askd:askd-test@127.0.0.1:$port/mysql" >"$folder/mysql.url"
                return 0
            fi
            sleep 0.05
        done
    done
    cat "$scratch/mariadb.log" >&2
    return 1
}

stop
[ "$verb" = start ] || exit 0
scratch=$(mktemp -d "${TMPDIR:-/tmp}/askd-servers.XXXXXX")
echo "$scratch" >"$folder/scratch"
[ "$(id -u)" -ne 0 ] || chown "$user" "$scratch"
start_postgres
start_mariadb
