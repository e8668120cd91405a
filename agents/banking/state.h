/* SPDX-License-Identifier: MIT */
/* agents/banking/state.h - the fields of the banking assistant, in the order in which states show
 * them. */
#ifndef AGENTS_BANKING_STATE_H
#define AGENTS_BANKING_STATE_H

enum banking_slot {
    BANKING_USER_QUERY,
    BANKING_INTERPRETED_INTENT,
    BANKING_GENERATED_SQL,
    BANKING_VALIDATED_SQL,
    BANKING_EXECUTION_RESULT, /* agents/nodes/run_sql.h has its shape */
    BANKING_RETRY_COUNT,
    BANKING_ERROR_MESSAGE,
    BANKING_SUMMARY,
    BANKING_CHART_SUGGESTION,
    BANKING_CHART,     /* JSON: the suggestion as a chart (agents/charts/chartjs.h) */
    BANKING_WARNINGS,  /* JSON: array of remarks, as texts */
    BANKING_REPAIRS,   /* list of sentences: what was mended without the model */
    BANKING_NOTES,     /* JSON: array of the repairs, of the statement that passed */
    BANKING_DOUBT,     /* the statement that was doubtful when the model was asked about it */
    BANKING_LEAD,      /* what is said before the answer: that its figures count rows again */
    BANKING_TIMED_OUT, /* the last statement took too long */
    BANKING_COLUMNS,   /* JSON: array of their names */
    BANKING_SHOWN,     /* JSON: what prompts show of the rows (agents/nodes/run_sql.h) */
    BANKING_SLOT_COUNT
};

#endif
