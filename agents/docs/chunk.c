/* SPDX-License-Identifier: MIT */
/* agents/docs/chunk.c - pieces (sentences, lines) packed into chunks, section by section.
 *
 * Happy path: each block gives pieces to the open chunk; when the next one would take it over
 * target (and it has enough) the chunk is closed and the next begins with its last sentences; a
 * heading closes it without overlap.
 * Failure: memory, told once at the end. A piece longer than a chunk is cut between words. */
#include "agents/docs/chunk.h"

#include <string.h>

#include "agents/docs/sentences.h"

enum { LEVELS = 6, TARGET = 1200, MOST = 2000, OVERLAP = 200, MAX_TAIL = 16, FIRST_CHUNKS = 64 };

struct cutting {
    struct arena *arena;
    struct docs_chunk_options limits;
    struct docs_chunk *chunks;
    size_t count, cap;
    struct str path[LEVELS];   /* headings in force; absent: none of that level */
    struct str heading;        /* path joined */
    struct buf text;           /* of the open chunk */
    size_t fresh;              /* bytes of text that are not overlap */
    struct str tail[MAX_TAIL]; /* its last sentences, newest last: views of the document */
    size_t tail_count;
};

static void join_path(struct cutting *cutting)
{
    struct buf path;
    buf_init(&path, DOCS_MAX_BYTES);
    for (size_t i = 0; i < LEVELS; i++) {
        if (str_is_empty(cutting->path[i]))
            continue;
        if (buf_len(&path) > 0)
            buf_push(&path, STR(" > "));
        buf_push(&path, cutting->path[i]);
    }
    cutting->heading = arena_str(cutting->arena, buf_str(&path));
    buf_fini(&path);
}

static struct docs_chunk *add(struct cutting *cutting)
{
    if (cutting->count == cutting->cap) {
        size_t cap = cutting->cap == 0 ? FIRST_CHUNKS : cutting->cap * 2;
        struct docs_chunk *chunks = arena_array(cutting->arena, cap, sizeof *chunks);
        if (chunks == NULL)
            return NULL;
        if (cutting->count > 0)
            memcpy(chunks, cutting->chunks, cutting->count * sizeof *chunks);
        cutting->chunks = chunks;
        cutting->cap = cap;
    }
    return &cutting->chunks[cutting->count++];
}

/* Close the open chunk, if anything new is in it. */
static void close_chunk(struct cutting *cutting)
{
    struct str text = str_trim(buf_str(&cutting->text));
    if (cutting->fresh > 0 && text.len > 0) {
        struct docs_chunk *chunk = add(cutting);
        if (chunk != NULL)
            *chunk = (struct docs_chunk){cutting->heading, arena_str(cutting->arena, text)};
    }
    if (buf_ok(&cutting->text))
        buf_clear(&cutting->text);
    cutting->fresh = 0;
}

static void push(struct cutting *cutting, struct str piece, char separator)
{
    struct str text = buf_str(&cutting->text);
    if (text.len > 0 && text.at[text.len - 1] != '\n')
        buf_push_char(&cutting->text, separator);
    buf_push(&cutting->text, piece);
}

/* Begin the next chunk with as many of the last sentences as the overlap takes. */
static void begin_with_overlap(struct cutting *cutting)
{
    size_t bytes = 0, keep = 0;
    while (keep < cutting->tail_count) {
        size_t len = cutting->tail[cutting->tail_count - 1 - keep].len + 1;
        if (bytes + len > cutting->limits.overlap)
            break;
        bytes += len;
        keep++;
    }
    memmove(cutting->tail, cutting->tail + cutting->tail_count - keep, keep * sizeof(struct str));
    cutting->tail_count = keep;
    for (size_t i = 0; i < keep; i++)
        push(cutting, cutting->tail[i], ' ');
}

static void remember(struct cutting *cutting, struct str sentence)
{
    if (cutting->tail_count == MAX_TAIL) {
        memmove(cutting->tail, cutting->tail + 1, (MAX_TAIL - 1) * sizeof(struct str));
        cutting->tail_count--;
    }
    cutting->tail[cutting->tail_count++] = sentence;
}

/* The longest part of piece that fits, cut between words, else between characters. */
static struct str cut_piece(struct str piece, size_t most)
{
    if (piece.len <= most)
        return piece;
    struct str part = str_utf8_prefix(piece, most);
    size_t end = part.len;
    while (end > most / 2 && !str_is_blank(part.at[end - 1]))
        end--;
    return end > most / 2 ? str_slice(part, 0, end) : part;
}

