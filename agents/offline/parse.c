/* SPDX-License-Identifier: MIT */
/* agents/offline/parse.c - the walk: cues set what is expected, mentions fill it.
 *
 * Happy path: "how many" expects what is counted, an aggregate its column, "per" a group; a table
 * that nothing expects is the target or a related one; a column is shown, compared or grouped by.
 * Failure: an item no rule takes stops the walk, so no word is ever passed over. */
#include "agents/offline/parse.h"

#include "agents/offline/bind.h"
#include "agents/offline/clauses.h"
#include "agents/offline/finish.h"
#include "agents/offline/mentions.h"

#include <stdarg.h>
#include <stdio.h>

bool offline_parse_stop(struct parse *p, const char *fmt, ...)
{
    if (p->reading->cannot[0] != '\0')
        return false;
    va_list args;
    va_start(args, fmt);
    vsnprintf(p->reading->cannot, CANNOT_BYTES, fmt, args);
    va_end(args);
    return false;
}

bool offline_parse_is_cue(const struct parse *p, size_t i, enum offline_cue cue)
{
    return i < p->count && p->items[i].kind == ITEM_CUE && p->items[i].cue == cue;
}

bool offline_parse_is(const struct parse *p, size_t i, enum offline_link_kind kind)
{
    return i < p->count && p->items[i].kind == ITEM_MENTION && p->items[i].is.kind == kind;
}

size_t offline_parse_next(const struct parse *p, size_t i)
{
    while (i < p->count && offline_parse_is_cue(p, i, CUE_SKIP))
        i++;
    return i < p->count ? i : p->count;
}

