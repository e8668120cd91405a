/* SPDX-License-Identifier: MIT */
/* What seeds 001 and 004 say of prompts and of answers nobody expects, sentence by sentence: the
 * correction's focused context, the generators' context, the classifier's words. */
#include "tests/unit/agents/graph_rig.h"

enum { TRANSCRIPT_BYTES = 1 << 20 };

static bool has(struct str text, const char *piece)
{
    return str_find(text, str_of(piece)) != STR_NONE;
}

/* The n-th call of a task, from 0, as the model saw it. */
static struct str call_of(const struct buf *transcript, const char *task, unsigned n)
{
    struct str rest = buf_str(transcript);
    char head[64];
    snprintf(head, sizeof head, "== %s ", task);
    for (;; n--) {
        ptrdiff_t at = str_find(rest, str_of(head));
        if (at == STR_NONE)
            fail_msg("there is no such call of %s in:\n%.*s", task, STR_ARG(buf_str(transcript)));
        rest = str_from(rest, (size_t)at + 1);
        if (n == 0)
            break;
    }
    ptrdiff_t end = str_find(rest, STR("\n== "));
    return end == STR_NONE ? rest : str_slice(rest, 0, (size_t)end);
}

#define EXPECT_HAS(name, rig, piece)                                                               \
    do {                                                                                           \
        if (strstr((rig)->events, piece) == NULL)                                                  \
            fail_msg("%s: '%s' is not in: %s", name, piece, (rig)->events);                        \
    } while (0)

struct piece {
    const char *says, *text;
    bool missing; /* must not be there */
};

static void expect_pieces(struct str call, const struct piece *pieces, size_t count)
{
    for (size_t i = 0; i < count; i++)
        if (has(call, pieces[i].text) == pieces[i].missing)
            fail_msg("%s: '%s' is %s:\n%.*s", pieces[i].says, pieces[i].text,
                     pieces[i].missing ? "there" : "not there", STR_ARG(call));
}

/* Seed 004, "Correction Agent": input context, and that each attempt knows those before it. */
TEST(the_correction_sees_what_it_needs_and_no_more)
{
    static const struct fake_reply replies[] = {
        {"table_selection", "[\"crew\", \"employeeCrew\", \"employee\"]"},
        {"sql_generation", "SELECT crew.lead FROM crew JOIN employeeCrew ON employeeCrew.crewId = "
                           "crew.id WHERE crew.chief = 1"},
        {"sql_correction", "SELECT crew.boss FROM crew JOIN employeeCrew ON employeeCrew.crewId = "
                           "crew.id WHERE employeeCrew.chief = 1"},
        {"sql_correction", "SELECT COUNT(*) AS n FROM crew JOIN employeeCrew ON "
                           "employeeCrew.crewId = crew.id WHERE employeeCrew.isLead = 1"},
        {"sql_answer", "Two."},
    };
    static const struct fake_answer answers[] = {
        {"crew", .column = "n", .value = 2, .row_count = 1}};
    static const struct piece both[] = {
        {"original question", "Which crews have a chief?", false},
        {"relevant table schemas", "workOrderId", false},
        {"the tables of the plan", "firstName", false},
        {"only tables used or planned", "hours", true},
        {"only tables used or planned", "account_number", true},
        {"the plan", "Join plan:", false},
        {"relationships between them", "employeeCrew.crewId", false},
        {"only those between them", "workTime.employeeId", true},
    };
    static const struct piece first[] = {
        {"failed SQL query", "WHERE crew.chief = 1", false},
        {"specific error", "does NOT exist in table 'crew'", false},
    };
    static const struct piece second[] = {
        {"failed SQL query", "WHERE employeeCrew.chief = 1", false},
        {"correction history: the attempt", "WHERE crew.chief = 1", false},
        {"correction history: its error", "Column 'crew.lead' does NOT exist", false},
        {"specific error", "Column 'crew.boss' does NOT exist", false},
    };
    struct graph_rig rig;
    struct buf transcript;
    buf_init(&transcript, TRANSCRIPT_BYTES);
    graph_rig_init(&rig, replies, countof(replies), answers, countof(answers));
    rig.llm.transcript = &transcript;
    graph_rig_go(&rig, "sql_agent", "Which crews have a chief?");
    for (unsigned n = 0; n < 2; n++)
        expect_pieces(call_of(&transcript, "sql_correction", n), both, countof(both));
    expect_pieces(call_of(&transcript, "sql_correction", 0), first, countof(first));
    expect_pieces(call_of(&transcript, "sql_correction", 1), second, countof(second));
    EXPECT_HAS("main flow goes on", &rig, "token:final:Two.|complete:");
    graph_rig_fini(&rig);
    buf_fini(&transcript);
}

