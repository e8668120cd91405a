/* SPDX-License-Identifier: MIT */
/* Graphs in files: every mistake at its JSON pointer, conditions, values, what a reload changes. */
#include "tests/unit/agents/graph_rig.h"

#include <stdlib.h>
#include <sys/stat.h>
#include <unistd.h>

#include "agents/graph_files/graph_file.h"

/* A graph of one answer; the parts go where a case needs them. */
#define HEAD                                                                                       \
    "{\"name\":\"g\",\"purpose\":\"p\",\"question\":\"q\",\"state\":{\"q\":\"text\",\"t\":"        \
    "\"text\",\"n\":\"int\",\"b\":\"bool\",\"j\":\"json\",\"l\":{\"type\":\"list\",\"reduce\":"    \
    "\"append\"}},"
#define SAY "\"say\":{\"type\":\"answer\",\"text\":\"{t}\"}"
#define LINE                                                                                       \
    "\"edges\":[{\"from\":\"START\",\"to\":\"a\"},{\"from\":\"a\",\"to\":\"say\"},"                \
    "{\"from\":\"say\",\"to\":\"END\"}]}"
#define NODE(object) HEAD "\"nodes\":{\"a\":" object "," SAY "}," LINE

#define AGENT(tools)                                                                               \
    "{\"type\":\"agent\",\"question\":\"q\",\"output\":\"t\",\"prompt\":{\"user\":\"{t}\"},"       \
    "\"tools\":"                                                                                   \
    "" tools "}"

#define ASK(prompt, more) "{\"type\":\"ask\",\"output\":\"t\",\"prompt\":" prompt "," more "}"

static const struct registry_entry *find(void *owner UNUSED, struct str name, uint64_t *hash UNUSED,
                                         struct err *err)
{
    for (size_t i = 0; i < GRAPHS_COUNT; i++)
        if (str_equal(name, str_of(graphs_entries[i]->def->name)))
            return graphs_entries[i];
    err_set(err, ERR_NOT_FOUND, "there is no graph '%.*s'", STR_ARG(name));
    return NULL;
}

