/* SPDX-License-Identifier: MIT */
/* agents/lexicon/lexicon.c - reading values into an index, one column after the other.
 *
 * Happy path: names are indexed at once, then each text column's distinct values are read and
 * entered, through the secure view where there is one; small tables first. While one column's
 * values are entered the database reads the next few. Of a large table the oldest and the newest
 * rows are read, so a table of any size costs the same.
 * Failure: a column that cannot be read is passed over; so is the rest of a table after a column
 * that took STATEMENT_MS (one behind others has their time, too), and all that is left after
 * TOTAL_MS; no memory ends the load with ERR_NO_MEMORY; cancel ends it with ERR_CANCELLED; the
 * half-built lexicon is destroyed. */
#include "agents/lexicon/lexicon.h"

#include "agents/lexicon/codes.h"
#include "agents/lexicon/column_values.h"
#include "agents/lexicon/derived.h"
#include "agents/lexicon/facts.h"
#include "agents/lexicon/glossary.h"
#include "agents/lexicon/names.h"
#include "agents/lexicon/owned.h"
#include "agents/lexicon/remarks.h"
#include "agents/lexicon/spelling.h"
#include "agents/lexicon/trade.h"
#include "agents/lexicon/verified.h"
#include "core/base/mem.h"

enum {
    INDEX_BUDGET = 256 << 20,
    VALUES_PER_COLUMN = 5000,
    AT_ONCE = 4, /* columns: two connections read, and a third's values are here meanwhile */
    LARGE_ROWS = 100 * 1000, /* so many and more are read at their ends only; as introspection
                              * counts, a table without an estimate */
    END_ROWS = 20 * 1000,
    STATEMENT_BYTES = 4096,
    EXACT_VALUE_BYTES = 256,
    STATEMENT_MS = 2 * 1000,
    TOTAL_MS = 20 * 1000,
    SAY_MS = 1000,
};

struct reader;

struct fetch { /* of one column's values */
    struct reader *reader;
    struct sql_query query;
    struct sql_statement statement;
    struct buf text;
    int table, column;
    bool answered;
};

struct reader {
    struct lexicon_load *load;
    struct lexicon *lexicon;
    struct sql *sql;
    struct fetch fetches[AT_ONCE]; /* a ring: entered in the order they were asked in, whatever
                                    * order answers come in, so that each load is like the last */
    size_t oldest, asked;
    struct loop_task entering; /* one column a turn */
    uint64_t began_ms, said_ms;
    unsigned columns, of; /* read, and worth reading */
    size_t table, column; /* the next to look at */
    bool at_large;        /* the second way through the tables */
    size_t next_list;     /* the next table that may list codes */
    struct lexicon_code_list list;
    struct sql_query listing;
    enum err_code code; /* why no more is read; ERR_OK: nothing went wrong */
};

/* The only end; err_code ERR_OK hands the lexicon over. */
static void finish(struct reader *reader, enum err_code code)
{
    struct lexicon_load *load = reader->load;
    if (code == ERR_OK)
        load->lexicon = reader->lexicon;
    else
        lexicon_destroy(reader->lexicon);
    load->impl = NULL;
    for (size_t i = 0; i < countof(reader->fetches); i++)
        buf_fini(&reader->fetches[i].text);
    mem_free(reader);
    op_finish(&load->op, code, "%s",
              code == ERR_OK          ? ""
              : code == ERR_CANCELLED ? "the index of values was cancelled"
                                      : "no memory for the index of values");
}

static struct fetch *fetch_at(struct reader *reader, size_t i)
{
    return &reader->fetches[(reader->oldest + i) % AT_ONCE];
}

/* Read no more; the end follows the last answer. */
static void stop(struct reader *reader, enum err_code code)
{
    if (reader->code == ERR_OK)
        reader->code = code;
    for (size_t i = 0; i < reader->asked; i++)
        op_cancel(&fetch_at(reader, i)->query.op);
    op_cancel(&reader->listing.op);
}

static void cancel(struct op *op)
{
    struct lexicon_load *load = container_of(op, struct lexicon_load, op);
    struct reader *reader = load->impl;
    if (reader != NULL)
        stop(reader, ERR_CANCELLED);
}

static const struct op_kind kind = {.name = "lexicon.load", .cancel = cancel};

static bool is_large(const struct reader *reader, int table)
{
    return reader->lexicon->catalog->tables[table].row_count >= LARGE_ROWS;
}

