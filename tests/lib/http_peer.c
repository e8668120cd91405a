/* SPDX-License-Identifier: MIT */
/* tests/lib/http_peer.c - sockets, and just enough HTTP to take an answer apart. */
#include "tests/lib/http_peer.h"

#include <arpa/inet.h>
#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/socket.h>
#include <unistd.h>

#include "core/base/mem.h"
#include "server/process/server.h"

enum {
    MAX_SETTINGS = 32,
    REQUEST_BYTES = 4 * 1024 * 1024,
    READ_BYTES = 64 * 1024,
    RECEIVE_BYTES = 64 * 1024,
    PATIENCE_MS = 60 * 1000 /* the first request must not be too early, however slow the machine */
};

void http_peer_open(struct http_peer *peer, unsigned port)
{
    struct sockaddr_in address = {.sin_family = AF_INET, .sin_port = htons((uint16_t)port)};
    struct timeval wait = {.tv_sec = PEER_WAIT_SECONDS};
    address.sin_addr.s_addr = htonl(INADDR_LOOPBACK);
    buf_init(&peer->in, PEER_BYTES);
    peer->fd = socket(AF_INET, SOCK_STREAM, 0);
    CHECK(peer->fd >= 0);
    setsockopt(peer->fd, SOL_SOCKET, SO_RCVTIMEO, &wait, sizeof wait);
    int small = RECEIVE_BYTES; /* or the kernel would take a slow reader's whole stream */
    setsockopt(peer->fd, SOL_SOCKET, SO_RCVBUF, &small, sizeof small);
    CHECK(connect(peer->fd, (const struct sockaddr *)&address, sizeof address) == 0);
}

void http_peer_close(struct http_peer *peer)
{
    close(peer->fd);
    buf_fini(&peer->in);
}

void http_peer_reset(struct http_peer *peer)
{
    struct linger linger = {.l_onoff = 1, .l_linger = 0};
    setsockopt(peer->fd, SOL_SOCKET, SO_LINGER, &linger, sizeof linger);
    http_peer_close(peer);
}

void http_peer_send(struct http_peer *peer, struct str bytes)
{
    while (bytes.len > 0) {
        ssize_t sent = send(peer->fd, bytes.at, bytes.len, MSG_NOSIGNAL);
        if (sent <= 0)
            return; /* the server closed: the answer says why */
        bytes = str_from(bytes, (size_t)sent);
    }
}

void http_peer_post(struct http_peer *peer, const char *path, const char *headers, const char *body)
{
    struct buf text;
    buf_init(&text, REQUEST_BYTES);
    buf_printf(&text, "POST %s HTTP/1.1\r\nHost: t\r\nContent-Length: %zu\r\n%s%s\r\n%s", path,
               strlen(body),
               strstr(headers, "Content-Type:") == NULL ? "Content-Type: application/json\r\n" : "",
               headers, body);
    http_peer_send(peer, buf_str(&text));
    buf_fini(&text);
}

void http_peer_get(struct http_peer *peer, const char *path, const char *headers)
{
    struct buf text;
    buf_init(&text, REQUEST_BYTES);
    buf_printf(&text, "GET %s HTTP/1.1\r\nHost: t\r\n%s\r\n", path, headers);
    http_peer_send(peer, buf_str(&text));
    buf_fini(&text);
}

static bool read_more(struct http_peer *peer)
{
    char *room = buf_reserve(&peer->in, READ_BYTES);
    CHECK(room != NULL);
    ssize_t got = recv(peer->fd, room, READ_BYTES, 0);
    buf_commit(&peer->in, got > 0 ? (size_t)got : 0);
    return got > 0;
}

bool http_peer_wait(struct http_peer *peer, const char *needle)
{
    struct str wanted = str_of(needle);
    size_t seen = 0;
    for (;;) {
        struct str text = buf_str(&peer->in);
        if (str_find(str_from(text, seen), wanted) != STR_NONE)
            return true;
        seen = text.len > wanted.len ? text.len - wanted.len : 0;
        if (!read_more(peer))
            return false;
    }
}

bool http_peer_at_end(struct http_peer *peer)
{
    char byte;
    while (read_more(peer))
        continue;
    return recv(peer->fd, &byte, 1, MSG_DONTWAIT) <= 0;
}

static size_t find_length(struct str head)
{
    ptrdiff_t at = str_find(head, STR("Content-Length: "));
    struct str rest = str_from(head, at == STR_NONE ? head.len : (size_t)at + 16);
    uint64_t length = 0;
    return str_to_u64(str_trim(str_split(&rest, '\n')), &length) ? (size_t)length : 0;
}

