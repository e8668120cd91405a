/* SPDX-License-Identifier: MIT */
/* core/identity: what each comparison takes an empty and an absent name for; copies, also when the
 * arena is spent. */
#include "core/base/identity.h"

#include "tests/lib/test.h"

#define EMPTY                                                                                      \
    {                                                                                              \
        "", 0                                                                                      \
    }
#define ABSENT                                                                                     \
    {                                                                                              \
        NULL, 0                                                                                    \
    }
#define C1                                                                                         \
    {                                                                                              \
        "c-1", 3                                                                                   \
    }
#define ACME                                                                                       \
    {                                                                                              \
        "acme", 4                                                                                  \
    }
#define ANN                                                                                        \
    {                                                                                              \
        "ann", 3                                                                                   \
    }

static const struct identity ann = {C1, ACME, ANN};
static const struct identity one_shot = {ABSENT, ABSENT, ABSENT};

static const struct {
    const char *name;
    struct identity owner, caller;
    bool equal, same_user, is_of, fits, passes;
} cases[] = {
    {"herself", {C1, ACME, ANN}, {C1, ACME, ANN}, true, true, true, true, true},
    {"another conversation",
     {C1, ACME, ANN},
     {{"c-2", 3}, ACME, ANN},
     false,
     true,
     false,
     false,
     false},
    {"another user", {C1, ACME, ANN}, {C1, ACME, {"bob", 3}}, false, false, false, false, false},
    {"another company", {C1, ACME, ANN}, {C1, {"evil", 4}, ANN}, false, false, false, false, false},
    {"names run together",
     {C1, {"ab", 2}, {"c", 1}},
     {C1, {"a", 1}, {"bc", 2}},
     false,
     false,
     false,
     false,
     false},
    {"case counts", {C1, ACME, ANN}, {C1, {"ACME", 4}, ANN}, false, false, false, false, false},
    {"the user", {C1, ACME, ANN}, {EMPTY, ACME, ANN}, false, true, true, true, false},
    {"the user, absent", {C1, ACME, ANN}, {ABSENT, ACME, ANN}, false, true, true, true, true},
    {"the user is another",
     {C1, ACME, ANN},
     {EMPTY, ACME, {"bob", 3}},
     false,
     false,
     false,
     false,
     false},
    {"whole company", {C1, ACME, ANN}, {ABSENT, ACME, ABSENT}, false, false, false, true, true},
    {"empty user", {C1, ACME, ANN}, {ABSENT, ACME, EMPTY}, false, false, false, true, false},
    {"anybody", {C1, ACME, ANN}, {ABSENT, ABSENT, ABSENT}, false, false, false, true, true},
    {"anybody, empty", {C1, ACME, ANN}, {EMPTY, EMPTY, EMPTY}, false, false, false, true, false},
    {"nobody's, by nobody",
     {ABSENT, ABSENT, ABSENT},
     {EMPTY, EMPTY, EMPTY},
     true,
     true,
     true,
     true,
     true},
    {"nobody's, by ann",
     {ABSENT, ABSENT, ABSENT},
     {ABSENT, ACME, ANN},
     false,
     false,
     false,
     false,
     false},
    {"nobody's, by anybody",
     {EMPTY, EMPTY, EMPTY},
     {ABSENT, ABSENT, ABSENT},
     true,
     true,
     true,
     true,
     true},
};

TEST(who_may_see_what)
{
    TEST_EACH(c, cases) {
        EXPECT_INT(c->name, identity_equal(&c->owner, &c->caller), c->equal);
        EXPECT_INT(c->name, identity_equal(&c->caller, &c->owner), c->equal);
        char one[IDENTITY_NAME_BYTES], two[IDENTITY_NAME_BYTES];
        EXPECT_INT(c->name,
                   str_equal(identity_name(&c->owner, one), identity_name(&c->caller, two)),
                   c->equal);
        EXPECT_INT(c->name, identity_is_same_user(&c->owner, &c->caller), c->same_user);
        EXPECT_INT(c->name, identity_is_same_user(&c->caller, &c->owner), c->same_user);
        EXPECT_INT(c->name, identity_is_of(&c->owner, &c->caller), c->is_of);
        EXPECT_INT(c->name, identity_fits(&c->owner, &c->caller), c->fits);
        EXPECT_INT(c->name, identity_passes(&c->owner, &c->caller), c->passes);
    }
}

