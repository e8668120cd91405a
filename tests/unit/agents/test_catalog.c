/* SPDX-License-Identifier: MIT */
/* The catalog: building, freezing, the join-graph file, lookups, prompt text (R61, C27, C34). */
#include "tests/lib/test.h"

#include "agents/sql/catalog/catalog_prompt.h"
#include "agents/sql/catalog/visible.h"

static const char crew_json[] =
    "{\"version\":1,\"tables\":{"
    "\"workOrder\":{\"columns\":[\"id\",\"title\"],\"unique_columns\":[\"id\"]},"
    "\"crew\":{\"columns\":[{\"name\":\"id\",\"type\":\"INTEGER\"},\"workOrderId\",\"companyId\"],"
    "\"unique_columns\":[\"id\"]},"
    "\"secure_workorder\":{\"columns\":[\"id\",\"title\"],\"is_view\":true},"
    "\"hr.staff\":{\"columns\":[\"id\",{\"name\":\"ssn\",\"hidden\":true}],\"row_count\":7}},"
    "\"secure_view_map\":{\"workOrder\":\"secure_workorder\"},\"tenant_column\":\"companyId\","
    "\"relationships\":[{\"from_table\":\"crew\",\"from_column\":\"workOrderId\","
    "\"to_table\":\"workOrder\",\"to_column\":\"id\",\"type\":\"foreign_key\","
    "\"confidence\":1.0,\"cardinality\":\"N:1\"},"
    "{\"from_table\":\"crew\",\"from_column\":\"nope\",\"to_table\":\"workOrder\","
    "\"to_column\":\"id\",\"type\":\"foreign_key\",\"confidence\":1.0,\"cardinality\":\"N:1\"}]}";

static struct catalog *crew_catalog(void)
{
    struct catalog *catalog;
    struct err err = {0};
    EXPECT_INT("read", catalog_from_join_graph(str_of(crew_json), &catalog, &err), ERR_OK);
    return catalog;
}

TEST(file_becomes_catalog)
{
    struct catalog *catalog = crew_catalog();
    EXPECT_INT("tables", catalog->table_count, 4);
    int crew = catalog_find_table(catalog, STR(""), STR("CREW"));
    int order = catalog_find_table(catalog, STR(""), STR("workorder"));
    int view = catalog_find_table(catalog, STR(""), STR("secure_workOrder"));
    EXPECT_INT("crew", crew, 1);
    EXPECT_INT("order is behind the view", catalog->tables[order].secure_view, view);
    EXPECT_TRUE("order is hidden", catalog->tables[order].hidden);
    EXPECT_INT("view stands for order", catalog->tables[view].secures, order);
    EXPECT_INT("tenant column", catalog->tables[crew].tenant_column, 2);
    EXPECT_INT("no tenant column", catalog->tables[order].tenant_column, CATALOG_NONE);
    EXPECT_INT("broken references are skipped", catalog->tables[crew].reference_count, 1);
    EXPECT_INT("reference", catalog->tables[crew].references[0].to_table, order);
    EXPECT_INT("type", catalog->tables[crew].columns[0].type, CATALOG_INTEGER);
    EXPECT_TRUE("key", catalog->tables[crew].columns[0].primary_key);
    catalog_destroy(catalog);
}

TEST(names_with_schemas)
{
    struct catalog *catalog = crew_catalog();
    int staff = catalog_find_table(catalog, STR("HR"), STR("Staff"));
    EXPECT_INT("qualified", staff, 3);
    EXPECT_INT("bare", catalog_find_table(catalog, STR(""), STR("staff")), staff);
    EXPECT_INT("dot inside a name", catalog_find_table(catalog, STR(""), STR("hr.staff")),
               CATALOG_NONE);
    EXPECT_INT("other schema", catalog_find_table(catalog, STR("main"), STR("staff")),
               CATALOG_NONE);
    EXPECT_INT("row count", catalog->tables[staff].row_count, 7);
    int tables[4];
    EXPECT_INT("hidden column is found nowhere",
               catalog_tables_with_column(catalog, STR("ssn"), tables, 4), 0);
    EXPECT_INT("id: not the hidden table",
               catalog_tables_with_column(catalog, STR("ID"), tables, 4), 3);
    EXPECT_INT("at most max", catalog_tables_with_column(catalog, STR("ID"), tables, 2), 2);
    catalog_destroy(catalog);
}

TEST(prompt_text)
{
    struct catalog *catalog = crew_catalog();
    struct buf out;
    const int tables[] = {0, 1, 3};
    buf_init(&out, 4096);
    catalog_write_prompt(catalog, tables, 3, 2, NULL, &out);
    EXPECT_STR("prompt", buf_str(&out),
               STR("## workOrder\n- id, primary key\n- title\n\n"
                   "## crew\n- id INTEGER, primary key\n- workOrderId, references workOrder.id\n"
                   "- (1 more columns)\n\n"
                   "## hr.staff\n- id\n"));
    buf_fini(&out);
    catalog_destroy(catalog);
}

