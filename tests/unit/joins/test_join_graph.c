/* SPDX-License-Identifier: MIT */
/* Tests of agents/sql/join_graph: the file format, normalising, merging, catalogs. */
#include "tests/unit/joins/rig.h"

#define EDGE(from, to, more)                                                                       \
    "{\"from_table\":\"" from "\",\"from_column\":\"x\",\"to_table\":\"" to                        \
    "\",\"to_column\":\"id\"" more "}"

TEST(seed_file_is_read)
{
    struct join_graph *graph =
        rig_graph("{\"version\":1,\"tables\":{\"employee\":{\"columns\":[\"id\",\"firstName\"],"
                  "\"unique_columns\":[\"id\"]},\"workTime\":{\"columns\":[\"id\",\"employeeId\"],"
                  "\"unique_columns\":[\"id\"]}},\"relationships\":[{\"from_table\":\"workTime\","
                  "\"from_column\":\"employeeId\",\"to_table\":\"employee\",\"to_column\":\"id\","
                  "\"type\":\"foreign_key\",\"confidence\":1.0,\"cardinality\":\"N:1\"}]}");
    assert_int_equal(join_graph_table_count(graph), 2);
    assert_int_equal(join_graph_given_count(graph), 1);
    const struct join_edge *edge = join_graph_edge(graph, 0);
    EXPECT_INT("type", edge->type, JOIN_FOREIGN_KEY);
    EXPECT_INT("cardinality", edge->cardinality, JOIN_N_TO_1);
    EXPECT_TRUE("traits", !edge->audit && !edge->tenant);
    struct buf out;
    buf_init(&out, RIG_TEXT);
    join_graph_write_edge(graph, edge, &out);
    EXPECT_STR("as text", buf_str(&out), STR("workTime.employeeId = employee.id (N:1)"));
    EXPECT_INT("case ignored", join_graph_table(graph, STR("WORKTIME")),
               join_graph_table(graph, STR("workTime")));
    EXPECT_INT("unknown", join_graph_table(graph, STR("nobody")), CATALOG_NONE);
    buf_fini(&out);
    join_graph_destroy(graph);
}

static const struct {
    const char *name, *json, *says;
} bad_files[] = {
    {"not JSON", "{\"relationships\":", "byte"},
    {"an array", "[]", "object"},
    {"nothing in it", "{}", "relationships"},
    {"another version", "{\"version\":2,\"relationships\":[]}", "/version"},
    {"tables is a list", "{\"tables\":[],\"relationships\":[]}", "/tables"},
    {"a table is a text", "{\"tables\":{\"a\":\"x\"}}", "/tables/a"},
    {"columns is a text", "{\"tables\":{\"a\":{\"columns\":\"x\"}}}", "/tables/a/columns"},
    {"a column is a number", "{\"tables\":{\"a\":{\"columns\":[1]}}}", "/tables/a/columns/0"},
    {"an edge is a text", "{\"relationships\":[\"x\"]}", "/relationships/0"},
    {"no from_table", "{\"relationships\":[{}]}", "from_table"},
    {"no to_column",
     "{\"relationships\":[{\"from_table\":\"a\",\"from_column\":\"x\",\"to_table\":\"b\"}]}",
     "to_column"},
    {"confidence over one", "{\"relationships\":[" EDGE("a", "b", ",\"confidence\":1.5") "]}",
     "1.5"},
    {"cardinality unknown", "{\"relationships\":[" EDGE("a", "b", ",\"cardinality\":\"few\"") "]}",
     "few"},
    {"a type that is a number", "{\"relationships\":[" EDGE("a", "b", ",\"type\":1") "]}", "type"},
    {"second edge named",
     "{\"relationships\":[" EDGE("a", "b", "") "," EDGE("a", "b", ",\"confidence\":-1") "]}",
     "/relationships/1/confidence"},
    {"table not in the file", "{\"tables\":{\"a\":{}},\"relationships\":[" EDGE("a", "b", "") "]}",
     "got b"},
    {"column not in the table",
     "{\"tables\":{\"a\":{\"columns\":[\"y\"]},\"b\":{}},\"relationships\":[" EDGE("a", "b",
                                                                                   "") "]}",
     "'x'"},
    {"uneven lists",
     "{\"relationships\":[{\"from_table\":\"a\",\"from_columns\":[\"x\",\"y\"],\"to_table\":\"b\","
     "\"to_columns\":[\"x\"]}]}",
     "as many"},
    {"a pair of three",
     "{\"relationships\":[{\"from_table\":\"a\",\"to_table\":\"b\",\"column_pairs\":[[\"x\",\"y\","
     "\"z\"]]}]}",
     "pairs"},
    {"a junction without columns",
     "{\"relationships\":[" EDGE("a", "b", ",\"through\":\"ab\"") "]}", "through_columns"},
};

