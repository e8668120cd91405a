/* SPDX-License-Identifier: MIT */
/* server/route.c - compare segment by segment; the table is short.
 *
 * Failure: no pattern fits, or one fits with another method only. */
#include "server/route.h"

#include "proto/url.h"
#include "server/api_admin.h"
#include "server/api_chat.h"
#include "server/api_conversations.h"
#include "server/api_graphs.h"
#include "server/api_metrics.h"
#include "server/facades/agui.h"
#include "server/facades/langgraph_assistants.h"
#include "server/facades/langgraph_runs.h"
#include "server/facades/langgraph_threads.h"
#include "server/facades/mcp.h"
#include "server/api_page.h"
#include "server/api_runs.h"
#include "server/facades/completions.h"
#include "server/facades/models.h"
#include "server/facades/openai_problem.h"
#include "server/facades/responses.h"
#include "server/facades/ui_chat.h"

const struct route route_table[] = {
    {HTTP_METHOD_POST, "/internal/chat/stream", api_chat_stream},
    {HTTP_METHOD_POST, "/ask", api_chat_ask},
    {HTTP_METHOD_GET, "/internal/graphs", api_graphs_list},
    {HTTP_METHOD_GET, "/internal/graphs/{graph}", api_graphs_show},
    {HTTP_METHOD_POST, "/internal/graphs/{graph}/stream", api_graphs_stream},
    {HTTP_METHOD_POST, "/internal/graphs/{graph}/invoke", api_graphs_invoke},
    {HTTP_METHOD_GET, "/internal/runs", api_runs_list},
    {HTTP_METHOD_GET, "/internal/runs/{run}/stream", api_runs_stream},
    {HTTP_METHOD_POST, "/internal/runs/{run}/cancel", api_runs_cancel},
    {HTTP_METHOD_POST, "/internal/runs/{run}/resume", api_runs_resume},
    {HTTP_METHOD_POST, "/assistants/search", langgraph_assistants_search},
    {HTTP_METHOD_POST, "/assistants/count", langgraph_assistants_count},
    {HTTP_METHOD_GET, "/assistants/{assistant}", langgraph_assistants_show},
    {HTTP_METHOD_GET, "/assistants/{assistant}/graph", langgraph_assistants_graph},
    {HTTP_METHOD_GET, "/assistants/{assistant}/schemas", langgraph_assistants_schemas},
    {HTTP_METHOD_POST, "/threads", langgraph_threads_create},
    {HTTP_METHOD_POST, "/threads/search", langgraph_threads_search},
    {HTTP_METHOD_GET, "/threads/{thread}", langgraph_threads_show},
    {HTTP_METHOD_DELETE, "/threads/{thread}", langgraph_threads_erase},
    {HTTP_METHOD_POST, "/threads/{thread}/copy", langgraph_threads_copy},
    {HTTP_METHOD_GET, "/threads/{thread}/state", langgraph_threads_state},
    {HTTP_METHOD_GET, "/threads/{thread}/state/{checkpoint}", langgraph_threads_state_at},
    {HTTP_METHOD_POST, "/threads/{thread}/history", langgraph_threads_history},
    {HTTP_METHOD_POST, "/threads/{thread}/runs", langgraph_runs_create},
    {HTTP_METHOD_GET, "/threads/{thread}/runs", langgraph_runs_list},
    {HTTP_METHOD_POST, "/threads/{thread}/runs/stream", langgraph_runs_stream},
    {HTTP_METHOD_POST, "/threads/{thread}/runs/wait", langgraph_runs_wait},
    {HTTP_METHOD_GET, "/threads/{thread}/runs/{run}", langgraph_runs_show},
    {HTTP_METHOD_POST, "/threads/{thread}/runs/{run}/cancel", langgraph_runs_cancel},
    {HTTP_METHOD_GET, "/threads/{thread}/runs/{run}/join", langgraph_runs_join},
    {HTTP_METHOD_GET, "/threads/{thread}/runs/{run}/stream", langgraph_runs_join_stream},
    {HTTP_METHOD_POST, "/runs", langgraph_runs_create_alone},
    {HTTP_METHOD_POST, "/runs/stream", langgraph_runs_stream_alone},
    {HTTP_METHOD_POST, "/runs/wait", langgraph_runs_wait_alone},
    {HTTP_METHOD_GET, "/runs/{run}/stream", langgraph_runs_join_stream_alone},
    {HTTP_METHOD_POST, "/mcp", mcp_post},
    {HTTP_METHOD_POST, "/ag-ui", agui_run},
    {HTTP_METHOD_POST, "/ag-ui/{graph}", agui_run_graph},
    {HTTP_METHOD_GET, "/internal/about", api_page_about},
    {HTTP_METHOD_GET, "/", api_page_show, .is_open = true},
    {HTTP_METHOD_GET, "/openapi.json", api_page_openapi, .is_open = true},
    {HTTP_METHOD_GET, "/page/{version}/{file}", api_page_file, .is_open = true},
    {HTTP_METHOD_GET, "/internal/conversations", api_conversations_list},
    {HTTP_METHOD_DELETE, "/internal/conversations", api_conversations_erase_user},
    {HTTP_METHOD_GET, "/internal/conversations/{conversation}", api_conversations_show},
    {HTTP_METHOD_DELETE, "/internal/conversations/{conversation}", api_conversations_erase},
    {HTTP_METHOD_GET, "/internal/conversations/{conversation}/checkpoints",
     api_conversations_checkpoints},
    {HTTP_METHOD_POST, "/internal/conversations/{conversation}/fork", api_conversations_fork},
    {HTTP_METHOD_GET, "/v1/models", models_list, .problems = &openai_problem_style},
    {HTTP_METHOD_GET, "/v1/models/{model}", models_show, .problems = &openai_problem_style},
    {HTTP_METHOD_POST, "/v1/chat/completions", completions_create,
     .problems = &openai_problem_style},
    {HTTP_METHOD_POST, "/v1/responses", responses_create, .problems = &openai_problem_style},
    {HTTP_METHOD_GET, "/v1/responses/{response}", responses_retrieve,
     .problems = &openai_problem_style},
    {HTTP_METHOD_POST, "/api/chat", ui_chat_ask, .problems = &ui_chat_problem_style},
    {HTTP_METHOD_GET, "/api/chat/{chat}/stream", ui_chat_resume,
     .problems = &ui_chat_problem_style},
    {HTTP_METHOD_GET, "/healthz", api_admin_health, .is_open = true},
    {HTTP_METHOD_GET, "/readyz", api_admin_ready, .is_open = true},
    {HTTP_METHOD_GET, "/metrics", api_metrics, .is_open = true},
    {HTTP_METHOD_GET, "/version", api_admin_version, .is_open = true},
};

