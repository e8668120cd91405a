/* SPDX-License-Identifier: MIT */
/* server/http/listener.c - libuv 1.44 has no reuse-port flag, so the socket is made before it
 * binds.
 *
 * Happy path: the address is parsed, the socket made, SO_REUSEPORT set, bound, listened on; each
 * connection is accepted into the site.
 * Failure paths:
 * - a bad address, a port in use or not allowed: err says so;
 * - full, or no memory: the connection gets a short 503, or what /healthz says if it asks for that,
 *   since a server that is full is alive; what else it sends is read for a while, since closing on
 *   unread bytes would take the answer back; beyond MAX_SHED of these the 503 comes unasked;
 * - no memory even for that: libuv stops listening until it is accepted, so it is tried again. */
#include "server/http/listener.h"

#include <netinet/in.h>
#include <string.h>
#include <sys/socket.h>
#include <unistd.h>
#include <uv.h>

#include "core/base/mem.h"
#include "core/loop/timer.h"

enum { RETRY_MS = 100, SHED_MS = 1000, MAX_SHED = 64 };

struct shed {
    uv_tcp_t tcp;
    uv_shutdown_t shutdown;
    struct timer deadline;
    struct channel_site *site;
    bool is_told;
};

struct listener {
    uv_tcp_t tcp;
    struct timer retry;
    struct listener_options options;
    unsigned port;
};

static const char full_answer[] = "HTTP/1.1 503 Service Unavailable\r\n"
                                  "Content-Type: application/problem+json\r\n"
                                  "Content-Length: 134\r\n"
                                  "Retry-After: 1\r\n"
                                  "Connection: close\r\n\r\n"
                                  "{\"type\":\"about:blank\",\"title\":\"Service Unavailable\","
                                  "\"status\":503,\"code\":\"overloaded\",\"detail\":\"too many "
                                  "connections\",\"retryable\":true}";

static const char health_answer[] = "HTTP/1.1 200 OK\r\n"
                                    "Content-Type: text/plain\r\n"
                                    "Content-Length: 3\r\n"
                                    "Connection: close\r\n\r\n"
                                    "ok\n";

static enum err_code parse_address(const char *host, unsigned port,
                                   struct sockaddr_storage *address, struct err *err)
{
    if (strcmp(host, "localhost") == 0)
        host = "127.0.0.1";
    if (uv_ip4_addr(host, (int)port, (struct sockaddr_in *)(void *)address) == 0 ||
        uv_ip6_addr(host, (int)port, (struct sockaddr_in6 *)(void *)address) == 0)
        return ERR_OK;
    return err_set(err, ERR_INVALID, "ASKD_HOST: expected an IPv4 or IPv6 address, got '%s'", host);
}

static enum err_code say_bind(const char *host, unsigned port, int code, struct err *err)
{
    const char *hint = code == UV_EADDRINUSE ? "; another program listens there: choose another "
                                               "ASKD_PORT"
                                             : "";
    return err_set(err, ERR_UNAVAILABLE, "cannot listen on %s port %u: %s%s", host, port,
                   uv_strerror(code), hint);
}

enum err_code listener_probe(const char *host, unsigned port, struct err *err)
{
    struct sockaddr_storage address = {0};
    int on = 1, code = 0;
    enum err_code parsed = parse_address(host, port, &address, err);
    if (parsed != ERR_OK || port == 0)
        return parsed;
    socklen_t len =
        address.ss_family == AF_INET ? sizeof(struct sockaddr_in) : sizeof(struct sockaddr_in6);
    int fd = socket(address.ss_family, SOCK_STREAM | SOCK_CLOEXEC, 0);
    if (fd < 0)
        return say_bind(host, port, uv_translate_sys_error(errno), err);
    setsockopt(fd, SOL_SOCKET, SO_REUSEADDR, &on, sizeof on);
    if (bind(fd, (const struct sockaddr *)&address, len) != 0)
        code = uv_translate_sys_error(errno);
    close(fd);
    return code == 0 ? ERR_OK : say_bind(host, port, code, err);
}

static void free_handle(uv_handle_t *handle)
{
    mem_free(handle->data);
}

static void free_shed(uv_handle_t *handle)
{
    struct shed *shed = handle->data;
    shed->site->shed_count--;
    mem_free(shed);
}

static void close_shed(struct shed *shed)
{
    timer_stop(&shed->deadline);
    if (!uv_is_closing((uv_handle_t *)&shed->tcp))
        uv_close((uv_handle_t *)&shed->tcp, free_shed);
}

/* One write, whatever of it the kernel takes; then wait for the client to close. */
static void tell(struct shed *shed, struct str answer)
{
    uv_stream_t *stream = (uv_stream_t *)&shed->tcp;
    uv_buf_t piece = {.base = (char *)(uintptr_t)answer.at, .len = answer.len};
    shed->is_told = true;
    if (uv_try_write(stream, &piece, 1) <= 0 || uv_shutdown(&shed->shutdown, stream, NULL) != 0)
        close_shed(shed);
}

static void on_shed_late(struct timer *timer)
{
    struct shed *shed = container_of(timer, struct shed, deadline);
    if (!shed->is_told)
        tell(shed, str_of(full_answer));
    close_shed(shed);
}

