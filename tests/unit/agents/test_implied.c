/* SPDX-License-Identifier: MIT */
/* References that nobody declared, and dates kept as texts: what names suggest and rows confirm,
 * in real SQLite files. */
#include "tests/lib/test.h"

#include "agents/sql/catalog/implied.h"
#include "agents/sql/catalog/introspect.h"
#include "agents/sql/joins/join_graph.h"
#include "backends/sql/sql_sqlite.h"
#include "tests/unit/backends/rig.h"
#include "tests/unit/backends/sqlite_file.h"

struct found {
    struct rig rig;
    struct sqlite_file file;
    struct sql *sql;
    struct introspect introspect;
};

static void find(struct found *found, const char *schema, const struct introspect_options *options)
{
    *found = (struct found){.sql = NULL};
    sqlite_file_make(&found->file, schema);
    rig_begin(&found->rig);
    found->sql = sql_sqlite_create(found->rig.loop, found->file.path, 1, 0);
    assert_non_null(found->sql);
    introspect_start(&found->introspect, found->sql, options, rig_waiter(&found->rig));
    rig_wait("found", &found->rig, 1);
    EXPECT_STR("err", str_of(found->rig.err.text), STR(""));
}

static void lose(struct found *found)
{
    catalog_destroy(found->introspect.catalog);
    op_release(&found->introspect.op);
    sql_close(found->sql, rig_on_closed, &found->rig);
    rig_end(&found->rig);
    sqlite_file_remove(&found->file);
}

static const struct introspect_options live = {.count_rows = true};

/* How sure it is that table.column refers to the other table's column; 0: it does not. */
static int how_sure(const struct catalog *catalog, const char *table, const char *column,
                    const char *to_table, const char *to_column)
{
    int t = catalog_find_table(catalog, STR(""), str_of(table));
    const struct catalog_table *at = &catalog->tables[t];
    for (size_t r = 0; r < at->reference_count; r++) {
        const struct catalog_reference *ref = &at->references[r];
        const struct catalog_table *to = &catalog->tables[ref->to_table];
        if (ref->implied > 0 && str_equal(at->columns[ref->columns[0]].name, str_of(column)) &&
            str_equal(to->name, str_of(to_table)) &&
            str_equal(to->columns[ref->to_columns[0]].name, str_of(to_column)))
            return ref->implied;
    }
    return 0;
}

static const struct {
    const char *name, *schema;
    const char *from[2], *to[2]; /* table and column */
    bool clear;
} cases[] = {
    {"the same name as a key",
     "CREATE TABLE POL_HDR(POL_NO INTEGER PRIMARY KEY); CREATE TABLE CLM_HDR(CLM_NO INTEGER "
     "PRIMARY "
     "KEY, POL_NO INTEGER); INSERT INTO POL_HDR VALUES (7); INSERT INTO CLM_HDR VALUES (1, 7);",
     {"CLM_HDR", "POL_NO"},
     {"POL_HDR", "POL_NO"},
     true},
    {"the table's name and a key",
     "CREATE TABLE customers(id INTEGER PRIMARY KEY); CREATE TABLE orders(id INTEGER PRIMARY KEY, "
     "customer_id INTEGER); INSERT INTO customers VALUES (1); INSERT INTO orders VALUES (1, 1);",
     {"orders", "customer_id"},
     {"customers", "id"},
     true},
    {"something before the key's name",
     "CREATE TABLE doc(doc_id INTEGER PRIMARY KEY); CREATE TABLE ward(ward_cd TEXT PRIMARY KEY, "
     "head_doc_id INTEGER); INSERT INTO doc VALUES (1); INSERT INTO ward VALUES ('A', 1);",
     {"ward", "head_doc_id"},
     {"doc", "doc_id"},
     true},
    {"prefixes of columns, and the table's name shortened",
     "CREATE TABLE tblCustomer(cuId INTEGER PRIMARY KEY, cuName TEXT, cuTown TEXT);"
     "CREATE TABLE tblVehicle(veId INTEGER PRIMARY KEY, veCustId INTEGER, vePlate TEXT);"
     "CREATE TABLE tblSite(siId INTEGER PRIMARY KEY, siName TEXT, siTown TEXT);"
     "INSERT INTO tblCustomer VALUES (5, 'a', 'b'); INSERT INTO tblVehicle VALUES (1, 5, 'c');",
     {"tblVehicle", "veCustId"},
     {"tblCustomer", "cuId"},
     true},
    {"a manager is of the same table where rows say so",
     "CREATE TABLE agent(agent_no INTEGER PRIMARY KEY, supervisor_no INTEGER);"
     "INSERT INTO agent VALUES (1, NULL), (2, 1);",
     {"agent", "supervisor_no"},
     {"agent", "agent_no"},
     true},
    {"a manager without rows",
     "CREATE TABLE agent(agent_no INTEGER PRIMARY KEY, supervisor_no INTEGER);",
     {"agent", "supervisor_no"},
     {"agent", "agent_no"},
     false},
    {"a value that is no key there",
     "CREATE TABLE customers(id INTEGER PRIMARY KEY); CREATE TABLE orders(id INTEGER PRIMARY KEY, "
     "customer_id INTEGER); INSERT INTO customers VALUES (1); INSERT INTO orders VALUES (1, 2);",
     {"orders", "customer_id"},
     {"customers", "id"},
     false},
    {"another type",
     "CREATE TABLE customers(id INTEGER PRIMARY KEY); CREATE TABLE orders(id INTEGER PRIMARY KEY, "
     "customer_id TEXT);",
     {"orders", "customer_id"},
     {"customers", "id"},
     false},
    {"a key that is called like any other",
     "CREATE TABLE a(id INTEGER PRIMARY KEY); CREATE TABLE b(other INTEGER, id INTEGER); INSERT "
     "INTO a VALUES (1); INSERT INTO b VALUES (1, 1);",
     {"b", "id"},
     {"a", "id"},
     false},
    {"two tables whose names begin alike",
     "CREATE TABLE customer(x INTEGER PRIMARY KEY); CREATE TABLE custody(y INTEGER PRIMARY KEY);"
     "CREATE TABLE orders(z INTEGER PRIMARY KEY, cust_id INTEGER); INSERT INTO customer VALUES (1);"
     "INSERT INTO custody VALUES (1); INSERT INTO orders VALUES (1, 1);",
     {"orders", "cust_id"},
     {"customer", "x"},
     false},
    {"one that is declared stays as it is",
     "CREATE TABLE customers(id INTEGER PRIMARY KEY); CREATE TABLE orders(id INTEGER PRIMARY KEY, "
     "customer_id INTEGER REFERENCES customers(id)); INSERT INTO customers VALUES (1);",
     {"orders", "customer_id"},
     {"customers", "id"},
     false},
};

