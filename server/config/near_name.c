/* SPDX-License-Identifier: MIT */
/* server/config/near_name.c - an edit distance, and the fewest mistakes so far.
 *
 * Failure: none; a name over NAME_BYTES is compared by its beginning. */
#include "server/config/near_name.h"

enum { NAME_BYTES = 64, LEAST_BEGINNING = 2 };

static size_t least(size_t a, size_t b, size_t c)
{
    return size_min(size_min(a, b), c);
}

/* How many letters are added, left out, changed or swapped with their neighbour between a and b
 * (optimal string alignment); three rows of the table are kept. */
static size_t count_mistakes(struct str a, struct str b)
{
    size_t rows[3][NAME_BYTES + 1];
    a = str_slice(a, 0, size_min(a.len, NAME_BYTES));
    b = str_slice(b, 0, size_min(b.len, NAME_BYTES));
    for (size_t j = 0; j <= b.len; j++)
        rows[0][j] = j;
    for (size_t i = 1; i <= a.len; i++) {
        size_t *row = rows[i % 3], *above = rows[(i + 2) % 3], *higher = rows[(i + 1) % 3];
        row[0] = i;
        for (size_t j = 1; j <= b.len; j++) {
            bool same = a.at[i - 1] == b.at[j - 1];
            row[j] = least(row[j - 1] + 1, above[j] + 1, above[j - 1] + (same ? 0 : 1));
            if (i > 1 && j > 1 && a.at[i - 1] == b.at[j - 2] && a.at[i - 2] == b.at[j - 1])
                row[j] = size_min(row[j], higher[j - 2] + 1);
        }
    }
    return rows[a.len % 3][b.len];
}

void near_name_begin(struct near_name *near, struct str name, size_t most_mistakes)
{
    *near = (struct near_name){.name = name, .fewest = most_mistakes + 1};
}

void near_name_try(struct near_name *near, const char *candidate)
{
    size_t mistakes = count_mistakes(near->name, str_of(candidate));
    if (mistakes < near->fewest) {
        near->fewest = mistakes;
        near->found = candidate;
    }
}

static struct str without_dashes(struct str word)
{
    while (word.len > 0 && word.at[0] == '-')
        word = str_from(word, 1);
    return word;
}

/* How many mistakes a word of a command line may have: one of two letters, three of nine or more,
 * else two; dashes in front do not count. */
static size_t allowed_in(struct str word)
{
    size_t len = without_dashes(word).len;
    return len < 3 ? len / 2 : len < 9 ? 2 : 3;
}

const char *near_name_of(struct str word, const char *const *names, size_t count)
{
    struct near_name near;
    near_name_begin(&near, word, allowed_in(word));
    for (size_t i = 0; i < count; i++)
        near_name_try(&near, names[i]);
    for (size_t i = 0; near.found == NULL && i < count; i++)
        if (without_dashes(word).len >= LEAST_BEGINNING && str_starts_with(str_of(names[i]), word))
            near.found = names[i];
    return near.found;
}
