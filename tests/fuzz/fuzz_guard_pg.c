/* SPDX-License-Identifier: MIT */
/* tests/fuzz/fuzz_guard_pg.c - any bytes before the guard as PostgreSQL.
 *
 * What is accepted must not change when judged again, and libpg_query must find in it exactly one
 * SELECT that reads only tables of the catalog or its own WITH queries, calls only what may be
 * called, and names a hidden column only where the statement itself made one of that name. Every
 * place that libpg_query gives must be where a token of ours begins. */
#include <string.h>

#include <pg_query.h>

#include "agents/sql/postgres/parse_pg_lexer.h"
#include "agents/sql/catalog/policy_functions_pg.h"
#include "tests/fuzz/judge.h"

static const char join_graph[] =
    "{\"version\":1,\"tables\":{\"t\":{\"columns\":[\"id\",\"a\",\"Mixed\"]},"
    "\"u\":{\"columns\":[\"id\",\"t_id\",\"b\"]},\"v\":{\"columns\":[\"id\",\"a\"]}},"
    "\"secure_view_map\":{\"u\":\"v\"},\"relationships\":[]}";

/* The text up to the quote that ends it; rest moves behind. What libpg_query writes escapes quotes,
 * so a key with its own quotes is never part of a value. */
static struct str take_string(struct str *rest)
{
    size_t end = 0;
    while (end < rest->len && rest->at[end] != '"')
        end += rest->at[end] == '\\' ? 2 : 1;
    struct str text = str_slice(*rest, 0, end);
    *rest = str_from(*rest, end + 1);
    return text;
}

static bool find_after(struct str *rest, struct str key)
{
    ptrdiff_t at = str_find(*rest, key);
    if (at == STR_NONE)
        return false;
    *rest = str_from(*rest, (size_t)at + key.len);
    return true;
}

/* Whether the JSON has the key with this string anywhere. */
static bool has_value(struct str json, struct str key, struct str value)
{
    while (find_after(&json, key))
        if (str_equal(take_string(&json), value))
            return true;
    return false;
}

static void check_relations(struct str json)
{
    for (struct str rest = json; find_after(&rest, STR("\"RangeVar\":{"));) {
        struct str inside = str_slice(rest, 0, (size_t)str_find_char(rest, '}'));
        struct str name = inside, schema = inside;
        bool qualified = find_after(&schema, STR("\"schemaname\":\""));
        CHECK(find_after(&name, STR("\"relname\":\"")));
        name = take_string(&name);
        CHECK(!qualified || str_equal(take_string(&schema), STR("public")));
        bool table = str_equal(name, STR("t")) || str_equal(name, STR("v"));
        CHECK(table || (!qualified && has_value(json, STR("\"ctename\":\""), name)));
    }
}

static void check_functions(struct str json)
{
    for (struct str rest = json; find_after(&rest, STR("\"FuncCall\":{\"funcname\":["));) {
        struct str names = str_slice(rest, 0, (size_t)str_find_char(rest, ']'));
        struct str name = STR("");
        while (find_after(&names, STR("\"sval\":\"")))
            name = take_string(&names);
        CHECK(sql_policy_functions_pg_has(name));
    }
}

/* secret is a column of t that the catalog does not have. */
static void check_columns(struct str json)
{
    bool made = has_value(json, STR("\"name\":\""), STR("secret")) ||
                has_value(json, STR("\"aliasname\":\""), STR("secret")) ||
                has_value(json, STR("\"ctename\":\""), STR("secret")) ||
                has_value(json, STR("\"colname\":\""), STR("secret")) ||
                str_find(json, STR("colnames\":[")) != STR_NONE;
    for (struct str rest = json; !made && find_after(&rest, STR("\"ColumnRef\":{\"fields\":["));) {
        struct str fields = str_slice(rest, 0, (size_t)str_find_char(rest, ']'));
        while (find_after(&fields, STR("\"sval\":\"")))
            CHECK(!str_equal(take_string(&fields), STR("secret")));
    }
}

static void check_places(struct str json, const struct sql_parse_pg_tokens *tokens)
{
    for (struct str rest = json; find_after(&rest, STR("\"location\":"));) {
        size_t end = 0;
        uint64_t offset;
        while (end < rest.len && (str_is_digit(rest.at[end]) || rest.at[end] == '-'))
            end++;
        if (str_to_u64(str_slice(rest, 0, end), &offset))
            CHECK(sql_parse_pg_lexer_at(tokens, offset) < tokens->tokens.count);
    }
}

/* Another reading of what was accepted, by libpg_query's JSON as text. */
static void look(struct catalog *catalog UNUSED, const struct sql_verdict *again,
                 struct arena *arena)
{
    struct str sql = again->sql;
    struct sql_parse_pg_tokens tokens;
    const char *rule;
    CHECK(sql_parse_pg_lexer_scan(sql, arena, &tokens, &rule, NULL) == ERR_OK);
    CHECK(!tokens.tokens.has_comment && !tokens.tokens.has_hint);
    char *text = arena_cstr(arena, sql);
    CHECK(text != NULL);
    PgQueryParseResult result = pg_query_parse(text);
    CHECK(result.error == NULL);
    struct str json = str_of(result.parse_tree);
    struct str stmts = json;
    CHECK(find_after(&stmts, STR("\"stmts\":[{\"stmt\":{\"SelectStmt\":{")));
    CHECK(!find_after(&stmts, STR("\"stmt\":{")));
    static const char *const never[] = {"InsertStmt", "UpdateStmt", "DeleteStmt",
                                        "MergeStmt",  "intoClause", "lockingClause",
                                        "ParamRef",   "XmlExpr",    "SetToDefault"};
    for (size_t i = 0; i < countof(never); i++) {
        struct str key = arena_printf(arena, "\"%s\":", never[i]);
        CHECK(str_find(json, key) == STR_NONE);
    }
    check_relations(json);
    check_functions(json);
    check_columns(json);
    check_places(json, &tokens);
    pg_query_free_parse_result(result);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    return judge_try(SQL_POSTGRES, join_graph, str_make((const char *)data, size), look);
}
