/* SPDX-License-Identifier: MIT */
/* agents/sql/guard/policy_file.c - policies by name from a JSON file; its members are in
 * docs/policies.md.
 *
 * Happy path: each member of /policies becomes a policy; /functions is every one's list.
 * Failure paths: not JSON, a member of the wrong type, one that asks for what the guard never
 * allows (writing, several statements, SELECT INTO, executable comments): ERR_INVALID naming it
 * by its JSON pointer. A member nobody knows is refused too: a misspelt rule is no rule. */
#include "agents/sql/guard/policy.h"

#include "proto/json_value.h"

struct reading {
    struct arena *arena;
    const struct json_value *policy; /* the member being read; its key is the name */
    struct err *err;
};

static enum err_code expected(const struct reading *r, const struct json_value *value,
                              const char *what)
{
    return err_set(r->err, ERR_INVALID, "/policies/%.*s/%.*s: expected %s, got %s",
                   STR_ARG(r->policy->key), STR_ARG(value->key), what, json_value_type_name(value));
}

/* ---- members by kind ---- */

static const struct {
    const char *key;
    size_t offset;
} flags[] = {
    {"allow_with", offsetof(struct sql_policy, allow_with)},
    {"allow_set_operations", offsetof(struct sql_policy, allow_set_operations)},
    {"allow_subqueries", offsetof(struct sql_policy, allow_subqueries)},
    {"allow_placeholders", offsetof(struct sql_policy, allow_placeholders)},
    {"allow_session_info", offsetof(struct sql_policy, allow_session_info)},
    {"allow_catalog", offsetof(struct sql_policy, allow_catalog)},
    {"allow_unconnected_base_tables", offsetof(struct sql_policy, allow_unconnected_tables)},
    {"require_tenant", offsetof(struct sql_policy, require_tenant)},
};

static const struct {
    const char *key;
    size_t offset;
} numbers[] = {
    {"default_limit", offsetof(struct sql_policy, default_limit)},
    {"max_limit", offsetof(struct sql_policy, max_limit)},
    {"max_sql_bytes", offsetof(struct sql_policy, max_sql_bytes)},
    {"max_nesting", offsetof(struct sql_policy, max_nesting)},
    {"max_select_items", offsetof(struct sql_policy, max_select_items)},
};

static bool read_plan_rows(const struct json_value *value, struct sql_policy *policy)
{
    if (!str_equal(value->key, STR("max_plan_rows")) || value->type != JSON_INT ||
        value->integer < 0)
        return false;
    policy->max_plan_rows = (double)value->integer;
    return true;
}

/* Members with one value the guard can serve; any other is refused. */
static const struct {
    const char *key;
    bool is_true;
} fixed[] = {
    {"select_only", true},
    {"single_statement", true},
    {"allow_select_into", false},
    {"allow_locking_clause", false},
    {"allow_optimizer_hint_comments", false},
};

static const struct {
    const char *key, *values[4];
} words[] = {
    {"executable_comments", {"reject"}},
    {"hidden_columns_in_star", {"expand_or_reject", "expand", "reject"}},
    {"whole_row_reference", {"visible", "reject"}},
    {"unknown_column", {"reject", "warn", "allow"}},
    {"unknown_table", {"reject", "warn", "allow"}},
    {"secure_mode", {"rewrite", "deny_base"}},
};

static void *field(struct sql_policy *policy, size_t offset)
{
    return (char *)policy + offset;
}

static bool read_flag(const struct json_value *value, struct sql_policy *policy)
{
    for (size_t i = 0; i < countof(flags); i++) {
        if (!str_equal(value->key, str_of(flags[i].key)) || value->type != JSON_BOOL)
            continue;
        *(bool *)field(policy, flags[i].offset) = value->boolean;
        return true;
    }
    return false;
}

static bool read_number(const struct json_value *value, struct sql_policy *policy)
{
    for (size_t i = 0; i < countof(numbers); i++) {
        if (!str_equal(value->key, str_of(numbers[i].key)) || value->type != JSON_INT ||
            value->integer < 0 || value->integer > 1000 * 1000 * 1000)
            continue;
        *(size_t *)field(policy, numbers[i].offset) = (size_t)value->integer;
        if (numbers[i].offset == offsetof(struct sql_policy, max_limit))
            policy->max_is_built_in = false;
        return true;
    }
    return false;
}

static bool read_fixed(const struct json_value *value)
{
    for (size_t i = 0; i < countof(fixed); i++) {
        if (str_equal(value->key, str_of(fixed[i].key)) && value->type == JSON_BOOL &&
            value->boolean == fixed[i].is_true)
            return true;
    }
    return false;
}

static enum sql_severity severity(struct str text)
{
    return str_equal(text, STR("reject")) ? SQL_REFUSE
           : str_equal(text, STR("warn")) ? SQL_WARN
                                          : SQL_ALLOW;
}

static bool is_word(size_t i, struct str text)
{
    for (size_t j = 0; j < countof(words[i].values) && words[i].values[j] != NULL; j++) {
        if (str_equal(text, str_of(words[i].values[j])))
            return true;
    }
    return false;
}

