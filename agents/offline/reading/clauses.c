/* SPDX-License-Identifier: MIT */
/* agents/offline/reading/clauses.c - what is compared with what.
 *
 * Happy path: a number after "more than" counts the table after it, sums the column after it, or
 * bounds the column, aggregate or table before it.
 * Failure: nothing fits, and the question is not answered. */
#include "agents/offline/reading/clauses.h"

#include "agents/lexicon/spelling.h"
#include "agents/offline/reading/averages.h"
#include "agents/offline/reading/bind.h"
#include "agents/offline/reading/contrasts.h"
#include "agents/offline/reading/orders.h"
#include "agents/english/verbs.h"
#include "core/words/stem.h"

enum { NAME_BYTES = 4096, OLDEST = 120 };

struct bound {
    enum offline_op op;
    double low, high;
    struct str unit;
    bool vs_average;
    double factor;            /* of the average, unless 0 */
    struct reading_mean mean; /* the average of these */
    enum offline_scale scale; /* "longer than": what kind of column is compared */
};

/* The numbers of the comparison at p->at; p->at is left behind them. */
static bool read_bound(struct parse *p, struct bound *bound)
{
    const struct lexicon_item *cue = &p->items[p->at];
    size_t i = offline_parse_next(p, p->at + 1);
    bound->unit = STR("");
    if (cue->cue == CUE_BETWEEN) {
        size_t and = offline_parse_next(p, i + 1), last = offline_parse_next(p, and+1);
        if (last >= p->count || p->items[i].kind != ITEM_NUMBER ||
            !offline_parse_is_cue(p, and, CUE_AND) || p->items[last].kind != ITEM_NUMBER)
            return offline_parse_stop(p, "'between' needs two numbers or dates");
        *bound = (struct bound){OP_BETWEEN, p->items[i].number, p->items[last].number,
                                p->items[last].unit, false};
        p->at = last + 1;
        return true;
    }
    bound->op = (enum offline_op)(cue->arg & COMPARE_OP);
    bound->vs_average = (cue->arg & COMPARE_AVERAGE) != 0;
    if (bound->vs_average) {
        p->at++;
        return true;
    }
    size_t number = offline_parse_next(p, i + 1);
    if (offline_parse_is(p, i, LINK_COLUMN) && offline_parse_is_measure(p, &p->items[i].is) &&
        number < p->count && p->items[number].kind == ITEM_NUMBER) {
        p->subject_column = (int)i; /* "above age 20" */
        i = number;
    }
    if (i < p->count && p->items[i].kind == ITEM_NUMBER) {
        bound->low = p->items[i].number;
        bound->unit = p->items[i].unit;
        p->at = i + 1;
        if (bound->op == OP_EQ || !offline_parse_is_cue(p, p->at, CUE_COMPARE))
            return true;
        return offline_parse_stop(p, "two comparisons meet");
    }
    return offline_parse_stop(p, "'%.*s' is not followed by a number", STR_ARG(cue->text));
}

static void put_bound(struct reading_filter *filter, const struct bound *bound)
{
    filter->op = bound->op;
    filter->number = bound->low;
    filter->high = bound->high;
    filter->versus = bound->vs_average ? AGG_AVG : AGG_NONE;
    filter->factor = bound->factor;
    filter->mean = bound->mean;
}

/* "180 cm" of a column height_cm; money has no unit of its own. */
static bool fits_unit(const struct parse *p, struct reading_column on, struct str unit)
{
    static const struct str checked[] = {{"", 0}, {"h", 1}, {"min", 3}, {"sec", 3}, {"%", 1}};
    struct str name = p->catalog->tables[on.table].columns[on.column].name;
    for (size_t i = 0; i < countof(checked); i++)
        if (str_equal(unit, checked[i]))
            return true;
    return name.len >= unit.len && str_equal_nocase(str_from(name, name.len - unit.len), unit);
}

static bool having_by(struct parse *p, enum offline_agg agg, struct reading_column on,
                      const struct bound *bound)
{
    if (p->negated)
        return offline_parse_stop(p, "a negated comparison is not understood");
    if (bound->mean.of != MEAN_ALL)
        return offline_parse_stop(p, "whose average is meant is not clear");
    if (!offline_parse_open_scope(p, SCOPE_HAVING, on.table))
        return false;
    p->scope->agg = agg;
    p->scope->measure = on;
    p->scope->op = bound->op;
    p->scope->number = bound->low;
    p->scope->high = bound->high;
    p->scope->vs_average = bound->vs_average;
    p->scope->factor = bound->factor;
    return true;
}

