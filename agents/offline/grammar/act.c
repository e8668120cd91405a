/* SPDX-License-Identifier: MIT */
/* agents/offline/grammar/act.c - what all actions share: how rows, conditions, measures and groups
 * go together, checked by type and by the references of the schema.
 *
 * Happy path: a part is added and its distance charged. Failure: false, and nothing is meant. */
#include "agents/offline/grammar/actions.h"

#include "agents/english/synonyms.h"
#include "agents/english/verbs.h"
#include "agents/english/vocabulary.h"
#include "agents/lexicon/facts.h"
#include "agents/lexicon/spelling.h"
#include "core/words/stem.h"

enum {
    HOPS = 4,
    HOP_COST = 3,
    UP_COST = 2,
    DATELESS = 6,
    DENIED = 3,
    BOUND = 3,
    IDLE = 4,   /* of a condition that every row meets */
    FARTHER = 2 /* of a date that is said behind other rows, but not of them */
};

bool grammar_act(struct act *act, unsigned action, const struct sense *const args[],
                 struct sense *made)
{
    static bool (*const actions[])(struct act *, const struct sense *const[], struct sense *) = {
#define X(NAME, name) [GRAMMAR_##NAME] = grammar_##name,
#include "agents/offline/grammar/actions.inc"
#undef X
    };
    return args[0] != NULL && action < GRAMMAR_ACTION_COUNT && actions[action](act, args, made);
}

bool grammar_is_one(const struct act *act, int from, int to)
{
    return from == to || lexicon_facts_reaches(act->lexicon->catalog, from, to);
}

/* Whether the rows of two tables have only something above them in common, far away: orders, and
 * what the seller of their customers did elsewhere. */
static bool is_beside(const struct act *act, int from, int to, unsigned hops)
{
    enum { FAR = 3 };
    if (hops < FAR || grammar_is_one(act, from, to) || grammar_is_one(act, to, from))
        return false;
    for (size_t t = 0; t < act->lexicon->catalog->table_count; t++)
        if (lexicon_index_hops(act->lexicon, (int)t, from) +
                    lexicon_index_hops(act->lexicon, (int)t, to) <=
                hops &&
            grammar_is_one(act, (int)t, from) && grammar_is_one(act, (int)t, to))
            return false; /* rows that belong to both tie them */
    return true;
}

int grammar_distance(const struct act *act, int from, int to)
{
    unsigned hops = lexicon_index_hops(act->lexicon, from, to);
    if (hops > HOPS || is_beside(act, from, to, hops))
        return -1;
    return (int)hops * (grammar_is_one(act, from, to) ? UP_COST : HOP_COST);
}

bool grammar_cond(struct act *act, struct sense_cond cond, struct sense *made)
{
    cond.place = act->place;
    *made = (struct sense){.kind = SENSE_CONDS, .table = cond.table};
    made->conds = sense_cond_make(act->arena, cond);
    return made->conds != NULL;
}

bool grammar_filter(struct act *act, enum cond_kind kind, const struct reading_filter *filter,
                    struct sense *made)
{
    struct reading_filter *copy = arena_alloc(act->arena, sizeof *copy);
    if (copy == NULL)
        return false;
    *copy = *filter;
    copy->out = READING_NONE;
    return grammar_cond(
        act, (struct sense_cond){.kind = kind, .table = filter->on.table, .filter = copy}, made);
}

bool grammar_leaf(struct act *act, const struct reading_filter *filter, struct sense *made)
{
    return grammar_filter(act, COND_LEAF, filter, made);
}

struct reading_column grammar_rows_of(int table)
{
    return (struct reading_column){table, READING_NONE, NULL, 0};
}

bool grammar_is_plain(const struct sense *rows)
{
    return rows->kind == SENSE_ROWS && !rows->rank.is && rows->columns == NULL;
}

bool grammar_is_number(const struct sense *s)
{
    return s->kind == SENSE_NUMBERS && s->measures != NULL && s->measures->next == NULL &&
           s->groups == NULL && !s->ratio && !s->nested && !s->rank.is;
}

bool grammar_column(const struct sense *columns, struct reading_column *on)
{
    if (columns->kind != SENSE_COLUMNS || columns->columns->next != NULL)
        return false;
    *on = columns->columns->on;
    return true;
}