static bool read_word(const struct json_value *value, struct sql_policy *policy)
{
    size_t i = 0;
    while (i < countof(words) && !str_equal(value->key, str_of(words[i].key)))
        i++;
    if (i == countof(words) || value->type != JSON_STRING || !is_word(i, value->text))
        return false;
    if (str_equal(value->key, STR("unknown_column")))
        policy->unknown_column = severity(value->text);
    else if (str_equal(value->key, STR("unknown_table")))
        policy->unknown_table = severity(value->text);
    else if (str_equal(value->key, STR("hidden_columns_in_star")))
        policy->expand_star = !str_equal(value->text, STR("reject"));
    else if (str_equal(value->key, STR("whole_row_reference")))
        policy->whole_rows = str_equal(value->text, STR("visible"));
    else if (str_equal(value->key, STR("secure_mode")))
        policy->secure_deny_base = str_equal(value->text, STR("deny_base"));
    return true;
}

/* true, false, or in words: "only when bounded ..." */
static bool read_recursive(const struct json_value *value, struct sql_policy *policy)
{
    if (value->type == JSON_BOOL) {
        policy->allow_recursive = value->boolean;
        return true;
    }
    policy->allow_recursive = policy->recursive_bounded = true;
    return value->type == JSON_STRING && str_find(value->text, STR("bounded")) != STR_NONE;
}

/* ---- members with parts ---- */

static enum err_code read_list(const struct reading *r, const struct json_value *value,
                               const struct str **out, size_t *count)
{
    if (value->type != JSON_ARRAY)
        return expected(r, value, "an array of names");
    struct str *names = arena_array(r->arena, value->count, sizeof *names);
    if (names == NULL)
        return err_set(r->err, ERR_NO_MEMORY, "no memory for the policies");
    *count = 0;
    JSON_EACH(item, value) {
        if (item->type != JSON_STRING)
            return expected(r, value, "an array of names");
        names[(*count)++] = arena_str(r->arena, item->text);
    }
    *out = names;
    return ERR_OK;
}

static int dialect_of(struct str key)
{
    static const char *const names[] = {
        [SQL_SQLITE] = "sqlite", [SQL_POSTGRES] = "postgres", [SQL_MYSQL] = "mysql"};
    for (size_t i = 0; i < countof(names); i++) {
        if (str_equal(key, str_of(names[i])))
            return (int)i;
    }
    return -1;
}

static enum err_code read_schemas(const struct reading *r, const struct json_value *value,
                                  struct sql_policy *policy)
{
    if (value->type != JSON_OBJECT)
        return expected(r, value, "an object of names by dialect");
    JSON_EACH(item, value) {
        int dialect = dialect_of(item->key);
        if (dialect < 0 || item->type != JSON_STRING)
            return expected(r, value, "names for sqlite, postgres and mysql");
        policy->default_schema[dialect] = arena_str(r->arena, item->text);
    }
    return ERR_OK;
}

static enum err_code read_secure(const struct reading *r, const struct json_value *value,
                                 struct sql_policy *policy)
{
    if (value->type != JSON_OBJECT)
        return expected(r, value, "an object of views by table");
    struct sql_secure_pair *pairs = arena_array(r->arena, value->count, sizeof *pairs);
    if (pairs == NULL)
        return err_set(r->err, ERR_NO_MEMORY, "no memory for the policies");
    JSON_EACH(item, value) {
        if (item->type != JSON_STRING)
            return expected(r, value, "an object of views by table");
        pairs[policy->secure_view_count++] = (struct sql_secure_pair){
            arena_str(r->arena, item->key), arena_str(r->arena, item->text)};
    }
    policy->secure_views = pairs;
    return ERR_OK;
}

/* {"employee": {"salary": "hidden", "iban": "last4"}} */
static enum err_code read_columns(const struct reading *r, const struct json_value *value,
                                  struct sql_policy *policy)
{
    size_t count = 0;
    if (value->type != JSON_OBJECT)
        return expected(r, value, "an object of columns by table");
    JSON_EACH(table, value)
        count += table->count;
    struct sql_column_rule *rules = arena_array(r->arena, count, sizeof *rules);
    if (rules == NULL)
        return err_set(r->err, ERR_NO_MEMORY, "no memory for the policies");
    policy->columns = rules;
    JSON_EACH(table, value) {
        if (table->type != JSON_OBJECT)
            return err_set(r->err, ERR_INVALID,
                           "/policies/%.*s/columns/%.*s: expected an object of columns, got %s",
                           STR_ARG(r->policy->key), STR_ARG(table->key),
                           json_value_type_name(table));
        JSON_EACH(column, table) {
            struct sql_column_rule *rule = &rules[policy->column_count++];
            rule->table = arena_str(r->arena, table->key);
            rule->column = arena_str(r->arena, column->key);
            if (column->type != JSON_STRING || !column_access_find(column->text, &rule->access))
                return err_set(r->err, ERR_INVALID,
                               "/policies/%.*s/columns/%.*s/%.*s: expected " COLUMN_ACCESS_WORDS,
                               STR_ARG(r->policy->key), STR_ARG(table->key), STR_ARG(column->key));
        }
    }
    return ERR_OK;
}

