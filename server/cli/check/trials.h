/* SPDX-License-Identifier: MIT */
/* server/cli/check/trials.h - each part of a deployment, tried once: the database and who reads it,
 * the model, the embeddings, the stores, the documents, who may call, the graphs in files.
 *
 * One loop, one thread; each trial blocks until it has an answer or its time is over. */
#ifndef SERVER_CLI_CHECK_TRIALS_H
#define SERVER_CLI_CHECK_TRIALS_H

#include "core/base/buf.h"
#include "server/config/config.h"

enum trial_verdict { TRIAL_FINE, TRIAL_DOUBTFUL, TRIAL_WRONG };

enum { TRIAL_MOST_LINES = 8 };

struct trial {
    const char *part; /* "database" */
    size_t line_count;
    struct {
        enum trial_verdict verdict;
        struct str text; /* one sentence; borrowed from room */
    } lines[TRIAL_MOST_LINES];
};

struct trials;

/* Open loop and backends for config, which is borrowed. NULL: err says why. */
struct trials *trials_open(const struct config *config, struct err *err);
void trials_close(struct trials *trials); /* NULL is fine */
/* Try part after part: the next one is written to *trial, valid until the next call. False: that
 * was all. */
MUST_USE bool trials_next(struct trials *trials, struct trial *trial);

#endif
