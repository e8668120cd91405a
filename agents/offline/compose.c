/* SPDX-License-Identifier: MIT */
/* agents/offline/compose.c - the three statements: a list, numbers (grouped or not), and counts
 * per row with those that have none.
 *
 * Happy path: one join tree from the rows that are listed or measured over everything mentioned;
 * SELECT, FROM, WHERE, GROUP BY, ORDER BY, LIMIT in that order.
 * Failure: err of the join plan, or ERR_INVALID where a statement would say something else. */
#include "agents/offline/compose.h"

#include "agents/offline/keyed.h"

enum { LIST_COLUMNS = 14, ALIAS_BYTES = 120 };

struct statement {
    struct keyed k;
    const struct offline_reading *reading;
    struct jointree tree;
    int anchor; /* node that NOT and HAVING scopes speak of */
};

static struct buf *out_of(struct statement *s)
{
    return s->k.render.out;
}

static void render_on_node(struct statement *s, struct reading_column on)
{
    int node = offline_jointree_find(&s->tree, on.table);
    offline_render_column(&s->k.render, node < 0 ? 0 : s->tree.nodes[node].alias, on.table,
                          on.column);
}

/* Plan over root and all the reading mentions, and mark what is shown. */
static enum err_code plan_statement(struct statement *s, int root)
{
    const struct offline_reading *r = s->reading;
    int tables[KEYED_TABLES];
    size_t count = 0;
    tables[count++] = root;
    for (size_t i = 0; i < r->out_count; i++)
        tables[count++] = r->outs[i].on.table;
    for (size_t i = 0; i < r->group_count; i++)
        if (r->groups[i].on.table != READING_NONE)
            tables[count++] = r->groups[i].on.table;
    if (r->ordered && r->order_out == READING_NONE)
        tables[count++] = r->order_on.table;
    size_t shown = count;
    for (size_t i = 1; i < r->scope_count && r->target != READING_NONE && r->target != root; i++)
        tables[count++] = r->target;
    count = offline_keyed_tables(&r->scopes[0], tables, count);
    enum err_code code =
        offline_jointree_plan(&s->k.schema->joins, tables, count, &s->tree, s->k.err);
    if (code != ERR_OK)
        return code;
    for (size_t i = 0; i < shown; i++)
        offline_jointree_show(&s->tree, offline_jointree_find(&s->tree, tables[i]));
    for (size_t i = 0; i < r->scopes[0].filter_count; i++) {
        const struct reading_filter *filter = &r->scopes[0].filters[i];
        if (filter->out != READING_NONE || filter->numerator)
            offline_jointree_show(&s->tree, offline_jointree_find(&s->tree, filter->on.table));
    }
    int anchor = r->target != READING_NONE ? r->target : root;
    s->anchor = offline_jointree_find(&s->tree, anchor);
    offline_jointree_settle(&s->tree, &s->k.alias, r->scope_count == 1);
    if (r->scope_count > 1 && (s->anchor < 0 || !s->tree.nodes[s->anchor].joined))
        return err_set(s->k.err, ERR_INVALID, "what the condition is about is not clear");
    return ERR_OK;
}

static enum err_code render_scopes(struct statement *s, bool *first)
{
    const struct offline_reading *r = s->reading;
    for (size_t i = 1; i < r->scope_count; i++) {
        offline_keyed_lead(&s->k, first);
        enum err_code code = r->scopes[i].kind == SCOPE_NOT
                                 ? offline_keyed_not(&s->k, &s->tree, s->anchor, &r->scopes[i])
                                 : offline_keyed_having(&s->k, &s->tree, s->anchor, &r->scopes[i]);
        if (code != ERR_OK)
            return code;
    }
    return ERR_OK;
}

static enum err_code render_where(struct statement *s)
{
    bool first = true;
    const struct reading_scope *main = &s->reading->scopes[0];
    offline_keyed_where(&s->k, &s->tree, main->filters, main->filter_count, &first);
    const struct offline_reading *r = s->reading;
    if (r->ordered && !r->descending && r->limit > 0 && r->order_out == READING_NONE &&
        !s->k.schema->lexicon->catalog->tables[r->order_on.table]
             .columns[r->order_on.column]
             .not_null) {
        offline_keyed_lead(&s->k, &first); /* the lowest of nothing is not the lowest */
        render_on_node(s, r->order_on);
        buf_push(out_of(s), STR(" IS NOT NULL"));
    }
    return render_scopes(s, &first);
}