TEST(bad_files_say_where)
{
    TEST_EACH(c, bad_files) {
        struct err err = {0};
        struct join_graph *graph = NULL;
        EXPECT_INT(c->name, join_graph_from_json(str_of(c->json), &graph, &err), ERR_INVALID);
        EXPECT_TRUE(c->name, graph == NULL);
        if (str_find(str_of(err.text), str_of(c->says)) < 0)
            fail_msg("%s: '%s' does not name '%s'", c->name, err.text, c->says);
    }
}

static const struct {
    const char *name, *json;
    size_t edges;
    const char *first;
} folds[] = {
    {"an inverse is folded into its foreign key",
     "{\"relationships\":["
     "{\"from_table\":\"b\",\"from_column\":\"aId\",\"to_table\":\"a\",\"to_column\":\"id\","
     "\"type\":\"foreign_key\",\"confidence\":1,\"cardinality\":\"N:1\"},"
     "{\"from_table\":\"a\",\"from_column\":\"id\",\"to_table\":\"b\",\"to_column\":\"aId\","
     "\"type\":\"association\",\"confidence\":0.95,\"cardinality\":\"1:N\"}]}",
     1, "b.aId = a.id (N:1)"},
    {"an inverse alone is turned round",
     "{\"relationships\":["
     "{\"from_table\":\"a\",\"from_column\":\"id\",\"to_table\":\"b\",\"to_column\":\"aId\","
     "\"type\":\"association\",\"confidence\":0.95,\"cardinality\":\"1:N\"}]}",
     1, "b.aId = a.id (N:1)"},
    {"a many-to-many is its junction's two",
     "{\"relationships\":["
     "{\"from_table\":\"a\",\"from_column\":\"id\",\"to_table\":\"b\",\"to_column\":\"id\","
     "\"type\":\"many_to_many\",\"confidence\":0.9,\"cardinality\":\"N:M\",\"through\":\"ab\","
     "\"through_columns\":[\"aId\",\"bId\"]},"
     "{\"from_table\":\"ab\",\"from_column\":\"aId\",\"to_table\":\"a\",\"to_column\":\"id\","
     "\"type\":\"foreign_key\",\"confidence\":1,\"cardinality\":\"N:1\"}]}",
     2, "ab.aId = a.id (N:1)"},
    {"siblings are implied by their parent",
     "{\"relationships\":["
     "{\"from_table\":\"b\",\"from_column\":\"aId\",\"to_table\":\"a\",\"to_column\":\"id\"},"
     "{\"from_table\":\"c\",\"from_column\":\"aId\",\"to_table\":\"a\",\"to_column\":\"id\"},"
     "{\"from_table\":\"b\",\"from_column\":\"aId\",\"to_table\":\"c\",\"to_column\":\"aId\","
     "\"type\":\"inferred\",\"confidence\":0.8,\"cardinality\":\"N:M\"}]}",
     2, "b.aId = a.id (N:1)"},
    {"a sibling by hand stays",
     "{\"relationships\":["
     "{\"from_table\":\"b\",\"from_column\":\"aId\",\"to_table\":\"a\",\"to_column\":\"id\"},"
     "{\"from_table\":\"c\",\"from_column\":\"aId\",\"to_table\":\"a\",\"to_column\":\"id\"},"
     "{\"from_table\":\"b\",\"from_column\":\"aId\",\"to_table\":\"c\",\"to_column\":\"aId\","
     "\"type\":\"manual\",\"confidence\":1,\"cardinality\":\"N:M\"}]}",
     3, "b.aId = a.id (N:1)"},
    {"two foreign keys of a pair are two",
     "{\"relationships\":["
     "{\"from_table\":\"t\",\"from_column\":\"employeeId\",\"to_table\":\"e\",\"to_column\":\"id\"}"
     ","
     "{\"from_table\":\"t\",\"from_column\":\"approverId\",\"to_table\":\"e\",\"to_column\":\"id\"}"
     "]}",
     2, "t.approverId = e.id (N:1)"},
    {"a composite key is one",
     "{\"relationships\":["
     "{\"from_table\":\"l\",\"from_columns\":[\"o\",\"p\"],\"to_table\":\"o\",\"to_columns\":["
     "\"a\","
     "\"b\"]},"
     "{\"from_table\":\"l\",\"to_table\":\"o\",\"column_pairs\":[[\"o\",\"a\"],[\"p\",\"b\"]]}]}",
     1, "l.o = o.a AND l.p = o.b (N:1)"},
    {"a table may refer to itself",
     "{\"relationships\":["
     "{\"from_table\":\"e\",\"from_column\":\"bossId\",\"to_table\":\"e\",\"to_column\":\"id\"},"
     "{\"from_table\":\"e\",\"from_column\":\"id\",\"to_table\":\"e\",\"to_column\":\"bossId\","
     "\"cardinality\":\"1:N\"}]}",
     1, "e.bossId = e.id (N:1)"},
    {"nothing is fine", "{\"relationships\":[]}", 0, NULL},
};

