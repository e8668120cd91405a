/* SPDX-License-Identifier: MIT */
/* agents/nodes/check_sql.c - the guard as a node, or as two. Pure CPU, bounded by the statement's
 * size.
 *
 * Happy path: the statement is read as written and rewritten; what came out is read again; it is
 * put as it will be sent, and the error cleared.
 * A text that is nearly a value of its column is spelled as the database does; what else is
 * doubtful goes back to the model, which mends it or writes the same statement again; what is left
 * of it are warnings. Failure: a refusal is state, not a failure of the node: routes
 * decide. A rewritten statement that is not what the rewriter makes of the written one is refused,
 * too. No catalog yet is a failure.
 */
#include "agents/nodes/check_sql.h"

#include "agents/common/extract.h"
#include "agents/nodes/asked.h"
#include "agents/nodes/facts.h"
#include "agents/nodes/findings.h"
#include "agents/nodes/judge_apart.h"
#include "agents/nodes/schema_text.h"
#include "agents/nodes/second_look.h"
#include "agents/nodes/take_sql.h"
#include "agents/semantic_query/statement.h"
#include "agents/sql/guard/rewrite.h"
#include "agents/sql/repair/repair.h"
#include "agents/sql/repair/repair_day.h"
#include "agents/sql/repair/repair_hints.h"
#include "proto/json_write.h"

enum { MAX_TABLES_TOLD = 64 };

const struct catalog *check_sql_catalog(struct node *node, enum step *failed)
{
    const struct knowledge *knows = knowledge(node);
    if (knows->catalog != NULL && services(node)->sql != NULL)
        return knows->catalog;
    struct err err = knows->catalog_err;
    if (err.code == ERR_OK)
        err_set(&err, ERR_NOT_CONFIGURED, "no database is configured: set ASKD_DATABASE_URL");
    *failed = node_fail_as(node, "database_unavailable", &err);
    return NULL;
}

static void put_error_list(struct node *node, unsigned slot, struct str reason)
{
    struct buf out;
    struct json_write writer;
    buf_init(&out, 16 * 1024);
    json_write_init(&writer, &out);
    json_write_array(&writer);
    json_write_str(&writer, reason);
    json_write_array_end(&writer);
    if (buf_ok(&out))
        node_put_str(node, slot, buf_str(&out));
    buf_fini(&out);
}

static enum step refuse(struct node *node, const struct check_sql_config *config, struct str reason)
{
    node_clear(node, slot_index(config->valid_slot));
    if (slot_is_named(config->tables_slot) && node_has(node, slot_index(config->tables_slot)))
        node_clear(node, slot_index(config->tables_slot));
    node_put_str(node, slot_index(config->error_slot), reason);
    if (slot_is_named(config->flag_slot))
        node_put_bool(node, slot_index(config->flag_slot), false);
    if (slot_is_named(config->list_slot))
        put_error_list(node, slot_index(config->list_slot), reason);
    return STEP_DONE;
}

/* Of most rows, those that the policy lets be read. */
static size_t allowed_rows(const struct sql_policy *policy, size_t most)
{
    return policy->max_limit == 0 ? most : size_min(most, policy->max_limit);
}

size_t check_sql_most_rows(struct node *node, const struct check_sql_config *config)
{
    const struct knowledge *knows = knowledge(node);
    return allowed_rows(config->banking ? knows->banking_policy : knows->policy,
                        services(node)->limits->max_query_rows);
}

struct sql_policy check_sql_policy(const struct session *session, bool banking, size_t most)
{
    const struct limits *limits = session->has->limits;
    struct sql_policy policy = banking ? *session->knows->banking_policy : *session->knows->policy;
    /* R152: without pre-validation the database is the one to say that a column is unknown */
    policy.max_columns_listed = limits->sql_max_columns_in_validation;
    if (!banking && !limits->sql_pre_validation_enabled)
        policy.unknown_column = SQL_WARN;
    /* C8: the row past the last that is kept says whether there were more; in banking, whose LIMIT
     * is what it is (R65), a count says so */
    policy.default_limit = allowed_rows(&policy, most) + (banking ? 0 : 1);
    if (policy.max_limit > 0)
        policy.default_limit = size_min(policy.default_limit, policy.max_limit);
    return policy;
}

static struct str question_of(struct node *node, const struct check_sql_config *config)
{
    return slot_is_named(config->question_slot) ? node_str(node, slot_index(config->question_slot))
                                                : STR("");
}

