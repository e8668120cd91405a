/* SPDX-License-Identifier: MIT */
/* agents/offline/reading/follow.c - the walk of parse.c over a reading that is there already.
 *
 * Happy path: words that only lead over are dropped, the rest is walked as if the question before
 * had not ended; then what was said anew takes the place of what it contradicts.
 * Failure: whatever stops the walk; a question before that shows something whose rows cannot be
 * narrowed (a ratio, an average of numbers). */
#include "agents/offline/reading/follow.h"

#include <string.h>

#include "agents/offline/reading/finish.h"
#include "agents/english/synonyms.h"

enum { LONGEST_MONTH = 9 /* September */, ONES_AT = 3 };

static bool is_word(const struct lexicon_item *item, const char *word)
{
    return str_equal_nocase(item->text, str_of(word));
}

static bool is_among(const struct lexicon_item *item, const char *const *words, size_t count)
{
    for (size_t i = 0; i < count; i++)
        if (is_word(item, words[i]))
            return true;
    return false;
}

static bool is_pronoun(const struct lexicon_item *item)
{
    static const char *const pronouns[] = {"them", "those", "these", "they"};
    return item->kind == ITEM_CUE && is_among(item, pronouns, countof(pronouns));
}

/* "The ones", at the beginning: the rows before. */
static bool is_ones(const struct lexicon_item *items, size_t i)
{
    return i > 0 && i <= ONES_AT && (is_word(&items[i], "ones") || is_word(&items[i], "one")) &&
           items[i - 1].kind == ITEM_CUE && items[i - 1].cue == CUE_SKIP;
}

/* "What about", "and", "only": what leads over, at the beginning. */
static bool leads_over(const struct lexicon_item *item)
{
    static const char *const words[] = {"and",  "what", "how",  "about", "only", "now",
                                        "just", "but",  "then", "or",    "same"};
    return is_among(item, words, countof(words));
}

static bool is_lead(const struct lexicon_item *item)
{
    static const char *const first[] = {"and", "only", "now", "just", "but", "then", "same"};
    return is_among(item, first, countof(first));
}

/* "Descending", "reversed", "the other way round". */
static bool is_reversal(const struct lexicon_item *items, size_t count)
{
    static const char *const words[] = {"reversed", "reverse", "reversely", "opposite"};
    bool other = false, way = false;
    for (size_t i = 0; i < count; i++) {
        if (is_among(&items[i], words, countof(words)))
            return true;
        other = other || is_word(&items[i], "other");
        way = way || (other && is_word(&items[i], "way"));
    }
    return way;
}

/* "By month", "in May", "top 3", "how many?": too short to be asked alone, most often. */
static bool is_fragment(const struct lexicon_item *items, size_t count)
{
    static const enum offline_cue opens[] = {CUE_BY,  CUE_PER,  CUE_EACH,  CUE_ORDER, CUE_DIR,
                                             CUE_TOP, CUE_PREP, CUE_GRAIN, CUE_SUPER, CUE_COUNT,
                                             CUE_REL, CUE_NEG,  CUE_OR};
    if (count == 0 || items[0].kind == ITEM_DATE || is_reversal(items, count))
        return count > 0;
    for (size_t i = 0; i < countof(opens); i++)
        if (items[0].kind == ITEM_CUE && items[0].cue == opens[i])
            return true;
    return false;
}

enum offline_follow offline_follow_is(const struct lexicon_item *items, size_t count)
{
    for (size_t i = 0; i < count; i++)
        if (is_pronoun(&items[i]) || is_ones(items, i) || is_word(&items[i], "instead"))
            return FOLLOW_MUST;
    if (count > 1 && leads_over(&items[0]) &&
        (is_word(&items[1], "about") || is_word(&items[1], "for")))
        return FOLLOW_MUST;
    return count > 0 && (is_lead(&items[0]) || is_fragment(items, count)) ? FOLLOW_MAY : FOLLOW_NOT;
}

