/* SPDX-License-Identifier: MIT */
#include "tests/unit/offline/world.h"

#include "agents/semantic_init/init_file.h"
#include "agents/lexicon/verified.h"
#include "agents/semantic/bind.h"
#include "agents/semantic/file.h"
#include "agents/semantic/prompt.h"
#include "agents/semantic/twice.h"
#include "agents/sql/guard/policy.h"
#include "agents/sql/joins/join_graph.h"

/* ---- the file ---- */

static const struct {
    const char *name, *json, *report; /* NULL: nothing to say */
} files[] = {
    {"empty", "{\"version\":1}", NULL},
    {"no version", "{}", ": \"version\" is missing"},
    {"another version", "{\"version\":2}", "/version: expected 1"},
    {"unknown member", "{\"version\":1,\"tabels\":{}}", "/tabels: there is no such member here"},
    {"tables is a list", "{\"version\":1,\"tables\":[]}", "/tables: expected an object"},
    {"pointer is escaped", "{\"version\":1,\"tables\":{\"a/b~\":{\"label\":3}}}",
     "/tables/a~1b~0/label: expected a string, got "},
    {"a flag that is text", "{\"version\":1,\"tables\":{\"orders\":{\"lookup\":\"yes\"}}}",
     "/tables/orders/lookup: expected true or false, got a string"},
    {"column member", "{\"version\":1,\"tables\":{\"orders\":{\"columns\":{\"x\":{\"pi\":1}}}}}",
     "/tables/orders/columns/x/pi: there is no such member here"},
    {"synonyms of other types", "{\"version\":1,\"tables\":{\"orders\":{\"synonyms\":[\"a\",1]}}}",
     "/tables/orders/synonyms/1: expected a string, got "},
    {"empty text", "{\"version\":1,\"glossary\":[{\"term\":\"\",\"meaning\":\"x\"}]}",
     "/glossary/0/term: a text here has 1 to"},
    {"metric without expression",
     "{\"version\":1,\"metrics\":[{\"name\":\"a\",\"table\":\"orders\"}]}",
     "/metrics/0: \"expression\" is missing"},
    {"the same name twice",
     "{\"version\":1,\"metrics\":[{\"name\":\"a\",\"table\":\"t\",\"expression\":\"SUM(x)\"}],"
     "\"filters\":[{\"name\":\"A\",\"table\":\"t\",\"expression\":\"x\"}]}",
     "/filters/0: the name 'A' is there twice"},
    {"the same condition twice",
     "{\"version\":1,\"filters\":[{\"name\":\"a\",\"table\":\"t\",\"expression\":\"x = 1\"},"
     "{\"name\":\"A\",\"table\":\"t\",\"expression\":\"x\"}]}",
     "/filters/1: the name 'A' is there twice"},
    {"conditions of two tables",
     "{\"version\":1,\"filters\":[{\"name\":\"a\",\"table\":\"t\",\"expression\":\"x = 1\"},"
     "{\"name\":\"a\",\"table\":\"u\",\"expression\":\"x\"}]}",
     NULL},
    {"a code that is a number",
     "{\"version\":1,\"glossary\":[{\"term\":\"a\",\"table\":\"t\",\"column\":\"c\","
     "\"value\":3}]}",
     NULL},
    {"a reference to a table", "{\"version\":1,\"tables\":{\"a\":{\"references\":{\"b\":\"c\"}}}}",
     "/tables/a/references/b: expected \"TABLE.COLUMN\", got \"c\""},
    {"a term for nothing", "{\"version\":1,\"glossary\":[{\"term\":\"a\"}]}",
     "/glossary/0: \"meaning\" is missing"},
    {"half a value", "{\"version\":1,\"glossary\":[{\"term\":\"a\",\"table\":\"t\"}]}",
     "/glossary/0: a word for a value needs"},
};

TEST(mistakes_of_a_file_have_their_place)
{
    TEST_EACH(c, files) {
        struct semantic_report report;
        struct semantic *semantic;
        struct err err = {0};
        semantic_report_init(&report);
        enum err_code code = semantic_file_read(str_of(c->json), &semantic, &report, &err);
        EXPECT_INT(c->name, code, c->report == NULL ? ERR_OK : ERR_INVALID);
        if (c->report != NULL) {
            EXPECT_INT(c->name, report.count, 1);
            EXPECT_TRUE(c->name, str_starts_with(buf_str(&report.text), str_of(c->report)));
            EXPECT_TRUE(c->name, str_starts_with(str_of(err.text), str_of(c->report)));
        }
        semantic_model_destroy(semantic);
        semantic_report_fini(&report);
    }
}

