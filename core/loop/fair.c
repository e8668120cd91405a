/* SPDX-License-Identifier: MIT */
/* core/loop/fair.c - a tree of two levels: companies under the root, users under a company.
 *
 * Happy path: a group that begins to wait starts at its parent's time, or where it had paid to; who
 * goes takes its parent's time there and pays. A group with nobody in it is forgotten once its
 * parent's time has passed what it paid. A parent has its children that may go in one heap, and
 * those with nobody in them in another, so that nothing grows with the number of callers.
 * Failure: no memory for a group: said by fair_wait. */
#include "core/loop/fair.h"

#include <stdlib.h>
#include <string.h>

#include "core/base/heap.h"
#include "core/base/map.h"
#include "core/base/mem.h"

enum { UNIT = 1 << 20 }; /* of virtual time: one place for a weight of 1 */

struct fair_group {
    struct fair_group *parent; /* NULL: the root */
    struct list link;          /* among its parent's children */
    struct map by_name;        /* children */
    struct list children;
    struct heap ready; /* children that may go, the next one first */
    struct heap idle;  /* children with nobody in them, the one that owes least first */
    struct heap_node node;
    struct heap *sorted_in; /* the parent's heap that has it; NULL: none */
    struct list places;     /* a user's, waiting */
    uint64_t clock;         /* of its children */
    uint64_t start;         /* where it goes next, while waiting */
    uint64_t finish;        /* what it has paid to */
    uint64_t since;         /* when it came or went last: who waits longer wins a tie */
    size_t waiting, inside, limit;
    unsigned weight;
    struct str name;
    char name_bytes[];
};

static struct fair_group *group_of(struct list *link)
{
    return list_item(link, struct fair_group, link);
}

static const struct fair_group *group_at(const struct heap_node *node)
{
    return container_of(node, const struct fair_group, node);
}

static bool goes_before(const struct heap_node *a, const struct heap_node *b)
{
    const struct fair_group *x = group_at(a), *y = group_at(b);
    return x->start < y->start || (x->start == y->start && x->since < y->since);
}

static bool owes_less(const struct heap_node *a, const struct heap_node *b)
{
    return group_at(a)->finish < group_at(b)->finish;
}

static struct fair_group *top_of(const struct heap *heap)
{
    struct heap_node *top = heap_top(heap);
    return top == NULL ? NULL : container_of(top, struct fair_group, node);
}

/* Whether somebody in group may go. */
static bool may_go(const struct fair_group *group)
{
    return (group->limit == 0 || group->inside < group->limit) &&
           (!list_is_empty(&group->places) || heap_top(&group->ready) != NULL);
}

/* Take group and those above it out of the heaps, since what orders them will change. */
static void lift(struct fair_group *group)
{
    for (; group->parent != NULL; group = group->parent) {
        if (group->sorted_in != NULL)
            heap_remove(group->sorted_in, &group->node);
        group->sorted_in = NULL;
    }
}

/* Put group, which is lifted, into the heap where it belongs by now. */
static void sort_in(struct fair_group *group)
{
    struct fair_group *parent = group->parent;
    if (group->waiting == 0 && group->inside == 0)
        group->sorted_in = &parent->idle;
    else if (may_go(group))
        group->sorted_in = &parent->ready;
    if (group->sorted_in != NULL)
        heap_push(group->sorted_in, &group->node);
}

static struct fair_group *make_group(struct fair_group *parent, struct str name, size_t limit)
{
    struct fair_group *group = mem_zalloc(1, sizeof *group + name.len + 1);
    if (group == NULL)
        return NULL;
    if (name.len > 0)
        memcpy(group->name_bytes, name.at, name.len);
    group->name = str_make(group->name_bytes, name.len);
    group->parent = parent;
    group->limit = limit;
    group->weight = 1;
    map_init(&group->by_name);
    list_init(&group->children);
    list_init(&group->places);
    group->ready.before = goes_before;
    group->idle.before = owes_less;
    if (parent != NULL && !map_put(&parent->by_name, group->name, group)) {
        mem_free(group);
        return NULL;
    }
    if (parent != NULL)
        list_push(&parent->children, &group->link);
    return group;
}

static void free_group(struct fair_group *group)
{
    LIST_EACH_SAFE(link, &group->children)
        free_group(group_of(link));
    if (group->sorted_in != NULL)
        heap_remove(group->sorted_in, &group->node);
    if (group->parent != NULL) {
        list_remove(&group->link);
        (void)map_take(&group->parent->by_name, group->name);
    }
    map_fini(&group->by_name);
    mem_free(group);
}

