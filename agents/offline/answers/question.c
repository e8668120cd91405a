/* SPDX-License-Identifier: MIT */
/* agents/offline/answers/question.c - calls the stages in order: tokens, items, meanings, reading,
 * SQL.
 *
 * Happy path: each stage takes the result of the one before. Failure: the first stage that fails
 * says why, and the answer is "not understood" with that reason; only spent memory is an error. */
#include "agents/offline/answers/question.h"

#include "agents/offline/reading/arrange.h"
#include "agents/offline/answers/clarify.h"
#include "agents/offline/reading/courtesy.h"
#include "agents/offline/compose/extremes.h"
#include "agents/offline/compose/possible.h"
#include "agents/offline/reading/follow.h"
#include "agents/offline/grammar/flatten.h"
#include "agents/offline/grammar/grammar.h"
#include "agents/offline/reading/parse.h"
#include "agents/offline/reading/phrasing.h"
#include "agents/offline/reading/resolve.h"
#include "agents/lexicon/describe_names.h"
#include "agents/lexicon/verified.h"
#include "agents/semantic/model.h"

#include <string.h>

enum { SQL_BYTES = 16 << 10, RANKINGS = 8, MENDED_BYTES = 1000 };

static enum err_code refuse(struct offline_answer *answer, struct str why)
{
    size_t len = size_min(why.len, CANNOT_BYTES - 1);
    memcpy(answer->reading.cannot, why.at, len);
    answer->reading.cannot[len] = '\0';
    return ERR_OK;
}

