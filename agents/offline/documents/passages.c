/* SPDX-License-Identifier: MIT */
/* agents/offline/documents/passages.c - splits at lines "[n] ..." with the next number, each of
 * which begins a passage.
 *
 * Failure: lines before the first such line belong to no passage. */
#include "agents/offline/documents/passages.h"

/* "[2] core.md, Manual > Overtime" of a line; 0: it is no such line. */
static size_t read_number(struct str line, struct str *heading)
{
    uint64_t number;
    ptrdiff_t end = str_find_char(line, ']');
    if (line.len < 4 || line.at[0] != '[' || end == STR_NONE ||
        !str_to_u64(str_slice(line, 1, (size_t)end), &number))
        return 0;
    *heading = str_trim(str_from(line, (size_t)end + 1));
    ptrdiff_t comma = str_find(*heading, STR(", "));
    if (comma != STR_NONE)
        *heading = str_from(*heading, (size_t)comma + 2);
    return (size_t)number;
}

size_t offline_passages_split(struct str context, struct offline_passage *passages)
{
    struct offline_passage *passage = NULL;
    size_t count = 0;
    while (!str_is_absent(context)) {
        struct str line = str_split(&context, '\n'), heading;
        size_t number = read_number(line, &heading);
        if (number == count + 1 && count < OFFLINE_MAX_PASSAGES) {
            passage = &passages[count++];
            *passage = (struct offline_passage){heading, str_make(line.at + line.len, 0), number};
        } else if (passage != NULL) {
            struct str *text = &passage->text;
            *text = str_make(text->at, (size_t)(line.at + line.len - text->at));
        }
    }
    return count;
}
