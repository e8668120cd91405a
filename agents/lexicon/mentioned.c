/* SPDX-License-Identifier: MIT */
/* agents/lexicon/mentioned.c - the links of a question's items, as far as they are values.
 *
 * Happy path: tokens, items, links. Failure: a question that is too long mentions nothing. */
#include "agents/lexicon/mentioned.h"

#include "agents/lexicon/link.h"

static bool has_table(const int *tables, size_t count, int table)
{
    for (size_t i = 0; i < count; i++)
        if (tables[i] == table)
            return true;
    return false;
}

static bool is_found(const struct lexicon_mentioned *found, size_t count,
                     const struct lexicon_link *link)
{
    for (size_t i = 0; i < count; i++)
        if (found[i].table == link->table && found[i].column == link->column &&
            str_equal(found[i].value, link->value))
            return true;
    return false;
}

size_t lexicon_mentioned_in(const struct lexicon *lexicon, struct str text, const int *tables,
                            size_t count, struct arena *arena, struct lexicon_mentioned *found,
                            size_t max)
{
    struct offline_token *tokens;
    struct lexicon_item *items;
    size_t token_count, item_count, written = 0;
    if (english_tokens_of(arena, text, &tokens, &token_count) != ERR_OK ||
        lexicon_link_items(arena, lexicon, tokens, token_count, 0, &items, &item_count) != ERR_OK)
        return 0;
    for (size_t i = 0; i < item_count; i++)
        for (size_t j = 0; j < items[i].link_count && written < max; j++) {
            const struct lexicon_link *link = &items[i].links[j];
            if (link->kind == LINK_VALUE && has_table(tables, count, link->table) &&
                !is_found(found, written, link))
                found[written++] =
                    (struct lexicon_mentioned){link->table, link->column, link->value};
        }
    return written;
}
