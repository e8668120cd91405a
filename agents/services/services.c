/* SPDX-License-Identifier: MIT */
/* agents/services/services.c - what a worker keeps about the knowledge in use, and what a
 * statement's views may know of its caller.
 *
 * A join finder is made at first use and dropped as soon as other knowledge is asked about. The
 * list of session variables is made here and nowhere else. */
#include "agents/services/services.h"

#include <string.h>

#include "agents/sql/joins/join_path.h"

size_t services_key_variable(struct str encrypt_key, struct sql_variable *variable)
{
    if (encrypt_key.len == 0)
        return 0;
    *variable = (struct sql_variable){STR("aesKey"), encrypt_key};
    return 1;
}

bool services_is_shared(const struct knowledge *knows)
{
    bool is_viewed = false;
    for (size_t i = 0; knows->catalog != NULL && i < knows->catalog->table_count; i++)
        is_viewed = is_viewed || knows->catalog->tables[i].secure_view != CATALOG_NONE;
    return knows->tenant.on || is_viewed;
}

size_t services_variables(const struct session *session,
                          struct sql_variable variables[SERVICES_VARIABLES])
{
    const struct str absent = {NULL, 0};
    const struct sql_variable given[] = {
        {STR("company_id"), session->caller.company_id},
        {STR("user_id"), session->caller.user_id},
        {STR("customerIds"), absent},
        {STR("workOrderIds"), absent},
        {STR("serviceLocationIds"), absent},
        {STR("mask_key"), session->knows == NULL ? absent : session->knows->mask_key},
    };
    memcpy(variables, given, sizeof given);
    return countof(given) +
           services_key_variable(session->has->encrypt_key, &variables[countof(given)]);
}

void services_tell_verdict(const struct session *session, const struct sql_verdict *verdict,
                           struct str sql)
{
    const struct services *has = session->has;
    if (verdict->code != ERR_OK && verdict->code != ERR_NO_MEMORY && has->on_rejected != NULL)
        has->on_rejected(has->rejected_owner, session, verdict, sql);
}

static void keep_only(struct services_kept *kept, const struct knowledge *knows)
{
    if (kept->serial != knows->serial || knows->serial == 0)
        services_drop_kept(kept);
    kept->serial = knows->serial;
}

struct join_finder *services_keep_finder(struct services_kept *kept, const struct knowledge *knows,
                                         const struct limits *limits)
{
    const struct join_finder_options options =
        join_finder_options_of(limits->sql_confidence_threshold, limits->sql_max_hops);
    keep_only(kept, knows);
    if (kept->finder == NULL)
        kept->finder = join_finder_create(knows->joins, &options);
    return kept->finder;
}

void services_drop_kept(struct services_kept *kept)
{
    join_finder_destroy(kept->finder);
    *kept = (struct services_kept){0};
}
