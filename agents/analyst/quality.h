/* SPDX-License-Identifier: MIT */
/* agents/analyst/quality.h - an answer against what it was made from: its sources, its figures, its
 * charts. Pure. */
#ifndef AGENTS_ANALYST_QUALITY_H
#define AGENTS_ANALYST_QUALITY_H

#include "agents/figures/results.h"

struct analyst_answer {
    struct str text, question;
    struct str charts;                     /* JSON array of {"chartjs"?, ...}; empty: none */
    const struct figures_results *results; /* NULL: there was no analysis */
    const struct search_hit *hits;
    size_t hit_count;
    bool is_refusal; /* says that the passages do not: it needs no mark */
};

/* A text per error into the open array errors. Returns how many. A mark must name a passage, and
 * the passages a sentence marks must say it: its figures stand in them or were calculated, or,
 * where it has none but years, most of its words do. A figure without a mark stands in some
 * passage, in the question, or was calculated; 0 to 100 may appear in a formula. A chart must be
 * one that Chart.js draws, of figures that are known. There must be one mark where there are
 * passages, but in a refusal. */
size_t analyst_quality_check(struct arena *arena, const struct analyst_answer *answer,
                             struct json_write *errors);
/* The passages that the text marks, into the open array. */
void analyst_quality_cite(const struct analyst_answer *answer, struct json_write *citations);

#endif
