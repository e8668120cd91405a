/* SPDX-License-Identifier: MIT */
/* server/results/api_results.h - the whole result of one statement: past the guard, with the
 * caller's rows, as JSON, CSV or a workbook. */
#ifndef SERVER_RESULTS_API_RESULTS_H
#define SERVER_RESULTS_API_RESULTS_H

struct exchange;

/* POST /internal/results {"sql":...,"format":"json"|"csv"|"xlsx","rows":n}: the rows of the
 * statement, at most ASKD_DOWNLOAD_MAX_ROWS and ASKD_DOWNLOAD_MAX_BYTES of them. */
void api_results_send(struct exchange *exchange);

/* GET /internal/tables: what statements of the caller may read, for people to look at. */
void api_results_tables(struct exchange *exchange);

#endif
