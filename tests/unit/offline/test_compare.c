/* SPDX-License-Identifier: MIT */
#include "tests/unit/offline/world.h"

#include <stdio.h>

#include "agents/offline/second_look/compare.h"
#include "agents/offline/second_look/periods.h"
#include "agents/sql/parse/parse.h"

struct remarks {
    size_t count;
    char first[400];
};

static void keep(void *owner, const struct offline_remark *remark)
{
    struct remarks *remarks = owner;
    EXPECT_TRUE(remarks->first, str_find(remark->shown, STR("statement")) == STR_NONE);
    if (remarks->count++ == 0)
        snprintf(remarks->first, sizeof remarks->first, "%.*s", STR_ARG(remark->told));
}

static struct remarks compare(struct world *w, const char *question, struct str sql)
{
    struct remarks remarks = {0};
    struct arena arena;
    const struct sql_parse *parse;
    const char *rule;
    struct err err = {0};
    const struct offline_answer *answer = world_read(w, str_of(question));
    arena_init(&arena, WORLD_ARENA_BYTES);
    EXPECT_INT(question,
               sql_parse_statement(SQL_SQLITE, sql.len > 0 ? sql : answer->sql, w->catalog, &arena,
                                   &parse, &rule, &err),
               ERR_OK);
    offline_compare_statement(w->lexicon, str_of(question), answer, parse, keep, &remarks);
    arena_fini(&arena);
    return remarks;
}

