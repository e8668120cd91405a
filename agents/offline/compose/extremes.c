/* SPDX-License-Identifier: MIT */
/* agents/offline/compose/extremes.c - statements for the row that has the most or the least of its
 * group.
 *
 * Happy path: rows whose value is the extreme over the rows of the same group. Failure: the rows do
 * not say which group they are in. */
#include "agents/offline/compose/extremes.h"

#include "agents/semantic/model.h"

/* The column of the target that says which group a row is in; CATALOG_NONE: none does. */
static int group_column(const struct lexicon *lexicon, const struct offline_reading *r)
{
    const struct reading_column *on = &r->groups[0].on;
    const struct catalog_table *t = &lexicon->catalog->tables[r->target];
    int found = CATALOG_NONE;
    if (on->column != READING_NONE)
        return on->table == r->target ? on->column : CATALOG_NONE;
    for (size_t i = 0; i < t->reference_count; i++) {
        if (t->references[i].to_table != on->table || t->references[i].column_count != 1)
            continue;
        if (found != CATALOG_NONE)
            return CATALOG_NONE;
        found = t->references[i].columns[0];
    }
    return found;
}

/* AND t1.x = (SELECT MAX(m.x) FROM the table AS m WHERE m.group = t1.group AND the same filters) */
static enum err_code render_extreme(struct statement *s, int group)
{
    const struct offline_reading *r = s->reading;
    const struct render *render = &s->k.render;
    struct buf *out = offline_statement_out(s);
    unsigned mine = s->tree.nodes[0].alias, theirs = ++s->k.alias;
    bool first = !s->has_where;
    offline_keyed_lead(&s->k, &first);
    lexicon_render_column(render, mine, r->target, r->order_on.column);
    buf_push(out, r->descending ? STR(" = (SELECT MAX(") : STR(" = (SELECT MIN("));
    lexicon_render_column(render, theirs, r->target, r->order_on.column);
    buf_push(out, STR(") FROM "));
    lexicon_render_table(render, r->target);
    buf_printf(out, " AS t%u WHERE ", theirs);
    lexicon_render_column(render, theirs, r->target, group);
    buf_push(out, STR(" = "));
    lexicon_render_column(render, mine, r->target, group);
    offline_render_living(render, theirs, r->target, false, STR(" AND "));
    for (size_t i = 0; i < r->scopes[0].filter_count; i++) {
        const struct reading_filter *filter = &r->scopes[0].filters[i];
        if (filter->on.table != r->target)
            return err_set(s->k.err, ERR_INVALID,
                           "an extreme of each group under a condition on "
                           "other rows is not understood");
        buf_push(out, STR(" AND "));
        offline_render_filter(render, theirs, filter);
    }
    buf_push_char(out, ')');
    return ERR_OK;
}

/* "the most expensive product of each category": group, row and value. */
enum err_code offline_extremes_compose(struct statement *s)
{
    const struct offline_reading *r = s->reading;
    int group = group_column(s->k.schema->lexicon, r), own[STATEMENT_COLUMNS];
    if (group == CATALOG_NONE || r->scope_count > 1 || r->scopes[0].table_count > 0)
        return err_set(s->k.err, ERR_INVALID, "an extreme of each group is not understood here");
    enum err_code code = offline_statement_plan(s, r->target);
    if (code != ERR_OK)
        return code;
    if (s->tree.nodes[0].alias == 0)
        s->tree.nodes[0].alias = ++s->k.alias;
    buf_push(offline_statement_out(s), STR("SELECT "));
    code = offline_statement_groups(s, true);
    size_t count =
        offline_statement_columns(s->k.schema->lexicon, r->target, true, own, STATEMENT_COLUMNS);
    for (size_t i = 0; i < count; i++) {
        buf_push(offline_statement_out(s), STR(", "));
        offline_statement_column(s, (struct reading_column){r->target, own[i]});
    }
    buf_push(offline_statement_out(s), STR(", "));
    offline_statement_column(s, r->order_on);
    if (code != ERR_OK)
        return code;
    offline_keyed_from(&s->k, &s->tree);
    code = offline_statement_where(s);
    return code == ERR_OK ? render_extreme(s, group) : code;
}

void offline_extremes_settle(const struct lexicon *lexicon, struct offline_reading *reading)
{
    bool whole = reading->groups[0].on.column == READING_NONE ||
                 (reading->target != READING_NONE && /* its rows have no name to be shown */
                  lexicon->facts[reading->target].label_count == 0);
    if (!reading->of_group || !whole || group_column(lexicon, reading) != CATALOG_NONE)
        return;
    reading->of_group = false;
    reading->outs[0] =
        (struct reading_out){reading->descending ? AGG_MAX : AGG_MIN, reading->order_on};
    reading->out_count = 1;
    reading->counted = reading->target;
    reading->target = READING_NONE;
    reading->order_on = (struct reading_column){READING_NONE, READING_NONE};
}
