/* SPDX-License-Identifier: MIT */
/* core/base/heap.h - intrusive pairing heap: what comes first of many, in O(log n) on average.
 *
 * A node that is in no heap is zeroed, as at first. A node's order may change only while it is in
 * no heap. Nothing is allocated. One thread. */
#ifndef CORE_BASE_HEAP_H
#define CORE_BASE_HEAP_H

#include "core/base/defs.h"

struct heap_node { /* embedded, zeroed */
    /* private */
    struct heap_node *child, *next; /* the first child; the next sibling */
    struct heap_node *prev;         /* the sibling before, or the parent; NULL: the top, or away */
};

/* Whether a comes before b. */
typedef bool heap_before_fn(const struct heap_node *a, const struct heap_node *b);

struct heap {
    heap_before_fn *before;
    /* private */
    struct heap_node *top;
};

/* The first node; NULL: the heap is empty. */
static inline struct heap_node *heap_top(const struct heap *heap)
{
    return heap->top;
}
/* Whether node is in heap. It must not be in another one. */
static inline bool heap_has(const struct heap *heap, const struct heap_node *node)
{
    return node->prev != NULL || heap->top == node;
}
/* Add a node that is in no heap. */
void heap_push(struct heap *heap, struct heap_node *node);
/* Take out a node of heap. */
void heap_remove(struct heap *heap, struct heap_node *node);

#endif