static enum err_code compose(const struct offline_source *source, const struct str *words,
                             size_t word_count, struct jointree_ways *ways, struct arena *arena,
                             struct offline_answer *answer)
{
    const struct compose_schema schema = {
        .lexicon = source->lexicon,
        .joins = {source->lexicon->catalog, source->joins, source->finder, words, word_count, ways},
        .dialect = source->dialect,
        .today = source->today,
    };
    struct buf out;
    struct err err = {0};
    if (!offline_possible(&answer->reading))
        return refuse(answer, STR("the conditions exclude each other"));
    buf_init(&out, SQL_BYTES);
    offline_extremes_settle(source->lexicon, &answer->reading);
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

static bool is_number_cue(const struct lexicon_item *item)
{
    return item->kind == ITEM_CUE &&
           (item->cue == CUE_AGG || item->cue == CUE_SUPER || item->cue == CUE_COUNT ||
            item->cue == CUE_TOP || item->cue == CUE_COMPARE || item->cue == CUE_PER);
}

/* A table is named; or a column, and a number or a value of it asked for. */
static bool names_data(const struct lexicon_item *items, size_t count)
{
    bool column = false, number = false;
    for (size_t i = 0; i < count; i++) {
        bool value = items[i].kind == ITEM_MENTION && items[i].link_count > 0;
        number = number || is_number_cue(&items[i]) || items[i].kind == ITEM_LITERAL;
        for (size_t k = 0; k < items[i].link_count && items[i].kind == ITEM_MENTION; k++) {
            if (items[i].links[k].kind == LINK_TABLE || items[i].links[k].kind == LINK_METRIC)
                return true;
            column = column || items[i].links[k].kind == LINK_COLUMN ||
                     items[i].links[k].kind == LINK_BOOL;
            value = value && items[i].links[k].kind == LINK_VALUE;
        }
        number = number || value;
    }
    return column && number;
}

/* "How many", "average", "top 5" open it: a number is asked for, whatever it is of. */
static bool asks_number(const struct lexicon_item *items, size_t count)
{
    for (size_t i = 0; i < count; i++) {
        if (items[i].kind != ITEM_CUE)
            return false;
        if (items[i].cue == CUE_COUNT || items[i].cue == CUE_AGG)
            return true;
        if (items[i].cue == CUE_TOP && i + 1 < count && items[i + 1].kind == ITEM_NUMBER)
            return true;
    }
    return false;
}

/* One question of a conversation and its items. */
struct turn {
    const struct offline_source *source;
    struct arena *arena;
    struct str question;
    const struct offline_token *tokens;
    size_t token_count;
    struct lexicon_item *items;
    size_t item_count;
    struct jointree_ways *ways;
};

/* What a mended word was read as: "customers", "Boston", "city". */
static void push_meant(const struct lexicon *lexicon, const struct lexicon_link *link,
                       struct buf *out)
{
    if (link->kind == LINK_VALUE)
        buf_push(out, link->value);
    else if (link->kind == LINK_TABLE)
        lexicon_describe_table(lexicon, link->table, true, out);
    else if (link->column != CATALOG_NONE)
        lexicon_describe_column(lexicon, link->table, link->column, out);
    else if (link->named != NULL)
        buf_push(out, link->named->name);
}

/* Words of the question that were read as others, for the answer to say so. */
static struct str list_mended(const struct turn *turn, bool resolved)
{
    struct buf out;
    buf_init(&out, MENDED_BYTES);
    for (size_t i = 0; i < turn->item_count; i++) {
        const struct lexicon_item *item = &turn->items[i];
        if (!item->mended || item->kind != ITEM_MENTION)
            continue;
        buf_printf(&out, "%s'%.*s' as ", buf_len(&out) > 0 ? ", " : "", STR_ARG(item->text));
        push_meant(turn->source->lexicon, resolved ? &item->is : &item->links[0], &out);
    }
    struct str text = buf_ok(&out) ? arena_str(turn->arena, buf_str(&out)) : STR("");
    buf_fini(&out);
    return text;
}

static enum err_code link_turn(struct turn *turn)
{
    return lexicon_link_items(turn->arena, turn->source->lexicon, turn->tokens, turn->token_count,
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
    return compose(turn->source, words, word_count, turn->ways, turn->arena, answer);
}

/* The question by itself, with nothing asked back. */
static enum err_code read_plain(struct turn *turn, struct offline_answer *answer,
                                struct offline_tie *tie)
{
    struct err err = {0};
    answer->names_table = names_data(turn->items, turn->item_count);
    answer->asks_number = asks_number(turn->items, turn->item_count);
    answer->writes = turn->item_count > 0 && turn->items[0].cue == CUE_WRITE;
    for (size_t i = 0; i < 2 && i < turn->item_count; i++)
        answer->writes =
            answer->writes || (turn->items[i].cue == CUE_WRITE && turn->items[0].cue == CUE_SKIP);
    bool names = answer->writes || turn->item_count == 0 || turn->items[0].cue != CUE_WHO;
    for (size_t i = 0; i < turn->item_count; i++) /* "who are you" does not */
        names = names || turn->items[i].kind != ITEM_CUE;
    if (!names)
        return refuse(answer, STR("nothing of this database is asked about"));
    if (!answer->writes && offline_resolve_items(turn->source->lexicon, turn->items,
                                                 turn->item_count, tie, &err) != ERR_OK)
        return refuse(answer, str_of(err.text));
    answer->mended = list_mended(turn, true);
    turn->item_count = offline_arrange_items(turn->source->lexicon, turn->items, turn->item_count);
    turn->item_count = offline_resolve_metrics(turn->items, turn->item_count);
    if (!offline_parse_run(turn->source->lexicon, turn->items, turn->item_count, &answer->reading))
        return ERR_OK;
    return finish_turn(turn, answer);
}

/* The question as if item k could mean but one thing, or as if a table had but one date or number;
 * an option when it is understood so. */
static enum err_code try_option(const struct turn *asked, const struct offline_tie *tie, size_t k,
                                const struct offline_source *source, struct offline_answer *answer)
{
    struct turn turn = *asked;
    struct offline_answer *option = &answer->options[answer->option_count];
    turn.source = source;
    turn.ways = NULL;
    *option = (struct offline_answer){.cannot = option->reading.cannot};
    enum err_code code = link_turn(&turn);
    if (code == ERR_OK && tie != NULL) {
        turn.items[tie->item].links[0] = tie->links[k];
        turn.items[tie->item].link_count = 1;
    }
    if (code == ERR_OK)
        code = read_plain(&turn, option, NULL);
    if (code != ERR_OK || !option->understood)
        return code;
    struct str text = offline_clarify_text(source->lexicon, &option->reading, turn.arena);
    answer->option_texts[answer->option_count++] = text;
    return str_is_absent(text) ? ERR_NO_MEMORY : ERR_OK;
}

/* Another wording of the question as an option; text may be absent. */
static enum err_code try_text(const struct turn *turn, struct str text,
                              struct offline_answer *answer)
{
    struct turn other = *turn;
    struct offline_token *tokens;
    if (str_is_absent(text))
        return ERR_NO_MEMORY;
    enum err_code code = english_tokens_of(turn->arena, text, &tokens, &other.token_count);
    if (code == ERR_TOO_LARGE)
        return ERR_OK;
    other.tokens = tokens;
    return code == ERR_OK ? try_option(&other, NULL, 0, turn->source, answer) : code;
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
        if (item->kind == ITEM_CUE && (item->cue == CUE_VAGUE || item->cue == CUE_TOP))
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

/* The question by the best join of its tables, or by the best one without an edge. */
static enum err_code try_way(const struct turn *asked, const struct join_edge *avoid,
                             struct offline_answer *answer)
{
    struct jointree_ways ways = {.settled = true, .avoid = avoid};
    struct turn turn = *asked;
    struct offline_answer *option = &answer->options[answer->option_count];
    turn.ways = &ways;
    *option = (struct offline_answer){.cannot = option->reading.cannot};
    enum err_code code = link_turn(&turn);
    if (code == ERR_OK)
        code = read_plain(&turn, option, NULL);
    if (code != ERR_OK || !option->understood)
        return code;
    struct str text = offline_clarify_way(turn.source->lexicon, turn.source->joins,
                                          &option->reading, &ways, turn.arena);
    if (str_is_absent(text))
        return ERR_NO_MEMORY;
    for (size_t i = 0; i < answer->option_count; i++)
        if (str_equal(answer->option_texts[i], text))
            return ERR_OK;
    answer->option_texts[answer->option_count++] = text;
    return ERR_OK;
}

/* Each way to join the tables that is as good as the best. */
static enum err_code try_ways(const struct turn *turn, struct offline_answer *answer)
{
    enum err_code code = try_way(turn, NULL, answer);
    for (size_t i = 0;
         code == ERR_OK && i < turn->ways->edge_count && answer->option_count < OFFLINE_OPTIONS;
         i++)
        code = try_way(turn, turn->ways->edges[i], answer);
    return code;
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

/* The question by each lexicon that settles it one way. */
static enum err_code try_settled(const struct turn *turn, const struct lexicon *with, size_t count,
                                 struct offline_answer *answer)
{
    enum err_code code = ERR_OK;
    for (size_t i = 0; code == ERR_OK && i < count; i++) {
        struct offline_source *source = arena_alloc(turn->arena, sizeof *source);
        struct lexicon *lexicon = arena_alloc(turn->arena, sizeof *lexicon);
        if (source == NULL || lexicon == NULL)
            return ERR_NO_MEMORY;
        *lexicon = with[i];
        *source = *turn->source;
        source->lexicon = lexicon;
        code = try_option(turn, NULL, 0, source, answer);
    }
    return code;
}

/* Collect the options of a question that was left open; a single reading is no choice. */
static enum err_code ask_back(const struct turn *turn, const struct offline_tie *tie,
                              struct offline_answer *answer)
{
    enum err_code code = ERR_OK;
    struct lexicon with[OFFLINE_OPTIONS];
    size_t settled = offline_clarify_settle(turn->source->lexicon, &answer->reading, turn->arena,
                                            with, OFFLINE_OPTIONS);
    bool by_counts =
        tie->count == 0 && settled == 0 && answer->reading.wants == READING_WANTS_NUMBER;
    bool by_rank = tie->count == 0 && answer->reading.wants == READING_WANTS_RANK;
    bool by_ways = tie->count == 0 && turn->ways->tied;
    if (tie->count == 0 && settled == 0 && !by_counts && !by_rank && !by_ways)
        return ERR_OK;
    answer->options = arena_array(turn->arena, OFFLINE_OPTIONS, sizeof *answer->options);
    if (answer->options == NULL)
        return ERR_NO_MEMORY;
    if (by_counts)
        code = try_counts(turn, answer);
    if (by_rank)
        code = try_rankings(turn, answer);
    if (by_ways)
        code = try_ways(turn, answer);
    for (size_t k = 0; code == ERR_OK && k < tie->count; k++)
        code = try_option(turn, tie, k, turn->source, answer);
    if (code == ERR_OK && tie->count == 0)
        code = try_settled(turn, with, settled, answer);
    if (code == ERR_OK && !tell_apart(turn->source->lexicon, answer, turn->arena))
        code = ERR_NO_MEMORY;
    return code;
}

/* The question by the grammar: the cheapest reading that a statement can say, unless one that asks
 * for something else is nearly as cheap. *clear: there is one. */
static enum err_code read_grammar(struct turn *turn, struct offline_answer *answer, bool *clear)
{
    enum { MARGIN = 1, LATER = 2, DEAR = 10, DEAREST = 24 };
    struct chart_result result;
    struct offline_answer other;
    const struct chart_reading *best = NULL;
    *clear = false;
    enum err_code code = grammar_read(turn->arena, turn->source->lexicon, turn->tokens,
                                      turn->token_count, turn->source->today, &result);
    const int least = result.readings[0].cost;
    const int dearest = (int)size_min(DEAR + turn->token_count, DEAREST);
    for (size_t i = 0; code == ERR_OK && i < result.count; i++) {
        const struct chart_reading *reading = &result.readings[i];
        int most = best != NULL ? best->cost + MARGIN : least + LATER;
        if (reading->cost > dearest || reading->cost > most)
            break;
        struct offline_answer *to = best != NULL ? &other : answer;
        *to = (struct offline_answer){.cannot = to->reading.cannot};
        if (!grammar_flatten(turn->source->lexicon, reading->sense, &to->reading))
            continue;
        code = finish_turn(turn, to);
        if (code != ERR_OK || !to->understood)
            continue;
        if (best == NULL) {
            best = reading;
            *clear = true;
        } else if (!sense_is_like(reading->sense, best->sense) &&
                   !str_equal(to->sql, answer->sql)) {
            *clear = false;
        }
    }
    return code;
}

static bool means_table(const struct lexicon_item *item)
{
    for (size_t i = 0; i < item->link_count; i++)
        if (item->links[i].kind == LINK_TABLE)
            return true;
    return false;
}

/* Whether the word is what a row says of itself, as it stands: "active" of isActive, but not
 * "block" of "blocked". */
static bool is_said_so(const struct lexicon *lexicon, const struct lexicon_item *item)
{
    for (size_t i = 0; i < item->link_count; i++) {
        const struct lexicon_link *link = &item->links[i];
        if (link->kind == LINK_VALUE ? str_equal_nocase(link->value, item->text)
                                     : link->named != NULL)
            return true;
        if (link->column >= 0 &&
            str_ends_with_nocase(lexicon->catalog->tables[link->table].columns[link->column].name,
                                 item->text))
            return true;
    }
    return false;
}

/* "block customer 17": a verb, one row by its key, and nothing else is no question. The verb is
 * known only by what it makes of a row; it becomes a word that changes data. */
static void note_command(const struct turn *turn)
{
    struct lexicon_item *items = turn->items;
    if (turn->item_count != 3 || items[0].kind != ITEM_MENTION || items[0].plural ||
        items[0].link_count == 0 || means_table(&items[0]) || !means_table(&items[1]) ||
        is_said_so(turn->source->lexicon, &items[0]))
        return;
    bool one = items[2].kind == ITEM_NUMBER || items[2].kind == ITEM_LITERAL ||
               (items[2].kind == ITEM_MENTION && items[2].link_count > 0 &&
                items[2].links[0].kind == LINK_VALUE);
    if (!one)
        return;
    items[0].kind = ITEM_CUE;
    items[0].cue = CUE_WRITE;
}

/* Whether it opens with a word that changes data. */
static bool opens_with_write(const struct turn *turn)
{
    const struct lexicon_item *items = turn->items;
    for (size_t i = 0; i < 2 && i < turn->item_count; i++)
        if (items[i].cue == CUE_WRITE && (i == 0 || items[0].cue == CUE_SKIP))
            return true;
    return false;
}

/* The question by the walk over its items. */
static enum err_code read_walker(struct turn *turn, struct offline_answer *answer)
{
    struct offline_tie tie = {.count = 0};
    enum err_code code = read_plain(turn, answer, &tie);
    bool open = tie.count > 0 || turn->ways->tied || answer->reading.wants != READING_WANTS_NOTHING;
    return code == ERR_OK && !answer->understood && open ? ask_back(turn, &tie, answer) : code;
}

/* The question by the grammar, or by the walk where the grammar has no clear reading. */
static enum err_code read_alone(struct turn *turn, struct offline_answer *answer)
{
    struct offline_answer *first = arena_alloc(turn->arena, sizeof *first);
    struct jointree_ways ways = {.tied = false};
    struct turn again = *turn;
    bool clear = false;
    if (first == NULL)
        return ERR_NO_MEMORY;
    again.ways = &ways;
    note_command(turn);
    enum err_code code = opens_with_write(turn) ? ERR_OK : read_grammar(&again, first, &clear);
    if (code != ERR_OK || !clear)
        return code == ERR_OK ? read_walker(turn, answer) : code;
    *answer = *first;
    answer->cannot = answer->reading.cannot;
    answer->names_table = true;
    answer->mended = list_mended(turn, false);
    answer->asks_number = asks_number(turn->items, turn->item_count);
    return ERR_OK;
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
                                   count, NULL, &err) != ERR_OK)
        return refuse(answer, str_of(err.text));
    turn->item_count = offline_resolve_metrics(turn->items, turn->item_count);
    if (!offline_follow_patch(turn->source->lexicon, turn->items, turn->item_count,
                              &answer->reading))
        return ERR_OK;
    return finish_turn(turn, answer);
}

/* "and in the other department?": only a condition, of what was asked before. */
static bool says_where_else(const struct turn *turn)
{
    return turn->item_count > 1 && str_equal(turn->tokens[0].lower, STR("and")) &&
           turn->items[1].kind == ITEM_CUE && turn->items[1].cue == CUE_PREP;
}

/* The question by itself, or as a change of the one before: NULL, there is none. */
static enum err_code read_open(struct turn *turn, const struct offline_answer *before,
                               struct offline_answer *answer)
{
    enum err_code code = ERR_OK;
    enum offline_follow follow =
        before == NULL ? FOLLOW_NOT : offline_follow_is(turn->items, turn->item_count);
    if (before == NULL && turn->token_count > 0 && str_equal(turn->tokens[0].lower, STR("and")))
        return refuse(answer, STR("there is no question before this one that it goes on from"));
    if (follow == FOLLOW_MUST)
        return read_on(turn, before, answer);
    if (before != NULL && says_where_else(turn)) {
        code = read_on(turn, before, answer);
        if (code != ERR_OK || answer->understood)
            return code;
        *answer = (struct offline_answer){.cannot = answer->reading.cannot};
        code = link_turn(turn); /* the attempt has changed them */
    }
    if (code == ERR_OK)
        code = read_alone(turn, answer);
    if (code != ERR_OK || answer->understood || answer->writes || follow == FOLLOW_NOT)
        return code;
    code = link_turn(turn); /* walking has changed them */
    return code == ERR_OK ? read_on(turn, before, answer) : code;
}

/* before: the answer to the question before; NULL: there is none. */
static enum err_code read_turn(const struct offline_source *source, struct str question,
                               const struct offline_answer *before, struct arena *arena,
                               struct offline_answer *answer)
{
    struct jointree_ways ways = {.tied = false};
    struct turn turn = {.source = source, .arena = arena, .question = question, .ways = &ways};
    struct offline_token *tokens;
    *answer = (struct offline_answer){.cannot = answer->reading.cannot};
    if (!str_is_utf8(question))
        return refuse(answer, STR("the question is not UTF-8 text"));
    enum err_code code = english_tokens_of(arena, question, &tokens, &turn.token_count);
    if (code == ERR_TOO_LARGE)
        return refuse(answer, STR("the question is too long"));
    if (code == ERR_OK && turn.token_count == 0)
        return refuse(answer, STR("there is no question"));
    turn.tokens = tokens;
    if (code == ERR_OK) {
        turn.token_count = offline_courtesy_drop(source->lexicon, tokens, turn.token_count);
        turn.token_count = offline_phrasing_arrange(tokens, turn.token_count);
        code = link_turn(&turn);
    }
    if (code != ERR_OK)
        return code;
    answer->sql = lexicon_verified_find(source->lexicon, source->dialect, turn.items,
                                        turn.item_count, arena, &answer->verified);
    answer->understood = answer->verified != NULL && !str_is_absent(answer->sql);
    if (answer->understood)
        return ERR_OK;
    return read_open(&turn, before, answer);
}

/* The next turn: *answer is that of the turn before, and may have asked back. */
static enum err_code read_next(const struct offline_source *source, struct str question,
                               const struct offline_answer *before, struct arena *arena,
                               struct offline_answer *answer)
{
    size_t picked;
    if (offline_clarify_pick(question, answer->option_texts, answer->option_count, arena,
                             &picked)) {
        *answer = answer->options[picked];
        answer->cannot = answer->reading.cannot;
        return ERR_OK;
    }
    return read_turn(source, question, before, arena, answer);
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
    answer->option_count = 0;
    while (asked.len > 0) {
        struct str line = str_trim(str_split(&asked, '\n'));
        enum err_code code =
            line.len == 0 ? ERR_OK
                          : read_next(source, line, has_before ? before : NULL, arena, answer);
        if (code != ERR_OK)
            return code;
        if (line.len > 0 && answer->understood) {
            *before = *answer;
            before->cannot = before->reading.cannot;
            has_before = answer->verified == NULL; /* there is no reading to change */
        }
    }
    *out = answer;
    return read_next(source, question, has_before ? before : NULL, arena, answer);
}

enum err_code offline_question_read(const struct offline_source *source, struct str question,
                                    struct arena *arena, struct offline_answer **out)
{
    return offline_question_read_after(source, STR(""), question, arena, out);
}