static bool says_total(const struct parse *p)
{
    static const struct str says[] = {
        {"in total", 8}, {"altogether", 10}, {"all in all", 10}, {"in all", 6}, {"together", 8}};
    for (size_t i = 0; p->at < p->count && i < countof(says); i++)
        if (str_equal_nocase(p->items[p->at].text, says[i]))
            return true;
    return false;
}

/* "more than 100 in total" of rows that are the target's: their sum, not one of them. What was said
 * of those rows goes with it; what was said of others may narrow either. */
static bool sum_by(struct parse *p, struct reading_column on, const struct bound *bound)
{
    struct reading_scope *main = &p->reading->scopes[0];
    int owner = p->reading->target != READING_NONE ? p->reading->target : p->reading->counted;
    size_t kept = 0;
    if (owner == READING_NONE || owner == on.table)
        return offline_parse_stop(p, "whether one or their sum is compared is not clear");
    if (!having_by(p, AGG_SUM, on, bound))
        return false;
    for (size_t i = 0; i < main->filter_count; i++) {
        if (main->filters[i].on.table == owner)
            main->filters[kept++] = main->filters[i];
        else if (main->filters[i].on.table == on.table && p->scope->filter_count < READING_FILTERS)
            p->scope->filters[p->scope->filter_count++] = main->filters[i];
        else
            return offline_parse_stop(p, "which rows are added up is not clear");
    }
    main->filter_count = kept;
    return true;
}

static bool filter_by(struct parse *p, struct reading_column on, const struct bound *bound)
{
    if (!fits_unit(p, on, bound->unit))
        return offline_parse_stop(p, "what is counted in '%.*s' is not known",
                                  STR_ARG(bound->unit));
    if (says_total(p))
        return sum_by(p, on, bound);
    struct reading_filter *filter = offline_bind_filter(p, on);
    if (filter == NULL || p->negated)
        return offline_parse_stop(p, "this comparison is not understood");
    put_bound(filter, bound);
    return true;
}

/* "> 20h": the numeric column called hours, nearest to the nouns. */
static bool unit_column(struct parse *p, struct str unit, struct reading_column *on)
{
    struct str word = str_equal(unit, STR("h")) ? STR("hours") : unit;
    struct lexicon_link links[OFFLINE_MEANINGS];
    size_t n = lexicon_index_find(p->lexicon, &word, 1, links, OFFLINE_MEANINGS);
    unsigned best = OFFLINE_FAR;
    bool tie = false;
    for (size_t i = 0; i < n; i++) {
        if (links[i].kind != LINK_COLUMN || !offline_parse_is_measure(p, &links[i]))
            continue;
        int noun = p->reading->target != READING_NONE ? p->reading->target : p->noun;
        unsigned hops =
            noun == READING_NONE ? 0 : lexicon_index_hops(p->lexicon, links[i].table, noun);
        tie = hops == best || (tie && hops > best);
        if (hops < best) {
            best = hops;
            *on = (struct reading_column){links[i].table, links[i].column};
        }
    }
    return best < OFFLINE_FAR && !tie;
}

/* A quantity of a column: rows of the target have it themselves or sum it over related rows. */
static bool quantity(struct parse *p, struct reading_column on, const struct bound *bound)
{
    int target = p->reading->target != READING_NONE ? p->reading->target : p->reading->counted;
    if (target == READING_NONE || target == on.table)
        return filter_by(p, on, bound);
    return having_by(p, AGG_SUM, on, bound);
}

/* "more seats than average among halls": the column, then than-average, then who is averaged. */
static bool compare_with_average(struct parse *p)
{
    struct bound bound = {.op = (enum offline_op)(p->items[p->at].arg & COMPARE_OP),
                          .vs_average = true};
    size_t what = offline_parse_next(p, p->at + 1);
    size_t than = what + 1;
    if (than >= p->count || !offline_parse_is_cue(p, than, CUE_THAN_AVG))
        return offline_parse_stop(p, "this comparison is not understood");
    const struct lexicon_link link = p->items[what].is;
    size_t next = offline_parse_next(p, than + 1);
    p->at = than + 1;
    if (offline_parse_is(p, next, LINK_TABLE)) {
        if (p->items[next].is.table != p->reading->target)
            return offline_parse_stop(p, "it is not clear whose average is meant");
        p->at = next + 1;
    }
    if (offline_parse_is(p, what, LINK_TABLE))
        return having_by(p, AGG_COUNT, (struct reading_column){link.table, READING_NONE}, &bound);
    if (!offline_parse_is(p, what, LINK_COLUMN) || !offline_parse_is_measure(p, &link))
        return offline_parse_stop(p, "this comparison is not understood");
    return quantity(p, (struct reading_column){link.table, link.column}, &bound);
}