/* "total_amount", "account_count"; a number behind it where that is taken. */
static void render_alias(struct statement *s, size_t out)
{
    static const char *const names[] = {
        [AGG_NONE] = "",        [AGG_COUNT] = "",       [AGG_DISTINCT] = "different_",
        [AGG_SUM] = "total_",   [AGG_AVG] = "average_", [AGG_MIN] = "lowest_",
        [AGG_MAX] = "highest_", [AGG_NET] = "net_"};
    const struct offline_reading *r = s->reading;
    const struct reading_out *o = &r->outs[out];
    const struct catalog_table *table = &s->k.schema->lexicon->catalog->tables[o->on.table];
    struct buf name;
    buf_init(&name, ALIAS_BYTES);
    bool total = o->on.column != READING_NONE && o->agg == AGG_SUM &&
                 str_starts_with(table->columns[o->on.column].name, STR("total"));
    if (!total)
        buf_push(&name, str_of(names[o->agg]));
    if (r->ratio)
        buf_push(&name, STR("percentage"));
    else if (o->on.column == READING_NONE)
        buf_printf(&name, "%.*s_count", STR_ARG(str_utf8_prefix(table->name, ALIAS_BYTES / 2)));
    else
        buf_push(&name, str_utf8_prefix(table->columns[o->on.column].name, ALIAS_BYTES / 2));
    for (size_t i = 0; i < out; i++)
        if (r->outs[i].agg == o->agg && r->outs[i].on.column == o->on.column) {
            buf_printf(&name, "_%zu", out + 1);
            break;
        }
    offline_render_name(&s->k.render, buf_str(&name));
    buf_fini(&name);
}

static bool may_order_null(const struct statement *s)
{
    const struct offline_reading *r = s->reading;
    if (r->order_out != READING_NONE)
        return r->outs[r->order_out].agg != AGG_COUNT && r->outs[r->order_out].agg != AGG_DISTINCT;
    return !s->k.schema->lexicon->catalog->tables[r->order_on.table]
                .columns[r->order_on.column]
                .not_null;
}

static bool is_list(const struct offline_reading *r)
{
    for (size_t i = 0; i < r->out_count; i++)
        if (r->outs[i].agg != AGG_NONE)
            return false;
    return !r->ratio;
}

/* What is equal is cut off at the same place whatever the engine's plan: by key, else by the group
 * itself. */
static void render_tie_breaks(struct statement *s)
{
    const struct offline_reading *r = s->reading;
    struct reading_column by[READING_GROUPS + 1];
    size_t count = 0;
    if (is_list(r) && !r->distinct && r->group_count == 0)
        by[count++] = (struct reading_column){r->target, READING_NONE};
    for (size_t g = 0; g < r->group_count; g++)
        if (r->groups[g].grain == GRAIN_NONE)
            by[count++] = r->groups[g].on;
    for (size_t i = 0; i < count; i++) {
        if (by[i].column == READING_NONE)
            by[i].column = s->k.schema->lexicon->facts[by[i].table].key;
        if (by[i].column == CATALOG_NONE || offline_jointree_find(&s->tree, by[i].table) < 0)
            continue;
        buf_push(out_of(s), STR(", "));
        render_on_node(s, by[i]);
    }
}

static void render_tail(struct statement *s)
{
    const struct offline_reading *r = s->reading;
    if (r->ordered) {
        buf_push(out_of(s), STR(" ORDER BY "));
        if (r->order_out != READING_NONE)
            render_alias(s, (size_t)r->order_out);
        else
            render_on_node(s, r->order_on);
        offline_render_order(&s->k.render, r->descending, may_order_null(s));
    }
    if (r->ordered && r->limit > 0)
        render_tie_breaks(s);
    if (r->limit > 0)
        buf_printf(out_of(s), " LIMIT %u", r->limit);
}

/* ---- lists ---- */

static size_t list_columns(const struct statement *s, struct reading_column *columns)
{
    const struct offline_reading *r = s->reading;
    int own[LIST_COLUMNS];
    size_t count = 0, labels = 0;
    if (!r->distinct || r->out_count == 0) /* rows are different anyway */
        labels = offline_compose_columns(s->k.schema->lexicon, r->target, r->out_count > 0, own,
                                         LIST_COLUMNS);
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
            known = columns[j].table == columns[i].table && columns[j].column == columns[i].column;
        if (!known)
            columns[kept++] = columns[i];
    }
    return kept;
}

