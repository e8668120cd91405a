/* SPDX-License-Identifier: MIT */
/* backends/text_pg_wire.c - passages as JSON, words as a tsquery, rows as hits.
 *
 * Happy path: what is indexed and what is looked for pass through the same folding, so that both
 * meet; a query is the OR of its words, which hold letters and digits only. Failure: no memory; a
 * request that passage_check refuses; rows that are not ours. */
#include "backends/text_pg_wire.h"

#include <stdio.h>

#include "backends/passage_check.h"
#include "backends/passage_json.h"
#include "backends/text_words.h"
#include "core/base/fold.h"
#include "core/base/mem.h"

enum { QUERY_BYTES = 64 << 10, FILTERS_BYTES = 16 << 20, CHANGE_BYTES = 256 << 20 };
enum { COLUMN_ID, COLUMN_BODY, COLUMN_FIELDS, COLUMN_SCORE, COLUMNS };

/* Under a lock of the transaction, since two may come first; its number is arbitrary. */
static const char lock_text[] = "SELECT pg_advisory_xact_lock(6100271734)";
static const char make_text[] =
    "DO $$ BEGIN IF to_regclass('askd_text') IS NULL THEN"
    " CREATE TEXT SEARCH DICTIONARY askd_stem (TEMPLATE = snowball, Language = english);"
    " CREATE TEXT SEARCH CONFIGURATION askd_words (COPY = simple);"
    " ALTER TEXT SEARCH CONFIGURATION askd_words ALTER MAPPING FOR"
    " asciiword, word, asciihword, hword, hword_asciipart, hword_part WITH askd_stem;"
    " CREATE TABLE askd_text (collection text NOT NULL, id text COLLATE \"C\" NOT NULL,"
    " body text NOT NULL, fields jsonb NOT NULL, words tsvector NOT NULL,"
    " PRIMARY KEY (collection, id));"
    " CREATE INDEX askd_text_words ON askd_text USING gin (words);"
    " END IF; END $$";
static const char upsert_text[] =
    "INSERT INTO askd_text SELECT DISTINCT ON (p->>'id') $1, p->>'id', p->>'body', p->'fields',"
    " setweight(to_tsvector('askd_words', p->>'heading'), 'A') ||"
    " setweight(to_tsvector('askd_words', p->>'words'), 'D')"
    " FROM jsonb_array_elements($2::jsonb) WITH ORDINALITY AS list(p, n)"
    " ORDER BY p->>'id', n DESC"
    " ON CONFLICT (collection, id) DO UPDATE SET body = excluded.body, fields = excluded.fields,"
    " words = excluded.words";
static const char remove_text[] = "DELETE FROM askd_text WHERE collection = $1 AND id IN"
                                  " (SELECT jsonb_array_elements_text($2::jsonb))";

/* ---- parameters ---- */

static void put_param(struct pg_conn_param *param, struct arena *arena, struct buf *text)
{
    struct str bytes = buf_str(text);
    param->value = buf_ok(text) ? arena_cstr(arena, bytes) : NULL;
    arena->exhausted = arena->exhausted || param->value == NULL;
    buf_fini(text);
}

static void put_strings(struct pg_conn_param *param, struct arena *arena, const struct str *strings,
                        size_t count)
{
    struct buf text;
    struct json_write json;
    buf_init(&text, FILTERS_BYTES);
    json_write_init(&json, &text);
    json_write_array(&json);
    for (size_t i = 0; i < count; i++)
        json_write_str(&json, strings[i]);
    json_write_array_end(&json);
    put_param(param, arena, &text);
}

/* " AND $n::jsonb ? coalesce(fields->>$m,'')" for each; params are at from and on. */
static void push_filters(struct buf *text, struct arena *arena, struct pg_conn_param *params,
                         size_t from, const struct passage_filter *filters, size_t count)
{
    for (size_t i = 0; i < count; i++) {
        buf_printf(text, " AND $%zu::jsonb ? coalesce(fields->>$%zu, '')", from + 2 * i + 1,
                   from + 2 * i + 2);
        put_strings(&params[from + 2 * i], arena, filters[i].values, filters[i].value_count);
        params[from + 2 * i + 1].value = arena_cstr(arena, filters[i].name);
    }
}

