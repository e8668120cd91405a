/* SPDX-License-Identifier: MIT */
/* agents/english/vocabulary.c - searches lists of words from the first word on, because the lists
 * are short.
 *
 * Happy path: the list has the word. Failure: it does not, and that is the answer. */
#include "agents/english/vocabulary.h"

bool vocabulary_has(enum vocabulary_list list, struct str word)
{
    for (const char *const *at = vocabulary_lists[list]; *at != NULL; at++)
        if (str_equal(word, str_of(*at)))
            return true;
    return false;
}

bool vocabulary_begins(enum vocabulary_list list, struct str name)
{
    for (const char *const *at = vocabulary_lists[list]; *at != NULL; at++) {
        struct str word = str_of(*at);
        if (name.len >= word.len && str_equal_nocase(str_slice(name, 0, word.len), word))
            return true;
    }
    return false;
}
