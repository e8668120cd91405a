/* SPDX-License-Identifier: MIT */
/* server/api/documents/api_documents.h - documents over HTTP: list, show, add, remove
 * (docs/documents.md).
 *
 * They belong to the caller's company, to the caller alone, or to everybody (`for`); a company
 * sees its own and everybody's. */
#ifndef SERVER_API_DOCUMENTS_API_DOCUMENTS_H
#define SERVER_API_DOCUMENTS_API_DOCUMENTS_H

#include "server/http/exchange.h"

/* GET /internal/documents and /internal/documents/{document}. */
void api_documents_list(struct exchange *exchange);
void api_documents_show(struct exchange *exchange);
/* PUT and DELETE /internal/documents/{document}. */
void api_documents_put(struct exchange *exchange);
void api_documents_remove(struct exchange *exchange);

#endif
