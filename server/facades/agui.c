/* SPDX-License-Identifier: MIT */
/* server/facades/agui.c - a RunAgentInput -> a run whose events are AG-UI's.
 *
 * Happy path: the thread is the conversation, the last message the question; the run streams with
 * its nodes shown. A client that leaves has no way back, so its run ends with it.
 * Failure paths: a member of another type or missing: 422; what is not built (the client's own
 * tools, its context, ...): 501; then as every run. */
#include "server/facades/agui.h"

#include "proto/url.h"
#include "server/api_run.h"
#include "server/facades/agui_encoder.h"
#include "server/run_body.h"

enum { ID_BYTES = 128 };
enum { ANY = FACADE_BOOL | FACADE_NUMBER | FACADE_STRING | FACADE_ARRAY | FACADE_OBJECT };

/* The state that comes is the one we sent: it is not read. */
static const struct facade_field fields[] = {
    {"threadId", FACADE_STRING},
    {"runId", FACADE_STRING},
    {"protocolVersion", FACADE_STRING, "other versions of AG-UI are", {"\"1.0\""}},
    {"parentRunId", FACADE_STRING, "branches of runs are"},
    {"state", ANY},
    {"messages", FACADE_ARRAY},
    {"tools", FACADE_ARRAY, "the client's own tools are"},
    {"context", FACADE_ARRAY, "the client's context is"},
    {"forwardedProps", ANY, "forwarded properties are"},
    {"resume", FACADE_ARRAY, "answers to interrupts are"},
};

static const struct facade_talk talk = {
    .pointer = "/messages",
    .parts = "content",
    .texts = {"text"},
    .passed_over = {"tool", "activity", "reasoning"}, /* what we said ourselves comes back */
};

static bool read_id(const struct json_value *root, const char *pointer, struct str *id,
                    struct problem *problem)
{
    if (!facade_read_str(root, pointer, id, problem))
        return false;
    return (id->len > 0 && id->len <= ID_BYTES) ||
           problem_field(problem, pointer, "%s: expected 1 to %d bytes, got %zu", pointer, ID_BYTES,
                         id->len);
}

bool agui_read(struct exchange *exchange, const struct json_value *root, struct agui_input *input,
               struct runs_request *request, struct problem *problem)
{
    return facade_check(root, "", fields, countof(fields), problem) &&
           read_id(root, "/threadId", &input->thread_id, problem) &&
           read_id(root, "/runId", &input->run_id, problem) &&
           facade_read_talk(exchange, json_value_member(root, STR("messages")), &talk, request,
                            problem) &&
           facade_read_caller(exchange,
                              &(struct facade_caller){.conversation_id = input->thread_id}, request,
                              problem);
}

static void run(struct exchange *exchange, struct str graph)
{
    struct agui_input input;
    struct problem problem;
    struct runs_request request = {
        .pin = exchange->worker->pin, .detail = EVENT_NODES, .cancel_on_disconnect = true};
    if (!run_body_set_graph(exchange, graph, &request) || request.entry->is_tool) {
        problem_set(&problem, 404, "not_found", "there is no graph '%.*s'",
                    (int)size_min(graph.len, 64), graph.at);
        exchange_problem(exchange, &problem);
        return;
    }
    const struct json_value *root = run_body_parse(exchange, &problem);
    if (root == NULL || !agui_read(exchange, root, &input, &request, &problem)) {
        exchange_problem(exchange, &problem);
        return;
    }
    exchange->encoder = agui_encoder_create(
        &(struct agui_encoder_options){&exchange->arena, input.thread_id, input.run_id});
    if (exchange->encoder != NULL) {
        api_run_begin(exchange, &request, true);
        return;
    }
    problem_set(&problem, 503, "overloaded", "no memory for another request");
    exchange_problem(exchange, &problem);
}

void agui_run(struct exchange *exchange)
{
    run(exchange, STR("orchestrator"));
}

void agui_run_graph(struct exchange *exchange)
{
    struct str graph;
    struct err err;
    if (url_decode(&exchange->arena, exchange->match.params[0], &graph, &err) != ERR_OK)
        graph = STR("");
    run(exchange, graph);
}