bool grammar_has_word(const struct lexicon_words *w, const char *const *list)
{
    for (size_t i = 0; i < w->count; i++)
        for (size_t k = 0; list[k] != NULL; k++)
            if (str_equal(w->words[i], str_of(list[k])))
                return true;
    return false;
}

bool grammar_is_year(const struct lexicon *lexicon, struct reading_column on)
{
    const struct lexicon_words *w = lexicon_spelling_column(lexicon, on.table, on.column);
    bool of = w->count > 2 && str_equal(w->words[0], STR("year")); /* year_of_founded */
    return w->count > 0 && (of || str_equal(w->words[w->count - 1], STR("year"))) &&
           lexicon_index_is_number(lexicon->catalog, on.table, on.column);
}

bool grammar_is_numeric(const struct act *act, struct reading_column on)
{
    return on.since != 0 || lexicon_index_is_number(act->lexicon->catalog, on.table, on.column);
}

/* ---- conditions ---- */

static bool is_equality(const struct sense_cond *c)
{
    return c->kind == COND_LEAF && c->filter->op == OP_EQ && c->filter->named == NULL &&
           !c->filter->vs_column;
}

/* Whether no row can meet both: one column with two values. */
static bool contradict(const struct sense_cond *a, const struct sense_cond *b)
{
    if (a->kind == COND_DATE && b->kind == COND_DATE)
        return true;
    if (a->kind == COND_LEAF && b->kind == COND_LEAF && a->filter->named == NULL &&
        b->filter->named == NULL && a->filter->on.table == b->filter->on.table &&
        a->filter->on.column == b->filter->on.column &&
        (a->filter->op == OP_IS_NULL) != (b->filter->op == OP_IS_NULL))
        return true;
    return is_equality(a) && is_equality(b) && a->filter->on.table == b->filter->on.table &&
           a->filter->on.column == b->filter->on.column && a->hash != b->hash;
}

static bool is_known(const struct sense_cond *c)
{
    return c->kind == COND_LEAF && c->filter->op == OP_NOT_NULL;
}

/* Whether what is said to be known is in a range as well. */
static bool is_implied(const struct sense_cond *known, const struct sense_cond *range)
{
    return is_known(known) && range->kind == COND_LEAF && range->filter->op == OP_RANGE &&
           range->filter->on.table == known->filter->on.table &&
           range->filter->on.column == known->filter->on.column;
}

/* The conditions without one; NULL: none are left, or no memory. */
static const struct sense_cond *leave_out(struct arena *arena, const struct sense_cond *conds,
                                          const struct sense_cond *one)
{
    const struct sense_cond *left = NULL;
    for (const struct sense_cond *c = conds; c != NULL; c = c->next) {
        struct sense_cond *copy = c == one ? NULL : arena_alloc(arena, sizeof *copy);
        if (copy == NULL)
            continue;
        *copy = *c;
        copy->next = left;
        left = copy;
    }
    return left;
}

static bool append(struct act *act, struct sense *to, const struct sense_cond *cond)
{
    for (const struct sense_cond *c = to->conds; c != NULL; c = c->next) {
        if (contradict(c, cond))
            return false;
        if (c->hash == cond->hash || is_implied(cond, c))
            return true;
        if (is_implied(c, cond)) {
            to->conds = leave_out(act->arena, to->conds, c);
            break;
        }
    }
    struct sense_cond *copy = arena_alloc(act->arena, sizeof *copy);
    if (copy == NULL)
        return false;
    *copy = *cond;
    copy->next = to->conds;
    to->conds = copy;
    return true;
}

/* A period that is said with a condition on a row is of that row, too. */
static bool is_of_row(const struct sense_cond *c)
{
    return c->kind == COND_LEAF || c->kind == COND_MEAN ||
           (c->kind == COND_DATE && c->table != READING_NONE);
}

static bool denies(const struct sense_cond *c)
{
    return c->kind == COND_LEAF &&
           (c->filter->op == OP_NE || c->filter->op == OP_IS_NULL || c->filter->op == OP_NOT_LIKE);
}

/* A bound on a number: of several related rows it does not say of which, or of their sum. */
static bool bounds(const struct sense_cond *c)
{
    const struct reading_filter *f = c->filter;
    return f->value_count == 0 && f->named == NULL && !f->vs_column &&
           (f->op == OP_LT || f->op == OP_LE || f->op == OP_GT || f->op == OP_GE ||
            f->op == OP_BETWEEN);
}

