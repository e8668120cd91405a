/* SPDX-License-Identifier: MIT */
/* core/base/heap.c - trees that are melded under the one of two tops that comes first.
 *
 * The children of a node that goes are melded in pairs, then the pairs with each other, last one
 * first: that is what keeps the trees flat. Failure: none. */
#include "core/base/heap.h"

/* Two trees, which have no siblings, as one; either may be NULL. */
static struct heap_node *meld(const struct heap *heap, struct heap_node *a, struct heap_node *b)
{
    if (a == NULL || b == NULL)
        return a == NULL ? b : a;
    if (heap->before(b, a)) {
        struct heap_node *first = b;
        b = a;
        a = first;
    }
    b->prev = a;
    b->next = a->child;
    if (b->next != NULL)
        b->next->prev = b;
    a->child = b;
    return a;
}

/* Take the first of siblings off; NULL: there is none. */
static struct heap_node *take_sibling(struct heap_node **siblings)
{
    struct heap_node *first = *siblings;
    if (first == NULL)
        return NULL;
    *siblings = first->next;
    first->next = first->prev = NULL;
    return first;
}

/* The children of a node that goes, as one tree. */
static struct heap_node *meld_all(const struct heap *heap, struct heap_node *siblings)
{
    struct heap_node *pairs = NULL, *all = NULL, *first;
    while ((first = take_sibling(&siblings)) != NULL) {
        struct heap_node *pair = meld(heap, first, take_sibling(&siblings));
        pair->next = pairs;
        pairs = pair;
    }
    while ((first = take_sibling(&pairs)) != NULL)
        all = meld(heap, all, first);
    return all;
}

void heap_push(struct heap *heap, struct heap_node *node)
{
    CHECK(!heap_has(heap, node));
    heap->top = meld(heap, heap->top, node);
}

void heap_remove(struct heap *heap, struct heap_node *node)
{
    CHECK(heap_has(heap, node));
    struct heap_node *below = meld_all(heap, node->child);
    if (heap->top == node) {
        heap->top = below;
    } else {
        if (node->prev->child == node)
            node->prev->child = node->next;
        else
            node->prev->next = node->next;
        if (node->next != NULL)
            node->next->prev = node->prev;
        heap->top = meld(heap, heap->top, below);
    }
    *node = (struct heap_node){0};
}
