/* SPDX-License-Identifier: MIT */
/* agents/offline/answers/question.c - a conversation, question by question: each is read by itself,
 * or as a change of the one before, or chooses an option of it.
 *
 * Happy path: an answer, and what it took words for. Failure: the reason why there is none, with
 * options where the question was open; only spent memory is an error. */
#include "agents/offline/answers/question.h"

#include "agents/lexicon/describe_names.h"
#include "agents/lexicon/verified.h"
#include "agents/offline/answers/clarify.h"
#include "agents/offline/answers/follow.h"
#include "agents/offline/answers/options.h"
#include "agents/offline/grammar/change.h"
#include "agents/offline/grammar/grammar.h"
#include "agents/semantic/model.h"

enum { MENDED_BYTES = 1000 };

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
static struct str list_mended(const struct turn *turn)
{
    struct buf out;
    buf_init(&out, MENDED_BYTES);
    for (size_t i = 0; i < turn->item_count; i++) {
        const struct lexicon_item *item = &turn->items[i];
        if (!item->mended || item->kind != ITEM_MENTION)
            continue;
        buf_printf(&out, "%s'%.*s' as ", buf_len(&out) > 0 ? ", " : "", STR_ARG(item->text));
        push_meant(turn->source->lexicon, &item->links[0], &out);
    }
    struct str text = buf_ok(&out) ? arena_str(turn->arena, buf_str(&out)) : STR("");
    buf_fini(&out);
    return text;
}

static bool means_table(const struct lexicon_item *item)
{
    for (size_t i = 0; i < item->link_count; i++)
        if (item->links[i].kind == LINK_TABLE)
            return true;
    return false;
}

static bool is_called(const struct semantic_named *named, struct str text)
{
    for (size_t i = 0; i < named->synonyms.count; i++)
        if (str_equal_nocase(named->synonyms.at[i], text))
            return true;
    return str_equal_nocase(named->name, text);
}

/* Whether the word is what a row says of itself, as it stands: "active" of isActive, but not
 * "block" of "blocked". */
static bool is_said_so(const struct lexicon *lexicon, const struct lexicon_item *item)
{
    for (size_t i = 0; i < item->link_count; i++) {
        const struct lexicon_link *link = &item->links[i];
        if (link->kind == LINK_VALUE ? str_equal_nocase(link->value, item->text)
                                     : link->named != NULL && is_called(link->named, item->text))
            return true;
        if (link->column >= 0 &&
            str_ends_with_nocase(lexicon->catalog->tables[link->table].columns[link->column].name,
                                 item->text))
            return true;
    }
    return false;
}

/* A row by its key, and nothing else: "customer 17". */
static bool is_one_row(const struct lexicon_item *items, size_t count)
{
    return count == 2 && means_table(&items[0]) &&
           (items[1].kind == ITEM_NUMBER || items[1].kind == ITEM_LITERAL ||
            (items[1].kind == ITEM_MENTION && items[1].link_count > 0 &&
             items[1].links[0].kind == LINK_VALUE));
}

/* What a verb is done to: "refund all cancelled bookings", "close the tickets of Acme". */
static bool is_object(const struct turn *turn)
{
    static const char *const determiners[] = {"all",   "each", "every", "her", "his",
                                              "my",    "our",  "that",  "the", "their",
                                              "these", "this", "those"};
    if (turn->token_count < 2 || turn->tokens[1].kind != TOKEN_WORD ||
        !str_is_listed(turn->tokens[1].lower, determiners, countof(determiners)))
        return false;
    for (size_t i = 1; i < turn->item_count; i++)
        if (means_table(&turn->items[i]))
            return true;
    return false;
}

/* A verb and what it is done to are no question. The verb is known only by what it makes of a row
 * ("block": blocked); it becomes a word that changes data. */
static void note_command(const struct turn *turn)
{
    struct lexicon_item *items = turn->items;
    if (turn->item_count < 2 || items[0].kind != ITEM_MENTION || items[0].plural ||
        items[0].link_count == 0 || means_table(&items[0]) ||
        is_said_so(turn->source->lexicon, &items[0]) ||
        (!is_one_row(&items[1], turn->item_count - 1) && !is_object(turn)))
        return;
    items[0].kind = ITEM_CUE;
    items[0].cue = CUE_WRITE;
}

/* The first item that says something: not of "could you please". */
static size_t first_said(const struct turn *turn)
{
    size_t at = 0;
    while (at < turn->item_count && turn->items[at].kind == ITEM_CUE &&
           turn->items[at].cue == CUE_SKIP)
        at++;
    return at;
}

