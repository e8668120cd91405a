/* SPDX-License-Identifier: MIT */
/* agents/offline/compose/referred.c - for each reference that a reader wants to see: the labels of
 * the row it leads to.
 *
 * Each is asked for by key in a query of its own, so that the rows that are listed stay what they
 * are: none is lost for want of the other row, none comes twice. Failure: the buffer's own. */
#include "agents/offline/compose/referred.h"

#include "agents/lexicon/describe_names.h"
#include "agents/lexicon/facts.h"

enum {
    MOST_REFERENCES = 3, /* the first ones: they say what the row is about */
    MOST_LABELS = 2,     /* first and last name */
    NAME_BYTES = 120,
};

/* One label of the row that a reference leads to. */
struct referred {
    const struct catalog_reference *by;
    int label;
};

struct referred_list {
    struct referred all[MOST_REFERENCES * MOST_LABELS];
    size_t count, references;
};

/* Whether the reference leads to one row, by a key that is no name itself and may be shown. */
static bool is_wanted(const struct lexicon *lexicon, int table,
                      const struct catalog_reference *reference)
{
    const struct catalog_table *t = &lexicon->catalog->tables[table];
    if (reference->column_count != 1 || reference->columns[0] == t->tenant_column)
        return false;
    const struct catalog_column *column = &t->columns[reference->columns[0]];
    return !column->hidden && !column->pii && !lexicon_facts_is_audit(column->name) &&
           lexicon->catalog->tables[reference->to_table].columns[reference->to_columns[0]].unique;
}

/* Whether the label says more than the key that leads to it. */
static bool is_told(const struct lexicon *lexicon, const struct catalog_reference *reference,
                    int label)
{
    const struct catalog_column *column =
        &lexicon->catalog->tables[reference->to_table].columns[label];
    return label != reference->to_columns[0] && !column->hidden && !column->pii;
}

/* Whether another reference of the table leads to the same one: customer, and payer. */
static bool is_shared(const struct lexicon *lexicon, int table,
                      const struct catalog_reference *reference)
{
    const struct catalog_table *t = &lexicon->catalog->tables[table];
    for (size_t i = 0; i < t->reference_count; i++)
        if (&t->references[i] != reference && t->references[i].to_table == reference->to_table)
            return true;
    return reference->to_table == table;
}

static void add_labels(const struct lexicon *lexicon, const struct catalog_reference *reference,
                       struct referred_list *list)
{
    const struct lexicon_facts *facts = &lexicon->facts[reference->to_table];
    size_t before = list->count;
    for (size_t i = 0; i < facts->label_count && list->count - before < MOST_LABELS; i++)
        if (is_told(lexicon, reference, facts->labels[i]))
            list->all[list->count++] = (struct referred){reference, facts->labels[i]};
    list->references += list->count > before;
}

static struct referred_list find(const struct lexicon *lexicon, int table)
{
    const size_t columns = lexicon->catalog->tables[table].column_count;
    struct referred_list list = {.count = 0};
    for (size_t c = 0; c < columns && list.references < MOST_REFERENCES; c++) {
        const struct catalog_reference *by =
            lexicon_index_reference(lexicon->catalog, table, (int)c);
        if (by != NULL && is_wanted(lexicon, table, by))
            add_labels(lexicon, by, &list);
    }
    return list;
}

bool offline_referred_are_shown(const struct lexicon *lexicon,
                                const struct offline_reading *reading)
{
    return offline_statement_is_list(reading) && reading->target != READING_NONE &&
           reading->out_count == 0 && !reading->distinct &&
           find(lexicon, reading->target).count > 0;
}

/* "customer_name", or "payer_id_name" where two references lead to customers. */
static void push_name(const struct lexicon *lexicon, int table, const struct referred *one,
                      struct buf *name)
{
    const struct catalog *catalog = lexicon->catalog;
    const struct catalog_table *to = &catalog->tables[one->by->to_table];
    struct str of = is_shared(lexicon, table, one->by)
                        ? catalog->tables[table].columns[one->by->columns[0]].name
                        : to->name;
    buf_push(name, str_utf8_prefix(of, NAME_BYTES / 3));
    buf_push_char(name, '_');
    buf_push(name, str_utf8_prefix(to->columns[one->label].name, NAME_BYTES / 3));
    if (catalog_find_column(catalog, table, buf_str(name)) != CATALOG_NONE)
        buf_push(name, STR("_2"));
}

const struct catalog_reference *offline_referred_by(const struct lexicon *lexicon, int table,
                                                    struct str name)
{
    const struct referred_list list = find(lexicon, table);
    const struct catalog_reference *by = NULL;
    struct buf made;
    buf_init(&made, NAME_BYTES);
    for (size_t i = 0; i < list.count && by == NULL; i++) {
        buf_clear(&made);
        push_name(lexicon, table, &list.all[i], &made);
        if (str_equal(buf_str(&made), name))
            by = list.all[i].by;
    }
    buf_fini(&made);
    return by;
}

void offline_referred_describe(const struct lexicon *lexicon, int table,
                               const struct catalog_reference *by, struct buf *out)
{
    const size_t from = buf_len(out);
    if (!is_shared(lexicon, table, by)) {
        lexicon_describe_table(lexicon, by->to_table, false, out);
        return;
    }
    lexicon_describe_column(lexicon, table, by->columns[0], out);
    if (str_ends_with(str_from(buf_str(out), from), STR(" id")))
        buf_truncate(out, buf_len(out) - STR(" id").len);
}

void offline_referred_render(struct statement *s, int table)
{
    const struct referred_list list = find(s->k.schema->lexicon, table);
    struct buf *out = offline_statement_out(s), name;
    buf_init(&name, NAME_BYTES);
    for (size_t i = 0; i < list.count; i++) {
        const struct referred *one = &list.all[i];
        const struct reading_column key = {.table = table, .column = one->by->columns[0]};
        unsigned alias = ++s->k.alias;
        buf_push(out, STR(", (SELECT "));
        lexicon_render_column(&s->k.render, alias, one->by->to_table, one->label);
        buf_push(out, STR(" FROM "));
        lexicon_render_table(&s->k.render, one->by->to_table);
        buf_printf(out, " AS t%u WHERE ", alias);
        lexicon_render_column(&s->k.render, alias, one->by->to_table, one->by->to_columns[0]);
        buf_push(out, STR(" = "));
        offline_statement_column(s, key);
        buf_push(out, STR(") AS "));
        buf_clear(&name);
        push_name(s->k.schema->lexicon, table, one, &name);
        lexicon_render_name(&s->k.render, buf_str(&name));
    }
    buf_fini(&name);
}
