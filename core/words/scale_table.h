/* SPDX-License-Identifier: MIT */
/* core/words/scale_table.h - the table that the build makes of scales.txt. For scale.c only. */
#ifndef CORE_WORDS_SCALE_TABLE_H
#define CORE_WORDS_SCALE_TABLE_H

#include <stddef.h>

struct scale_word {
    const char *word;
    double scale;
};

extern const struct scale_word scale_table[];
extern const size_t scale_table_count;

#endif
