/* SPDX-License-Identifier: MIT */
/* agents/offline/reading/roles.c - what a role does where it stands.
 *
 * Happy path: "per inspector" groups by the persons referred to; "inspectors" are the target;
 * "reports to Jane Doe" and "no manager" are conditions on the reference.
 * Failure: nothing expects it. */
#include "agents/offline/reading/roles.h"

#include "agents/offline/reading/bind.h"

/* The values behind a role that name the row it refers to: first and last name, or a title. */
static size_t read_name(const struct parse *p, const struct catalog_reference *ref, size_t at,
                        struct reading_filter *filter)
{
    while (offline_parse_is_cue(p, at, CUE_SKIP) || offline_parse_is_cue(p, at, CUE_PREP) ||
           offline_parse_is_cue(p, at, CUE_COPULA) || offline_parse_is_cue(p, at, CUE_BY) ||
           (offline_parse_is(p, at, LINK_TABLE) && p->items[at].is.table == ref->to_table))
        at++;
    while (offline_parse_is(p, at, LINK_VALUE) && p->items[at].is.table == ref->to_table &&
           filter->value_count < READING_PARTS) {
        filter->columns[filter->value_count] = p->items[at].is.column;
        filter->values[filter->value_count++] = p->items[at++].is.value;
    }
    return at;
}

/* "reports to Jane Doe", "without a manager". */
static bool bind_role(struct parse *p, const struct lexicon_link *link,
                      const struct catalog_reference *ref)
{
    struct reading_filter named = {.value_count = 0};
    const struct offline_reading *r = p->reading;
    size_t end = read_name(p, ref, p->at + 1, &named);
    bool lacks = p->negated && named.value_count == 0;
    bool may_lack = !p->catalog->tables[link->table].columns[link->column].not_null;
    if ((!lacks && named.value_count == 0) || (lacks && !may_lack) ||
        (lacks && link->table != r->target && link->table != r->counted))
        return offline_parse_stop(p, "'%.*s' is not understood here",
                                  STR_ARG(p->items[p->at].text));
    struct reading_filter *filter =
        offline_bind_filter(p, (struct reading_column){link->table, link->column});
    if (filter == NULL)
        return false;
    if (named.value_count > 0 && p->negated)
        return offline_parse_stop(p, "whom '%.*s' excludes is not clear",
                                  STR_ARG(p->items[p->at].text));
    filter->op = lacks ? OP_IS_NULL : OP_EQ;
    filter->through = !lacks;
    filter->value_count = named.value_count;
    for (size_t i = 0; i < named.value_count; i++) {
        filter->columns[i] = named.columns[i];
        filter->values[i] = named.values[i];
    }
    p->negated = false;
    p->at = lacks ? p->at + 1 : end;
    return true;
}

static bool names_row(const struct parse *p, const struct catalog_reference *ref)
{
    struct reading_filter named = {.value_count = 0};
    (void)read_name(p, ref, p->at + 1, &named);
    return named.value_count > 0;
}

bool offline_roles_take(struct parse *p)
{
    struct offline_reading *r = p->reading;
    const struct lexicon_link link = p->items[p->at].is;
    const struct catalog_reference *ref =
        lexicon_index_reference(p->catalog, link.table, link.column);
    p->each = false; /* those who never had the role are not asked about */
    if (ref != NULL && p->expect == EXPECT_GROUP && ref->to_table != link.table)
        return offline_parse_add_group(p, (struct reading_column){ref->to_table, READING_NONE},
                                       GRAIN_NONE);
    bool known = r->target != READING_NONE || r->counted != READING_NONE;
    if (ref != NULL && p->who && !known && ref->to_table == link.table && names_row(p, ref)) {
        r->target = p->noun = link.table;
        known = true;
    }
    if (ref != NULL && p->expect == EXPECT_NOTHING && known)
        return bind_role(p, &link, ref);
    if (ref == NULL || p->expect != EXPECT_NOTHING || p->negated || known)
        return offline_parse_stop(p, "'%.*s' is not understood here",
                                  STR_ARG(p->items[p->at].text));
    r->target = ref->to_table;
    p->noun = ref->to_table;
    p->at++;
    return offline_parse_relate(p, &r->scopes[0], link.table);
}