size_t offline_follow_tables(const struct offline_reading *r, int *tables, size_t max)
{
    size_t count = 0;
    const int own[] = {r->counted, r->target};
    for (size_t i = 0; i < countof(own) && count < max; i++)
        if (own[i] != READING_NONE)
            tables[count++] = own[i];
    for (size_t i = 0; i < r->group_count && count < max; i++)
        if (r->groups[i].on.table != READING_NONE)
            tables[count++] = r->groups[i].on.table;
    for (size_t i = 0; i < r->scopes[0].filter_count && count < max; i++)
        tables[count++] = r->scopes[0].filters[i].on.table;
    return count;
}

/* Items without what leads over, "instead" and pronouns with their "of". */
static size_t drop_leads(struct lexicon_item *items, size_t count)
{
    size_t kept = 0, from = 0;
    bool about = count > 1 && is_word(&items[1], "about");
    if (about)
        from = 2;
    else if (count > 0 && is_lead(&items[0]))
        from = 1;
    for (size_t i = from; i < count; i++) {
        bool of = is_word(&items[i], "of") && i + 1 < count && is_pronoun(&items[i + 1]);
        if (!of && !is_pronoun(&items[i]) && !is_ones(items, i) && !is_word(&items[i], "instead") &&
            !is_word(&items[i], "only"))
            items[kept++] = items[i];
    }
    return kept;
}

/* "Which of them", "how many of them": from numbers to their rows, from rows to their number. */
static void turn(struct offline_reading *r, bool to_rows)
{
    bool counts = r->out_count == 1 && r->outs[0].agg == AGG_COUNT && r->group_count == 0;
    if (to_rows && counts) {
        r->target = r->outs[0].on.table;
        r->counted = READING_NONE;
        r->out_count = 0;
    } else if (!to_rows && r->target != READING_NONE && r->counted == READING_NONE &&
               r->limit == 0) {
        r->outs[0] = (struct reading_out){AGG_COUNT, {r->target, READING_NONE}};
        r->out_count = 1;
        r->counted = r->target;
        r->target = READING_NONE;
        r->ordered = r->distinct = false;
    }
}

static bool contradicts(const struct reading_filter *old, const struct reading_filter *new)
{
    bool values = old->value_count > 0 && new->value_count > 0;
    return old->on.table == new->on.table && old->on.column == new->on.column &&
           old->out == READING_NONE && old->named == new->named &&
           (values || (old->op == OP_RANGE && new->op == OP_RANGE) ||
            (old->value_count == 0 && old->op == new->op && old->op != OP_RANGE));
}

/* What is new takes the place of what it contradicts. */
static void replace_filters(struct reading_scope *scope, size_t old_count)
{
    size_t kept = 0;
    for (size_t i = 0; i < scope->filter_count; i++) {
        bool dropped = false;
        for (size_t n = old_count; n < scope->filter_count && i < old_count; n++)
            dropped = dropped || contradicts(&scope->filters[i], &scope->filters[n]);
        if (!dropped)
            scope->filters[kept++] = scope->filters[i];
    }
    scope->filter_count = kept;
}

static void replace_groups(struct offline_reading *r, size_t old_count)
{
    if (r->group_count == old_count || old_count == 0)
        return;
    memmove(&r->groups[0], &r->groups[old_count],
            (r->group_count - old_count) * sizeof r->groups[0]);
    r->group_count -= old_count;
    r->target = READING_NONE;
    r->keep_zero = false;
}

/* "top 3": as many of what is there, by its number. */
static bool is_limit(const struct lexicon_item *items, size_t count)
{
    return count == 2 && items[0].kind == ITEM_CUE && items[0].cue == CUE_TOP &&
           items[1].kind == ITEM_NUMBER;
}

/* "And the lowest?" after the highest. */
static bool is_other_end(const struct lexicon_item *items, size_t count)
{
    size_t i = 0;
    while (i < count && items[i].kind == ITEM_CUE && items[i].cue == CUE_SKIP)
        i++;
    return i + 1 == count && items[i].kind == ITEM_CUE && items[i].cue == CUE_SUPER;
}

