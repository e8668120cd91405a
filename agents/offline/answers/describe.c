/* SPDX-License-Identifier: MIT */
/* agents/offline/answers/describe.c - names split into words, conditions one after the other.
 *
 * Happy path: everything is appended to the buffer. Failure: the buffer's own, asked at the end. */
#include "agents/offline/answers/describe.h"

#include "agents/lexicon/codes.h"
#include "agents/lexicon/facts.h"
#include "agents/lexicon/spelling.h"
#include "agents/offline/answers/cells.h"
#include "agents/offline/compose/render.h"
#include "agents/semantic/model.h"
#include "core/words/stem.h"

/* The parts of a phrase about rows, in the order of a sentence: adjectives stand before the noun
 * (not here), then clauses, then the phrase with "with". */
enum part { PART_ADJECTIVE, PART_CLAUSE, PART_WITH };

struct phrase {
    const struct lexicon *lexicon;
    struct buf *out;
    int table; /* whose rows are described */
    size_t clauses, withs;
};

static bool is_boolean(const struct lexicon *lexicon, const struct reading_filter *filter)
{
    if (filter->named != NULL)
        return true;
    return filter->op == OP_EQ && filter->value_count == 0 && filter->versus == AGG_NONE &&
           !filter->vs_column &&
           lexicon_index_is_boolean(lexicon->catalog, filter->on.table, filter->on.column);
}

/* "createdAt" -> "created", which reads as a verb. */
static bool is_verb(const struct lexicon *lexicon, const struct reading_filter *filter)
{
    if (filter->op != OP_RANGE)
        return false;
    struct str name = lexicon->catalog->tables[filter->on.table].columns[filter->on.column].name;
    return (str_ends_with(name, STR("At")) || str_ends_with(name, STR("_at")));
}

static enum part part_of(const struct phrase *p, const struct reading_filter *filter)
{
    if (filter->on.table != p->table)
        return PART_WITH;
    if (is_boolean(p->lexicon, filter))
        return filter->number > 0 ? PART_ADJECTIVE : PART_CLAUSE;
    return is_verb(p->lexicon, filter) ? PART_CLAUSE : PART_WITH;
}

/* isActive: "active". */
static void push_adjective(const struct lexicon *lexicon, const struct reading_filter *filter,
                           struct buf *out)
{
    size_t from = buf_len(out);
    if (filter->named != NULL) {
        buf_push(out, filter->named->name);
        return;
    }
    lexicon_describe_column(lexicon, filter->on.table, filter->on.column, out);
    struct str name = str_from(buf_str(out), from);
    if (str_starts_with(name, STR("is ")) && name.len > 3) {
        buf_truncate(out, from);
        lexicon_describe_words(
            str_from(lexicon->catalog->tables[filter->on.table].columns[filter->on.column].name, 2),
            out);
    }
}

/* "name starting with A". */
static void push_part(struct buf *out, const struct reading_filter *filter)
{
    static const char *const parts[] = {
        [LIKE_WITHIN] = "containing", [LIKE_FIRST] = "starting with", [LIKE_LAST] = "ending with"};
    buf_push(out, filter->op == OP_NOT_LIKE ? STR(" not ") : STR(" "));
    buf_printf(out, "%s '%.*s'", parts[(int)filter->number], STR_ARG(filter->values[0]));
}

static void push_value(const struct lexicon *lexicon, const struct reading_filter *filter, size_t i,
                       struct buf *out)
{
    struct str label = filter->through ? (struct str){NULL, 0}
                                       : lexicon_codes_label(lexicon, filter->on.table,
                                                             filter->on.column, filter->values[i]);
    buf_push(out, str_is_absent(label) ? filter->values[i] : label);
}

static void push_values(const struct lexicon *lexicon, struct buf *out,
                        const struct reading_filter *filter)
{
    if (filter->op == OP_LIKE || filter->op == OP_NOT_LIKE) {
        push_part(out, filter);
        return;
    }
    buf_push(out, filter->op == OP_NE ? STR(" other than ") : STR(" "));
    for (size_t i = 0; i < filter->value_count; i++) {
        if (i > 0)
            buf_push(out, filter->through ? STR(" ") : STR(" or "));
        push_value(lexicon, filter, i, out);
    }
}

