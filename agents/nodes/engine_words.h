/* SPDX-License-Identifier: MIT */
/* agents/nodes/engine_words.h - what an engine says against a statement, in words that carry no
 * data.
 *
 * An engine's message may quote a value of a row, also of a row that the statement was not to see.
 * So no message leaves askd as it is: neither to the caller nor to the model. What leaves is a
 * sentence of ours, chosen by the engine's code, and for errors in the statement's own words those
 * words: of the engine's message only what stands in the statement, outside its literals, or in a
 * fixed list of words. Pure; any thread. */
#ifndef AGENTS_NODES_ENGINE_WORDS_H
#define AGENTS_NODES_ENGINE_WORDS_H

#include "agents/services/services.h"

struct engine_words {
    enum sql_dialect dialect;
    struct str code;      /* SQLSTATE; SQLite's number; may be empty */
    struct str said;      /* the engine's message */
    struct str statement; /* as it was sent */
};

/* Fill err, whose code stays, with what may be told of a refusal. */
void engine_words_tell(const struct engine_words *words, struct err *err);

#endif