/* The graph's rules with what the configuration says, for its question. */
static struct sql_policy make_policy(struct node *node, const struct check_sql_config *config)
{
    struct sql_policy policy = check_sql_policy(node_session(node), config->banking,
                                                services(node)->limits->max_query_rows);
    if (config->warn_unknown_table)
        policy.unknown_table = SQL_WARN;
    policy.unasked = schema_text_unasked(knowledge(node), question_of(node, config));
    return policy;
}

static struct sql_reading_rules rules_of(struct node *node, const struct sql_policy *policy)
{
    const struct knowledge *knows = knowledge(node);
    return (struct sql_reading_rules){policy, knows->dialect, knows->catalog, knows->tenant};
}

const struct sql_verdict *check_sql_judge(struct node *node, const struct check_sql_config *config,
                                          struct str sql)
{
    const struct sql_policy policy = make_policy(node, config);
    const struct sql_reading_rules rules = rules_of(node, &policy);
    return sql_reading_judge(node_readings(node), &rules, sql, node_arena(node));
}

static struct sql_policy make_unlimited(struct node *node, const struct check_sql_config *config)
{
    struct sql_policy policy = make_policy(node, config);
    policy.default_limit = 0;
    policy.max_limit = 0;
    return policy;
}

const struct sql_verdict *
check_sql_judge_unlimited(struct node *node, const struct check_sql_config *config, struct str sql)
{
    const struct sql_policy policy = make_unlimited(node, config);
    const struct sql_reading_rules rules = rules_of(node, &policy);
    return sql_reading_judge(node_readings(node), &rules, sql, node_arena(node));
}

bool check_sql_judge_apart(struct node *node, const struct check_sql_config *config, struct str sql,
                           bool unlimited, struct judge_apart *apart)
{
    const struct sql_policy policy =
        unlimited ? make_unlimited(node, config) : make_policy(node, config);
    const struct sql_reading_rules rules = rules_of(node, &policy);
    if (!judge_apart_pays(node, &rules, sql))
        return false;
    judge_apart_start(apart, node, &rules, sql);
    return true;
}

const struct sql_parse *check_sql_written(struct node *node, struct str sql)
{
    const struct sql_reading_rules rules = rules_of(node, knowledge(node)->policy);
    return sql_reading_written(node_readings(node), &rules, sql, node_arena(node));
}

/* Each table once, by the name a person knows it by; a table nobody knows as it was written. */
void check_sql_write_tables(struct node *node, const struct check_sql_config *config,
                            const struct sql_parse *parse, struct json_write *writer)
{
    struct str names[MAX_TABLES_TOLD];
    size_t count = 0;
    const struct sql_policy policy = make_policy(node, config);
    struct sql_visible sees = {.policy = &policy, .catalog = knowledge(node)->catalog};
    json_write_array(writer);
    for (size_t i = 0; i < parse->table_count && count < MAX_TABLES_TOLD; i++) {
        const struct sql_table_ref *ref = &parse->tables[i];
        struct str name =
            ref->table == CATALOG_NONE ? ref->name : sql_visible_name(sees, ref->table);
        bool again = false;
        for (size_t j = 0; j < count; j++)
            again = again || str_equal(names[j], name);
        if (again)
            continue;
        names[count++] = name;
        json_write_str(writer, name);
    }
    json_write_array_end(writer);
}

static void put_tables(struct node *node, const struct check_sql_config *config,
                       const struct sql_parse *parse)
{
    struct buf out;
    struct json_write writer;
    buf_init(&out, 16 * 1024);
    json_write_init(&writer, &out);
    check_sql_write_tables(node, config, parse, &writer);
    if (buf_ok(&out))
        node_put_str(node, slot_index(config->tables_slot), buf_str(&out));
    buf_fini(&out);
}

/* Put what was mended, before and now (now: two notes, absent where there is none); nothing when
 * nothing was. */
static void put_notes(struct node *node, const struct check_sql_config *config,
                      const struct str now[2])
{
    struct buf out;
    struct json_write writer;
    const struct state *state = node_state(node);
    const unsigned list = slot_index(config->repairs_slot), slot = slot_index(config->notes_slot);
    if (state_list_count(state, list) == 0 && str_is_absent(now[0]) && str_is_absent(now[1]))
        return;
    buf_init(&out, 16 * 1024);
    json_write_init(&writer, &out);
    json_write_array(&writer);
    for (size_t i = 0; i < state_list_count(state, list); i++)
        json_write_str(&writer, state_list_item(state, list, i));
    for (size_t i = 0; i < 2; i++) {
        if (str_is_absent(now[i]))
            continue;
        json_write_str(&writer, now[i]);
        node_emit(node, EVENT_WARNING, STR("repaired"), now[i], 0);
    }
    json_write_array_end(&writer);
    if (buf_ok(&out))
        node_put_str(node, slot, buf_str(&out));
    buf_fini(&out);
}

