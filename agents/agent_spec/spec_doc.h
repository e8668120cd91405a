/* SPDX-License-Identifier: MIT */
/* agents/agent_spec/spec_doc.h - a document of JSON that is turned into another one: its members,
 * references between its components, and the first mistake with its JSON pointer.
 *
 * A value is named by its place in the tree, so nobody keeps track of where the reading is: the
 * pointer is looked for when there is a mistake to tell. Views live as long as the arena. One
 * thread, in commands only. */
#ifndef AGENTS_AGENT_SPEC_SPEC_DOC_H
#define AGENTS_AGENT_SPEC_SPEC_DOC_H

#include "core/base/arena.h"
#include "core/base/err.h"
#include "proto/json_value.h"

/* Members that every component may have. */
#define SPEC_DOC_MEMBERS                                                                           \
    "id", "name", "description", "metadata", "component_type", "$referenced_components"

enum { SPEC_DOC_TABLES = 64 };

struct spec_doc {
    struct arena *arena;
    const char *path; /* of the file, for messages */
    const struct json_value *root;
    struct err *err; /* the first mistake */
    bool failed;
    /* private: each $referenced_components of the document */
    const struct json_value *tables[SPEC_DOC_TABLES];
    size_t table_count;
};

/* Find the components that references may name, of a document whose root is set. False: a mistake
 * was noted. */
MUST_USE bool spec_doc_index(struct spec_doc *doc);

/* Note a mistake at a value of the tree. Always false. */
bool spec_doc_fail(struct spec_doc *doc, const struct json_value *at, const char *fmt, ...)
    PRINTF(3, 4);
/* Note that memory is gone. Always false. */
bool spec_doc_no_memory(struct spec_doc *doc);
/* The component that value is, or that its $component_ref names. NULL: a mistake was noted. */
const struct json_value *spec_doc_component(struct spec_doc *doc, const struct json_value *value);
/* Its component_type; "" when it has none. */
struct str spec_doc_type(const struct json_value *component);
/* Whether all members of object are among names (NULL after the last), or null. */
bool spec_doc_known(struct spec_doc *doc, const struct json_value *object,
                    const char *const *names);
/* A member that is a text; null counts as absent. Absent when it is not there; a mistake when
 * required. */
struct str spec_doc_text(struct spec_doc *doc, const struct json_value *object, const char *member,
                         bool required);
/* A member that is there and not null, of a type; NULL: it is not there (a mistake when required),
 * or a mistake. */
const struct json_value *spec_doc_member(struct spec_doc *doc, const struct json_value *object,
                                         const char *member, enum json_type type, bool required);

/* Whether two values are one component: the same, or copies of one id. */
bool spec_doc_is_same(const struct json_value *a, const struct json_value *b);
/* The JSON pointer to a member of that name. Absent: no memory, which was noted. */
struct str spec_doc_pointer(struct spec_doc *doc, struct str name);
/* Tell the places of all texts in value (NULL: there are none). False: told said so. */
MUST_USE bool spec_doc_places(const struct json_value *value,
                              bool (*told)(void *owner, struct str name), void *owner);

#endif
