/* SPDX-License-Identifier: MIT */
/* agents/sql_agent/whole, and what a router's answer saves: how many calls a question takes, and
 * what they are shown, on a schema that is small and on one that is not. */
#include "tests/unit/agents/graph_rig.h"

enum { TRANSCRIPT_BYTES = 1 << 20 };

#define COUNT "SELECT COUNT(*) AS n FROM employee WHERE isActive = 1"
#define TAKEN "[\"employee\"]"

static const struct {
    const char *name, *graph, *router, *chosen;
    size_t whole_bytes;
    unsigned calls;
    const char *shown, *not_shown; /* in the system text of the first call */
    const char *says;              /* in the events */
} cases[] = {
    {"a statement with the route", "orchestrator",
     "{\"route\":\"SQL\",\"sql\":\"" COUNT "\",\"cannot\":null}", TAKEN, 8192, 2, "isActive",
     "Choose", "Two."},
    {"the statement in a fence", "orchestrator",
     "Here: {\"route\": \"SQL\", \"sql\": \"```sql\\n" COUNT ";\\n```\"}", TAKEN, 8192, 2,
     "workTime.employeeId = employee.id", "first columns", "Two."},
    {"only a word", "orchestrator", "SQL", TAKEN, 8192, 3, "isActive", "Choose", "Two."},
    {"a route without a statement", "orchestrator",
     "{\"route\":\"SQL\",\"sql\":null,\"cannot\":null}", TAKEN, 8192, 3, "isActive", "Choose",
     "Two."},
    {"why there is none", "orchestrator",
     "{\"route\":\"SQL\",\"sql\":null,\"cannot\":\"no weather here\"}", TAKEN, 8192, 1, "isActive",
     "Choose", "no weather here"},
    {"another route's statement is none", "orchestrator",
     "{\"route\":\"GENERAL\",\"sql\":\"" COUNT "\",\"cannot\":null}", TAKEN, 8192, 2, "isActive",
     "Choose", "In general."},
    {"too large a schema, tables with the route", "orchestrator",
     "{\"route\":\"SQL\",\"tables\":[\"employee\",\"nowhere\"]}", "[\"crew\"]", 0, 3,
     "first columns", "SELECT", "Two."},
    {"too large, and no table that there is", "orchestrator",
     "{\"route\":\"SQL\",\"tables\":[\"nowhere\"]}", TAKEN, 0, 4, "first columns", "SELECT",
     "Two."},
    {"too large, and only a word", "orchestrator", "SQL", TAKEN, 0, 4, "first columns", "SELECT",
     "Two."},
    {"a byte too large", "orchestrator", "SQL", TAKEN, 64, 4, "first columns", "SELECT", "Two."},
    {"the SQL agent alone", "sql_agent", "", TAKEN, 8192, 2, "isActive", "Choose", "Two."},
    {"the SQL agent alone, large", "sql_agent", "", "{\"tables\":" TAKEN "}", 0, 3, "Choose",
     "SELECT", "Two."},
};

TEST(calls_and_what_they_are_shown)
{
    static const struct fake_answer answers[] = {
        {"employee", .column = "n", .value = 2, .row_count = 1}};
    TEST_EACH(c, cases) {
        const struct fake_reply replies[] = {
            {c->whole_bytes == 8192 ? "classify_whole" : "classify", c->router, ERR_OK},
            {"table_selection", c->chosen, ERR_OK},
            {"sql_generation", "```sql\n" COUNT "\n```", ERR_OK},
            {"sql_answer", "Two.", ERR_OK},
            {"general", "In general.", ERR_OK},
        };
        struct limits limits = rig_limits;
        struct graph_rig rig;
        struct buf transcript;
        limits.sql_whole_schema_bytes = c->whole_bytes;
        graph_rig_init_limits(&rig, &limits, replies, countof(replies), answers, countof(answers));
        buf_init(&transcript, TRANSCRIPT_BYTES);
        rig.llm.transcript = &transcript;
        graph_rig_go(&rig, c->graph, "How many employees are active?");
        struct str first = buf_str(&transcript);
        ptrdiff_t end = str_find(str_from(first, 1), STR("\n== "));
        first = end == STR_NONE ? first : str_slice(first, 0, (size_t)end + 1);
        EXPECT_INT(c->name, rig.llm.calls, c->calls);
        EXPECT_INT(c->name, rig.llm.unscripted, 0);
        EXPECT_TRUE(c->name, str_find(first, str_of(c->shown)) != STR_NONE);
        EXPECT_TRUE(c->name, str_find(first, str_of(c->not_shown)) == STR_NONE);
        EXPECT_TRUE(c->name, strstr(rig.events, c->says) != NULL);
        buf_fini(&transcript);
        graph_rig_fini(&rig);
    }
}

RUN_TESTS(T(calls_and_what_they_are_shown))
