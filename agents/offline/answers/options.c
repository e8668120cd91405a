/* SPDX-License-Identifier: MIT */
/* agents/offline/answers/options.c - asks back: a question that was left open is read as if it were
 * settled one way or another, and each reading that has an answer is an option.
 *
 * Happy path: two to four options, each with words that only it has. Failure: fewer are no choice;
 * no memory. */
#include "agents/offline/answers/options.h"

#include "agents/offline/answers/clarify.h"

enum { RANKINGS = 8 };

/* A question as an option, when it has one answer. */
static enum err_code try_turn(struct turn *turn, struct offline_answer *answer)
{
    struct jointree_ways ways = {.tied = false};
    struct offline_answer *option = &answer->options[answer->option_count];
    enum err_code code = offline_turn_read(turn, &ways, option);
    if (code == ERR_OK && option->understood)
        answer->option_count++;
    return code;
}

/* Another wording of the question as an option; text may be absent. */
static enum err_code try_text(const struct turn *turn, struct str text,
                              struct offline_answer *answer)
{
    struct turn other = *turn;
    if (str_is_absent(text))
        return ERR_NO_MEMORY;
    other.question = text;
    enum err_code code = offline_turn_open(&other);
    return code == ERR_TOO_LARGE ? ERR_OK : code == ERR_OK ? try_turn(&other, answer) : code;
}

/* "Top 5 customers", who have no number of their own: by how many rows of each table that belongs
 * to them. */
static enum err_code try_counts(const struct turn *turn, struct offline_answer *answer)
{
    int tables[OFFLINE_OPTIONS];
    enum err_code code = ERR_OK;
    size_t count = offline_clarify_children(turn->source->lexicon, answer->reading.wants_of, tables,
                                            OFFLINE_OPTIONS);
    for (size_t i = 0; code == ERR_OK && i < count; i++) {
        struct str text =
            offline_clarify_by_count(turn->source->lexicon, turn->question, tables[i], turn->arena);
        code = try_text(turn, text, answer);
    }
    return code;
}

/* The word that says which rows without saying how: "big", or "top" without a number. */
static const struct lexicon_item *find_vague(const struct turn *turn)
{
    for (size_t i = 0; i < turn->item_count; i++) {
        const struct lexicon_item *item = &turn->items[i];
        if (item->kind == ITEM_CUE && (item->cue == CUE_VAGUE || item->cue == CUE_TOP) &&
            (item->arg & SUPER_DATE) == 0)
            return item;
    }
    return NULL;
}

/* "Our big customers": the ten first by each number of their own or of what belongs to them. */
static enum err_code try_rankings(const struct turn *turn, struct offline_answer *answer)
{
    const struct lexicon_item *vague = find_vague(turn);
    struct offline_ranking rankings[RANKINGS];
    enum err_code code = ERR_OK;
    int table = answer->reading.wants_of;
    if (vague == NULL)
        return ERR_OK;
    const char *way = (vague->arg & SUPER_DESC) != 0 ? "top 10" : "bottom 10";
    size_t count =
        offline_clarify_rankings(turn->source->lexicon, table, rankings, countof(rankings));
    for (size_t i = 0; code == ERR_OK && i < count && answer->option_count < OFFLINE_OPTIONS; i++)
        code = try_text(turn,
                        offline_clarify_ranked(turn->source->lexicon, turn->question, vague->text,
                                               way, table, &rankings[i], turn->arena),
                        answer);
    return code;
}

/* The sense by the best join of its tables, or by the best one without an edge. */
static enum err_code try_way(const struct turn *turn, const struct sense *sense,
                             const struct join_edge *avoid, struct offline_answer *answer)
{
    struct jointree_ways ways = {.settled = true, .avoid = avoid};
    struct offline_answer *option = &answer->options[answer->option_count];
    enum err_code code = offline_turn_answer(turn, sense, &ways, option);
    if (code != ERR_OK || !option->understood)
        return code;
    struct str text = offline_clarify_way(turn->source->lexicon, turn->source->joins,
                                          &option->reading, &ways, turn->arena);
    if (str_is_absent(text))
        return ERR_NO_MEMORY;
    for (size_t i = 0; i < answer->option_count; i++)
        if (str_equal(answer->option_texts[i], text))
            return ERR_OK;
    answer->option_texts[answer->option_count++] = text;
    return ERR_OK;
}

