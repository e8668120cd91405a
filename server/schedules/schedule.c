/* SPDX-License-Identifier: MIT */
/* server/schedules/schedule.c - one table of texts and one of numbers, walked both ways.
 *
 * Failure: bytes that this program did not write are ERR_PROTOCOL. */
#include "server/schedules/schedule.h"

#include <string.h>

enum { LOOK_MS = 3000 }; /* how often it is looked for runs that have ended */

struct text_field {
    const char *name;
    size_t at;
    bool is_hidden; /* from its owner */
};

#define TEXT(name, member, hidden)                                                                 \
    {                                                                                              \
        name, offsetof(struct schedule, member), hidden                                            \
    }

static const struct text_field texts[] = {
    TEXT("name", name, false),
    TEXT("graph", graph, false),
    TEXT("message", message, false),
    TEXT("metadata", metadata, true),
    TEXT("conversation_id", caller.conversation_id, false),
    TEXT("role", caller.role, true),
    TEXT("cron", cron, false),
    TEXT("timezone", zone, false),
    TEXT("after_graph", after_graph, true),
    TEXT("after_status", after_status, true),
    TEXT("after_code", after_code, true),
    TEXT("webhook_url", webhook, true),
    TEXT("secret", secret, true),
    TEXT("old_secret", old_secret, true),
    TEXT("webhook_said", webhook_said, true),
    TEXT("seen_id", seen_id, true),
};

static const struct text_field numbers[] = {
    TEXT("until_ms", until_ms, false),
    TEXT("grace_ms", grace_ms, false),
    TEXT("webhook_failures", webhook_failures, true),
    TEXT("due_ms", due_ms, false),
    TEXT("asked_ms", asked_ms, true),
    TEXT("seen_ms", seen_ms, true),
};

static const struct text_field truths[] = {
    TEXT("keeps", keeps, true),
    TEXT("paused", is_paused, false),
    TEXT("webhook_off", is_webhook_off, true),
};

/* ---- writing ---- */

static void write_notes(const struct schedule *schedule, struct json_write *json)
{
    json_write_key(json, STR("runs"));
    json_write_array(json);
    for (size_t i = 0; i < schedule->note_count; i++) {
        const struct schedule_note *note = &schedule->notes[i];
        json_write_object(json);
        json_write_member_str(json, STR("what"), note->what);
        if (note->run_id.len > 0)
            json_write_member_str(json, STR("run_id"), note->run_id);
        if (note->text.len > 0)
            json_write_member_str(json, STR("text"), note->text);
        if (note->conversation_id.len > 0)
            json_write_member_str(json, STR("conversation_id"), note->conversation_id);
        json_write_member_u64(json, STR("due_ms"), note->due_ms);
        json_write_member_u64(json, STR("at_ms"), note->at_ms);
        json_write_object_end(json);
    }
    json_write_array_end(json);
}

/* Members that are objects of their own for the owner. */
static void write_owners(const struct schedule *schedule, struct json_write *json)
{
    if (schedule_is_after(schedule)) {
        json_write_key(json, STR("after"));
        json_write_object(json);
        json_write_member_str(json, STR("graph"), schedule->after_graph);
        if (schedule->after_status.len > 0)
            json_write_member_str(json, STR("status"), schedule->after_status);
        if (schedule->after_code.len > 0)
            json_write_member_str(json, STR("code"), schedule->after_code);
        json_write_object_end(json);
    }
    if (schedule->webhook.len > 0) {
        json_write_key(json, STR("webhook"));
        json_write_object(json);
        json_write_member_str(json, STR("url"), schedule->webhook);
        json_write_member_bool(json, STR("enabled"), !schedule->is_webhook_off);
        json_write_member_u64(json, STR("failures"), schedule->webhook_failures);
        if (schedule->webhook_said.len > 0)
            json_write_member_str(json, STR("last_failure"), schedule->webhook_said);
        json_write_object_end(json);
    }
}

