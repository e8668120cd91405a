/* SPDX-License-Identifier: MIT */
#include "tests/unit/offline/world.h"

#include <stdio.h>
#include <string.h>

#include "agents/lexicon/column_values.h"
#include "agents/lexicon/lexicon.h"
#include "tests/lib/loop_rig.h"

enum { AT_ONCE = 8, LINKS = 24 };

/* A database that gives one text value per column, and refuses one column. */
struct values_sql {
    struct sql sql;
    struct loop_task task;
    struct sql_query *asked[AT_ONCE]; /* and not answered: one a turn, the first of them */
    size_t asked_count, most_asked;
    bool last_first; /* or the last */
    struct sql_value value;
    struct str column;
    unsigned calls;
    bool saw_private, stalls;
    char said[4096]; /* statements, one a line */
};

static void forget(struct values_sql *fake, size_t i)
{
    memmove(&fake->asked[i], &fake->asked[i + 1],
            (fake->asked_count - i - 1) * sizeof fake->asked[0]);
    fake->asked_count--;
}

static void reply(struct loop_task *task)
{
    struct values_sql *fake = container_of(task, struct values_sql, task);
    if (fake->asked_count == 0)
        return;
    size_t which = fake->last_first ? fake->asked_count - 1 : 0;
    struct sql_query *query = fake->asked[which];
    forget(fake, which);
    if (fake->asked_count > 0)
        loop_post(fake->sql.loop, task, reply);
    bool refused = str_find(query->statement->text, STR("category")) >= 0;
    enum err_code failure = fake->stalls ? ERR_TIMEOUT : ERR_REJECTED;
    fake->value = (struct sql_value){.type = SQL_TEXT, .text = STR("Zanzibar")};
    query->result = (struct sql_result){
        .columns = &fake->column, .column_count = 1, .values = &fake->value, .row_count = 1};
    op_finish(&query->op, refused || fake->stalls ? failure : ERR_OK, "%s", "");
}

static void on_cancel(struct op *op)
{
    struct sql_query *query = container_of(op, struct sql_query, op);
    struct values_sql *fake = container_of(query->sql, struct values_sql, sql);
    for (size_t i = 0; i < fake->asked_count; i++)
        if (fake->asked[i] == query) {
            forget(fake, i);
            op_finish(op, ERR_CANCELLED, "cancelled");
            return;
        }
}

static const struct op_kind kind = {.name = "sql.values", .cancel = on_cancel};

static void query_start(struct sql *sql, struct sql_query *query, struct op_waiter waiter)
{
    struct values_sql *fake = container_of(sql, struct values_sql, sql);
    op_begin(&query->op, &kind, sql->loop, waiter);
    EXPECT_TRUE("so many at once", fake->asked_count < AT_ONCE);
    fake->asked[fake->asked_count++] = query;
    fake->most_asked = size_max(fake->most_asked, fake->asked_count);
    fake->calls++;
    fake->saw_private = fake->saw_private || str_find(query->statement->text, STR("email")) >= 0 ||
                        str_find(query->statement->text, STR("secret")) >= 0;
    size_t len = strlen(fake->said);
    snprintf(fake->said + len, sizeof fake->said - len, "%.*s\n", STR_ARG(query->statement->text));
    loop_post(sql->loop, &fake->task, reply);
}

static const struct sql_vtable vtable = {.name = "values", .query_start = query_start};

struct rig {
    struct world world;
    struct loop_rig loop;
    struct values_sql fake;
    struct lexicon_load load;
};

static void rig_init(struct rig *rig)
{
    *rig = (struct rig){0};
    world_init(&rig->world);
    loop_rig_init(&rig->loop);
    rig->fake.sql = (struct sql){&vtable, rig->loop.loop, SQL_SQLITE};
}

static void rig_fini(struct rig *rig)
{
    lexicon_destroy(rig->load.lexicon);
    loop_rig_fini(&rig->loop);
    world_fini(&rig->world);
}

static size_t meanings(const struct rig *rig, const char *word)
{
    struct str words[] = {str_of(word)};
    struct lexicon_link links[LINKS];
    return lexicon_index_find(rig->load.lexicon, words, 1, links, countof(links));
}

