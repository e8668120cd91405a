/* SPDX-License-Identifier: MIT */
/* agents/lexicon/link.c - the longest phrase first.
 *
 * Happy path: at each token a date, else the longer of a schema phrase and a cue phrase; equal
 * length goes by the cue's rank. Numbers and literals are what they are.
 * Failure: a word neither knows becomes ITEM_UNKNOWN; no memory. */
#include "agents/lexicon/link.h"

#include "agents/english/synonyms.h"
#include "agents/english/verbs.h"
#include "agents/lexicon/mend.h"
#include "core/words/stem.h"

enum { SPLIT_MAX = 4 };

struct linker {
    struct arena *arena;
    const struct lexicon *lexicon;
    const struct offline_token *tokens;
    size_t count;
    int32_t today;
    struct str *lower;              /* per token, for phrases */
    struct str (*parts)[SPLIT_MAX]; /* per token, for names and values */
    size_t *part_count;
};

static bool split_tokens(struct linker *l)
{
    l->lower = arena_array(l->arena, l->count + 1, sizeof *l->lower);
    l->parts = arena_array(l->arena, l->count + 1, sizeof *l->parts);
    l->part_count = arena_array(l->arena, l->count + 1, sizeof *l->part_count);
    if (!arena_ok(l->arena))
        return false;
    for (size_t i = 0; i < l->count; i++) {
        const struct offline_token *token = &l->tokens[i];
        struct str text =
            token->kind == TOKEN_WORD ? str_slice(token->text, 0, token->lower.len) : token->text;
        l->lower[i] = token->kind == TOKEN_QUOTED ? STR("\"") : token->lower;
        if (token->kind != TOKEN_SIGN)
            l->part_count[i] = stem_split(l->arena, text, l->parts[i], SPLIT_MAX);
    }
    return arena_ok(l->arena);
}

/* "customers ordered" are no customer_orders: a name does not end in a verb's past. */
static size_t drop_verbs(const struct linker *l, size_t last, struct lexicon_link *links,
                         size_t count)
{
    size_t kept = 0;
    if (!str_ends_with(l->tokens[last].lower, STR("ed")))
        return count;
    for (size_t i = 0; i < count; i++) {
        struct str name = l->lexicon->catalog->tables[links[i].table].name;
        bool past = name.len > 2 && str_equal_nocase(str_from(name, name.len - 2), STR("ed"));
        if (links[i].kind != LINK_TABLE || past)
            links[kept++] = links[i];
    }
    return kept;
}

/* The meanings of tokens[at..at+n) as one phrase. */
static size_t look_up(const struct linker *l, size_t at, size_t n, struct lexicon_link *links)
{
    struct str words[ENGLISH_WORDS];
    size_t count = 0;
    for (size_t i = at; i < at + n; i++) {
        if (l->part_count[i] == 0 || count + l->part_count[i] > ENGLISH_WORDS ||
            (l->tokens[i].kind == TOKEN_QUOTED && n > 1))
            return 0;
        for (size_t p = 0; p < l->part_count[i]; p++)
            words[count++] = l->parts[i][p];
    }
    size_t found = lexicon_index_find(l->lexicon, words, count, links, OFFLINE_MEANINGS);
    return n > 1 ? drop_verbs(l, at + n - 1, links, found) : found;
}

/* The longest run of tokens from at that means something; 0: none. */
static size_t find_mention(const struct linker *l, size_t at, struct lexicon_item *item)
{
    for (size_t n = size_min(ENGLISH_WORDS, l->count - at); n > 0; n--) {
        item->link_count = look_up(l, at, n, item->links);
        if (item->link_count > 0)
            return n;
    }
    return 0;
}

static bool names_schema(const struct lexicon_item *item)
{
    for (size_t i = 0; i < item->link_count; i++)
        if (item->links[i].kind != LINK_VALUE && item->links[i].kind != LINK_MOMENT &&
            item->links[i].kind != LINK_BOOL && item->links[i].score >= 90)
            return true;
    return false;
}

static bool cue_wins(const struct offline_phrase *phrase, size_t cue_len, size_t mention_len,
                     const struct lexicon_item *item, bool first)
{
    if (phrase == NULL)
        return false;
    if (phrase->cue == CUE_SHOW && first)
        return true;
    if (mention_len != cue_len)
        return cue_len > mention_len;
    return phrase->rank == RANK_FUNCTION || (phrase->rank == RANK_OPERATOR && !names_schema(item));
}