static void add(struct pg_task *task, const char *text, const struct pg_conn_param *params,
                size_t count)
{
    task->statements[task->count++] = (struct pg_task_statement){text, params, count};
}

static enum err_code check_memory(struct pg_task *task, struct arena *arena, struct err *err)
{
    for (size_t i = 0; i < task->count; i++)
        if (task->statements[i].text == NULL)
            arena->exhausted = true;
    return arena_ok(arena) ? ERR_OK : err_set(err, ERR_NO_MEMORY, "no memory to ask PostgreSQL");
}

/* ---- folding ---- */

/* Words of letters and digits with single blanks between; a character of a script without blanks is
 * a word of its own. */
static void push_folded(struct buf *out, struct str text)
{
    bool is_apart = true;
    for (struct fold_char c = fold_next(&text); c.kind != FOLD_END; c = fold_next(&text)) {
        bool is_sign = c.kind == FOLD_SIGN;
        if (c.len == 0 && !is_sign)
            continue;
        if ((is_sign || c.kind == FOLD_IDEOGRAPH) && !is_apart)
            buf_push_char(out, ' ');
        if (!is_sign)
            buf_push(out, str_make(c.text, c.len));
        is_apart = is_sign;
        if (c.kind == FOLD_IDEOGRAPH) {
            buf_push_char(out, ' ');
            is_apart = true;
        }
    }
}

static void write_folded(struct json_write *json, struct buf *scratch, struct str key,
                         struct str text)
{
    buf_clear(scratch);
    push_folded(scratch, text);
    json_write_member_str(json, key, buf_str(scratch));
}

/* 'over' | 'time'; empty: nothing to look for. */
static void push_tsquery(struct buf *out, struct str typed)
{
    struct str words[TEXT_WORDS_MAX];
    size_t count = text_words_split(typed, words);
    struct buf folded;
    buf_init(&folded, QUERY_BYTES);
    for (size_t i = 0; i < count; i++) {
        push_folded(&folded, words[i]);
        buf_push_char(&folded, ' ');
    }
    for (struct str rest = buf_str(&folded); !str_is_absent(rest);) {
        struct str word = str_split(&rest, ' ');
        if (word.len > 0)
            buf_printf(out, "%s'%.*s'", buf_len(out) == 0 ? "" : " | ", STR_ARG(word));
    }
    out->failed = out->failed || !buf_ok(&folded);
    buf_fini(&folded);
}

/* ---- requests ---- */

enum err_code text_pg_wire_search(struct pg_task *task, struct arena *arena,
                                  const struct text_query *query, struct err *err)
{
    struct buf text;
    char limit[24];
    task->count = 0;
    if (passage_check_text_query(query, err) != ERR_OK)
        return err->code;
    buf_init(&text, QUERY_BYTES);
    push_tsquery(&text, query->words);
    if ((buf_ok(&text) && buf_len(&text) == 0) ||
        passage_passes_none(query->filters, query->filter_count)) {
        buf_fini(&text);
        return ERR_OK;
    }
    struct pg_conn_param *params = arena_array(arena, 3 + 2 * PASSAGE_MAX_FILTERS, sizeof *params);
    if (params == NULL) {
        buf_fini(&text);
        return err_set(err, ERR_NO_MEMORY, "no memory to ask PostgreSQL");
    }
    params[0].value = arena_cstr(arena, query->collection);
    put_param(&params[1], arena, &text);
    snprintf(limit, sizeof limit, "%zu", query->top_k);
    params[2].value = arena_cstr(arena, str_of(limit));
    buf_push(&text,
             STR("SELECT id, body, fields, ts_rank_cd('{0.25,0.25,0.25,1}', words, q)::float8"
                 " AS score FROM askd_text, to_tsquery('askd_words', $2) AS q"
                 " WHERE collection = $1 AND words @@ q"));
    push_filters(&text, arena, params, 3, query->filters, query->filter_count);
    buf_push(&text, STR(" ORDER BY score DESC, id LIMIT $3::int8"));
    const char *statement = buf_ok(&text) ? arena_cstr(arena, buf_str(&text)) : NULL;
    buf_fini(&text);
    add(task, statement, params, 3 + 2 * query->filter_count);
    return check_memory(task, arena, err);
}