/* By what there is to rank by: the order there is, the number of each group, or the one number that
 * the rows were compared by. */
static bool find_order(struct offline_reading *r)
{
    const struct reading_scope *scope = &r->scopes[0];
    size_t compared = 0;
    if (r->ordered)
        return true;
    if (r->out_count > 0 && r->group_count > 0) {
        r->order_out = (int)r->out_count - 1;
        return r->ordered = true;
    }
    for (size_t i = 0; i < scope->filter_count && r->out_count == 0; i++) {
        const struct reading_filter *filter = &scope->filters[i];
        bool number = filter->op == OP_GT || filter->op == OP_GE || filter->op == OP_LT ||
                      filter->op == OP_LE || filter->op == OP_BETWEEN;
        if (!number || filter->on.table != r->target)
            continue;
        r->order_on = filter->on;
        compared++;
    }
    r->order_out = READING_NONE;
    return r->ordered = compared == 1;
}

static bool patch_limit(const struct lexicon_item *items, struct offline_reading *r)
{
    if (!find_order(r))
        return false;
    r->descending = (items[0].arg & SUPER_DESC) != 0;
    r->limit = (unsigned)items[1].number;
    return items[1].number >= 1 && items[1].number <= 10000;
}

/* The other end of an order, or of the one extreme that is shown. */
static bool patch_end(struct offline_reading *r, bool descending)
{
    bool extreme = r->ordered && r->order_out != READING_NONE &&
                   (r->outs[r->order_out].agg == AGG_MAX || r->outs[r->order_out].agg == AGG_MIN);
    if (extreme)
        r->outs[r->order_out].agg = descending ? AGG_MAX : AGG_MIN;
    if (r->ordered) {
        r->descending = descending;
        return true;
    }
    if (r->out_count != 1 || (r->outs[0].agg != AGG_MAX && r->outs[0].agg != AGG_MIN))
        return false;
    r->outs[0].agg = descending ? AGG_MAX : AGG_MIN;
    return true;
}

/* 1 to 12 when "May" or "in May" is all that the date says, else 0. */
static int month_alone(const struct lexicon_item *item)
{
    static const char *const leads[] = {"during", "for", "in"};
    char lower[LONGEST_MONTH];
    struct str rest = item->text, lead = str_split(&rest, ' ');
    struct str word = str_is_absent(rest) ? lead : rest;
    if (item->kind != ITEM_DATE || word.len > sizeof lower ||
        (!str_is_absent(rest) && !str_is_listed_nocase(lead, leads, countof(leads))))
        return 0;
    for (size_t i = 0; i < word.len; i++)
        lower[i] = str_lower(word.at[i]);
    return english_synonyms_month(str_make(lower, word.len));
}

/* "And in May?" after a question when things were shipped asks when they were shipped. */
static void keep_date(const struct lexicon_item *items, size_t count, struct reading_scope *scope,
                      size_t old_count)
{
    const struct reading_filter *old = NULL;
    for (size_t i = 0; i < count; i++)
        if (items[i].kind == ITEM_MENTION ||
            (items[i].kind == ITEM_CUE && items[i].cue == CUE_BEGAN))
            return;
    for (size_t i = 0; i < old_count; i++)
        if (scope->filters[i].op == OP_RANGE)
            old = &scope->filters[i];
    for (size_t i = old_count; old != NULL && i < scope->filter_count; i++)
        if (scope->filters[i].op == OP_RANGE)
            scope->filters[i].on = old->on;
}

/* "And in May?" after a question of one year is of that year's May. */
static void keep_year(struct lexicon_item *items, size_t count, const struct reading_scope *scope)
{
    int year = 0, end_year, month, day, ranges = 0;
    for (size_t i = 0; i < scope->filter_count; i++) {
        const struct offline_range *range = &scope->filters[i].range;
        if (scope->filters[i].op != OP_RANGE)
            continue;
        english_dates_split(range->first, &year, &month, &day);
        english_dates_split(range->end - 1, &end_year, &month, &day);
        ranges += year == end_year ? 1 : 2;
    }
    for (size_t i = 0; i < count && ranges == 1; i++) {
        month = month_alone(&items[i]);
        if (month == 0)
            continue;
        items[i].range.first = english_dates_day(year, month, 1);
        items[i].range.end =
            english_dates_day(month == 12 ? year + 1 : year, month == 12 ? 1 : month + 1, 1);
    }
}

