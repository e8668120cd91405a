/* SPDX-License-Identifier: MIT */
/* backends/http/resolve.c - uv_getaddrinfo as an operation.
 *
 * Happy path: the request goes to libuv's thread pool; its callback copies the addresses, each
 * once, in the system's order of preference.
 * Failure paths: a name that cannot be one, or no memory, fails at once (done comes later, as
 * always); an unknown name by the callback; a cancelled lookup lets go of its request, which libuv
 * ends when it can. */
#include "backends/http/resolve.h"

#include <netdb.h>
#include <string.h>
#include <uv.h>

#include "core/base/mem.h"
#include "core/base/str.h"

enum { HOST_BYTES = 256 }; /* a name has at most 253 */

struct request {
    uv_getaddrinfo_t uv;
    struct resolve *resolve; /* NULL: cancelled */
    char host[HOST_BYTES];
};

static bool is_numeric(const char *host)
{
    unsigned char bytes[16];
    return uv_inet_pton(AF_INET, host, bytes) == 0 || uv_inet_pton(AF_INET6, host, bytes) == 0;
}

static void add_address(struct resolve *resolve, const struct sockaddr *address)
{
    char *place = resolve->addresses[resolve->address_count];
    if (uv_ip_name(address, place, RESOLVE_ADDRESS_BYTES) != 0)
        return;
    for (size_t i = 0; i < resolve->address_count; i++)
        if (strcmp(resolve->addresses[i], place) == 0)
            return;
    resolve->address_count++;
}

static void on_resolved(uv_getaddrinfo_t *uv, int status, struct addrinfo *found)
{
    struct request *request = container_of(uv, struct request, uv);
    struct resolve *resolve = request->resolve;
    if (resolve != NULL) {
        resolve->request = NULL;
        for (struct addrinfo *each = found;
             each != NULL && resolve->address_count < RESOLVE_MAX_ADDRESSES; each = each->ai_next)
            add_address(resolve, each->ai_addr);
        if (resolve->address_count > 0)
            op_finish(&resolve->op, ERR_OK, "%s", "");
        else
            op_finish(&resolve->op, ERR_UNAVAILABLE, "the host name '%s' has no address: %s",
                      request->host, status == 0 ? "none found" : uv_strerror(status));
    }
    uv_freeaddrinfo(found);
    mem_free(request);
}

static void cancel_resolve(struct op *op)
{
    struct resolve *resolve = container_of(op, struct resolve, op);
    struct request *request = resolve->request;
    resolve->request = NULL;
    request->resolve = NULL;
    uv_cancel((uv_req_t *)&request->uv); /* fails when it runs already: then it is waited out */
    op_finish(&resolve->op, ERR_CANCELLED, "the lookup was cancelled");
}

static const struct op_kind resolve_kind = {.name = "resolve", .cancel = cancel_resolve};

static void look_up(struct resolve *resolve, struct loop *loop, const char *host)
{
    static const struct addrinfo hints = {.ai_family = AF_UNSPEC, .ai_socktype = SOCK_STREAM};
    struct request *request = mem_zalloc(1, sizeof *request);
    if (request == NULL) {
        op_finish(&resolve->op, ERR_NO_MEMORY, "no memory to look a host up");
        return;
    }
    request->resolve = resolve;
    memcpy(request->host, host, strlen(host) + 1);
    int status =
        uv_getaddrinfo(loop_uv(loop), &request->uv, on_resolved, request->host, NULL, &hints);
    if (status == 0) {
        resolve->request = request;
        return;
    }
    op_finish(&resolve->op, ERR_UNAVAILABLE, "'%s' is not a host name: %s", host,
              uv_strerror(status));
    mem_free(request);
}

void resolve_start(struct resolve *resolve, struct loop *loop, struct str host,
                   struct op_waiter waiter)
{
    char text[HOST_BYTES] = "";
    op_begin(&resolve->op, &resolve_kind, loop, waiter);
    resolve->address_count = 0;
    resolve->request = NULL;
    if (host.len == 0 || host.len >= sizeof text || memchr(host.at, '\0', host.len) != NULL) {
        op_finish(&resolve->op, ERR_UNAVAILABLE, "'%.*s' is not a host name", STR_ARG(host));
        return;
    }
    memcpy(text, host.at, host.len);
    if (!is_numeric(text)) {
        look_up(resolve, loop, text);
    } else if (host.len < RESOLVE_ADDRESS_BYTES) {
        memcpy(resolve->addresses[0], text, host.len + 1);
        resolve->address_count = 1;
        op_finish(&resolve->op, ERR_OK, "%s", "");
    } else {
        op_finish(&resolve->op, ERR_UNAVAILABLE, "'%.*s' is not a host name", STR_ARG(host));
    }
}
