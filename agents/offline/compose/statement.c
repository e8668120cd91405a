/* SPDX-License-Identifier: MIT */
/* agents/offline/compose/statement.c - plan, conditions, names, order.
 *
 * Happy path: everything is appended to the buffer of the statement. Failure: err of the join plan
 * or of a condition; the buffer's own, asked at the end. */
#include "agents/offline/compose/statement.h"

#include "agents/lexicon/facts.h"

#include "agents/semantic/model.h"

enum { ALIAS_BYTES = 120 };

struct buf *offline_statement_out(struct statement *s)
{
    return s->k.render.out;
}

void offline_statement_column(struct statement *s, struct reading_column on)
{
    int node = offline_jointree_find(&s->tree, on.table);
    offline_render_amount(&s->k.render, node < 0 ? 0 : s->tree.nodes[node].alias, on);
}

void offline_statement_units(struct statement *s, const struct reading_out *out)
{
    if (out->times > 1)
        buf_printf(offline_statement_out(s), " * %u", out->times);
    if (out->over > 1)
        buf_printf(offline_statement_out(s),
                   s->k.render.dialect == SQL_MYSQL ? " / %ue0" : " / %u.0", out->over);
}

struct reading_out offline_statement_list_out(const struct lexicon *lexicon,
                                              const struct offline_reading *reading,
                                              struct reading_column on)
{
    enum { UNIT = 100 };
    struct reading_out out = {.agg = AGG_NONE, .on = on};
    for (size_t i = 0; i < reading->out_count; i++)
        if (reading->outs[i].on.table == on.table && reading->outs[i].on.column == on.column)
            out = reading->outs[i];
    bool amount = on.since == 0 && !reading->distinct &&
                  !(reading->unit.of == UNIT_OF_MONEY && reading->unit.size == 1) &&
                  lexicon_facts_in_cents(lexicon, on.table, on.column);
    if (reading->distinct)
        out.times = out.over = 0; /* as it is ordered by */
    else if (amount)
        out.over = UNIT;
    return out;
}

void offline_statement_shown(struct statement *s, struct reading_column on)
{
    const struct lexicon *lexicon = s->k.schema->lexicon;
    const struct reading_out out = offline_statement_list_out(lexicon, s->reading, on);
    offline_statement_column(s, on);
    if (on.since != 0)
        buf_push(offline_statement_out(s),
                 on.since == READING_AGE ? STR(" AS age") : STR(" AS days"));
    if (out.times == 0 && out.over == 0)
        return;
    offline_statement_units(s, &out);
    buf_push(offline_statement_out(s), STR(" AS "));
    lexicon_render_name(&s->k.render, lexicon_facts_units_name(lexicon, on.table, on.column));
}

/* The table that has the date of rows of table, or table itself. */
static int dated_table(const struct lexicon *lexicon, int table)
{
    int column, holder = lexicon_facts_dated(lexicon, table, &column);
    return column == CATALOG_NONE ? table : holder;
}

/* root, and what is shown, grouped or ordered by. */
static void list_shown(const struct statement *s, int root, struct jointree_wanted *wanted)
{
    const struct offline_reading *r = s->reading;
    offline_jointree_want(wanted, root, READING_NONE);
    for (size_t i = 0; i < r->out_count; i++)
        offline_jointree_want(wanted, r->outs[i].on.table, READING_NONE);
    for (size_t i = 0; i < r->group_count; i++)
        if (r->groups[i].on.table != READING_NONE)
            offline_jointree_want(wanted, r->groups[i].on.table, READING_NONE);
        else if (r->groups[i].grain != GRAIN_NONE && r->counted != READING_NONE)
            offline_jointree_want(wanted, dated_table(s->k.schema->lexicon, r->counted),
                                  READING_NONE);
    if (r->ordered && r->order_out == READING_NONE)
        offline_jointree_want(wanted, r->order_on.table, READING_NONE);
}

