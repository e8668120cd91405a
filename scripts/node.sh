#!/bin/sh
# SPDX-License-Identifier: MIT
# node.sh [COMMAND...] - install the Node that tests and examples run with in build/tools/node/bin,
# and run COMMAND with it.
#
# Debian 12 has Node 18, which is too old for the driver of a browser, LangGraph's SDK and the
# example. This one is npm's, pinned by scripts/node and the same on every machine, whatever Node is
# installed. It is a 22: JSON.parse of 24 and 26 misreads escaped keys (nodejs/node issue 63785),
# which proto.json_diff finds. npm itself is the machine's, or Debian's. Where npm has no Node for
# the processor, COMMAND gets the machine's.
set -eu
root=$(cd "$(dirname "$0")/.." && pwd)
place=$root/build/tools/node

if [ ! -x "$place/bin/node" ] || ! cmp -s "$root/scripts/node/package-lock.json" "$place/package-lock.json"; then
    . "$root/scripts/packages.sh"
    install_npm
    rm -rf "$place"
    mkdir -p "$place/bin"
    cp "$root/scripts/node/package.json" "$root/scripts/node/package-lock.json" "$place/"
    (cd "$place" && npm ci --no-audit --no-fund --loglevel=error >&2)
    # Not node_modules/.bin: Debian's npm makes no link there for a package of one processor.
    for node in "$place"/node_modules/node-*/bin/node; do
        [ ! -x "$node" ] || ln -sf "../${node#"$place"/}" "$place/bin/node"
    done
    [ -x "$place/bin/node" ] || echo "node.sh: npm has no Node for this processor" >&2
fi

[ $# -gt 0 ] || exit 0
PATH=$place/bin:$PATH
export PATH
exec "$@"