TEST(normalising)
{
    TEST_EACH(c, folds) {
        struct join_graph *graph = rig_graph(c->json);
        struct buf out;
        buf_init(&out, RIG_TEXT);
        EXPECT_INT(c->name, join_graph_edge_count(graph), c->edges);
        if (c->first != NULL) {
            join_graph_write_edge(graph, join_graph_edge(graph, 0), &out);
            EXPECT_STR(c->name, buf_str(&out), str_of(c->first));
        }
        buf_fini(&out);
        join_graph_destroy(graph);
    }
}

TEST(edges_of_a_table)
{
    struct join_graph *graph = rig_edges("b.aId>a.id c.aId>a.id c.bId>b.id a.parentId>a.id");
    size_t count;
    const int *edges = join_graph_edges_of(graph, rig_table(graph, "a"), &count);
    EXPECT_INT("a", count, 3);
    for (size_t i = 1; i < count; i++)
        EXPECT_TRUE("rising", edges[i - 1] < edges[i]);
    join_graph_edges_of(graph, rig_table(graph, "c"), &count);
    EXPECT_INT("c", count, 2);
    join_graph_destroy(graph);
}

static const struct {
    const char *column;
    bool audit;
} audit_names[] = {
    {"createdBy", true},      {"created_by", true},  {"updatedById", true},
    {"voided_by", true},      {"creator", true},     {"creator_id", true},
    {"lastModifiedBy", true}, {"changed_by", true},  {"inspectorId", false},
    {"soldBy", false},        {"employeeId", false}, {"by", false},
    {"createdFromId", false}, {"approvedBy", true},  {"RETIRED_BY", true},
    {"uploadedById", true},
};

TEST(audit_columns_are_known)
{
    TEST_EACH(c, audit_names) {
        struct buf text;
        buf_init(&text, 256);
        buf_printf(&text, "t.%s>u.id", c->column);
        buf_push_char(&text, '\0');
        struct join_graph *graph = rig_edges(buf_str(&text).at);
        EXPECT_INT(c->column, join_graph_edge(graph, 0)->audit, c->audit);
        join_graph_destroy(graph);
        buf_fini(&text);
    }
}