/* A graph that lists tables lists all: lookups beside references kept every statement from
 * running. */
TEST(lookups_and_references_are_one_graph)
{
    static const char json[] =
        "{\"version\":1,\"tables\":{\"tags\":{\"lookup\":true},\"notes\":{\"references\":"
        "{\"writer_id\":\"people.id\",\"reader_id\":\"people.id\",\"tag_id\":\"tags.id\"}}}}";
    struct semantic_report report;
    struct semantic *semantic;
    struct join_graph *graph = NULL;
    struct err err = {0};
    struct buf out;
    semantic_report_init(&report);
    buf_init(&out, 4096);
    EXPECT_INT("code", semantic_file_read(str_of(json), &semantic, &report, &err), ERR_OK);
    semantic_bind_lookups(semantic, &out);
    EXPECT_INT(err.text, join_graph_from_json(buf_str(&out), &graph, &err), ERR_OK);
    EXPECT_TRUE("people", join_graph_table(graph, STR("people")) != CATALOG_NONE);
    join_graph_destroy(graph);
    semantic_model_destroy(semantic);
    semantic_report_fini(&report);
    buf_fini(&out);
}

TEST(broken_json_is_said)
{
    struct semantic_report report;
    struct semantic *semantic;
    struct err err = {0};
    semantic_report_init(&report);
    EXPECT_INT("code", semantic_file_read(STR("{\"version\":"), &semantic, &report, &err),
               ERR_INVALID);
    EXPECT_TRUE("nothing is made", semantic == NULL);
    EXPECT_INT(
        "code",
        semantic_file_read(STR("{\"version\":1,\n \"tables\": x}"), &semantic, &report, &err),
        ERR_INVALID);
    EXPECT_TRUE(err.text, str_ends_with(str_of(err.text), STR("(line 2, column 12)")));
    semantic_report_fini(&report);
}

/* ---- the catalog ---- */

static struct semantic *bind(const struct world *w, const char *json,
                             struct semantic_report *report)
{
    struct semantic *semantic;
    struct err err = {0};
    semantic_report_init(report);
    EXPECT_INT(json, semantic_file_read(str_of(json), &semantic, report, &err), ERR_OK);
    semantic_bind_catalog(semantic, w->catalog, &sql_policy_default, SQL_SQLITE, report);
    return semantic;
}

#define METRIC(expression)                                                                         \
    "{\"version\":1,\"metrics\":[{\"name\":\"m\",\"table\":\"orders\",\"expression\":"             \
    "\"" expression "\"}]}"
#define FILTER(expression)                                                                         \
    "{\"version\":1,\"filters\":[{\"name\":\"f\",\"table\":\"orders\",\"expression\":"             \
    "\"" expression "\"}]}"