/* A JSON array: the verdict's warnings, then what is doubtful still. Absent: no memory. */
static struct str make_warnings(struct node *node, const struct sql_verdict *verdict,
                                const struct findings *findings)
{
    struct buf out;
    struct json_write writer;
    buf_init(&out, 16 * 1024);
    json_write_init(&writer, &out);
    json_write_array(&writer);
    for (size_t i = 0; i < verdict->warning_count; i++) {
        json_write_str(&writer, verdict->warnings[i].text);
        node_emit(node, EVENT_WARNING, str_of(verdict->warnings[i].rule), verdict->warnings[i].text,
                  0);
    }
    for (size_t i = 0; i < findings->count; i++) {
        json_write_str(&writer, findings->at[i].shown);
        node_emit(node, EVENT_WARNING, str_of(findings->at[i].kind), findings->at[i].told, 0);
    }
    json_write_array_end(&writer);
    struct str text =
        buf_ok(&out) ? arena_str(node_arena(node), buf_str(&out)) : (struct str){NULL, 0};
    buf_fini(&out);
    return text;
}

/* What is doubtful about a statement, held against the question that the graph has. */
static void find(struct node *node, const struct check_sql_config *config,
                 const struct sql_parse *parse, const struct literals_found *texts,
                 const struct prove *proved, struct findings *findings)
{
    struct findings_source source = {.parse = parse,
                                     .texts = texts,
                                     .question = question_of(node, config),
                                     .asked = STR(""),
                                     .proved = proved};
    if (slot_is_named(config->messages_slot))
        source.asked = asked_before(node, slot_index(config->messages_slot));
    findings_look(node, &source, findings);
}

/* Put what is said before the answer, or clear what was said of another statement. */
static void put_lead(struct node *node, const struct check_sql_config *config,
                     const struct findings *findings)
{
    const unsigned slot = slot_index(config->lead_slot);
    if (node_has(node, slot))
        node_clear(node, slot);
    for (size_t i = 0; i < findings->count; i++) {
        if (!findings->at[i].leads)
            continue;
        struct str lead =
            arena_printf(node_arena(node), "Careful: %.*s.", STR_ARG(findings->at[i].shown));
        if (!str_is_absent(lead))
            node_put_str(node, slot, lead);
        return;
    }
}

/* Put a statement that passes, and return it with the warnings about it. */
static struct check_sql_passed put_passed(struct node *node, const struct check_sql_config *config,
                                          const struct sql_verdict *verdict,
                                          const struct findings *findings)
{
    struct check_sql_passed passed = {.verdict = verdict};
    node_put_str(node, slot_index(config->valid_slot), verdict->sql);
    if (slot_is_named(config->warnings_slot))
        passed.warnings = make_warnings(node, verdict, findings);
    if (!str_is_absent(passed.warnings))
        node_put_str(node, slot_index(config->warnings_slot), passed.warnings);
    if (slot_is_named(config->lead_slot))
        put_lead(node, config, findings);
    if (slot_is_named(config->tables_slot))
        put_tables(node, config, verdict->parse);
    return passed;
}

enum err_code check_sql_adopt(struct node *node, const struct check_sql_config *config,
                              struct str sql, bool by_person, struct check_sql_passed *passed,
                              struct err *err)
{
    const struct sql_verdict *verdict = check_sql_judge(node, config, sql);
    struct check_sql_config alone = *config;
    struct findings findings;
    if (by_person)
        alone.question_slot = (struct slot_ref){0};
    services_tell_verdict(node_session(node), verdict, sql);
    *err = verdict->err;
    if (verdict->code != ERR_OK)
        return verdict->code;
    node_put_str(node, slot_index(config->sql_slot), sql);
    find(node, &alone, verdict->parse, NULL, NULL, &findings);
    *passed = put_passed(node, &alone, verdict, &findings);
    if (slot_is_named(config->notes_slot) && node_has(node, slot_index(config->notes_slot)))
        node_clear(node, slot_index(config->notes_slot)); /* on the other statement */
    return ERR_OK;
}

