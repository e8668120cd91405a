/* SPDX-License-Identifier: MIT */
/* server/facades/agui/agui.h - AG-UI 1.0 at /ag-ui and /ag-ui/{graph}: docs/facades.md. */
#ifndef SERVER_FACADES_AGUI_AGUI_H
#define SERVER_FACADES_AGUI_AGUI_H

#include "server/facades/facade.h"
#include "server/http/route.h"

/* Run the agent of a RunAgentInput, as a stream of AG-UI events. */
route_fn agui_run, agui_run_graph;

struct agui_input { /* views of the body; zeroed before */
    struct str thread_id, run_id;
    bool passed_tools, passed_properties; /* they came, and nothing here reads them */
    struct str resumes, answer; /* our run that paused, and a person's answer as JSON; or absent */
};
/* Read a RunAgentInput. False: problem. */
MUST_USE bool agui_read(struct exchange *exchange, const struct json_value *root,
                        struct agui_input *input, struct runs_request *request,
                        struct problem *problem);

#endif
