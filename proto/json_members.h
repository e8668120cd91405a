/* SPDX-License-Identifier: MIT */
/* proto/json_members.h - reads the members of a file in JSON; keeps the first mistake, with the
 * JSON pointer to it.
 *
 * After the first mistake all readers give nothing and change nothing, so that a caller looks at
 * failed once. One thread, at start and on reload. */
#ifndef PROTO_JSON_MEMBERS_H
#define PROTO_JSON_MEMBERS_H

#include "proto/json_value.h"

enum { JSON_MEMBERS_POINTER = 256 };

struct json_members {
    struct arena *arena; /* all that is read lives here */
    struct err *err;     /* the first mistake */
    const char *path;    /* of the file, for messages */
    bool failed;
    /* private */
    char pointer[JSON_MEMBERS_POINTER];
    size_t pointer_len;
};

/* Note a mistake at member of the value that was entered (NULL: at that value itself). Always
 * false. */
bool json_members_fail(struct json_members *r, const char *member, const char *fmt, ...)
    PRINTF(3, 4);
/* Note that memory is gone. Always false. */
bool json_members_no_memory(struct json_members *r);
/* Step into a member or an item; give the mark back to json_members_leave. */
size_t json_members_enter(struct json_members *r, struct str member);
size_t json_members_enter_item(struct json_members *r, size_t i);
void json_members_leave(struct json_members *r, size_t mark);

/* Whether object is an object whose members are all among names (NULL after the last) or more
 * (likewise; or NULL). */
bool json_members_known(struct json_members *r, const struct json_value *object,
                          const char *const *names, const char *const *more);
/* A member of object that is a text; absent when it is not there and not required. */
struct str json_members_text(struct json_members *r, const struct json_value *object,
                             const char *member, bool required);
/* As json_members_text, NUL-terminated; NULL: it is not there. */
const char *json_members_name(struct json_members *r, const struct json_value *object,
                              const char *member, bool required);
/* An integer between lowest and highest; fallback when it is not there. */
int64_t json_members_int(struct json_members *r, const struct json_value *object,
                         const char *member, int64_t lowest, int64_t highest, int64_t fallback);
bool json_members_flag(struct json_members *r, const struct json_value *object,
                       const char *member);
/* A member that is an object, or an array; NULL: it is not there (a mistake when required). */
const struct json_value *json_members_object(struct json_members *r,
                                             const struct json_value *object, const char *member,
                                             bool required);
const struct json_value *json_members_array(struct json_members *r,
                                            const struct json_value *object, const char *member,
                                            bool required);

#endif
