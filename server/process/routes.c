/* SPDX-License-Identifier: MIT */
/* server/process/routes.c - one line per endpoint. */
#include "server/process/routes.h"

#include "server/api/api_admin.h"
#include "server/api/api_auth.h"
#include "server/api/api_chat.h"
#include "server/api/conversations/api_conversations.h"
#include "server/api/api_graphs.h"
#include "server/api/conversations/api_label.h"
#include "server/api/conversations/api_share.h"
#include "server/api/api_metrics.h"
#include "server/api/documents/api_documents.h"
#include "server/page/api_page.h"
#include "server/api/api_live_runs.h"
#include "server/facades/agui/agui.h"
#include "server/facades/openai/completions.h"
#include "server/facades/langgraph/langgraph_assistants.h"
#include "server/facades/langgraph/langgraph_crons.h"
#include "server/facades/langgraph/langgraph_runs.h"
#include "server/facades/langgraph/langgraph_search.h"
#include "server/facades/langgraph/langgraph_threads.h"
#include "server/facades/mcp/mcp.h"
#include "server/facades/openai/models.h"
#include "server/facades/openai/openai_problem.h"
#include "server/facades/openai/responses.h"
#include "server/facades/ai_sdk/ui_chat.h"
#include "server/feedback/api_feedback.h"
#include "server/results/api_results.h"
#include "server/schedules/api_schedules.h"

