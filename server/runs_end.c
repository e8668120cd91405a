/* SPDX-License-Identifier: MIT */
/* server/runs_end.c - read from the ended run, written to metrics and history.
 *
 * Failure: a conversation that cannot be stored is logged; nothing else depends on it. */
#include "server/runs_end.h"

#include "core/snapshot.h"
#include "server/conversations.h"
#include "server/run_text.h"
#include "server/runs_entry.h"
#include "server/runs_list.h"
#include "server/turn_details.h"

enum {
    MAX_PARTIAL_BYTES = 256 * 1024,
    MAX_STATE_BYTES = 16 * 1024 * 1024,
    MAX_DETAILS_BYTES = 128 * 1024,
};

static enum err_code result_of(const struct runs_entry *entry)
{
    struct str code, message;
    return run_result(entry->run, &code, &message);
}

void runs_end_count(struct runs_entry *entry)
{
    const struct runs_options *o = &entry->runs->options;
    const struct run_stats *stats = run_stats(entry->run);
    enum err_code code = result_of(entry);
    if (o->tracing != NULL)
        tracing_end_run(o->tracing, &entry->trace, entry->run, entry->session.message);
    meters_run(o->meters, o->metrics, graph_def(run_graph(entry->run))->name, run_route(entry->run),
               code == ERR_OK          ? METERS_COMPLETE
               : code == ERR_CANCELLED ? METERS_CANCELLED
                                       : METERS_ERROR,
               stats->duration_ms);
    if (stats->ttft_ms > 0)
        meters_observe_ms(o->meters, o->metrics, METER_FIRST_TOKEN_SECONDS, stats->ttft_ms);
    meters_add(o->meters, o->metrics, METER_SQL_QUERIES, (int64_t)stats->sql_attempts);
}

static size_t count_said(const struct runs_entry *entry)
{
    const struct history *history = entry->runs->options.services->history;
    const struct history_key key = runs_history_key(entry);
    return history == NULL ? 0 : history_count(history, &key);
}

static uint64_t version_said(const struct runs_entry *entry)
{
    const struct history *history = entry->runs->options.services->history;
    const struct history_key key = runs_history_key(entry);
    return history == NULL ? 0 : history_version(history, &key);
}

void runs_end_begin(struct runs_entry *entry)
{
    entry->said_count = count_said(entry);
    entry->said_version = version_said(entry);
}

/* To the store, whole: what was asked, what was answered, the state as it ended. */
static void save_turn(const struct runs_entry *entry, struct str answer, bool is_whole)
{
    const struct runs_options *o = &entry->runs->options;
    const struct history_key key = runs_history_key(entry);
    struct buf state, details;
    if (o->conversations == NULL)
        return;
    buf_init(&state, MAX_STATE_BYTES);
    buf_init(&details, MAX_DETAILS_BYTES);
    const struct snapshot snapshot = {.last_event_id = event_log_last_id(run_log(entry->run)),
                                      .route = run_route(entry->run)};
    snapshot_write_ended(&snapshot, run_graph(entry->run), run_state(entry->run), &state);
    turn_details_write(entry->run, &details);
    const struct store_checkpoint checkpoint = {
        .is_full = true, .bytes = buf_ok(&state) ? buf_str(&state) : STR("")};
    const struct store_turn turn = {.run_id = str_of(run_id(entry->run)),
                                    .question = entry->session.message,
                                    .answer = answer,
                                    .details = buf_ok(&details) ? buf_str(&details) : STR("{}"),
                                    .partial = !is_whole};
    /* another may have taken it up, and memory know that one's turn by now */
    bool may_be_there = entry->epoch > 0 || version_said(entry) != entry->said_version;
    conversations_save(o->conversations, &key, &checkpoint, &turn, may_be_there);
    buf_fini(&state);
    buf_fini(&details);
}

/* Into memory, unless the graph did. */
static void keep_in_history(struct runs_entry *entry, bool is_whole)
{
    struct history *history = entry->runs->options.services->history;
    const struct session *s = &entry->session;
    const struct history_key key = runs_history_key(entry);
    struct buf text;
    if (is_whole && count_said(entry) != entry->said_count)
        return;
    buf_init(&text, MAX_PARTIAL_BYTES);
    run_text_collect(entry->run, &text);
    if (buf_ok(&text) && buf_len(&text) > 0 &&
        (history_append(history, &key, LLM_USER, s->message, false) != ERR_OK ||
         history_append(history, &key, LLM_ASSISTANT, buf_str(&text), !is_whole) != ERR_OK))
        LOG(entry->runs->options.log, WARN, "conversation.not_saved", "run=%s", run_id(entry->run));
    buf_fini(&text);
}

void runs_end_keep_text(struct runs_entry *entry)
{
    struct history *history = entry->runs->options.services->history;
    const struct history_key key = runs_history_key(entry);
    struct history_message last;
    bool is_whole = result_of(entry) == ERR_OK;
    if (history == NULL || str_is_empty(key.conversation_id) || entry->is_forgotten)
        return;
    keep_in_history(entry, is_whole);
    if (count_said(entry) == entry->said_count || history_last(history, &key, &last, 1) != 1)
        return;
    history_set_note(history, &key, HISTORY_LAST_RUN, str_of(run_id(entry->run)));
    save_turn(entry, last.text, is_whole);
}
