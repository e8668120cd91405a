/* SPDX-License-Identifier: MIT */
/* agents/sql/doubts/values.c - a word of the question that is a value of a column, and a statement
 * that does not look at the column: "hours of travel", and no condition with 'travel'.
 *
 * Happy path: each such word is also the name of something, or the statement looks at its column.
 * Failure: none; only columns of few values are looked at. */
#include "agents/sql/doubts/look.h"

#include "core/words/function_words.h"

enum { MOST_VALUES = 24, LEAST_VALUE = 4 };

/* Whether a table of the statement, or a column of it, or one that it names, is called so. */
static bool is_name(const struct sql_doubts_look *look, struct str word)
{
    for (size_t i = 0; i < look->parse->table_count; i++) {
        const int t = look->parse->tables[i].table;
        const struct catalog_table *table =
            t == CATALOG_NONE ? NULL : &look->source->catalog->tables[t];
        for (size_t c = 0; table != NULL && c < table->column_count; c++) {
            const struct sql_doubts_name name = sql_doubts_name_of(look, t, (int)c);
            if (sql_doubts_name_has(&name, word))
                return true;
        }
        const struct sql_doubts_name name = t == CATALOG_NONE
                                                ? (struct sql_doubts_name){.count = 0}
                                                : sql_doubts_name_of(look, t, CATALOG_NONE);
        if (sql_doubts_name_has(&name, word))
            return true;
    }
    return false;
}

/* "per housekeeper": it is what is counted by. */
static bool is_group(const struct sql_doubts_look *look, size_t at)
{
    return at > 0 && sql_said_is(look->words[at - 1], SQL_DOUBTS_PER);
}

/* Whether the question has the value, word by word. */
static bool is_said(const struct sql_doubts_look *look, struct str value)
{
    struct str words[LOOK_NAME_WORDS];
    const size_t count = sql_doubts_split(look, value, words);
    for (size_t at = 0; count > 0 && at + count <= look->word_count; at++) {
        size_t same = 0;
        while (same < count && str_equal(look->words[at + same], words[same]))
            same++;
        if (same == count && !is_group(look, at))
            return true;
    }
    return false;
}

/* False: nothing of the column is said, or it is doubted. */
static bool look_at_column(struct sql_doubts_look *look, int table, int column)
{
    struct str values[MOST_VALUES];
    const struct sql_doubts_source *source = look->source;
    const struct catalog_table *at = &source->catalog->tables[table];
    const size_t count = source->values(source->owner, table, column, values, MOST_VALUES);
    for (size_t i = 0; i < count; i++) {
        struct str value = values[i];
        if (value.len < LEAST_VALUE || !is_said(look, value) || sql_doubts_writes(look, value) ||
            function_words_has(value) || sql_said_is(value, SQL_DOUBTS_AVERAGE) ||
            is_name(look, value))
            continue;
        sql_doubts_say(look, "value_said",
                       arena_printf(source->arena,
                                    "the question says '%.*s', which is a value of %.*s.%.*s, and "
                                    "the statement does not look at it",
                                    STR_ARG(value), STR_ARG(at->name),
                                    STR_ARG(at->columns[column].name)),
                       arena_printf(source->arena, "'%.*s' was not looked for", STR_ARG(value)));
        return true;
    }
    return false;
}

void sql_doubts_of_values(struct sql_doubts_look *look)
{
    for (size_t i = 0; i < look->parse->table_count && look->source->values != NULL; i++) {
        const int t = look->parse->tables[i].table;
        const struct catalog_table *table =
            t == CATALOG_NONE ? NULL : &look->source->catalog->tables[t];
        for (size_t c = 0; table != NULL && c < table->column_count; c++)
            if (table->columns[c].type == CATALOG_TEXT && !table->columns[c].hidden &&
                !sql_doubts_uses(look, t, (int)c) && look_at_column(look, t, (int)c))
                return;
    }
}
