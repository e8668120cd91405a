#!/bin/sh
# sizes.sh ROOT - headers of at most 150 lines, sources of 900, functions of 60, columns 100;
# rooms of at most 44 files.
set -eu
cd "$1"
export LC_ALL=C # bytes; those that go on with a character are not counted

awk '
FNR == 1 { lines = FILENAME ~ /\.h$/ && FILENAME !~ /^tests/ ? 150 : 900; start = 0 } # a rig in tests is a source
FNR == lines + 1 { print FILENAME ": over " lines " lines"; bad = 1 }
length($0) > 100 { line = $0; gsub(/[\200-\277]/, "", line) }
length($0) > 100 && length(line) > 100 { print FILENAME ":" FNR ": over 100 columns"; bad = 1 }
FILENAME ~ /\.c$/ && /^\{/ { start = FNR }
FILENAME ~ /\.c$/ && /^\}/ {
    if (start && FNR - start > 61) { print FILENAME ":" start ": a function of " FNR - start - 1 " lines"; bad = 1 }
    start = 0
}
END { exit bad }
' $(find core proto backends agents server bench samples tests -name '*.[ch]' -not -path '*/node_modules/*')

find core proto backends agents server -name '*.[ch]' | sed 's|/[^/]*$||' | sort | uniq -c |
    awk '$1 > 44 { print $2 ": over 44 files: it wants rooms"; bad = 1 } END { exit bad }'
