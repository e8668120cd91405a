/* SPDX-License-Identifier: MIT */
/* backends/http/http_client.h - HTTP requests on the loop, their bodies streamed in.
 *
 * Plain http:// goes over connections of our own (http_direct), unless the environment names a
 * proxy; https:// and proxies are libcurl's multi interface, spread over several multi handles.
 * Nobody above sees either. No redirects, no netrc, no cookies. One loop, one thread. */
#ifndef BACKENDS_HTTP_HTTP_CLIENT_H
#define BACKENDS_HTTP_HTTP_CLIENT_H

#include "backends/http/http_header.h"
#include "core/base/buf.h"
#include "core/loop/op.h"

struct http_client;

struct http_client_options {
    unsigned spread;          /* multi handles; 0: 64. One handle walks all its connections for
                                 every new call, so many streams need many handles */
    unsigned max_connections; /* 0: no limit */
    uint64_t kept_ms;         /* that a connection without a call may stay open; 0: 30 s */
    const char *ca_file;      /* certificates to trust, PEM; borrowed; NULL: the system's */
    bool only_libcurl;        /* plain http:// too */
};

struct http_client *http_client_create(struct loop *loop,
                                       const struct http_client_options *options);
/* Finish everything with ERR_CANCELLED, then free and call on_closed(owner), once, later. */
void http_client_close(struct http_client *client, void (*on_closed)(void *owner), void *owner);

struct http_call_options {
    const char *url;                   /* copied */
    const char *method;                /* "GET", "POST"; static */
    const struct http_header *headers; /* copied */
    size_t header_count;
    struct str body;                                       /* kept until done */
    uint64_t connect_ms, first_byte_ms, idle_ms, total_ms; /* deadlines; 0: none. Each that passes
                                                              is ERR_TIMEOUT and says which */
    size_t max_body_bytes;                                 /* 0: 64 MiB; past it ERR_TOO_LARGE */
    bool begins_by_caller; /* the first byte that counts for first_byte_ms, and from which idle_ms
                              counts, is the one at which the caller says http_call_begun */
    struct http_wanted wanted[HTTP_WANTED_MOST];
    bool only_public; /* no address of this machine or of a private network, whatever the name
                         says; without the environment's proxy. ERR_DENIED */
};

struct http_call;
/* Status and headers are there; call may be cancelled from here. */
typedef void http_head_fn(struct http_call *call);
/* A piece of the body, borrowed for the call. */
typedef void http_body_fn(struct http_call *call, struct str bytes);

struct http_call {
    struct op op;            /* "http.call": ERR_OK for any complete answer, whatever its status */
    int status;              /* valid from on_head */
    uint64_t retry_after_ms; /* from Retry-After or retry-after-ms; UINT64_MAX: none */
    uint64_t pause_ms;       /* the server has nothing left for us so long; 0: it has, or says
                                nothing (x-ratelimit-* and the like) */
    char content_type[64];   /* lower case, without parameters */
    bool got_body;           /* at least one byte of the body came */
    void *user;              /* the caller's */
    /* private */
    struct http_client *client;
    http_head_fn *on_head; /* may be NULL */
    http_body_fn *on_body; /* may be NULL */
    void *impl;
};

/* Start. Hold pauses the transfer (TCP then slows the peer), go resumes it. ERR_UNAVAILABLE: no
 * connection, or it broke; ERR_PROTOCOL: not HTTP, or a body cut short. */
void http_call_start(struct http_call *call, struct http_client *client,
                     const struct http_call_options *options, http_head_fn *on_head,
                     http_body_fn *on_body, struct op_waiter waiter);
/* What was waited for has come: idle_ms counts from now on. */
void http_call_begun(struct http_call *call);
/* It has not come, but the peer shows that it is at work: first_byte_ms counts from now. */
void http_call_at_work(struct http_call *call);

#endif