static const struct {
    const char *text, *wanted;
} mistakes[] = {
    {"[]", "f.json: : expected an object, got an array"},
    {"{", "f.json: "},
    {"{\"nam\":1}", "f.json: : there is no member 'nam'; there are: name, purpose"},
    {"{\"name\":1}", "f.json: /name: expected a text, got an integer"},
    {"{\"name\":\"g\",\"purpose\":\"p\"}", "f.json: /state: expected an object, got nothing"},
    {"{\"name\":\"g\",\"purpose\":\"p\",\"state\":{\"q\":\"string\"}}",
     "f.json: /state/q: expected one of text, json, int, real, bool, list, got 'string'"},
    {"{\"name\":\"g\",\"purpose\":\"p\",\"state\":{\"q\":{\"type\":\"text\",\"reduce\":\"sum\"}}}",
     "f.json: /state/q/reduce: expected one of replace, append, add, got 'sum'"},
    {"{\"name\":\"g\",\"purpose\":\"p\",\"state\":{\"q\":\"int\"},\"question\":\"q\"}",
     "f.json: /question: 'q' is int, a field of type text is needed"},
    {HEAD "\"budgets\":{\"r\":{\"limit\":-1,\"counter\":\"n\"}}}",
     "f.json: /budgets/r/limit: expected a number from 0 to 1000, got -1"},
    {HEAD "\"budgets\":{\"r\":{\"limit\":1,\"counter\":\"t\"}}}",
     "f.json: /budgets/r/counter: 't' is text, a field of type int is needed"},
    {NODE("{\"type\":\"python\"}"),
     "f.json: /nodes/a/type: there is no type 'python'; there are: ask"},
    {NODE("{\"type\":\"ask\",\"output\":\"t\"}"),
     "f.json: /nodes/a: expected \"prompt\" or \"prompt_file\", one of them"},
    {NODE("{\"type\":\"ask\",\"output\":\"t\",\"prompt\":{\"user\":\"{what}\"}}"),
     "f.json: /nodes/a: {what} is no field of /state, no fact"},
    {NODE("{\"type\":\"ask\",\"output\":\"t\",\"prompt\":{\"user\":\"{\"}}"),
     "f.json: /nodes/a/prompt: a lone brace"},
    {NODE("{\"type\":\"ask\",\"output\":\"t\",\"prompt_file\":\"../x\"}"),
     "f.json: /nodes/a/prompt_file: expected a file beside the graph's, got '../x'"},
    {NODE("{\"type\":\"ask\",\"outputs\":[{\"field\":\"t\",\"take\":\"xml\"}],"
          "\"prompt\":{\"user\":\"x\"}}"),
     "f.json: /nodes/a/outputs/0/take: expected all, sql, explanation, json, refusal, label, chart "
     "or"},
    {NODE(ASK("{\"user\":\"{x}\"}",
              "\"fields\":{\"x\":{\"text\":\"{y}\"},\"y\":{\"text\":\"{z}\"}}")),
     "f.json: /nodes/a/fields/y/text: {z} is no field of /state, no fact"},
    {NODE(ASK("{\"user\":\"{x}\"}", "\"fields\":{\"x\":{\"text\":\"{x}\"}}")),
     "f.json: /nodes/a/fields/x/text: {x} stands in a text of \"fields\" within others, deeper"},
    {NODE(ASK("{\"user\":\"{x}\"}",
              "\"fields\":{\"x\":{\"if\":{\"field\":\"t\",\"is\":\"set\"},\"rows_of\":\"j\"}}")),
     "f.json: /nodes/a/fields/x: there is no member 'rows_of'; there are: if, then, else"},
    {NODE(ASK("{\"user\":\"{x}\"}", "\"fields\":{\"x\":{\"rows_of\":\"j\",\"values_of\":[]}}")),
     "f.json: /nodes/a/fields/x: expected one member"},
    {NODE(ASK("\"banking/no_such\"", "\"exact\":true")),
     "f.json: /nodes/a/prompt: 'banking/no_such' is no prompt of a graph of askd"},
    {NODE(ASK("\"banking/intent_prompt\"", "\"exact\":true")),
     "f.json: /nodes/a: {user_query} is no field of /state"},
    {NODE(ASK("{\"user\":\"x\"}", "\"mend\":{\"check\":\"nobody\"}")),
     "f.json: /nodes/a/mend/check: 'nobody' is no node of /nodes"},
    {NODE(ASK("{\"user\":\"x\"}", "\"mend\":{\"check\":\"say\"}")),
     "f.json: /nodes/a/mend/check: 'say' is no check_sql node"},
    {NODE(ASK("{\"user\":\"x\"}", "\"hold\":{}")), "f.json: /nodes/a/hold: expected \"warnings\""},
    {NODE(ASK("{\"user\":\"x\"}", "\"instead\":{\"if\":{\"budget\":\"r\"},\"say\":\"\"}")),
     "f.json: /nodes/a/instead/if/budget: 'r' is no budget of /budgets"},
    {NODE(ASK("{\"user\":\"x\"}", "\"remember\":{\"question\":\"q\",\"messages\":\"t\"}")),
     "f.json: /nodes/a/remember/messages: 't' is text, a field of type list is needed"},
    {NODE("{\"type\":\"check_sql\",\"statement\":\"q\",\"valid\":\"t\",\"error\":\"t\",\"doubt\":"
          "\"t\"}"),
     "f.json: /nodes/a/doubt: expected a \"budget\""},
    {NODE("{\"type\":\"check_sql\",\"statement\":\"q\",\"valid\":\"t\",\"error\":\"t\",\"notes\":"
          "\"j\"}"),
     "f.json: /nodes/a/notes: expected \"repairs\""},
    {NODE("{\"type\":\"check_sql\",\"statement\":\"q\",\"valid\":\"t\",\"error\":\"t\",\"rules\":"
          "\"none\"}"),
     "f.json: /nodes/a/rules: expected banking, got 'none'"},
    {NODE("{\"type\":\"set\",\"values\":{\"t\":{\"add\":1}}}"),
     "f.json: /nodes/a/values/t/add: expected a number, and a field that holds such a one"},
    {NODE("{\"type\":\"set\",\"values\":{\"n\":{\"add\":0.5}}}"),
     "f.json: /nodes/a/values/n/add: expected a number"},
    {NODE("{\"type\":\"set\",\"values\":{\"t\":{\"sql\":\"x\",\"add\":1}}}"),
     "f.json: /nodes/a/values/t: expected \"sql\", \"add\" or \"if\""},
    {NODE("{\"type\":\"gather\",\"question\":\"q\",\"pairs\":\"t\"}"),
     "f.json: /nodes/a/pairs: 't' is text, a field of type json is needed"},
    {"{\"name\":\"g\",\"purpose\":\"p\",\"state\":{\"q\":{\"type\":\"int\",\"start\":\"x\"}}}",
     "f.json: /state/q/start: a string does not fit into the field"},
    {"{\"name\":\"g\",\"purpose\":\"p\",\"state\":{\"q\":{\"type\":\"text\",\"start\":{\"caller\":"
     "\"x\"}}}}",
     "f.json: /state/q/start/caller: expected one of company, user, conversation, got 'x'"},
    {NODE("{\"type\":\"set\",\"values\":{\"n\":\"x\"}}"),
     "f.json: /nodes/a/values/n: a text does not fit into the field"},
    {NODE("{\"type\":\"set\",\"values\":{\"b\":3}}"),
     "f.json: /nodes/a/values/b: an integer does not fit into the field"},
    {NODE("{\"type\":\"set\",\"values\":{\"x\":1}}"),
     "f.json: /nodes/a/values/x: 'x' is no field of /state"},
    {NODE("{\"type\":\"set\",\"values\":{\"t\":{\"if\":{\"field\":\"t\"},\"then\":\"x\"}}}"),
     "f.json: /nodes/a/values/t/if: expected one of is, equals, contains, above"},
    {NODE("{\"type\":\"set\",\"values\":{\"t\":{\"if\":{\"field\":\"t\",\"is\":\"big\"},"
          "\"then\":\"x\"}}}"),
     "f.json: /nodes/a/values/t/if/is: expected set, absent, empty, true or false, got 'big'"},
    {NODE("{\"type\":\"branch\"}"), "f.json: /nodes/a/route: a branch needs a route"},
    {NODE("{\"type\":\"branch\",\"route\":[{\"label\":\"x\",\"if\":{\"budget\":\"r\"}},"
          "{\"label\":\"y\"}]}"),
     "f.json: /nodes/a/route/0/if/budget: 'r' is no budget of /budgets"},
    {NODE("{\"type\":\"branch\",\"route\":[{\"label\":\"x\"},{\"label\":\"y\"}]}"),
     "f.json: /nodes/a/route/0: a choice without \"if\" ends the list"},
    {NODE("{\"type\":\"graph\",\"graph\":\"nobody\",\"in\":{},\"out\":{}}"),
     "f.json: /nodes/a/graph: there is no graph 'nobody'"},
    {NODE("{\"type\":\"graph\",\"graph\":\"general_agent\",\"in\":{\"ask\":\"q\"},\"out\":{}}"),
     "f.json: /nodes/a/in/ask: graph 'general_agent' has no field 'ask'"},
    {NODE("{\"type\":\"run_sql\",\"check\":\"say\",\"result\":\"j\",\"error\":\"t\"}"),
     "f.json: /nodes/a/check: 'say' is no check_sql node"},
    {NODE("{\"type\":\"recall\",\"question\":\"q\",\"messages\":\"t\"}"),
     "f.json: /nodes/a/messages: 't' is text, a field of type list is needed"},
    {NODE("{\"type\":\"agent\",\"question\":\"q\",\"output\":\"t\",\"prompt\":{\"user\":\"x\"}}"),
     "f.json: /nodes/a/tools: expected an array, got nothing"},
    {NODE(AGENT("[]")), "f.json: /nodes/a/tools: expected one to 32 names of tools"},
    {NODE(AGENT("[\"run_sql\",\"rm\"]")),
     "f.json: /nodes/a/tools/1: there is no tool 'rm'; there are: list_tables, describe_tables"},
    {NODE(AGENT("[\"run_sql\",7]")), "f.json: /nodes/a/tools/1: there is no tool ''"},
    {NODE(AGENT("[\"run_sql\",\"run_sql\"]")),
     "f.json: /nodes/a/tools/1: 'run_sql' is named twice"},
    {NODE(AGENT("[\"run_sql\"],\"turns\":0")),
     "f.json: /nodes/a/turns: expected a number from 1 to 100, got 0"},
    {NODE(AGENT("[\"run_sql\"],\"data\":\"t\"")),
     "f.json: /nodes/a/data: 't' is text, a field of type json is needed"},
    {NODE(AGENT("[\"run_sql\"],\"fields\":{\"t\":{\"rows_of\":\"q\"}}")),
     "f.json: /nodes/a/fields/t/rows_of: 'q' is text, a field of type json is needed"},
    {NODE(AGENT("[\"run_sql\"],\"messages\":\"t\"")),
     "f.json: /nodes/a/messages: 't' is text, a field of type list is needed"},
    {NODE("{\"type\":\"agent\",\"question\":\"q\",\"output\":\"t\",\"tools\":[\"run_sql\"],"
          "\"prompt\":{\"user\":\"{what}\"}}"),
     "f.json: /nodes/a: {what} is no field of /state, no fact"},
    {HEAD "\"nodes\":{" SAY "},\"edges\":[{\"from\":\"END\",\"to\":\"say\"}]}",
     "f.json: /edges/0/from: 'END' is no node of /nodes, nor START"},
    {HEAD "\"nodes\":{" SAY "},\"edges\":[{\"from\":\"START\",\"to\":\"say\",\"budget\":\"r\"}]}",
     "f.json: /edges/0/budget: 'r' is no budget of /budgets"},
    {HEAD "\"nodes\":{" SAY "},\"edges\":[],\"failure\":{\"field\":\"t\",\"code\":\"bad\"}}",
     "f.json: /failure/code: expected one of sql_rejected"},
    {HEAD "\"nodes\":{" SAY
          "},\"edges\":[],\"failure\":{\"field\":\"t\",\"code\":\"invalid\",\"if\":"
          "{\"field\":\"t\",\"is\":\"set\"}}}",
     "f.json: /failure/else: expected an object, got nothing"},
    {HEAD "\"nodes\":{" SAY
          "},\"edges\":[],\"failure\":{\"field\":\"t\",\"code\":\"invalid\",\"if\":"
          "{\"field\":\"t\",\"is\":\"set\"},\"else\":{\"code\":\"bad\"}}}",
     "f.json: /failure/else/code: expected one of sql_rejected"},
    {HEAD "\"budgets\":{\"r\":{\"limit\":1,\"counter\":\"n\"}},\"nodes\":{" SAY
          "},\"edges\":[],\"report\":"
          "{\"t\":{\"field\":\"t\",\"if\":{\"budget\":\"r\"}}}}",
     "f.json: /report/t/if/budget: the run has ended here"},
};

