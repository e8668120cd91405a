/* SPDX-License-Identifier: MIT */
/* Every setting of seed 004's SQL agent (R166-R184): its default, another value, and what differs
 * in the prompts, the state or the events of one run. */
#include "tests/unit/agents/graph_rig.h"

#include <stddef.h>

#define AT(field) offsetof(struct limits, field), sizeof(((struct limits *)0)->field)

static const struct setting_case {
    const char *name;
    size_t offset, size;
    bool is_real;
    double seed, changed; /* the default, and what is tried instead */
    const char *before;   /* seen with the default only; NULL: see after */
    const char *after;    /* seen with the other value only */
    const char *tables;   /* the model's answer, when not the usual */
} settings[] = {
    {"OPENAI_TEMPERATURE", AT(temperature), true, 0.1, 0.7, "temperature=0.10", "temperature=0.70"},
    {"SQL_AGENT_MAX_ITERATIONS", AT(sql_agent_max_iterations), false, 15, 1, "token:final:Seven.",
     "error:graph_recursion_limit:"},
    {"SQL_SAMPLE_ROWS", AT(sql_sample_rows), false, 1, 0, "\ncrew: n\n  7\n", NULL},
    {"SQL_MAX_TABLES_IN_CONTEXT", AT(sql_max_tables_in_context), false, 20, 1, "## workTime", NULL},
    {"SQL_CORRECTION_MAX_ATTEMPTS", AT(sql_correction_max_attempts), false, 3, 1,
     "\"sql_correction_attempts\":3", "\"sql_correction_attempts\":1"},
    {"SQL_PRE_VALIDATION_ENABLED", AT(sql_pre_validation_enabled), false, 1, 0,
     "\nAttempt 1: ", "\"sql_correction_attempts\":null"},
    {"SQL_MAX_RELATIONSHIPS_DISPLAY", AT(sql_max_relationships_display), false, 50, 1,
     "\"from_table\":\"workTime\"", NULL},
    {"SQL_MAX_RELATIONSHIPS_IN_PROMPT", AT(sql_max_relationships_in_prompt), false, 20, 1,
     "\n- workTime.employeeId = employee.id", NULL},
    {"SQL_MAX_COLUMNS_IN_SCHEMA", AT(sql_max_columns_in_schema), false, 50, 1, NULL,
     "more columns)"},
    {"SQL_MAX_COLUMNS_IN_VALIDATION", AT(sql_max_columns_in_validation), false, 100, 1,
     "Available columns in crew: id, workOrderId", "Available columns in crew: id, ..."},
    {"SQL_MAX_COLUMNS_IN_CORRECTION", AT(sql_max_columns_in_correction), false, 100, 1, NULL,
     "Tables:\n## crew\n- id, primary key\n- (1 more columns)"},
    {"SQL_MAX_SQL_HISTORY_LENGTH", AT(sql_max_sql_history_length), false, 100, 8, NULL,
     "Attempt 1: SELECT i\nError"},
    {"SQL_MAX_FALLBACK_TABLES", AT(sql_max_fallback_tables), false, 5, 1,
     "\"tables\":[\"crew\",\"employeeCrew\"]", NULL, "[\"nowhere\"]"},
    {"SQL_MAX_TABLES_IN_SELECTION_PROMPT", AT(sql_max_tables_in_selection_prompt), false, 250, 1,
     "- transactions(", NULL},
    {"SQL_CONFIDENCE_THRESHOLD", AT(sql_confidence_threshold), true, 0.7, 1.5,
     "\"from_table\":\"workTime\"", "These tables do not join"},
    {"SQL_MAX_SUGGESTED_PATHS", AT(sql_max_suggested_paths), false, 5, 1, "Other ways to join",
     NULL},
    {"SQL_MAX_HOPS", AT(sql_max_hops), false, 4, 1, "\"beyond_max_hops\":false",
     "longer than 1 joins (SQL_MAX_HOPS)"},
    {"MAX_CONTEXT_TOKENS", AT(max_context_tokens), false, 120000, 300, "- transactions(", NULL},
    {"MAX_OUTPUT_TOKENS", AT(max_output_tokens), false, 4000, 7, "max_output_tokens=4000",
     "max_output_tokens=7 "},
    {"MAX_QUERY_ROWS", AT(max_query_rows), false, 100, 2, "LIMIT 101", "LIMIT 3"},
};

