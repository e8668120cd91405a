/* SPDX-License-Identifier: MIT */
/* agents/rows/agree.h - whether two results say the same, as answers to one question.
 *
 * Names of columns do not count, nor their order; one result may have columns that the other lacks,
 * a name in one column or in two, numbers rounded further. The order of rows counts where both
 * statements have an order, but rows that tie may stand either way. Pure; any thread. */
#ifndef AGENTS_ROWS_AGREE_H
#define AGENTS_ROWS_AGREE_H

#include "backends/sql.h"

enum rows_agreement {
    ROWS_AGREE,
    ROWS_DIFFER,
    ROWS_INCOMPARABLE, /* rows of both are missing, or there are too many */
};

enum { ROWS_COMPARED_CELLS = 20000, ROWS_COMPARED_COLUMNS = 12 };

/* Compare. is_ordered: both statements order their rows. */
enum rows_agreement rows_compare(const struct sql_result *one, const struct sql_result *two,
                                 bool is_ordered);

#endif
