# scales.awk - scales.txt as the table of scale_table.h: awk -f scales.awk scales.txt > table.c
#
# Failure: a line of another shape ends it with 1, named.

BEGIN {
    print "/* Made by scales.awk of a file of words. */\n#include \"core/words/scale_table.h\"\n"
    print "const struct scale_word scale_table[] = {"
}

/^#/ || NF == 0 { next }

NF != 2 || $2 !~ /^1e[0-9]+$/ || $1 ~ /["\\]/ {
    print FILENAME ":" FNR ": expected a word and what it stands for, such as 1e3" > "/dev/stderr"
    failed = 1
    exit 1
}

{
    print "    {\"" $1 "\", " $2 "},"
    lines++
}

END {
    if (failed)
        exit 1
    print "};\nconst size_t scale_table_count = " lines ";"
}
