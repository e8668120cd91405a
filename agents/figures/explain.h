/* SPDX-License-Identifier: MIT */
/* agents/figures/explain.h - an analysis as Markdown: its verified figures as a list, each with the
 * source mark ("[2]") of its passage, and its calculations as formulas in LaTeX. Pure; any thread.
 */
#ifndef AGENTS_FIGURES_EXPLAIN_H
#define AGENTS_FIGURES_EXPLAIN_H

#include "agents/figures/results.h"

enum { FIGURES_EXPLAIN_VALUES = 16 }; /* figures of a list; further ones are left out */

/* A figure with its unit as people write it: "$2,078 million" of 2,078 in "$ million". */
struct str figures_explain_value(struct arena *arena, const struct analyst_value *value);
/* Append the list and the formulas. False: no figure is verified, and nothing was appended. */
bool figures_explain(const struct figures_results *results, struct arena *arena, struct buf *out);

#endif
