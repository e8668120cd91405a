/* SPDX-License-Identifier: MIT */
/* bench/guard_path.c - what a statement costs from the model that wrote it to the database, and how
 * often it is parsed on the way.
 *
 * bench_guard_path [ROUNDS]: every statement of tests/guard/corpus up to 1 KiB that passes, ROUNDS
 * times each (20) through the graph sql_agent with a model and a database that answer at once. "to
 * send" is the time from the end of sql_generator to the start of the query: secure_rewriter,
 * pre_validation and executor with their supersteps; "after" is from there to the end of executor.
 * Percentiles are over statements, each by the best of its rounds. "parses" are those of a
 * statement until it is sent, and in all. Times are the thread's CPU time.
 */
#include <inttypes.h>
#include <stdio.h>
#include <string.h>
#include <time.h>

#include "agents/graphs.h"
#include "agents/memory/history.h"
#include "agents/common/prompt.h"
#include "agents/registry.h"
#include "agents/sql/joins/join_graph.h"
#include "agents/sql/parse/parse.h"
#include "bench/samples.h"
#include "core/base/file.h"
#include "core/run/run.h"
#include "proto/json_value.h"
#include "tests/lib/fake_llm.h"

enum { FILE_BYTES = 4 << 20, SHORT_BYTES = 1024, TURNS = 100000 };

struct bench {
    struct loop *loop;
    struct fake_llm llm;
    struct sql sql; /* answers one row */
    struct registry *registry;
    struct knowledge knows;
    struct services has;
    struct session session;
    struct catalog *catalog;
    struct join_graph *joins;
    struct prompt_set *prompts;
    struct sql_policy_set policies;
    struct arena arena; /* of policies and statements */
    unsigned rounds;
    uint64_t generated, sent, ended; /* of one run: thread's CPU time; 0: not reached */
    unsigned parses, parses_to_send;
    bool is_corrected;
};

struct path { /* over the statements of a corpus */
    struct samples to_send, after;
    uint64_t parses, parses_to_send;
};

static const char *const dialects[] = {
    [SQL_SQLITE] = "sqlite", [SQL_POSTGRES] = "postgres", [SQL_MYSQL] = "mysql"};

static const struct limits limits = {
    .sql_agent_max_iterations = 15,
    .sql_correction_max_attempts = 3,
    .sql_max_hops = 4,
    .sql_pre_validation_enabled = true,
    .sql_max_tables_in_context = 20,
    .sql_max_relationships_display = 50,
    .sql_max_relationships_in_prompt = 20,
    .sql_max_columns_in_schema = 50,
    .sql_max_columns_in_validation = 100,
    .sql_max_columns_in_correction = 100,
    .sql_max_sql_history_length = 100,
    .sql_max_fallback_tables = 5,
    .sql_max_tables_in_selection_prompt = 250,
    .sql_max_suggested_paths = 5,
    .sql_confidence_threshold = 0.7,
    .max_context_tokens = 120000,
    .max_query_rows = 100,
    .max_conversation_messages = 20,
    .max_result_bytes = 1 << 22,
    .max_output_tokens = 4000,
    .temperature = 0.1,
    .llm_timeout_ms = 60000,
    .sql_timeout_ms = 30000,
};

static const struct log quiet = {.level = LOG_OFF};

static uint64_t now_ns(void)
{
    struct timespec now;
    clock_gettime(CLOCK_THREAD_CPUTIME_ID, &now);
    return (uint64_t)now.tv_sec * 1000000000u + (uint64_t)now.tv_nsec;
}

/* ---- parses, which the linker brings here ---- */

static unsigned *counted; /* of the only bench */

typedef enum err_code parse_fn(enum sql_dialect dialect, struct str text,
                               const struct catalog *catalog, struct arena *arena,
                               const struct sql_parse **out, const char **rule, struct err *err);
typedef enum err_code parse_in_fn(enum sql_dialect dialect, struct str schema, struct str text,
                                  const struct catalog *catalog, struct arena *arena,
                                  const struct sql_parse **out, const char **rule, struct err *err);
parse_fn __real_sql_parse_statement, __wrap_sql_parse_statement;
parse_in_fn __real_sql_parse_statement_in, __wrap_sql_parse_statement_in;

enum err_code __wrap_sql_parse_statement(enum sql_dialect dialect, struct str text,
                                         const struct catalog *catalog, struct arena *arena,
                                         const struct sql_parse **out, const char **rule,
                                         struct err *err)
{
    ++*counted;
    return __real_sql_parse_statement(dialect, text, catalog, arena, out, rule, err);
}

enum err_code __wrap_sql_parse_statement_in(enum sql_dialect dialect, struct str schema,
                                            struct str text, const struct catalog *catalog,
                                            struct arena *arena, const struct sql_parse **out,
                                            const char **rule, struct err *err)
{
    ++*counted;
    return __real_sql_parse_statement_in(dialect, schema, text, catalog, arena, out, rule, err);
}

