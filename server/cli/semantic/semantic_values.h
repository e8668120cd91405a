/* SPDX-License-Identifier: MIT */
/* server/cli/semantic/semantic_values.h - the values of the data, and those that a semantic file
 * states held against them.
 *
 * Blocking; the values are read on a loop of its own. */
#ifndef SERVER_CLI_SEMANTIC_SEMANTIC_VALUES_H
#define SERVER_CLI_SEMANTIC_SEMANTIC_VALUES_H

#include "agents/semantic/model.h"
#include "backends/sql.h"

struct lexicon;

/* The lexicon of catalog with the values of the database at url, whose dialect is written to
 * *dialect. semantic may be NULL. The caller destroys it, before catalog and semantic. NULL: err
 * says why not. */
struct lexicon *semantic_values_read(const char *url, const struct semantic *semantic,
                                     const struct catalog *catalog, enum sql_dialect *dialect,
                                     struct err *err);

/* Report each value of the file's metrics, filters, words and verified statements that is none of
 * its column's, as far as all of these could be read. semantic is bound to catalog. ERR_INVALID and
 * others: the database at url could not be read; nothing is reported. */
MUST_USE enum err_code semantic_values_report(const char *url, const struct semantic *semantic,
                                              const struct catalog *catalog,
                                              struct semantic_report *report, struct err *err);

#endif