const size_t route_table_count = countof(route_table);

/* What clients of protocols spoken here may ask for, and is not built. */
static const struct {
    enum http_method method;
    const char *pattern, *feature;
} absent[] = {
    {HTTP_METHOD_GET, "/v1/responses/{response}/input_items", "listing a response's input is"},
    {HTTP_METHOD_DELETE, "/v1/responses/{response}", "deleting responses is"},
    {HTTP_METHOD_POST, "/v1/responses/{response}/cancel", "cancelling responses is"},
    {HTTP_METHOD_GET, "/v1/chat/completions", "stored completions are"},
    {HTTP_METHOD_GET, "/v1/chat/completions/{completion}", "stored completions are"},
    {HTTP_METHOD_POST, "/v1/chat/completions/{completion}", "stored completions are"},
    {HTTP_METHOD_DELETE, "/v1/chat/completions/{completion}", "stored completions are"},
    {HTTP_METHOD_DELETE, "/v1/models/{model}", "deleting models is"},
    {HTTP_METHOD_POST, "/v1/completions", "completions without messages are"},
    {HTTP_METHOD_POST, "/v1/conversations", "making conversations ahead of a response is"},
    {HTTP_METHOD_POST, "/v1/embeddings", "embeddings are"},
    {HTTP_METHOD_POST, "/v1/moderations", "moderations are"},
    {HTTP_METHOD_POST, "/v1/images/generations", "images are"},
    {HTTP_METHOD_POST, "/v1/audio/speech", "speech is"},
    {HTTP_METHOD_POST, "/v1/audio/transcriptions", "transcriptions are"},
    {HTTP_METHOD_GET, "/v1/files", "files are"},
    {HTTP_METHOD_POST, "/v1/files", "files are"},
    {HTTP_METHOD_POST, "/assistants", "assistants other than the graphs are"},
    {HTTP_METHOD_PATCH, "/assistants/{assistant}", "assistants other than the graphs are"},
    {HTTP_METHOD_DELETE, "/assistants/{assistant}", "assistants other than the graphs are"},
    {HTTP_METHOD_POST, "/assistants/{assistant}/versions", "versions of assistants are"},
    {HTTP_METHOD_POST, "/assistants/{assistant}/latest", "versions of assistants are"},
    {HTTP_METHOD_GET, "/assistants/{assistant}/subgraphs", "listing sub-graphs is"},
    {HTTP_METHOD_POST, "/threads/count", "counting threads is"},
    {HTTP_METHOD_PATCH, "/threads/{thread}", "changing threads is"},
    {HTTP_METHOD_POST, "/threads/{thread}/state", "writing a thread's state is"},
    {HTTP_METHOD_PATCH, "/threads/{thread}/state", "writing a thread's state is"},
    {HTTP_METHOD_POST, "/threads/{thread}/state/checkpoint", "states of sub-graphs are"},
    {HTTP_METHOD_GET, "/threads/{thread}/stream", "streaming all runs of a thread is"},
    {HTTP_METHOD_POST, "/threads/{thread}/commands", "the second protocol is"},
    {HTTP_METHOD_POST, "/threads/{thread}/stream/events", "the second protocol is"},
    {HTTP_METHOD_POST, "/threads/{thread}/runs/crons", "runs by schedule are"},
    {HTTP_METHOD_DELETE, "/threads/{thread}/runs/{run}", "deleting runs is"},
    {HTTP_METHOD_POST, "/runs/batch", "batches of runs are"},
    {HTTP_METHOD_POST, "/runs/cancel", "cancelling many runs is"},
    {HTTP_METHOD_POST, "/runs/crons", "runs by schedule are"},
    {HTTP_METHOD_POST, "/runs/crons/search", "runs by schedule are"},
    {HTTP_METHOD_POST, "/runs/crons/count", "runs by schedule are"},
    {HTTP_METHOD_PUT, "/store/items", "the store of items is"},
    {HTTP_METHOD_GET, "/store/items", "the store of items is"},
    {HTTP_METHOD_DELETE, "/store/items", "the store of items is"},
    {HTTP_METHOD_POST, "/store/items/search", "the store of items is"},
    {HTTP_METHOD_POST, "/store/namespaces", "the store of items is"},
};

