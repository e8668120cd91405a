/* SPDX-License-Identifier: MIT */
/* core/loop/timer_heap.c - a pairing heap threaded through the timers themselves.
 *
 * Happy path: adding melds a timer with the root; firing pops and calls what is due.
 * Failure: none; adding is O(1), removing O(log n) amortised, nothing is allocated. */
#include "core/loop/timer_heap.h"

static bool is_sooner(const struct timer *a, const struct timer *b)
{
    return a->due_ms != b->due_ms ? a->due_ms < b->due_ms : a->sequence < b->sequence;
}

/* One heap of two roots (either may be NULL): the later becomes the sooner one's first child. */
static struct timer *meld(struct timer *a, struct timer *b)
{
    if (a == NULL || b == NULL)
        return a == NULL ? b : a;
    if (is_sooner(b, a)) {
        struct timer *swap = a;
        a = b;
        b = swap;
    }
    b->before = a;
    b->sibling = a->child;
    if (b->sibling != NULL)
        b->sibling->before = b;
    a->child = b;
    return a;
}

/* Unlink the first of a sibling list and return the next. */
static struct timer *cut_first(struct timer *first)
{
    struct timer *next = first->sibling;
    first->sibling = first->before = NULL;
    return next;
}

/* One heap of a list of siblings: meld pairs from the left, then those from the right. */
static struct timer *meld_siblings(struct timer *first)
{
    struct timer *pairs = NULL; /* a stack linked by sibling */
    while (first != NULL) {
        struct timer *a = first, *b = cut_first(a);
        first = b == NULL ? NULL : cut_first(b);
        a = meld(a, b);
        a->sibling = pairs;
        pairs = a;
    }
    struct timer *root = NULL;
    while (pairs != NULL) {
        struct timer *next = cut_first(pairs);
        root = meld(root, pairs);
        pairs = next;
    }
    return root;
}

bool timer_heap_push(struct timer_heap *heap, struct timer *timer, uint64_t due_ms)
{
    timer->due_ms = due_ms;
    timer->sequence = ++heap->sequence;
    heap->root = meld(heap->root, timer);
    return heap->root == timer;
}

void timer_heap_remove(struct timer_heap *heap, struct timer *timer)
{
    struct timer *below = meld_siblings(timer->child);
    if (heap->root == timer) {
        heap->root = below;
    } else {
        if (timer->before->child == timer)
            timer->before->child = timer->sibling;
        else
            timer->before->sibling = timer->sibling;
        if (timer->sibling != NULL)
            timer->sibling->before = timer->before;
        heap->root = meld(heap->root, below);
    }
    timer->child = timer->sibling = timer->before = NULL;
    timer->loop = NULL;
}

uint64_t timer_heap_due(const struct timer_heap *heap)
{
    return heap->root == NULL ? UINT64_MAX : heap->root->due_ms;
}

void timer_heap_fire(struct timer_heap *heap, uint64_t now_ms)
{
    uint64_t newest = heap->sequence;
    while (heap->root != NULL && heap->root->due_ms <= now_ms && heap->root->sequence <= newest) {
        struct timer *timer = heap->root;
        timer_heap_remove(heap, timer);
        timer->fn(timer);
    }
}
