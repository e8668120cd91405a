/* SPDX-License-Identifier: MIT */
/* agents/tools/draw_chart.c - the tool that chooses how the rows of the last statement are shown:
 * of the type that the model suggests where the data allows it, else of the type that the rules
 * choose. */
#include "agents/nodes/chart.h"
#include "agents/tools/call.h"

static void start(struct tool_call *call)
{
    const char *name;
    if (!slot_is_named(call->data_slot) || !node_has(call->node, slot_index(call->data_slot))) {
        tools_call_fail(call,
                        "There are no rows to draw: run a statement first, in a turn before.");
        return;
    }
    call->result.chart =
        chart_of_suggestion(call->node, slot_index(call->data_slot), call->question,
                            tools_call_str(call, STR("type")), &name);
    if (str_is_absent(call->result.chart)) {
        tools_call_fail(call, "The rows of the last statement cannot be drawn.");
        return;
    }
    char text[80];
    struct buf out = {.at = text, .cap = sizeof text, .limit = sizeof text};
    buf_printf(&out, "The user sees the last rows as: %s.", name);
    tools_call_done(call, buf_str(&out));
}

const struct tool tools_draw_chart = {
    .name = "draw_chart",
    .description =
        "Shows the rows of the last statement of an earlier turn to the user as a chart.",
    .parameters = "{\"type\":\"object\",\"properties\":{\"type\":{\"enum\":[\"bar\",\"line\","
                  "\"pie\",\"scatter\",\"table\"]}},\"required\":[\"type\"],"
                  "\"additionalProperties\":false}",
    .start = start,
};
