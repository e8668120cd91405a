/* SPDX-License-Identifier: MIT */
/* Closed with nothing out, with operations out, from inside a done, in steps, twice: what was out
 * has ended first, and nobody is told from inside. */
#include "tests/lib/loop_rig.h"

#include <sys/wait.h>
#include <unistd.h>

#include "core/base/mem.h"
#include "core/loop/closing.h"
#include "core/loop/timer.h"

enum { MOST_CALLS = 3 };

/* A backend of calls that end when they are given up or after ANSWER_MS, with two parts. */
enum { ANSWER_MS = 5, PART_MS = 3 };

struct backend {
    struct closing closing;
    struct scene *scene;
    struct timer part_timer;
};

struct call {
    struct op op;
    struct backend *backend;
    struct timer timer;
    bool leaves_first; /* tells the backend before its own end is queued */
};

struct scene {
    struct loop_rig rig;
    struct backend *backend; /* NULL: freed */
    struct call calls[MOST_CALLS];
    char told[64]; /* a letter for each thing that happened */
    size_t told_len;
    bool closes_in_done, has_parts;
    unsigned ended, cancelled;
};

static void tell(struct scene *scene, char what)
{
    assert_true(scene->told_len + 1 < sizeof scene->told);
    scene->told[scene->told_len++] = what;
}

static void finish_call(struct call *call, enum err_code code)
{
    timer_stop(&call->timer);
    if (call->leaves_first)
        closing_leave(&call->backend->closing);
    op_finish(&call->op, code, "%s", code == ERR_OK ? "" : "given up");
    if (!call->leaves_first)
        closing_leave(&call->backend->closing);
}

static void cancel_call(struct op *op)
{
    if (!op_is_finishing(op))
        finish_call(container_of(op, struct call, op), ERR_CANCELLED);
}

static void on_due(struct timer *timer)
{
    finish_call(container_of(timer, struct call, timer), ERR_OK);
}

static void on_closed(void *owner)
{
    struct scene *scene = owner;
    EXPECT_TRUE("freed before it is told", scene->backend == NULL);
    tell(scene, 'C');
}

static void close_backend(struct scene *scene)
{
    closing_begin(&scene->backend->closing, on_closed, scene);
    for (size_t i = 0; i < MOST_CALLS; i++)
        if (op_is_pending(&scene->calls[i].op))
            op_cancel(&scene->calls[i].op);
    tell(scene, 'b');
}

static void on_done(struct op *op)
{
    struct scene *scene = op_owner(op);
    tell(scene, 'd');
    scene->ended++;
    scene->cancelled += op->err.code == ERR_CANCELLED;
    if (scene->closes_in_done && !closing_is_begun(&scene->backend->closing))
        close_backend(scene);
}

static void on_part_gone(struct timer *timer)
{
    closing_leave_part(&container_of(timer, struct backend, part_timer)->closing);
}

static void close_slow_part(struct closing *closing)
{
    struct backend *backend = container_of(closing, struct backend, closing);
    tell(backend->scene, '1');
    if (!backend->scene->has_parts)
        return;
    closing_enter(closing);
    timer_start(&backend->part_timer, backend->scene->rig.loop, PART_MS, on_part_gone);
}

static void close_quick_part(struct closing *closing)
{
    struct backend *backend = container_of(closing, struct backend, closing);
    tell(backend->scene, '2');
    if (!backend->scene->has_parts)
        return;
    closing_enter(closing);
    closing_leave(closing);
}

static void free_backend(struct closing *closing)
{
    struct backend *backend = container_of(closing, struct backend, closing);
    tell(backend->scene, 'f');
    backend->scene->backend = NULL;
    mem_free(backend);
}