TEST(clear_references_are_added)
{
    TEST_EACH(c, cases) {
        struct found found;
        find(&found, c->schema, &live);
        int sure = how_sure(found.introspect.catalog, c->from[0], c->from[1], c->to[0], c->to[1]);
        EXPECT_INT(c->name, sure >= IMPLIED_CLEAR, c->clear);
        lose(&found);
    }
}

/* The tenancy of a table is settled by what is declared: a guess never opens rows. */
TEST(no_guess_decides_whose_rows_they_are)
{
    static const char schema[] =
        "CREATE TABLE orders(order_id INTEGER PRIMARY KEY, company_id TEXT);"
        "CREATE TABLE lines(id INTEGER PRIMARY KEY, order_id INTEGER);"
        "INSERT INTO orders VALUES (1, 'a'); INSERT INTO lines VALUES (1, 1);";
    const struct introspect_options options = {.count_rows = true,
                                               .tenant_column = STR("company_id")};
    struct found found;
    find(&found, schema, &options);
    const struct catalog *catalog = found.introspect.catalog;
    EXPECT_TRUE("joins know it", how_sure(catalog, "lines", "order_id", "orders", "order_id") > 0);
    EXPECT_INT("tenancy does not", catalog->tables[1].tenant_reference, CATALOG_NONE);
    EXPECT_INT("nor by a column", catalog->tables[1].tenant_column, CATALOG_NONE);
    lose(&found);
}

TEST(the_join_graph_says_that_it_is_a_guess)
{
    struct found found;
    struct join_graph *graph;
    struct arena names;
    struct buf out;
    struct err err = {0};
    find(&found, cases[0].schema, &live);
    const struct catalog *catalog = found.introspect.catalog;
    EXPECT_INT("graph", join_graph_from_catalog(catalog, &graph, &err), ERR_OK);
    EXPECT_INT("edges", join_graph_edge_count(graph), 1);
    EXPECT_INT("inferred", join_graph_edge(graph, 0)->type, JOIN_INFERRED);
    EXPECT_TRUE("not certain", join_graph_edge(graph, 0)->confidence < 1.0);
    join_graph_destroy(graph);
    arena_init(&names, 1 << 20);
    buf_init(&out, 1 << 16);
    catalog_write(catalog, &names, &out);
    EXPECT_TRUE("in the file",
                str_find(buf_str(&out), STR("\"type\":\"inferred\",\"confidence\":0.98")) !=
                    STR_NONE);
    EXPECT_INT("none is declared", catalog_count(catalog).references, 0);
    EXPECT_INT("one is implied", catalog_count(catalog).implied, 1);
    buf_fini(&out);
    arena_fini(&names);
    lose(&found);
}

TEST(texts_that_are_dates)
{
    static const char schema[] =
        "CREATE TABLE t(day TEXT, moment TEXT, mixed TEXT, empty TEXT, word TEXT, n INTEGER);"
        "INSERT INTO t VALUES ('2024-02-01', '2024-02-01 10:00:00', '2024-02-01', NULL, 'a', 1),"
        " (NULL, '2024-02-01T10:00', 'later', NULL, '2024-02-01', 2);";
    static const enum catalog_type want[] = {CATALOG_DATE,    CATALOG_TIMESTAMP, CATALOG_UNKNOWN,
                                             CATALOG_UNKNOWN, CATALOG_UNKNOWN,   CATALOG_UNKNOWN};
    struct found found;
    find(&found, schema, &live);
    const struct catalog_table *table = &found.introspect.catalog->tables[0];
    for (size_t c = 0; c < countof(want); c++) {
        EXPECT_INT("shows", table->columns[c].shows, want[c]);
        EXPECT_TRUE("declared as it was",
                    table->columns[c].type == (c == 5 ? CATALOG_INTEGER : CATALOG_TEXT));
    }
    lose(&found);
}

RUN_TESTS(T(clear_references_are_added), T(no_guess_decides_whose_rows_they_are),
          T(the_join_graph_says_that_it_is_a_guess), T(texts_that_are_dates))