/* Seed 001, "SQL Generator Node": context, system rules and conversation history in the prompt;
 * "Responder Node": query results and execution status. */
TEST(the_generator_sees_rules_context_and_conversation)
{
    static const struct fake_reply replies[] = {
        {"sql_generation", "Counts them.\n```sql\nSELECT COUNT(*) AS n FROM employee\n```"},
        {"sql_response", "There are 10 employees."},
    };
    static const struct fake_answer answers[] = {
        {"employee", .column = "n", .value = 10, .row_count = 1}};
    static const struct piece generator[] = {
        {"rules", "No INSERT, UPDATE, DELETE", false},
        {"schema", "## employee", false},
        {"question", "And how many of them are active?", false},
        {"history: what was asked", "How many employees are there?", false},
        {"history: what was answered", "There are 10 employees.", false},
    };
    static const struct piece responder[] = {
        {"question", "And how many of them are active?", false},
        {"statement", "SELECT COUNT(*) AS n FROM employee", false},
        {"results", "10", false},
        {"as data", "<data>", false},
    };
    struct graph_rig rig;
    struct buf transcript;
    buf_init(&transcript, TRANSCRIPT_BYTES);
    graph_rig_init(&rig, replies, countof(replies), answers, countof(answers));
    graph_rig_go(&rig, "text_to_sql", "How many employees are there?");
    graph_rig_drop_run(&rig);
    rig.llm.transcript = &transcript;
    graph_rig_go(&rig, "text_to_sql", "And how many of them are active?");
    expect_pieces(call_of(&transcript, "sql_generation", 0), generator, countof(generator));
    expect_pieces(call_of(&transcript, "sql_response", 0), responder, countof(responder));
    graph_rig_fini(&rig);
    buf_fini(&transcript);
}

/* Seed 001, "If limit reached": the responder is told why. */
TEST(the_responder_is_told_what_failed)
{
    static const struct fake_reply replies[] = {
        {"sql_generation", "DROP TABLE employee"},
        {"sql_response", "That cannot be done."},
    };
    static const struct piece pieces[] = {
        {"the error", "DROP", false},
        {"no rows", "Rows in all: 10", true},
    };
    struct graph_rig rig;
    struct buf transcript;
    buf_init(&transcript, TRANSCRIPT_BYTES);
    graph_rig_init(&rig, replies, countof(replies), NULL, 0);
    rig.llm.transcript = &transcript;
    graph_rig_go(&rig, "text_to_sql", "Remove all employees");
    expect_pieces(call_of(&transcript, "sql_response", 0), pieces, countof(pieces));
    EXPECT_INT("nothing was sent", rig.sql.calls, 0);
    graph_rig_fini(&rig);
    buf_fini(&transcript);
}

/* Seed 004, "Classify": one of three, whatever else the model says. */
TEST(whatever_the_classifier_says_there_is_one_route)
{
    static const struct {
        const char *reply, *route;
    } cases[] = {
        {"GENERAL", "general"},
        {"general.", "general"},
        {"**GENERAL**", "general"},
        {"The route is GENERAL.", "general"},
        {"banana", "general"},
        {" ", "general"},
        {"SQL", "sql"},
        {"sql\n", "sql"},
        {"Route: SQL", "sql"},
    };
    TEST_EACH(c, cases) {
        const struct fake_reply replies[] = {
            {"classify", c->reply},
            {"general", "Hello."},
            {"table_selection", "[\"employee\"]"},
            {"sql_generation", "CANNOT: no"},
        };
        char want[64];
        struct graph_rig rig;
        graph_rig_init(&rig, replies, countof(replies), NULL, 0);
        graph_rig_go(&rig, "orchestrator", "How are you?");
        snprintf(want, sizeof want, "route_decision:%s:", c->route);
        EXPECT_HAS(c->reply, &rig, want);
        EXPECT_HAS("it ends", &rig, "complete:");
        graph_rig_fini(&rig);
    }
}

/* Seed 002: three tables, written as headings and bullets, at temperature 0; a retry has the error.
 */