static const struct {
    const char *name, *json, *report;
} bound[] = {
    {"table", "{\"version\":1,\"tables\":{\"order\":{}}}",
     "/tables/order: there is no table 'order'; is 'orders' meant?"},
    {"column", "{\"version\":1,\"tables\":{\"orders\":{\"columns\":{\"totl\":{}}}}}",
     "/tables/orders/columns/totl: orders has no column 'totl'; is 'total' meant?"},
    {"hidden column", "{\"version\":1,\"tables\":{\"clients\":{\"time\":\"secret_note\"}}}",
     "/tables/clients/time: clients has no column 'secret_note'"},
    {"time that is a number", "{\"version\":1,\"tables\":{\"orders\":{\"time\":\"total\"}}}",
     "/tables/orders/time: 'total' holds no dates"},
    {"time of another table",
     "{\"version\":1,\"tables\":{\"order_items\":{\"time\":"
     "\"orders.created_at\"}}}",
     NULL},
    {"time of a table that is not referred to",
     "{\"version\":1,\"tables\":{\"products\":{\"time\":\"orders.created_at\"}}}",
     "/tables/products/time: rows of this table do not refer to that of 'orders.created_at'"},
    {"rows that count", "{\"version\":1,\"tables\":{\"orders\":{\"rows\":\"status <> 'void'\"}}}",
     NULL},
    {"rows by an aggregate", "{\"version\":1,\"tables\":{\"orders\":{\"rows\":\"COUNT(*) > 1\"}}}",
     "/tables/orders/rows: "},
    {"a reference",
     "{\"version\":1,\"tables\":{\"orders\":{\"references\":{\"status\":"
     "\"products.category\"}}}}",
     NULL},
    {"a reference to what is not there",
     "{\"version\":1,\"tables\":{\"orders\":{\"references\":{\"status\":\"products.kind\"}}}}",
     "/tables/orders/references/status: products has no column 'kind'"},
    {"a fine metric", METRIC("SUM(total) / COUNT(*)"), NULL},
    {"a fine filter", FILTER("status = 'open' AND created_at < {today}"), NULL},
    {"column outside an aggregate", METRIC("SUM(total) + id"),
     "/metrics/0/expression: a metric is made of aggregates"},
    {"no aggregate", METRIC("total"), "/metrics/0/expression: a metric is made of aggregates"},
    {"two columns", METRIC("SUM(total), COUNT(*)"),
     "/metrics/0/expression: it is more than one expression"},
    {"another FROM", METRIC("SUM(total) FROM clients --"), "/metrics/0/expression: "},
    {"a window", METRIC("SUM(total) OVER ()"), "/metrics/0/expression: a window function"},
    {"a subquery", METRIC("SUM(total) + (SELECT 1 FROM clients)"),
     "/metrics/0/expression: it may read the columns of its own table only"},
    {"an unknown column", METRIC("SUM(totl)"), "/metrics/0/expression: the guard refuses it"},
    {"an unsafe function", METRIC("SUM(load_extension(total))"),
     "/metrics/0/expression: the guard refuses it"},
    {"aggregate in a filter", FILTER("COUNT(*) > 1"), "/filters/0/expression: "},
    {"parentheses that do not match", FILTER("id = 1) OR (id = 2"),
     "/filters/0/expression: a filter is one condition"},
    {"two statements", FILTER("1); DROP TABLE orders; --"),
     "/filters/0/expression: the guard refuses it"},
    {"a term's column",
     "{\"version\":1,\"glossary\":[{\"term\":\"a\",\"table\":\"orders\",\"column\":\"x\","
     "\"value\":\"y\"}]}",
     "/glossary/0/column: orders has no column 'x'"},
    {"a statement that writes",
     "{\"version\":1,\"verified_queries\":[{\"question\":\"a\",\"sql\":\"DELETE FROM orders\"}]}",
     "/verified_queries/0/sql: the guard refuses it (select_only)"},
};

TEST(what_the_database_does_not_have_is_named)
{
    struct world w;
    world_init(&w);
    TEST_EACH(c, bound) {
        struct semantic_report report;
        struct semantic *semantic = bind(&w, c->json, &report);
        EXPECT_INT(c->name, report.count, c->report != NULL);
        EXPECT_TRUE(c->name,
                    c->report == NULL || str_starts_with(buf_str(&report.text), str_of(c->report)));
        semantic_report_fini(&report);
        semantic_model_destroy(semantic);
    }
    world_fini(&w);
}