/* ---- a database ---- */

static void on_cancel(struct op *op)
{
    op_finish(op, ERR_CANCELLED, "cancelled");
}

static const struct op_kind kind = {.name = "sql.bench", .cancel = on_cancel};

static void start_query(struct sql *sql, struct sql_query *query, struct op_waiter waiter)
{
    static const struct str columns[] = {{"n", 1}};
    static const struct sql_value values[] = {{.type = SQL_INT, .integer = 1}};
    struct bench *bench = container_of(sql, struct bench, sql);
    if (bench->generated != 0) { /* else a sample of a table */
        bench->sent = now_ns();
        bench->parses_to_send = bench->parses;
    }
    op_begin(&query->op, &kind, sql->loop, waiter);
    query->result = (struct sql_result){
        .columns = columns, .column_count = 1, .values = values, .row_count = 1};
    op_finish(&query->op, ERR_OK, "%s", "");
}

static enum err_code ready(struct sql *sql UNUSED, struct err *err UNUSED)
{
    return ERR_OK;
}

static void close_sql(struct sql *sql UNUSED, void (*on_closed)(void *owner), void *owner)
{
    on_closed(owner);
}

static const struct sql_vtable vtable = {"bench", start_query, ready, close_sql, NULL};

/* ---- one run ---- */

static void on_visited(struct run *run, const struct run_visit *visit)
{
    struct bench *bench = run_owner(run);
    const char *node = visit->graph->nodes[visit->node].name;
    if (strcmp(node, "sql_generator") == 0) {
        bench->parses = 0;
        bench->generated = now_ns();
    } else if (strcmp(node, "executor") == 0) {
        bench->ended = now_ns();
    } else if (strcmp(node, "correction_agent") == 0) {
        bench->is_corrected = true;
    }
}

static void on_end(struct run *run UNUSED)
{
}

/* Whether the statement came to the database and its rows back, without a correction. */
static bool run_once(struct bench *bench, enum sql_dialect dialect, const struct sql_policy *policy,
                     bool tenant, const char *sql)
{
    struct err err = {0};
    const struct fake_reply replies[] = {{.task = "table_selection", .reply = "[\"members\"]"},
                                         {.task = "sql_generation", .reply = sql},
                                         {.task = "sql_answer", .reply = "So it is."},
                                         {.task = "sql_correction", .reply = "CANNOT_ANSWER: no"}};
    const int which = registry_find(bench->registry, STR("sql_agent"));
    fake_llm_init(&bench->llm, bench->loop, replies, countof(replies));
    bench->sql.dialect = dialect;
    bench->knows.dialect = dialect;
    bench->knows.policy = policy;
    bench->knows.tenant.on = tenant;
    bench->session = (struct session){
        .has = &bench->has, .knows = &bench->knows, .message = STR("How many are there?")};
    bench->generated = bench->sent = bench->ended = 0;
    bench->is_corrected = false;
    struct run *run = run_create(&(struct run_options){
        .loop = bench->loop,
        .graph = registry_graph(bench->registry, (size_t)which),
        .services = &bench->session,
        .limits = {.arena_bytes = 64 << 20, .log_bytes = 1 << 20},
        .log = &quiet,
        .on_end = on_end,
        .on_visited = on_visited,
        .owner = bench,
        .detail = EVENT_CORE,
        .conversation_id = STR(""),
    });
    CHECK(run != NULL);
    CHECK(registry_begin(registry_entry(bench->registry, (size_t)which), run_input(run),
                         &bench->session, &err) == ERR_OK);
    run_start(run);
    CHECK(loop_run_dry(bench->loop, TURNS));
    bool passed = bench->sent != 0 && bench->ended != 0 && !bench->is_corrected;
    run_destroy(run);
    return passed;
}

/* ---- the corpora ---- */

static void run_line(struct bench *bench, enum sql_dialect dialect, struct path *path,
                     struct str line)
{
    struct err err = {0};
    uint64_t to_send = UINT64_MAX, after = UINT64_MAX;
    const struct json_value *value = json_value_parse(&bench->arena, line, NULL, &err);
    const struct json_value *name = json_value_member(value, STR("policy"));
    const struct json_value *sql = json_value_member(value, STR("sql"));
    const struct sql_policy *policy = &sql_policy_default;
    const char *text =
        sql == NULL || sql->text.len > SHORT_BYTES ? NULL : arena_cstr(&bench->arena, sql->text);
    if (name == NULL || text == NULL)
        return;
    for (size_t i = 0; i < bench->policies.count; i++)
        if (str_equal(bench->policies.policies[i].name, name->text))
            policy = &bench->policies.policies[i];
    for (unsigned i = 0; i < bench->rounds; i++) {
        if (!run_once(bench, dialect, policy, str_starts_with(name->text, STR("tenant")), text))
            return;
        uint64_t sent = bench->sent - bench->generated, ended = bench->ended - bench->sent;
        to_send = sent < to_send ? sent : to_send;
        after = ended < after ? ended : after;
    }
    samples_add(&path->to_send, to_send);
    samples_add(&path->after, after);
    path->parses += bench->parses;
    path->parses_to_send += bench->parses_to_send;
}

