/* SPDX-License-Identifier: MIT */
/* agents/docs/items.c - ids, fields and texts of passages.
 *
 * Happy path: a chunk is embedded with its document's title and its headings before it, since a
 * section called "Deleting" says little alone; a pair is found by its question.
 * Failure: a record without what its kind needs, a passage larger than a store takes, memory. */
#include "agents/docs/items.h"

#include "agents/docs/owner.h"

static const struct {
    const char *word, *collection;
} kinds[DOCS_KIND_COUNT] = {
    [DOCS_DOCUMENTS] = {"documents", "documents"},
    [DOCS_FINANCIAL] = {"financial", "financial_documents"},
    [DOCS_SQL_PAIRS] = {"sql-pairs", "sql_pairs"},
    [DOCS_METADATA] = {"metadata", "metadata"},
};

bool docs_items_kind(struct str word, enum docs_kind *kind)
{
    for (unsigned i = 0; i < DOCS_KIND_COUNT; i++) {
        if (!str_equal(word, str_of(kinds[i].word)))
            continue;
        *kind = (enum docs_kind)i;
        return true;
    }
    return false;
}

const char *docs_items_kind_name(enum docs_kind kind)
{
    return kinds[kind].word;
}

struct str docs_items_collection(enum docs_kind kind)
{
    return str_of(kinds[kind].collection);
}

/* Two owners' documents of one name are two documents, even in a store that both write to. */
struct str docs_items_id(struct arena *arena, const struct docs_source *source, size_t n)
{
    if (str_is_empty(source->company_id) && str_is_empty(source->user_id))
        return arena_printf(arena, "%.*s#%zu", STR_ARG(source->name), n);
    char room[DOCS_OWNER_BYTES];
    struct str owner = docs_owner_name(source->company_id, source->user_id, room);
    return arena_printf(arena, "%.*s/%.*s#%zu", STR_ARG(owner), STR_ARG(source->name), n);
}

static struct str id_before(struct arena *arena, const struct docs_source *source, size_t n)
{
    char room[DOCS_OWNER_BYTES];
    struct str owner = docs_owner_name_before(source->company_id, source->user_id, room);
    return arena_printf(arena, "%.*s/%.*s#%zu", STR_ARG(owner), STR_ARG(source->name), n);
}

const struct str *docs_items_gone(struct arena *arena, const struct docs_source *source,
                                  size_t kept, size_t had, size_t *count)
{
    bool is_owned = !str_is_empty(source->company_id) || !str_is_empty(source->user_id);
    struct str *ids = arena_array(arena, 2 * had + 1, sizeof *ids);
    *count = 0;
    for (size_t i = kept + 1; ids != NULL && i <= had; i++)
        ids[(*count)++] = docs_items_id(arena, source, i);
    for (size_t i = 1; ids != NULL && is_owned && i <= had; i++)
        ids[(*count)++] = id_before(arena, source, i);
    return arena_ok(arena) ? ids : NULL;
}

struct writing {
    struct arena *arena;
    const struct docs_source *source;
    struct docs_item *items;
    size_t count;
    struct passage_field fields[PASSAGE_MAX_FIELDS];
    size_t field_count;
};

static void add_field(struct writing *writing, struct str name, struct str value)
{
    if (!str_is_empty(value))
        writing->fields[writing->field_count++] = (struct passage_field){name, value};
}

static void begin_fields(struct writing *writing)
{
    writing->field_count = 0;
    add_field(writing, STR("company_id"), writing->source->company_id);
    add_field(writing, STR("user_id"), writing->source->user_id);
    add_field(writing, STR("document"), writing->source->name);
    add_field(writing, STR("ordinal"), arena_printf(writing->arena, "%zu", writing->count + 1));
}

static enum err_code keep(struct writing *writing, struct str text, struct str embedded,
                          size_t line, struct err *err)
{
    struct arena *arena = writing->arena;
    struct passage_field *fields = arena_array(arena, writing->field_count, sizeof *fields);
    size_t bytes = text.len;
    for (size_t i = 0; fields != NULL && i < writing->field_count; i++) {
        fields[i] = writing->fields[i];
        bytes += fields[i].name.len + fields[i].value.len;
    }
    if (bytes > PASSAGE_MAX_TEXT)
        return err_set(err, ERR_INVALID, "record of line %zu: expected at most %d bytes, got %zu",
                       line, PASSAGE_MAX_TEXT, bytes);
    struct str id = docs_items_id(arena, writing->source, writing->count + 1);
    if (fields == NULL || str_is_absent(id))
        return err_set(err, ERR_NO_MEMORY, "no memory for the passages");
    writing->items[writing->count++] =
        (struct docs_item){{id, text, fields, writing->field_count}, embedded};
    return ERR_OK;
}

