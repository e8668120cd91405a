/* SPDX-License-Identifier: MIT */
/* backends/remote/remote_tools.c - the HTTP tools of a file and a client for each of its servers.
 *
 * Happy path: whoever learns waits until no server is being opened; a call goes to the tool or the
 * server that its name is of. A new file is a new set; the old one goes when its last call has
 * ended. Failure: a server that cannot be asked has no tools. */
#include "backends/remote/remote_tools.h"

#include "backends/remote/remote_http.h"
#include "backends/remote/remote_mcp.h"
#include "core/base/mem.h"
#include "core/loop/closing.h"

enum { MAX_LISTED = 1024 };

struct served {
    struct set *set;
    struct remote_mcp *mcp; /* NULL: closed, or never made */
};

/* A file in use, and clients of its servers. */
struct set {
    struct list link;
    struct tools *tools;
    struct remote_file *file; /* a reference */
    struct served servers[REMOTE_FILE_SERVERS];
    struct closing closing; /* out: servers */
};

struct tools {
    struct remote remote; /* first */
    struct http_client *client;
    const struct log *log;
    struct set *now;
    struct list sets; /* now, and old ones with calls under way */
    struct remote_tool listed[MAX_LISTED];
    struct list learning;
    struct closing closing; /* out: sets */
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
    for (size_t i = 0; i < tools->now->file->server_count; i++)
        any = remote_mcp_open(tools->now->servers[i].mcp) || any;
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
    const struct set *set = tools->now;
    for (size_t i = 0; i < set->file->http_count; i++)
        tools->listed[(*count)++] = set->file->http[i].tool;
    for (size_t i = 0; i < set->file->server_count; i++) {
        size_t more;
        const struct remote_tool *at = remote_mcp_tools(set->servers[i].mcp, &more);
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

static void refuse(struct remote_call *call, struct loop *loop, struct op_waiter waiter,
                   enum err_code code, const char *text)
{
    op_begin(&call->op, &none_kind, loop, waiter);
    call->impl = NULL;
    op_finish(&call->op, code, "tool '%.*s': %s",
              STR_ARG(str_utf8_prefix(call->name, REMOTE_FILE_NAME_BYTES)), text);
}

static const struct remote_file_http *find_http(const struct remote_file *file, struct str name)
{
    for (size_t i = 0; i < file->http_count; i++)
        if (str_equal(file->http[i].tool.name, name))
            return &file->http[i];
    return NULL;
}

/* The server that has the tool, or the one that may have it and has not told yet: the file may have
 * changed since the tool was learned of. */
static struct remote_mcp *find_server(const struct set *set, struct str name)
{
    struct remote_mcp *silent = NULL;
    for (size_t i = 0; i < set->file->server_count; i++) {
        size_t count;
        const struct remote_tool *at = remote_mcp_tools(set->servers[i].mcp, &count);
        for (size_t j = 0; j < count; j++)
            if (str_equal(at[j].name, name))
                return set->servers[i].mcp;
        if (at == NULL && remote_file_is_of(&set->file->servers[i], name))
            silent = set->servers[i].mcp;
    }
    return silent;
}

static void start_call(struct remote *remote, struct remote_call *call, struct op_waiter waiter)
{
    struct tools *tools = tools_of(remote);
    struct remote_file *file = tools->now->file;
    const struct remote_file_http *http = find_http(file, call->name);
    struct remote_mcp *server = http != NULL ? NULL : find_server(tools->now, call->name);
    if (server != NULL)
        remote_mcp_call(server, call, waiter);
    else if (http == NULL)
        refuse(call, remote->loop, waiter, ERR_NOT_FOUND, "there is none (any more)");
    else if (http->tool.asks && !call->is_allowed)
        refuse(call, remote->loop, waiter, ERR_DENIED, "a person has to allow a call of it now");
    else
        remote_http_start(call, remote->loop, tools->client, file, http, waiter);
}

/* ---- sets ---- */

static void free_set(struct closing *closing)
{
    struct set *set = container_of(closing, struct set, closing);
    struct tools *tools = set->tools;
    list_remove(&set->link);
    remote_file_unref(set->file);
    mem_free(set);
    closing_leave(&tools->closing);
}

static void on_server_closed(void *owner)
{
    struct served *served = owner;
    served->mcp = NULL;
    closing_leave(&served->set->closing);
}

/* Begin nothing more of set, which goes when what is under way has ended. */
static void retire(struct set *set)
{
    closing_begin(&set->closing, NULL, NULL);
    for (size_t i = 0; i < set->file->server_count; i++) {
        if (set->servers[i].mcp == NULL)
            continue;
        closing_enter(&set->closing);
        remote_mcp_close(set->servers[i].mcp, on_server_closed, &set->servers[i]);
    }
}

/* NULL: no memory. */
static struct set *make_set(struct tools *tools, struct remote_file *file)
{
    static closing_fn *const steps[] = {free_set, NULL};
    struct set *set = mem_zalloc(1, sizeof *set);
    if (set == NULL)
        return NULL;
    set->tools = tools;
    set->file = remote_file_ref(file);
    closing_init(&set->closing, tools->remote.loop, steps);
    closing_enter(&tools->closing);
    list_push(&tools->sets, &set->link);
    for (size_t i = 0; i < file->server_count; i++) {
        const struct remote_mcp_options options = {.loop = tools->remote.loop,
                                                   .client = tools->client,
                                                   .file = file,
                                                   .server = &file->servers[i],
                                                   .log = tools->log,
                                                   .on_settled = on_settled,
                                                   .owner = tools};
        set->servers[i] = (struct served){set, remote_mcp_create(&options)};
        if (set->servers[i].mcp == NULL) {
            retire(set);
            return NULL;
        }
    }
    return set;
}

enum err_code remote_tools_use(struct remote *remote, struct remote_file *file)
{
    struct tools *tools = tools_of(remote);
    struct set *set = closing_is_begun(&tools->closing) ? tools->now : make_set(tools, file);
    if (set == NULL)
        return ERR_NO_MEMORY;
    if (set == tools->now)
        return ERR_OK;
    retire(tools->now);
    tools->now = set;
    if (!list_is_empty(&tools->learning))
        on_settled(tools);
    return ERR_OK;
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
    if (tools->now != NULL)
        retire(tools->now);
    LIST_EACH(link, &tools->sets) {
        const struct set *set = list_item(link, struct set, link);
        for (size_t i = 0; i < set->file->server_count; i++)
            if (set->servers[i].mcp != NULL)
                remote_mcp_cancel(set->servers[i].mcp);
    }
}

static const struct remote_vtable vtable = {start_learning, list, start_call, close_tools};

static void ignore_closed(void *owner)
{
    (void)owner;
}

struct remote *remote_tools_create(struct loop *loop, struct http_client *client,
                                   struct remote_file *file, const struct log *log)
{
    static closing_fn *const steps[] = {free_tools, NULL};
    struct tools *tools = mem_zalloc(1, sizeof *tools);
    if (tools == NULL)
        return NULL;
    tools->remote = (struct remote){&vtable, loop};
    tools->client = client;
    tools->log = log;
    list_init(&tools->sets);
    list_init(&tools->learning);
    closing_init(&tools->closing, loop, steps);
    tools->now = make_set(tools, file);
    if (tools->now != NULL)
        return &tools->remote;
    close_tools(&tools->remote, ignore_closed, NULL);
    return NULL;
}
