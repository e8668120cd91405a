/* SPDX-License-Identifier: MIT */
/* server/runs_end.c - read from the ended run, written to metrics and history.
 *
 * Failure: a conversation that cannot be stored is logged; nothing else depends on it. */
#include "server/runs_end.h"

#include "agents/memory/history.h"
#include "server/run_text.h"
#include "server/runs_entry.h"

enum { MAX_PARTIAL_BYTES = 256 * 1024 };

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
    meters_run(o->meters, o->metrics, graph_def(run_graph(entry->run))->name,
               code == ERR_OK          ? METERS_COMPLETE
               : code == ERR_CANCELLED ? METERS_CANCELLED
                                       : METERS_ERROR);
    meters_observe_ms(o->meters, o->metrics, METER_RUN_SECONDS, stats->duration_ms);
    if (stats->ttft_ms > 0)
        meters_observe_ms(o->meters, o->metrics, METER_FIRST_TOKEN_SECONDS, stats->ttft_ms);
    meters_add(o->meters, o->metrics, METER_LLM_CALLS, (int64_t)stats->llm_calls);
    meters_add(o->meters, o->metrics, METER_TOKENS_IN, (int64_t)stats->prompt_tokens);
    meters_add(o->meters, o->metrics, METER_TOKENS_OUT, (int64_t)stats->completion_tokens);
    meters_add(o->meters, o->metrics, METER_SQL_QUERIES, (int64_t)stats->sql_attempts);
}

static struct history_key key_of(const struct runs_entry *entry)
{
    const struct session *s = &entry->session;
    return (struct history_key){s->conversation_id, s->company_id, s->user_id};
}

static size_t count_said(const struct runs_entry *entry)
{
    const struct history *history = entry->runs->options.services->history;
    const struct history_key key = key_of(entry);
    return history == NULL ? 0 : history_count(history, &key);
}

void runs_end_begin(struct runs_entry *entry)
{
    entry->said_count = count_said(entry);
}

void runs_end_keep_text(struct runs_entry *entry)
{
    struct history *history = entry->runs->options.services->history;
    const struct session *s = &entry->session;
    const struct history_key key = key_of(entry);
    bool is_whole = result_of(entry) == ERR_OK;
    struct buf text;
    if (history == NULL || str_is_empty(s->conversation_id) ||
        (is_whole && count_said(entry) != entry->said_count))
        return;
    buf_init(&text, MAX_PARTIAL_BYTES);
    run_text_collect(entry->run, &text);
    if (buf_ok(&text) && buf_len(&text) > 0 &&
        (history_append(history, &key, LLM_USER, s->message, false) != ERR_OK ||
         history_append(history, &key, LLM_ASSISTANT, buf_str(&text), !is_whole) != ERR_OK))
        LOG(entry->runs->options.log, WARN, "conversation.not_saved", "run=%s", run_id(entry->run));
    buf_fini(&text);
}