static const struct route routes[] = {
    {HTTP_METHOD_POST, "/internal/chat/stream", api_chat_stream},
    {HTTP_METHOD_POST, "/ask", api_chat_ask},
    {HTTP_METHOD_GET, "/internal/graphs", api_graphs_list},
    {HTTP_METHOD_GET, "/internal/graphs/{graph}", api_graphs_show},
    {HTTP_METHOD_POST, "/internal/graphs/{graph}/stream", api_graphs_stream},
    {HTTP_METHOD_POST, "/internal/graphs/{graph}/invoke", api_graphs_invoke},
    {HTTP_METHOD_GET, "/internal/runs", api_live_runs_list},
    {HTTP_METHOD_GET, "/internal/runs/{run}/stream", api_live_runs_stream},
    {HTTP_METHOD_POST, "/internal/runs/{run}/cancel", api_live_runs_cancel},
    {HTTP_METHOD_POST, "/internal/runs/{run}/resume", api_live_runs_resume},
    {HTTP_METHOD_POST, "/internal/runs/{run}/feedback", api_feedback_post},
    {HTTP_METHOD_POST, "/internal/results", api_results_send},
    {HTTP_METHOD_GET, "/internal/tables", api_results_tables},
    {HTTP_METHOD_POST, "/internal/schedules", api_schedules_create},
    {HTTP_METHOD_GET, "/internal/schedules", api_schedules_list},
    {HTTP_METHOD_GET, "/internal/schedules/{schedule}", api_schedules_show},
    {HTTP_METHOD_PATCH, "/internal/schedules/{schedule}", api_schedules_change},
    {HTTP_METHOD_DELETE, "/internal/schedules/{schedule}", api_schedules_erase},
    {HTTP_METHOD_POST, "/internal/schedules/{schedule}/run", api_schedules_run},
    {HTTP_METHOD_GET, "/internal/documents", api_documents_list},
    {HTTP_METHOD_GET, "/internal/documents/{document}", api_documents_show},
    {HTTP_METHOD_PUT, "/internal/documents/{document}", api_documents_put, .takes_file = true},
    {HTTP_METHOD_DELETE, "/internal/documents/{document}", api_documents_remove},
    {HTTP_METHOD_GET, "/admin/runs", api_live_runs_list_all, .scope = AUTH_ADMIN,
     .is_for_operators = true},
    {HTTP_METHOD_POST, "/admin/runs/{run}/cancel", api_live_runs_cancel_any, .scope = AUTH_ADMIN,
     .is_for_operators = true},
    {HTTP_METHOD_POST, "/assistants/search", langgraph_assistants_search},
    {HTTP_METHOD_POST, "/assistants/count", langgraph_assistants_count},
    {HTTP_METHOD_GET, "/assistants/{assistant}", langgraph_assistants_show},
    {HTTP_METHOD_GET, "/assistants/{assistant}/graph", langgraph_assistants_graph},
    {HTTP_METHOD_GET, "/assistants/{assistant}/schemas", langgraph_assistants_schemas},
    {HTTP_METHOD_POST, "/threads", langgraph_threads_create},
    {HTTP_METHOD_POST, "/threads/search", langgraph_search},
    {HTTP_METHOD_GET, "/threads/{thread}", langgraph_threads_show},
    {HTTP_METHOD_DELETE, "/threads/{thread}", langgraph_threads_erase},
    {HTTP_METHOD_POST, "/threads/{thread}/copy", langgraph_threads_copy},
    {HTTP_METHOD_GET, "/threads/{thread}/state", langgraph_threads_state},
    {HTTP_METHOD_GET, "/threads/{thread}/state/{checkpoint}", langgraph_threads_state_at},
    {HTTP_METHOD_POST, "/threads/{thread}/state/checkpoint", langgraph_threads_state_of},
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
    {HTTP_METHOD_POST, "/runs/crons", langgraph_crons_create},
    {HTTP_METHOD_POST, "/threads/{thread}/runs/crons", langgraph_crons_create_in_thread},
    {HTTP_METHOD_POST, "/runs/crons/search", langgraph_crons_search},
    {HTTP_METHOD_POST, "/runs/crons/count", langgraph_crons_count},
    {HTTP_METHOD_PATCH, "/runs/crons/{cron}", langgraph_crons_update},
    {HTTP_METHOD_DELETE, "/runs/crons/{cron}", langgraph_crons_erase},
    {HTTP_METHOD_POST, "/mcp", mcp_post, .is_resource = true},
    {HTTP_METHOD_POST, "/ag-ui", agui_run},
    {HTTP_METHOD_POST, "/ag-ui/{graph}", agui_run_graph},
    {HTTP_METHOD_GET, "/internal/about", api_page_about},
    {HTTP_METHOD_GET, "/internal/suggestions", api_page_suggestions},
    {HTTP_METHOD_GET, "/", api_page_show, .access = ROUTE_OPEN},
    {HTTP_METHOD_GET, "/embed.js", api_page_embed, .access = ROUTE_OPEN},
    {HTTP_METHOD_GET, "/openapi.json", api_page_openapi, .access = ROUTE_OPEN},
    {HTTP_METHOD_GET, "/page/{version}/{file}", api_page_file, .access = ROUTE_OPEN},
    {HTTP_METHOD_GET, "/internal/conversations", api_conversations_list},
    {HTTP_METHOD_DELETE, "/internal/conversations", api_conversations_erase_user},
    {HTTP_METHOD_GET, "/internal/conversations/{conversation}", api_conversations_show},
    {HTTP_METHOD_DELETE, "/internal/conversations/{conversation}", api_conversations_erase},
    {HTTP_METHOD_PATCH, "/internal/conversations/{conversation}", api_label_set},
    {HTTP_METHOD_POST, "/internal/conversations/{conversation}/share", api_share_begin},
    {HTTP_METHOD_DELETE, "/internal/conversations/{conversation}/share", api_share_end},
    {HTTP_METHOD_GET, "/internal/shared/{token}", api_share_show, .access = ROUTE_OPEN},
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
    {HTTP_METHOD_GET, "/.well-known/oauth-protected-resource", api_auth_resource,
     .access = ROUTE_OPEN},
    {HTTP_METHOD_GET, "/.well-known/oauth-protected-resource/mcp", api_auth_resource,
     .access = ROUTE_OPEN},
    {HTTP_METHOD_GET, "/healthz", api_admin_health, .access = ROUTE_ALWAYS,
     .is_for_operators = true},
    {HTTP_METHOD_GET, "/readyz", api_admin_ready, .access = ROUTE_OPEN, .is_for_operators = true},
    {HTTP_METHOD_GET, "/metrics", api_metrics, .access = ROUTE_OPEN, .scope = AUTH_METRICS,
     .is_for_operators = true},
    {HTTP_METHOD_GET, "/version", api_admin_version, .access = ROUTE_OPEN,
     .is_for_operators = true},
};

/* Endpoints that clients of these protocols may ask for, and that are not built. */
static const struct route_absent absent[] = {
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
    {HTTP_METHOD_GET, "/threads/{thread}/stream", "streaming all runs of a thread is"},
    {HTTP_METHOD_POST, "/threads/{thread}/commands", "the second protocol is"},
    {HTTP_METHOD_POST, "/threads/{thread}/stream/events", "the second protocol is"},
    {HTTP_METHOD_DELETE, "/threads/{thread}/runs/{run}", "deleting runs is"},
    {HTTP_METHOD_POST, "/runs/batch", "batches of runs are"},
    {HTTP_METHOD_POST, "/runs/cancel", "cancelling many runs is"},
    {HTTP_METHOD_PUT, "/store/items", "the store of items is"},
    {HTTP_METHOD_GET, "/store/items", "the store of items is"},
    {HTTP_METHOD_DELETE, "/store/items", "the store of items is"},
    {HTTP_METHOD_POST, "/store/items/search", "the store of items is"},
    {HTTP_METHOD_POST, "/store/namespaces", "the store of items is"},
};

const struct route_table routes_table = {
    .routes = routes,
    .count = countof(routes),
    .absent = absent,
    .absent_count = countof(absent),
    .prefix = "/v1/",
    .prefix_problems = &openai_problem_style,
};
