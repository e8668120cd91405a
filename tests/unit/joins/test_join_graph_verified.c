/* SPDX-License-Identifier: MIT */
/* Tests of agents/sql/join_graph_verified: what a statement joins by is marked, and preferred. */
#include "tests/unit/joins/rig.h"

#include "agents/sql/joins/join_graph_verified.h"
#include "core/base/mem.h"

static const char world[] = "{\"tables\":{\"person\":{\"columns\":[\"id\",\"bossid\"]},"
                            "\"account\":{\"columns\":[\"id\",\"managedby\",\"ownedby\"]},"
                            "\"line\":{\"columns\":[\"id\",\"o\",\"n\"]},"
                            "\"hr.part\":{\"columns\":[\"o\",\"n\"]}},\"relationships\":["
                            "{\"type\":\"foreign_key\",\"from_table\":\"account\",\"from_column\":"
                            "\"managedby\",\"to_table\":\"person\","
                            "\"to_column\":\"id\"},"
                            "{\"type\":\"foreign_key\",\"from_table\":\"account\",\"from_column\":"
                            "\"ownedby\",\"to_table\":\"person\","
                            "\"to_column\":\"id\"},"
                            "{\"type\":\"foreign_key\",\"from_table\":\"person\",\"from_column\":"
                            "\"bossid\",\"to_table\":\"person\","
                            "\"to_column\":\"id\"},"
                            "{\"type\":\"foreign_key\",\"from_table\":\"line\",\"from_columns\":["
                            "\"o\",\"n\"],\"to_table\":\"hr.part\","
                            "\"to_columns\":[\"o\",\"n\"]}]}";

struct known {
    struct catalog *catalog;
    struct join_graph *graph;
};

static struct known know(void)
{
    struct known known = {0};
    struct err err = {0};
    if (catalog_from_join_graph(str_of(world), &known.catalog, &err) != ERR_OK ||
        join_graph_from_catalog(known.catalog, &known.graph, &err) != ERR_OK)
        fail_msg("%s", err.text);
    return known;
}

static void forget(struct known *known)
{
    join_graph_destroy(known->graph);
    catalog_destroy(known->catalog);
}

static const struct {
    const char *name, *sql, *want; /* the verified ones' columns */
} statements[] = {
    {"ON", "SELECT count(*) FROM person p JOIN account a ON a.ownedby = p.id", "ownedby "},
    {"WHERE, the other way round", "SELECT p.id FROM person p, account a WHERE p.id = a.ownedby",
     "ownedby "},
    {"in a subquery and a CTE",
     "WITH x AS (SELECT p.id FROM account a JOIN person p ON a.managedby = p.id) SELECT id FROM x "
     "WHERE EXISTS (SELECT 1 FROM account b, person q WHERE b.ownedby = q.id)",
     "managedby ownedby "},
    {"of itself", "SELECT b.id FROM person p JOIN person b ON p.bossid = b.id", "bossid "},
    {"all of a composite one, in a schema",
     "SELECT l.id FROM line l JOIN hr.part p ON l.o = p.o AND p.n = l.n", "o "},
    {"not half of it", "SELECT l.id FROM line l JOIN hr.part p ON l.o = p.o", ""},
    {"a value is no join", "SELECT id FROM account WHERE ownedby = 7", ""},
    {"no SELECT", "DELETE FROM account", ""},
    {"no statement", "owned by whom?", ""},
};

TEST(what_a_statement_joins_by)
{
    static const enum sql_dialect dialects[] = {SQL_SQLITE, SQL_POSTGRES, SQL_MYSQL};
    for (size_t d = 0; d < countof(dialects); d++) {
        TEST_EACH(c, statements) {
            struct known known = know();
            struct buf got;
            buf_init(&got, RIG_TEXT);
            size_t marked =
                join_graph_verified_mark(known.graph, known.catalog, dialects[d], str_of(c->sql));
            for (size_t i = 0; i < join_graph_edge_count(known.graph); i++) {
                const struct join_edge *edge = join_graph_edge(known.graph, i);
                if (!edge->verified)
                    continue;
                buf_printf(&got, "%.*s ", STR_ARG(edge->from_columns[0]));
                marked--;
            }
            EXPECT_STR(c->name, buf_str(&got), str_of(c->want));
            EXPECT_INT(c->name, marked, 0);
            EXPECT_INT(
                "again nothing new",
                join_graph_verified_mark(known.graph, known.catalog, dialects[d], str_of(c->sql)),
                0);
            buf_fini(&got);
            forget(&known);
        }
    }
}

TEST(verified_joins_are_preferred)
{
    for (int verified = 0; verified < 2; verified++) {
        struct known known = know();
        struct join_plan plan;
        struct err err = {0};
        struct buf got;
        buf_init(&got, RIG_TEXT);
        if (verified)
            join_graph_verified_mark(known.graph, known.catalog, SQL_SQLITE,
                                     str_of(statements[0].sql));
        struct join_finder *finder = join_finder_create(known.graph, NULL);
        assert_int_equal(join_path_find(finder, rig_table(known.graph, "person"),
                                        rig_table(known.graph, "account"), NULL, 0, &plan, &err),
                         ERR_OK);
        rig_write_plan(known.graph, &plan, &got);
        EXPECT_STR("by name, or as verified", buf_str(&got),
                   verified ? STR("account.ownedby=person.id")
                            : STR("account.managedby=person.id"));
        EXPECT_INT("cost", plan.cost, verified ? 600 : 1000);
        EXPECT_INT("runner-up", plan.runner_up, 1000);
        buf_fini(&got);
        join_finder_destroy(finder);
        forget(&known);
    }
}

TEST(the_mark_stays_in_a_file)
{
    struct known known = know();
    struct buf text;
    struct err err = {0};
    buf_init(&text, RIG_TEXT);
    join_graph_verified_mark(known.graph, known.catalog, SQL_SQLITE, str_of(statements[0].sql));
    join_graph_write(known.graph, &text);
    struct join_graph *again = NULL, *both = NULL;
    assert_int_equal(join_graph_from_json(buf_str(&text), &again, &err), ERR_OK);
    struct known other = know();
    assert_int_equal(join_graph_merge(other.graph, again, &both, &err), ERR_OK);
    size_t verified = 0;
    for (size_t i = 0; i < join_graph_edge_count(both); i++)
        verified += join_graph_edge(both, i)->verified;
    EXPECT_INT("of either", verified, 1);
    buf_fini(&text);
    join_graph_destroy(both);
    join_graph_destroy(again);
    forget(&other);
    forget(&known);
}

TEST(every_allocation_may_fail)
{
    for (uint64_t n = 1;; n++) {
        struct known known = know();
        mem_fail_nth(n);
        size_t marked = join_graph_verified_mark(known.graph, known.catalog, SQL_SQLITE,
                                                 str_of(statements[0].sql));
        mem_fail_nth(0);
        forget(&known);
        if (marked == 1)
            break;
        assert_true(n < 1000);
    }
}

RUN_TESTS(T(what_a_statement_joins_by), T(verified_joins_are_preferred),
          T(the_mark_stays_in_a_file), T(every_allocation_may_fail))
