/* SPDX-License-Identifier: MIT */
/* agents/lexicon/verified.c - a question's key: its stems in order, with slots for what may differ.
 *
 * Happy path: the same key is found; slots that are equal leave the statement as it is, others are
 * written where the statement has the old ones, each exactly once.
 * Failure: a value the statement does not have, or has twice, is no answer. A date that depends on
 * the day ("last month") is words, not a slot: the statement itself must say it. */
#include "agents/lexicon/verified.h"

#include "agents/lexicon/link.h"
#include "agents/lexicon/render_names.h"
#include "agents/english/synonyms.h"
#include "agents/semantic/model.h"
#include "core/words/stem.h"

enum { KEY_BYTES = 8192, SQL_BYTES = 32 << 10, OTHER_DAY = 400 };

struct learnt { /* in the lexicon's arena */
    const struct semantic_verified *verified;
    const struct lexicon_item *items; /* the slots, in order */
    size_t count;
};

static bool is_slot(const struct lexicon_item *item)
{
    bool value = item->kind == ITEM_MENTION && item->link_count > 0;
    for (size_t i = 0; value && i < item->link_count; i++)
        value = item->links[i].kind == LINK_VALUE;
    return value || item->kind == ITEM_NUMBER || item->kind == ITEM_DATE ||
           item->kind == ITEM_LITERAL;
}

static void push_words(struct buf *out, struct arena *arena, struct str text)
{
    struct str words[ENGLISH_WORDS];
    size_t count = stem_split(arena, text, words, ENGLISH_WORDS);
    for (size_t i = 0; i < count; i++) {
        char stem[STEM_BYTES];
        buf_push(out, english_synonyms_of(stem_of(words[i], stem)));
        buf_push_char(out, ' ');
    }
}

/* The key and the slots; without dates, these are words. */
static struct str make_key(struct arena *arena, const struct lexicon_item *items, size_t count,
                           bool dates, struct lexicon_item *slots, size_t *slot_count)
{
    struct buf out;
    *slot_count = 0;
    buf_init(&out, KEY_BYTES);
    for (size_t i = 0; i < count; i++) {
        if (items[i].kind == ITEM_CUE &&
            (items[i].cue == CUE_SKIP || items[i].cue == CUE_COPULA || items[i].cue == CUE_SHOW))
            continue;
        if (!is_slot(&items[i]) || (items[i].kind == ITEM_DATE && !dates)) {
            push_words(&out, arena, items[i].text);
            continue;
        }
        buf_push(&out, items[i].kind == ITEM_NUMBER ? STR("#n ")
                       : items[i].kind == ITEM_DATE ? STR("#d ")
                                                    : STR("#v "));
        slots[(*slot_count)++] = items[i];
    }
    struct str key = arena_str(arena, buf_str(&out));
    buf_fini(&out);
    return key;
}

static bool learn(struct lexicon *lexicon, const struct semantic_verified *verified, int32_t today)
{
    struct arena *arena = &lexicon->arena;
    struct offline_token *tokens;
    struct lexicon_item *items, *later;
    size_t token_count, count, later_count;
    if (english_tokens_of(arena, verified->question, &tokens, &token_count) != ERR_OK ||
        lexicon_link_items(arena, lexicon, tokens, token_count, today, &items, &count) != ERR_OK ||
        lexicon_link_items(arena, lexicon, tokens, token_count, today + OTHER_DAY, &later,
                           &later_count) != ERR_OK)
        return arena_ok(arena); /* too long a question is never asked */
    bool fixed = true;
    for (size_t i = 0; i < count && i < later_count; i++)
        fixed =
            fixed && (items[i].kind != ITEM_DATE || (items[i].range.first == later[i].range.first &&
                                                     items[i].range.end == later[i].range.end));
    struct learnt *entry = arena_alloc(arena, sizeof *entry);
    struct lexicon_item *slots = arena_array(arena, count + 1, sizeof *slots);
    if (entry == NULL || slots == NULL)
        return false;
    struct str key = make_key(arena, items, count, fixed, slots, &entry->count);
    entry->verified = verified;
    entry->items = slots;
    if (str_is_absent(key))
        return false;
    return map_find(&lexicon->verified, key) != NULL || map_put(&lexicon->verified, key, entry);
}

bool lexicon_verified_learn(struct lexicon *lexicon, int32_t today)
{
    const struct semantic *semantic = lexicon->semantic;
    for (size_t i = 0; semantic != NULL && i < semantic->verified_count; i++)
        if (semantic->verified[i].usable && !learn(lexicon, &semantic->verified[i], today))
            return false;
    return true;
}

/* ---- slots ---- */