/* Whether it opens with a word that changes data. */
static bool opens_with_write(const struct turn *turn)
{
    size_t at = first_said(turn);
    return at < turn->item_count && turn->items[at].cue == CUE_WRITE;
}

/* "Who are you?" asks for nothing that is in rows. */
static bool asks_nothing(const struct turn *turn)
{
    for (size_t i = 0; i < turn->item_count; i++)
        if (turn->items[i].kind != ITEM_CUE || turn->items[0].cue != CUE_WHO)
            return false;
    return turn->item_count > 0;
}

static enum err_code refuse_write(const struct turn *turn, struct offline_answer *answer)
{
    const struct lexicon_item *verb = &turn->items[first_said(turn)];
    struct str why = arena_printf(turn->arena, "it only reads data, and '%.*s' would change some",
                                  STR_ARG(verb->text));
    answer->writes = true;
    return str_is_absent(why) ? ERR_NO_MEMORY : offline_turn_refuse(answer, why);
}

static void note_words(const struct turn *turn, struct offline_answer *answer)
{
    answer->names_table =
        answer->understood || answer->option_count > 0 || names_data(turn->items, turn->item_count);
    answer->asks_number = asks_number(turn->items, turn->item_count);
    answer->mended = list_mended(turn);
}

/* The question by itself. */
static enum err_code read_alone(struct turn *turn, struct offline_answer *answer)
{
    struct jointree_ways ways = {.tied = false};
    enum err_code code = ERR_OK;
    note_command(turn);
    if (opens_with_write(turn))
        code = refuse_write(turn, answer);
    else if (asks_nothing(turn))
        code = offline_turn_refuse(answer, STR("nothing of this database is asked about"));
    else
        code = offline_turn_read(turn, &ways, answer);
    if (code == ERR_OK && !answer->understood && !answer->writes)
        code = offline_options_find(turn, &ways, answer);
    note_words(turn, answer);
    return code;
}

/* The question before as changes make it, cheapest first, each with its cost; those that do not fit
 * are left out. */
static enum err_code lay_over(const struct turn *turn, const struct offline_source *source,
                              const struct sense *before, struct chart_result *changes)
{
    size_t kept = 0;
    for (size_t i = 0; i < changes->count; i++) {
        int more = 0;
        struct sense *sense = arena_alloc(turn->arena, sizeof *sense);
        if (sense == NULL)
            return ERR_NO_MEMORY;
        if (!grammar_change(turn->arena, source->lexicon, source->today, before,
                            changes->readings[i].sense, sense, &more))
            continue;
        struct chart_reading made = {sense, changes->readings[i].cost + more};
        size_t at = kept++;
        for (; at > 0 && changes->readings[at - 1].cost > made.cost; at--)
            changes->readings[at] = changes->readings[at - 1];
        changes->readings[at] = made;
    }
    changes->count = kept;
    return ERR_OK;
}

/* The question as a change of the one before. *cost: of the change, when there is one. */
static enum err_code read_on(const struct turn *turn, const struct offline_answer *before,
                             struct offline_answer *answer, int *cost)
{
    struct turn after = *turn;
    struct offline_source source = *turn->source;
    struct jointree_ways ways = {.tied = false};
    struct chart_result changes;
    source.lexicon = before->lexicon;
    after.source = &source;
    offline_turn_clear(answer);
    answer->names_table = true;
    enum err_code code = grammar_read(turn->arena, source.lexicon, turn->tokens, turn->token_count,
                                      source.today, SYMBOL_CHANGE, &changes);
    if (code == ERR_OK)
        code = lay_over(turn, &source, before->sense, &changes);
    for (size_t i = 0; code == ERR_OK && i < changes.count && !answer->understood; i++) {
        *cost = changes.readings[i].cost;
        code = offline_turn_answer(&after, changes.readings[i].sense, &ways, answer);
    }
    answer->names_table = true;
    answer->mended = list_mended(turn);
    if (code == ERR_OK && !answer->understood && answer->cannot[0] == '\0')
        code = offline_turn_refuse(answer, STR("what changes in the answer before is not clear"));
    return arena_ok(turn->arena) ? code : ERR_NO_MEMORY;
}

/* The question as a change of each reading of the one before, which may have had several: one that
 * is left is meant, of more it is open again. */
