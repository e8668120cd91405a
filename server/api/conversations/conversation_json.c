/* SPDX-License-Identifier: MIT */
/* server/api/conversations/conversation_json.c - one object each; times are milliseconds since
 * 1970.
 *
 * Failure: none but a full buf. */
#include "server/api/conversations/conversation_json.h"
#include "proto/json_write.h"
#include "server/language/event_words.h"
#include "server/language/sentences.h"
#include "server/records/feedback_note.h"
#include "server/records/run_input.h"

enum { NOTE_BYTES = 256 * 1024 };

/* The run of the conversation that waits for a person; NULL: none does. */
static const struct store_run *find_paused(const struct store_call *open,
                                           struct str conversation_id)
{
    for (size_t i = 0; i < open->run_count; i++)
        if (open->runs[i].status == STORE_PAUSED &&
            str_equal(open->runs[i].key.conversation_id, conversation_id))
            return &open->runs[i];
    return NULL;
}

static void write_summary(struct json_write *json, const struct store_summary *summary, bool waits,
                          const struct conversation_labels *labels)
{
    const struct conversation_label *label =
        conversation_labels_find(labels, summary->conversation_id);
    const bool is_renamed = label != NULL && label->title.len > 0;
    json_write_object(json);
    json_write_member_str(json, STR("conversation_id"), summary->conversation_id);
    json_write_member_str(json, STR("title"), is_renamed ? label->title : summary->title);
    if (label != NULL && label->pinned)
        json_write_member_bool(json, STR("pinned"), true);
    json_write_member_u64(json, STR("turns"), summary->turns);
    json_write_member_u64(json, STR("version"), summary->version);
    json_write_member_u64(json, STR("began_ms"), summary->began_ms);
    json_write_member_u64(json, STR("changed_ms"), summary->changed_ms);
    if (waits)
        json_write_member_bool(json, STR("waits"), true);
    json_write_object_end(json);
}

static bool is_listed(const struct store_call *call, struct str conversation_id)
{
    for (size_t i = 0; i < call->summary_count; i++)
        if (str_equal(call->summaries[i].conversation_id, conversation_id))
            return true;
    return false;
}

bool conversation_json_is_apart(const struct store_call *call, const struct store_call *open,
                                size_t i)
{
    struct str conversation_id = open->runs[i].key.conversation_id;
    return conversation_id.len > 0 && find_paused(open, conversation_id) == &open->runs[i] &&
           !is_listed(call, conversation_id);
}

void conversation_json_list(const struct store_call *call, const struct store_call *open,
                            uint64_t unsaid, const struct conversation_labels *labels,
                            struct buf *out)
{
    struct json_write json;
    json_write_init(&json, out);
    json_write_object(&json);
    json_write_key(&json, STR("conversations"));
    json_write_array(&json);
    for (size_t i = 0; i < open->run_count && i < 64; i++) {
        const struct store_run *run = &open->runs[i];
        if ((unsaid >> i & 1) != 0)
            write_summary(
                &json,
                &(struct store_summary){
                    .conversation_id = run->key.conversation_id,
                    .title = str_utf8_prefix(run_input_message(run->input), STORE_TITLE_BYTES),
                    .began_ms = run->began_ms,
                    .changed_ms = run->changed_ms,
                },
                true, labels);
    }
    for (size_t i = 0; i < call->summary_count; i++)
        write_summary(&json, &call->summaries[i],
                      find_paused(open, call->summaries[i].conversation_id) != NULL, labels);
    json_write_array_end(&json);
    json_write_object_end(&json);
}

void conversation_json_found(const struct store_call *call, struct str conversation_id UNUSED,
                             struct buf *out)
{
    struct json_write json;
    json_write_init(&json, out);
    json_write_object(&json);
    json_write_key(&json, STR("found"));
    json_write_array(&json);
    for (size_t i = 0; i < call->turn_count; i++) {
        const struct store_turn *turn = &call->turns[i];
        json_write_object(&json);
        json_write_member_str(&json, STR("conversation_id"), turn->conversation_id);
        json_write_member_u64(&json, STR("turn"), turn->number);
        json_write_member_u64(&json, STR("time_ms"), turn->time_ms);
        json_write_member_str(&json, STR("question"), turn->question);
        json_write_member_str(&json, STR("answer"), turn->answer);
        json_write_object_end(&json);
    }
    json_write_array_end(&json);
    json_write_object_end(&json);
}

static void write_message(struct json_write *json, const struct store_turn *turn, const char *role,
                          struct str content)
{
    json_write_object(json);
    json_write_member_str(json, STR("role"), str_of(role));
    json_write_member_str(json, STR("content"), content);
    json_write_member_u64(json, STR("turn"), turn->number);
}

