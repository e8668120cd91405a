/* SPDX-License-Identifier: MIT */
/* server/cli/semantic/semantic_values.c - reads the values, then each expression as a statement.
 *
 * Happy path: a filter becomes the condition of a SELECT over its table, whose texts are looked at
 * like those of a model's statement. Failure: an expression that does not parse has been reported
 * by the binding already. */
#include "server/cli/semantic/semantic_values.h"

#include "agents/lexicon/column_values.h"
#include "agents/lexicon/lexicon.h"
#include "agents/lexicon/render_names.h"
#include "agents/nodes/literals.h"
#include "agents/sql/catalog/quote.h"
#include "agents/sql/parse/parse.h"
#include "server/wiring/database.h"

enum { ARENA_BYTES = 64 << 20, STATEMENT_BYTES = 64 << 10 };

struct look {
    const struct lexicon *lexicon;
    const struct catalog *catalog;
    enum sql_dialect dialect;
    struct semantic_report *report;
};

static void on_done(struct op *op)
{
    loop_stop(op_owner(op));
}

struct lexicon *semantic_values_read(const char *url, const struct semantic *semantic,
                                     const struct catalog *catalog, enum sql_dialect *dialect,
                                     struct err *err)
{
    const struct database_options options = {.threads = 1};
    struct lexicon_load load = {.semantic = semantic};
    struct loop *loop = loop_create();
    if (loop == NULL) {
        err_set(err, ERR_NO_MEMORY, "no memory or no descriptors for a loop");
        return NULL;
    }
    struct sql *sql = database_open(loop, str_of(url), &options, err);
    if (sql != NULL) {
        *dialect = sql->dialect;
        lexicon_load_start(&load, loop, sql, catalog,
                           (struct op_waiter){.done = on_done, .owner = loop});
        loop_run(loop);
        *err = load.op.err;
        sql_close(sql, NULL, NULL);
        loop_run(loop);
    }
    loop_destroy(loop);
    return load.lexicon;
}

static void look_at(const struct look *look, const char *where, struct str name, struct str sql)
{
    const struct sql_parse *parse;
    struct literals_found found;
    struct arena arena;
    const char *rule;
    struct err err;
    arena_init(&arena, ARENA_BYTES);
    struct str place = arena_printf(&arena, "%s \"%.*s\"", where, STR_ARG(name));
    if (sql_parse_statement(look->dialect, sql, look->catalog, &arena, &parse, &rule, &err) ==
        ERR_OK) {
        literals_look(look->lexicon, parse, &arena, &found);
        if (!str_is_absent(found.mended))
            semantic_report_add(look->report, place, "the data spells it otherwise: %.*s",
                                STR_ARG(found.mended));
        if (!str_is_absent(found.doubt))
            semantic_report_add(look->report, place, "%.*s", STR_ARG(found.doubt));
    }
    arena_fini(&arena);
}

/* "SELECT expression FROM table WHERE filter". */
static void look_at_named(const struct look *look, const struct semantic_named *named)
{
    struct buf out;
    const struct str day = STR("2000-01-01");
    const struct semantic_expression *filter = named->is_metric ? &named->filter : NULL;
    buf_init(&out, STATEMENT_BYTES);
    buf_push(&out, STR("SELECT "));
    semantic_model_push(&named->expression, look->catalog, look->dialect, named->table, 0, day,
                        &out);
    buf_push(&out, STR(" FROM "));
    sql_quote_table(look->dialect, &look->catalog->tables[named->table], &out);
    if (filter != NULL && filter->text.len > 0) {
        buf_push(&out, STR(" WHERE "));
        semantic_model_push(filter, look->catalog, look->dialect, named->table, 0, day, &out);
    }
    if (buf_ok(&out))
        look_at(look, named->is_metric ? "metric" : "filter", named->name, buf_str(&out));
    buf_fini(&out);
}

static void look_at_term(const struct look *look, const struct semantic_term *term)
{
    struct buf out;
    const struct render render = {.dialect = look->dialect, .out = &out};
    if (term->table == CATALOG_NONE || term->column == CATALOG_NONE)
        return;
    buf_init(&out, STATEMENT_BYTES);
    buf_push(&out, STR("SELECT 1 FROM "));
    sql_quote_table(look->dialect, &look->catalog->tables[term->table], &out);
    buf_push(&out, STR(" WHERE "));
    sql_quote_name(look->dialect, look->catalog->tables[term->table].columns[term->column].name,
                   &out);
    buf_push(&out, STR(" = "));
    lexicon_render_text(&render, term->value);
    if (buf_ok(&out))
        look_at(look, "word", term->term, buf_str(&out));
    buf_fini(&out);
}

enum err_code semantic_values_report(const char *url, const struct semantic *semantic,
                                     const struct catalog *catalog, struct semantic_report *report,
                                     struct err *err)
{
    struct look look = {.catalog = catalog, .report = report};
    struct lexicon *lexicon = semantic_values_read(url, semantic, catalog, &look.dialect, err);
    if (lexicon == NULL)
        return err->code;
    look.lexicon = lexicon;
    for (size_t i = 0; i < semantic->named_count; i++)
        if (semantic->named[i].usable)
            look_at_named(&look, &semantic->named[i]);
    for (size_t i = 0; i < semantic->term_count; i++)
        look_at_term(&look, &semantic->terms[i]);
    for (size_t i = 0; i < semantic->verified_count; i++)
        if (semantic->verified[i].usable)
            look_at(&look, "verified question", semantic->verified[i].question,
                    semantic->verified[i].sql);
    lexicon_destroy(lexicon);
    return ERR_OK;
}
