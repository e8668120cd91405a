/* SPDX-License-Identifier: MIT */
/* backends/remote/remote_tools.c - the HTTP tools of a file and a client for each of its servers.
 *
 * Happy path: whoever learns waits until no server is being opened; a call goes to the tool or the
 * server that its name is of. Failure: a server that cannot be asked has no tools. */
#include "backends/remote/remote_tools.h"

#include "backends/remote/remote_http.h"
#include "backends/remote/remote_mcp.h"
#include "core/base/mem.h"
#include "core/loop/closing.h"

enum { MAX_LISTED = 1024 };

struct tools {
    struct remote remote; /* first */
    const struct remote_file *file;
    struct http_client *client;
    struct remote_mcp *servers[REMOTE_FILE_SERVERS];
    struct remote_tool listed[MAX_LISTED];
    struct list learning;
    struct closing closing; /* out: HTTP calls, servers */
};

static struct tools *tools_of(struct remote *remote)
{
    return container_of(remote, struct tools, remote);
}

/* ---- learning ---- */

static void cancel_learning(struct op *op)
{
    struct remote_learn *learn = container_of(op, struct remote_learn, op);
    if (op_is_finishing(op))
        return;
    list_remove(&learn->link);
    op_finish(op, ERR_CANCELLED, "nobody waits for the tools any more");
}

static const struct op_kind learn_kind = {.name = "remote.learn", .cancel = cancel_learning};

/* Whether a server is being opened, or begins to be. */
static bool is_opening(struct tools *tools)
{
    bool any = false;
    for (size_t i = 0; i < tools->file->server_count; i++)
        any = remote_mcp_open(tools->servers[i]) || any;
    return any;
}

static void start_learning(struct remote *remote, struct remote_learn *learn,
                           struct op_waiter waiter)
{
    struct tools *tools = tools_of(remote);
    op_begin(&learn->op, &learn_kind, remote->loop, waiter);
    list_init(&learn->link);
    if (closing_is_begun(&tools->closing) || !is_opening(tools))
        op_finish(&learn->op, ERR_OK, " ");
    else
        list_push(&tools->learning, &learn->link);
}

static void on_settled(void *owner)
{
    struct tools *tools = owner;
    if (!closing_is_begun(&tools->closing) && is_opening(tools))
        return;
    for (struct list *link; (link = list_take_first(&tools->learning)) != NULL;)
        op_finish(&list_item(link, struct remote_learn, link)->op, ERR_OK, " ");
}

static const struct remote_tool *list(struct remote *remote, size_t *count)
{
    struct tools *tools = tools_of(remote);
    *count = 0;
    for (size_t i = 0; i < tools->file->http_count; i++)
        tools->listed[(*count)++] = tools->file->http[i].tool;
    for (size_t i = 0; i < tools->file->server_count; i++) {
        size_t more;
        const struct remote_tool *at = remote_mcp_tools(tools->servers[i], &more);
        for (size_t j = 0; j < more && *count < MAX_LISTED; j++)
            tools->listed[(*count)++] = at[j];
    }
    return tools->listed;
}

/* ---- calls ---- */

static void cancel_nothing(struct op *op)
{
    (void)op;
}

static const struct op_kind none_kind = {.name = "remote.call", .cancel = cancel_nothing};

static void refuse(struct remote *remote, struct remote_call *call, struct op_waiter waiter)
{
    op_begin(&call->op, &none_kind, remote->loop, waiter);
    call->impl = NULL;
    op_finish(&call->op, ERR_NOT_FOUND, "there is no tool '%.*s' (any more)",
              STR_ARG(str_utf8_prefix(call->name, REMOTE_FILE_NAME_BYTES)));
}

static struct remote_mcp *find_server(struct tools *tools, struct str name)
{
    for (size_t i = 0; i < tools->file->server_count; i++) {
        size_t count;
        const struct remote_tool *at = remote_mcp_tools(tools->servers[i], &count);
        for (size_t j = 0; j < count; j++)
            if (str_equal(at[j].name, name))
                return tools->servers[i];
    }
    return NULL;
}

static void start_call(struct remote *remote, struct remote_call *call, struct op_waiter waiter)
{
    struct tools *tools = tools_of(remote);
    for (size_t i = 0; i < tools->file->http_count; i++)
        if (str_equal(tools->file->http[i].tool.name, call->name)) {
            remote_http_start(call, remote->loop, tools->client, tools->file,
                              &tools->file->http[i], waiter);
            return;
        }
    struct remote_mcp *server = find_server(tools, call->name);
    if (server != NULL)
        remote_mcp_call(server, call, waiter);
    else
        refuse(remote, call, waiter);
}

/* ---- the beginning and the end ---- */

static void free_tools(struct closing *closing)
{
    mem_free(container_of(closing, struct tools, closing));
}

static void close_tools(struct remote *remote, void (*on_closed)(void *owner), void *owner)
{
    struct tools *tools = tools_of(remote);
    closing_begin(&tools->closing, on_closed, owner);
    LIST_EACH_SAFE(link, &tools->learning)
        op_cancel(&list_item(link, struct remote_learn, link)->op);
    for (size_t i = 0; i < REMOTE_FILE_SERVERS; i++) {
        if (tools->servers[i] == NULL)
            continue;
        closing_enter(&tools->closing);
        remote_mcp_close(tools->servers[i], closing_leave_part, &tools->closing);
    }
}

static const struct remote_vtable vtable = {start_learning, list, start_call, close_tools};

static void ignore_closed(void *owner)
{
    (void)owner;
}

struct remote *remote_tools_create(struct loop *loop, struct http_client *client,
                                   const struct remote_file *file, const struct log *log)
{
    static closing_fn *const steps[] = {free_tools, NULL};
    struct tools *tools = mem_zalloc(1, sizeof *tools);
    if (tools == NULL)
        return NULL;
    tools->remote = (struct remote){&vtable, loop};
    tools->file = file;
    tools->client = client;
    list_init(&tools->learning);
    closing_init(&tools->closing, loop, steps);
    for (size_t i = 0; i < file->server_count; i++) {
        const struct remote_mcp_options options = {.loop = loop,
                                                   .client = client,
                                                   .server = &file->servers[i],
                                                   .log = log,
                                                   .on_settled = on_settled,
                                                   .owner = tools};
        tools->servers[i] = remote_mcp_create(&options);
        if (tools->servers[i] == NULL) {
            close_tools(&tools->remote, ignore_closed, NULL);
            return NULL;
        }
    }
    return &tools->remote;
}