/* "above 5", "from 1 to 2". */
/* Thousands are set apart in amounts, not in numbers that only name something. */
static void push_amount(struct buf *out, double number, bool counted)
{
    offline_cells_number(number, false, counted && (number >= 10000 || number <= -10000), out);
}

static void push_bound(struct buf *out, enum offline_op op, double number, double high,
                       bool counted)
{
    static const char *const words[] = {
        [OP_EQ] = "of ",         [OP_NE] = "other than ", [OP_LT] = "below ",
        [OP_LE] = "of at most ", [OP_GT] = "above ",      [OP_GE] = "of at least ",
        [OP_BETWEEN] = "from "};
    buf_push(out, str_of((size_t)op < countof(words) && words[op] != NULL ? words[op] : "of "));
    push_amount(out, number, counted);
    if (op == OP_BETWEEN) {
        buf_push(out, STR(" to "));
        push_amount(out, high, counted);
    }
}

/* An amount that is kept in cents, in units. */
static double in_units(const struct lexicon *lexicon, struct reading_column on, double number)
{
    enum { HUNDREDTHS = 100 };
    bool cents =
        on.column >= 0 && on.since == 0 && lexicon_facts_in_cents(lexicon, on.table, on.column);
    return cents ? number / HUNDREDTHS : number;
}

/* ... "of electrician", "of rows with the same city". */
static void push_mean(const struct lexicon *lexicon, const struct reading_filter *filter,
                      struct buf *out)
{
    if (filter->mean.of == MEAN_OF_VALUE)
        buf_printf(out, " for %.*s", STR_ARG(filter->mean.value));
    if (filter->mean.of == MEAN_OF_LIKE) {
        buf_push(out, STR(" over those with the same "));
        lexicon_describe_column(lexicon, filter->on.table, filter->mean.column, out);
    }
}

/* Append the value that a column is compared with, after its name: " completed", " above 50". */
static void push_comparison(const struct lexicon *lexicon, const struct reading_filter *filter,
                            struct buf *out)
{
    bool below = filter->op == OP_LT || filter->op == OP_LE;
    if (filter->op == OP_RANGE) {
        offline_cells_range(&filter->range, out);
    } else if (filter->value_count > 0) {
        push_values(lexicon, out, filter);
    } else if (filter->versus != AGG_NONE) {
        bool is = filter->op == OP_EQ;
        buf_push(out, is ? STR("") : below ? STR(" below") : STR(" above"));
        if (filter->factor > 0)
            buf_printf(out, " %g times", filter->factor);
        buf_push(out, filter->versus == AGG_AVG   ? STR(" its average")
                      : filter->versus == AGG_MIN ? STR(" the lowest")
                                                  : STR(" the highest"));
        push_mean(lexicon, filter, out);
    } else if (filter->vs_column) {
        buf_push(out, below ? STR(" below ") : STR(" above "));
        lexicon_describe_column(lexicon, filter->on.table, filter->than, out);
    } else if (filter->op != OP_IS_NULL && filter->op != OP_NOT_NULL) {
        buf_push_char(out, ' ');
        push_bound(out, filter->op, in_units(lexicon, filter->on, filter->number),
                   in_units(lexicon, filter->on, filter->high),
                   lexicon_facts_is_measure(lexicon, filter->on.table, filter->on.column));
    }
}

/* What people call a unit of time of so many milliseconds. */
static const char *unit_name(unsigned size)
{
    static const struct {
        unsigned size;
        const char *name;
    } units[] = {{1, "milliseconds"},
                 {1000, "seconds"},
                 {60 * 1000, "minutes"},
                 {60 * 60 * 1000, "hours"},
                 {7 * ENGLISH_UNITS_DAY, "weeks"}};
    for (size_t i = 0; i < countof(units); i++)
        if (units[i].size == size)
            return units[i].name;
    return "days";
}

/* "age", "days from start to end", or what a column is called. */
static void push_column(const struct lexicon *lexicon, const struct reading_column *on,
                        struct buf *out)
{
    if (on->since == READING_AGE) {
        buf_push(out, STR("age"));
        return;
    }
    if (on->since != 0) {
        buf_printf(out, "%s from ", on->unit_size == 0 ? "days" : unit_name(on->unit_size));
        lexicon_describe_column(lexicon, on->table, on->since - 1, out);
        buf_push(out, STR(" to "));
    }
    lexicon_describe_column(lexicon, on->table, on->column, out);
}

