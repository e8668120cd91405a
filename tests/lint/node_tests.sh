#!/bin/sh
# node_tests.sh ROOT - no test file for Node awaits at its top level after its first test: the runner ends the file's
# hooks, which stop the servers, as soon as the tests that it knows of have ended.
set -eu
cd "$1"

awk '
FNR == 1 { tested = 0; files++ }
/(^|[^a-zA-Z.])test\(/ && !/=>.*test\(/ { tested = 1 }
tested && /^[^ \/].*[^a-zA-Z]await / && !/=>/ { print FILENAME ":" FNR ": awaits behind a test: " $0; bad = 1 }
END {
    if (files < 50) { print "node_tests.sh: where are the tests?"; bad = 1 }
    exit bad
}
' $(find tests/node -name '*.test.mjs' -not -path '*/node_modules/*')
