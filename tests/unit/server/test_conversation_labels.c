/* SPDX-License-Identifier: MIT */
/* Notes of names and pins are read and written, each by itself; the oldest of a kind are too many.
 */
#include "tests/lib/test.h"

#include "server/api/conversations/conversation_labels.h"

enum { ARENA_BYTES = 1024 * 1024, MANY = CONVERSATION_LABELS_MOST + 2 };

TEST(a_name_and_a_pin_are_two_notes)
{
    struct arena arena;
    arena_init(&arena, ARENA_BYTES);
    const struct store_note notes[] = {
        conversation_labels_title(STR("a/b"), STR("Two words"), 7, &arena),
        conversation_labels_pin(STR("a/b"), true, 8, &arena),
        conversation_labels_pin(STR("c"), true, 9, &arena),
        {STR("share0123"), STR("1 2 3")},
        {STR("title/d"), STR("not a time")},
    };
    const struct store_call loaded = {.notes = notes, .note_count = countof(notes)};
    const struct conversation_labels labels = conversation_labels_of(&loaded, &arena);
    const struct conversation_label *both = conversation_labels_find(&labels, STR("a/b"));
    const struct conversation_label *pinned = conversation_labels_find(&labels, STR("c"));
    assert_non_null(both);
    assert_non_null(pinned);
    EXPECT_STR("its name", both->title, STR("Two words"));
    EXPECT_TRUE("and its pin", both->pinned);
    EXPECT_STR("no name", pinned->title, STR(""));
    EXPECT_TRUE("only pinned", pinned->pinned);
    EXPECT_TRUE("no note of ours", conversation_labels_find(&labels, STR("d")) == NULL);
    EXPECT_INT("no name: no note",
               (int)conversation_labels_title(STR("c"), STR(""), 7, &arena).bytes.len, 0);
    EXPECT_INT("no pin: no note",
               (int)conversation_labels_pin(STR("c"), false, 7, &arena).bytes.len, 0);
    arena_fini(&arena);
}

TEST(labels_of_one_note_fill_what_is_not_said)
{
    struct arena arena;
    arena_init(&arena, ARENA_BYTES);
    const struct store_note notes[] = {
        {STR(CONVERSATION_LABELS_BEFORE), STR("[{\"id\":\"a\",\"title\":\"Old\",\"pinned\":true},{"
                                              "\"id\":\"b\",\"title\":\"B\"},7]")},
        conversation_labels_title(STR("a"), STR("New"), 7, &arena),
    };
    const struct store_call loaded = {.notes = notes, .note_count = countof(notes)};
    const struct conversation_labels labels = conversation_labels_of(&loaded, &arena);
    EXPECT_INT("two", labels.count, 2);
    EXPECT_STR("its name", conversation_labels_find(&labels, STR("a"))->title, STR("New"));
    EXPECT_TRUE("its pin", conversation_labels_find(&labels, STR("a"))->pinned);
    EXPECT_STR("another's", conversation_labels_find(&labels, STR("b"))->title, STR("B"));
    EXPECT_INT("those before", conversation_labels_before(&loaded, &arena).count, 2);
    arena_fini(&arena);
}

TEST(the_oldest_of_a_kind_are_too_many)
{
    static struct store_note notes[MANY + 1];
    struct arena arena;
    arena_init(&arena, ARENA_BYTES);
    for (size_t i = 0; i < MANY; i++)
        notes[i] =
            conversation_labels_title(arena_printf(&arena, "c-%zu", i), STR("x"), 1000 - i, &arena);
    notes[MANY] = conversation_labels_pin(STR("c-0"), true, 1, &arena);
    const struct store_call loaded = {.notes = notes, .note_count = countof(notes)};
    for (size_t i = 0; i < countof(notes); i++)
        EXPECT_INT("of its kind", conversation_labels_is_too_many(&loaded, &notes[i]),
                   i >= CONVERSATION_LABELS_MOST && i < MANY);
    arena_fini(&arena);
}

RUN_TESTS(T(a_name_and_a_pin_are_two_notes), T(labels_of_one_note_fill_what_is_not_said),
          T(the_oldest_of_a_kind_are_too_many))