TEST(each_mistake_has_its_place)
{
    TEST_EACH(mistake, mistakes) {
        const struct graph_file_world world = {.find = find};
        struct graph_file *file = NULL;
        struct err err = {0};
        EXPECT_TRUE(mistake->text, graph_file_read("f.json", str_of(mistake->text), &world, &file,
                                                   &err) == ERR_INVALID);
        if (strncmp(err.text, mistake->wanted, strlen(mistake->wanted)) != 0)
            fail_msg("%s\n got: %s\nwant: %s", mistake->text, err.text, mistake->wanted);
    }
}

/* ---- folders ---- */

static char folder[] = "/tmp/askd_graphs_XXXXXX";

static void write_file(const char *name, const char *text)
{
    char path[256];
    snprintf(path, sizeof path, "%s/%s", folder, name);
    FILE *file = fopen(path, "w");
    assert_non_null(file);
    fputs(text, file);
    fclose(file);
}

static void remove_file(const char *name)
{
    char path[256];
    snprintf(path, sizeof path, "%s/%s", folder, name);
    unlink(path);
}

static void load(struct registry *registry, size_t wanted)
{
    struct err err = {0};
    size_t changed;
    if (registry_load_files(registry, folder, &changed, &err) != ERR_OK)
        fail_msg("%s", err.text);
    EXPECT_INT("changed", changed, wanted);
}

