/* SPDX-License-Identifier: MIT */
/* agents/offline/compare.c - one check for each part of a reading.
 *
 * Happy path: what was read is looked for in what the statement does (claims.h); each part that is
 * not there, or is there the other way round, is a remark. Conditions have a file of their own.
 * Failure: a full buffer cuts a remark short. */
#include "agents/offline/compare.h"

#include <inttypes.h>

#include "agents/offline/claims.h"
#include "agents/offline/compare_filters.h"
#include "agents/offline/describe.h"
#include "agents/sql/multiplied.h"

enum { REMARK_BYTES = 600 };

struct comparison {
    const struct claims *claims;
    const struct offline_reading *reading;
    const struct sql_parse *parse;
    offline_compare_fn *say;
    void *owner;
};

static bool calls(const struct comparison *c, const char *const *names, size_t count)
{
    return offline_claims_call(c->claims, names, count) != NULL;
}

static bool calls_one(const struct comparison *c, const char *name)
{
    return calls(c, &name, 1);
}

/* ---- tables ---- */

/* Rows that refer to a table stand for it, where the question speaks of other tables, too. */
static void say_of_table(const struct comparison *c, int table, bool alone)
{
    struct buf out;
    if (table == READING_NONE || offline_claims_reads(c->claims, table) ||
        (!alone && offline_claims_refers(c->claims, table)))
        return;
    buf_init(&out, REMARK_BYTES);
    buf_push(&out, STR("the question speaks of "));
    offline_describe_table(c->claims->lexicon, table, true, &out);
    buf_push(&out, STR(", which the statement does not read"));
    c->say(c->owner, buf_str(&out));
    buf_fini(&out);
}

/* Whether the question speaks of one table only. */
static bool is_alone(const struct offline_reading *r, int table)
{
    bool alone = r->target == READING_NONE || r->target == table;
    for (size_t i = 0; i < r->scope_count && alone; i++) {
        const struct reading_scope *scope = &r->scopes[i];
        alone = scope->kind == SCOPE_MAIN;
        for (size_t k = 0; k < scope->table_count; k++)
            alone = alone && scope->tables[k] == table;
        for (size_t k = 0; k < scope->filter_count; k++)
            alone = alone && scope->filters[k].on.table == table;
    }
    for (size_t i = 0; i < r->group_count; i++)
        alone = alone && r->groups[i].on.table == table;
    for (size_t i = 0; i < r->out_count; i++)
        alone = alone && r->outs[i].on.table == table;
    return alone;
}

static void say_of_tables(const struct comparison *c)
{
    const struct offline_reading *r = c->reading;
    int first = r->counted != READING_NONE ? r->counted : r->target;
    say_of_table(c, first, is_alone(r, first));
    if (r->target != first)
        say_of_table(c, r->target, false);
    for (size_t i = 0; i < r->scope_count; i++) {
        const struct reading_scope *scope = &r->scopes[i];
        for (size_t k = 0; k < scope->table_count; k++)
            say_of_table(c, scope->tables[k], false);
        for (size_t k = 0; k < scope->filter_count; k++) {
            int table = scope->filters[k].on.table;
            bool known = table == r->target || table == r->counted;
            for (size_t t = 0; t < scope->table_count; t++)
                known = known || scope->tables[t] == table;
            if (!known)
                say_of_table(c, table, scope->filters[k].value_count > 0);
        }
    }
}

/* ---- numbers ---- */

/* MAX(x), or the first by x descending; anything else that computes is another number. */
static bool has_extreme(const struct comparison *c, bool highest, const struct reading_column *on)
{
    const struct claims_order *order = &c->claims->order;
    if (calls_one(c, highest ? "max" : "min"))
        return true;
    if (calls_one(c, highest ? "min" : "max"))
        return false;
    bool by_it = order->present && order->table == on->table && order->column == on->column;
    return by_it ? order->descending == highest
                 : order->present || c->parse->has_subquery || !c->parse->has_aggregate;
}

/* SUM, perhaps of a CASE that counts; or COUNT where sums is false. */
static bool adds_up(const struct comparison *c, bool plain)
{
    for (size_t i = 0; i < c->claims->call_count; i++) {
        const struct claims_call *call = &c->claims->calls[i];
        bool sum = str_equal(call->name, STR("sum")) || str_equal(call->name, STR("total"));
        bool boolean =
            call->of_column && call->column != READING_NONE &&
            offline_index_is_boolean(c->claims->lexicon->catalog, call->table, call->column);
        if (sum && (plain || !call->of_column || boolean))
            return true;
    }
    return false;
}

static bool computes(const struct comparison *c, enum offline_agg agg,
                     const struct reading_column *on)
{
    bool counts = calls_one(c, "count");
    switch (agg) {
    case AGG_COUNT:
    case AGG_DISTINCT:
        return counts || adds_up(c, false);
    case AGG_AVG:
        return calls_one(c, "avg") || (adds_up(c, true) && counts);
    case AGG_SUM:
    case AGG_NET:
        return adds_up(c, true);
    case AGG_MIN:
    case AGG_MAX:
        return has_extreme(c, agg == AGG_MAX, on);
    case AGG_METRIC:
        return c->parse->has_aggregate;
    default:
        return true;
    }
}

