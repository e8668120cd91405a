/* SPDX-License-Identifier: MIT */
/* agents/memory/mentions.c - a short list, searched from the front.
 *
 * A line of the note is the letter of the sort, the kind and the value, with tabs between. Failure:
 * no memory: nothing is added, nothing is resolved. */
#include "agents/memory/mentions.h"

#include <string.h>

static const char letters[] = "ptd"; /* by sort */

static bool is_same(const struct mention *a, const struct mention *b)
{
    return str_equal_nocase(a->kind, b->kind) && str_equal_nocase(a->value, b->value);
}

/* The index of a mention, or count when it is not there. */
static size_t find(const struct mentions *mentions, const struct mention *mention)
{
    size_t i = 0;
    while (i < mentions->count && !is_same(&mentions->at[i], mention))
        i++;
    return i;
}

void mentions_read(struct mentions *mentions, struct str note)
{
    while (!str_is_absent(note) && mentions->count < MENTIONS_MOST) {
        struct str line = str_split(&note, '\n'), letter = str_split(&line, '\t');
        struct mention mention = {.kind = str_split(&line, '\t'), .value = line};
        const char *sort = letter.len == 1 ? strchr(letters, letter.at[0]) : NULL;
        if (sort == NULL || str_is_empty(mention.kind) || str_is_empty(mention.value))
            continue;
        mention.sort = (enum mention_sort)(sort - letters);
        if (find(mentions, &mention) == mentions->count)
            mentions->at[mentions->count++] = mention;
    }
}

/* One line of text, blanks trimmed. */
static struct str clean(struct arena *arena, struct str text)
{
    text = str_utf8_prefix(str_trim(text), MENTIONS_VALUE_BYTES);
    char *copy = arena_alloc(arena, text.len);
    for (size_t i = 0; copy != NULL && i < text.len; i++)
        copy[i] = (unsigned char)text.at[i] < ' ' ? ' ' : text.at[i];
    return copy == NULL ? STR("") : str_make(copy, text.len);
}

void mentions_add(struct mentions *mentions, const struct mention *mention, struct arena *arena)
{
    struct mention copy = {mention->sort, clean(arena, mention->kind),
                           clean(arena, mention->value)};
    if (str_is_empty(copy.kind) || str_is_empty(copy.value))
        return;
    size_t at = find(mentions, &copy);
    if (at == mentions->count)
        at = mentions->count < MENTIONS_MOST ? mentions->count++ : MENTIONS_MOST - 1;
    memmove(&mentions->at[1], &mentions->at[0], at * sizeof mentions->at[0]);
    mentions->at[0] = copy;
}

void mentions_write(const struct mentions *mentions, struct buf *out)
{
    size_t bytes = 0;
    for (size_t i = 0; i < mentions->count; i++) {
        const struct mention *mention = &mentions->at[i];
        bytes += mention->kind.len + mention->value.len + 4;
        if (bytes > MENTIONS_BYTES)
            return;
        buf_printf(out, "%c\t%.*s\t%.*s\n", letters[mention->sort], STR_ARG(mention->kind),
                   STR_ARG(mention->value));
    }
}

void mentions_render(const struct mentions *mentions, struct buf *out)
{
    for (size_t i = 0; i < mentions->count; i++) {
        struct str kind = mentions->at[i].kind;
        bool is_said = false; /* with the first of its kind */
        for (size_t k = 0; k < i; k++)
            is_said = is_said || str_equal_nocase(mentions->at[k].kind, kind);
        if (is_said)
            continue;
        buf_printf(out, "%s%.*s: %.*s", i == 0 ? "" : "; ", STR_ARG(kind),
                   STR_ARG(mentions->at[i].value));
        for (size_t k = i + 1; k < mentions->count; k++)
            if (str_equal_nocase(mentions->at[k].kind, kind))
                buf_printf(out, ", %.*s", STR_ARG(mentions->at[k].value));
    }
}

/* ---- what a word means ---- */

static const struct mention *last_of(const struct mentions *mentions, enum mention_sort sort)
{
    for (size_t i = 0; i < mentions->count; i++)
        if (mentions->at[i].sort == sort)
            return &mentions->at[i];
    return NULL;
}

static bool is_word_char(char c)
{
    return str_is_alpha(c) || str_is_digit(c) || c == '_' || (unsigned char)c >= 0x80;
}

/* The last one whose kind stands at the beginning of text, as whole words. */
static const struct mention *last_called(const struct mentions *mentions, struct str text)
{
    for (size_t i = 0; i < mentions->count; i++) {
        struct str kind = mentions->at[i].kind;
        if (str_equal_nocase(str_slice(text, 0, kind.len), kind) &&
            (kind.len == text.len || !is_word_char(text.at[kind.len])))
            return &mentions->at[i];
    }
    return NULL;
}

/* The word at *at, which moves behind it. */
static struct str take_word(struct str text, size_t *at)
{
    size_t start = *at;
    while (*at < text.len && is_word_char(text.at[*at]))
        ++*at;
    return str_slice(text, start, *at);
}

/* "that employee", "this work order": what follows the first word, when it is a kind. *end moves
 * behind it. */
static const struct mention *pointed_at(const struct mentions *mentions, struct str question,
                                        struct str word, size_t *end)
{
    static const char *const pointers[] = {"same", "that", "this"};
    const size_t at = *end;
    if (!str_is_listed_nocase(word, pointers, countof(pointers)) || at >= question.len ||
        question.at[at] != ' ')
        return NULL;
    const struct mention *found = last_called(mentions, str_from(question, at + 1));
    if (found != NULL)
        *end = at + 1 + found->kind.len;
    return found;
}

/* Whether text speaks of somebody itself: then "his" is that one's. */
static bool asks_who(struct str text)
{
    static const char *const words[] = {"each", "every", "which", "who", "whose"};
    for (size_t at = 0; at < text.len; at++) {
        struct str word = take_word(text, &at);
        if (str_is_listed_nocase(word, words, countof(words)))
            return true;
    }
    return false;
}

/* The mention that the word at start, which ends at *end, stands for; NULL: the word stands for
 * itself. */
static const struct mention *meaning_of(const struct mentions *mentions, struct str question,
                                        size_t start, size_t *end)
{
    static const char *const somebody[] = {"he", "her", "hers", "him", "his", "she"};
    struct str word = str_slice(question, start, *end);
    if (str_is_listed_nocase(word, somebody, countof(somebody)))
        return asks_who(str_slice(question, 0, start)) ? NULL : last_of(mentions, MENTION_PERSON);
    return pointed_at(mentions, question, word, end);
}

struct str mentions_resolve(const struct mentions *mentions, struct str question,
                            struct arena *arena)
{
    struct buf out;
    bool any = false;
    buf_init(&out, question.len + 16 * MENTIONS_VALUE_BYTES);
    for (size_t at = 0; at < question.len;) {
        size_t end = at;
        struct str word = take_word(question, &end);
        const struct mention *meant =
            word.len == 0 ? NULL : meaning_of(mentions, question, at, &end);
        any = any || meant != NULL;
        end = word.len == 0 ? at + 1 : end;
        if (meant != NULL) /* a number says little, and names are not unique */
            buf_printf(&out, "%.*s ", STR_ARG(meant->kind));
        buf_push(&out, meant != NULL ? meant->value : str_slice(question, at, end));
        at = end;
    }
    struct str resolved =
        any && buf_ok(&out) ? arena_str(arena, buf_str(&out)) : (struct str){NULL, 0};
    buf_fini(&out);
    return resolved;
}
