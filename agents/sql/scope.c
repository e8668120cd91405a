/* SPDX-License-Identifier: MIT */
/* agents/sql/scope.c - resolve a statement's tree and hand the lists over.
 *
 * Happy path: walk the outermost query, copy what was found into the parse. Failure: whatever the
 * scope_* files gave up on. */
#include "agents/sql/scope.h"

#include "agents/sql/scope_parts.h"

enum err_code sql_scope_resolve(const struct sql_tree *tree, const struct catalog *catalog,
                                struct arena *arena, struct sql_parse *parse, const char **rule,
                                struct err *err)
{
    struct sql_scope s = {
        .catalog = catalog, .arena = arena, .parse = parse, .rule = rule, .err = err};
    const struct sql_scope_columns *outputs = sql_scope_select_walk(&s, NULL, NULL, tree->select);
    if (s.failed)
        return s.code;
    if (!arena_ok(arena))
        return err_set(err, ERR_NO_MEMORY, "no memory left to resolve the statement's names");
    parse->tables = s.tables;
    parse->columns = s.columns;
    parse->functions = s.functions;
    parse->ctes = s.ctes.names;
    parse->cte_count = s.ctes.count;
    parse->outputs = outputs->names;
    parse->outputs_starred = outputs->starred;
    parse->output_count = outputs->count;
    return ERR_OK;
}
