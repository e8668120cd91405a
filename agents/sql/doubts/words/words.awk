# words.awk - words.txt as the table of phrases.h: awk -f words.awk words.txt > table.c
#
# Failure: a line of another shape ends it with 1, named.

function fail(text) {
    print FILENAME ":" FNR ": " text > "/dev/stderr"
    failed = 1
    exit 1
}

BEGIN {
    print "/* Made by words.awk of a file of words. */\n#include \"agents/sql/doubts/phrases.h\"\n"
    print "const struct sql_doubts_phrase sql_doubts_phrases_table[] = {"
}

/^#/ || NF == 0 { next }
/^\[[a-z_]+\]$/ { topic = toupper(substr($0, 2, length($0) - 2)); next }

topic == "" { fail("expected a section first, such as [above]") }
/["\\]/ { fail("expected words without quotes") }

{
    value = "0"
    if ($(NF - 1) == "=") {
        value = $NF
        sub(/ = [0-9.e]+$/, "")
    }
    if (value !~ /^[0-9.e]+$/)
        fail("expected a number behind '='")
    print "    {SQL_DOUBTS_" topic ", \"" $0 "\", " value "},"
    lines++
}

END {
    if (failed)
        exit 1
    print "};\nconst size_t sql_doubts_phrases_count = " lines ";"
}
