/* SPDX-License-Identifier: MIT */
/* tests/mockllm/main.c - a model server in its own process that speaks the real wire at a set pace.
 *
 *   mockllm [--host ADDRESS] [--port N] [--rate N] [--tokens N] [--script FILE] [--stamp]
 * Prints "listening ADDRESS:PORT" (127.0.0.1 and a free port by default) and serves POST
 * .../chat/completions and .../embeddings (OpenAI's and Azure's paths), .../v1/messages
 * (Anthropic's), .../rerank (Cohere's, Jina's, TEI's), GET .../models, GET /mock/stats,
 * POST /mock/reset and POST /mock/release (of what the fault "hold" holds) until it is killed.
 * --rate: tokens a second and stream, 0 as fast as it goes; --stamp: each token is
 * "@<monotonic ns> ". Failure: bad arguments, script or port end it with a sentence on stderr. */
#include <getopt.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <uv.h>

#include "tests/mockllm/mock_conn.h"

enum { BACKLOG = 4096 };

static void on_connection(uv_stream_t *listener, int status)
{
    if (status == 0)
        mock_conn_accept(listener->data, listener);
}

static uint64_t number_of(const char *text)
{
    uint64_t value;
    if (!str_to_u64(str_of(text), &value)) {
        fprintf(stderr, "mockllm: '%s' is not a number\n", text);
        exit(2);
    }
    return value;
}

static const char *read_arguments(int argc, char **argv, struct mock_server *server,
                                  const char **host, int *port)
{
    static const struct option options[] = {
        {"port", required_argument, NULL, 'p'},
        {"rate", required_argument, NULL, 'r'},
        {"tokens", required_argument, NULL, 't'},
        {"script", required_argument, NULL, 's'},
        {"stamp", no_argument, NULL, 'n'},
        {"host", required_argument, NULL, 'h'},
        {NULL, 0, NULL, 0},
    };
    const char *script = NULL;
    for (int option; (option = getopt_long(argc, argv, "", options, NULL)) != -1;) {
        switch (option) {
        case 'h':
            *host = optarg;
            break;
        case 'p':
            *port = (int)number_of(optarg);
            break;
        case 'r':
            server->rate = number_of(optarg);
            break;
        case 't':
            server->tokens = number_of(optarg);
            break;
        case 's':
            script = optarg;
            break;
        case 'n':
            server->is_stamped = true;
            break;
        default:
            exit(2);
        }
    }
    return script;
}

int main(int argc, char **argv)
{
    struct mock_server server = {.rate = 0, .tokens = 20};
    struct err err;
    int port = 0;
    const char *host = "127.0.0.1";
    const char *script = read_arguments(argc, argv, &server, &host, &port);
    signal(SIGPIPE, SIG_IGN);
    if (mock_script_load(&server.script, script, &err) != ERR_OK) {
        fprintf(stderr, "mockllm: %s\n", err.text);
        return 2;
    }
    list_init(&server.held);
    server.loop = loop_create();
    CHECK(server.loop != NULL);
    uv_tcp_t listener;
    struct sockaddr_in address;
    int address_bytes = sizeof address;
    if (uv_ip4_addr(host, port, &address) != 0) {
        fprintf(stderr, "mockllm: '%s' is no IPv4 address\n", host);
        return 2;
    }
    uv_tcp_init(loop_uv(server.loop), &listener);
    listener.data = &server;
    int code = uv_tcp_bind(&listener, (const struct sockaddr *)&address, 0);
    if (code == 0)
        code = uv_listen((uv_stream_t *)&listener, BACKLOG, on_connection);
    if (code != 0) {
        fprintf(stderr, "mockllm: port %d: %s\n", port, uv_strerror(code));
        return 1;
    }
    uv_tcp_getsockname(&listener, (struct sockaddr *)&address, &address_bytes);
    printf("listening %s:%d\n", host, ntohs(address.sin_port));
    fflush(stdout);
    loop_run(server.loop);
    return 0;
}
