/* SPDX-License-Identifier: MIT */
/* agents/offline/documents/figures.h - finds the figures that a question asks for in the tables of
 * passages: a row for each metric, a column for each year or quarter. Pure; any thread. */
#ifndef AGENTS_OFFLINE_DOCUMENTS_FIGURES_H
#define AGENTS_OFFLINE_DOCUMENTS_FIGURES_H

#include "agents/offline/documents/finance.h"
#include "agents/offline/documents/passages.h"

enum { OFFLINE_FIGURES_MAX = 48, OFFLINE_FIGURES_COMPANIES = 8 };

struct offline_figure {
    struct str company; /* whose report has the figure */
    struct str metric;  /* by offline_finance's name, or as the row says */
    struct str period;  /* as the column says */
    struct str value, unit;
    int year;
    size_t passage; /* its number */
};

struct offline_figures {
    struct offline_figure at[OFFLINE_FIGURES_MAX]; /* by metric, then company, then period */
    size_t count;
    struct str companies[OFFLINE_FIGURES_COMPANIES]; /* in the question's order */
    size_t company_count;
};

/* Keep in passages only those of the companies that the question names, all when it names none.
 * Returns how many are kept. */
size_t offline_figures_of_named(struct str question, struct offline_passage *passages,
                                size_t count);
void offline_figures_find(struct arena *arena, const struct offline_finance *asked,
                          const struct offline_passage *passages, size_t count,
                          struct offline_figures *figures);

#endif
