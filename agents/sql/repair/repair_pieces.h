/* SPDX-License-Identifier: MIT */
/* agents/sql/repair/repair_pieces.h - cuts SQL of any dialect into words, quotes and signs.
 *
 * For statements that the lexer of no dialect may accept: it reads backticks, brackets and both
 * quotes and refuses nothing. Fit for repairs, never for judging a statement. */
#ifndef AGENTS_SQL_REPAIR_REPAIR_PIECES_H
#define AGENTS_SQL_REPAIR_REPAIR_PIECES_H

#include "backends/sql.h"
#include "core/base/arena.h"

enum sql_repair_piece_kind {
    SQL_REPAIR_PIECE_WORD,
    SQL_REPAIR_PIECE_NUMBER,
    SQL_REPAIR_PIECE_STRING,
    SQL_REPAIR_PIECE_DOUBLE,   /* "..." */
    SQL_REPAIR_PIECE_BACKTICK, /* `...` */
    SQL_REPAIR_PIECE_BRACKET,  /* [name] */
    SQL_REPAIR_PIECE_SIGN,     /* one byte of anything else */
};

struct sql_repair_piece {
    enum sql_repair_piece_kind kind;
    uint32_t start, end;
    unsigned depth; /* of parentheses around it; a parenthesis has that of its outside */
};

struct sql_repair_pieces {
    struct str text;
    struct sql_repair_piece *at; /* NULL: no memory, or a quote without an end */
    size_t count;
};

struct sql_repair_pieces sql_repair_pieces_cut(enum sql_dialect dialect, struct str text,
                                               struct arena *arena);
/* The bytes of piece i, with and (inside) without its quotes. */
struct str sql_repair_pieces_text(const struct sql_repair_pieces *pieces, size_t i);
struct str sql_repair_pieces_inside(const struct sql_repair_pieces *pieces, size_t i);
/* Whether piece i exists and is the bare word (case ignored) or sign that word spells. */
bool sql_repair_pieces_is(const struct sql_repair_pieces *pieces, size_t i, const char *word);
/* The parenthesis that closes the one at i, or count. */
size_t sql_repair_pieces_close(const struct sql_repair_pieces *pieces, size_t i);
/* The first piece of the operand that ends before i, which is not 0: a name with its qualifiers, a
 * literal, a call or parentheses. */
size_t sql_repair_pieces_operand(const struct sql_repair_pieces *pieces, size_t i);

#endif
