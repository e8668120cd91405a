/* SPDX-License-Identifier: MIT */
/* agents/nodes/second_look.c - reads the question by rules and compares.
 *
 * Happy path: the question and those before it are read in an arena of their own, and each
 * difference is said. Failure: without memory or knowledge there is no opinion. */
#include "agents/nodes/second_look.h"

#include "agents/offline/second_look/plain.h"

enum { LOOK_BYTES = 8 << 20 };

bool second_look_is_offline(const struct node *node)
{
    return str_equal(str_of(services(node)->llm->vtable->name), STR("offline"));
}

void second_look_at(struct node *node, struct str asked, struct str question,
                    const struct sql_parse *parse, offline_compare_fn *say, void *owner)
{
    const struct services *has = services(node);
    const struct knowledge *knows = knowledge(node);
    struct offline_answer *answer;
    struct arena arena;
    int year, month, day;
    if (knows->lexicon == NULL || has->kept == NULL || has->today == NULL ||
        second_look_is_offline(node) || !has->today(has->today_owner, &year, &month, &day))
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
        offline_question_read_after(&source, asked, question, &arena, &answer) == ERR_OK) {
        if (answer->understood)
            offline_compare_statement(&seen, answer, parse, say, owner);
        else
            offline_plain_compare(question, parse, &arena, say, owner);
    }
    arena_fini(&arena);
}