/* One sentence or line; repeated: what a new chunk begins with instead of the overlap. */
static void add_piece(struct cutting *cutting, struct str piece, char separator,
                      struct str repeated)
{
    size_t room = cutting->limits.most > repeated.len * 2 ? cutting->limits.most - repeated.len
                                                          : cutting->limits.most;
    while (piece.len > 0) {
        struct str part = cut_piece(piece, room);
        size_t have = buf_len(&cutting->text);
        bool full =
            have + 1 + part.len > cutting->limits.target &&
            (have >= cutting->limits.target / 2 || have + 1 + part.len > cutting->limits.most);
        if (full && cutting->fresh > 0) {
            close_chunk(cutting);
            if (repeated.len > 0 && repeated.len + part.len < cutting->limits.most)
                push(cutting, repeated, '\n');
            else if (separator == ' ')
                begin_with_overlap(cutting);
        }
        if (buf_len(&cutting->text) + 1 + part.len > cutting->limits.most && cutting->fresh == 0)
            buf_clear(&cutting->text); /* the overlap leaves no room for it */
        push(cutting, separator == '\n' ? part : str_trim(part), separator);
        cutting->fresh += part.len;
        if (separator == ' ')
            remember(cutting, part);
        piece = str_from(piece, part.len);
    }
}

static void add_lines(struct cutting *cutting, const struct docs_block *block)
{
    struct str rest = str_from(block->text, block->repeated);
    struct str repeated = str_slice(block->text, 0, block->repeated);
    while (repeated.len > 0 && repeated.at[repeated.len - 1] == '\n')
        repeated.len--;
    cutting->tail_count = 0;
    push(cutting, STR(""), '\n');
    if (repeated.len > 0)
        add_piece(cutting, repeated, '\n', STR(""));
    while (!str_is_absent(rest)) {
        struct str line = str_split(&rest, '\n');
        if (str_trim(line).len > 0)
            add_piece(cutting, line, '\n', repeated);
    }
}

static void add_prose(struct cutting *cutting, const struct docs_block *block)
{
    struct str rest = block->text;
    char separator = '\n'; /* a paragraph begins a line */
    for (;;) {
        struct str sentence = docs_sentences_next(&rest);
        if (str_is_absent(sentence))
            return;
        if (separator == '\n')
            push(cutting, STR(""), '\n');
        add_piece(cutting, sentence, ' ', STR(""));
        separator = ' ';
    }
}

static void enter_heading(struct cutting *cutting, const struct docs_block *block)
{
    size_t level = block->level < 1 ? 1 : block->level > LEVELS ? LEVELS : block->level;
    close_chunk(cutting);
    cutting->tail_count = 0;
    cutting->path[level - 1] = block->text;
    for (size_t i = level; i < LEVELS; i++)
        cutting->path[i] = STR("");
    join_path(cutting);
}

static size_t limit_or(size_t limit, size_t fallback)
{
    return limit == 0 ? fallback : limit;
}

enum err_code docs_chunk_document(struct arena *arena, const struct docs_document *document,
                                  const struct docs_chunk_options *options,
                                  const struct docs_chunk **chunks, size_t *count, struct err *err)
{
    static const struct docs_chunk_options defaults = {0};
    if (options == NULL)
        options = &defaults;
    struct cutting cutting = {
        .arena = arena,
        .limits = {limit_or(options->target, TARGET), limit_or(options->most, MOST),
                   limit_or(options->overlap, OVERLAP)},
        .heading = STR(""),
    };
    buf_init(&cutting.text, DOCS_MAX_BYTES * 2);
    for (size_t i = 0; i < document->block_count; i++) {
        const struct docs_block *block = &document->blocks[i];
        if (block->kind == DOCS_HEADING)
            enter_heading(&cutting, block);
        else if (block->kind == DOCS_LINES)
            add_lines(&cutting, block);
        else
            add_prose(&cutting, block);
    }
    close_chunk(&cutting);
    bool is_fine = buf_ok(&cutting.text) && arena_ok(arena);
    buf_fini(&cutting.text);
    *chunks = cutting.chunks;
    *count = cutting.count;
    return is_fine ? ERR_OK : err_set(err, ERR_NO_MEMORY, "no memory to cut the document");
}
