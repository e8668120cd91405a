/* SPDX-License-Identifier: MIT */
/* agents/analyst/state.h - the fields of the analyst (R93, C20), in the order in which states show
 * them, then those that its sub-graphs hand to each other. */
#ifndef AGENTS_ANALYST_STATE_H
#define AGENTS_ANALYST_STATE_H

#include "core/run/graph.h"

enum analyst_slot {
    ANALYST_CURRENT_QUERY,
    ANALYST_USER_ID,
    ANALYST_SESSION_ID,
    ANALYST_MESSAGES,
    ANALYST_PROCESSED_QUERY,   /* agents/analyst/query.h has its shape */
    ANALYST_RETRIEVED_CONTEXT, /* agents/nodes/search.h has its shape */
    ANALYST_ANALYSIS_RESULTS,  /* agents/figures/results.h has its shape */
    ANALYST_RESPONSE,          /* Markdown with source marks: "[2]" */
    ANALYST_RETRIEVAL_ATTEMPTS,
    ANALYST_SELF_HEAL_ATTEMPTS,
    ANALYST_RETRIEVAL_SUFFICIENT,
    ANALYST_RESPONSE_VALID,
    ANALYST_ERROR,
    ANALYST_ANALYSIS_VALID,
    ANALYST_ANALYSIS_ERRORS,
    ANALYST_EXPLANATION,
    ANALYST_CHARTS,    /* [{"type",...,"chartjs"?}] */
    ANALYST_CITATIONS, /* [{"number","document","title"?,"heading"?,"chunk","score","text"}] */
    ANALYST_QUALITY_ERRORS,
    ANALYST_CONTEXT,  /* retrieved_context for prompts */
    ANALYST_MEMORY,   /* passages of earlier conversations, for prompts */
    ANALYST_IS_NEWS,  /* whether the last look found passages that were not known */
    ANALYST_GAPS,     /* JSON array of texts: facts that the passages lack */
    ANALYST_KEYWORDS, /* words that the last refinement added */
    ANALYST_WARNINGS,
    ANALYST_PROBLEM,    /* why the analysis cannot be read */
    ANALYST_REFUSAL,    /* why there is no answer */
    ANALYST_ERROR_CODE, /* the code beside error on the wire */
    ANALYST_SLOT_COUNT
};

/* The state's fields. Which nodes write a field differs by graph: the macro's argument by(SLOT)
 * gives the writers of a slot, a list of ANALYST_WRITES. */
#define ANALYST_BIT(slot)                  (UINT64_C(1) << ANALYST_##slot)
#define ANALYST_WRITES(slot, mask, writer) (((mask)&ANALYST_BIT(slot)) != 0 ? (writer) : 0)
#define ANALYST_PASS(slot)                                                                         \
    {                                                                                              \
        ANALYST_##slot, ANALYST_##slot                                                             \
    }
#define ANALYST_TEXT(name_, by)                                                                    \
    {                                                                                              \
        .name = name_, .type = SLOT_TEXT, .writers = (by)                                          \
    }
#define ANALYST_JSON(name_, by)                                                                    \
    {                                                                                              \
        .name = name_, .type = SLOT_JSON, .writers = (by)                                          \
    }
#define ANALYST_INT(name_, by)                                                                     \
    {                                                                                              \
        .name = name_, .type = SLOT_INT, .writers = (by)                                           \
    }
#define ANALYST_FLAG(name_, by)                                                                    \
    {                                                                                              \
        .name = name_, .type = SLOT_BOOL, .writers = (by)                                          \
    }
#define ANALYST_ITEMS(name_, by)                                                                   \
    {                                                                                              \
        .name = name_, .type = SLOT_LIST, .reducer = REDUCE_APPEND, .writers = (by)                \
    }

#define ANALYST_SLOTS(by)                                                                          \
    {                                                                                              \
        [ANALYST_CURRENT_QUERY] = ANALYST_TEXT("current_query", by(CURRENT_QUERY)),                \
        [ANALYST_USER_ID] = ANALYST_TEXT("user_id", by(USER_ID)),                                  \
        [ANALYST_SESSION_ID] = ANALYST_TEXT("session_id", by(SESSION_ID)),                         \
        [ANALYST_MESSAGES] = ANALYST_ITEMS("messages", by(MESSAGES)),                              \
        [ANALYST_PROCESSED_QUERY] = ANALYST_JSON("processed_query", by(PROCESSED_QUERY)),          \
        [ANALYST_RETRIEVED_CONTEXT] = ANALYST_JSON("retrieved_context", by(RETRIEVED_CONTEXT)),    \
        [ANALYST_ANALYSIS_RESULTS] = ANALYST_JSON("analysis_results", by(ANALYSIS_RESULTS)),       \
        [ANALYST_RESPONSE] = ANALYST_TEXT("response", by(RESPONSE)),                               \
        [ANALYST_RETRIEVAL_ATTEMPTS] = ANALYST_INT("retrieval_attempts", by(RETRIEVAL_ATTEMPTS)),  \
        [ANALYST_SELF_HEAL_ATTEMPTS] = ANALYST_INT("self_heal_attempts", by(SELF_HEAL_ATTEMPTS)),  \
        [ANALYST_RETRIEVAL_SUFFICIENT] =                                                           \
            ANALYST_FLAG("retrieval_sufficient", by(RETRIEVAL_SUFFICIENT)),                        \
        [ANALYST_RESPONSE_VALID] = ANALYST_FLAG("response_valid", by(RESPONSE_VALID)),             \
        [ANALYST_ERROR] = ANALYST_TEXT("error", by(ERROR)),                                        \
        [ANALYST_ANALYSIS_VALID] = ANALYST_FLAG("analysis_valid", by(ANALYSIS_VALID)),             \
        [ANALYST_ANALYSIS_ERRORS] = ANALYST_JSON("analysis_errors", by(ANALYSIS_ERRORS)),          \
        [ANALYST_EXPLANATION] = ANALYST_TEXT("explanation", by(EXPLANATION)),                      \
        [ANALYST_CHARTS] = ANALYST_JSON("charts", by(CHARTS)),                                     \
        [ANALYST_CITATIONS] = ANALYST_JSON("citations", by(CITATIONS)),                            \
        [ANALYST_QUALITY_ERRORS] = ANALYST_JSON("quality_errors", by(QUALITY_ERRORS)),             \
        [ANALYST_CONTEXT] = ANALYST_TEXT("context", by(CONTEXT)),                                  \
        [ANALYST_MEMORY] = ANALYST_TEXT("memory", by(MEMORY)),                                     \
        [ANALYST_IS_NEWS] = ANALYST_FLAG("is_news", by(IS_NEWS)),                                  \
        [ANALYST_GAPS] = ANALYST_JSON("gaps", by(GAPS)),                                           \
        [ANALYST_KEYWORDS] = ANALYST_TEXT("keywords", by(KEYWORDS)),                               \
        [ANALYST_WARNINGS] = ANALYST_JSON("warnings", by(WARNINGS)),                               \
        [ANALYST_PROBLEM] = ANALYST_TEXT("problem", by(PROBLEM)),                                  \
        [ANALYST_REFUSAL] = ANALYST_TEXT("refusal", by(REFUSAL)),                                  \
        [ANALYST_ERROR_CODE] = ANALYST_TEXT("error_code", by(ERROR_CODE)),                         \
    }

#endif
