/* SPDX-License-Identifier: MIT */
/* server/cli/cmd_sql_lines.c - {"id","dialect","policy","sql"|"sql_b64"} -> {"id","verdict",...}.
 *
 * Happy path: parse the line, find the policy, judge, write the answer.
 * Failure paths: not a JSON object, no sql, broken base64, unknown policy or dialect, no memory: an
 * "error" member says so, with the id where there is one. */
#include "server/cli/cmd_sql_lines.h"

#include "core/base/base64.h"
#include "proto/json_value.h"
#include "proto/json_write.h"

enum { LINE_ARENA_BYTES = 64 << 20 };

const struct sql_policy *cmd_sql_lines_policy(const struct cmd_sql_rules *rules, struct str name)
{
    if (name.len == 0)
        name = rules->default_policy;
    for (size_t i = 0; i < rules->policies.count; i++) {
        if (str_equal(rules->policies.policies[i].name, name))
            return &rules->policies.policies[i];
    }
    if (str_equal(name, sql_policy_banking.name))
        return &sql_policy_banking;
    if (name.len == 0 || str_equal(name, sql_policy_default.name))
        return &sql_policy_default;
    return NULL;
}

static bool find_dialect(struct str name, enum sql_dialect *dialect)
{
    static const struct {
        const char *name;
        enum sql_dialect dialect;
    } names[] = {{"sqlite", SQL_SQLITE},
                 {"postgres", SQL_POSTGRES},
                 {"postgresql", SQL_POSTGRES},
                 {"mysql", SQL_MYSQL},
                 {"mariadb", SQL_MYSQL}};
    for (size_t i = 0; i < countof(names); i++) {
        if (!str_equal_nocase(name, str_of(names[i].name)))
            continue;
        *dialect = names[i].dialect;
        return true;
    }
    return false;
}

/* The statement of a line. The absent string: broken base64, or no memory. */
static struct str decode_base64(struct arena *arena, struct str text)
{
    char *out = arena_alloc(arena, base64_decoded_bytes(text));
    size_t len;
    if (out == NULL || !base64_decode(text, out, &len))
        return (struct str){NULL, 0};
    return str_make(out, len);
}

void cmd_sql_lines_judge(const struct cmd_sql_rules *rules, const struct sql_policy *policy,
                         enum sql_dialect dialect, struct str sql, struct arena *arena,
                         struct sql_verdict *verdict)
{
    if (dialect == SQL_SQLITE && rules->oracle != NULL)
        sql_policy_judge_twice(policy, sql, rules->catalog, rules->tenant, rules->oracle, arena,
                               verdict);
    else
        sql_policy_judge(policy, dialect, sql, rules->catalog, rules->tenant, arena, verdict);
}

static void write_error(struct json_write *out, const struct json_value *id, struct str text)
{
    json_write_object(out);
    if (id != NULL) {
        json_write_key(out, STR("id"));
        json_value_write(id, out);
    }
    json_write_member_str(out, STR("error"), text);
    json_write_object_end(out);
}

static void write_verdict(struct json_write *out, const struct json_value *id,
                          const struct sql_verdict *verdict)
{
    json_write_object(out);
    if (id != NULL) {
        json_write_key(out, STR("id"));
        json_value_write(id, out);
    }
    bool accepted = verdict->code == ERR_OK;
    json_write_member_str(out, STR("verdict"), accepted ? STR("accept") : STR("reject"));
    json_write_member_str(out, STR("rule"), str_of(verdict->rule));
    json_write_member_str(out, STR("reason"), str_of(verdict->err.text));
    json_write_key(out, STR("sql"));
    if (accepted)
        json_write_str(out, verdict->sql);
    else
        json_write_null(out);
    if (verdict->line > 0) {
        json_write_member_u64(out, STR("line"), verdict->line);
        json_write_member_u64(out, STR("column"), verdict->column);
    }
    if (verdict->warning_count > 0) {
        json_write_key(out, STR("warnings"));
        json_write_array(out);
        for (size_t i = 0; i < verdict->warning_count; i++)
            json_write_str(out, verdict->warnings[i].text);
        json_write_array_end(out);
    }
    json_write_object_end(out);
}

static bool answer(const struct cmd_sql_rules *rules, const struct json_value *line,
                   const struct json_value *id, struct arena *arena, struct json_write *out)
{
    struct str name = {NULL, 0}, dialect_name = {NULL, 0}, sql = {NULL, 0}, encoded;
    struct sql_verdict verdict;
    enum sql_dialect dialect = rules->dialect;
    struct err err = {0};
    enum err_code code = json_value_str(line, "/policy", &name, &err);
    if (code == ERR_OK || code == ERR_NOT_FOUND)
        code = json_value_str(line, "/dialect", &dialect_name, &err);
    if (code == ERR_OK || code == ERR_NOT_FOUND)
        code = json_value_str(line, "/sql", &sql, &err);
    if (code == ERR_NOT_FOUND) {
        code = json_value_str(line, "/sql_b64", &encoded, &err);
        if (code == ERR_OK && str_is_absent(sql = decode_base64(arena, encoded)))
            code = err_set(&err, ERR_INVALID, "/sql_b64: expected base64");
        if (code == ERR_NOT_FOUND)
            err_set(&err, code, "/sql: expected a string, got nothing");
    }
    if (code != ERR_OK) {
        write_error(out, id, str_of(err.text));
        return false;
    }
    const struct sql_policy *policy = cmd_sql_lines_policy(rules, name);
    if (policy == NULL)
        write_error(out, id,
                    arena_printf(arena, "/policy: there is no policy '%.*s'",
                                 STR_ARG(str_utf8_prefix(name, 100))));
    else if (dialect_name.len > 0 && !find_dialect(dialect_name, &dialect))
        write_error(out, id,
                    arena_printf(arena,
                                 "/dialect: expected sqlite, postgres or mysql, got "
                                 "'%.*s'",
                                 STR_ARG(str_utf8_prefix(dialect_name, 100))));
    else {
        cmd_sql_lines_judge(rules, policy, dialect, sql, arena, &verdict);
        write_verdict(out, id, &verdict);
        return verdict.code == ERR_OK;
    }
    return false;
}

bool cmd_sql_lines_answer(const struct cmd_sql_rules *rules, struct str text, struct buf *out)
{
    struct arena arena;
    struct json_write writer;
    struct err err = {0};
    bool is_accepted = false;
    arena_init(&arena, LINE_ARENA_BYTES);
    json_write_init(&writer, out);
    const struct json_value *line = json_value_parse(&arena, text, NULL, &err);
    if (line == NULL || line->type != JSON_OBJECT)
        write_error(&writer, NULL, line == NULL ? str_of(err.text) : STR("expected a JSON object"));
    else
        is_accepted = answer(rules, line, json_value_member(line, STR("id")), &arena, &writer);
    arena_fini(&arena);
    return is_accepted;
}
