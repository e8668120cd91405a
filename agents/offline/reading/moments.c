/* SPDX-License-Identifier: MIT */
/* agents/offline/reading/moments.c - what is done at a time.
 *
 * Happy path: "hired after 2020" leaves the date to bind.c; "hired most recently" is an order;
 * "not yet shipped" asks for rows without that date. "In 2014" compares a column of years.
 * Failure: the verb has no date, order or negation beside it. */
#include "agents/offline/reading/moments.h"

#include "agents/offline/reading/bind.h"
#include "agents/offline/reading/cues.h"
#include "core/words/stem.h"

static struct reading_column column_of(const struct lexicon_link *link)
{
    return (struct reading_column){link->table, link->column};
}

/* "who was hired most recently", "the order shipped last" */
static bool order_by_it(struct parse *p, const struct lexicon_link *link, size_t next)
{
    struct offline_reading *r = p->reading;
    if (p->who && r->target == READING_NONE) {
        r->target = link->table;
        p->who = false;
    }
    if (r->ordered || r->target != link->table)
        return offline_parse_stop(p, "'%.*s' is not understood here",
                                  STR_ARG(p->items[p->at].text));
    r->ordered = true;
    r->descending = (p->items[next].arg & SUPER_DESC) != 0;
    r->order_on = column_of(link);
    r->limit = r->limit > 0 ? r->limit : 1;
    p->at = next + 1;
    return true;
}

static bool ask_whether(struct parse *p, const struct lexicon_link *link)
{
    struct reading_filter *filter;
    if (link->table != p->reading->target && link->table != p->reading->counted &&
        link->table != p->noun)
        return offline_parse_stop(p, "'%.*s' is not understood here",
                                  STR_ARG(p->items[p->at].text));
    filter = offline_bind_filter(p, column_of(link));
    if (filter == NULL)
        return false;
    filter->op = p->negated ? OP_IS_NULL : OP_NOT_NULL;
    p->negated = false;
    p->at++;
    return true;
}

/* "unshipped orders", "orders are unshipped". */
static bool lacks_it(struct parse *p, const struct lexicon_link *link, size_t next)
{
    const struct offline_reading *r = p->reading;
    bool beside = offline_parse_is(p, next, LINK_TABLE) && p->items[next].is.table == link->table;
    if (!beside && link->table != r->target && link->table != r->counted && link->table != p->noun)
        return offline_parse_stop(p, "'%.*s' is not said of the rows asked for",
                                  STR_ARG(p->items[p->at].text));
    struct reading_filter *filter = offline_bind_filter(p, column_of(link));
    if (filter == NULL)
        return false;
    filter->op = p->negated ? OP_NOT_NULL : OP_IS_NULL;
    p->negated = false;
    p->at++;
    return true;
}

/* Whether another date of the same row is behind the comparison. */
static bool may_compare(const struct parse *p, const struct lexicon_link *link, size_t compare)
{
    size_t other = offline_parse_next(p, compare + 1);
    return (offline_parse_is(p, other, LINK_COLUMN) || offline_parse_is(p, other, LINK_MOMENT)) &&
           p->items[other].is.table == link->table &&
           lexicon_index_is_date(p->catalog, link->table, p->items[other].is.column);
}

bool offline_moments_take(struct parse *p)
{
    const struct lexicon_link link = p->items[p->at].is;
    size_t next = offline_parse_next(p, p->at + 1);
    bool last = next + 1 == p->count && offline_parse_is_cue(p, next, CUE_TOP) &&
                (p->items[next].arg & SUPER_DATE) != 0;
    if (last || offline_parse_is_cue(p, next, CUE_SUPER))
        return order_by_it(p, &link, next);
    if (p->when && p->at + 1 == p->count && p->reading->target == link.table) {
        p->at++; /* "when is it due" */
        return offline_parse_add_out(p, AGG_NONE, column_of(&link));
    }
    if (p->when && p->items[p->at].cue == CUE_BEGAN) { /* "join" is no date of these rows */
        p->items[p->at].kind = ITEM_CUE;
        return offline_cues_take(p);
    }
    if (next < p->count && p->items[next].kind == ITEM_DATE) {
        p->at++;
        return true;
    }
    if (offline_parse_is_cue(p, next, CUE_COMPARE) && may_compare(p, &link, next)) {
        p->subject_column = (int)p->at++; /* "shipped after the required date" */
        return true;
    }
    if (p->items[p->at].inverse)
        return lacks_it(p, &link, next);
    bool may_lack = !p->catalog->tables[link.table].columns[link.column].not_null;
    if (may_lack && (p->after_copula || p->negated))
        return ask_whether(p, &link);
    return offline_parse_stop(p, "'%.*s' is not understood here", STR_ARG(p->items[p->at].text));
}