static bool is_owned(const struct reader *reader, int table)
{
    return reader->load->owned && lexicon_owned_is(reader->lexicon->catalog, table);
}

static bool is_closed(const struct lexicon_load *load, int table)
{
    return load->closed != NULL && load->closed[table];
}

static bool enter_value(struct lexicon *lexicon, const struct fetch *fetch,
                        const struct lexicon_value *value)
{
    int table = fetch->table, column = fetch->column;
    return lexicon_index_add_owned(lexicon, table, column, value->text, value->owners) &&
           lexicon_spelling_enter_value(lexicon, table, column, value->text, value->owners) &&
           lexicon_exact_add(&lexicon->exact, table, column, value->text, value->owners[0]) &&
           (value->owners[1] == 0 ||
            lexicon_exact_add(&lexicon->exact, table, column, value->text, value->owners[1]));
}

/* Whether the column has no values but those of result. */
static bool is_whole(const struct reader *reader, const struct fetch *fetch)
{
    const struct sql_result *result = &fetch->query.result;
    bool whole = !is_large(reader, fetch->table) && result->row_count < VALUES_PER_COLUMN &&
                 !result->truncated;
    for (size_t row = 0; row < result->row_count; row++) {
        const struct sql_value *value = sql_result_at(result, row, 0);
        whole = whole && value->type == SQL_TEXT && value->text.len <= EXACT_VALUE_BYTES;
    }
    return whole;
}

static bool enter_values(const struct reader *reader, const struct fetch *fetch)
{
    const struct sql_result *result = &fetch->query.result;
    struct lexicon *lexicon = reader->lexicon;
    if (lexicon_codes_may_be_flag(lexicon, fetch->table, fetch->column))
        return lexicon_codes_take_flag(lexicon, fetch->table, fetch->column, result);
    struct lexicon_value *kept = arena_array(&lexicon->arena, result->row_count + 1, sizeof *kept);
    size_t count = 0, short_count = 0;
    for (size_t row = 0; row < result->row_count && kept != NULL; row++) {
        const struct sql_value *cell = sql_result_at(result, row, 0);
        struct lexicon_value value = {.text = cell->text};
        if (is_owned(reader, fetch->table))
            lexicon_owned_read(result, row, value.owners);
        if (cell->type == SQL_TEXT && !enter_value(lexicon, fetch, &value))
            return false;
        if (cell->type != SQL_TEXT || cell->text.len > LEXICON_VALUE_BYTES)
            continue;
        short_count++;
        value.text = arena_str(&lexicon->arena, cell->text);
        if (cell->text.len > 0)
            kept[count++] = value;
    }
    bool has_long = short_count < result->row_count;
    return arena_ok(&lexicon->arena) &&
           lexicon_column_values_keep(lexicon, fetch->table, fetch->column, kept, count,
                                      has_long) &&
           (!is_whole(reader, fetch) ||
            lexicon_exact_is_whole(&lexicon->exact, fetch->table, fetch->column));
}

static void end(struct reader *reader);

static void on_codes(struct op *op)
{
    struct reader *reader = op_owner(op);
    if (op->err.code == ERR_CANCELLED)
        stop(reader, ERR_CANCELLED);
    else if (op->err.code == ERR_OK &&
             !lexicon_codes_take(reader->lexicon, &reader->list, &reader->listing.result))
        stop(reader, ERR_NO_MEMORY);
    op_release(op);
    end(reader);
}

/* Read the next table that lists the codes of others. False: there is none. */
static bool read_codes(struct reader *reader)
{
    struct lexicon *lexicon = reader->lexicon;
    struct fetch *fetch = &reader->fetches[0];
    for (; reader->sql != NULL && reader->next_list < lexicon->catalog->table_count;
         reader->next_list++) {
        int table = (int)reader->next_list;
        if (is_owned(reader, table) || is_closed(reader->load, table) ||
            !lexicon_codes_is_list(lexicon, table, &reader->list))
            continue;
        const struct render render = {lexicon->catalog, reader->sql->dialect, &fetch->text};
        const int columns[] = {reader->list.kind, reader->list.code, reader->list.label};
        buf_clear(&fetch->text);
        for (size_t i = 0; i < countof(columns); i++) {
            buf_push(&fetch->text, i == 0 ? STR("SELECT ") : STR(", "));
            lexicon_render_column(&render, 0, table, columns[i]);
        }
        buf_push(&fetch->text, STR(" FROM "));
        lexicon_render_table(&render, table);
        buf_printf(&fetch->text, " LIMIT %d", VALUES_PER_COLUMN);
        fetch->statement = (struct sql_statement){.text = buf_str(&fetch->text),
                                                  .max_rows = VALUES_PER_COLUMN,
                                                  .timeout_ms = STATEMENT_MS};
        reader->next_list++;
        sql_query_start(&reader->listing, reader->sql, &fetch->statement,
                        (struct op_waiter){on_codes, reader, NULL, NULL});
        return true;
    }
    return false;
}

