/* SPDX-License-Identifier: MIT */
/* tests/fuzz/fuzz_question.c - any bytes as a question: read or refused, never a crash, and what is
 * read is one SELECT. */
#include <stdint.h>

#include "agents/lexicon/lexicon.h"
#include "agents/offline/answers/question.h"

enum { ARENA_BYTES = 8 << 20 };

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
    struct offline_answer *answer;
    const struct offline_source source = {t->lexicon, t->joins, t->finder, SQL_SQLITE,
                                          english_dates_day(2024, 8, 15)};
    arena_init(&arena, ARENA_BYTES);
    if (offline_question_read(&source, str_make((const char *)data, size), &arena, &answer) ==
        ERR_OK) {
        if (answer->understood)
            CHECK(str_starts_with(answer->sql, STR("SELECT ")));
        else
            CHECK(answer->cannot[0] != '\0');
    }
    arena_fini(&arena);
    return 0;
}
