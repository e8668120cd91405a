/* SPDX-License-Identifier: MIT */
/* agents/offline/answers/turn.c - one question by the grammar: senses -> readings -> SQL.
 *
 * Happy path: the cheapest sense that a statement can say is the answer. Failure: none is, and the
 * reason is that of the cheapest, or the word at which the grammar was lost. */
#include "agents/offline/answers/turn.h"

#include "agents/lexicon/facts.h"
#include "agents/lexicon/trade.h"
#include "agents/offline/answers/alike.h"
#include "agents/offline/compose/extremes.h"
#include "agents/offline/compose/possible.h"
#include "agents/offline/compose/referred.h"
#include "agents/offline/grammar/flatten.h"
#include "agents/offline/grammar/grammar.h"
#include "agents/offline/reading/courtesy.h"
#include "agents/offline/reading/phrasing.h"
#include "agents/semantic/model.h"

#include <string.h>

enum { SQL_BYTES = 16 << 10 };

void offline_turn_clear(struct offline_answer *answer)
{
    *answer = (struct offline_answer){.cannot = answer->reading.cannot};
}

enum err_code offline_turn_refuse(struct offline_answer *answer, struct str why)
{
    size_t len = size_min(why.len, CANNOT_BYTES - 1);
    memcpy(answer->reading.cannot, why.at, len);
    answer->reading.cannot[len] = '\0';
    return ERR_OK;
}

enum err_code offline_turn_open(struct turn *turn)
{
    struct offline_token *tokens;
    enum err_code code =
        english_tokens_of(turn->arena, turn->question, &tokens, &turn->token_count);
    if (code != ERR_OK)
        return code;
    turn->tokens = tokens;
    turn->token_count = offline_courtesy_drop(turn->source->lexicon, tokens, turn->token_count);
    turn->unit = offline_courtesy_drop_unit(tokens, &turn->token_count);
    turn->token_count = offline_phrasing_arrange(tokens, turn->token_count);
    return lexicon_link_items(turn->arena, turn->source->lexicon, tokens, turn->token_count,
                              turn->source->today, &turn->items, &turn->item_count);
}

/* The statement again, of own columns alone, and joined as it is. */
static enum err_code compose_own(const struct turn *turn, struct compose_schema schema,
                                 const struct jointree_ways *ways, struct offline_answer *answer)
{
    struct buf out;
    struct err err = {0};
    struct jointree_ways same = {.tied = false};
    answer->own_sql = answer->sql;
    if (!offline_referred_are_shown(schema.lexicon, &answer->reading))
        return ERR_OK;
    if (ways != NULL) {
        same.settled = ways->settled;
        same.avoid = ways->avoid;
        schema.joins.ways = &same;
    }
    schema.own_only = true;
    schema.left_out = NULL;
    buf_init(&out, SQL_BYTES);
    enum err_code code = offline_compose_sql(&schema, &answer->reading, &out, &err);
    if (code == ERR_OK)
        answer->own_sql = arena_str(turn->arena, buf_str(&out));
    buf_fini(&out);
    return code == ERR_NO_MEMORY || str_is_absent(answer->own_sql) ? ERR_NO_MEMORY : ERR_OK;
}

static enum err_code compose(const struct turn *turn, struct jointree_ways *ways,
                             struct offline_answer *answer)
{
    const struct offline_source *source = turn->source;
    struct str *words = arena_array(turn->arena, turn->token_count + 1, sizeof *words);
    size_t count = 0;
    struct buf out;
    struct err err = {0};
    if (words == NULL)
        return ERR_NO_MEMORY;
    for (size_t i = 0; i < turn->token_count; i++)
        if (turn->tokens[i].kind == TOKEN_WORD)
            words[count++] = turn->tokens[i].lower;
    const struct compose_schema schema = {
        .lexicon = source->lexicon,
        .joins = {source->lexicon->catalog, source->joins, source->finder, words, count, ways},
        .dialect = source->dialect,
        .today = source->today,
        .left_out = &answer->reading.left_out,
    };
    answer->reading.left_out.count = 0;
    buf_init(&out, SQL_BYTES);
    offline_extremes_settle(source->lexicon, &answer->reading);
    enum err_code code = offline_compose_sql(&schema, &answer->reading, &out, &err);
    if (code == ERR_OK) {
        answer->sql = arena_str(turn->arena, buf_str(&out));
        answer->understood = !str_is_absent(answer->sql);
        code = answer->understood ? compose_own(turn, schema, ways, answer) : ERR_NO_MEMORY;
    } else if (code != ERR_NO_MEMORY) {
        code = offline_turn_refuse(answer, str_of(err.text));
    }
    buf_fini(&out);
    return code;
}

