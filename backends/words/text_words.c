/* SPDX-License-Identifier: MIT */
/* backends/words/text_words.c - words by folding characters, each once.
 *
 * Failure: none; bytes that are not UTF-8 part words, what exceeds the limits is left out. */
#include "backends/words/text_words.h"

#include <string.h>

#include "core/words/function_words.h"
#include "core/words/fold.h"

struct folded {
    char text[2 * TEXT_WORDS_BYTES];
    size_t len;
};

struct splitting {
    struct str *words;
    struct folded folded[TEXT_WORDS_MAX];
    bool is_function[TEXT_WORDS_MAX];
    size_t count, function_count;
};

static void keep_word(struct splitting *splitting, struct str word, const struct folded *folded)
{
    struct str text = str_make(folded->text, folded->len);
    if (word.len == 0 || splitting->count == TEXT_WORDS_MAX)
        return;
    for (size_t i = 0; i < splitting->count; i++)
        if (str_equal(str_make(splitting->folded[i].text, splitting->folded[i].len), text))
            return;
    size_t at = splitting->count++;
    splitting->words[at] = str_utf8_prefix(word, TEXT_WORDS_BYTES);
    splitting->folded[at] = *folded;
    splitting->is_function[at] = function_words_has(text);
    splitting->function_count += splitting->is_function[at];
}

static void drop_function_words(struct splitting *splitting)
{
    size_t left = 0;
    if (splitting->function_count == splitting->count)
        return;
    for (size_t i = 0; i < splitting->count; i++) {
        splitting->words[left] = splitting->words[i];
        left += !splitting->is_function[i];
    }
    splitting->count = left;
}

size_t text_words_split(struct str typed, struct str words[TEXT_WORDS_MAX])
{
    struct splitting splitting = {.words = words};
    struct folded folded = {.len = 0};
    struct str rest = typed;
    size_t start = 0;
    for (;;) {
        size_t at = typed.len - rest.len;
        struct fold_char c = fold_next(&rest);
        if (c.kind == FOLD_END || c.kind == FOLD_SIGN) {
            keep_word(&splitting, str_slice(typed, start, at), &folded);
            folded.len = 0;
            start = typed.len - rest.len;
        } else if (folded.len + c.len <= sizeof folded.text) {
            memcpy(folded.text + folded.len, c.text, c.len);
            folded.len += c.len;
        }
        if (c.kind == FOLD_END)
            break;
    }
    drop_function_words(&splitting);
    return splitting.count;
}
