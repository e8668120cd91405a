/* SPDX-License-Identifier: MIT */
/* agents/nodes/second_look.c - reads the question by rules and compares.
 *
 * Happy path: the question and those before it are read in an arena of their own, and each
 * difference is a warning and an event. Failure: without memory or knowledge there is no opinion.
 */
#include "agents/nodes/second_look.h"

#include "agents/offline/second_look/compare.h"
#include "proto/json_write.h"

enum { LOOK_BYTES = 8 << 20 };

struct look {
    struct node *node;
    struct json_write *writer;
};

static void say(void *owner, struct str text)
{
    const struct look *look = owner;
    json_write_str(look->writer, text);
    node_emit(look->node, EVENT_WARNING, STR("second_look"), text, 0);
}

static bool is_offline(const struct services *has)
{
    return str_equal(str_of(has->llm->vtable->name), STR("offline"));
}

void second_look_write(struct node *node, struct str asked, struct str question,
                       const struct sql_parse *parse, struct json_write *writer)
{
    const struct services *has = services(node);
    const struct knowledge *knows = knowledge(node);
    struct look look = {node, writer};
    struct offline_answer *answer;
    struct arena arena;
    int year, month, day;
    if (knows->lexicon == NULL || has->kept == NULL || has->today == NULL || is_offline(has) ||
        !has->today(has->today_owner, &year, &month, &day))
        return;
    const struct lexicon seen =
        lexicon_index_seen_by(knows->lexicon, node_session(node)->caller.company_id);
    const struct offline_source source = {
        .lexicon = &seen,
        .joins = knows->joins,
        .finder = services_keep_finder(has->kept, knows, has->limits),
        .dialect = knows->dialect,
        .today = english_dates_day(year, month, day),
    };
    arena_init(&arena, LOOK_BYTES);
    if (source.finder != NULL &&
        offline_question_read_after(&source, asked, question, &arena, &answer) == ERR_OK)
        offline_compare_statement(&seen, answer, parse, say, &look);
    arena_fini(&arena);
}