bool check_sql_is_full(const struct sql_verdict *passed, size_t count)
{
    const struct sql_limit *sent = &passed->sent->limit, *written = &passed->parse->limit;
    const bool is_own = written->present && written->is_number && sent->is_number &&
                        written->number <= sent->number;
    return sent->present && sent->is_number && !is_own && count >= (uint64_t)sent->number;
}

static node_fn rewrite, judge; /* what both nodes go on with */

static enum step enter_rewrite(struct node *node)
{
    const struct check_sql_config *config = node_config(node);
    enum step failed;
    if (check_sql_catalog(node, &failed) == NULL)
        return failed;
    struct str sql = node_str(node, slot_index(config->sql_slot));
    if (!str_is_absent(extract_refusal(sql))) {
        node_clear(node, slot_index(config->rewritten_slot));
        return STEP_DONE;
    }
    return check_sql_judge_apart(node, config, sql, false, node_frame(node))
               ? node_settle(node, rewrite)
               : rewrite(node);
}

static enum step rewrite(struct node *node)
{
    const struct check_sql_config *config = node_config(node);
    unsigned slot = slot_index(config->rewritten_slot);
    struct str sql = node_str(node, slot_index(config->sql_slot));
    const struct sql_policy policy = make_policy(node, config);
    const struct sql_reading_rules rules = rules_of(node, &policy);
    const struct sql_verdict *verdict =
        sql_reading_rewrite(node_readings(node), &rules, sql, node_arena(node));
    if (verdict->code == ERR_NO_MEMORY)
        return node_fail(node, &verdict->err);
    if (verdict->code == ERR_OK)
        node_put_str(node, slot, verdict->rewrite->sql);
    else
        node_clear(node, slot); /* check_sql_node says why */
    return STEP_DONE;
}

/* Whether what passed is what the node before made: the state may come from a server with another
 * schema or policy. */
static bool is_as_rewritten(struct node *node, const struct check_sql_config *config,
                            const struct sql_verdict *verdict)
{
    return !slot_is_named(config->rewritten_slot) ||
           str_equal(node_str(node, slot_index(config->rewritten_slot)), verdict->sql);
}

/* Put another text of the statement, on which the guard's verdict is verdict. */
static void put_sql(struct node *node, const struct check_sql_config *config, struct str sql,
                    const struct sql_verdict *verdict)
{
    node_put_str(node, slot_index(config->sql_slot), sql);
    if (slot_is_named(config->rewritten_slot))
        node_put_str(node, slot_index(config->rewritten_slot), verdict->sql);
}

/* Spell texts as the database does: the verdict on the statement that is put then, or verdict. */
static const struct sql_verdict *mend_texts(struct node *node,
                                            const struct check_sql_config *config,
                                            const struct sql_verdict *verdict,
                                            struct literals_found *found)
{
    const struct sql_verdict *mended;
    if (str_is_absent(found->sql) || str_is_absent(found->mended))
        return verdict;
    mended = check_sql_judge(node, config, found->sql);
    if (mended->code != ERR_OK) {
        found->mended = (struct str){NULL, 0};
        return verdict;
    }
    put_sql(node, config, found->sql, mended);
    if (slot_is_named(config->repairs_slot))
        node_push_item(node, slot_index(config->repairs_slot), found->mended);
    return mended;
}

/* Words of another dialect that the guard passes all the same: the verdict on the statement that is
 * put then, or verdict. */
static const struct sql_verdict *mend_words(struct node *node,
                                            const struct check_sql_config *config,
                                            const struct sql_verdict *verdict, struct str *note)
{
    struct sql_repair repair;
    if (verdict->parse == NULL || second_look_is_offline(node) ||
        !sql_repair_words(knowledge(node), verdict->parse->text, node_arena(node), &repair))
        return verdict;
    const struct sql_verdict *mended = check_sql_judge(node, config, repair.sql);
    if (mended->code != ERR_OK)
        return verdict;
    put_sql(node, config, repair.sql, mended);
    node_push_item(node, slot_index(config->repairs_slot), repair.note);
    *note = repair.note;
    return mended;
}

/* The day that is set for today in the place of the database's: the verdict on the statement that
 * is put then, or verdict. */
static const struct sql_verdict *set_day(struct node *node, const struct check_sql_config *config,
                                         const struct sql_verdict *verdict)
{
    if (!services(node)->today_is_set || verdict->parse == NULL)
        return verdict;
    struct str day = facts_today(node);
    struct str sql =
        str_is_empty(day)
            ? (struct str){NULL, 0}
            : sql_repair_day(knowledge(node)->dialect, verdict->parse->text, day, node_arena(node));
    const struct sql_verdict *set =
        str_is_absent(sql) ? verdict : check_sql_judge(node, config, sql);
    if (set == verdict || set->code != ERR_OK)
        return verdict;
    put_sql(node, config, sql, set);
    return set;
}

