/* SPDX-License-Identifier: MIT */
/* core/base/id.c - getrandom and hex digits. The kernel's pool is ready long before a server
 * runs, so a failing getrandom is a broken machine: CHECK. */
#include "core/base/id.h"

#include <sys/random.h>
#include <time.h>

static const char hex_digits[] = "0123456789abcdef";

enum { TIME_BYTES = 5, STEPS_A_SECOND = 250, STEP_NS = 4000000 };

static void put_hex(char *to, const unsigned char *bytes, size_t count)
{
    for (size_t i = 0; i < count; i++) {
        *to++ = hex_digits[bytes[i] >> 4];
        *to++ = hex_digits[bytes[i] & 15];
    }
}

static void fill_random(unsigned char *bytes, size_t count)
{
    CHECK(getrandom(bytes, count, 0) == (ssize_t)count); /* <= 256 bytes never come short */
}

struct id id_random(void)
{
    struct id id = {0};
    unsigned char bytes[ID_HEX_BYTES / 2];
    fill_random(bytes, sizeof bytes);
    put_hex(id.text, bytes, sizeof bytes);
    return id;
}

/* Steps of four milliseconds since 1970, the first byte the largest: they last until 2109. */
static void put_time(unsigned char bytes[TIME_BYTES])
{
    struct timespec now;
    clock_gettime(CLOCK_REALTIME_COARSE, &now);
    uint64_t steps = (uint64_t)now.tv_sec * STEPS_A_SECOND + (uint64_t)now.tv_nsec / STEP_NS;
    for (size_t i = TIME_BYTES; i-- > 0; steps >>= 8)
        bytes[i] = (unsigned char)steps;
}

struct id id_run(unsigned worker)
{
    CHECK(worker < 256);
    struct id id = {"run_"};
    unsigned char bytes[1 + TIME_BYTES + 11] = {(unsigned char)worker};
    put_time(bytes + 1);
    fill_random(bytes + 1 + TIME_BYTES, sizeof bytes - 1 - TIME_BYTES);
    put_hex(id.text + 4, bytes, sizeof bytes);
    return id;
}

static int hex_value(char c)
{
    if (str_is_digit(c))
        return c - '0';
    return c >= 'a' && c <= 'f' ? c - 'a' + 10 : -1;
}

bool id_run_worker(struct str text, unsigned *worker)
{
    if ((text.len != ID_RUN_BYTES && text.len != ID_RUN_BEFORE_BYTES) ||
        !str_starts_with(text, STR("run_")))
        return false;
    for (size_t i = 4; i < text.len; i++)
        if (hex_value(text.at[i]) < 0)
            return false;
    *worker = (unsigned)(hex_value(text.at[4]) * 16 + hex_value(text.at[5]));
    return true;
}

uint64_t id_random_u64(void)
{
    uint64_t value;
    unsigned char bytes[sizeof value];
    fill_random(bytes, sizeof bytes);
    __builtin_memcpy(&value, bytes, sizeof value);
    return value;
}
