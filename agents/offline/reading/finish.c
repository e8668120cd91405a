/* SPDX-License-Identifier: MIT */
/* agents/offline/reading/finish.c - from a walked question to a whole reading.
 *
 * Happy path: nothing is expected any more; "who" finds the table of persons nearest to what was
 * mentioned; a list with a measure over other rows is grouped by its target.
 * Failure: an open slot, a group of nothing, a ratio without a condition. */
#include "agents/offline/reading/finish.h"

#include "agents/offline/reading/bind.h"
#include "agents/offline/reading/mentions.h"
#include "agents/offline/reading/orders.h"
#include "agents/offline/reading/ratios.h"
#include "agents/english/vocabulary.h"

static unsigned distance(const struct parse *p, int table)
{
    const struct reading_scope *scope = &p->reading->scopes[0];
    unsigned sum = 0;
    for (size_t i = 0; i < scope->table_count; i++)
        sum += lexicon_index_hops(p->lexicon, table, scope->tables[i]);
    for (size_t i = 0; i < scope->filter_count; i++)
        sum += lexicon_index_hops(p->lexicon, table, scope->filters[i].on.table);
    if (p->reading->target != READING_NONE)
        sum += lexicon_index_hops(p->lexicon, table, p->reading->target);
    return sum;
}

/* The one table of persons nearest to table, or to all that was mentioned (READING_NONE). */
static bool nearest_person(struct parse *p, int table, int *person)
{
    unsigned least = OFFLINE_FAR;
    bool tie = false;
    *person = READING_NONE;
    for (size_t t = 0; t < p->catalog->table_count; t++) {
        if (!p->lexicon->facts[t].visible || !p->lexicon->facts[t].person)
            continue;
        unsigned far = table == READING_NONE ? distance(p, (int)t)
                                             : lexicon_index_hops(p->lexicon, (int)t, table);
        tie = far == least || (tie && far > least);
        if (far < least) {
            least = far;
            *person = (int)t;
        }
    }
    return (*person != READING_NONE && !tie) ||
           offline_parse_stop(p, "it is not clear who is meant");
}

bool offline_parse_person(struct parse *p, int table)
{
    return nearest_person(p, table, &p->reading->target);
}

bool offline_parse_actor(struct parse *p, int table)
{
    int header = p->lexicon->facts[table].header, found = READING_NONE;
    const struct catalog_table *t = &p->catalog->tables[header != CATALOG_NONE ? header : table];
    for (size_t i = 0; i < t->reference_count; i++) {
        struct str name = p->catalog->tables[t->references[i].to_table].name;
        bool buyer = vocabulary_begins(VOCABULARY_ACTORS, name);
        if (buyer && found != READING_NONE && found != t->references[i].to_table)
            return offline_parse_stop(p, "it is not clear who is meant");
        found = buyer ? t->references[i].to_table : found;
    }
    if (found == READING_NONE)
        return nearest_person(p, table, &p->reading->target);
    p->reading->target = found;
    p->acted = true;
    return true;
}

/* Who: the table of persons, unless the noun that was named is one. */
static bool find_person(struct parse *p)
{
    struct offline_reading *r = p->reading;
    int person;
    if (r->target != READING_NONE && (p->lexicon->facts[r->target].person || p->acted))
        return true;
    if (!nearest_person(p, READING_NONE, &person))
        return false;
    if (r->target != READING_NONE && !offline_parse_relate(p, &r->scopes[0], r->target))
        return false;
    if (r->ordered && r->limit == 1 && r->order_out == READING_NONE && r->out_count == 0 &&
        r->order_on.table == r->target && r->group_count == 0) { /* "who has the dearest car" */
        r->outs[r->out_count++] =
            (struct reading_out){r->descending ? AGG_MAX : AGG_MIN, r->order_on};
        r->order_out = 0;
        r->counted = r->target;
    }
    r->target = person;
    return true;
}

static bool has_aggregate(const struct offline_reading *r)
{
    for (size_t i = 0; i < r->out_count; i++)
        if (r->outs[i].agg != AGG_NONE)
            return true;
    return false;
}

/* The measures are over rows of one table. */
static bool check_measures(struct parse *p)
{
    struct offline_reading *r = p->reading;
    int table = READING_NONE;
    for (size_t i = 0; i < r->out_count; i++) {
        struct reading_out *out = &r->outs[i];
        if (out->agg == AGG_NONE)
            continue;
        if (out->on.table == READING_NONE && r->counted != READING_NONE && out->agg == AGG_COUNT)
            out->on = (struct reading_column){r->counted, READING_NONE};
        if (out->on.table == READING_NONE)
            return offline_parse_stop(p, "what is counted or added up is not said");
        if (table != READING_NONE && table != out->on.table)
            return offline_parse_stop(p, "two measures of different tables at once are not "
                                         "understood");
        table = out->on.table;
    }
    r->counted = table;
    return true;
}

