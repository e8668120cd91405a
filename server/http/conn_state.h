/* SPDX-License-Identifier: MIT */
/* server/http/conn_state.h - the states of a connection and which may follow which. */
#ifndef SERVER_HTTP_CONN_STATE_H
#define SERVER_HTTP_CONN_STATE_H

#include "core/base/defs.h"

enum conn_state {
    CONN_IDLE,
    CONN_HEAD,
    CONN_BODY,
    CONN_ANSWERING,
    CONN_STREAMING,
    CONN_MUXED, /* HTTP/2: a session has the bytes */
    CONN_FLUSHING,
    CONN_LINGERING, /* all is sent, FIN too: wait for the peer to see it */
    CONN_LEAVING,
    CONN_AWAY, /* between two loops; nobody's handle */
    CONN_CLOSING,
    CONN_STATE_COUNT
};

/* "idle" and so on; static. */
const char *conn_state_name(enum conn_state state);
bool conn_state_may(enum conn_state from, enum conn_state to);

#endif
