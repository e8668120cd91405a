/* SPDX-License-Identifier: MIT */
/* backends/vec_pg without a PostgreSQL: urls, nobody there, nobody who answers, and the statements
 * it would send. What every vec promises is in contract_vec_*, on PGlite. */
#include "backends/vectors/vec_pg.h"

#include "backends/vectors/vec_pg_wire.h"
#include "tests/unit/backends/pg_store_rig.h"

static const float vector[VEC_MAX_DIMENSIONS] = {1, 0, -0.5F};
static const struct str own[] = {STR(""), STR("ac\"m\\e")}, one[] = {STR("x'y")};
static const struct passage_filter filters[] = {
    {STR("company_id"), own, 2}, {STR("color"), one, 1}, {STR("nobody"), NULL, 0}};
static const struct vec_point point = {{STR("i"), STR("t")}, vector};
static const struct vec_query query = {.collection = STR("docs"),
                                       .model = STR("m"),
                                       .vector = vector,
                                       .dimensions = 3,
                                       .top_k = 5,
                                       .filters = filters,
                                       .filter_count = 2,
                                       .timeout_ms = PG_STORE_PATIENCE_MS};
static const struct vec_change addition = {.collection = STR("docs"),
                                           .model = STR("m"),
                                           .dimensions = 3,
                                           .upsert = &point,
                                           .upsert_count = 1,
                                           .timeout_ms = PG_STORE_PATIENCE_MS};

static struct vec_query wanted;
static struct vec_search found;
static struct vec_write written;

static void *create(struct loop *loop, const char *url, struct err *err)
{
    return vec_pg_create(loop, url, err);
}

static struct op *start_search(void *store, uint64_t timeout_ms, struct op_waiter waiter)
{
    wanted = query;
    wanted.timeout_ms = timeout_ms;
    vec_search_start(&found, store, &wanted, waiter);
    return &found.op;
}

static struct op *start_change(void *store, struct op_waiter waiter)
{
    vec_write_start(&written, store, &addition, waiter);
    return &written.op;
}

static size_t count_hits(void)
{
    return found.hit_count;
}

static enum err_code tell_ready(void *store, struct err *err)
{
    return vec_ready(store, err);
}

static void close_store(void *store, void (*on_closed)(void *owner), void *owner)
{
    vec_close(store, on_closed, owner);
}

static const struct pg_store_kind kind = {create,     start_search, start_change,
                                          count_hits, tell_ready,   close_store};

TEST(urls)
{
    pg_store_refuses_urls(&kind);
}

TEST(a_server_that_says_nothing)
{
    pg_store_hears_nothing(&kind);
}

TEST(nobody_is_there)
{
    pg_store_finds_nobody(&kind);
}

/* ---- statements ---- */

static struct str text_of(const struct pg_passages_run *run, size_t step)
{
    return str_of(run->task.statements[step].text);
}

static struct str param_of(const struct pg_passages_run *run, size_t step, size_t number)
{
    EXPECT_TRUE("so many", number <= run->task.statements[step].param_count);
    return str_of(run->task.statements[step].params[number - 1].value);
}

static void begin_run(struct pg_passages_run *run)
{
    *run = (struct pg_passages_run){0};
    arena_init(&run->arena, (size_t)64 << 20);
}

#define DOCS "askd_vec_46b42b4229cd7a39"

