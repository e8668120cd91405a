/* SPDX-License-Identifier: MIT */
/* agents/sql/repair/repair_case.h - shared by the kinds of repair: a statement, the edits to make
 * to it, and how names are written.
 *
 * For repair*.c only. */
#ifndef AGENTS_SQL_REPAIR_REPAIR_CASE_H
#define AGENTS_SQL_REPAIR_REPAIR_CASE_H

#include "agents/services/services.h"
#include "agents/sql/catalog/visible.h"

enum { SQL_REPAIR_CASE_EDITS = 64 };

struct sql_repair_edit {
    size_t start, end;
    struct str text;
};

struct sql_repair_case {
    const struct knowledge *knows;
    double confidence; /* the least confidence of a relationship that is used */
    struct str sql, error;
    struct arena *arena;
    struct sql_repair_edit edits[SQL_REPAIR_CASE_EDITS];
    size_t edit_count;
    bool too_many;
    struct buf note;
};

/* A kind of repair: adds edits that do not overlap, and says so in the note. */
typedef void sql_repair_fn(struct sql_repair_case *at);

sql_repair_fn sql_repair_text_quotes, sql_repair_text_limit, sql_repair_text_operators,
    sql_repair_calls_rename, sql_repair_dates_turn, sql_repair_names_tables,
    sql_repair_names_columns, sql_repair_joins_turn, sql_repair_group_add, sql_repair_outer_join;

/* Replace [start, end) by text (kept); an edit that overlaps another is left out: false. note:
 * whether to say "old -> new" about it. */
bool sql_repair_case_edit(struct sql_repair_case *at, size_t start, size_t end, struct str text,
                          bool note);
/* The statement with its edits made, in arena; absent: no memory. Removes the edits. */
struct str sql_repair_case_apply(struct sql_repair_case *at);
/* The name as the dialect needs it: bare when it can be, else quoted. In arena. */
struct str sql_repair_case_name(const struct sql_repair_case *at, struct str name);
/* The tables and columns that the guard's policy lets the statement see. */
static inline struct sql_visible sql_repair_case_sees(const struct sql_repair_case *at)
{
    return (struct sql_visible){.policy = at->knows->policy, .catalog = at->knows->catalog};
}

#endif
