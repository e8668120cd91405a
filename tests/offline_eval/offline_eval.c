/* SPDX-License-Identifier: MIT */
/* tests/offline_eval/offline_eval.c - the offline engine over a file of questions.
 *
 *   offline_eval DATABASE.sqlite 2025-06-30 < questions.jsonl > answers.jsonl
 *
 * Reads {"id","question",...} lines, writes {"id","sql","reason"}: sql null when it abstains. */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "agents/offline/question.h"
#include "agents/sql/introspect.h"
#include "backends/sql_sqlite.h"
#include "proto/json_value.h"
#include "proto/json_write.h"

enum { LINE_BYTES = 1 << 16, ARENA_BYTES = 8 << 20, TURNS = 1 << 20 };

struct world {
    struct loop *loop;
    struct sql *sql;
    struct introspect introspect;
    struct lexicon_load load;
    struct join_graph *joins;
    struct join_finder *finder;
    struct offline_source source;
    bool failed;
};

static void on_done(struct op *op)
{
    struct world *world = op_owner(op);
    if (op->err.code != ERR_OK) {
        fprintf(stderr, "%s\n", op->err.text);
        world->failed = true;
    }
}

static void on_closed(void *owner)
{
    (void)owner;
}

static bool turn(struct world *world)
{
    return loop_run_dry(world->loop, TURNS) && !world->failed;
}

static bool open_world(struct world *world, const char *path, const char *today)
{
    static const struct introspect_options options = {.count_rows = false};
    struct err err;
    int year, month, day;
    const struct op_waiter waiter = {on_done, world, NULL};
    if (sscanf(today, "%d-%d-%d", &year, &month, &day) != 3)
        return false;
    world->loop = loop_create();
    world->sql = sql_sqlite_create(world->loop, path, 1, 16);
    if (world->sql == NULL)
        return false;
    introspect_start(&world->introspect, world->sql, &options, waiter);
    while (op_is_pending(&world->introspect.op))
        loop_turn(world->loop, 1);
    if (world->failed)
        return false;
    lexicon_load_start(&world->load, world->loop, world->sql, world->introspect.catalog, waiter);
    while (op_is_pending(&world->load.op))
        loop_turn(world->loop, 1);
    if (world->failed ||
        join_graph_from_catalog(world->introspect.catalog, &world->joins, &err) != ERR_OK)
        return false;
    world->finder = join_finder_create(world->joins, NULL);
    world->source = (struct offline_source){world->load.lexicon, world->joins, world->finder,
                                            SQL_SQLITE, offline_dates_day(year, month, day)};
    return world->finder != NULL;
}

static void close_world(struct world *world)
{
    join_finder_destroy(world->finder);
    join_graph_destroy(world->joins);
    lexicon_destroy(world->load.lexicon);
    catalog_destroy(world->introspect.catalog);
    sql_close(world->sql, on_closed, NULL);
    (void)turn(world);
    loop_destroy(world->loop);
}

static void answer_line(const struct world *world, struct str line)
{
    struct arena arena;
    struct buf out;
    struct json_write writer;
    struct str id = STR(""), question = STR("");
    struct offline_answer *answer;
    arena_init(&arena, ARENA_BYTES);
    const struct json_value *value = json_value_parse(&arena, line, NULL, NULL);
    if (json_value_str(value, "/id", &id, NULL) != ERR_OK ||
        json_value_str(value, "/question", &question, NULL) != ERR_OK ||
        offline_question_read(&world->source, question, &arena, &answer) != ERR_OK) {
        arena_fini(&arena);
        return;
    }
    buf_init(&out, LINE_BYTES);
    json_write_init(&writer, &out);
    json_write_object(&writer);
    json_write_member_str(&writer, STR("id"), id);
    json_write_key(&writer, STR("sql"));
    if (answer->understood)
        json_write_str(&writer, answer->sql);
    else
        json_write_null(&writer);
    json_write_member_str(&writer, STR("reason"), str_of(answer->cannot));
    json_write_object_end(&writer);
    printf("%.*s\n", STR_ARG(buf_str(&out)));
    buf_fini(&out);
    arena_fini(&arena);
}

int main(int argc, char **argv)
{
    static char line[LINE_BYTES];
    struct world world = {0};
    if (argc != 3 || !open_world(&world, argv[1], argv[2])) {
        fprintf(stderr, "usage: %s DATABASE YYYY-MM-DD < questions.jsonl\n", argv[0]);
        return 2;
    }
    while (fgets(line, sizeof line, stdin) != NULL)
        answer_line(&world, str_trim(str_make(line, strlen(line))));
    close_world(&world);
    return 0;
}