/* "which job titles have more than 3 employees": the condition becomes one on groups. */
static void bound_groups(struct offline_reading *r, struct reading_column on)
{
    const struct reading_scope *scope = &r->scopes[1];
    struct reading_scope *main = &r->scopes[0];
    r->bounded = true;
    r->bound_op = scope->op;
    r->bound_number = scope->number;
    r->bound_high = scope->high;
    r->groups[r->group_count++] = (struct reading_group){on, GRAIN_NONE};
    r->outs[0] = (struct reading_out){scope->agg, scope->measure};
    r->out_count = 1;
    r->counted = scope->measure.table;
    r->scope_count = 1;
    for (size_t i = 0; i < scope->filter_count && main->filter_count < READING_FILTERS; i++)
        main->filters[main->filter_count++] = scope->filters[i];
}

/* "whose town holds most shops": rows grouped by the column asked for. */
static bool finish_attribute(struct parse *p)
{
    struct offline_reading *r = p->reading;
    if (p->attribute == READING_NONE)
        return true;
    const struct lexicon_link *link = &p->items[p->attribute].is;
    const struct reading_column on = {link->table, link->column};
    if (has_aggregate(r)) {
        r->groups[r->group_count++] = (struct reading_group){on, GRAIN_NONE};
        return true;
    }
    if (r->scope_count == 2 && r->scopes[1].kind == SCOPE_HAVING && !r->scopes[1].vs_average) {
        bound_groups(r, on);
        return true;
    }
    if (r->scope_count > 1)
        return offline_parse_stop(p, "a condition on groups of '%.*s' is not understood",
                                  STR_ARG(p->items[p->attribute].text));
    r->distinct = true;
    r->target = r->target == READING_NONE ? link->table : r->target;
    return offline_parse_add_out(p, AGG_NONE, on);
}

/* "What regions are there": each once, though several rows have it. */
static bool is_category(const struct parse *p, const struct reading_column *on)
{
    const struct catalog_column *column = &p->catalog->tables[on->table].columns[on->column];
    return !column->unique && column->type == CATALOG_TEXT &&
           !lexicon_index_is_label(p->lexicon, on->table, on->column);
}

/* "Work orders per priority": their number, where they are no money themselves. */
static bool counts_rows(struct parse *p)
{
    struct offline_reading *r = p->reading;
    if (!p->per || p->listing || p->which || p->who || r->ordered || r->limit > 0 ||
        r->out_count > 0 || r->target == READING_NONE || r->scope_count > 1 ||
        offline_mentions_name_money(p, r->target))
        return false;
    r->outs[0] = (struct reading_out){AGG_COUNT, {r->target, READING_NONE, NULL}};
    r->out_count = 1;
    r->counted = r->target;
    r->target = READING_NONE;
    return true;
}

static bool finish_list(struct parse *p)
{
    struct offline_reading *r = p->reading;
    if (r->target == READING_NONE && r->out_count > 0) {
        r->target = r->outs[0].on.table;
        r->distinct = r->distinct || (r->out_count == 1 && !r->ordered && r->limit == 0 &&
                                      is_category(p, &r->outs[0].on));
    }
    if (r->target == READING_NONE)
        return offline_parse_stop(p, "no table of this database is asked about");
    if (r->group_count == 1 && r->groups[0].on.column == READING_NONE &&
        r->groups[0].grain == GRAIN_NONE && r->out_count > 0) {
        r->target = r->groups[0].on.table; /* "the company of each employee" */
        r->group_count = 0;
        r->keep_zero = false;
    }
    if (r->group_count == 1 && r->ordered && r->order_on.column != READING_NONE &&
        r->groups[0].on.table == r->order_on.table && r->groups[0].on.column == r->order_on.column)
        r->group_count = 0; /* "the dearest book, by its price" */
    if (r->group_count == 1 && r->ordered && r->limit == 1 && r->order_on.table == r->target &&
        r->groups[0].grain == GRAIN_NONE && r->out_count == 0) {
        r->of_group = true;
        r->ordered = r->keep_zero = false;
        r->limit = 0;
        return true;
    }
    if (r->group_count > 0)
        return offline_parse_stop(p, "groups without a number to show are not understood");
    if (r->keep_zero)
        return offline_parse_stop(p, "this question is not understood");
    if (p->wants_order && !r->ordered)
        return offline_orders_default(p, r->target);
    return !p->few || r->ordered ||
           offline_parse_stop(p, "how many are shown is said, but not which");
}