/* A column behind the words for its table, which stand from `from` on and are dropped where it
 * begins with them: "invoice date" of an invoice. */
static void push_once(const struct lexicon *lexicon, const struct reading_column *on, size_t from,
                      struct buf *out)
{
    const size_t at = buf_len(out);
    push_column(lexicon, on, out);
    const struct str said = str_from(buf_str(out), from);
    if (at == from ||
        !str_starts_with(str_from(said, at - from), str_slice(said, 0, at - from)))
        return;
    buf_truncate(out, from);
    push_column(lexicon, on, out);
}

/* "inspector" of an inspectorId: a reference without the word for its key. */
static void push_role(const struct lexicon *lexicon, const struct reading_filter *filter,
                      struct buf *out)
{
    size_t from = buf_len(out);
    lexicon_describe_column(lexicon, filter->on.table, filter->on.column, out);
    if (str_ends_with(str_from(buf_str(out), from), STR(" id")))
        buf_truncate(out, buf_len(out) - 3);
}

/* Whether a filter says what rows of another table are called: "customer Ada Stone"; at: which of
 * their names it is. */
static bool is_label_of(const struct phrase *p, const struct reading_filter *filter, size_t at)
{
    const struct lexicon_facts *facts = &p->lexicon->facts[filter->on.table];
    return filter->on.table != p->table && !filter->through && filter->op == OP_EQ &&
           filter->value_count == 1 && at < facts->label_count &&
           facts->labels[at] == filter->on.column;
}

/* "status completed", "hourly rate above 50", "customer Bob Smith", "primary contact". */
static void push_condition(const struct phrase *p, const struct reading_filter *filter)
{
    const struct lexicon *lexicon = p->lexicon;
    const struct lexicon_facts *facts = &lexicon->facts[filter->on.table];
    struct buf *out = p->out;
    bool other = filter->on.table != p->table;
    bool label = other && filter->value_count > 0 && facts->label_count > 0 &&
                 facts->labels[0] == filter->on.column;
    if (filter->through) {
        push_role(lexicon, filter, out);
        push_comparison(lexicon, filter, out);
        return;
    }
    if (filter->op == OP_IS_NULL)
        buf_push(out, STR("no "));
    if (is_boolean(lexicon, filter)) {
        buf_push(out, filter->number > 0 ? STR("") : STR("not "));
        push_adjective(lexicon, filter, out);
        buf_push_char(out, ' ');
    }
    const size_t from = buf_len(out);
    if (other)
        lexicon_describe_table(lexicon, filter->on.table, is_boolean(lexicon, filter), out);
    if (is_boolean(lexicon, filter))
        return;
    if (other && !label)
        buf_push_char(out, ' ');
    if (!label)
        push_once(lexicon, &filter->on, from, out);
    push_comparison(lexicon, filter, out);
}

/* "that are not active", "created from 2025-01-01 to 2025-01-31". */
static void push_clause(const struct phrase *p, const struct reading_filter *filter)
{
    if (is_verb(p->lexicon, filter)) {
        size_t from = buf_len(p->out);
        lexicon_describe_column(p->lexicon, filter->on.table, filter->on.column, p->out);
        if (str_ends_with(str_from(buf_str(p->out), from), STR(" at")))
            buf_truncate(p->out, buf_len(p->out) - 3);
        offline_cells_range(&filter->range, p->out);
        return;
    }
    buf_push(p->out, STR("that are not "));
    push_adjective(p->lexicon, filter, p->out);
}

/* The rows' own noun behind an adjective that has it already: "unsettled claims" of claims. */
static void drop_noun(struct phrase *p)
{
    for (int plural = 0; plural < 2; plural++) {
        const size_t end = buf_len(p->out);
        buf_push_char(p->out, ' ');
        lexicon_describe_table(p->lexicon, p->table, plural == 1, p->out);
        const struct str noun = str_from(buf_str(p->out), end);
        const bool has = str_ends_with(str_slice(buf_str(p->out), 0, end), noun);
        buf_truncate(p->out, has ? end - noun.len : end);
    }
}

