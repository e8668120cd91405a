/* SPDX-License-Identifier: MIT */
/* agents/sql/bounds/bounds_recursion.c - what a recursion's columns come to.
 *
 * Happy path: the step is weighed as a linear form: each of its own columns is made large in turn,
 * and what the step then gives says how often it holds that column. Columns that hold themselves
 * grow by what a step adds, as often as it is made.
 * Failure: columns that hold each other, or themselves, more than once double with every step: the
 * finding. */
#include "agents/sql/bounds/bounds_recursion.h"

#include "agents/sql/grammar/tree_walk.h"

enum { CALENDAR_STEPS = 20 * 1000, PROBE_BYTES = 4096, PROBED_COLUMNS = 16 };

bool sql_bounds_recursion_reads_itself(const struct sql_from *first, struct str name)
{
    for (const struct sql_from *item = first; item != NULL; item = item->next)
        if (sql_bounds_recursion_reads_itself(item->inside, name) ||
            (item->kind == SQL_FROM_TABLE && item->schema.len == 0 &&
             str_equal_nocase(item->name, name)))
            return true;
    return false;
}

struct recursion {
    struct sql_bounds_with *with;
    struct sql_bounds_shape *own; /* its columns as the step reads them */
    size_t columns;               /* at most PROBED_COLUMNS; those beyond count as the last */
    double steps;
    double holds[PROBED_COLUMNS][PROBED_COLUMNS]; /* how often one step's column i holds own j */
    bool leads[PROBED_COLUMNS][PROBED_COLUMNS];   /* in one step or more */
    double piece[PROBED_COLUMNS];                 /* bytes of a step beside its own columns */
    double begins[PROBED_COLUMNS];
};

struct largest {
    const struct sql_bounds_search *search;
    double number;
};

static void note_number(struct sql_tree_walk *walk, const struct sql_expr *expr)
{
    struct largest *largest = walk->owner;
    double number;
    if (expr->kind == SQL_EXPR_LITERAL &&
        sql_bounds_values_literal_number(largest->search, expr, &number))
        largest->number = larger(largest->number, number);
}

/* The number that a step is compared with; where it counts dates: days of a working life. */
static double steps_of(const struct sql_bounds_search *search, const struct sql_cte *cte)
{
    struct largest largest = {.search = search};
    struct sql_tree_walk walk = {.on_expr = note_number, .owner = &largest};
    for (const struct sql_branch *at = cte->select->branches; at != NULL; at = at->next)
        if (at->where != NULL && sql_bounds_recursion_reads_itself(at->from, cte->name))
            sql_tree_walk_expr(&walk, at->where);
    return largest.number <= 0 ? CALENDAR_STEPS : smaller(largest.number, 1e6);
}

/* The branches of a WITH query that read it, or those that do not. NULL: no memory. */
static struct sql_bounds_shape *shape_of_part(struct sql_bounds_search *search,
                                              struct sql_bounds_with *with, bool steps)
{
    const struct sql_cte *cte = with->cte;
    struct sql_bounds_shape *shape = sql_bounds_values_make_shape(search);
    if (shape == NULL)
        return NULL;
    shape->rows = 0;
    for (const struct sql_branch *at = cte->select->branches; at != NULL; at = at->next) {
        if (sql_bounds_recursion_reads_itself(at->from, cte->name) != steps)
            continue;
        const struct sql_bounds_shape *branch =
            search->shape_of_branch(search, with->scope, with, at, NULL);
        if (branch == NULL)
            return NULL;
        sql_bounds_values_merge(search, shape, branch);
    }
    return sql_bounds_values_is_over(search) ? NULL : shape;
}

static size_t probe_of(size_t column)
{
    return column < PROBED_COLUMNS ? column : PROBED_COLUMNS - 1;
}

/* What a step gives when own column i has bytes[i]. False: no memory, or too much work. */
static bool probe(struct sql_bounds_search *search, struct recursion *at, const double *bytes,
                  double *gives)
{
    size_t i = 0;
    for (struct sql_bounds_column *own = at->own->columns; own != NULL; own = own->next, i++)
        own->weight.bytes = bytes[probe_of(i)];
    const struct sql_bounds_shape *step = shape_of_part(search, at->with, true);
    if (step == NULL)
        return false;
    for (i = 0; i < PROBED_COLUMNS; i++)
        gives[i] = 0;
    i = 0;
    for (const struct sql_bounds_column *column = step->columns; column != NULL;
         column = column->next, i++)
        gives[probe_of(i)] = larger(gives[probe_of(i)], column->weight.bytes);
    return true;
}