/* What is said two times works, but not as its author thinks. */
TEST(what_is_said_twice_is_named)
{
    static const struct {
        const char *name, *json, *report; /* report NULL: fine */
    } twice[] = {
        {"a table", "{\"version\":1,\"tables\":{\"orders\":{\"label\":\"order\"},\"Orders\":{}}}",
         "/tables/Orders: it is the table of /tables/orders"},
        {"a synonym of two tables",
         "{\"version\":1,\"tables\":{\"orders\":{\"synonyms\":[\"job\",\"deal\"]},"
         "\"clients\":{\"synonyms\":[\"Deal\"]}}}",
         "/tables/orders/synonyms/1: 'deal' is a word of /tables/clients, too"},
        {"a synonym that is another's label",
         "{\"version\":1,\"tables\":{\"orders\":{\"label\":\"deal\"},"
         "\"clients\":{\"synonyms\":[\"deal\"]}}}",
         "/tables/clients/synonyms/0: 'deal' is a word of /tables/orders, too"},
        {"in a circle",
         "{\"version\":1,\"glossary\":[{\"term\":\"a\",\"meaning\":\"x\",\"synonyms\":[\"b\"]},"
         "{\"term\":\"b\",\"meaning\":\"x\",\"synonyms\":[\"a\"]}]}",
         "/glossary/0/synonyms/0: 'b' is a word of /glossary/1, too"},
        {"of a metric and a filter",
         "{\"version\":1,\"metrics\":[{\"name\":\"turnover\",\"table\":\"orders\","
         "\"expression\":\"SUM(total)\"}],\"filters\":[{\"name\":\"stale\",\"synonyms\":"
         "[\"turnover\"],\"table\":\"orders\",\"expression\":\"status = 'open'\"}]}",
         "/filters/0/synonyms/0: 'turnover' is a word of /metrics/0, too"},
        {"a question",
         "{\"version\":1,\"verified_queries\":[{\"question\":\"How many orders?\",\"sql\":"
         "\"SELECT COUNT(*) FROM orders\"},{\"question\":\"how many orders\",\"sql\":"
         "\"SELECT COUNT(id) FROM orders\"}]}",
         "/verified_queries/1/question: it is the question of /verified_queries/0; keep one"},
        {"nothing",
         "{\"version\":1,\"tables\":{\"orders\":{\"label\":\"order\",\"synonyms\":[\"deal\"]},"
         "\"clients\":{\"label\":\"client\",\"synonyms\":[\"buyer\"]}}}",
         NULL},
    };
    struct world w;
    world_init(&w);
    TEST_EACH(c, twice) {
        struct semantic_report report;
        struct semantic *semantic = bind(&w, c->json, &report);
        EXPECT_INT(c->name, report.count, 0);
        semantic_twice_report(semantic, &report);
        EXPECT_INT(c->name, report.count > 0, c->report != NULL);
        EXPECT_TRUE(c->name,
                    c->report == NULL || str_starts_with(buf_str(&report.text), str_of(c->report)));
        semantic_report_fini(&report);
        semantic_model_destroy(semantic);
    }
    world_fini(&w);
}

/* ---- questions ---- */

static const char shop[] =
    "{\"version\":1,\"tables\":{"
    "\"clients\":{\"synonyms\":[\"account holder\"],\"columns\":{\"email\":{\"pii\":true},"
    "\"city\":{\"synonyms\":[\"home town\"]}}},"
    "\"orders\":{\"time\":\"shipped_date\",\"columns\":{\"total\":{\"label\":\"order value\"}}},"
    "\"products\":{\"columns\":{\"category\":{\"pii\":true}}}},"
    "\"metrics\":[{\"name\":\"turnover\",\"synonyms\":[\"sales volume\"],\"table\":\"orders\","
    "\"expression\":\"SUM(total)\",\"filter\":\"status <> 'open'\"},"
    "{\"name\":\"basket size\",\"table\":\"orders\",\"expression\":\"SUM(total) / COUNT(*)\"}],"
    "\"filters\":[{\"name\":\"stale\",\"table\":\"orders\","
    "\"expression\":\"status = 'open' AND created_at < {today}\"}],"
    "\"glossary\":[{\"term\":\"parked\",\"table\":\"orders\",\"column\":\"status\","
    "\"value\":\"on_hold\"},{\"term\":\"churn\",\"meaning\":\"clients that left\"}],"
    "\"verified_queries\":[{\"question\":\"What did Oslo order in March 2024?\",\"sql\":"
    "\"SELECT SUM(o.total) AS s FROM orders o JOIN clients c ON c.id = o.client_id "
    "WHERE c.city = 'Oslo' AND o.created_at >= '2024-03-01' AND o.created_at < '2024-04-01'\"},"
    "{\"question\":\"Who are our 5 keenest clients this year?\",\"sql\":"
    "\"SELECT name FROM clients ORDER BY created_at LIMIT 5\"}]}";

