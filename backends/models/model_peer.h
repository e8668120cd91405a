/* SPDX-License-Identifier: MIT */
/* backends/models/model_peer.h - a model's server as those who call it know it: where it is, the
 * key, and what its failures mean to whoever runs askd.
 *
 * Shared by llm_http and embed_openai. The key never gets into an error. One thread. */
#ifndef BACKENDS_MODELS_MODEL_PEER_H
#define BACKENDS_MODELS_MODEL_PEER_H

#include "backends/http/http_client.h"
#include "proto/models/model_wire.h"

struct model_peer_options { /* all borrowed for the peer's life */
    const char *what;       /* "model", "embeddings": in errors */
    enum model_wire wire;
    const char *base_url;       /* "https://api.openai.com/v1", Azure: the resource */
    const char *url_variable;   /* "OPENAI_BASE_URL": in errors */
    const char *api_key;        /* "": none */
    bool key_optional;          /* local servers need none */
    const char *key_variable;   /* "OPENAI_API_KEY": in errors */
    const char *model;          /* Azure: the deployment */
    const char *model_variable; /* "OPENAI_MODEL": in errors; NULL: none */
    const char *api_version;    /* Azure only */
    const char *without;        /* how to do without it: "ASKD_MODEL=offline" */
    void (*write_url)(struct buf *buf, const struct model_endpoint *endpoint);
};

struct model_peer {
    struct model_peer_options options;
    struct buf url; /* with a NUL at its end */
    struct buf auth;
    struct str auth_name; /* absent: no key */
};

/* False: no memory; fini is due all the same. */
MUST_USE bool model_peer_init(struct model_peer *peer, const struct model_peer_options *options);
void model_peer_fini(struct model_peer *peer);

/* ERR_OK or ERR_NOT_CONFIGURED, naming the variable. */
enum err_code model_peer_ready(const struct model_peer *peer, struct err *err);
enum { MODEL_PEER_HEADERS = 5 };
struct model_peer_headers { /* of one call; views of itself and of the peer */
    struct http_header at[MODEL_PEER_HEADERS];
    size_t count;
    char traceparent[TRACE_PARENT_BYTES + 1];
};
/* trace: whose child the call is; NULL: not traced. */
void model_peer_write_headers(const struct model_peer *peer, struct str accept,
                              const struct trace_place *trace, struct model_peer_headers *headers);
/* A transport's error, with whom it was about and what to look at. was_cut: part of an answer had
 * come. */
void model_peer_explain_transport(const struct model_peer *peer, const struct err *cause,
                                  bool was_cut, struct err *err);
/* An HTTP status that is not 200, with its body; codes and *is_filtered as model_error. */
void model_peer_explain_status(const struct model_peer *peer, int status, struct str body,
                               bool *is_filtered, struct err *err);
/* A server may echo what it was sent: the key becomes stars, also where it was cut. */
void model_peer_blank_key(const struct model_peer *peer, struct err *err);

#endif
