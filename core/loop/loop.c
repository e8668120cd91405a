/* SPDX-License-Identifier: MIT */
/* core/loop/loop.c - a turn is one uv_run iteration; the queues are drained from its uv_check.
 *
 * Happy path: a post arms the idle handle, so that polling returns at once; the check fires the
 * timers that are due, runs what is queued, then the hooks, and disarms the idle handle when both
 * queues are empty. In loop_run the check goes several rounds over the ready queue: a poll costs
 * more than most tasks, and what the rounds said leaves in one write. The uv_timer_t only wakes the
 * poll for the heap of timers: firing in libuv's own pass would never end for a timer that
 * starts itself anew without a delay.
 * Failure: libuv without memory or descriptors at creation; nothing later. libuv ends the program
 * when its table of descriptors cannot grow, so the table has its size from the start. */
#include "core/loop/loop.h"

#include <fcntl.h>
#include <poll.h>
#include <sys/eventfd.h>
#include <sys/resource.h>
#include <time.h>
#include <unistd.h>
#include <uv.h>

#include "core/base/mem.h"
#include "core/loop/timer_heap.h"

/* How long (real time) loop_run_dry waits for silent handles before it moves a fake clock; before
 * it gives up on them; and for requests, which are sure to end: as long as a busy machine takes. */
enum { SILENT_MS = 100, GIVE_UP_MS = 5000, REQUEST_MS = 120000 };

/* How far the wall clock may be off, and that what is read of it may be so old. */
enum { NS_PER_MS = 1000000, WALL_SLACK_MS = 2 };

/* Rounds over the ready queue for one poll: a node that does no I/O takes two or three. */
enum { RUN_ROUNDS = 16 };

/* Descriptors that the table of a loop has room for, at 8 bytes each. */
enum { TABLE_FDS = 16384 };

struct loop {
    uv_loop_t uv;
    uv_poll_t highest; /* while the loop is made */
    size_t work_count; /* calls on the thread pool */
    uv_check_t check;
    uv_idle_t idle;
    uv_timer_t timer;
    struct list ready, hooks;
    struct list running; /* what this turn took from ready or hooks */
    struct timer_heap timers;
    struct ahead *ahead;     /* of the piece of a stream that is on its way */
    uint64_t armed_ms;       /* when timer fires; UINT64_MAX: it is stopped */
    uint64_t wall_offset_ms; /* wall clock minus monotonic, seen at the last check */
    uint64_t fake_ms;        /* monotonic under a fake clock */
    void (*each_turn)(void *owner);
    void *each_turn_owner;
    uint64_t turn_ns;                       /* of the turn that ends */
    uint64_t measured_ns, measured_idle_ns; /* when it began, and what had been waited by then */
    unsigned rounds;                        /* over the ready queue in one turn */
    bool faked;
};

static uint64_t read_wall_ms(void)
{
    struct timespec now;
    clock_gettime(CLOCK_REALTIME, &now);
    return (uint64_t)now.tv_sec * 1000 + (uint64_t)now.tv_nsec / 1000000;
}

/* Look at the wall clock. What differs little is kept: rounding, or that we were not run between
 * two looks; so this one does not go back unless that one does. */
static void follow_wall(struct loop *loop)
{
    uint64_t before_ms = uv_hrtime() / NS_PER_MS;
    uint64_t wall_ms = read_wall_ms();
    uint64_t after_ms = uv_hrtime() / NS_PER_MS;
    int64_t off_ms = (int64_t)(wall_ms - after_ms - loop->wall_offset_ms);
    if (after_ms - before_ms <= WALL_SLACK_MS &&
        (off_ms > WALL_SLACK_MS || off_ms < -WALL_SLACK_MS))
        loop->wall_offset_ms = wall_ms - after_ms;
}

static bool has_queued(const struct loop *loop)
{
    return !list_is_empty(&loop->ready) || !list_is_empty(&loop->hooks);
}

static bool has_due_timers(const struct loop *loop)
{
    return timer_heap_due(&loop->timers) <= loop_now_ms(loop);
}

static void on_idle(uv_idle_t *idle)
{
    (void)idle; /* being active is all it does: polling does not wait */
}

static void arm_idle(struct loop *loop)
{
    if (!uv_is_active((uv_handle_t *)&loop->idle))
        uv_idle_start(&loop->idle, on_idle);
}

static void run_queue(struct loop *loop, struct list *queue)
{
    struct list *link;
    list_append(&loop->running, queue);
    while ((link = list_take_first(&loop->running)) != NULL) {
        struct loop_task *task = list_item(link, struct loop_task, link);
        task->fn(task);
    }
}

static void fire_timers(struct loop *loop)
{
    if (loop->armed_ms <= loop_now_ms(loop))
        loop->armed_ms = UINT64_MAX;
    timer_heap_fire(&loop->timers, loop_now_ms(loop));
    loop_arm_timers(loop, timer_heap_due(&loop->timers));
}