size_t offline_parse_past_adjectives(const struct parse *p, size_t i)
{
    for (i = offline_parse_next(p, i); i < p->count; i = offline_parse_next(p, i + 1)) {
        bool joined = (offline_parse_is_cue(p, i, CUE_AND) || offline_parse_is_cue(p, i, CUE_OR)) &&
                      (offline_parse_is(p, i + 1, LINK_VALUE) ||
                       offline_parse_is(p, i + 1, LINK_BOOL));
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
    p->scope = &r->scopes[r->scope_count++];
    *p->scope = (struct reading_scope){.kind = kind};
    p->negated = false;
    p->subject_column = READING_NONE;
    return offline_parse_relate(p, p->scope, table);
}

bool offline_parse_is_measure(const struct parse *p, const struct offline_link *link)
{
    return link->column != CATALOG_NONE &&
           offline_index_is_number(p->catalog, link->table, link->column) &&
           !p->catalog->tables[link->table].columns[link->column].primary_key &&
           offline_index_reference(p->catalog, link->table, link->column) == NULL;
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
        (offline_parse_is(p, and + 1, LINK_COLUMN) || offline_parse_is(p, and + 1, LINK_TABLE) ||
         offline_parse_is(p, and + 1, LINK_ROLE) || offline_parse_is_cue(p, and + 1, CUE_GRAIN))) {
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
    while (offline_parse_is_cue(p, next, CUE_COPULA) || offline_parse_is_cue(p, next, CUE_SKIP) ||
           (offline_parse_is_cue(p, next, CUE_PREP) && offline_parse_is_cue(p, next + 1, CUE_COMPARE)))
        next++;
    p->next_is_having = (r->target != READING_NONE || p->attribute != READING_NONE) &&
                        (offline_parse_is_cue(p, next, CUE_COMPARE) ||
                         offline_parse_is_cue(p, next, CUE_BETWEEN));
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

static bool take_aggregate(struct parse *p)
{
    const struct offline_item *cue = &p->items[p->at];
    if (p->expect == EXPECT_COUNT)
        return offline_parse_stop(p, "a count of an aggregate is not understood");
    if (p->expect != EXPECT_MEASURE)
        p->pending_from = p->reading->out_count;
    p->expect = EXPECT_MEASURE;
    p->measure_filters = p->reading->scopes[0].filter_count;
    p->at++;
    size_t next = offline_parse_next(p, p->at);
    if (offline_parse_is_cue(p, next, CUE_COUNT))
        return offline_parse_stop(p, "an average of counts is not understood");
    return offline_parse_add_out(p, (enum offline_agg)cue->arg,
                                 (struct reading_column){READING_NONE, READING_NONE});
}

/* "the count, the total and the average amount": a count among aggregates counts their rows. */
static bool take_count(struct parse *p)
{
    struct offline_reading *r = p->reading;
    size_t next = offline_parse_next(p, p->at + 1);
    bool bare = offline_parse_is_cue(p, next, CUE_COMMA) || offline_parse_is_cue(p, next, CUE_AND);
    if (offline_parse_is_cue(p, next, CUE_DISTINCT)) {
        p->distinct = true;
        next = offline_parse_next(p, next + 1);
    }
    p->at++;
    if (p->expect == EXPECT_MEASURE || bare) {
        if (p->expect != EXPECT_MEASURE)
            p->pending_from = r->out_count;
        p->expect = EXPECT_MEASURE;
        return offline_parse_add_out(p, AGG_COUNT,
                                     (struct reading_column){READING_NONE, READING_NONE});
    }
    if (p->expect != EXPECT_NOTHING && p->expect != EXPECT_ORDER)
        return offline_parse_stop(p, "this count is not understood");
    /* "how many are completed and how many are cancelled": the same rows under two conditions */
    if (offline_parse_is_cue(p, next, CUE_COPULA) && r->counted != READING_NONE &&
        r->out_count > 0) {
        p->current_out = (int)r->out_count;
        if (r->out_count == 1)
            for (size_t i = 0; i < r->scopes[0].filter_count; i++)
                if (r->scopes[0].filters[i].out == READING_NONE)
                    r->scopes[0].filters[i].out = 0;
        return offline_parse_add_out(p, AGG_COUNT, r->outs[0].on);
    }
    if (p->expect == EXPECT_ORDER) {
        p->order_next_out = true;
        p->top_descending = p->wants_order ? p->top_descending : false;
    }
    p->expect = EXPECT_COUNT;
    p->measure_filters = r->scopes[0].filter_count;
    return offline_parse_add_out(p, AGG_COUNT,
                                 (struct reading_column){READING_NONE, READING_NONE});
}

static bool take_by(struct parse *p)
{
    struct offline_reading *r = p->reading;
    size_t next = offline_parse_next(p, ++p->at);
    if (next >= p->count)
        return offline_parse_stop(p, "the question ends after 'by'");
    if (p->wants_order) {
        p->expect = EXPECT_ORDER;
        p->order_next_out = offline_parse_is_cue(p, next, CUE_AGG) ||
                            offline_parse_is_cue(p, next, CUE_COUNT);
        if (p->order_next_out && offline_parse_is_cue(p, next, CUE_AGG))
            p->expect = EXPECT_NOTHING;
        return true;
    }
    if (offline_parse_is(p, next, LINK_VALUE) || p->items[next].kind == ITEM_LITERAL ||
        p->items[next].kind == ITEM_DATE)
        return true;
    if (offline_parse_is(p, next, LINK_TABLE) && r->out_count == 0)
        return offline_parse_stop(p, "a list by '%.*s' is not understood",
                                  STR_ARG(p->items[next].text));
    p->expect = EXPECT_GROUP;
    return true;
}

static bool take_order(struct parse *p)
{
    int direction = p->items[p->at].arg;
    size_t next = offline_parse_next(p, ++p->at);
    p->expect = EXPECT_ORDER;
    p->wants_order = direction == 1;
    p->top_descending = direction == 1;
    if (offline_parse_is_cue(p, next, CUE_AGG)) {
        p->order_next_out = true;
        p->expect = EXPECT_NOTHING;
    }
    return true;
}

static bool take_direction(struct parse *p)
{
    struct offline_reading *r = p->reading;
    int direction = p->items[p->at++].arg;
    bool descending = direction == 1;
    if (direction == 2 && !r->ordered && r->target != READING_NONE &&
        p->lexicon->facts[r->target].label_count > 0) {
        r->ordered = true;
        r->order_on = (struct reading_column){r->target, p->lexicon->facts[r->target].labels[0]};
        return true;
    }
    if (r->ordered) {
        r->descending = descending;
        return true;
    }
    /* "by amount, highest first": the last output */
    if (r->out_count == 0 && r->target == READING_NONE)
        return offline_parse_stop(p, "it is not clear what to order by");
    if (r->out_count == 0) {
        p->top_descending = descending;
        return offline_clauses_order_default(p, r->target);
    }
    r->ordered = true;
    r->descending = descending;
    r->order_out = (int)r->out_count - 1;
    return true;
}

/* "including customers with none": keep empty groups; the words after it repeat the group. */
static bool take_zero(struct parse *p)
{
    for (p->at++; p->at < p->count; p->at++) {
        const struct offline_item *item = &p->items[p->at];
        bool empty = item->kind == ITEM_CUE &&
                     (item->cue == CUE_ZERO || item->cue == CUE_SKIP || item->cue == CUE_REL ||
                      item->cue == CUE_NEG || item->cue == CUE_COMMA);
        if (!empty && !offline_parse_is(p, p->at, LINK_TABLE) && item->kind != ITEM_NUMBER)
            return offline_parse_stop(p, "'including' is not understood here");
    }
    p->reading->keep_zero = true;
    return true;
}

static bool take_grain(struct parse *p)
{
    const struct offline_item *item = &p->items[p->at];
    bool adverb = str_ends_with(item->text, STR("ly")) || item->text.len > 7;
    if (p->expect != EXPECT_GROUP && !adverb && !p->which)
        return offline_parse_stop(p, "'%.*s' is not understood here", STR_ARG(item->text));
    if (p->which && p->expect != EXPECT_GROUP)
        p->attribute = READING_NONE;
    return offline_parse_add_group(p, (struct reading_column){READING_NONE, READING_NONE},
                     (enum offline_grain)item->arg);
}

/* A relative clause begins: what follows speaks of the noun before it. */
static bool take_relative(struct parse *p)
{
    p->in_clause = true;
    p->after_copula = true;
    if (p->scope->kind != SCOPE_MAIN && p->at > 0 && !p->negated)
        p->scope = &p->reading->scopes[0];
    p->subject_column = READING_NONE;
    if (p->clause_noun == READING_NONE && p->noun != READING_NONE && p->noun != p->reading->target)
        p->clause_noun = p->noun;
    p->at++;
    return true;
}

static bool take_who(struct parse *p)
{
    if (p->at == 0 || (p->reading->target == READING_NONE && p->reading->out_count == 0)) {
        p->who = p->listing = true;
        p->at++;
        return true;
    }
    return take_relative(p);
}

static bool take_cue(struct parse *p)
{
    const struct offline_item *cue = &p->items[p->at];
    switch (cue->cue) {
    case CUE_SHOW:
        p->listing = true;
        break;
    case CUE_WHICH:
        if (p->reading->target != READING_NONE || p->reading->out_count > 0)
            return take_relative(p);
        p->listing = true;
        p->which = !str_equal_nocase(str_slice(cue->text, 0, 4), STR("what")) ||
                   !offline_parse_is_cue(p, p->at + 1, CUE_COPULA);
        break;
    case CUE_WHO:
        return take_who(p);
    case CUE_COUNT:
        return take_count(p);
    case CUE_AGG:
        return take_aggregate(p);
    case CUE_SUPER:
        return offline_clauses_super(p);
    case CUE_TOP:
        return offline_clauses_top(p);
    case CUE_COMPARE:
    case CUE_BETWEEN:
        return offline_clauses_compare(p);
    case CUE_NEG:
        if (p->negated)
            return offline_parse_stop(p, "a double negation is not understood");
        p->negated = true;
        break;
    case CUE_EACH:
    case CUE_PER:
        p->each = cue->cue == CUE_EACH || str_ends_with(cue->text, STR("each")) ||
                  str_ends_with(cue->text, STR("every"));
        if (p->expect != EXPECT_NOTHING)
            return offline_parse_stop(p, "'%.*s' is not understood here", STR_ARG(cue->text));
        p->expect = EXPECT_GROUP;
        break;
    case CUE_BY:
        return take_by(p);
    case CUE_ORDER:
        return take_order(p);
    case CUE_DIR:
        return take_direction(p);
    case CUE_REL:
        return take_relative(p);
    case CUE_COPULA:
        p->after_copula = true;
        break;
    case CUE_BUT:
        p->scope = &p->reading->scopes[0];
        break;
    case CUE_RATIO:
        if (p->reading->out_count > 0 || p->reading->target != READING_NONE)
            return offline_parse_stop(p, "a ratio inside another question is not understood");
        p->reading->ratio = true;
        p->expect = EXPECT_COUNT;
        p->at++;
        return offline_parse_add_out(p, AGG_COUNT,
                                     (struct reading_column){READING_NONE, READING_NONE});
    case CUE_BOTH:
        p->all_of = true;
        break;
    case CUE_DISTINCT:
        if (p->expect != EXPECT_COUNT && !p->distinct)
            p->reading->distinct = true;
        break;
    case CUE_ZERO:
        return take_zero(p);
    case CUE_GRAIN:
        return take_grain(p);
    case CUE_SKIP:
    case CUE_PREP:
    case CUE_AND:
    case CUE_COMMA:
    case CUE_BEGAN:
        p->in_clause = p->in_clause || cue->cue == CUE_BEGAN;
        break;
    case CUE_VAGUE:
        return offline_parse_stop(p, "'%.*s' does not say by which measure", STR_ARG(cue->text));
    case CUE_WRITE:
        return offline_parse_stop(p, "it only reads data, and '%.*s' would change some",
                                  STR_ARG(cue->text));
    default:
        return offline_parse_stop(p, "'%.*s' is not understood here", STR_ARG(cue->text));
    }
    p->at++;
    return true;
}

/* "invoice 5": the row with that key. */
static bool names_row(struct parse *p)
{
    const struct offline_item *item = &p->items[p->at], *noun = item - 1;
    int table = noun->is.table, key = p->lexicon->facts[table].key;
    if (noun->plural || key == CATALOG_NONE || item->unit.len > 0 || p->negated ||
        !offline_index_is_number(p->catalog, table, key))
        return false;
    struct reading_filter *filter = offline_bind_filter(p, (struct reading_column){table, key});
    if (filter == NULL)
        return false;
    filter->op = OP_EQ;
    filter->number = item->number;
    p->at++;
    return true;
}

static bool take_item(struct parse *p)
{
    const struct offline_item *item = &p->items[p->at];
    switch (item->kind) {
    case ITEM_CUE:
        return take_cue(p);
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
            !(offline_parse_is_cue(p, next, CUE_SUPER) ||
              (p->listing && p->reading->target == READING_NONE &&
               offline_parse_is(p, offline_parse_past_adjectives(p, next), LINK_TABLE))))
            return offline_parse_stop(p, "what the number %.*s stands for is not clear",
                                      STR_ARG(item->text));
        p->reading->limit = (unsigned)item->number;
        p->at++;
        return true;
    }
    default:
        return offline_parse_stop(p, "'%.*s' is not a word of this database",
                                  STR_ARG(item->text));
    }
}

