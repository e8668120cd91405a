/* SPDX-License-Identifier: MIT */
/* server/cli/cmd_eval_tally.h - verdicts on questions, counted by difficulty, and how long they
 * took.
 */
#ifndef SERVER_CLI_CMD_EVAL_TALLY_H
#define SERVER_CLI_CMD_EVAL_TALLY_H

#include "core/base/buf.h"
#include "core/base/err.h"

struct json_write;

enum cmd_eval_verdict {
    EVAL_RIGHT,
    EVAL_WRONG,
    EVAL_ABSTAINED, /* the run gave no statement, and said why */
    EVAL_FAILED,    /* the run ended with an error, or the statement did not run */
    EVAL_VERDICTS
};

enum { EVAL_GROUPS = 16, EVAL_GROUP_BYTES = 24 };

struct cmd_eval_group {
    char name[EVAL_GROUP_BYTES];
    size_t counts[EVAL_VERDICTS];
    bool silent; /* questions that must not be answered: abstaining is right */
};

struct cmd_eval_tally { /* zeroed at first */
    struct cmd_eval_group groups[EVAL_GROUPS];
    size_t group_count;
    uint64_t *took_us;
    size_t took_count, took_room;
};

/* "right", "wrong", "abstained", "failed". Static. */
const char *cmd_eval_tally_name(enum cmd_eval_verdict verdict);
/* Count one verdict. group: the difficulty of the question, or with silent what was expected
 * instead of an answer. False: no memory, or more groups than fit. */
MUST_USE bool cmd_eval_tally_add(struct cmd_eval_tally *tally, struct str group, bool silent,
                                 enum cmd_eval_verdict verdict, uint64_t took_us);
struct cmd_eval_shares { /* percents; 100 where nothing was asked of the kind */
    double precision, coverage, silent;
};
/* The shares of all questions. */
struct cmd_eval_shares cmd_eval_tally_shares(const struct cmd_eval_tally *tally);
/* Append the counts as a table for people. */
void cmd_eval_tally_print(struct cmd_eval_tally *tally, struct buf *out);
/* Write the counts as one object: {"groups":[...],"all":{...},"p50_ms":n,"p99_ms":n}. */
void cmd_eval_tally_write(struct cmd_eval_tally *tally, struct json_write *json);
void cmd_eval_tally_fini(struct cmd_eval_tally *tally);

#endif
