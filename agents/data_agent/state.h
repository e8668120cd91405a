/* SPDX-License-Identifier: MIT */
/* agents/data_agent/state.h - the fields of the data agent. */
#ifndef AGENTS_DATA_AGENT_STATE_H
#define AGENTS_DATA_AGENT_STATE_H

enum data_agent_slot {
    DATA_AGENT_QUESTION,
    DATA_AGENT_ANSWER,
    DATA_AGENT_STRUCTURED_RESULT, /* of the last statement: agents/rows/rows.h has its shape */
    DATA_AGENT_SQL,               /* the last statement, as it was sent */
    DATA_AGENT_TABLES,
    DATA_AGENT_CHART,
    DATA_AGENT_CLARIFY,    /* agents/sql_agent/clarify.h has its shape */
    DATA_AGENT_PASSAGES,   /* list: what was found in documents */
    DATA_AGENT_CITATIONS,  /* those of them that the answer cites */
    DATA_AGENT_STATEMENTS, /* list of {"id","sql","rows"} */
    DATA_AGENT_TRANSCRIPT, /* list: agents/agent/transcript.h */
    DATA_AGENT_MESSAGES,
    DATA_AGENT_PENDING,
    DATA_AGENT_CALLED,
    DATA_AGENT_TOKENS,
    DATA_AGENT_MS,
    DATA_AGENT_REASON, /* which budget is spent */
    DATA_AGENT_TURNS,
    DATA_AGENT_LAST_TURNS,
    DATA_AGENT_SLOT_COUNT
};

#endif
