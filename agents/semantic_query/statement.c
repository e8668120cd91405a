/* SPDX-License-Identifier: MIT */
/* agents/semantic_query/statement.c - reads a query with what the run knows, and composes it.
 *
 * Happy path: a text that is a JSON object is read, joined along the graph and written. Failure:
 * the reader's or the composer's reason, for whoever asks for it. */
#include "agents/semantic_query/statement.h"

#include "agents/offline/compose/compose.h"
#include "agents/semantic/model.h"
#include "agents/semantic_query/read.h"

enum { SQL_BYTES = 16 * 1024 };

static const char rule[] =
    "- Where the question asks for one of the metrics listed, or for a count of one table's rows, "
    "by "
    "dimensions, filters and a period: write a query in the place of the statement, one JSON "
    "object "
    "{\"metric\": its name or {\"count\": table}, \"dimensions\": [{\"column\": \"table.column\" "
    "or a "
    "table's name, \"by\": \"month\"}], \"filters\": [{\"column\": \"table.column\", \"op\": "
    "\"=\", "
    "\"value\": ...}, {\"named\": a condition listed}], \"period\": {\"column\": a date, \"from\": "
    "first day, \"to\": last day}, \"order\": \"desc\", \"limit\": n}. Leave out what is not "
    "needed. "
    "Its joins and its SQL follow from the metric's definition.\n";

bool semantic_query_is(struct str text)
{
    return str_starts_with(str_trim(text), STR("{"));
}

static bool compose(struct node *node, struct str text, struct buf *out, struct err *err)
{
    const struct services *has = services(node);
    const struct knowledge *knows = knowledge(node);
    struct offline_reading *reading = arena_alloc(node_arena(node), sizeof *reading);
    int year, month, day;
    if (knows->lexicon == NULL || has->kept == NULL || has->today == NULL || reading == NULL ||
        !has->today(has->today_owner, &year, &month, &day)) {
        err_set(err, ERR_UNAVAILABLE, "a query cannot be written here; write a statement");
        return false;
    }
    const struct lexicon seen =
        lexicon_index_seen_by(knows->lexicon, node_session(node)->caller.company_id);
    const struct compose_schema schema = {
        .lexicon = &seen,
        .joins = {.catalog = knows->catalog,
                  .graph = knows->joins,
                  .finder = services_keep_finder(has->kept, knows, has->limits)},
        .dialect = knows->dialect,
        .today = english_dates_day(year, month, day),
        .own_only = true,
    };
    return semantic_query_read(&seen, str_trim(text), node_arena(node), reading, err) == ERR_OK &&
           offline_compose_sql(&schema, reading, out, err) == ERR_OK;
}

struct str semantic_query_statement(struct node *node, struct str text)
{
    struct buf out;
    struct err err = {0};
    struct str sql = text;
    if (!semantic_query_is(text))
        return text;
    buf_init(&out, SQL_BYTES);
    if (compose(node, text, &out, &err) && buf_ok(&out)) {
        struct str written = arena_str(node_arena(node), buf_str(&out));
        sql = str_is_absent(written) ? text : written;
    }
    buf_fini(&out);
    return sql;
}

bool semantic_query_problem(struct node *node, struct str text, struct err *err)
{
    struct buf out;
    *err = (struct err){0};
    if (!semantic_query_is(text))
        return false;
    buf_init(&out, SQL_BYTES);
    bool is_written = compose(node, text, &out, err);
    buf_fini(&out);
    return !is_written;
}

struct str semantic_query_rule(struct node *node)
{
    const struct semantic *semantic = knowledge(node)->semantic;
    return semantic != NULL && semantic->metric_count > 0 ? str_of(rule) : STR("");
}
