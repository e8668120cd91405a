/* SPDX-License-Identifier: MIT */
/* server/api/api_graphs.h - the graphs: list, definition, picture; any of them streamed or invoked.
 */
#ifndef SERVER_API_API_GRAPHS_H
#define SERVER_API_API_GRAPHS_H

#include "server/http/route.h"

/* Names and purposes. */
void api_graphs_list(struct exchange *exchange);
/* Definition as JSON, or ?format=mermaid. */
void api_graphs_show(struct exchange *exchange);
/* Run it, as SSE. */
void api_graphs_stream(struct exchange *exchange);
/* Run it, one JSON answer. */
void api_graphs_invoke(struct exchange *exchange);

#endif
