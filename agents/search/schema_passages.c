/* SPDX-License-Identifier: MIT */
/* agents/search/schema_passages.c - names into words, words into other words, values into lists.
 *
 * Happy path: the lexicon's values are dealt out to their columns, a few each; then every table's
 * texts are written one after the other. Which values stay is decided by their hashes, so that the
 * same ones stay however the database orders them.
 * Failure: no memory, or more text than ARENA_BYTES: none are made. */
#include "agents/search/schema_passages.h"

#include <inttypes.h>
#include <stdlib.h>

#include "agents/lexicon/index.h"
#include "agents/english/synonyms.h"
#include "agents/sql/guard/tenancy.h"
#include "agents/search/rank.h"
#include "core/base/mem.h"
#include "core/words/stem.h"

enum { ARENA_BYTES = 64 << 20, SCRATCH_BYTES = 256 << 20, TEXT_BYTES = 8 << 10, NAME_WORDS = 16 };
enum { SAMPLE_VALUES = 12, OTHER_WORDS = 32 };

struct schema_passages {
    struct arena arena;
    struct schema_passage *all;
    size_t count, cap;
    struct str id, version;
};

struct sample { /* of a column's values */
    struct str values[SAMPLE_VALUES];
    size_t count;
};

struct writing {
    const struct schema_passages_of *of;
    struct schema_passages *passages;
    struct arena scratch;     /* samples, split names */
    struct sample ***samples; /* by table and column; NULL: none */
    struct buf text;
    uint64_t id, version;
    bool is_short; /* of memory */
};

/* ---- values ---- */

/* Whether everybody may see what the table holds. */
static bool is_everybodys(const struct schema_passages_of *of, int table)
{
    struct sql_tenancy tenancy;
    return of->catalog->tables[table].secure_view == CATALOG_NONE &&
           sql_tenancy_find((struct sql_visible){of->policy, of->catalog}, table, &tenancy) &&
           !tenancy.filters;
}

static void deal_out(struct sample *sample, struct str value)
{
    size_t last = 0;
    for (size_t i = 0; i < sample->count; i++) {
        if (str_equal(sample->values[i], value))
            return;
        if (str_hash(sample->values[i]) > str_hash(sample->values[last]))
            last = i;
    }
    if (sample->count < SAMPLE_VALUES)
        sample->values[sample->count++] = value;
    else if (str_hash(value) < str_hash(sample->values[last]))
        sample->values[last] = value;
}

static void deal_out_entry(struct writing *writing, const struct lexicon_link *link)
{
    const struct catalog *catalog = writing->of->catalog;
    struct sample ***of_table = &writing->samples[link->table];
    if (*of_table == NULL)
        *of_table = arena_array(&writing->scratch, catalog->tables[link->table].column_count,
                                sizeof **of_table);
    if (*of_table == NULL)
        return;
    struct sample **sample = &(*of_table)[link->column];
    if (*sample == NULL)
        *sample = arena_alloc(&writing->scratch, sizeof **sample);
    if (*sample != NULL)
        deal_out(*sample, link->value);
}

static void deal_out_values(struct writing *writing)
{
    size_t cursor = 0;
    struct map_entry found;
    const struct schema_passages_of *of = writing->of;
    bool *is_open = arena_array(&writing->scratch, of->catalog->table_count + 1, sizeof *is_open);
    writing->samples =
        arena_array(&writing->scratch, of->catalog->table_count + 1, sizeof *writing->samples);
    if (of->lexicon == NULL || is_open == NULL || writing->samples == NULL)
        return;
    for (size_t i = 0; i < of->catalog->table_count; i++)
        is_open[i] = is_everybodys(of, (int)i);
    while (map_next(&of->lexicon->values, &cursor, &found))
        for (const struct offline_entry *e = found.value; e != NULL; e = e->next)
            if (is_open[e->link.table])
                deal_out_entry(writing, &e->link);
}

static int by_text(const void *a, const void *b)
{
    return str_compare(*(const struct str *)a, *(const struct str *)b);
}

/* ---- texts ---- */

