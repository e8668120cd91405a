#!/bin/sh
# words.sh ROOT - no word of business stands in the offline engine's C: customers, invoices, wages and
# prices are in agents/english/words and english.grammar, where another language can have its own. A
# word is one of the lists of en.txt that are named here; code asks for the list.
# How people greet, and for whom they ask (agents/offline/reading), is no word of a database.
set -eu
cd "$1"

awk '
FNR == 1 { section = "" }
FILENAME ~ /en\.txt$/ {
    if ($0 ~ /^\[/) { section = substr($0, 2, length($0) - 2); next }
    if ($0 ~ /^#/ || section !~ /^(persons|buyers|actors|sales|orders|payments|suppliers|purchases|prices|unitprices|incomes|revenues|earnings|superiors|currencies|ranks|stocks)$/) next
    for (i = 1; i <= NF; i++) { business[$i] = section; words++ }
    next
}
{
    line = $0
    gsub(/\/\*[^*]*\*\//, "", line)
    if (line ~ /^ ?\/?\*/)
        next
    while (match(line, /"[a-z ]+"/)) {
        word = substr(line, RSTART + 1, RLENGTH - 2)
        line = substr(line, RSTART + RLENGTH)
        literals++
        if (word in business && !(word in general)) {
            print FILENAME ":" FNR ": \"" word "\" is of [" business[word] "] in en.txt"
            bad = 1
        }
    }
}
BEGIN {
    # What a total or a number is called says nothing of a business.
    split("total value amount user order report request post place fil hand rank position person", w, " ")
    for (i in w) general[w[i]] = 1
}
END {
    if (words < 100 || literals < 300) { print "words.sh: where are the words?"; bad = 1 }
    exit bad
}
' agents/english/words/en.txt agents/lexicon/*.c agents/offline/grammar/*.c agents/offline/compose/*.c \
    agents/offline/answers/*.c agents/offline/second_look/*.c
