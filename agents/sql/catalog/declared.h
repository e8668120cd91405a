/* SPDX-License-Identifier: MIT */
/* agents/sql/catalog/declared.h - what declarations say of columns that no catalog of the database
 * does: the values that a CHECK allows, and the comments in a CREATE TABLE of SQLite.
 *
 * Reads texts that the database accepted; of any other nothing is found. Views are of the text, or
 * in the arena. Any thread. */
#ifndef AGENTS_SQL_CATALOG_DECLARED_H
#define AGENTS_SQL_CATALOG_DECLARED_H

#include "core/base/arena.h"

enum { DECLARED_VALUES = 64 };

struct declared_list {
    struct str column; /* its name without quotes */
    struct str values[DECLARED_VALUES];
    size_t count;
};

/* Read a condition that lists the values of one column, NULL besides: "status IN ('a', 'b')", as
 * people, PostgreSQL (= ANY (ARRAY['a'::text])) and MySQL (`status` in (_utf8mb4'a')) write it.
 * False: it is another condition, or there is no memory. */
MUST_USE bool declared_read_list(struct arena *arena, struct str condition,
                                 struct declared_list *list);

/* One item of a CREATE TABLE: a column or a constraint. */
struct declared_item {
    struct str text;    /* its declaration */
    struct str name;    /* of a column, without quotes; or "" */
    struct str comment; /* what comments say of it, with "; " between; or "" */
    const struct declared_item *next;
};

/* Read the items of a CREATE TABLE, in order. *first is NULL for any other text. False: no memory.
 */
MUST_USE bool declared_read_table(struct arena *arena, struct str sql,
                                  const struct declared_item **first);
/* Read the next CHECK of a declaration. *rest is what follows it. False: there is none. */
MUST_USE bool declared_next_check(struct str *rest, struct str *condition);

#endif
