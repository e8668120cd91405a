/* SPDX-License-Identifier: MIT */
/* The readings of a run: found again by all they were made of, made where they are not; a graph
 * parses a statement twice, and sends no byte that no reading passed. */
#include "tests/unit/agents/graph_rig.h"

#include <uv.h>

#include "agents/nodes/check_sql.h"
#include "agents/nodes/run_sql.h"
#include "agents/sql/guard/rewrite.h"
#include "core/base/mem.h"

enum { ARENA_BYTES = 16 << 20, PLENTY = 1000 };

/* The linker gives this file every call of the parser (see graphs.cmake). */
static unsigned parses, parses_apart; /* all; on another thread than the tests' */
static uv_thread_t tests_thread;

static void count_parse(void)
{
    uv_thread_t self = uv_thread_self();
    parses++;
    parses_apart += !uv_thread_equal(&self, &tests_thread);
}

enum err_code __real_sql_parse_statement(enum sql_dialect, struct str, const struct catalog *,
                                         struct arena *, const struct sql_parse **, const char **,
                                         struct err *);
enum err_code __wrap_sql_parse_statement(enum sql_dialect dialect, struct str text,
                                         const struct catalog *catalog, struct arena *arena,
                                         const struct sql_parse **out, const char **rule,
                                         struct err *err);
enum err_code __real_sql_parse_statement_in(enum sql_dialect, struct str, struct str,
                                            const struct catalog *, struct arena *,
                                            const struct sql_parse **, const char **, struct err *);
enum err_code __wrap_sql_parse_statement_in(enum sql_dialect dialect, struct str schema,
                                            struct str text, const struct catalog *catalog,
                                            struct arena *arena, const struct sql_parse **out,
                                            const char **rule, struct err *err);

enum err_code __wrap_sql_parse_statement(enum sql_dialect dialect, struct str text,
                                         const struct catalog *catalog, struct arena *arena,
                                         const struct sql_parse **out, const char **rule,
                                         struct err *err)
{
    count_parse();
    return __real_sql_parse_statement(dialect, text, catalog, arena, out, rule, err);
}

enum err_code __wrap_sql_parse_statement_in(enum sql_dialect dialect, struct str schema,
                                            struct str text, const struct catalog *catalog,
                                            struct arena *arena, const struct sql_parse **out,
                                            const char **rule, struct err *err)
{
    count_parse();
    return __real_sql_parse_statement_in(dialect, schema, text, catalog, arena, out, rule, err);
}

/* ---- the readings alone ---- */

struct reads {
    struct catalog *catalog, *other;
    struct arena arena;
    struct sql_readings readings;
    struct sql_reading_rules rules;
};

static void reads_init(struct reads *r)
{
    struct err err = {0};
    *r = (struct reads){0};
    if (catalog_from_join_graph(str_of(rig_schema), &r->catalog, &err) != ERR_OK ||
        catalog_from_join_graph(str_of(rig_schema), &r->other, &err) != ERR_OK)
        fail_msg("%s", err.text);
    arena_init(&r->arena, ARENA_BYTES);
    r->rules = (struct sql_reading_rules){&sql_policy_default, SQL_SQLITE, r->catalog, {false}};
    parses = 0;
}

static void reads_fini(struct reads *r)
{
    arena_fini(&r->arena);
    catalog_destroy(r->catalog);
    catalog_destroy(r->other);
}

static const struct sql_verdict *judge(struct reads *r, const char *sql)
{
    return sql_reading_judge(&r->readings, &r->rules, str_of(sql), &r->arena);
}

