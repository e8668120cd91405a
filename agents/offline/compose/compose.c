/* SPDX-License-Identifier: MIT */
/* agents/offline/compose/compose.c - the three statements: a list, numbers (grouped or not), and
 * counts per row with those that have none.
 *
 * Happy path: one join tree from the rows that are listed or measured over everything mentioned;
 * SELECT, FROM, WHERE, GROUP BY, ORDER BY, LIMIT in that order.
 * Failure: err of the join plan, or ERR_INVALID where a statement would say something else. */
#include "agents/offline/compose/compose.h"

#include "agents/offline/compose/beside.h"
#include "agents/offline/compose/extremes.h"
#include "agents/offline/compose/referred.h"
#include "agents/semantic/model.h"

/* ---- lists ---- */

static size_t list_columns(const struct statement *s, struct reading_column *columns)
{
    const struct offline_reading *r = s->reading;
    int own[STATEMENT_COLUMNS];
    size_t count = 0, labels = 0;
    if (!r->distinct || r->out_count == 0) /* rows are different anyway */
        labels = offline_statement_columns(s->k.schema->lexicon, r->target, r->out_count > 0, own,
                                           STATEMENT_COLUMNS);
    for (size_t i = 0; i < labels; i++)
        columns[count++] = (struct reading_column){r->target, own[i]};
    for (size_t i = 0; i < r->out_count; i++)
        columns[count++] = r->outs[i].on;
    if (r->ordered && !r->distinct && r->order_out == READING_NONE)
        columns[count++] = r->order_on;
    size_t kept = 0;
    for (size_t i = 0; i < count; i++) {
        bool known = false;
        for (size_t j = 0; j < kept && !known; j++)
            known = columns[j].table == columns[i].table &&
                    columns[j].column == columns[i].column && columns[j].since == columns[i].since;
        if (!known)
            columns[kept++] = columns[i];
    }
    return kept;
}

static enum err_code compose_list(struct statement *s)
{
    const struct offline_reading *r = s->reading;
    struct reading_column columns[STATEMENT_COLUMNS + READING_OUTS + 1];
    s->shows_referred =
        !s->k.schema->own_only && offline_referred_are_shown(s->k.schema->lexicon, r);
    enum err_code code = offline_statement_plan(s, r->target);
    if (code != ERR_OK)
        return code;
    if (r->limit > 0 && offline_jointree_repeats(&s->tree))
        return err_set(s->k.err, ERR_INVALID, "rows would be shown twice");
    size_t count = list_columns(s, columns);
    buf_push(offline_statement_out(s), r->distinct ? STR("SELECT DISTINCT ") : STR("SELECT "));
    for (size_t i = 0; i < count; i++) {
        if (i > 0)
            buf_push(offline_statement_out(s), STR(", "));
        offline_statement_shown(s, columns[i]);
    }
    if (s->shows_referred)
        offline_referred_render(s, r->target);
    if (!r->distinct)
        code = offline_beside_amounts(s);
    offline_keyed_from(&s->k, &s->tree);
    if (code == ERR_OK)
        code = offline_statement_where(s);
    if (code == ERR_OK)
        offline_statement_tail(s);
    return code;
}

/* ---- numbers ---- */

static bool has_own_filters(const struct offline_reading *r, int out)
{
    for (size_t i = 0; i < r->scopes[0].filter_count; i++)
        if (r->scopes[0].filters[i].out == out)
            return true;
    return false;
}

/* Where the parenthesis at open ends; call.len: nowhere. */
static size_t closing_of(struct str call, size_t open)
{
    size_t depth = 0;
    for (size_t i = open; i < call.len; i++) {
        depth += call.at[i] == '(';
        if (call.at[i] == ')' && --depth == 0)
            return i;
    }
    return call.len;
}

/* Whether what stands behind a call is nothing, or "/ 100.0". */
static bool is_factor(struct str behind)
{
    if (behind.len > 0 && (behind.at[0] == '/' || behind.at[0] == '*'))
        behind = str_trim(str_from(behind, 1));
    for (size_t i = 0; i < behind.len; i++)
        if (!str_is_digit(behind.at[i]) && behind.at[i] != '.')
            return false;
    return true;
}

/* What a metric that is one call adds up: "a * b" of "SUM(a * b)", "1" of "COUNT(*)". False: it
 * counts what has a value, or is no such call. */
