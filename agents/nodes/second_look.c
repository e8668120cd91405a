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

/* Read the question in arena. NULL: it cannot be read, or the engine wrote what is looked at. */
static struct offline_answer *read(struct node *node, struct str asked, struct str question,
                                   const struct lexicon *seen, struct arena *arena)
{
    const struct services *has = services(node);
    const struct knowledge *knows = knowledge(node);
    struct offline_answer *answer = NULL;
    int year, month, day;
    if (has->kept == NULL || has->today == NULL || second_look_is_offline(node) ||
        !has->today(has->today_owner, &year, &month, &day))
        return NULL;
    const struct offline_source source = {
        .lexicon = seen,
        .joins = knows->joins,
        .finder = services_keep_finder(has->kept, knows, has->limits),
        .dialect = knows->dialect,
        .today = english_dates_day(year, month, day),
    };
    return source.finder != NULL &&
                   offline_question_read_after(&source, asked, question, arena, &answer) == ERR_OK
               ? answer
               : NULL;
}

static struct lexicon seen_by(const struct node *node)
{
    return lexicon_index_seen_by(knowledge(node)->lexicon, node_session(node)->caller.company_id);
}

bool second_look_period(struct node *node, struct str question, struct offline_period *period)
{
    const struct services *has = services(node);
    int year, month, day;
    return has->today != NULL && has->today(has->today_owner, &year, &month, &day) &&
           offline_periods_find(question, english_dates_day(year, month, day), node_arena(node),
                                period);
}

void second_look_at(struct node *node, struct str asked, struct str question,
                    const struct sql_parse *parse, offline_compare_fn *say, void *owner)
{
    struct arena arena;
    if (knowledge(node)->lexicon == NULL)
        return;
    const struct lexicon seen = seen_by(node);
    arena_init(&arena, LOOK_BYTES);
    const struct offline_answer *answer = read(node, asked, question, &seen, &arena);
    if (answer != NULL && answer->understood)
        offline_compare_statement(&seen, question, answer, parse, say, owner);
    else if (answer != NULL)
        offline_plain_compare(knowledge(node)->catalog, question, parse, &arena, say, owner);
    arena_fini(&arena);
}

struct str second_look_statement(struct node *node, struct str asked, struct str question)
{
    struct arena arena;
    struct str sql = STR("");
    if (knowledge(node)->lexicon == NULL)
        return sql;
    const struct lexicon seen = seen_by(node);
    arena_init(&arena, LOOK_BYTES);
    const struct offline_answer *answer = read(node, asked, question, &seen, &arena);
    if (answer != NULL && answer->understood)
        sql = arena_str(node_arena(node), answer->sql);
    arena_fini(&arena);
    return str_is_absent(sql) ? STR("") : sql;
}
