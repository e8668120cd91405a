/* SPDX-License-Identifier: MIT */
/* server/cli/cmd_answer.c - the members of an answer as a tree, and what is looked up in it.
 *
 * Happy path: the members are parsed once, statement and reason are views of the tree.
 * Failure: no memory leaves no members; then there is no statement either. */
#include "server/cli/cmd_answer.h"

#include <stdio.h>

static const struct json_value *find_text(const struct json_value *root, const char *pointer)
{
    const struct json_value *value = json_value_find(root, pointer);
    return value != NULL && value->type == JSON_STRING ? value : NULL;
}

bool cmd_answer_company(const char **company, const struct config *config)
{
    const bool is_given = *company != NULL && (*company)[0] != '\0';
    const bool is_filtered = config->tenant_column[0] != '\0';
    if (is_given == is_filtered)
        return true;
    if (!is_given && config->page_company_id[0] != '\0') {
        *company = config->page_company_id;
        return true;
    }
    if (is_given)
        fputs("askd: --company: ASKD_TENANT_COLUMN is not set, so no rows would be filtered; set "
              "it (--set ASKD_TENANT_COLUMN=NAME), or leave --company out\n",
              stderr);
    else
        fprintf(stderr,
                "askd: rows belong to companies (ASKD_TENANT_COLUMN=%s): say whose are read with "
                "--company ID, or set ASKD_PAGE_COMPANY_ID\n",
                config->tenant_column);
    return false;
}

struct local_engine *cmd_answer_open(const struct config *config, const char *graph,
                                     struct err *err)
{
    return local_engine_open(config, graph == NULL ? "orchestrator" : graph, err);
}

void cmd_answer_read(const struct local_engine_answer *answer, struct arena *arena,
                     struct cmd_answer_said *said)
{
    struct str text = arena_printf(arena, "{%.*s}", STR_ARG(answer->members));
    said->members = str_is_absent(text) ? NULL : json_value_parse(arena, text, NULL, NULL);
    said->sql = find_text(said->members, "/sql");
    if (said->sql != NULL && said->sql->text.len == 0)
        said->sql = NULL;
    const struct json_value *why = find_text(said->members, "/abstained");
    said->why = why == NULL ? answer->text : why->text;
}