/* Whether a node only says whose the rows are: persons that they are grouped by, all of them. */
static bool only_names(const struct statement *s, int node)
{
    const struct offline_reading *r = s->reading;
    const int table = s->tree.nodes[node].table;
    bool grouped = false;
    for (size_t g = 0; g < r->group_count; g++)
        grouped =
            grouped || (r->groups[g].on.table == table && r->groups[g].on.column == READING_NONE);
    for (size_t i = 0; i < r->scopes[0].filter_count; i++)
        grouped = grouped && r->scopes[0].filters[i].on.table != table;
    for (size_t i = 0; i < s->tree.count; i++)
        grouped = grouped && s->tree.nodes[i].parent != node;
    return grouped && node > 0 && !(r->ordered && r->limit > 0) &&
           s->k.schema->lexicon->facts[table].person;
}

/* Plan over root and all the reading mentions, and mark what is shown. */
enum err_code offline_statement_plan(struct statement *s, int root)
{
    const struct offline_reading *r = s->reading;
    struct jointree_wanted wanted = {.count = 0};
    list_shown(s, root, &wanted);
    size_t shown = wanted.count;
    if (r->scope_count > 1 && r->target != READING_NONE)
        offline_jointree_want(&wanted, r->target, READING_NONE);
    offline_keyed_tables(&r->scopes[0], &wanted);
    enum err_code code = offline_jointree_plan(&s->k.schema->joins, &wanted, &s->tree, s->k.err);
    if (code != ERR_OK)
        return code;
    for (size_t i = 0; i < shown; i++)
        offline_jointree_show(&s->tree, offline_jointree_find(&s->tree, wanted.tables[i]));
    for (size_t i = 0; i < r->scopes[0].filter_count; i++) {
        const struct reading_filter *filter = &r->scopes[0].filters[i];
        if (filter->out != READING_NONE || filter->numerator)
            offline_jointree_show(&s->tree, offline_jointree_find(&s->tree, filter->on.table));
    }
    int anchor = r->target != READING_NONE ? r->target : root;
    s->anchor = offline_jointree_find(&s->tree, anchor);
    bool bare = r->scope_count == 1 && !s->shows_referred;
    for (size_t i = 0; i < r->scopes[0].filter_count; i++)
        bare = bare && r->scopes[0].filters[i].mean.of != MEAN_OF_LIKE;
    offline_jointree_settle(&s->tree, &s->k.alias, bare);
    for (size_t i = 0; i < s->tree.count; i++)
        s->tree.nodes[i].names = only_names(s, (int)i);
    if (r->scope_count > 1 && (s->anchor < 0 || !s->tree.nodes[s->anchor].joined))
        return err_set(s->k.err, ERR_INVALID, "what the condition is about is not clear");
    return ERR_OK;
}

static enum err_code render_scope(struct statement *s, const struct reading_scope *scope)
{
    if (scope->kind == SCOPE_NOT)
        return offline_keyed_not(&s->k, &s->tree, s->anchor, scope);
    if (scope->kind == SCOPE_HAVING)
        return offline_keyed_having(&s->k, &s->tree, s->anchor, scope);
    if (scope->filter_count != 1 || scope->filters[0].on.table != s->tree.nodes[s->anchor].table)
        return err_set(s->k.err, ERR_INVALID, "what the condition is about is not clear");
    offline_render_filter(&s->k.render, s->tree.nodes[s->anchor].alias, &scope->filters[0]);
    return ERR_OK;
}

static enum err_code render_scopes(struct statement *s, bool *first)
{
    const struct offline_reading *r = s->reading;
    for (size_t i = 1; i < r->scope_count; i++) {
        unsigned either = r->scopes[i].either;
        bool goes_on = either > 0 && r->scopes[i - 1].either == either;
        bool ends = i + 1 == r->scope_count || r->scopes[i + 1].either != either;
        if (goes_on)
            buf_push(offline_statement_out(s), STR(" OR "));
        else
            offline_keyed_lead(&s->k, first);
        if (either > 0 && !goes_on)
            buf_push_char(offline_statement_out(s), '(');
        enum err_code code = render_scope(s, &r->scopes[i]);
        if (code != ERR_OK)
            return code;
        if (either > 0 && ends)
            buf_push_char(offline_statement_out(s), ')');
    }
    return ERR_OK;
}

enum err_code offline_statement_where(struct statement *s)
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
        offline_statement_column(s, r->order_on);
        buf_push(offline_statement_out(s), STR(" IS NOT NULL"));
    }
    enum err_code code = render_scopes(s, &first);
    s->has_where = !first;
    return code;
}