static struct fair_group *child_of(struct fair_group *parent, struct str name, size_t limit)
{
    struct fair_group *child = map_find(&parent->by_name, name);
    return child != NULL ? child : make_group(parent, name, limit);
}

/* Forget children that are empty and owe nothing: it is as if they had never come. */
static void forget_idle(struct fair_group *parent)
{
    struct fair_group *child;
    while ((child = top_of(&parent->idle)) != NULL && child->finish <= parent->clock)
        free_group(child);
}

void fair_init(struct fair *fair, size_t company_limit, size_t user_limit)
{
    *fair = (struct fair){.company_limit = company_limit, .user_limit = user_limit};
}

void fair_fini(struct fair *fair)
{
    if (fair->root == NULL)
        return;
    CHECK(fair->root->waiting == 0 && fair->root->inside == 0);
    free_group(fair->root);
    fair->root = NULL;
}

/* ---- waiting ---- */

/* One more, or one less, waits in group and above. */
static void begin_waiting(struct fair *fair, struct fair_group *group)
{
    for (; group->parent != NULL; group = group->parent) {
        if (group->waiting++ > 0)
            continue;
        group->start = group->finish > group->parent->clock ? group->finish : group->parent->clock;
        group->since = ++fair->sequence;
    }
    group->waiting++;
}

static void end_waiting(struct fair_group *group)
{
    for (; group != NULL; group = group->parent)
        group->waiting--;
}

bool fair_wait(struct fair *fair, struct fair_place *place, const struct identity *caller,
               unsigned weight)
{
    CHECK(place->state == FAIR_AWAY);
    if (fair->root == NULL)
        fair->root = make_group(NULL, STR(""), 0);
    struct fair_group *company =
        fair->root == NULL ? NULL : child_of(fair->root, caller->company_id, fair->company_limit);
    if (company == NULL)
        return false;
    company->weight = weight == 0 ? 1 : weight;
    struct fair_group *user = child_of(company, caller->user_id, fair->user_limit);
    lift(user == NULL ? company : user);
    if (user == NULL) {
        sort_in(company);
        forget_idle(fair->root);
        return false;
    }
    place->user = user;
    place->state = FAIR_WAITING;
    list_push(&user->places, &place->link);
    begin_waiting(fair, user);
    sort_in(user);
    sort_in(company);
    return true;
}

void fair_limit_user(struct fair_place *place, size_t most)
{
    CHECK(place->state != FAIR_AWAY);
    lift(place->user);
    place->user->limit = most;
    sort_in(place->user);
    sort_in(place->user->parent);
}

/* ---- going ---- */

struct fair_place *fair_next(struct fair *fair)
{
    struct fair_group *company = fair->root == NULL ? NULL : top_of(&fair->root->ready);
    struct fair_group *user = company == NULL ? NULL : top_of(&company->ready);
    return user == NULL ? NULL : list_item(user->places.next, struct fair_place, link);
}

static bool starts_before(const struct fair_group *a, const struct fair_group *b)
{
    return a->start < b->start || (a->start == b->start && a->since < b->since);
}

/* A walk over all who are known: heaps know one limit only. For pools, whose queues are short. */
static struct fair_place *next_below(struct fair_group *group, size_t most)
{
    struct fair_group *best = NULL;
    struct fair_place *found = NULL;
    if (!list_is_empty(&group->places))
        return list_item(group->places.next, struct fair_place, link);
    LIST_EACH(link, &group->children) {
        struct fair_group *child = group_of(link);
        bool is_user = group->parent != NULL;
        bool may_go = child->waiting > 0 && (child->limit == 0 || child->inside < child->limit) &&
                      (!is_user || child->inside < most);
        if (!may_go || (best != NULL && !starts_before(child, best)))
            continue;
        struct fair_place *place = next_below(child, most);
        if (place != NULL) {
            best = child;
            found = place;
        }
    }
    return found;
}

struct fair_place *fair_next_below(struct fair *fair, size_t most)
{
    return fair->root == NULL || fair->root->waiting == 0 ? NULL : next_below(fair->root, most);
}

void fair_enter(struct fair *fair, struct fair_place *place)
{
    CHECK(place->state == FAIR_WAITING);
    lift(place->user);
    list_remove(&place->link);
    end_waiting(place->user);
    place->state = FAIR_INSIDE;
    for (struct fair_group *group = place->user; group != NULL; group = group->parent) {
        struct fair_group *parent = group->parent;
        group->inside++;
        if (parent == NULL)
            break;
        if (group->start > parent->clock)
            parent->clock = group->start;
        group->finish = group->start + UNIT / group->weight;
        group->start = group->finish;
        group->since = ++fair->sequence;
        sort_in(group);
        forget_idle(parent); /* never group: it is inside */
    }
}

