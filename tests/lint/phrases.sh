#!/bin/sh
# phrases.sh ROOT - no five words in a row of a question that tests the offline engine stand in its
# code, comments or data: its vocabulary is general English and the schema's own.
set -eu
cd "$1"

awk '
function plain(text) {
    text = tolower(text)
    gsub(/[^a-z0-9]+/, " ", text)
    return text
}
FILENAME !~ /\.jsonl$/ { code = code " " plain($0); next }
match($0, /"question": *"[^"]*"/) {
    question = plain(substr($0, RSTART + 11, RLENGTH - 11))
    count = split(question, word, " ")
    for (i = 1; i + 4 <= count; i++) {
        phrase = word[i] " " word[i + 1] " " word[i + 2] " " word[i + 3] " " word[i + 4]
        if (index(code, " " phrase " ")) {
            print FILENAME ":" FNR ": the engine says \"" phrase "\""
            bad = 1
        }
    }
    questions++
}
END {
    if (questions < 50) { print "phrases.sh: where are the questions?"; bad = 1 }
    exit bad
}
' $(find agents/english agents/lexicon agents/offline agents/semantic -name '*.[ch]' -o -name 'en.txt') core/words/stem.c tests/unit/offline/*.jsonl