/* The unit that an output is kept in. */
static struct english_unit unit_of(const struct lexicon *lexicon, const struct reading_out *out)
{
    if (out->agg == AGG_METRIC)
        return english_units_find(out->on.metric->unit);
    if (out->on.column == READING_NONE || out->on.since == READING_AGE || out->agg == AGG_COUNT ||
        out->agg == AGG_DISTINCT)
        return (struct english_unit){UNIT_OF_NOTHING, 0};
    return out->on.since != 0 ? (struct english_unit){UNIT_OF_TIME, ENGLISH_UNITS_DAY}
                              : lexicon_facts_unit(lexicon, out->on.table, out->on.column);
}

/* Amounts in the unit that is asked for, and cents in euros unless in that they are. False: it asks
 * for a unit of time, or for cents, of what is not kept in one. */
static bool count_in_units(const struct turn *turn, struct offline_reading *r)
{
    enum { UNIT = 100 };
    bool fits = turn->unit.of == UNIT_OF_PARTS
                    ? r->ratio
                    : turn->unit.of != UNIT_OF_TIME && turn->unit.size != 1;
    r->unit = turn->unit;
    for (size_t i = 0; i < r->out_count; i++) {
        struct reading_out *out = &r->outs[i];
        struct english_unit kept = unit_of(turn->source->lexicon, out), said = turn->unit;
        bool cents = kept.of == UNIT_OF_MONEY && kept.size == 1 && out->agg != AGG_METRIC;
        if (said.of == UNIT_OF_NOTHING && out->on.unit_size > 0)
            said = (struct english_unit){UNIT_OF_TIME, out->on.unit_size};
        if (cents && said.of != UNIT_OF_MONEY)
            said = (struct english_unit){UNIT_OF_MONEY, UNIT};
        fits = fits || (kept.of == turn->unit.of && kept.of != UNIT_OF_NOTHING);
        if (kept.of != said.of || kept.of == UNIT_OF_NOTHING)
            continue;
        out->times = kept.size > said.size ? kept.size / said.size : 0;
        out->over = said.size > kept.size ? said.size / kept.size : 0;
        if (said.of == UNIT_OF_TIME)
            out->on.unit_size = said.size;
    }
    return fits || (r->out_count == 0 && turn->unit.of == UNIT_OF_MONEY);
}

enum err_code offline_turn_answer(const struct turn *turn, const struct sense *sense,
                                  struct jointree_ways *ways, struct offline_answer *answer)
{
    offline_turn_clear(answer);
    answer->sense = sense;
    answer->lexicon = turn->source->lexicon;
    if (!grammar_flatten(turn->source->lexicon, sense, &answer->reading))
        return ERR_OK;
    if (!count_in_units(turn, &answer->reading))
        return offline_turn_refuse(answer, STR("nothing of it is kept in such units"));
    if (!offline_possible(&answer->reading))
        return offline_turn_refuse(answer, STR("the conditions exclude each other"));
    return compose(turn, ways, answer);
}

/* What a statement says of which rows, whatever it shows of them. */
static struct str rows_of(struct str sql)
{
    ptrdiff_t at = str_find(sql, STR(" FROM "));
    return at == STR_NONE ? sql : str_from(sql, (size_t)at);
}

/* Whether two answers list the same rows, and show more or less of them. */
static bool list_same(const struct offline_answer *a, const struct offline_answer *b)
{
    bool free = a->sense->columns == NULL || b->sense->columns == NULL; /* what is shown */
    return free && a->sense->kind == SENSE_ROWS && b->sense->kind == SENSE_ROWS &&
           a->reading.distinct == b->reading.distinct &&
           str_equal(rows_of(a->own_sql), rows_of(b->own_sql));
}

/* The table whose sales an answer adds up, known by their shape alone, or NULL. */
static const struct semantic_named *sales_of(const struct offline_answer *answer)
{
    const struct offline_reading *r = &answer->reading;
    const struct semantic_named *metric =
        r->out_count > 0 && r->outs[0].agg == AGG_METRIC ? r->outs[0].on.metric : NULL;
    return metric != NULL && lexicon_trade_is_made(metric) ? metric : NULL;
}

/* Whether one adds up invoices and the other their lines, which is the same money. */
static bool sell_same(const struct offline_answer *a, const struct offline_answer *b)
{
    const struct semantic_named *one = sales_of(a), *other = sales_of(b);
    return one != NULL && other != NULL && a->reading.out_count == b->reading.out_count &&
           a->reading.group_count == b->reading.group_count &&
           (a->lexicon->facts[one->table].header == other->table ||
            a->lexicon->facts[other->table].header == one->table);
}

