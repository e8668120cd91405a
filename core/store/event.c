/* SPDX-License-Identifier: MIT */
/* core/store/event.c - the table of event kinds. */
#include "core/store/event.h"

static const struct {
    const char *name;
    enum event_level level;
} kinds[] = {
#define EVENT_ROW(kind, name, level) [EVENT_##kind] = {name, level},
    EVENT_KINDS(EVENT_ROW)
#undef EVENT_ROW
};

uint64_t event_first_id(uint64_t epoch)
{
    CHECK(epoch > 0);
    return (epoch - 1) * EVENT_IDS_A_SERVER + 1;
}

bool event_comes_next(uint64_t id, uint64_t last_id, uint64_t epoch)
{
    return id == last_id + 1 || (id == event_first_id(epoch) && id > last_id);
}

const char *event_name(enum event_kind kind)
{
    CHECK(kind < EVENT_KIND_COUNT);
    return kinds[kind].name;
}

enum event_level event_level(enum event_kind kind)
{
    CHECK(kind < EVENT_KIND_COUNT);
    return kinds[kind].level;
}

bool event_is_terminal(enum event_kind kind)
{
    return kind == EVENT_COMPLETE || kind == EVENT_ERROR;
}

bool event_is_pause(const struct event *event)
{
    return event->kind == EVENT_COMPLETE && str_starts_with(event->text, STR(EVENT_PAUSED_MEMBERS));
}
