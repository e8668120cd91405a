/* SPDX-License-Identifier: MIT */
/* server/cli/docs/docs_progress.h - shows how far adding documents is: a bar on a terminal, JSON
 * lines elsewhere.
 *
 * The bar goes to standard error, so that output can be piped; JSON lines go to standard output,
 * one a document and one at the end. Blocking. */
#ifndef SERVER_CLI_DOCS_DOCS_PROGRESS_H
#define SERVER_CLI_DOCS_DOCS_PROGRESS_H

#include "core/base/err.h"
#include "core/base/str.h"

enum docs_outcome {
    DOCS_ADDED,
    DOCS_UPDATED,
    DOCS_UNCHANGED,
    DOCS_REMOVED,
    DOCS_SKIPPED,
    DOCS_FAILED
};
enum { DOCS_OUTCOME_COUNT = DOCS_FAILED + 1 };

struct docs_progress {
    size_t of;                       /* documents in all */
    size_t done[DOCS_OUTCOME_COUNT]; /* by outcome */
    size_t passages;                 /* written */
    uint64_t tokens, began_ns;
    bool bar; /* standard error is a terminal and nobody asked for JSON */
};

void docs_progress_begin(struct docs_progress *progress, size_t of, bool json);
/* One document is done. err says why it failed; else NULL. */
void docs_progress_document(struct docs_progress *progress, struct str name,
                            enum docs_outcome outcome, size_t passages, const struct err *err);
/* Draw the bar: so many passages of the document being added are stored, of so many. */
void docs_progress_draw(const struct docs_progress *progress, struct str name, size_t stored,
                        size_t passages);
/* Write the summary. */
void docs_progress_end(const struct docs_progress *progress);

#endif
