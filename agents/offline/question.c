/* SPDX-License-Identifier: MIT */
/* agents/offline/question.c - the stations in order: tokens, items, meanings, reading, SQL.
 *
 * Happy path: each takes what the one before made. Failure: the first that cannot says why, and the
 * answer is "not understood" with that reason; only memory is an error. */
#include "agents/offline/question.h"

#include "agents/offline/follow.h"
#include "agents/offline/glossary.h"
#include "agents/offline/parse.h"
#include "agents/offline/resolve.h"
#include "agents/offline/verified.h"

#include <string.h>

enum { SQL_BYTES = 16 << 10 };

static enum err_code refuse(struct offline_answer *answer, struct str why)
{
    size_t len = size_min(why.len, CANNOT_BYTES - 1);
    memcpy(answer->reading.cannot, why.at, len);
    answer->reading.cannot[len] = '\0';
    return ERR_OK;
}

static enum err_code compose(const struct offline_source *source, const struct str *words,
                             size_t word_count, struct arena *arena, struct offline_answer *answer)
{
    const struct compose_schema schema = {
        .lexicon = source->lexicon,
        .joins = {source->lexicon->catalog, source->joins, source->finder, words, word_count},
        .dialect = source->dialect,
        .today = source->today,
    };
    struct buf out;
    struct err err = {0};
    buf_init(&out, SQL_BYTES);
    offline_compose_settle(source->lexicon, &answer->reading);
    enum err_code code = offline_compose_sql(&schema, &answer->reading, &out, &err);
    if (code == ERR_OK) {
        answer->sql = arena_str(arena, buf_str(&out));
        answer->understood = !str_is_absent(answer->sql);
        code = answer->understood ? ERR_OK : ERR_NO_MEMORY;
    } else if (code != ERR_NO_MEMORY) {
        code = refuse(answer, str_of(err.text));
    }
    buf_fini(&out);
    return code;
}

/* A table is named; or a column, and a number of it asked for. */
static bool names_data(const struct offline_item *items, size_t count)
{
    bool column = false, number = false;
    for (size_t i = 0; i < count; i++) {
        number = number || items[i].cue == CUE_AGG || items[i].cue == CUE_SUPER ||
                 items[i].cue == CUE_COUNT || items[i].cue == CUE_TOP;
        for (size_t k = 0; k < items[i].link_count && items[i].kind == ITEM_MENTION; k++) {
            if (items[i].links[k].kind == LINK_TABLE || items[i].links[k].kind == LINK_METRIC)
                return true;
            column = column || items[i].links[k].kind == LINK_COLUMN;
        }
    }
    return column && number;
}

/* One question of a conversation and its items. */
struct turn {
    const struct offline_source *source;
    struct arena *arena;
    const struct offline_token *tokens;
    size_t token_count;
    struct offline_item *items;
    size_t item_count;
};

static enum err_code link_turn(struct turn *turn)
{
    return offline_link_items(turn->arena, turn->source->lexicon, turn->tokens, turn->token_count,
                              turn->source->today, &turn->items, &turn->item_count);
}

static enum err_code finish_turn(const struct turn *turn, struct offline_answer *answer)
{
    struct str *words = arena_array(turn->arena, turn->token_count + 1, sizeof *words);
    if (words == NULL)
        return ERR_NO_MEMORY;
    size_t word_count = 0;
    for (size_t i = 0; i < turn->token_count; i++)
        if (turn->tokens[i].kind == TOKEN_WORD)
            words[word_count++] = turn->tokens[i].lower;
    return compose(turn->source, words, word_count, turn->arena, answer);
}

/* The question by itself. */
static enum err_code read_alone(struct turn *turn, struct offline_answer *answer)
{
    struct err err = {0};
    answer->names_table = names_data(turn->items, turn->item_count);
    answer->writes = turn->item_count > 0 && turn->items[0].cue == CUE_WRITE;
    for (size_t i = 0; i < 2 && i < turn->item_count; i++)
        answer->writes =
            answer->writes || (turn->items[i].cue == CUE_WRITE && turn->items[0].cue == CUE_SKIP);
    if (!answer->writes &&
        offline_resolve_items(turn->source->lexicon, turn->items, turn->item_count, &err) != ERR_OK)
        return refuse(answer, str_of(err.text));
    turn->item_count = offline_glossary_expand(turn->items, turn->item_count);
    if (!offline_parse_run(turn->source->lexicon, turn->items, turn->item_count, &answer->reading))
        return ERR_OK;
    return finish_turn(turn, answer);
}

