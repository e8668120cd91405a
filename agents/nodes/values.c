/* SPDX-License-Identifier: MIT */
/* agents/nodes/values.c - the lexicon's values, as lines.
 *
 * Happy path: "workOrder.status: 'cancelled', 'on hold'" for each column of few values, then
 * "customer.name has 'Adams Hotel'" for what the question says.
 * Failure: without a lexicon, memory or values there is no text; what does not fit is left out. */
#include "agents/nodes/values.h"

#include "agents/lexicon/column_values.h"
#include "agents/lexicon/mentioned.h"
#include "agents/lexicon/owned.h"
#include "agents/sql/catalog/quote.h"

enum {
    BLOCK_BYTES = 8 * 1024,
    LINE_BYTES = 4 * 1024,
    LIST_BYTES = 480,   /* of values: what takes more is no status or kind, but texts */
    ALWAYS_LISTED = 12, /* values; of a column with more, only when most rows share one */
    MENTIONED = 16,
    WORK_BYTES = 4 << 20,
};

struct block {
    const struct lexicon *lexicon;
    const struct catalog *sees; /* what the caller's policy leaves to see */
    enum sql_dialect dialect;
    struct buf out, line;
};

/* The lexicon knows the values of every column that some policy lets be read. */
static bool is_closed(const struct block *block, int table, int column)
{
    return block->sees->tables[table].columns[column].hidden;
}

static void begin_line(struct block *block, int table, int column, const char *says)
{
    buf_clear(&block->line);
    catalog_push_name(block->lexicon->catalog, table, &block->line);
    buf_printf(&block->line, ".%.*s%s",
               STR_ARG(block->lexicon->catalog->tables[table].columns[column].name), says);
}

/* As a literal of SQL, on its line. */
static void push_value(struct block *block, struct str value)
{
    struct buf *line = &block->line;
    size_t mark = line->end;
    sql_quote_text(block->dialect, value, line);
    for (size_t i = mark; i < line->end; i++)
        if (line->at[i] == '\n')
            line->at[i] = ' ';
}

static void end_line(struct block *block)
{
    buf_push_char(&block->line, '\n');
    if (buf_ok(&block->line) && buf_len(&block->out) + buf_len(&block->line) <= BLOCK_BYTES)
        buf_push(&block->out, buf_str(&block->line));
}

/* Whether so many values name the rows of a table (logins) and not their kinds. How many rows there
 * are says nothing of the rows of one company. */
static bool name_rows(const struct block *block, int table, int column, size_t count)
{
    const int64_t rows = block->sees->tables[table].row_count;
    if (count <= ALWAYS_LISTED)
        return false;
    return lexicon_owned_is(block->sees, table)
               ? lexicon_index_is_label(block->lexicon, table, column)
               : rows >= 0 && 2 * (int64_t)count > rows;
}

/* The values of a column that are listed whole; how many. */
static size_t list_values(const struct block *block, int table, int column,
                          struct str values[LEXICON_FEW], bool *has_all)
{
    const struct catalog_table *at = &block->sees->tables[table];
    size_t count = lexicon_column_values_few(block->lexicon, table, column, values, has_all);
    size_t bytes = 0;
    for (size_t i = 0; i < count; i++)
        bytes += values[i].len;
    bool names_company = at->tenant_column == column || at->tenant_key == column;
    bool all = !names_company && !name_rows(block, table, column, count) && bytes <= LIST_BYTES;
    return all ? count : 0;
}

static void write_few(struct block *block, int table)
{
    struct str values[LEXICON_FEW];
    bool has_all;
    for (size_t c = 0; c < block->lexicon->catalog->tables[table].column_count; c++) {
        size_t count = is_closed(block, table, (int)c)
                           ? 0
                           : list_values(block, table, (int)c, values, &has_all);
        if (count == 0)
            continue;
        begin_line(block, table, (int)c, ": ");
        for (size_t i = 0; i < count; i++) {
            if (i > 0)
                buf_push(&block->line, STR(", "));
            push_value(block, values[i]);
        }
        if (!has_all)
            buf_push(&block->line, STR(", and maybe others"));
        end_line(block);
    }
}

static void write_mentioned(struct block *block, const int *tables, size_t count,
                            struct str question)
{
    struct lexicon_mentioned found[MENTIONED];
    struct str few[LEXICON_FEW];
    struct arena arena;
    bool has_all;
    arena_init(&arena, WORK_BYTES);
    size_t found_count =
        lexicon_mentioned_in(block->lexicon, question, tables, count, &arena, found, MENTIONED);
    arena_fini(&arena);
    for (size_t i = 0; i < found_count; i++) {
        if (is_closed(block, found[i].table, found[i].column) ||
            list_values(block, found[i].table, found[i].column, few, &has_all) > 0)
            continue;
        begin_line(block, found[i].table, found[i].column, " has ");
        push_value(block, found[i].value);
        end_line(block);
    }
}

struct str values_write(struct node *node, const int *tables, size_t count, struct str question)
{
    const struct knowledge *knows = knowledge(node);
    if (knows->lexicon == NULL || knows->catalog == NULL)
        return STR("");
    const struct lexicon seen =
        lexicon_index_seen_by(knows->lexicon, node_session(node)->caller.company_id);
    struct block block = {.lexicon = &seen, .sees = knows->catalog, .dialect = knows->dialect};
    buf_init(&block.out, BLOCK_BYTES);
    buf_init(&block.line, LINE_BYTES);
    for (size_t i = 0; i < count; i++)
        write_few(&block, tables[i]);
    write_mentioned(&block, tables, count, question);
    struct str text =
        buf_ok(&block.out) ? arena_str(node_arena(node), buf_str(&block.out)) : STR("");
    buf_fini(&block.line);
    buf_fini(&block.out);
    return str_is_absent(text) ? STR("") : text;
}