TEST(read_once)
{
    struct reads r;
    reads_init(&r);
    char text[] = "SELECT name FROM customers";
    const struct sql_verdict *first = judge(&r, text);
    EXPECT_INT("verdict", first->code, ERR_OK);
    EXPECT_STR("sent", first->sql, STR("SELECT name FROM customers\nLIMIT 100"));
    EXPECT_STR("as sent", first->sent->text, first->sql);
    memset(text, 'x', sizeof text - 1); /* the text was copied */
    EXPECT_STR("as written", first->parse->text, STR("SELECT name FROM customers"));
    EXPECT_TRUE("again", judge(&r, "SELECT name FROM customers") == first);
    EXPECT_TRUE("as written",
                sql_reading_written(&r.readings, &r.rules, STR("SELECT name FROM customers"),
                                    &r.arena) == first->parse);
    EXPECT_INT("parses", parses, 2);
    reads_fini(&r);
}

TEST(in_two_steps)
{
    struct reads r;
    reads_init(&r);
    struct str sql = STR("SELECT name FROM customers");
    const struct sql_verdict *verdict = sql_reading_rewrite(&r.readings, &r.rules, sql, &r.arena);
    EXPECT_INT("rewritten", verdict->code, ERR_OK);
    EXPECT_STR("by", verdict->rewrite->sql, STR("SELECT name FROM customers\nLIMIT 100"));
    EXPECT_TRUE("not to be sent", str_is_absent(verdict->sql) && verdict->sent == NULL);
    EXPECT_INT("parses", parses, 1);
    EXPECT_TRUE("the same", judge(&r, "SELECT name FROM customers") == verdict);
    EXPECT_TRUE("to be sent", verdict->sql.at == verdict->rewrite->sql.at);
    EXPECT_INT("parses", parses, 2);
    reads_fini(&r);
}

TEST(what_is_refused_is_kept)
{
    struct reads r;
    reads_init(&r);
    const struct sql_verdict *verdict = judge(&r, "SELECT nonsense FROM customers");
    EXPECT_INT("refused", verdict->code, ERR_REJECTED);
    EXPECT_TRUE("again", judge(&r, "SELECT nonsense FROM customers") == verdict);
    EXPECT_TRUE("as written",
                sql_reading_written(&r.readings, &r.rules, STR("SELECT nonsense FROM customers"),
                                    &r.arena) == verdict->parse);
    EXPECT_INT("parses", parses, 1);
    EXPECT_INT("no SQL", judge(&r, "what?")->code, ERR_REJECTED);
    EXPECT_TRUE("nothing written",
                sql_reading_written(&r.readings, &r.rules, STR("what?"), &r.arena) == NULL);
    EXPECT_INT("parses", parses, 2);
    EXPECT_TRUE("not judged",
                sql_reading_written(&r.readings, &r.rules, STR("SELECT 1"), &r.arena) != NULL);
    EXPECT_TRUE("nor parsed",
                sql_reading_written(&r.readings, &r.rules, STR("SELECT"), &r.arena) == NULL);
    r.rules.catalog = NULL;
    EXPECT_TRUE("no catalog",
                sql_reading_written(&r.readings, &r.rules, STR("SELECT 1"), &r.arena) == NULL);
    reads_fini(&r);
}

TEST(other_rules)
{
    struct reads r;
    reads_init(&r);
    const char *sql = "WITH a AS (SELECT 1 AS x) SELECT x FROM a";
    const struct sql_verdict *first = judge(&r, sql);
    EXPECT_INT("passes", first->code, ERR_OK);
    struct sql_policy few = sql_policy_default;
    few.default_limit = 7;
    const struct sql_reading_rules others[] = {
        {&sql_policy_banking, SQL_SQLITE, r.catalog, {false}},
        {&few, SQL_SQLITE, r.catalog, {false}},
        {&sql_policy_default, SQL_MYSQL, r.catalog, {false}},
        {&sql_policy_default, SQL_SQLITE, r.other, {false}},
        {&sql_policy_default, SQL_SQLITE, r.catalog, {true}},
    };
    for (size_t i = 0; i < countof(others); i++) {
        const struct sql_verdict *other =
            sql_reading_judge(&r.readings, &others[i], str_of(sql), &r.arena);
        EXPECT_TRUE("another verdict", other != first);
        EXPECT_TRUE("and kept",
                    sql_reading_judge(&r.readings, &others[i], str_of(sql), &r.arena) == other);
    }
    EXPECT_INT("banking has no WITH",
               sql_reading_judge(&r.readings, &others[0], str_of(sql), &r.arena)->code,
               ERR_REJECTED);
    few.default_limit = 8; /* rules are those of the call, not of a pointer */
    EXPECT_TRUE(
        "changed",
        str_ends_with(sql_reading_judge(&r.readings, &others[1], str_of(sql), &r.arena)->sql,
                      STR("LIMIT 8")));
    EXPECT_TRUE("the first", judge(&r, sql) == first);
    reads_fini(&r);
}