TEST(what_changed_gets_a_place_and_the_rest_keeps_its_own)
{
    struct graph_rig rig;
    struct err err = {0};
    assert_non_null(mkdtemp(folder));
    graph_rig_init(&rig, NULL, 0, NULL, 0);
    struct registry *registry = rig.registry;
    size_t before = registry_count(registry);
    write_file("a.json", NODE("{\"type\":\"set\",\"values\":{\"t\":\"one\"}}"));
    load(registry, 1);
    int first = registry_find(registry, STR("g"));
    EXPECT_INT("behind askd's own", first, before);
    load(registry, 0);
    EXPECT_INT("the same", registry_find(registry, STR("g")), first);
    write_file("a.json", NODE("{\"type\":\"set\",\"values\":{\"t\":\"two\"}}"));
    load(registry, 2);
    int second = registry_find(registry, STR("g"));
    EXPECT_INT("another", second, first + 1);
    EXPECT_TRUE("the old one is in no list", !registry_is_listed(registry, (size_t)first));
    EXPECT_TRUE("and is there", registry_graph(registry, (size_t)first) != NULL);
    write_file("b.json", "{}");
    EXPECT_INT("a mistake", registry_load_files(registry, folder, NULL, &err), ERR_INVALID);
    EXPECT_INT("changes nothing", registry_find(registry, STR("g")), second);
    write_file("b.json", NODE("{\"type\":\"set\",\"values\":{}}"));
    EXPECT_INT("a name twice", registry_load_files(registry, folder, NULL, &err), ERR_INVALID);
    EXPECT_TRUE(err.text, strstr(err.text, "/name: 'g' is the name of the graph in") != NULL);
    remove_file("b.json");
    remove_file("a.json");
    load(registry, 1);
    EXPECT_INT("gone", registry_find(registry, STR("g")), -1);
    graph_rig_fini(&rig);
    rmdir(folder);
}