TEST(columns_are_shown_where_they_are_read)
{
    static const char json[] =
        "{\"tables\":{\"user\":{\"columns\":[\"id\",\"name\",\"hash\",\"ssn\",{\"name\":\"pin\","
        "\"hidden\":true}]},\"safe\":{\"columns\":[\"id\",\"name\",\"pin\",{\"name\":\"ssn\","
        "\"hidden\":"
        "true}],\"is_view\":true}},\"secure_view_map\":{\"user\":\"safe\"}}";
    static const bool shown[] = {true, true, false, false, false};
    struct catalog *catalog;
    struct err err = {0};
    EXPECT_INT("read", catalog_from_join_graph(str_of(json), &catalog, &err), ERR_OK);
    int user = catalog_find_table(catalog, STR(""), STR("user"));
    int safe = catalog_find_table(catalog, STR(""), STR("safe"));
    for (int c = 0; c < (int)countof(shown); c++)
        EXPECT_INT("user", sql_visible_told(catalog, user, c), shown[c]);
    EXPECT_TRUE("of its own", sql_visible_told(catalog, safe, 2));
    EXPECT_TRUE("hidden", !sql_visible_told(catalog, safe, 3));
    catalog_destroy(catalog);
}

TEST(prompts_do_not_tell_of_what_is_hidden)
{
    static const char json[] =
        "{\"tables\":{\"a\":{\"columns\":[\"secretId\",\"b1\",\"b2\",\"vaultId\"]},"
        "\"secret\":{\"columns\":[\"id\"],\"hidden\":true},"
        "\"b\":{\"columns\":[\"k1\",{\"name\":\"k2\",\"hidden\":true}]},"
        "\"vault\":{\"columns\":[\"id\",\"code\"]},\"v\":{\"columns\":[\"code\"],\"is_view\":true}}"
        ","
        "\"secure_view_map\":{\"vault\":\"v\"},\"relationships\":["
        "{\"type\":\"foreign_key\",\"from_table\":\"a\",\"from_column\":\"secretId\",\"to_table\":"
        "\"secret\",\"to_column\":"
        "\"id\"},"
        "{\"type\":\"foreign_key\",\"from_table\":\"a\",\"from_column\":\"vaultId\",\"to_table\":"
        "\"vault\",\"to_column\":"
        "\"id\"},"
        "{\"type\":\"foreign_key\",\"from_table\":\"a\",\"from_columns\":[\"b1\",\"b2\"],\"to_"
        "table\":\"b\","
        "\"to_columns\":[\"k1\",\"k2\"]}]}";
    struct catalog *catalog;
    struct err err = {0};
    struct buf out;
    const int tables[] = {0};
    buf_init(&out, 4096);
    EXPECT_INT("read", catalog_from_join_graph(str_of(json), &catalog, &err), ERR_OK);
    EXPECT_INT("references", catalog->tables[0].reference_count, 3);
    catalog_write_prompt(catalog, tables, 1, 9, NULL, &out);
    EXPECT_STR("columns only", buf_str(&out), STR("## a\n- secretId\n- b1\n- b2\n- vaultId\n"));
    buf_fini(&out);
    catalog_destroy(catalog);
}

TEST(comments_in_prompts)
{
    static const char json[] =
        "{\"tables\":{\"t\":{\"comment\":\"What\\nwe have\",\"columns\":[{\"name\":\"a\","
        "\"comment\":\" in \\u20ac \"}]},\"v\":{\"columns\":[\"a\"],\"is_view\":true}},"
        "\"secure_view_map\":{\"t\":\"v\"}}";
    struct catalog *catalog;
    struct err err = {0};
    struct buf out;
    const int tables[] = {0};
    buf_init(&out, 4096);
    EXPECT_INT("read", catalog_from_join_graph(str_of(json), &catalog, &err), ERR_OK);
    catalog_write_prompt(catalog, tables, 1, 9, NULL, &out);
    EXPECT_STR("on one line, of the table behind the view", buf_str(&out),
               STR("## t: What we have\n- a: in \xe2\x82\xac\n"));
    buf_fini(&out);
    catalog_destroy(catalog);
}