/* Words nobody knows are named before anything else is tried. */
static bool refuse_unknown(struct parse *p)
{
    for (size_t i = 0; i < p->count; i++) {
        const struct offline_item *item = &p->items[i];
        if (i == 0 && item->cue == CUE_WRITE)
            return offline_parse_stop(p, "it only reads data, and '%.*s' would change some",
                                      STR_ARG(item->text));
        if (item->kind == ITEM_UNKNOWN)
            return offline_parse_stop(p, "'%.*s' is not a word of this database",
                                      STR_ARG(item->text));
    }
    return true;
}

bool offline_parse_run(const struct lexicon *lexicon, struct offline_item *items, size_t count,
                       struct offline_reading *reading)
{
    struct parse p = {.lexicon = lexicon,
                      .catalog = lexicon->catalog,
                      .items = items,
                      .count = count,
                      .reading = reading,
                      .noun = READING_NONE,
                      .clause_noun = READING_NONE,
                      .subject_column = READING_NONE,
                      .attribute = READING_NONE,
                      .pending_date = READING_NONE,
                      .current_out = READING_NONE};
    *reading = (struct offline_reading){.target = READING_NONE, .counted = READING_NONE,
                                        .order_out = READING_NONE, .scope_count = 1,
                                        .order_on = {READING_NONE, READING_NONE}};
    p.scope = &reading->scopes[0];
    if (!refuse_unknown(&p))
        return false;
    while (p.at < count) {
        size_t before = p.at;
        if (!take_item(&p))
            return offline_parse_stop(&p, "the question is not understood");
        if (p.at == before)
            return offline_parse_stop(&p, "'%.*s' is not understood here",
                                      STR_ARG(items[p.at].text));
    }
    return offline_finish_reading(&p);
}
