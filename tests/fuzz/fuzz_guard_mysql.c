/* SPDX-License-Identifier: MIT */
/* tests/fuzz/fuzz_guard_mysql.c - any bytes before the guard as MySQL.
 *
 * What is accepted must not change when judged again, and must hold no comment, no variable, no
 * second statement and no name of a table behind a view, whatever the text was like. */
#include <stdint.h>

#include "agents/sql/lexer.h"
#include "agents/sql/policy.h"
#include "tests/guard/read_again.h"

enum { FUZZ_ARENA_BYTES = 32 << 20 };

static const char join_graph[] =
    "{\"version\":1,\"tables\":{\"t\":{\"columns\":[\"id\",\"a\"]},"
    "\"u\":{\"columns\":[\"id\",\"t_id\",\"b\"]},\"v\":{\"columns\":[\"id\",\"a\"]}},"
    "\"secure_view_map\":{\"u\":\"v\"},\"relationships\":[]}";

static void check_tokens(struct str sql, struct arena *arena)
{
    struct sql_tokens tokens;
    const char *rule;
    CHECK(sql_lexer_scan(SQL_MYSQL, sql, arena, &tokens, &rule, NULL) == ERR_OK);
    CHECK(!tokens.has_comment && !tokens.has_hint && !tokens.has_executable_comment);
    for (size_t i = 0; i < tokens.count; i++) {
        CHECK(tokens.at[i].kind != SQL_TOKEN_VARIABLE);
        CHECK(tokens.at[i].kind != SQL_TOKEN_PARAMETER);
        CHECK(tokens.at[i].kind != SQL_TOKEN_SEMICOLON);
        CHECK(tokens.at[i].word != SQL_WORD_INTO);
    }
}

static void check_tables(const struct catalog *catalog, const struct sql_parse *parse)
{
    for (size_t i = 0; i < parse->table_count; i++) {
        int table = parse->tables[i].table;
        CHECK(table != CATALOG_NONE && catalog->tables[table].secure_view == CATALOG_NONE);
        CHECK(str_equal(parse->tables[i].name, catalog->tables[table].name));
    }
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    static struct catalog *catalog; /* made once: libFuzzer has no place to end */
    struct err err;
    struct arena arena;
    struct sql_verdict verdict, again;
    const struct sql_tenant nobody = {.on = false};
    struct str text = str_make((const char *)data, size);
    if (catalog == NULL)
        CHECK(catalog_from_join_graph(str_of(join_graph), &catalog, &err) == ERR_OK);
    arena_init(&arena, FUZZ_ARENA_BYTES);
    sql_policy_judge(&sql_policy_default, SQL_MYSQL, text, catalog, nobody, &arena, &verdict);
    if (verdict.code == ERR_OK) {
        struct sql_finding finding;
        CHECK(read_again((struct sql_visible){&sql_policy_default, catalog}, nobody, &verdict,
                         &arena, &finding));
        sql_policy_judge(&sql_policy_default, SQL_MYSQL, verdict.sql, catalog, nobody, &arena,
                         &again);
        CHECK(again.code == ERR_OK && str_equal(again.sql, verdict.sql));
        check_tokens(verdict.sql, &arena);
        check_tables(catalog, again.parse);
    } else {
        CHECK(str_is_absent(verdict.sql) && verdict.err.text[0] != '\0');
    }
    arena_fini(&arena);
    return 0;
}
