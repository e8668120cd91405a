#!/bin/sh
# SPDX-License-Identifier: MIT
# fresh.sh [--only run|test] [--once] [--keep] [DIR] [-- CTEST-OPTION...] - ./run and ./test on a
# machine that has nothing.
#
# A Debian 12 of the fewest packages is made in DIR (without DIR: in a scratch folder), and the
# committed HEAD is cloned into its /askd. There ./run serves until it has answered a question, and
# ./test runs the suite; both twice, to see what is made twice. Each gets one line; what they said
# is in build/fresh. --keep leaves the root where it is; a DIR that was kept is used again, with
# all that was installed and built there, and HEAD checked out anew. Options after -- go to ctest.
#
# All that is installed comes by the network, as this machine reaches it: its names, Debian mirror,
# proxies, certificates and npm registry are passed on; logins are not.
#
# Root is needed, for chroot and mounts. Mounts and processes live in namespaces that end with this
# script, however it ends: nothing stays mounted or running. It fails when one of them failed.
set -eu
source=$(cd "$(dirname "$0")/.." && pwd)
logs=$source/build/fresh
patience=3600 # seconds until ./run serves: then it is stuck
PATH=$PATH:/usr/sbin:/sbin
. "$source/scripts/packages.sh"

usage() {
    sed -n 's/^# \(fresh.sh .*\) - .*/usage: \1/p' "$0" >&2
    exit 2
}

die() {
    echo "fresh.sh: $*" >&2
    exit 1
}

# ---- inside the namespaces: making the root ----

# mirrors: a line of sources.list for each part of Debian 12 that this machine gets packages from.
mirrors() {
    apt-get indextargets --format 'deb $(REPO_URI) $(RELEASE) $(COMPONENT)' 'Created-By: Packages' |
        grep -E ' bookworm(-updates|-security)? main$' | sort -u
}

make_root() {
    mirrors >"$logs/sources.list" 2>/dev/null || true # none known: debootstrap's own
    mirror=$(sed -n 's/^deb \(.*\) bookworm main$/\1/p' "$logs/sources.list" | head -n 1)
    include=
    ! grep -q '^deb https:' "$logs/sources.list" || include=--include=ca-certificates
    # shellcheck disable=SC2086 # one word each, or none
    debootstrap --variant=minbase $include bookworm "$root" $mirror >"$logs/debootstrap.log" 2>&1 || {
        tail -n 20 "$logs/debootstrap.log" >&2
        die "debootstrap failed; all that it said is in $logs/debootstrap.log"
    }
    [ ! -s "$logs/sources.list" ] || cp "$logs/sources.list" "$root/etc/apt/sources.list"
    touch "$root/etc/askd-fresh"
}

# How this machine reaches the world.
pass_network() {
    cp -L /etc/resolv.conf /etc/hosts "$root/etc/"
    apt-config dump --format '%F "%v";%n' Acquire | grep -E '^Acquire::(https?|Retries|Check-)' \
        >"$root/etc/apt/apt.conf.d/90fresh" || true
    mkdir -p "$root/usr/local/share/ca-certificates"
    find /usr/local/share/ca-certificates -name '*.crt' \
        -exec cp {} "$root/usr/local/share/ca-certificates/" \;
    command -v npm >/dev/null || return 0
    npmrc=$(chroot "$root" sh -c 'echo ~')/.npmrc
    for key in registry proxy https-proxy noproxy strict-ssl; do
        value=$(npm config get $key 2>/dev/null)
        case $value in '' | null | undefined) ;; *) echo "$key=$value" ;; esac
    done >"$root$npmrc"
}

mount_all() {
    mount -t proc proc "$root/proc"
    mount -t sysfs -o ro sysfs "$root/sys"
    mount --bind /dev "$root/dev"
    mount -t devpts -o newinstance,ptmxmode=0666,mode=620 devpts "$root/dev/pts"
    mount -t tmpfs -o mode=1777 tmpfs "$root/dev/shm"
}

clone() {
    [ -d "$root/askd" ] || git init -q "$root/askd"
    git -C "$root/askd" fetch -q --depth 1 "file://$source" HEAD
    git -C "$root/askd" reset -q --hard FETCH_HEAD
}

# in_root COMMAND...: in /askd there, with nothing of our environment but proxies. Does not return.
in_root() {
    set -- sh -c 'cd /askd && exec "$@"' sh "$@"
    for name in http_proxy https_proxy no_proxy HTTP_PROXY HTTPS_PROXY NO_PROXY; do
        eval "value=\${$name:-}"
        [ -z "$value" ] || set -- "$name=$value" "$@"
    done
    exec chroot "$root" /usr/bin/env -i HOME=/root \
        PATH=/usr/local/sbin:/usr/local/bin:/usr/sbin:/usr/bin:/sbin:/bin "$@"
}

# ---- inside: the two commands. try_* say how it went, and are 1 when it went wrong ----

get() {
    curl -fsS --noproxy '*' "$@"
}

# waiting: there is still something to wait for, a moment later.
waiting() {
    sleep 0.2
    kill -0 "$pid" 2>/dev/null && [ "$(date +%s)" -lt "$deadline" ]
}

