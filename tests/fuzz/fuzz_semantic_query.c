/* SPDX-License-Identifier: MIT */
/* tests/fuzz/fuzz_semantic_query.c - any bytes as a query over metrics: read or refused with a
 * reason, never a crash, and what is read and composed is one SELECT. */
#include <stdint.h>

#include "agents/lexicon/lexicon.h"
#include "agents/offline/compose/compose.h"
#include "agents/semantic_query/read.h"

enum { ARENA_BYTES = 8 << 20, SQL_BYTES = 1 << 16 };

struct target {
    struct catalog *catalog;
    struct lexicon *lexicon;
    struct join_graph *joins;
    struct join_finder *finder;
};

static const char schema[] =
    "{\"version\":1,\"tables\":{"
    "\"client\":{\"columns\":[{\"name\":\"id\",\"type\":\"INTEGER\"},"
    "{\"name\":\"name\",\"type\":\"TEXT\"},{\"name\":\"isActive\",\"type\":\"BOOLEAN\"},"
    "{\"name\":\"createdAt\",\"type\":\"TIMESTAMP\"}]},"
    "\"invoice\":{\"columns\":[{\"name\":\"id\",\"type\":\"INTEGER\"},"
    "{\"name\":\"clientId\",\"type\":\"INTEGER\"},{\"name\":\"amount\",\"type\":\"DECIMAL\"},"
    "{\"name\":\"status\",\"type\":\"TEXT\"},{\"name\":\"dueDate\",\"type\":\"DATE\"}]}},"
    "\"relationships\":[{\"from_table\":\"invoice\",\"from_column\":\"clientId\","
    "\"to_table\":\"client\",\"to_column\":\"id\",\"type\":\"foreign_key\",\"confidence\":1.0,"
    "\"cardinality\":\"N:1\"}]}";

static void enter(const struct target *t, struct str table, struct str column, struct str value)
{
    int at = catalog_find_table(t->catalog, STR(""), table);
    CHECK(at != CATALOG_NONE);
    int c = catalog_find_column(t->catalog, at, column);
    CHECK(c != CATALOG_NONE && lexicon_index_add(t->lexicon, at, c, value));
}

static const struct target *target(void)
{
    static struct target t;
    struct err err;
    if (t.finder != NULL)
        return &t;
    struct str json = str_make(schema, sizeof schema - 1);
    CHECK(catalog_from_join_graph(json, &t.catalog, &err) == ERR_OK);
    CHECK(join_graph_from_json(json, &t.joins, &err) == ERR_OK);
    t.lexicon = lexicon_create(t.catalog, NULL);
    t.finder = join_finder_create(t.joins, NULL);
    CHECK(t.lexicon != NULL && t.finder != NULL);
    enter(&t, STR("client"), STR("name"), STR("Ada Stone"));
    enter(&t, STR("invoice"), STR("status"), STR("paid"));
    enter(&t, STR("invoice"), STR("status"), STR("on_hold"));
    return &t;
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    const struct target *t = target();
    struct arena arena;
    struct buf out;
    struct err err;
    const struct compose_schema to = {
        .lexicon = t->lexicon,
        .joins = {.catalog = t->catalog, .graph = t->joins, .finder = t->finder},
        .dialect = SQL_SQLITE,
        .today = english_dates_day(2024, 8, 15)};
    arena_init(&arena, ARENA_BYTES);
    buf_init(&out, SQL_BYTES);
    struct offline_reading *reading = arena_alloc(&arena, sizeof *reading);
    CHECK(reading != NULL);
    enum err_code code =
        semantic_query_read(t->lexicon, str_make((const char *)data, size), &arena, reading, &err);
    if (code == ERR_OK)
        code = offline_compose_sql(&to, reading, &out, &err);
    if (code == ERR_OK)
        CHECK(str_starts_with(buf_str(&out), STR("SELECT ")));
    else
        CHECK(err.text[0] != '\0');
    buf_fini(&out);
    arena_fini(&arena);
    return 0;
}