void fair_leave(struct fair *fair UNUSED, struct fair_place *place)
{
    struct fair_group *group = place->user;
    if (place->state == FAIR_AWAY)
        return;
    lift(group);
    if (place->state == FAIR_WAITING) {
        list_remove(&place->link);
        end_waiting(group);
    } else {
        for (struct fair_group *each = group; each != NULL; each = each->parent)
            each->inside--;
    }
    place->state = FAIR_AWAY;
    place->user = NULL;
    for (struct fair_group *parent = group->parent; parent != NULL;) {
        struct fair_group *above = parent->parent;
        if (parent->waiting == 0 && group->finish > parent->clock)
            parent->clock = group->finish; /* nobody is kept waiting: no debts */
        sort_in(group);
        forget_idle(parent); /* group, perhaps */
        group = parent;
        parent = above;
    }
}

/* ---- counting ---- */

static struct fair_count count_of(const struct fair_group *group)
{
    return group == NULL ? (struct fair_count){0}
                         : (struct fair_count){group->waiting, group->inside};
}

static size_t ready_in(const struct fair_group *group)
{
    size_t ready = list_is_empty(&group->children) ? group->waiting : 0;
    LIST_EACH(link, &group->children)
        ready += ready_in(group_of(link));
    if (group->limit == 0)
        return ready;
    return group->inside < group->limit ? size_min(ready, group->limit - group->inside) : 0;
}

size_t fair_ready(const struct fair *fair)
{
    return fair->root == NULL ? 0 : ready_in(fair->root);
}

struct fair_count fair_count(const struct fair *fair)
{
    return count_of(fair->root);
}

static const struct fair_group *find_company(const struct fair *fair, const struct identity *caller)
{
    return fair->root == NULL ? NULL : map_find(&fair->root->by_name, caller->company_id);
}

struct fair_count fair_count_company(const struct fair *fair, const struct identity *caller)
{
    return count_of(find_company(fair, caller));
}

struct fair_count fair_count_user(const struct fair *fair, const struct identity *caller)
{
    const struct fair_group *company = find_company(fair, caller);
    return count_of(company == NULL ? NULL : map_find(&company->by_name, caller->user_id));
}

/* ---- the order ---- */

static int compare(uint64_t a, uint64_t b)
{
    return a < b ? -1 : a > b;
}

static int compare_tags(const struct fair_tag *a, const struct fair_tag *b)
{
    int by_time = compare(a->at, b->at), by_turns = compare(a->turns, b->turns);
    if (by_time != 0)
        return by_time;
    return by_turns != 0 ? by_turns : compare(a->since, b->since);
}

static int compare_in_company(const void *a, const void *b)
{
    const struct fair_place *const *x = a, *const *y = b;
    return compare_tags(&(*x)->in_company, &(*y)->in_company);
}

static int compare_in_all(const void *a, const void *b)
{
    const struct fair_place *const *x = a, *const *y = b;
    return compare_tags(&(*x)->in_all, &(*y)->in_all);
}

/* The tag of group after so many more turns. */
static struct fair_tag tag_of(const struct fair_group *group, size_t turns)
{
    return (struct fair_tag){group->start + turns * (UNIT / group->weight), turns, group->since};
}

/* Append the places of a company's users, each with the virtual time at which it goes. */
static size_t order_company(struct fair_group *company, struct fair_place **places, size_t room)
{
    size_t count = 0;
    LIST_EACH(user_link, &company->children) {
        const struct fair_group *user = group_of(user_link);
        size_t turns = 0;
        LIST_EACH(link, &group_of(user_link)->places) {
            if (count == room)
                break;
            places[count] = list_item(link, struct fair_place, link);
            places[count++]->in_company = tag_of(user, turns++);
        }
    }
    if (count > 0)
        qsort(places, count, sizeof(struct fair_place *), compare_in_company);
    for (size_t i = 0; i < count; i++)
        places[i]->in_all = tag_of(company, i);
    return count;
}

size_t fair_order(struct fair *fair, struct fair_place **places, size_t room)
{
    size_t count = 0;
    if (fair->root == NULL || fair->root->waiting == 0)
        return 0;
    LIST_EACH(link, &fair->root->children)
        count += order_company(group_of(link), places + count, room - count);
    if (count > 0)
        qsort(places, count, sizeof(struct fair_place *), compare_in_all);
    return count;
}
