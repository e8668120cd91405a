/* SPDX-License-Identifier: MIT */
/* backends/http/http_client_lanes.c - libcurl's multi handles on the loop.
 *
 * Happy path: libcurl opens a socket through open_socket, asks through watch_socket for events and
 * through set_timer for a wake-up; both lead to curl_multi_socket_action, after which ended
 * transfers are reported.
 * Failure paths: an error on a watched socket is passed on as "readable, writable, failed", so that
 * libcurl reads the reason from the socket; no memory for a socket is CURL_SOCKET_BAD, a failed
 * connection for libcurl.
 * A multi handle has two descriptors of its own, so a lane gets one with its first transfer.
 * libcurl looks at its kept connections only when it needs one, so a lane without transfers would
 * keep them for ever, those too that the peer has closed: its multi handle goes after kept_ms, and
 * they with it.
 * Changing what libuv watches costs two system calls, so a socket that libcurl lets go of (between
 * two calls on a kept connection) stays watched, unreferenced, until it wakes us for nothing. */
#include "backends/http/http_client_lanes.h"

#include <curl/curl.h>
#include <errno.h>
#include <netinet/in.h>
#include <netinet/tcp.h>
#include <sys/socket.h>
#include <unistd.h>
#include <uv.h>

#include "backends/http/public_address.h"
#include "core/base/mem.h"
#include "core/loop/closing.h"
#include "core/loop/timer.h"

enum { LANE_FILL = 16 };        /* transfers of a lane before the next one is begun */
enum { KEPT_CONNECTIONS = 64 }; /* idle ones a lane keeps */

struct lane {
    struct http_client_lanes *lanes;
    CURLM *multi;            /* NULL: no transfer came since it was dropped, or ever */
    struct timer timer;      /* libcurl's */
    struct timer kept_timer; /* runs while there is no transfer, and connections may be left */
    size_t active;
};

struct watch { /* one socket; lives until libuv's close callback */
    uv_poll_t poll;
    struct http_client_lanes *lanes;
    struct lane *lane; /* whose multi handle asked last */
    int fd;
    int wanted, armed; /* UV_READABLE, UV_WRITABLE */
    bool is_foreign;   /* libcurl's own: the resolver's wake-up */
    bool has_fired;    /* there was an event: it is connected, or has failed to */
    bool closing;
};

struct http_client_lanes {
    struct loop *loop;
    http_client_ended_fn *on_ended;
    CURLSH *share; /* names and TLS sessions; one thread, so without locks */
    struct lane *lanes;
    unsigned count;
    uint64_t kept_ms;
    struct watch **by_fd;
    size_t fd_count;
    struct closing closing; /* out: watches */
};

/* ---- what libcurl did ---- */

static void report_ended(struct lane *lane)
{
    int left;
    for (CURLMsg *msg; (msg = curl_multi_info_read(lane->multi, &left)) != NULL;)
        if (msg->msg == CURLMSG_DONE)
            lane->lanes->on_ended(msg->easy_handle, (int)msg->data.result);
}

static void act(struct lane *lane, curl_socket_t fd, int events)
{
    int running;
    curl_multi_socket_action(lane->multi, fd, events, &running);
    report_ended(lane);
}

static void on_timer(struct timer *timer)
{
    act(container_of(timer, struct lane, timer), CURL_SOCKET_TIMEOUT, 0);
}

static int set_timer(CURLM *multi, long timeout_ms, void *owner)
{
    struct lane *lane = owner;
    (void)multi;
    if (timeout_ms < 0)
        timer_stop(&lane->timer);
    else if (!closing_is_begun(&lane->lanes->closing))
        timer_start(&lane->timer, lane->lanes->loop, (uint64_t)timeout_ms, on_timer);
    return 0;
}

/* ---- sockets ---- */

static void on_poll(uv_poll_t *poll, int status, int events);

static void arm(struct watch *watch)
{
    if (watch->armed != watch->wanted && uv_poll_start(&watch->poll, watch->wanted, on_poll) == 0)
        watch->armed = watch->wanted;
}

static void disarm(struct watch *watch)
{
    uv_poll_stop(&watch->poll);
    watch->armed = 0;
}