/* A name as words: "workOrder" is asked for as a work order. */
static void push_words(struct writing *writing, struct str name)
{
    struct str words[NAME_WORDS];
    size_t count = stem_split(&writing->scratch, name, words, NAME_WORDS);
    for (size_t i = 0; i < count; i++)
        buf_printf(&writing->text, "%s%.*s", i > 0 ? " " : "", STR_ARG(words[i]));
}

static void push_comment(struct buf *out, struct str comment)
{
    if (!str_is_empty(comment))
        buf_printf(out, " (%.*s)", STR_ARG(comment));
}

static const struct catalog_table *read_of(const struct catalog *catalog, size_t table)
{
    const struct catalog_table *named = &catalog->tables[table];
    return named->secure_view == CATALOG_NONE ? named : &catalog->tables[named->secure_view];
}

/* The name twice: it says most. */
static void write_columns(struct writing *writing, size_t table)
{
    const struct catalog *catalog = writing->of->catalog;
    const struct catalog_table *named = &catalog->tables[table], *read = read_of(catalog, table);
    struct buf *out = &writing->text;
    size_t shown = 0;
    catalog_push_name(catalog, (int)table, out);
    buf_push(out, STR(": "));
    push_words(writing, named->name);
    push_comment(out, named->comment);
    buf_push(out, STR(". Columns: "));
    for (size_t i = 0; i < read->column_count && buf_len(out) < TEXT_BYTES; i++) {
        if (read->columns[i].hidden)
            continue;
        buf_push(out, shown++ > 0 ? STR(", ") : STR(""));
        push_words(writing, read->columns[i].name);
        push_comment(out, read->columns[i].comment);
    }
}

struct others { /* words that stand for those of a name */
    struct str words[OTHER_WORDS];
    size_t count;
};

static void add_others(struct writing *writing, struct str name, struct others *others)
{
    struct str words[NAME_WORDS], group[OTHER_WORDS];
    size_t count = stem_split(&writing->scratch, name, words, NAME_WORDS);
    for (size_t i = 0; i < count; i++) {
        char room[STEM_BYTES];
        struct str stem = stem_of(words[i], room);
        size_t found = english_synonyms_is_general(stem)
                           ? 0
                           : english_synonyms_group(stem, group, OTHER_WORDS);
        for (size_t j = 0; j < found && others->count < OTHER_WORDS; j++) {
            bool is_known = str_equal(group[j], words[i]);
            for (size_t k = 0; k < others->count; k++)
                is_known = is_known || str_equal(others->words[k], group[j]);
            if (!is_known)
                others->words[others->count++] = group[j];
        }
    }
}

static void write_others(struct writing *writing, struct str name, const struct others *others)
{
    push_words(writing, name);
    for (size_t i = 0; i < others->count; i++)
        buf_printf(&writing->text, "%s%.*s", i > 0 ? ", " : ", also: ", STR_ARG(others->words[i]));
}

static void write_values(struct writing *writing, size_t table, size_t column,
                         struct sample *sample)
{
    const struct catalog_table *named = &writing->of->catalog->tables[table];
    qsort(sample->values, sample->count, sizeof sample->values[0], by_text);
    push_words(writing, named->name);
    buf_push_char(&writing->text, ' ');
    push_words(writing, named->columns[column].name);
    for (size_t i = 0; i < sample->count; i++)
        buf_printf(&writing->text, "%s%.*s", i > 0 ? ", " : ": ", STR_ARG(sample->values[i]));
}

/* ---- passages ---- */

/* The text written last becomes a passage. */
static void keep(struct writing *writing, struct str key, struct str table)
{
    struct schema_passages *passages = writing->passages;
    struct str text = arena_str(&passages->arena, buf_str(&writing->text));
    buf_clear(&writing->text);
    writing->version = (writing->version ^ str_hash(text)) * UINT64_C(0x100000001B3);
    if (passages->count == passages->cap) {
        size_t cap = passages->cap * 2 + 16;
        struct schema_passage *all = mem_resize(passages->all, cap * sizeof *all);
        if (all == NULL) {
            writing->is_short = true;
            return;
        }
        passages->all = all;
        passages->cap = cap;
    }
    passages->all[passages->count++] =
        (struct schema_passage){.key = key, .table = table, .text = text};
}