static bool may_ask_again(struct node *node, const struct check_sql_config *config)
{
    return node_int(node, slot_index(config->tries_slot)) <
           graph_budget_limit(node_graph(node), config->tries_budget);
}

/* Whether the model is asked about what was found: while it may be asked, and not twice about the
 * same. */
static bool asks_about(struct node *node, const struct check_sql_config *config, struct str sql,
                       const struct findings *findings)
{
    struct findings before;
    struct literals_found texts;
    if (findings->count == 0 || !may_ask_again(node, config) || second_look_is_offline(node))
        return false;
    if (!node_has(node, slot_index(config->doubt_slot)))
        return true;
    struct str doubt = node_str(node, slot_index(config->doubt_slot));
    if (str_equal(doubt, sql)) /* the same statement again */
        return false;
    const struct sql_verdict *doubted = check_sql_judge(node, config, doubt);
    if (doubted->code != ERR_OK)
        return true;
    literals_check(node, doubted->parse, &texts);
    find(node, config, doubted->parse, &texts, NULL, &before);
    return findings_are_new(findings, &before);
}

/* Whether the model was told of texts that are no values, and wrote none of these again. */
static bool has_mended_values(struct node *node, const struct check_sql_config *config,
                              const struct literals_found *texts)
{
    struct literals_found before;
    if (!node_has(node, slot_index(config->doubt_slot)) || !str_is_absent(texts->doubt))
        return false;
    const struct sql_verdict *doubted =
        check_sql_judge(node, config, node_str(node, slot_index(config->doubt_slot)));
    if (doubted->code != ERR_OK)
        return false;
    literals_check(node, doubted->parse, &before);
    return !str_is_absent(before.doubt);
}

/* The verdict on the statement that was doubtful, which is put: the guard passes it, and
 * nothing better than refused came of asking. NULL: there is none, or the model may be asked again,
 * unless it wrote prose, in which it stands by the statement. */
static const struct sql_verdict *
last_resort(struct node *node, const struct check_sql_config *config, struct str refused)
{
    if (!slot_is_named(config->doubt_slot) || !node_has(node, slot_index(config->doubt_slot)) ||
        (may_ask_again(node, config) && str_is_absent(take_sql_why_prose(refused))))
        return NULL;
    struct str sql = node_str(node, slot_index(config->doubt_slot));
    const struct sql_verdict *verdict = check_sql_judge(node, config, sql);
    if (verdict->code != ERR_OK)
        return NULL;
    put_sql(node, config, sql, verdict);
    return verdict;
}

struct check_frame {
    struct prove prove; /* the first member */
    struct judge_apart apart;
    const struct sql_verdict *verdict;
    struct literals_found texts;
    struct str words; /* what was said of words of another dialect */
};

static node_fn pass_proven;

static const struct sql_verdict *judge_proof(struct node *node, struct str sql)
{
    return check_sql_judge(node, node_config(node), sql);
}

/* Have rows prove what they can, of the offline engine's statements only that others share the
 * first place; nothing where a person approves statements before they run. */
static enum step prove(struct node *node, const struct check_sql_config *config)
{
    struct check_frame *f = node_frame(node);
    const struct knowledge *knows = knowledge(node);
    const struct limits *limits = services(node)->limits;
    const struct sql_policy *policy = config->banking ? knows->banking_policy : knows->policy;
    if (limits->sql_approval)
        return pass_proven(node);
    f->prove.judge = judge_proof;
    f->prove.cost = (struct sql_cost_limits){limits->sql_max_cost, policy->max_plan_rows,
                                             services_is_shared(knows)};
    f->prove.then = pass_proven;
    return prove_start(node, &(struct sql_doubts_source){.parse = f->verdict->parse,
                                                         .catalog = knows->catalog,
                                                         .question = question_of(node, config),
                                                         .arena = node_arena(node),
                                                         .ties_only = second_look_is_offline(node),
                                                         .counted = findings_counted,
                                                         .owner = node});
}

/* The guard passes the statement: mend what can be meant in one way only, and have rows prove what
 * they can. */
