/* SPDX-License-Identifier: MIT */
/* agents/offline/reading/parse.c - the walk: cues set what is expected, mentions fill it.
 *
 * Happy path: "how many" expects what is counted, an aggregate its column, "per" a group; a table
 * that nothing expects is the target or a related one; a column is shown, compared or grouped by.
 * Failure: an item no rule takes stops the walk, so no word is ever passed over. */
#include "agents/offline/reading/parse.h"

#include "agents/offline/reading/bind.h"
#include "agents/offline/reading/cues.h"
#include "agents/offline/reading/finish.h"
#include "agents/offline/reading/mentions.h"

#include <stdarg.h>
#include <stdio.h>

static PRINTF(2, 0) void put_reason(struct parse *p, const char *fmt, va_list args)
{
    if (p->reading->cannot[0] == '\0')
        vsnprintf(p->reading->cannot, CANNOT_BYTES, fmt, args);
}

bool offline_parse_stop(struct parse *p, const char *fmt, ...)
{
    va_list args;
    va_start(args, fmt);
    put_reason(p, fmt, args);
    va_end(args);
    return false;
}

bool offline_parse_want(struct parse *p, enum reading_want want, int table, const char *fmt, ...)
{
    va_list args;
    if (p->reading->cannot[0] == '\0') {
        p->reading->wants = want;
        p->reading->wants_of = table;
    }
    va_start(args, fmt);
    put_reason(p, fmt, args);
    va_end(args);
    return false;
}

bool offline_parse_is_cue(const struct parse *p, size_t i, enum offline_cue cue)
{
    return i < p->count && p->items[i].kind == ITEM_CUE && p->items[i].cue == cue;
}

bool offline_parse_is(const struct parse *p, size_t i, enum lexicon_link_kind kind)
{
    return i < p->count && p->items[i].kind == ITEM_MENTION && p->items[i].is.kind == kind;
}

size_t offline_parse_next(const struct parse *p, size_t i)
{
    while (i < p->count && offline_parse_is_cue(p, i, CUE_SKIP))
        i++;
    return i < p->count ? i : p->count;
}

bool offline_parse_opens(const struct parse *p, size_t i)
{
    while (i > 0 && offline_parse_is_cue(p, i - 1, CUE_SKIP))
        i--;
    return i == 0;
}

size_t offline_parse_past_adjectives(const struct parse *p, size_t i)
{
    for (i = offline_parse_next(p, i); i < p->count; i = offline_parse_next(p, i + 1)) {
        bool joined =
            (offline_parse_is_cue(p, i, CUE_AND) || offline_parse_is_cue(p, i, CUE_OR)) &&
            (offline_parse_is(p, i + 1, LINK_VALUE) || offline_parse_is(p, i + 1, LINK_BOOL));
        if (!joined && !offline_parse_is(p, i, LINK_VALUE) && !offline_parse_is(p, i, LINK_BOOL))
            return i;
    }
    return p->count;
}

bool offline_parse_add_out(struct parse *p, enum offline_agg agg, struct reading_column on)
{
    struct offline_reading *r = p->reading;
    if (r->out_count == READING_OUTS)
        return offline_parse_stop(p, "too many things are asked for at once");
    r->outs[r->out_count++] = (struct reading_out){agg, on};
    return true;
}

bool offline_parse_relate(struct parse *p, struct reading_scope *scope, int table)
{
    for (size_t i = 0; i < scope->table_count; i++)
        if (scope->tables[i] == table)
            return true;
    if (scope->table_count == READING_TABLES)
        return offline_parse_stop(p, "too many tables are involved");
    scope->tables[scope->table_count++] = table;
    return true;
}

bool offline_parse_open_scope(struct parse *p, enum reading_scope_kind kind, int table)
{
    struct offline_reading *r = p->reading;
    if (r->scope_count == READING_SCOPES)
        return offline_parse_stop(p, "there are too many conditions");
    if (p->owner != READING_NONE && p->owner != table)
        return offline_parse_stop(p, "a condition on related rows inside another is not "
                                     "understood");
    p->scope = &r->scopes[r->scope_count++];
    *p->scope = (struct reading_scope){.kind = kind};
    p->negated = false;
    p->subject_column = READING_NONE;
    return offline_parse_relate(p, p->scope, table);
}