static bool fits(struct str pattern, const struct str *segments, size_t count, struct str *params)
{
    size_t i = 0, param_count = 0;
    (void)str_split(&pattern, '/'); /* before the first slash */
    while (!str_is_absent(pattern)) {
        struct str part = str_split(&pattern, '/');
        if (i == count)
            return false;
        struct str segment = segments[i++];
        if (part.len > 0 && part.at[0] == '{') {
            if (segment.len == 0)
                return false;
            CHECK(param_count < ROUTE_MAX_PARAMS);
            params[param_count++] = segment;
        } else if (!str_equal(part, segment)) {
            return false;
        }
    }
    return i == count;
}

/* By what a path is asked for: bit 0 GET, bit 1 POST, bit 2 DELETE. */
static const char *name_methods(unsigned methods)
{
    static const char *const names[] = {
        "",       "GET, HEAD",         "POST",         "GET, HEAD, POST",
        "DELETE", "GET, HEAD, DELETE", "POST, DELETE", "GET, HEAD, POST, DELETE"};
    return names[methods];
}

static unsigned bit_of(enum http_method method)
{
    return method == HTTP_METHOD_GET ? 1 : method == HTTP_METHOD_POST ? 2 : 4;
}

enum err_code route_find(enum http_method method, struct str path, struct route_match *match)
{
    struct str segments[ROUTE_MAX_SEGMENTS];
    size_t count;
    unsigned methods = 0;
    *match = (struct route_match){0};
    if (str_starts_with(path, STR("/v1/")))
        match->problems = &openai_problem_style; /* also where there is nothing */
    if (method == HTTP_METHOD_HEAD)
        method = HTTP_METHOD_GET;
    if (url_split_path(path, segments, countof(segments), &count) != ERR_OK)
        return ERR_NOT_FOUND;
    for (size_t i = 0; i < route_table_count; i++) {
        const struct route *route = &route_table[i];
        if (!fits(str_of(route->pattern), segments, count, match->params))
            continue;
        match->route = route;
        match->problems = route->problems;
        if (route->method == method)
            return ERR_OK;
        methods |= bit_of(route->method);
    }
    match->route = NULL;
    for (size_t i = 0; i < countof(absent); i++)
        if (absent[i].method == method &&
            fits(str_of(absent[i].pattern), segments, count, match->params))
            match->feature = absent[i].feature;
    if (methods == 0)
        return ERR_NOT_FOUND;
    match->allow = name_methods(methods);
    return ERR_REJECTED;
}

size_t route_index(const struct route *route)
{
    return (size_t)(route - route_table);
}