static const struct {
    const char *question, *sql; /* NULL: refused */
} questions[] = {
    {"How many account holders are there?", "SELECT COUNT(*) AS clients_count FROM clients"},
    {"How many clients per home town?", "SELECT city, COUNT(*) AS clients_count FROM clients GROUP "
                                        "BY city ORDER BY clients_count DESC, city"},
    {"What is the turnover?",
     "SELECT (SUM(\"total\")) AS turnover FROM orders WHERE (\"status\" <> 'open')"},
    {"Total sales volume in July 2024",
     "SELECT (SUM(\"total\")) AS turnover FROM orders WHERE (\"status\" <> 'open') AND "
     "shipped_date >= '2024-07-01' AND shipped_date < '2024-08-01'"},
    {"Basket size by month",
     "SELECT strftime('%Y-%m', shipped_date) AS period, (SUM(\"total\") / COUNT(*)) AS "
     "basket_size FROM orders GROUP BY strftime('%Y-%m', shipped_date) ORDER BY period"},
    {"Top 3 clients by basket size",
     "SELECT t2.name, t2.id, (SUM(t1.\"total\") / COUNT(*)) AS basket_size FROM orders AS t1 JOIN "
     "clients AS t2 ON t2.id = t1.client_id GROUP BY t2.name, t2.id ORDER BY basket_size DESC, "
     "t2.id LIMIT 3"},
    {"Average turnover per client",
     "SELECT AVG(v) AS average_count FROM (SELECT (SUM(t1.\"total\")) AS v FROM orders AS t1 JOIN "
     "clients AS t2 ON t2.id = t1.client_id WHERE (t1.\"status\" <> 'open') GROUP BY t2.name, "
     "t2.id) AS s"},
    {"How many stale orders are there?",
     "SELECT COUNT(*) AS orders_count FROM orders WHERE (\"status\" = 'open' AND \"created_at\" < "
     "'2024-08-15')"},
    {"How many orders are not stale?",
     "SELECT COUNT(*) AS orders_count FROM orders WHERE CASE WHEN (\"status\" = 'open' AND "
     "\"created_at\" < '2024-08-15') THEN 0 ELSE 1 END = 1"},
    {"How many clients have stale orders?",
     "SELECT COUNT(*) AS clients_count FROM clients AS t1 WHERE EXISTS (SELECT 1 FROM orders AS "
     "t2 WHERE t2.client_id = t1.id AND (t2.\"status\" = 'open' AND t2.\"created_at\" < "
     "'2024-08-15'))"},
    {"Number of parked orders", "SELECT COUNT(*) AS orders_count FROM orders WHERE status = "
                                "'on_hold'"},
    {"Show the email of clients", NULL},
    {"Number of products by category", NULL},
    {"What is the churn?", NULL},
    {"Turnover of each product", NULL}, /* orders would be added up once an item */
    {"What did Oslo order in March 2024?",
     "SELECT SUM(o.total) AS s FROM orders o JOIN clients c ON c.id = o.client_id WHERE c.city = "
     "'Oslo' AND o.created_at >= '2024-03-01' AND o.created_at < '2024-04-01'"},
    {"what did bergen order in april 2024",
     "SELECT SUM(o.total) AS s FROM orders o JOIN clients c ON c.id = o.client_id WHERE c.city = "
     "'Bergen' AND o.created_at >= '2024-04-01' AND o.created_at < '2024-05-01'"},
    {"What did Frankenstein order in March 2024?", NULL}, /* a book is no city */
    {"Who are our 7 keenest clients this year?",
     "SELECT name FROM clients ORDER BY created_at LIMIT 7"},
    {"Who are our 7 keenest clients last year?", NULL}, /* another question */
};

struct shop {
    struct world world;
    struct semantic *semantic;
};

static void open_shop(struct shop *s)
{
    struct semantic_report report;
    world_init(&s->world);
    s->semantic = bind(&s->world, shop, &report);
    EXPECT_STR("report", buf_str(&report.text), STR(""));
    semantic_report_fini(&report);
    lexicon_destroy(s->world.lexicon);
    s->world.lexicon = lexicon_create(s->world.catalog, s->semantic);
    world_add_values(&s->world);
    EXPECT_TRUE("learnt", lexicon_verified_learn(s->world.lexicon, 0));
}

static void close_shop(struct shop *s)
{
    world_fini(&s->world);
    semantic_model_destroy(s->semantic);
}

TEST(questions_use_what_the_file_says)
{
    struct shop s;
    open_shop(&s);
    TEST_EACH(q, questions) {
        const struct offline_answer *answer = world_read(&s.world, str_of(q->question));
        EXPECT_STR(q->question,
                   answer->understood ? answer->sql
                   : q->sql != NULL   ? str_of(answer->cannot)
                                      : STR("refused"),
                   q->sql == NULL ? STR("refused") : str_of(q->sql));
    }
    close_shop(&s);
}

