/* SPDX-License-Identifier: MIT */
/* agents/sql_agent/root.c - the first cue of the question that a table or column follows closely.
 *
 * Happy path: "each", "every", "without" and the like mean the table named after them, "how many"
 * and "number of", too; "total", "average" and the like the owner of the column named after them.
 * Failure: no cue, nothing named after it, or no memory: the first table. */
#include "agents/sql_agent/root.h"

#include "core/words/stem.h"

enum { MAX_WORDS = 64, NAME_WORDS = 16, REACH = 4 };

enum cue { CUE_NONE, CUE_EVERY, CUE_ROWS, CUE_COLUMN };

struct reader {
    const struct catalog *catalog;
    const int *tables;
    size_t table_count, count;
    struct arena *arena;
    struct str words[MAX_WORDS];
};

static enum cue cue_at(const struct reader *r, size_t i)
{
    static const struct {
        const char *word, *next;
        enum cue cue;
    } cues[] = {
        {"each", NULL, CUE_EVERY},      {"every", NULL, CUE_EVERY},
        {"including", NULL, CUE_EVERY}, {"how", "many", CUE_ROWS},
        {"number", "of", CUE_ROWS},     {"count", NULL, CUE_ROWS},
        {"total", NULL, CUE_COLUMN},    {"sum", NULL, CUE_COLUMN},
        {"average", NULL, CUE_COLUMN},  {"avg", NULL, CUE_COLUMN},
        {"mean", NULL, CUE_COLUMN},     {"highest", NULL, CUE_COLUMN},
        {"lowest", NULL, CUE_COLUMN},   {"maximum", NULL, CUE_COLUMN},
        {"minimum", NULL, CUE_COLUMN},  {"largest", NULL, CUE_COLUMN},
        {"smallest", NULL, CUE_COLUMN}, {"much", NULL, CUE_COLUMN},
    };
    for (size_t c = 0; c < countof(cues); c++)
        if (str_equal(r->words[i], str_of(cues[c].word)) &&
            (cues[c].next == NULL ||
             (i + 1 < r->count && str_equal(r->words[i + 1], str_of(cues[c].next)))))
            return cues[c].cue;
    return CUE_NONE;
}

/* How many words of the question from i on spell the last words of name; 0: none. */
static size_t names(const struct reader *r, size_t i, struct str name)
{
    struct str parts[NAME_WORDS];
    size_t count = stem_split(r->arena, name, parts, NAME_WORDS);
    for (size_t len = size_min(count, r->count - i); len > 0; len--) {
        size_t same = 0;
        for (; same < len; same++) {
            char one[STEM_BYTES], other[STEM_BYTES];
            if (!str_equal(stem_of(r->words[i + same], one),
                           stem_of(parts[count - len + same], other)))
                break;
        }
        if (same == len)
            return len;
    }
    return 0;
}

/* The table that most words at i name, or CATALOG_NONE; an index in tables. */
static int table_at(const struct reader *r, size_t i)
{
    int best = CATALOG_NONE;
    size_t most = 0;
    for (size_t t = 0; t < r->table_count; t++) {
        size_t len = names(r, i, r->catalog->tables[r->tables[t]].name);
        if (len > most) {
            most = len;
            best = (int)t;
        }
    }
    return best;
}

/* The table with the column that most words at i name; a number's before others. */
static int owner_at(const struct reader *r, size_t i)
{
    int best = CATALOG_NONE;
    size_t most = 0;
    for (size_t t = 0; t < r->table_count; t++) {
        const struct catalog_table *table = &r->catalog->tables[r->tables[t]];
        for (size_t c = 0; c < table->column_count; c++) {
            const struct catalog_column *column = &table->columns[c];
            size_t len = column->hidden ? 0 : 2 * names(r, i, column->name);
            bool counts = column->type == CATALOG_INTEGER || column->type == CATALOG_NUMBER;
            if (len > 0 && len + counts > most) {
                most = len + counts;
                best = (int)t;
            }
        }
    }
    return best;
}

/* What is named within reach of the cue at i. */
static int named_after(const struct reader *r, size_t i, enum cue cue)
{
    for (size_t k = i + 1; k < r->count && k <= i + REACH; k++) {
        int found = cue == CUE_COLUMN ? owner_at(r, k) : CATALOG_NONE;
        if (found == CATALOG_NONE)
            found = table_at(r, k);
        if (found != CATALOG_NONE)
            return found;
    }
    return CATALOG_NONE;
}

/* The first cue that has its object, of the one kind or of the others. */
static bool find(const struct reader *r, bool every, struct sql_agent_root *root)
{
    for (size_t i = 0; i < r->count; i++) {
        enum cue cue = cue_at(r, i);
        int found = CATALOG_NONE;
        if (cue != CUE_NONE && every == (cue == CUE_EVERY))
            found = named_after(r, i, cue);
        if (found == CATALOG_NONE)
            continue;
        *root = (struct sql_agent_root){(size_t)found, every};
        return true;
    }
    return false;
}

struct sql_agent_root sql_agent_root_of(const struct catalog *catalog, struct str question,
                                        const int *tables, size_t count, struct arena *arena)
{
    struct sql_agent_root root = {0, false};
    struct reader r = {.catalog = catalog, .tables = tables, .table_count = count, .arena = arena};
    r.count = stem_split(arena, question, r.words, MAX_WORDS);
    if (!find(&r, true, &root)) /* "each" first, wherever it stands: the rest is measured for it */
        (void)find(&r, false, &root);
    return root;
}