/* The condition whose values several related rows have, one each; NULL: none. */
static const struct sense_cond *find_each(const struct act *act, const struct sense *to,
                                          const struct sense_cond *conds, int table)
{
    for (const struct sense_cond *c = conds; c != NULL; c = c->next)
        if (c->each && c->table == table && !grammar_is_one(act, to->table, table))
            return c;
    return NULL;
}

static bool has_rows(const struct sense_cond *conds)
{
    for (const struct sense_cond *c = conds; c != NULL; c = c->next)
        if (c->kind == COND_EXISTS || c->kind == COND_NONE || c->kind == COND_AMOUNT)
            return true;
    return false;
}

/* What is said already of the one row of the table that a single reference leads to; NULL: nothing.
 */
static const struct sense_cond *said_of_row(const struct act *act, const struct sense *to,
                                            int table)
{
    const struct catalog_table *t = &act->lexicon->catalog->tables[to->table];
    size_t ways = 0;
    for (size_t i = 0; i < t->reference_count; i++)
        ways += t->references[i].to_table == table;
    const struct catalog_table *other = &act->lexicon->catalog->tables[table];
    for (size_t i = 0; i < other->reference_count; i++) /* two ways between them */
        ways += other->references[i].to_table == to->table ? 2 : 0;
    for (const struct sense_cond *c = to->conds; c != NULL && ways == 1; c = c->next)
        if (c->kind == COND_EXISTS && c->table == table && c->of != NULL && !has_rows(c->of))
            return c;
    return NULL;
}

/* All conditions of conds on one row of a table, as an EXISTS; of each only the one value. */
static bool append_row(struct act *act, struct sense *to, const struct sense_cond *conds, int table,
                       const struct sense_cond *each, size_t value)
{
    struct sense rows = {.table = table}, one, exists;
    const struct sense_cond *said = said_of_row(act, to, table);
    for (const struct sense_cond *c = said == NULL ? NULL : said->of; c != NULL; c = c->next)
        if (!append(act, &rows, c))
            return false;
    for (const struct sense_cond *c = conds; c != NULL; c = c->next) {
        if (!is_of_row(c) || c->table != table)
            continue;
        const struct sense_cond *cond = c;
        if (c == each) {
            struct reading_filter filter = *c->filter;
            filter.values[0] = c->filter->values[value];
            filter.value_count = 1;
            if (!grammar_leaf(act, &filter, &one))
                return false;
            cond = one.conds;
        }
        if (!append(act, &rows, cond))
            return false;
    }
    if (said != NULL)
        to->conds = leave_out(act->arena, to->conds, said);
    return grammar_cond(act,
                        (struct sense_cond){.kind = COND_EXISTS, .table = table, .of = rows.conds},
                        &exists) &&
           append(act, to, exists.conds);
}

/* All conditions of conds on rows of the table of first: one row, or one for each value. */
static bool append_related(struct act *act, struct sense *to, const struct sense_cond *conds,
                           const struct sense_cond *first)
{
    int distance = grammar_distance(act, to->table, first->table);
    if (distance < 0)
        return false;
    for (const struct sense_cond *c = conds; c != NULL; c = c->next)
        if (is_of_row(c) && c->table == first->table) {
            act->cost += bounds(c) && !grammar_is_one(act, to->table, c->table) ? BOUND : 0;
            act->cost += denies(c) ? DENIED : 0;
        }
    act->cost += distance;
    const struct sense_cond *each = find_each(act, to, conds, first->table);
    size_t count = each != NULL ? each->filter->value_count : 1;
    for (size_t i = 0; i < count; i++)
        if (!append_row(act, to, conds, first->table, each, i))
            return false;
    return true;
}

static bool is_first_of_table(const struct sense_cond *conds, const struct sense_cond *cond)
{
    for (const struct sense_cond *c = conds; c != cond; c = c->next)
        if (is_of_row(c) && c->table == cond->table)
            return false;
    return true;
}

/* "branches without parking": what such rows would say of themselves is not so. */
static bool deny(struct act *act, struct sense *to, const struct sense_cond *of)
{
    const struct sense said = {.kind = SENSE_CONDS, .table = to->table, .conds = of};
    const struct sense *const kids[] = {&said};
    struct sense denied;
    return of != NULL && grammar_negate(act, kids, &denied) && append(act, to, denied.conds);
}

