/* SPDX-License-Identifier: MIT */
/* Cron expressions and time zones: a first line that is an expression, the rest a TZif file. What
 * is accepted is due after the time asked about, in order, and no bytes of a file do harm. */
#include <stddef.h>
#include <stdint.h>

#include "core/base/calendar.h"
#include "server/schedules/cron.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    static const int64_t after_s[] = {0, 1774745940, 1792890000, 4102444800};
    struct str rest = str_make((const char *)data, size), line = str_split(&rest, '\n');
    struct cron cron;
    static struct zone zone;
    struct err err = {0};
    zone_utc(&zone);
    if (rest.len > 0 && zone_parse(rest, &zone, &err) != ERR_OK)
        return 0;
    uint64_t ms;
    CHECK(!calendar_read_time(line, &ms) || ms < (uint64_t)INT64_MAX);
    if (cron_parse(line, &cron, &err) != ERR_OK)
        return 0;
    for (size_t i = 0; i < countof(after_s); i++) {
        int64_t at = after_s[i], next = 0;
        for (unsigned times = 0; times < 3 && cron_next(&cron, &zone, at, &next); times++) {
            CHECK(next > at);
            at = next;
        }
    }
    return 0;
}
