/* SPDX-License-Identifier: MIT */
/* backends/llm_prompt.h - what a model is told: messages, with calls of tools and their results
 * among them, the tools it may ask for, and how it is to answer. Data only. */
#ifndef BACKENDS_LLM_PROMPT_H
#define BACKENDS_LLM_PROMPT_H

#include "core/base/arena.h"
#include "core/base/identity.h"

enum llm_role { LLM_SYSTEM, LLM_USER, LLM_ASSISTANT, LLM_TOOL };

/* As wires name it. Static. */
static inline struct str llm_role_name(enum llm_role role)
{
    static const struct str names[] = {STR("system"), STR("user"), STR("assistant"), STR("tool")};
    return names[role];
}

struct llm_tool_call { /* a tool that the model asks to be called */
    struct str id;     /* as the provider, or the backend, named it; unlike others of the answer */
    struct str name;
    struct str arguments; /* as the model wrote them: a JSON object, if it was careful */
};

struct llm_message {
    enum llm_role role;
    struct str text;
    const struct llm_tool_call *calls; /* LLM_ASSISTANT: that it asked for, besides its text */
    size_t call_count;
    struct str call_id; /* LLM_TOOL: whose result text is; each call has one, in its order */
    bool is_error;      /* LLM_TOOL: it failed, and text says why */
};

struct llm_tool {           /* that the model may ask for */
    struct str name;        /* letters, digits, '_', '-'; at most 64 */
    struct str description; /* for the model */
    struct str parameters;  /* a JSON schema of type object */
};

enum { LLM_MOST_TOOLS = 128 }; /* of one prompt, as providers have it */

enum llm_tool_choice {
    LLM_TOOLS_AUTO,
    LLM_TOOLS_NONE, /* none may be called, but messages tell of calls */
    LLM_TOOLS_REQUIRED
};

struct llm_field { /* "question" -> "How many technicians are active?" */
    struct str name, value;
};

struct llm_prompt {
    const char *task; /* "classify", "sql_generation", ... static */
    const struct llm_message *messages;
    size_t message_count;
    const struct llm_field *fields;
    size_t field_count;
    const struct llm_tool *tools; /* those of a call that is made are for the caller to run */
    size_t tool_count;
    enum llm_tool_choice tool_choice;
    double temperature;         /* sent as it is; negative: the backend's default */
    unsigned max_output_tokens; /* 0: the backend's default */
    struct str form;            /* JSON Schema of an object that the answer is to be, where the
                                   server can; it may come as another text. Empty: any text */
    uint64_t timeout_ms;        /* whole call with retries; 0: the backend's default */
    struct arena *arena;        /* chat.text and chat.model are made here; the run's */
    struct identity caller;     /* who asks, to take turns; the offline engine's session data */
};

/* The value of a prompt's field, or the absent string. */
static inline struct str llm_prompt_field(const struct llm_prompt *prompt, struct str name)
{
    for (size_t i = 0; i < prompt->field_count; i++)
        if (str_equal(prompt->fields[i].name, name))
            return prompt->fields[i].value;
    return (struct str){NULL, 0};
}

#endif