/* A reference's name is the other table's. */
static bool speaks_of_another(const struct catalog *catalog, const struct catalog_table *table,
                              size_t column)
{
    int at = (int)(table - catalog->tables);
    return lexicon_index_reference(catalog, at, (int)column) != NULL;
}

/* Other words for the table, and for its columns, where there are some. */
static void keep_others(struct writing *writing, size_t table, struct str name)
{
    struct arena *arena = &writing->passages->arena;
    const struct catalog_table *named = &writing->of->catalog->tables[table];
    const struct catalog_table *read = read_of(writing->of->catalog, table);
    struct others of_name = {.count = 0}, of_columns = {.count = 0};
    add_others(writing, named->name, &of_name);
    for (size_t i = 0; i < read->column_count; i++)
        if (!read->columns[i].hidden && !speaks_of_another(writing->of->catalog, read, i))
            add_others(writing, read->columns[i].name, &of_columns);
    if (of_name.count > 0) {
        write_others(writing, named->name, &of_name);
        keep(writing, arena_printf(arena, "%zu+", table), name);
    }
    if (of_columns.count > 0) {
        write_others(writing, named->name, &of_columns);
        keep(writing, arena_printf(arena, "%zu++", table), name);
    }
}

static void make_of_table(struct writing *writing, size_t table)
{
    struct arena *arena = &writing->passages->arena;
    catalog_push_name(writing->of->catalog, (int)table, &writing->text);
    struct str name = arena_str(arena, buf_str(&writing->text));
    buf_clear(&writing->text);
    write_columns(writing, table);
    writing->id = (writing->id ^ str_hash(buf_str(&writing->text))) * UINT64_C(0x100000001B3);
    keep(writing, arena_printf(arena, "%zu", table), name);
    keep_others(writing, table, name);
    struct sample **samples = writing->samples == NULL ? NULL : writing->samples[table];
    for (size_t i = 0; samples != NULL && i < writing->of->catalog->tables[table].column_count; i++)
        if (samples[i] != NULL) {
            write_values(writing, table, i, samples[i]);
            keep(writing, arena_printf(arena, "%zu.%zu", table, i), name);
        }
}

struct schema_passages *schema_passages_create(const struct schema_passages_of *of)
{
    struct schema_passages *passages = mem_zalloc(1, sizeof *passages);
    struct writing writing = {.of = of, .passages = passages, .id = of->catalog->table_count};
    if (passages == NULL)
        return NULL;
    arena_init(&passages->arena, ARENA_BYTES);
    arena_init(&writing.scratch, SCRATCH_BYTES);
    buf_init(&writing.text, 1 << 20);
    deal_out_values(&writing);
    for (size_t i = 0; i < of->catalog->table_count; i++)
        if (search_rank_is_visible(&of->catalog->tables[i]))
            make_of_table(&writing, i);
    passages->id = arena_printf(&passages->arena, "%016" PRIx64, writing.id);
    passages->version = arena_printf(&passages->arena, "%016" PRIx64, writing.version);
    bool is_made = !writing.is_short && arena_ok(&passages->arena) && arena_ok(&writing.scratch) &&
                   buf_ok(&writing.text);
    buf_fini(&writing.text);
    arena_fini(&writing.scratch);
    if (is_made)
        return passages;
    schema_passages_destroy(passages);
    return NULL;
}

void schema_passages_destroy(struct schema_passages *passages)
{
    if (passages == NULL)
        return;
    arena_fini(&passages->arena);
    mem_free(passages->all);
    mem_free(passages);
}

struct str schema_passages_id(const struct schema_passages *passages)
{
    return passages->id;
}

struct str schema_passages_version(const struct schema_passages *passages)
{
    return passages->version;
}

size_t schema_passages_count(const struct schema_passages *passages)
{
    return passages->count;
}

const struct schema_passage *schema_passages_get(const struct schema_passages *passages, size_t at)
{
    return &passages->all[at];
}