static void push_filters(struct phrase *p, const struct reading_filter *filters, size_t count,
                         enum part part)
{
    for (size_t i = 0; i < count; i++) {
        bool said = filters[i].named != NULL && filters[i].named->is_metric;
        if (filters[i].out != READING_NONE || filters[i].numerator || said ||
            part_of(p, &filters[i]) != part)
            continue;
        if (part == PART_ADJECTIVE) {
            push_adjective(p->lexicon, &filters[i], p->out);
            drop_noun(p);
            buf_push_char(p->out, ' ');
        } else if (part == PART_CLAUSE) {
            buf_push(p->out, p->clauses++ > 0 ? STR(" and ") : STR(" "));
            push_clause(p, &filters[i]);
        } else if (i > 0 && filters[i].on.table == filters[i - 1].on.table &&
                   is_label_of(p, &filters[i - 1], 0) && is_label_of(p, &filters[i], 1)) {
            push_values(p->lexicon, p->out, &filters[i]); /* the rest of a person's name */
        } else {
            buf_push(p->out, p->withs++ > 0 ? STR(" and ") : STR(" with "));
            push_condition(p, &filters[i]);
        }
    }
}

/* "active technicians created in ... with role ...": the noun with all that is said of it. */
static void push_noun(struct phrase *p, const struct reading_filter *filters, size_t count,
                      bool plural)
{
    push_filters(p, filters, count, PART_ADJECTIVE);
    lexicon_describe_table(p->lexicon, p->table, plural, p->out);
    push_filters(p, filters, count, PART_CLAUSE);
    push_filters(p, filters, count, PART_WITH);
}

static void push_average(struct buf *out, const struct reading_scope *scope)
{
    buf_push(out, scope->op == OP_LT || scope->op == OP_LE ? STR("below ") : STR("above "));
    if (scope->factor > 0)
        buf_printf(out, "%g times ", scope->factor);
    buf_push(out, STR("the average"));
}

static void push_scope(const struct lexicon *lexicon, const struct reading_scope *scope,
                       struct buf *out)
{
    struct phrase inner = {.lexicon = lexicon, .out = out, .table = scope->tables[0]};
    const struct reading_out measure = {scope->agg, scope->measure};
    static const char *const counts[] = {[OP_LT] = "fewer than ",
                                         [OP_LE] = "at most ",
                                         [OP_GT] = "more than ",
                                         [OP_GE] = "at least "};
    const struct render render = {NULL, SQL_SQLITE, out};
    if (scope->kind == SCOPE_ROW) {
        inner.table = scope->filters[0].on.table;
        push_filters(&inner, scope->filters, scope->filter_count, PART_WITH);
        return;
    }
    if (scope->kind == SCOPE_NOT) {
        buf_push(out, STR("without "));
        push_noun(&inner, scope->filters, scope->filter_count, true);
        return;
    }
    buf_push(out, STR("with "));
    if (scope->agg == AGG_NET) {
        buf_push(out, scope->op == OP_LT || scope->op == OP_LE ? STR("fewer ") : STR("more "));
        push_noun(&inner, &scope->filters[0], 1, true);
        buf_push(out, STR(" than "));
        push_noun(&inner, &scope->filters[1], 1, true);
        return;
    }
    if (scope->agg == AGG_COUNT && !scope->vs_average && scope->op != OP_BETWEEN) {
        bool named = (size_t)scope->op < countof(counts) && counts[scope->op] != NULL;
        buf_push(out, str_of(named ? counts[scope->op] : "exactly "));
        offline_render_number(&render, scope->number);
        buf_push_char(out, ' ');
        bool one = scope->number <= 1 && scope->number >= 1;
        push_noun(&inner, scope->filters, scope->filter_count, !one);
        return;
    }
    if (scope->agg == AGG_DISTINCT && scope->op == OP_EQ && scope->filter_count > 0 &&
        scope->filters[0].value_count > 1) {
        buf_push(out, STR("both "));
        for (size_t i = 0; i < scope->filters[0].value_count; i++) {
            buf_push(out, i > 0 ? STR(" and ") : STR(""));
            push_value(lexicon, &scope->filters[0], i, out);
        }
        return;
    }
    offline_describe_measure(lexicon, &measure, out);
    buf_push_char(out, ' ');
    if (scope->vs_average)
        push_average(out, scope);
    else
        push_bound(out, scope->op, in_units(lexicon, scope->measure, scope->number),
                   in_units(lexicon, scope->measure, scope->high), true);
    push_filters(&inner, scope->filters, scope->filter_count, PART_WITH);
}