static bool push_added(struct statement *s, const struct reading_column *metric)
{
    enum { CALL_BYTES = 4096 };
    struct buf whole;
    struct render render = s->k.render;
    const int node = offline_jointree_find(&s->tree, metric->table);
    buf_init(&whole, CALL_BYTES);
    render.out = &whole;
    offline_render_expression(&render, s->tree.nodes[node].alias, metric->table,
                              &metric->metric->expression);
    struct str call = str_trim(buf_str(&whole));
    while (str_starts_with(call, STR("(")) && closing_of(call, 0) + 1 == call.len)
        call = str_trim(str_slice(call, 1, call.len - 1));
    const ptrdiff_t open = str_find_char(call, '(');
    const size_t close = open == STR_NONE ? call.len : closing_of(call, (size_t)open);
    const struct str behind = close < call.len ? str_trim(str_from(call, close + 1)) : STR("");
    bool adds = buf_ok(&whole) && close < call.len && is_factor(behind);
    if (adds) {
        struct str added = str_trim(str_slice(call, (size_t)open + 1, close));
        const bool rows = str_equal(added, STR("*"));
        adds = rows || str_equal_nocase(str_trim(str_slice(call, 0, (size_t)open)), STR("sum"));
        buf_printf(offline_statement_out(s), behind.len > 0 ? "(%.*s) %.*s" : "%.*s%.*s",
                   STR_ARG(rows ? STR("1") : added), STR_ARG(behind));
    }
    buf_fini(&whole);
    return adds;
}

/* CASE WHEN the filters chosen hold THEN 1, or value, ELSE 0 END, summed. False: the value is a
 * metric of another kind. */
static bool render_cases(struct statement *s, int out, struct reading_column value)
{
    const struct reading_scope *main = &s->reading->scopes[0];
    bool first = true, adds = true;
    buf_push(offline_statement_out(s), STR("SUM(CASE WHEN "));
    for (size_t i = 0; i < main->filter_count; i++) {
        const struct reading_filter *filter = &main->filters[i];
        if (out == READING_NONE ? !filter->numerator : filter->out != out)
            continue;
        if (!first)
            buf_push(offline_statement_out(s), STR(" AND "));
        first = false;
        int node = offline_jointree_find(&s->tree, filter->on.table);
        offline_render_filter(&s->k.render, s->tree.nodes[node].alias, filter);
    }
    buf_push(offline_statement_out(s), STR(" THEN "));
    if (value.metric != NULL)
        adds = push_added(s, &value);
    else if (value.column == READING_NONE)
        buf_push_char(offline_statement_out(s), '1');
    else
        offline_statement_column(s, value);
    buf_push(offline_statement_out(s), STR(" ELSE 0 END)"));
    return adds;
}

/* What the filters of the output pick, added up, less what those marked minus pick. */
static enum err_code render_difference(struct statement *s, int out)
{
    const struct reading_scope *main = &s->reading->scopes[0];
    if (offline_jointree_repeats(&s->tree))
        return err_set(s->k.err, ERR_INVALID, "rows would be added up twice");
    buf_push(offline_statement_out(s), STR("SUM(CASE"));
    for (size_t i = 0; i < main->filter_count; i++) {
        const struct reading_filter *filter = &main->filters[i];
        if (filter->out != out)
            continue;
        int node = offline_jointree_find(&s->tree, filter->on.table);
        buf_push(offline_statement_out(s), STR(" WHEN "));
        offline_render_filter(&s->k.render, s->tree.nodes[node].alias, filter);
        buf_push(offline_statement_out(s), filter->minus ? STR(" THEN -") : STR(" THEN "));
        offline_statement_column(s, s->reading->outs[out].on);
    }
    buf_push(offline_statement_out(s), STR(" ELSE 0 END)"));
    return ERR_OK;
}

/* A count or a sum of the rows that the output's own filters pick. */
static enum err_code render_parted(struct statement *s, size_t out)
{
    const struct reading_out *o = &s->reading->outs[out];
    const struct reading_column rows = {READING_NONE, READING_NONE};
    const bool adds_up = o->agg == AGG_SUM || o->agg == AGG_METRIC;
    if (offline_jointree_repeats(&s->tree))
        return err_set(s->k.err, ERR_INVALID, "rows would be counted twice");
    return render_cases(s, (int)out, adds_up ? o->on : rows)
               ? ERR_OK
               : err_set(s->k.err, ERR_INVALID, "parts of it are not understood here");
}