/* What is said only to rank by may be ranked by row by row. */
static bool only_ranks(const struct comparison *c, size_t out)
{
    const struct offline_reading *r = c->reading;
    return r->ordered && r->order_out == (int)out && r->group_count > 0 && r->limit > 0 &&
           c->claims->order.present && !c->parse->has_aggregate;
}

static void say_of_output(const struct comparison *c, size_t at)
{
    const struct reading_out *out = &c->reading->outs[at];
    struct buf text;
    if (computes(c, out->agg, &out->on) || only_ranks(c, at))
        return;
    buf_init(&text, REMARK_BYTES);
    buf_push(&text, STR("the question asks for the "));
    offline_describe_measure(c->claims->lexicon, out, &text);
    buf_push(&text, STR(", the statement does not compute it"));
    c->say(c->owner, buf_str(&text));
    buf_fini(&text);
}

/* Values that are to be counted once each: COUNT(DISTINCT), or a query of distinct ones. */
static void say_of_distinct(const struct comparison *c)
{
    const struct offline_reading *r = c->reading;
    bool once = c->claims->distinct || c->parse->has_group_by || c->parse->has_set_operation;
    for (size_t i = 0; i < c->claims->call_count; i++)
        once = once || c->claims->calls[i].distinct;
    if (!once && r->out_count > 0 && r->outs[0].agg == AGG_DISTINCT)
        c->say(c->owner, STR("the question counts different values, the statement counts each as "
                             "often as it is there"));
}

/* COUNT(*) over a join in which rows of the table that is counted come again. */
static void say_of_repeats(const struct comparison *c)
{
    static const char *const count[] = {"count"};
    const struct offline_reading *r = c->reading;
    struct sql_multiplied multiplied;
    const struct claims_call *call = offline_claims_call(c->claims, count, countof(count));
    if (call != NULL && call->of_column && !call->distinct && !c->claims->distinct &&
        r->out_count == 1 && r->outs[0].agg == AGG_COUNT && r->group_count == 0 && !r->ratio &&
        !r->nested && !c->parse->has_group_by && !c->parse->has_subquery &&
        !offline_claims_reads(c->claims, r->counted))
        c->say(c->owner, STR("the question counts different values, the statement counts each as "
                             "often as it is there"));
    if (r->out_count != 1 || r->outs[0].agg != AGG_COUNT || r->group_count > 0 || r->ratio ||
        r->nested || call == NULL || call->distinct || c->claims->distinct ||
        c->parse->has_group_by || c->parse->has_subquery || c->parse->has_with)
        return;
    sql_multiplied_init(&multiplied, c->parse, c->claims->lexicon->catalog);
    for (size_t i = 0; i < c->parse->table_count; i++) {
        int by = offline_claims_table(c->claims, (int)i) == r->counted
                     ? sql_multiplied_by(&multiplied, (int)i)
                     : -1;
        if (by < 0)
            continue;
        struct buf out;
        buf_init(&out, REMARK_BYTES);
        buf_push(&out, STR("the question counts "));
        offline_describe_table(c->claims->lexicon, r->counted, true, &out);
        buf_printf(&out, ", the statement counts one again for each row of %.*s",
                   STR_ARG(c->parse->tables[by].name));
        c->say(c->owner, buf_str(&out));
        buf_fini(&out);
        return;
    }
}

/* ---- groups, order, limit ---- */

static bool names_any_column(const struct comparison *c, int table)
{
    const struct catalog_table *at = &c->claims->lexicon->catalog->tables[table];
    for (size_t i = 0; i < at->column_count; i++)
        if (offline_claims_names(c->claims, table, (int)i))
            return true;
    return false;
}

static void say_of_groups(const struct comparison *c)
{
    const struct offline_reading *r = c->reading;
    bool grouped = false;
    for (size_t i = 0; i < r->out_count; i++)
        grouped = grouped || (r->group_count > 0 && r->outs[i].agg != AGG_NONE);
    bool extreme = r->out_count == 1 && (r->outs[0].agg == AGG_MIN || r->outs[0].agg == AGG_MAX);
    if (!grouped || (extreme && r->limit == 1 && c->claims->order.present))
        return;
    if (!c->parse->has_group_by && !c->parse->has_subquery && c->parse->has_aggregate) {
        c->say(c->owner, STR("the question asks for a number for each group, the statement has no "
                             "GROUP BY"));
        return;
    }
    for (size_t i = 0; i < r->group_count; i++) {
        const struct reading_column *on = &r->groups[i].on;
        if (!offline_claims_reads(c->claims, on->table) || names_any_column(c, on->table))
            continue;
        c->say(c->owner, STR("the question asks for a number for each group, the statement does "
                             "not group by it"));
        return;
    }
}

