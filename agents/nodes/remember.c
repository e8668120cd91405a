/* SPDX-License-Identifier: MIT */
/* agents/nodes/remember.c - between the worker's history and a run's list of messages.
 *
 * Happy path: earlier messages, the caller's own or the conversation's, as many as a prompt may
 * hold, come before the new one; question and answer are stored at the end. Failure: a message that
 * does not fit is left out; one that cannot be stored is logged. */
#include "agents/nodes/remember.h"

#include "agents/members.h"
#include "agents/memory/history.h"

enum { ITEM_BYTES = 256 * 1024 };

static struct history_key key_of(const struct session *session)
{
    return (struct history_key){session->conversation_id, session->company_id, session->user_id};
}

static bool has_conversation(const struct node *node)
{
    return services(node)->history != NULL && !str_is_empty(node_session(node)->conversation_id);
}

void remember_push(struct node *node, unsigned slot, enum llm_role role, struct str text)
{
    struct buf item;
    buf_init(&item, ITEM_BYTES);
    members_str(&item, "role", role == LLM_ASSISTANT ? STR("assistant") : STR("user"));
    members_str(&item, "content", text);
    struct str json = buf_ok(&item)
                          ? arena_printf(node_arena(node), "{%.*s}", STR_ARG(buf_str(&item)))
                          : (struct str){NULL, 0};
    buf_fini(&item);
    if (!str_is_absent(json))
        node_push_item(node, slot, json);
}

static void push_all(struct node *node, unsigned slot, const struct history_message *messages,
                     size_t count)
{
    for (size_t i = 0; i < count; i++)
        remember_push(node, slot, messages[i].role, messages[i].text);
}

void remember_load(struct node *node, unsigned slot, struct str question)
{
    const struct session *session = node_session(node);
    if (session->said_count > 0) {
        size_t count =
            size_min(session->said_count, services(node)->limits->max_conversation_messages);
        push_all(node, slot, session->said + session->said_count - count, count);
    } else if (has_conversation(node)) {
        const struct history *history = services(node)->history;
        struct history_key key = key_of(node_session(node));
        size_t max = size_min(history_count(history, &key),
                              services(node)->limits->max_conversation_messages);
        struct history_message *messages = arena_array(node_arena(node), max, sizeof *messages);
        size_t count = messages == NULL ? 0 : history_last(history, &key, messages, max);
        push_all(node, slot, messages, count);
    }
    remember_push(node, slot, LLM_USER, question);
}

void remember_save(struct node *node, struct str question, struct str answer)
{
    if (!has_conversation(node))
        return;
    struct history *history = services(node)->history;
    struct history_key key = key_of(node_session(node));
    enum err_code code = history_append(history, &key, LLM_USER, question, false);
    if (code == ERR_OK)
        code = history_append(history, &key, LLM_ASSISTANT, answer, false);
    if (code != ERR_OK)
        LOG(node_log(node), WARN, "conversation.not_saved", "code=%s", err_name(code));
}