static enum err_code read_member(const struct reading *r, const struct json_value *value,
                                 struct sql_policy *policy)
{
    if (str_equal(value->key, STR("tables")))
        return read_list(r, value, &policy->tables, &policy->table_count);
    if (str_equal(value->key, STR("shared_tables")))
        return read_list(r, value, &policy->shared_tables, &policy->shared_table_count);
    if (str_equal(value->key, STR("functions")))
        return read_list(r, value, &policy->functions, &policy->function_count);
    if (str_equal(value->key, STR("columns")))
        return read_columns(r, value, policy);
    if (str_equal(value->key, STR("default_schema")))
        return read_schemas(r, value, policy);
    if (str_equal(value->key, STR("secure_view_map")))
        return read_secure(r, value, policy);
    if (str_equal(value->key, STR("allow_recursive")))
        return read_recursive(value, policy)
                   ? ERR_OK
                   : expected(r, value, "true, false or \"only when bounded ...\"");
    if (str_equal(value->key, STR("database")) || str_equal(value->key, STR("note")))
        return value->type == JSON_STRING ? ERR_OK : expected(r, value, "a string");
    if (read_flag(value, policy) || read_number(value, policy) || read_plan_rows(value, policy) ||
        read_fixed(value) || read_word(value, policy))
        return ERR_OK;
    return err_set(r->err, ERR_INVALID,
                   "/policies/%.*s/%.*s: not a member, or not a value, the guard knows",
                   STR_ARG(r->policy->key), STR_ARG(value->key));
}

static enum err_code read_functions(const struct reading *r, const struct json_value *functions,
                                    struct sql_policy *policy)
{
    if (functions == NULL)
        return ERR_OK;
    JSON_EACH(item, functions) {
        int dialect = dialect_of(item->key);
        if (dialect < 0 || item->type != JSON_ARRAY)
            return err_set(r->err, ERR_INVALID,
                           "/functions/%.*s: expected an array for sqlite, postgres or mysql",
                           STR_ARG(item->key));
        struct sql_name_list *only = &policy->only_functions[dialect];
        enum err_code code = read_list(r, item, &only->at, &only->count);
        if (code != ERR_OK)
            return code;
    }
    return ERR_OK;
}

/* What a policy that says nothing allows: little. */
static const struct sql_policy silent = {
    .allow_subqueries = true,
    .unknown_table = SQL_REFUSE,
    .unknown_column = SQL_REFUSE,
    .expand_star = true,
    .require_tenant = true,
    .default_limit = 100,
    .max_limit = 1000,
    .max_is_built_in = true,
    .max_plan_rows = 1e9,
    .max_sql_bytes = 16 * 1024,
    .max_nesting = 64,
    .max_select_items = 500,
    .default_schema = {[SQL_SQLITE] = {"main", 4}, [SQL_POSTGRES] = {"public", 6}},
};

enum err_code sql_policy_read(struct str json, struct arena *arena, struct sql_policy_set *set,
                              struct err *err)
{
    struct err local = {0};
    const struct json_value *root = json_value_parse(arena, json, NULL, &local);
    const struct json_value *list = json_value_member(root, STR("policies"));
    const struct json_value *functions = json_value_member(root, STR("functions"));
    *set = (struct sql_policy_set){.policies = NULL};
    if (root == NULL)
        return err_set(err, local.code, "%s", local.text);
    if (list == NULL || list->type != JSON_OBJECT)
        return err_set(err, ERR_INVALID, "/policies: expected an object, got %s",
                       json_value_type_name(list));
    if (functions != NULL && functions->type != JSON_OBJECT)
        return err_set(err, ERR_INVALID, "/functions: expected an object, got %s",
                       json_value_type_name(functions));
    struct sql_policy *policies = arena_array(arena, list->count, sizeof *policies);
    if (policies == NULL)
        return err_set(err, ERR_NO_MEMORY, "no memory for the policies");
    size_t count = 0;
    JSON_EACH(item, list) {
        struct reading r = {arena, item, err};
        struct sql_policy *policy = &policies[count++];
        enum err_code code;
        if (item->type != JSON_OBJECT)
            return err_set(err, ERR_INVALID, "/policies/%.*s: expected an object, got %s",
                           STR_ARG(item->key), json_value_type_name(item));
        *policy = silent;
        policy->name = arena_str(arena, item->key);
        if ((code = read_functions(&r, functions, policy)) != ERR_OK)
            return code;
        JSON_EACH(member, item) {
            if ((code = read_member(&r, member, policy)) != ERR_OK)
                return code;
        }
    }
    *set = (struct sql_policy_set){policies, count};
    return arena_ok(arena) ? ERR_OK : err_set(err, ERR_NO_MEMORY, "no memory for the policies");
}
