/* SPDX-License-Identifier: MIT */
/* agents/nodes/check_sql.h - runs the guard on a statement; puts the verdict and the statement that
 * may be sent.
 *
 * The guard may be one node, or two: check_sql_rewrite_node reads the statement as it was written
 * and rewrites it, and check_sql_node reads the rewritten one. Readings are kept with the run
 * (agents/sql/guard/reading.h); every node that needs to know about a statement asks this module.
 */
#ifndef AGENTS_NODES_CHECK_SQL_H
#define AGENTS_NODES_CHECK_SQL_H

#include "agents/services/services.h"
#include "core/run/slot.h"

struct json_write;

struct check_sql_config {
    bool banking;                   /* the banking rules; else the default policy */
    bool warn_unknown_table;        /* R84: a table nobody knows is a warning, not an error */
    struct slot_ref sql_slot;       /* in: as the model wrote it */
    struct slot_ref rewritten_slot; /* out of check_sql_rewrite_node, in of check_sql_node: as the
                                       rewriter made it; none: there is no such node */
    struct slot_ref valid_slot;     /* out: as it will be sent; cleared on failure */
    struct slot_ref error_slot;     /* out: the reason; cleared on success */
    /* These may be none. */
    struct slot_ref list_slot;     /* out: JSON array of the errors */
    struct slot_ref warnings_slot; /* out: JSON array of texts for the person who asked */
    struct slot_ref repairs_slot;  /* in: a list of texts, what was mended without the model; out:
                                      what is mended here is added */
    struct slot_ref notes_slot;    /* out: JSON array of the repairs, which are for whoever looks at
                                      the statement */
    struct slot_ref doubt_slot;    /* in and out: the statement that was doubtful (findings.h) when
                                      the model was last asked about it; none: the model is not
                                      asked, and texts are not looked at */
    struct slot_ref tries_slot;    /* in: how often the model was asked again */
    unsigned tries_budget;         /* index of the budget that tries_slot counts for */
    struct slot_ref flag_slot;     /* out: whether it passed */
    struct slot_ref lead_slot;     /* out: what is said before the answer: that rows prove its
                                      figures to count rows again; cleared where it is not so */
    struct slot_ref tables_slot;   /* out: JSON array of the tables read; cleared on failure */
    struct slot_ref question_slot; /* in: what a statement that passes is held against */
    struct slot_ref messages_slot; /* in: the conversation it was asked in */
};

/* config of both: struct check_sql_config; of check_sql_rewrite_node with rewritten_slot. */
extern const struct graph_node_type check_sql_node, check_sql_rewrite_node;

/* The rules for statements of session of which at most most rows are read: the served policy with
 * what the configuration says. */
struct sql_policy check_sql_policy(const struct session *session, bool banking, size_t most);
/* The guard's verdict on sql under the rules of config; valid as long as the run. Puts nothing.
 * There must be a catalog. */
const struct sql_verdict *check_sql_judge(struct node *node, const struct check_sql_config *config,
                                          struct str sql);
/* The same verdict, but no LIMIT is added or lowered: for a statement around sql that gives one
 * row.
 */
const struct sql_verdict *
check_sql_judge_unlimited(struct node *node, const struct check_sql_config *config, struct str sql);
/* Begin to judge sql on another thread where that would take long (judge_apart.h): an operation of
 * the node, which settles, and asks for the verdict again. False: nothing was begun, and a verdict
 * costs little. unlimited: as check_sql_judge_unlimited. */
struct judge_apart;
MUST_USE bool check_sql_judge_apart(struct node *node, const struct check_sql_config *config,
                                    struct str sql, bool unlimited, struct judge_apart *apart);
/* How many rows of a statement are kept: MAX_QUERY_ROWS, or the policy's most where that is less.
 */
size_t check_sql_most_rows(struct node *node, const struct check_sql_config *config);
/* The parse of sql as it was written. NULL: it cannot be parsed, or there is no catalog. */
const struct sql_parse *check_sql_written(struct node *node, struct str sql);

struct check_sql_passed {
    const struct sql_verdict *verdict;
    struct str warnings; /* JSON array of texts; absent: the node puts none */
};

/* Whether there may be more rows than count: the engine gave as many as the LIMIT that the guard
 * set. */
bool check_sql_is_full(const struct sql_verdict *passed, size_t count);

/* Take sql, which a person or (not by_person) a model wrote, in the place of the statement that was
 * checked before. When it passes it is put, with everything the node puts about a statement except
 * notes and remarks, which were about the other statement. ERR_REJECTED and the other errors of the
 * guard: why it does not pass; nothing is put. A person's is not held against the question. There
 * must be a catalog. */
MUST_USE enum err_code check_sql_adopt(struct node *node, const struct check_sql_config *config,
                                       struct str sql, bool by_person,
                                       struct check_sql_passed *passed, struct err *err);
/* Write the names of the tables that a statement reads as an array. There must be a catalog. */
void check_sql_write_tables(struct node *node, const struct check_sql_config *config,
                            const struct sql_parse *parse, struct json_write *writer);
/* The catalog. NULL: there is none; *failed is then the failure of the node that says why
 * (database_unavailable). */
const struct catalog *check_sql_catalog(struct node *node, enum step *failed);

#endif
