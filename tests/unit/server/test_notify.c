/* SPDX-License-Identifier: MIT */
/* Messages to the service manager, read from a socket of the test's own; and the watchdog's beat,
 * which stops with any worker. */
#include "server/process/notify.h"
#include "server/process/watchdog.h"

#include <stdio.h>
#include <stdlib.h>
#include <sys/socket.h>
#include <sys/un.h>
#include <unistd.h>

#include "tests/lib/fake_registry.h"
#include "tests/lib/loop_rig.h"

enum { MESSAGE_BYTES = 256, WORKERS = 3 };

/* A manager at a path, or at an abstract name, which *name gets the NOTIFY_SOCKET of. */
static int open_manager(bool is_abstract, char *name, size_t size)
{
    struct sockaddr_un address = {.sun_family = AF_UNIX};
    socklen_t bytes = sizeof address;
    int fd = socket(AF_UNIX, SOCK_DGRAM | SOCK_CLOEXEC | SOCK_NONBLOCK, 0);
    assert_true(fd >= 0);
    if (is_abstract)
        snprintf(name, size, "@askd-test-%ld", (long)getpid());
    else
        snprintf(name, size, "%s/askd-test-%ld.sock", getenv("TMPDIR") ? getenv("TMPDIR") : "/tmp",
                 (long)getpid());
    size_t length = strlen(name);
    assert_true(length < sizeof address.sun_path);
    memcpy(address.sun_path, name, length);
    if (is_abstract) {
        address.sun_path[0] = '\0';
        bytes = (socklen_t)(offsetof(struct sockaddr_un, sun_path) + length);
    }
    assert_int_equal(bind(fd, (const struct sockaddr *)&address, bytes), 0);
    assert_int_equal(setenv("NOTIFY_SOCKET", name, 1), 0);
    return fd;
}

static void close_manager(int fd, const char *name)
{
    close(fd);
    unsetenv("NOTIFY_SOCKET");
    if (name[0] == '/')
        unlink(name);
}

/* The next message, or "" when there is none. */
static struct str heard(int fd, char *room)
{
    ssize_t bytes = recv(fd, room, MESSAGE_BYTES - 1, 0);
    room[bytes > 0 ? bytes : 0] = '\0';
    return str_of(room);
}

TEST(messages)
{
    static const char *const kinds[] = {"path", "abstract"};
    char name[MESSAGE_BYTES], room[MESSAGE_BYTES];
    for (size_t i = 0; i < countof(kinds); i++) {
        int fd = open_manager(i == 1, name, sizeof name);
        notify_send("READY=1");
        EXPECT_STR(kinds[i], heard(fd, room), STR("READY=1"));
        notify_reloading();
        EXPECT_TRUE(kinds[i],
                    str_starts_with(heard(fd, room), STR("RELOADING=1\nMONOTONIC_USEC=")));
        EXPECT_STR(kinds[i], heard(fd, room), STR(""));
        close_manager(fd, name);
    }
}

TEST(nobody_there)
{
    static const char *const names[] = {"", "relative", "/no/such/folder/socket", "@nobody-here"};
    char long_name[2 * MESSAGE_BYTES] = "/";
    unsetenv("NOTIFY_SOCKET");
    notify_send("READY=1");
    for (size_t i = 0; i < countof(names); i++) {
        setenv("NOTIFY_SOCKET", names[i], 1);
        notify_send("READY=1");
    }
    memset(long_name + 1, 'x', sizeof long_name - 2);
    setenv("NOTIFY_SOCKET", long_name, 1);
    notify_send("READY=1");
    unsetenv("NOTIFY_SOCKET");
}

struct shared {
    struct loop_rig rig;
    struct registry *registry;
    struct meters *meters;
    struct metrics *values[WORKERS];
    const struct metrics *workers[WORKERS];
    struct watchdog watchdog;
};

static void crew_init(struct shared *shared, const char *usec)
{
    *shared = (struct shared){0};
    loop_rig_init(&shared->rig);
    struct err err;
    assert_int_equal(registry_create(NULL, &shared->registry, &err), ERR_OK);
    shared->meters = meters_create(&(struct meters_options){.registry = shared->registry});
    assert_non_null(shared->meters);
    for (size_t i = 0; i < WORKERS; i++) {
        shared->values[i] = metrics_create(meters_schema(shared->meters));
        shared->workers[i] = shared->values[i];
        assert_non_null(shared->values[i]);
    }
    setenv("WATCHDOG_USEC", usec, 1);
    assert_int_equal(watchdog_start(&shared->watchdog, shared->rig.loop, shared->meters,
                                    shared->workers, WORKERS),
                     ERR_OK);
    unsetenv("WATCHDOG_USEC");
}

static void crew_fini(struct shared *shared)
{
    watchdog_stop(&shared->watchdog);
    watchdog_stop(&shared->watchdog);
    for (size_t i = 0; i < WORKERS; i++)
        metrics_destroy(shared->values[i]);
    meters_destroy(shared->meters);
    registry_destroy(shared->registry);
    loop_rig_fini(&shared->rig);
}

/* Half a period passes in which all workers but one turned. */
static void pass(struct shared *shared, uint64_t ms, size_t stuck)
{
    for (size_t i = 0; i < WORKERS; i++)
        if (i != stuck)
            meters_observe_ms(shared->meters, shared->values[i], METER_LOOP_LAG_SECONDS, 1);
    loop_advance(shared->rig.loop, ms);
    loop_turn(shared->rig.loop, 2);
}

TEST(beats_while_all_turn)
{
    struct shared shared;
    char name[MESSAGE_BYTES], room[MESSAGE_BYTES];
    int fd = open_manager(true, name, sizeof name);
    crew_init(&shared, "20000000");
    pass(&shared, 10000, WORKERS);
    EXPECT_STR("all turn", heard(fd, room), STR("WATCHDOG=1"));
    EXPECT_STR("once", heard(fd, room), STR(""));
    for (size_t stuck = 0; stuck < WORKERS; stuck++) {
        pass(&shared, 10000, stuck);
        EXPECT_STR("one is stuck", heard(fd, room), STR(""));
    }
    pass(&shared, 10000, WORKERS);
    EXPECT_STR("it turns again", heard(fd, room), STR("WATCHDOG=1"));
    crew_fini(&shared);
    close_manager(fd, name);
}

TEST(not_asked_for)
{
    static const char *const values[] = {"", "0", "-1", "soon", "1999"};
    char name[MESSAGE_BYTES], room[MESSAGE_BYTES];
    int fd = open_manager(true, name, sizeof name);
    for (size_t i = 0; i < countof(values); i++) {
        struct shared shared;
        crew_init(&shared, values[i]);
        pass(&shared, 100000, WORKERS);
        EXPECT_STR(values[i], heard(fd, room), STR(""));
        crew_fini(&shared);
    }
    close_manager(fd, name);
}

/* Too short a period to see whether workers turn. */
TEST(short_periods)
{
    struct shared shared;
    char name[MESSAGE_BYTES], room[MESSAGE_BYTES];
    int fd = open_manager(true, name, sizeof name);
    crew_init(&shared, "2000000");
    pass(&shared, 1000, 0);
    EXPECT_STR("beats", heard(fd, room), STR("WATCHDOG=1"));
    crew_fini(&shared);
    close_manager(fd, name);
}

RUN_TESTS(T(messages), T(nobody_there), T(beats_while_all_turn), T(not_asked_for), T(short_periods))
