/* SPDX-License-Identifier: MIT */
/* agents/sql_agent/select.c - lists a schema of any size in a prompt, and takes tables from the
 * answer.
 *
 * Happy path: where the schema is small, or whoever routed the question named its tables, nobody is
 * asked; else tables are looked up by meaning, all are listed within the limits (the most likely
 * ones first when not all fit), the model's names are kept. Failure: without a known name in the
 * answer the question's words choose, then the nearest tables; while the store is down only the
 * words are used; without a catalog the run ends. */
#include "agents/sql_agent/select.h"

#include "agents/common/extract.h"
#include "agents/nodes/ask.h"
#include "agents/nodes/check_sql.h"
#include "agents/lexicon/index.h"
#include "agents/nodes/schema_text.h"
#include "agents/search/hybrid.h"
#include "agents/search/near.h"
#include "agents/search/schema_index.h"
#include "agents/sql/joins/join_path.h"
#include "agents/sql_agent/plan.h"
#include "agents/search/rank.h"
#include "agents/sql_agent/state.h"
#include "agents/sql_agent/whole.h"
#include "proto/json_value.h"
#include "proto/json_write.h"

enum {
    MAX_TABLES = JOIN_PATH_MAX_TABLES, /* C25 */
    MOST_NAMED = 3, /* of a small schema: a few to look into, since the prompt shows all */
    TEXT_BYTES = 1 << 20,
    BYTES_PER_TOKEN = 3,    /* a safe bound, PLATFORM 3.10 */
    OTHER_BYTES = 4 * 1024, /* of the prompt, beside the tables and the question */
    BRIEF_COLUMNS = 12,     /* per table */
    TOP_NEAR = 20,          /* tables looked up by meaning */
    TOP_PASSAGES = 60,      /* of them: a table may have several */
    NEAR_MS = 5000,
};

struct selection {
    _Alignas(max_align_t) char ask[ASK_FRAME_BYTES];
    struct near_query query;
    struct near_search search;
    int near[TOP_NEAR]; /* best first */
    size_t near_count;
};

/* The buf's text in the node's arena; frees the buf. */
static struct str take_text(struct node *node, struct buf *buf)
{
    struct str text = buf_ok(buf) ? arena_str(node_arena(node), buf_str(buf)) : STR("");
    buf_fini(buf);
    return text;
}

struct listing { /* of tables, for a question of these words */
    const struct knowledge *knows;
    struct schema_text_words words;
};

/* Whether a column says nothing of what its table is about: its key, and what leads to another
 * table, whose name says the same; what a prompt leaves out anyway. */
static bool is_silent(const struct listing *list, int table, int column)
{
    const struct catalog *catalog = list->knows->catalog;
    const struct catalog_column *at = &catalog->tables[table].columns[column];
    return at->hidden || at->primary_key ||
           lexicon_index_reference(catalog, table, column) != NULL ||
           schema_text_omits(list->knows, &list->words, table, column);
}

/* The table's name with up to columns columns of what is read in its place. */
static void write_brief(struct buf *out, const struct listing *list, int table, size_t columns)
{
    const struct catalog *catalog = list->knows->catalog;
    const struct catalog_table *named = &catalog->tables[table];
    size_t shown = 0;
    int at = named->secure_view != CATALOG_NONE ? named->secure_view : table;
    const struct catalog_table *read = &catalog->tables[at];
    buf_push(out, STR("- "));
    catalog_push_name(catalog, table, out);
    for (size_t i = 0; i < read->column_count && shown < columns; i++) {
        if (is_silent(list, at, (int)i))
            continue;
        buf_printf(out, "%s%.*s", shown++ > 0 ? ", " : "(", STR_ARG(read->columns[i].name));
    }
    buf_push(out, shown > 0 ? STR(")\n") : STR("\n"));
}

/* Write tables while their text stays within max bytes: with columns, then by name only. Returns
 * how many were written with columns. */