static void run_ready(struct loop *loop)
{
    for (unsigned round = 0; round < loop->rounds && !list_is_empty(&loop->ready); round++)
        run_queue(loop, &loop->ready);
}

static void measure_turn(struct loop *loop)
{
    const uint64_t now_ns = uv_hrtime(), idle_ns = uv_metrics_idle_time(&loop->uv);
    const uint64_t passed_ns = now_ns - loop->measured_ns;
    const uint64_t waited_ns = idle_ns - loop->measured_idle_ns;
    loop->turn_ns = waited_ns > passed_ns ? 0 : passed_ns - waited_ns;
    loop->measured_ns = now_ns;
    loop->measured_idle_ns = idle_ns;
}

static void on_check(uv_check_t *check)
{
    struct loop *loop = check->data;
    if (!loop->faked)
        follow_wall(loop);
    if (has_due_timers(loop))
        fire_timers(loop);
    run_ready(loop);
    run_queue(loop, &loop->hooks);
    if (loop->each_turn != NULL) {
        measure_turn(loop);
        loop->each_turn(loop->each_turn_owner);
    }
    if (!has_queued(loop) && !has_due_timers(loop))
        uv_idle_stop(&loop->idle);
}

static void on_timer(uv_timer_t *timer)
{
    struct loop *loop = timer->data;
    loop->armed_ms = UINT64_MAX;
    loop_arm_timers(loop, timer_heap_due(&loop->timers)); /* due: the check of this turn fires */
}

static void ignore_poll(uv_poll_t *poll UNUSED, int status UNUSED, int events UNUSED)
{
}

/* Watch the highest descriptor that there may be, and let go of it. */
static void make_table(struct loop *loop)
{
    struct rlimit files;
    int one = eventfd(0, EFD_CLOEXEC);
    if (one < 0)
        return;
    int most = getrlimit(RLIMIT_NOFILE, &files) == 0 && files.rlim_cur < TABLE_FDS
                   ? (int)files.rlim_cur
                   : TABLE_FDS;
    int highest = fcntl(one, F_DUPFD_CLOEXEC, most - 1);
    close(one);
    if (highest < 0)
        return;
    if (uv_poll_init(&loop->uv, &loop->highest, highest) == 0) {
        CHECK(uv_poll_start(&loop->highest, UV_READABLE, ignore_poll) == 0);
        uv_close((uv_handle_t *)&loop->highest, NULL);
        uv_run(&loop->uv, UV_RUN_NOWAIT);
    }
    close(highest);
}

struct loop *loop_create(void)
{
    struct loop *loop = mem_zalloc(1, sizeof *loop);
    if (loop == NULL)
        return NULL;
    if (uv_loop_init(&loop->uv) != 0) {
        mem_free(loop);
        return NULL;
    }
    make_table(loop);
    CHECK(uv_loop_configure(&loop->uv, UV_METRICS_IDLE_TIME) == 0);
    list_init(&loop->ready);
    list_init(&loop->hooks);
    list_init(&loop->running);
    loop->armed_ms = UINT64_MAX;
    loop->rounds = 1;
    loop->wall_offset_ms = read_wall_ms() - uv_hrtime() / NS_PER_MS;
    uv_check_init(&loop->uv, &loop->check);
    uv_idle_init(&loop->uv, &loop->idle);
    uv_timer_init(&loop->uv, &loop->timer);
    loop->check.data = loop->timer.data = loop;
    uv_check_start(&loop->check, on_check);
    uv_unref((uv_handle_t *)&loop->check);
    return loop;
}

void loop_destroy(struct loop *loop)
{
    if (loop == NULL)
        return;
    CHECK(!has_queued(loop) && list_is_empty(&loop->running));
    CHECK(timer_heap_due(&loop->timers) == UINT64_MAX);
    uv_close((uv_handle_t *)&loop->check, NULL);
    uv_close((uv_handle_t *)&loop->idle, NULL);
    uv_close((uv_handle_t *)&loop->timer, NULL);
    uv_run(&loop->uv, UV_RUN_NOWAIT);
    CHECK(uv_loop_close(&loop->uv) == 0);
    mem_free(loop);
}

uint64_t loop_idle_ns(struct loop *loop)
{
    return uv_metrics_idle_time(&loop->uv);
}

void loop_count_work(struct loop *loop, int change)
{
    loop->work_count += (size_t)change;
}

size_t loop_work_count(const struct loop *loop)
{
    return loop->work_count;
}

struct uv_loop_s *loop_uv(struct loop *loop)
{
    return &loop->uv;
}

uint64_t loop_now_ms(const struct loop *loop)
{
    return loop->faked ? loop->fake_ms : uv_now(&loop->uv);
}

