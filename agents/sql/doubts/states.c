/* SPDX-License-Identifier: MIT */
/* agents/sql/doubts/states.c - a state or a mark that the question names, and a statement that does
 * not look at what says it: "completed stays", "payments minus refunds", is_refund.
 *
 * Happy path: whatever says it, in whatever way, is given the benefit of the doubt: a column of its
 * own, a text, a missing date. Failure: none. */
#include "agents/sql/doubts/look.h"

enum { LEAST_MARK = 4, FEW = 24, TEXT_BYTES = 240 };

static const struct catalog_table *table_at(const struct sql_doubts_look *look, size_t ref)
{
    const int table = look->parse->tables[ref].table;
    return table == CATALOG_NONE ? NULL : &look->source->catalog->tables[table];
}

/* Whether the statement says the word: in a text, or by a column or table that is called so. */
static bool is_looked_at(const struct sql_doubts_look *look, struct str word)
{
    const struct sql_parse *parse = look->parse;
    struct str words[LOOK_NAME_WORDS];
    for (size_t i = 0; i < parse->column_count; i++)
        for (size_t k = sql_doubts_split(look, parse->columns[i].name, words); k > 0; k--)
            if (sql_doubts_alike(words[k - 1], word))
                return true;
    for (size_t i = 0; i < parse->table_count; i++)
        for (size_t k = sql_doubts_split(look, parse->tables[i].name, words); k > 0; k--)
            if (sql_doubts_alike(words[k - 1], word))
                return true;
    for (size_t i = 0; i < look->compared_count; i++)
        if (!str_is_absent(look->compared[i].text) &&
            sql_doubts_alike(look->compared[i].text, word))
            return true;
    return sql_doubts_writes(look, word);
}

/* ---- states ---- */

static bool is_state(const struct sql_doubts_look *look, const struct catalog_column *column)
{
    return !column->hidden && column->type == CATALOG_TEXT &&
           sql_doubts_ends_as(look, column->name, SQL_DOUBTS_STATES);
}

/* The column that says what rows of the statement have come to; false: there is none, or the
 * statement looks at one. */
static bool find_state(const struct sql_doubts_look *look, int *table, int *column)
{
    bool is_found = false;
    for (size_t i = 0; i < look->parse->table_count; i++) {
        const struct catalog_table *at = table_at(look, i);
        for (size_t c = 0; at != NULL && c < at->column_count; c++) {
            if (!is_state(look, &at->columns[c]))
                continue;
            if (sql_doubts_uses(look, look->parse->tables[i].table, (int)c))
                return false;
            *table = is_found ? *table : look->parse->tables[i].table;
            *column = is_found ? *column : (int)c;
            is_found = true;
        }
    }
    return is_found;
}

/* " ('open', 'done')", of a column of few values; empty: nobody knows them. */
static struct str list_values(const struct sql_doubts_look *look, int table, int column)
{
    struct str values[FEW];
    const struct sql_doubts_source *source = look->source;
    const size_t count =
        source->values == NULL ? 0 : source->values(source->owner, table, column, values, FEW);
    struct buf out;
    buf_init(&out, FEW * TEXT_BYTES);
    for (size_t i = 0; i < count; i++)
        buf_printf(&out, "%s'%.*s'", i > 0 ? ", " : " (", STR_ARG(values[i]));
    buf_push(&out, count > 0 ? STR(")") : STR(""));
    struct str text = buf_ok(&out) ? arena_str(source->arena, buf_str(&out)) : STR("");
    buf_fini(&out);
    return text;
}

static bool is_null_tested(const struct sql_doubts_look *look)
{
    return sql_doubts_has_word(look->parse->text, "null") ||
           sql_doubts_has_word(look->parse->text, "exists");
}

static bool look_at_state(struct sql_doubts_look *look)
{
    int table, column;
    if (is_null_tested(look) || !find_state(look, &table, &column))
        return false;
    for (size_t at = 0; at < look->said.word_count; at++) {
        struct str word = look->said.words[at].text;
        if (sql_said_phrase(&look->said, at, SQL_DOUBTS_STATE, NULL) == 0 ||
            is_looked_at(look, word))
            continue;
        const struct catalog_table *in = &look->source->catalog->tables[table];
        sql_doubts_say(
            look, "state_said",
            arena_printf(look->source->arena,
                         "the question says '%.*s', and the statement does not look at "
                         "%.*s.%.*s%.*s",
                         STR_ARG(word), STR_ARG(in->name), STR_ARG(in->columns[column].name),
                         STR_ARG(list_values(look, table, column))),
            arena_printf(look->source->arena, "'%.*s' was not looked for", STR_ARG(word)));
        return true;
    }
    return false;
}