/* ---- running ---- */

static void run_text(struct graph_rig *rig, const char *text, const char *message)
{
    struct err err = {0};
    snprintf(folder, sizeof folder, "/tmp/askd_graphs_XXXXXX");
    assert_non_null(mkdtemp(folder));
    write_file("g.json", text);
    if (registry_load_files(rig->registry, folder, NULL, &err) != ERR_OK)
        fail_msg("%s", err.text);
    remove_file("g.json");
    rmdir(folder);
    graph_rig_go(rig, "g", message);
}

#define IF(condition)                                                                              \
    NODE("{\"type\":\"set\",\"values\":{\"t\":{\"if\":" condition                                  \
         ",\"then\":\"yes\",\"else\":\"no\"}}}")

static const struct {
    const char *text, *said;
} conditions[] = {
    {IF("{\"field\":\"q\",\"count\":\"words\",\"above\":3}"), "no"},
    {IF("{\"field\":\"q\",\"count\":\"words\",\"at_least\":3}"), "yes"},
    {IF("{\"field\":\"q\",\"count\":\"length\",\"below\":13}"), "no"},
    {IF("{\"field\":\"q\",\"contains\":\"two\"}"), "yes"},
    {IF("{\"field\":\"q\",\"equals\":\"one two\"}"), "no"},
    {IF("{\"field\":\"t\",\"is\":\"absent\"}"), "yes"},
    {IF("{\"field\":\"n\",\"at_most\":0}"), "no"}, /* absent is no number */
    {IF("{\"not\":{\"field\":\"b\",\"is\":\"true\"}}"), "yes"},
    {IF("{\"all\":[{\"field\":\"q\",\"is\":\"set\"},{\"field\":\"t\",\"is\":\"set\"}]}"), "no"},
    {IF("{\"any\":[{\"field\":\"q\",\"is\":\"set\"},{\"field\":\"t\",\"is\":\"set\"}]}"), "yes"},
    {IF("{\"field\":\"l\",\"count\":\"items\",\"below\":1}"), "yes"},
};

TEST(conditions_hold_or_not)
{
    TEST_EACH(one, conditions) {
        struct graph_rig rig;
        char wanted[64];
        graph_rig_init(&rig, NULL, 0, NULL, 0);
        run_text(&rig, one->text, "one two three");
        snprintf(wanted, sizeof wanted, "token:final:%s|", one->said);
        EXPECT_TRUE(one->text, strstr(rig.events, wanted) != NULL);
        graph_rig_fini(&rig);
    }
}

