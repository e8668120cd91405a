/* SPDX-License-Identifier: MIT */
/* agents/offline/compose/keyed.c - pieces over join trees.
 *
 * Happy path: nodes that are joined go to FROM; the first node of a branch that is not opens an
 * EXISTS that holds the whole branch. A subquery about another row plans its own tree.
 * Failure: no path, a key of several columns, a sum that would count rows twice. */
#include "agents/offline/compose/keyed.h"

#include "agents/semantic/model.h"

static void render_on(struct keyed *k, const struct jointree *tree, int node)
{
    const struct jointree_node *n = &tree->nodes[node];
    for (size_t i = 0; i < n->edge->column_count; i++) {
        int mine, theirs;
        offline_jointree_pair(&k->schema->joins, tree, node, i, &mine, &theirs);
        if (i > 0)
            buf_push(k->render.out, STR(" AND "));
        lexicon_render_column(&k->render, n->alias, n->table, mine);
        buf_push(k->render.out, STR(" = "));
        lexicon_render_column(&k->render, tree->nodes[n->parent].alias,
                              tree->nodes[n->parent].table, theirs);
    }
}

static void render_node(struct keyed *k, const struct jointree_node *node)
{
    lexicon_render_table(&k->render, node->table);
    if (node->alias > 0)
        buf_printf(k->render.out, " AS t%u", node->alias);
}

void offline_keyed_from(struct keyed *k, const struct jointree *tree)
{
    buf_push(k->render.out, STR(" FROM "));
    render_node(k, &tree->nodes[0]);
    for (size_t i = 1; i < tree->count; i++) {
        if (!tree->nodes[i].joined)
            continue;
        buf_push(k->render.out, STR(" JOIN "));
        render_node(k, &tree->nodes[i]);
        buf_push(k->render.out, STR(" ON "));
        render_on(k, tree, (int)i);
    }
}

void offline_keyed_lead(struct keyed *k, bool *first)
{
    buf_push(k->render.out, *first ? STR(" WHERE ") : STR(" AND "));
    *first = false;
}

static bool is_below(const struct jointree *tree, int node, int top)
{
    for (int i = node; i >= 0; i = tree->nodes[i].parent)
        if (i == top)
            return true;
    return false;
}

/* Whether the reading asks by a column that says which rows count: "deleted customers". */
static bool asks_which_count(const struct semantic_expression *rows, int table,
                             const struct reading_filter *filters, size_t filter_count)
{
    for (size_t i = 0; i < filter_count; i++)
        for (size_t p = 0; p < rows->piece_count && filters[i].on.table == table; p++)
            if (filters[i].named == NULL && rows->pieces[p].column == filters[i].on.column)
                return true;
    return false;
}

/* Whether the whole that rows of the node are parts of is beside it in the tree. */
static bool has_whole(const struct keyed *k, const struct jointree *tree, int node)
{
    int whole = k->schema->lexicon->facts[tree->nodes[node].table].header;
    int at = whole == CATALOG_NONE ? -1 : offline_jointree_find(tree, whole);
    return at >= 0 && (tree->nodes[at].parent == node || tree->nodes[node].parent == at);
}

static void note_left_out(const struct keyed *k, int table)
{
    struct reading_left_out *left_out = k->schema->left_out;
    if (left_out == NULL || k->schema->lexicon->facts[table].living == NULL)
        return;
    for (size_t i = 0; i < left_out->count; i++)
        if (left_out->tables[i] == table)
            return;
    if (left_out->count < countof(left_out->tables))
        left_out->tables[left_out->count++] = table;
}

/* The condition on rows of the node that count, behind " WHERE " or " AND "; nothing where all do.
 */
static void render_living(struct keyed *k, const struct jointree *tree, int at,
                          const struct reading_filter *filters, size_t filter_count, bool *first)
{
    const struct jointree_node *node = &tree->nodes[at];
    const struct semantic_named *living = k->schema->lexicon->facts[node->table].living;
    if (living != NULL && asks_which_count(&living->expression, node->table, filters, filter_count))
        return;
    if (offline_render_living(&k->render, node->alias, node->table, has_whole(k, tree, at),
                              *first ? STR(" WHERE ") : STR(" AND "))) {
        *first = false;
        note_left_out(k, node->table);
        if (k->schema->lexicon->facts[node->table].header != CATALOG_NONE)
            note_left_out(k, k->schema->lexicon->facts[node->table].header);
    }
}

