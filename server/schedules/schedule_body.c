/* SPDX-License-Identifier: MIT */
/* server/schedules/schedule_body.c - the run's part is read as any run's body is (run_body), the
 * schedule's own members by a table.
 *
 * Failure: an unknown member, one of another type, an expression and an event at once or neither,
 * an address that is not allowed: 422 with its pointer. Whether the expression is right is found
 * with its next time (schedule_clock). */
#include "server/schedules/schedule_body.h"

#include "server/api/run_body.h"
#include "server/runs/shard.h"
#include "server/schedules/cron.h"
#include "server/schedules/schedule_after.h"
#include "server/schedules/webhook_sign.h"
#include "server/schedules/webhook_url.h"

enum { NAME_BYTES = 128, SECOND_MS = 1000, GRACE_MOST_S = 86400 };

#define DEFAULT_GRAPH "orchestrator"

typedef bool member_fn(struct exchange *exchange, const struct json_value *value,
                       struct schedule *schedule, struct problem *problem);

static bool refuse(const struct json_value *value, const char *pointer, const char *expected,
                   struct problem *problem)
{
    return problem_field(problem, pointer, "%s: expected %s, got %s", pointer, expected,
                         json_value_type_name(value));
}

static bool read_text(const struct json_value *value, const char *pointer, size_t most,
                      struct str *text, struct problem *problem)
{
    if (value->type == JSON_NULL) {
        *text = STR("");
        return true;
    }
    if (value->type != JSON_STRING)
        return refuse(value, pointer, "a string", problem);
    if (value->text.len > most || !str_is_utf8(value->text))
        return problem_field(problem, pointer, "%s: expected at most %zu bytes, got %zu", pointer,
                             most, value->text.len);
    *text = str_trim(value->text);
    return true;
}

static bool take_name(struct exchange *exchange UNUSED, const struct json_value *value,
                      struct schedule *schedule, struct problem *problem)
{
    return read_text(value, "/name", NAME_BYTES, &schedule->name, problem);
}

static bool take_cron(struct exchange *exchange UNUSED, const struct json_value *value,
                      struct schedule *schedule, struct problem *problem)
{
    struct cron cron;
    struct err err = {0};
    if (!read_text(value, "/cron", CRON_BYTES, &schedule->cron, problem))
        return false;
    return schedule->cron.len == 0 || cron_parse(schedule->cron, &cron, &err) == ERR_OK ||
           problem_field(problem, "/cron", "/cron: %s", err.text);
}

bool schedule_body_set_zone(struct str zone, const char *pointer, struct schedule *schedule,
                            struct problem *problem)
{
    schedule->zone = zone;
    return zone.len == 0 || zone_is_name(zone) ||
           problem_field(problem, pointer, "%s: expected a name like Europe/Berlin", pointer);
}

static bool take_zone(struct exchange *exchange UNUSED, const struct json_value *value,
                      struct schedule *schedule, struct problem *problem)
{
    struct str zone;
    return read_text(value, "/timezone", ZONE_NAME_BYTES, &zone, problem) &&
           schedule_body_set_zone(zone, "/timezone", schedule, problem);
}

static bool take_after(struct exchange *exchange, const struct json_value *value,
                       struct schedule *schedule, struct problem *problem)
{
    static const struct {
        const char *name, *pointer;
        size_t at;
    } members[] = {
        {"graph", "/after/graph", offsetof(struct schedule, after_graph)},
        {"status", "/after/status", offsetof(struct schedule, after_status)},
        {"code", "/after/code", offsetof(struct schedule, after_code)},
    };
    struct runs_request graph = {0};
    enum store_status status;
    schedule->after_graph = schedule->after_status = schedule->after_code = STR("");
    if (value->type == JSON_NULL)
        return true;
    if (value->type != JSON_OBJECT)
        return refuse(value, "/after", "an object", problem);
    JSON_EACH(member, value) {
        size_t i = 0;
        while (i < countof(members) && !str_equal(member->key, str_of(members[i].name)))
            i++;
        if (i == countof(members))
            return problem_field(problem, "/after", "/after: there is no member '%.*s'",
                                 STR_ARG(str_utf8_prefix(member->key, NAME_BYTES)));
        if (!read_text(member, members[i].pointer, NAME_BYTES,
                       (struct str *)(void *)((char *)schedule + members[i].at), problem))
            return false;
    }
    if (!run_body_set_graph(exchange, schedule->after_graph, &graph))
        return problem_field(problem, "/after/graph", "/after/graph: there is no graph '%.*s'",
                             STR_ARG(schedule->after_graph));
    return schedule->after_status.len == 0 ||
           schedule_after_status(schedule->after_status, &status) ||
           problem_field(problem, "/after/status",
                         "/after/status: expected complete, failed or cancelled, got '%.*s'",
                         STR_ARG(schedule->after_status));
}