/* All is read, or no more shall be. */
static void end(struct reader *reader)
{
    if (reader->code == ERR_OK && read_codes(reader))
        return;
    int32_t today = (int32_t)(loop_wall_ms(reader->load->op.loop) / 86400000);
    if (reader->code == ERR_OK &&
        (!lexicon_codes_flags(reader->lexicon) || !lexicon_verified_learn(reader->lexicon, today)))
        reader->code = ERR_NO_MEMORY;
    finish(reader, reader->code);
}

/* The column whose order is cheap to read a large table by; CATALOG_NONE: there is none. */
static int find_key(const struct reader *reader, int table)
{
    const struct catalog_table *from = &reader->lexicon->catalog->tables[table];
    int key = CATALOG_NONE;
    if (from->secure_view != CATALOG_NONE)
        return CATALOG_NONE;
    for (size_t i = 0; i < from->column_count; i++) {
        if (!from->columns[i].primary_key)
            continue;
        if (key != CATALOG_NONE || from->columns[i].hidden)
            return CATALOG_NONE;
        key = (int)i;
    }
    return key;
}

/* "column FROM the table", or its secure view. */
static void push_source(struct fetch *fetch, const struct render *render, const char *as)
{
    int table = fetch->table, view = render->catalog->tables[table].secure_view;
    lexicon_render_column(render, 0, table, fetch->column);
    buf_printf(&fetch->text, "%s FROM ", as);
    lexicon_render_table(render, view != CATALOG_NONE ? view : table);
}

static void push_end(struct fetch *fetch, const struct render *render, int key, const char *order)
{
    buf_push(&fetch->text, STR("SELECT v FROM (SELECT "));
    push_source(fetch, render, " AS v");
    if (key != CATALOG_NONE) {
        buf_push(&fetch->text, STR(" ORDER BY "));
        lexicon_render_column(render, 0, fetch->table, key);
        buf_push(&fetch->text, str_of(order));
    }
    buf_printf(&fetch->text, " LIMIT %d) AS %s", END_ROWS, order[0] == '\0' ? "a" : "z");
}

/* The distinct values of a large table's ends. They are read in the key's order: without it MySQL
 * takes an index of the column, whose first rows all have one value. */
static void push_ends(struct fetch *fetch, const struct render *render)
{
    int key = find_key(fetch->reader, fetch->table);
    buf_push(&fetch->text, STR("SELECT DISTINCT v FROM ("));
    push_end(fetch, render, key, "");
    if (key != CATALOG_NONE) {
        buf_push(&fetch->text, STR(" UNION ALL "));
        push_end(fetch, render, key, " DESC");
    }
    buf_push(&fetch->text, STR(") AS ends WHERE v"));
}

/* One end of a large table of companies' rows, or with no order all of it. */
static void push_owned(struct fetch *fetch, const struct render *render, int key, const char *order)
{
    lexicon_owned_push(render, fetch->table, fetch->column);
    if (key != CATALOG_NONE) {
        buf_push(&fetch->text, STR(" ORDER BY "));
        lexicon_render_column(render, 1, fetch->table, key);
        buf_push(&fetch->text, str_of(order));
    }
    if (is_large(fetch->reader, fetch->table))
        buf_printf(&fetch->text, " LIMIT %d", END_ROWS);
}

/* Distinct values, with how many companies have each, and two of them. */
static void push_all_owned(struct fetch *fetch, const struct render *render)
{
    int key = is_large(fetch->reader, fetch->table) ? find_key(fetch->reader, fetch->table)
                                                    : CATALOG_NONE;
    buf_push(&fetch->text,
             STR("SELECT v, COUNT(DISTINCT o), MIN(o), MAX(o) FROM (SELECT v, o FROM ("));
    push_owned(fetch, render, key, "");
    buf_push(&fetch->text, STR(") AS a"));
    if (key != CATALOG_NONE) {
        buf_push(&fetch->text, STR(" UNION ALL SELECT v, o FROM ("));
        push_owned(fetch, render, key, " DESC");
        buf_push(&fetch->text, STR(") AS z"));
    }
    buf_printf(&fetch->text, ") AS owned WHERE v IS NOT NULL GROUP BY v LIMIT %d",
               VALUES_PER_COLUMN);
}

