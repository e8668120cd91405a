/* SPDX-License-Identifier: MIT */
/* agents/general_agent/state.h - the fields of the general agent. */
#ifndef AGENTS_GENERAL_AGENT_STATE_H
#define AGENTS_GENERAL_AGENT_STATE_H

enum general_slot { GENERAL_QUESTION, GENERAL_MESSAGES, GENERAL_RESULT, GENERAL_SLOT_COUNT };

#endif
