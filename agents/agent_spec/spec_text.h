/* SPDX-License-Identifier: MIT */
/* agents/agent_spec/spec_text.h - texts with places, as Agent Spec writes them ("{{name}}", other
 * braces are themselves) and as graphs in files do ("{name}", "{{" and "}}" are braces). Pure. */
#ifndef AGENTS_AGENT_SPEC_SPEC_TEXT_H
#define AGENTS_AGENT_SPEC_SPEC_TEXT_H

#include "core/base/buf.h"

/* What a name is called on the other side; absent: it cannot be there, and was told. */
typedef struct str spec_text_fn(void *owner, struct str name);

/* Append an Agent Spec text as a graph's file has it. False: a name was refused. */
MUST_USE bool spec_text_from_spec(struct str text, spec_text_fn *rename, void *owner,
                                  struct buf *out);
/* Append a text of a graph's file as Agent Spec has it. False: a name was refused, or the text
 * would be read as another one there (it has two braces in a row). */
MUST_USE bool spec_text_to_spec(struct str text, spec_text_fn *rename, void *owner,
                                struct buf *out);
/* The name of the next place of an Agent Spec text from *at on, which then is behind it; absent:
 * there are no more. */
struct str spec_text_place(struct str text, size_t *at);

#endif