static bool is_plural(const struct offline_token *token)
{
    char stem[STEM_BYTES];
    struct str s = stem_of(token->lower, stem);
    return token->kind == TOKEN_WORD &&
           ((str_ends_with(token->lower, STR("s")) && s.len < token->lower.len &&
             !str_ends_with(s, STR("s"))) ||
            str_equal(token->lower, STR("people")));
}

/* Whether a word of name begins so: "director_id" and "filmDirector" with "direct". */
static bool has_word(struct str name, struct str beginning)
{
    for (size_t i = 0; i + beginning.len <= name.len; i++) {
        bool starts = i == 0 || !str_is_alpha(name.at[i - 1]) ||
                      (name.at[i] >= 'A' && name.at[i] <= 'Z' && name.at[i - 1] >= 'a');
        if (starts && str_equal_nocase(str_slice(name, i, i + beginning.len), beginning))
            return true;
    }
    return false;
}

/* Whether some table or column is of who does it, or of when or how. */
static bool names_maker(const struct catalog *catalog, struct str stem, struct str maker)
{
    for (size_t t = 0; t < catalog->table_count; t++) {
        const struct catalog_table *table = &catalog->tables[t];
        if (has_word(table->name, stem) || has_word(table->name, maker))
            return true;
        for (size_t c = 0; c < table->column_count; c++)
            if (has_word(table->columns[c].name, stem) || has_word(table->columns[c].name, maker))
                return true;
    }
    return false;
}

/* "in stock", "are still running": what that is like is said, and nothing it is tied to. */
static bool stands_alone(const struct linker *l, size_t at)
{
    size_t before = at, length;
    const struct offline_phrase *phrase = NULL;
    while (before > 0 && (phrase == NULL || phrase->cue == CUE_SKIP)) {
        phrase = english_words_phrase(&l->lower[--before], 1, &length);
        if (phrase == NULL)
            return false;
    }
    if (phrase == NULL)
        return false;
    bool gerund = str_ends_with(l->tokens[at].lower, STR("ing"));
    bool closes = at + 1 == l->count || l->tokens[at + 1].kind == TOKEN_SIGN;
    return (phrase->cue == CUE_PREP && !gerund) || (phrase->cue == CUE_COPULA && gerund && closes);
}

/* A verb that says no more than that two things belong together. One of making says who it was,
 * unless a time follows: only a database that knows of such people understands it. */
static bool ties(const struct linker *l, size_t at)
{
    static const char *const times[] = {"in", "on", "during", "before", "after", "since"};
    char text[STEM_BYTES];
    if (l->tokens[at].kind != TOKEN_WORD)
        return false;
    struct str stem = stem_of(l->tokens[at].lower, text), maker = english_verbs_maker(stem);
    if (stands_alone(l, at))
        return false;
    for (size_t i = 0; i < countof(times) && at + 1 < l->count; i++)
        if (str_equal(l->tokens[at + 1].lower, str_of(times[i])))
            maker = (struct str){NULL, 0};
    return english_verbs_ties(stem) &&
           (str_is_absent(maker) || names_maker(l->lexicon->catalog, stem, maker));
}

/* Whether all it could be is the name of some row, which a verb in lower case is not taken for. */
static bool only_names_rows(const struct linker *l, const struct offline_token *token,
                            const struct lexicon_item *item)
{
    if (token->kind != TOKEN_WORD || token->text.at[0] != token->lower.at[0])
        return false;
    for (size_t i = 0; i < item->link_count; i++) {
        const struct lexicon_link *link = &item->links[i];
        const struct lexicon_facts *facts = &l->lexicon->facts[link->table];
        bool label = false;
        for (size_t k = 0; link->kind == LINK_VALUE && k < facts->label_count; k++)
            label = label || facts->labels[k] == link->column;
        if (!label)
            return false;
    }
    return item->link_count > 0;
}

/* "10 minutes", where the schema has no minutes: how many tokens say the unit. */
static size_t read_unit(const struct linker *l, size_t at, struct lexicon_item *number)
{
    struct lexicon_item word;
    if (at >= l->count || l->tokens[at].kind != TOKEN_WORD || number->unit.len > 0 ||
        find_mention(l, at, &word) > 0)
        return 0;
    struct str unit = english_verbs_time_unit(l->tokens[at].lower);
    if (unit.len == 0 && english_verbs_is_unit(l->tokens[at].lower))
        unit = l->tokens[at].lower;
    if (unit.len == 0)
        return 0;
    number->unit = unit;
    return 1;
}

/* "five hundred": how many tokens multiply the number before them. */
static size_t multiply(const struct linker *l, size_t at, struct lexicon_item *number)
{
    size_t count = 0;
    for (; at + count < l->count && l->tokens[at + count].kind == TOKEN_WORD; count++) {
        double times = english_synonyms_multiplier(l->tokens[at + count].lower);
        if (times <= 0 || number->unit.len > 0)
            break;
        number->number *= times;
    }
    return count;
}