TEST(a_few_are_kept)
{
    struct reads r;
    reads_init(&r);
    const struct sql_verdict *first = judge(&r, "SELECT name FROM customers");
    for (unsigned i = 1; i < SQL_READING_KEPT; i++)
        judge(&r, arena_printf(&r.arena, "SELECT %u", i).at);
    EXPECT_TRUE("still kept", judge(&r, "SELECT name FROM customers") == first);
    judge(&r, "SELECT 'one more'");
    EXPECT_STR("still good", first->parse->text, STR("SELECT name FROM customers"));
    const struct sql_verdict *again = judge(&r, "SELECT name FROM customers");
    EXPECT_TRUE("made again", again != first);
    EXPECT_STR("the same", again->sql, first->sql);
    reads_fini(&r);
}

/* What is too long to be read displaces nothing. */
TEST(too_long)
{
    struct reads r;
    struct buf text;
    reads_init(&r);
    buf_init(&text, 1 << 20);
    buf_push(&text, STR("SELECT '"));
    while (buf_len(&text) < 20000)
        buf_push_char(&text, 'x');
    const struct sql_verdict *first = judge(&r, "SELECT name FROM customers");
    for (unsigned i = 0; i < 2 * SQL_READING_KEPT; i++)
        EXPECT_INT("refused",
                   sql_reading_judge(&r.readings, &r.rules, buf_str(&text), &r.arena)->code,
                   ERR_REJECTED);
    EXPECT_TRUE("kept", judge(&r, "SELECT name FROM customers") == first);
    buf_fini(&text);
    reads_fini(&r);
}

TEST(every_allocation_may_fail)
{
    enum err_code code = ERR_NO_MEMORY;
    for (unsigned n = 1; code == ERR_NO_MEMORY; n++) {
        struct reads r;
        reads_init(&r);
        mem_fail_nth(n);
        const struct sql_verdict *verdict = judge(&r, "SELECT name FROM customers");
        mem_fail_nth(0);
        code = verdict->code;
        EXPECT_TRUE("nothing is sent", (code == ERR_OK) == !str_is_absent(verdict->sql) &&
                                           (code == ERR_OK) == (verdict->sent != NULL));
        verdict = judge(&r, "SELECT name FROM customers");
        EXPECT_TRUE("nor later", (verdict->code == ERR_OK) == (verdict->sent != NULL));
        reads_fini(&r);
        assert_true(n < PLENTY);
    }
    EXPECT_INT("in the end", code, ERR_OK);
}

/* ---- graphs ---- */

static const struct fake_answer rows[] = {
    {"employee", .column = "n", .value = 10, .row_count = 1},
};

static const struct fake_reply replies[] = {
    {"intent", "Count all employees"},
    {"classify", "SQL"},
    {"table_selection", "[\"employee\"]"},
    {"sql_generation", "```sql\nSELECT COUNT(*) AS n FROM employee\n```"},
    {"sql_answer", "There are 10."},
    {"sql_response", "There are 10."},
    {"insight", "SUMMARY: 10.\nCHART: metric"},
};