static bool write_statement(struct fetch *fetch)
{
    const struct reader *reader = fetch->reader;
    const struct render render = {reader->lexicon->catalog, reader->sql->dialect, &fetch->text};
    buf_clear(&fetch->text);
    bool owned = is_owned(reader, fetch->table);
    if (owned) {
        push_all_owned(fetch, &render);
    } else if (is_large(reader, fetch->table)) {
        push_ends(fetch, &render);
    } else {
        buf_push(&fetch->text, STR("SELECT DISTINCT "));
        push_source(fetch, &render, "");
        buf_push(&fetch->text, STR(" WHERE "));
        lexicon_render_column(&render, 0, fetch->table, fetch->column);
    }
    bool flag = lexicon_codes_may_be_flag(reader->lexicon, fetch->table, fetch->column);
    if (!owned) /* a third value says that it is no flag */
        buf_printf(&fetch->text, " IS NOT NULL LIMIT %d", flag ? 3 : VALUES_PER_COLUMN);
    fetch->statement = (struct sql_statement){.text = buf_str(&fetch->text),
                                              .variables = reader->load->variables,
                                              .variable_count = reader->load->variable_count,
                                              .max_rows = VALUES_PER_COLUMN,
                                              .timeout_ms = STATEMENT_MS * (reader->asked + 1)};
    return buf_ok(&fetch->text);
}

/* Whether the column has values worth knowing. */
static bool is_wanted(const struct lexicon *lexicon, int table, int column)
{
    return lexicon_index_wants(lexicon, table, column) ||
           lexicon_codes_may_be_flag(lexicon, table, column);
}

/* The next column that has values worth knowing on this way; false: there is none. */
static bool find_column_on_way(struct reader *reader, struct fetch *fetch)
{
    const struct catalog *catalog = reader->lexicon->catalog;
    for (; reader->table < catalog->table_count; reader->table++, reader->column = 0)
        while (reader->column < catalog->tables[reader->table].column_count) {
            int table = (int)reader->table, column = (int)reader->column++;
            if (is_closed(reader->load, table) || is_large(reader, table) != reader->at_large ||
                !is_wanted(reader->lexicon, table, column))
                continue;
            fetch->table = table;
            fetch->column = column;
            return true;
        }
    return false;
}

static bool find_column(struct reader *reader, struct fetch *fetch)
{
    if (loop_now_ms(reader->sql->loop) - reader->began_ms >= TOTAL_MS)
        return false;
    if (find_column_on_way(reader, fetch))
        return true;
    if (reader->at_large)
        return false;
    reader->at_large = true;
    reader->table = reader->column = 0;
    return find_column_on_way(reader, fetch);
}

static void say_progress(struct reader *reader)
{
    const struct lexicon_load *load = reader->load;
    uint64_t now_ms = loop_now_ms(load->op.loop);
    if (load->progress != NULL) {
        load->progress->columns = reader->columns;
        load->progress->of = reader->of;
    }
    if (load->log == NULL || now_ms - reader->said_ms < SAY_MS)
        return;
    reader->said_ms = now_ms;
    LOG(load->log, INFO, "lexicon.read", "columns=%u of=%u", reader->columns, reader->of);
}

static unsigned count_columns(const struct lexicon_load *load, const struct lexicon *lexicon)
{
    unsigned count = 0;
    for (size_t t = 0; t < lexicon->catalog->table_count; t++)
        for (size_t c = 0; c < lexicon->catalog->tables[t].column_count; c++)
            count += !is_closed(load, (int)t) && is_wanted(lexicon, (int)t, (int)c);
    return count;
}

static void on_values(struct op *op);

/* Have the next columns read, as many as may be at once. */
static void ask_more(struct reader *reader)
{
    size_t at_once = reader->load->one_by_one ? 1 : AT_ONCE;
    while (reader->code == ERR_OK && reader->sql != NULL && reader->asked < at_once) {
        struct fetch *fetch = fetch_at(reader, reader->asked);
        if (!find_column(reader, fetch))
            return;
        if (!write_statement(fetch)) {
            stop(reader, ERR_NO_MEMORY);
            return;
        }
        reader->asked++;
        fetch->answered = false;
        sql_query_start(&fetch->query, reader->sql, &fetch->statement,
                        (struct op_waiter){on_values, fetch, NULL});
    }
}

