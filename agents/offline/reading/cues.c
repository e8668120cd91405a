/* SPDX-License-Identifier: MIT */
/* agents/offline/reading/cues.c - what an operator word sets in motion.
 *
 * Happy path: an aggregate or a count adds an output that expects its column or table; "by", "per"
 * and "sorted by" expect a group or an order; a relative word opens a clause.
 * Failure: the word has no sense where it stands. */
#include "agents/offline/reading/cues.h"

#include "agents/offline/reading/bind.h"
#include "agents/offline/reading/clauses.h"
#include "agents/offline/reading/orders.h"
#include "agents/offline/reading/ratios.h"
#include "agents/offline/reading/superlatives.h"

static bool take_aggregate(struct parse *p)
{
    const struct lexicon_item *cue = &p->items[p->at];
    size_t inner = offline_parse_next(p, p->at + 1);
    if (cue->arg == AGG_AVG && p->expect == EXPECT_NOTHING && p->reading->out_count == 0 &&
        (offline_parse_is_cue(p, inner, CUE_COUNT) ||
         (offline_parse_is_cue(p, inner, CUE_AGG) &&
          (p->items[inner].arg == AGG_SUM || p->items[inner].arg == AGG_METRIC)))) {
        p->reading->nested = true; /* "on average, books for each author" */
        p->at = inner;
        return true;
    }
    if (p->reading->ratio && p->expect == EXPECT_COUNT && cue->arg == AGG_SUM) {
        p->reading->outs[0].agg = AGG_SUM; /* a part of a sum */
        p->expect = EXPECT_MEASURE;
        p->pending_from = 0;
        p->at++;
        return true;
    }
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

/* "count, sum and mean of the pages": a count among aggregates counts their rows. */
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
    /* "how many are new, how many old": the same rows under two conditions */
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
    return offline_parse_add_out(p, AGG_COUNT, (struct reading_column){READING_NONE, READING_NONE});
}

/* "total invoice amount", where total is a column as well. */
static bool says_aggregate(const struct parse *p, size_t i)
{
    size_t next = offline_parse_next(p, i + 1);
    return i < p->count && p->items[i].kind == ITEM_MENTION && p->items[i].cue == CUE_AGG &&
           (offline_parse_is(p, next, LINK_TABLE) ||
            (offline_parse_is(p, next, LINK_COLUMN) &&
             offline_parse_is_measure(p, &p->items[next].is)));
}

static bool take_by(struct parse *p)
{
    struct offline_reading *r = p->reading;
    size_t next = offline_parse_next(p, ++p->at);
    if (next >= p->count)
        return offline_parse_stop(p, "the question ends after 'by'");
    if (p->wants_order && says_aggregate(p, next))
        p->items[next].kind = ITEM_CUE;
    if (p->wants_order) {
        p->expect = EXPECT_ORDER;
        p->order_next_out =
            offline_parse_is_cue(p, next, CUE_AGG) || offline_parse_is_cue(p, next, CUE_COUNT);
        if (p->order_next_out && offline_parse_is_cue(p, next, CUE_AGG))
            p->expect = EXPECT_NOTHING;
        return true;
    }
    const struct lexicon_item *verb = p->at > 1 ? &p->items[p->at - 2] : NULL;
    bool done_by = verb != NULL && verb->kind == ITEM_CUE &&
                   (verb->cue == CUE_BEGAN || (verb->cue == CUE_SKIP && verb->arg == 1));
    done_by = done_by || (verb != NULL && offline_parse_is(p, p->at - 2, LINK_TABLE) &&
                          verb->is.score <= OFFLINE_SCORE_VERB); /* "treated by" */
    if (done_by)                                                 /* "owned by students" */
        p->in_clause = true;
    if (done_by || offline_parse_is(p, next, LINK_VALUE) || p->items[next].kind == ITEM_LITERAL ||
        p->items[next].kind == ITEM_DATE)
        return true;
    bool named = offline_parse_is(p, next + 1, LINK_VALUE) || offline_parse_is(p, next, LINK_VALUE);
    bool counts = r->out_count == 0 && r->target != READING_NONE && !p->listing && !p->who &&
                  r->target == p->noun && p->at > 1 && !named;
    if (offline_parse_is(p, next, LINK_TABLE) && r->out_count == 0 && !counts)
        return offline_parse_stop(p, "a list by '%.*s' is not understood",
                                  STR_ARG(p->items[next].text));
    p->per = p->per || counts; /* "orders by country": how many */
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
    if (p->expect == EXPECT_ORDER && !r->ordered) { /* "ordered by descending age" */
        p->wants_order = p->top_descending = descending;
        return true;
    }
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
        return offline_orders_default(p, r->target);
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
        const struct lexicon_item *item = &p->items[p->at];
        bool empty = item->kind == ITEM_CUE &&
                     (item->cue == CUE_ZERO || item->cue == CUE_SKIP || item->cue == CUE_REL ||
                      item->cue == CUE_NEG || item->cue == CUE_COMMA);
        if (!empty && !offline_parse_is(p, p->at, LINK_TABLE) && item->kind != ITEM_NUMBER)
            return offline_parse_stop(p, "'including' is not understood here");
    }
    p->reading->keep_zero = true;
    return true;
}

