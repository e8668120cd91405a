/* SPDX-License-Identifier: MIT */
/* agents/docs/blocks.c - text in a buf, moved to the arena when its block ends.
 *
 * Failure: memory that ran out sticks in arena or buf and is told by docs_blocks_finish. */
#include "agents/docs/blocks.h"

#include <string.h>

enum { FIRST_BLOCKS = 64 };

void docs_blocks_init(struct docs_blocks *blocks, struct arena *arena)
{
    *blocks = (struct docs_blocks){.arena = arena};
    buf_init(&blocks->text, DOCS_MAX_BYTES * 2);
}

void docs_blocks_fini(struct docs_blocks *blocks)
{
    buf_fini(&blocks->text);
}

static bool at_line_start(const struct docs_blocks *blocks)
{
    struct str text = buf_str(&blocks->text);
    return text.len == 0 || text.at[text.len - 1] == '\n';
}

void docs_blocks_push(struct docs_blocks *blocks, struct str text)
{
    for (size_t i = 0; i < text.len;) {
        size_t begin = i;
        while (i < text.len && !str_is_blank(text.at[i]))
            i++;
        if (i > begin) {
            if (blocks->blank && !at_line_start(blocks))
                buf_push_char(&blocks->text, ' ');
            blocks->blank = false;
            buf_push(&blocks->text, str_slice(text, begin, i));
        }
        for (; i < text.len && str_is_blank(text.at[i]); i++)
            blocks->blank = true;
    }
}

void docs_blocks_push_raw(struct docs_blocks *blocks, struct str text)
{
    blocks->blank = false;
    buf_push(&blocks->text, text);
}

void docs_blocks_line(struct docs_blocks *blocks)
{
    blocks->blank = false;
    if (!at_line_start(blocks))
        buf_push_char(&blocks->text, '\n');
}

void docs_blocks_repeat(struct docs_blocks *blocks)
{
    blocks->repeated = buf_len(&blocks->text);
}

static struct docs_block *add(struct docs_blocks *blocks)
{
    if (blocks->count == blocks->cap) {
        size_t cap = blocks->cap == 0 ? FIRST_BLOCKS : blocks->cap * 2;
        struct docs_block *items = arena_array(blocks->arena, cap, sizeof *items);
        if (items == NULL)
            return NULL;
        if (blocks->count > 0)
            memcpy(items, blocks->items, blocks->count * sizeof *items);
        blocks->items = items;
        blocks->cap = cap;
    }
    return &blocks->items[blocks->count++];
}

/* Lines lose the newlines around them, everything else all blanks; indentation of code stays. */
static struct str trimmed(struct str text, enum docs_block_kind kind)
{
    if (kind != DOCS_LINES)
        return str_trim(text);
    while (text.len > 0 && str_is_blank(text.at[text.len - 1]))
        text.len--;
    while (text.len > 0 && text.at[0] == '\n')
        text = str_from(text, 1);
    return text;
}

void docs_blocks_end(struct docs_blocks *blocks, enum docs_block_kind kind, unsigned level)
{
    struct str text = trimmed(buf_str(&blocks->text), kind);
    if (text.len > 0) {
        struct docs_block *block = add(blocks);
        if (block != NULL)
            *block = (struct docs_block){
                .kind = kind,
                .level = level,
                .repeated = blocks->repeated < text.len ? blocks->repeated : 0,
                .text = arena_str(blocks->arena, text),
            };
    }
    if (buf_ok(&blocks->text)) /* a failure stays until it is told */
        buf_clear(&blocks->text);
    blocks->blank = false;
    blocks->repeated = 0;
}

bool docs_blocks_finish(struct docs_blocks *blocks)
{
    docs_blocks_end(blocks, DOCS_TEXT, 0);
    return buf_ok(&blocks->text) && arena_ok(blocks->arena);
}