/* "unpaid", where only "paid" is a value: a participle turned into its opposite. */
static bool find_inverse(const struct linker *l, const struct offline_token *token,
                         struct lexicon_item *item)
{
    struct lexicon_link links[OFFLINE_MEANINGS];
    char stem[STEM_BYTES];
    if (token->kind != TOKEN_WORD || !str_starts_with(token->lower, STR("un")))
        return false;
    struct str rest = str_slice(token->lower, 2, token->lower.len);
    struct str word = stem_of(rest, stem);
    if (rest.len < 4 || str_equal(word, rest) || str_ends_with(rest, STR("s")))
        return false;
    size_t count = lexicon_index_find(l->lexicon, &rest, 1, links, OFFLINE_MEANINGS);
    item->link_count = 0;
    for (size_t i = 0; i < count; i++)
        if (links[i].kind == LINK_VALUE ||
            (links[i].kind == LINK_MOMENT &&
             !l->lexicon->catalog->tables[links[i].table].columns[links[i].column].not_null))
            item->links[item->link_count++] = links[i];
    item->inverse = item->link_count > 0;
    return item->inverse;
}

/* "title contains 'x'": a part of it, where rows contain rows elsewhere. */
static bool holds_quoted(const struct linker *l, size_t next, const struct lexicon_item *before,
                         const struct lexicon_item *item)
{
    bool column = false;
    for (size_t i = 0; before->kind == ITEM_MENTION && i < before->link_count; i++)
        column =
            column || before->links[i].kind == LINK_COLUMN || before->links[i].kind == LINK_LABEL;
    return column && item->kind == ITEM_CUE && item->cue == CUE_REL && next < l->count &&
           l->tokens[next].kind == TOKEN_QUOTED &&
           (str_equal_nocase(str_slice(item->text, 0, 7), STR("contain")) ||
            str_equal_nocase(str_slice(item->text, 0, 6), STR("includ")));
}

/* The text that "starts with" is followed by, whatever it may mean elsewhere. */
static size_t read_part(const struct linker *l, size_t at, struct lexicon_item *item)
{
    size_t length;
    const struct offline_phrase *phrase = english_words_phrase(&l->lower[at], 1, &length);
    bool article = l->tokens[at].kind == TOKEN_WORD && phrase != NULL && phrase->cue == CUE_SKIP;
    item->kind = l->tokens[at].kind == TOKEN_SIGN || article ? ITEM_UNKNOWN : ITEM_LITERAL;
    return 1;
}

/* "orally", where "oral" is a value. */
static bool find_adjective(const struct linker *l, const struct offline_token *token,
                           struct lexicon_item *item)
{
    if (token->kind != TOKEN_WORD || !str_ends_with(token->lower, STR("ly")))
        return false;
    struct str adjective = str_slice(token->lower, 0, token->lower.len - 2);
    struct lexicon_link links[OFFLINE_MEANINGS];
    size_t count = lexicon_index_find(l->lexicon, &adjective, 1, links, OFFLINE_MEANINGS);
    item->link_count = 0;
    for (size_t i = 0; i < count; i++)
        if (links[i].kind == LINK_VALUE)
            item->links[item->link_count++] = links[i];
    return item->link_count > 0;
}

/* Read a number, as digits or as a word, with its multiplier and its unit. Returns how many tokens
 * it takes, 0: no number. */
static size_t read_number(const struct linker *l, size_t at, struct lexicon_item *item)
{
    const struct offline_token *token = &l->tokens[at];
    bool times = token->kind == TOKEN_WORD && english_synonyms_multiplier(token->lower) > 0;
    if (token->kind == TOKEN_NUMBER)
        item->number = token->number;
    else if (times)
        item->number = 1;
    else if (token->kind != TOKEN_WORD || !english_synonyms_number(token->lower, &item->number))
        return 0;
    item->kind = ITEM_NUMBER;
    item->unit = token->kind == TOKEN_NUMBER ? token->unit : STR("");
    size_t words = times ? multiply(l, at, item) : 1 + multiply(l, at + 1, item);
    return words + read_unit(l, at + words, item);
}

static size_t read_cue(enum offline_cue cue, int arg, size_t length, struct lexicon_item *item)
{
    item->kind = ITEM_CUE;
    item->cue = cue;
    item->arg = arg;
    return length;
}

