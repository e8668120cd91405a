# aliases.awk - aliases.txt as the table of aliases_table.h: awk -f aliases.awk aliases.txt > table.c
#
# Failure: a line of another shape ends it with 1, named.

function fail(text) {
    print FILENAME ":" FNR ": " text > "/dev/stderr"
    failed = 1
    exit 1
}

BEGIN {
    print "/* Made by aliases.awk of a file of words. */\n#include \"agents/english/aliases_table.h\"\n"
    print "const struct english_alias aliases_table[] = {"
}

/^#/ || NF == 0 { next }

/^\[[a-z ]+\]$/ {
    parts = substr($0, 2, length($0) - 2)
    if (sub(/^[a-z]+ /, "", parts) == 0)
        fail("expected the parts of names that speak of it")
    gsub(/ /, "|", parts)
    next
}

parts == "" || !/^[A-Za-z ]+: [A-Za-z |]+$/ { fail("expected codes, a colon and what is said, got '" $0 "'") }

{
    at = index($0, ": ")
    codes = substr($0, 1, at - 1)
    gsub(/ /, "|", codes)
    print "    {\"" parts "\", \"" codes "\", \"" substr($0, at + 2) "\"},"
}

END {
    if (failed)
        exit 1
    print "    {NULL, NULL, NULL},\n};"
}