TEST(banking_is_told_what_its_seed_says)
{
    static const struct fake_reply replies[] = {
        {"intent", "Count all rows in users"},
        {"sql_generation", "SELECT COUNT(*) FROM users"},
        {"sql_generation", "SELECT COUNT(*) FROM customers"},
        {"insight", "SUMMARY: 42.\nCHART: metric"},
    };
    static const struct fake_answer answers[] = {
        {"customers", .column = "n", .value = 42, .row_count = 1}};
    static const struct piece first[] = {
        {"the intent", "Count all rows in users", false},
        {"a heading a table", "## customers\n- id\n- name", false},
        {"its bullets", "## accounts\n- id\n- customer_id", false},
        {"three of them", "## transactions\n- id\n- account_id", false},
        {"and no other", "## employee", true},
        {"no error yet", "does NOT exist", true},
        {"and no other's", "does not exist", true},
    };
    static const struct piece second[] = {{"the error before", "'users'", false}};
    static const struct piece insight[] = {
        {"as it was written", "SELECT COUNT(*) FROM customers", false},
        {"not as it was sent", "LIMIT", true}};
    static const char *const tasks[] = {"intent", "sql_generation", "insight"};
    struct graph_rig rig;
    struct limits limits = rig_limits;
    struct buf transcript;
    limits.temperature = 0.7;
    buf_init(&transcript, TRANSCRIPT_BYTES);
    graph_rig_init_limits(&rig, &limits, replies, countof(replies), answers, countof(answers));
    rig.llm.transcript = &transcript;
    graph_rig_go(&rig, "banking", "How many users?");
    expect_pieces(call_of(&transcript, "sql_generation", 0), first, countof(first));
    expect_pieces(call_of(&transcript, "sql_generation", 1), second, countof(second));
    expect_pieces(call_of(&transcript, "insight", 0), insight, countof(insight));
    for (size_t i = 0; i < countof(tasks); i++)
        EXPECT_TRUE(tasks[i], has(call_of(&transcript, tasks[i], 0), "temperature=0.00"));
    graph_rig_fini(&rig);
    buf_fini(&transcript);
}

/* Seed 004, "Session variables": the key, and three lists that are NULL. */
TEST(a_session_has_its_variables)
{
    static const char *const names[] = {
        "company_id",         "user_id",  "customerIds", "workOrderIds",
        "serviceLocationIds", "mask_key", "aesKey"};
    struct services has = {.encrypt_key = STR("k")};
    const struct session session = {.has = &has,
                                    .caller = {.company_id = STR("acme"), .user_id = STR("ann")}};
    struct sql_variable variables[SERVICES_VARIABLES];
    EXPECT_INT("all", (int)services_variables(&session, variables), (int)countof(names));
    for (size_t i = 0; i < countof(names); i++) {
        EXPECT_STR(names[i], variables[i].name, str_of(names[i]));
        EXPECT_INT(names[i], str_is_absent(variables[i].value), i >= 2 && i <= 5);
    }
    EXPECT_STR("the key", variables[6].value, STR("k"));
}

/* Seed 002, validation: one SELECT without UNION, and nothing else, whatever it is. */
TEST(banking_admits_one_select)
{
    static const struct {
        const char *sql;
        bool is_fine;
    } cases[] = {
        {"SELECT COUNT(*) FROM customers", true},
        {"SELECT 1; SELECT 2", false},
        {"SELECT id FROM customers UNION SELECT id FROM accounts", false},
        {"DELETE FROM customers", false},
    };
    static const struct fake_answer answers[] = {
        {"customers", .column = "n", .value = 42, .row_count = 1}};
    TEST_EACH(c, cases) {
        const struct fake_reply replies[] = {
            {"intent", "x"},
            {"sql_generation", c->sql},
            {"insight", "SUMMARY: 42.\nCHART: metric"},
        };
        struct graph_rig rig;
        graph_rig_init(&rig, replies, countof(replies), answers, countof(answers));
        graph_rig_go(&rig, "banking", "q");
        EXPECT_HAS(c->sql, &rig, c->is_fine ? "complete:" : "error:sql_rejected:");
        EXPECT_INT(c->sql, rig.sql.calls > 0, c->is_fine);
        graph_rig_fini(&rig);
    }
}

RUN_TESTS(T(the_correction_sees_what_it_needs_and_no_more),
          T(the_generator_sees_rules_context_and_conversation),
          T(the_responder_is_told_what_failed), T(whatever_the_classifier_says_there_is_one_route),
          T(banking_is_told_what_its_seed_says), T(banking_admits_one_select),
          T(a_session_has_its_variables))
