/* SPDX-License-Identifier: MIT */
/* core/base/id.c - getrandom and hex digits. The kernel's pool is ready long before a server
 * runs, so a failing getrandom is a broken machine: CHECK. */
#include "core/base/id.h"

#include <sys/random.h>

static const char hex_digits[] = "0123456789abcdef";

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

struct id id_run(unsigned worker)
{
    CHECK(worker < 256);
    struct id id = {"run_"};
    unsigned char bytes[1 + 12] = {(unsigned char)worker};
    fill_random(bytes + 1, sizeof bytes - 1);
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
    if (text.len != ID_RUN_BYTES || !str_starts_with(text, STR("run_")))
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
