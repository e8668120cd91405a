/* SPDX-License-Identifier: MIT */
/* tests/guard/failing_maker.h - random statements over the tables of the world that cast, divide,
 * choose by CASE and call what fails on some values: in conditions, joins, outputs, windows,
 * filters of aggregates, and in queries within queries, chains of CTEs, recursions, set operations,
 * VALUES and lateral sources. The same seed makes the same statements. */
#ifndef TESTS_GUARD_FAILING_MAKER_H
#define TESTS_GUARD_FAILING_MAKER_H

#include "tests/guard/statement_maker.h"

enum { DEEPEST = 3, ALIASES = 4, MOST_CTES = 3 };

struct source { /* a table of the world, with a number and a text besides its id */
    const char *name, *number, *text;
};

static const struct source sources[] = {
    {"shipment", "depotId", "label"},
    {"shipment", "parentId", "status"},
    {"depot", "id", "name"},
    {"parcelEvent", "shipmentId", "what"},
    {"parcelScan", "eventId", "device"},
    {"shipmentLine", "quantity", "remark"},
    {"driver", "depotId", "name"},
    {"drive", "driverId", "route"},
    {"item", "id", "name"},
};

struct alone {
    struct maker maker;
    enum sql_dialect dialect;
    struct source in_scope[ALIASES]; /* a, b, c, d */
    size_t scope_count;
    size_t cte_count; /* w0, w1, ... are defined, with the columns id, n and t */
};

static const struct source ctes[MOST_CTES] = {{"w0", "n", "t"}, {"w1", "n", "t"}, {"w2", "n", "t"}};

static inline void say(struct alone *a, const char *text)
{
    maker_say(&a->maker, text);
}

static inline size_t below(struct alone *a, size_t count)
{
    return maker_below(&a->maker, count);
}

static inline void say_quoted(struct alone *a, const char *name)
{
    const char *mark = a->dialect == SQL_MYSQL ? "`" : "\"";
    buf_printf(&a->maker.out, "%s%s%s", mark, name, mark);
}

/* One of the columns in scope. */
static inline void say_column(struct alone *a, bool number)
{
    size_t i = below(a, a->scope_count);
    const struct source *source = &a->in_scope[i];
    buf_printf(&a->maker.out, "%s.", maker_aliases[i]);
    if (number)
        say_quoted(a, below(a, 2) == 0 ? "id" : source->number);
    else
        say_quoted(a, source->text);
}

static inline void say_number(struct alone *a, unsigned depth);
static inline void say_text(struct alone *a, unsigned depth);
static inline void say_condition(struct alone *a, unsigned depth);
static inline void say_query(struct alone *a, unsigned depth, bool one);

/* A member of a text that is mostly no JSON. */
static inline void say_json(struct alone *a, unsigned depth)
{
    say(a, a->dialect == SQL_POSTGRES ? "(CAST(" : "json_extract(");
    say_text(a, depth - 1);
    say(a, a->dialect == SQL_POSTGRES ? " AS json) ->> 'a')" : ", '$.a')");
}

static inline void say_text(struct alone *a, unsigned depth)
{
    size_t form = below(a, depth == 0 ? 4 : 9);
    if (form < 3) {
        say_column(a, false);
    } else if (form == 7) {
        say_json(a, depth);
    } else if (form == 3) {
        say(a, below(a, 2) == 0 ? "'A-1'" : "'CANARY-Z-1'");
    } else if (form == 4) {
        say(a, "lower(");
        say_text(a, depth - 1);
        say(a, ")");
    } else if (form == 5) {
        say(a, "CASE WHEN ");
        say_condition(a, depth - 1);
        say(a, " THEN ");
        say_text(a, depth - 1);
        say(a, " ELSE '7' END");
    } else if (form == 8) {
        say(a, "CAST(CAST(");
        say_text(a, depth - 1);
        say(a, below(a, 2) == 0 ? " AS date)" : " AS decimal(3, 1))");
        say(a, a->dialect == SQL_MYSQL ? " AS char)" : " AS varchar)");
    } else {
        say(a, a->dialect == SQL_MYSQL ? "concat('x', " : "('x' || ");
        say_text(a, depth - 1);
        say(a, ")");
    }
}