static const struct {
    const char *name, *json, *says;
} broken[] = {
    {"not JSON", "{", "byte"},
    {"no object", "[]", "expected a JSON object"},
    {"no tables", "{\"version\":1}", "/tables: expected an object, got nothing"},
    {"no columns", "{\"tables\":{\"a\":{}}}", "/tables/a/columns: expected an array"},
    {"unnamed column", "{\"tables\":{\"a\":{\"columns\":[1]}}}", "expected names or objects"},
    {"double column", "{\"tables\":{\"a\":{\"columns\":[\"x\",\"X\"]}}}", "'X' of table 'a'"},
    {"double table", "{\"tables\":{\"a\":{\"columns\":[]},\"A\":{\"columns\":[]}}}",
     "'A' is there twice"},
    {"missing views",
     "{\"tables\":{\"a\":{\"columns\":[]}},\"secure_view_map\":{\"a\":\"s1\",\"b\":\"s2\"}}",
     "s1, s2"},
    {"view no name", "{\"tables\":{},\"secure_view_map\":{\"a\":1}}", "/secure_view_map/a"},
};

TEST(broken_files)
{
    TEST_EACH(c, broken) {
        struct catalog *catalog;
        struct err err = {0};
        EXPECT_INT(c->name, catalog_from_join_graph(str_of(c->json), &catalog, &err), ERR_INVALID);
        EXPECT_TRUE(c->name, catalog == NULL);
        if (strstr(err.text, c->says) == NULL)
            fail_msg("%s: '%s' does not say '%s'", c->name, err.text, c->says);
    }
}

TEST(composite_references_and_order)
{
    struct catalog_builder *builder = catalog_builder_create();
    struct catalog *catalog;
    struct err err = {0};
    const struct str from[] = {STR("a"), STR("b")}, to[] = {STR("x"), STR("y")};
    assert_non_null(builder);
    EXPECT_INT("column first",
               catalog_add_column(builder, &(struct catalog_column){.name = STR("a")}, &err),
               ERR_INVALID);
    EXPECT_INT("table", catalog_add_table(builder, &(struct catalog_table){.name = STR("t")}, &err),
               ERR_OK);
    for (size_t i = 0; i < 2; i++)
        EXPECT_INT("column",
                   catalog_add_column(builder, &(struct catalog_column){.name = from[i]}, &err),
                   ERR_OK);
    EXPECT_INT("reference", catalog_add_reference(builder, from, STR("u"), to, 2, &err), ERR_OK);
    EXPECT_INT("table", catalog_add_table(builder, &(struct catalog_table){.name = STR("u")}, &err),
               ERR_OK);
    for (size_t i = 0; i < 2; i++)
        EXPECT_INT("column",
                   catalog_add_column(builder, &(struct catalog_column){.name = to[i]}, &err),
                   ERR_OK);
    EXPECT_INT("freeze", catalog_freeze(builder, &catalog, &err), ERR_OK);
    EXPECT_INT("pairs", catalog->tables[0].references[0].to_columns[1], 1);
    catalog_destroy(catalog);
    catalog_builder_destroy(builder);
}

static void add(struct catalog_builder *builder, const char *schema, const char *home,
                const char *name, const struct str *columns, size_t count)
{
    struct err err = {0};
    EXPECT_INT(name,
               catalog_add_table(builder,
                                 &(struct catalog_table){.schema = str_of(schema),
                                                         .home = str_of(home),
                                                         .name = str_of(name)},
                                 &err),
               ERR_OK);
    for (size_t i = 0; i < count; i++)
        EXPECT_INT(name,
                   catalog_add_column(builder, &(struct catalog_column){.name = columns[i]}, &err),
                   ERR_OK);
}

TEST(one_name_in_several_schemas)
{
    struct catalog_builder *builder = catalog_builder_create();
    struct catalog *catalog;
    struct err err = {0};
    const struct str id = STR("id");
    assert_non_null(builder);
    add(builder, "", "public", "customer", &id, 1);
    add(builder, "sales", "sales", "customer", &id, 1);
    add(builder, "sales", "sales", "lead", &id, 1);
    add(builder, "crm", "crm", "lead", &id, 1);
    EXPECT_INT("r", catalog_add_reference(builder, &id, STR("sales.lead"), &id, 1, &err), ERR_OK);
    add(builder, "we.ird", "we.ird", "x.y", &id, 1);
    EXPECT_INT("freeze", catalog_freeze(builder, &catalog, &err), ERR_OK);
    EXPECT_INT("bare", catalog_find_table(catalog, STR(""), STR("customer")), 0);
    EXPECT_INT("home", catalog_find_table(catalog, STR("public"), STR("customer")), 0);
    EXPECT_INT("other", catalog_find_table(catalog, STR("sales"), STR("customer")), 1);
    EXPECT_INT("whose?", catalog_find_table(catalog, STR(""), STR("lead")), CATALOG_NONE);
    EXPECT_INT("dotted", catalog_find_dotted(catalog, STR("crm.lead")), 3);
    EXPECT_INT("many dots", catalog_find_dotted(catalog, STR("we.ird.x.y")), 4);
    EXPECT_INT("not a schema", catalog_find_dotted(catalog, STR("we.lead")), CATALOG_NONE);
    EXPECT_INT("across", catalog->tables[3].references[0].to_table, 2);
    catalog_destroy(catalog);
    catalog_builder_destroy(builder);
}