/* Whether an answer is among those found: it asks for the same, or for the same rows. */
static bool is_found(const struct offline_answer *found, size_t count,
                     const struct offline_answer *answer)
{
    for (size_t i = 0; i < count; i++)
        if (sense_is_like(found[i].sense, answer->sense) || str_equal(found[i].sql, answer->sql) ||
            list_same(&found[i], answer) || sell_same(&found[i], answer) ||
            offline_alike(found[i].own_sql, answer->own_sql))
            return true;
    return false;
}

void offline_turn_put(struct offline_answer *to, const struct offline_answer *from)
{
    *to = *from;
    to->cannot = to->reading.cannot;
}

enum err_code offline_turn_offer(struct offline_answer *answer, struct offline_answer *options,
                                 size_t count)
{
    offline_turn_clear(answer);
    for (size_t i = 0; i < count; i++)
        options[i].cannot = options[i].reading.cannot;
    answer->options = options;
    answer->option_count = count;
    return offline_turn_refuse(answer, STR("it could mean more than one thing"));
}

enum err_code offline_turn_choose(const struct turn *turn, const struct chart_result *readings,
                                  struct jointree_ways *ways, struct offline_answer *answer)
{
    enum { MARGIN = 1, LATER = 2, DEAR = 10, DEAREST = 24 };
    const int dearest = (int)size_min(DEAR + turn->token_count, DEAREST);
    struct offline_answer *found = arena_array(turn->arena, OFFLINE_OPTIONS + 1, sizeof *found);
    size_t count = 0;
    int most = readings->readings[0].cost + LATER, tied = most + 1;
    if (found == NULL)
        return ERR_NO_MEMORY;
    for (size_t i = 0; i < readings->count && count < OFFLINE_OPTIONS; i++) {
        const struct chart_reading *reading = &readings->readings[i];
        struct jointree_ways its = {.tied = false};
        if (reading->cost > dearest || reading->cost > most)
            break;
        enum err_code code = offline_turn_answer(turn, reading->sense, &its, &found[count]);
        if (code != ERR_OK)
            return code;
        found[count].cost = reading->cost;
        if (i == 0 || (count == 0 && found[0].understood))
            *ways = its;
        if (i == 0) {
            offline_turn_put(answer, &found[0]);
            tied = its.tied && !found[0].understood ? reading->cost : tied;
        }
        if (!found[count].understood || is_found(found, count, &found[count]))
            continue;
        if (count++ == 0)
            most = reading->cost + MARGIN;
    }
    if (count <= 1) { /* as good: how its tables join is open */
        if (count == 1 && tied > found[0].cost)
            offline_turn_put(answer, &found[0]);
        return ERR_OK;
    }
    return offline_turn_offer(answer, found, count);
}

static enum err_code say_why(struct arena *arena, const struct chart_result *readings,
                             struct offline_answer *answer)
{
    if (!str_is_absent(readings->unknown))
        return offline_turn_refuse(answer,
                                   arena_printf(arena, "'%.*s' is not a word of this database",
                                                STR_ARG(readings->unknown)));
    if (!str_is_absent(readings->readable))
        return offline_turn_refuse(
            answer, arena_printf(arena, "'%.*s' is understood, but not '%.*s' with it",
                                 STR_ARG(readings->readable), STR_ARG(readings->rest)));
    if (!str_is_absent(readings->lost))
        return offline_turn_refuse(
            answer, arena_printf(arena, "'%.*s' is not understood here", STR_ARG(readings->lost)));
    if (readings->cut_short)
        return offline_turn_refuse(answer, STR("the question seems to be cut short"));
    return offline_turn_refuse(answer, STR("how its words go together is not understood"));
}

enum err_code offline_turn_read(struct turn *turn, struct jointree_ways *ways,
                                struct offline_answer *answer)
{
    struct chart_result readings;
    offline_turn_clear(answer);
    enum err_code code =
        grammar_read(turn->arena, turn->source->lexicon, turn->tokens, turn->token_count,
                     turn->source->today, SYMBOL_QUERY, &readings);
    if (code == ERR_OK && readings.count > 0)
        code = offline_turn_choose(turn, &readings, ways, answer);
    if (code == ERR_OK && !answer->understood && answer->cannot[0] == '\0')
        code = say_why(turn->arena, &readings, answer);
    return arena_ok(turn->arena) ? code : ERR_NO_MEMORY;
}