TEST(graphs_parse_a_statement_twice)
{
    static const struct {
        const char *graph, *message;
    } cases[] = {
        {"sql_agent", "How many employees?"},
        {"orchestrator", "How many employees?"},
        {"text_to_sql", "How many employees?"},
        {"banking", "How many employees?"},
        {"statement", "SELECT COUNT(*) AS n FROM employee"},
    };
    TEST_EACH(c, cases) {
        struct graph_rig *rig = mem_zalloc(1, sizeof *rig);
        graph_rig_init(rig, replies, countof(replies), rows, countof(rows));
        parses = 0;
        graph_rig_go(rig, c->graph, c->message);
        if (strstr(rig->events, "complete:") == NULL)
            fail_msg("%s: %s", c->graph, rig->events);
        EXPECT_INT(c->graph, parses, 2);
        EXPECT_INT(c->graph, rig->sql.calls, 1);
        graph_rig_fini(rig);
        mem_free(rig);
    }
}

/* Longer than a turn of the loop should take. */
static const char *long_statement(const char *table)
{
    static char text[8192];
    size_t len =
        (size_t)snprintf(text, sizeof text, "SELECT COUNT(*) AS n FROM %s WHERE 1 IN (0", table);
    while (len < 4000)
        len += (size_t)snprintf(text + len, sizeof text - len, ", %zu", len);
    snprintf(text + len, sizeof text - len, ")");
    return text;
}

TEST(long_texts_are_read_apart)
{
    static const struct {
        const char *table;
        unsigned parses;
    } cases[] = {{"employee", 2}, {"nobody", 1}};
    tests_thread = uv_thread_self();
    TEST_EACH(c, cases) {
        struct graph_rig *rig = mem_zalloc(1, sizeof *rig);
        graph_rig_init(rig, replies, countof(replies), rows, countof(rows));
        parses = parses_apart = 0;
        graph_rig_go(rig, "statement", long_statement(c->table));
        EXPECT_INT(rig->events, parses, c->parses);
        EXPECT_INT("apart", parses_apart, c->parses);
        EXPECT_INT("sent", rig->sql.calls, c->parses == 2);
        graph_rig_fini(rig);
        mem_free(rig);
    }
}

TEST(long_texts_are_given_up_at_every_turn)
{
    unsigned turn = 0;
    for (bool went_through = false; !went_through; turn++) {
        struct graph_rig *rig = mem_zalloc(1, sizeof *rig);
        graph_rig_init(rig, replies, countof(replies), rows, countof(rows));
        graph_rig_make(rig, "statement", long_statement("employee"), EVENT_CORE);
        run_start(rig->run);
        loop_turn(rig->loop, turn);
        went_through = rig->ends == 1;
        run_cancel(rig->run, "cancelled", "given up");
        assert_true(loop_run_dry(rig->loop, 100000));
        EXPECT_INT("ends", rig->ends, 1);
        graph_rig_fini(rig);
        mem_free(rig);
    }
    EXPECT_TRUE("cancelled", turn > 1);
}

/* What is sent is what the rewriter's node made. */
TEST(sent_as_rewritten)
{
    struct graph_rig *rig = mem_zalloc(1, sizeof *rig);
    graph_rig_init(rig, replies, countof(replies), rows, countof(rows));
    graph_rig_make(rig, "sql_agent", "How many employees?", EVENT_DEBUG);
    run_start(rig->run);
    assert_true(loop_run_dry(rig->loop, 100000));
    const struct schema *schema = state_schema(run_state(rig->run));
    struct str texts[2] = {{NULL, 0}, {NULL, 0}};
    for (unsigned i = 0; i < schema->slot_count; i++) {
        if (strcmp(schema->slots[i].name, "secure_sql") == 0)
            texts[0] = state_str(run_state(rig->run), i);
        if (strcmp(schema->slots[i].name, "validated_sql") == 0)
            texts[1] = state_str(run_state(rig->run), i);
    }
    EXPECT_STR("rewritten", texts[0], STR("SELECT COUNT(*) AS n FROM employee\nLIMIT 101"));
    EXPECT_STR("passed", texts[1], texts[0]);
    EXPECT_STR("sent", str_of(rig->sql.last), texts[0]);
    graph_rig_fini(rig);
    mem_free(rig);
}

