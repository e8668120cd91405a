/* SPDX-License-Identifier: MIT */
/* The first of a heap is the least of what is in it, whatever came and went. */
#include "tests/lib/test.h"

#include "core/base/heap.h"

enum { ITEMS = 300, STEPS = 20000 };

struct item {
    struct heap_node node;
    unsigned at;
};

static unsigned at_of(const struct heap_node *node)
{
    return container_of(node, struct item, node)->at;
}

static bool comes_before(const struct heap_node *a, const struct heap_node *b)
{
    return at_of(a) < at_of(b);
}

static uint32_t next_random(uint32_t *seed)
{
    *seed = *seed * 1664525 + 1013904223;
    return *seed >> 8;
}

static const struct item *find_least(const struct heap *heap, const struct item *items)
{
    const struct item *least = NULL;
    for (size_t i = 0; i < ITEMS; i++)
        if (heap_has(heap, &items[i].node) && (least == NULL || items[i].at < least->at))
            least = &items[i];
    return least;
}

TEST(the_least_is_first)
{
    static struct item items[ITEMS];
    struct heap heap = {.before = comes_before};
    uint32_t seed = 1;
    for (unsigned step = 0; step < STEPS; step++) {
        struct item *item = &items[next_random(&seed) % ITEMS];
        if (heap_has(&heap, &item->node)) {
            heap_remove(&heap, &item->node);
        } else {
            item->at = next_random(&seed) % 1000;
            heap_push(&heap, &item->node);
        }
        const struct item *least = find_least(&heap, items);
        EXPECT_TRUE("empty or not", (heap_top(&heap) == NULL) == (least == NULL));
        if (least != NULL)
            EXPECT_INT("the least", at_of(heap_top(&heap)), least->at);
    }
}

TEST(all_come_in_order)
{
    static struct item items[ITEMS];
    struct heap heap = {.before = comes_before};
    for (unsigned i = 0; i < ITEMS; i++) {
        items[i].at = (i * 7919) % ITEMS;
        heap_push(&heap, &items[i].node);
    }
    for (unsigned i = 0; i < ITEMS; i++) {
        EXPECT_INT("the next", at_of(heap_top(&heap)), i);
        heap_remove(&heap, heap_top(&heap));
    }
    EXPECT_TRUE("none", heap_top(&heap) == NULL);
}

RUN_TESTS(T(the_least_is_first), T(all_come_in_order))
