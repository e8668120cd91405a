/* SPDX-License-Identifier: MIT */
/* agents/sql/repair/repair_pieces.c - one pass over the bytes; blanks and comments are left out.
 *
 * Failure: a quote or a comment without an end gives no pieces at all. */
#include "agents/sql/repair/repair_pieces.h"

#include "agents/sql/grammar/lexer.h"

/* After the quote that ends what begins at start, doubled ones passed over; 0: there is none. */
static size_t end_of_quote(enum sql_dialect dialect, struct str text, size_t start)
{
    char quote = text.at[start];
    for (size_t i = start + 1; i < text.len; i++) {
        if (text.at[i] == '\\' && dialect == SQL_MYSQL && quote != '`')
            i++;
        else if (text.at[i] == quote && i + 1 < text.len && text.at[i + 1] == quote)
            i++;
        else if (text.at[i] == quote)
            return i + 1;
    }
    return 0;
}

/* [name] where a name may stand; 0: it is something else (an index). */
static size_t end_of_bracket(struct str text, size_t start)
{
    char before = start == 0 ? ' ' : text.at[start - 1];
    size_t i = start + 1;
    if (!str_is_blank(before) && before != '.' && before != ',' && before != '(')
        return 0;
    if (i >= text.len || !(str_is_alpha(text.at[i]) || text.at[i] == '_'))
        return 0;
    while (i < text.len && (sql_lexer_in_word(text.at[i]) || text.at[i] == ' '))
        i++;
    return i < text.len && text.at[i] == ']' ? i + 1 : 0;
}

/* After the blanks and comments at i; text.len + 1: a comment without an end. */
static size_t skip_blanks(struct str text, size_t i)
{
    while (i < text.len) {
        struct str rest = str_from(text, i);
        if (str_is_blank(text.at[i])) {
            i++;
        } else if (str_starts_with(rest, STR("--"))) {
            ptrdiff_t end = str_find_char(rest, '\n');
            i = end == STR_NONE ? text.len : i + (size_t)end;
        } else if (str_starts_with(rest, STR("/*"))) {
            ptrdiff_t end = str_find(rest, STR("*/"));
            if (end == STR_NONE)
                return text.len + 1;
            i += (size_t)end + 2;
        } else {
            break;
        }
    }
    return i;
}

/* After the piece at i, with its kind; 0: it has no end. */
static size_t end_of_piece(enum sql_dialect dialect, struct str text, size_t i,
                           enum sql_repair_piece_kind *kind)
{
    char c = text.at[i];
    size_t end = i;
    if (c == '\'' || c == '"' || c == '`') {
        *kind = c == '\''  ? SQL_REPAIR_PIECE_STRING
                : c == '"' ? SQL_REPAIR_PIECE_DOUBLE
                           : SQL_REPAIR_PIECE_BACKTICK;
        return end_of_quote(dialect, text, i);
    }
    if (c == '[' && (end = end_of_bracket(text, i)) != 0) {
        *kind = SQL_REPAIR_PIECE_BRACKET;
        return end;
    }
    *kind = SQL_REPAIR_PIECE_SIGN;
    if (!sql_lexer_in_word(c))
        return i + 1;
    bool number = str_is_digit(c);
    *kind = number ? SQL_REPAIR_PIECE_NUMBER : SQL_REPAIR_PIECE_WORD;
    for (end = i; end < text.len; end++)
        if (!sql_lexer_in_word(text.at[end]) && !(number && text.at[end] == '.'))
            break;
    return end;
}

struct sql_repair_pieces sql_repair_pieces_cut(enum sql_dialect dialect, struct str text,
                                               struct arena *arena)
{
    struct sql_repair_pieces pieces = {.text = text};
    unsigned depth = 0;
    if (text.len > UINT32_MAX)
        return pieces;
    struct sql_repair_piece *at = arena_array(arena, text.len + 1, sizeof *at);
    for (size_t i = 0; at != NULL && (i = skip_blanks(text, i)) < text.len;) {
        struct sql_repair_piece *piece = &at[pieces.count];
        size_t end = end_of_piece(dialect, text, i, &piece->kind);
        if (end == 0)
            return (struct sql_repair_pieces){.text = text};
        if (text.at[i] == ')' && depth > 0)
            depth--;
        piece->start = (uint32_t)i;
        piece->end = (uint32_t)end;
        piece->depth = depth;
        depth += text.at[i] == '(';
        pieces.count++;
        i = end;
    }
    pieces.at = at;
    return pieces;
}

struct str sql_repair_pieces_text(const struct sql_repair_pieces *pieces, size_t i)
{
    return str_slice(pieces->text, pieces->at[i].start, pieces->at[i].end);
}

struct str sql_repair_pieces_inside(const struct sql_repair_pieces *pieces, size_t i)
{
    struct str text = sql_repair_pieces_text(pieces, i);
    enum sql_repair_piece_kind kind = pieces->at[i].kind;
    bool quoted = kind != SQL_REPAIR_PIECE_WORD && kind != SQL_REPAIR_PIECE_NUMBER &&
                  kind != SQL_REPAIR_PIECE_SIGN;
    return quoted ? str_slice(text, 1, text.len - 1) : text;
}

bool sql_repair_pieces_is(const struct sql_repair_pieces *pieces, size_t i, const char *word)
{
    if (i >= pieces->count || (pieces->at[i].kind != SQL_REPAIR_PIECE_WORD &&
                               pieces->at[i].kind != SQL_REPAIR_PIECE_SIGN))
        return false;
    return str_equal_nocase(sql_repair_pieces_text(pieces, i), str_of(word));
}

size_t sql_repair_pieces_close(const struct sql_repair_pieces *pieces, size_t i)
{
    for (size_t j = i + 1; j < pieces->count; j++)
        if (pieces->at[j].depth == pieces->at[i].depth && sql_repair_pieces_is(pieces, j, ")"))
            return j;
    return pieces->count;
}

size_t sql_repair_pieces_operand(const struct sql_repair_pieces *pieces, size_t i)
{
    size_t start = i - 1;
    if (sql_repair_pieces_is(pieces, start, ")")) {
        while (start > 0 && !(sql_repair_pieces_is(pieces, start, "(") &&
                              pieces->at[start].depth == pieces->at[i - 1].depth))
            start--;
        if (start > 0 && pieces->at[start - 1].kind == SQL_REPAIR_PIECE_WORD &&
            pieces->at[start - 1].end == pieces->at[start].start)
            start--;
        return start;
    }
    while (start >= 2 && sql_repair_pieces_is(pieces, start - 1, "."))
        start -= 2;
    return start;
}