TEST(answers_come_in_any_order)
{
    struct lexicon_link links[2][LINKS];
    struct str words[] = {STR("zanzibar")};
    size_t counts[2];
    for (size_t way = 0; way < 2; way++) {
        struct rig rig;
        rig_init(&rig);
        rig.fake.last_first = way == 1;
        lexicon_load_start(&rig.load, rig.loop.loop, &rig.fake.sql, rig.world.catalog,
                           loop_rig_waiter(&rig.loop));
        loop_rig_dry(&rig.loop);
        EXPECT_INT("code", rig.loop.last_code, ERR_OK);
        EXPECT_TRUE("the database is kept busy", rig.fake.most_asked > 1);
        counts[way] = lexicon_index_find(rig.load.lexicon, words, 1, links[way], LINKS);
        rig_fini(&rig);
    }
    EXPECT_INT("as many", counts[0], counts[1]);
    for (size_t i = 0; i < counts[0]; i++) {
        EXPECT_INT("table", links[0][i].table, links[1][i].table);
        EXPECT_INT("column", links[0][i].column, links[1][i].column);
    }
}

TEST(values_are_read_and_private_columns_are_not)
{
    struct rig rig;
    struct lexicon_progress progress = {0};
    rig_init(&rig);
    rig.load.progress = &progress;
    lexicon_load_start(&rig.load, rig.loop.loop, &rig.fake.sql, rig.world.catalog,
                       loop_rig_waiter(&rig.loop));
    EXPECT_INT("none is read yet", progress.columns, 0);
    EXPECT_TRUE("so many are to be read", progress.of > 3);
    loop_rig_dry(&rig.loop);
    EXPECT_INT("all are read", progress.columns, progress.of);
    EXPECT_INT("done", rig.loop.done_count, 1);
    EXPECT_INT("code", rig.loop.last_code, ERR_OK);
    EXPECT_TRUE("found", meanings(&rig, "zanzibar") > 3);
    EXPECT_TRUE("private", !rig.fake.saw_private);
    EXPECT_INT("one query a column", rig.fake.calls, meanings(&rig, "zanzibar") + 1);
    rig_fini(&rig);
}

TEST(without_a_database_there_are_names)
{
    struct rig rig;
    rig_init(&rig);
    lexicon_load_start(&rig.load, rig.loop.loop, NULL, rig.world.catalog,
                       loop_rig_waiter(&rig.loop));
    EXPECT_INT("never inside start", rig.loop.done_count, 0);
    loop_rig_dry(&rig.loop);
    EXPECT_INT("code", rig.loop.last_code, ERR_OK);
    EXPECT_TRUE("names", meanings(&rig, "orders") > 0);
    EXPECT_INT("values", meanings(&rig, "zanzibar"), 0);
    rig_fini(&rig);
}

TEST(cancelled_at_every_turn)
{
    bool whole = false;
    for (unsigned turn = 0; !whole && turn < 200; turn++) {
        struct rig rig;
        rig_init(&rig);
        lexicon_load_start(&rig.load, rig.loop.loop, &rig.fake.sql, rig.world.catalog,
                           loop_rig_waiter(&rig.loop));
        loop_turn(rig.loop.loop, turn);
        op_cancel(&rig.load.op);
        op_cancel(&rig.load.op);
        loop_rig_dry(&rig.loop);
        EXPECT_INT("done", rig.loop.done_count, 1);
        whole = rig.loop.last_code == ERR_OK;
        EXPECT_TRUE("code", whole || rig.loop.last_code == ERR_CANCELLED);
        EXPECT_TRUE("lexicon", whole == (rig.load.lexicon != NULL));
        rig_fini(&rig);
    }
    EXPECT_TRUE("it ends at last", whole);
}

TEST(no_memory_at_any_allocation)
{
    bool whole = false;
    for (uint64_t n = 1; !whole && n < 5000; n++) {
        struct rig rig;
        rig_init(&rig);
        mem_fail_nth(n);
        lexicon_load_start(&rig.load, rig.loop.loop, &rig.fake.sql, rig.world.catalog,
                           loop_rig_waiter(&rig.loop));
        loop_rig_dry(&rig.loop);
        mem_fail_nth(0);
        EXPECT_INT("done", rig.loop.done_count, 1);
        whole = rig.loop.last_code == ERR_OK;
        EXPECT_TRUE("code", whole || rig.loop.last_code == ERR_NO_MEMORY);
        rig_fini(&rig);
    }
    EXPECT_TRUE("it passes at last", whole);
}

