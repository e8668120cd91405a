/* SPDX-License-Identifier: MIT */
/* agents/offline/compose/jointree.c - plans of agents/sql/join_path in terms of the catalog.
 *
 * Happy path: one table needs no plan; several are planned as one tree and its steps become nodes
 * in join order. Failure: a table the join graph does not know, no path, or too large a tree. */
#include "agents/offline/compose/jointree.h"

#include "agents/lexicon/spelling.h"
#include "agents/sql/joins/join_graph_seen.h"
#include "core/words/stem.h"

enum { NAME_BYTES = 4096 };

int offline_jointree_find(const struct jointree *tree, int table)
{
    for (size_t i = 0; i < tree->count; i++)
        if (tree->nodes[i].table == table)
            return (int)i;
    return -1;
}

static bool is_many(const struct join_edge *edge, bool forward)
{
    switch (edge->cardinality) {
    case JOIN_N_TO_1:
        return !forward;
    case JOIN_1_TO_N:
        return forward;
    case JOIN_1_TO_1:
        return false;
    default:
        return true;
    }
}

/* Whether the catalog has every column of the edge (a file may name others). */
static bool has_columns(const struct jointree_source *source, const struct join_edge *edge)
{
    int from = join_graph_seen_origin(source->graph, source->catalog, edge->from_table);
    int to = join_graph_seen_origin(source->graph, source->catalog, edge->to_table);
    for (size_t i = 0; i < edge->column_count; i++)
        if (from == CATALOG_NONE || to == CATALOG_NONE ||
            catalog_find_column(source->catalog, from, edge->from_columns[i]) == CATALOG_NONE ||
            catalog_find_column(source->catalog, to, edge->to_columns[i]) == CATALOG_NONE)
            return false;
    return edge->column_count > 0;
}

static enum err_code add_steps(const struct jointree_source *source, const struct join_plan *plan,
                               struct jointree *tree, struct err *err)
{
    for (size_t i = 0; i < plan->step_count; i++) {
        const struct join_step *step = &plan->steps[i];
        int parent = join_graph_seen_origin(source->graph, source->catalog, step->parent);
        int child = join_graph_seen_origin(source->graph, source->catalog, step->child);
        int at = parent == CATALOG_NONE ? -1 : offline_jointree_find(tree, parent);
        if (child == CATALOG_NONE || at < 0 || tree->count == JOINTREE_NODES ||
            !has_columns(source, step->edge))
            return err_set(err, ERR_NOT_FOUND, "the tables of the question do not join");
        if (offline_jointree_find(tree, child) >= 0)
            return err_set(err, ERR_NOT_FOUND, "two different rows of one table are meant");
        tree->nodes[tree->count++] = (struct jointree_node){
            .table = child,
            .parent = at,
            .edge = step->edge,
            .forward = step->forward,
            .many = is_many(step->edge, step->forward),
        };
    }
    return ERR_OK;
}

/* How surely a reference is meant beside others between the same tables. */
enum role {
    ROLE_OBJECT, /* named for its own table: friend.friend_id is whom a friend is to somebody else
                  */
    ROLE_OTHER,
    ROLE_PLAIN, /* named for the table it leads to */
    ROLE_SAID   /* the question says its name: editorId, "editor" */
};

static bool has_stem(const struct str *words, size_t count, struct str stem)
{
    char text[STEM_BYTES];
    for (size_t i = 0; i < count; i++)
        if (str_equal(stem, stem_of(words[i], text)))
            return true;
    return false;
}

static enum role role_of(const struct jointree_source *source, const struct join_edge *edge)
{
    struct arena arena;
    struct str column[ENGLISH_WORDS], to[ENGLISH_WORDS], from[ENGLISH_WORDS];
    char text[STEM_BYTES];
    arena_init(&arena, NAME_BYTES);
    size_t n = stem_split(&arena, edge->from_columns[0], column, ENGLISH_WORDS);
    size_t to_count =
        stem_split(&arena, join_graph_table_name(source->graph, edge->to_table), to, ENGLISH_WORDS);
    size_t from_count = stem_split(&arena, join_graph_table_name(source->graph, edge->from_table),
                                   from, ENGLISH_WORDS);
    struct str role = n > 0 ? stem_of(column[0], text) : STR("");
    enum role found = has_stem(to, to_count, role)       ? ROLE_PLAIN
                      : has_stem(from, from_count, role) ? ROLE_OBJECT
                                                         : ROLE_OTHER;
    if (found == ROLE_OTHER &&
        (has_stem(source->words, source->word_count, role) ||
         lexicon_spelling_says_role(role, source->words, source->word_count)))
        found = ROLE_SAID;
    arena_fini(&arena);
    return found;
}