/* The number of an output, in the unit that it is said in. */
static enum err_code render_out(struct statement *s, size_t i)
{
    const struct reading_out *o = &s->reading->outs[i];
    enum err_code code = ERR_OK;
    if (o->agg == AGG_NET)
        code = render_difference(s, (int)i);
    else if (has_own_filters(s->reading, (int)i))
        code = render_parted(s, i);
    else if (o->agg == AGG_NONE)
        offline_statement_column(s, o->on);
    else
        code = offline_keyed_aggregate(&s->k, &s->tree, o->agg, o->on);
    if (code == ERR_OK)
        offline_statement_units(s, o);
    return code;
}

/* ---- what the first output is held against ---- */

/* Where the number that it is held against is. */
enum other { OTHER_SELF, OTHER_BEFORE, OTHER_RUNNING, OTHER_ALL };

static enum err_code push_other(struct statement *s, size_t out, enum other other)
{
    static const char *const heads[] = {"", "LAG", "SUM", "SUM"};
    struct buf *b = offline_statement_out(s);
    buf_push(b, str_of(heads[other]));
    buf_push_char(b, '(');
    enum err_code code = render_out(s, out);
    buf_push_char(b, ')');
    if (code != ERR_OK || other == OTHER_SELF)
        return code;
    buf_push(b, other == OTHER_ALL ? STR(" OVER ()") : STR(" OVER (ORDER BY "));
    if (other == OTHER_ALL)
        return ERR_OK;
    code = offline_statement_groups(s, false);
    buf_push_char(b, ')');
    return code;
}

/* What is 100 times a part of a whole, without a remainder cut off. */
static struct str hundred(const struct statement *s)
{
    /* MySQL keeps four digits more than a decimal factor has, but all of a float's */
    return s->k.render.dialect == SQL_MYSQL ? STR("100e0 * ") : STR("100.0 * ");
}

/* , number - the one before AS difference, the same in percent of the one before AS growth */
static enum err_code render_change(struct statement *s)
{
    struct buf *b = offline_statement_out(s);
    const bool is_one = s->reading->out_count == 1; /* of each period */
    const size_t now = is_one ? 0 : 1;
    const enum other before = is_one ? OTHER_BEFORE : OTHER_SELF;
    buf_push(b, STR(", "));
    enum err_code code = push_other(s, now, OTHER_SELF);
    buf_push(b, STR(" - "));
    code = code == ERR_OK ? push_other(s, 0, before) : code;
    buf_push(b, STR(" AS difference, "));
    buf_push(b, hundred(s));
    buf_push_char(b, '(');
    code = code == ERR_OK ? push_other(s, now, OTHER_SELF) : code;
    buf_push(b, STR(" - "));
    code = code == ERR_OK ? push_other(s, 0, before) : code;
    buf_push(b, STR(") / NULLIF("));
    code = code == ERR_OK ? push_other(s, 0, before) : code;
    buf_push(b, STR(", 0) AS growth"));
    return code;
}

static enum err_code render_over(struct statement *s)
{
    struct buf *b = offline_statement_out(s);
    if (s->reading->over == OVER_CHANGE)
        return render_change(s);
    buf_push(b, STR(", "));
    if (s->reading->over == OVER_RUNNING) {
        enum err_code code = push_other(s, 0, OTHER_RUNNING);
        buf_push(b, STR(" AS running_total"));
        return code;
    }
    if (offline_jointree_repeats(&s->tree)) /* parts that overlap are no parts of a whole */
        return err_set(s->k.err, ERR_INVALID, "rows would be counted twice");
    buf_push(b, hundred(s));
    enum err_code code = push_other(s, 0, OTHER_SELF);
    buf_push(b, STR(" / NULLIF("));
    code = code == ERR_OK ? push_other(s, 0, OTHER_ALL) : code;
    buf_push(b, STR(", 0) AS percentage"));
    return code;
}

static enum err_code render_outs(struct statement *s)
{
    const struct offline_reading *r = s->reading;
    if (r->ratio) {
        buf_push(offline_statement_out(s), hundred(s));
        bool rows = r->outs[0].agg != AGG_SUM;
        const struct reading_column none = {READING_NONE, READING_NONE};
        render_cases(s, READING_NONE, rows ? none : r->outs[0].on);
        buf_push(offline_statement_out(s), rows ? STR(" / COUNT(*)") : STR(" / SUM("));
        if (!rows) {
            offline_statement_column(s, r->outs[0].on);
            buf_push_char(offline_statement_out(s), ')');
        }
        buf_push(offline_statement_out(s), STR(" AS percentage"));
        return offline_jointree_repeats(&s->tree)
                   ? err_set(s->k.err, ERR_INVALID, "rows would be counted twice")
                   : ERR_OK;
    }
    for (size_t i = 0; i < r->out_count; i++) {
        if (i > 0)
            buf_push(offline_statement_out(s), STR(", "));
        enum err_code code = render_out(s, i);
        if (code != ERR_OK)
            return code;
        buf_push(offline_statement_out(s), STR(" AS "));
        offline_statement_alias(s, i);
    }
    return r->over == OVER_NONE ? ERR_OK : render_over(s);
}

