# tables.awk - a file of words as the tables of vocabulary.h: awk -f tables.awk en.txt > tables.c
#
# A section [synonyms] of groups, [near] and [roles] of words and names, sections [opposites] and [makers] of
# pairs, any other a list. A group, word or pair is a line. Failure: a line of another shape ends it with 1, named.

function fail(text) {
    print FILENAME ":" FNR ": " text > "/dev/stderr"
    failed = 1
    exit 1
}

function is_pairs(name) { return name == "opposites" || name == "makers" }
function is_near(name) { return name == "near" || name == "roles" }
function is_counted(name) { return name == "synonyms" || is_near(name) || is_pairs(name) }

function close_section() {
    if (section == "")
        return
    if (is_counted(section))
        printf "};\nconst size_t vocabulary_%s_count = %d;\n", section == "near" ? section : substr(section, 1, length(section) - 1), lines
    else
        printf "    NULL,\n};\n"
}

function word_of(text,    slash) { # "price/pric": {"pric", "price"}
    slash = index(text, "/")
    if (slash == 0)
        return "{\"" text "\", \"" text "\"}"
    return "{\"" substr(text, slash + 1) "\", \"" substr(text, 1, slash - 1) "\"}"
}

BEGIN { print "/* Made by tables.awk of a file of words. */\n#include \"agents/english/vocabulary.h\"\n" }

/^#/ || NF == 0 { next }

/^\[[a-z]+\]$/ {
    close_section()
    section = substr($0, 2, length($0) - 2)
    lines = 0
    if (section == "synonyms")
        print "const struct vocabulary_word vocabulary_synonyms[][VOCABULARY_GROUP] = {"
    else if (is_near(section))
        print "const char *const vocabulary_" section "[][VOCABULARY_GROUP] = {"
    else if (is_pairs(section))
        print "const char *const vocabulary_" section "[][2] = {"
    else {
        print "static const char *const " section "[] = {"
        lists[++list_count] = section
    }
    next
}

!/^[a-z0-9\/ -]+$/ { fail("expected words of small letters, got '" $0 "'") }
section == "" { fail("expected a section first, such as [synonyms]") }

section == "synonyms" {
    if (NF < 2 || NF > 7)
        fail("expected 2 to 7 words that mean the same, got " NF)
    row = word_of($1)
    for (i = 2; i <= NF; i++)
        row = row ", " word_of($i)
    print "    {" row "},"
    lines++
    next
}

is_near(section) {
    if (NF < 2 || NF > 7)
        fail("expected a word and 1 to 6 names, got " NF)
    row = "\"" $1 "\""
    for (i = 2; i <= NF; i++)
        row = row ", \"" $i "\""
    print "    {" row "},"
    lines++
    next
}

is_pairs(section) {
    if (NF != 2)
        fail("expected a pair of words, got " NF)
    print "    {\"" $1 "\", \"" $2 "\"},"
    lines++
    next
}

{
    for (i = 1; i <= NF; i++)
        print "    \"" $i "\","
}

END {
    if (failed)
        exit 1
    close_section()
    print "\nconst char *const *const vocabulary_lists[VOCABULARY_LISTS] = {"
    for (i = 1; i <= list_count; i++)
        print "    [VOCABULARY_" toupper(lists[i]) "] = " lists[i] ","
    print "};"
}
