/* SPDX-License-Identifier: MIT */
/* agents/lexicon/wording.c - words that have a meaning only beside others.
 *
 * Happy path: an age, a length or a weight said by an adjective becomes the column that holds it; a
 * participle goes with the noun that its column's name ends in; of several values the one that is
 * spelled as in the question is meant. Failure: a word that fits nothing stays as it is, and is
 * later named as not understood. */
#include "agents/lexicon/wording.h"

#include "agents/lexicon/codes.h"

#include "agents/lexicon/spelling.h"

#include "agents/english/verbs.h"
#include "core/words/stem.h"

enum { APART = 4 }; /* words between a participle and its noun: "born in each of the" */

static bool is_cue(const struct lexicon_item *items, size_t count, size_t i, enum offline_cue cue)
{
    return i < count && items[i].kind == ITEM_CUE && items[i].cue == cue;
}

static bool says(const struct lexicon_item *items, size_t count, size_t i, const char *word)
{
    return i < count && str_equal_nocase(items[i].text, str_of(word));
}

static size_t remove_items(struct lexicon_item *items, size_t count, size_t at, size_t n)
{
    for (size_t i = at; i + n < count; i++)
        items[i] = items[i + n];
    return count - n;
}

static void make_cue(struct lexicon_item *item, enum offline_cue cue)
{
    item->kind = ITEM_CUE;
    item->cue = cue;
    item->arg = 0;
    item->link_count = 0;
}

/* ---- adjectives of size ---- */

static const struct {
    const char *adjective, *noun;
    enum offline_scale scale;
} sizes[] = {
    {"old", "age", SCALE_AGE},           {"long", "length", SCALE_LENGTH},
    {"tall", "height", SCALE_HEIGHT},    {"heavy", "weight", SCALE_WEIGHT},
    {"expensive", "price", SCALE_PRICE}, {"fast", "speed", SCALE_SPEED},
};

/* Which of sizes item i says; countof(sizes): none. */
static size_t find_size(const struct lexicon_item *items, size_t count, size_t i)
{
    for (size_t k = 0; k < countof(sizes); k++)
        if (i < count && items[i].kind == ITEM_UNKNOWN && says(items, count, i, sizes[k].adjective))
            return k;
    return countof(sizes);
}

static bool name_column(const struct lexicon *lexicon, struct lexicon_item *item, const char *noun)
{
    struct str word = str_of(noun);
    item->link_count = 0;
    struct lexicon_link links[OFFLINE_MEANINGS];
    size_t n = lexicon_index_find(lexicon, &word, 1, links, OFFLINE_MEANINGS);
    for (size_t i = 0; i < n; i++)
        if (links[i].kind == LINK_COLUMN &&
            lexicon_index_is_number(lexicon->catalog, links[i].table, links[i].column))
            item->links[item->link_count++] = links[i];
    if (item->link_count == 0)
        return false;
    item->kind = ITEM_MENTION;
    item->cue = CUE_NONE;
    item->plural = item->inverse = false;
    return true;
}

/* "over 50 years old": the comparison is one of age. "50 years old": age 50. */
static size_t join_sizes(const struct lexicon *lexicon, struct lexicon_item *items, size_t count)
{
    for (size_t i = 1; i < count; i++) {
        size_t size = find_size(items, count, i);
        bool years = items[i - 1].cue == CUE_GRAIN; /* it may be a column, too */
        size_t number = i - 1 - years;
        if (size == countof(sizes) || number >= count || items[number].kind != ITEM_NUMBER ||
            years != (sizes[size].scale == SCALE_AGE))
            continue;
        struct lexicon_item *before = number > 0 ? &items[number - 1] : NULL;
        bool compared = before != NULL && before->kind == ITEM_CUE && before->cue == CUE_COMPARE &&
                        (before->arg >> SCALE_SHIFT) == SCALE_NONE &&
                        (before->arg & COMPARE_AVERAGE) == 0;
        struct lexicon_item named = items[i];
        if (compared &&
            ((before->arg & COMPARE_OP) == OP_GT || (before->arg & COMPARE_OP) == OP_LT)) {
            before->arg |= (int)sizes[size].scale << SCALE_SHIFT;
            count = remove_items(items, count, number + 1, i - number);
            i = number;
        } else if (name_column(lexicon, &named, sizes[size].noun)) {
            size_t front = compared ? number - 1 : number;
            for (size_t k = i; k > front; k--)
                items[k] = items[k - 1];
            items[front] = named;
            if (years)
                count = remove_items(items, count, i, 1);
        }
    }
    return count;
}

