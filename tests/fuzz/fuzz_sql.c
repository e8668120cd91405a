/* SPDX-License-Identifier: MIT */
/* tests/fuzz/fuzz_sql.c - any bytes as SQL: the first byte picks the dialect, the rest is parsed.
 *
 * Beyond not crashing: every span lies in the text; and what SQLite's compiler reads, the parse of
 * an accepted statement lists. */
#include <string.h>

#include "agents/sql/grammar/grammar.h"
#include "agents/sql/parse/parse_sqlite.h"

enum { FUZZ_ARENA_BYTES = 16 * 1024 * 1024 };

static const char join_graph[] =
    "{\"version\":1,\"tables\":{"
    "\"t\":{\"columns\":[\"id\",\"a\",\"b\",\"secret\"],\"unique_columns\":[\"id\"]},"
    "\"u\":{\"columns\":[\"id\",\"t_id\",\"a\",\"x\"],\"unique_columns\":[\"id\"]},"
    "\"k\":{\"columns\":[\"key\"],\"unique_columns\":[]}},\"relationships\":[]}";

static void check_span(struct sql_span span, struct str text)
{
    CHECK(span.start <= span.end && span.end <= text.len);
}

static void check_spans(const struct sql_parse *parse)
{
    check_span(parse->statement, parse->text);
    check_span(parse->limit.clause_span, parse->text);
    for (size_t i = 0; i < parse->table_count; i++) {
        check_span(parse->tables[i].span, parse->text);
        check_span(parse->tables[i].alias_span, parse->text);
    }
    for (size_t i = 0; i < parse->column_count; i++)
        check_span(parse->columns[i].span, parse->text);
    for (size_t i = 0; i < parse->function_count; i++)
        check_span(parse->functions[i].span, parse->text);
    for (const struct sql_branch *at = parse->tree->branches; at != NULL; at = at->next)
        CHECK(at->where_at >= at->span.start && at->where_at <= at->span.end);
}

static bool is_resolved(const struct sql_parse *parse)
{
    for (size_t i = 0; i < parse->table_count; i++)
        if (parse->tables[i].table == CATALOG_NONE || parse->tables[i].use == SQL_USE_IN)
            return false;
    for (size_t i = 0; i < parse->column_count; i++)
        if (parse->columns[i].unknown || parse->columns[i].ambiguous)
            return false;
    for (size_t i = 0; i < parse->function_count; i++)
        if (parse->functions[i].in_from)
            return false;
    return !parse->cte_shadows_table;
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    static struct catalog *catalog; /* made once: libFuzzer has no place to end */
    static struct sql_oracle *oracle;
    struct err err;
    if (catalog == NULL) {
        CHECK(catalog_from_join_graph(str_of(join_graph), &catalog, &err) == ERR_OK);
        oracle = sql_oracle_create(catalog, &err);
        CHECK(oracle != NULL);
    }
    if (size == 0)
        return 0;
    enum sql_dialect dialect = data[0] == 'm'   ? SQL_MYSQL
                               : data[0] == 'p' ? SQL_POSTGRES
                                                : SQL_SQLITE;
    struct str text = str_make((const char *)data + 1, size - 1);
    struct arena arena;
    const struct sql_parse *parse;
    const char *rule = NULL;
    arena_init(&arena, FUZZ_ARENA_BYTES);
    enum err_code code = sql_parse_statement(dialect, text, catalog, &arena, &parse, &rule, &err);
    CHECK(code == ERR_OK ? parse != NULL : parse == NULL && rule != NULL && err.text[0] != '\0');
    if (code == ERR_OK)
        check_spans(parse);
    if (code == ERR_OK && dialect == SQL_SQLITE && is_resolved(parse) &&
        sql_oracle_check(oracle, parse, &err) != ERR_OK)
        CHECK(strncmp(err.text, "SQLite sees", 11) != 0);
    arena_fini(&arena);
    return 0;
}
