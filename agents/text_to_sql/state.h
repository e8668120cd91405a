/* SPDX-License-Identifier: MIT */
/* agents/text_to_sql/state.h - the fields of the text-to-SQL graph (R88), in the order in which
 * states show them, then those that its nodes hand to each other. */
#ifndef AGENTS_TEXT_TO_SQL_STATE_H
#define AGENTS_TEXT_TO_SQL_STATE_H

enum text_to_sql_slot {
    TEXT_TO_SQL_MESSAGES,
    TEXT_TO_SQL_QUESTION,
    TEXT_TO_SQL_SQL_PAIRS,     /* JSON array of {"question","sql"} */
    TEXT_TO_SQL_METADATA,      /* JSON array of {"table","column"?,"says"} */
    TEXT_TO_SQL_DATABASE_INFO, /* Markdown: tables with columns */
    TEXT_TO_SQL_GENERATED_SQL,
    TEXT_TO_SQL_SQL_EXPLANATION,
    TEXT_TO_SQL_IS_VALID,
    TEXT_TO_SQL_VALIDATION_ERRORS,
    TEXT_TO_SQL_VALIDATION_WARNINGS,
    TEXT_TO_SQL_EXECUTED,
    TEXT_TO_SQL_RESULTS, /* agents/nodes/run_sql.h has its shape */
    TEXT_TO_SQL_ROW_COUNT,
    TEXT_TO_SQL_COLUMNS,
    TEXT_TO_SQL_EXECUTION_ERROR,
    TEXT_TO_SQL_NATURAL_LANGUAGE_RESPONSE,
    TEXT_TO_SQL_SESSION_ID,
    TEXT_TO_SQL_RETRY_COUNT,
    TEXT_TO_SQL_VALIDATED_SQL,     /* the statement that is sent, byte for byte */
    TEXT_TO_SQL_REASON,            /* the last validation error, for the next prompt */
    TEXT_TO_SQL_TABLES,            /* JSON array of the tables the statement names */
    TEXT_TO_SQL_REFUSAL,           /* why the model cannot answer */
    TEXT_TO_SQL_RETRIEVAL_WARNING, /* why retrieval searched by words alone */
    TEXT_TO_SQL_EXAMPLES,          /* verified questions like this one */
    TEXT_TO_SQL_VALUES,            /* text: how the tables' values are spelled */
    TEXT_TO_SQL_REPAIRS,           /* list of sentences: what was mended without the model */
    TEXT_TO_SQL_NOTES,             /* JSON array of the repairs, of the statement that passed */
    TEXT_TO_SQL_DOUBT,             /* the statement that was doubtful when the model was asked */
    TEXT_TO_SQL_LEAD,  /* what is said before the answer: that its figures count rows again */
    TEXT_TO_SQL_SHOWN, /* JSON: what prompts show of the rows (agents/nodes/run_sql.h) */
    TEXT_TO_SQL_SLOT_COUNT
};

#endif
