/* SPDX-License-Identifier: MIT */
/* agents/nodes/candidates.c - one candidate after the other, then a decision.
 *
 * Happy path: the engine's statement passes the guard, costs little, runs and has the rows of the
 * first: the first answers. Where rows differ the model is asked which statement is right, and its
 * number is taken. Failure: a candidate that the guard, the limits or the database refuse is
 * dropped; a decision that cannot be had leaves the first, with a warning; a cancelled call ends
 * the node. */
#include "agents/nodes/candidates.h"

#include "agents/common/extract.h"
#include "agents/nodes/approve_sql.h"
#include "agents/nodes/asked.h"
#include "agents/nodes/facts.h"
#include "agents/nodes/literals.h"
#include "agents/nodes/second_look.h"
#include "agents/nodes/take_sql.h"
#include "agents/rows/agree.h"
#include "agents/rows/rows.h"
#include "agents/sql/grammar/grammar_tree.h"
#include "agents/sql/guard/cost.h"
#include "agents/sql/parse/reads.h"
#include "proto/json_value.h"
#include "proto/json_write.h"

enum {
    DECIDING_ROWS = 5,
    DECIDING_BYTES = 256 * 1024,
    LEAST_MS = 2000,    /* that a candidate may take, however fast the first was */
    TIMES_AS_LONG = 10, /* as the first, that a candidate may take */
    LEAST_NUMBER = 10,  /* that two readings do not share by chance */
};

static const double other_temperature = 0.8;
static const char undecided[] =
    "the question was read in two ways that give different figures, and "
    "it could not be decided which is meant";
static const char contested[] = "the question can also be read in another way, which gives other "
                                "rows";
static const char tied[] = "others share the last place with what is shown";

static node_fn judge, weigh, compare, keep_other, hear; /* in running order */
static enum step try_next(struct node *node);
static enum step take(struct node *node, struct str written, bool is_engines);

static struct str question_of(struct node *node, const struct candidates *c)
{
    return slot_is_named(c->guard->question_slot)
               ? node_str(node, slot_index(c->guard->question_slot))
               : STR("");
}

static struct str asked_of(struct node *node, const struct candidates *c)
{
    return slot_is_named(c->guard->messages_slot)
               ? asked_before(node, slot_index(c->guard->messages_slot))
               : STR("");
}

static enum step finish(struct node *node, const struct candidate *chosen, bool decided)
{
    struct candidates *c = node_frame(node);
    c->chosen = chosen;
    if (c->count > 1)
        node_count_candidates(node, c->count, decided);
    return c->then(node);
}

/* ---- the decision ---- */

static void write_candidate(struct node *node, struct json_write *writer, struct buf *out,
                            const struct candidate *one, size_t number)
{
    struct sql_result few = *one->result;
    few.row_count = size_min(few.row_count, DECIDING_ROWS);
    const struct rows_counted counted = {.here = few.row_count,
                                         .total = one->result->row_count,
                                         .is_cut = one->result->row_count > few.row_count ||
                                                   one->result->truncated,
                                         .is_known = !one->result->truncated};
    const struct rows_private withheld = rows_private_of(
        knowledge(node)->catalog, one->passed->parse, few.column_count, node_arena(node));
    buf_clear(out);
    rows_write_shown(out, &few, &counted, &withheld);
    json_write_object(writer);
    json_write_member_u64(writer, STR("number"), number);
    json_write_member_str(writer, STR("sql"), one->written);
    json_write_key(writer, STR("columns"));
    rows_write_columns(writer, &few);
    if (buf_ok(out))
        json_write_member_raw(writer, STR("result"), buf_str(out));
    json_write_object_end(writer);
}

static struct str make_statements(struct node *node)
{
    const struct candidates *c = node_frame(node);
    struct buf all, one;
    struct json_write writer;
    buf_init(&all, DECIDING_BYTES);
    buf_init(&one, DECIDING_BYTES);
    json_write_init(&writer, &all);
    json_write_array(&writer);
    for (size_t i = 0; i < c->count; i++)
        write_candidate(node, &writer, &one, c->at[i], i + 1);
    json_write_array_end(&writer);
    struct str text = buf_ok(&all) ? arena_str(node_arena(node), buf_str(&all)) : STR("");
    buf_fini(&one);
    buf_fini(&all);
    return text;
}

/* Which one the offline engine wrote, for itself in the model's place. */
static struct str make_own(struct node *node)
{
    const struct candidates *c = node_frame(node);
    for (size_t i = 0; i < c->count; i++)
        if (c->at[i]->is_engines)
            return arena_printf(node_arena(node), "%zu", i + 1);
    return STR("");
}