/* Adjectives of the aggregate ("total debits") are conditions of what it compares. */
static void move_adjectives(struct parse *p)
{
    struct reading_scope *main = &p->reading->scopes[0];
    size_t kept = p->measure_filters;
    for (size_t i = kept; i < main->filter_count; i++) {
        if (main->filters[i].on.table == p->reading->target ||
            p->scope->filter_count == READING_FILTERS)
            main->filters[kept++] = main->filters[i];
        else
            p->scope->filters[p->scope->filter_count++] = main->filters[i];
    }
    main->filter_count = kept;
}

/* "10 minutes" in what the column counts, which its name must say. */
static bool convert(struct parse *p, int table, int column, struct bound *bound)
{
    const struct lexicon_words *name = lexicon_spelling_column(p->lexicon, table, column);
    double factor = 0;
    if (!str_equal(bound->unit, STR("min")) && !str_equal(bound->unit, STR("sec")))
        return true;
    for (size_t i = 0; i < name->count; i++)
        factor += english_verbs_per_unit(bound->unit, name->words[i]);
    bound->low *= factor;
    bound->high *= factor;
    return factor > 0 || offline_parse_stop(p, "what the column is measured in is not said");
}

/* "films longer than 90": the column of the noun that holds such a measure. */
static bool compare_scale(struct parse *p, const struct bound *bound)
{
    int noun = p->clause_noun != READING_NONE ? p->clause_noun : p->noun;
    int column = noun == READING_NONE ? CATALOG_NONE : offline_orders_scale(p, noun, bound->scale);
    if (column == CATALOG_NONE)
        return offline_parse_stop(p, "it is not clear what is compared");
    struct bound in_units = *bound;
    return convert(p, noun, column, &in_units) &&
           filter_by(p, (struct reading_column){noun, column}, &in_units);
}

/* What stands before the comparison: an aggregate, a column, or a noun with a default measure. */
static bool compare_backwards(struct parse *p, const struct bound *bound)
{
    struct offline_reading *r = p->reading;
    if (p->next_is_having) {
        const struct reading_out out = r->outs[--r->out_count];
        p->next_is_having = false;
        if (!having_by(p, out.agg, out.on, bound))
            return false;
        move_adjectives(p);
        return true;
    }
    if (bound->scale != SCALE_NONE)
        return compare_scale(p, bound);
    if (p->subject_column != READING_NONE) {
        const struct lexicon_link *link = &p->items[p->subject_column].is;
        if (!lexicon_index_is_number(p->catalog, link->table, link->column))
            return offline_parse_stop(p, "'%.*s' is not a number",
                                      STR_ARG(p->items[p->subject_column].text));
        return filter_by(p, (struct reading_column){link->table, link->column}, bound);
    }
    int noun = p->clause_noun != READING_NONE ? p->clause_noun : p->noun;
    int age = noun == READING_NONE || bound->low > OLDEST || bound->unit.len > 0
                  ? CATALOG_NONE
                  : offline_orders_scale(p, noun, SCALE_AGE);
    for (size_t i = 0; age != CATALOG_NONE && i < p->scope->filter_count; i++)
        if (p->scope->filters[i].on.table == noun && p->scope->filters[i].on.column == age)
            return offline_parse_stop(p, "whether both ages are of one row is not clear");
    if (age != CATALOG_NONE) /* "visitors under 18" */
        return filter_by(p, (struct reading_column){noun, age}, bound);
    if (noun == READING_NONE || p->lexicon->facts[noun].measure == CATALOG_NONE)
        return offline_parse_want(
            p, noun == READING_NONE ? READING_WANTS_NOTHING : READING_WANTS_NUMBER, noun,
            "it is not clear what is compared with a number");
    return filter_by(p, (struct reading_column){noun, p->lexicon->facts[noun].measure}, bound);
}