/* The question as a change of the one before. */
static enum err_code read_on(struct turn *turn, const struct offline_answer *before,
                             struct offline_answer *answer)
{
    int tables[READING_TABLES];
    struct err err = {0};
    size_t count = offline_follow_tables(&before->reading, tables, READING_TABLES);
    answer->reading = before->reading;
    answer->names_table = true;
    if (offline_resolve_items_near(turn->source->lexicon, turn->items, turn->item_count, tables,
                                   count, &err) != ERR_OK)
        return refuse(answer, str_of(err.text));
    turn->item_count = offline_glossary_expand(turn->items, turn->item_count);
    if (!offline_follow_patch(turn->source->lexicon, turn->items, turn->item_count,
                              &answer->reading))
        return ERR_OK;
    return finish_turn(turn, answer);
}

/* before: the answer to the question before; NULL: there is none. */
static enum err_code read_turn(const struct offline_source *source, struct str question,
                               const struct offline_answer *before, struct arena *arena,
                               struct offline_answer *answer)
{
    struct turn turn = {.source = source, .arena = arena};
    struct offline_token *tokens;
    *answer = (struct offline_answer){.cannot = answer->reading.cannot};
    if (!str_is_utf8(question))
        return refuse(answer, STR("the question is not UTF-8 text"));
    enum err_code code = offline_tokens_of(arena, question, &tokens, &turn.token_count);
    if (code == ERR_TOO_LARGE)
        return refuse(answer, STR("the question is too long"));
    if (code == ERR_OK && turn.token_count == 0)
        return refuse(answer, STR("there is no question"));
    turn.tokens = tokens;
    if (code == ERR_OK)
        code = link_turn(&turn);
    if (code != ERR_OK)
        return code;
    answer->sql = offline_verified_find(source->lexicon, source->dialect, turn.items,
                                        turn.item_count, arena, &answer->verified);
    answer->understood = answer->verified != NULL && !str_is_absent(answer->sql);
    if (answer->understood)
        return ERR_OK;
    enum offline_follow follow =
        before == NULL ? FOLLOW_NOT : offline_follow_is(turn.items, turn.item_count);
    if (follow == FOLLOW_MUST)
        return read_on(&turn, before, answer);
    code = read_alone(&turn, answer);
    if (code != ERR_OK || answer->understood || answer->writes || follow == FOLLOW_NOT)
        return code;
    code = link_turn(&turn); /* walking has changed them */
    return code == ERR_OK ? read_on(&turn, before, answer) : code;
}

enum err_code offline_question_read_after(const struct offline_source *source, struct str asked,
                                          struct str question, struct arena *arena,
                                          struct offline_answer **out)
{
    struct offline_answer *answer = arena_alloc(arena, sizeof *answer);
    struct offline_answer *before = arena_alloc(arena, sizeof *before);
    bool has_before = false;
    if (answer == NULL || before == NULL)
        return ERR_NO_MEMORY;
    while (asked.len > 0) {
        struct str line = str_trim(str_split(&asked, '\n'));
        enum err_code code =
            line.len == 0 ? ERR_OK
                          : read_turn(source, line, has_before ? before : NULL, arena, answer);
        if (code != ERR_OK)
            return code;
        if (line.len > 0 && answer->understood) {
            *before = *answer;
            before->cannot = before->reading.cannot;
            has_before = answer->verified == NULL; /* there is no reading to change */
        }
    }
    *out = answer;
    return read_turn(source, question, has_before ? before : NULL, arena, answer);
}

enum err_code offline_question_read(const struct offline_source *source, struct str question,
                                    struct arena *arena, struct offline_answer **out)
{
    return offline_question_read_after(source, STR(""), question, arena, out);
}