static bool leads_to(const struct catalog *catalog, const struct reading_filter *filter, int table)
{
    const struct catalog_reference *ref =
        lexicon_index_reference(catalog, filter->on.table, filter->on.column);
    return ref != NULL && ref->to_table == table;
}

void offline_describe_rows(const struct lexicon *lexicon, const struct offline_reading *reading,
                           int table, bool plural, struct buf *out)
{
    const struct reading_scope *main = &reading->scopes[0];
    struct phrase p = {.lexicon = lexicon, .out = out, .table = table};
    push_noun(&p, main->filters, main->filter_count, plural);
    for (size_t i = 0; i < main->table_count; i++) {
        bool said = main->tables[i] == table;
        for (size_t f = 0; f < main->filter_count && !said; f++)
            said = main->filters[f].on.table == main->tables[i] ||
                   (main->filters[f].through &&
                    leads_to(lexicon->catalog, &main->filters[f], main->tables[i]));
        if (said)
            continue;
        buf_push(out, p.withs++ == 0 ? STR(" with ") : STR(" and "));
        lexicon_describe_table(lexicon, main->tables[i], true, out);
    }
    for (size_t i = 1; i < reading->scope_count; i++) {
        bool other = reading->scopes[i].either > 0 &&
                     reading->scopes[i].either == reading->scopes[i - 1].either;
        buf_push(out, other ? STR(" or ") : i == 1 && p.withs == 0 ? STR(" ") : STR(" and "));
        push_scope(lexicon, &reading->scopes[i], out);
    }
}

void offline_describe_share(const struct lexicon *lexicon, const struct offline_reading *reading,
                            struct buf *out)
{
    const struct reading_scope *main = &reading->scopes[0];
    const struct phrase p = {.lexicon = lexicon, .out = out, .table = reading->counted};
    size_t said = 0;
    for (size_t i = 0; i < main->filter_count; i++) {
        const struct reading_filter *filter = &main->filters[i];
        if (!filter->numerator)
            continue;
        buf_push(out, said++ > 0 ? STR(" and ") : STR(""));
        if (is_boolean(lexicon, filter)) {
            buf_push(out, filter->number > 0 ? STR("are ") : STR("are not "));
            push_adjective(lexicon, filter, out);
        } else if (is_verb(lexicon, filter)) {
            buf_push(out, STR("were "));
            push_clause(&p, filter);
        } else {
            buf_push(out, STR("have "));
            push_condition(&p, filter);
        }
    }
}

/* "in minutes" in place of the unit that a column's name ends with, where it is asked for in
 * another. */
static void push_unit(const struct lexicon *lexicon, const struct reading_column *on, size_t from,
                      struct buf *out)
{
    if (on->unit_size == 0 || on->since != 0 || on->column < 0)
        return;
    const struct lexicon_words *w = lexicon_spelling_column(lexicon, on->table, on->column);
    const struct str last = w->count == 0 ? STR("") : w->words[w->count - 1];
    const bool has_unit = english_units_find(last).of == UNIT_OF_TIME &&
                          str_ends_with(str_from(buf_str(out), from), last);
    if (has_unit && w->count > 1)
        buf_truncate(out, buf_len(out) - size_min(last.len + 1, buf_len(out) - from));
    if (has_unit && w->count == 1)
        buf_truncate(out, from);
    buf_printf(out, "%s%s", buf_len(out) > from ? " in " : "", unit_name(on->unit_size));
}