static void push_metric(struct buf *out, struct str name)
{
    name = str_utf8_prefix(name, ALIAS_BYTES / 2);
    for (size_t i = 0; i < name.len; i++)
        buf_push_char(out, str_is_blank(name.at[i]) ? '_' : name.at[i]);
}

/* "total_amount", "account_count"; a number behind it where that is taken. */
void offline_statement_alias(struct statement *s, size_t out)
{
    static const char *const names[] = {
        [AGG_NONE] = "",        [AGG_COUNT] = "",       [AGG_DISTINCT] = "different_",
        [AGG_SUM] = "total_",   [AGG_AVG] = "average_", [AGG_MIN] = "lowest_",
        [AGG_MAX] = "highest_", [AGG_NET] = "net_",     [AGG_METRIC] = ""};
    const struct offline_reading *r = s->reading;
    const struct reading_out *o = &r->outs[out];
    const struct catalog_table *table = &s->k.schema->lexicon->catalog->tables[o->on.table];
    struct buf name;
    buf_init(&name, ALIAS_BYTES);
    bool total = o->on.column != READING_NONE && o->agg == AGG_SUM &&
                 str_starts_with(table->columns[o->on.column].name, STR("total"));
    bool in_units = (o->times > 1 || o->over > 1) && o->on.since == 0;
    if (!total)
        buf_push(&name, str_of(names[o->agg]));
    if (o->agg == AGG_METRIC)
        push_metric(&name, o->on.metric->name);
    else if (r->ratio)
        buf_push(&name, STR("percentage"));
    else if (o->on.column == READING_NONE)
        buf_printf(&name, "%.*s_count", STR_ARG(str_utf8_prefix(table->name, ALIAS_BYTES / 2)));
    else if (o->on.since == READING_AGE)
        buf_push(&name, STR("age"));
    else
        buf_push(&name,
                 str_utf8_prefix(in_units ? lexicon_facts_units_name(s->k.schema->lexicon,
                                                                     o->on.table, o->on.column)
                                          : table->columns[o->on.column].name,
                                 ALIAS_BYTES / 2));
    for (size_t i = 0; i < out; i++)
        if (r->outs[i].agg == o->agg && r->outs[i].on.column == o->on.column &&
            r->outs[i].on.metric == o->on.metric) {
            buf_printf(&name, "_%zu", out + 1);
            break;
        }
    lexicon_render_name(&s->k.render, buf_str(&name));
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

bool offline_statement_is_list(const struct offline_reading *r)
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
    if (offline_statement_is_list(r) && !r->distinct && r->group_count == 0)
        by[count++] = (struct reading_column){r->target, READING_NONE};
    for (size_t g = 0; g < r->group_count; g++)
        if (r->groups[g].grain == GRAIN_NONE)
            by[count++] = r->groups[g].on;
    for (size_t i = 0; i < count; i++) {
        if (by[i].column == READING_NONE)
            by[i].column = s->k.schema->lexicon->facts[by[i].table].key;
        if (by[i].column == CATALOG_NONE || offline_jointree_find(&s->tree, by[i].table) < 0)
            continue;
        buf_push(offline_statement_out(s), STR(", "));
        offline_statement_column(s, by[i]);
    }
}

void offline_statement_tail(struct statement *s)
{
    const struct offline_reading *r = s->reading;
    if (r->ordered) {
        buf_push(offline_statement_out(s), STR(" ORDER BY "));
        if (r->over == OVER_CHANGE && r->out_count > 1)
            buf_push(offline_statement_out(s), STR("difference"));
        else if (r->order_out != READING_NONE)
            offline_statement_alias(s, (size_t)r->order_out);
        else
            offline_statement_column(s, r->order_on);
        offline_render_order(&s->k.render, r->descending, may_order_null(s));
    }
    if (r->ordered && (r->limit > 0 || (r->group_count > 0 && r->order_out != READING_NONE)))
        render_tie_breaks(s);
    if (r->limit > 0)
        buf_printf(offline_statement_out(s), " LIMIT %u", r->limit);
}

