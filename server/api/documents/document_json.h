/* SPDX-License-Identifier: MIT */
/* server/api/documents/document_json.h - documents as JSON, and who sees them. */
#ifndef SERVER_API_DOCUMENTS_DOCUMENT_JSON_H
#define SERVER_API_DOCUMENTS_DOCUMENT_JSON_H

#include "core/base/identity.h"
#include "proto/json_write.h"
#include "server/api/documents/documents.h"

/* Write an entry of the ledger; state "ready", or "incomplete". may_change: whether the caller may.
 */
void document_json_entry(struct json_write *json, const struct ledger_entry *entry,
                         bool may_change);
/* Write a document that is being added: its state, and how far it is. */
void document_json_job(struct json_write *json, const struct documents_job *job);
/* Whether caller sees a document of this owner: everybody's, the company's, or the caller's own. */
bool document_json_is_seen(const struct identity *caller, struct str company_id,
                           struct str user_id);

#endif
