/* SPDX-License-Identifier: MIT */
/* agents/sql/rewrite_match.c - compares bytes and moves on.
 *
 * Happy path: the piece is there, its length is added to what is read. Failure: it is not, or for
 * the filter's text there is no memory; both are false. */
#include "agents/sql/rewrite_match.h"

#include <string.h>

#include "agents/sql/lexer.h"
#include "agents/sql/rewrite_text.h"

bool sql_rewrite_match_text(struct sql_rewrite_match *m, struct str text)
{
    if (m->sql.len - m->at < text.len || memcmp(m->sql.at + m->at, text.at, text.len) != 0)
        return false;
    m->at += text.len;
    return true;
}

static bool take_byte(struct sql_rewrite_match *m, char byte)
{
    if (m->at == m->sql.len || m->sql.at[m->at] != byte)
        return false;
    m->at++;
    return true;
}

static bool next_is(const struct sql_rewrite_match *m, char byte)
{
    return m->at < m->sql.len && m->sql.at[m->at] == byte;
}

static char quote_of(const struct sql_rewrite_match *m)
{
    return m->dialect == SQL_MYSQL ? '`' : '"';
}

static bool match_quoted(struct sql_rewrite_match *m, struct str name)
{
    char quote = quote_of(m);
    if (!take_byte(m, quote))
        return false;
    for (size_t i = 0; i < name.len; i++) {
        if (!take_byte(m, name.at[i]) || (name.at[i] == quote && !take_byte(m, quote)))
            return false;
    }
    return take_byte(m, quote) && !next_is(m, quote);
}

/* SQLite reads a bare word as a name when it is no keyword. */
static bool match_word(struct sql_rewrite_match *m, struct str name)
{
    bool plain = name.len > 0 && (str_is_alpha(name.at[0]) || name.at[0] == '_');
    for (size_t i = 1; i < name.len; i++)
        plain =
            plain && (str_is_alpha(name.at[i]) || str_is_digit(name.at[i]) || name.at[i] == '_');
    return plain && sql_words_find(name) == SQL_WORD_NONE && sql_rewrite_match_text(m, name) &&
           (m->at == m->sql.len || !sql_lexer_in_word(m->sql.at[m->at]));
}

bool sql_rewrite_match_name(struct sql_rewrite_match *m, struct str name)
{
    if (m->dialect == SQL_SQLITE && !next_is(m, '"'))
        return match_word(m, name);
    return match_quoted(m, name);
}

bool sql_rewrite_match_table(struct sql_rewrite_match *m, const struct catalog_table *table)
{
    if (table->schema.len > 0 && (!sql_rewrite_match_name(m, table->schema) || !take_byte(m, '.')))
        return false;
    return sql_rewrite_match_name(m, table->name);
}

/* One column: in SQLite a quoted name alone would be a string where no column has it. */
static bool match_column(struct sql_rewrite_match *m, const struct catalog_table *table,
                         struct str column)
{
    size_t start = m->at;
    if (m->dialect != SQL_SQLITE)
        return match_quoted(m, column);
    if (sql_rewrite_match_name(m, table->name) && take_byte(m, '.'))
        return sql_rewrite_match_name(m, column);
    m->at = start;
    return match_word(m, column);
}

bool sql_rewrite_match_columns(struct sql_rewrite_match *m, const struct catalog_table *table)
{
    bool first = true;
    for (size_t i = 0; i < table->column_count; i++) {
        if (table->columns[i].hidden)
            continue;
        if ((!first && !sql_rewrite_match_text(m, STR(", "))) ||
            !match_column(m, table, table->columns[i].name))
            return false;
        first = false;
    }
    return !first || sql_rewrite_match_text(m, STR("NULL"));
}

bool sql_rewrite_match_filter(struct sql_rewrite_match *m, struct sql_visible sees,
                              struct str relation, int table, int read)
{
    struct sql_tenancy tenancy;
    if (!sql_tenancy_find(sees, table, &tenancy) || !tenancy.filters)
        return false;
    buf_clear(&m->text);
    sql_rewrite_text_filter(sees, m->dialect, relation, read, &tenancy, &m->text);
    return buf_ok(&m->text) && sql_rewrite_match_text(m, buf_str(&m->text));
}

bool sql_rewrite_match_number(struct sql_rewrite_match *m, size_t most)
{
    size_t start = m->at;
    uint64_t number;
    while (m->at < m->sql.len && str_is_digit(m->sql.at[m->at]))
        m->at++;
    return str_to_u64(str_slice(m->sql, start, m->at), &number) && (most == 0 || number <= most);
}

static bool is_apart(char byte)
{
    return byte == ' ' || byte == '\t' || byte == '\n' || byte == '\r' || byte == ',';
}

bool sql_rewrite_match_is_apart_before(const struct sql_rewrite_match *m)
{
    char byte = m->at == 0 ? ' ' : m->sql.at[m->at - 1];
    return is_apart(byte) || byte == '(';
}

bool sql_rewrite_match_is_apart_after(const struct sql_rewrite_match *m)
{
    char byte = m->at == m->sql.len ? ' ' : m->sql.at[m->at];
    return is_apart(byte) || byte == ')';
}