/* A mention of length tokens, which may also be a cue: phrase, as long or NULL. */
static size_t read_mention(const struct linker *l, size_t at, size_t length,
                           const struct offline_phrase *phrase, bool ties_only,
                           struct lexicon_item *item)
{
    item->kind = ITEM_MENTION;
    item->plural = is_plural(&l->tokens[at + length - 1]);
    if (phrase != NULL) {
        item->cue = phrase->cue;
        item->arg = phrase->arg;
    } else if (ties_only) {
        item->cue = CUE_BEGAN;
    }
    return length;
}

/* "custmers": a slip of the pen for one word that is known. */
static bool mend(const struct linker *l, const struct offline_token *token,
                 struct lexicon_item *item)
{
    if (token->kind != TOKEN_WORD)
        return false;
    struct str meant = lexicon_mend_find(l->lexicon, token->lower, token->capital);
    item->link_count = str_is_absent(meant) ? 0
                                            : lexicon_index_find(l->lexicon, &meant, 1, item->links,
                                                                 OFFLINE_MEANINGS);
    return item->link_count > 0;
}

/* Read a token that begins no phrase: a number in words, a word that is nearly one of the schema's,
 * or something unknown. */
static size_t read_other(const struct linker *l, size_t at, struct lexicon_item *item)
{
    const struct offline_token *token = &l->tokens[at];
    size_t words = read_number(l, at, item);
    if (words > 0)
        return words;
    if (find_inverse(l, token, item) || find_adjective(l, token, item)) {
        item->kind = ITEM_MENTION;
        return 1;
    }
    if (ties(l, at))
        return read_cue(CUE_BEGAN, item->arg, 1, item);
    if (mend(l, token, item)) {
        item->kind = ITEM_MENTION;
        item->plural = is_plural(token);
        item->mended = true;
        return 1;
    }
    item->kind =
        token->kind == TOKEN_QUOTED || token->kind == TOKEN_CODE ? ITEM_LITERAL : ITEM_UNKNOWN;
    return 1;
}

/* Read the item at token at; returns how many tokens it took. */
static size_t read_item(const struct linker *l, size_t at, struct lexicon_item *item)
{
    const struct offline_token *token = &l->tokens[at];
    size_t length = 0;
    size_t dated = english_dates_match(l->tokens, l->count, at, l->today, &item->range);
    size_t mention = find_mention(l, at, item);
    if (dated > 0 && dated >= mention) {
        item->kind = ITEM_DATE;
        return dated;
    }
    const struct offline_phrase *phrase =
        english_words_phrase(&l->lower[at], l->count - at, &length);
    double number;
    bool other = phrase != NULL || ties(l, at) || english_synonyms_number(token->lower, &number);
    if (mention == 1 && other && only_names_rows(l, token, item))
        mention = item->link_count = 0;
    if (token->kind == TOKEN_NUMBER && mention < 2)
        return read_number(l, at, item);
    if (phrase != NULL && (mention == 0 || cue_wins(phrase, length, mention, item, at == 0)))
        return read_cue(phrase->cue, phrase->arg, length, item);
    if (mention > 0)
        return read_mention(l, at, mention, phrase != NULL && length == mention ? phrase : NULL,
                            mention == 1 && phrase == NULL && ties(l, at), item);
    return read_other(l, at, item);
}

enum err_code lexicon_link_items(struct arena *arena, const struct lexicon *lexicon,
                                 const struct offline_token *tokens, size_t count, int32_t today,
                                 struct lexicon_item **items, size_t *item_count)
{
    struct linker l = {
        .arena = arena, .lexicon = lexicon, .tokens = tokens, .count = count, .today = today};
    *item_count = 0;
    *items = arena_array(arena, 2 * count + 1, sizeof **items);
    if (*items == NULL || !split_tokens(&l))
        return ERR_NO_MEMORY;
    for (size_t at = 0; at < count;) {
        struct lexicon_item *item = &(*items)[(*item_count)++];
        const struct lexicon_item *before = *item_count > 1 ? item - 1 : NULL;
        bool part = before != NULL && before->kind == ITEM_CUE && before->cue == CUE_LIKE;
        size_t took = part ? read_part(&l, at, item) : read_item(&l, at, item);
        const struct str first = tokens[at].text, last = tokens[at + took - 1].text;
        item->text = last.at < first.at /* put elsewhere by agents/offline/phrasing */
                         ? first
                         : str_make(first.at, (size_t)(last.at + last.len - first.at));
        if (before != NULL && holds_quoted(&l, at + took, before, item)) {
            item->cue = CUE_LIKE;
            item->arg = LIKE_WITHIN;
        }
        at += took;
    }
    return ERR_OK;
}