bool grammar_is_name(const struct act *act, const struct sense_cond *c)
{
    if (c->kind != COND_LEAF || c->filter->op != OP_EQ || !act->lexicon->facts[c->table].person)
        return false;
    const struct lexicon_facts *facts = &act->lexicon->facts[c->table];
    for (size_t i = 0; i < facts->label_count; i++)
        if (facts->labels[i] == c->filter->on.column)
            return true;
    return false;
}

static bool add_about_rows(struct act *act, struct sense *to, const struct sense_cond *c)
{
    if (c->table == to->table && c->kind == COND_EXISTS)
        return grammar_add(act, to, c->of);
    if (c->table == to->table && c->kind == COND_NONE)
        return deny(act, to, c->of);
    int distance = grammar_distance(act, to->table, c->table);
    if (distance < 0 || c->table == to->table ||
        (c->kind == COND_AMOUNT && grammar_is_one(act, to->table, c->table)))
        return false;
    bool idle = c->kind == COND_EXISTS && c->of == NULL && grammar_is_one(act, to->table, c->table);
    act->cost += distance - UP_COST + (idle ? IDLE : 0);
    const struct sense_cond *each =
        c->kind == COND_EXISTS ? find_each(act, to, c->of, c->table) : NULL;
    if (each == NULL || has_rows(c->of))
        return append(act, to, c);
    for (size_t i = 0; i < each->filter->value_count; i++)
        if (!append_row(act, to, c->of, c->table, each, i))
            return false;
    return true;
}

/* Whether rows of the table have a state of their own. */
static bool has_state(const struct act *act, int table)
{
    for (size_t c = 0; c < act->lexicon->catalog->tables[table].column_count; c++) {
        const struct lexicon_words *w = lexicon_spelling_column(act->lexicon, table, (int)c);
        if (w->count > 0 && (english_verbs_is_state(w->words[w->count - 1]) ||
                             (str_equal(w->words[w->count - 1], STR("state")) && /* no province */
                              lexicon_index_is_number(act->lexicon->catalog, table, (int)c))))
            return true;
    }
    return false;
}

/* "events that were cancelled", where only their bookings have a date of that: the events' own
 * state is meant, in words that nobody has explained. */
static bool is_of_own_state(const struct act *act, int table, const struct sense_cond *c)
{
    return c->is_done && c->table != table && has_state(act, table);
}

/* Each of the conditions, of which one must hold, by itself on the rows. */
static bool add_any(struct act *act, struct sense *to, const struct sense_cond *any)
{
    struct sense_cond made = {.kind = COND_ANY, .table = to->table};
    struct sense cond;
    for (const struct sense_cond *c = any->of; c != NULL; c = c->next) {
        struct sense one = {.kind = SENSE_ROWS, .table = to->table};
        struct sense_cond alone = *c;
        alone.next = NULL;
        if (!grammar_add(act, &one, &alone) || one.conds == NULL || one.conds->next != NULL)
            return false;
        made.of = sense_cond_join(act->arena, one.conds, made.of);
    }
    return grammar_cond(act, made, &cond) && append(act, to, cond.conds);
}

/* The one value that a condition wants of a row of another table; NULL: none. */
static const struct reading_filter *value_of_other(const struct sense_cond *c)
{
    const struct sense_cond *leaf = c->kind == COND_EXISTS ? c->of : c;
    bool one = leaf != NULL && leaf->kind == COND_LEAF && leaf->table == c->table &&
               leaf->filter->op == OP_EQ && leaf->filter->value_count == 1 &&
               leaf->filter->named == NULL && !leaf->filter->through;
    return one ? leaf->filter : NULL;
}

/* Whether the one row that each row belongs to would have two values in one column: a flight from
 * one airport to another has two airports, which are told apart by what refers to them. */
static bool is_torn(const struct act *act, const struct sense *to)
{
    for (const struct sense_cond *a = to->conds; a != NULL; a = a->next)
        for (const struct sense_cond *b = a->next; b != NULL; b = b->next) {
            const struct reading_filter *x = value_of_other(a), *y = value_of_other(b);
            if (a->table == b->table && a->table != to->table && x != NULL && y != NULL &&
                x->on.column == y->on.column && !str_equal(x->values[0], y->values[0]) &&
                grammar_is_one(act, to->table, a->table))
                return true;
        }
    return false;
}