/* ---- marks ---- */

/* What a yes or no is about: "refund" of is_refund; absent: it is none. */
static struct str mark_of(const struct sql_doubts_look *look, const struct catalog_column *column)
{
    static const char *const begins[] = {"a", "es", "est", "has", "hat", "is", "ist", "tiene"};
    static const char *const ends[] = {"flag", "flg", "yn"};
    struct str words[LOOK_NAME_WORDS];
    const size_t count = sql_doubts_split(look, column->name, words);
    if (column->hidden || count != 2)
        return (struct str){NULL, 0};
    return str_is_listed(words[0], begins, countof(begins)) ? words[1]
           : str_is_listed(words[1], ends, countof(ends))   ? words[0]
                                                            : (struct str){NULL, 0};
}

static bool look_at_mark(struct sql_doubts_look *look, const struct catalog_table *table,
                         const struct catalog_column *column)
{
    struct str mark = mark_of(look, column);
    for (size_t k = 0; mark.len >= LEAST_MARK && k < look->word_count; k++) {
        if (!sql_doubts_same_word(look->words[k], mark) || is_looked_at(look, look->words[k]))
            continue;
        sql_doubts_say(
            look, "mark_said",
            arena_printf(look->source->arena,
                         "the question says '%.*s', and the statement does not look at "
                         "%.*s.%.*s",
                         STR_ARG(look->words[k]), STR_ARG(table->name), STR_ARG(column->name)),
            arena_printf(look->source->arena, "%.*s was not looked at", STR_ARG(column->name)));
        return true;
    }
    return false;
}

static bool look_at_marks(struct sql_doubts_look *look)
{
    for (size_t i = 0; i < look->parse->table_count; i++) {
        const struct catalog_table *table = table_at(look, i);
        for (size_t c = 0; table != NULL && c < table->column_count; c++)
            if (look_at_mark(look, table, &table->columns[c]))
                return true;
    }
    return false;
}

/* ---- what was called off ---- */

/* "took place", and rows that may have been called off. */
static bool look_at_called_off(struct sql_doubts_look *look)
{
    for (size_t i = 0;
         sql_said_times(&look->said, SQL_DOUBTS_HAPPENED) > 0 && i < look->parse->table_count;
         i++) {
        const struct catalog_table *table = table_at(look, i);
        for (size_t c = 0; table != NULL && c < table->column_count; c++) {
            struct str name = table->columns[c].name;
            const struct sql_doubts_name rows =
                sql_doubts_name_of(look, look->parse->tables[i].table, CATALOG_NONE);
            if (table->columns[c].hidden || !sql_doubts_holds(look, name, SQL_DOUBTS_CALLED_OFF) ||
                sql_doubts_uses(look, look->parse->tables[i].table, (int)c) ||
                str_is_absent(sql_doubts_said_of(look, &rows, NULL)))
                continue;
            sql_doubts_say(
                look, "mark_said",
                arena_printf(look->source->arena,
                             "what took place was not called off, and the statement "
                             "does not look at %.*s.%.*s",
                             STR_ARG(table->name), STR_ARG(name)),
                arena_printf(look->source->arena, "%.*s was not looked at", STR_ARG(name)));
            return true;
        }
    }
    return false;
}

/* ---- one less the other ---- */

/* Whether a minus stands outside of texts. */
static bool subtracts(struct str sql)
{
    bool is_inside = false;
    for (size_t at = 0; at < sql.len; at++) {
        is_inside = is_inside != (sql.at[at] == '\'');
        if (!is_inside && sql.at[at] == '-')
            return true;
    }
    return sql_doubts_has_word(sql, "except");
}

static void look_at_minus(struct sql_doubts_look *look)
{
    if (sql_said_times(&look->said, SQL_DOUBTS_MINUS) == 0 || subtracts(look->parse->text))
        return;
    sql_doubts_say(look, "minus",
                   STR("the question takes one from the other, and the statement subtracts "
                       "nothing"),
                   STR("nothing was subtracted"));
}

void sql_doubts_of_states(struct sql_doubts_look *look)
{
    if (!look_at_called_off(look) && !look_at_marks(look))
        (void)look_at_state(look);
    look_at_minus(look);
}