# Until what $pid serves is ready and has answered; LOG is what it says.
serve() { # LOG
    deadline=$(($(date +%s) + patience))
    until url=$(grep -o -m 1 'http://127\.0\.0\.1:[0-9]*' "$1"); do
        waiting || { echo "did not serve" && return 1; }
    done
    until get "$url/readyz" >/dev/null 2>&1; do
        waiting || { echo "served, but did not get ready" && return 1; }
    done
    answer=$(get "$url/internal/chat/stream" -H 'content-type: application/json' \
        -d '{"input":{"message":"How many technicians are active?"},
             "conversation":{"id":"fresh","user_id":"u","company_id":"acme"}}' 2>&1) || true
    case $answer in
    *"There are 10"*'"event":"complete"'*) ;;
    *) echo "gave another answer: $answer" && return 1 ;;
    esac
}

try_run() { # LOG
    : >"$1"
    (in_root ./run --port 0) >"$1" 2>&1 &
    pid=$!
    serve "$1" || {
        kill "$pid" 2>/dev/null || true
        return 1
    }
    kill "$pid"
    wait "$pid" || { echo "answered, but ended with status $?" && return 1; }
    echo "answered"
}

# The tests whose state in ctest's closing list matches the pattern.
named() { # PATTERN LOG
    sed -n "s/^\t *[0-9]* - \([^ ]*\) (\($1\))\$/\1/p" "$2" | tr '\n' ' '
}

try_test() { # LOG CTEST-OPTION...
    log=$1
    shift
    status=0
    (in_root ./test "$@") >"$log" 2>&1 || status=$?
    passed=$(sed -n 's/^[0-9]*% tests passed, //p' "$log")
    failed=$(named '[^S].*\|SEGFAULT\|Subprocess.*' "$log")
    skipped=$(named Skipped "$log")
    echo "${passed:-no test ran}${failed:+; failed: $failed}${skipped:+; skipped: $skipped}"
    return $status
}

# One line, and more when it went wrong.
try() { # VERB TIME CTEST-OPTION...
    verb=$1
    log=$logs/$1.$2.log
    printf 'fresh.sh: ./%s, the %s time: ' "$1" "$2"
    shift 2
    began=$(date +%s)
    status=0
    went=$("try_$verb" "$log" "$@") || status=1
    echo "$(($(date +%s) - began)) s, $went"
    [ $status -eq 0 ] || {
        tail -n 40 "$log" >&2
        wrong=1
    }
}

inside() { # CTEST-OPTION...
    trap 'exit 1' HUP INT TERM # the first process of a namespace does not end by them else
    root=$FRESH_ROOT
    if [ -e "$root/etc/askd-fresh" ]; then made=kept; else
        made=new
        make_root
    fi
    pass_network
    mount_all
    clone
    echo "fresh.sh: commit $(git -C "$root/askd" rev-parse --short HEAD), $(nproc) processors," \
        "Debian $(cat "$root/etc/debian_version"), $made in $root"
    wrong=
    for verb in $FRESH_VERBS; do
        for time in $FRESH_TIMES; do
            case $verb in
            run) try run "$time" ;;
            test) try test "$time" "$@" ;;
            esac
        done
    done
    [ -z "$wrong" ]
}

# ---- outside: who starts it, and what is left ----

# However it ends: first the processes there, then their files.
end() {
    status=$?
    trap - EXIT HUP INT TERM
    [ -z "$namespace" ] || {
        kill -KILL "$namespace" 2>/dev/null || true
        wait "$namespace" 2>/dev/null || true
    }
    [ -n "$keep" ] || rm -rf --one-file-system "$root" 2>/dev/null || {
        sleep 2 # what was ending still wrote there
        rm -rf --one-file-system "$root"
    }
    exit $status
}

if [ -n "${FRESH_ROOT:-}" ]; then
    inside "$@"
    exit
fi

verbs="run test" times="first second" keep='' root='' namespace=''
while [ $# -gt 0 ]; do
    case $1 in
    --only)
        shift
        case ${1:-} in run | test) verbs=$1 ;; *) usage ;; esac
        ;;
    --once) times=first ;;
    --keep) keep=1 ;;
    --) shift && break ;;
    -*) usage ;;
    *) [ -z "$root" ] && root=$1 || usage ;;
    esac
    shift
done
[ "$(id -u)" -eq 0 ] || die "root is needed, for chroot and mounts: sudo $0"
install_packages debootstrap git curl
mkdir -p "$logs"
if [ -z "$root" ]; then
    root=$(mktemp -d "${TMPDIR:-/tmp}/askd-fresh.XXXXXX")
else
    [ -e "$root/etc/askd-fresh" ] || [ -z "$(ls -A "$root" 2>/dev/null)" ] ||
        die "$root is there, and is no root that fresh.sh made"
    mkdir -p "$root"
    root=$(cd "$root" && pwd)
fi
trap end EXIT
trap 'exit 130' HUP INT TERM
FRESH_ROOT=$root FRESH_VERBS=$verbs FRESH_TIMES=$times \
    unshare --mount --pid --fork --kill-child "$0" "$@" </dev/null &
namespace=$!
wait $namespace
