# sentences.awk - sentences.txt as the table of sentences.h: awk -f sentences.awk sentences.txt > table.c
#
# Failure: a line of another shape ends it with 1, named.

function fail(why) {
    print FILENAME ":" FNR ": " why > "/dev/stderr"
    failed = 1
    exit 1
}

function quoted(text) {
    gsub(/[\\"]/, "\\\\&", text)
    return "\"" text "\""
}

BEGIN {
    print "/* Made by sentences.awk of sentences.txt. */\n#include \"server/language/sentences.h\"\n"
    print "const struct sentence sentences_table[] = {"
    ranks["answers"] = 1
    ranks["reasons"] = ranks["warnings"] = ranks["errors"] = ranks["refusals"] = 2
    ranks["codes"] = 3
    ranks["options"] = 4
    ranks["questions"] = 5
}

/^#/ || NF == 0 { next }

/^\[[a-z]+\]$/ {
    before = rank
    rank = ranks[substr($0, 2, length($0) - 2)]
    if (rank == "")
        fail("there is no section " $0)
    if (rank < before)
        fail("the order is: answers, sentences, codes, options, questions")
    next
}

rank == "" { fail("expected a section before '" $0 "'") }

{
    said = $0
    if ((getline de) <= 0 || substr(de, 1, 4) != "de: " || (getline es) <= 0 || substr(es, 1, 4) != "es: ")
        fail("expected lines that begin with 'de: ' and 'es: ' behind '" said "'")
    count[rank]++
    print "    {" quoted(said) ", {[LANGUAGE_DE] = " quoted(substr(de, 5)) ", [LANGUAGE_ES] = " quoted(substr(es, 5)) "}},"
}

END {
    if (failed)
        exit 1
    printf "};\nconst size_t sentences_ends[SENTENCES_PARTS] = {"
    for (part = 1; part <= 5; part++) {
        all += count[part]
        printf "%s%d", (part > 1 ? ", " : ""), all
    }
    print "};"
}
