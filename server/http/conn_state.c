/* SPDX-License-Identifier: MIT */
/* server/http/conn_state.c - two tables. */
#include "server/http/conn_state.h"

static const char *const state_names[CONN_STATE_COUNT] = {
    "idle",     "head",      "body",    "answering", "streaming", "muxed",
    "flushing", "lingering", "leaving", "away",      "closing",
};

#define TO(state) (1u << CONN_##state)

static const unsigned transitions[CONN_STATE_COUNT] = {
    [CONN_IDLE] = TO(HEAD) | TO(MUXED) | TO(CLOSING),
    [CONN_HEAD] = TO(BODY) | TO(ANSWERING) | TO(MUXED) | TO(CLOSING),
    [CONN_BODY] = TO(ANSWERING) | TO(CLOSING),
    [CONN_ANSWERING] = TO(STREAMING) | TO(FLUSHING) | TO(LEAVING) | TO(CLOSING),
    [CONN_STREAMING] = TO(FLUSHING) | TO(CLOSING),
    [CONN_MUXED] = TO(FLUSHING) | TO(CLOSING),
    [CONN_FLUSHING] = TO(IDLE) | TO(LINGERING) | TO(CLOSING),
    [CONN_LINGERING] = TO(CLOSING),
    [CONN_LEAVING] = TO(AWAY),
    [CONN_AWAY] = TO(ANSWERING),
};

const char *conn_state_name(enum conn_state state)
{
    return state_names[state];
}

bool conn_state_may(enum conn_state from, enum conn_state to)
{
    return (transitions[from] & (1u << to)) != 0;
}
