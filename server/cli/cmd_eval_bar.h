/* SPDX-License-Identifier: MIT */
/* server/cli/cmd_eval_bar.h - what an evaluation has to reach: a least precision, and the figures
 * of an earlier one. Blocking. */
#ifndef SERVER_CLI_CMD_EVAL_BAR_H
#define SERVER_CLI_CMD_EVAL_BAR_H

#include "server/cli/cmd_eval_tally.h"

struct cmd_eval_bar { /* percents; 0: nothing is asked for */
    double precision, coverage;
    double silent; /* share of those that must not be answered for which none was given */
};

/* Read the bar: min is a percent as text, baseline the path of what askd eval --json printed;
 * either may be NULL. Where both name a figure the higher one counts. ERR_INVALID: not a percent,
 * or not such a file; errors of reading. */
MUST_USE enum err_code cmd_eval_bar_read(const char *min, const char *baseline,
                                         struct cmd_eval_bar *bar, struct err *err);
/* Whether the figures reach the bar; each that does not is a line appended to out. */
bool cmd_eval_bar_reached(const struct cmd_eval_bar *bar, const struct cmd_eval_tally *tally,
                          struct buf *out);

#endif
