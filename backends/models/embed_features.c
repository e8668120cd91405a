/* SPDX-License-Identifier: MIT */
/* backends/models/embed_features.c - words, their stems, pairs and pieces, hashed into one vector.
 *
 * Happy path: the text is folded character by character into words; each word adds its stem, the
 * pair it makes with the word before it, and its pieces of 4 and 5 characters, which forgive typos
 * and find words within compounds; runs of ideographs add single characters and pairs. Features are
 * hashed to two places each, with a sign (Weinberger and others 2009, "Feature hashing"), so that
 * collisions cancel in the mean; the vector is scaled to length 1.
 * Failure paths: none; bytes that are not UTF-8 part words.
 *
 * Weights and dimensions were chosen by measured recall, averaged over hashes, of questions over
 * manuals, schemas and other questions: 384 dimensions find less than 512, 768 a little more for
 * half as much memory again; pieces of 3 find less than pieces of 4, one place per feature less
 * than two. How rare a word is cannot be known from one text, so frequent words are listed. */
#include "backends/models/embed_features.h"

#include <math.h>
#include <string.h>

#include "core/words/function_words.h"
#include "core/words/fold.h"
#include "core/words/stem.h"

enum { PLACES = 2, WORD_BYTES = 64, SHORTEST_PIECE = 4, LONGEST_PIECE = 5 };
enum { COUNTERS = 4096, MOST_COUNTED = 255 };
enum { KIND_WORD = 1, KIND_PAIR, KIND_IDEOGRAPH, KIND_PIECE }; /* pieces: KIND_PIECE + length */

static const float function_weight = 0.1F, common_weight = 0.4F, pair_weight = 0.3F;
static const float piece_weight = 1.2F, ideograph_weight = 0.3F;

/* Words that say little about a text's subject; those that say nothing are function_words.
 * In order. */
static const char *const common_words[] = {
    "able",     "allow",     "always",    "answer", "anybody",  "anything", "back",        "case",
    "change",   "come",      "data",      "day",    "detail",   "details",  "else",        "ever",
    "every",    "everybody", "example",   "field",  "fields",   "find",     "first",       "get",
    "give",     "go",        "good",      "happen", "happens",  "help",     "information", "item",
    "items",    "keep",      "kind",      "know",   "last",     "left",     "let",         "like",
    "line",     "lines",     "list",      "long",   "look",     "make",     "many",        "mean",
    "much",     "name",      "need",      "never",  "new",      "next",     "nobody",      "now",
    "number",   "often",     "one",       "open",   "own",      "page",     "part",        "place",
    "possible", "press",     "program",   "put",    "question", "right",    "see",         "set",
    "show",     "someone",   "something", "still",  "sure",     "system",   "take",        "tell",
    "thing",    "things",    "time",      "two",    "use",      "used",     "value",       "values",
    "want",     "way",       "well",      "work",
};

struct making { /* one vector being made */
    float *vector;
    uint64_t last_word; /* hash of the word before; 0: none */
    float last_weight;
    char last_ideograph[FOLD_BYTES];
    size_t last_ideograph_len;
    char word[WORD_BYTES];
    uint8_t starts[WORD_BYTES]; /* of its characters */
    size_t len, char_count;
    bool has_digit;
    uint8_t counts[COUNTERS]; /* occurrences so far, by hash */
};

/* splitmix64's finaliser: every bit of the hash counts in every bit of the place. */
static uint64_t mix(uint64_t x)
{
    x ^= x >> 30;
    x *= UINT64_C(0xBF58476D1CE4E5B9);
    x ^= x >> 27;
    x *= UINT64_C(0x94D049BB133111EB);
    return x ^ x >> 31;
}

static uint64_t hash_of(struct str bytes, uint64_t kind)
{
    return mix(str_hash(bytes) + kind * UINT64_C(0x9E3779B97F4A7C15));
}

static void add(struct making *making, uint64_t hash, float weight)
{
    float part = weight * 0.70710678F; /* over PLACES places: 1 / sqrt(2) */
    for (unsigned place = 0; place < PLACES; place++) {
        uint32_t bits = (uint32_t)(hash >> 32 * place);
        making->vector[(bits >> 1) % EMBED_FEATURES_DIMENSIONS] += bits & 1 ? part : -part;
    }
}

/* What one more occurrence adds: the k-th 1 / (k - 1/2), whose sums grow like a logarithm. */
static float gain(struct making *making, uint64_t hash)
{
    uint8_t *count = &making->counts[hash % COUNTERS];
    if (*count < MOST_COUNTED)
        ++*count;
    return *count == 1 ? 1.0F : 1.0F / ((float)*count - 0.5F);
}

static float weigh(const struct making *making, struct str word, struct str stem)
{
    if (making->has_digit)
        return 1.0F;
    if (word.len == 1 || function_words_has(word))
        return function_weight;
    if (str_is_listed(word, common_words, countof(common_words)) ||
        str_is_listed(stem, common_words, countof(common_words)))
        return common_weight;
    return 1.0F;
}