static void take_chunks(struct http_peer *peer, struct http_answer *answer)
{
    for (;;) {
        if (!http_peer_wait(peer, "\r\n"))
            return;
        size_t size = strtoul(buf_str(&peer->in).at, NULL, 16);
        buf_consume(&peer->in, (size_t)str_find(buf_str(&peer->in), STR("\r\n")) + 2);
        while (buf_len(&peer->in) < size + 2)
            if (!read_more(peer))
                return;
        buf_push(&answer->body, str_slice(buf_str(&peer->in), 0, size));
        buf_consume(&peer->in, size + 2);
        if (size == 0) {
            answer->complete = true;
            return;
        }
    }
}

void http_peer_take(struct http_peer *peer, struct http_answer *answer)
{
    static char head[64 * 1024];
    *answer = (struct http_answer){0};
    buf_init(&answer->body, PEER_BYTES);
    if (!http_peer_wait(peer, "\r\n\r\n"))
        return;
    size_t len = (size_t)str_find(buf_str(&peer->in), STR("\r\n\r\n")) + 4;
    CHECK(len < sizeof head);
    memcpy(head, buf_str(&peer->in).at, len);
    answer->head = str_make(head, len);
    buf_consume(&peer->in, len);
    uint64_t status = 0;
    CHECK(str_to_u64(str_make(head + 9, 3), &status));
    answer->status = (int)status;
    if (str_find(answer->head, STR("chunked")) != STR_NONE) {
        take_chunks(peer, answer);
        return;
    }
    if (answer->status == 100 || answer->status == 204)
        return;
    bool closes = str_find(answer->head, STR("Content-Length")) == STR_NONE;
    size_t length = closes ? PEER_BYTES : find_length(answer->head);
    while (buf_len(&peer->in) < length && read_more(peer))
        continue;
    length = size_min(length, buf_len(&peer->in));
    buf_push(&answer->body, str_slice(buf_str(&peer->in), 0, length));
    buf_consume(&peer->in, length);
    answer->complete = true;
}

int http_peer_status(struct http_peer *peer)
{
    struct http_answer answer;
    http_peer_take(peer, &answer);
    buf_fini(&answer.body);
    return answer.status;
}

/* ---- the server ---- */

struct server_rig {
    struct server *server;
    pthread_t thread;
    enum err_code code;
    struct err err;
};

static void *run_server(void *arg)
{
    struct server_rig *rig = arg;
    rig->code = server_run(rig->server, &rig->err);
    return NULL;
}

struct server_rig *server_rig_start(const char *const *settings)
{
    struct config_flag flags[MAX_SETTINGS] = {{"ASKD_PORT", STR("0")},
                                              {"ASKD_LOG_LEVEL", STR("off")},
                                              {"ASKD_PROMPT_DIR", STR(PROMPTS)},
                                              {"ASKD_CHECKPOINT_URL", STR("none")}};
    static char names[MAX_SETTINGS][64];
    struct config_source source = {.flags = flags, .flag_count = 4};
    struct server_rig *rig = mem_zalloc(1, sizeof *rig);
    struct buf problems;
    struct config *config = NULL;
    CHECK(rig != NULL);
    for (; settings != NULL && *settings != NULL; settings++) {
        struct str rest = str_of(*settings), name = str_split(&rest, '=');
        size_t i = source.flag_count++;
        CHECK(i < MAX_SETTINGS && name.len < sizeof names[i]);
        memcpy(names[i], name.at, name.len);
        names[i][name.len] = '\0';
        flags[i] = (struct config_flag){names[i], rest};
    }
    buf_init(&problems, 65536);
    enum err_code code = config_load(&source, &config, &problems);
    if (code != ERR_OK)
        fprintf(stderr, "%.*s", STR_ARG(buf_str(&problems)));
    CHECK(code == ERR_OK);
    buf_fini(&problems);
    const struct server_options options = {.config = config, .start_ms = PATIENCE_MS};
    rig->server = server_create(&options, &rig->err);
    if (rig->server == NULL)
        fprintf(stderr, "%s\n", rig->err.text);
    CHECK(rig->server != NULL);
    CHECK(pthread_create(&rig->thread, NULL, run_server, rig) == 0);
    return rig;
}

unsigned server_rig_port(const struct server_rig *rig)
{
    return server_port(rig->server);
}

void server_rig_ask_stop(struct server_rig *rig)
{
    server_ask_stop(rig->server);
}

bool server_rig_stop(struct server_rig *rig)
{
    server_ask_stop(rig->server);
    pthread_join(rig->thread, NULL);
    bool fine = rig->code == ERR_OK;
    if (!fine)
        fprintf(stderr, "%s\n", rig->err.text);
    server_destroy(rig->server);
    mem_free(rig);
    return fine;
}
