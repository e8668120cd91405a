/* SPDX-License-Identifier: MIT */
/* agents/docs/html.h - HTML -> blocks, by libxml2's HTML parser, which accepts what browsers
 * accept.
 *
 * Nothing is fetched, and no entity that the document itself defines is expanded. */
#ifndef AGENTS_DOCS_HTML_H
#define AGENTS_DOCS_HTML_H

#include "agents/docs/blocks.h"

/* Add the blocks of text; scripts, styles, navigation and forms are left out. *title (NULL: not
 * wanted) becomes the words of <title>, in the arena of blocks, when there are any. False: no
 * memory. */
MUST_USE bool docs_html_read(struct docs_blocks *blocks, struct str text, struct str *title);
/* Add the character that entity ("&amp;", "&#8364;") stands for; an unknown entity is added as it
 * is written. */
void docs_html_push_entity(struct docs_blocks *blocks, struct str entity);

#endif