/* "The title of the book and how many editions there are of each": the column says what the
 * groups are shown by; one that is no name is shown beside it. */
static bool fold_columns(struct parse *p)
{
    struct offline_reading *r = p->reading;
    const struct reading_group group = r->groups[0];
    size_t kept = 0;
    int order = r->order_out;
    if (r->group_count != 1 || group.grain != GRAIN_NONE || group.on.table == READING_NONE)
        return true;
    for (size_t i = 0; i < r->out_count; i++) {
        const struct reading_out out = r->outs[i];
        const struct lexicon_facts *facts = &p->lexicon->facts[group.on.table];
        bool label = out.on.column == group.on.column;
        for (size_t l = 0; l < facts->label_count; l++)
            label = label || (group.on.column == READING_NONE && facts->labels[l] == out.on.column);
        bool beside = out.agg == AGG_NONE && out.on.table == group.on.table;
        if (!beside) {
            order = r->order_out == (int)i ? (int)kept : order;
            r->outs[kept++] = out;
        } else if (!label && group.on.column != READING_NONE) {
            return offline_parse_stop(p, "a column beside a number is not understood");
        } else if (!label && r->group_count == READING_GROUPS) {
            return offline_parse_stop(p, "there are too many groups");
        } else if (!label) {
            r->groups[r->group_count++] = (struct reading_group){out.on, GRAIN_NONE};
        }
    }
    for (size_t i = 0; kept < r->out_count && i < r->scopes[0].filter_count; i++)
        if (r->scopes[0].filters[i].out != READING_NONE)
            return offline_parse_stop(p, "a column beside a number is not understood");
    if (kept < r->out_count && r->target == group.on.table)
        r->target = READING_NONE;
    r->out_count = kept;
    r->order_out = order;
    return true;
}

static bool finish_aggregate(struct parse *p)
{
    struct offline_reading *r = p->reading;
    if (!fold_columns(p))
        return false;
    for (size_t i = 0; i < r->out_count; i++)
        if (r->outs[i].agg == AGG_NONE) {
            if (r->target != r->outs[i].on.table)
                return offline_parse_stop(p, "a column beside a number is not understood");
        }
    if (r->target == r->counted) /* "accounts with the highest balance" has no aggregate */
        return r->target == READING_NONE || r->group_count > 0 ||
               offline_parse_stop(p, "a number over the listed rows themselves is not understood");
    if (r->target != READING_NONE) {
        if (r->group_count > 0)
            return offline_parse_stop(p, "a list that is also grouped is not understood");
        r->groups[r->group_count++] = (struct reading_group){{r->target, READING_NONE}, GRAIN_NONE};
    }
    if (p->wants_order && !r->ordered) {
        r->ordered = true;
        r->descending = p->top_descending;
        r->order_out = (int)r->out_count - 1;
    }
    if (r->nested && (r->out_count != 1 || r->group_count != 1 || r->ordered || r->limit > 0))
        return offline_parse_stop(p, "what the average is taken over is not said");
    if (r->nested)
        r->keep_zero = false; /* of those that have some */
    if (r->limit > 0 && !r->ordered)
        return offline_parse_stop(p, "how many are shown is said, but not which");
    if (r->keep_zero && r->outs[0].agg != AGG_COUNT)
        r->keep_zero = false;
    return r->distinct ? offline_parse_stop(p, "'different' is not understood here") : true;
}

static bool excludes(const struct reading_filter *a, const struct reading_filter *b)
{
    if (a->on.table != b->on.table || a->on.column != b->on.column || a->out != b->out ||
        a->out != READING_NONE || a->numerator != b->numerator || a->op != b->op)
        return false;
    if (a->op == OP_RANGE) {
        bool a_first = a->range.end != OFFLINE_DAY_NONE && b->range.first >= a->range.end;
        bool b_first = b->range.end != OFFLINE_DAY_NONE && a->range.first >= b->range.end;
        return a_first || b_first; /* an open first day is below every end */
    }
    return a->op == OP_EQ && a->value_count == 1 && b->value_count == 1 &&
           !str_equal(a->values[0], b->values[0]);
}