static void on_poll(uv_poll_t *poll, int status, int events)
{
    struct watch *watch = poll->data;
    int flags = 0;
    watch->has_fired = true;
    if (watch->wanted == 0) { /* nobody asked: the peer closed a kept connection */
        disarm(watch);
        return;
    }
    if (status < 0) {
        watch->armed = 0; /* libuv has stopped it */
        flags = CURL_CSELECT_IN | CURL_CSELECT_OUT | CURL_CSELECT_ERR;
    } else {
        flags |= events & UV_READABLE ? CURL_CSELECT_IN : 0;
        flags |= events & UV_WRITABLE ? CURL_CSELECT_OUT : 0;
    }
    act(watch->lane, watch->fd, flags);
    if (!watch->closing && watch->wanted != 0)
        arm(watch);
}

static bool make_room(struct http_client_lanes *lanes, size_t fd)
{
    if (fd < lanes->fd_count)
        return true;
    size_t count = size_max(fd + 1, lanes->fd_count * 2);
    struct watch **by_fd = mem_resize(lanes->by_fd, count * sizeof(struct watch *));
    if (by_fd == NULL)
        return false;
    for (size_t i = lanes->fd_count; i < count; i++)
        by_fd[i] = NULL;
    lanes->by_fd = by_fd;
    lanes->fd_count = count;
    return true;
}

/* Make fd known. NULL: no memory; fd is untouched. */
static struct watch *open_watch(struct http_client_lanes *lanes, int fd)
{
    struct watch *watch = mem_zalloc(1, sizeof *watch);
    if (watch == NULL || !make_room(lanes, (size_t)fd) ||
        uv_poll_init(loop_uv(lanes->loop), &watch->poll, fd) != 0) {
        mem_free(watch);
        return NULL;
    }
    watch->poll.data = watch;
    watch->lanes = lanes;
    watch->fd = fd;
    lanes->by_fd[fd] = watch;
    closing_enter(&lanes->closing);
    return watch;
}

static void on_watch_closed(uv_handle_t *handle);

/* Forget the descriptor, which may be closed right after. */
static void close_watch(struct watch *watch)
{
    watch->lanes->by_fd[watch->fd] = NULL;
    watch->closing = true;
    watch->wanted = watch->armed = 0;
    uv_close((uv_handle_t *)&watch->poll, on_watch_closed); /* stops watching at once */
}

static int watch_socket(CURL *easy, curl_socket_t fd, int what, void *owner, void *socket_owner)
{
    struct lane *lane = owner;
    struct http_client_lanes *lanes = lane->lanes;
    struct watch *watch = (size_t)fd < lanes->fd_count ? lanes->by_fd[fd] : NULL;
    bool is_removal = what == CURL_POLL_REMOVE;
    (void)easy;
    (void)socket_owner;
    if (watch == NULL && !is_removal &&
        !closing_is_begun(&lanes->closing)) { /* the resolver's, not opened by us */
        watch = open_watch(lanes, fd);
        if (watch != NULL)
            watch->is_foreign = true;
    }
    if (watch == NULL)
        return 0; /* also no memory: libcurl looks again by its timers */
    watch->lane = lane;
    watch->wanted = (!is_removal && (what & CURL_POLL_IN) ? UV_READABLE : 0) |
                    (!is_removal && (what & CURL_POLL_OUT) ? UV_WRITABLE : 0);
    if (is_removal && (watch->is_foreign || !watch->has_fired)) {
        close_watch(watch); /* libcurl closes the descriptor next; one of a connection that was
                               never made it closes without telling close_socket */
    } else if (watch->wanted == 0) {
        uv_unref((uv_handle_t *)&watch->poll);
    } else if (!closing_is_begun(&lanes->closing)) {
        uv_ref((uv_handle_t *)&watch->poll);
        arm(watch);
    }
    return 0;
}

