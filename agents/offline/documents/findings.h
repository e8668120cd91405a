/* SPDX-License-Identifier: MIT */
/* agents/offline/documents/findings.h - puts an analysis (the JSON of agents/figures/results.h,
 * checked) into sentences: only verified figures, each with the source marks ("[2]") of its
 * passages. Pure; any thread. */
#ifndef AGENTS_OFFLINE_DOCUMENTS_FINDINGS_H
#define AGENTS_OFFLINE_DOCUMENTS_FINDINGS_H

#include "core/base/arena.h"
#include "core/base/buf.h"

/* Append the results of the calculations in sentences; the figures when there are no calculations.
 * False: there is no figure, and nothing was appended. */
MUST_USE bool offline_findings_answer(struct arena *arena, struct str analysis, struct buf *out);

#endif
