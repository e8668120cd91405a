/* SPDX-License-Identifier: MIT */
/* tests/lib/fake_sql.h - a scripted database at the vtable: answers by a piece of the statement. */
#ifndef TESTS_LIB_FAKE_SQL_H
#define TESTS_LIB_FAKE_SQL_H

#include "backends/sql.h"

struct fake_answer {
    const char *piece;     /* in the statement */
    enum err_code failure; /* or: one column, one integer per row */
    const char *message;   /* of the failure */
    const char *column;
    int64_t value;
    size_t row_count;
    const char *text; /* instead of value: a text in every row */
};

struct fake_rows {
    struct sql_value value[16];
    struct str column;
};

struct fake_sql {
    struct sql sql; /* give &fake.sql */
    const struct fake_answer *script;
    size_t script_count;
    unsigned calls, pending;
    char last[16384];     /* the last statement */
    size_t tables_listed; /* of those it may read */
    bool stall;
    struct fake_rows rows[8]; /* of the last calls, in turns */
};

void fake_sql_init(struct fake_sql *fake, struct loop *loop, const struct fake_answer *script,
                   size_t count);

#endif