static bool read_file(const char *path, struct buf *out)
{
    char whole[512];
    struct err err = {0};
    snprintf(whole, sizeof whole, "%s/%s", ASKD_GUARD_FOLDER, path);
    buf_clear(out);
    if (file_read(whole, out, &err) == ERR_OK)
        return true;
    fprintf(stderr, "bench_guard_path: %s\n", err.text);
    return false;
}

static void run_corpus(struct bench *bench, enum sql_dialect dialect, const char *kind_name)
{
    char file[64];
    struct buf text;
    struct path path = {.parses = 0};
    buf_init(&text, FILE_BYTES);
    snprintf(file, sizeof file, "corpus/%s_%s.jsonl", dialects[dialect], kind_name);
    if (read_file(file, &text)) {
        struct str rest = arena_str(&bench->arena, buf_str(&text));
        while (!str_is_absent(rest)) {
            struct str line = str_trim(str_split(&rest, '\n'));
            if (line.len > 0)
                run_line(bench, dialect, &path, line);
        }
        double count = path.to_send.count == 0 ? 1 : (double)path.to_send.count;
        printf("%-9s %-9s %6" PRIu64 " %8.2f %8.2f %8.2f %8.2f %7.2f %7.2f\n", dialects[dialect],
               kind_name, path.to_send.count, samples_us(&path.to_send, 0.5),
               samples_us(&path.to_send, 0.99), samples_us(&path.after, 0.5),
               samples_us(&path.after, 0.99), (double)path.parses_to_send / count,
               (double)path.parses / count);
    }
    buf_fini(&text);
}

static bool load(struct bench *bench)
{
    struct err err = {0};
    struct buf text;
    buf_init(&text, FILE_BYTES);
    bool ready_now = read_file("world/schema.json", &text) &&
                     catalog_from_join_graph(buf_str(&text), &bench->catalog, &err) == ERR_OK &&
                     join_graph_from_json(buf_str(&text), &bench->joins, &err) == ERR_OK &&
                     read_file("world/policies.json", &text) &&
                     sql_policy_read(arena_str(&bench->arena, buf_str(&text)), &bench->arena,
                                     &bench->policies, &err) == ERR_OK &&
                     graphs_load_prompts(ASKD_PROMPTS, &bench->prompts, &err) == ERR_OK &&
                     registry_create(&limits, &bench->registry, &err) == ERR_OK;
    if (!ready_now)
        fprintf(stderr, "bench_guard_path: %s\n", err.text);
    buf_fini(&text);
    return ready_now;
}

int main(int argc, char **argv)
{
    static struct bench bench;
    static const char *const kinds[] = {"honest", "rewrites", "tenants"};
    uint64_t rounds = 20;
    if (argc > 1 && !str_to_u64(str_of(argv[1]), &rounds))
        return 2;
    bench.rounds = (unsigned)rounds;
    counted = &bench.parses;
    bench.loop = loop_create();
    bench.sql = (struct sql){.vtable = &vtable, .loop = bench.loop};
    arena_init(&bench.arena, (size_t)64 << 20);
    bool ready_now = load(&bench);
    bench.knows = (struct knowledge){.catalog = bench.catalog,
                                     .joins = bench.joins,
                                     .prompts = bench.prompts,
                                     .banking_policy = &sql_policy_banking};
    bench.has = (struct services){.loop = bench.loop,
                                  .llm = &bench.llm.llm,
                                  .sql = &bench.sql,
                                  .limits = &limits,
                                  .log = &quiet};
    if (ready_now) {
        printf("%-9s %-9s %6s %8s %8s %8s %8s %7s %7s\n", "dialect", "corpus", "n", "to send",
               "p99 us", "after", "p99 us", "parses", "in all");
        for (size_t d = 0; d < countof(dialects); d++)
            for (size_t k = 0; k < countof(kinds); k++)
                run_corpus(&bench, (enum sql_dialect)d, kinds[k]);
    }
    registry_destroy(bench.registry);
    prompt_set_destroy(bench.prompts);
    join_graph_destroy(bench.joins);
    catalog_destroy(bench.catalog);
    arena_fini(&bench.arena);
    loop_destroy(bench.loop);
    return ready_now ? 0 : 1;
}
