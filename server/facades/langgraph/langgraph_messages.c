/* SPDX-License-Identifier: MIT */
/* server/facades/langgraph/langgraph_messages.c - what memory has of a thread, oldest first.
 *
 * Failure: no memory: nothing was said. */
#include "server/facades/langgraph/langgraph_messages.h"

#include <stdio.h>

#include "agents/memory/history.h"
#include "proto/json_write.h"
#include "server/runs/runs_list.h"

enum { ID_BYTES = ID_RUN_BYTES + 16, MESSAGES_BYTES = 64 * 1024 * 1024 };

static void write_message(struct json_write *json, const char *type, const char *id,
                          struct str content)
{
    json_write_object(json);
    json_write_member_str(json, STR("type"), str_of(type));
    json_write_member_str(json, STR("id"), str_of(id));
    json_write_member_str(json, STR("content"), content);
    json_write_object_end(json);
}

void langgraph_messages_write(struct json_write *json, const char *type, struct str run_id,
                              struct str content)
{
    char id[ID_BYTES];
    (void)snprintf(id, sizeof id, "%.*s:%s", STR_ARG(str_utf8_prefix(run_id, ID_RUN_BYTES)), type);
    write_message(json, type, id, content);
}

/* Memory does not know of which runs the earlier ones are: they are numbered. */
static void write_earlier(struct arena *arena, const struct history *history,
                          const struct runs_entry *entry, struct json_write *json)
{
    const struct identity *key = runs_caller(entry);
    size_t max = history_count(history, key);
    struct history_message *messages = arena_array(arena, max + 1, sizeof *messages);
    size_t count = messages == NULL || max == 0 ? 0 : history_last(history, key, messages, max);
    char id[ID_BYTES];
    for (size_t i = 0; i < count && i < runs_said_count(entry); i++) {
        (void)snprintf(id, sizeof id, "said-%zu", i);
        write_message(json, messages[i].role == LLM_USER ? "human" : "ai", id, messages[i].text);
    }
}

struct str langgraph_messages_said(struct arena *arena, const struct history *history,
                                   struct runs_entry *entry)
{
    struct str said = {NULL, 0};
    struct json_write json;
    struct buf out;
    buf_init(&out, MESSAGES_BYTES);
    json_write_init(&json, &out);
    json_write_array(&json);
    if (history != NULL)
        write_earlier(arena, history, entry, &json);
    langgraph_messages_write(&json, "human", str_of(run_id(runs_run(entry))), runs_message(entry));
    json_write_array_end(&json);
    if (buf_ok(&out)) /* without the brackets */
        said = arena_str(arena, str_slice(buf_str(&out), 1, buf_len(&out) - 1));
    buf_fini(&out);
    return said;
}