/* ---- texts that come from elsewhere ---- */

enum { WRITTEN, REWRITTEN, PASSED, ERROR, RESULT, SLOT_COUNT };

static const struct slot slots[SLOT_COUNT] = {
    [WRITTEN] = {"written", SLOT_TEXT, .writers = SLOT_WRITER_INPUT | SLOT_WRITER(0)},
    [REWRITTEN] = {"rewritten", SLOT_TEXT, .writers = SLOT_WRITER_INPUT},
    [PASSED] = {"passed", SLOT_TEXT, .writers = SLOT_WRITER_INPUT | SLOT_WRITER(0)},
    [ERROR] = {"error", SLOT_TEXT, .writers = SLOT_WRITER(0)},
    [RESULT] = {"result", SLOT_JSON, .writers = SLOT_WRITER(0)},
};

static const struct check_sql_config two_nodes = {.sql_slot = SLOT(WRITTEN),
                                                  .rewritten_slot = SLOT(REWRITTEN),
                                                  .valid_slot = SLOT(PASSED),
                                                  .error_slot = SLOT(ERROR)};
static const struct run_sql_config sender = {.sql_slot = SLOT(PASSED),
                                             .guard = &two_nodes,
                                             .result_slot = SLOT(RESULT),
                                             .error_slot = SLOT(ERROR)};

/* One node each: those before it were elsewhere. */
static const struct graph_node checks = {"check", &check_sql_node, &two_nodes};
static const struct graph_node runs = {"run", &run_sql_node, &sender};
static const struct graph_edge edges[] = {{GRAPH_START, 0}, {0, GRAPH_END}};
#define ALONE(node)                                                                                \
    {                                                                                              \
        .name = "alone", .purpose = "Has one node.", .schema = {slots, SLOT_COUNT},                \
        .nodes = &(node), .node_count = 1, .edges = edges, .edge_count = countof(edges)            \
    }
static const struct graph_def check_alone = ALONE(checks);
static const struct graph_def run_alone = ALONE(runs);

static void on_end(struct run *run)
{
    (*(unsigned *)run_owner(run))++;
}

/* Run one node on a state made by hand; the error it puts, absent: none. */
static struct str visit(struct graph_rig *rig, const struct graph_def *def, struct str rewritten,
                        struct str passed)
{
    struct err err = {0};
    struct graph *graph;
    unsigned ends = 0;
    if (graph_compile(def, NULL, 0, &graph, &err) != ERR_OK)
        fail_msg("%s", err.text);
    rig->session = (struct session){.has = &rig->has, .knows = &rig->knows};
    struct run *run = run_create(&(struct run_options){
        .loop = rig->loop,
        .graph = graph,
        .services = &rig->session,
        .limits = {.arena_bytes = 64 << 20, .log_bytes = 1 << 20},
        .log = &rig_log,
        .on_end = on_end,
        .owner = &ends,
    });
    assert_non_null(run);
    update_put_str(run_input(run), WRITTEN, STR("SELECT COUNT(*) AS n FROM employee"));
    if (!str_is_absent(rewritten))
        update_put_str(run_input(run), REWRITTEN, rewritten);
    if (!str_is_absent(passed))
        update_put_str(run_input(run), PASSED, passed);
    run_start(run);
    assert_true(loop_run_dry(rig->loop, 100000));
    assert_int_equal(ends, 1);
    struct str error = state_str(run_state(run), ERROR);
    static char text[ERR_TEXT_BYTES];
    snprintf(text, sizeof text, "%.*s", STR_ARG(error));
    run_destroy(run);
    graph_destroy(graph);
    return str_is_absent(error) ? error : str_of(text);
}

static const struct str none = {NULL, 0};

