/* SPDX-License-Identifier: MIT */
/* agents/lexicon/notation.c - count what columns begin with, by type.
 *
 * Happy path: few short beginnings, each of one type and in several tables, are those of nearly all
 * columns. Failure: no memory. */
#include "agents/lexicon/notation.h"

#include "core/words/stem.h"

enum {
    LETTERS = 4,     /* of a prefix, at most */
    CANDIDATES = 64, /* beginnings that are counted; a notation has fewer */
    COLUMNS_LEAST = 10,
    OF = 5, /* all columns but one in so many have such a prefix */
    WORDS = 8
};

struct candidate {
    struct str prefix;
    enum catalog_type type;
    size_t columns, tables;
    int last_table;
    bool mixed; /* columns of several types begin so */
};

struct census {
    struct candidate candidates[CANDIDATES];
    size_t count, columns; /* columns: of two words or more */
};

/* Numbers are one type, and so are days and times. */
static enum catalog_type coarse(enum catalog_type type)
{
    return type == CATALOG_NUMBER      ? CATALOG_INTEGER
           : type == CATALOG_TIMESTAMP ? CATALOG_DATE
                                       : type;
}

static void note(struct census *census, int table, struct str prefix, enum catalog_type type)
{
    size_t i = 0;
    while (i < census->count && !str_equal(census->candidates[i].prefix, prefix))
        i++;
    if (i == CANDIDATES)
        return;
    struct candidate *c = &census->candidates[i];
    if (i == census->count) {
        *c = (struct candidate){.prefix = prefix, .type = type, .last_table = CATALOG_NONE};
        census->count++;
    }
    c->columns++;
    c->tables += c->last_table != table;
    c->last_table = table;
    c->mixed = c->mixed || c->type != type;
}

static bool is_notation(const struct candidate *c)
{
    return !c->mixed && c->tables > 1;
}

bool lexicon_notation_find(struct arena *arena, const struct catalog *catalog,
                           struct lexicon_notation *notation)
{
    struct census census = {.count = 0};
    size_t found = 0, kinds = 0;
    *notation = (struct lexicon_notation){.count = 0};
    for (size_t t = 0; t < catalog->table_count; t++)
        for (size_t c = 0; c < catalog->tables[t].column_count; c++) {
            struct str words[WORDS];
            const struct catalog_column *column = &catalog->tables[t].columns[c];
            size_t n = stem_split(arena, column->name, words, WORDS);
            census.columns += n > 1;
            if (n > 1 && words[0].len <= LETTERS)
                note(&census, (int)t, words[0], coarse(column->type));
        }
    for (size_t i = 0; i < census.count; i++) {
        found += is_notation(&census.candidates[i]) ? census.candidates[i].columns : 0;
        bool known = !is_notation(&census.candidates[i]);
        for (size_t k = 0; k < i && !known; k++)
            known = is_notation(&census.candidates[k]) &&
                    census.candidates[k].type == census.candidates[i].type;
        kinds += !known;
    }
    if (census.columns < COLUMNS_LEAST || kinds < 2 || found * OF < census.columns * (OF - 1))
        return arena_ok(arena);
    /* once there are such prefixes, a short one that a single table has is one, too */
    for (size_t i = 0; i < census.count && notation->count < NOTATION_PREFIXES; i++)
        if (is_notation(&census.candidates[i]) ||
            (!census.candidates[i].mixed && census.candidates[i].prefix.len < LETTERS))
            notation->prefixes[notation->count++] = census.candidates[i].prefix;
    return arena_ok(arena);
}

struct str lexicon_notation_rest(const struct lexicon_notation *notation, struct str name)
{
    for (size_t i = 0; i < notation->count; i++) {
        struct str prefix = notation->prefixes[i];
        if (name.len <= prefix.len || !str_equal_nocase(str_slice(name, 0, prefix.len), prefix))
            continue;
        struct str rest = str_from(name, prefix.len);
        if (rest.at[0] == '_' && rest.len > 1)
            return str_from(rest, 1);
        if (rest.at[0] >= 'A' && rest.at[0] <= 'Z')
            return rest;
    }
    return name;
}
