/* SPDX-License-Identifier: MIT */
/* agents/nodes/facts.c - a table of dialects, and the injectable clock. Happy path only. */
#include "agents/nodes/facts.h"

#include "agents/english/language.h"
#include "agents/semantic/model.h"

enum { UNITS_BYTES = 1024 };

struct str facts_dialect(struct node *node)
{
    static const char *const names[] = {"SQLite", "PostgreSQL", "MySQL"};
    return str_of(names[knowledge(node)->dialect]);
}

struct str facts_naming(struct node *node)
{
    static const char *const rules[] = {
        [SQL_SQLITE] = "Quote a name only if it is a reserved word.",
        [SQL_POSTGRES] = ("Put a name that has capitals or is a reserved word in double quotes, as "
                          "in \"workOrder\".\"customerId\"; texts in single quotes."),
        [SQL_MYSQL] = "Put a name that is a reserved word in backticks; texts in single quotes.",
    };
    return str_of(rules[knowledge(node)->dialect]);
}

struct str facts_today(struct node *node)
{
    int year, month, day;
    const struct services *has = services(node);
    if (has->today == NULL || !has->today(has->today_owner, &year, &month, &day))
        return STR("");
    return arena_printf(node_scratch(node), "%04d-%02d-%02d", year, month, day);
}

struct str facts_language(struct node *node)
{
    struct str name = english_language_name(node_session(node)->message), text = {NULL, 0};
    if (!str_is_absent(name))
        text =
            arena_printf(node_scratch(node), "%.*s, the language of the question", STR_ARG(name));
    return str_is_absent(text) ? STR("the language of the question") : text;
}

/* Append a text of the semantic file as a part of one line. */
static void push_plain(struct buf *out, struct str text)
{
    for (size_t i = 0; i < text.len; i++)
        buf_push_char(out, (unsigned char)text.at[i] < ' ' ? ' ' : text.at[i]);
}

/* Append the unit of a column that a statement reads, unless it stands there already. */
static void push_unit(const struct knowledge *knows, const struct sql_parse *parse,
                      const struct sql_column_ref *ref, struct buf *out)
{
    int table = ref->table_ref < 0 ? CATALOG_NONE : parse->tables[ref->table_ref].table;
    int column = table == CATALOG_NONE ? CATALOG_NONE
                                       : catalog_find_column(knows->catalog, table, ref->name);
    const struct semantic_column *said =
        column == CATALOG_NONE ? NULL : semantic_model_column(knows->semantic, table, column);
    if (said == NULL || said->unit.len == 0)
        return;
    struct buf one;
    buf_init(&one, UNITS_BYTES);
    push_plain(&one, knows->catalog->tables[table].name);
    buf_push_char(&one, '.');
    push_plain(&one, said->name);
    buf_push(&one, STR(" in "));
    push_plain(&one, said->unit);
    if (buf_ok(&one) && str_find(buf_str(out), buf_str(&one)) == STR_NONE &&
        buf_len(out) + buf_len(&one) + 2 <= UNITS_BYTES) {
        buf_push(out, buf_len(out) == 0 ? STR("") : STR(", "));
        buf_push(out, buf_str(&one));
    }
    buf_fini(&one);
}

struct str facts_units(struct node *node)
{
    const struct knowledge *knows = knowledge(node);
    struct buf out;
    buf_init(&out, UNITS_BYTES);
    for (size_t i = 0; knows->semantic != NULL && i < SQL_READING_KEPT; i++) {
        const struct sql_verdict *verdict = sql_reading_kept(node_readings(node), i);
        for (size_t c = 0; verdict != NULL && c < verdict->parse->column_count; c++)
            push_unit(knows, verdict->parse, &verdict->parse->columns[c], &out);
    }
    struct str text = {NULL, 0};
    if (buf_len(&out) > 0 && buf_ok(&out))
        text = arena_str(node_arena(node), buf_str(&out));
    buf_fini(&out);
    return str_is_absent(text) ? STR("not known") : text;
}