/* An answer, and what belongs to it, as a reader of language gets it. */
static void write_answer(struct json_write *json, const struct store_turn *turn,
                         enum language language)
{
    struct buf said;
    buf_init(&said, 2 * EVENT_WORDS_BYTES);
    bool is_said = sentences_say_answer(language, turn->answer, &said) && buf_ok(&said);
    write_message(json, turn, "assistant", is_said ? buf_str(&said) : turn->answer);
    buf_fini(&said);
}

static void write_details(struct json_write *json, struct str details, enum language language)
{
    struct buf said;
    buf_init(&said, 2 * EVENT_WORDS_BYTES);
    bool is_said = event_words_say_object(language, details, &said);
    json_write_member_raw(json, STR("details"), is_said ? buf_str(&said) : details);
    buf_fini(&said);
}

/* What its user said of the answer; 0: nothing, or it was taken back. */
static int64_t find_score(const struct store_call *call, const struct store_turn *turn)
{
    struct feedback_note note = {.score = 0};
    struct arena arena;
    struct err err;
    arena_init(&arena, NOTE_BYTES);
    struct str name = feedback_note_name(turn->run_id, &arena);
    for (size_t i = 0; i < call->note_count; i++)
        if (str_equal(call->notes[i].name, name) &&
            feedback_note_read(call->notes[i].bytes, &arena, &note, &err) != ERR_OK)
            note.score = 0;
    arena_fini(&arena);
    return note.score;
}

static void write_turn(struct json_write *json, const struct store_turn *turn, int64_t score,
                       enum language language)
{
    write_message(json, turn, "user", turn->question);
    json_write_object_end(json);
    write_answer(json, turn, language);
    if (score != 0)
        json_write_member_i64(json, STR("feedback"), score);
    if (turn->partial)
        json_write_member_bool(json, STR("partial"), true);
    json_write_member_str(json, STR("run_id"), turn->run_id);
    json_write_member_u64(json, STR("version"), turn->version);
    json_write_member_u64(json, STR("time_ms"), turn->time_ms);
    if (str_starts_with(turn->details, STR("{")))
        write_details(json, turn->details, language);
    json_write_object_end(json);
}

static void write_waits(struct json_write *json, const struct store_run *run)
{
    json_write_key(json, STR("waits"));
    json_write_object(json);
    json_write_member_str(json, STR("run_id"), run->run_id);
    json_write_member_str(json, STR("graph"), run->graph);
    json_write_member_str(json, STR("question"), run_input_message(run->input));
    json_write_member_u64(json, STR("time_ms"), run->began_ms);
    json_write_object_end(json);
}

void conversation_json_history(const struct store_call *call, struct str conversation_id,
                               const struct store_run *waits, bool is_own, enum language language,
                               struct buf *out)
{
    struct json_write json;
    json_write_init(&json, out);
    json_write_object(&json);
    json_write_member_str(&json, STR("conversation_id"), conversation_id);
    json_write_member_u64(&json, STR("version"), call->version);
    json_write_member_u64(&json, STR("turns"), call->total);
    json_write_key(&json, STR("messages"));
    json_write_array(&json);
    for (size_t i = 0; i < call->turn_count; i++)
        write_turn(&json, &call->turns[i], is_own ? find_score(call, &call->turns[i]) : 0,
                   language);
    json_write_array_end(&json);
    if (waits != NULL)
        write_waits(&json, waits);
    json_write_object_end(&json);
}

static void write_checkpoint(struct json_write *json, const struct store_checkpoint *checkpoint)
{
    json_write_object(json);
    json_write_member_u64(json, STR("version"), checkpoint->version);
    json_write_member_u64(json, STR("time_ms"), checkpoint->time_ms);
    json_write_member_str(json, STR("run_id"), checkpoint->run_id);
    json_write_member_u64(json, STR("step"), checkpoint->step);
    json_write_member_bool(json, STR("full"), checkpoint->is_full);
    json_write_object_end(json);
}

void conversation_json_checkpoints(const struct store_call *versions,
                                   const struct store_call *supersteps, struct str conversation_id,
                                   struct buf *out)
{
    struct json_write json;
    json_write_init(&json, out);
    json_write_object(&json);
    json_write_member_str(&json, STR("conversation_id"), conversation_id);
    json_write_key(&json, STR("checkpoints"));
    json_write_array(&json);
    for (size_t i = 0; i < versions->checkpoint_count; i++)
        write_checkpoint(&json, &versions->checkpoints[i]);
    json_write_array_end(&json);
    json_write_key(&json, STR("supersteps"));
    json_write_array(&json);
    for (size_t i = supersteps->checkpoint_count; i-- > 0;)
        write_checkpoint(&json, &supersteps->checkpoints[i]);
    json_write_array_end(&json);
    json_write_object_end(&json);
}
