/* SPDX-License-Identifier: MIT */
/* agents/offline/model.h - the llm interface answered by rules; says when they give no answer.
 *
 * Reads task and fields, never messages. Tasks and fields (names as the graphs render them):
 *   classify         question, history          -> "SQL" | "RAG" | "GENERAL"
 *   classify_whole   the same
 *   table_selection  question, schema           -> JSON array of table names
 *   sql_generation   question, tables, join_plan, error -> fenced sql, or a line "CANNOT: reason"
 *   sql_decision     statements, own           -> {"choice": own}
 *   sql_correction   question, sql, error       -> fenced sql, or "CANNOT: reason"
 *   sql_answer       question, sql, result, row_count, truncated -> text
 *   sql_response     as sql_answer, error       -> text
 *   general          question                   -> text
 *   intent           user_query                 -> text
 *   insight          sql, result                -> "SUMMARY: ...\nCHART: ..."
 *   conversation_summary  conversation       -> a line a turn: question, answer's first sentence
 * Field "asked": the questions before; "meant": the question with names for "he" and "that one".
 * Text is streamed a few words at a time over turns. */
#ifndef AGENTS_OFFLINE_MODEL_H
#define AGENTS_OFFLINE_MODEL_H

#include "agents/lexicon/lexicon.h"
#include "agents/offline/answers/understood.h"
#include "agents/sql/joins/join_path.h"
#include "backends/llm.h"

struct offline_options {
    bool (*today)(void *owner, int *year, int *month, int *day);
    void *today_owner;
    const struct offline_words *words;  /* NULL: English alone; outlives the model */
    struct join_finder_options joining; /* zeroed: the finder's defaults */
};

/* Create the model. NULL: no memory. Until offline_model_know every call ends with ERR_UNAVAILABLE.
 */
struct llm *offline_model_create(struct loop *loop, const struct offline_options *options);
/* Set what the model answers from; everything must outlive the next call of this function. */
void offline_model_know(struct llm *llm, const struct catalog *catalog,
                        const struct lexicon *lexicon, const struct join_graph *joins,
                        enum sql_dialect dialect);

#endif
