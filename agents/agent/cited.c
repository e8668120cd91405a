/* SPDX-License-Identifier: MIT */
/* agents/agent/cited.c - marks of a text against the numbers of passages.
 *
 * Failure: what is no mark is text; a number that no passage has cites nothing. */
#include "agents/agent/cited.h"

#include "proto/json_value.h"

enum { PASSAGE_BYTES = 256 * 1024, CITED_BYTES = 4 << 20 };

bool agent_cited_keep(struct node *node, unsigned slot, struct str passages)
{
    struct arena *arena = node_arena(node);
    const struct json_value *list = json_value_parse(arena, passages, NULL, NULL);
    if (list == NULL || list->type != JSON_ARRAY)
        return arena_ok(arena);
    JSON_EACH(item, list) {
        struct str text = json_value_text(item, arena, PASSAGE_BYTES);
        if (str_is_absent(text))
            return false;
        node_push_item(node, slot, text);
    }
    return true;
}

/* Whether a mark's inside, "3, 12", names number. */
static bool names(struct str inside, int64_t number)
{
    while (inside.len > 0) {
        uint64_t read;
        struct str one = str_trim(str_split(&inside, ','));
        if (str_to_u64(one, &read) && number >= 0 && read == (uint64_t)number)
            return true;
    }
    return false;
}

static bool is_cited(struct str answer, int64_t number)
{
    while (answer.len > 0) {
        ptrdiff_t open = str_find_char(answer, '[');
        if (open == STR_NONE)
            return false;
        answer = str_from(answer, (size_t)open + 1);
        ptrdiff_t close = str_find_char(answer, ']');
        if (close != STR_NONE && names(str_slice(answer, 0, (size_t)close), number))
            return true;
    }
    return false;
}

struct str agent_cited_find(struct node *node, unsigned slot, struct str answer)
{
    const struct state *state = node_state(node);
    struct arena *arena = node_arena(node);
    struct buf out;
    buf_init(&out, CITED_BYTES);
    for (size_t i = 0; i < state_list_count(state, slot); i++) {
        struct str item = state_list_item(state, slot, i);
        const struct json_value *number =
            json_value_member(json_value_parse(arena, item, NULL, NULL), STR("number"));
        if (number == NULL || number->type != JSON_INT || !is_cited(answer, number->integer))
            continue;
        buf_push(&out, buf_len(&out) > 0 ? STR(",") : STR("["));
        buf_push(&out, item);
    }
    struct str cited = {NULL, 0};
    if (buf_len(&out) > 0) {
        buf_push_char(&out, ']');
        cited = buf_ok(&out) ? arena_str(arena, buf_str(&out)) : cited;
    }
    buf_fini(&out);
    return cited;
}
