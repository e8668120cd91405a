/* SPDX-License-Identifier: MIT */
/* backends/remote/remote_oauth.h - the token with which messages go to an MCP server whose file
 * says "oauth": found, asked for, and asked for anew.
 *
 *   the server refuses -> where its metadata are -> its issuer's metadata -> a token
 * Only the issuer that the file names gets the secret, and only the server gets the token. All that
 * wait share one request. One loop, one thread. */
#ifndef BACKENDS_REMOTE_REMOTE_OAUTH_H
#define BACKENDS_REMOTE_REMOTE_OAUTH_H

#include "backends/http/http_client.h"
#include "backends/remote/remote_file.h"
#include "core/base/log.h"

struct remote_oauth;

struct remote_oauth_options { /* all outlive it */
    struct loop *loop;
    struct http_client *client;
    const struct remote_file *file;
    const struct remote_file_server *server; /* with "oauth" */
    const struct log *log;
};

struct remote_oauth *
remote_oauth_create(const struct remote_oauth_options *options); /* NULL: memory */
/* Only when nobody waits. NULL is fine. */
void remote_oauth_destroy(struct remote_oauth *oauth);

/* The value of Authorization; "": there is no token yet. Valid until the loop's next turn. */
struct str remote_oauth_header(const struct remote_oauth *oauth);
/* Whether there was a token whose time is over: one should be got before a message is sent. */
bool remote_oauth_is_over(const struct remote_oauth *oauth);
/* Which token is in use: another number with each. */
unsigned remote_oauth_number(const struct remote_oauth *oauth);

struct remote_oauth_get {
    struct op op; /* "mcp.token"; ERR_UNAVAILABLE, ERR_TIMEOUT, ERR_DENIED (by whom and why),
                     ERR_NO_MEMORY, ERR_CANCELLED */
    /* in, kept until done */
    struct str challenge; /* WWW-Authenticate of the refusal; "": none */
    unsigned refused;     /* number of the token that was refused */
    /* private */
    struct list link;
    struct remote_oauth *oauth;
    bool is_cancelled;
};

/* Get a token, unless there is another one than the refused by now. On zeroed storage. */
void remote_oauth_get_start(struct remote_oauth_get *get, struct remote_oauth *oauth,
                            struct op_waiter waiter);

#endif
