/* SPDX-License-Identifier: MIT */
/* server/cli/cmd_health.c - GET /readyz where the configuration says that askd listens.
 *
 * Happy path: 200; the body is printed. It serves a container's HEALTHCHECK without any other
 * program in the image. Failure: another status, or no answer within the time: exit 1. */
#include "server/cli/cmd_health.h"

#include <stdio.h>
#include <string.h>
#include <unistd.h>

#include "backends/http/http_client.h"
#include "server/cli/cli.h"

enum { URL_BYTES = 320, ANSWER_BYTES = 64 * 1024, WAIT_MS = 5000, OK = 200 };
enum { EXIT_FINE = 0 };

struct asking_health {
    struct loop *loop;
    struct http_call call;
    struct buf answer;
};

static void keep(struct http_call *call, struct str bytes)
{
    struct asking_health *engine = call->user;
    buf_push(&engine->answer, bytes);
}

static void on_done(struct op *op)
{
    struct asking_health *engine = op_owner(op);
    loop_stop(engine->loop);
}

static void on_closed(void *owner)
{
    struct asking_health *engine = owner;
    loop_stop(engine->loop);
}

/* The address to ask: loopback for a server that listens on every address. */
static void write_url(const struct config *config, char *url, size_t size)
{
    const char *host = config->host;
    if (strcmp(host, "0.0.0.0") == 0)
        host = "127.0.0.1";
    if (strcmp(host, "::") == 0)
        host = "::1";
    bool is_ipv6 = strchr(host, ':') != NULL;
    snprintf(url, size, "http://%s%s%s:%d/readyz", is_ipv6 ? "[" : "", host, is_ipv6 ? "]" : "",
             (int)config->port);
}

static int ask(struct asking_health *engine, const char *url)
{
    struct http_client *client = http_client_create(engine->loop, NULL);
    const struct http_call_options options = {
        .url = url,
        .method = "GET",
        .connect_ms = WAIT_MS,
        .total_ms = WAIT_MS,
        .max_body_bytes = ANSWER_BYTES,
    };
    if (client == NULL) {
        fputs("askd: no memory\n", stderr);
        return CLI_EXIT_WRONG;
    }
    engine->call.user = engine;
    http_call_start(&engine->call, client, &options, NULL, keep,
                    (struct op_waiter){on_done, engine, NULL});
    loop_run(engine->loop);
    const struct err err = engine->call.op.err;
    op_release(&engine->call.op);
    http_client_close(client, on_closed, engine);
    loop_run(engine->loop);
    if (err.code != ERR_OK) {
        fprintf(stderr, "askd: %s: %s\n", url, err.text);
        return CLI_EXIT_WRONG;
    }
    buf_push(&engine->answer, STR("\n"));
    cli_write(STDOUT_FILENO, buf_str(&engine->answer));
    return engine->call.status == OK ? EXIT_FINE : CLI_EXIT_WRONG;
}

static int ask_configured(struct cli *cli, struct config *config)
{
    (void)cli;
    struct asking_health engine = {.loop = loop_create()};
    char url[URL_BYTES];
    int status = CLI_EXIT_WRONG;
    write_url(config, url, sizeof url);
    config_destroy(config);
    if (engine.loop == NULL) {
        fputs("askd: no memory\n", stderr);
        return CLI_EXIT_WRONG;
    }
    buf_init(&engine.answer, ANSWER_BYTES);
    status = ask(&engine, url);
    buf_fini(&engine.answer);
    loop_destroy(engine.loop);
    return status;
}

int cmd_health(int argc, char **argv)
{
    return cli_run_flags(argc, argv, "health", ask_configured);
}