/* SELECT AVG(v) FROM (the output for each group). */
static enum err_code compose_nested(struct statement *s)
{
    const struct offline_reading *r = s->reading;
    enum err_code code = offline_statement_plan(s, r->counted);
    if (code != ERR_OK)
        return code;
    buf_push(offline_statement_out(s), s->k.render.dialect == SQL_MYSQL
                                           ? STR("SELECT AVG(v * 1e0) AS average_")
                                           : STR("SELECT AVG(v) AS average_"));
    buf_push(offline_statement_out(s),
             r->outs[0].on.column == READING_NONE ? STR("count") : STR("total"));
    buf_push(offline_statement_out(s), STR(" FROM (SELECT "));
    code = offline_keyed_aggregate(&s->k, &s->tree, r->outs[0].agg, r->outs[0].on);
    offline_statement_units(s, &r->outs[0]);
    buf_push(offline_statement_out(s), STR(" AS v"));
    if (code != ERR_OK)
        return code;
    offline_keyed_from(&s->k, &s->tree);
    code = offline_statement_where(s);
    buf_push(offline_statement_out(s), STR(" GROUP BY "));
    if (code == ERR_OK)
        code = offline_statement_groups(s, false);
    buf_push(offline_statement_out(s), STR(") AS s"));
    return code;
}

static bool has_column(const struct catalog_key *key, int column)
{
    for (size_t i = 0; i < key->column_count; i++)
        if (key->columns[i] == column)
            return true;
    return false;
}

/* Whether the one step that repeats rows leads over a table that has each pair once to what they
 * are grouped by: a film is in a category once. */
static bool keeps_apart(const struct statement *s)
{
    const struct offline_reading *r = s->reading;
    int many = -1;
    for (size_t i = 1; i < s->tree.count; i++)
        if (s->tree.nodes[i].joined && s->tree.nodes[i].many) {
            if (many >= 0 || s->tree.nodes[i].parent != 0)
                return false;
            many = (int)i;
        }
    for (size_t g = 0; many >= 0 && g < r->group_count; g++) {
        int node = r->groups[g].on.table == READING_NONE || r->groups[g].on.column != READING_NONE
                       ? -1
                       : offline_jointree_find(&s->tree, r->groups[g].on.table);
        const struct catalog_table *pairs =
            &s->k.schema->lexicon->catalog->tables[s->tree.nodes[many].table];
        if (node < 0 || s->tree.nodes[node].parent != many || s->tree.nodes[node].many)
            continue;
        int mine, theirs, up, other;
        offline_jointree_pair(&s->k.schema->joins, &s->tree, many, 0, &mine, &theirs);
        offline_jointree_pair(&s->k.schema->joins, &s->tree, node, 0, &other, &up);
        for (size_t i = 0; i < pairs->key_count; i++)
            if (pairs->keys[i].column_count == 2 && has_column(&pairs->keys[i], mine) &&
                has_column(&pairs->keys[i], up))
                return true;
    }
    return false;
}

/* GRAIN_NONE: no group is a period. */
static enum offline_grain period_of(const struct offline_reading *r)
{
    for (size_t g = 0; g < r->group_count; g++)
        if (r->groups[g].grain != GRAIN_NONE)
            return r->groups[g].grain;
    return GRAIN_NONE;
}

/* Give groups an order where they have none, since only the first may be shown: the largest first,
 * but numbers, like years, as they follow each other. */
static void order_groups(const struct catalog *catalog, struct offline_reading *r)
{
    const struct reading_column on = r->groups[0].on;
    r->ordered = true;
    if (r->group_count > 1 || on.column == READING_NONE ||
        !lexicon_index_is_number(catalog, on.table, on.column)) {
        r->descending = true;
        r->order_out = 0;
    } else {
        r->order_on = on;
        r->order_out = READING_NONE;
    }
}

