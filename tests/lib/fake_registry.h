/* SPDX-License-Identifier: MIT */
/* tests/lib/fake_registry.h - agents/registry with graphs whose one node does what its message
 * says.
 *
 * Linked instead of agents/registry.c. Messages:
 *   "stream N EVERY_MS BYTES"  N tokens on the final channel, then the end
 *   "stall N"                  N tokens, then nothing until it is cancelled
 *   "fail N"                   N tokens, then a failure of code model_unavailable
 *   "pause N EVERY_MS BYTES"   asks a person, repeats the answer, then as "stream"; or only "pause"
 *   anything else              one token that repeats the message
 * Holding the run stops the tokens, as it would stop a model. Graphs: orchestrator, banking (with
 * an answer of five keys), remembering (which goes on for FAKE_REMEMBER_MS in the background). */
#ifndef TESTS_LIB_FAKE_REGISTRY_H
#define TESTS_LIB_FAKE_REGISTRY_H

#include "agents/registry.h"

enum { FAKE_REMEMBERING = 2, FAKE_REMEMBER_MS = 1000 };

/* From now on tokens stop after so many, until the run is cancelled; 0: after as many as the
 * message says. So a server can be killed in the middle of a run, whenever the test comes to it.
 * Before a server is started. */
void fake_registry_stall_at(uint64_t tokens);

#endif