void offline_describe_measure(const struct lexicon *lexicon, const struct reading_out *measure,
                              struct buf *out)
{
    static const char *const names[] = {
        [AGG_NONE] = "",        [AGG_COUNT] = "number of ", [AGG_DISTINCT] = "number of different ",
        [AGG_SUM] = "total ",   [AGG_AVG] = "average ",     [AGG_MIN] = "lowest ",
        [AGG_MAX] = "highest ", [AGG_NET] = "net ",         [AGG_METRIC] = ""};
    bool extreme = measure->agg == AGG_MIN || measure->agg == AGG_MAX;
    bool dated = extreme && measure->on.column != READING_NONE &&
                 lexicon_index_is_date(lexicon->catalog, measure->on.table, measure->on.column);
    if (dated && measure->on.since == 0)
        buf_push(out, measure->agg == AGG_MAX ? STR("latest ") : STR("earliest "));
    else
        buf_push(out, str_of(names[measure->agg]));
    if (measure->agg == AGG_METRIC) {
        buf_push(out, measure->on.metric->name);
        return;
    }
    if (measure->on.column == READING_NONE) {
        lexicon_describe_table(lexicon, measure->on.table, true, out);
        return;
    }
    size_t from = buf_len(out);
    push_column(lexicon, &measure->on, out);
    push_unit(lexicon, &measure->on, from, out);
    struct str name = str_from(buf_str(out), from);
    if (measure->agg == AGG_SUM &&
        (str_starts_with(name, STR("total ")) || str_equal(name, STR("total")))) {
        buf_truncate(out, from - str_of(names[AGG_SUM]).len);
        lexicon_describe_column(lexicon, measure->on.table, measure->on.column, out);
    }
    if (lexicon_facts_in_cents(lexicon, measure->on.table, measure->on.column) &&
        str_ends_with(buf_str(out), STR(" cents")))
        buf_truncate(out, buf_len(out) - STR(" cents").len);
}

/* A column that rows of another table have is said with that table, unless it is their name. */
static void push_grouped(const struct lexicon *lexicon, const struct offline_reading *reading,
                         const struct reading_column *on, struct buf *out)
{
    const struct lexicon_facts *facts = &lexicon->facts[on->table];
    const size_t from = buf_len(out);
    if (on->table != reading->counted &&
        !(facts->label_count > 0 && facts->labels[0] == on->column)) {
        lexicon_describe_table(lexicon, on->table, false, out);
        buf_push_char(out, ' ');
    }
    push_once(lexicon, on, from, out);
}

void offline_describe_groups(const struct lexicon *lexicon, const struct offline_reading *reading,
                             struct buf *out)
{
    static const char *const grains[] = {"", "day", "week", "month", "quarter", "year"};
    for (size_t i = 0; i < reading->group_count; i++) {
        const struct reading_group *group = &reading->groups[i];
        buf_push(out, i == 0 ? STR(" by ") : STR(" and "));
        if (group->grain != GRAIN_NONE)
            buf_push(out, str_of(grains[group->grain]));
        else if (group->on.column == READING_NONE)
            lexicon_describe_table(lexicon, group->on.table, false, out);
        else
            push_grouped(lexicon, reading, &group->on, out);
    }
    static const char *const overs[] = {[OVER_NONE] = "",
                                        [OVER_RUNNING] = ", added up so far",
                                        [OVER_SHARE] = ", in percent of all",
                                        [OVER_CHANGE] = ", and the change from one to the next"};
    buf_push(out, reading->out_count > 1 ? STR("") : str_of(overs[reading->over]));
}

static void push_order(const struct lexicon *lexicon, const struct offline_reading *reading,
                       struct buf *out)
{
    if (reading->ordered) {
        buf_push(out, STR(", ordered by "));
        if (reading->order_out != READING_NONE)
            offline_describe_measure(lexicon, &reading->outs[reading->order_out], out);
        else
            lexicon_describe_column(lexicon, reading->order_on.table, reading->order_on.column,
                                    out);
        buf_push(out, reading->descending ? STR(" descending") : STR(" ascending"));
    }
    if (reading->limit > 0)
        buf_printf(out, ", limited to %u", reading->limit);
}

void offline_describe_intent(const struct lexicon *lexicon, const struct offline_reading *reading,
                             struct buf *out)
{
    int table = reading->counted != READING_NONE ? reading->counted : reading->target;
    bool counts = reading->out_count == 1 && reading->outs[0].agg == AGG_COUNT && !reading->ratio;
    if (table == READING_NONE)
        return;
    if (reading->ratio) {
        buf_push(out, STR("Calculate a percentage of "));
    } else if (counts) {
        buf_push(out, STR("Count all "));
    } else if (reading->out_count > 0 && reading->outs[0].agg != AGG_NONE) {
        buf_push(out, STR("Calculate "));
        for (size_t i = 0; i < reading->out_count; i++) {
            if (i > 0)
                buf_push(out, STR(", "));
            offline_describe_measure(lexicon, &reading->outs[i], out);
        }
        buf_push(out, STR(" of "));
    } else {
        buf_push(out, STR("Retrieve "));
        for (size_t i = 0; i < reading->out_count; i++) {
            if (i > 0)
                buf_push(out, STR(", "));
            offline_describe_measure(lexicon, &reading->outs[i], out);
        }
        if (reading->out_count > 0)
            buf_push(out, STR(" of "));
    }
    offline_describe_rows(lexicon, reading, table, true, out);
    buf_push(out, reading->group_count > 0 ? STR(", grouped") : STR(""));
    offline_describe_groups(lexicon, reading, out);
    push_order(lexicon, reading, out);
}