/* Whether the condition is that a person's own reference leads to one of a name. */
static bool is_of_superior(const struct act *act, const struct sense_cond *c)
{
    const struct catalog_reference *ref =
        c->kind != COND_LEAF || !c->filter->through || c->filter->back
            ? NULL
            : lexicon_index_reference(act->lexicon->catalog, c->table, c->filter->on.column);
    return ref != NULL && ref->to_table == c->table && c->filter->value_count == 1 &&
           lexicon_index_is_label(act->lexicon, c->table, c->filter->columns[0]);
}

/* Whether a name is said in one go: of "reports to Ann Lee" Lee is no other person's name. */
static bool splits_name(const struct act *act, const struct sense *to, const struct sense_cond *c)
{
    for (const struct sense_cond *e = to->conds; e != NULL; e = e->next) {
        const struct sense_cond *part = is_of_superior(act, e)   ? c
                                        : is_of_superior(act, c) ? e
                                                                 : NULL;
        if (part != NULL && part->kind == COND_LEAF && part->filter->named == NULL &&
            part->filter->op == OP_EQ && !part->filter->through &&
            lexicon_index_is_label(act->lexicon, part->table, part->filter->on.column))
            return true;
    }
    return false;
}

/* Whether each row of table is of a person. */
static bool refers_to_person(const struct act *act, int table)
{
    const struct catalog_table *t = &act->lexicon->catalog->tables[table];
    for (size_t r = 0; r < t->reference_count; r++)
        if (t->references[r].to_table != table &&
            act->lexicon->facts[t->references[r].to_table].person)
            return true;
    return false;
}

/* "orders without an invoice this year": a period behind rows that are missing is as well of those
 * that miss them, where these are no things or persons but what persons do. */
static bool is_undecided(const struct act *act, const struct sense *to)
{
    int column, holder = grammar_dated_by_default(act->lexicon, to->table, &column);
    return to->conds != NULL && to->conds->kind == COND_NONE && holder == to->table &&
           column != CATALOG_NONE && !act->lexicon->facts[to->table].person &&
           refers_to_person(act, to->table) &&
           !lexicon_facts_is_audit(
               act->lexicon->catalog->tables[to->table].columns[column].name);
}

/* A period of the rows' own date. */
static bool add_date(struct act *act, struct sense *to, const struct sense_cond *c)
{
    int column;
    (void)grammar_dated_by_default(act->lexicon, to->table, &column);
    act->cost += column == CATALOG_NONE ? DATELESS : 0;
    act->cost += has_rows(to->conds) && !is_undecided(act, to) ? FARTHER : 0;
    return append(act, to, c);
}

bool grammar_add(struct act *act, struct sense *to, const struct sense_cond *conds)
{
    for (const struct sense_cond *c = conds; c != NULL; c = c->next) {
        if (c->kind == COND_DATE && (c->table == READING_NONE || c->table == to->table)) {
            if (!add_date(act, to, c))
                return false;
        } else if (is_of_own_state(act, to->table, c)) {
            return false;
        } else if (c->kind == COND_ANY) {
            if (!add_any(act, to, c))
                return false;
        } else if (!is_of_row(c)) {
            if (!add_about_rows(act, to, c))
                return false;
        } else if (c->table == to->table) {
            if (splits_name(act, to, c) || (c->is_tied && grammar_is_name(act, c)) ||
                !append(act, to, c))
                return false;
        } else if (is_first_of_table(conds, c) && !append_related(act, to, conds, c)) {
            return false;
        }
    }
    return !is_torn(act, to);
}

bool grammar_add_rows(struct act *act, struct sense *to, const struct sense *rows)
{
    struct sense exists;
    if (rows->table == to->table)
        return grammar_is_plain(rows) && grammar_add(act, to, rows->conds);
    const struct sense *const kids[] = {rows};
    return grammar_exists(act, kids, &exists) && add_about_rows(act, to, exists.conds);
}

/* ---- measures and groups ---- */

enum offline_agg grammar_together(const struct act *act, struct reading_column on)
{
    return lexicon_facts_is_level(act->lexicon, on.table, on.column) ? AGG_AVG : AGG_SUM;
}

bool grammar_measure(struct act *act, struct sense *numbers, enum offline_agg agg,
                     struct reading_column on)
{
    struct sense_measure *measure = arena_alloc(act->arena, sizeof *measure);
    if (measure == NULL)
        return false;
    *measure = (struct sense_measure){.agg = agg, .on = on, .next = numbers->measures};
    numbers->measures = measure;
    return true;
}