static size_t write_tables(struct buf *out, const struct listing *list, const int *tables,
                           size_t count, size_t max)
{
    size_t whole = 0;
    for (size_t i = 0; i < count; i++) {
        size_t before = buf_len(out);
        bool brief = whole == i;
        write_brief(out, list, tables[i], brief ? BRIEF_COLUMNS : 0);
        /* the last quarter is kept for names, unless all fit */
        if (brief && buf_len(out) > (i + 1 == count ? max : max - max / 4)) {
            buf_truncate(out, before);
            write_brief(out, list, tables[i], 0);
            brief = false;
        }
        if (buf_len(out) > max) {
            buf_truncate(out, before);
            break;
        }
        whole += brief;
    }
    return whole;
}

static struct str list_tables(struct node *node, struct str question, const int *near,
                              size_t near_count)
{
    struct buf out;
    const struct knowledge *knows = knowledge(node);
    const struct limits *limits = services(node)->limits;
    const struct listing list = {knows, schema_text_words(question)};
    if (knows->catalog == NULL)
        return STR("");
    size_t table_count = knows->catalog->table_count, visible = 0;
    size_t max = limits->max_context_tokens * BYTES_PER_TOKEN, other = question.len + OTHER_BYTES;
    int *tables = arena_array(node_arena(node), table_count + 1, sizeof *tables);
    max = size_min(max > other ? max - other : 0, TEXT_BYTES / 2);
    buf_init(&out, TEXT_BYTES);
    for (size_t i = 0; tables != NULL && i < table_count; i++)
        if (search_rank_is_visible(&knows->catalog->tables[i]))
            tables[visible++] = (int)i;
    bool all = visible <= limits->sql_max_tables_in_selection_prompt &&
               write_tables(&out, &list, tables, visible, max) == visible;
    if (!all && tables != NULL) {
        size_t count =
            search_rank_fused(node_session(node), question, near, near_count, node_arena(node),
                              tables, limits->sql_max_tables_in_selection_prompt);
        buf_clear(&out);
        write_tables(&out, &list, tables, count, max);
        LOG(node_log(node), DEBUG, "sql.tables_ranked", "tables=%zu shown=%zu", visible, count);
    }
    return take_text(node, &out);
}

struct str sql_agent_select_list(struct node *node, struct str question)
{
    return list_tables(node, question, NULL, 0);
}

struct str sql_agent_select_tables(struct node *node)
{
    const struct selection *f = node_frame(node);
    return list_tables(node, node_str(node, SQL_AGENT_QUESTION), f->near, f->near_count);
}

static bool has_table(const int *tables, size_t count, int table)
{
    for (size_t i = 0; i < count; i++)
        if (tables[i] == table)
            return true;
    return false;
}

/* The tables of a JSON array in answer; at most MAX_TABLES. */
static size_t named_tables(struct node *node, const struct catalog *catalog, struct str answer,
                           int *tables)
{
    size_t count = 0;
    const struct json_value *names =
        json_value_parse(node_arena(node), extract_json(answer, '['), NULL, NULL);
    if (names == NULL)
        return 0;
    JSON_EACH(name, names) {
        int table =
            name->type == JSON_STRING ? catalog_find_dotted(catalog, name->text) : CATALOG_NONE;
        if (table != CATALOG_NONE && catalog->tables[table].secures != CATALOG_NONE)
            table = catalog->tables[table].secures;
        if (table == CATALOG_NONE || !search_rank_is_visible(&catalog->tables[table]) ||
            has_table(tables, count, table))
            continue;
        if (count < MAX_TABLES)
            tables[count++] = table;
    }
    return count;
}

/* R178: those the question's words reach; when they reach none, the nearest, or the first. */
static size_t guess_tables(struct node *node, int *tables)
{
    const struct selection *f = node_frame(node);
    size_t named, max = size_min(services(node)->limits->sql_max_fallback_tables, MAX_TABLES);
    size_t count = search_rank_tables(node_session(node), node_str(node, SQL_AGENT_QUESTION),
                                      node_arena(node), tables, max, &named);
    if (named > 0 || f->near_count == 0)
        return named > 0 ? named : count;
    count = size_min(f->near_count, max);
    for (size_t i = 0; i < count; i++)
        tables[i] = f->near[i];
    return count;
}

