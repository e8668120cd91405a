/* SPDX-License-Identifier: MIT */
/* agents/gather/pairs.c - a file of pairs, their words, and how alike two questions are.
 *
 * Happy path: every line is parsed, its question's content words are kept with how many pairs have
 * each; a search scores all pairs by the cosine of the rarity of shared words.
 * Failure: the first bad line ends the loading with its number; nothing is kept. */
#include "agents/gather/pairs.h"

#include <math.h>

#include "agents/common/content.h"
#include "core/base/buf.h"
#include "core/base/file.h"
#include "core/base/map.h"
#include "core/base/mem.h"
#include "proto/json_value.h"

enum { MAX_FILE_BYTES = 16 << 20, MAX_MEMORY = 256 << 20, MAX_WORDS = CONTENT_MAX_WORDS };

struct pair {
    struct gather_pair shown;
    struct str *words;
    size_t word_count;
};

struct gather_pairs {
    struct arena arena;
    struct pair *pairs;
    size_t count;
    struct map pairs_with; /* stem -> size_t: pairs that have it */
};

static size_t count_lines(struct str text)
{
    size_t count = 0;
    while (text.len > 0)
        count += str_trim(str_split(&text, '\n')).len > 0;
    return count;
}

static enum err_code keep_words(struct gather_pairs *pairs, struct pair *pair, struct err *err)
{
    struct str words[MAX_WORDS];
    pair->word_count = content_words(&pairs->arena, pair->shown.question, words, MAX_WORDS);
    pair->words = arena_array(&pairs->arena, pair->word_count + 1, sizeof *words);
    if (pair->words == NULL)
        return err_set(err, ERR_TOO_LARGE, "the pairs do not fit into memory");
    for (size_t i = 0; i < pair->word_count; i++) {
        size_t *with = map_find(&pairs->pairs_with, words[i]);
        if (with == NULL && (with = arena_alloc(&pairs->arena, sizeof *with)) != NULL &&
            !map_put(&pairs->pairs_with, words[i], with))
            with = NULL;
        if (with == NULL)
            return err_set(err, ERR_NO_MEMORY, "no memory for the pairs");
        ++*with;
        pair->words[i] = words[i];
    }
    return ERR_OK;
}

static enum err_code read_line(struct gather_pairs *pairs, struct str line, size_t number,
                               struct err *err)
{
    struct pair *pair = &pairs->pairs[pairs->count];
    struct err why = {0};
    const struct json_value *value =
        json_value_parse(&pairs->arena, arena_str(&pairs->arena, line), NULL, &why);
    if (value == NULL)
        return err_set(err, ERR_INVALID, "line %zu: %s", number, why.text);
    if (json_value_str(value, "/question", &pair->shown.question, &why) != ERR_OK ||
        json_value_str(value, "/sql", &pair->shown.sql, &why) != ERR_OK)
        return err_set(err, ERR_INVALID,
                       "line %zu: expected {\"question\":\"...\",\"sql\":\"...\"}: %s", number,
                       why.text);
    pairs->count++;
    return keep_words(pairs, pair, err);
}

static enum err_code read_lines(struct gather_pairs *pairs, struct str text, struct err *err)
{
    pairs->pairs = arena_array(&pairs->arena, count_lines(text) + 1, sizeof *pairs->pairs);
    if (pairs->pairs == NULL)
        return err_set(err, ERR_NO_MEMORY, "no memory for the pairs");
    for (size_t number = 1; text.len > 0; number++) {
        struct str line = str_trim(str_split(&text, '\n'));
        if (line.len > 0 && read_line(pairs, line, number, err) != ERR_OK)
            return err->code;
    }
    if (!arena_ok(&pairs->arena))
        return err_set(err, ERR_NO_MEMORY, "no memory for the pairs");
    return ERR_OK;
}

enum err_code gather_pairs_load(const char *path, struct gather_pairs **out, struct err *err)
{
    struct buf text;
    struct gather_pairs *pairs = mem_zalloc(1, sizeof *pairs);
    if (pairs == NULL)
        return err_set(err, ERR_NO_MEMORY, "no memory for the pairs");
    arena_init(&pairs->arena, MAX_MEMORY);
    map_init(&pairs->pairs_with);
    buf_init(&text, MAX_FILE_BYTES);
    enum err_code code = file_read(path, &text, err);
    if (code == ERR_OK && (code = read_lines(pairs, buf_str(&text), err)) != ERR_OK)
        err_prefix(err, path);
    buf_fini(&text);
    if (code != ERR_OK) {
        gather_pairs_destroy(pairs);
        return code;
    }
    *out = pairs;
    return ERR_OK;
}

void gather_pairs_destroy(struct gather_pairs *pairs)
{
    if (pairs == NULL)
        return;
    map_fini(&pairs->pairs_with);
    arena_fini(&pairs->arena);
    mem_free(pairs);
}

size_t gather_pairs_count(const struct gather_pairs *pairs)
{
    return pairs->count;
}

const struct gather_pair *gather_pairs_get(const struct gather_pairs *pairs, size_t i)
{
    return &pairs->pairs[i].shown;
}

static double weight_of(const struct gather_pairs *pairs, struct str word)
{
    const size_t *with = map_find(&pairs->pairs_with, word);
    return log((double)(pairs->count + 1) / (double)(with == NULL ? 1 : *with)) + 0.1;
}

static double likeness(const struct gather_pairs *pairs, const struct pair *pair,
                       const struct str *words, const double *weights, size_t count, double own)
{
    double shared = 0, all = 0;
    for (size_t i = 0; i < pair->word_count; i++) {
        double weight = weight_of(pairs, pair->words[i]);
        int at = content_find(words, count, pair->words[i]);
        all += weight * weight;
        if (at >= 0)
            shared += weight * weights[at];
    }
    return shared > 0 ? shared / sqrt(all * own) : 0;
}

size_t gather_pairs_find(const struct gather_pairs *pairs, struct str question, struct arena *arena,
                         const struct gather_pair **found, size_t max)
{
    struct str words[MAX_WORDS];
    double weights[MAX_WORDS], own = 0;
    size_t count = 0, word_count = content_words(arena, question, words, MAX_WORDS);
    double *best = arena_array(arena, max, sizeof *best);
    if (best == NULL)
        return 0;
    for (size_t i = 0; i < word_count; i++) {
        weights[i] = weight_of(pairs, words[i]);
        own += weights[i] * weights[i];
    }
    for (size_t i = 0; i < pairs->count; i++) {
        double score = likeness(pairs, &pairs->pairs[i], words, weights, word_count, own);
        size_t at = count;
        while (at > 0 && best[at - 1] < score)
            at--;
        if (score <= 0 || at == max)
            continue;
        for (size_t j = size_min(count, max - 1); j > at; j--) {
            best[j] = best[j - 1];
            found[j] = found[j - 1];
        }
        best[at] = score;
        found[at] = &pairs->pairs[i].shown;
        count = size_min(count + 1, max);
    }
    return count;
}
