/* SPDX-License-Identifier: MIT */
/* agents/sql/repair/repair_case.c - edits by position, applied at once.
 *
 * Failure: too many edits, or no memory, and the statement stays as it is. */
#include "agents/sql/repair/repair_case.h"

#include "agents/sql/catalog/quote.h"
#include "agents/sql/grammar/words.h"

enum { MAX_STATEMENT = 32 * 1024, SHOWN = 120 };

bool sql_repair_case_edit(struct sql_repair_case *at, size_t start, size_t end, struct str text,
                          bool note)
{
    size_t place = at->edit_count;
    if (place == SQL_REPAIR_CASE_EDITS || str_is_absent(text)) {
        at->too_many = true;
        return false;
    }
    while (place > 0 && at->edits[place - 1].start > start)
        place--;
    if ((place > 0 && at->edits[place - 1].end > start) ||
        (place < at->edit_count && at->edits[place].start < end))
        return false;
    for (size_t i = at->edit_count; i > place; i--)
        at->edits[i] = at->edits[i - 1];
    at->edits[place] = (struct sql_repair_edit){start, end, text};
    at->edit_count++;
    if (note)
        buf_printf(&at->note, "%s%.*s -> %.*s", buf_len(&at->note) > 0 ? ", " : "",
                   STR_ARG(str_utf8_prefix(str_trim(str_slice(at->sql, start, end)), SHOWN)),
                   STR_ARG(str_utf8_prefix(str_trim(text), SHOWN)));
    return true;
}

struct str sql_repair_case_apply(struct sql_repair_case *at)
{
    struct buf out;
    size_t from = 0;
    buf_init(&out, MAX_STATEMENT);
    for (size_t i = 0; i < at->edit_count; i++) {
        buf_push(&out, str_slice(at->sql, from, at->edits[i].start));
        buf_push(&out, at->edits[i].text);
        from = at->edits[i].end;
    }
    buf_push(&out, str_from(at->sql, from));
    struct str text = (struct str){NULL, 0};
    if (buf_ok(&out) && !at->too_many)
        text = arena_str(at->arena, str_trim(buf_str(&out)));
    buf_fini(&out);
    at->edit_count = 0;
    return text;
}

static bool is_plain(enum sql_dialect dialect, struct str name)
{
    if (!sql_quote_is_word(dialect, name))
        return false;
    if (dialect == SQL_POSTGRES) /* words that are reserved there and nowhere else */
        return sql_words_find(name) == SQL_WORD_NONE && !str_equal(name, STR("user")) &&
               !str_equal(name, STR("end")) && !str_equal(name, STR("analyse"));
    return sql_words_may_name(dialect, sql_words_find(name));
}

struct str sql_repair_case_name(const struct sql_repair_case *at, struct str name)
{
    struct buf out;
    if (is_plain(at->knows->dialect, name))
        return arena_str(at->arena, name);
    buf_init(&out, MAX_STATEMENT);
    sql_quote_name(at->knows->dialect, name, &out);
    struct str text = buf_ok(&out) ? arena_str(at->arena, buf_str(&out)) : (struct str){NULL, 0};
    buf_fini(&out);
    return text;
}
