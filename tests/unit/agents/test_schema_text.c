/* SPDX-License-Identifier: MIT */
/* What of the schema a model is shown: audit columns and the company's are left out unless the
 * question names them; keys never. */
#include "tests/lib/test.h"

#include "agents/nodes/schema_text.h"
#include "agents/sql/joins/join_graph.h"

static const char json[] =
    "{\"version\":1,\"tables\":{"
    "\"company\":{\"columns\":[\"id\",\"name\"],\"unique_columns\":[\"id\"]},"
    "\"person\":{\"columns\":[\"id\",\"name\"],\"unique_columns\":[\"id\"]},"
    "\"job\":{\"columns\":[\"id\",\"title\",\"companyId\",\"createdBy\",\"createdAt\"],"
    "\"unique_columns\":[\"id\"]},"
    "\"note\":{\"columns\":[\"createdBy\",\"text\"],\"primary_key\":[\"createdBy\"]}},"
    "\"tenant_column\":\"companyId\",\"relationships\":["
    "{\"from_table\":\"job\",\"from_column\":\"createdBy\",\"to_table\":\"person\","
    "\"to_column\":\"id\",\"type\":\"foreign_key\",\"confidence\":1,\"cardinality\":\"N:1\"}]}";

static const struct {
    const char *question, *table, *shown;
    bool no_tenant;
} cases[] = {
    {"How many jobs are open?", "job", "## job\n- id, primary key\n- title\n- createdAt\n"},
    {"Which jobs did Ann create?", "job",
     "## job\n- id, primary key\n- title\n- createdBy, references person.id\n- createdAt\n"},
    {"Jobs of which companies?", "job",
     "## job\n- id, primary key\n- title\n- companyId\n- createdAt\n"},
    {"How many jobs are open?", "job",
     "## job\n- id, primary key\n- title\n- companyId\n- createdAt\n", .no_tenant = true},
    {"What do notes say?", "note", "## note\n- createdBy, primary key\n- text\n"},
};

TEST(columns_of_a_question)
{
    struct catalog *catalog;
    struct err err = {0};
    assert_int_equal(catalog_from_join_graph(str_of(json), &catalog, &err), ERR_OK);
    for (size_t i = 0; i < countof(cases); i++) {
        const struct knowledge knows = {.catalog = catalog, .tenant = {!cases[i].no_tenant}};
        int table = catalog_find_table(catalog, STR(""), str_of(cases[i].table));
        struct buf out;
        buf_init(&out, 4096);
        schema_text_write(&knows, str_of(cases[i].question), &table, 1, 9, STR("2025-06-30"), &out);
        EXPECT_STR(cases[i].question, buf_str(&out), str_of(cases[i].shown));
        buf_fini(&out);
        const struct schema_text_words words = schema_text_words(str_of(cases[i].question));
        const struct sql_unasked unasked = schema_text_unasked(&knows, str_of(cases[i].question));
        for (size_t j = 0; j < catalog->tables[table].column_count; j++)
            EXPECT_INT(cases[i].question, unasked.is(catalog, &unasked, table, (int)j),
                       schema_text_omits(&knows, &words, table, (int)j));
    }
    catalog_destroy(catalog);
}

TEST(relationships_of_a_question)
{
    struct join_graph *graph;
    struct err err = {0};
    assert_int_equal(join_graph_from_json(str_of(json), &graph, &err), ERR_OK);
    const struct join_edge *edge = join_graph_edge(graph, 0);
    struct schema_text_words open = schema_text_words(STR("How many jobs are open?"));
    struct schema_text_words creator = schema_text_words(STR("jobs created by Ann"));
    EXPECT_INT("words of three letters and more", creator.count, 3);
    EXPECT_TRUE("by whom is not asked", schema_text_omits_edge(&open, edge));
    EXPECT_TRUE("by whom is asked", !schema_text_omits_edge(&creator, edge));
    join_graph_destroy(graph);
}

RUN_TESTS(T(columns_of_a_question), T(relationships_of_a_question))