/* A condition twice is a sign that one of the words means something else. */
static bool repeats(const struct reading_filter *a, const struct reading_filter *b)
{
    bool same = a->on.table == b->on.table && a->on.column == b->on.column && a->op == b->op &&
                a->out == b->out && a->numerator == b->numerator && a->minus == b->minus &&
                a->named == b->named && a->value_count == b->value_count && a->op != OP_RANGE &&
                a->number >= b->number && a->number <= b->number;
    for (size_t i = 0; same && i < a->value_count; i++)
        same = str_equal(a->values[i], b->values[i]);
    return same;
}

/* Counts and sums can be taken of some of the rows. */
static bool may_be_parted(const struct offline_reading *r, int out)
{
    enum offline_agg agg = r->outs[out].agg;
    return agg == AGG_SUM || (agg == AGG_COUNT && r->outs[out].on.column == READING_NONE);
}

/* "the sum of sales, that of returns": each condition is that of the sum it was said with. */
static void part_outputs(struct offline_reading *r)
{
    struct reading_scope *main = &r->scopes[0];
    for (size_t i = 0; i < main->filter_count; i++)
        for (size_t k = 0; k < i; k++) {
            struct reading_filter *a = &main->filters[i], *b = &main->filters[k];
            bool apart = excludes(a, b) && a->said_with != READING_NONE &&
                         b->said_with != READING_NONE && a->said_with != b->said_with;
            if (apart && may_be_parted(r, a->said_with) && may_be_parted(r, b->said_with)) {
                a->out = a->said_with;
                b->out = b->said_with;
            }
        }
}

/* Two conditions no row can meet at once were said of different rows: "credits in May and debits in
 * June". */
bool offline_finish_conditions(struct parse *p)
{
    const struct offline_reading *r = p->reading;
    part_outputs(p->reading);
    for (size_t s = 0; s < r->scope_count; s++)
        for (size_t i = 0; i < r->scopes[s].filter_count; i++)
            for (size_t k = 0; k < i; k++)
                if (excludes(&r->scopes[s].filters[i], &r->scopes[s].filters[k]))
                    return offline_parse_stop(p, "no row can meet two of its conditions at once");
                else if (repeats(&r->scopes[s].filters[i], &r->scopes[s].filters[k]))
                    return offline_parse_stop(p, "a condition that is said twice is not "
                                                 "understood");
    return true;
}

/* "When" was answered by one date, or by the row that has the last one. */
static bool finish_when(struct parse *p)
{
    const struct offline_reading *r = p->reading;
    const struct reading_column *on = r->out_count > 0 ? &r->outs[0].on : &r->order_on;
    bool one = r->out_count == 1 ? r->outs[0].agg == AGG_NONE
                                 : r->out_count == 0 && r->ordered && r->order_out == READING_NONE;
    return (one && r->group_count == 0 && on->column != READING_NONE &&
            lexicon_index_is_date(p->catalog, on->table, on->column)) ||
           offline_parse_stop(p, "it is not clear which date is asked for");
}

bool offline_finish_reading(struct parse *p)
{
    struct offline_reading *r = p->reading;
    if (p->pending_date != READING_NONE) {
        p->at = (size_t)p->pending_date;
        p->noun = p->noun == READING_NONE ? r->counted : p->noun;
        if (!offline_bind_date(p))
            return false;
    }
    if (p->expect != EXPECT_NOTHING || p->negated || p->next_is_having || p->order_next_out)
        return offline_parse_stop(p, "the question seems to be cut short");
    if (p->net && !p->between_minus)
        return offline_parse_stop(p, "what is taken from what is not said");
    if (p->when && !finish_when(p))
        return false;
    if (!offline_finish_conditions(p) || !check_measures(p) || !finish_attribute(p))
        return false;
    bool aggregate = has_aggregate(r) || (r->group_count > 0 && counts_rows(p));
    if (r->nested && (!aggregate || r->ratio))
        return offline_parse_stop(p, "an average of numbers is not understood here");
    if (r->target != READING_NONE && r->group_count == 1 && p->attribute == READING_NONE &&
        aggregate && r->counted == r->target && r->scope_count == 1)
        r->target = READING_NONE;
    if (p->who && !aggregate && !find_person(p))
        return false;
    aggregate = aggregate || has_aggregate(r);
    if (p->who && aggregate && r->target == READING_NONE && !find_person(p))
        return false;
    if (r->ratio)
        return offline_ratios_finish(p);
    for (size_t i = 1; i < r->scope_count; i++)
        if (r->target == READING_NONE && r->counted == READING_NONE)
            return offline_parse_stop(p, "what the condition is about is not said");
    return aggregate ? finish_aggregate(p) : finish_list(p);
}