/* Each way to join the tables that is as good as the best. */
static enum err_code try_ways(const struct turn *turn, const struct jointree_ways *ways,
                              struct offline_answer *answer)
{
    const struct sense *sense = answer->sense;
    enum err_code code = try_way(turn, sense, NULL, answer);
    for (size_t i = 0;
         code == ERR_OK && i < ways->edge_count && answer->option_count < OFFLINE_OPTIONS; i++)
        code = try_way(turn, sense, ways->edges[i], answer);
    return code;
}

/* The question by each lexicon that settles it one way. */
static enum err_code try_settled(const struct turn *turn, const struct lexicon *with, size_t count,
                                 struct offline_answer *answer)
{
    enum err_code code = ERR_OK;
    for (size_t i = 0; code == ERR_OK && i < count; i++) {
        struct turn settled = *turn;
        struct offline_source *source = arena_alloc(turn->arena, sizeof *source);
        struct lexicon *lexicon = arena_alloc(turn->arena, sizeof *lexicon);
        if (source == NULL || lexicon == NULL)
            return ERR_NO_MEMORY;
        *lexicon = with[i];
        *source = *turn->source;
        source->lexicon = lexicon;
        settled.source = source;
        code = try_turn(&settled, answer);
    }
    return code;
}

/* Words for the options that have none. False: no memory. */
static bool write_texts(const struct turn *turn, struct offline_answer *answer)
{
    for (size_t i = 0; i < answer->option_count; i++) {
        if (answer->option_texts[i].len == 0)
            answer->option_texts[i] = offline_clarify_text(
                answer->options[i].lexicon, &answer->options[i].reading, turn->arena);
        if (str_is_absent(answer->option_texts[i]))
            return false;
    }
    return true;
}

static bool is_repeated(const struct offline_answer *answer, size_t option)
{
    for (size_t i = 0; i < answer->option_count; i++)
        if (i != option && str_equal(answer->option_texts[i], answer->option_texts[option]))
            return true;
    return false;
}

/* Options that read the same also say their table; those that still do are one. Fewer than two are
 * none. False: no memory. */
static bool tell_apart(const struct lexicon *lexicon, struct offline_answer *answer,
                       struct arena *arena)
{
    bool repeated[OFFLINE_OPTIONS] = {false};
    size_t kept = 0;
    for (size_t i = 0; i < answer->option_count; i++)
        repeated[i] = is_repeated(answer, i);
    for (size_t i = 0; i < answer->option_count; i++) {
        const struct offline_reading *r = &answer->options[i].reading;
        int table = r->target != READING_NONE ? r->target : r->counted;
        if (!repeated[i] || table == READING_NONE)
            continue;
        answer->option_texts[i] =
            arena_printf(arena, "%.*s (table %.*s)", STR_ARG(answer->option_texts[i]),
                         STR_ARG(lexicon->catalog->tables[table].name));
        if (str_is_absent(answer->option_texts[i]))
            return false;
    }
    for (size_t i = 0; i < answer->option_count; i++) {
        bool known = false;
        for (size_t k = 0; k < kept; k++)
            known = known || str_equal(answer->option_texts[k], answer->option_texts[i]);
        if (known)
            continue;
        if (kept != i)
            answer->options[kept] = answer->options[i];
        answer->option_texts[kept++] = answer->option_texts[i];
    }
    answer->option_count = kept > 1 ? kept : 0;
    return true;
}

enum err_code offline_options_tell(const struct turn *turn, struct offline_answer *answer)
{
    return write_texts(turn, answer) && tell_apart(turn->source->lexicon, answer, turn->arena)
               ? ERR_OK
               : ERR_NO_MEMORY;
}

enum err_code offline_options_find(const struct turn *turn, const struct jointree_ways *ways,
                                   struct offline_answer *answer)
{
    enum err_code code = ERR_OK;
    struct lexicon with[OFFLINE_OPTIONS];
    enum reading_want wants = answer->reading.wants;
    if (answer->option_count == 0 && wants == READING_WANTS_NOTHING && !ways->tied)
        return ERR_OK;
    if (answer->option_count == 0) {
        answer->options = arena_array(turn->arena, OFFLINE_OPTIONS, sizeof *answer->options);
        if (answer->options == NULL)
            return ERR_NO_MEMORY;
        size_t settled = offline_clarify_settle(turn->source->lexicon, &answer->reading,
                                                turn->arena, with, OFFLINE_OPTIONS);
        if (settled > 0)
            code = try_settled(turn, with, settled, answer);
        else if (wants == READING_WANTS_NUMBER)
            code = try_counts(turn, answer);
        else if (wants == READING_WANTS_RANK)
            code = try_rankings(turn, answer);
        else if (ways->tied)
            code = try_ways(turn, ways, answer);
    }
    return code == ERR_OK ? offline_options_tell(turn, answer) : code;
}
