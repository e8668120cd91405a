/* SPDX-License-Identifier: MIT */
/* core/words/scale.c - looks a word up in the table of scales.txt.
 *
 * Happy path: it is there. Failure: none; a word that is not there means nothing. */
#include "core/words/scale.h"

#include "core/words/scale_table.h"

double scale_of(struct str word)
{
    for (size_t i = 0; i < scale_table_count; i++)
        if (str_equal_nocase(word, str_of(scale_table[i].word)))
            return scale_table[i].scale;
    return 1;
}
