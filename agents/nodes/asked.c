/* SPDX-License-Identifier: MIT */
/* agents/nodes/asked.c - one pass over the newest messages.
 *
 * Happy path: the user's messages are joined by newlines; newlines within a message become blanks.
 * Failure: an item that is no message is ignored; without memory there are no earlier questions. */
#include "agents/nodes/asked.h"

#include "proto/json_value.h"

enum { TEXT_BYTES = 64 * 1024 };

static void push_line(struct buf *out, struct str text)
{
    for (size_t i = 0; i < text.len; i++)
        buf_push_char(out, text.at[i] == '\n' || text.at[i] == '\r' ? ' ' : text.at[i]);
    buf_push_char(out, '\n');
}

struct str asked_before(struct node *node, unsigned slot)
{
    const struct state *state = node_state(node);
    size_t count = state_list_count(state, slot), from = count;
    struct buf out;
    for (size_t kept = 0; from > 0 && kept < 2 * ASKED_MESSAGES; kept++)
        from--;
    buf_init(&out, TEXT_BYTES);
    for (size_t i = from; i + 1 < count; i++) {
        struct str role, text, meant;
        const struct json_value *value =
            json_value_parse(node_arena(node), state_list_item(state, slot, i), NULL, NULL);
        if (json_value_str(value, "/role", &role, NULL) == ERR_OK &&
            json_value_str(value, "/content", &text, NULL) == ERR_OK &&
            str_equal(role, STR("user"))) {
            bool is_said = json_value_str(value, "/meant", &meant, NULL) == ERR_OK;
            push_line(&out, is_said ? meant : text);
        }
    }
    struct str asked = buf_ok(&out) ? arena_str(node_arena(node), buf_str(&out)) : STR("");
    buf_fini(&out);
    return str_is_absent(asked) ? STR("") : asked;
}