/* "within a week" is how long something takes, and no group. */
static bool is_within(const struct parse *p)
{
    size_t i = p->at;
    while (i > 0 && offline_parse_is_cue(p, i - 1, CUE_SKIP))
        i--;
    return i > 0 && offline_parse_is_cue(p, i - 1, CUE_PREP) &&
           str_starts_with(p->items[i - 1].text, STR("within"));
}

static bool take_grain(struct parse *p)
{
    const struct lexicon_item *item = &p->items[p->at];
    bool adverb = str_ends_with(item->text, STR("ly")) || item->text.len > 7;
    if (is_within(p) || (p->expect != EXPECT_GROUP && !adverb && !p->which))
        return offline_parse_stop(p, "'%.*s' is not understood here", STR_ARG(item->text));
    if (p->which && p->expect != EXPECT_GROUP)
        p->attribute = READING_NONE;
    return offline_parse_add_group(p, (struct reading_column){READING_NONE, READING_NONE},
                                   (enum offline_grain)item->arg);
}

/* A relative clause begins: what follows speaks of the noun before it. "has" only says that more
 * comes. */
static bool take_relative(struct parse *p)
{
    const struct str text = p->items[p->at].text;
    bool has = str_equal_nocase(text, STR("have")) || str_equal_nocase(text, STR("has")) ||
               str_equal_nocase(text, STR("had"));
    if (p->at == 0)
        return offline_parse_stop(p, "'%.*s' is not understood here", STR_ARG(text));
    p->in_clause = true;
    p->after_copula = true;
    if (p->scope->kind != SCOPE_MAIN && !p->negated)
        p->scope = &p->reading->scopes[0];
    p->subject_column = READING_NONE;
    if (!has && p->clause_noun == READING_NONE && p->noun != READING_NONE &&
        p->noun != p->reading->target)
        p->clause_noun = p->noun;
    if (!has && p->noun != READING_NONE)
        p->owner = p->noun != p->reading->target && p->noun != p->reading->counted &&
                           p->attribute == READING_NONE
                       ? p->noun
                       : READING_NONE;
    p->at++;
    return true;
}

/* "open orders", "assigned orders": a verb that carries nothing elsewhere is a condition here. */
static bool stands_as_adjective(const struct parse *p)
{
    if (!offline_parse_is(p, p->at + 1, LINK_TABLE))
        return false;
    if (p->at == 0)
        return true;
    size_t before = p->at - 1;
    const struct lexicon_item *item = &p->items[before];
    if (item->kind != ITEM_CUE)
        return item->kind == ITEM_NUMBER;
    if (item->cue == CUE_REL)
        return str_equal_nocase(item->text, STR("with"));
    if (item->cue == CUE_NEG)
        return str_equal_nocase(item->text, STR("no")) ||
               str_equal_nocase(item->text, STR("without"));
    return item->cue != CUE_WHO && item->cue != CUE_WHICH && item->cue != CUE_BEGAN;
}

static bool take_who(struct parse *p)
{
    bool noun = str_equal_nocase(str_slice(p->items[p->at].text, 0, 1), STR("p")); /* people */
    if (p->expect != EXPECT_NOTHING ||
        (noun && p->at > 0 && !(p->listing && p->reading->target == READING_NONE)))
        return offline_parse_stop(p, "who is meant by '%.*s' is not clear",
                                  STR_ARG(p->items[p->at].text));
    const struct lexicon_item *did = &p->items[p->at + 1]; /* "who sent the orders": a deed */
    if (offline_parse_is(p, p->at + 1, LINK_VALUE) && !noun && did->text.at[0] >= 'a' &&
        p->at + 2 < p->count && p->items[p->at + 2].cue == CUE_SKIP)
        return offline_parse_stop(p, "who '%.*s' something is not known", STR_ARG(did->text));
    if (p->at == 0 || (p->reading->target == READING_NONE && p->reading->out_count == 0)) {
        p->who = p->listing = true;
        p->at++;
        return true;
    }
    return take_relative(p);
}

