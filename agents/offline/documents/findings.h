/* SPDX-License-Identifier: MIT */
/* agents/offline/documents/findings.h - an analysis (agents/figures/results.h, as JSON, checked) in
 * sentences: only what is verified, each with the marks of its passages. Pure; any thread. */
#ifndef AGENTS_OFFLINE_DOCUMENTS_FINDINGS_H
#define AGENTS_OFFLINE_DOCUMENTS_FINDINGS_H

#include "core/base/arena.h"
#include "core/base/buf.h"

/* Append the figures as a list and the calculations as formulas, Markdown with LaTeX. False: there
 * is no figure, and nothing was appended. */
MUST_USE bool offline_findings_explain(struct arena *arena, struct str analysis, struct buf *out);
/* Append what the calculations say; without any, the figures, in sentences. False: so too. */
MUST_USE bool offline_findings_answer(struct arena *arena, struct str analysis, struct buf *out);

#endif