static bool take_grace(struct exchange *exchange UNUSED, const struct json_value *value,
                       struct schedule *schedule, struct problem *problem)
{
    if (value->type != JSON_INT || value->integer < 1 || value->integer > GRACE_MOST_S)
        return problem_field(problem, "/grace_s", "/grace_s: expected seconds from 1 to %d",
                             GRACE_MOST_S);
    schedule->grace_ms = (uint64_t)value->integer * SECOND_MS;
    return true;
}

static bool take_until(struct exchange *exchange UNUSED, const struct json_value *value,
                       struct schedule *schedule, struct problem *problem)
{
    bool is_none = value->type == JSON_NULL;
    if (!is_none && (value->type != JSON_INT || value->integer < 1))
        return refuse(value, "/until_ms", "milliseconds since 1970, or null", problem);
    schedule->until_ms = is_none ? 0 : (uint64_t)value->integer;
    return true;
}

static bool take_paused(struct exchange *exchange UNUSED, const struct json_value *value,
                        struct schedule *schedule, struct problem *problem)
{
    if (value->type != JSON_BOOL)
        return refuse(value, "/paused", "true or false", problem);
    schedule->is_paused = value->boolean;
    return true;
}

/* ---- the webhook ---- */

/* Secrets are kept sealed, or not at all. */
static bool may_have_secret(struct exchange *exchange, const char *pointer, struct problem *problem)
{
    return exchange->shard->group->config->secrets_key[0] != '\0' ||
           problem_field(problem, pointer,
                         "%s: a secret of its own needs ASKD_SECRETS_KEY, which seals it; without "
                         "one, ASKD_WEBHOOK_SECRET signs for all",
                         pointer);
}

static bool make_secret(struct exchange *exchange, struct schedule *schedule,
                        struct problem *problem)
{
    char secret[WEBHOOK_SIGN_SECRET];
    if (!may_have_secret(exchange, "/webhook", problem))
        return false;
    if (!webhook_sign_make(secret))
        return problem_set(problem, 503, "overloaded", "no random bytes for a secret");
    schedule->secret = arena_str(&exchange->arena, str_of(secret));
    return !str_is_absent(schedule->secret) ||
           problem_set(problem, 503, "overloaded", "no memory for another request");
}

bool schedule_body_set_webhook(struct exchange *exchange, struct str url, const char *pointer,
                               struct schedule *schedule, struct problem *problem)
{
    const struct config *config = exchange->shard->group->config;
    struct err err = {0};
    schedule->webhook = url;
    schedule->is_webhook_off = false;
    schedule->webhook_failures = 0;
    schedule->webhook_said = STR("");
    if (url.len == 0) {
        schedule->secret = schedule->old_secret = STR("");
        return true;
    }
    if (webhook_url_check(config, url, &err) != ERR_OK)
        return problem_field(problem, pointer, "%s: %s", pointer, err.text);
    return schedule->secret.len > 0 || config->webhook_secret[0] != '\0' ||
           make_secret(exchange, schedule, problem);
}

/* "rotate": true makes a new secret, and the old one signs beside it; false forgets the old one. */
static bool take_rotation(struct exchange *exchange, const struct json_value *value,
                          struct schedule *schedule, struct problem *problem)
{
    if (value->type != JSON_BOOL)
        return refuse(value, "/webhook/rotate", "true or false", problem);
    schedule->old_secret = value->boolean ? schedule->secret : STR("");
    return !value->boolean || make_secret(exchange, schedule, problem);
}

static bool take_secret(struct exchange *exchange, const struct json_value *value,
                        struct schedule *schedule, struct problem *problem)
{
    if (!may_have_secret(exchange, "/webhook/secret", problem))
        return false;
    if (value->type != JSON_STRING || !webhook_sign_is_secret(value->text))
        return problem_field(problem, "/webhook/secret",
                             "/webhook/secret: expected whsec_ and 24 to 64 bytes in base64");
    schedule->secret = value->text;
    return true;
}