static curl_socket_t open_socket(void *owner, curlsocktype purpose, struct curl_sockaddr *address)
{
    struct http_client_lanes_sockets *sockets = owner;
    (void)purpose;
    if (closing_is_begun(&sockets->lanes->closing))
        return CURL_SOCKET_BAD;
    if (sockets->only_public && !public_address_is(&address->addr)) { /* no packet goes there */
        sockets->was_denied = true;
        return CURL_SOCKET_BAD;
    }
    int fd = socket(address->family, address->socktype | SOCK_CLOEXEC | SOCK_NONBLOCK,
                    address->protocol);
    sockets->was_refused |= fd < 0 && (errno == EMFILE || errno == ENFILE);
    if (fd < 0 || open_watch(sockets->lanes, fd) != NULL)
        return fd < 0 ? CURL_SOCKET_BAD : fd;
    close(fd);
    return CURL_SOCKET_BAD;
}

static int close_socket(void *owner, curl_socket_t fd)
{
    struct http_client_lanes *lanes = owner;
    if ((size_t)fd < lanes->fd_count && lanes->by_fd[fd] != NULL)
        close_watch(lanes->by_fd[fd]);
    return close(fd);
}

/* ---- the end ---- */

static void free_lanes(struct http_client_lanes *lanes)
{
    for (unsigned i = 0; i < lanes->count; i++) {
        if (lanes->lanes[i].multi != NULL)
            curl_multi_cleanup(lanes->lanes[i].multi);
        timer_stop(&lanes->lanes[i].timer);
        timer_stop(&lanes->lanes[i].kept_timer);
    }
    if (lanes->share != NULL)
        curl_share_cleanup(lanes->share);
    lanes->share = NULL;
    lanes->count = 0;
    mem_free(lanes->lanes);
    lanes->lanes = NULL;
}

static void free_closed(struct closing *closing)
{
    struct http_client_lanes *lanes = container_of(closing, struct http_client_lanes, closing);
    mem_free(lanes->by_fd);
    mem_free(lanes);
    curl_global_cleanup();
}

static void on_watch_closed(uv_handle_t *handle)
{
    struct watch *watch = handle->data;
    struct http_client_lanes *lanes = watch->lanes;
    mem_free(watch);
    closing_leave(&lanes->closing);
}

void http_client_lanes_close(struct http_client_lanes *lanes, void (*on_closed)(void *owner),
                             void *owner)
{
    closing_begin(&lanes->closing, on_closed, owner);
    free_lanes(lanes);
}

/* ---- the beginning ---- */

/* A multi handle that reports to lane. NULL: no memory. */
static CURLM *make_multi(struct lane *lane)
{
    CURLM *multi = curl_multi_init();
    bool is_fine =
        multi != NULL &&
        curl_multi_setopt(multi, CURLMOPT_SOCKETFUNCTION, watch_socket) == CURLM_OK &&
        curl_multi_setopt(multi, CURLMOPT_SOCKETDATA, lane) == CURLM_OK &&
        curl_multi_setopt(multi, CURLMOPT_TIMERFUNCTION, set_timer) == CURLM_OK &&
        curl_multi_setopt(multi, CURLMOPT_TIMERDATA, lane) == CURLM_OK &&
        curl_multi_setopt(multi, CURLMOPT_MAXCONNECTS, (long)KEPT_CONNECTIONS) == CURLM_OK;
    if (is_fine || multi == NULL)
        return multi;
    curl_multi_cleanup(multi);
    return NULL;
}

struct http_client_lanes *http_client_lanes_create(struct loop *loop, unsigned count,
                                                   uint64_t kept_ms, http_client_ended_fn *on_ended)
{
    static closing_fn *const steps[] = {free_closed, NULL};
    struct http_client_lanes *lanes = mem_zalloc(1, sizeof *lanes);
    if (lanes == NULL)
        return NULL;
    if (curl_global_init(CURL_GLOBAL_DEFAULT) != CURLE_OK) { /* counted and thread-safe */
        mem_free(lanes);
        return NULL;
    }
    lanes->loop = loop;
    lanes->on_ended = on_ended;
    lanes->kept_ms = kept_ms;
    closing_init(&lanes->closing, loop, steps);
    lanes->lanes = mem_zalloc(count, sizeof *lanes->lanes);
    lanes->share = curl_share_init();
    bool is_open =
        lanes->lanes != NULL && lanes->share != NULL &&
        curl_share_setopt(lanes->share, CURLSHOPT_SHARE, CURL_LOCK_DATA_DNS) == CURLSHE_OK &&
        curl_share_setopt(lanes->share, CURLSHOPT_SHARE, CURL_LOCK_DATA_SSL_SESSION) == CURLSHE_OK;
    lanes->count = lanes->lanes == NULL ? 0 : count;
    for (unsigned i = 0; i < lanes->count; i++)
        lanes->lanes[i].lanes = lanes;
    if (is_open)
        return lanes;
    free_lanes(lanes);
    mem_free(lanes);
    curl_global_cleanup();
    return NULL;
}

