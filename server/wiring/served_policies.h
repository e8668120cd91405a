/* SPDX-License-Identifier: MIT */
/* server/wiring/served_policies.h - the file of ASKD_POLICIES: policies by name, and which of them
 * holds for whom (docs/policies.md, "Serving policies"). Immutable once loaded; any thread. */
#ifndef SERVER_WIRING_SERVED_POLICIES_H
#define SERVER_WIRING_SERVED_POLICIES_H

#include "agents/sql/guard/policy.h"

struct served_rule {
    struct str role;  /* "": of callers that have none */
    struct str graph; /* "*": of every graph that the role has no rule of its own for */
    struct sql_policy policy;
};

struct served_policies {
    struct arena arena;
    struct served_rule *rules;
    size_t count;
    struct str mask_key; /* of the pseudonyms of masks; absent: none is given */
    bool has_roles;      /* then a role that has no rule may read nothing */
};

struct served_options {
    const struct str *shared_tables; /* everybody's under every policy, beside its own; borrowed */
    size_t shared_table_count;
    bool (*is_graph)(struct str name);
};

/* Read a file. ERR_INVALID: what is wrong, at its JSON pointer; ERR_NO_MEMORY. The caller destroys
 * *out. */
MUST_USE enum err_code served_policies_load(const char *path, const struct served_options *options,
                                            struct served_policies **out, struct err *err);
MUST_USE enum err_code served_policies_read(struct str json, const struct served_options *options,
                                            struct served_policies **out, struct err *err);
/* NULL is fine. */
void served_policies_destroy(struct served_policies *policies);
/* Which rule holds for a caller of the role in the graph: its index, SERVED_BUILT_IN where the file
 * says nothing, SERVED_NOTHING where the role may read nothing. policies NULL: SERVED_BUILT_IN. */
enum { SERVED_BUILT_IN = -1, SERVED_NOTHING = -2 };
int served_policies_find(const struct served_policies *policies, struct str graph, struct str role);

#endif