bool offline_parse_is_measure(const struct parse *p, const struct lexicon_link *link)
{
    if (link->named != NULL)
        return link->kind == LINK_COLUMN;
    return link->column != CATALOG_NONE &&
           lexicon_index_is_number(p->catalog, link->table, link->column) &&
           !p->catalog->tables[link->table].columns[link->column].primary_key &&
           lexicon_index_reference(p->catalog, link->table, link->column) == NULL;
}

bool offline_parse_add_group(struct parse *p, struct reading_column on, enum offline_grain grain)
{
    struct offline_reading *r = p->reading;
    if (r->group_count == READING_GROUPS)
        return offline_parse_stop(p, "there are too many groups");
    r->groups[r->group_count++] = (struct reading_group){on, grain};
    p->expect = EXPECT_NOTHING;
    if (p->each && on.column == READING_NONE && grain == GRAIN_NONE)
        r->keep_zero = true;
    /* "by status and priority" */
    size_t and = offline_parse_next(p, p->at + 1);
    if ((offline_parse_is_cue(p, and, CUE_AND)) &&
        (offline_parse_is(p, and+1, LINK_COLUMN) || offline_parse_is(p, and+1, LINK_TABLE) ||
         offline_parse_is(p, and+1, LINK_ROLE) || offline_parse_is_cue(p, and+1, CUE_GRAIN))) {
        p->expect = EXPECT_GROUP;
        p->at = and;
    }
    p->at++;
    return true;
}

bool offline_parse_fill_measures(struct parse *p, struct reading_column on)
{
    struct offline_reading *r = p->reading;
    for (size_t i = p->pending_from; i < r->out_count; i++)
        if (r->outs[i].agg != AGG_COUNT)
            r->outs[i].on = on;
    p->expect = EXPECT_NOTHING;
    p->noun = on.table;
    if (p->order_next_out && !r->ordered) {
        r->ordered = true;
        r->descending = p->top_descending;
        r->order_out = (int)r->out_count - 1;
        p->order_next_out = false;
        p->wants_order = false;
    }
    /* "total debits exceed 20000": compared, not shown */
    size_t next = p->at + 1;
    while (
        offline_parse_is_cue(p, next, CUE_COPULA) || offline_parse_is_cue(p, next, CUE_SKIP) ||
        (offline_parse_is_cue(p, next, CUE_PREP) && offline_parse_is_cue(p, next + 1, CUE_COMPARE)))
        next++;
    p->next_is_having =
        (r->target != READING_NONE || p->attribute != READING_NONE) &&
        (offline_parse_is_cue(p, next, CUE_COMPARE) || offline_parse_is_cue(p, next, CUE_BETWEEN));
    if (!p->next_is_having)
        r->counted = on.table;
    return true;
}

/* What is counted is known. */
bool offline_parse_fill_count(struct parse *p, struct reading_column on, enum offline_agg agg)
{
    struct offline_reading *r = p->reading;
    struct reading_out *out = &r->outs[r->out_count - 1];
    out->agg = p->distinct && agg == AGG_COUNT && on.column != READING_NONE ? AGG_DISTINCT : agg;
    p->distinct = false;
    size_t waiting = p->pending_from;
    p->pending_from = r->out_count - 1;
    out->on = on;
    enum offline_agg kept = out->agg;
    out->agg = AGG_NONE; /* so that it is filled */
    bool ok = offline_parse_fill_measures(p, on);
    r->outs[r->out_count - 1].agg = kept;
    p->pending_from = waiting;
    return ok;
}

/* "invoice 5": the row with that key. */
static bool names_row(struct parse *p)
{
    const struct lexicon_item *item = &p->items[p->at], *noun = item - 1;
    int table = noun->is.table, key = p->lexicon->facts[table].key;
    if (noun->plural || key == CATALOG_NONE || item->unit.len > 0 || p->negated ||
        !lexicon_index_is_number(p->catalog, table, key))
        return false;
    struct reading_filter *filter = offline_bind_filter(p, (struct reading_column){table, key});
    if (filter == NULL)
        return false;
    filter->op = OP_EQ;
    filter->number = item->number;
    p->at++;
    return true;
}

