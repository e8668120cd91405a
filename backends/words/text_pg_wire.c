/* SPDX-License-Identifier: MIT */
/* backends/words/text_pg_wire.c - passages as JSON, words as a tsquery.
 *
 * Happy path: what is indexed and what is looked for pass through the same folding, so that both
 * meet; a query is the OR of its words, which hold letters and digits only. Failure: no memory; a
 * request that passage_check refuses. */
#include "backends/words/text_pg_wire.h"

#include "backends/passages/passage_check.h"
#include "backends/passages/passage_json.h"
#include "backends/passages/passage_pg.h"
#include "backends/words/text_words.h"
#include "core/words/fold.h"

enum { QUERY_BYTES = 64 << 10, CHANGE_BYTES = 256 << 20 };

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
static const char search_text[] =
    "SELECT id, body, fields, ts_rank_cd('{0.25,0.25,0.25,1}', words, q)::float8 AS score"
    " FROM askd_text, to_tsquery('askd_words', $2) AS q WHERE collection = $1 AND words @@ q";
static const char *const columns[] = {NULL}; /* no field has one of its own */
static const char remove_text[] = "DELETE FROM askd_text WHERE collection = $1 AND id IN"
                                  " (SELECT jsonb_array_elements_text($2::jsonb))";

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
    struct buf words;
    struct passage_pg search;
    task->count = 0;
    if (passage_check_text_query(query, err) != ERR_OK)
        return err->code;
    buf_init(&words, QUERY_BYTES);
    push_tsquery(&words, query->words);
    if ((buf_ok(&words) && buf_len(&words) == 0) ||
        passage_passes_none(query->filters, query->filter_count)) {
        buf_fini(&words);
        return ERR_OK;
    }
    passage_pg_begin(&search, arena, search_text);
    passage_pg_put_str(&search, query->collection);
    passage_pg_put_buf(&search, &words);
    passage_pg_put_u64(&search, query->top_k);
    passage_pg_push_filters(&search, query->filters, query->filter_count, columns);
    buf_push(&search.text, STR(" ORDER BY score DESC, id LIMIT $3::int8"));
    passage_pg_end(&search, task);
    return passage_pg_check(arena, err);
}

static void put_passages(struct passage_pg *statement, const struct passage *passages, size_t count)
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
    passage_pg_put_buf(statement, &text);
}

/* A statement about change's collection, which is $1. */
static void begin(struct passage_pg *statement, struct arena *arena, const char *text,
                  const struct text_change *change)
{
    passage_pg_begin(statement, arena, text);
    passage_pg_put_str(statement, change->collection);
}

enum err_code text_pg_wire_change(struct pg_task *task, struct arena *arena,
                                  const struct text_change *change, struct err *err)
{
    struct passage_pg statement;
    task->count = 0;
    if (passage_check_text_change(change, err) != ERR_OK)
        return err->code;
    bool filters = change->remove_filter_count > 0 &&
                   !passage_passes_none(change->remove_filters, change->remove_filter_count);
    if (change->upsert_count == 0 && change->remove_count == 0 && !filters)
        return ERR_OK;
    passage_pg_begin(&statement, arena, lock_text);
    passage_pg_end(&statement, task);
    passage_pg_begin(&statement, arena, make_text);
    passage_pg_end(&statement, task);
    if (change->remove_count > 0) {
        begin(&statement, arena, remove_text, change);
        passage_pg_put_strings(&statement, change->remove_ids, change->remove_count);
        passage_pg_end(&statement, task);
    }
    if (filters) {
        begin(&statement, arena, "DELETE FROM askd_text WHERE collection = $1", change);
        passage_pg_push_filters(&statement, change->remove_filters, change->remove_filter_count,
                                columns);
        passage_pg_end(&statement, task);
    }
    if (change->upsert_count > 0) {
        begin(&statement, arena, upsert_text, change);
        put_passages(&statement, change->upsert, change->upsert_count);
        passage_pg_end(&statement, task);
    }
    return passage_pg_check(arena, err);
}
