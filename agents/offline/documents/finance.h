/* SPDX-License-Identifier: MIT */
/* agents/offline/documents/finance.h - what a financial question asks for: metrics, years, and a
 * calculation. Holds English and the terms of reports, no company. Pure; any thread. */
#ifndef AGENTS_OFFLINE_DOCUMENTS_FINANCE_H
#define AGENTS_OFFLINE_DOCUMENTS_FINANCE_H

#include "agents/common/content.h"

enum { OFFLINE_FINANCE_METRICS = 4, OFFLINE_FINANCE_YEARS = 8 };

struct offline_finance_metric {
    const char *name;         /* "operating margin" */
    const char *phrases[6];   /* how reports and questions call it */
    const char *part, *whole; /* names: part as share of whole; NULL: a plain figure */
    bool is_counted;          /* heads, not money */
};

enum offline_finance_aim {
    OFFLINE_FINANCE_LEVEL,
    OFFLINE_FINANCE_SHARE,
    OFFLINE_FINANCE_GROWTH,
    OFFLINE_FINANCE_CAGR,
    OFFLINE_FINANCE_DIFFERENCE,
    OFFLINE_FINANCE_SUM,
    OFFLINE_FINANCE_AVERAGE,
};

struct offline_finance { /* a question */
    struct str question;
    const struct offline_finance_metric *metrics[OFFLINE_FINANCE_METRICS];
    size_t metric_count;              /* also 0 for a question about prose: reasons, expectations */
    int years[OFFLINE_FINANCE_YEARS]; /* in order */
    size_t year_count;
    int quarter; /* 1 to 4; 0: none */
    enum offline_finance_aim aim;
    struct str stems[CONTENT_MAX_WORDS]; /* of its content */
    size_t stem_count;
};

void offline_finance_read(struct arena *arena, struct str question, struct offline_finance *asked);
/* Whether figures of year answer the question asked; latest: the last year that there are figures
 * of. */
bool offline_finance_wants_year(const struct offline_finance *asked, int year, int latest);
/* offline_finance_label: the metric that the label of a row in a report stands for;
 * offline_finance_find: the metric called name. NULL: none. */
const struct offline_finance_metric *offline_finance_label(struct arena *arena, struct str label);
const struct offline_finance_metric *offline_finance_find(struct str name);
/* The metric that is part as a share of whole; NULL: none. */
const struct offline_finance_metric *offline_finance_share(struct str part, struct str whole);
/* Whether the question has all content words of text; false for a text without content words. */
bool offline_finance_says(struct arena *arena, const struct offline_finance *asked,
                          struct str text);

#endif