static bool only_counts(const struct sense *numbers)
{
    for (const struct sense_measure *m = numbers->measures; m != NULL; m = m->next)
        if (m->agg != AGG_COUNT)
            return false;
    return true;
}

/* Whether rows have their year as a number of its own. */
static bool has_year(const struct act *act, int table)
{
    for (size_t c = 0; c < act->lexicon->catalog->tables[table].column_count; c++)
        if (grammar_is_year(act->lexicon, (struct reading_column){table, (int)c, NULL, 0}))
            return true;
    return false;
}

/* Whether a column is all of its table's key. */
static bool is_whole_key(const struct catalog_table *table, int column)
{
    for (size_t c = 0; c < table->column_count; c++)
        if (table->columns[c].primary_key != ((int)c == column))
            return false;
    return true;
}

/* The rows that a reference leads to, where it is the only one to them, or those of a key: a group
 * for each key is one for each row. */
static struct reading_column whose_key(const struct act *act, int counted, struct reading_column on)
{
    const struct catalog *catalog = act->lexicon->catalog;
    if (on.column == READING_NONE)
        return on;
    const struct catalog_reference *ref = lexicon_index_reference(catalog, on.table, on.column);
    size_t same = 0;
    if (on.table != counted)
        return is_whole_key(&catalog->tables[on.table], on.column) ? grammar_rows_of(on.table) : on;
    if (ref == NULL || ref->column_count != 1 || ref->to_table == on.table ||
        !act->lexicon->facts[ref->to_table].visible)
        return on;
    for (size_t r = 0; r < catalog->tables[on.table].reference_count; r++)
        same += catalog->tables[on.table].references[r].to_table == ref->to_table;
    return same == 1 ? grammar_rows_of(ref->to_table) : on;
}

bool grammar_group_by(struct act *act, struct sense *numbers, struct sense_group group)
{
    enum { MANY = 5, YEARS = 2 };
    if (numbers->kind != SENSE_NUMBERS || numbers->nested)
        return false;
    group.on = whose_key(act, numbers->table, group.on);
    if (group.on.table != READING_NONE) {
        bool entity = group.on.column == READING_NONE && group.grain == GRAIN_NONE;
        int distance = grammar_distance(act, numbers->table, group.on.table);
        bool one = grammar_is_one(act, numbers->table, group.on.table);
        if (distance < 0 || (entity && group.on.table == numbers->table) ||
            (!one &&
             (numbers->ratio || numbers->groups != NULL || !(entity && only_counts(numbers)))))
            return false;
        act->cost += distance + (one ? 0 : MANY);
    } else {
        int column;
        (void)grammar_dated_by_default(act->lexicon, numbers->table, &column);
        act->cost += column == CATALOG_NONE ? DATELESS : 0;
        act->cost += group.grain == GRAIN_YEAR && has_year(act, numbers->table) ? YEARS : 0;
    }
    struct sense_group *copy = arena_alloc(act->arena, sizeof *copy);
    if (copy == NULL)
        return false;
    *copy = group;
    copy->next = numbers->groups;
    numbers->groups = copy;
    return true;
}

/* ---- persons ---- */

static bool is_person(const struct act *act, int table)
{
    if (act->lexicon->facts[table].person)
        return true;
    const struct lexicon_words *w = lexicon_spelling_table(act->lexicon, table);
    char stem[STEM_BYTES];
    return w->count > 0 &&
           vocabulary_has(VOCABULARY_PERSONS,
                          english_synonyms_of(stem_of(w->words[w->count - 1], stem)));
}

bool grammar_is_only_person(const struct act *act, int table)
{
    size_t persons = 0;
    for (size_t t = 0; t < act->lexicon->catalog->table_count; t++)
        persons += act->lexicon->facts[t].visible && is_person(act, (int)t) &&
                   lexicon_index_hops(act->lexicon, table, (int)t) < HOPS;
    return persons == 1;
}

int grammar_person(const struct act *act, int table)
{
    int found = READING_NONE;
    unsigned best = HOPS + 1;
    if (is_person(act, table))
        return table;
    for (size_t t = 0; t < act->lexicon->catalog->table_count; t++) {
        unsigned hops = lexicon_index_hops(act->lexicon, table, (int)t);
        if (!act->lexicon->facts[t].visible || hops > best || !is_person(act, (int)t))
            continue;
        found = hops == best ? READING_NONE : (int)t;
        best = hops;
    }
    return found;
}