static bool take_webhook(struct exchange *exchange, const struct json_value *value,
                         struct schedule *schedule, struct problem *problem)
{
    struct str url = schedule->webhook;
    if (value->type == JSON_NULL)
        return schedule_body_set_webhook(exchange, STR(""), "/webhook", schedule, problem);
    if (value->type == JSON_STRING)
        return schedule_body_set_webhook(exchange, value->text, "/webhook", schedule, problem);
    if (value->type != JSON_OBJECT)
        return refuse(value, "/webhook", "an address, an object or null", problem);
    JSON_EACH(member, value) {
        bool fine = true;
        if (str_equal(member->key, STR("url")))
            fine = read_text(member, "/webhook/url", WEBHOOK_URL_BYTES, &url, problem);
        else if (str_equal(member->key, STR("secret")))
            fine = take_secret(exchange, member, schedule, problem);
        else if (str_equal(member->key, STR("rotate")))
            fine = take_rotation(exchange, member, schedule, problem);
        else
            fine = problem_field(problem, "/webhook", "/webhook: there is no member '%.*s'",
                                 STR_ARG(str_utf8_prefix(member->key, NAME_BYTES)));
        if (!fine)
            return false;
    }
    if (url.len == 0)
        return problem_field(problem, "/webhook/url", "/webhook/url: expected an address");
    return schedule_body_set_webhook(exchange, url, "/webhook/url", schedule, problem);
}

/* ---- the whole ---- */

static const struct {
    struct str name;
    member_fn *take; /* NULL: the run's, which run_body reads */
} members[] = {
    {{"name", 4}, take_name},     {{"cron", 4}, take_cron},       {{"timezone", 8}, take_zone},
    {{"after", 5}, take_after},   {{"grace_s", 7}, take_grace},   {{"until_ms", 8}, take_until},
    {{"paused", 6}, take_paused}, {{"webhook", 7}, take_webhook}, {{"input", 5}, NULL},
    {{"conversation", 12}, NULL}, {{"options", 7}, NULL},
};

static bool take_members(struct exchange *exchange, const struct json_value *root,
                         struct schedule *schedule, struct problem *problem)
{
    JSON_EACH(member, root) {
        size_t i = 0;
        while (i < countof(members) && !str_equal(member->key, members[i].name))
            i++;
        if (i == countof(members))
            return problem_field(problem, "", "there is no member '%.*s'",
                                 STR_ARG(str_utf8_prefix(member->key, NAME_BYTES)));
        if (members[i].take != NULL && !members[i].take(exchange, member, schedule, problem))
            return false;
    }
    if ((schedule->cron.len > 0) == schedule_is_after(schedule))
        return problem_field(problem, "/cron",
                             "/cron: expected either cron or after, and not both");
    return true;
}

static bool take_run(struct exchange *exchange, const struct json_value *root,
                     struct schedule *schedule, struct problem *problem)
{
    struct runs_request run = {0};
    struct str graph = schedule->graph.len > 0 ? schedule->graph : STR(DEFAULT_GRAPH);
    if (!run_body_set_graph(exchange, graph, &run))
        return problem_set(problem, 500, "internal", "there is no graph '%.*s'", STR_ARG(graph));
    if (!run_body_read_later(exchange, root, &run, problem))
        return false;
    schedule->graph = str_of(graph_def(run.graph)->name);
    schedule->message = run.message;
    schedule->caller = run.caller;
    if (str_is_absent(schedule->caller.conversation_id))
        schedule->caller.conversation_id = STR("");
    if (str_is_absent(schedule->caller.role))
        schedule->caller.role = STR("");
    return true;
}

bool schedule_body_read(struct exchange *exchange, struct schedule *schedule,
                        struct problem *problem)
{
    const struct json_value *root = run_body_parse(exchange, problem);
    *schedule = (struct schedule){.keeps = true, .grace_ms = SCHEDULE_GRACE_MS};
    return root != NULL && take_run(exchange, root, schedule, problem) &&
           take_members(exchange, root, schedule, problem);
}

bool schedule_body_change(struct exchange *exchange, const struct json_value *root,
                          struct schedule *schedule, struct problem *problem)
{
    if (json_value_member(root, STR("conversation")) != NULL)
        return problem_field(problem, "/conversation",
                             "/conversation: whose a schedule is does not change; make another");
    if (json_value_member(root, STR("cron")) != NULL &&
        json_value_member(root, STR("after")) == NULL)
        schedule->after_graph = schedule->after_status = schedule->after_code = STR("");
    if (json_value_member(root, STR("after")) != NULL &&
        json_value_member(root, STR("cron")) == NULL)
        schedule->cron = schedule->zone = STR("");
    if (json_value_member(root, STR("input")) != NULL) {
        const struct identity owner = schedule->caller;
        if (!take_run(exchange, root, schedule, problem))
            return false;
        schedule->caller = owner;
    }
    return take_members(exchange, root, schedule, problem);
}
