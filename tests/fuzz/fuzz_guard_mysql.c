/* SPDX-License-Identifier: MIT */
/* tests/fuzz/fuzz_guard_mysql.c - any bytes before the guard as MySQL.
 *
 * What is accepted must not change when judged again, and must hold no comment, no variable, no
 * second statement and no name of a table behind a view, whatever the text was like. */

#include "agents/sql/grammar/lexer.h"
#include "tests/fuzz/judge.h"

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

static void look(struct catalog *catalog, const struct sql_verdict *again, struct arena *arena)
{
    check_tokens(again->sql, arena);
    check_tables(catalog, again->parse);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    return judge_try(SQL_MYSQL, join_graph, str_make((const char *)data, size), look);
}
