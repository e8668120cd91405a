# names.awk - names.txt as the table of spellings.h: awk -f names.awk names.txt > table.c
#
# Failure: a line of another shape ends it with 1, named.

BEGIN {
    print "/* Made by names.awk of a file of words. */\n#include \"agents/english/spellings.h\"\n"
    print "const struct english_spelling spellings_table[] = {"
}

/^#/ || NF == 0 { next }
/^\[[a-z.]+\]$/ { section = substr($0, 2, length($0) - 2); next }

section ~ /(says|lacks)$/ && !/["\\]/ {
    print "    {\"" section "\", \"" $0 "\", \"\"},"
    next
}

section == "" || !/^[a-z0-9 -]+$/ {
    print FILENAME ":" FNR ": expected a section and words of small letters, got '" $0 "'" > "/dev/stderr"
    failed = 1
    exit 1
}

# Sections of single words: each is an entry without a meaning.
section ~ /(nouns|affixes|flags|joints|articles|backward|questions)$/ {
    for (i = 1; i <= NF; i++)
        print "    {\"" section "\", \"" $i "\", \"\"},"
    next
}

NF < 2 {
    print FILENAME ":" FNR ": expected a word and what it stands for" > "/dev/stderr"
    failed = 1
    exit 1
}

{
    meaning = $2
    for (i = 3; i <= NF; i++)
        meaning = meaning " " $i
    print "    {\"" section "\", \"" $1 "\", \"" meaning "\"},"
}

END {
    if (failed)
        exit 1
    print "    {NULL, NULL, NULL},\n};"
}