static bool same_slot(const struct lexicon_item *a, const struct lexicon_item *b)
{
    if (a->kind == ITEM_NUMBER)
        return b->number >= a->number && b->number <= a->number;
    if (a->kind == ITEM_DATE)
        return a->range.first == b->range.first && a->range.end == b->range.end;
    return str_equal_nocase(a->text, b->text);
}

static bool is_part_of_word(char c)
{
    return str_is_alpha(c) || (c >= '0' && c <= '9') || c == '_' || c == '.' || c == '-';
}

/* Replace the one place where text has old; false: it has none, or several. whole: not within a
 * longer word or number. */
static bool replace_once(struct arena *arena, struct str *text, struct str old, struct str new,
                         bool whole)
{
    size_t at = 0, found = 0;
    for (size_t i = 0; i + old.len <= text->len; i++) {
        if (!str_equal(str_slice(*text, i, i + old.len), old))
            continue;
        bool inside = (i > 0 && is_part_of_word(text->at[i - 1])) ||
                      (i + old.len < text->len && is_part_of_word(text->at[i + old.len]));
        if (whole && inside)
            continue;
        found++;
        at = i;
    }
    if (found != 1)
        return false;
    *text = arena_printf(arena, "%.*s%.*s%.*s", (int)at, text->at, STR_ARG(new),
                         (int)(text->len - at - old.len), text->at + at + old.len);
    return !str_is_absent(*text);
}

static struct str quoted(struct arena *arena, enum sql_dialect dialect, struct str value)
{
    struct buf out;
    const struct render render = {.dialect = dialect, .out = &out};
    buf_init(&out, KEY_BYTES);
    lexicon_render_text(&render, value);
    struct str text = arena_str(arena, buf_str(&out));
    buf_fini(&out);
    return text;
}

static bool put_number(struct arena *arena, struct str *sql, double old, double new)
{
    return replace_once(arena, sql, arena_printf(arena, "%.15g", old),
                        arena_printf(arena, "%.15g", new), true);
}

static bool put_day(struct arena *arena, struct str *sql, int32_t old, int32_t new)
{
    char before[11], after[11];
    if (old == OFFLINE_DAY_NONE || new == OFFLINE_DAY_NONE)
        return old == new;
    if (old == new)
        return true;
    english_dates_text(old, before);
    english_dates_text(new, after);
    return replace_once(arena, sql, str_of(before), str_of(after), true);
}

/* The old value by one of its columns, the new one of the same. */
static bool put_value(struct arena *arena, enum sql_dialect dialect, struct str *sql,
                      const struct lexicon_item *old, const struct lexicon_item *new)
{
    for (size_t i = 0; i < old->link_count; i++)
        for (size_t k = 0; k < new->link_count; k++)
            if (old->links[i].table == new->links[k].table &&
                old->links[i].column == new->links[k].column &&replace_once(
                                            arena, sql, quoted(arena, dialect, old->links[i].value),
                                            quoted(arena, dialect, new->links[k].value), false))
                return true;
    return false;
}

/* Dates are put all at once: the end of one may be the beginning of the other. */
static bool put_slot(struct arena *arena, enum sql_dialect dialect, struct str *sql,
                     const struct lexicon_item *old, const struct lexicon_item *new)
{
    if (old->kind == ITEM_NUMBER)
        return put_number(arena, sql, old->number, new->number);
    if (old->kind == ITEM_DATE) {
        bool upwards = new->range.first > old->range.first;
        return upwards ? put_day(arena, sql, old->range.end, new->range.end) &&
                             put_day(arena, sql, old->range.first, new->range.first)
                       : put_day(arena, sql, old->range.first, new->range.first) &&
                             put_day(arena, sql, old->range.end, new->range.end);
    }
    return put_value(arena, dialect, sql, old, new);
}

struct str lexicon_verified_find(const struct lexicon *lexicon, enum sql_dialect dialect,
                                 const struct lexicon_item *items, size_t count,
                                 struct arena *arena, const struct semantic_verified **from)
{
    const struct str none = {NULL, 0};
    if (lexicon->semantic == NULL || lexicon->semantic->verified_count == 0)
        return none;
    struct lexicon_item *slots = arena_array(arena, count + 1, sizeof *slots);
    for (int dates = 1; slots != NULL && dates >= 0; dates--) {
        size_t slot_count;
        struct str key = make_key(arena, items, count, dates == 1, slots, &slot_count);
        const struct learnt *entry = str_is_absent(key) ? NULL : map_find(&lexicon->verified, key);
        if (entry == NULL || entry->count != slot_count)
            continue;
        struct str sql = entry->verified->sql;
        bool fits = true;
        for (size_t i = 0; fits && i < slot_count; i++)
            fits = same_slot(&entry->items[i], &slots[i]) ||
                   put_slot(arena, dialect, &sql, &entry->items[i], &slots[i]);
        if (!fits)
            continue;
        *from = entry->verified;
        return sql;
    }
    return none;
}