/* "failed more than 2 inspections": the adjective before the number is one of what is counted. */
static bool count_by(struct parse *p, size_t cue, int table, const struct bound *bound)
{
    struct reading_scope *main = &p->reading->scopes[0];
    bool before =
        cue > 0 && main->filter_count > 0 &&
        (offline_parse_is(p, cue - 1, LINK_VALUE) || offline_parse_is(p, cue - 1, LINK_BOOL)) &&
        p->items[cue - 1].is.table == table;
    struct reading_filter adjective = {.out = READING_NONE};
    if (before)
        adjective = main->filters[--main->filter_count];
    for (size_t i = 0; i < main->filter_count; i++)
        if (main->filters[i].on.table == table && table != p->reading->target)
            return offline_parse_stop(p, "it is not clear which rows are counted");
    if (!having_by(p, AGG_COUNT, (struct reading_column){table, READING_NONE}, bound))
        return false;
    if (before)
        p->scope->filters[p->scope->filter_count++] = adjective;
    return true;
}

/* "more than 20 debits": rows that have the value, which is their name here. */
static bool counts_values(const struct parse *p, size_t noun)
{
    size_t value = offline_parse_next(p, p->at);
    const struct offline_reading *r = p->reading;
    return (offline_parse_is(p, value, LINK_VALUE) || offline_parse_is(p, value, LINK_BOOL)) &&
           p->items[value].plural && !offline_parse_is(p, noun, LINK_TABLE) &&
           !offline_parse_is(p, noun, LINK_COLUMN) && r->target != READING_NONE &&
           r->target != p->items[value].is.table;
}

/* Different values of a column of rows that belong to the target. */
static bool counts_kinds(const struct parse *p, size_t noun)
{
    const struct offline_reading *r = p->reading;
    const struct lexicon_link *link = noun < p->count ? &p->items[noun].is : NULL;
    return link != NULL && noun == offline_parse_next(p, p->at) &&
           offline_parse_is(p, noun, LINK_COLUMN) && link->named == NULL &&
           link->column != CATALOG_NONE && r->target != READING_NONE && r->target != link->table &&
           p->attribute == READING_NONE &&
           p->catalog->tables[link->table].columns[link->column].type == CATALOG_TEXT;
}

/* Whose rows a comparison without a table of its own is about. */
static int compared_table(const struct parse *p)
{
    return p->subject_column != READING_NONE ? p->items[p->subject_column].is.table
           : p->clause_noun != READING_NONE  ? p->clause_noun
                                             : p->noun;
}

/* "above the average", "above the average age". */
static bool compare_with_mean(struct parse *p, size_t after, enum offline_scale scale,
                              double factor)
{
    struct bound bound = {.op = (enum offline_op)(p->items[p->at].arg & COMPARE_OP),
                          .vs_average = true,
                          .factor = factor,
                          .scale = scale};
    p->at = after + 1;
    size_t same = offline_parse_next(p, p->at);
    bool column = offline_parse_is(p, same, LINK_COLUMN);
    if (column && p->subject_column != READING_NONE &&
        p->items[same].is.table == p->items[p->subject_column].is.table &&
        p->items[same].is.column == p->items[p->subject_column].is.column) {
        p->at = same + 1;
    } else if (column && scale == SCALE_NONE && !p->next_is_having &&
               offline_parse_is_measure(p, &p->items[same].is)) {
        p->subject_column = (int)same;
        p->at = same + 1;
    }
    return offline_averages_read(p, compared_table(p), &bound.mean) && compare_backwards(p, &bound);
}

/* "twice the average": *at is left at the average. */
static bool read_factor(struct parse *p, size_t *at, double *factor)
{
    const struct lexicon_item *times = &p->items[*at];
    if (!offline_parse_is_cue(p, *at, CUE_TIMES))
        return true;
    *factor = times->arg / 100.0;
    *at = offline_parse_next(p, *at + 1);
    return (offline_parse_is_cue(p, *at, CUE_AGG) && p->items[*at].arg == AGG_AVG) ||
           offline_parse_stop(p, "of what '%.*s' is meant is not clear", STR_ARG(times->text));
}

/* "above the average total": the column behind it is what is averaged. */
static void say_averaged(struct parse *p, enum offline_scale scale)
{
    size_t of = offline_parse_next(p, p->at);
    if (p->subject_column != READING_NONE || p->next_is_having || scale != SCALE_NONE ||
        !offline_parse_is(p, of, LINK_COLUMN) || p->items[of].is.table != p->noun ||
        !offline_parse_is_measure(p, &p->items[of].is))
        return;
    p->subject_column = (int)of;
    p->at = of + 1;
}

