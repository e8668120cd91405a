/* SPDX-License-Identifier: MIT */
/* agents/nodes/hold.c - reads the rows as the prompt showed them, and asks agents/held/rows.h.
 *
 * Happy path: no number is lacking. Failure: without rows or memory the answer holds: nothing is
 * known against it. */
#include "agents/nodes/hold.h"

#include "agents/held/rows.h"
#include "agents/nodes/facts.h"
#include "agents/nodes/second_look.h"
#include "agents/offline/answers/answer.h"
#include "agents/rows/shown.h"

enum { ROWS_ARENA = 8 << 20, NAMED = 6, TEXT_BYTES = 16 * 1024 };

static struct str shown(struct node *node, const struct hold_config *config, const char *name)
{
    return rows_shown(node, slot_index(config->shown_slot), str_of(name));
}

static struct str text_of(struct node *node, struct slot_ref slot)
{
    return slot_is_named(slot) ? node_str(node, slot_index(slot)) : STR("");
}

static struct str name_numbers(struct node *node, const struct held_number *lacking, size_t count)
{
    struct buf out;
    buf_init(&out, TEXT_BYTES);
    buf_push(&out,
             STR("These numbers of your answer are neither in the rows nor follow from them: "));
    for (size_t i = 0; i < count; i++)
        buf_printf(&out, "%s%.*s", i > 0 ? ", " : "", STR_ARG(lacking[i].text));
    buf_push(&out, STR(". Write the answer again with numbers of the rows only. Where the rows do "
                       "not say it, say that they do not."));
    struct str text =
        buf_ok(&out) ? arena_str(node_arena(node), buf_str(&out)) : (struct str){NULL, 0};
    buf_fini(&out);
    return text;
}

bool hold_check(struct node *node, const struct hold_config *config, struct str answer,
                struct str *wrong)
{
    struct held_number lacking[NAMED];
    struct arena arena;
    size_t count = 0;
    if (!node_has(node, slot_index(config->shown_slot)) || second_look_is_offline(node))
        return true;
    arena_init(&arena, ROWS_ARENA);
    struct held_rows *rows = arena_alloc(&arena, sizeof *rows);
    if (rows != NULL && held_rows_read(rows, shown(node, config, "rows"),
                                       shown(node, config, "row_count"), &arena)) {
        held_rows_say(rows, text_of(node, config->question_slot));
        held_rows_say(rows, text_of(node, config->sql_slot));
        held_rows_say(rows, text_of(node, config->warnings_slot));
        held_rows_say(rows, text_of(node, config->columns_slot));
        held_rows_say(rows, shown(node, config, "truncated"));
        held_rows_say(rows, facts_today(node));
        count = held_rows_lacks(rows, answer, lacking, NAMED);
    }
    arena_fini(&arena);
    *wrong =
        count == 0 ? (struct str){NULL, 0} : name_numbers(node, lacking, size_min(count, NAMED));
    return str_is_absent(*wrong);
}

struct str hold_plain(struct node *node, const struct hold_config *config)
{
    const struct answer_rows rows = {text_of(node, config->columns_slot),
                                     shown(node, config, "rows"), shown(node, config, "row_count"),
                                     shown(node, config, "truncated")};
    struct buf out;
    buf_init(&out, TEXT_BYTES);
    const bool is_written = knowledge(node)->lexicon != NULL &&
                            offline_answer_write(knowledge(node)->lexicon, NULL, &rows, &out) &&
                            buf_ok(&out);
    struct str text = is_written ? arena_str(node_arena(node), buf_str(&out))
                                 : STR("The rows are in the result.");
    buf_fini(&out);
    return text;
}