/* A value of a text becomes a literal, whatever it holds; json is looked into by a pointer. */
TEST(values_are_literals_of_sql)
{
    static const char text[] =
        HEAD "\"nodes\":{\"a\":{\"type\":\"set\",\"values\":{\"t\":{\"sql\":"
             "\"SELECT {q}, {n}, {today}\"},\"j\":\"{{\\\"rows\\\":[1,2]}}\"}},"
             "\"say\":{\"type\":\"answer\",\"text\":\"{t}\",\"route\":"
             "[{\"label\":\"two\",\"if\":"
             "{\"field\":\"j\",\"at\":\"/rows\",\"count\":\"items\",\"at_least\":2}},"
             "{\"label\":\"other\"}]},"
             "\"last\":{\"type\":\"answer\",\"text\":\"!\"}},"
             "\"edges\":[{\"from\":\"START\",\"to\":\"a\"},{\"from\":\"a\",\"to\":\"say\"},"
             "{\"from\":\"say\",\"to\":\"last\",\"label\":\"two\"},"
             "{\"from\":\"say\",\"to\":\"END\",\"label\":\"other\"},"
             "{\"from\":\"last\",\"to\":\"END\"}]}";
    struct graph_rig rig;
    graph_rig_init(&rig, NULL, 0, NULL, 0);
    run_text(&rig, text, "x' OR '1'='1");
    EXPECT_TRUE(rig.events, strstr(rig.events, "token:final:SELECT 'x'' OR ''1''=''1', NULL, "
                                               "'2025-06-30'!|") != NULL);
    graph_rig_fini(&rig);
}

/* What a field holds at the start, what is added to it, and what is reported of it when. */
TEST(numbers_begin_grow_and_are_reported)
{
    static const char text[] =
        "{\"name\":\"g\",\"purpose\":\"p\",\"question\":\"q\",\"state\":{\"q\":\"text\","
        "\"n\":{\"type\":\"int\",\"start\":40},\"r\":{\"type\":\"real\",\"start\":0.5},"
        "\"b\":{\"type\":\"bool\",\"start\":true},\"t\":{\"type\":\"text\",\"start\":\"so\"},"
        "\"c\":{\"type\":\"text\",\"start\":{\"caller\":\"company\"}},\"z\":\"int\"},"
        "\"nodes\":{\"a\":{\"type\":\"set\",\"values\":{\"n\":{\"add\":2},\"r\":{\"add\":-1.25},"
        "\"z\":{\"add\":-7}}},\"say\":{\"type\":\"answer\",\"text\":\"{n} {r} {z} {b} {t} {c}\"}},"
        "\"report\":{\"n\":{\"field\":\"n\",\"if\":{\"field\":\"n\",\"above\":41}},"
        "\"z\":{\"field\":\"z\",\"if\":{\"field\":\"n\",\"above\":42}}}," LINE;
    struct graph_rig rig;
    graph_rig_init(&rig, NULL, 0, NULL, 0);
    run_text(&rig, text, "go");
    EXPECT_TRUE(rig.events, strstr(rig.events, "token:final:42 -0.75 -7 true so acme|") != NULL);
    EXPECT_TRUE(rig.events, strstr(rig.events, "\"n\":42") != NULL);
    EXPECT_TRUE(rig.events, strstr(rig.events, "\"z\":") == NULL);
    graph_rig_fini(&rig);
}

/* A text of a list that begins as an object does is told as a text, an object as it is. */
TEST(items_of_a_list_are_told_as_json)
{
    static const char text[] = NODE("{\"type\":\"set\",\"values\":{\"l\":\"{{ {q}\"}}");
    static const struct {
        const char *question, *told;
    } cases[] = {{"no \"object", "\"l\":[\"{ no \\\"object\"]"},
                 {"\"role\":\"user\"}", "\"l\":[{ \"role\":\"user\"}]"}};
    TEST_EACH(one, cases) {
        struct graph_rig rig;
        struct buf members;
        graph_rig_init(&rig, NULL, 0, NULL, 0);
        run_text(&rig, text, one->question);
        buf_init(&members, 64 * 1024);
        registry_describe(run_state(rig.run), UINT64_MAX, &members);
        buf_push_char(&members, '\0');
        EXPECT_TRUE(buf_str(&members).at, strstr(buf_str(&members).at, one->told) != NULL);
        buf_fini(&members);
        graph_rig_fini(&rig);
    }
}

RUN_TESTS(T(each_mistake_has_its_place), T(what_changed_gets_a_place_and_the_rest_keeps_its_own),
          T(conditions_hold_or_not), T(values_are_literals_of_sql),
          T(numbers_begin_grow_and_are_reported), T(items_of_a_list_are_told_as_json))