static void forget_call(struct candidates *c)
{
    op_release(&c->call.chat.op);
    c->call = (struct ask_call){0};
}

static enum step decide(struct node *node)
{
    struct candidates *c = node_frame(node);
    c->decide = (struct ask_config){
        .task = "sql_decision",
        .prompt = "nodes/sql_decision",
        .answer = "{\"type\":\"object\",\"properties\":{\"choice\":{\"type\":\"integer\"}},"
                  "\"required\":[\"choice\"],\"additionalProperties\":false}",
        .fields = {{"question", c->guard->question_slot},
                   {"statements", .make = make_statements},
                   {"own", .make = make_own},
                   {"today", .make = facts_today}},
        .messages_slot = c->guard->messages_slot,
        .zero_temperature = true,
    };
    forget_call(c);
    if (!ask_render(node, &c->decide, &c->call))
        return finish(node, &c->first, false);
    llm_chat_start(&c->call.chat, services(node)->llm, &c->call.prompt, NULL, node_waiter(node));
    return node_settle(node, hear);
}

/* The number in an answer that is the object asked for, or a text that names one. */
static size_t read_choice(struct node *node, struct str answer)
{
    int64_t choice = 0;
    struct str object = extract_json(answer, '{');
    const struct json_value *value =
        str_is_absent(object) ? NULL : json_value_parse(node_arena(node), object, NULL, NULL);
    if (value != NULL && json_value_i64(value, "/choice", &choice, NULL) == ERR_OK)
        return choice > 0 ? (size_t)choice : 0;
    for (size_t i = 0; i < answer.len; i++)
        if (answer.at[i] >= '1' && answer.at[i] <= '9')
            return (size_t)(answer.at[i] - '0');
    return 0;
}

static bool is_whole_top(const struct candidate *one)
{
    const struct sql_parse *parse = one->passed->parse;
    return parse->tree != NULL && parse->tree->order != NULL && parse->limit.is_number &&
           (uint64_t)parse->limit.number == one->result->row_count;
}

/* Whether a column of numbers is the same in both, row by row. */
static bool are_ranked_alike(const struct sql_result *one, size_t column,
                             const struct sql_result *two, size_t other)
{
    for (size_t row = 0; row < one->row_count; row++) {
        const struct sql_value *left = sql_result_at(one, row, column),
                               *right = sql_result_at(two, row, other);
        if (left->type != right->type || (left->type != SQL_INT && left->type != SQL_REAL) ||
            (left->type == SQL_INT ? left->integer != right->integer : left->real != right->real))
            return false;
    }
    return true;
}

/* Whether both are as many rows of one order by the same figures: they differ in which of those
 * that share a place are shown. */
static bool are_tied(const struct candidate *one, const struct candidate *two)
{
    if (!is_whole_top(one) || !is_whole_top(two) || one->result->row_count == 0 ||
        one->result->row_count != two->result->row_count)
        return false;
    for (size_t i = 0; i < one->result->column_count; i++)
        for (size_t k = 0; k < two->result->column_count; k++)
            if (are_ranked_alike(one->result, i, two->result, k))
                return true;
    return false;
}

static enum step hear(struct node *node)
{
    struct candidates *c = node_frame(node);
    if (c->call.chat.op.err.code == ERR_CANCELLED)
        return node_fail_as(node, "cancelled", &c->call.chat.op.err);
    if (c->call.chat.op.err.code != ERR_OK)
        return finish(node, &c->first, false);
    ask_count(node, &c->decide, &c->call);
    const size_t choice = read_choice(node, c->call.chat.text);
    if (choice == 0 || choice > c->count)
        return finish(node, &c->first, false);
    const bool is_tie = c->count == 2 && are_tied(c->at[0], c->at[1]);
    if (c->at[choice - 1]->is_engines)
        c->doubt = NULL;
    else
        c->doubt = is_tie ? tied : contested;
    LOG(node_log(node), INFO, "sql.decided", "choice=%zu of=%zu", choice, c->count);
    return finish(node, c->at[choice - 1], true);
}

/* ---- one candidate ---- */