TEST(a_name_is_cut_where_its_room_ends)
{
    char room[IDENTITY_NAME_BYTES], long_id[2 * IDENTITY_NAME_BYTES];
    const struct identity one = {STR("c"), STR("acme-and-sons"), STR("ann"), STR("")};
    EXPECT_STR("whole", identity_name(&one, room), STR("13:3:acme-and-sonsannc"));
    EXPECT_STR("absent", identity_name(&(struct identity){.user_id = STR("a")}, room),
               STR("0:1:a"));
    memset(long_id, 'x', sizeof long_id);
    const struct identity far = {str_make(long_id, sizeof long_id), STR("acme"), STR("ann"),
                                 STR("")};
    EXPECT_INT("cut", identity_name(&far, room).len, IDENTITY_NAME_BYTES - 1);
    EXPECT_INT("ended", room[IDENTITY_NAME_BYTES - 1], 0);
}

TEST(the_user_and_another_conversation)
{
    const struct identity user = identity_user(&ann), other = identity_in(&ann, STR("c-2"));
    EXPECT_TRUE("the user", identity_is_same_user(&user, &ann));
    EXPECT_TRUE("in none", str_is_empty(user.conversation_id));
    EXPECT_TRUE("but not absent", !str_is_absent(user.conversation_id));
    EXPECT_TRUE("another", identity_is_same_user(&other, &ann));
    EXPECT_STR("the conversation", other.conversation_id, STR("c-2"));
}

TEST(copies_stay)
{
    char names[] = "c-1acmeann", room[sizeof names];
    const struct identity was = {{names, 3}, {names + 3, 4}, {names + 7, 3}};
    struct arena arena;
    arena_init(&arena, 4096);
    const struct identity copy = identity_copy(&arena, &was);
    EXPECT_INT("bytes", identity_bytes(&was), strlen(names));
    const struct identity in_room = identity_copy_to(room, &was);
    memset(names, 'x', sizeof names);
    EXPECT_TRUE("in the arena", identity_equal(&copy, &ann));
    EXPECT_TRUE("in the room", identity_equal(&in_room, &ann));
    arena_fini(&arena);
}

TEST(absent_names_stay_absent)
{
    struct arena arena;
    char room[1];
    arena_init(&arena, 4096);
    const struct identity user = identity_user(&one_shot);
    const struct identity copies[] = {identity_copy(&arena, &one_shot),
                                      identity_copy_to(room, &one_shot)};
    TEST_EACH(copy, copies) {
        EXPECT_TRUE("company", str_is_absent(copy->company_id));
        EXPECT_TRUE("user", str_is_absent(copy->user_id));
        EXPECT_TRUE("conversation", str_is_absent(copy->conversation_id));
    }
    EXPECT_INT("bytes", identity_bytes(&one_shot), 0);
    EXPECT_TRUE("an empty one is not",
                !str_is_absent(identity_copy(&arena, &user).conversation_id));
    arena_fini(&arena);
}

TEST(no_memory_for_a_copy)
{
    struct arena arena;
    arena_init(&arena, 0);
    const struct identity copy = identity_copy(&arena, &ann);
    EXPECT_TRUE("spent", !arena_ok(&arena));
    EXPECT_TRUE("no company", str_is_absent(copy.company_id));
    EXPECT_TRUE("no user", str_is_absent(copy.user_id));
    arena_fini(&arena);
}

RUN_TESTS(T(who_may_see_what), T(a_name_is_cut_where_its_room_ends),
          T(the_user_and_another_conversation), T(copies_stay), T(absent_names_stay_absent),
          T(no_memory_for_a_copy))
