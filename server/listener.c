/* SPDX-License-Identifier: MIT */
/* server/listener.c - libuv 1.44 has no reuse-port flag, so the socket is made before it binds.
 *
 * Happy path: the address is parsed, the socket made, SO_REUSEPORT set, bound, listened on; each
 * connection is accepted into the site.
 * Failure: a bad address, a port in use or not allowed: err says so; full, or no memory: the
 * connection gets a short 503 and is closed. */
#include "server/listener.h"

#include <netinet/in.h>
#include <string.h>
#include <sys/socket.h>
#include <unistd.h>
#include <uv.h>

#include "core/base/mem.h"

struct listener {
    uv_tcp_t tcp;
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

/* The connection is accepted only to be told; one write, whatever of it the kernel takes. */
static void shed(struct listener *listener, uv_stream_t *server)
{
    uv_tcp_t *tcp = mem_zalloc(1, sizeof *tcp);
    if (tcp == NULL || uv_tcp_init(loop_uv(listener->options.site->loop), tcp) != 0) {
        mem_free(tcp); /* it waits in the backlog */
        return;
    }
    tcp->data = tcp;
    uv_buf_t piece = {.base = (char *)(uintptr_t)full_answer, .len = sizeof full_answer - 1};
    if (uv_accept(server, (uv_stream_t *)tcp) == 0)
        (void)uv_try_write((uv_stream_t *)tcp, &piece, 1);
    uv_close((uv_handle_t *)tcp, free_handle);
}

static void on_connection(uv_stream_t *server, int status)
{
    struct listener *listener = server->data;
    struct conn_site *site = listener->options.site;
    if (status < 0) {
        LOG(site->log, WARN, "listener.accept", "error=\"%s\"", uv_strerror(status));
        return;
    }
    if (listener->options.is_full(listener->options.owner))
        shed(listener, server);
    else if (conn_accept(site, server) == ERR_NO_MEMORY)
        shed(listener, server);
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
    if (listener != NULL)
        uv_close((uv_handle_t *)&listener->tcp, free_handle);
}