TEST(tenant_columns_are_known)
{
    struct join_graph *graph = rig_edges(
        "a.companyId>company.id b.companyId>company.id c.companyId>company.id a.bId>b.id");
    for (size_t i = 0; i < join_graph_edge_count(graph); i++) {
        const struct join_edge *edge = join_graph_edge(graph, i);
        EXPECT_INT("a hub's", edge->tenant, edge->to_table == rig_table(graph, "company"));
    }
    join_graph_destroy(graph);
    graph = rig_edges("person.companyId>company.id order.personId>person.id line.orderId>order.id");
    for (size_t i = 0; i < join_graph_edge_count(graph); i++)
        EXPECT_TRUE("a company is business", !join_graph_edge(graph, i)->tenant);
    join_graph_destroy(graph);
}

TEST(written_and_read_again)
{
    struct join_graph *graph = rig_graph(
        "{\"version\":1,\"tenant_column\":\"companyId\",\"tables\":{"
        "\"o\":{\"columns\":[\"a\",\"b\",\"companyId\"],\"primary_key\":[\"a\",\"b\"],"
        "\"unique_columns\":[],\"row_count\":12},"
        "\"l\":{\"columns\":[{\"name\":\"o\"},\"p\"],\"unique_columns\":[\"p\"],\"lookup\":true}},"
        "\"relationships\":[{\"from_table\":\"l\",\"from_columns\":[\"o\",\"p\"],\"to_table\":"
        "\"o\","
        "\"to_columns\":[\"a\",\"b\"],\"type\":\"manual\",\"confidence\":0.75,"
        "\"cardinality\":\"1:1\"}]}");
    struct buf once, twice;
    buf_init(&once, RIG_TEXT);
    buf_init(&twice, RIG_TEXT);
    join_graph_write(graph, &once);
    join_graph_destroy(graph);
    buf_push_char(&once, '\0');
    graph = rig_graph(buf_str(&once).at);
    join_graph_write(graph, &twice);
    buf_push_char(&twice, '\0');
    EXPECT_STR("the same", buf_str(&twice), buf_str(&once));
    EXPECT_TRUE("composite", str_find(buf_str(&twice), STR("\"from_columns\":[\"o\",\"p\"]")) > 0);
    join_graph_destroy(graph);
    buf_fini(&once);
    buf_fini(&twice);
}

TEST(what_a_file_may_leave_out_is_no_error)
{
    static const char *const files[] = {
        "{\"relationships\":[]}", "{\"tables\":{\"a\":{\"columns\":[\"id\"]}}}",
        ("{\"relationships\":[{\"from_table\":\"b\",\"from_column\":\"aId\",\"to_table\":\"a\","
         "\"to_column\":\"id\"}]}")};
    for (size_t i = 0; i < countof(files); i++) {
        struct join_graph *graph = NULL;
        struct err err = {0};
        EXPECT_INT(files[i], join_graph_from_json(str_of(files[i]), &graph, &err), ERR_OK);
        EXPECT_INT(files[i], err.code, ERR_OK);
        join_graph_destroy(graph);
    }
}

TEST(merging)
{
    struct join_graph *base = rig_edges("b.aId>a.id c.bId>b.id");
    struct join_graph *more = rig_graph(
        "{\"relationships\":["
        "{\"from_table\":\"a\",\"from_column\":\"id\",\"to_table\":\"b\",\"to_column\":\"aId\","
        "\"type\":\"manual\",\"confidence\":0.1,\"cardinality\":\"1:N\"},"
        "{\"from_table\":\"d\",\"from_column\":\"cId\",\"to_table\":\"c\",\"to_column\":\"id\","
        "\"type\":\"association\",\"confidence\":0.95,\"cardinality\":\"N:1\"}]}");
    struct join_graph *both = NULL;
    struct err err = {0};
    assert_int_equal(join_graph_merge(base, more, &both, &err), ERR_OK);
    EXPECT_INT("tables", join_graph_table_count(both), 4);
    EXPECT_INT("given", join_graph_given_count(both), 4);
    EXPECT_INT("edges", join_graph_edge_count(both), 3);
    EXPECT_INT("by hand wins", join_graph_edge(both, 0)->type, JOIN_MANUAL);
    EXPECT_TRUE("its confidence", join_graph_edge(both, 0)->confidence < 0.2);
    EXPECT_INT("base is as it was", join_graph_edge(base, 0)->type, JOIN_FOREIGN_KEY);
    join_graph_destroy(both);
    join_graph_destroy(more);
    join_graph_destroy(base);
}

