/* SPDX-License-Identifier: MIT */
/* agents/offline/compose/compose_schema.h - the database that a statement is composed for: its
 * words, its joins, its dialect, and the day. A type; no functions. */
#ifndef AGENTS_OFFLINE_COMPOSE_COMPOSE_SCHEMA_H
#define AGENTS_OFFLINE_COMPOSE_COMPOSE_SCHEMA_H

#include "agents/offline/compose/jointree.h"
#include "backends/sql.h"

struct compose_schema {
    const struct lexicon *lexicon;
    struct jointree_source joins;
    enum sql_dialect dialect;
    int32_t today;
    bool own_only;                     /* a list shows columns of its own rows alone */
    struct reading_left_out *left_out; /* out: of which tables not all rows count; or NULL */
};

#endif
