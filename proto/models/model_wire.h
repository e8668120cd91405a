/* SPDX-License-Identifier: MIT */
/* proto/models/model_wire.h - the wires that model servers speak: where a request goes, and what it
 * says.
 *
 * OpenAI's chat completions (and everything compatible with them), Azure's dialect of those, and
 * Anthropic's messages. What differs is in openai and anthropic; what comes back is a model_answer.
 * Only bytes; ask buf_ok at the end. One thread. */
#ifndef PROTO_MODELS_MODEL_WIRE_H
#define PROTO_MODELS_MODEL_WIRE_H

#include "core/base/buf.h"

enum model_wire { MODEL_WIRE_OPENAI, MODEL_WIRE_AZURE, MODEL_WIRE_ANTHROPIC };

struct model_endpoint {
    enum model_wire dialect;
    struct str base_url;    /* "https://api.openai.com/v1", "https://x.openai.azure.com",
                               "https://api.anthropic.com" */
    struct str key;         /* empty: no authentication header */
    struct str deployment;  /* Azure only */
    struct str api_version; /* Azure only */
};

/* A tool that is called, as a model writes it. */
struct model_call {
    struct str id, name;
    struct str arguments; /* JSON; of a careless model anything */
};

struct model_tool { /* that a model may call */
    struct str name, description;
    struct str parameters; /* a JSON schema */
};

struct model_message {
    struct str role; /* "system", "user", "assistant", "tool" */
    struct str content;
    const struct model_call *calls; /* of "assistant" */
    size_t call_count;
    struct str call_id; /* of "tool": the call whose result content is */
    bool is_error;      /* of "tool" */
};

enum model_tool_choice {
    MODEL_TOOLS_AUTO,
    MODEL_TOOLS_NONE, /* the tools are told, since messages name them, but none may be called */
    MODEL_TOOLS_REQUIRED
};

/* How a wire's request names the most tokens that an answer may have. */
enum model_limit {
    MODEL_LIMIT_MAX_TOKENS,
    MODEL_LIMIT_MAX_COMPLETION_TOKENS, /* the newer name in OpenAI's wire */
    MODEL_LIMIT_NONE                   /* it is left out */
};

/* Zero means: leave it to the server. */
struct model_request {
    struct str model; /* left out when empty */
    const struct model_message *messages;
    size_t message_count;
    bool has_temperature; /* some models refuse any temperature */
    double temperature;
    uint64_t max_tokens;
    enum model_limit limit;
    bool stream;
    bool asks_usage; /* OpenAI's wire, of a stream: its tokens in the last chunk */
    const struct str *stop;
    size_t stop_count;
    const struct model_tool *tools;
    size_t tool_count;
    enum model_tool_choice tool_choice;
    struct str form;      /* the JSON Schema that the answer is to keep to; empty: any text */
    struct str form_name; /* of letters, digits and '_' */
    struct str reasoning_effort; /* OpenAI's wire: "low"; left out when empty */
};

/* The authentication header: its name, "Authorization", Azure's "api-key" or Anthropic's
 * "x-api-key" (absent when the key is empty), and its value, "Bearer <key>" or the key. */
struct str model_wire_auth_name(const struct model_endpoint *endpoint);
void model_wire_write_auth(struct buf *buf, const struct model_endpoint *endpoint);
/* base without slashes at its end. */
struct str model_wire_base(struct str base);

#endif
