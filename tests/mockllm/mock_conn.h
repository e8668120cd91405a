/* SPDX-License-Identifier: MIT */
/* tests/mockllm/mock_conn.h - one client connection of the mock: requests in, paced answers out. */
#ifndef TESTS_MOCKLLM_MOCK_CONN_H
#define TESTS_MOCKLLM_MOCK_CONN_H

#include "core/base/list.h"
#include "core/loop/loop.h"
#include "tests/mockllm/mock_script.h"

struct mock_server { /* one; shared by all connections */
    struct loop *loop;
    struct mock_script script;
    uint64_t rate, tokens; /* of a plan that names none */
    bool is_stamped;
    uint64_t requests, completed, aborted, open_streams, connections;
    uint64_t refused_in_row; /* for "the first N, then one well" */
    struct list held;        /* streams that wait for POST /mock/release; init first */
};

struct uv_stream_s; /* libuv's uv_stream_t */

/* Accept the connection that listener has; it frees itself when it ends. */
void mock_conn_accept(struct mock_server *server, struct uv_stream_s *listener);

#endif