/* The word between marks of its ends, as pieces of so many characters; together of one weight. */
static void add_pieces(struct making *making, float weight)
{
    char marked[WORD_BYTES + 2];
    uint8_t starts[WORD_BYTES + 3];
    size_t chars = making->char_count + 2, pieces = 0;
    marked[0] = '<';
    memcpy(marked + 1, making->word, making->len);
    marked[making->len + 1] = '>';
    starts[0] = 0;
    for (size_t i = 0; i < making->char_count; i++)
        starts[i + 1] = (uint8_t)(making->starts[i] + 1);
    starts[chars - 1] = (uint8_t)(making->len + 1);
    starts[chars] = (uint8_t)(making->len + 2);
    for (size_t n = SHORTEST_PIECE; n <= LONGEST_PIECE && n <= chars; n++)
        pieces += chars - n + 1;
    if (pieces == 0)
        return;
    float part = weight / sqrtf((float)pieces);
    for (size_t n = SHORTEST_PIECE; n <= LONGEST_PIECE && n <= chars; n++)
        for (size_t i = 0; i + n <= chars; i++)
            add(making,
                hash_of(str_make(marked + starts[i], (size_t)(starts[i + n] - starts[i])),
                        KIND_PIECE + n),
                part);
}

static void end_word(struct making *making)
{
    char room[STEM_BYTES];
    struct str word = str_make(making->word, making->len);
    if (making->len == 0)
        return;
    struct str stem = stem_of(word, room);
    float weight = weigh(making, word, stem);
    uint64_t hash = hash_of(stem, KIND_WORD);
    float gained = weight * gain(making, hash);
    add(making, hash, gained);
    if (weight > function_weight) {
        if (making->last_word != 0) {
            uint64_t pair = mix(making->last_word * 31 + hash + KIND_PAIR);
            add(making, pair,
                pair_weight * sqrtf(weight * making->last_weight) * gain(making, pair));
        }
        making->last_word = hash;
        making->last_weight = weight;
        add_pieces(making, piece_weight * gained);
    }
    making->len = making->char_count = 0;
    making->has_digit = false;
}

/* A letter more; the tail of an endless word is left out. */
static void take_letter(struct making *making, const struct fold_char *folded)
{
    if (folded->len == 0 || making->len + folded->len > WORD_BYTES)
        return;
    making->starts[making->char_count++] = (uint8_t)making->len;
    memcpy(making->word + making->len, folded->text, folded->len);
    making->len += folded->len;
    making->has_digit = making->has_digit || str_is_digit(folded->text[0]);
}

static void take_ideograph(struct making *making, const struct fold_char *folded)
{
    char pair[2 * FOLD_BYTES];
    uint64_t hash = hash_of(str_make(folded->text, folded->len), KIND_IDEOGRAPH);
    add(making, hash, ideograph_weight * gain(making, hash));
    if (making->last_ideograph_len > 0) {
        memcpy(pair, making->last_ideograph, making->last_ideograph_len);
        memcpy(pair + making->last_ideograph_len, folded->text, folded->len);
        hash = hash_of(str_make(pair, making->last_ideograph_len + folded->len), KIND_IDEOGRAPH);
        add(making, hash, gain(making, hash));
    }
    memcpy(making->last_ideograph, folded->text, folded->len);
    making->last_ideograph_len = folded->len;
}

static void scale(float *vector)
{
    float sum = 0;
    for (size_t i = 0; i < EMBED_FEATURES_DIMENSIONS; i++)
        sum += vector[i] * vector[i];
    if (sum == 0)
        return;
    float factor = 1.0F / sqrtf(sum);
    for (size_t i = 0; i < EMBED_FEATURES_DIMENSIONS; i++)
        vector[i] *= factor;
}

void embed_features_of(struct str text, float vector[EMBED_FEATURES_DIMENSIONS])
{
    struct making making = {.vector = vector};
    bool was_small = false; /* the last character was a small letter: workOrder is two words */
    memset(vector, 0, EMBED_FEATURES_DIMENSIONS * sizeof *vector);
    for (;;) {
        struct fold_char folded = fold_next(&text);
        if (folded.kind != FOLD_LETTER || (folded.is_upper && was_small))
            end_word(&making);
        if (folded.kind != FOLD_IDEOGRAPH)
            making.last_ideograph_len = 0;
        was_small = folded.kind == FOLD_LETTER && !folded.is_upper;
        if (folded.kind == FOLD_LETTER)
            take_letter(&making, &folded);
        else if (folded.kind == FOLD_IDEOGRAPH)
            take_ideograph(&making, &folded);
        else if (folded.kind == FOLD_END)
            break;
    }
    scale(vector);
}
