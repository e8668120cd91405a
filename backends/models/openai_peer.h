/* SPDX-License-Identifier: MIT */
/* backends/models/openai_peer.h - an OpenAI-shaped server as those who call it know it: where it
 * is, the key, and what its failures mean to whoever runs askd.
 *
 * Shared by llm_openai and embed_openai. The key never gets into an error. One thread. */
#ifndef BACKENDS_MODELS_OPENAI_PEER_H
#define BACKENDS_MODELS_OPENAI_PEER_H

#include "backends/http/http_client.h"
#include "proto/openai.h"

struct openai_peer_options {    /* all borrowed for the peer's life */
    const char *what;           /* "model", "embeddings": in errors */
    const char *base_url;       /* "https://api.openai.com/v1", Azure: the resource */
    const char *api_key;        /* "": none */
    bool key_optional;          /* local servers need none */
    const char *key_variable;   /* "OPENAI_API_KEY": in errors */
    const char *model;          /* Azure: the deployment */
    const char *model_variable; /* "OPENAI_MODEL": in errors; NULL: none */
    const char *api_version;    /* Azure only; NULL: OpenAI's dialect */
    const char *without;        /* how to do without it: "ASKD_MODEL=offline" */
    void (*write_url)(struct buf *buf, const struct openai_endpoint *endpoint);
};

struct openai_peer {
    struct openai_peer_options options;
    struct buf url; /* with a NUL at its end */
    struct buf auth;
    struct str auth_name; /* absent: no key */
};

/* False: no memory; fini is due all the same. */
MUST_USE bool openai_peer_init(struct openai_peer *peer, const struct openai_peer_options *options);
void openai_peer_fini(struct openai_peer *peer);

/* ERR_OK or ERR_NOT_CONFIGURED, naming the variable. */
enum err_code openai_peer_ready(const struct openai_peer *peer, struct err *err);
enum { OPENAI_PEER_HEADERS = 4 };
struct openai_peer_headers { /* of one call; views of itself and of the peer */
    struct http_header at[OPENAI_PEER_HEADERS];
    size_t count;
    char traceparent[TRACE_PARENT_BYTES + 1];
};
/* trace: whose child the call is; NULL: not traced. */
void openai_peer_write_headers(const struct openai_peer *peer, struct str accept,
                               const struct trace_place *trace,
                               struct openai_peer_headers *headers);
/* A transport's error, with whom it was about and what to look at. was_cut: part of an answer had
 * come. */
void openai_peer_explain_transport(const struct openai_peer *peer, const struct err *cause,
                                   bool was_cut, struct err *err);
/* An HTTP status that is not 200, with its body; codes as openai_answer_error. */
void openai_peer_explain_status(const struct openai_peer *peer, int status, struct str body,
                                struct err *err);
/* A server may echo what it was sent: the key becomes stars, also where it was cut. */
void openai_peer_blank_key(const struct openai_peer *peer, struct err *err);
/* The name of the variable that says where the server is. */
const char *openai_peer_url_variable(const struct openai_peer *peer);

#endif
