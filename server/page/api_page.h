/* SPDX-License-Identifier: MIT */
/* server/page/api_page.h - the playground: a page that asks, and what it wants to know first. */
#ifndef SERVER_PAGE_API_PAGE_H
#define SERVER_PAGE_API_PAGE_H

struct exchange;

/* GET / - the page itself. */
void api_page_show(struct exchange *exchange);
/* GET /page/{version}/{file} - what it is made of. */
void api_page_file(struct exchange *exchange);
/* GET /openapi.json - every route of the table, in OpenAPI 3.1. */
void api_page_openapi(struct exchange *exchange);
/* GET /internal/about - who answers, from what, what is on offer, and questions to begin with. */
void api_page_about(struct exchange *exchange);
/* GET /internal/suggestions?tables=A,B: questions about these tables. */
void api_page_suggestions(struct exchange *exchange);
/* GET /embed.js: the module that gives a page <askd-chat>. */
void api_page_embed(struct exchange *exchange);

#endif