uint64_t loop_wall_ms(const struct loop *loop)
{
    return loop->wall_offset_ms + loop_now_ms(loop);
}

uint64_t loop_precise_ns(void)
{
    return uv_hrtime();
}

static void queue_task(struct loop *loop, struct list *queue, struct loop_task *task, loop_fn *fn)
{
    if (list_is_linked(&task->link))
        return;
    task->fn = fn;
    list_push(queue, &task->link);
    arm_idle(loop);
}

void loop_post(struct loop *loop, struct loop_task *task, loop_fn *fn)
{
    queue_task(loop, &loop->ready, task, fn);
}

void loop_at_turn_end(struct loop *loop, struct loop_task *task, loop_fn *fn)
{
    queue_task(loop, &loop->hooks, task, fn);
}

void loop_each_turn(struct loop *loop, void (*fn)(void *owner), void *owner)
{
    loop->each_turn = fn;
    loop->each_turn_owner = owner;
    loop->measured_ns = uv_hrtime();
    loop->measured_idle_ns = uv_metrics_idle_time(&loop->uv);
}

uint64_t loop_turn_ns(const struct loop *loop)
{
    return loop->turn_ns;
}

void loop_unpost(struct loop_task *task)
{
    list_remove(&task->link);
}

void loop_run(struct loop *loop)
{
    loop->rounds = RUN_ROUNDS;
    uv_run(&loop->uv, UV_RUN_DEFAULT);
    loop->rounds = 1;
}

void loop_stop(struct loop *loop)
{
    loop->rounds = 1;
    uv_stop(&loop->uv);
}

void loop_turn(struct loop *loop, unsigned count)
{
    while (count-- > 0)
        uv_run(&loop->uv, UV_RUN_NOWAIT);
}

/* Wait until I/O is ready, or silent_ms; longer for requests, which are sure to end. False: the
 * handles stay silent. */
static bool wait_for_io(struct loop *loop, int silent_ms)
{
    struct pollfd ready = {.fd = uv_backend_fd(&loop->uv), .events = POLLIN};
    if (uv_backend_timeout(&loop->uv) == 0) /* a handle that closes, for one */
        return true;
    return poll(&ready, 1, loop->uv.active_reqs.count > 0 ? REQUEST_MS : silent_ms) > 0;
}

/* One turn under a fake clock, which moves only when nothing else happens. False: nothing is left
 * that could happen; *open says whether handles are left all the same. */
static bool turn_or_jump(struct loop *loop, bool *open)
{
    *open = uv_run(&loop->uv, UV_RUN_NOWAIT) != 0; /* also registers new handles */
    uint64_t due = timer_heap_due(&loop->timers);
    if (has_queued(loop) || has_due_timers(loop))
        return true;
    if (*open && wait_for_io(loop, due == UINT64_MAX ? GIVE_UP_MS : SILENT_MS))
        return true;
    if (due != UINT64_MAX)
        loop_advance(loop, due - loop->fake_ms);
    return due != UINT64_MAX;
}

bool loop_run_dry(struct loop *loop, unsigned max_turns)
{
    bool open = false;
    for (unsigned turn = 0; turn < max_turns; turn++) {
        if (has_queued(loop))
            uv_run(&loop->uv, UV_RUN_NOWAIT);
        else if (loop->faked && !turn_or_jump(loop, &open))
            return !open;
        else if (!loop->faked && uv_run(&loop->uv, UV_RUN_ONCE) == 0)
            return true;
    }
    return false;
}

void loop_fake_clock(struct loop *loop, uint64_t wall_ms)
{
    loop->fake_ms = uv_now(&loop->uv);
    loop->wall_offset_ms = wall_ms - loop->fake_ms;
    loop->faked = true;
    uv_timer_stop(&loop->timer);
}

void loop_advance(struct loop *loop, uint64_t ms)
{
    CHECK(loop->faked);
    loop->fake_ms += ms;
    if (has_due_timers(loop))
        arm_idle(loop);
}

struct ahead **loop_ahead(struct loop *loop)
{
    return &loop->ahead;
}

struct timer_heap *loop_timers(struct loop *loop)
{
    return &loop->timers;
}

void loop_arm_timers(struct loop *loop, uint64_t due_ms)
{
    if (due_ms <= loop_now_ms(loop)) {
        arm_idle(loop);
    } else if (loop->faked) {
        return;
    } else if (due_ms == UINT64_MAX) {
        loop->armed_ms = UINT64_MAX;
        uv_timer_stop(&loop->timer);
    } else if (due_ms < loop->armed_ms) {
        uint64_t now = uv_now(&loop->uv);
        loop->armed_ms = due_ms;
        uv_timer_start(&loop->timer, on_timer, due_ms - now, 0);
    }
}