static struct catalog *make_catalog(void)
{
    struct catalog_builder *builder = catalog_builder_create();
    struct catalog *catalog = NULL;
    struct err err = {0};
    const struct str ids[] = {STR("id")}, company[] = {STR("companyId")}, own[] = {STR("aId")};
    const char *const tables[] = {"a", "b"};
    assert_non_null(builder);
    catalog_set_tenant_column(builder, STR("companyId"));
    assert_int_equal(catalog_add_table(
                         builder, &(struct catalog_table){.name = STR("co"), .row_count = 2}, &err),
                     ERR_OK);
    assert_int_equal(
        catalog_add_column(builder,
                           &(struct catalog_column){.name = STR("id"), .primary_key = true}, &err),
        ERR_OK);
    TEST_EACH(name, tables) {
        assert_int_equal(
            catalog_add_table(
                builder, &(struct catalog_table){.name = str_of(*name), .row_count = -1}, &err),
            ERR_OK);
        assert_int_equal(
            catalog_add_column(
                builder, &(struct catalog_column){.name = STR("id"), .primary_key = true}, &err),
            ERR_OK);
        assert_int_equal(
            catalog_add_column(builder, &(struct catalog_column){.name = STR("companyId")}, &err),
            ERR_OK);
        assert_int_equal(catalog_add_reference(builder, company, STR("co"), ids, 1, &err), ERR_OK);
    }
    assert_int_equal(
        catalog_add_column(builder, &(struct catalog_column){.name = STR("aId"), .unique = true},
                           &err),
        ERR_OK);
    assert_int_equal(catalog_add_reference(builder, own, STR("a"), ids, 1, &err), ERR_OK);
    assert_int_equal(catalog_freeze(builder, &catalog, &err), ERR_OK);
    catalog_builder_destroy(builder);
    return catalog;
}

TEST(from_a_catalog)
{
    struct catalog *catalog = make_catalog();
    struct join_graph *graph = NULL;
    struct err err = {0};
    assert_int_equal(join_graph_from_catalog(catalog, &graph, &err), ERR_OK);
    EXPECT_INT("edges", join_graph_edge_count(graph), 3);
    for (size_t i = 0; i < join_graph_edge_count(graph); i++) {
        const struct join_edge *edge = join_graph_edge(graph, i);
        bool tenant = edge->to_table == rig_table(graph, "co");
        EXPECT_INT("tenant", edge->tenant, tenant);
        EXPECT_INT("a unique key is 1:1", edge->cardinality, tenant ? JOIN_N_TO_1 : JOIN_1_TO_1);
    }
    join_graph_destroy(graph);
    catalog_destroy(catalog);
}

TEST(every_allocation_may_fail)
{
    const char *json = folds[2].json;
    for (uint64_t n = 1;; n++) {
        struct join_graph *graph = NULL, *both = NULL;
        struct err err = {0};
        mem_fail_nth(n);
        enum err_code code = join_graph_from_json(str_of(json), &graph, &err);
        if (code == ERR_OK)
            code = join_graph_merge(graph, graph, &both, &err);
        mem_fail_nth(0);
        join_graph_destroy(graph);
        join_graph_destroy(both);
        if (code == ERR_OK)
            break;
        EXPECT_INT("no memory", code, ERR_NO_MEMORY);
        assert_true(n < 1000);
    }
}

RUN_TESTS(T(seed_file_is_read), T(bad_files_say_where), T(normalising), T(edges_of_a_table),
          T(audit_columns_are_known), T(tenant_columns_are_known), T(written_and_read_again),
          T(merging), T(what_a_file_may_leave_out_is_no_error), T(from_a_catalog),
          T(every_allocation_may_fail))