/* "how many books each has", "the number of staff for each": of those that are listed. */
static bool repeats_listed(struct parse *p)
{
    const struct offline_reading *r = p->reading;
    size_t i = p->at + 1;
    while (i < p->count &&
           (offline_parse_is_cue(p, i, CUE_SKIP) || offline_parse_is_cue(p, i, CUE_REL) ||
            offline_parse_is_cue(p, i, CUE_PREP) ||
            (p->items[i].kind == ITEM_NUMBER && i + 1 == p->count)))
        i++;
    bool listed = r->target != READING_NONE && r->out_count > 0 && r->group_count == 0 &&
                  r->counted != READING_NONE && r->counted != r->target;
    if (i < p->count || !listed || p->expect != EXPECT_NOTHING)
        return false;
    p->reading->keep_zero = r->outs[r->out_count - 1].agg == AGG_COUNT && r->out_count == 1;
    p->at = p->count;
    return true;
}

static bool take_per(struct parse *p)
{
    const struct lexicon_item *cue = &p->items[p->at];
    if (repeats_listed(p))
        return true;
    p->each = cue->cue == CUE_EACH || str_ends_with(cue->text, STR("each")) ||
              str_ends_with(cue->text, STR("every"));
    if (p->expect != EXPECT_NOTHING)
        return offline_parse_stop(p, "'%.*s' is not understood here", STR_ARG(cue->text));
    p->per = p->per || str_equal_nocase(cue->text, STR("per"));
    p->expect = EXPECT_GROUP;
    p->at++;
    return true;
}

static bool take_which(struct parse *p)
{
    const struct lexicon_item *cue = &p->items[p->at];
    bool another = p->at > 0 && (offline_parse_is_cue(p, p->at - 1, CUE_AND) ||
                                 offline_parse_is_cue(p, p->at - 1, CUE_COMMA));
    size_t next = offline_parse_next(p, p->at + 1);
    if (another && offline_parse_is_cue(p, next, CUE_COPULA))
        next = offline_parse_next(p, next + 1);
    if ((another || p->expect == EXPECT_NOTHING) && p->reading->group_count == 1 &&
        (offline_parse_is_cue(p, next, CUE_AGG) || offline_parse_is_cue(p, next, CUE_SUPER) ||
         offline_parse_is_cue(p, next, CUE_COUNT))) { /* "for each shop, what is the average" */
        p->at = next;
        return true;
    }
    if (another)
        return offline_parse_stop(p, "two questions at once are not understood");
    if (p->reading->target != READING_NONE || p->reading->out_count > 0)
        return take_relative(p);
    p->listing = true;
    p->which = !str_equal_nocase(str_slice(cue->text, 0, 4), STR("what")) ||
               (cue->text.len == 4 && !offline_parse_is_cue(p, p->at + 1, CUE_COPULA));
    p->at++;
    return true;
}

/* "When is WO-5 due": the date that comes is what is asked for. */
static bool take_when(struct parse *p)
{
    if (p->at != 0)
        return offline_parse_stop(p, "'%.*s' is not understood here",
                                  STR_ARG(p->items[p->at].text));
    p->when = p->listing = true;
    p->at++;
    return true;
}

/* "When did she join": the beginning of the row, for verbs that mean one. */
static bool ask_beginning(struct parse *p)
{
    static const char *const own[] = {"join", "sign", "regist", "creat", "add"};
    const struct lexicon_item *verb = &p->items[p->at];
    int table = p->reading->target;
    if (table == READING_NONE || p->lexicon->facts[table].began == CATALOG_NONE)
        return offline_parse_stop(p, "it is not clear which date is asked for");
    bool said = !p->lexicon->facts[table].person;
    for (size_t i = 0; i < countof(own); i++)
        said =
            said || str_equal_nocase(str_slice(verb->text, 0, str_of(own[i]).len), str_of(own[i]));
    if (!said)
        return offline_parse_stop(p, "it is not clear which date '%.*s' is", STR_ARG(verb->text));
    p->at++;
    return offline_parse_add_out(p, AGG_NONE,
                                 (struct reading_column){table, p->lexicon->facts[table].began});
}

