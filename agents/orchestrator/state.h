/* SPDX-License-Identifier: MIT */
/* agents/orchestrator/state.h - the fields of the orchestrator (R123), then the others that the
 * event complete carries. */
#ifndef AGENTS_ORCHESTRATOR_STATE_H
#define AGENTS_ORCHESTRATOR_STATE_H

enum orchestrator_slot {
    ORCHESTRATOR_MESSAGES, /* list of {"role","content"}: history, then this turn */
    ORCHESTRATOR_QUESTION,
    ORCHESTRATOR_NEXT_STEP,             /* "SQL", "RAG" or "GENERAL" */
    ORCHESTRATOR_SQL_RESULT,            /* the SQL agent's answer */
    ORCHESTRATOR_SQL_STRUCTURED_RESULT, /* agents/nodes/run_sql.h has its shape */
    ORCHESTRATOR_RAG_RESULT,            /* the RAG agent's answer */
    ORCHESTRATOR_GENERAL_RESULT,
    ORCHESTRATOR_FINAL_ANSWER,
    ORCHESTRATOR_FINAL_STRUCTURED_DATA,
    ORCHESTRATOR_SQL,
    ORCHESTRATOR_TABLES,
    ORCHESTRATOR_WARNINGS,
    ORCHESTRATOR_NOTES,
    ORCHESTRATOR_REFUSAL,
    ORCHESTRATOR_CLARIFY,     /* agents/sql_agent/clarify.h has its shape */
    ORCHESTRATOR_CHART,       /* agents/charts/chartjs.h has its shape */
    ORCHESTRATOR_CITATIONS,   /* agents/rag_agent/state.h has their shape */
    ORCHESTRATOR_UNSUPPORTED, /* sentences of the answer that no chunk supports */
    ORCHESTRATOR_LOGICAL_SQL, /* the statement as the model wrote it, for its mentions */
    ORCHESTRATOR_SUMMARY_DUE, /* turns have left those that are shown in full */
    ORCHESTRATOR_SEARCH,      /* the question by itself, for documents */
    ORCHESTRATOR_NO_DATA,     /* why the data does not answer a question for the documents */
    ORCHESTRATOR_STATEMENTS,  /* list: of the data agent */
    ORCHESTRATOR_NAMED,       /* JSON array: the tables that the router says the answer needs */
    ORCHESTRATOR_DRAFT, /* the router's statement, or "CANNOT: reason", when it saw the schema */
    ORCHESTRATOR_SLOT_COUNT
};

#endif