/* What fails where the number in it is 0, or 1 in SQLite, which divides by nothing. */
static inline void say_failing(struct alone *a, unsigned depth)
{
    static const char *const begins[] = {[SQL_SQLITE] = "abs(-9223372036854775807 - (",
                                         [SQL_POSTGRES] = "(1 / (",
                                         [SQL_MYSQL] = "cot(("};
    bool zero = a->dialect != SQL_SQLITE;
    say(a, begins[a->dialect]);
    if (depth > 0 && below(a, 3) == 0) {
        say_number(a, depth - 1);
    } else {
        say(a, "CASE WHEN ");
        say_column(a, false);
        say(a, zero ? " LIKE 'CANARY%' THEN 0 ELSE 1 END" : " LIKE 'CANARY%' THEN 1 ELSE 0 END");
    }
    say(a, "))");
}

static inline void say_cast(struct alone *a, unsigned depth)
{
    say(a, "CAST(");
    say_text(a, depth);
    say(a, a->dialect == SQL_MYSQL ? " AS SIGNED)" : " AS integer)");
}

static inline void say_number(struct alone *a, unsigned depth)
{
    static const char *const operators[] = {" + ", " - ", " * ", " / "};
    size_t form = below(a, depth == 0 ? 4 : 11);
    if (form < 3) {
        say_column(a, true);
    } else if (form == 3) {
        buf_printf(&a->maker.out, "%zu", below(a, 9));
    } else if (form == 4) {
        say(a, "length(");
        say_text(a, depth - 1);
        say(a, ")");
    } else if (form < 7) {
        say(a, "(");
        say_number(a, depth - 1);
        say(a, maker_pick(&a->maker, operators, countof(operators)));
        say_number(a, depth - 1);
        say(a, ")");
    } else if (form == 7) {
        say_cast(a, depth - 1);
    } else if (form == 8) {
        say(a, "CASE WHEN ");
        say_condition(a, depth - 1);
        say(a, " THEN ");
        say_number(a, depth - 1);
        say(a, " ELSE 2 END");
    } else if (form == 9) {
        say_failing(a, depth);
    } else {
        say_query(a, depth - 1, true);
    }
}

static inline void say_comparison(struct alone *a, unsigned depth)
{
    static const char *const operators[] = {" = ", " <> ", " < ", " >= "};
    bool number = below(a, 2) == 0;
    if (number)
        say_number(a, depth);
    else
        say_text(a, depth);
    say(a, maker_pick(&a->maker, operators, countof(operators)));
    if (number)
        say_number(a, depth);
    else
        say_text(a, depth);
}

static inline void say_condition(struct alone *a, unsigned depth)
{
    size_t form = below(a, depth == 0 ? 5 : 11);
    if (form < 3) {
        say_comparison(a, depth == 0 ? 0 : depth - 1);
    } else if (form == 3) {
        say_column(a, true);
        say(a, below(a, 2) == 0 ? " IN (1, 3, 5, 6)" : " BETWEEN 2 AND 6");
    } else if (form == 4) {
        say_column(a, false);
        say(a, below(a, 2) == 0 ? " IS NOT NULL" : " LIKE 'CANARY-%'");
    } else if (form < 8) {
        say_failing(a, depth - 1);
        say(a, below(a, 2) == 0 ? " IS NOT NULL" : " <> 7");
    } else if (form == 8) {
        say(a, "NOT (");
        say_condition(a, depth - 1);
        say(a, ")");
    } else if (form == 9) {
        say(a, "(");
        say_condition(a, depth - 1);
        say(a, below(a, 2) == 0 ? " AND " : " OR ");
        say_condition(a, depth - 1);
        say(a, ")");
    } else {
        say_column(a, true);
        say(a, " IN ");
        say_query(a, depth - 1, true);
    }
}

