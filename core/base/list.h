/* SPDX-License-Identifier: MIT */
/* core/base/list.h - intrusive, circular, doubly linked list.
 *
 * A head and its links have the same type. A link that is in no list points at itself, so
 * list_remove is idempotent and list_is_linked costs one compare. One thread. */
#ifndef CORE_BASE_LIST_H
#define CORE_BASE_LIST_H

#include "core/base/defs.h"

struct list {
    struct list *prev, *next;
};

static inline void list_init(struct list *list)
{
    list->prev = list->next = list;
}

/* Also true for a zeroed link: storage that was never initialised is in no list. */
static inline bool list_is_empty(const struct list *list)
{
    return list->next == list || list->next == NULL;
}

static inline bool list_is_linked(const struct list *link)
{
    return !list_is_empty(link);
}

static inline void list_insert_between(struct list *prev, struct list *link, struct list *next)
{
    link->prev = prev;
    link->next = next;
    prev->next = link;
    next->prev = link;
}

/* Add link, which is in no list, at the end. */
static inline void list_push(struct list *head, struct list *link)
{
    list_insert_between(head->prev, link, head);
}

/* Add link, which is in no list, at the front. */
static inline void list_push_front(struct list *head, struct list *link)
{
    list_insert_between(head, link, head->next);
}

static inline void list_remove(struct list *link)
{
    if (link->next != NULL) {
        link->prev->next = link->next;
        link->next->prev = link->prev;
    }
    list_init(link);
}

/* The first link, unlinked; NULL when the list is empty. */
static inline struct list *list_take_first(struct list *head)
{
    if (list_is_empty(head))
        return NULL;
    struct list *first = head->next;
    list_remove(first);
    return first;
}

/* Move all of from (left empty) to the end of to. */
static inline void list_append(struct list *to, struct list *from)
{
    if (list_is_empty(from))
        return;
    from->next->prev = to->prev;
    to->prev->next = from->next;
    from->prev->next = to;
    to->prev = from->prev;
    list_init(from);
}

#define list_item(link, type, member) container_of(link, type, member)

#define LIST_EACH(link, head)                                                                      \
    for (struct list *link = (head)->next; link != (head) && link != NULL; link = link->next)

/* As LIST_EACH; the body may remove link (and only link). */
#define LIST_EACH_SAFE(link, head)                                                                 \
    for (struct list *link = (head)->next, *link##_next = link ? link->next : NULL;                \
         link != (head) && link != NULL; link = link##_next, link##_next = link->next)

#endif
