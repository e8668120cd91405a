/* SPDX-License-Identifier: MIT */
/* agents/offline/reading/mentions.c - what a mention of the schema does where it stands.
 *
 * Happy path: what is expected takes it; else a table is the target or a related one, a column is
 * compared, denied, grouped by or shown, a role is the table it refers to.
 * Failure: nothing expects it and nothing can be made of it. */
#include "agents/offline/reading/mentions.h"

#include "agents/lexicon/spelling.h"
#include "agents/offline/reading/bind.h"
#include "agents/offline/reading/columns.h"
#include "agents/offline/reading/deeds.h"
#include "agents/lexicon/facts.h"
#include "agents/offline/reading/moments.h"
#include "agents/offline/reading/roles.h"
#include "agents/english/synonyms.h"
#include "core/words/stem.h"

enum { NAME_BYTES = 4096 };

/* "payments": what adds up is money, not rows. */
bool offline_mentions_name_money(const struct parse *p, int table)
{
    static const char *const earned[] = {"sal", "sale", "sell", "revenu", "earn", "spend", "incom"};
    const struct lexicon_words *name = lexicon_spelling_table(p->lexicon, table);
    char stem[STEM_BYTES];
    bool money = false;
    for (size_t i = 0; i < name->count; i++)
        money = money || english_synonyms_is_amount(stem_of(name->words[i], stem));
    for (size_t i = 0; i < name->count * countof(earned); i++)
        money = money || str_equal(stem_of(name->words[i / countof(earned)], stem),
                                   str_of(earned[i % countof(earned)]));
    return money;
}

/* "sum of the invoices": adding up is said, where "total" may only mean how many there are. */
static bool says_sum(const struct parse *p)
{
    size_t at = p->at;
    while (at > 0 && !offline_parse_is_cue(p, at - 1, CUE_AGG))
        at--;
    return at > 0 && str_equal_nocase(str_slice(p->items[at - 1].text, 0, 3), STR("sum"));
}

static bool aggregate_table(struct parse *p, int table)
{
    struct offline_reading *r = p->reading;
    size_t next = offline_parse_next(p, p->at + 1);
    if (offline_parse_is(p, next, LINK_COLUMN) && offline_parse_is_measure(p, &p->items[next].is)) {
        p->noun = table;
        return table == p->items[next].is.table || offline_parse_relate(p, &r->scopes[0], table);
    }
    int measure = p->lexicon->facts[table].measure;
    bool sum = r->outs[r->out_count - 1].agg == AGG_SUM;
    if (measure == CATALOG_NONE && sum && r->out_count - p->pending_from == 1)
        return offline_parse_fill_count(p, (struct reading_column){table, READING_NONE}, AGG_COUNT);
    if (measure == CATALOG_NONE || (sum && !offline_mentions_name_money(p, table) && !says_sum(p)))
        return offline_parse_want(
            p, measure == CATALOG_NONE ? READING_WANTS_NUMBER : READING_WANTS_NOTHING, table,
            "which number of '%.*s' is meant is not clear", STR_ARG(p->items[p->at].text));
    return offline_parse_fill_measures(p, (struct reading_column){table, measure});
}

/* "conductors and the orchestras": the noun stands beside another, not in a clause about it. */
static bool follows_and(const struct parse *p)
{
    size_t i = p->at;
    while (i > 0 && offline_parse_is_cue(p, i - 1, CUE_SKIP))
        i--;
    return i > 0 &&
           (offline_parse_is_cue(p, i - 1, CUE_AND) || offline_parse_is_cue(p, i - 1, CUE_COMMA)) &&
           !offline_parse_is(p, p->at + 1, LINK_COLUMN);
}

/* "on average, how many books does an author have": for each author. */
static bool is_averaged_over(const struct parse *p, int table)
{
    const struct offline_reading *r = p->reading;
    return r->nested && r->group_count == 0 && r->out_count == 1 && r->counted != READING_NONE &&
           r->counted != table && p->expect == EXPECT_NOTHING && !p->in_clause && !p->negated;
}

/* "books with their editor", "and its editor": the one row that each listed row refers to. */
static bool is_shown_beside(const struct parse *p, int table)
{
    const struct offline_reading *r = p->reading;
    size_t last = p->at;
    struct str whose = last > 1 ? p->items[last - 1].text : STR("");
    bool theirs = str_equal_nocase(whose, STR("their")) || str_equal_nocase(whose, STR("its")) ||
                  str_equal_nocase(whose, STR("his")) || str_equal_nocase(whose, STR("her"));
    bool beside = last > 1 && (offline_parse_is_cue(p, last - 2, CUE_AND) ||
                               str_equal_nocase(p->items[last - 2].text, STR("with")));
    return theirs && beside && last + 1 == p->count && r->target != READING_NONE &&
           r->target != table && r->counted == READING_NONE && r->group_count == 0 &&
           p->expect == EXPECT_NOTHING && !p->negated && p->scope == &r->scopes[0] &&
           p->attribute == READING_NONE && p->lexicon->facts[table].label_count > 0 &&
           lexicon_facts_reaches(p->catalog, r->target, table);
}