/* SELECT of id, a number n and a text t of one source, in a scope of its own. within: an alias of
 * the query around it whose id must be the same; NULL: none. */
static inline void say_three(struct alone *a, unsigned depth, const char *within)
{
    struct source outside[ALIASES];
    size_t outer = a->scope_count;
    memcpy(outside, a->in_scope, sizeof outside);
    bool is_cte = a->cte_count > 0 && below(a, 2) == 0;
    struct source source =
        is_cte ? ctes[below(a, a->cte_count)] : sources[below(a, countof(sources))];
    a->in_scope[0] = source;
    a->scope_count = 1;
    say(a, "SELECT a.id, ");
    say_number(a, depth);
    say(a, " AS n, ");
    say_text(a, depth);
    say(a, " AS t FROM ");
    say_quoted(a, source.name);
    say(a, " a");
    bool has_where = below(a, 2) == 0;
    if (has_where) {
        say(a, " WHERE ");
        say_condition(a, depth);
    }
    if (within != NULL)
        buf_printf(&a->maker.out, "%s a.id <> %s.id", has_where ? " AND" : " WHERE", within);
    memcpy(a->in_scope, outside, sizeof outside);
    a->scope_count = outer;
}

static inline void say_set_operation(struct alone *a)
{
    static const char *const operations[] = {" UNION ", " UNION ALL ", " EXCEPT ", " INTERSECT "};
    say(a, maker_pick(&a->maker, operations, countof(operations)));
}

static inline void say_derived(struct alone *a, unsigned depth)
{
    bool is_lateral = a->dialect == SQL_POSTGRES && a->scope_count > 0 && below(a, 3) == 0;
    say(a, is_lateral ? "LATERAL (" : "(");
    say_three(a, depth - 1, is_lateral ? "a" : NULL);
    if (!is_lateral && below(a, 3) == 0) {
        say_set_operation(a);
        say_three(a, depth - 1, NULL);
    }
    say(a, ")");
}

static inline void say_source(struct alone *a, unsigned depth)
{
    struct source source = sources[below(a, countof(sources))];
    size_t outer = a->scope_count;
    if (a->cte_count > 0 && below(a, 3) == 0)
        source = ctes[below(a, a->cte_count)];
    if (depth > 0 && below(a, 3) == 0) {
        say_derived(a, depth);
        source = (struct source){"", "n", "t"};
    } else {
        say_quoted(a, source.name);
    }
    buf_printf(&a->maker.out, " %s", maker_aliases[outer]);
    a->in_scope[outer] = source;
    a->scope_count = outer + 1;
}

static inline void say_from(struct alone *a, unsigned depth)
{
    say_source(a, depth);
    for (size_t joins = below(a, 3); joins > 0; joins--) {
        say(a, below(a, 3) == 0 ? " LEFT JOIN " : " JOIN ");
        say_source(a, depth);
        buf_printf(&a->maker.out, " ON %s.id = a.id", maker_aliases[a->scope_count - 1]);
        if (below(a, 2) == 0) {
            say(a, " AND ");
            say_condition(a, depth);
        }
    }
}

/* A number of a row beside the others; what ties is the same whatever their order is. */
static inline void say_window(struct alone *a, unsigned depth)
{
    static const char *const begins[] = {"rank() OVER (", "dense_rank() OVER (", "count(*) OVER ("};
    size_t form = below(a, 4);
    if (form < countof(begins)) {
        say(a, begins[form]);
    } else {
        say(a, "max(");
        say_number(a, depth - 1);
        say(a, ") OVER (");
    }
    if (below(a, 2) == 0) {
        say(a, "PARTITION BY ");
        say_text(a, depth - 1);
        say(a, " ");
    }
    say(a, "ORDER BY ");
    say_number(a, depth - 1);
    say(a, ")");
}