/* The date a period is made of: the one that is filtered, else the table's own. */
static struct reading_column period_date(const struct statement *s)
{
    const struct offline_reading *r = s->reading;
    int header = s->k.schema->lexicon->facts[r->counted].header;
    for (size_t i = 0; i < r->scopes[0].filter_count; i++)
        if (r->scopes[0].filters[i].op == OP_RANGE &&
            (r->scopes[0].filters[i].on.table == r->counted ||
             r->scopes[0].filters[i].on.table == header))
            return r->scopes[0].filters[i].on;
    struct reading_column on = {READING_NONE, READING_NONE};
    on.table = lexicon_facts_dated(s->k.schema->lexicon, r->counted, &on.column);
    return on;
}

/* Whether there is a group for each row of the table, which has one value of each column. */
static bool is_of_entity(const struct offline_reading *r, int table)
{
    for (size_t g = 0; g < r->group_count; g++)
        if (r->groups[g].on.table == table && r->groups[g].on.column == READING_NONE &&
            r->groups[g].grain == GRAIN_NONE)
            return true;
    return false;
}

const char *offline_statement_period(enum offline_grain grain)
{
    return grain == GRAIN_WEEK ? "week" : "period";
}

/* Columns of the groups, each followed by separator; entities also by key so that equal names
 * stay apart. */
enum err_code offline_statement_groups(struct statement *s, bool selecting)
{
    const struct offline_reading *r = s->reading;
    for (size_t g = 0; g < r->group_count; g++) {
        const struct reading_group *group = &r->groups[g];
        if (g > 0)
            buf_push(offline_statement_out(s), STR(", "));
        if (group->grain != GRAIN_NONE) {
            struct reading_column on =
                group->on.column == READING_NONE ? period_date(s) : group->on;
            int node = offline_jointree_find(&s->tree, on.table);
            if (on.column == CATALOG_NONE || node < 0)
                return err_set(s->k.err, ERR_INVALID, "it is not clear which date is meant");
            offline_render_grain(&s->k.render, group->grain, s->tree.nodes[node].alias, on.table,
                                 on.column);
            if (selecting)
                buf_printf(offline_statement_out(s), " AS %s",
                           offline_statement_period(group->grain));
            continue;
        }
        if (group->on.column != READING_NONE) {
            if (offline_jointree_repeats(&s->tree) && !is_of_entity(r, group->on.table))
                return err_set(s->k.err, ERR_INVALID, "the groups are of other rows");
            offline_statement_column(s, group->on);
            continue;
        }
        int columns[STATEMENT_COLUMNS];
        size_t count = offline_statement_columns(s->k.schema->lexicon, group->on.table, true,
                                                 columns, STATEMENT_COLUMNS);
        if (count == 0)
            return err_set(s->k.err, ERR_INVALID, "the groups have no name");
        for (size_t i = 0; i < count; i++) {
            if (i > 0)
                buf_push(offline_statement_out(s), STR(", "));
            offline_statement_column(s, (struct reading_column){group->on.table, columns[i]});
        }
    }
    return ERR_OK;
}

/* Of more columns than are shown that one which says when, in the place of the last. */
static void keep_date(const struct catalog_table *t, const struct lexicon_facts *facts,
                      int *columns, size_t count)
{
    bool dated = facts->began == CATALOG_NONE || t->columns[facts->began].hidden;
    for (size_t i = 0; i < count && !dated; i++)
        dated = columns[i] == facts->began;
    if (!dated)
        columns[count - 1] = facts->began;
}

size_t offline_statement_columns(const struct lexicon *lexicon, int table, bool labels_only,
                                 int *columns, size_t max)
{
    const struct lexicon_facts *facts = &lexicon->facts[table];
    const struct catalog_table *t = &lexicon->catalog->tables[table];
    size_t count = 0;
    for (size_t i = 0; i < facts->label_count && count < max; i++)
        columns[count++] = facts->labels[i];
    if (labels_only) {
        bool unique = false;
        for (size_t i = 0; i < count; i++)
            unique = unique || t->columns[columns[i]].unique;
        if (!unique && facts->key != CATALOG_NONE && count < max)
            columns[count++] = facts->key;
        return count;
    }
    for (size_t c = 0; c < t->column_count && count < max; c++) {
        bool known = t->columns[c].hidden || t->columns[c].pii ||
                     t->columns[c].type == CATALOG_BLOB || (int)c == t->tenant_column;
        for (size_t i = 0; i < count && !known; i++)
            known = columns[i] == (int)c;
        if (!known)
            columns[count++] = (int)c;
    }
    if (count == max)
        keep_date(t, facts, columns, count);
    return count;
}
