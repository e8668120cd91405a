/* SPDX-License-Identifier: MIT */
/* agents/sql/guard/policy.c - the guard: parse, rules, rewrite, then parse and rules once more.
 *
 * Happy path: the text is parsed and passes all rules; the rewriter makes what will be sent; that
 * is parsed and passes all rules again, which now also demand what the rewriter owed.
 * Failure paths: whatever finds something first ends it, with the place in the text as given when
 * it was found there. A finding in the second reading is the rewriter's fault or a trick it fell
 * for: the verdict is ERR_REJECTED, too. No memory: ERR_NO_MEMORY, nothing may be sent. */
#include "agents/sql/guard/policy.h"

#include "agents/sql/grammar/lexer.h"
#include "agents/sql/parse/parse_sqlite.h"
#include "agents/sql/guard/policy_rules.h"

static void reject(struct sql_verdict *verdict, enum err_code code, const char *rule,
                   const struct err *err)
{
    bool memory = code == ERR_NO_MEMORY;
    verdict->code = memory ? ERR_NO_MEMORY : ERR_REJECTED;
    verdict->rule = memory ? "no_memory" : rule == NULL ? "syntax" : rule;
    verdict->err = *err;
    verdict->err.code = verdict->code;
    verdict->sql = (struct str){NULL, 0};
    verdict->sent = NULL;
}

static void place(struct sql_verdict *verdict, struct str text, struct sql_span span)
{
    if (span.end > span.start && span.end <= text.len)
        sql_lexer_place(text, span.start, &verdict->line, &verdict->column);
}

static bool check_written(struct sql_policy_case *at, struct str text, enum sql_dialect dialect,
                          struct sql_verdict *verdict)
{
    struct sql_finding finding = {.rule = NULL};
    const char *rule = NULL;
    enum err_code code;
    size_t max = at->sees.policy->max_sql_bytes;
    if (max > 0 && text.len > max) {
        err_set(&finding.err, ERR_REJECTED,
                "The statement has %zu bytes; at most %zu are accepted.", text.len, max);
        reject(verdict, ERR_REJECTED, "length", &finding.err);
        return false;
    }
    code =
        sql_parse_statement_in(dialect, at->sees.policy->default_schema[dialect], text,
                               at->sees.catalog, at->arena, &verdict->parse, &rule, &finding.err);
    if (code != ERR_OK) {
        reject(verdict, code, rule, &finding.err);
        return false;
    }
    at->parse = verdict->parse;
    code = sql_policy_rules_check(at, &finding);
    if (code != ERR_OK) {
        reject(verdict, code, finding.rule, &finding.err);
        place(verdict, text, finding.span);
        return false;
    }
    return true;
}

static void rewrite(struct sql_policy_case *at, struct sql_verdict *verdict)
{
    struct sql_finding finding = {.rule = NULL};
    struct sql_rewrite *made = arena_alloc(at->arena, sizeof *made);
    enum err_code code =
        made == NULL
            ? err_set(&finding.err, ERR_NO_MEMORY, "no memory to rewrite the statement")
            : sql_rewrite_statement(at->sees, at->parse, at->tenant, at->arena, made, &finding);
    if (code != ERR_OK) {
        reject(verdict, code, finding.rule, &finding.err);
        place(verdict, at->parse->text, finding.span);
        return;
    }
    verdict->rewrite = made;
}

void sql_policy_read_written(const struct sql_policy *policy, enum sql_dialect dialect,
                             struct str text, const struct catalog *catalog,
                             struct sql_tenant tenant, struct arena *arena,
                             struct sql_verdict *verdict)
{
    struct sql_policy_case at = {
        .sees = {policy, catalog},
        .tenant = tenant,
        .arena = arena,
        .warnings = arena_array(arena, SQL_POLICY_MAX_WARNINGS, sizeof(struct sql_warning)),
    };
    *verdict = (struct sql_verdict){.code = ERR_OK, .rule = ""};
    if (at.warnings == NULL) {
        struct err err = {0};
        err_set(&err, ERR_NO_MEMORY, "no memory to check the statement");
        reject(verdict, ERR_NO_MEMORY, NULL, &err);
        return;
    }
    if (check_written(&at, text, dialect, verdict))
        rewrite(&at, verdict);
    verdict->warnings = at.warnings;
    verdict->warning_count = at.warning_count;
}

void sql_policy_read_sent(const struct sql_policy *policy, const struct catalog *catalog,
                          struct sql_tenant tenant, struct arena *arena,
                          struct sql_verdict *verdict)
{
    struct sql_finding finding = {.rule = NULL};
    const char *rule = NULL;
    if (verdict->code != ERR_OK)
        return;
    CHECK(verdict->rewrite != NULL);
    struct sql_policy_case at = {
        .sees = {policy, catalog}, .tenant = tenant, .rewrite = verdict->rewrite, .arena = arena};
    enum sql_dialect dialect = verdict->parse->dialect;
    enum err_code code =
        sql_parse_statement_in(dialect, policy->default_schema[dialect], verdict->rewrite->sql,
                               catalog, arena, &at.parse, &rule, &finding.err);
    if (code == ERR_OK) {
        code = sql_policy_rules_check(&at, &finding);
        rule = finding.rule;
    }
    if (code != ERR_OK) {
        err_prefix(&finding.err, "as it would be sent");
        reject(verdict, code, rule, &finding.err);
        return;
    }
    verdict->sql = verdict->rewrite->sql;
    verdict->sent = at.parse;
}

void sql_policy_judge(const struct sql_policy *policy, enum sql_dialect dialect, struct str text,
                      const struct catalog *catalog, struct sql_tenant tenant, struct arena *arena,
                      struct sql_verdict *verdict)
{
    sql_policy_read_written(policy, dialect, text, catalog, tenant, arena, verdict);
    sql_policy_read_sent(policy, catalog, tenant, arena, verdict);
}

void sql_policy_judge_twice(const struct sql_policy *policy, struct str text,
                            const struct catalog *catalog, struct sql_tenant tenant,
                            struct sql_oracle *oracle, struct arena *arena,
                            struct sql_verdict *verdict)
{
    struct err err = {0};
    sql_policy_judge(policy, SQL_SQLITE, text, catalog, tenant, arena, verdict);
    if (verdict->code != ERR_OK)
        return;
    enum err_code code = sql_oracle_check(oracle, verdict->sent, &err);
    if (code != ERR_OK)
        reject(verdict, code, "second_opinion", &err);
}
