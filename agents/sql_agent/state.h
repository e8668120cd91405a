/* SPDX-License-Identifier: MIT */
/* agents/sql_agent/state.h - the fields of the SQL agent (R135), in the order in which states show
 * them, then those that its nodes hand to each other. */
#ifndef AGENTS_SQL_AGENT_STATE_H
#define AGENTS_SQL_AGENT_STATE_H

struct check_sql_config;

enum sql_agent_slot {
    SQL_AGENT_QUESTION,
    SQL_AGENT_TABLES,                /* JSON array of the names that were chosen */
    SQL_AGENT_ALLOWED_RELATIONSHIPS, /* JSON array in the join graph's form */
    SQL_AGENT_JOIN_PLAN,
    SQL_AGENT_SQL,    /* logical names, as the model, or a person who was asked, wrote it */
    SQL_AGENT_RESULT, /* JSON: what prompts show of the rows (agents/nodes/run_sql.h) */
    SQL_AGENT_COLUMN_NAMES,
    SQL_AGENT_RETRIES, /* empty results that were tried again */
    SQL_AGENT_FINAL_ANSWER,
    SQL_AGENT_STRUCTURED_RESULT,
    SQL_AGENT_CORRECTION_ATTEMPTS,
    SQL_AGENT_LAST_SQL_ERROR,
    SQL_AGENT_CORRECTION_HISTORY, /* list of {"attempt","sql","error"} */
    SQL_AGENT_VALIDATION_ERRORS,
    SQL_AGENT_MESSAGES,
    SQL_AGENT_PATHS,         /* JSON: the steps of the join tree */
    SQL_AGENT_SECURE_SQL,    /* the rewritten statement, which the guard reads again */
    SQL_AGENT_VALIDATED_SQL, /* the statement that is sent, byte for byte */
    SQL_AGENT_TABLES_READ,   /* JSON array of the logical names of the tables read */
    SQL_AGENT_WARNINGS,
    SQL_AGENT_EMPTY_REASON, /* why an empty result is worth another try */
    SQL_AGENT_REFUSAL,      /* why the model cannot answer */
    SQL_AGENT_CLARIFY,      /* JSON: readings of the question to choose from (clarify.h) */
    SQL_AGENT_RIVALS,       /* JSON array: the statements of clarify's readings; whether their rows
                               are the same is not known yet */
    SQL_AGENT_SAMPLES,      /* text: a few rows of each chosen table */
    SQL_AGENT_REPAIRS,      /* list of sentences: what was mended without the model */
    SQL_AGENT_TIMED_OUT,    /* the last statement took too long */
    SQL_AGENT_DOUBT,        /* the statement that was doubtful when the model was asked about it */
    SQL_AGENT_LEAD,         /* what is said before the answer: that its figures count rows again */
    SQL_AGENT_NOTES,        /* JSON array of the repairs, of the statement that passed */
    SQL_AGENT_CHART,        /* JSON: how the rows are best shown (agents/charts/chartjs.h) */
    SQL_AGENT_NAMED,        /* JSON array: tables that whoever routed the question named */
    SQL_AGENT_DRAFT,        /* what whoever routed it wrote: a statement, or "CANNOT: reason" */
    SQL_AGENT_SLOT_COUNT
};

/* The guard of the graph. */
extern const struct check_sql_config sql_agent_check;

#endif