/* "five shops with the most staff", "names of the five": how many rows are shown. */
static bool counts_shown(const struct parse *p, size_t next)
{
    const struct offline_reading *r = p->reading;
    bool shows = offline_parse_opens(p, p->at);
    if (r->target != READING_NONE || p->expect != EXPECT_NOTHING)
        return false;
    for (size_t i = 0; i < r->out_count; i++)
        shows = r->outs[i].agg == AGG_NONE;
    return (shows || p->listing) &&
           offline_parse_is(p, offline_parse_past_adjectives(p, next), LINK_TABLE);
}

static bool take_item(struct parse *p)
{
    const struct lexicon_item *item = &p->items[p->at];
    switch (item->kind) {
    case ITEM_CUE:
        return offline_cues_take(p);
    case ITEM_MENTION:
        return offline_mentions_take(p);
    case ITEM_DATE:
        return offline_bind_date(p);
    case ITEM_LITERAL:
        return offline_bind_literal(p);
    case ITEM_NUMBER: {
        size_t next = offline_parse_next(p, p->at + 1);
        if (offline_parse_is(p, p->at - 1, LINK_TABLE) && p->at > 0 && names_row(p))
            return true;
        if (item->unit.len > 0 || item->number < 1 || item->number > 10000 ||
            p->reading->limit > 0 ||
            !(offline_parse_is_cue(p, next, CUE_SUPER) || counts_shown(p, next)))
            return offline_parse_stop(p, "what the number %.*s stands for is not clear",
                                      STR_ARG(item->text));
        p->few = !p->listing;
        p->reading->limit = (unsigned)item->number;
        p->at++;
        return true;
    }
    default:
        return offline_parse_stop(p, "'%.*s' is not a word of this database", STR_ARG(item->text));
    }
}

/* Words nobody knows are named before anything else is tried. */
static bool refuse_unknown(struct parse *p)
{
    for (size_t i = 0; i < p->count; i++) {
        const struct lexicon_item *item = &p->items[i];
        if (i == 0 && item->cue == CUE_WRITE)
            return offline_parse_stop(p, "it only reads data, and '%.*s' would change some",
                                      STR_ARG(item->text));
        if (item->kind == ITEM_UNKNOWN)
            return offline_parse_stop(p, "'%.*s' is not a word of this database",
                                      STR_ARG(item->text));
    }
    return true;
}

void offline_parse_init(struct parse *p, const struct lexicon *lexicon, struct lexicon_item *items,
                        size_t count, struct offline_reading *reading)
{
    *p = (struct parse){.lexicon = lexicon,
                        .catalog = lexicon->catalog,
                        .items = items,
                        .count = count,
                        .reading = reading,
                        .scope = &reading->scopes[0],
                        .noun = READING_NONE,
                        .clause_noun = READING_NONE,
                        .owner = READING_NONE,
                        .subject_column = READING_NONE,
                        .attribute = READING_NONE,
                        .pending_date = READING_NONE,
                        .current_out = READING_NONE};
}

bool offline_parse_walk(struct parse *p)
{
    if (!refuse_unknown(p))
        return false;
    while (p->at < p->count) {
        size_t before = p->at;
        if (!take_item(p))
            return offline_parse_stop(p, "the question is not understood");
        if (p->at == before)
            return offline_parse_stop(p, "'%.*s' is not understood here",
                                      STR_ARG(p->items[p->at].text));
    }
    return true;
}

bool offline_parse_run(const struct lexicon *lexicon, struct lexicon_item *items, size_t count,
                       struct offline_reading *reading)
{
    struct parse p;
    *reading = (struct offline_reading){.target = READING_NONE,
                                        .counted = READING_NONE,
                                        .order_out = READING_NONE,
                                        .scope_count = 1,
                                        .order_on = {READING_NONE, READING_NONE}};
    offline_parse_init(&p, lexicon, items, count, reading);
    return offline_parse_walk(&p) && offline_finish_reading(&p);
}