static void put_passages(struct pg_conn_param *param, struct arena *arena,
                         const struct passage *passages, size_t count)
{
    struct buf text, scratch;
    struct json_write json;
    buf_init(&text, CHANGE_BYTES);
    buf_init(&scratch, 4 * PASSAGE_MAX_TEXT);
    json_write_init(&json, &text);
    json_write_array(&json);
    for (size_t i = 0; i < count; i++) {
        const struct passage *passage = &passages[i];
        json_write_object(&json);
        json_write_member_str(&json, STR("id"), passage->id);
        json_write_member_str(&json, STR("body"), passage->text);
        write_folded(&json, &scratch, STR("words"), passage->text);
        write_folded(&json, &scratch, STR("heading"), passage_get(passage, STR("heading")));
        json_write_key(&json, STR("fields"));
        passage_json_write_fields(&json, passage->fields, passage->field_count);
        json_write_object_end(&json);
    }
    json_write_array_end(&json);
    text.failed = text.failed || !buf_ok(&scratch);
    buf_fini(&scratch);
    put_param(param, arena, &text);
}

enum err_code text_pg_wire_change(struct pg_task *task, struct arena *arena,
                                  const struct text_change *change, struct err *err)
{
    task->count = 0;
    if (passage_check_text_change(change, err) != ERR_OK)
        return err->code;
    bool filters = change->remove_filter_count > 0 &&
                   !passage_passes_none(change->remove_filters, change->remove_filter_count);
    if (change->upsert_count == 0 && change->remove_count == 0 && !filters)
        return ERR_OK;
    struct pg_conn_param *ids = arena_array(arena, 2, sizeof *ids),
                         *passages = arena_array(arena, 2, sizeof *passages),
                         *choices =
                             arena_array(arena, 1 + 2 * PASSAGE_MAX_FILTERS, sizeof *choices);
    if (!arena_ok(arena))
        return check_memory(task, arena, err);
    ids[0].value = passages[0].value = choices[0].value = arena_cstr(arena, change->collection);
    add(task, lock_text, NULL, 0);
    add(task, make_text, NULL, 0);
    if (change->remove_count > 0) {
        put_strings(&ids[1], arena, change->remove_ids, change->remove_count);
        add(task, remove_text, ids, 2);
    }
    if (filters) {
        struct buf text;
        buf_init(&text, QUERY_BYTES);
        buf_push(&text, STR("DELETE FROM askd_text WHERE collection = $1"));
        push_filters(&text, arena, choices, 1, change->remove_filters, change->remove_filter_count);
        add(task, buf_ok(&text) ? arena_cstr(arena, buf_str(&text)) : NULL, choices,
            1 + 2 * change->remove_filter_count);
        buf_fini(&text);
    }
    if (change->upsert_count > 0) {
        put_passages(&passages[1], arena, change->upsert, change->upsert_count);
        add(task, upsert_text, passages, 2);
    }
    return check_memory(task, arena, err);
}

/* ---- rows ---- */

enum err_code text_pg_wire_hits(const struct pg_result *result, struct arena *arena,
                                struct passage_hit **hits, size_t *count, struct err *err)
{
    size_t row_count = pg_task_row_count(result), columns = pg_task_column_count(result);
    *count = 0;
    if (columns != COLUMNS)
        return err_set(err, ERR_PROTOCOL, "PostgreSQL gave %zu columns where %d were asked for",
                       columns, COLUMNS);
    *hits = arena_array(arena, size_max(1, row_count), sizeof **hits);
    for (size_t i = 0; *hits != NULL && i < row_count; i++) {
        struct passage_hit *hit = &(*hits)[i];
        hit->passage.id = arena_str(arena, pg_task_cell(result, i, COLUMN_ID));
        hit->passage.text = arena_str(arena, pg_task_cell(result, i, COLUMN_BODY));
        if (!str_to_double(pg_task_cell(result, i, COLUMN_SCORE), &hit->score))
            return err_set(err, ERR_PROTOCOL, "PostgreSQL gave a score that is no number");
        struct str fields = arena_str(arena, pg_task_cell(result, i, COLUMN_FIELDS));
        if (!passage_json_read_fields(arena, json_value_parse(arena, fields, NULL, err), STR(""),
                                      &hit->passage))
            *hits = NULL;
        else
            ++*count;
    }
    return *hits != NULL && arena_ok(arena)
               ? ERR_OK
               : err_set(err, ERR_NO_MEMORY, "no memory for PostgreSQL's hits");
}