static const struct {
    const char *question, *sql, *remark; /* NULL: none */
} cases[] = {
    {"How many open orders are there?", "SELECT count(*) FROM orders WHERE status = 'open'", NULL},
    {"How many open orders are there?",
     "SELECT count(*) FROM orders o WHERE lower(o.status) = 'OPEN'", NULL},
    {"How many open orders are there?", "SELECT count(*) FROM orders",
     "the question has a condition on status of orders, the statement has none"},
    {"How many open orders are there?", "SELECT count(*) FROM orders WHERE status = 'shipped'",
     "the question says 'open', which is not in the statement"},
    {"How many open orders are there?", "SELECT id FROM orders WHERE status = 'open'",
     "the question asks for the number of orders, the statement does not compute it"},
    {"How many open orders are there?", "SELECT count(*) FROM clients",
     "the question speaks of orders, which the statement does not read"},
    {"How many orders were there in May 2024?", "SELECT count(*) FROM orders",
     "the question has a condition on created at of orders, the statement has none"},
    {"How many orders were there in May 2024?",
     "SELECT count(*) FROM orders WHERE shipped_date >= '2024-05-01' AND shipped_date < "
     "'2024-06-01'",
     NULL},
    {"How many orders were there in May 2024?",
     "SELECT count(*) FROM orders WHERE strftime('%Y-%m', created_at) = '2024-05'", NULL},
    {"How many orders were there in May 2024?",
     "SELECT count(*) FROM orders WHERE created_at >= '2024-05-01'",
     "the question has a condition on created at of orders, the statement has another one"},
    {"How many orders were there in May 2024?",
     "SELECT count(*) FROM orders WHERE created_at BETWEEN '2024-04-01' AND '2024-04-30'",
     "the question has a condition on created at of orders, the statement has another one"},
    /* the other way round, another number, a condition nobody asked for */
    {"How many open orders are there?", "SELECT count(*) FROM orders WHERE status <> 'open'",
     "the question asks for 'open', the statement excludes it"},
    {"How many open orders are there?",
     "SELECT count(*) FROM orders WHERE NOT (status IN ('shipped', 'open'))",
     "the question asks for 'open', the statement excludes it"},
    {"How many open orders are there?",
     "SELECT count(*) FROM orders WHERE status NOT IN ('shipped', 'on_hold') OR status = 'open'",
     "the statement has a condition with 'shipped', of which the question does not speak"},
    {"Which orders are still open?",
     "SELECT id FROM orders WHERE status NOT IN ('shipped', 'on_hold')", NULL},
    {"Which orders are open?", "SELECT id FROM orders WHERE status NOT IN ('shipped', 'on_hold')",
     "the question says 'open', which is not in the statement"},
    {"Orders with a total over 500", "SELECT id FROM orders WHERE total > 500", NULL},
    {"Orders with a total over 500", "SELECT id FROM orders WHERE 500 < total", NULL},
    {"Orders with a total over 500", "SELECT id FROM orders WHERE total < 500",
     "the question has a condition on total of orders, the statement has another one"},
    {"Orders with a total over 500", "SELECT id FROM orders WHERE total > 5000",
     "the question has a condition on total of orders, the statement has another one"},
    {"Orders with a total over 500", "SELECT id, total FROM orders",
     "the question has a condition on total of orders, the statement has another one"},
    {"How many orders are there?", "SELECT count(*) FROM orders WHERE status = 'open'",
     "the statement has a condition with 'open', of which the question does not speak"},
    /* numbers that the joins, or another function, make */
    {"Total of orders per client",
     "SELECT c.name, avg(o.total) FROM orders o JOIN clients c ON c.id = o.client_id GROUP BY c.id",
     "the question asks for the total, the statement does not compute it"},
    {"Total of orders per client", "SELECT client_id, count(total) FROM orders GROUP BY client_id",
     "the question asks for the total, the statement does not compute it"},
    {"How many clients have orders?",
     "SELECT count(*) FROM clients c JOIN orders o ON o.client_id = c.id",
     "the question counts clients, the statement counts one again for each row of orders"},
    {"How many clients have orders?",
     "SELECT count(DISTINCT c.id) FROM clients c JOIN orders o ON o.client_id = c.id", NULL},
    {"How many clients have orders?", "SELECT count(DISTINCT client_id) FROM orders", NULL},
    {"How many clients have orders?", "SELECT count(client_id) FROM orders",
     "the question counts different values"},
    {"Clients with more than 3 orders",
     "SELECT c.name FROM clients c JOIN orders o ON o.client_id = c.id GROUP BY c.id "
     "HAVING count(*) > 5",
     "the question compares a number of related rows, the statement has another number"},
    {"Clients with more than 3 orders",
     "SELECT c.name FROM clients c JOIN orders o ON o.client_id = c.id GROUP BY c.id "
     "HAVING count(*) >= 4",
     NULL},
    /* extremes and order */
    {"Top 3 clients by number of orders",
     "SELECT c.name, count(*) AS n FROM clients c JOIN orders o ON o.client_id = c.id "
     "GROUP BY c.id ORDER BY n LIMIT 3",
     "the question asks for the highest first, the statement for the lowest"},
    {"Top 3 clients by number of orders",
     "SELECT c.name, count(*) AS n FROM clients c JOIN orders o ON o.client_id = c.id "
     "GROUP BY c.id LIMIT 3",
     "the question asks for the first by some order, the statement has no ORDER BY"},
    {"What is the highest total of orders?", "SELECT min(total) FROM orders",
     "the question asks for the highest total, the statement does not compute it"},
    {"What is the highest total of orders?", "SELECT total FROM orders ORDER BY total DESC LIMIT 1",
     NULL},
    {"Products with a price above the average",
     "SELECT name FROM products WHERE price > (SELECT max(price) FROM products)",
     "the question has a condition on price of products, the statement has another one"},
    {"Number of orders by status", "SELECT count(*) FROM orders",
     "the question asks for a number for each group, the statement has no GROUP BY"},
    {"Clients with no orders", "SELECT c.name FROM clients c JOIN orders o ON o.client_id = c.id",
     "the question asks for rows without something"},
    {"Clients with no orders",
     "SELECT c.name FROM clients c LEFT JOIN orders o ON o.client_id = c.id WHERE o.id IS NULL",
     NULL},
    {"Top 3 clients by number of orders",
     "SELECT c.name, count(*) FROM clients c JOIN orders o ON o.client_id = c.id GROUP BY c.name "
     "ORDER BY 2 DESC LIMIT 5",
     "the question asks for 3, the statement takes 5"},
    {"Average total of orders", "SELECT max(total) FROM orders",
     "the question asks for the average total"},
    {"How many wizards are there?", "SELECT count(*) FROM orders", NULL}, /* nobody knows */
};