static bool role_is_said(const struct jointree_source *source, const struct join_edge *edge)
{
    return role_of(source, edge) >= ROLE_PLAIN;
}

static bool joins_same(const struct join_edge *a, const struct join_edge *b)
{
    return (a->from_table == b->from_table && a->to_table == b->to_table) ||
           (a->from_table == b->to_table && a->to_table == b->from_table);
}

/* Of the references that join the two tables of a step, take the one that is meant. False: none is
 * meant rather than another: flight.departure_id and flight.arrival_id. */
static bool take_role(const struct jointree_source *source, struct join_step *step)
{
    size_t count;
    const struct join_edge *own = step->edge;
    const int *edges = join_graph_edges_of(source->graph, own->from_table, &count);
    enum role best = role_of(source, own);
    bool tied = false;
    for (size_t i = 0; i < count; i++) {
        const struct join_edge *other = join_graph_edge(source->graph, (size_t)edges[i]);
        if (other == own || !joins_same(own, other) || other->audit || other->tenant)
            continue;
        enum role role = role_of(source, other);
        if (role == best)
            tied = true;
        if (role <= best)
            continue;
        best = role;
        tied = false;
        step->edge = other;
        step->forward = other->from_table == step->parent;
    }
    return !tied;
}

/* Whether a reference is called like the key that it leads to, which is more than "id", maybe with
 * words before: rn_cu_id of cu_id. */
static bool is_key_name(const struct join_edge *edge)
{
    struct str from = edge->from_columns[0], to = edge->to_columns[0];
    if (edge->column_count != 1 || str_equal_nocase(to, STR("id")) || from.len < to.len)
        return false;
    size_t before = from.len - to.len;
    return str_equal_nocase(str_from(from, before), to) &&
           (before == 0 || from.at[before - 1] == '_');
}

/* Whether a word shortens the other, or both have one stem: "dep" of depots. */
static bool is_short_for(struct str word, struct str name)
{
    enum { LEAST = 3 };
    char a[STEM_BYTES], b[STEM_BYTES];
    struct str x = stem_of(word, a), y = stem_of(name, b);
    return str_equal(x, y) || (x.len >= LEAST && str_starts_with(y, x));
}

/* Whether a reference is called after the table that it leads to, with or without its role. */
static bool names_table(const struct jointree_source *source, const struct join_edge *edge)
{
    struct arena arena;
    struct str column[ENGLISH_WORDS], table[ENGLISH_WORDS];
    bool named = is_key_name(edge);
    arena_init(&arena, NAME_BYTES);
    size_t n = stem_split(&arena, edge->from_columns[0], column, ENGLISH_WORDS);
    size_t m = stem_split(&arena, join_graph_table_name(source->graph, edge->to_table), table,
                          ENGLISH_WORDS);
    for (size_t i = 0; i < n; i++)
        for (size_t k = 0; k < m; k++)
            named = named || is_short_for(column[i], table[k]);
    arena_fini(&arena);
    return named;
}

/* Whether the plan between two tables goes round a reference that ties them, though nobody declared
 * it. */
static bool goes_round(const struct jointree_source *source, const struct join_plan *plan,
                       const int *wanted, size_t n)
{
    size_t count;
    if (n != 2 || plan->step_count < 2)
        return false;
    const int *edges = join_graph_edges_of(source->graph, wanted[0], &count);
    for (size_t i = 0; i < count; i++) {
        const struct join_edge *e = join_graph_edge(source->graph, (size_t)edges[i]);
        if (e->type == JOIN_INFERRED && names_table(source, e) && !e->audit && !e->tenant &&
            (e->from_table == wanted[1] || e->to_table == wanted[1]))
            return true;
    }
    return false;
}

/* Whether the next best plan has the same steps by other references, of which take_role chose. */
static bool differs_by_role(const struct join_plan *plan)
{
    bool differs = plan->other_count > 0;
    for (size_t i = 0; i < plan->other_count; i++) {
        bool found = false;
        for (size_t k = 0; k < plan->step_count; k++)
            found = found || joins_same(plan->other[i], plan->steps[k].edge);
        differs = differs && found;
    }
    return differs;
}

/* A second plan within a tenth of the cost; or within twice of it when the best one takes a role
 * that nobody asked for. */
static bool has_rival(const struct jointree_source *source, const struct join_plan *plan)
{
    if (plan->runner_up == UINT64_MAX || differs_by_role(plan))
        return false;
    if (join_plan_has_rival(plan))
        return true;
    for (size_t i = 0; i < plan->step_count; i++)
        if (plan->runner_up <= 2 * plan->cost + plan->cost / 5 &&
            !names_table(source, plan->steps[i].edge) && !role_is_said(source, plan->steps[i].edge))
            return true;
    return false;
}

