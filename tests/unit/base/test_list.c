/* SPDX-License-Identifier: MIT */
/* Order, idempotent removal, walking while removing, zeroed storage. */
#include "tests/lib/test.h"

#include "core/base/list.h"

struct thing {
    struct list link;
    char name;
};

static const char *names_of(const struct list *head)
{
    static char names[16];
    size_t len = 0;
    LIST_EACH(link, head)
        names[len++] = list_item(link, struct thing, link)->name;
    names[len] = '\0';
    return names;
}

TEST(order)
{
    struct thing a = {.name = 'a'}, b = {.name = 'b'}, c = {.name = 'c'}, d = {.name = 'd'};
    struct list head, other;
    list_init(&head);
    list_init(&other);
    EXPECT_TRUE("empty", list_is_empty(&head) && list_take_first(&head) == NULL);
    list_push(&head, &b.link);
    list_push(&head, &c.link);
    list_push_front(&head, &a.link);
    list_push(&other, &d.link);
    assert_string_equal(names_of(&head), "abc");
    list_append(&head, &other);
    list_append(&head, &other);
    EXPECT_TRUE("moved", list_is_empty(&other));
    assert_string_equal(names_of(&head), "abcd");
    list_remove(&b.link);
    list_remove(&b.link);
    EXPECT_TRUE("unlinked", !list_is_linked(&b.link) && list_is_linked(&c.link));
    EXPECT_TRUE("first", list_take_first(&head) == &a.link);
    LIST_EACH_SAFE(link, &head)
        if (list_item(link, struct thing, link)->name == 'c')
            list_remove(link);
    assert_string_equal(names_of(&head), "d");
}

TEST(zeroed_storage_is_in_no_list)
{
    struct thing thing = {0};
    struct list head = {0};
    EXPECT_TRUE("empty", list_is_empty(&head) && !list_is_linked(&thing.link));
    LIST_EACH(link, &head)
        fail_msg("nothing to walk");
    list_remove(&thing.link);
    EXPECT_TRUE("still", !list_is_linked(&thing.link));
}

RUN_TESTS(T(order), T(zeroed_storage_is_in_no_list))