/* ---- as something to choose ---- */

static const char *extreme(const struct lexicon *lexicon, const struct offline_reading *reading)
{
    const struct reading_column *by = reading->order_out == READING_NONE
                                          ? &reading->order_on
                                          : &reading->outs[reading->order_out].on;
    const bool is_measure = reading->order_out != READING_NONE &&
                            reading->outs[reading->order_out].agg != AGG_NONE &&
                            reading->outs[reading->order_out].agg != AGG_MIN &&
                            reading->outs[reading->order_out].agg != AGG_MAX;
    if (!is_measure && by->column != READING_NONE &&
        lexicon_index_is_date(lexicon->catalog, by->table, by->column))
        return reading->descending ? "latest " : "earliest ";
    return reading->descending ? "highest " : "lowest ";
}

/* "number of orders with status open", "total quantity of order items": outputs and their rows. */
static void push_outs(const struct lexicon *lexicon, const struct offline_reading *reading,
                      int table, struct buf *out)
{
    for (size_t i = 0; i < reading->out_count; i++) {
        buf_push(out, i > 0 ? STR(" and ") : STR(""));
        if (reading->outs[i].agg == AGG_COUNT)
            buf_push(out, STR("number"));
        else
            offline_describe_measure(lexicon, &reading->outs[i], out);
    }
    buf_push(out, reading->out_count > 0 ? STR(" of ") : STR(""));
    offline_describe_rows(lexicon, reading, table, true, out);
}

/* "10 clients with the highest total of orders"; false: it is no such ranking. */
static bool push_ranking(const struct lexicon *lexicon, const struct offline_reading *reading,
                         int table, struct buf *out)
{
    const bool is_grouped = reading->group_count == 1 && reading->groups[0].grain == GRAIN_NONE &&
                            reading->out_count == 1 && reading->order_out == 0;
    const bool is_of_rows = reading->group_count == 0 && reading->out_count == 0;
    const bool plural = reading->limit != 1;
    if (!reading->ordered || reading->limit == 0 || !(is_grouped || is_of_rows))
        return false;
    if (plural)
        buf_printf(out, "%u ", reading->limit);
    if (is_of_rows) {
        offline_describe_rows(lexicon, reading, table, plural, out);
    } else if (reading->groups[0].on.column == READING_NONE) {
        lexicon_describe_table(lexicon, reading->groups[0].on.table, plural, out);
    } else {
        buf_push(out, plural ? STR("values of ") : STR(""));
        lexicon_describe_column(lexicon, reading->groups[0].on.table, reading->groups[0].on.column,
                                out);
    }
    buf_printf(out, " with the %s", extreme(lexicon, reading));
    if (is_grouped)
        push_outs(lexicon, reading, table, out);
    else if (reading->order_out == READING_NONE)
        lexicon_describe_column(lexicon, reading->order_on.table, reading->order_on.column, out);
    return true;
}

void offline_describe_option(const struct lexicon *lexicon, const struct offline_reading *reading,
                             struct buf *out)
{
    int table = reading->counted != READING_NONE ? reading->counted : reading->target;
    if (table == READING_NONE)
        return;
    buf_push(out, STR("The "));
    if (!reading->ratio && push_ranking(lexicon, reading, table, out))
        return;
    if (reading->ratio) {
        buf_push(out, STR("percentage of "));
        offline_describe_rows(lexicon, reading, table, true, out);
    } else {
        push_outs(lexicon, reading, table, out);
    }
    offline_describe_groups(lexicon, reading, out);
    push_order(lexicon, reading, out);
}
