/* SPDX-License-Identifier: MIT */
/* agents/offline/reading/deeds.c - what a verb of trade asks for where it stands.
 *
 * Happy path: "how many X were sold" counts sales of X, or adds up their quantity; "sold in May"
 * dates the sale; otherwise the verb ties its nouns, whose tables join over the sales anyway.
 * Failure: none of these, and the verb says nothing; what cannot be joined is found later. */
#include "agents/offline/reading/deeds.h"

#include "agents/offline/reading/bind.h"

static size_t past_articles(const struct parse *p, size_t i, bool preps)
{
    while (i < p->count && (offline_parse_is_cue(p, i, CUE_SKIP) ||
                            (preps && offline_parse_is_cue(p, i, CUE_PREP))))
        i++;
    return i;
}

/* "were sold", "tracks sold": what is before it is what was sold. */
static bool is_passive(const struct parse *p)
{
    size_t at = p->at;
    while (at > 0 && offline_parse_is_cue(p, at - 1, CUE_SKIP))
        at--;
    struct str text = p->items[p->at].text;
    bool base = str_equal_nocase(text, STR("sell")) || str_equal_nocase(text, STR("sells")) ||
                str_equal_nocase(text, STR("buy")) || str_equal_nocase(text, STR("buys"));
    return at > 0 && !base &&
           (offline_parse_is_cue(p, at - 1, CUE_COPULA) ||
            offline_parse_is(p, at - 1, LINK_TABLE) || offline_parse_is_cue(p, at - 1, CUE_REL));
}

/* The count of a thing becomes that of its sales. */
static void count_sales(struct parse *p, int deed)
{
    struct offline_reading *r = p->reading;
    const struct lexicon_facts *facts = &p->lexicon->facts[deed];
    struct reading_out *out = &r->outs[r->out_count - 1];
    bool many = facts->quantity != CATALOG_NONE;
    *out = (struct reading_out){many ? AGG_SUM : AGG_COUNT,
                                {deed, many ? facts->quantity : READING_NONE, NULL}};
    r->counted = p->noun = deed;
}

bool offline_deeds_take(struct parse *p)
{
    struct offline_reading *r = p->reading;
    int deed = p->items[p->at].is.table;
    size_t next = past_articles(p, p->at + 1, true);
    const struct reading_out *out = r->out_count > 0 ? &r->outs[r->out_count - 1] : NULL;
    bool counted = out != NULL && out->agg == AGG_COUNT && out->on.column == READING_NONE &&
                   out->on.table == p->lexicon->facts[deed].thing && out->on.table != READING_NONE;
    if (p->expect == EXPECT_NOTHING && counted && is_passive(p)) {
        count_sales(p, deed);
    } else if (next < p->count && p->items[next].kind == ITEM_DATE && r->counted != deed &&
               p->expect == EXPECT_NOTHING) {
        if (!offline_parse_relate(p, p->scope, deed))
            return false;
        p->clause_noun = deed;
    }
    p->in_clause = true;
    p->at++;
    return true;
}
