/* SPDX-License-Identifier: MIT */
/* backends/ledger_errors.h - what ledgers refuse, in the same words wherever they are. Any thread.
 */
#ifndef BACKENDS_LEDGER_ERRORS_H
#define BACKENDS_LEDGER_ERRORS_H

#include "core/base/err.h"

/* What a put beyond the limits is told. */
static inline enum err_code ledger_fail_limits(struct err *err)
{
    return err_set(err, ERR_TOO_LARGE,
                   "the documents of this company fill all the room that it has");
}

/* What somebody is told whose claim another has. */
static inline enum err_code ledger_fail_claim(struct err *err)
{
    return err_set(err, ERR_CONFLICT,
                   "the document is being changed by another process; try again when that has "
                   "ended");
}

#endif