static enum step pass(struct node *node, const struct check_sql_config *config,
                      const struct sql_verdict *verdict)
{
    struct check_frame *f = node_frame(node);
    f->texts = (struct literals_found){.sql = {NULL, 0}};
    f->words = (struct str){NULL, 0};
    f->verdict = verdict;
    if (!slot_is_named(config->doubt_slot))
        return pass_proven(node);
    verdict = set_day(node, config, mend_words(node, config, verdict, &f->words));
    literals_check(node, verdict->parse, &f->texts);
    f->verdict = mend_texts(node, config, verdict, &f->texts);
    return prove(node, config);
}

/* Ask the model about what is doubtful, or put the statement with what is left of it. */
static enum step pass_proven(struct node *node)
{
    struct check_frame *f = node_frame(node);
    const struct check_sql_config *config = node_config(node);
    const struct sql_verdict *verdict = f->verdict;
    struct findings findings;
    find(node, config, verdict->parse, &f->texts, &f->prove, &findings);
    if (slot_is_named(config->doubt_slot) && has_mended_values(node, config, &f->texts))
        findings_drop_strangers(&findings);
    if (slot_is_named(config->doubt_slot) &&
        asks_about(node, config, verdict->parse->text, &findings)) {
        struct str told = findings_tell(node, &findings);
        node_put_str(node, slot_index(config->doubt_slot), verdict->parse->text);
        return refuse(node, config, str_is_absent(told) ? findings.at[0].told : told);
    }
    const struct finding *wrong = findings_wrong(&findings);
    if (wrong != NULL) /* however often it is written */
        return refuse(node, config, wrong->told);
    (void)put_passed(node, config, verdict, &findings);
    if (slot_is_named(config->notes_slot))
        put_notes(node, config, (struct str[2]){f->words, f->texts.mended});
    node_clear(node, slot_index(config->error_slot));
    if (slot_is_named(config->list_slot))
        node_clear(node, slot_index(config->list_slot));
    if (slot_is_named(config->flag_slot))
        node_put_bool(node, slot_index(config->flag_slot), true);
    return STEP_DONE;
}

/* Why the guard refuses, or a query over metrics is none; and how this dialect writes what another
 * one has. */
static struct str explain(struct node *node, const struct sql_verdict *verdict, struct str sql)
{
    struct err why;
    struct str prose = take_sql_why_prose(sql);
    if (!str_is_absent(prose))
        return prose;
    if (semantic_query_problem(node, sql, &why))
        return arena_printf(node_arena(node), "%s", why.text);
    struct str text = str_of(verdict->err.text);
    struct str hints = sql_repair_hints(knowledge(node)->dialect, sql, node_arena(node));
    struct str both = arena_printf(node_arena(node), "%.*s%.*s", STR_ARG(text), STR_ARG(hints));
    return str_is_empty(hints) || str_is_absent(both) ? text : both;
}

static enum step enter(struct node *node)
{
    const struct check_sql_config *config = node_config(node);
    struct check_frame *f = node_frame(node);
    enum step failed;
    if (check_sql_catalog(node, &failed) == NULL)
        return failed;
    struct str sql = node_str(node, slot_index(config->sql_slot)), reason = extract_refusal(sql);
    if (!str_is_absent(reason))
        return refuse(node, config, reason);
    return check_sql_judge_apart(node, config, sql, false, &f->apart) ? node_settle(node, judge)
                                                                      : judge(node);
}

static enum step judge(struct node *node)
{
    const struct check_sql_config *config = node_config(node);
    struct str sql = node_str(node, slot_index(config->sql_slot));
    const struct sql_verdict *verdict = check_sql_judge(node, config, sql);
    services_tell_verdict(node_session(node), verdict, sql);
    if (verdict->code == ERR_NO_MEMORY)
        return node_fail(node, &verdict->err);
    const struct sql_verdict *doubted =
        verdict->code == ERR_OK ? NULL : last_resort(node, config, sql);
    if (doubted != NULL)
        return pass(node, config, doubted);
    if (verdict->code != ERR_OK) {
        LOG(node_log(node), INFO, "sql.rejected", "rule=%s",
            verdict->rule == NULL ? "?" : verdict->rule);
        return refuse(node, config, explain(node, verdict, sql));
    }
    if (!is_as_rewritten(node, config, verdict))
        return refuse(node, config,
                      STR("The statement was rewritten for another schema; write it again."));
    return pass(node, config, verdict);
}

const struct graph_node_type check_sql_node = {.enter = enter,
                                               .frame_bytes = sizeof(struct check_frame)};
const struct graph_node_type check_sql_rewrite_node = {.enter = enter_rewrite,
                                                       .frame_bytes = sizeof(struct judge_apart)};