static void put_tables(struct node *node, const int *tables, size_t count)
{
    struct buf out;
    struct json_write writer;
    buf_init(&out, TEXT_BYTES);
    json_write_init(&writer, &out);
    json_write_array(&writer);
    for (size_t i = 0; i < count; i++)
        json_write_str(&writer, sql_agent_plan_table_name(node, tables[i]));
    json_write_array_end(&writer);
    node_put_str(node, SQL_AGENT_TABLES, take_text(node, &out));
}

enum step sql_agent_select_keep(struct node *node, struct str answer)
{
    enum step failed;
    int tables[MAX_TABLES];
    const struct catalog *catalog = check_sql_catalog(node, &failed);
    if (catalog == NULL)
        return failed;
    size_t count = named_tables(node, catalog, answer, tables);
    if (count == 0) {
        count = guess_tables(node, tables);
        LOG(node_log(node), INFO, "sql.tables_guessed", "count=%zu", count);
    }
    put_tables(node, tables, count);
    return STEP_DONE;
}

/* The tables that the draft reads; without one those that the question's words reach. */
static size_t tables_of_whole(struct node *node, int *tables)
{
    size_t named = 0, count = 0;
    const struct knowledge *knows = knowledge(node);
    const struct sql_parse *parse =
        node_has(node, SQL_AGENT_DRAFT)
            ? check_sql_written(node, extract_sql(node_str(node, SQL_AGENT_DRAFT)))
            : NULL;
    for (size_t i = 0; parse != NULL && i < parse->table_count && count < MAX_TABLES; i++) {
        int table = parse->tables[i].table;
        if (table != CATALOG_NONE && knows->catalog->tables[table].secures != CATALOG_NONE)
            table = knows->catalog->tables[table].secures;
        if (table != CATALOG_NONE && search_rank_is_visible(&knows->catalog->tables[table]) &&
            !has_table(tables, count, table))
            tables[count++] = table;
    }
    if (count > 0)
        return count;
    (void)search_rank_tables(node_session(node), node_str(node, SQL_AGENT_QUESTION),
                             node_arena(node), tables, MOST_NAMED, &named);
    return size_min(named, MOST_NAMED);
}

/* Whether the tables are known without a model: they are then put. */
static bool decide(struct node *node)
{
    int tables[MAX_TABLES];
    size_t count = 0;
    const struct catalog *catalog = knowledge(node)->catalog;
    if (catalog == NULL)
        return false;
    bool is_whole = sql_agent_whole_fits(node, node_str(node, SQL_AGENT_QUESTION));
    if (is_whole)
        count = tables_of_whole(node, tables);
    else if (node_has(node, SQL_AGENT_NAMED))
        count = named_tables(node, catalog, node_str(node, SQL_AGENT_NAMED), tables);
    if (!is_whole && count == 0)
        return false;
    put_tables(node, tables, count);
    return true;
}

static enum step take_near(struct node *node)
{
    struct selection *f = node_frame(node);
    const struct err *err = &f->search.op.err;
    if (err->code != ERR_OK)
        LOG(node_log(node), WARN, "sql.tables_by_words", "code=%s reason=\"%s\"",
            err_name(err->code), err->text);
    else
        f->near_count = schema_index_tables(knowledge(node)->catalog, f->search.found[0].hits,
                                            f->search.found[0].hit_count, f->near, TOP_NEAR);
    return ask_node.enter(node);
}

static enum step select_tables(struct node *node)
{
    struct selection *f = node_frame(node);
    if (decide(node))
        return STEP_DONE;
    if (knowledge(node)->catalog == NULL || !near_search_can(services(node)))
        return ask_node.enter(node);
    f->query = (struct near_query){
        .text = node_str(node, SQL_AGENT_QUESTION),
        .looks = {{.collection = HYBRID_SCHEMA,
                   .top = TOP_PASSAGES,
                   .field = SCHEMA_INDEX_CATALOG,
                   .value = knowledge(node)->schema_id}},
        .look_count = 1,
        .timeout_ms = NEAR_MS,
    };
    near_search_start(&f->search, node_session(node), &f->query, node_waiter(node));
    return node_settle(node, take_near);
}

const struct graph_node_type sql_agent_select_node = {.enter = select_tables,
                                                      .frame_bytes = sizeof(struct selection)};