/* "how old are the singers on average": the average age of the singers. */
static size_t ask_size(const struct lexicon *lexicon, struct lexicon_item *items, size_t count)
{
    size_t size = find_size(items, count, 1);
    if (count < 4 || !says(items, count, 0, "how") || size == countof(sizes) ||
        !is_cue(items, count, 2, CUE_COPULA))
        return count;
    struct lexicon_item named = items[1];
    if (!name_column(lexicon, &named, sizes[size].noun))
        return count;
    items[1] = named;
    make_cue(&items[0], CUE_WHICH);
    make_cue(&items[2], CUE_PREP);
    items[2].text = STR("of");
    for (size_t i = 3; i < count; i++)
        if (is_cue(items, count, i, CUE_AGG) && items[i].arg == AGG_AVG &&
            str_equal_nocase(items[i].text, STR("on average"))) {
            items[0] = items[i];
            return remove_items(items, count, i, 1);
        }
    return count;
}

/* ---- participles ---- */

/* Whether the first word of a column's name has the stem. */
static bool begins_with(const struct lexicon *lexicon, const struct lexicon_link *link,
                        struct str stem)
{
    const struct lexicon_words *name = lexicon_spelling_column(lexicon, link->table, link->column);
    char first[STEM_BYTES];
    return name->count > 1 && str_equal(stem_of(name->words[0], first), stem);
}

/* "born in each state": the column born_state; "born in Ohio": its value. */
static bool goes_with(const struct lexicon *lexicon, const struct lexicon_item *verb,
                      struct lexicon_item *noun)
{
    struct lexicon_link links[OFFLINE_MEANINGS];
    struct str words[] = {verb->text, noun->text};
    char text[STEM_BYTES];
    struct str stem = stem_of(verb->text, text);
    size_t kept = 0;
    size_t n = str_find_char(noun->text, ' ') >= 0
                   ? 0
                   : lexicon_index_find(lexicon, words, countof(words), links, OFFLINE_MEANINGS);
    for (size_t i = 0; i < n; i++)
        if (links[i].kind == LINK_COLUMN)
            links[kept++] = links[i];
    for (size_t i = 0; kept == 0 && i < noun->link_count; i++)
        if (noun->links[i].kind == LINK_VALUE && begins_with(lexicon, &noun->links[i], stem))
            links[kept++] = noun->links[i];
    for (size_t i = 0; i < kept; i++)
        noun->links[i] = links[i];
    if (kept > 0)
        noun->link_count = kept;
    return kept > 0;
}

static void join_participles(const struct lexicon *lexicon, struct lexicon_item *items,
                             size_t count)
{
    for (size_t i = 0; i < count; i++) {
        bool may = items[i].kind == ITEM_UNKNOWN;
        for (size_t k = 0; items[i].kind == ITEM_MENTION && k < items[i].link_count; k++)
            may = items[i].links[k].kind == LINK_MOMENT;
        size_t noun = i + 1;
        while (noun < count && noun - i < APART &&
               (is_cue(items, count, noun, CUE_PREP) || is_cue(items, count, noun, CUE_SKIP) ||
                is_cue(items, count, noun, CUE_EACH) || is_cue(items, count, noun, CUE_PER)))
            noun++;
        if (may && noun > i + 1 && noun < count && items[noun].kind == ITEM_MENTION &&
            goes_with(lexicon, &items[i], &items[noun]))
            make_cue(&items[i], CUE_BEGAN);
    }
}

/* ---- values and rows ---- */

/* Whether a and b have the same letters and digits. */
static bool is_spelled(struct str a, struct str b)
{
    size_t i = 0, k = 0;
    for (;;) {
        while (i < a.len && !str_is_alpha(a.at[i]) && !str_is_digit(a.at[i]))
            i++;
        while (k < b.len && !str_is_alpha(b.at[k]) && !str_is_digit(b.at[k]))
            k++;
        if (i == a.len || k == b.len)
            return i == a.len && k == b.len;
        if (str_lower(a.at[i++]) != str_lower(b.at[k++]))
            return false;
    }
}

/* Whether a word was given to a value: by the semantic file, or as the label of a code. */
static bool is_given(const struct lexicon *lexicon, const struct lexicon_link *link)
{
    return link->score > 100 ||
           !str_is_absent(lexicon_codes_label(lexicon, link->table, link->column, link->value));
}

/* Jon is no Jones, whose stem he has. */
static void prefer_spelled(const struct lexicon *lexicon, struct lexicon_item *item)
{
    bool spelled = false;
    size_t kept = 0;
    for (size_t i = 0; i < item->link_count; i++)
        spelled = spelled || (item->links[i].kind == LINK_VALUE &&
                              is_spelled(item->links[i].value, item->text));
    for (size_t i = 0; i < item->link_count; i++)
        if (!spelled || item->links[i].kind != LINK_VALUE ||
            is_spelled(item->links[i].value, item->text) || is_given(lexicon, &item->links[i]))
            item->links[kept++] = item->links[i];
    item->link_count = kept;
}