static bool show_beside(struct parse *p, int table)
{
    const struct lexicon_facts *facts = &p->lexicon->facts[table];
    for (size_t i = 0; i < facts->label_count; i++)
        if (!offline_parse_add_out(p, AGG_NONE,
                                   (struct reading_column){table, facts->labels[i], NULL}))
            return false;
    p->at++;
    return true;
}

bool offline_mentions_table(struct parse *p)
{
    struct offline_reading *r = p->reading;
    int table = p->items[p->at].is.table;
    size_t next = offline_parse_next(p, p->at + 1);
    if (p->items[p->at].is.score == OFFLINE_SCORE_DEED && !p->negated)
        return offline_deeds_take(p);
    if (p->expect == EXPECT_GROUP) {
        if (offline_parse_is(p, p->at + 1, LINK_COLUMN) && p->items[p->at + 1].is.table == table) {
            p->at++; /* "per transaction type" */
            return true;
        }
        if (offline_parse_is(p, p->at + 1, LINK_TABLE) && !p->items[p->at].plural &&
            p->items[p->at + 1].is.table != table &&
            p->items[p->at + 1].is.score > OFFLINE_SCORE_VERB &&
            lexicon_index_hops(p->lexicon, table, p->items[p->at + 1].is.table) == 1) {
            p->at++; /* "per product category" */
            return true;
        }
        return offline_parse_add_group(p, (struct reading_column){table, READING_NONE}, GRAIN_NONE);
    }
    if (is_averaged_over(p, table))
        return offline_parse_add_group(p, (struct reading_column){table, READING_NONE}, GRAIN_NONE);
    if (p->negated) {
        if (!offline_parse_open_scope(p, SCOPE_NOT, table))
            return false;
    } else if (p->expect == EXPECT_COUNT) {
        if (!offline_parse_fill_count(p, (struct reading_column){table, READING_NONE}, AGG_COUNT))
            return false;
    } else if (p->expect == EXPECT_MEASURE) {
        if (!aggregate_table(p, table))
            return false;
    } else if (p->expect == EXPECT_ORDER) {
        if (!offline_parse_is(p, next, LINK_COLUMN))
            return offline_parse_stop(p, "it is not clear what to order by");
    } else if (offline_parse_is(p, p->at + 1, LINK_COLUMN) &&
               p->items[p->at + 1].is.table == table && p->items[p->at + 1].kind == ITEM_MENTION &&
               (r->target != READING_NONE || r->out_count > 0 ||
                (!p->which && !offline_columns_is_compared(p, p->at + 2)))) {
        /* "account balance": the column says it all */
    } else if (r->target == READING_NONE && r->counted == READING_NONE && p->who &&
               p->items[p->at].is.score <= OFFLINE_SCORE_VERB) {
        if (!offline_parse_actor(p, table)) /* "who rented": not the rental */
            return false;
        p->in_clause = true;
        if (!offline_parse_relate(p, p->scope, table))
            return false;
    } else if (r->target == READING_NONE && r->counted == READING_NONE) {
        r->target = table;
    } else if (table != r->target && table != r->counted && r->counted == READING_NONE &&
               !p->in_clause && p->at > 0 && follows_and(p)) {
        return offline_parse_stop(p, "two lists at once are not understood");
    } else if (table != r->target && table != r->counted && p->scope->kind != SCOPE_HAVING) {
        if (!offline_parse_relate(p, p->scope, table))
            return false;
    }
    if (p->in_clause)
        p->clause_noun = table;
    p->noun = table;
    p->subject_column = READING_NONE;
    p->at++;
    return true;
}

bool offline_mentions_take(struct parse *p)
{
    switch (p->items[p->at].is.kind) {
    case LINK_TABLE:
        return is_shown_beside(p, p->items[p->at].is.table)
                   ? show_beside(p, p->items[p->at].is.table)
                   : offline_mentions_table(p);
    case LINK_COLUMN:
    case LINK_LABEL:
        return offline_columns_take(p);
    case LINK_VALUE:
        return offline_bind_value(p);
    case LINK_BOOL:
        return offline_bind_boolean(p);
    case LINK_ROLE:
        return offline_roles_take(p);
    default:
        return offline_moments_take(p);
    }
}