/* "And for all of the staff?" after a question of some of them: false where it is no such. */
static bool take_all(const struct lexicon_item *items, size_t count, struct offline_reading *r)
{
    struct reading_scope *scope = &r->scopes[0];
    int table = r->target != READING_NONE ? r->target : r->counted;
    size_t kept = 0;
    bool all = false;
    for (size_t i = 0; i < count; i++)
        all = all || is_word(&items[i], "all");
    for (size_t i = 0; i < scope->filter_count && all; i++)
        if (scope->filters[i].on.table != table || scope->filters[i].op == OP_RANGE)
            scope->filters[kept++] = scope->filters[i];
    all = all && kept < scope->filter_count;
    scope->filter_count = all ? kept : scope->filter_count;
    return all;
}

bool offline_follow_patch(const struct lexicon *lexicon, struct lexicon_item *items, size_t count,
                          struct offline_reading *r)
{
    struct parse p;
    size_t filters = r->scopes[0].filter_count, groups = r->group_count, outs = r->out_count;
    size_t tables = r->scopes[0].table_count, scopes = r->scope_count;
    unsigned limit = r->limit;
    bool ordered = r->ordered;
    int target = r->target;
    keep_year(items, count, &r->scopes[0]);
    offline_parse_init(&p, lexicon, items, drop_leads(items, count), r);
    if (r->ratio || r->nested || r->of_group)
        return offline_parse_stop(&p, "what changes in the answer before is not clear");
    if (p.count == 0)
        return offline_parse_stop(&p, "what is asked about them is not said");
    if (is_limit(items, p.count))
        return patch_limit(items, r) || offline_parse_stop(&p, "there is nothing to rank");
    if (is_other_end(items, p.count))
        return patch_end(r, (items[p.count - 1].arg & SUPER_DESC) != 0) ||
               offline_parse_stop(&p, "there is nothing to rank");
    if (is_reversal(items, p.count))
        return (find_order(r) && patch_end(r, !r->descending)) ||
               offline_parse_stop(&p, "there is no order to turn round");
    bool count_them = offline_parse_is_cue(&p, 0, CUE_COUNT);
    bool which = offline_parse_is_cue(&p, 0, CUE_WHICH) || offline_parse_is_cue(&p, 0, CUE_WHO);
    if (count_them || which)
        turn(r, which);
    p.at = count_them || which ? 1 : 0;
    p.in_clause = which;
    p.noun = r->target != READING_NONE ? r->target : r->counted;
    p.listing = true;
    if (!offline_parse_walk(&p))
        return false;
    bool lists = r->target != target && !count_them && !which; /* numbers before, rows now */
    if (p.expect != EXPECT_NOTHING || p.negated || p.attribute != READING_NONE || lists ||
        (r->out_count != outs && !count_them && outs > 0 && r->out_count > outs))
        return offline_parse_stop(&p, "what changes in the answer before is not clear");
    bool same = r->scopes[0].filter_count == filters && r->scopes[0].table_count == tables &&
                r->group_count == groups && r->out_count == outs && r->scope_count == scopes &&
                r->ordered == ordered && r->limit == limit && !count_them && !which;
    if ((same && !take_all(items, p.count, r)) ||
        (r->group_count > groups && r->target != READING_NONE && r->out_count == 0))
        return offline_parse_stop(&p, "what changes in the answer before is not clear");
    keep_date(items, p.count, &r->scopes[0], filters);
    replace_filters(&r->scopes[0], filters);
    replace_groups(r, groups);
    return offline_finish_conditions(&p);
}