static void begin(struct scene *scene, unsigned calls)
{
    static closing_fn *const steps[] = {close_slow_part, close_quick_part, free_backend, NULL};
    static const struct op_kind kind = {.name = "test.call", .cancel = cancel_call};
    loop_rig_init(&scene->rig);
    scene->backend = mem_zalloc(1, sizeof *scene->backend);
    assert_non_null(scene->backend);
    scene->backend->scene = scene;
    closing_init(&scene->backend->closing, scene->rig.loop, steps);
    for (size_t i = 0; i < calls; i++) {
        struct call *call = &scene->calls[i];
        call->backend = scene->backend;
        call->leaves_first = i % 2 == 0;
        op_begin(&call->op, &kind, scene->rig.loop,
                 (struct op_waiter){.done = on_done, .owner = scene});
        closing_enter(&scene->backend->closing);
        timer_start(&call->timer, scene->rig.loop, ANSWER_MS + i, on_due);
    }
}

static const struct {
    const char *name;
    unsigned calls;
    bool in_done, parts;
    const char *told;
    unsigned cancelled;
} cases[] = {
    {"nothing is out", 0, false, false, "b12fC", 0},
    {"one call", 1, false, false, "bd12fC", 1},
    {"three calls", 3, false, false, "bddd12fC", 3},
    {"parts that close by themselves", 0, false, true, "b12fC", 0},
    {"calls, then parts", 2, false, true, "bdd12fC", 2},
    {"from inside the done of the only call", 1, true, false, "db12fC", 0},
    {"from inside a done, others are out", 3, true, true, "dbdd12fC", 2},
};

TEST(what_is_out_ends_first_and_then_it_is_told)
{
    TEST_EACH(c, cases) {
        struct scene scene = {.closes_in_done = c->in_done, .has_parts = c->parts};
        begin(&scene, c->calls);
        if (!c->in_done) {
            close_backend(&scene);
            EXPECT_STR(c->name, str_make(scene.told, scene.told_len), STR("b"));
        }
        loop_rig_dry(&scene.rig);
        EXPECT_STR(c->name, str_make(scene.told, scene.told_len), str_of(c->told));
        EXPECT_INT(c->name, scene.ended, c->calls);
        EXPECT_INT(c->name, scene.cancelled, c->cancelled);
        loop_rig_fini(&scene.rig);
    }
}

TEST(closed_after_any_number_of_turns)
{
    bool over = false;
    for (unsigned turns = 0; !over; turns++) {
        struct scene scene = {.has_parts = true};
        begin(&scene, MOST_CALLS);
        for (unsigned i = 0; i < turns; i++)
            (void)!loop_run_dry(scene.rig.loop, 1);
        over = scene.ended == MOST_CALLS;
        close_backend(&scene);
        loop_rig_dry(&scene.rig);
        EXPECT_INT("ended", scene.ended, MOST_CALLS);
        EXPECT_TRUE("told last, once",
                    memchr(scene.told, 'C', scene.told_len) == scene.told + scene.told_len - 1);
        loop_rig_fini(&scene.rig);
        assert_true(turns < LOOP_RIG_TURNS);
    }
}

TEST(nobody_has_to_be_told)
{
    struct scene scene = {0};
    begin(&scene, 0);
    closing_begin(&scene.backend->closing, NULL, NULL);
    loop_rig_dry(&scene.rig);
    EXPECT_TRUE("freed", scene.backend == NULL);
    loop_rig_fini(&scene.rig);
}

static void close_twice(struct scene *scene)
{
    close_backend(scene);
    close_backend(scene);
}

static void leave_too_often(struct scene *scene)
{
    closing_leave(&scene->backend->closing);
}

TEST(misuse_aborts)
{
    static void (*const misuses[])(struct scene * scene) = {close_twice, leave_too_often};
    for (size_t i = 0; i < countof(misuses); i++) {
        int status = 0;
        pid_t child = fork();
        if (child == 0) {
            struct scene scene = {0};
            close(STDERR_FILENO);
            begin(&scene, 0);
            misuses[i](&scene);
            _exit(0);
        }
        assert_int_equal(waitpid(child, &status, 0), child);
        EXPECT_TRUE("aborted", WIFSIGNALED(status) || WEXITSTATUS(status) != 0);
    }
}

RUN_TESTS(T(what_is_out_ends_first_and_then_it_is_told), T(closed_after_any_number_of_turns),
          T(nobody_has_to_be_told), T(misuse_aborts))