TEST(a_verified_answer_is_not_changed_by_a_follow_up)
{
    struct shop s;
    open_shop(&s);
    const struct offline_answer *answer =
        world_read_after(&s.world, STR("What did Oslo order in March 2024?"), STR("And in April?"));
    EXPECT_TRUE("refused", !answer->understood);
    close_shop(&s);
}

TEST(models_are_told_of_tables_they_see)
{
    struct shop s;
    struct buf out;
    open_shop(&s);
    int orders = catalog_find_table(s.world.catalog, STR(""), STR("orders"));
    int author = catalog_find_table(s.world.catalog, STR(""), STR("author"));
    buf_init(&out, 1 << 16);
    semantic_prompt_write(s.semantic, s.world.catalog, &orders, 1, STR("2024-08-15"), &out);
    EXPECT_TRUE("metric", str_find(buf_str(&out), STR("- turnover (also sales volume) = SUM(total) "
                                                      "of orders where status <> 'open'")) >= 0);
    EXPECT_TRUE("filter", str_find(buf_str(&out), STR("- stale = status = 'open'")) >= 0);
    EXPECT_TRUE("word", str_find(buf_str(&out), STR("- parked = orders.status is 'on_hold'")) >= 0);
    buf_clear(&out);
    semantic_prompt_write(s.semantic, s.world.catalog, &author, 1, STR("2024-08-15"), &out);
    EXPECT_STR("other tables", buf_str(&out),
               STR("\n## Words of the business\n- churn: clients that left\n"));
    buf_fini(&out);
    close_shop(&s);
}

TEST(a_first_file_is_a_good_one)
{
    struct world w;
    struct buf out;
    struct semantic_report report;
    world_init(&w);
    buf_init(&out, 1 << 16);
    semantic_init_write(w.lexicon, SQL_SQLITE, &out);
    buf_push_char(&out, '\0');
    EXPECT_TRUE("label",
                str_find(buf_str(&out), STR("\"bookAuthor\":{\"label\":\"book author\"")) >= 0);
    EXPECT_TRUE("pii", str_find(buf_str(&out), STR("\"email\":{\"pii\":true}")) >= 0);
    EXPECT_TRUE("role", str_find(buf_str(&out), STR("\"editorId\":{\"label\":\"editor\"}")) >= 0);
    EXPECT_TRUE("time", str_find(buf_str(&out), STR("\"time\":\"publishedDate\"")) >= 0);
    EXPECT_TRUE("secret", str_find(buf_str(&out), STR("secret_note")) < 0);
    struct semantic *semantic = bind(&w, buf_str(&out).at, &report);
    EXPECT_STR("report", buf_str(&report.text), STR(""));
    semantic_report_fini(&report);
    semantic_model_destroy(semantic);
    buf_fini(&out);
    world_fini(&w);
}

TEST(no_memory_at_any_allocation)
{
    struct world w;
    bool passed = false;
    world_init(&w);
    for (uint64_t n = 1; !passed && n < 5000; n++) {
        struct semantic_report report;
        struct semantic *semantic;
        struct err err = {0};
        struct lexicon *lexicon = NULL;
        semantic_report_init(&report);
        mem_fail_nth(n);
        if (semantic_file_read(str_of(shop), &semantic, &report, &err) == ERR_OK) {
            semantic_bind_catalog(semantic, w.catalog, &sql_policy_default, SQL_SQLITE, &report);
            lexicon = lexicon_create(w.catalog, semantic);
        }
        passed = lexicon != NULL && lexicon_verified_learn(lexicon, 0) && report.count == 0 &&
                 lexicon->verified.count == 2;
        mem_fail_nth(0);
        lexicon_destroy(lexicon);
        semantic_report_fini(&report);
        semantic_model_destroy(semantic);
    }
    EXPECT_TRUE("passed", passed);
    world_fini(&w);
}

RUN_TESTS(T(mistakes_of_a_file_have_their_place), T(lookups_and_references_are_one_graph),
          T(broken_json_is_said), T(what_is_said_twice_is_named),
          T(what_the_database_does_not_have_is_named), T(questions_use_what_the_file_says),
          T(a_verified_answer_is_not_changed_by_a_follow_up), T(models_are_told_of_tables_they_see),
          T(a_first_file_is_a_good_one), T(no_memory_at_any_allocation))
