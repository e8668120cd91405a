/* SPDX-License-Identifier: MIT */
/* backends/remote/remote_oauth_wire.h - what an MCP server and its authorization server say about
 * tokens, and the request for one, as a client without a person writes it.
 *
 * WWW-Authenticate (RFC 6750), metadata of a protected resource (RFC 9728) and of an authorization
 * server (RFC 8414, OpenID Connect), client_credentials with a secret or a signed assertion (RFC
 * 6749, 7523) for a resource (RFC 8707). Pure; any thread. */
#ifndef BACKENDS_REMOTE_REMOTE_OAUTH_WIRE_H
#define BACKENDS_REMOTE_REMOTE_OAUTH_WIRE_H

#include "core/base/arena.h"
#include "core/base/buf.h"
#include "core/base/err.h"

struct remote_oauth_challenge { /* absent: not said */
    struct str metadata, scope, error;
};

/* The Bearer challenge of header, the value of WWW-Authenticate, in arena; nothing where there is
 * none. */
struct remote_oauth_challenge remote_oauth_wire_challenge(struct str header, struct arena *arena);

/* Where the metadata of the resource at url may be, the likeliest first; absent: no more, or no
 * memory. */
struct str remote_oauth_wire_resource_url(struct str url, unsigned i, struct arena *arena);
/* The same for those of an authorization server. */
struct str remote_oauth_wire_issuer_url(struct str issuer, unsigned i, struct arena *arena);
/* Whether two addresses have scheme, host and port in common. */
bool remote_oauth_wire_is_beside(struct str url, struct str other);

struct remote_oauth_resource {
    struct str resource; /* as it is to be named in a request for a token */
    struct str scope;    /* all that it tells of; absent: it does not */
};

/* Read text, the metadata of the resource at url; texts in arena. ERR_INVALID: none are in it;
 * ERR_DENIED: they are of another resource, or name other authorization servers than issuer;
 * ERR_NO_MEMORY. */
MUST_USE enum err_code remote_oauth_wire_resource(struct str text, struct str url,
                                                  struct str issuer, struct arena *arena,
                                                  struct remote_oauth_resource *out,
                                                  struct err *err);

struct remote_oauth_issuer {
    struct str token_url;
    bool takes_basic, takes_post, takes_signed; /* how a client may say who it is */
};

/* Read text, the metadata of issuer. ERR_INVALID: none are in it; ERR_DENIED: they are of another
 * one, or it gives tokens to nobody but who signs in; ERR_NO_MEMORY. */
MUST_USE enum err_code remote_oauth_wire_issuer(struct str text, struct str issuer,
                                                struct arena *arena,
                                                struct remote_oauth_issuer *out, struct err *err);

struct remote_oauth_ask { /* absent: not said */
    struct str id, secret;
    struct str assertion; /* in the place of a secret */
    struct str scope, resource;
    bool is_in_body; /* id and secret are, instead of in a header */
};

/* Append the body of the request for a token. */
void remote_oauth_wire_ask(const struct remote_oauth_ask *ask, struct buf *out);
/* Append "Basic ..." of id and secret. */
void remote_oauth_wire_basic(struct str id, struct str secret, struct buf *out);

struct remote_oauth_token {
    struct str text;
    uint64_t seconds; /* that it is valid; 0: not said */
};

/* Read text, the answer to that request. ERR_DENIED: why there is no token, in the server's words;
 * ERR_INVALID: it is no answer, or the token is of no kind that is known here; ERR_NO_MEMORY. */
MUST_USE enum err_code remote_oauth_wire_token(struct str text, struct arena *arena,
                                               struct remote_oauth_token *out, struct err *err);

#endif