/* EXISTS (SELECT 1 FROM the branch at top WHERE it hangs on its parent AND filters). */
static void render_exists(struct keyed *k, const struct jointree *tree, int top,
                          const struct reading_filter *filters, size_t filter_count)
{
    struct buf *out = k->render.out;
    buf_push(out, STR("EXISTS (SELECT 1 FROM "));
    render_node(k, &tree->nodes[top]);
    for (int i = top + 1; i < (int)tree->count; i++)
        if (is_below(tree, i, top)) {
            buf_push(out, STR(" JOIN "));
            render_node(k, &tree->nodes[i]);
            buf_push(out, STR(" ON "));
            render_on(k, tree, i);
        }
    bool first = false;
    buf_push(out, STR(" WHERE "));
    render_on(k, tree, top);
    for (int i = top; i < (int)tree->count; i++)
        if (is_below(tree, i, top))
            render_living(k, tree, i, filters, filter_count, &first);
    for (size_t i = 0; i < filter_count; i++) {
        int node = offline_jointree_find(tree, filters[i].on.table);
        if (filters[i].out != READING_NONE || filters[i].numerator || node < 0 ||
            !is_below(tree, node, top))
            continue;
        buf_push(out, STR(" AND "));
        offline_render_filter(&k->render, tree->nodes[node].alias, &filters[i]);
    }
    buf_push_char(out, ')');
}

void offline_keyed_where(struct keyed *k, const struct jointree *tree,
                         const struct reading_filter *filters, size_t filter_count, bool *first)
{
    for (size_t i = 0; i < filter_count; i++) {
        int node = offline_jointree_find(tree, filters[i].on.table);
        if (filters[i].out != READING_NONE || filters[i].numerator || node < 0 ||
            !tree->nodes[node].joined)
            continue;
        offline_keyed_lead(k, first);
        offline_render_filter(&k->render, tree->nodes[node].alias, &filters[i]);
    }
    for (size_t i = 0; i < tree->count; i++)
        if (tree->nodes[i].joined && !tree->nodes[i].names)
            render_living(k, tree, (int)i, filters, filter_count, first);
    for (size_t i = 1; i < tree->count; i++)
        if (!tree->nodes[i].joined && tree->nodes[tree->nodes[i].parent].joined) {
            offline_keyed_lead(k, first);
            render_exists(k, tree, (int)i, filters, filter_count);
        }
}

void offline_keyed_tables(const struct reading_scope *scope, struct jointree_wanted *wanted)
{
    for (size_t i = 0; i < scope->table_count; i++)
        offline_jointree_want(wanted, scope->tables[i], scope->under[i]);
    for (size_t i = 0; i < scope->filter_count; i++)
        offline_jointree_want(wanted, scope->filters[i].on.table, READING_NONE);
}

enum err_code offline_keyed_not(struct keyed *k, const struct jointree *tree, int anchor,
                                const struct reading_scope *scope)
{
    struct jointree_wanted wanted = {.one_branch = true};
    struct jointree own;
    offline_jointree_want(&wanted, tree->nodes[anchor].table, READING_NONE);
    offline_keyed_tables(scope, &wanted);
    enum err_code code = offline_jointree_plan(&k->schema->joins, &wanted, &own, k->err);
    if (code != ERR_OK)
        return code;
    if (own.count < 2)
        return err_set(k->err, ERR_INVALID, "what must not exist is not clear");
    offline_jointree_settle(&own, &k->alias, false);
    own.nodes[0].alias = tree->nodes[anchor].alias;
    buf_push(k->render.out, STR("NOT "));
    render_exists(k, &own, 1, scope->filters, scope->filter_count);
    return ERR_OK;
}

