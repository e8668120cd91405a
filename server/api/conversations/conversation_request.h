/* SPDX-License-Identifier: MIT */
/* server/api/conversations/conversation_request.h - one request about conversations, waiting for
 * the store.
 *
 * Holds copies of what it asks with: the exchange may go first. Freed by itself. One loop. */
#ifndef SERVER_API_CONVERSATIONS_CONVERSATION_REQUEST_H
#define SERVER_API_CONVERSATIONS_CONVERSATION_REQUEST_H

#include "server/api/conversations/conversation_json.h"
#include "server/api/conversations/conversation_labels.h"
#include "server/conversations/conversations.h"
#include "server/records/erase_stored.h"
#include "server/http/exchange_wait.h"
#include "server/records/fork_stored.h"
#include "server/api/conversations/run_pause.h"
#include "server/records/turn_find.h"

struct conversation_request;
/* The store has answered and the client is still there. */
typedef void conversation_request_fn(struct conversation_request *request);

struct conversation_request {
    struct exchange_wait wait;
    struct shard *shard;
    struct store *store;
    struct arena arena;
    struct identity key;
    struct str search, to, run_id;
    uint64_t limit, before, version; /* 0: absent */
    struct store_call call, loaded, second;
    struct conversations_settling settling; /* what was said is on its way to the store */
    union {
        struct store_list list;
        struct store_search search;
        struct store_load load;
        struct store_checkpoints checkpoints;
        struct store_find find;
        struct store_runs runs;
        struct store_marks marks;
    } ask;
    struct store_restore restore;
    struct store_save save;
    struct store_keep keep;
    struct conversation_label label; /* what a body says; an absent title: nothing of it */
    bool says_pinned;
    conversation_request_fn *labelled_next;  /* after labels are carried over */
    conversation_request_fn *forgotten_next; /* after the label is forgotten */
    struct conversation_labels carried;      /* to notes of their own, from step on */
    struct erase_stored erasing;
    struct run_pause pause; /* what its run waits for */
    struct stored_run past; /* what a run said, and was at its checkpoints */
    struct turn_find finding;
    struct fork_stored forking;
    struct conversations_opening opening; /* of the fork, for its run */
    size_t step;                          /* of a list: open runs looked at */
    uint64_t unsaid;                      /* bits of open runs whose conversation has no turn */
    conversation_request_fn *loaded_next; /* after what was said is with the store and read */
    conversation_request_fn *paused_next; /* after that, and once it is known what waits */
    void *owner;                          /* the caller's own, as long as the exchange */
    /* private */
    conversation_request_fn *next;
};

/* Read the caller and the query; at the conversation's worker, when the path names one, or where a
 * run is to begin: in the conversation it is to be of. NULL: answered, or handed over. */
struct conversation_request *conversation_request_open(struct exchange *exchange, bool is_one);
/* As conversation_request_open, for the caller and the conversation that key names, copied; an
 * empty conversation: none. */
struct conversation_request *conversation_request_open_for(struct exchange *exchange,
                                                           const struct identity *key);
/* The language of whoever asks. */
enum language conversation_request_language(const struct conversation_request *request);
/* The waiter of the next call, after whose success next is called; its failure is the answer. */
struct op_waiter conversation_request_waiter(struct conversation_request *request,
                                             conversation_request_fn *next);
/* Wait until the turns of the conversation's runs that have ended are stored, or late, or lost, so
 * that whoever has read `complete` finds the turn; then next. Where the key names no conversation:
 * those of all the user's conversations at this worker. */
void conversation_request_settle(struct conversation_request *request,
                                 conversation_request_fn *next);
/* Free request and return its exchange, for somebody else to answer. */
struct exchange *conversation_request_leave(struct conversation_request *request);
/* Answer, and free request. */
void conversation_request_reply(struct conversation_request *request, int status, struct str body);
void conversation_request_fail(struct conversation_request *request, const struct err *err);
/* Answer with what out holds, free out and request; a full out is answered as too large. */
void conversation_request_reply_buf(struct conversation_request *request, int status,
                                    struct buf *out);
/* Answer with what write makes of an answer of the store. */
void conversation_request_reply_with(struct conversation_request *request,
                                     conversation_json_fn *write);

#endif
