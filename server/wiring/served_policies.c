/* SPDX-License-Identifier: MIT */
/* server/wiring/served_policies.c - the policies are read by sql_policy_read, their callers here.
 *
 * Happy path: /serve/graphs gives a policy by graph, /serve/roles one by role, or by role and
 * graph; each becomes a rule with a copy of the policy. Failure paths: not JSON, a policy or graph
 * that is not there, a policy that leaves tables unfiltered: ERR_INVALID at its JSON pointer. */
#include "server/wiring/served_policies.h"

#include "core/base/file.h"
#include "core/base/mem.h"
#include "proto/json_value.h"

enum { LEAST_KEY_BYTES = 16 };
enum { FILE_BYTES = 4 << 20, SERVED_ARENA_BYTES = 64 << 20 };

struct reading {
    struct served_policies *to;
    const struct served_options *options;
    struct sql_policy_set set;
    struct err *err;
};

static enum err_code no_memory(struct err *err)
{
    return err_set(err, ERR_NO_MEMORY, "no memory for the policies");
}

static const struct sql_policy *find_policy(const struct reading *r, const struct json_value *name)
{
    for (size_t i = 0; name->type == JSON_STRING && i < r->set.count; i++) {
        if (str_equal(r->set.policies[i].name, name->text))
            return &r->set.policies[i];
    }
    return NULL;
}

/* Both lists of tables that are everybody's. */
static bool share_tables(const struct reading *r, struct sql_policy *policy)
{
    size_t own = policy->shared_table_count, more = r->options->shared_table_count;
    struct str *names = arena_array(&r->to->arena, own + more, sizeof *names);
    for (size_t i = 0; names != NULL && i < own + more; i++)
        names[i] = i < own ? policy->shared_tables[i] : r->options->shared_tables[i - own];
    policy->shared_tables = names;
    policy->shared_table_count = own + more;
    return names != NULL;
}

static enum err_code add_rule(const struct reading *r, const char *where, struct str role,
                              struct str graph, const struct json_value *name)
{
    const struct sql_policy *policy = find_policy(r, name);
    struct arena *arena = &r->to->arena;
    if (!str_equal(graph, STR("*")) && !r->options->is_graph(graph))
        return err_set(r->err, ERR_INVALID, "%s/%.*s: there is no such graph", where,
                       STR_ARG(graph));
    if (policy == NULL)
        return err_set(r->err, ERR_INVALID, "%s: %.*s: expected the name of one of /policies",
                       where, STR_ARG(name->key));
    struct served_rule *rule = &r->to->rules[r->to->count++];
    *rule = (struct served_rule){arena_str(arena, role), arena_str(arena, graph), *policy};
    return share_tables(r, &rule->policy) && arena_ok(arena) ? ERR_OK : no_memory(r->err);
}

static enum err_code read_graphs(const struct reading *r, const char *where, struct str role,
                                 const struct json_value *graphs)
{
    enum err_code code = ERR_OK;
    if (graphs->type != JSON_OBJECT)
        return err_set(r->err, ERR_INVALID, "%s: expected an object of policies by graph, got %s",
                       where, json_value_type_name(graphs));
    for (const struct json_value *at = graphs->first; at != NULL && code == ERR_OK; at = at->next)
        code = add_rule(r, where, role, at->key, at);
    return code;
}

static enum err_code read_role(const struct reading *r, const struct json_value *role)
{
    struct str where = arena_printf(&r->to->arena, "/serve/roles/%.*s%c", STR_ARG(role->key), 0);
    if (str_is_absent(where))
        return no_memory(r->err);
    if (role->key.len == 0)
        return err_set(r->err, ERR_INVALID, "/serve/roles: a role has a name");
    return role->type == JSON_OBJECT ? read_graphs(r, where.at, role->key, role)
                                     : add_rule(r, where.at, role->key, STR("*"), role);
}

static size_t count_rules(const struct json_value *graphs, const struct json_value *roles)
{
    size_t count = graphs == NULL ? 0 : graphs->count;
    for (const struct json_value *at = roles == NULL ? NULL : roles->first; at != NULL;
         at = at->next)
        count += at->type == JSON_OBJECT ? at->count : 1;
    return count;
}