/* The greatest number of all rows, or of some. */
static inline void say_greatest(struct alone *a, unsigned depth)
{
    say(a, "max(");
    say_number(a, depth);
    say(a, ")");
    if (a->dialect != SQL_MYSQL && below(a, 4) == 0) {
        say(a, " FILTER (WHERE ");
        say_condition(a, depth);
        say(a, ")");
    }
}

static inline void say_group(struct alone *a)
{
    size_t form = below(a, 4);
    if (form == 0 && a->dialect == SQL_POSTGRES) {
        say(a, " GROUP BY GROUPING SETS ((a.id), ())");
    } else if (form == 0 && a->dialect == SQL_MYSQL) {
        say(a, " GROUP BY a.id WITH ROLLUP");
    } else {
        say(a, " GROUP BY a.id HAVING count(*) > 0");
        if (below(a, 2) == 0)
            say(a, " AND a.id / (a.id - 5) < 9");
    }
}

static inline void say_items(struct alone *a, unsigned depth, bool groups)
{
    if (groups) {
        say(a, "a.id, count(*), ");
        say_greatest(a, depth);
        return;
    }
    if (depth > 0 && below(a, 4) == 0)
        say_window(a, depth);
    else
        say_number(a, depth);
    say(a, " AS x, ");
    say_text(a, depth);
    say(a, " AS y");
}

/* one: a query in parentheses that gives one row. The items stand first and are made last. */
static inline void say_query(struct alone *a, unsigned depth, bool one)
{
    struct source outside[ALIASES];
    size_t outer = a->scope_count;
    memcpy(outside, a->in_scope, sizeof outside);
    a->scope_count = 0;
    struct buf whole = a->maker.out;
    buf_init(&a->maker.out, MAKER_BYTES);
    say_from(a, depth);
    struct buf from = a->maker.out;
    a->maker.out = whole;
    bool groups = !one && below(a, 4) == 0;
    say(a, one ? "(SELECT " : "SELECT ");
    if (one)
        say_greatest(a, depth);
    else
        say_items(a, depth, groups);
    say(a, " FROM ");
    buf_push(&a->maker.out, buf_str(&from));
    buf_fini(&from);
    if (below(a, 4) != 0) {
        say(a, " WHERE ");
        say_condition(a, depth);
    }
    if (groups)
        say_group(a);
    say(a, one ? ")" : "");
    memcpy(a->in_scope, outside, sizeof outside);
    a->scope_count = outer;
}

static inline void say_recursion(struct alone *a, unsigned depth)
{
    const char *name = ctes[a->cte_count].name;
    say_three(a, depth, NULL);
    buf_printf(&a->maker.out, " UNION ALL SELECT %s.id, %s.n + 1, %s.t FROM %s WHERE %s.n < 4",
               name, name, name, name, name);
}

/* Each may use those before it. */
static inline void say_ctes(struct alone *a, unsigned depth)
{
    size_t count = 1 + below(a, MOST_CTES);
    say(a, "WITH RECURSIVE ");
    while (a->cte_count < count) {
        buf_printf(&a->maker.out, "%s%s(id, n, t) AS (", a->cte_count == 0 ? "" : ", ",
                   ctes[a->cte_count].name);
        size_t form = below(a, 6);
        if (form == 0)
            say(a, "VALUES (1, 2, 'A-1'), (5, 3, 'B-2')");
        else if (form == 1)
            say_recursion(a, depth);
        else
            say_three(a, depth, NULL);
        if (form == 2) {
            say_set_operation(a);
            say_three(a, depth, NULL);
        }
        say(a, ")");
        a->cte_count++;
    }
    say(a, " ");
}

static inline void say_statement(struct alone *a)
{
    unsigned depth = 1 + (unsigned)below(a, DEEPEST);
    buf_clear(&a->maker.out);
    a->scope_count = a->cte_count = 0;
    if (below(a, 3) == 0)
        say_ctes(a, depth - 1);
    if (below(a, 6) != 0) {
        say_query(a, depth, false);
        return;
    }
    say_three(a, depth, NULL);
    say_set_operation(a);
    say_three(a, depth, NULL);
}

#endif
