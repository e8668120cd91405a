/* SPDX-License-Identifier: MIT */
/* agents/lexicon/render_names.c - a name is quoted when a dialect may read it as something else.
 *
 * Happy path: everything is appended to the buffer. Failure: the buffer's own, asked at the end. */
#include "agents/lexicon/render_names.h"

#include "agents/sql/catalog/quote.h"

enum { WORD_BYTES = 24 }; /* no reserved word is as long */

/* Reserved in any of the three dialects: more quotes than needed do no harm. */
static const char reserved[] =
    " all alter analyse analyze and any array as asc authorization between binary both by "
    "call cascade case cast change char character check collate collation column "
    "concurrently condition constraint continue convert create cross cube current "
    "current_date current_role current_time current_timestamp current_user cursor "
    "database databases declare default deferrable delete desc describe distinct div do "
    "double drop each else elseif empty end enclosed escape escaped except exists "
    "explain false fetch float for foreign freeze from full fulltext function generated "
    "get glob grant group grouping groups having if ignore ilike in index infile "
    "initially inner inout insert int integer intersect interval into is isnull iterate "
    "join key keys kill lag last_value lateral lead leading leave left like limit lines "
    "load localtime localtimestamp lock long loop match mod natural not notnull null "
    "numeric of offset on only optimize option optionally or order out outer over "
    "overlaps partition placing precision primary procedure range rank read reads real "
    "recursive references regexp release rename repeat replace require restrict return "
    "returning revoke right rlike row row_number rows schema schemas select sensitive "
    "separator session_user set show similar smallint some specific sql ssl starting "
    "straight_join symmetric system table tablesample terminated text then to trailing "
    "transaction trigger true undo union unique unlock unsigned update usage use user "
    "using values varchar variadic varying verbose view virtual when where while window "
    "with write xor year_month zerofill ";

static bool is_reserved(struct str name)
{
    char word[WORD_BYTES + 2] = " ";
    if (name.len == 0 || name.len > WORD_BYTES - 1)
        return false;
    for (size_t i = 0; i < name.len; i++)
        word[1 + i] = str_lower(name.at[i]);
    word[1 + name.len] = ' ';
    return str_find(str_of(reserved), str_make(word, name.len + 2)) != STR_NONE;
}

void lexicon_render_name(const struct render *r, struct str name)
{
    if (sql_quote_is_word(r->dialect, name) && !is_reserved(name))
        buf_push(r->out, name);
    else
        sql_quote_name(r->dialect, name, r->out);
}

void lexicon_render_table(const struct render *r, int table)
{
    const struct catalog_table *t = &r->catalog->tables[table];
    if (t->schema.len > 0) {
        lexicon_render_name(r, t->schema);
        buf_push_char(r->out, '.');
    }
    lexicon_render_name(r, t->name);
}

void lexicon_render_column(const struct render *r, unsigned alias, int table, int column)
{
    if (alias > 0)
        buf_printf(r->out, "t%u.", alias);
    lexicon_render_name(r, r->catalog->tables[table].columns[column].name);
}

void lexicon_render_text(const struct render *r, struct str value)
{
    buf_push_char(r->out, '\'');
    for (size_t i = 0; i < value.len; i++) {
        if (value.at[i] == '\'' || (value.at[i] == '\\' && r->dialect == SQL_MYSQL))
            buf_push_char(r->out, value.at[i]);
        buf_push_char(r->out, value.at[i]);
    }
    buf_push_char(r->out, '\'');
}