void schedule_write(const struct schedule *schedule, bool is_for_owner, struct json_write *json)
{
    const char *base = (const char *)schedule;
    for (size_t i = 0; i < countof(texts); i++) {
        struct str text;
        memcpy(&text, base + texts[i].at, sizeof text);
        if (text.len > 0 && !(is_for_owner && texts[i].is_hidden))
            json_write_member_str(json, str_of(texts[i].name), text);
    }
    for (size_t i = 0; i < countof(numbers); i++) {
        uint64_t number;
        memcpy(&number, base + numbers[i].at, sizeof number);
        if (number > 0 && !(is_for_owner && numbers[i].is_hidden))
            json_write_member_u64(json, str_of(numbers[i].name), number);
    }
    for (size_t i = 0; i < countof(truths); i++) {
        bool truth;
        memcpy(&truth, base + truths[i].at, sizeof truth);
        if (!(is_for_owner && truths[i].is_hidden))
            json_write_member_bool(json, str_of(truths[i].name), truth);
    }
    if (is_for_owner)
        write_owners(schedule, json);
    write_notes(schedule, json);
}

/* ---- reading ---- */

static struct str text_in(const struct json_value *object, const char *name)
{
    const struct json_value *value = json_value_member(object, str_of(name));
    return value != NULL && value->type == JSON_STRING ? value->text : STR("");
}

static uint64_t number_in(const struct json_value *object, const char *name)
{
    const struct json_value *value = json_value_member(object, str_of(name));
    return value != NULL && value->type == JSON_INT && value->integer > 0 ? (uint64_t)value->integer
                                                                          : 0;
}

static void read_notes(const struct json_value *list, struct schedule *schedule)
{
    if (list == NULL || list->type != JSON_ARRAY)
        return;
    JSON_EACH(item, list)
        if (schedule->note_count < SCHEDULE_NOTES)
            schedule->notes[schedule->note_count++] =
                (struct schedule_note){.what = text_in(item, "what"),
                                       .run_id = text_in(item, "run_id"),
                                       .text = text_in(item, "text"),
                                       .conversation_id = text_in(item, "conversation_id"),
                                       .due_ms = number_in(item, "due_ms"),
                                       .at_ms = number_in(item, "at_ms")};
}

enum err_code schedule_read(const struct store_job *job, struct arena *arena,
                            struct schedule *schedule, struct err *err)
{
    const struct json_value *root = json_value_parse(arena, job->bytes, NULL, NULL);
    char *base = (char *)schedule;
    memset(schedule, 0, sizeof *schedule);
    if (root == NULL || root->type != JSON_OBJECT || text_in(root, "graph").len == 0)
        return err_set(err, ERR_PROTOCOL, "the schedule is not one that this version writes");
    for (size_t i = 0; i < countof(texts); i++) {
        struct str text = text_in(root, texts[i].name);
        memcpy(base + texts[i].at, &text, sizeof text);
    }
    for (size_t i = 0; i < countof(numbers); i++) {
        uint64_t number = number_in(root, numbers[i].name);
        memcpy(base + numbers[i].at, &number, sizeof number);
    }
    for (size_t i = 0; i < countof(truths); i++) {
        const struct json_value *value = json_value_member(root, str_of(truths[i].name));
        bool truth = value != NULL && value->type == JSON_BOOL && value->boolean;
        memcpy(base + truths[i].at, &truth, sizeof truth);
    }
    schedule->caller.company_id = job->key.company_id;
    schedule->caller.user_id = job->key.user_id;
    read_notes(json_value_member(root, STR("runs")), schedule);
    return ERR_OK;
}

/* ---- its course ---- */

void schedule_note(struct schedule *schedule, const struct schedule_note *note)
{
    size_t kept = size_min(schedule->note_count, SCHEDULE_NOTES - 1);
    memmove(&schedule->notes[1], &schedule->notes[0], kept * sizeof *note);
    schedule->notes[0] = *note;
    schedule->note_count = kept + 1;
}

bool schedule_is_after(const struct schedule *schedule)
{
    return schedule->after_graph.len > 0;
}

uint64_t schedule_job_due(const struct schedule *schedule, uint64_t now_ms)
{
    if (schedule->asked_ms > 0)
        return now_ms;
    if (schedule->is_paused || (schedule->until_ms > 0 && now_ms > schedule->until_ms))
        return 0;
    return schedule_is_after(schedule) ? now_ms + LOOK_MS : schedule->due_ms;
}
