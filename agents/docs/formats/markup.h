/* SPDX-License-Identifier: MIT */
/* agents/docs/formats/markup.h - text as HTML: escaped, well-formed UTF-8, without control
 * characters. Any thread. */
#ifndef AGENTS_DOCS_FORMATS_MARKUP_H
#define AGENTS_DOCS_FORMATS_MARKUP_H

#include "core/base/buf.h"

/* Append text. What is no UTF-8 becomes U+FFFD; control characters become blanks. */
void markup_text(struct buf *out, struct str text);
/* Append <tag>text</tag>, or nothing where text has only blanks. */
void markup_element(struct buf *out, const char *tag, struct str text);

#endif