static void on_shed_alloc(uv_handle_t *handle, size_t suggested, uv_buf_t *piece)
{
    struct shed *shed = handle->data;
    (void)suggested;
    *piece = uv_buf_init(shed->site->scratch, CONN_SCRATCH_BYTES);
}

static bool asks_for_health(struct str bytes)
{
    return str_starts_with(bytes, STR("GET /healthz HTTP/"));
}

static void on_shed_read(uv_stream_t *stream, ssize_t got, const uv_buf_t *piece)
{
    struct shed *shed = stream->data;
    if (got < 0)
        close_shed(shed);
    else if (got > 0 && !shed->is_told)
        tell(shed, str_of(asks_for_health(str_make(piece->base, (size_t)got)) ? health_answer
                                                                              : full_answer));
}

/* Accept the connection and begin to hear what it asks for. */
static bool hear(struct shed *shed, uv_stream_t *server)
{
    uv_stream_t *stream = (uv_stream_t *)&shed->tcp;
    if (uv_accept(server, stream) != 0)
        return false;
    if (shed->site->shed_count > MAX_SHED)
        tell(shed, str_of(full_answer));
    return shed->site->shed_count <= MAX_SHED &&
           uv_read_start(stream, on_shed_alloc, on_shed_read) == 0;
}

/* False: no memory, it was not accepted. */
static bool shed_one(struct listener *listener)
{
    struct channel_site *site = listener->options.site;
    struct shed *shed = mem_zalloc(1, sizeof *shed);
    if (shed == NULL || uv_tcp_init(loop_uv(site->loop), &shed->tcp) != 0) {
        mem_free(shed);
        return false;
    }
    shed->tcp.data = shed;
    shed->site = site;
    site->shed_count++;
    if (hear(shed, (uv_stream_t *)&listener->tcp))
        timer_start(&shed->deadline, site->loop, SHED_MS, on_shed_late);
    else
        close_shed(shed);
    return true;
}

static void on_retry(struct timer *timer);

/* The connection that waits is served, told, or tried again. */
static void take_one(struct listener *listener)
{
    struct channel_site *site = listener->options.site;
    bool full = listener->options.is_full(listener->options.owner);
    if (!full && conn_accept(site, (uv_stream_t *)&listener->tcp) != ERR_NO_MEMORY)
        return;
    if (!shed_one(listener)) /* untested: two allocations in a row fail */
        timer_start(&listener->retry, site->loop, RETRY_MS, on_retry);
}

static void on_retry(struct timer *timer)
{
    take_one(container_of(timer, struct listener, retry));
}

static void on_connection(uv_stream_t *server, int status)
{
    struct listener *listener = server->data;
    if (status < 0)
        LOG(listener->options.site->log, WARN, "listener.accept", "error=\"%s\"",
            uv_strerror(status));
    else
        take_one(listener);
}

static int bind_and_listen(struct listener *listener, const struct sockaddr_storage *address)
{
    uv_os_fd_t fd;
    int on = 1;
    int code = uv_fileno((uv_handle_t *)&listener->tcp, &fd);
    if (code == 0 && listener->options.shared &&
        setsockopt(fd, SOL_SOCKET, SO_REUSEPORT, &on, sizeof on) != 0)
        code = uv_translate_sys_error(errno);
    if (code == 0)
        code = uv_tcp_bind(&listener->tcp, (const struct sockaddr *)address, 0);
    if (code == 0)
        code = uv_listen((uv_stream_t *)&listener->tcp, listener->options.backlog, on_connection);
    return code;
}

static unsigned read_port(struct listener *listener)
{
    struct sockaddr_storage address = {0};
    int len = sizeof address;
    if (uv_tcp_getsockname(&listener->tcp, (struct sockaddr *)&address, &len) != 0)
        return 0;
    return address.ss_family == AF_INET
               ? ntohs(((const struct sockaddr_in *)(const void *)&address)->sin_port)
               : ntohs(((const struct sockaddr_in6 *)(const void *)&address)->sin6_port);
}

struct listener *listener_open(const struct listener_options *options, struct err *err)
{
    struct sockaddr_storage address = {0};
    if (parse_address(options->host, options->port, &address, err) != ERR_OK)
        return NULL;
    struct listener *listener = mem_zalloc(1, sizeof *listener);
    if (listener == NULL) {
        err_set(err, ERR_NO_MEMORY, "no memory for a listener");
        return NULL;
    }
    listener->options = *options;
    int code = uv_tcp_init_ex(loop_uv(options->site->loop), &listener->tcp, address.ss_family);
    if (code != 0) {
        mem_free(listener);
        (void)say_bind(options->host, options->port, code, err);
        return NULL;
    }
    listener->tcp.data = listener;
    code = bind_and_listen(listener, &address);
    if (code != 0) {
        uv_close((uv_handle_t *)&listener->tcp, free_handle);
        (void)say_bind(options->host, options->port, code, err);
        return NULL;
    }
    listener->port = read_port(listener);
    return listener;
}

unsigned listener_port(const struct listener *listener)
{
    return listener->port;
}

void listener_close(struct listener *listener)
{
    if (listener == NULL)
        return;
    timer_stop(&listener->retry);
    uv_close((uv_handle_t *)&listener->tcp, free_handle);
}