static void set(struct limits *limits, const struct setting_case *setting, double value)
{
    char *at = (char *)limits + setting->offset;
    uint64_t whole = (uint64_t)value;
    uint32_t half = (uint32_t)value;
    bool flag = value > 0;
    if (setting->is_real)
        memcpy(at, &value, sizeof value);
    else if (setting->size == sizeof whole)
        memcpy(at, &whole, sizeof whole);
    else if (setting->size == sizeof half)
        memcpy(at, &half, sizeof half);
    else
        memcpy(at, &flag, sizeof flag);
}

/* All that a run with limits is told, keeps and says. Three corrections, then an answer. */
static void run_with(const struct limits *limits, const char *tables, struct buf *seen)
{
    const struct fake_reply replies[] = {
        {"table_selection", tables == NULL ? "[\"crew\", \"workTime\"]" : tables},
        {"sql_generation", "SELECT isLead FROM crew"},
        {"sql_correction", "SELECT isLeader FROM crew WHERE id > 1"},
        {"sql_correction", "SELECT leader FROM crew WHERE id > 2"},
        {"sql_correction", "SELECT id FROM crew"},
        {"sql_answer", "Seven."},
    };
    static const struct fake_answer answers[] = {
        {"crew", .column = "n", .value = 7, .row_count = 1},
        {"workTime", .column = "n", .value = 7, .row_count = 1},
        {"employeeCrew", .column = "n", .value = 7, .row_count = 1},
    };
    struct graph_rig rig;
    graph_rig_init_limits(&rig, limits, replies, countof(replies), answers, countof(answers));
    rig.catalog->complete = true;
    rig.llm.transcript = seen;
    graph_rig_go(&rig, "sql_agent", "Which crew leads?");
    buf_push_char(seen, '{');
    struct buf state;
    buf_init(&state, 1 << 20);
    registry_describe(run_state(rig.run), UINT64_MAX, &state);
    buf_push(seen, buf_str(&state));
    buf_fini(&state);
    buf_printf(seen, "}\n%s\n", rig.events);
    assert_true(buf_ok(seen));
    graph_rig_fini(&rig);
}

static void expect(const char *name, const struct buf *seen, const char *piece, bool want)
{
    if (piece != NULL && (str_find(buf_str(seen), str_of(piece)) != STR_NONE) != want)
        fail_msg("%s: '%s' is %s:\n%.*s", name, piece, want ? "not there" : "there",
                 STR_ARG(buf_str(seen)));
}

TEST(every_setting_has_its_default_and_its_effect)
{
    struct limits seed = rig_limits;
    TEST_EACH(setting, settings)
        set(&seed, setting, setting->seed);
    TEST_EACH(setting, settings) {
        struct limits changed = seed;
        struct buf before, after;
        buf_init(&before, 1 << 20);
        buf_init(&after, 1 << 20);
        set(&changed, setting, setting->changed);
        run_with(&seed, setting->tables, &before);
        run_with(&changed, setting->tables, &after);
        expect(setting->name, &before, setting->before, true);
        expect(setting->name, &before, setting->after, false);
        expect(setting->name, &after, setting->before, false);
        expect(setting->name, &after, setting->after, true);
        buf_fini(&before);
        buf_fini(&after);
    }
}

enum { LONG_BYTES = 3000 };

/* A statement that begins with start, LONG_BYTES long. */
static void write_long(char text[LONG_BYTES + 1], const char *start)
{
    static const char end[] = "' <> ''";
    memset(text, 'x', LONG_BYTES);
    memcpy(text, start, strlen(start));
    memcpy(text + LONG_BYTES + 1 - sizeof end, end, sizeof end);
}

/* Correct long statements three times; what the models read. */
static void correct_long_ones(struct buf *seen)
{
    static char first[LONG_BYTES + 1], second[LONG_BYTES + 1], third[LONG_BYTES + 1];
    const struct fake_reply replies[] = {
        {"table_selection", "[\"crew\"]"},
        {"sql_generation", first},
        {"sql_correction", second},
        {"sql_correction", third},
        {"sql_correction", "SELECT id FROM crew"},
        {"sql_answer", "Seven."},
    };
    static const struct fake_answer answer = {"crew", .column = "n", .value = 7, .row_count = 1};
    struct graph_rig rig;
    write_long(first, "SELECT isLead FROM crew WHERE '");
    write_long(second, "SELECT leader FROM crew WHERE '");
    write_long(third, "SELECT head FROM crew WHERE '");
    graph_rig_init_limits(&rig, &rig_limits, replies, countof(replies), &answer, 1);
    rig.catalog->complete = true;
    rig.llm.transcript = seen;
    graph_rig_go(&rig, "sql_agent", "Which crew leads?");
    assert_true(buf_ok(seen));
    graph_rig_fini(&rig);
}