enum err_code offline_keyed_aggregate(struct keyed *k, const struct jointree *tree,
                                      enum offline_agg agg, struct reading_column on)
{
    static const char *const names[] = {
        [AGG_SUM] = "SUM(", [AGG_AVG] = "AVG(", [AGG_MIN] = "MIN(", [AGG_MAX] = "MAX("};
    bool repeats = offline_jointree_repeats(tree);
    int node = offline_jointree_find(tree, on.table);
    unsigned alias = node < 0 ? 0 : tree->nodes[node].alias;
    int key = k->schema->lexicon->facts[on.table].key;
    if (agg == AGG_COUNT && (!repeats || on.table != tree->nodes[0].table)) {
        if (repeats || on.table != tree->nodes[0].table)
            return err_set(k->err, ERR_INVALID, "what is counted is not clear");
        buf_push(k->render.out, STR("COUNT(*)"));
        return ERR_OK;
    }
    if (agg == AGG_COUNT && key == CATALOG_NONE)
        return err_set(k->err, ERR_INVALID, "rows would be counted twice");
    if (agg == AGG_COUNT || agg == AGG_DISTINCT) {
        buf_push(k->render.out, STR("COUNT(DISTINCT "));
        lexicon_render_column(&k->render, alias, on.table, agg == AGG_COUNT ? key : on.column);
        buf_push_char(k->render.out, ')');
        return ERR_OK;
    }
    if (repeats && !k->apart && (agg == AGG_SUM || agg == AGG_AVG || agg == AGG_METRIC))
        return err_set(k->err, ERR_INVALID, "rows would be added up twice");
    if (agg == AGG_METRIC) {
        offline_render_expression(&k->render, alias, on.table, &on.metric->expression);
        return ERR_OK;
    }
    buf_push(k->render.out, str_of(names[agg]));
    offline_render_amount(&k->render, alias, on);
    if (agg == AGG_AVG && k->render.dialect == SQL_MYSQL)
        buf_push(k->render.out, STR(" * 1e0")); /* else it has four digits more than the column */
    buf_push_char(k->render.out, ')');
    return ERR_OK;
}

/* A tree from the measure's rows to the anchor's key: everything but the anchor itself. */
struct bridge {
    struct jointree tree;
    int neighbour;                 /* node beside the anchor */
    int key_column, anchor_column; /* of the neighbour and of the anchor */
};

static enum err_code plan_bridge(struct keyed *k, int anchor_table,
                                 const struct reading_scope *scope, struct bridge *bridge)
{
    struct jointree_wanted wanted = {.leaf = true};
    offline_jointree_want(&wanted, scope->measure.table, READING_NONE);
    offline_jointree_want(&wanted, anchor_table, READING_NONE);
    offline_keyed_tables(scope, &wanted);
    enum err_code code = offline_jointree_plan(&k->schema->joins, &wanted, &bridge->tree, k->err);
    if (code != ERR_OK)
        return code;
    int node = offline_jointree_find(&bridge->tree, anchor_table);
    if (node < 1 || bridge->tree.nodes[node].edge->column_count != 1)
        return err_set(k->err, ERR_INVALID, "a condition on a group is not understood here");
    bridge->neighbour = bridge->tree.nodes[node].parent;
    offline_jointree_pair(&k->schema->joins, &bridge->tree, node, 0, &bridge->anchor_column,
                          &bridge->key_column);
    offline_jointree_show(&bridge->tree, bridge->neighbour);
    /* take the anchor out of the tree: it is the outer query's */
    for (size_t i = (size_t)node; i + 1 < bridge->tree.count; i++)
        bridge->tree.nodes[i] = bridge->tree.nodes[i + 1];
    bridge->tree.count--;
    for (size_t i = 0; i < bridge->tree.count; i++)
        if (bridge->tree.nodes[i].parent > node)
            bridge->tree.nodes[i].parent--;
    if (bridge->neighbour > node)
        bridge->neighbour--;
    offline_jointree_settle(&bridge->tree, &k->alias, false);
    return ERR_OK;
}

static void render_key(struct keyed *k, const struct bridge *bridge)
{
    const struct jointree_node *n = &bridge->tree.nodes[bridge->neighbour];
    lexicon_render_column(&k->render, n->alias, n->table, bridge->key_column);
}

/* FROM ... WHERE ... GROUP BY key. */
static void render_bridge(struct keyed *k, const struct bridge *bridge,
                          const struct reading_scope *scope)
{
    bool first = true;
    offline_keyed_from(k, &bridge->tree);
    offline_keyed_where(k, &bridge->tree, scope->filters, scope->filter_count, &first);
    offline_keyed_lead(k, &first);
    render_key(k, bridge);
    buf_push(k->render.out, STR(" IS NOT NULL GROUP BY "));
    render_key(k, bridge);
}

/* > (SELECT AVG(v) FROM (SELECT agg AS v ... GROUP BY key) AS s) */
static enum err_code render_average(struct keyed *k, const struct bridge *bridge,
                                    const struct reading_scope *scope)
{
    buf_push(k->render.out, STR("(SELECT "));
    offline_render_factor(&k->render, scope->factor);
    buf_push(k->render.out, STR("AVG(v) FROM (SELECT "));
    enum err_code code = offline_keyed_aggregate(k, &bridge->tree, scope->agg, scope->measure);
    if (code != ERR_OK)
        return code;
    buf_push(k->render.out, STR(" AS v"));
    render_bridge(k, bridge, scope);
    buf_push(k->render.out, STR(") AS s)"));
    return ERR_OK;
}