TEST(what_is_left_out_is_said)
{
    struct world w;
    world_init(&w);
    TEST_EACH(c, cases) {
        struct remarks remarks = compare(&w, c->question, str_of(c->sql));
        EXPECT_INT(remarks.count > 0 && c->remark == NULL ? remarks.first : c->sql,
                   remarks.count > 0, c->remark != NULL);
        EXPECT_TRUE(remarks.first,
                    c->remark == NULL || str_starts_with(str_of(remarks.first), str_of(c->remark)));
    }
    world_fini(&w);
}

/* Whatever it reads, its own statement has all of it. */
TEST(its_own_statements_leave_nothing_out)
{
    static const char *const own[] = {
        "How many clients are there?",
        "Number of orders by status",
        "Total of orders per client",
        "Top 3 clients by number of orders",
        "Clients with no open orders",
        "Clients with more than 3 orders",
        "How many orders does each client have?",
        "What percentage of orders is shipped?",
        "Average number of orders per client",
        "Most expensive product of each category",
        "Orders in May 2024 of clients in Oslo",
        "Which orders have not been shipped?",
        "How many printed books are there?",
    };
    struct world w;
    world_init(&w);
    TEST_EACH(question, own) {
        EXPECT_TRUE(*question, world_read(&w, str_of(*question))->understood);
        struct remarks remarks = compare(&w, *question, STR(""));
        EXPECT_STR(*question, str_of(remarks.first), STR(""));
    }
    world_fini(&w);
}

/* Today is Monday, 2025-06-30. */
static const struct {
    const char *question, *words, *first, *last; /* words: NULL where there is none */
    bool is_rolling;
} periods[] = {
    {"who moaned last week", "last week", "2025-06-23", "2025-06-29", false},
    {"wizards in May 2024", "in May 2024", "2024-05-01", "2024-05-31", false},
    {"stays with check-out in the last quarter", "in the last quarter", "2025-01-01", "2025-03-31",
     false},
    {"wizards of the last 7 days", "of the last 7 days", "2025-06-23", "2025-06-30", true},
    {"wizards in May 2024 and in June 2024", NULL, "", "", false}, /* several */
    {"wizards from 28 to 29 June 2025", NULL, "", "", false},      /* a day */
    {"wizards in 2023", NULL, "", "", false},                      /* a year */
    {"wizards since May 2024", NULL, "", "", false},               /* one end */
    {"Zauberer im Mai 2024, die es gab", NULL, "", "", false},     /* no English */
};

TEST(the_one_period_is_found)
{
    TEST_EACH(c, periods) {
        struct offline_period period;
        struct arena arena;
        char first[11], last[11];
        arena_init(&arena, WORLD_ARENA_BYTES);
        const bool is_found = offline_periods_find(str_of(c->question),
                                                   english_dates_day(2025, 6, 30), &arena, &period);
        EXPECT_INT(c->question, is_found, c->words != NULL);
        if (is_found) {
            english_dates_text(period.range.first, first);
            english_dates_text(period.range.end - 1, last);
            EXPECT_STR(c->question, period.words, str_of(c->words));
            EXPECT_STR(c->question, str_of(first), str_of(c->first));
            EXPECT_STR(c->question, str_of(last), str_of(c->last));
            EXPECT_INT(c->question, period.is_rolling, c->is_rolling);
        }
        arena_fini(&arena);
    }
}

RUN_TESTS(T(what_is_left_out_is_said), T(its_own_statements_leave_nothing_out),
          T(the_one_period_is_found))
