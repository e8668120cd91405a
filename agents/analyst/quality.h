/* SPDX-License-Identifier: MIT */
/* agents/analyst/quality.h - checks an answer against what it was made from: its sources, its
 * figures, its charts. A source mark is "[2]" in the text: passage 2 is the source of the sentence.
 * Pure. */
#ifndef AGENTS_ANALYST_QUALITY_H
#define AGENTS_ANALYST_QUALITY_H

#include "agents/figures/results.h"

struct analyst_answer {
    struct str text, question;
    struct str charts;                     /* JSON array of {"chartjs"?, ...}; empty: none */
    const struct figures_results *results; /* NULL: there was no analysis */
    const struct search_hit *hits;
    size_t hit_count;
    bool is_refusal; /* the text says that the passages do not answer: it needs no source mark */
};

/* Write a text for each error into the open array errors. Returns how many. A source mark must name
 * a passage, and the passages that a sentence marks must say it: its figures stand in them or were
 * calculated; of a sentence without figures, or with years alone, most words stand in them. A
 * figure of a sentence without a source mark stands in some passage, in the question, or was
 * calculated; 0 to 100 may appear in a formula. A chart must be one that Chart.js draws, of figures
 * that are known. Where there are passages, the answer must have at least one source mark, unless
 * it is a refusal. */
size_t analyst_quality_check(struct arena *arena, const struct analyst_answer *answer,
                             struct json_write *errors);
/* Write the passages that the text names by source marks into the open array citations. */
void analyst_quality_cite(const struct analyst_answer *answer, struct json_write *citations);

#endif