TEST(after_a_resume_it_is_read_anew)
{
    struct graph_rig *rig = mem_zalloc(1, sizeof *rig);
    struct str sent = STR("SELECT COUNT(*) AS n FROM employee\nLIMIT 101");
    graph_rig_init(rig, replies, countof(replies), rows, countof(rows));
    parses = 0;
    EXPECT_STR("checked", visit(rig, &check_alone, sent, none), none);
    EXPECT_INT("parses", parses, 2);
    parses = 0;
    EXPECT_STR("sent", visit(rig, &run_alone, none, sent), none);
    EXPECT_STR("as it was", str_of(rig->sql.last), sent);
    EXPECT_INT("parses", parses, 2);
    graph_rig_fini(rig);
    mem_free(rig);
}

/* Each byte another, left out and doubled; and whole other statements, good ones among them. */
TEST(no_other_text_is_sent)
{
    static const char *const others[] = {
        "",
        "SELECT COUNT(*) AS n FROM employee",
        "SELECT COUNT(*) AS n FROM customers\nLIMIT 101",
        "SELECT COUNT(*) AS n FROM employee\nLIMIT 101 ",
        "DELETE FROM employee",
        "SELECT 1; SELECT 2",
    };
    struct graph_rig *rig = mem_zalloc(1, sizeof *rig);
    struct str sent = STR("SELECT COUNT(*) AS n FROM employee\nLIMIT 101");
    char text[128];
    graph_rig_init(rig, replies, countof(replies), rows, countof(rows));
    for (size_t i = 1; i < countof(others); i++) {
        EXPECT_TRUE(others[i], visit(rig, &check_alone, str_of(others[i]), none).len > 0);
        EXPECT_TRUE(others[i], visit(rig, &run_alone, none, str_of(others[i])).len > 0);
    }
    EXPECT_TRUE("nothing rewritten", visit(rig, &check_alone, none, none).len > 0);
    for (size_t i = 0; i < sent.len; i++) {
        memcpy(text, sent.at, sent.len);
        text[i] = text[i] == 'x' ? 'y' : 'x';
        EXPECT_TRUE(text, visit(rig, &run_alone, none, str_make(text, sent.len)).len > 0);
        memmove(text + i, sent.at + i + 1, sent.len - i - 1);
        EXPECT_TRUE(text, visit(rig, &run_alone, none, str_make(text, sent.len - 1)).len > 0);
        memcpy(text + i, sent.at + i, 1);
        memcpy(text + i + 1, sent.at + i, sent.len - i);
        EXPECT_TRUE(text, visit(rig, &run_alone, none, str_make(text, sent.len + 1)).len > 0);
    }
    EXPECT_INT("the database saw none", rig->sql.calls, 0);
    graph_rig_fini(rig);
    mem_free(rig);
}

/* Another server may have another policy: a statement that passed elsewhere is not sent here. */
TEST(refused_where_it_is_resumed)
{
    struct graph_rig *rig = mem_zalloc(1, sizeof *rig);
    struct str sent = STR("SELECT COUNT(*) AS n FROM employee\nLIMIT 101");
    struct sql_policy strict = sql_policy_default;
    const struct str tables[] = {STR("customers")};
    graph_rig_init(rig, replies, countof(replies), rows, countof(rows));
    strict.tables = tables;
    strict.table_count = countof(tables);
    rig->knows.policy = &strict;
    EXPECT_TRUE("refused", visit(rig, &run_alone, none, sent).len > 0);
    EXPECT_INT("not sent", rig->sql.calls, 0);
    graph_rig_fini(rig);
    mem_free(rig);
}

RUN_TESTS(T(read_once), T(in_two_steps), T(what_is_refused_is_kept), T(other_rules),
          T(a_few_are_kept), T(too_long), T(every_allocation_may_fail),
          T(graphs_parse_a_statement_twice), T(long_texts_are_read_apart),
          T(long_texts_are_given_up_at_every_turn), T(sent_as_rewritten),
          T(after_a_resume_it_is_read_anew), T(no_other_text_is_sent),
          T(refused_where_it_is_resumed))
