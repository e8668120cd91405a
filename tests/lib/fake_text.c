/* SPDX-License-Identifier: MIT */
/* tests/lib/fake_text.c - finishes at once (which is the next turn), or when cancelled. */
#include "tests/lib/fake_text.h"

#include "core/base/mem.h"

enum { ARENA_BYTES = 64 << 20, MOST_HITS = 1000 };

static struct fake_text *fake_of(struct text *text)
{
    return container_of(text, struct fake_text, text);
}

static void cancel_search(struct op *op)
{
    fake_of(container_of(op, struct text_search, op)->text)->pending--;
    op_finish(op, ERR_CANCELLED, "cancelled");
}

static void cancel_write(struct op *op)
{
    fake_of(container_of(op, struct text_write, op)->text)->pending--;
    op_finish(op, ERR_CANCELLED, "cancelled");
}

static void release_search(struct op *op)
{
    struct text_search *search = container_of(op, struct text_search, op);
    mem_free(search->impl);
    search->impl = NULL;
    search->hits = NULL;
}

static const struct op_kind search_kind = {
    .name = "text.fake", .cancel = cancel_search, .release = release_search};
static const struct op_kind write_kind = {.name = "text.fake", .cancel = cancel_write};

static bool ends_early(struct fake_text *fake, struct op *op)
{
    if (fake->stall)
        fake->pending++;
    else if (fake->failure != ERR_OK)
        op_finish(op, fake->failure, "the store is down");
    return fake->stall || fake->failure != ERR_OK;
}

static bool has_word(struct str text, struct str word)
{
    for (size_t i = 0; i + word.len <= text.len; i++)
        if (str_equal_nocase(str_slice(text, i, i + word.len), word))
            return true;
    return false;
}

static double score_of(struct str text, struct str words)
{
    double score = 0;
    while (!str_is_absent(words)) {
        struct str word = str_trim(str_split(&words, ' '));
        if (word.len > 0 && has_word(text, word))
            score += 1;
    }
    return score;
}

/* Better first; ties by id. */
static void put_hit(struct text_search *search, struct passage_hit *hits, struct passage_hit hit)
{
    size_t most = size_min(search->query->top_k, MOST_HITS), i = search->hit_count;
    while (i > 0 && (hits[i - 1].score < hit.score ||
                     (hits[i - 1].score == hit.score &&
                      str_compare(hits[i - 1].passage.id, hit.passage.id) > 0)))
        i--;
    if (i == most)
        return;
    for (size_t j = size_min(search->hit_count, most - 1); j > i; j--)
        hits[j] = hits[j - 1];
    hits[i] = hit;
    search->hit_count = size_min(search->hit_count + 1, most);
}

static void start_search(struct text *text, struct text_search *search, struct op_waiter waiter)
{
    struct fake_text *fake = fake_of(text);
    const struct text_query *query = search->query;
    op_begin(&search->op, &search_kind, text->loop, waiter);
    fake->searches++;
    fake->last_top_k = query->top_k;
    fake->last_words = arena_str(&fake->arena, query->words);
    if (ends_early(fake, &search->op))
        return;
    struct passage_hit *hits = mem_zalloc(size_min(query->top_k, MOST_HITS), sizeof *hits);
    search->impl = hits;
    search->hits = hits;
    for (size_t i = 0; hits != NULL && i < fake->count; i++) {
        const struct passage *passage = &fake->kept[i].passage;
        if (fake->kept[i].is_removed || !str_equal(fake->kept[i].collection, query->collection) ||
            !passage_passes(passage, query->filters, query->filter_count))
            continue;
        double score = score_of(passage->text, query->words);
        if (score > 0)
            put_hit(search, hits, (struct passage_hit){*passage, score});
    }
    op_finish(&search->op, hits == NULL ? ERR_NO_MEMORY : ERR_OK, "%s",
              hits == NULL ? "no memory" : "");
}

static void remove_id(struct fake_text *fake, struct str collection, struct str id)
{
    for (size_t i = 0; i < fake->count; i++)
        if (str_equal(fake->kept[i].collection, collection) &&
            str_equal(fake->kept[i].passage.id, id))
            fake->kept[i].is_removed = true;
}

static void put(struct fake_text *fake, struct str collection, const struct passage *from)
{
    struct arena *arena = &fake->arena;
    struct passage_field *fields = arena_array(arena, from->field_count + 1, sizeof *fields);
    CHECK(fields != NULL && fake->count < FAKE_TEXT_PASSAGES);
    remove_id(fake, collection, from->id);
    for (size_t i = 0; i < from->field_count; i++)
        fields[i] = (struct passage_field){arena_str(arena, from->fields[i].name),
                                           arena_str(arena, from->fields[i].value)};
    fake->kept[fake->count].collection = arena_str(arena, collection);
    fake->kept[fake->count++].passage = (struct passage){
        arena_str(arena, from->id), arena_str(arena, from->text), fields, from->field_count};
}

static void start_write(struct text *text, struct text_write *write, struct op_waiter waiter)
{
    struct fake_text *fake = fake_of(text);
    const struct text_change *change = write->change;
    op_begin(&write->op, &write_kind, text->loop, waiter);
    fake->writes++;
    if (ends_early(fake, &write->op))
        return;
    for (size_t i = 0; change->remove_filter_count > 0 && i < fake->count; i++)
        if (str_equal(fake->kept[i].collection, change->collection) &&
            passage_passes(&fake->kept[i].passage, change->remove_filters,
                           change->remove_filter_count))
            fake->kept[i].is_removed = true;
    for (size_t i = 0; i < change->remove_count; i++)
        remove_id(fake, change->collection, change->remove_ids[i]);
    for (size_t i = 0; i < change->upsert_count; i++)
        put(fake, change->collection, &change->upsert[i]);
    op_finish(&write->op, ERR_OK, "%s", "");
}

static enum err_code ready(struct text *text, struct err *err)
{
    enum err_code failure = fake_of(text)->failure;
    return failure == ERR_OK ? ERR_OK : err_set(err, failure, "the store is down");
}

static void close_text(struct text *text, void (*on_closed)(void *owner), void *owner)
{
    (void)text;
    on_closed(owner);
}

static const struct text_vtable vtable = {"fake", start_search, start_write, ready, close_text};

void fake_text_init(struct fake_text *fake, struct loop *loop)
{
    *fake = (struct fake_text){.text = {&vtable, loop}};
    arena_init(&fake->arena, ARENA_BYTES);
}

void fake_text_fini(struct fake_text *fake)
{
    arena_fini(&fake->arena);
}

size_t fake_text_count(const struct fake_text *fake, struct str collection)
{
    size_t count = 0;
    for (size_t i = 0; i < fake->count; i++)
        count += !fake->kept[i].is_removed && str_equal(fake->kept[i].collection, collection);
    return count;
}