/* "more than 5 hours", "in more than one city": the column behind the number. */
static bool compare_column(struct parse *p, size_t noun, const struct bound *bound)
{
    const struct lexicon_link *link = &p->items[noun].is;
    const struct reading_column on = {link->table, link->column};
    if (counts_kinds(p, noun)) {
        p->at = noun + 1;
        return having_by(p, AGG_DISTINCT, on, bound);
    }
    if (!quantity(p, on, bound))
        return false;
    p->items[noun].kind = ITEM_CUE; /* used here; adjectives before it are not */
    p->items[noun].cue = CUE_SKIP;
    return true;
}

/* "more than 20 hours" */
static bool compare_hours(struct parse *p, const struct bound *bound)
{
    struct reading_column on;
    if (!unit_column(p, bound->unit, &on))
        return offline_parse_stop(p, "no column counts hours");
    size_t same = offline_parse_next(p, p->at);
    if (offline_parse_is(p, same, LINK_COLUMN) && p->items[same].is.column == on.column)
        p->at = same + 1;
    return quantity(p, on, bound);
}

bool offline_clauses_compare(struct parse *p)
{
    struct bound bound = {0};
    size_t cue = p->at, after = offline_parse_next(p, p->at + 1);
    enum offline_scale scale = p->items[cue].cue == CUE_COMPARE
                                   ? (enum offline_scale)(p->items[cue].arg >> SCALE_SHIFT)
                                   : SCALE_NONE;
    /* "500 or more": the number came before */
    if (cue > 0 && p->items[cue - 1].kind == ITEM_NUMBER)
        return offline_parse_stop(p, "a number before its comparison is not understood");
    if (after < p->count && p->items[after].kind == ITEM_MENTION &&
        offline_parse_is_cue(p, after + 1, CUE_THAN_AVG))
        return compare_with_average(p);
    double factor = 0;
    if (offline_parse_is_cue(p, after, CUE_THAN_AVG))
        return compare_with_mean(p, after, scale, factor);
    bool taken = false;
    if (!offline_contrasts_take(p, after, &taken) || taken)
        return taken;
    if (!read_factor(p, &after, &factor))
        return false;
    if (offline_parse_is_cue(p, after, CUE_AGG) && p->items[after].arg == AGG_AVG)
        return compare_with_mean(p, after, scale, factor);
    if (!read_bound(p, &bound))
        return false;
    bound.scale = scale;
    if (bound.vs_average) {
        say_averaged(p, scale);
        if (!offline_averages_read(p, compared_table(p), &bound.mean))
            return false;
    }
    bool timed = str_equal(bound.unit, STR("min")) || str_equal(bound.unit, STR("sec"));
    if (timed && scale == SCALE_NONE)
        return offline_parse_stop(p, "what is compared with a time is not clear");
    if (scale != SCALE_NONE || bound.vs_average || p->items[cue].cue == CUE_BETWEEN)
        return compare_backwards(p, &bound);
    if (str_equal(bound.unit, STR("h")))
        return compare_hours(p, &bound);
    size_t noun = offline_parse_past_adjectives(p, p->at);
    if (p->subject_column != READING_NONE && offline_parse_is(p, noun, LINK_TABLE) &&
        lexicon_index_is_date(p->catalog, p->items[p->subject_column].is.table,
                              p->items[p->subject_column].is.column))
        p->subject_column = READING_NONE; /* "placed more than two orders" */
    if (p->subject_column == READING_NONE && !p->next_is_having) {
        if (offline_parse_is(p, noun, LINK_TABLE)) {
            int table = p->items[noun].is.table;
            int target = p->reading->target;
            if (p->attribute == READING_NONE && (target == table || target == READING_NONE) &&
                p->reading->counted == READING_NONE)
                return offline_parse_stop(p, "it is not clear what is counted");
            return count_by(p, cue, table, &bound);
        }
        if (counts_values(p, noun))
            return count_by(p, cue, p->items[offline_parse_next(p, p->at)].is.table, &bound);
        if (offline_parse_is(p, noun, LINK_COLUMN) &&
            (counts_kinds(p, noun) || offline_parse_is_measure(p, &p->items[noun].is)))
            return compare_column(p, noun, &bound);
    }
    return compare_backwards(p, &bound);
}