/* "are open" is no beginning, but what they are like. */
static bool is_state(const struct parse *p)
{
    const struct lexicon_item *cue = &p->items[p->at];
    size_t before = p->at;
    while (before > 0 && offline_parse_is_cue(p, before - 1, CUE_SKIP))
        before--;
    return cue->cue == CUE_BEGAN && before > 0 && offline_parse_is_cue(p, before - 1, CUE_COPULA) &&
           str_equal_nocase(cue->text, STR("open"));
}

/* Words that only leave a mark for what follows. */
static bool take_mark(struct parse *p)
{
    const struct lexicon_item *cue = &p->items[p->at];
    if (is_state(p) || ((cue->cue == CUE_BEGAN || (cue->cue == CUE_SKIP && cue->arg == 1)) &&
                        stands_as_adjective(p)))
        return offline_parse_stop(p, "'%.*s' is no value of this database", STR_ARG(cue->text));
    switch (cue->cue) {
    case CUE_SHOW:
        p->listing = true;
        break;
    case CUE_NEG:
        if (p->negated)
            return offline_parse_stop(p, "a double negation is not understood");
        p->negated = true;
        p->in_clause = p->in_clause || str_ends_with(cue->text, STR("have")) ||
                       str_equal_nocase(cue->text, STR("without"));
        break;
    case CUE_COPULA:
        if (!p->after_copula)
            p->copula_filters = p->reading->scopes[0].filter_count;
        p->after_copula = true;
        break;
    case CUE_BUT:
        p->owner = p->clause_noun = READING_NONE;
        p->scope = &p->reading->scopes[0];
        break;
    case CUE_BOTH:
        p->all_of = true;
        break;
    case CUE_DISTINCT:
        if (p->expect != EXPECT_COUNT && !p->distinct)
            p->reading->distinct = true;
        break;
    case CUE_BEGAN:
        if (p->when && p->at + 1 == p->count)
            return ask_beginning(p);
        p->in_clause = true;
        break;
    case CUE_SKIP: /* "staff members", but a club's members are no clubs */
        if (cue->arg == 2 && (p->at == 0 || !offline_parse_is(p, p->at - 1, LINK_TABLE) ||
                              !p->lexicon->facts[p->items[p->at - 1].is.table].person))
            return offline_parse_stop(p, "'%.*s' is not a word of this database",
                                      STR_ARG(cue->text));
        /* "have only debits" says that they have no others */
        if (p->in_clause && str_equal_nocase(cue->text, STR("only")))
            return offline_parse_stop(p, "'only' is not understood here");
        break;
    case CUE_PREP:
    case CUE_AND:
    case CUE_COMMA:
        break;
    case CUE_VAGUE:
        return offline_orders_vague(p);
    case CUE_WRITE:
        return offline_parse_stop(p, "it only reads data, and '%.*s' would change some",
                                  STR_ARG(cue->text));
    default:
        return offline_parse_stop(p, "'%.*s' is not understood here", STR_ARG(cue->text));
    }
    p->at++;
    return true;
}

typedef bool cue_fn(struct parse *p);

static cue_fn *const takers[] = {
    [CUE_WHICH] = take_which,
    [CUE_WHO] = take_who,
    [CUE_COUNT] = take_count,
    [CUE_AGG] = take_aggregate,
    [CUE_SUPER] = offline_superlatives_take,
    [CUE_TOP] = offline_orders_top,
    [CUE_COMPARE] = offline_clauses_compare,
    [CUE_BETWEEN] = offline_clauses_compare,
    [CUE_EACH] = take_per,
    [CUE_PER] = take_per,
    [CUE_BY] = take_by,
    [CUE_ORDER] = take_order,
    [CUE_DIR] = take_direction,
    [CUE_REL] = take_relative,
    [CUE_RATIO] = offline_ratios_take,
    [CUE_ZERO] = take_zero,
    [CUE_GRAIN] = take_grain,
    [CUE_WHEN] = take_when,
    [CUE_NET] = offline_ratios_net,
    [CUE_MINUS] = offline_ratios_minus,
    [CUE_LIKE] = offline_bind_like,
};

bool offline_cues_take(struct parse *p)
{
    enum offline_cue cue = p->items[p->at].cue;
    cue_fn *take = (size_t)cue < countof(takers) && takers[cue] != NULL ? takers[cue] : take_mark;
    return take(p);
}
