/* SPDX-License-Identifier: MIT */
/* backends/llm.h - the chat model interface: a prompt in, text out as it comes, then the calls of
 * tools that the model asks for, and usage at the end.
 *
 * Every call has a task name, messages rendered for a remote model, and the fields they were
 * rendered from: remote models see messages, the offline engine sees task and fields. One loop,
 * one thread per llm. */
#ifndef BACKENDS_LLM_H
#define BACKENDS_LLM_H

#include "backends/llm_answer.h"
#include "backends/llm_prompt.h"
#include "core/loop/op.h"

struct llm_chat;
struct llm;
/* A piece of the answer, borrowed for the call; between start and done, never after. */
typedef void llm_text_fn(struct llm_chat *chat, struct str text);

struct llm_chat {
    struct op op; /* kinds are named "llm.*" */
    /* result, valid in done; on failure text holds what had come */
    struct str text;  /* whole answer, UTF-8, in prompt->arena */
    struct str asked; /* the model asked, as configured; it outlives the call */
    struct str model; /* the model that answered, by its own name: "gpt-4o-mini-2024-07-18",
                         "offline" */
    const struct llm_tool_call *calls; /* asked for, in prompt->arena; only of a call that ended
                                          well and offered tools */
    size_t call_count;
    struct llm_usage usage;
    unsigned attempts;       /* tries it took, 1 upwards */
    enum llm_finish finish;  /* why the answer ended: other than STOP is to be told */
    bool had_reasoning;      /* it thought aloud; text has nothing of that */
    bool is_enough;          /* set in on_text: the caller has what it needs, and hears the rest for
                                its usage alone; the call may end well before the model does */
    double cost;             /* of usage, by the prices of the model; 0: not known */
    uint64_t retry_after_ms; /* after a failure: the provider's wish; UINT64_MAX: none */
    /* private */
    struct llm *llm;
    const struct llm_prompt *prompt;
    struct trace_place place;         /* the chat's span, when it is traced */
    op_fn *done;                      /* the waiter's; done and both times are set while calls are
                                         observed */
    uint64_t began_ns, first_text_ns; /* first_text_ns 0: none came, or not said when */
    llm_text_fn *on_text;             /* may be NULL */
    void *impl;                       /* the backend's, from its pool */
};

struct llm_vtable {
    const char *name; /* "openai", "azure", "anthropic", "offline", "steady" */
    void (*chat_start)(struct llm *llm, struct llm_chat *chat, struct op_waiter waiter);
    /* ERR_OK, ERR_NOT_CONFIGURED (names the variable) or ERR_UNAVAILABLE (breaker open). No I/O. */
    enum err_code (*ready)(struct llm *llm, struct err *err);
    /* Finish all chats with ERR_CANCELLED, then call on_closed(owner) once, later; frees itself. */
    void (*close)(struct llm *llm, void (*on_closed)(void *owner), void *owner);
};

/* Told of each call that has ended, in the loop's turn of done and before done. */
typedef void llm_observe_fn(void *owner, const struct llm_chat *chat, uint64_t took_ns);

/* First member of every implementation. */
struct llm {
    const struct llm_vtable *vtable;
    struct loop *loop;
    llm_observe_fn *observe; /* for metrics and traces; set before the first call */
    void *observer;
    size_t in_flight; /* calls that are observed */
};

/* The done of calls that are observed. */
static inline void llm_on_observed(struct op *op)
{
    struct llm_chat *chat = container_of(op, struct llm_chat, op);
    op_fn *done = chat->done; /* it may start the call again */
    chat->llm->in_flight--;
    chat->llm->observe(chat->llm->observer, chat, loop_precise_ns() - chat->began_ns);
    done(op);
}

/* Start a call. prompt (and all it points at) is kept until done; on_text may be NULL. The
 * backend begins the op with a kind of its own. */
static inline void llm_chat_start(struct llm_chat *chat, struct llm *llm,
                                  const struct llm_prompt *prompt, llm_text_fn *on_text,
                                  struct op_waiter waiter)
{
    chat->text = chat->model = chat->asked = (struct str){NULL, 0};
    chat->calls = NULL;
    chat->call_count = 0;
    chat->usage = (struct llm_usage){0};
    chat->attempts = 0;
    chat->finish = LLM_FINISH_STOP;
    chat->had_reasoning = chat->is_enough = false;
    chat->cost = 0;
    chat->retry_after_ms = UINT64_MAX;
    chat->llm = llm;
    chat->prompt = prompt;
    chat->on_text = on_text;
    chat->impl = NULL;
    chat->place = (struct trace_place){0};
    if (llm->observe != NULL) {
        if (waiter.trace != NULL)
            chat->place = trace_child(waiter.trace);
        chat->done = waiter.done;
        chat->began_ns = loop_precise_ns();
        chat->first_text_ns = 0;
        waiter.done = llm_on_observed;
        llm->in_flight++;
    }
    llm->vtable->chat_start(llm, chat, waiter);
}

static inline MUST_USE enum err_code llm_ready(struct llm *llm, struct err *err)
{
    return llm->vtable->ready(llm, err);
}

static inline void llm_close(struct llm *llm, void (*on_closed)(void *owner), void *owner)
{
    llm->vtable->close(llm, on_closed, owner);
}

#endif
