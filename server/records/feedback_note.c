/* SPDX-License-Identifier: MIT */
/* server/records/feedback_note.c - one flat JSON object. Failure: a member that is missing, or of
 * another type, is ERR_PROTOCOL with its name. */
#include "server/records/feedback_note.h"

#include "proto/json_value.h"
#include "proto/json_write.h"

static const char *const states[FEEDBACK_STATES] = {"new", "taken", "refused"};

const char *feedback_note_state(enum feedback_state state)
{
    return states[state];
}

struct str feedback_note_name(struct str run_id, struct arena *arena)
{
    return arena_printf(arena, "%s%.*s", FEEDBACK_NOTE_PREFIX, STR_ARG(run_id));
}

void feedback_note_write(const struct feedback_note *note, struct buf *out)
{
    struct json_write json;
    json_write_init(&json, out);
    json_write_object(&json);
    json_write_member_str(&json, STR("state"), str_of(states[note->state]));
    json_write_member_str(&json, STR("run_id"), note->run_id);
    json_write_member_str(&json, STR("conversation_id"), note->key.conversation_id);
    json_write_member_str(&json, STR("company_id"), note->key.company_id);
    json_write_member_str(&json, STR("user_id"), note->key.user_id);
    json_write_member_u64(&json, STR("at_ms"), note->at_ms);
    json_write_member_i64(&json, STR("score"), note->score);
    json_write_member_str(&json, STR("question"), note->question);
    json_write_member_str(&json, STR("sql"), note->sql);
    json_write_member_str(&json, STR("reason"), note->reason);
    json_write_member_str(&json, STR("corrected_sql"), note->corrected);
    json_write_object_end(&json);
}

static enum err_code read_state(const struct json_value *root, enum feedback_state *state,
                                struct err *err)
{
    struct str text;
    if (json_value_str(root, "/state", &text, err) != ERR_OK)
        return err->code;
    for (size_t i = 0; i < FEEDBACK_STATES; i++)
        if (str_equal(text, str_of(states[i]))) {
            *state = (enum feedback_state)i;
            return ERR_OK;
        }
    return err_set(err, ERR_PROTOCOL, "/state: expected new, taken or refused");
}

enum err_code feedback_note_read(struct str bytes, struct arena *arena, struct feedback_note *note,
                                 struct err *err)
{
    const struct json_value *root = json_value_parse(arena, bytes, NULL, err);
    int64_t at_ms = 0;
    *note = (struct feedback_note){.score = 0};
    const struct {
        const char *pointer;
        struct str *text;
    } texts[] = {
        {"/run_id", &note->run_id},
        {"/conversation_id", &note->key.conversation_id},
        {"/company_id", &note->key.company_id},
        {"/user_id", &note->key.user_id},
        {"/question", &note->question},
        {"/sql", &note->sql},
        {"/reason", &note->reason},
        {"/corrected_sql", &note->corrected},
    };
    enum err_code code = root == NULL ? err->code : read_state(root, &note->state, err);
    for (size_t i = 0; i < countof(texts) && code == ERR_OK; i++)
        code = json_value_str(root, texts[i].pointer, texts[i].text, err);
    if (code == ERR_OK)
        code = json_value_i64(root, "/score", &note->score, err);
    if (code == ERR_OK)
        code = json_value_i64(root, "/at_ms", &at_ms, err);
    note->at_ms = at_ms < 0 ? 0 : (uint64_t)at_ms;
    if (code != ERR_OK)
        err->code = ERR_PROTOCOL;
    return code == ERR_OK ? ERR_OK : ERR_PROTOCOL;
}
