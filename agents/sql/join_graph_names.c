/* SPDX-License-Identifier: MIT */
/* agents/sql/join_graph_names.c - what names give away: audit columns, the tenant column, lookup
 * tables.
 *
 * These decide which short path means nothing (DOMAIN section 4: 90 % of OpenMRS' pairs have a
 * shortest path through users). No failure paths. */
#include "agents/sql/join_graph_build.h"

/* A tenant column is in this share of all tables, and in so many at least. */
enum { TENANT_PERCENT = 30, TENANT_TABLES = 3 };
/* A table is small beside its children at one row per hundred of theirs, and at most so many. */
enum { LOOKUP_RATIO = 100, LOOKUP_ROWS = 20 };

static bool is_upper(char c)
{
    return c >= 'A' && c <= 'Z';
}

static bool is_word(char c)
{
    return str_is_alpha(c) || str_is_digit(c);
}

struct str join_graph_next_word(struct str *rest)
{
    size_t start = 0;
    while (start < rest->len && !is_word(rest->at[start]))
        start++;
    size_t end = start;
    while (end < rest->len && is_word(rest->at[end])) {
        bool begins = end > start && is_upper(rest->at[end]);
        bool after_lower = begins && !is_upper(rest->at[end - 1]);
        bool before_lower = begins && end + 1 < rest->len && is_word(rest->at[end + 1]) &&
                            !is_upper(rest->at[end + 1]) && !str_is_digit(rest->at[end + 1]);
        if (after_lower || (before_lower && is_upper(rest->at[end - 1])))
            break;
        end++;
    }
    struct str word = str_slice(*rest, start, end);
    *rest = str_from(*rest, end);
    return word.len == 0 ? (struct str){NULL, 0} : word;
}

static bool is_one_of(struct str word, const char *const *list, size_t count)
{
    for (size_t i = 0; i < count; i++) {
        if (str_equal_nocase(word, str_of(list[i])))
            return true;
    }
    return false;
}

bool join_graph_is_audit_name(struct str column)
{
    static const char *const verbs[] = {"created",  "create",    "updated",  "update",  "changed",
                                        "modified", "modify",    "deleted",  "voided",  "retired",
                                        "approved", "removed",   "archived", "entered", "inserted",
                                        "edited",   "cancelled", "canceled", "uploaded"};
    static const char *const persons[] = {"creator", "modifier", "updater"};
    struct str words[3] = {{0}}; /* the last three, newest first */
    for (struct str rest = column, word;
         word = join_graph_next_word(&rest), !str_is_absent(word);) {
        words[2] = words[1];
        words[1] = words[0];
        words[0] = word;
    }
    struct str *last = words;
    if (str_equal_nocase(last[0], STR("id")))
        last++;
    if (is_one_of(last[0], persons, countof(persons)))
        return true;
    return last < words + 2 && str_equal_nocase(last[0], STR("by")) &&
           is_one_of(last[1], verbs, countof(verbs));
}

/* companyId, tenant_id, organisation: by name. */
static bool is_tenant_name(struct str column)
{
    static const char *const owners[] = {"company",      "tenant",       "org",
                                         "organization", "organisation", "workspace"};
    struct str rest = column, first = join_graph_next_word(&rest);
    struct str second = join_graph_next_word(&rest);
    return str_is_absent(join_graph_next_word(&rest)) &&
           is_one_of(first, owners, countof(owners)) &&
           (str_is_absent(second) || str_equal_nocase(second, STR("id")));
}

static bool is_tenant_edge(const struct join_graph *graph, const struct join_edge *edge)
{
    if (edge->column_count != 1)
        return false;
    struct str given = graph->tables[edge->from_table].tenant_column;
    if (!str_is_absent(given) && str_equal(given, edge->from_columns[0]))
        return true;
    return is_tenant_name(edge->from_columns[0]);
}

/* A company in a few tables of a sales database is business, not tenancy. */
static void mark_tenants(struct join_graph *graph)
{
    size_t marked = 0;
    for (size_t i = 0; i < graph->edge_count; i++) {
        struct join_edge *edge = &graph->edges[i];
        edge->tenant = edge->cardinality != JOIN_N_TO_N && is_tenant_edge(graph, edge);
        marked += edge->tenant;
    }
    if (marked >= TENANT_TABLES && marked * 100 >= graph->table_count * TENANT_PERCENT)
        return;
    for (size_t i = 0; i < graph->edge_count; i++) {
        struct join_edge *edge = &graph->edges[i];
        edge->tenant =
            edge->tenant && !str_is_absent(graph->tables[edge->from_table].tenant_column);
    }
}

static void mark_audit(struct join_graph *graph)
{
    for (size_t i = 0; i < graph->edge_count; i++) {
        struct join_edge *edge = &graph->edges[i];
        edge->audit = false;
        for (size_t c = 0; c < edge->column_count; c++)
            edge->audit = edge->audit || join_graph_is_audit_name(edge->from_columns[c]) ||
                          join_graph_is_audit_name(edge->to_columns[c]);
    }
}

static bool is_lookup(const struct join_graph *graph, int table)
{
    const struct join_table *this = &graph->tables[table];
    int64_t most_children = 0;
    bool has_parent = false;
    for (size_t i = graph->edge_starts[table]; i < graph->edge_starts[table + 1]; i++) {
        const struct join_edge *edge = &graph->edges[graph->edge_ids[i]];
        if (edge->from_table == edge->to_table || edge->cardinality == JOIN_N_TO_N)
            continue;
        if (edge->from_table == table)
            has_parent = has_parent || (!edge->audit && !edge->tenant);
        else if (graph->tables[edge->from_table].row_count > most_children)
            most_children = graph->tables[edge->from_table].row_count;
    }
    if (this->row_count > 0 && this->row_count <= LOOKUP_ROWS &&
        this->row_count * LOOKUP_RATIO <= most_children)
        return true;
    return this->flagged_lookup || !has_parent;
}

void join_graph_mark(struct join_graph *graph)
{
    mark_audit(graph);
    mark_tenants(graph);
    for (size_t t = 0; t < graph->table_count; t++)
        graph->tables[t].lookup = is_lookup(graph, (int)t);
}

bool join_graph_is_lookup(const struct join_graph *graph, int table)
{
    return graph->tables[table].lookup;
}