static enum err_code begin(struct writing *writing, size_t count, struct err *err)
{
    writing->items = arena_array(writing->arena, count + 1, sizeof *writing->items);
    return writing->items != NULL ? ERR_OK
                                  : err_set(err, ERR_NO_MEMORY, "no memory for the passages");
}

/* ---- documents ---- */

/* "Title\nA > B\ntext", without the title where the path begins with it. */
static struct str embedded_of(struct arena *arena, struct str title, const struct docs_chunk *chunk)
{
    if (str_is_empty(title) || str_starts_with(chunk->heading, title))
        return arena_printf(arena, "%.*s\n%.*s", STR_ARG(chunk->heading), STR_ARG(chunk->text));
    return arena_printf(arena, "%.*s\n%.*s\n%.*s", STR_ARG(title), STR_ARG(chunk->heading),
                        STR_ARG(chunk->text));
}

enum err_code docs_items_of_document(struct arena *arena, const struct docs_source *source,
                                     const struct docs_document *document,
                                     const struct docs_item **items, size_t *count, struct err *err)
{
    struct writing writing = {.arena = arena, .source = source};
    const struct docs_chunk *chunks = NULL;
    size_t chunk_count = 0;
    enum err_code code = docs_chunk_document(arena, document, NULL, &chunks, &chunk_count, err);
    if (code == ERR_OK)
        code = begin(&writing, chunk_count, err);
    if (code == ERR_OK && chunk_count == 0)
        code = err_set(err, ERR_INVALID, "there is no text in it");
    for (size_t i = 0; code == ERR_OK && i < chunk_count; i++) {
        begin_fields(&writing);
        add_field(&writing, STR("title"), document->title);
        add_field(&writing, STR("heading"), chunks[i].heading);
        for (size_t j = 0; j < document->field_count; j++)
            add_field(&writing, document->fields[j].name, document->fields[j].value);
        code = keep(&writing, chunks[i].text, embedded_of(arena, document->title, &chunks[i]),
                    i + 1, err);
    }
    *items = writing.items;
    *count = writing.count;
    if (code == ERR_OK && !arena_ok(arena))
        code = err_set(err, ERR_NO_MEMORY, "no memory for the passages");
    return code;
}

/* ---- records ---- */

static enum err_code add_pair(struct writing *writing, const struct docs_record *record,
                              struct err *err)
{
    struct str question = docs_records_get(record, STR("question"));
    struct str sql = docs_records_get(record, STR("sql"));
    if (str_is_empty(str_trim(question)) || str_is_empty(str_trim(sql)))
        return err_set(err, ERR_INVALID, "line %zu: expected a 'question' and its 'sql'",
                       record->line);
    begin_fields(writing);
    add_field(writing, STR("sql"), sql);
    add_field(writing, STR("explanation"), docs_records_get(record, STR("explanation")));
    return keep(writing, question, question, record->line, err);
}

static enum err_code add_metadata(struct writing *writing, const struct docs_record *record,
                                  struct err *err)
{
    static const char *const names[] = {"text", "says", "description"};
    struct str text = {NULL, 0}, term = docs_records_get(record, STR("term"));
    for (size_t i = 0; i < countof(names) && str_is_empty(text); i++)
        text = str_trim(docs_records_get(record, str_of(names[i])));
    if (str_is_empty(text))
        return err_set(err, ERR_INVALID, "line %zu: expected a 'text' (or 'says', 'description')",
                       record->line);
    struct str table = docs_records_get(record, STR("table"));
    struct str column = docs_records_get(record, STR("column"));
    begin_fields(writing);
    add_field(writing, STR("term"), term);
    add_field(writing, STR("table"), table);
    add_field(writing, STR("column"), column);
    struct str embedded = arena_printf(writing->arena, "%.*s %.*s %.*s\n%.*s", STR_ARG(term),
                                       STR_ARG(table), STR_ARG(column), STR_ARG(text));
    return keep(writing, text, embedded, record->line, err);
}

enum err_code docs_items_of_records(struct arena *arena, const struct docs_source *source,
                                    const struct docs_record *records, size_t record_count,
                                    const struct docs_item **items, size_t *count, struct err *err)
{
    struct writing writing = {.arena = arena, .source = source};
    enum err_code code = begin(&writing, record_count, err);
    for (size_t i = 0; code == ERR_OK && i < record_count; i++)
        code = source->kind == DOCS_SQL_PAIRS ? add_pair(&writing, &records[i], err)
                                              : add_metadata(&writing, &records[i], err);
    *items = writing.items;
    *count = writing.count;
    if (code == ERR_OK && !arena_ok(arena))
        code = err_set(err, ERR_NO_MEMORY, "no memory for the passages");
    return code;
}