static void note_edges(struct jointree_ways *ways, const struct join_plan *plan)
{
    for (size_t i = 0; i < plan->step_count && ways->edge_count < JOINTREE_EDGES; i++)
        ways->edges[ways->edge_count++] = plan->steps[i].edge;
}

/* The best plan without the edge; ERR_NOT_FOUND: it is no rival of the best one. */
static enum err_code plan_without(const struct jointree_source *source, const int *wanted, size_t n,
                                  const struct join_edge *edge, struct join_plan *plan,
                                  struct err *err)
{
    uint64_t best = plan->cost;
    uint64_t limit = join_plan_has_rival(plan) ? best + best / 10 : 2 * best + best / 5;
    join_finder_avoid(source->finder, edge);
    enum err_code code =
        join_path_plan(source->finder, wanted, n, source->words, source->word_count, plan, err);
    join_finder_avoid(source->finder, NULL);
    return code == ERR_OK && plan->cost > limit
               ? err_set(err, ERR_NOT_FOUND, "the tables join in one good way only")
               : code;
}

/* One way, or the one that is meant. */
static enum err_code plan_way(const struct jointree_source *source, const int *wanted, size_t n,
                              struct join_plan *plan, struct err *err)
{
    struct jointree_ways *ways = source->ways;
    enum err_code code =
        join_path_plan(source->finder, wanted, n, source->words, source->word_count, plan, err);
    if (code == ERR_OK && ways != NULL && ways->avoid != NULL)
        code = plan_without(source, wanted, n, ways->avoid, plan, err);
    if (code != ERR_OK)
        return code;
    bool clear = true;
    for (size_t i = 0; i < plan->step_count && (ways == NULL || ways->avoid == NULL); i++)
        clear = take_role(source, &plan->steps[i]) && clear;
    bool tied = (ways == NULL || !ways->settled) &&
                (!clear || has_rival(source, plan) || goes_round(source, plan, wanted, n));
    if (ways != NULL && !ways->tied)
        note_edges(ways, plan);
    if (ways != NULL)
        ways->tied = ways->tied || tied;
    return tied ? err_set(err, ERR_NOT_FOUND, "the tables join in two ways that are equally good")
                : ERR_OK;
}

/* One tree over tables, the first of which is in the tree already. */
static enum err_code plan_tables(const struct jointree_source *source, const int *tables, size_t n,
                                 struct jointree *tree, struct err *err)
{
    int wanted[JOIN_PATH_MAX_TABLES];
    if (n > JOIN_PATH_MAX_TABLES)
        return err_set(err, ERR_NOT_FOUND, "more than %d tables are involved",
                       JOIN_PATH_MAX_TABLES);
    for (size_t i = 0; i < n; i++) {
        struct str name = source->catalog->tables[tables[i]].name;
        wanted[i] = source->finder == NULL
                        ? CATALOG_NONE
                        : join_graph_seen_table(source->graph, source->catalog, tables[i]);
        if (wanted[i] == CATALOG_NONE)
            return err_set(err, ERR_NOT_FOUND, "table %.*s joins no other", STR_ARG(name));
    }
    struct join_plan plan;
    enum err_code code = plan_way(source, wanted, n, &plan, err);
    return code == ERR_OK ? add_steps(source, &plan, tree, err) : code;
}

void offline_jointree_want(struct jointree_wanted *wanted, int table, int under)
{
    for (size_t i = 0; i < wanted->count; i++)
        if (wanted->tables[i] == table)
            return;
    if (wanted->count == JOINTREE_WANTED)
        return;
    wanted->under[wanted->count] = under;
    wanted->tables[wanted->count++] = table;
}

static bool is_below(const struct jointree *tree, int node, int top)
{
    for (int i = node; i >= 0; i = tree->nodes[i].parent)
        if (i == top)
            return true;
    return false;
}

/* Whether each row belongs to the one it is said to belong to, not only to a row beside it. */
static bool belongs(const struct jointree *tree, const struct jointree_wanted *wanted)
{
    int leaf = wanted->leaf ? offline_jointree_find(tree, wanted->tables[1]) : -1;
    for (size_t i = 2; i < tree->count; i++)
        if ((wanted->one_branch && tree->nodes[i].parent == 0) ||
            (wanted->leaf && tree->nodes[i].parent == leaf))
            return false;
    for (size_t i = 1; i < wanted->count; i++) {
        int node = offline_jointree_find(tree, wanted->tables[i]);
        int under = offline_jointree_find(tree, wanted->under[i]);
        if (under >= 0 && !is_below(tree, node, under) && !is_below(tree, under, node))
            return false;
    }
    return true;
}

