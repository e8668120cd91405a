/* SPDX-License-Identifier: MIT */
/* agents/nodes/facts.c - a table of dialects, and the injectable clock. Happy path only. */
#include "agents/nodes/facts.h"

#include "agents/english/language.h"

struct str facts_dialect(struct node *node)
{
    static const char *const names[] = {"SQLite", "PostgreSQL", "MySQL"};
    return str_of(names[knowledge(node)->dialect]);
}

struct str facts_naming(struct node *node)
{
    static const char *const rules[] = {
        [SQL_SQLITE] = "Quote a name only if it is a reserved word.",
        [SQL_POSTGRES] = ("Put a name that has capitals or is a reserved word in double quotes, as "
                          "in \"workOrder\".\"customerId\"; texts in single quotes."),
        [SQL_MYSQL] = "Put a name that is a reserved word in backticks; texts in single quotes.",
    };
    return str_of(rules[knowledge(node)->dialect]);
}

struct str facts_today(struct node *node)
{
    int year, month, day;
    const struct services *has = services(node);
    if (has->today == NULL || !has->today(has->today_owner, &year, &month, &day))
        return STR("");
    return arena_printf(node_scratch(node), "%04d-%02d-%02d", year, month, day);
}

struct str facts_language(struct node *node)
{
    struct str name = english_language_name(node_session(node)->message), text = {NULL, 0};
    if (!str_is_absent(name))
        text =
            arena_printf(node_scratch(node), "%.*s, the language of the question", STR_ARG(name));
    return str_is_absent(text) ? STR("the language of the question") : text;
}
