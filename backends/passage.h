/* SPDX-License-Identifier: MIT */
/* backends/passage.h - what the stores of documents keep and find: a text with named fields.
 *
 * One shape for vectors (backends/vec.h) and keywords (backends/text.h), so that what both found
 * can be fused by id. Plain values: no memory of their own. */
#ifndef BACKENDS_PASSAGE_H
#define BACKENDS_PASSAGE_H

#include "core/base/str.h"

enum {
    PASSAGE_MAX_ID = 128,        /* bytes of an id or a collection's name */
    PASSAGE_MAX_FIELDS = 16,     /* of one passage */
    PASSAGE_MAX_FILTERS = 8,     /* of one search */
    PASSAGE_MAX_CHOICES = 64,    /* values of one filter */
    PASSAGE_MAX_TEXT = 64 * 1024 /* bytes of text and fields */
};

struct passage_field { /* "heading" -> "Overtime" */
    struct str name;   /* letters, digits, underscores; at most 64 bytes */
    struct str value;  /* UTF-8 */
};

struct passage {
    struct str id;   /* unique within its collection */
    struct str text; /* UTF-8 */
    const struct passage_field *fields;
    size_t field_count;
};

/* A passage passes when its field name has one of the values; a field it lacks counts as empty. All
 * filters of a search must pass, and they narrow the search itself, not its result: top_k hits come
 * back whenever so many passages pass. */
struct passage_filter {
    struct str name;
    const struct str *values;
    size_t value_count; /* 0: nothing passes */
};

struct passage_hit {
    struct passage passage;
    double score; /* higher is nearer; its scale is the store's and said there */
};

/* For qsort of hits: best first, ties by id. */
static inline int passage_compare_hits(const void *a, const void *b)
{
    const struct passage_hit *left = a, *right = b;
    if (left->score != right->score)
        return left->score > right->score ? -1 : 1;
    return str_compare(left->passage.id, right->passage.id);
}

/* The field's value; empty when the passage lacks it. */
static inline struct str passage_get(const struct passage *passage, struct str name)
{
    for (size_t i = 0; i < passage->field_count; i++)
        if (str_equal(passage->fields[i].name, name))
            return passage->fields[i].value;
    return STR("");
}

/* Whether some filter has no value, so that nothing passes. */
static inline bool passage_passes_none(const struct passage_filter *filters, size_t filter_count)
{
    for (size_t i = 0; i < filter_count; i++)
        if (filters[i].value_count == 0)
            return true;
    return false;
}

/* Whether passage passes all filters: what every store must agree with. */
static inline bool passage_passes(const struct passage *passage,
                                  const struct passage_filter *filters, size_t filter_count)
{
    for (size_t i = 0; i < filter_count; i++) {
        struct str value = passage_get(passage, filters[i].name);
        bool found = false;
        for (size_t j = 0; j < filters[i].value_count && !found; j++)
            found = str_equal(filters[i].values[j], value);
        if (!found)
            return false;
    }
    return true;
}

#endif