/* The verdict on what was written, its texts spelled as the database does. NULL: it is none. */
static const struct sql_verdict *pass(struct node *node, struct candidate *one)
{
    const struct candidates *c = node_frame(node);
    struct literals_found texts = {.sql = {NULL, 0}};
    const struct sql_verdict *verdict = check_sql_judge(node, c->guard, one->written);
    services_tell_verdict(node_session(node), verdict, one->written);
    if (verdict->code != ERR_OK)
        return NULL;
    literals_check(node, verdict->parse, &texts);
    if (!str_is_absent(texts.sql)) {
        const struct sql_verdict *mended = check_sql_judge(node, c->guard, texts.sql);
        if (mended->code == ERR_OK) {
            one->written = texts.sql;
            return mended;
        }
    }
    return str_is_absent(texts.doubt) ? verdict : NULL;
}

/* Give the candidate what it is sent with. False: no memory. */
static bool prepare(struct node *node, struct candidate *one)
{
    const struct candidates *c = node_frame(node);
    const struct knowledge *knows = knowledge(node);
    const uint64_t took_ms = c->first.result->duration_us / 1000;
    const uint64_t most_ms =
        took_ms * TIMES_AS_LONG > LEAST_MS ? took_ms * TIMES_AS_LONG : LEAST_MS;
    one->statement = c->first.statement;
    one->statement.text = one->passed->sql;
    if (one->statement.timeout_ms == 0 || one->statement.timeout_ms > most_ms)
        one->statement.timeout_ms = most_ms;
    if (knows->dialect != SQL_SQLITE)
        return true;
    one->statement.reads = sql_reads_of(one->passed->sent, knows->catalog, node_arena(node));
    return one->statement.reads != NULL;
}

/* Whether rows that are the same in two readings say that these are one: no rows, a small number,
 * or who came first may be the same by chance. */
static bool is_telling(const struct candidate *one)
{
    const struct sql_result *rows = one->result;
    bool tells = rows->row_count > 1;
    for (size_t i = 0; i < rows->column_count && rows->row_count == 1; i++) {
        const struct sql_value *value = sql_result_at(rows, 0, i);
        double number = 0;
        if (value->type == SQL_INT)
            number = (double)value->integer;
        else if (value->type == SQL_REAL)
            number = value->real;
        else if (value->type != SQL_DECIMAL || !str_to_double(value->text, &number))
            continue;
        tells = tells || number >= LEAST_NUMBER || number <= -LEAST_NUMBER;
    }
    return tells && !is_whole_top(one);
}

/* Another candidate says the same as one: that answers, once no rival is left. */
static enum step agree(struct node *node, const struct candidate *one)
{
    struct candidates *c = node_frame(node);
    c->doubt = NULL;
    if (c->rivals == NULL)
        return finish(node, one, false);
    c->rivals = c->rivals->next;
    if (c->rivals == NULL)
        return finish(node, is_telling(one) ? &c->first : NULL, false);
    return take(node, c->rivals->text, true);
}

/* Whatever ends the search from here on, it is doubtful until candidates agree or one is decided
 * for. */
static enum step differ(struct node *node)
{
    struct candidates *c = node_frame(node);
    c->doubt = undecided;
    return try_next(node);
}

static enum step run(struct node *node)
{
    struct candidates *c = node_frame(node);
    node_count_sql(node);
    sql_query_start(&c->next->query, services(node)->sql, &c->next->statement, node_waiter(node));
    return node_settle(node, compare);
}

/* Whether it is one of those that ran, which then has been found twice. */
static const struct candidate *find_same(const struct candidates *c)
{
    for (size_t i = 0; i < c->count; i++)
        if (str_equal(c->at[i]->passed->sql, c->next->passed->sql))
            return c->at[i];
    return NULL;
}

static enum step judge(struct node *node)
{
    struct candidates *c = node_frame(node);
    const struct knowledge *knows = knowledge(node);
    c->next->passed = pass(node, c->next);
    if (c->next->passed == NULL)
        return try_next(node);
    const struct candidate *same = find_same(c);
    if (same != NULL)
        return agree(node, same);
    if (!prepare(node, c->next) ||
        sql_reading_failure(node_readings(node), c->next->statement.text) != NULL)
        return try_next(node);
    if (!sql_cost_matters(&c->cost, knows->catalog, c->next->passed->sent))
        return run(node);
    explain_start(node, &c->explain, &c->next->statement, node_waiter(node));
    return node_settle(node, weigh);
}

static enum step weigh(struct node *node)
{
    struct candidates *c = node_frame(node);
    enum err_code code = explain_judge(node, &c->explain, c->next->passed->sent, &c->cost);
    if (code == ERR_CANCELLED)
        return node_fail_as(node, "cancelled", explain_error(&c->explain));
    return code == ERR_OK ? run(node) : try_next(node);
}