/* "private insurance": the kind is named before what it is a kind of, and alone it says nothing. */
static void keep_kind(struct lexicon_item *item, const struct lexicon_item *before)
{
    size_t kept = 0;
    for (size_t i = 0; i < item->link_count; i++) {
        const struct lexicon_link *link = &item->links[i];
        bool keep = link->kind != LINK_COLUMN || link->score > OFFLINE_SCORE_KIND;
        for (size_t k = 0; !keep && before != NULL && k < before->link_count; k++)
            keep = before->links[k].kind == LINK_VALUE && before->links[k].table == link->table &&
                   before->links[k].column == link->column;
        if (keep)
            item->links[kept++] = *link;
    }
    item->link_count = kept;
    if (kept == 0)
        item->kind = item->cue != CUE_NONE ? ITEM_CUE : ITEM_UNKNOWN;
}

static bool may_be_table(const struct lexicon_item *item, const struct lexicon_item *other)
{
    for (size_t i = 0; item->kind == ITEM_MENTION && i < item->link_count; i++)
        for (size_t k = 0; other != NULL && k < other->link_count; k++)
            if (item->links[i].kind == LINK_TABLE && other->links[k].kind == LINK_TABLE &&
                item->links[i].table == other->links[k].table)
                return true;
    return false;
}

static bool has_began(const struct lexicon *lexicon, const struct lexicon_item *item)
{
    bool all = item->kind == ITEM_MENTION && item->link_count > 0;
    for (size_t i = 0; all && i < item->link_count; i++)
        all = item->links[i].kind == LINK_TABLE &&
              lexicon->facts[item->links[i].table].began != CATALOG_NONE;
    return all;
}

/* "new customers per year": those that became customers in it. */
static void read_new(const struct lexicon *lexicon, struct lexicon_item *items, size_t count)
{
    bool period = false;
    for (size_t i = 0; i < count; i++)
        period = period || items[i].kind == ITEM_DATE || is_cue(items, count, i, CUE_GRAIN);
    for (size_t i = 0; period && i + 1 < count; i++)
        if (items[i].kind == ITEM_UNKNOWN && says(items, count, i, "new") &&
            has_began(lexicon, &items[i + 1]))
            make_cue(&items[i], CUE_SKIP);
}

/* "never placed a single order": none. */
static void read_single(struct lexicon_item *items, size_t count)
{
    bool denied = false;
    for (size_t i = 0; i < count; i++) {
        denied = denied || is_cue(items, count, i, CUE_NEG);
        if (denied && items[i].kind == ITEM_UNKNOWN && says(items, count, i, "single"))
            make_cue(&items[i], CUE_SKIP);
    }
}

/* "paid out": the same as paid. */
static void read_out(struct lexicon_item *items, size_t count)
{
    for (size_t i = 1; i < count; i++)
        if (items[i].kind == ITEM_UNKNOWN && says(items, count, i, "out") &&
            (items[i - 1].kind == ITEM_MENTION || is_cue(items, count, i - 1, CUE_BEGAN)) &&
            !says(items, count, i + 1, "of"))
            make_cue(&items[i], CUE_SKIP);
}

/* "became customers", of customers. */
static void read_became(struct lexicon_item *items, size_t count)
{
    for (size_t i = 1; i + 1 < count; i++) {
        bool said = false;
        for (size_t k = 0; k < i && items[i].kind == ITEM_UNKNOWN &&
                           (says(items, count, i, "became") || says(items, count, i, "become"));
             k++)
            said =
                said || (items[k].kind == ITEM_MENTION && may_be_table(&items[i + 1], &items[k]));
        if (!said)
            continue;
        make_cue(&items[i + 1], CUE_SKIP);
        make_cue(&items[i], CUE_BEGAN);
    }
}

size_t lexicon_wording_settle(const struct lexicon *lexicon, struct lexicon_item *items,
                              size_t count)
{
    for (size_t i = 0; i < count; i++)
        if (items[i].kind == ITEM_MENTION) {
            prefer_spelled(lexicon, &items[i]);
            keep_kind(&items[i], i > 0 && items[i - 1].kind == ITEM_MENTION ? &items[i - 1] : NULL);
        }
    count = join_sizes(lexicon, items, count);
    count = ask_size(lexicon, items, count);
    join_participles(lexicon, items, count);
    read_new(lexicon, items, count);
    read_became(items, count);
    read_single(items, count);
    read_out(items, count);
    return count;
}