/* Whether it matters to which row another belongs. */
static bool is_nested(const struct jointree_wanted *wanted)
{
    for (size_t i = 1; i < wanted->count; i++)
        if (wanted->under[i] != READING_NONE &&
            (wanted->under[i] != wanted->tables[0] || (wanted->leaf && i > 1)))
            return true;
    return false;
}

static enum err_code begin(const struct jointree_wanted *wanted, struct jointree *tree,
                           struct err *err)
{
    *tree = (struct jointree){.count = 1};
    tree->nodes[0] = (struct jointree_node){.table = wanted->tables[0], .parent = -1};
    for (size_t i = 0; i < wanted->count; i++)
        if (wanted->tables[i] < 0)
            return err_set(err, ERR_NOT_FOUND, "what the rows are about is not clear");
    return ERR_OK;
}

/* A row of table below that of under: not back over the row that this one hangs on. */
static enum err_code hang(const struct jointree_source *source, int under, int table,
                          struct jointree *tree, struct err *err)
{
    const int step[] = {under, table};
    int at = offline_jointree_find(tree, under);
    size_t node = at > 0 ? (size_t)at : 1;
    bool back = node < tree->count && source->finder != NULL;
    if (back)
        join_finder_avoid(source->finder, tree->nodes[node].edge);
    enum err_code code = plan_tables(source, step, countof(step), tree, err);
    if (back)
        join_finder_avoid(source->finder, NULL);
    return code;
}

static enum err_code plan_hung(const struct jointree_source *source,
                               const struct jointree_wanted *wanted, struct jointree *tree,
                               struct err *err)
{
    int direct[JOINTREE_WANTED];
    size_t count = 0;
    enum err_code code = begin(wanted, tree, err);
    for (size_t i = 0; i < wanted->count; i++)
        if (i == 0 || wanted->under[i] == READING_NONE)
            direct[count++] = wanted->tables[i];
    if (code == ERR_OK && count > 1)
        code = plan_tables(source, direct, count, tree, err);
    for (size_t i = 1; i < wanted->count && code == ERR_OK; i++) {
        if (wanted->under[i] != READING_NONE && offline_jointree_find(tree, wanted->tables[i]) < 0)
            code = hang(source, wanted->under[i], wanted->tables[i], tree, err);
    }
    return code == ERR_OK && !belongs(tree, wanted)
               ? err_set(err, ERR_NOT_FOUND, "two different rows of one table are meant")
               : code;
}

enum err_code offline_jointree_plan(const struct jointree_source *source,
                                    const struct jointree_wanted *wanted, struct jointree *tree,
                                    struct err *err)
{
    struct jointree_ways before = {.tied = false}, *ways = source->ways;
    enum err_code code = begin(wanted, tree, err);
    if (code != ERR_OK || wanted->count == 1)
        return code;
    if (ways != NULL)
        before = *ways;
    code = plan_tables(source, wanted->tables, wanted->count, tree, err);
    if (code == ERR_OK && belongs(tree, wanted))
        return code;
    if (code != ERR_OK && !is_nested(wanted))
        return code;
    if (ways != NULL)
        *ways = before;
    return plan_hung(source, wanted, tree, err);
}

void offline_jointree_show(struct jointree *tree, int node)
{
    for (int i = node; i >= 0; i = tree->nodes[i].parent)
        tree->nodes[i].shown = true;
}

void offline_jointree_settle(struct jointree *tree, unsigned *alias, bool may_be_bare)
{
    for (size_t i = 0; i < tree->count; i++) {
        struct jointree_node *node = &tree->nodes[i];
        node->joined =
            node->shown || node->parent < 0 || (tree->nodes[node->parent].joined && !node->many);
        node->alias = tree->count == 1 && may_be_bare ? 0 : ++*alias;
    }
}

bool offline_jointree_repeats(const struct jointree *tree)
{
    for (size_t i = 1; i < tree->count; i++)
        if (tree->nodes[i].joined && tree->nodes[i].many)
            return true;
    return false;
}

void offline_jointree_pair(const struct jointree_source *source, const struct jointree *tree,
                           int node, size_t i, int *column, int *parent_column)
{
    const struct jointree_node *n = &tree->nodes[node];
    const struct str *mine = n->forward ? n->edge->to_columns : n->edge->from_columns;
    const struct str *theirs = n->forward ? n->edge->from_columns : n->edge->to_columns;
    *column = catalog_find_column(source->catalog, n->table, mine[i]);
    *parent_column = catalog_find_column(source->catalog, tree->nodes[n->parent].table, theirs[i]);
    CHECK(*column != CATALOG_NONE && *parent_column != CATALOG_NONE);
}