/* parcel: two text columns or six, of row_count rows, with a key or without; note: one, small. */
static struct catalog *make_catalog(int64_t row_count, bool key, bool wide)
{
    struct err err = {0};
    struct catalog *catalog;
    struct catalog_builder *builder = catalog_builder_create();
    struct catalog_table table = {.name = STR("parcel"),
                                  .secure_view = CATALOG_NONE,
                                  .secures = CATALOG_NONE,
                                  .tenant_column = CATALOG_NONE,
                                  .row_count = row_count};
    struct catalog_column id = {.name = STR("id"), .type = CATALOG_INTEGER, .primary_key = key};
    struct catalog_column state = {.name = STR("state"), .type = CATALOG_TEXT};
    struct catalog_column route = {.name = STR("route"), .type = CATALOG_TEXT};
    EXPECT_INT("parcel", catalog_add_table(builder, &table, &err), ERR_OK);
    EXPECT_INT("id", catalog_add_column(builder, &id, &err), ERR_OK);
    EXPECT_INT("state", catalog_add_column(builder, &state, &err), ERR_OK);
    EXPECT_INT("route", catalog_add_column(builder, &route, &err), ERR_OK);
    static const char *const more[] = {"hue", "shape", "finish", "origin"};
    for (size_t i = 0; wide && i < countof(more); i++) {
        struct catalog_column column = {.name = str_of(more[i]), .type = CATALOG_TEXT};
        EXPECT_INT(more[i], catalog_add_column(builder, &column, &err), ERR_OK);
    }
    table.name = STR("note");
    table.row_count = 5;
    EXPECT_INT("note", catalog_add_table(builder, &table, &err), ERR_OK);
    EXPECT_INT("of note", catalog_add_column(builder, &state, &err), ERR_OK);
    EXPECT_INT("freeze", catalog_freeze(builder, &catalog, &err), ERR_OK);
    catalog_builder_destroy(builder);
    return catalog;
}

#define SMALL(column, table)                                                                       \
    "SELECT DISTINCT " column " FROM " table " WHERE " column " IS NOT NULL LIMIT 5000\n"
#define END(column, order, name)                                                                   \
    "SELECT v FROM (SELECT " column " AS v FROM parcel" order " LIMIT 20000) AS " name
#define ENDS(ends) "SELECT DISTINCT v FROM (" ends ") AS ends WHERE v IS NOT NULL LIMIT 5000\n"
#define BOTH(column)                                                                               \
    ENDS(END(column, " ORDER BY id", "a") " UNION ALL " END(column, " ORDER BY id DESC", "z"))

static const struct {
    const char *name;
    int64_t row_count;
    bool key, stalls, whole;
    const char *said;
} sizes[] = {
    {"unknown", -1, true, false, true,
     SMALL("state", "parcel") SMALL("route", "parcel") SMALL("state", "note")},
    {"small", 99999, true, false, true,
     SMALL("state", "parcel") SMALL("route", "parcel") SMALL("state", "note")},
    {"large ones last, at both ends", 100000, true, false, false,
     SMALL("state", "note") BOTH("state") BOTH("route")},
    {"large without a key", 5000000, false, false, false,
     SMALL("state", "note") ENDS(END("state", "", "a")) ENDS(END("route", "", "a"))},
    {"too slow: the table is left", 10, true, true, false,
     SMALL("state", "parcel") SMALL("route", "parcel") SMALL("hue", "parcel")
         SMALL("shape", "parcel") SMALL("state", "note")},
};

TEST(large_tables_are_read_at_their_ends)
{
    TEST_EACH(c, sizes) {
        struct rig rig;
        rig_init(&rig);
        struct catalog *catalog = make_catalog(c->row_count, c->key, c->stalls);
        rig.fake.stalls = c->stalls;
        lexicon_load_start(&rig.load, rig.loop.loop, &rig.fake.sql, catalog,
                           loop_rig_waiter(&rig.loop));
        loop_rig_dry(&rig.loop);
        EXPECT_INT(c->name, rig.loop.last_code, ERR_OK);
        EXPECT_STR(c->name, str_of(rig.fake.said), str_of(c->said));
        struct str meant;
        EXPECT_INT(c->name,
                   lexicon_column_values_spelling(rig.load.lexicon, 0, 1, STR("gone"), false,
                                                  &meant) == LEXICON_SPELLING_LACKING,
                   c->whole);
        rig_fini(&rig);
        catalog_destroy(catalog);
    }
}

RUN_TESTS(T(large_tables_are_read_at_their_ends), T(values_are_read_and_private_columns_are_not),
          T(without_a_database_there_are_names), T(answers_come_in_any_order),
          T(cancelled_at_every_turn), T(no_memory_at_any_allocation))