static enum err_code compose_numbers(struct statement *s)
{
    const struct offline_reading *r = s->reading;
    enum err_code code = offline_statement_plan(s, r->counted);
    if (code != ERR_OK)
        return code;
    s->k.apart = keeps_apart(s);
    buf_push(offline_statement_out(s), STR("SELECT "));
    if (r->group_count > 0) {
        code = offline_statement_groups(s, true);
        buf_push(offline_statement_out(s), STR(", "));
    }
    if (code == ERR_OK)
        code = render_outs(s);
    if (code != ERR_OK)
        return code;
    offline_keyed_from(&s->k, &s->tree);
    code = offline_statement_where(s);
    if (code == ERR_OK && r->group_count > 0) {
        buf_push(offline_statement_out(s), STR(" GROUP BY "));
        code = offline_statement_groups(s, false);
    }
    if (code == ERR_OK && r->bounded) {
        buf_push(offline_statement_out(s), STR(" HAVING "));
        code = offline_keyed_aggregate(&s->k, &s->tree, r->bound_agg, r->bound_on);
        buf_push_char(offline_statement_out(s), ' ');
        offline_render_bound(&s->k.render, r->bound_op, r->bound_number, 0);
    }
    if (code == ERR_OK && !r->ordered && period_of(r) != GRAIN_NONE)
        buf_printf(offline_statement_out(s), " ORDER BY %s",
                   offline_statement_period(period_of(r)));
    if (code == ERR_OK)
        offline_statement_tail(s);
    return code;
}

/* ---- counts with those that have none ---- */

static enum err_code compose_zero(struct statement *s)
{
    struct offline_reading outer = *s->reading;
    const struct offline_reading *r = s->reading;
    struct reading_scope inner = r->scopes[0];
    int entity = r->groups[0].on.table;
    inner.filter_count = 0;
    outer.scopes[0].filter_count = outer.scopes[0].table_count = 0;
    for (size_t i = 0; i < r->scopes[0].filter_count; i++) {
        struct reading_scope *to =
            r->scopes[0].filters[i].on.table == entity ? &outer.scopes[0] : &inner;
        to->filters[to->filter_count++] = r->scopes[0].filters[i];
    }
    inner.agg = r->outs[0].agg;
    inner.measure = r->outs[0].on;
    outer.out_count = 0;
    outer.target = entity;
    s->reading = &outer;
    enum err_code code = offline_statement_plan(s, entity);
    outer.out_count = 1; /* for its name */
    if (code == ERR_OK) {
        if (s->tree.nodes[0].alias == 0)
            s->tree.nodes[0].alias = ++s->k.alias;
        buf_push(offline_statement_out(s), STR("SELECT "));
        code = offline_statement_groups(s, true);
    }
    if (code == ERR_OK) {
        buf_push(offline_statement_out(s), STR(", COALESCE(c.n, 0) AS "));
        offline_statement_alias(s, 0);
        offline_keyed_from(&s->k, &s->tree);
        code = offline_keyed_counts(&s->k, &s->tree, 0, &inner);
    }
    if (code == ERR_OK)
        code = offline_statement_where(s);
    if (code == ERR_OK)
        offline_statement_tail(s);
    s->reading = r;
    return code;
}

enum err_code offline_compose_sql(const struct compose_schema *schema,
                                  const struct offline_reading *reading, struct buf *out,
                                  struct err *err)
{
    struct statement s = {
        .k = {.schema = schema,
              .render = {schema->lexicon->catalog, schema->dialect, out, schema->today,
                         schema->lexicon->facts},
              .err = err},
        .reading = reading,
    };
    struct offline_reading ordered = *reading;
    bool zero = reading->keep_zero && reading->group_count == 1 && reading->out_count == 1 &&
                reading->groups[0].on.column == READING_NONE &&
                reading->groups[0].grain == GRAIN_NONE && !has_own_filters(reading, 0) &&
                reading->groups[0].on.table != reading->counted;
    if (reading->group_count > 0 && !reading->ordered && !reading->nested && !reading->of_group &&
        period_of(reading) == GRAIN_NONE && !offline_statement_is_list(reading)) {
        order_groups(schema->lexicon->catalog, &ordered);
        s.reading = &ordered;
    }
    enum err_code code = reading->of_group                    ? offline_extremes_compose(&s)
                         : reading->nested                    ? compose_nested(&s)
                         : offline_statement_is_list(reading) ? compose_list(&s)
                         : zero                               ? compose_zero(&s)
                                                              : compose_numbers(&s);
    if (code == ERR_OK && !buf_ok(out))
        code = err_set(err, ERR_NO_MEMORY, "no memory for the statement");
    return code;
}