/* Enter what was asked first, while the database reads on. */
static void enter_oldest(struct loop_task *task)
{
    struct reader *reader = container_of(task, struct reader, entering);
    struct fetch *fetch = fetch_at(reader, 0);
    bool is_read = fetch->query.op.err.code == ERR_OK && reader->code == ERR_OK;
    reader->lexicon->columns_read += is_read;
    if (is_read && !enter_values(reader, fetch))
        stop(reader, ERR_NO_MEMORY);
    op_release(&fetch->query.op);
    reader->oldest = (reader->oldest + 1) % AT_ONCE;
    reader->asked--;
    ask_more(reader);
    if (reader->asked == 0)
        end(reader);
    else if (fetch_at(reader, 0)->answered)
        loop_post(reader->load->op.loop, &reader->entering, enter_oldest);
}

static void on_values(struct op *op)
{
    struct fetch *fetch = op_owner(op);
    struct reader *reader = fetch->reader;
    fetch->answered = true;
    reader->columns++;
    say_progress(reader);
    if (op->err.code == ERR_TIMEOUT && reader->table == (size_t)fetch->table)
        reader->column = reader->lexicon->catalog->tables[fetch->table].column_count;
    if (fetch == fetch_at(reader, 0))
        loop_post(reader->load->op.loop, &reader->entering, enter_oldest);
}

struct lexicon *lexicon_create(const struct catalog *catalog, const struct semantic *semantic)
{
    struct lexicon *lexicon = mem_zalloc(1, sizeof *lexicon);
    if (lexicon == NULL)
        return NULL;
    lexicon->catalog = catalog;
    lexicon->semantic = semantic;
    arena_init(&lexicon->arena, INDEX_BUDGET);
    map_init(&lexicon->names);
    map_init(&lexicon->values);
    map_init(&lexicon->parts);
    map_init(&lexicon->verified);
    lexicon->columns =
        arena_array(&lexicon->arena, catalog->table_count + 1, sizeof *lexicon->columns);
    bool ok =
        lexicon->columns != NULL && lexicon_spelling_fill(lexicon) && lexicon_facts_fill(lexicon);
    for (size_t t = 0; ok && t < catalog->table_count; t++)
        ok = !lexicon->facts[t].visible || lexicon_names_enter(lexicon, (int)t);
    if (ok && lexicon_glossary_enter(lexicon) && lexicon_trade_enter(lexicon) &&
        lexicon_derived_enter(lexicon) && lexicon_remarks_enter(lexicon) &&
        lexicon_codes_enter(lexicon))
        return lexicon;
    lexicon_destroy(lexicon);
    return NULL;
}

void lexicon_load_start(struct lexicon_load *load, struct loop *loop, struct sql *sql,
                        const struct catalog *catalog, struct op_waiter waiter)
{
    load->lexicon = NULL;
    load->impl = NULL;
    op_begin(&load->op, &kind, loop, waiter);
    struct reader *reader = mem_zalloc(1, sizeof *reader);
    struct lexicon *lexicon = reader == NULL ? NULL : lexicon_create(catalog, load->semantic);
    if (lexicon == NULL) {
        mem_free(reader);
        op_finish(&load->op, ERR_NO_MEMORY, "no memory for the index of names");
        return;
    }
    reader->load = load;
    reader->lexicon = lexicon;
    reader->sql = sql;
    reader->began_ms = reader->said_ms = loop_now_ms(loop);
    reader->of = count_columns(load, lexicon);
    for (size_t i = 0; i < countof(reader->fetches); i++) {
        reader->fetches[i].reader = reader;
        buf_init(&reader->fetches[i].text, STATEMENT_BYTES);
    }
    load->impl = reader;
    say_progress(reader);
    ask_more(reader);
    if (reader->asked == 0)
        end(reader);
}

void lexicon_destroy(struct lexicon *lexicon)
{
    if (lexicon == NULL)
        return;
    map_fini(&lexicon->names);
    map_fini(&lexicon->values);
    map_fini(&lexicon->parts);
    lexicon_exact_fini(&lexicon->exact);
    lexicon_spelling_fini(lexicon);
    map_fini(&lexicon->verified);
    arena_fini(&lexicon->arena);
    mem_free(lexicon);
}

unsigned lexicon_columns_read(const struct lexicon *lexicon)
{
    return lexicon->columns_read;
}
