/* SPDX-License-Identifier: MIT */
/* agents/nodes/ask.h - the node that asks a model: fields of a prompt in, a field of the state out,
 * tokens to a channel.
 *
 * Most nodes that use a model are one table entry: an ask_config and a prompt file. */
#ifndef AGENTS_NODES_ASK_H
#define AGENTS_NODES_ASK_H

#include "agents/services/services.h"
#include "core/run/slot.h"

enum { ASK_MAX_FIELDS = 16, ASK_HEAD_BYTES = 128 };

/* A field of the prompt: a slot's text, or made by a function (into node_scratch or node_arena). */
struct ask_field {
    const char *name;
    struct slot_ref slot;
    struct str (*make)(struct node *node); /* NULL: the slot */
    /* As make, of a field that is data; NULL: make or the slot. */
    struct str (*make_of)(struct node *node, const void *source);
    const void *source;
};

/* What a model is shown, and the form of what it is to answer. */
struct ask_form {
    const char *task;   /* the name of the call for the llm backend */
    const char *prompt; /* "banking/intent_prompt" */
    const char *answer; /* JSON Schema of an object; NULL: text. keep takes other texts, too: not
                           every server holds its model to a form */
};

struct ask_config {
    const char *task; /* these three where choose does not say others */
    const char *prompt;
    const char *answer;
    /* The form for this call; NULL: there is one. */
    struct ask_form (*choose)(struct node *node);
    const struct prompt *own_prompt; /* in the place of prompt; NULL: prompt is one of the set */
    struct ask_field fields[ASK_MAX_FIELDS];
    bool final_channel;            /* its tokens are the answer; else only with detail debug */
    bool is_statement;             /* SQL: half of it is none, so a cut answer fails the node */
    bool zero_temperature;         /* banking (R54); else OPENAI_TEMPERATURE */
    struct slot_ref messages_slot; /* SLOT_LIST of {"role","content"} to put before the question;
                                      none: there are no messages */
    struct slot_ref output_slot;   /* where the whole text goes, trimmed, when keep is NULL */
    struct slot_ref warnings_slot; /* of an answer: a JSON array of texts, which is told when the
                                      answer is cut; none: only an event tells */
    struct slot_ref lead_slot; /* of an answer: a text that it begins with (check_sql.h); none, or
                                  nothing in it: the model's words alone */
    const struct hold_config *hold; /* of an answer about rows (hold.h): one that does not hold is
                                       asked for again, once; then it is made from the rows */
    /* Whether to ask at all: STEP_WAIT goes on, anything else ends the node. NULL: always ask. */
    enum step (*first)(struct node *node);
    /* Take the answer apart: put, and return STEP_DONE or a failure. */
    enum step (*keep)(struct node *node, struct str answer);
    /* Whether the beginning of an answer, ASK_HEAD_BYTES of it at most, says all that keep needs:
     * then keep gets that, and the graph goes on while the model comes to its end. NULL: keep waits
     * for the whole answer. */
    bool (*is_enough)(struct str head);
};

extern const struct graph_node_type ask_node; /* config: struct ask_config */

/* How many bytes at the start of its frame a node leaves to ask_node when it does something else
 * first and ends with ask_node's enter. */
enum { ASK_FRAME_BYTES = 2048 };

/* A call of a model in the frame of a node that does something else at the same time; zeroed. */
struct ask_call {
    struct llm_chat chat; /* its text is the answer, when chat.op ended well */
    struct llm_prompt prompt;
    struct llm_field fields[ASK_MAX_FIELDS];
    size_t head_len; /* of an answer that may be enough before its end */
    char head[ASK_HEAD_BYTES];
};
/* Render the prompt of config into call->prompt, for a node that adds to it and starts the call
 * itself. False: it does not fit into the memory of the run. */
MUST_USE bool ask_render(struct node *node, const struct ask_config *config, struct ask_call *call);
/* Start the call of config, which is the config of the node; first and keep are not called. False:
 * the prompt does not fit into the memory of the run, and nothing was started. */
MUST_USE bool ask_begin(struct node *node, const struct ask_config *config, struct ask_call *call);
/* Count a call that ended well into the run's stats. */
void ask_count(struct node *node, const struct ask_config *config, const struct ask_call *call);

#endif
