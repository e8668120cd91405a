#!/bin/sh
# SPDX-License-Identifier: MIT
# bench/chaos.sh [BUILD] - tests/node/chaos.test.mjs and chaos_disk.test.mjs for as long and as often as one
# likes: CHAOS_SECONDS (default 120) each, with each of CHAOS_SEEDS (default "1 2 3"), CHAOS_DURABILITY as
# ASKD_DURABILITY. BUILD is a build with tests (default build/asan); tests/node needs its packages, as
# ./test installs them.
# Prints what happened and how messages ended; status 1 when a seed broke a promise. Everything it
# starts, it ends.
set -eu
root=$(cd "$(dirname "$0")/.." && pwd)
build=$(cd "${1:-$root/build/asan}" && pwd)
cmake --build "$build" --target askd mockllm make_samples >&2
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT
trap 'exit 130' INT TERM
find_program() { find "$build" -name "$1" -type f -perm -u+x | head -n 1; }
status=0
for seed in ${CHAOS_SEEDS:-1 2 3}; do
    for test in chaos chaos_disk; do
        ASKD_BIN=$build/askd MOCKLLM_BIN=$(find_program mockllm) \
            MAKE_SAMPLES_BIN=$(find_program make_samples) ASKD_OWN_SERVERS=$work/servers \
            CHAOS_SEED=$seed CHAOS_SECONDS=${CHAOS_SECONDS:-120} \
            "$root/scripts/node.sh" node "$root/tests/node/$test.test.mjs" || status=1
    done
done
exit $status