bool http_client_lanes_adopt_sockets(struct http_client_lanes *lanes, void *easy,
                                     struct http_client_lanes_sockets *sockets)
{
    return curl_easy_setopt(easy, CURLOPT_OPENSOCKETFUNCTION, open_socket) == CURLE_OK &&
           curl_easy_setopt(easy, CURLOPT_OPENSOCKETDATA, sockets) == CURLE_OK &&
           curl_easy_setopt(easy, CURLOPT_CLOSESOCKETFUNCTION, close_socket) == CURLE_OK &&
           curl_easy_setopt(easy, CURLOPT_CLOSESOCKETDATA, lanes) == CURLE_OK &&
           curl_easy_setopt(easy, CURLOPT_SHARE, lanes->share) == CURLE_OK;
}

/* ---- transfers ---- */

/* The first lane that is not full, else the one with the fewest transfers. */
static unsigned pick_lane(const struct http_client_lanes *lanes)
{
    unsigned best = 0;
    for (unsigned i = 0; i < lanes->count; i++) {
        if (lanes->lanes[i].active < LANE_FILL)
            return i;
        if (lanes->lanes[i].active < lanes->lanes[best].active)
            best = i;
    }
    return best;
}

enum err_code http_client_lanes_add(struct http_client_lanes *lanes, void *easy, unsigned *lane)
{
    struct lane *chosen = &lanes->lanes[pick_lane(lanes)];
    if (chosen->multi == NULL)
        chosen->multi = make_multi(chosen);
    if (chosen->multi == NULL || curl_multi_add_handle(chosen->multi, easy) != CURLM_OK)
        return ERR_NO_MEMORY;
    chosen->active++;
    timer_stop(&chosen->kept_timer);
    *lane = (unsigned)(chosen - lanes->lanes);
    act(chosen, CURL_SOCKET_TIMEOUT, 0); /* now, not after the timer it asked for */
    return ERR_OK;
}

static void drop_kept(struct timer *timer)
{
    struct lane *lane = container_of(timer, struct lane, kept_timer);
    CURLM *old = lane->multi;
    lane->multi = NULL;
    curl_multi_cleanup(old);
    timer_stop(&lane->timer); /* the old handle's */
}

void http_client_lanes_remove(struct http_client_lanes *lanes, void *easy, unsigned lane)
{
    curl_multi_remove_handle(lanes->lanes[lane].multi, easy);
    if (--lanes->lanes[lane].active == 0 && !closing_is_begun(&lanes->closing))
        timer_start(&lanes->lanes[lane].kept_timer, lanes->loop, lanes->kept_ms, drop_kept);
}

/* 27 (no memory) comes from absurd header lines of the peer, not from us. */
enum err_code http_client_lanes_error(int curl_code, bool is_connected)
{
    switch ((CURLcode)curl_code) {
    case CURLE_OK:
        return ERR_OK;
    case CURLE_URL_MALFORMAT:
        return ERR_INVALID;
    case CURLE_UNSUPPORTED_PROTOCOL: /* also what HTTP/0.9 gives */
        return is_connected ? ERR_PROTOCOL : ERR_INVALID;
    case CURLE_WEIRD_SERVER_REPLY:
    case CURLE_PARTIAL_FILE:
    case CURLE_OUT_OF_MEMORY:
    case CURLE_BAD_CONTENT_ENCODING:
        return ERR_PROTOCOL;
    case CURLE_OPERATION_TIMEDOUT:
        return ERR_TIMEOUT;
    default:
        return ERR_UNAVAILABLE;
    }
}