static enum err_code read_serve(const struct reading *r, const struct json_value *serve)
{
    const struct json_value *graphs = json_value_member(serve, STR("graphs"));
    const struct json_value *roles = json_value_member(serve, STR("roles"));
    enum err_code code = ERR_OK;
    if (serve == NULL || serve->type != JSON_OBJECT)
        return err_set(r->err, ERR_INVALID,
                       "/serve: expected an object that says for whom policies hold, got %s",
                       json_value_type_name(serve));
    JSON_EACH(member, serve) {
        if (member != graphs && member != roles)
            return err_set(r->err, ERR_INVALID, "/serve/%.*s: expected graphs or roles",
                           STR_ARG(member->key));
    }
    if (roles != NULL && roles->type != JSON_OBJECT)
        return err_set(r->err, ERR_INVALID, "/serve/roles: expected an object, got %s",
                       json_value_type_name(roles));
    r->to->rules = arena_array(&r->to->arena, count_rules(graphs, roles) + 1, sizeof *r->to->rules);
    if (r->to->rules == NULL)
        return no_memory(r->err);
    if (graphs != NULL)
        code = read_graphs(r, "/serve/graphs", STR(""), graphs);
    r->to->has_roles = roles != NULL;
    for (const struct json_value *at = roles == NULL ? NULL : roles->first;
         at != NULL && code == ERR_OK; at = at->next)
        code = read_role(r, at);
    return code;
}

static enum err_code check_policies(const struct reading *r)
{
    for (size_t i = 0; i < r->set.count; i++) {
        if (!r->set.policies[i].require_tenant)
            return err_set(r->err, ERR_INVALID,
                           "/policies/%.*s/require_tenant: a policy that is served cannot leave "
                           "tables unfiltered; name them in shared_tables",
                           STR_ARG(r->set.policies[i].name));
    }
    return ERR_OK;
}

static enum err_code read_mask_key(const struct reading *r, const struct json_value *key)
{
    if (key == NULL)
        return ERR_OK;
    if (key->type != JSON_STRING || key->text.len < LEAST_KEY_BYTES)
        return err_set(r->err, ERR_INVALID, "/mask_key: expected a text of at least %d bytes",
                       LEAST_KEY_BYTES);
    r->to->mask_key = arena_str(&r->to->arena, key->text);
    return str_is_absent(r->to->mask_key) ? no_memory(r->err) : ERR_OK;
}

enum err_code served_policies_read(struct str json, const struct served_options *options,
                                   struct served_policies **out, struct err *err)
{
    struct served_policies *to = mem_zalloc(1, sizeof *to);
    struct reading r = {.to = to, .options = options, .err = err};
    *out = NULL;
    if (to == NULL)
        return no_memory(err);
    arena_init(&to->arena, SERVED_ARENA_BYTES);
    enum err_code code = sql_policy_read(json, &to->arena, &r.set, err);
    if (code == ERR_OK)
        code = check_policies(&r);
    if (code == ERR_OK) {
        const struct json_value *root = json_value_parse(&to->arena, json, NULL, err);
        code =
            root == NULL ? err->code : read_mask_key(&r, json_value_member(root, STR("mask_key")));
        if (code == ERR_OK)
            code = read_serve(&r, json_value_member(root, STR("serve")));
    }
    if (code == ERR_OK)
        *out = to;
    else
        served_policies_destroy(to);
    return code;
}

enum err_code served_policies_load(const char *path, const struct served_options *options,
                                   struct served_policies **out, struct err *err)
{
    struct buf text;
    *out = NULL;
    buf_init(&text, FILE_BYTES);
    enum err_code code = file_read(path, &text, err);
    code = code == ERR_OK ? served_policies_read(buf_str(&text), options, out, err) : ERR_INVALID;
    err->code = code;
    buf_fini(&text);
    return code;
}

void served_policies_destroy(struct served_policies *policies)
{
    if (policies == NULL)
        return;
    arena_fini(&policies->arena);
    mem_free(policies);
}

int served_policies_find(const struct served_policies *policies, struct str graph, struct str role)
{
    int of_all = SERVED_BUILT_IN;
    if (policies == NULL)
        return SERVED_BUILT_IN;
    if (!policies->has_roles)
        role = STR("");
    for (size_t i = 0; i < policies->count; i++) {
        const struct served_rule *rule = &policies->rules[i];
        if (!str_equal(rule->role, role))
            continue;
        if (str_equal(rule->graph, graph))
            return (int)i;
        if (str_equal(rule->graph, STR("*")))
            of_all = (int)i;
    }
    return of_all == SERVED_BUILT_IN && role.len > 0 ? SERVED_NOTHING : of_all;
}