static enum err_code read_on_each(const struct turn *turn, const struct offline_answer *before,
                                  struct offline_answer *answer, int *cost)
{
    struct offline_answer *made = arena_array(turn->arena, OFFLINE_OPTIONS, sizeof *made);
    size_t count = 0;
    if (before->understood)
        return read_on(turn, before, answer, cost);
    if (made == NULL)
        return ERR_NO_MEMORY;
    for (size_t i = 0; i < before->option_count && count < OFFLINE_OPTIONS; i++) {
        enum err_code code = read_on(turn, &before->options[i], &made[count], cost);
        if (code != ERR_OK)
            return code;
        bool is_new = made[count].understood;
        for (size_t k = 0; k < count && is_new; k++)
            is_new = !str_equal(made[k].sql, made[count].sql);
        if (i == 0 && !is_new) { /* what is wrong with the first is said */
            offline_turn_put(answer, &made[0]);
        }
        count += is_new;
    }
    if (count == 0)
        return ERR_OK;
    offline_turn_put(answer, &made[0]);
    if (count == 1)
        return ERR_OK;
    enum err_code code = offline_turn_offer(answer, made, count);
    answer->names_table = true;
    return code == ERR_OK ? offline_options_tell(turn, answer) : code;
}

/* The question by itself, or as a change of the one before: NULL, there is none. Where it may be
 * either, it is what costs less. */
static enum err_code read_open(struct turn *turn, const struct offline_answer *before,
                               struct offline_answer *answer)
{
    int alone = 0, changed = 0;
    enum offline_follow follow =
        before == NULL ? FOLLOW_NOT : offline_follow_is(turn->items, turn->item_count);
    if (before == NULL && turn->token_count > 0 && str_equal(turn->tokens[0].lower, STR("and")))
        return offline_turn_refuse(
            answer, STR("there is no question before this one that it goes on from"));
    if (follow == FOLLOW_MUST)
        return read_on_each(turn, before, answer, &changed);
    enum err_code code = read_alone(turn, answer);
    if (code != ERR_OK || answer->writes || follow == FOLLOW_NOT)
        return code;
    struct offline_answer *other = arena_alloc(turn->arena, sizeof *other);
    if (other == NULL)
        return ERR_NO_MEMORY;
    code = read_on_each(turn, before, other, &changed);
    alone = answer->cost;
    const bool is_read =
        other->understood || (other->option_count > 0 && answer->option_count == 0);
    if (code == ERR_OK && is_read && (!answer->understood || changed <= alone)) {
        offline_turn_put(answer, other);
    } else if (!answer->understood && answer->option_count == 0 && !other->understood) {
        offline_turn_put(answer, other);
    }
    return code;
}

struct str offline_question_in_english(const struct offline_source *source, struct str question,
                                       struct arena *arena)
{
    struct buf english;
    if (source->words == NULL)
        return question;
    buf_init(&english, OFFLINE_QUESTION_MAX);
    if (source->words->read_question(question, &english))
        question = buf_ok(&english) ? arena_str(arena, buf_str(&english)) : (struct str){NULL, 0};
    buf_fini(&english);
    return question;
}

/* before: the answer to the question before; NULL: there is none. */
static enum err_code read_turn(const struct offline_source *source, struct str question,
                               const struct offline_answer *before, struct arena *arena,
                               struct offline_answer *answer)
{
    struct turn turn = {.source = source, .arena = arena, .question = question};
    offline_turn_clear(answer);
    if (!str_is_utf8(question))
        return offline_turn_refuse(answer, STR("the question is not UTF-8 text"));
    turn.question = offline_question_in_english(source, question, arena);
    if (str_is_absent(turn.question) && !str_is_absent(question))
        return ERR_NO_MEMORY;
    enum err_code code = offline_turn_open(&turn);
    if (code == ERR_TOO_LARGE)
        return offline_turn_refuse(answer, STR("the question is too long"));
    if (code == ERR_OK && turn.token_count == 0)
        return offline_turn_refuse(answer, STR("there is no question"));
    if (code != ERR_OK)
        return code;
    answer->sql = lexicon_verified_find(source->lexicon, source->dialect, turn.items,
                                        turn.item_count, arena, &answer->verified);
    answer->own_sql = answer->sql;
    answer->understood = answer->verified != NULL && !str_is_absent(answer->sql);
    return answer->understood ? ERR_OK : read_open(&turn, before, answer);
}

/* The next turn: *answer is that of the turn before, and may have asked back. */
static enum err_code read_next(const struct offline_source *source, struct str question,
                               const struct offline_answer *before, struct arena *arena,
                               struct offline_answer *answer)
{
    size_t picked;
    if (offline_clarify_pick(question, answer->option_texts, answer->option_count, source->words,
                             arena, &picked)) {
        offline_turn_put(answer, &answer->options[picked]);
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
        if (line.len > 0 && (answer->understood || answer->option_count > 0)) {
            offline_turn_put(before, answer);
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