bool offline_moments_is_done(const struct parse *p, const struct lexicon_link *link)
{
    const struct offline_reading *r = p->reading;
    size_t date = offline_parse_next(p, p->at + 1);
    if (offline_parse_is_cue(p, date, CUE_PREP))
        date = offline_parse_next(p, date + 1);
    return !p->negated && p->at > 0 && offline_parse_is_cue(p, p->at - 1, CUE_BEGAN) &&
           date < p->count && p->items[date].kind == ITEM_DATE &&
           offline_parse_is_measure(p, link) &&
           (r->target != READING_NONE || r->counted != READING_NONE) && link->table != r->target &&
           link->table != r->counted && p->scope->kind == SCOPE_MAIN;
}

/* ---- years ---- */

bool offline_moments_has_year(const struct catalog *catalog, int table)
{
    int column = catalog_find_column(catalog, table, STR("year"));
    return column != CATALOG_NONE && !catalog->tables[table].columns[column].hidden &&
           lexicon_index_is_number(catalog, table, column);
}

bool offline_moments_names_year(const struct catalog *catalog, int table, int column)
{
    enum { BEGINNING = 5, ENDING = 4 };
    struct str name = catalog->tables[table].columns[column].name;
    return name.len >= ENDING && lexicon_index_is_number(catalog, table, column) &&
           (str_equal_nocase(str_from(name, name.len - ENDING), STR("year")) ||
            str_equal_nocase(str_slice(name, 0, size_min(BEGINNING, name.len)), STR("year_")));
}

bool offline_moments_says_year(const struct parse *p)
{
    const struct lexicon_link *link =
        p->subject_column == READING_NONE ? NULL : &p->items[p->subject_column].is;
    return link != NULL && link->kind == LINK_COLUMN && link->column != CATALOG_NONE &&
           offline_moments_names_year(p->catalog, link->table, link->column);
}

static int year_column(const struct parse *p, int table)
{
    const struct catalog_table *t = &p->catalog->tables[table];
    int found = CATALOG_NONE;
    for (size_t c = 0; c < t->column_count; c++) {
        if (t->columns[c].hidden || !offline_moments_names_year(p->catalog, table, (int)c))
            continue;
        if (found != CATALOG_NONE)
            return CATALOG_NONE;
        found = (int)c;
    }
    return found;
}

/* The year that a range begins or ends with; 0: it does so within one, or not at all. */
static int whole_year(int32_t day)
{
    int year, month, dom;
    if (day == OFFLINE_DAY_NONE)
        return 0;
    english_dates_split(day, &year, &month, &dom);
    return month == 1 && dom == 1 ? year : 0;
}

bool offline_moments_year(struct parse *p, bool *taken)
{
    const struct offline_reading *r = p->reading;
    const struct offline_range range = p->items[p->at].range;
    const int nouns[] = {p->clause_noun, r->counted, r->target, p->noun};
    int first = whole_year(range.first), end = whole_year(range.end);
    struct reading_column on = {READING_NONE, READING_NONE};
    *taken = false;
    if ((range.first != OFFLINE_DAY_NONE && first == 0) ||
        (range.end != OFFLINE_DAY_NONE && end == 0) || p->negated)
        return true;
    if (offline_moments_says_year(p)) {
        const struct lexicon_link *said = &p->items[p->subject_column].is;
        on = (struct reading_column){said->table, said->column};
        p->subject_column = READING_NONE;
    }
    for (size_t i = 0; i < countof(nouns) && on.table == READING_NONE; i++)
        if (nouns[i] != READING_NONE && year_column(p, nouns[i]) != CATALOG_NONE)
            on = (struct reading_column){nouns[i], year_column(p, nouns[i])};
    if (on.table == READING_NONE)
        return true;
    struct reading_filter *filter = offline_bind_filter(p, on);
    if (filter == NULL)
        return false;
    filter->op = first == 0 ? OP_LT : end == 0 ? OP_GE : end == first + 1 ? OP_EQ : OP_BETWEEN;
    filter->number = first == 0 ? end : first;
    filter->high = end - 1;
    *taken = true;
    p->at++;
    return true;
}