/* Whether the statement is ordered by what the reading is, so that directions can be compared. */
static bool orders_alike(const struct comparison *c)
{
    static const char *const functions[] = {
        [AGG_NONE] = "",   [AGG_COUNT] = "count", [AGG_DISTINCT] = "count",
        [AGG_SUM] = "sum", [AGG_AVG] = "avg",     [AGG_MIN] = "min",
        [AGG_MAX] = "max", [AGG_NET] = "sum",     [AGG_METRIC] = ""};
    const struct offline_reading *r = c->reading;
    const struct claims_order *order = &c->claims->order;
    if (!r->ordered || !order->present || c->parse->has_set_operation)
        return false;
    const struct reading_out *out = r->order_out == READING_NONE ? NULL : &r->outs[r->order_out];
    const struct reading_column *on = out == NULL ? &r->order_on : &out->on;
    if (out != NULL && out->agg != AGG_NONE && functions[out->agg][0] != '\0' &&
        str_equal(order->function, str_of(functions[out->agg])))
        return true;
    return on->column != READING_NONE && order->table == on->table && order->column == on->column;
}

/* MIN(x) where the greatest x are asked for, or the other way round. */
static bool turns_extreme(const struct comparison *c)
{
    const struct offline_reading *r = c->reading;
    bool right = false, turned = false;
    if (!r->ordered || r->order_out != READING_NONE || r->order_on.column == READING_NONE ||
        c->claims->order.present)
        return false;
    for (size_t i = 0; i < c->claims->call_count; i++) {
        const struct claims_call *call = &c->claims->calls[i];
        bool of_it = call->table == r->order_on.table && call->column == r->order_on.column;
        right = right || (of_it && str_equal(call->name, r->descending ? STR("max") : STR("min")));
        turned =
            turned || (of_it && str_equal(call->name, r->descending ? STR("min") : STR("max")));
    }
    return turned && !right;
}

static void say_of_order(const struct comparison *c)
{
    const struct offline_reading *r = c->reading;
    if (orders_alike(c) && c->claims->order.descending != r->descending)
        c->say(c->owner, r->descending
                             ? STR("the question asks for the highest first, the statement for the "
                                   "lowest")
                             : STR("the question asks for the lowest first, the statement for the "
                                   "highest"));
    else if (turns_extreme(c))
        c->say(c->owner,
               r->descending
                   ? STR("the question asks for the highest, the statement for the lowest")
                   : STR("the question asks for the lowest, the statement for the highest"));
    else if (r->ordered && (r->limit == 0 || c->parse->limit.present) &&
             !c->claims->order.present && !c->parse->has_subquery)
        c->say(c->owner, STR("the question asks for the first by some order, the statement has no "
                             "ORDER BY"));
}

static void say_of_limit(const struct comparison *c)
{
    const struct sql_limit *limit = &c->parse->limit;
    unsigned wanted = c->reading->limit;
    if (wanted == 0 || (limit->present && !limit->is_number))
        return;
    if (limit->present && limit->number == (int64_t)wanted)
        return;
    if (!limit->present && wanted == 1 && c->parse->has_aggregate &&
        (c->parse->has_subquery || !c->claims->order.present))
        return; /* by a maximum */
    struct buf out;
    buf_init(&out, REMARK_BYTES);
    buf_printf(&out, "the question asks for %u, the statement ", wanted);
    if (limit->present)
        buf_printf(&out, "takes %" PRId64, limit->number);
    else
        buf_push(&out, STR("takes all"));
    c->say(c->owner, buf_str(&out));
    buf_fini(&out);
}

static void say_of_scopes(const struct comparison *c)
{
    static const char *const denials[] = {"not ", "except", "is null", "= 0"};
    bool denied = false;
    for (size_t i = 0; i < countof(denials); i++)
        denied = denied || offline_claims_has_text(c->claims, str_of(denials[i]));
    for (size_t i = 0; i < c->reading->scope_count; i++) {
        const struct reading_scope *scope = &c->reading->scopes[i];
        if (scope->kind == SCOPE_NOT && !denied)
            c->say(c->owner, STR("the question asks for rows without something, the statement "
                                 "excludes nothing"));
        if (scope->kind == SCOPE_HAVING && !computes(c, scope->agg, &scope->measure) &&
            !offline_compare_filters_is_one(scope))
            c->say(c->owner, STR("the question compares a number of related rows, the statement "
                                 "computes another or none"));
    }
}

void offline_compare_statement(const struct lexicon *lexicon, const struct offline_answer *answer,
                               const struct sql_parse *parse, offline_compare_fn *say, void *owner)
{
    const struct offline_reading *r = &answer->reading;
    struct claims claims;
    const struct comparison c = {&claims, r, parse, say, owner};
    if (!answer->understood || answer->verified != NULL)
        return;
    offline_claims_read(lexicon, parse, &claims);
    say_of_tables(&c);
    for (size_t i = 0; i < r->out_count; i++)
        say_of_output(&c, i);
    say_of_distinct(&c);
    say_of_repeats(&c);
    offline_compare_filters_say(&claims, r, say, owner);
    say_of_scopes(&c);
    if (r->nested && !calls_one(&c, "avg") && !offline_claims_has_text(&claims, STR("/")))
        say(owner, STR("the question asks for an average of numbers, the statement computes none"));
    say_of_groups(&c);
    say_of_order(&c);
    say_of_limit(&c);
}