TEST(searches)
{
    static struct pg_passages_run run;
    struct vec_query asked = query;
    struct err err = {0};
    begin_run(&run);
    EXPECT_INT("search", vec_pg_wire_search(&run, &asked, &err), ERR_OK);
    EXPECT_INT("statements", run.task.count, 3);
    EXPECT_STR("width", param_of(&run, 0, 1), STR("400"));
    EXPECT_STR("kind", text_of(&run, run.kind_step),
               STR("SELECT model, dimensions, EXISTS (SELECT FROM " DOCS
                   ") FROM askd_vec WHERE collection = $1"));
    EXPECT_STR("collection", param_of(&run, run.kind_step, 1), STR("docs"));
    EXPECT_STR("search", text_of(&run, 2),
               STR("SELECT id, body, fields, -(embedding <#> $1::vector) FROM " DOCS " WHERE true"
                   " AND company_id = ANY ($3::text[])"
                   " AND $4::jsonb ? coalesce(fields->>$5, '')"
                   " ORDER BY embedding <#> $1::vector LIMIT $2::int8"));
    EXPECT_STR("vector", param_of(&run, 2, 1), STR("[1,0,-0.5]"));
    EXPECT_STR("some more for ties", param_of(&run, 2, 2), STR("21"));
    EXPECT_STR("owners", param_of(&run, 2, 3), STR("{\"\",\"ac\\\"m\\\\e\"}"));
    EXPECT_STR("values", param_of(&run, 2, 4), STR("[\"x'y\"]"));
    EXPECT_STR("field", param_of(&run, 2, 5), STR("color"));
    arena_fini(&run.arena);

    begin_run(&run);
    asked.filter_count = 3;
    EXPECT_INT("nothing passes", vec_pg_wire_search(&run, &asked, &err), ERR_OK);
    EXPECT_INT("nothing passes", run.task.count, 0);
    asked.top_k = 0;
    EXPECT_INT("refused", vec_pg_wire_search(&run, &asked, &err), ERR_INVALID);
    arena_fini(&run.arena);

    begin_run(&run);
    asked = query;
    asked.top_k = 1000;
    EXPECT_INT("many", vec_pg_wire_search(&run, &asked, &err), ERR_OK);
    EXPECT_STR("the index' limit", param_of(&run, 0, 1), STR("1000"));
    EXPECT_STR("not the search's", param_of(&run, 2, 2), STR("1016"));
    arena_fini(&run.arena);
}

static bool says(struct str text, const char *what)
{
    return str_find(text, str_of(what)) != STR_NONE;
}

TEST(changes)
{
    static struct pg_passages_run run;
    struct vec_change asked = addition;
    struct err err = {0};
    begin_run(&run);
    asked.remove_ids = one;
    asked.remove_count = 1;
    asked.remove_filters = filters;
    asked.remove_filter_count = 2;
    EXPECT_INT("all of it", vec_pg_wire_change(&run, &asked, &err), ERR_OK);
    EXPECT_INT("as many as fit", run.task.count, PG_TASK_MOST);
    EXPECT_INT("held, its guard, the points", run.kind_step, run.task.count - 3);
    EXPECT_TRUE("table", says(text_of(&run, 0), "embedding vector(3) NOT NULL"));
    EXPECT_TRUE("index", says(text_of(&run, 0), "USING hnsw (embedding vector_ip_ops)"));
    EXPECT_STR("points", param_of(&run, run.task.count - 1, 1),
               STR("[{\"id\":\"i\",\"body\":\"t\",\"embedding\":\"[1,0,-0.5]\",\"fields\":{}}]"));
    arena_fini(&run.arena);

    begin_run(&run);
    asked.dimensions = 2001;
    EXPECT_INT("long vectors", vec_pg_wire_change(&run, &asked, &err), ERR_OK);
    EXPECT_TRUE("no index takes them", !says(text_of(&run, 0), "hnsw"));
    arena_fini(&run.arena);

    begin_run(&run);
    asked.upsert_count = 0;
    EXPECT_INT("only removals", vec_pg_wire_change(&run, &asked, &err), ERR_OK);
    EXPECT_INT("under a lock", run.task.count, 3);
    EXPECT_STR("which ones", param_of(&run, 1, 1), STR("[\"x'y\"]"));
    arena_fini(&run.arena);

    begin_run(&run);
    asked.remove_count = 0;
    asked.remove_filter_count = 3;
    EXPECT_INT("nothing passes", vec_pg_wire_change(&run, &asked, &err), ERR_OK);
    EXPECT_INT("nothing to do", run.task.count, 0);
    arena_fini(&run.arena);
}

RUN_TESTS(T(urls), T(a_server_that_says_nothing), T(nobody_is_there), T(searches), T(changes))
