/* SPDX-License-Identifier: MIT */
/* agents/sql/doubts/look.c - texts of a statement, and words of names and questions.
 *
 * Failure: words beyond the limits are not looked at. */
#include "agents/sql/doubts/look.h"

#include "core/words/stem.h"

enum { QUOTED_BYTES = 160, LEAST_ALIKE = 3, ENOUGH_ALIKE = 6 };

void sql_doubts_say(const struct sql_doubts_look *look, const char *kind, struct str told,
                    struct str shown)
{
    look->say(look->owner, &(struct sql_doubt){kind, told, shown});
}

struct str sql_doubts_text(const struct sql_doubts_look *look, struct sql_span span)
{
    return str_utf8_prefix(str_slice(look->parse->text, span.start, span.end), QUOTED_BYTES);
}

const struct catalog_column *sql_doubts_column(const struct sql_doubts_look *look,
                                               const struct sql_column_ref *ref)
{
    if (ref == NULL || ref->table_ref < 0 || ref->column == CATALOG_NONE)
        return NULL;
    const int table = look->parse->tables[ref->table_ref].table;
    return table == CATALOG_NONE ? NULL
                                 : &look->source->catalog->tables[table].columns[ref->column];
}

struct str sql_doubts_table(const struct sql_doubts_look *look, const struct sql_column_ref *ref)
{
    return look->parse->tables[ref->table_ref].name;
}

bool sql_doubts_alike(struct str one, struct str other)
{
    const size_t least = size_min(one.len, other.len);
    size_t same = 0;
    while (same < least && str_lower(one.at[same]) == str_lower(other.at[same]))
        same++;
    return same >= ENOUGH_ALIKE || (same == least && least >= LEAST_ALIKE);
}

size_t sql_doubts_split(const struct sql_doubts_look *look, struct str name, struct str *words)
{
    return stem_split(look->source->arena, name, words, LOOK_NAME_WORDS);
}

bool sql_doubts_speaks_of(const struct sql_doubts_look *look, struct str name)
{
    struct str words[LOOK_NAME_WORDS];
    const size_t count = sql_doubts_split(look, name, words);
    for (size_t i = 0; i < count; i++)
        for (size_t k = 0; k < look->word_count; k++)
            if (sql_doubts_alike(words[i], look->words[k]))
                return true;
    return false;
}

bool sql_doubts_has_word(struct str text, const char *word)
{
    const struct str looked = str_of(word);
    for (size_t at = 0; at + looked.len <= text.len; at++) {
        const bool begins = at == 0 || !str_is_alpha(text.at[at - 1]);
        const bool ends = at + looked.len == text.len || !str_is_alpha(text.at[at + looked.len]);
        if (begins && ends && str_equal_nocase(str_slice(text, at, at + looked.len), looked))
            return true;
    }
    return false;
}
