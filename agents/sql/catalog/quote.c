/* SPDX-License-Identifier: MIT */
/* agents/sql/catalog/quote.c - appends; what does not fit is the buf's affair, asked at the end. */
#include "agents/sql/catalog/quote.h"

/* Between quotes; a quote inside, and whatever else is escaped, is doubled. */
static void push_quoted(struct str text, char quote, char escaped, struct buf *out)
{
    buf_push_char(out, quote);
    for (size_t i = 0; i < text.len; i++) {
        if (text.at[i] == quote || text.at[i] == escaped)
            buf_push_char(out, text.at[i]);
        buf_push_char(out, text.at[i]);
    }
    buf_push_char(out, quote);
}

void sql_quote_name(enum sql_dialect dialect, struct str name, struct buf *out)
{
    char quote = dialect == SQL_MYSQL ? '`' : '"';
    push_quoted(name, quote, quote, out);
}

void sql_quote_text(enum sql_dialect dialect, struct str text, struct buf *out)
{
    push_quoted(text, '\'', dialect == SQL_MYSQL ? '\\' : '\'', out);
}

struct str sql_quote_text_in(enum sql_dialect dialect, struct str text, struct arena *arena)
{
    struct buf out;
    buf_init(&out, 2 * text.len + 2);
    sql_quote_text(dialect, text, &out);
    struct str quoted = buf_ok(&out) ? arena_str(arena, buf_str(&out)) : (struct str){NULL, 0};
    buf_fini(&out);
    return quoted;
}

void sql_quote_table(enum sql_dialect dialect, const struct catalog_table *table, struct buf *out)
{
    if (table->schema.len > 0) {
        sql_quote_name(dialect, table->schema, out);
        buf_push_char(out, '.');
    }
    sql_quote_name(dialect, table->name, out);
}

bool sql_quote_is_word(enum sql_dialect dialect, struct str name)
{
    for (size_t i = 0; i < name.len; i++) {
        char c = name.at[i];
        bool is_capital = c >= 'A' && c <= 'Z';
        if (!(str_is_alpha(c) || c == '_' || (i > 0 && str_is_digit(c))) ||
            (is_capital && dialect == SQL_POSTGRES))
            return false;
    }
    return name.len > 0;
}
