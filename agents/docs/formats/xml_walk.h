/* SPDX-License-Identifier: MIT */
/* agents/docs/formats/xml_walk.h - an XML text as begins and ends of elements and text, by local
 * names; what Office formats are made of. Nothing outside the text is loaded. One thread. */
#ifndef AGENTS_DOCS_FORMATS_XML_WALK_H
#define AGENTS_DOCS_FORMATS_XML_WALK_H

#include "core/base/err.h"
#include "core/base/str.h"

struct xml_walk;

struct xml_walk_hooks { /* any may be NULL; views are borrowed for the call */
    void (*on_begin)(void *owner, struct xml_walk *walk, struct str name);
    void (*on_end)(void *owner, struct str name);
    void (*on_text)(void *owner, struct str text);
    void *owner;
};

/* ERR_INVALID: it is no well-formed XML, or one that expands without end. */
MUST_USE enum err_code xml_walk_run(struct str text, const struct xml_walk_hooks *hooks,
                                    struct err *err);
/* In on_begin: the value of the attribute of that local name; absent: there is none. Valid until
 * the next call. */
struct str xml_walk_attribute(struct xml_walk *walk, const char *name);

#endif
