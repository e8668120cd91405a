/* SPDX-License-Identifier: MIT */
/* agents/offline/second_look/compare.c - one check for each part of a reading.
 *
 * Happy path: what was read is looked for in what the statement does (claims.h); each part that is
 * not there, or is there the other way round, is a remark. Of a condition, its column must be named
 * and its value compared with; what is written in a way that cannot be followed (an expression, a
 * date that is computed) is given the benefit of the doubt.
 * Failure: a full buffer cuts a remark short. */
#include "agents/offline/second_look/compare.h"

#include <inttypes.h>
#include <math.h>
#include <stdio.h>

#include "agents/offline/second_look/claims.h"
#include "agents/offline/second_look/conditions.h"
#include "agents/offline/answers/describe.h"
#include "agents/sql/doubts/said.h"
#include "agents/sql/joins/multiplied.h"
#include "core/words/stem.h"

enum {
    REMARK_BYTES = 600,
    DAY_BYTES = 11,
    YEAR_BYTES = 4,
    NUMBER_BYTES = 32,
    NAME_WORDS = 8,
    NAME_BYTES = 4096
};

struct comparison {
    const struct claims *claims;
    bool is_of_rest; /* the question asks what is still so */
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

/* Say a remark, whose halves are told to whoever wrote the statement, and shown to whoever asked.
 */
static void say_halves_of(const struct comparison *c, struct str told, struct str told_end,
                          struct str shown, struct str shown_end, bool is_stranger)
{
    struct buf whole, plain;
    buf_init(&whole, 2 * REMARK_BYTES);
    buf_init(&plain, 2 * REMARK_BYTES);
    buf_printf(&whole, "%.*s%.*s", STR_ARG(told), STR_ARG(told_end));
    buf_printf(&plain, "%.*s%.*s", STR_ARG(shown), STR_ARG(shown_end));
    c->say(c->owner, &(struct offline_remark){buf_str(&whole), buf_str(&plain), is_stranger});
    buf_fini(&whole);
    buf_fini(&plain);
}

static void say_halves(const struct comparison *c, struct str told, struct str told_end,
                       struct str shown, struct str shown_end)
{
    say_halves_of(c, told, told_end, shown, shown_end, false);
}

/* What the question asks, and what the statement makes of it in both ways of saying it. */
static void say(const struct comparison *c, struct str asked, const char *told, const char *shown)
{
    say_halves(c, asked, str_of(told), asked, str_of(shown));
}

/* ---- conditions ---- */

static void say_of_column(const struct comparison *c, const struct reading_column *on,
                          bool is_there)
{
    struct buf out;
    buf_init(&out, REMARK_BYTES);
    buf_push(&out, STR("the question has a condition on "));
    lexicon_describe_column(c->claims->lexicon, on->table, on->column, &out);
    buf_push(&out, STR(" of "));
    lexicon_describe_table(c->claims->lexicon, on->table, true, &out);
    say(c, buf_str(&out), is_there ? ", the statement has another one" : ", the statement has none",
        is_there ? ", the answer may heed another one" : ", the answer may not heed it");
    buf_fini(&out);
}

static void say_of_text(const struct comparison *c, const char *before, struct str text,
                        const char *told, const char *shown)
{
    struct buf out;
    buf_init(&out, REMARK_BYTES);
    buf_printf(&out, "%s'%.*s'", before, STR_ARG(text));
    say(c, buf_str(&out), told, shown);
    buf_fini(&out);
}

static void say_of_value(const struct comparison *c, const struct reading_filter *filter,
                         bool sided)
{
    struct str missing = offline_conditions_lack(c->claims, filter);
    bool denied = filter->op == OP_NE || filter->op == OP_NOT_LIKE;
    bool split = c->reading->outs[0].agg == AGG_NET; /* x, else minus: one value is enough */
    if (denied && offline_conditions_are_elsewhere(c->claims, filter))
        return;
    if (!str_is_absent(missing) && !split) {
        say_of_text(c, "the question says ", missing, ", which is not in the statement",
                    ", which the answer may not heed");
        return;
    }
    for (size_t i = 0; sided && i < filter->value_count; i++)
        if ((filter->op == OP_EQ || denied) &&
            offline_conditions_are_turned(c->claims, filter->values[i], denied)) {
            say_of_text(c, denied ? "the question excludes " : "the question asks for ",
                        filter->values[i],
                        denied ? ", the statement asks for it" : ", the statement excludes it",
                        denied ? ", the answer is about it" : ", the answer is without it");
            return;
        }
}

/* sided: neither below a NOT of the question nor part of a number of it. */
static void say_of_filter(const struct comparison *c, const struct reading_filter *filter,
                          bool sided)
{
    if (filter->named != NULL || filter->on.column == READING_NONE || filter->through)
        return;
    if (offline_conditions_by_another(c->claims, c->reading, filter) ||
        (c->is_of_rest && offline_conditions_by_rest(c->claims, filter)))
        return;
    if (!offline_conditions_are_there(c->claims, filter))
        say_of_column(c, &filter->on, false);
    else if (!offline_claims_reads(c->claims, filter->on.table))
        return;
    else if (filter->value_count > 0)
        say_of_value(c, filter, sided);
    else if (sided && !offline_conditions_agree(c->claims, filter))
        say_of_column(c, &filter->on, true);
}

/* ---- conditions nobody asked for ---- */

static bool asks_for(const struct offline_reading *r, struct str text)
{
    for (size_t i = 0; i < r->scope_count; i++)
        for (size_t k = 0; k < r->scopes[i].filter_count; k++) {
            const struct reading_filter *filter = &r->scopes[i].filters[k];
            if (filter->named != NULL || filter->through)
                return true; /* who knows */
            for (size_t v = 0; v < filter->value_count; v++)
                if (str_equal_nocase(filter->values[v], text))
                    return true;
        }
    return false;
}

/* Whether the comparison stands for a condition of the question on another column of its table. */
static bool replaces_one(const struct comparison *c, const struct claims_comparison *one)
{
    for (size_t i = 0; i < c->reading->scope_count; i++)
        for (size_t k = 0; k < c->reading->scopes[i].filter_count; k++) {
            const struct reading_filter *filter = &c->reading->scopes[i].filters[k];
            if (offline_conditions_called_by(c->claims, filter, one))
                return true;
            if (filter->value_count > 0 && filter->on.table == one->table &&
                filter->on.column != one->column && filter->on.column != READING_NONE &&
                !offline_claims_names(c->claims, filter->on.table, filter->on.column))
                return true;
        }
    return false;
}

static void say_of_strangers(const struct comparison *c)
{
    for (size_t i = 0; i < c->reading->out_count; i++)
        if (c->reading->outs[i].agg == AGG_METRIC || c->reading->outs[i].agg == AGG_NET)
            return;
    for (size_t i = 0; i < c->claims->comparison_count; i++) {
        const struct claims_comparison *one = &c->claims->comparisons[i];
        if (one->is_text && one->op == OP_EQ && one->column != READING_NONE && one->text.len > 0 &&
            !(one->denied && c->is_of_rest) && !replaces_one(c, one) &&
            !str_is_digit(one->text.at[0]) &&
            lexicon_index_wants(c->claims->lexicon, one->table, one->column) &&
            !asks_for(c->reading, one->text)) {
            struct buf text;
            buf_init(&text, REMARK_BYTES);
            buf_printf(&text, "'%.*s', of which the question does not speak", STR_ARG(one->text));
            say_halves_of(c, STR("the statement has a condition with "), buf_str(&text),
                          one->denied ? STR("the answer leaves out ")
                                      : STR("the answer is only about "),
                          buf_str(&text), true);
            buf_fini(&text);
            return;
        }
    }
}

/* Whether a scope only says that there is one at least, which needs no number. */
static bool is_one(const struct reading_scope *scope)
{
    return scope->agg == AGG_COUNT && !scope->vs_average &&
           ((scope->op == OP_GE && scope->number <= 1) ||
            (scope->op == OP_GT && scope->number < 1));
}

/* One remark for each condition of the reading that the statement does not have, has with another
 * number or the other way round; and one for a text it compares with that nobody spoke of. */
static void check_conditions(const struct comparison *c)
{
    const struct claims *claims = c->claims;
    const struct offline_reading *reading = c->reading;
    bool denies = false;
    for (size_t i = 0; i < reading->scope_count; i++)
        denies = denies || reading->scopes[i].kind == SCOPE_NOT;
    for (size_t i = 0; i < reading->scope_count; i++) {
        const struct reading_scope *scope = &reading->scopes[i];
        const struct reading_column rows = {READING_NONE, READING_NONE, NULL};
        for (size_t k = 0; k < scope->filter_count; k++) {
            const struct reading_filter *filter = &scope->filters[k];
            bool sided = scope->kind != SCOPE_NOT && !denies && !filter->numerator &&
                         !filter->minus && filter->out == READING_NONE && !reading->ratio;
            say_of_filter(c, filter, sided);
        }
        if (scope->kind == SCOPE_HAVING && !scope->vs_average && scope->factor == 0 &&
            scope->number > 1 &&
            !offline_conditions_have_number(claims, &rows, scope->op, scope->number, scope->high))
            say(c, STR("the question compares a number of related rows"),
                ", the statement has another number or goes the other way",
                ", the answer may compare another one");
    }
    if (reading->bounded && !offline_conditions_have_number(
                                claims, &(struct reading_column){READING_NONE, READING_NONE, NULL},
                                reading->bound_op, reading->bound_number, 0))
        say(c, STR("the question compares a number of each group"),
            ", the statement has another number or goes the other way",
            ", the answer may compare another one");
    say_of_strangers(c);
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
    lexicon_describe_table(c->claims->lexicon, table, true, &out);
    say(c, buf_str(&out), ", which the statement does not read",
        ", which the answer was not looked up in");
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

/* Whether the table is there for a number of one of its columns alone, with which the statement
 * compares another column: which was meant is a guess. */
static bool is_guessed(const struct comparison *c, const struct reading_scope *scope, int table)
{
    bool any = false;
    for (size_t i = 0; i < scope->filter_count; i++) {
        const struct reading_filter *filter = &scope->filters[i];
        if (filter->on.table != table)
            continue;
        any = filter->value_count == 0 && offline_conditions_compare_number(
                                              c->claims, filter->op, filter->number, filter->high);
        if (!any)
            return false;
    }
    return any;
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
            if (!is_guessed(c, scope, scope->tables[k]))
                say_of_table(c, scope->tables[k], false);
        for (size_t k = 0; k < scope->filter_count; k++) {
            int table = scope->filters[k].on.table;
            bool known = table == r->target || table == r->counted || is_guessed(c, scope, table);
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

/* Whether the column says how many a row is of: "quantity". */
static bool is_of_pieces(const struct comparison *c, int table, int column)
{
    struct str words[NAME_WORDS];
    struct arena arena;
    arena_init(&arena, NAME_BYTES);
    bool any = false;
    for (size_t k =
             stem_split(&arena, c->claims->lexicon->catalog->tables[table].columns[column].name,
                        words, NAME_WORDS);
         k > 0; k--)
        any = any || sql_said_is(words[k - 1], SQL_DOUBTS_PIECES);
    arena_fini(&arena);
    return any;
}

/* SUM; where not any sum will do, of what counts: a CASE, a yes or no, how many a row is of. */
static bool adds_up(const struct comparison *c, bool plain)
{
    for (size_t i = 0; i < c->claims->call_count; i++) {
        const struct claims_call *call = &c->claims->calls[i];
        bool sum = str_equal(call->name, STR("sum")) || str_equal(call->name, STR("total"));
        bool counts =
            call->of_column && call->column != READING_NONE &&
            (lexicon_index_is_boolean(c->claims->lexicon->catalog, call->table, call->column) ||
             is_of_pieces(c, call->table, call->column));
        if (sum && (plain || !call->of_column || counts))
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

/* Whether an output of the question only ranks the rows; a statement may then rank by it row by
 * row. */
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
    say(c, buf_str(&text), ", the statement does not compute it",
        ", the answer may be another one");
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
        say(c, STR("the question counts different values"),
            ", the statement counts each as often as it is there",
            ", the answer counts each as often as it is there");
}

/* The COUNT of a statement that only counts, where that is all the question asks; NULL: it is not.
 */
static const struct claims_call *find_plain_count(const struct comparison *c)
{
    static const char *const count[] = {"count"};
    const struct offline_reading *r = c->reading;
    const struct claims_call *call = offline_claims_call(c->claims, count, countof(count));
    bool asked = r->out_count == 1 && r->outs[0].agg == AGG_COUNT && r->group_count == 0 &&
                 !r->ratio && !r->nested;
    bool written = call != NULL && !call->distinct && !c->claims->distinct &&
                   !c->parse->has_group_by && !c->parse->has_subquery;
    return asked && written ? call : NULL;
}

/* COUNT(*) over a join in which rows of the table that is counted come again. */
static void say_of_repeats(const struct comparison *c)
{
    const struct offline_reading *r = c->reading;
    struct sql_multiplied multiplied;
    const struct claims_call *call = find_plain_count(c);
    if (call == NULL)
        return;
    if (call->of_column && !offline_claims_reads(c->claims, r->counted))
        say(c, STR("the question counts different values"),
            ", the statement counts each as often as it is there",
            ", the answer counts each as often as it is there");
    if (c->parse->has_with)
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
        lexicon_describe_table(c->claims->lexicon, r->counted, true, &out);
        char told[REMARK_BYTES];
        snprintf(told, sizeof told, ", the statement counts one again for each row of %.*s",
                 STR_ARG(str_utf8_prefix(c->parse->tables[by].name, REMARK_BYTES / 2)));
        say(c, buf_str(&out), told, ", the answer may count one several times");
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
    if (r->nested && offline_claims_has_text(c->claims, STR("/"))) /* a number by another */
        return;
    if (!c->parse->has_group_by && !c->parse->has_subquery && c->parse->has_aggregate) {
        say(c, STR("the question asks for a number for each group"),
            ", the statement has no GROUP BY", ", the answer has one for all");
        return;
    }
    for (size_t i = 0; i < r->group_count; i++) {
        const struct reading_column *on = &r->groups[i].on;
        if (!offline_claims_reads(c->claims, on->table) || names_any_column(c, on->table))
            continue;
        say(c, STR("the question asks for a number for each group"),
            ", the statement does not group by it", ", the answer may have it for others");
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
        say(c,
            r->descending ? STR("the question asks for the highest first")
                          : STR("the question asks for the lowest first"),
            r->descending ? ", the statement for the lowest" : ", the statement for the highest",
            ", the answer has it the other way round");
    else if (turns_extreme(c))
        say(c,
            r->descending ? STR("the question asks for the highest")
                          : STR("the question asks for the lowest"),
            r->descending ? ", the statement for the lowest" : ", the statement for the highest",
            ", the answer has it the other way round");
    else if (r->ordered && (r->limit == 0 || c->parse->limit.present) &&
             !c->claims->order.present && !c->parse->has_subquery)
        say(c, STR("the question asks for the first by some order"),
            ", the statement has no ORDER BY", ", the answer is in none");
}

/* Whether rows are numbered within a window: "the newest of each". */
static bool ranks(const struct comparison *c)
{
    for (size_t i = 0; i < c->parse->function_count; i++)
        if (c->parse->functions[i].windowed)
            return true;
    return false;
}

static void say_of_limit(const struct comparison *c)
{
    const struct sql_limit *limit = &c->parse->limit;
    unsigned wanted = c->reading->limit;
    if (wanted == 0 || (limit->present && !limit->is_number))
        return;
    if (limit->present && limit->number == (int64_t)wanted)
        return;
    const bool is_by_maximum = !limit->present && c->parse->has_aggregate &&
                               (c->parse->has_subquery || !c->claims->order.present);
    /* "which customers have the most" may be some, and the first of more is the one */
    if (wanted == 1 && (is_by_maximum || c->claims->order.present || ranks(c)))
        return;
    char asked[NUMBER_BYTES + 32], told[NUMBER_BYTES + 32], shown[NUMBER_BYTES + 32];
    snprintf(asked, sizeof asked, "the question asks for %u", wanted);
    snprintf(told, sizeof told, ", the statement takes all");
    snprintf(shown, sizeof shown, ", the answer has all");
    if (limit->present) {
        snprintf(told, sizeof told, ", the statement takes %" PRId64, limit->number);
        snprintf(shown, sizeof shown, ", the answer has %" PRId64 " at most", limit->number);
    }
    say(c, str_of(asked), told, shown);
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
            say(c, STR("the question asks for rows without something"),
                ", the statement excludes nothing", ", the answer may have those with it");
        if (scope->kind == SCOPE_HAVING && !computes(c, scope->agg, &scope->measure) &&
            !is_one(scope))
            say(c, STR("the question compares a number of related rows"),
                ", the statement computes another or none", ", the answer may compare another one");
    }
}

/* Whether the question asks for what has not come to its end: "still open". */
static bool asks_rest(struct str question)
{
    static const char *const words[] = {"left", "outstanding", "remaining", "still", "yet"};
    struct str rest = question;
    while (rest.len > 0) {
        struct str word = str_split(&rest, ' ');
        while (word.len > 0 && !str_is_alpha(word.at[word.len - 1]))
            word = str_slice(word, 0, word.len - 1);
        if (str_is_listed_nocase(word, words, countof(words)))
            return true;
    }
    return false;
}

void offline_compare_statement(const struct lexicon *lexicon, struct str question,
                               const struct offline_answer *answer, const struct sql_parse *parse,
                               offline_compare_fn *say_it, void *owner)
{
    const struct offline_reading *r = &answer->reading;
    struct claims claims;
    const struct comparison c = {&claims, asks_rest(question), r, parse, say_it, owner};
    if (!answer->understood || answer->verified != NULL || r->over != OVER_NONE)
        return;
    offline_claims_read(lexicon, parse, &claims);
    say_of_tables(&c);
    for (size_t i = 0; i < r->out_count; i++)
        say_of_output(&c, i);
    say_of_distinct(&c);
    say_of_repeats(&c);
    check_conditions(&c);
    say_of_scopes(&c);
    if (r->nested && !calls_one(&c, "avg") && !offline_claims_has_text(&claims, STR("/")))
        say(&c, STR("the question asks for an average of numbers"), ", the statement computes none",
            ", the answer may be another number");
    say_of_groups(&c);
    say_of_order(&c);
    say_of_limit(&c);
}
