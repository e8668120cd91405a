/* SPDX-License-Identifier: MIT */
/* tests/guard/statement_maker.h - random SELECTs over given tables and names, in one dialect.
 *
 * A SELECT knows the aliases in scope, so many statements mean something; the rest is refused by
 * the guard or by the engine, which is no loss. The same seed makes the same statements. */
#ifndef TESTS_GUARD_STATEMENT_MAKER_H
#define TESTS_GUARD_STATEMENT_MAKER_H

#include "backends/sql.h"
#include "core/base/buf.h"

enum { MAKER_MAX_ALIASES = 12, MAKER_BYTES = 1 << 20 };

struct maker_words {
    enum sql_dialect dialect;
    const char *const *tables; /* may hold "w", the name of the CTE */
    size_t table_count;
    const char *const *names; /* of columns; the more often, the likelier */
    size_t name_count;
    const char *const *joins; /* the last plain_joins of them take no condition */
    size_t join_count, plain_joins;
    bool set_operations;
};

struct maker {
    const struct maker_words *words;
    uint64_t state;                         /* the seed, not 0 */
    struct buf out;                         /* the statement */
    const char *aliases[MAKER_MAX_ALIASES]; /* in scope */
    size_t alias_count;
};

static const char *const maker_aliases[] = {"a", "b", "c", "d"};

static inline size_t maker_below(struct maker *maker, size_t count) /* xorshift */
{
    maker->state ^= maker->state << 13;
    maker->state ^= maker->state >> 7;
    maker->state ^= maker->state << 17;
    return (size_t)(maker->state % count);
}

static inline void maker_say(struct maker *maker, const char *text)
{
    buf_push(&maker->out, str_of(text));
}

static inline const char *maker_pick(struct maker *maker, const char *const *from, size_t count)
{
    return from[maker_below(maker, count)];
}

/* Quoted where PostgreSQL would fold it; now and then elsewhere, too. */
static inline void maker_say_quoted(struct maker *maker, const char *name)
{
    bool folds = false, plain = true;
    for (size_t i = 0; name[i] != '\0'; i++) {
        folds = folds || (name[i] >= 'A' && name[i] <= 'Z');
        plain = plain && name[i] != '.';
    }
    bool quotes =
        plain && ((folds && maker->words->dialect == SQL_POSTGRES) || maker_below(maker, 8) == 0);
    const char *mark = !quotes ? "" : maker->words->dialect == SQL_MYSQL ? "`" : "\"";
    buf_printf(&maker->out, "%s%s%s", mark, name, mark);
}

static inline void maker_say_name(struct maker *maker)
{
    maker_say_quoted(maker, maker_pick(maker, maker->words->names, maker->words->name_count));
}

static inline void maker_say_select(struct maker *maker, unsigned depth, bool one_item);

static inline void maker_say_alias_dot(struct maker *maker)
{
    if (maker->alias_count == 0)
        return;
    maker_say(maker, maker->aliases[maker_below(maker, maker->alias_count)]);
    maker_say(maker, ".");
}

static inline void maker_say_subquery(struct maker *maker, unsigned depth, const char *before)
{
    maker_say(maker, before);
    maker_say(maker, "(");
    maker_say_select(maker, depth - 1, true);
    maker_say(maker, ")");
}

static inline void maker_say_expr(struct maker *maker, unsigned depth)
{
    static const char *const functions[] = {"max", "count", "lower", "length", "min"};
    size_t form = maker_below(maker, depth == 0 ? 7 : 12);
    if (form < 4) {
        maker_say_alias_dot(maker);
        maker_say_name(maker);
    } else if (form < 6) {
        maker_say_name(maker);
    } else if (form == 6) {
        maker_say(maker, "1");
    } else if (form == 7) {
        maker_say(maker, maker_pick(maker, functions, countof(functions)));
        maker_say(maker, "(");
        maker_say_expr(maker, depth - 1);
        maker_say(maker, ")");
    } else if (form == 8) {
        maker_say_subquery(maker, depth, "");
    } else if (form == 9) {
        maker_say_subquery(maker, depth, "EXISTS ");
    } else if (form == 10) {
        maker_say_expr(maker, depth - 1);
        maker_say_subquery(maker, depth, " IN ");
    } else {
        maker_say_expr(maker, depth - 1);
        maker_say(maker, maker_below(maker, 2) == 0 ? " = " : " || ");
        maker_say_expr(maker, depth - 1);
    }
}

