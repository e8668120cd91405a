/* SPDX-License-Identifier: MIT */
/* backends/remote/remote_file.h - the file of tools (ASKD_TOOLS): HTTP tools, MCP servers, and the
 * addresses that both may reach.
 *
 * docs/tools.md tells of its members. Secrets are named in it, not written: ${NAME} in a header is
 * the value of a variable, taken when the file is read. Immutable once read, and counted; any
 * thread. */
#ifndef BACKENDS_REMOTE_REMOTE_FILE_H
#define BACKENDS_REMOTE_REMOTE_FILE_H

#include <stdatomic.h>

#include "backends/remote.h"
#include "backends/remote/remote_url.h"
#include "core/base/buf.h"
#include "proto/json_value.h"

enum {
    REMOTE_FILE_TOOLS = 64,
    REMOTE_FILE_SERVERS = 16,
    REMOTE_FILE_ALLOWED = 64,
    REMOTE_FILE_NAME_BYTES = 64, /* of a tool's name, as models take them */
};

/* A text with places for arguments of the call and for who asks. */
struct remote_file_piece {
    enum { REMOTE_FILE_TEXT, REMOTE_FILE_ARGUMENT, REMOTE_FILE_COMPANY, REMOTE_FILE_USER } kind;
    struct str text; /* the text, or the argument's name */
};

struct remote_file_template {
    const struct remote_file_piece *pieces;
    size_t count;
};

struct remote_file_pair {
    struct str name;
    struct remote_file_template value;
};

/* What HTTP tools and MCP servers have in common: how they are reached. */
struct remote_file_reach {
    const struct remote_file_pair *headers;
    size_t header_count;
    uint64_t timeout_ms;
    size_t max_bytes; /* of an answer */
    bool is_private;  /* its address may be of this machine or of a private network */
};

struct remote_file_http {
    struct remote_tool tool;
    struct remote_file_reach reach;
    const char *method;
    struct remote_file_template url;
    const struct remote_file_pair *query;
    size_t query_count;
    const struct json_value *body; /* JSON whose texts are templates; NULL: none */
    const char *result;            /* a JSON pointer: what of the answer is shown; "": all */
    unsigned retries;              /* after failures that pass, where a call may be made again */
};

/* How a server's authorization server gives tokens to a program. Absent: not said. */
struct remote_file_oauth {
    struct str issuer;       /* absent: there is no "oauth" */
    const char *issuer_text; /* the same */
    struct str client_id, client_secret;
    struct str private_key; /* PEM, in the place of a secret */
    struct str scope;
};

struct remote_file_server {
    struct str name;
    const char *url;
    struct remote_file_reach reach;
    struct remote_file_oauth oauth;
    const struct str *only; /* names of tools, or beginnings with a * behind; none: all */
    size_t only_count;
    const struct str *asking; /* likewise: a person is asked before a call */
    size_t asking_count;
    const struct str *graphs; /* whose agents offer its tools unasked */
    size_t graph_count;
};

struct remote_file {
    atomic_size_t refs;
    struct arena arena;
    const char *path;
    struct str text;    /* all of it */
    struct buf secrets; /* the values that it names, in its order */
    struct remote_url allowed[REMOTE_FILE_ALLOWED];
    size_t allowed_count;
    struct remote_file_http http[REMOTE_FILE_TOOLS];
    size_t http_count;
    struct remote_file_server servers[REMOTE_FILE_SERVERS];
    size_t server_count;
};

/* The value of a variable; absent: it is not set. */
typedef struct str remote_file_find_fn(void *owner, const char *name);

/* Read text, which is what the file at path holds. ERR_INVALID: "PATH: POINTER: what is wrong";
 * ERR_NO_MEMORY. The result is one reference, the caller's. */
MUST_USE enum err_code remote_file_read(const char *path, struct str text,
                                        remote_file_find_fn *find, void *owner,
                                        struct remote_file **out, struct err *err);
struct remote_file *remote_file_ref(struct remote_file *file);
/* The last one frees it. NULL is fine. */
void remote_file_unref(struct remote_file *file);
/* Whether two files say the same, with the same secrets. */
bool remote_file_is_same(const struct remote_file *a, const struct remote_file *b);

/* Whether the file allows url. */
bool remote_file_allows(const struct remote_file *file, struct str url);
/* Whether name is that of an HTTP tool, or may be one of a server's: "SERVER_TOOL". file may be
 * NULL: no. */
bool remote_file_may_have(const struct remote_file *file, struct str name);
/* Whether name may be that of one of server's tools: "SERVER_TOOL". */
bool remote_file_is_of(const struct remote_file_server *server, struct str name);
/* Whether name is one of patterns: itself, or a beginning with a * behind. */
bool remote_file_is_among(struct str name, const struct str *patterns, size_t count);

/* Append a template, its arguments as text. escape: percent-encode what is put in. False: an
 * argument that it names is not there, or the caller lacks what it names. */
MUST_USE bool remote_file_write(const struct remote_file_template *from,
                                const struct json_value *arguments, const struct identity *caller,
                                bool escape, struct buf *out);
/* The same for a text of a body, whose places were checked when the file was read. */
MUST_USE bool remote_file_fill(struct str text, const struct json_value *arguments,
                               const struct identity *caller, struct buf *out);

#endif