static enum err_code compose_list(struct statement *s)
{
    const struct offline_reading *r = s->reading;
    struct reading_column columns[LIST_COLUMNS + READING_OUTS + 1];
    enum err_code code = plan_statement(s, r->target);
    if (code != ERR_OK)
        return code;
    if (r->limit > 0 && offline_jointree_repeats(&s->tree))
        return err_set(s->k.err, ERR_INVALID, "rows would be shown twice");
    size_t count = list_columns(s, columns);
    buf_push(out_of(s), r->distinct ? STR("SELECT DISTINCT ") : STR("SELECT "));
    for (size_t i = 0; i < count; i++) {
        if (i > 0)
            buf_push(out_of(s), STR(", "));
        render_on_node(s, columns[i]);
    }
    offline_keyed_from(&s->k, &s->tree);
    code = render_where(s);
    if (code == ERR_OK)
        render_tail(s);
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

/* CASE WHEN the filters chosen hold THEN 1, or value, ELSE 0 END, summed. */
static void render_cases(struct statement *s, int out, struct reading_column value)
{
    const struct reading_scope *main = &s->reading->scopes[0];
    bool first = true;
    buf_push(out_of(s), STR("SUM(CASE WHEN "));
    for (size_t i = 0; i < main->filter_count; i++) {
        const struct reading_filter *filter = &main->filters[i];
        if (out == READING_NONE ? !filter->numerator : filter->out != out)
            continue;
        if (!first)
            buf_push(out_of(s), STR(" AND "));
        first = false;
        int node = offline_jointree_find(&s->tree, filter->on.table);
        offline_render_filter(&s->k.render, s->tree.nodes[node].alias, filter);
    }
    buf_push(out_of(s), STR(" THEN "));
    if (value.column == READING_NONE)
        buf_push_char(out_of(s), '1');
    else
        render_on_node(s, value);
    buf_push(out_of(s), STR(" ELSE 0 END)"));
}

/* What the filters of the output pick, added up, less what those marked minus pick. */
static enum err_code render_difference(struct statement *s, int out)
{
    const struct reading_scope *main = &s->reading->scopes[0];
    if (offline_jointree_repeats(&s->tree))
        return err_set(s->k.err, ERR_INVALID, "rows would be added up twice");
    buf_push(out_of(s), STR("SUM(CASE"));
    for (size_t i = 0; i < main->filter_count; i++) {
        const struct reading_filter *filter = &main->filters[i];
        if (filter->out != out)
            continue;
        int node = offline_jointree_find(&s->tree, filter->on.table);
        buf_push(out_of(s), STR(" WHEN "));
        offline_render_filter(&s->k.render, s->tree.nodes[node].alias, filter);
        buf_push(out_of(s), filter->minus ? STR(" THEN -") : STR(" THEN "));
        render_on_node(s, s->reading->outs[out].on);
    }
    buf_push(out_of(s), STR(" ELSE 0 END)"));
    return ERR_OK;
}

static enum err_code render_outs(struct statement *s)
{
    const struct offline_reading *r = s->reading;
    if (r->ratio) {
        /* MySQL keeps four digits more than a decimal factor has, but all of a float's */
        buf_push(out_of(s), s->k.render.dialect == SQL_MYSQL ? STR("100e0 * ") : STR("100.0 * "));
        bool rows = r->outs[0].agg != AGG_SUM;
        const struct reading_column none = {READING_NONE, READING_NONE};
        render_cases(s, READING_NONE, rows ? none : r->outs[0].on);
        buf_push(out_of(s), rows ? STR(" / COUNT(*)") : STR(" / SUM("));
        if (!rows) {
            render_on_node(s, r->outs[0].on);
            buf_push_char(out_of(s), ')');
        }
        buf_push(out_of(s), STR(" AS percentage"));
        return offline_jointree_repeats(&s->tree)
                   ? err_set(s->k.err, ERR_INVALID, "rows would be counted twice")
                   : ERR_OK;
    }
    for (size_t i = 0; i < r->out_count; i++) {
        if (i > 0)
            buf_push(out_of(s), STR(", "));
        enum err_code code = ERR_OK;
        if (r->outs[i].agg == AGG_NET)
            code = render_difference(s, (int)i);
        else if (has_own_filters(r, (int)i))
            render_cases(s, (int)i, (struct reading_column){READING_NONE, READING_NONE});
        else if (r->outs[i].agg == AGG_NONE)
            render_on_node(s, r->outs[i].on);
        else
            code = offline_keyed_aggregate(&s->k, &s->tree, r->outs[i].agg, r->outs[i].on);
        if (code != ERR_OK)
            return code;
        buf_push(out_of(s), STR(" AS "));
        render_alias(s, i);
    }
    return ERR_OK;
}

/* The date a period is made of: the one that is filtered, else the table's own. */
static struct reading_column period_date(const struct statement *s)
{
    const struct offline_reading *r = s->reading;
    for (size_t i = 0; i < r->scopes[0].filter_count; i++)
        if (r->scopes[0].filters[i].op == OP_RANGE &&
            r->scopes[0].filters[i].on.table == r->counted)
            return r->scopes[0].filters[i].on;
    return (struct reading_column){r->counted, s->k.schema->lexicon->facts[r->counted].began};
}

/* Columns of the groups, each followed by separator; entities also by key so that equal names
 * stay apart. */
static enum err_code render_groups(struct statement *s, bool selecting)
{
    const struct offline_reading *r = s->reading;
    for (size_t g = 0; g < r->group_count; g++) {
        const struct reading_group *group = &r->groups[g];
        if (g > 0)
            buf_push(out_of(s), STR(", "));
        if (group->grain != GRAIN_NONE) {
            struct reading_column on =
                group->on.column == READING_NONE ? period_date(s) : group->on;
            int node = offline_jointree_find(&s->tree, on.table);
            if (on.column == CATALOG_NONE || node < 0)
                return err_set(s->k.err, ERR_INVALID, "it is not clear which date is meant");
            offline_render_grain(&s->k.render, group->grain, s->tree.nodes[node].alias, on.table,
                                 on.column);
            if (selecting)
                buf_push(out_of(s), STR(" AS period"));
            continue;
        }
        if (group->on.column != READING_NONE) {
            if (offline_jointree_repeats(&s->tree))
                return err_set(s->k.err, ERR_INVALID, "the groups are of other rows");
            render_on_node(s, group->on);
            continue;
        }
        int columns[LIST_COLUMNS];
        size_t count = offline_compose_columns(s->k.schema->lexicon, group->on.table, true, columns,
                                               LIST_COLUMNS);
        if (count == 0)
            return err_set(s->k.err, ERR_INVALID, "the groups have no name");
        for (size_t i = 0; i < count; i++) {
            if (i > 0)
                buf_push(out_of(s), STR(", "));
            render_on_node(s, (struct reading_column){group->on.table, columns[i]});
        }
    }
    return ERR_OK;
}

static enum err_code compose_numbers(struct statement *s)
{
    const struct offline_reading *r = s->reading;
    enum err_code code = plan_statement(s, r->counted);
    if (code != ERR_OK)
        return code;
    buf_push(out_of(s), STR("SELECT "));
    if (r->group_count > 0) {
        code = render_groups(s, true);
        buf_push(out_of(s), STR(", "));
    }
    if (code == ERR_OK)
        code = render_outs(s);
    if (code != ERR_OK)
        return code;
    offline_keyed_from(&s->k, &s->tree);
    code = render_where(s);
    if (code == ERR_OK && r->group_count > 0) {
        buf_push(out_of(s), STR(" GROUP BY "));
        code = render_groups(s, false);
    }
    if (code == ERR_OK && r->bounded) {
        buf_push(out_of(s), STR(" HAVING "));
        code = offline_keyed_aggregate(&s->k, &s->tree, r->outs[0].agg, r->outs[0].on);
        buf_push_char(out_of(s), ' ');
        offline_render_bound(&s->k.render, r->bound_op, r->bound_number, r->bound_high);
    }
    if (code == ERR_OK && !r->ordered)
        for (size_t g = 0; g < r->group_count; g++)
            if (r->groups[g].grain != GRAIN_NONE) {
                buf_push(out_of(s), STR(" ORDER BY period"));
                break;
            }
    if (code == ERR_OK)
        render_tail(s);
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
    enum err_code code = plan_statement(s, entity);
    outer.out_count = 1; /* for its name */
    if (code == ERR_OK) {
        if (s->tree.nodes[0].alias == 0)
            s->tree.nodes[0].alias = ++s->k.alias;
        buf_push(out_of(s), STR("SELECT "));
        code = render_groups(s, true);
    }
    if (code == ERR_OK) {
        buf_push(out_of(s), STR(", COALESCE(c.n, 0) AS "));
        render_alias(s, 0);
        offline_keyed_from(&s->k, &s->tree);
        code = offline_keyed_counts(&s->k, &s->tree, 0, &inner);
    }
    if (code == ERR_OK)
        code = render_where(s);
    if (code == ERR_OK)
        render_tail(s);
    s->reading = r;
    return code;
}

enum err_code offline_compose_sql(const struct compose_schema *schema,
                                  const struct offline_reading *reading, struct buf *out,
                                  struct err *err)
{
    struct statement s = {
        .k = {.schema = schema,
              .render = {schema->lexicon->catalog, schema->dialect, out},
              .err = err},
        .reading = reading,
    };
    bool zero = reading->keep_zero && reading->group_count == 1 && reading->out_count == 1 &&
                reading->groups[0].on.column == READING_NONE &&
                reading->groups[0].grain == GRAIN_NONE && !has_own_filters(reading, 0) &&
                reading->groups[0].on.table != reading->counted;
    enum err_code code = is_list(reading) ? compose_list(&s)
                         : zero           ? compose_zero(&s)
                                          : compose_numbers(&s);
    if (code == ERR_OK && !buf_ok(out))
        code = err_set(err, ERR_NO_MEMORY, "no memory for the statement");
    return code;
}
