/* SPDX-License-Identifier: MIT */
/* agents/docs/html.h - HTML -> blocks, by libxml2's HTML parser, which takes what browsers take.
 *
 * Nothing is fetched and no entity of the document's own is expanded. */
#ifndef AGENTS_DOCS_HTML_H
#define AGENTS_DOCS_HTML_H

#include "agents/docs/blocks.h"

/* Add text's blocks; scripts, styles, navigation and forms are passed over. *title (NULL: not
 * wanted) becomes <title>'s words, in the blocks' arena, when there are any. False: no memory. */
MUST_USE bool docs_html_read(struct docs_blocks *blocks, struct str text, struct str *title);
/* Add what "&amp;" or "&#8364;" stands for; an unknown one as it is written. */
void docs_html_push_entity(struct docs_blocks *blocks, struct str entity);

#endif
