/* SPDX-License-Identifier: MIT */
/* server/api/documents/documents.h - the documents that callers add and remove here, one after
 * another.
 *
 * A worker has one queue, and a company's jobs are all one worker's, so that what is counted for a
 * company cannot be exceeded by two at once. Of other processes a job waits for those that change
 * the same document. A job goes on when whoever asked has left; it ends
 * with the server. Waiting jobs are bounded in number and bytes. One loop, one thread. */
#ifndef SERVER_API_DOCUMENTS_DOCUMENTS_H
#define SERVER_API_DOCUMENTS_DOCUMENTS_H

#include "core/base/list.h"
#include "server/config/config.h"
#include "server/documents/document_add.h"
#include "server/documents/document_hold.h"

struct documents;

/* has and config are borrowed. NULL: no memory or no thread. */
struct documents *documents_create(struct loop *loop, const struct services *has,
                                   const struct config *config);
/* Cancel all jobs, then call on_closed(owner), once, later; frees itself. */
void documents_close(struct documents *documents, void (*on_closed)(void *owner), void *owner);
/* For lists of what there is. */
struct ledger *documents_ledger(const struct documents *documents);

struct documents_job {
    struct arena arena;        /* of the names; made by documents_make */
    struct docs_source source; /* filled, with all below, before documents_submit */
    struct str file_name;      /* whose ending says the format */
    struct str by;             /* who asked, for the ledger */
    struct buf bytes;
    bool removes;
    bool is_by_operator; /* no limits, and what `askd docs` added may be changed */
    /* Called once, at the end, with what came of it; the job is freed behind it. NULL: nobody
     * waits (any more). */
    void (*on_end)(struct documents_job *job, const struct err *err);
    void *owner;
    /* may be read until the end */
    bool has_begun;
    bool was_there; /* whole, when it began */
    struct document_add add;
    /* private */
    struct list link;
    struct documents *documents;
    struct document_hold hold;
    struct document_add_options options;
    struct document_remove removal;
    struct ledger_call listing;
    struct arena entries;
    size_t held;    /* bytes of the file, as counted */
    struct err end; /* what is told when the claim is given back */
};

/* NULL: no memory. */
struct documents_job *documents_make(void);
/* For a job that was not submitted. */
void documents_drop(struct documents_job *job);
/* Queue a job, which is documents' from here on. ERR_BUSY: too many wait, and the job is still the
 * caller's. */
MUST_USE enum err_code documents_submit(struct documents *documents, struct documents_job *job,
                                        struct err *err);
/* The job of a document that waits or is under way; NULL: none here. */
const struct documents_job *documents_find(const struct documents *documents,
                                           const struct docs_source *source);
/* Whether a job that waits or is under way adds the document of an entry anew. */
bool documents_is_adding(const struct documents *documents, const struct ledger_entry *entry);
/* Call visit with each job that adds, the one under way first. */
void documents_visit(const struct documents *documents,
                     void (*visit)(const struct documents_job *job, void *owner), void *owner);

/* Whether an entry of the ledger came from here. */
bool documents_is_uploaded(const struct ledger_entry *entry);
/* Whether an entry is the document of that kind, owner and name. */
bool documents_is_of(const struct ledger_entry *entry, const struct docs_source *source);

#endif
