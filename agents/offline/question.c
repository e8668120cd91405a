/* SPDX-License-Identifier: MIT */
/* agents/offline/question.c - the stations in order: tokens, items, meanings, reading, SQL.
 *
 * Happy path: each takes what the one before made. Failure: the first that cannot says why, and the
 * answer is "not understood" with that reason; only memory is an error. */
#include "agents/offline/question.h"

#include "agents/offline/parse.h"
#include "agents/offline/resolve.h"

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
            if (items[i].links[k].kind == LINK_TABLE)
                return true;
            column = column || items[i].links[k].kind == LINK_COLUMN;
        }
    }
    return column && number;
}

static enum err_code read_items(const struct offline_source *source,
                                const struct offline_token *tokens, size_t count,
                                struct arena *arena, struct offline_answer *answer)
{
    struct offline_item *items;
    size_t item_count;
    struct err err = {0};
    enum err_code code = offline_link_items(arena, source->lexicon, tokens, count, source->today,
                                            &items, &item_count);
    if (code != ERR_OK)
        return code;
    answer->names_table = names_data(items, item_count);
    answer->writes = item_count > 0 && items[0].cue == CUE_WRITE;
    for (size_t i = 0; i < 2 && i < item_count; i++)
        answer->writes = answer->writes || (items[i].cue == CUE_WRITE && items[0].cue == CUE_SKIP);
    if (!answer->writes &&
        offline_resolve_items(source->lexicon, items, item_count, &err) != ERR_OK)
        return refuse(answer, str_of(err.text));
    if (!offline_parse_run(source->lexicon, items, item_count, &answer->reading))
        return ERR_OK;
    struct str *words = arena_array(arena, count + 1, sizeof *words);
    if (words == NULL)
        return ERR_NO_MEMORY;
    size_t word_count = 0;
    for (size_t i = 0; i < count; i++)
        if (tokens[i].kind == TOKEN_WORD)
            words[word_count++] = tokens[i].lower;
    return compose(source, words, word_count, arena, answer);
}

enum err_code offline_question_read(const struct offline_source *source, struct str question,
                                    struct arena *arena, struct offline_answer **out)
{
    struct offline_answer *answer = arena_alloc(arena, sizeof *answer);
    struct offline_token *tokens;
    size_t count;
    if (answer == NULL)
        return ERR_NO_MEMORY;
    *out = answer;
    answer->cannot = answer->reading.cannot;
    if (!str_is_utf8(question))
        return refuse(answer, STR("the question is not UTF-8 text"));
    enum err_code code = offline_tokens_of(arena, question, &tokens, &count);
    if (code == ERR_TOO_LARGE)
        return refuse(answer, STR("the question is too long"));
    if (code == ERR_OK && count == 0)
        return refuse(answer, STR("there is no question"));
    return code == ERR_OK ? read_items(source, tokens, count, arena, answer) : code;
}