static bool probe_all(struct sql_bounds_search *search, struct recursion *at)
{
    double bytes[PROBED_COLUMNS] = {0}, gives[PROBED_COLUMNS];
    if (!probe(search, at, bytes, at->piece))
        return false;
    for (size_t j = 0; j < at->columns; j++) {
        bytes[j] = PROBE_BYTES;
        if (!probe(search, at, bytes, gives))
            return false;
        bytes[j] = 0;
        for (size_t i = 0; i < at->columns; i++) {
            double times = (gives[i] - at->piece[i]) / PROBE_BYTES;
            at->holds[i][j] = times > 0.1 ? times : 0;
            at->leads[i][j] = times > 0.1;
        }
    }
    for (size_t k = 0; k < at->columns; k++)
        for (size_t i = 0; i < at->columns; i++)
            for (size_t j = 0; j < at->columns; j++)
                at->leads[i][j] = at->leads[i][j] || (at->leads[i][k] && at->leads[k][j]);
    return true;
}

static bool in_circle(const struct recursion *at, size_t i, size_t j)
{
    return at->leads[i][j] && at->leads[j][i];
}

static bool multiplies(const struct recursion *at)
{
    for (size_t i = 0; i < at->columns; i++) {
        double times = 0;
        for (size_t j = 0; j < at->columns; j++)
            times += in_circle(at, i, j) ? at->holds[i][j] : 0;
        if (times >= 1.5)
            return true;
    }
    return false;
}

/* Bytes of column i after all steps: of a circle, what each step adds to any of it; of a column on
 * no circle, which each step makes anew, what one adds. */
static double grown(const struct sql_bounds_search *search, const struct recursion *at,
                    const double *most, size_t i)
{
    double sum = 0;
    for (size_t m = 0; m < at->columns; m++) {
        if (m != i && !in_circle(at, i, m))
            continue;
        double added = at->piece[m];
        for (size_t j = 0; j < at->columns; j++)
            added += in_circle(at, m, j) ? 0 : at->holds[m][j] * most[j];
        sum += at->begins[m] + added * (at->leads[m][m] ? at->steps : 1);
    }
    return smaller(sum, sql_bounds_values_longest_value(search));
}

/* As often as there are columns: then what the first held has come to the last. */
static void grow(const struct sql_bounds_search *search, const struct recursion *at, double *most)
{
    for (size_t round = 0; round < at->columns; round++)
        for (size_t i = 0; i < at->columns; i++)
            most[i] = grown(search, at, most, i);
}

static const struct sql_bounds_shape *weigh_recursion(struct sql_bounds_search *search,
                                                      struct recursion *at)
{
    double most[PROBED_COLUMNS] = {0};
    bool probing = search->probing;
    size_t i = 0;
    for (struct sql_bounds_column *own = at->own->columns; own != NULL; own = own->next, i++) {
        own->weight.nodes = own->weight.depth = 1;
        at->begins[probe_of(i)] = larger(at->begins[probe_of(i)], own->weight.bytes);
    }
    at->columns = i < PROBED_COLUMNS ? i : PROBED_COLUMNS;
    search->probing = true;
    bool fine = probe_all(search, at);
    search->probing = probing;
    if (!fine)
        return NULL;
    if (sql_bounds_values_judges(search) && multiplies(at)) {
        sql_bounds_values_refuse(
            search, at->with->cte->name_span, "recursive",
            "The recursion makes a text longer by itself with every step; let texts grow by "
            "one piece a step.");
        return NULL;
    }
    grow(search, at, most);
    i = 0;
    for (struct sql_bounds_column *own = at->own->columns; own != NULL; own = own->next, i++)
        own->weight.bytes = most[probe_of(i)];
    const struct sql_bounds_shape *step = shape_of_part(search, at->with, true);
    if (step == NULL)
        return NULL;
    at->own->nodes += step->nodes;
    return at->own;
}

const struct sql_bounds_shape *
sql_bounds_recursion_shape_of_recursion(struct sql_bounds_search *search,
                                        struct sql_bounds_with *with)
{
    struct recursion at = {.with = with, .steps = steps_of(search, with->cte)};
    struct sql_bounds_shape *first = shape_of_part(search, with, false);
    if (first == NULL)
        return NULL;
    struct sql_bounds_shape *own = sql_bounds_values_make_shape(search);
    const struct sql_bounds_shape *named =
        sql_bounds_values_renamed(search, first, with->cte->columns);
    if (own == NULL || named == NULL)
        return NULL;
    own->rows = 0;
    sql_bounds_values_merge(search, own, named);
    own->joined = 1;
    own->table = false;
    at.own = own;
    own->rows *= own->rows < SQL_BOUNDS_VALUES_TABLE_ROWS ? at.steps : 1;
    with->shape = own;
    return weigh_recursion(search, &at);
}
