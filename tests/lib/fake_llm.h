/* SPDX-License-Identifier: MIT */
/* tests/lib/fake_llm.h - a scripted llm at the vtable: replies by task, a piece a turn. */
#ifndef TESTS_LIB_FAKE_LLM_H
#define TESTS_LIB_FAKE_LLM_H

#include "backends/llm.h"
#include "core/base/buf.h"

struct fake_reply {
    const char *task;
    const char *reply;     /* streamed in pieces of 5 bytes, cut at characters */
    enum err_code failure; /* not ERR_OK: the call ends so, after the reply's text came */
    const struct llm_tool_call *calls; /* that it asks for, where tools may be called */
    size_t call_count;
};

struct fake_llm {
    struct llm llm; /* give &fake.llm */
    /* replies are used in order, each once, by their task; the last of a task is used again */
    const struct fake_reply *script;
    size_t script_count;
    bool used[64];
    unsigned calls, unscripted;
    char last_system[65536]; /* the system message of the last call */
    char last_user[65536];   /* the last user message of the last call */
    struct buf *transcript;  /* NULL, or where every call is written: task, settings, messages */
    bool stall;              /* never finish unless cancelled */
};

void fake_llm_init(struct fake_llm *fake, struct loop *loop, const struct fake_reply *script,
                   size_t count);

#endif