static inline void maker_say_source(struct maker *maker, unsigned depth, size_t own)
{
    if (depth > 0 && maker_below(maker, 3) == 0) {
        if (maker->words->dialect == SQL_POSTGRES && own > 0 && maker_below(maker, 2) == 0)
            maker_say(maker, "LATERAL ");
        maker_say(maker, "(");
        maker_say_select(maker, depth - 1, false);
        maker_say(maker, ")");
    } else {
        maker_say_quoted(maker, maker_pick(maker, maker->words->tables, maker->words->table_count));
    }
    /* Mostly different aliases within one FROM, so that many statements compile. */
    const char *alias = maker_aliases[own % countof(maker_aliases)];
    maker_say(maker, maker_below(maker, 2) == 0 ? " " : " AS ");
    maker_say(maker, alias);
    if (maker->alias_count < MAKER_MAX_ALIASES)
        maker->aliases[maker->alias_count++] = alias;
}

static inline void maker_say_join(struct maker *maker, unsigned depth, size_t own)
{
    size_t join = maker_below(maker, maker->words->join_count);
    maker_say(maker, maker->words->joins[join]);
    maker_say_source(maker, depth, own);
    if (join >= maker->words->join_count - maker->words->plain_joins)
        return;
    if (maker_below(maker, 4) == 0) {
        maker_say(maker, " USING (");
        maker_say_name(maker);
        maker_say(maker, ")");
        return;
    }
    buf_printf(&maker->out, " ON %s.id = %s.id", maker_aliases[0],
               maker_aliases[own % countof(maker_aliases)]);
    if (maker_below(maker, 4) == 0) {
        maker_say(maker, " OR ");
        maker_say_expr(maker, 0);
    }
}

static inline void maker_say_items(struct maker *maker, unsigned depth, bool one_item)
{
    size_t count = one_item ? 1 : 1 + maker_below(maker, 3);
    for (size_t i = 0; i < count; i++) {
        maker_say(maker, i == 0 ? "" : ", ");
        size_t form = maker_below(maker, one_item ? 3 : 5);
        if (form < 3) {
            maker_say_expr(maker, depth);
            if (form == 0) {
                maker_say(maker, " AS ");
                maker_say_name(maker);
            }
            continue;
        }
        if (form == 3)
            maker_say_alias_dot(maker);
        maker_say(maker, "*");
    }
}

/* The items are made last but stand first: FROM decides which aliases there are. */
static inline void maker_say_branch(struct maker *maker, unsigned depth, bool one_item)
{
    size_t joins = maker_below(maker, 3);
    struct buf whole = maker->out;
    buf_init(&maker->out, MAKER_BYTES);
    maker_say_source(maker, depth, 0);
    for (size_t i = 1; i <= joins; i++)
        maker_say_join(maker, depth, i);
    struct buf from = maker->out;
    maker->out = whole;
    maker_say(maker, "SELECT ");
    maker_say_items(maker, depth, one_item);
    maker_say(maker, " FROM ");
    buf_push(&maker->out, buf_str(&from));
    buf_fini(&from);
    if (maker_below(maker, 3) == 0) {
        maker_say(maker, " WHERE ");
        maker_say_expr(maker, depth);
    }
    if (maker_below(maker, 3) == 0) {
        maker_say(maker, " GROUP BY ");
        maker_say_expr(maker, 0);
    }
}

static inline void maker_say_select(struct maker *maker, unsigned depth, bool one_item)
{
    static const char *const sets[] = {" UNION ", " UNION ALL ", " EXCEPT ", " INTERSECT "};
    size_t outer = maker->alias_count;
    maker_say_branch(maker, depth, one_item);
    if (maker->words->set_operations && maker_below(maker, 6) == 0) {
        maker->alias_count = outer;
        maker_say(maker, maker_pick(maker, sets, countof(sets)));
        maker_say_branch(maker, depth, one_item);
    }
    if (maker_below(maker, 3) == 0) {
        maker_say(maker, " ORDER BY ");
        maker_say_expr(maker, 0);
    }
    if (one_item)
        maker_say(maker, " LIMIT 1");
    maker->alias_count = outer;
}

/* The next statement into maker->out. */
static inline void maker_next(struct maker *maker)
{
    buf_clear(&maker->out);
    maker->alias_count = 0;
    if (maker_below(maker, 4) == 0) {
        maker_say(maker, "WITH w AS (");
        maker_say_select(maker, 1, false);
        maker_say(maker, ") ");
    }
    maker_say_select(maker, (unsigned)maker_below(maker, 4), false);
}

#endif
