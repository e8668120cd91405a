/* SPDX-License-Identifier: MIT */
/* backends/sql/sql_caller.h - on whose behalf a statement runs, by its session variables: whose
 * share of the connections and of the breaker it is. Any thread. */
#ifndef BACKENDS_SQL_SQL_CALLER_H
#define BACKENDS_SQL_SQL_CALLER_H

#include "backends/sql.h"
#include "core/base/identity.h"

/* Views of the statement's own texts. */
static inline struct identity sql_caller_of(const struct sql_statement *statement)
{
    return (struct identity){
        .company_id = sql_statement_variable(statement, STR("company_id")),
        .user_id = sql_statement_variable(statement, STR("user_id")),
    };
}

#endif
