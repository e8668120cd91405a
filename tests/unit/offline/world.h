/* SPDX-License-Identifier: MIT */
/* tests/unit/offline/world.h - a shop and a library in one catalog, with values, joins and a day.
 *
 * snake_case and camelCase names, two references to one table, a junction, booleans, dates with and
 * without a verb, a hidden and a private column. Today is 2024-08-15, a Thursday. */
#ifndef TESTS_UNIT_OFFLINE_WORLD_H
#define TESTS_UNIT_OFFLINE_WORLD_H

#include "tests/lib/test.h"

#include "agents/lexicon/lexicon.h"
#include "agents/offline/answers/question.h"
#include "tests/unit/offline/world_tables.h"

enum { WORLD_ARENA_BYTES = 8 << 20 };

struct world {
    struct catalog *catalog;
    struct lexicon *lexicon;
    struct join_graph *joins;
    struct join_finder *finder;
    struct arena arena; /* of the last answer */
};

static inline enum err_code world_add(struct catalog_builder *builder, const struct world_table *t,
                                      struct err *err)
{
    struct catalog_table table = {.name = str_of(t->name),
                                  .secure_view = CATALOG_NONE,
                                  .secures = CATALOG_NONE,
                                  .tenant_column = CATALOG_NONE,
                                  .row_count = -1};
    enum err_code code = catalog_add_table(builder, &table, err);
    for (size_t i = 0; code == ERR_OK && i < countof(t->columns) && t->columns[i].name; i++) {
        const struct world_column *c = &t->columns[i];
        struct catalog_column column = {.name = str_of(c->name),
                                        .type = c->type,
                                        .primary_key = i == 0,
                                        .unique = c->unique || i == 0,
                                        .not_null = !c->nullable,
                                        .hidden = c->hidden,
                                        .pii = c->pii};
        code = catalog_add_column(builder, &column, err);
    }
    for (size_t i = 0; code == ERR_OK && i < countof(t->columns) && t->columns[i].name; i++) {
        struct str from = str_of(t->columns[i].name), id = STR("id");
        if (t->columns[i].to != NULL)
            code = catalog_add_reference(builder, &from, str_of(t->columns[i].to), &id, 1, err);
    }
    return code;
}

static inline void world_add_values(struct world *w)
{
    TEST_EACH(v, world_values) {
        int table = catalog_find_table(w->catalog, STR(""), str_of(v->table));
        int column = catalog_find_column(w->catalog, table, str_of(v->column));
        EXPECT_TRUE(v->value, lexicon_index_add(w->lexicon, table, column, str_of(v->value)));
    }
}

/* Of tables[0..count), without values. */
static inline void world_init_of(struct world *w, const struct world_table *tables, size_t count)
{
    struct err err = {0};
    struct catalog_builder *builder = catalog_builder_create();
    *w = (struct world){0};
    arena_init(&w->arena, WORLD_ARENA_BYTES);
    for (size_t i = 0; i < count; i++)
        EXPECT_INT(tables[i].name, world_add(builder, &tables[i], &err), ERR_OK);
    EXPECT_INT(err.text, catalog_freeze(builder, &w->catalog, &err), ERR_OK);
    catalog_builder_destroy(builder);
    w->lexicon = lexicon_create(w->catalog, NULL);
    assert_non_null(w->lexicon);
    EXPECT_INT(err.text, join_graph_from_catalog(w->catalog, &w->joins, &err), ERR_OK);
    w->finder = join_finder_create(w->joins, NULL);
    assert_non_null(w->finder);
}

static inline void world_init(struct world *w)
{
    world_init_of(w, world_tables, countof(world_tables));
    world_add_values(w);
}

static inline void world_fini(struct world *w)
{
    arena_fini(&w->arena);
    join_finder_destroy(w->finder);
    join_graph_destroy(w->joins);
    lexicon_destroy(w->lexicon);
    catalog_destroy(w->catalog);
}

static inline struct offline_source world_source(const struct world *w)
{
    return (struct offline_source){w->lexicon, w->joins, w->finder, SQL_SQLITE,
                                   english_dates_day(2024, 8, 15)};
}

static inline const struct offline_answer *world_read_after(struct world *w, struct str asked,
                                                            struct str question)
{
    struct offline_answer *answer = NULL;
    const struct offline_source source = world_source(w);
    arena_fini(&w->arena);
    arena_init(&w->arena, WORLD_ARENA_BYTES);
    if (offline_question_read_after(&source, asked, question, &w->arena, &answer) != ERR_OK)
        return NULL;
    return answer;
}

static inline const struct offline_answer *world_read(struct world *w, struct str question)
{
    return world_read_after(w, STR(""), question);
}

#endif