TEST(case_sensitive_columns)
{
    struct catalog_builder *builder = catalog_builder_create();
    struct catalog *catalog;
    struct err err = {0};
    const struct str columns[] = {STR("Id"), STR("id"), STR("companyId")};
    assert_non_null(builder);
    catalog_set_case_sensitive(builder, true, true);
    catalog_set_tenant_column(builder, STR("companyid"));
    add(builder, "", "", "T", columns, countof(columns));
    EXPECT_INT("key", catalog_add_key(builder, &columns[1], 1, true, &err), ERR_OK);
    EXPECT_INT("freeze", catalog_freeze(builder, &catalog, &err), ERR_OK);
    EXPECT_INT("table", catalog_find_table(catalog, STR(""), STR("t")), CATALOG_NONE);
    EXPECT_INT("Id", catalog_find_column(catalog, 0, STR("Id")), 0);
    EXPECT_INT("id", catalog_find_column(catalog, 0, STR("id")), 1);
    EXPECT_INT("ID", catalog_find_column(catalog, 0, STR("ID")), CATALOG_NONE);
    EXPECT_INT("a tenant in any case", catalog->tables[0].tenant_column, 2);
    EXPECT_INT("key", catalog->tables[0].keys[0].columns[0], 1);
    catalog_destroy(catalog);
    catalog_builder_destroy(builder);
}

TEST(unknown_reference)
{
    struct catalog_builder *builder = catalog_builder_create();
    struct catalog *catalog;
    struct err err = {0};
    const struct str a = STR("a");
    assert_non_null(builder);
    EXPECT_INT("t", catalog_add_table(builder, &(struct catalog_table){.name = STR("t")}, &err),
               ERR_OK);
    EXPECT_INT("a", catalog_add_column(builder, &(struct catalog_column){.name = a}, &err), ERR_OK);
    EXPECT_INT("r", catalog_add_reference(builder, &a, STR("gone"), &a, 1, &err), ERR_OK);
    EXPECT_INT("freeze", catalog_freeze(builder, &catalog, &err), ERR_INVALID);
    EXPECT_TRUE("names it", strstr(err.text, "'gone'") != NULL);
    catalog_builder_destroy(builder);
}

static const struct {
    const char *declared;
    enum catalog_type type;
} types[] = {
    {"INTEGER", CATALOG_INTEGER},
    {"varchar(20)", CATALOG_TEXT},
    {"timestamptz", CATALOG_TIMESTAMP},
    {"DATETIME", CATALOG_TIMESTAMP},
    {"date", CATALOG_DATE},
    {"NUMERIC(10,2)", CATALOG_NUMBER},
    {"tinyint(1)", CATALOG_BOOLEAN},
    {"tinyint(4)", CATALOG_INTEGER},
    {"double precision", CATALOG_NUMBER},
    {"blob", CATALOG_BLOB},
    {"BIT", CATALOG_BOOLEAN}, /* SQL Server's, in SQLite; introspection names others otherwise */
    {"bit varying", CATALOG_UNKNOWN},
    {"NVARCHAR(40)", CATALOG_TEXT},
    {"uniqueidentifier", CATALOG_TEXT},
    {"SMALLMONEY", CATALOG_NUMBER},
    {"CURRENCY", CATALOG_NUMBER},
    {"datetime2", CATALOG_TIMESTAMP},
    {"LOGICAL", CATALOG_BOOLEAN},
    {"", CATALOG_UNKNOWN},
};

TEST(type_names)
{
    TEST_EACH(c, types)
        EXPECT_INT(c->declared, catalog_type_of(str_of(c->declared)), c->type);
}

TEST(every_allocation_may_fail)
{
    for (uint64_t n = 1;; n++) {
        struct catalog *catalog;
        struct err err = {0};
        mem_fail_nth(n);
        enum err_code code = catalog_from_join_graph(str_of(crew_json), &catalog, &err);
        mem_fail_nth(0);
        catalog_destroy(catalog);
        if (code == ERR_OK)
            break;
        EXPECT_INT("fails cleanly", code, ERR_NO_MEMORY);
        EXPECT_TRUE("ends", n < 1000);
    }
}

RUN_TESTS(T(file_becomes_catalog), T(columns_are_shown_where_they_are_read), T(names_with_schemas),
          T(prompt_text), T(comments_in_prompts), T(prompts_do_not_tell_of_what_is_hidden),
          T(broken_files), T(one_name_in_several_schemas), T(case_sensitive_columns),
          T(composite_references_and_order), T(unknown_reference), T(type_names),
          T(every_allocation_may_fail))