static bool orders(const struct candidate *one)
{
    return one->passed->parse->tree != NULL && one->passed->parse->tree->order != NULL;
}

/* The one of those that ran whose rows are those of next; NULL: none. *compared: some could be. */
static const struct candidate *find_agreeing(const struct candidates *c, bool *compared)
{
    *compared = false;
    for (size_t i = 0; i < c->count; i++) {
        const enum rows_agreement says =
            rows_compare(c->at[i]->result, c->next->result, orders(c->at[i]) && orders(c->next));
        *compared = *compared || says != ROWS_INCOMPARABLE;
        if (says == ROWS_AGREE)
            return c->at[i];
    }
    return NULL;
}

static enum step compare(struct node *node)
{
    struct candidates *c = node_frame(node);
    struct candidate *next = c->next;
    bool compared;
    if (next->query.op.err.code == ERR_CANCELLED)
        return node_fail_as(node, "cancelled", &next->query.op.err);
    if (next->query.op.err.code != ERR_OK) {
        LOG(node_log(node), INFO, "sql.candidate_failed", "code=%s",
            err_name(next->query.op.err.code));
        return try_next(node);
    }
    next->query.result.truncated |= check_sql_is_full(next->passed, next->query.result.row_count);
    next->result = &next->query.result;
    const struct candidate *same = find_agreeing(c, &compared);
    if (!compared)
        return try_next(node);
    c->at[c->count++] = next;
    return same != NULL ? agree(node, same) : differ(node);
}

/* ---- which ones ---- */

static enum step take(struct node *node, struct str written, bool is_engines)
{
    struct candidates *c = node_frame(node);
    c->next = arena_alloc(node_arena(node), sizeof *c->next);
    if (c->next == NULL)
        return finish(node, c->rivals != NULL ? NULL : &c->first, false);
    *c->next = (struct candidate){.written = written, .is_engines = is_engines};
    op_release(&c->apart.op);
    c->apart = (struct judge_apart){0};
    return check_sql_judge_apart(node, c->guard, written, false, &c->apart)
               ? node_settle(node, judge)
               : judge(node);
}

static enum step keep_other(struct node *node)
{
    struct candidates *c = node_frame(node);
    if (c->call.chat.op.err.code == ERR_CANCELLED)
        return node_fail_as(node, "cancelled", &c->call.chat.op.err);
    if (c->call.chat.op.err.code != ERR_OK)
        return try_next(node);
    ask_count(node, c->generate, &c->call);
    struct str answer = c->call.chat.text;
    const struct taken_sql taken = take_sql(node, answer, STR(""), false);
    if (c->call.chat.finish != LLM_FINISH_STOP || !str_is_absent(taken.refusal))
        return try_next(node);
    return take(node, taken.sql, false);
}

static enum step ask_other(struct node *node)
{
    struct candidates *c = node_frame(node);
    forget_call(c);
    if (!ask_render(node, c->generate, &c->call))
        return finish(node, &c->first, false);
    if (c->call.prompt.temperature < other_temperature)
        c->call.prompt.temperature = other_temperature;
    llm_chat_start(&c->call.chat, services(node)->llm, &c->call.prompt, NULL, node_waiter(node));
    return node_settle(node, keep_other);
}

/* Of most candidates the next one of the model, as long as there may be more; then the decision. */
static enum step try_next(struct node *node)
{
    struct candidates *c = node_frame(node);
    if (c->rivals != NULL) /* one of which fails, or differs */
        return finish(node, NULL, false);
    if (c->generate != NULL && c->asked < c->most) {
        c->asked++;
        return ask_other(node);
    }
    return c->count > 1 ? decide(node) : finish(node, &c->first, false);
}

enum step candidates_start(struct node *node)
{
    struct candidates *c = node_frame(node);
    const struct limits *limits = services(node)->limits;
    struct str question = question_of(node, c), engines = STR("");
    c->at[c->count++] = &c->first;
    if (c->rivals != NULL)
        return take(node, c->rivals->text, true);
    if (limits->sql_candidates == 1 || approve_sql_is_on(limits) || second_look_is_offline(node) ||
        str_is_empty(question))
        return finish(node, &c->first, false);
    engines = second_look_statement(node, asked_of(node, c), question);
    const bool reads = !str_is_empty(engines);
    const size_t wanted = size_min(limits->sql_candidates, CANDIDATES_MOST);
    c->most = limits->sql_candidates == 0 ? 0 : wanted - 1 - reads; /* of the model's own */
    return reads ? take(node, engines, true) : try_next(node);
}