/* SUM(CASE WHEN the one THEN 1 WHEN the other THEN -1 ELSE 0 END) */
static enum err_code render_net(struct keyed *k, const struct bridge *bridge,
                                const struct reading_scope *scope)
{
    if (offline_jointree_repeats(&bridge->tree))
        return err_set(k->err, ERR_INVALID, "rows would be counted twice");
    buf_push(k->render.out, STR("SUM(CASE"));
    for (size_t i = 0; i < scope->filter_count; i++) {
        int node = offline_jointree_find(&bridge->tree, scope->filters[i].on.table);
        buf_push(k->render.out, STR(" WHEN "));
        offline_render_filter(&k->render, bridge->tree.nodes[node].alias, &scope->filters[i]);
        buf_push(k->render.out, scope->filters[i].minus ? STR(" THEN -1") : STR(" THEN 1"));
    }
    buf_push(k->render.out, STR(" ELSE 0 END)"));
    return ERR_OK;
}

enum err_code offline_keyed_having(struct keyed *k, const struct jointree *tree, int anchor,
                                   const struct reading_scope *scope)
{
    struct bridge bridge;
    enum err_code code = plan_bridge(k, tree->nodes[anchor].table, scope, &bridge);
    if (code != ERR_OK)
        return code;
    /* fewer than n: not those with n or more, so that those with none are among them */
    bool turned =
        scope->agg == AGG_COUNT && !scope->vs_average &&
        (scope->op == OP_LT || scope->op == OP_LE || (scope->op == OP_EQ && scope->number <= 0));
    enum offline_op op = !turned              ? scope->op
                         : scope->op == OP_LT ? OP_GE
                         : scope->op == OP_LE ? OP_GT
                                              : OP_GT;
    lexicon_render_column(&k->render, tree->nodes[anchor].alias, tree->nodes[anchor].table,
                          bridge.anchor_column);
    buf_push(k->render.out, turned ? STR(" NOT IN (SELECT ") : STR(" IN (SELECT "));
    render_key(k, &bridge);
    render_bridge(k, &bridge, scope);
    buf_push(k->render.out, STR(" HAVING "));
    code = scope->agg == AGG_NET
               ? render_net(k, &bridge, scope)
               : offline_keyed_aggregate(k, &bridge.tree, scope->agg, scope->measure);
    buf_push_char(k->render.out, ' ');
    if (code == ERR_OK && scope->vs_average) {
        buf_printf(k->render.out, "%s ", offline_render_op(op));
        code = render_average(k, &bridge, scope);
    } else {
        offline_render_bound(&k->render, op, scope->number, scope->high);
    }
    buf_push_char(k->render.out, ')');
    return code;
}

enum err_code offline_keyed_counts(struct keyed *k, const struct jointree *tree, int anchor,
                                   const struct reading_scope *scope)
{
    struct bridge bridge;
    enum err_code code = plan_bridge(k, tree->nodes[anchor].table, scope, &bridge);
    if (code != ERR_OK)
        return code;
    buf_push(k->render.out, STR(" LEFT JOIN (SELECT "));
    render_key(k, &bridge);
    buf_push(k->render.out, STR(" AS k, "));
    code = offline_keyed_aggregate(k, &bridge.tree, scope->agg, scope->measure);
    buf_push(k->render.out, STR(" AS n"));
    render_bridge(k, &bridge, scope);
    buf_push(k->render.out, STR(") AS c ON c.k = "));
    lexicon_render_column(&k->render, tree->nodes[anchor].alias, tree->nodes[anchor].table,
                          bridge.anchor_column);
    return code;
}

enum err_code offline_keyed_amount(struct keyed *k, const struct jointree *tree, int anchor,
                                   const struct reading_scope *scope)
{
    struct bridge bridge;
    bool first = true;
    enum err_code code = plan_bridge(k, tree->nodes[anchor].table, scope, &bridge);
    if (code != ERR_OK)
        return code;
    buf_push(k->render.out, STR("(SELECT "));
    code = offline_keyed_aggregate(k, &bridge.tree, scope->agg, scope->measure);
    offline_keyed_from(k, &bridge.tree);
    offline_keyed_where(k, &bridge.tree, scope->filters, scope->filter_count, &first);
    offline_keyed_lead(k, &first);
    render_key(k, &bridge);
    buf_push(k->render.out, STR(" = "));
    lexicon_render_column(&k->render, tree->nodes[anchor].alias, tree->nodes[anchor].table,
                          bridge.anchor_column);
    buf_push_char(k->render.out, ')');
    return code;
}
