/* SPDX-License-Identifier: MIT */
/* agents/loading.h - reads a database: makes its catalog, join graph and lexicon, as one operation.
 *
 * Runs at start, on reload and when the database comes back. Its results are immutable. */
#ifndef AGENTS_LOADING_H
#define AGENTS_LOADING_H

#include "agents/services/services.h"

struct lexicon_progress;

struct loading_options {                  /* strings borrowed until done; NULL: none */
    const char *join_graph_path;          /* merged over what the database's foreign keys say */
    const char *secure_views_path;        /* {"employee":"secure_employee",...} (R153) */
    const char *tenant_column;            /* "company_id"; NULL or "": no tenancy */
    const struct sql_variable *variables; /* needed to read secure views */
    size_t variable_count;
    struct lexicon_progress *progress;   /* of reading values; or NULL */
    const struct log *log;               /* or NULL */
    bool one_by_one;                     /* as of lexicon_load */
    bool with_values;                    /* build the offline engine's value index too */
    struct semantic *semantic;           /* read, not bound; bound once op ended well. NULL: none */
    const struct sql_policy *policy;     /* for expressions of semantic */
    const struct sql_column_rule *rules; /* of all policies that are served */
    size_t rule_count;
};

struct loading {
    struct op op;
    /* the result, owned by the caller once done says ERR_OK */
    struct catalog *catalog;
    struct join_graph *joins;
    struct lexicon *lexicon;
    struct buf warnings; /* about secure views and the join graph file, one a line; the caller
                            frees it (buf_fini) however op ended */
    /* private */
    void *impl;
};

/* Start; options and what they point at must live until done. */
void loading_start(struct loading *loading, struct sql *sql, const struct loading_options *options,
                   struct op_waiter waiter);

#endif