/* The attempt at the end of text that begins with start, its length until its error follows. */
static size_t attempt_bytes(struct str text, const char *start)
{
    ptrdiff_t at = STR_NONE;
    for (ptrdiff_t next = 0; next >= 0;) {
        next = str_find(str_from(text, (size_t)(at + 1)), str_of(start));
        at = next >= 0 ? at + 1 + next : at;
    }
    assert_true(at >= 0);
    struct str rest = str_from(text, (size_t)at + strlen(start));
    return (size_t)str_find(rest, STR("\nError: "));
}

/* C49: the newest attempt with 2,000 bytes, the ones before it with SQL_MAX_SQL_HISTORY_LENGTH. */
TEST(the_newest_attempt_is_shown_longer)
{
    struct buf seen;
    buf_init(&seen, 1 << 20);
    correct_long_ones(&seen);
    EXPECT_INT("the newest", attempt_bytes(buf_str(&seen), "\nAttempt 2: "), 2000);
    EXPECT_INT("the one before", attempt_bytes(buf_str(&seen), "\nAttempt 1: "),
               rig_limits.sql_max_sql_history_length);
    buf_fini(&seen);
}

/* Ask with limits in a conversation of so many messages, "m1." the oldest; what the models read. */
static void talk_with(const struct limits *limits, size_t stored, struct buf *seen)
{
    static const struct fake_reply replies[] = {{"classify", "GENERAL"}, {"general", "Hello."}};
    const struct identity key = {STR("c1"), STR("acme"), STR("u1")};
    struct graph_rig rig;
    graph_rig_init_limits(&rig, limits, replies, countof(replies), NULL, 0);
    for (size_t i = 1; i <= stored; i++) {
        char text[24];
        snprintf(text, sizeof text, "m%zu.", i);
        EXPECT_INT("append",
                   history_append(rig.has.history, &key, i % 2 ? LLM_USER : LLM_ASSISTANT,
                                  str_of(text), false),
                   ERR_OK);
    }
    rig.llm.transcript = seen;
    graph_rig_go(&rig, "orchestrator", "And now?");
    assert_true(buf_ok(seen));
    graph_rig_fini(&rig);
}

/* MAX_CONVERSATION_MESSAGES (R188, R125): the newest so many in every prompt, none less and none
 * more; the store keeps all (R221). */
TEST(prompts_hold_as_many_messages_as_the_setting_says)
{
    static const struct {
        const char *name;
        size_t max, stored, oldest; /* the oldest message that a prompt shows; 0: none does */
    } cases[] = {
        {"the default", 20, 30, 11}, {"fewer than it allows", 20, 3, 1},
        {"one", 1, 30, 30},          {"none", 0, 30, 0},
        {"many", 300, 350, 51},
    };
    TEST_EACH(c, cases) {
        struct limits limits = rig_limits;
        struct buf seen;
        limits.max_conversation_messages = c->max;
        buf_init(&seen, 1 << 20);
        talk_with(&limits, c->stored, &seen);
        ptrdiff_t at = str_find(buf_str(&seen), STR("== general "));
        assert_true(at != STR_NONE);
        size_t general = (size_t)at;
        struct str prompts[] = {str_slice(buf_str(&seen), 0, general),
                                str_slice(buf_str(&seen), general, buf_str(&seen).len)};
        for (size_t i = 1; i <= c->stored; i++) {
            char text[24];
            snprintf(text, sizeof text, "\nm%zu.\n", i);
            bool want = c->oldest != 0 && i >= c->oldest;
            for (size_t j = 0; j < countof(prompts); j++)
                if ((str_find(prompts[j], str_of(text)) != STR_NONE) != want)
                    fail_msg("%s: message %zu is %s prompt %zu:\n%.*s", c->name, i,
                             want ? "not in" : "in", j, STR_ARG(prompts[j]));
        }
        buf_fini(&seen);
    }
}

RUN_TESTS(T(every_setting_has_its_default_and_its_effect), T(the_newest_attempt_is_shown_longer),
          T(prompts_hold_as_many_messages_as_the_setting_says))
