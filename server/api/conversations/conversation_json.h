/* SPDX-License-Identifier: MIT */
/* server/api/conversations/conversation_json.h - a store's answer -> the JSON object a caller gets.
 */
#ifndef SERVER_API_CONVERSATIONS_CONVERSATION_JSON_H
#define SERVER_API_CONVERSATIONS_CONVERSATION_JSON_H

#include "core/base/buf.h"
#include "core/store/store.h"
#include "server/api/conversations/conversation_labels.h"
#include "server/language/language.h"

typedef void conversation_json_fn(const struct store_call *call, struct str conversation_id,
                                  struct buf *out);

conversation_json_fn conversation_json_found;
/* open: the caller's runs that go on or wait; those of the mask unsaid wait in conversations in
 * which nothing is said yet, which are listed, too. labels: what the user calls them. */
void conversation_json_list(const struct store_call *call, const struct store_call *open,
                            uint64_t unsaid, const struct conversation_labels *labels,
                            struct buf *out);
/* Whether the i-th open run waits for a person in a conversation that call does not list, and is
 * the last one there. */
bool conversation_json_is_apart(const struct store_call *call, const struct store_call *open,
                                size_t i);
/* Versions of the conversation, newest first, and the checkpoints of a run, one after the other. */
void conversation_json_checkpoints(const struct store_call *versions,
                                   const struct store_call *supersteps, struct str conversation_id,
                                   struct buf *out);
/* waits: its run that waits for a person; NULL: none does. is_own: the reader is its user, who sees
 * what was said of its answers. language: the reader's. */
void conversation_json_history(const struct store_call *call, struct str conversation_id,
                               const struct store_run *waits, bool is_own, enum language language,
                               struct buf *out);

#endif
