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
    sections["answers"] = "SENTENCE_ANSWER"
    sections["reasons"] = sections["warnings"] = sections["errors"] = sections["refusals"] = "SENTENCE_OTHER"
    sections["codes"] = "SENTENCE_CODE"
}

/^#/ || NF == 0 { next }

/^\[[a-z]+\]$/ {
    section = sections[substr($0, 2, length($0) - 2)]
    if (section == "")
        fail("there is no section " $0)
    next
}

section == "" { fail("expected a section before '" $0 "'") }

{
    said = $0
    if ((getline de) <= 0 || substr(de, 1, 4) != "de: " || (getline es) <= 0 || substr(es, 1, 4) != "es: ")
        fail("expected lines that begin with 'de: ' and 'es: ' behind '" said "'")
    print "    {" section ", " quoted(said) ", {[LANGUAGE_DE] = " quoted(substr(de, 5)) ", [LANGUAGE_ES] = " quoted(substr(es, 5)) "}},"
}

END {
    if (failed)
        exit 1
    print "};\nconst size_t sentences_count = sizeof sentences_table / sizeof *sentences_table;"
}
