/* SPDX-License-Identifier: MIT */
/* server/auth/auth_grant.c - names are compared with those a key or token may use.
 *
 * Failure: any other name is refused, and an empty one is filled in only where there is no choice.
 */
#include "server/auth/auth_grant.h"

const char *auth_grant_scope_name(enum auth_scope scope)
{
    return scope == AUTH_ASK ? "ask" : scope == AUTH_ADMIN ? "admin" : "metrics";
}

static bool may_name(const struct auth_grant *grant, struct str company)
{
    for (size_t i = 0; i < grant->company_count; i++)
        if (str_equal(grant->companies[i], company))
            return true;
    return grant->company_count == 0;
}

/* The token's name goes into *name, which must be empty or equal. */
static enum err_code settle_name(struct str of_token, const char *what, struct str *name,
                                 struct err *err)
{
    if (name->len > 0 && !str_equal(*name, of_token))
        return err_set(err, ERR_DENIED, "the request names another %s than its token", what);
    *name = of_token;
    return ERR_OK;
}

static enum err_code settle_token(const struct auth_grant *grant, struct identity *caller,
                                  struct err *err)
{
    if (settle_name(grant->company, "company", &caller->company_id, err) != ERR_OK ||
        settle_name(grant->user, "user", &caller->user_id, err) != ERR_OK ||
        settle_name(grant->role, "role", &caller->role, err) != ERR_OK)
        return err->code;
    return ERR_OK;
}

enum err_code auth_grant_settle(const struct auth_grant *grant, struct identity *caller,
                                struct err *err)
{
    if (grant->is_token)
        return settle_token(grant, caller, err);
    if (caller->company_id.len == 0 && grant->company_count == 1)
        caller->company_id = grant->companies[0];
    if (may_name(grant, caller->company_id))
        return ERR_OK;
    if (caller->company_id.len == 0)
        return err_set(
            err, ERR_DENIED,
            "the key '%.*s' speaks for several companies: name one of them in the header "
            "X-Askd-Company-Id",
            STR_ARG(str_utf8_prefix(grant->name, 64)));
    return err_set(err, ERR_DENIED, "the key '%.*s' may not speak for the company '%.*s'",
                   STR_ARG(str_utf8_prefix(grant->name, 64)),
                   STR_ARG(str_utf8_prefix(caller->company_id, 64)));
}

bool auth_grant_covers(const struct auth_grant *grant, const struct identity *caller)
{
    if (grant->is_token)
        return str_equal(caller->company_id, grant->company) &&
               str_equal(caller->user_id, grant->user);
    return may_name(grant, caller->company_id);
}
