/* SPDX-License-Identifier: MIT */
/* The contract of store, part three: notes beside the turns, and all of a user at once. */
#include "tests/contract/store_rig.h"

static const struct identity ann = {{"c-1", 3}, {"acme", 4}, {"ann", 3}};

/* ---- notes ---- */

/* The value of a note of ann's as load brings it; absent: none. */
static struct str note_of(struct store_rig *f, struct identity key, const char *name)
{
    STORE_CODE(f, "load", STORE_RUN(f, load, .key = key), ERR_OK);
    for (size_t i = 0; i < f->call.note_count; i++)
        if (str_equal(f->call.notes[i].name, str_of(name)))
            return f->call.notes[i].bytes;
    return str_make(NULL, 0);
}

STORE_TEST(notes_are_replaced_and_removed)
{
    STORE_CODE(f, "begin", store_rig_say(f, ann, 0, "a", "b"), ERR_OK);
    STORE_CODE(f, "put", STORE_RUN(f, keep, .key = ann, .note = {STR("n"), STR("1")}), ERR_OK);
    EXPECT_STR("put", note_of(f, ann, "n"), STR("1"));
    EXPECT_INT("the version stays", f->call.version, 1);
    STORE_CODE(f, "replace", STORE_RUN(f, keep, .key = ann, .note = {STR("n"), STR("2")}), ERR_OK);
    EXPECT_STR("replaced", note_of(f, ann, "n"), STR("2"));
    EXPECT_INT("one", f->call.note_count, 1);
    const struct store_note notes[] = {{STR("n"), STR("")}, {STR("m"), STR("3")}};
    STORE_CODE(f, "by save",
               STORE_RUN(f, save, .key = ann, .expected_version = 1,
                         .checkpoint = {.is_full = true, .bytes = STR("x")}, .notes = notes,
                         .note_count = 2),
               ERR_OK);
    EXPECT_TRUE("removed", str_is_absent(note_of(f, ann, "n")));
    EXPECT_STR("put", note_of(f, ann, "m"), STR("3"));
}

STORE_TEST(a_users_notes_come_with_each_conversation)
{
    const struct identity user = STORE_RIG_KEY("", "acme", "ann");
    const struct identity second = STORE_RIG_KEY("c-2", "acme", "ann");
    STORE_CODE(f, "put", STORE_RUN(f, keep, .key = user, .note = {STR("e"), STR("May")}), ERR_OK);
    EXPECT_STR("a new one", note_of(f, ann, "e"), STR("May"));
    STORE_CODE(f, "begin", store_rig_say(f, second, 0, "a", "b"), ERR_OK);
    EXPECT_STR("a begun one", note_of(f, second, "e"), STR("May"));
    EXPECT_TRUE("bob's has none",
                str_is_absent(note_of(f, STORE_RIG_KEY("c-3", "acme", "bob"), "e")));
    STORE_CODE(f, "remove", STORE_RUN(f, keep, .key = user, .note = {STR("e"), STR("")}), ERR_OK);
    EXPECT_TRUE("removed", str_is_absent(note_of(f, second, "e")));
}

/* Three of ann's conversations and two of others', each with a shared note and one of its own. */
static void share_notes(struct store_rig *f)
{
    const struct identity keys[] = {
        ann,
        STORE_RIG_KEY("c-2", "acme", "ann"),
        STORE_RIG_KEY("c-3", "acme", "ann"),
        STORE_RIG_KEY("c-4", "acme", "bob"),
        STORE_RIG_KEY("c-5", "other", "ann"),
    };
    TEST_EACH(key, keys) {
        const struct store_note notes[] = {{STR("@seen"), key->conversation_id},
                                           {STR("own"), STR("x")}};
        STORE_CODE(f, "begin",
                   STORE_RUN(f, save, .key = *key,
                             .checkpoint = {.is_full = true, .bytes = STR("x")}, .notes = notes,
                             .note_count = countof(notes)),
                   ERR_OK);
    }
}

STORE_TEST(shared_notes_come_with_the_users_other_conversations)
{
    share_notes(f);
    const struct identity keys[] = {ann, STORE_RIG_KEY("c-9", "acme", "ann")};
    TEST_EACH(key, keys) {
        bool is_new = str_equal(key->conversation_id, STR("c-9"));
        size_t shared = 0;
        STORE_CODE(f, "load", STORE_RUN(f, load, .key = *key), ERR_OK);
        EXPECT_INT("notes", f->call.note_count, is_new ? 3 : 4);
        for (size_t i = 0; i < f->call.note_count; i++) {
            const struct store_note *note = &f->call.notes[i];
            if (!str_equal(note->name, STR("@@seen")))
                continue;
            shared++;
            EXPECT_TRUE("its own is not among them",
                        is_new || !str_equal(note->bytes, key->conversation_id));
            EXPECT_TRUE("nor are others'",
                        !str_equal(note->bytes, STR("c-4")) && !str_equal(note->bytes, STR("c-5")));
        }
        EXPECT_INT("shared", shared, is_new ? 3 : 2);
    }
    STORE_CODE(f, "bob", STORE_RUN(f, load, .key = STORE_RIG_KEY("c-8", "acme", "bob")), ERR_OK);
    EXPECT_INT("his one", f->call.note_count, 1);
    STORE_CODE(f, "erase", STORE_RUN(f, erase, .key = STORE_RIG_KEY("c-3", "acme", "ann")), ERR_OK);
    STORE_CODE(f, "load", STORE_RUN(f, load, .key = ann), ERR_OK);
    EXPECT_INT("erased with its conversation", f->call.note_count, 3);
}

STORE_TEST(shared_notes_are_of_the_last_conversations)
{
    char id[16];
    const struct store_note note = {STR("@seen"), STR("x")};
    for (unsigned i = 0; i < STORE_SHARED_MOST + 4; i++) {
        snprintf(id, sizeof id, "many-%u", i);
        STORE_CODE(f, "begin",
                   STORE_RUN(f, save, .key = {str_of(id), ann.company_id, ann.user_id},
                             .checkpoint = {.is_full = true, .bytes = STR("x")}, .notes = &note,
                             .note_count = 1),
                   ERR_OK);
    }
    STORE_CODE(f, "load", STORE_RUN(f, load, .key = ann), ERR_OK);
    EXPECT_INT("no more", f->call.note_count, STORE_SHARED_MOST);
}

STORE_TEST(notes_of_a_kind_are_found_whosever_they_are)
{
    share_notes(f);
    const struct identity bob = STORE_RIG_KEY("c-4", "acme", "bob");
    STORE_CODE(f, "keep", STORE_RUN(f, keep, .key = ann, .note = {STR("mark:1"), STR("a")}),
               ERR_OK);
    STORE_CODE(f, "keep", STORE_RUN(f, keep, .key = bob, .note = {STR("mark:2"), STR("b")}),
               ERR_OK);
    STORE_CODE(f, "keep", STORE_RUN(f, keep, .key = bob, .note = {STR("mark"), STR("c")}), ERR_OK);
    STORE_CODE(f, "find", STORE_RUN(f, notes, .prefix = STR("mark:")), ERR_OK);
    EXPECT_INT("both", f->call.note_count, 2);
    for (size_t i = 0; i < f->call.note_count; i++)
        EXPECT_STR("bytes", f->call.notes[i].bytes,
                   str_equal(f->call.notes[i].name, STR("mark:1")) ? STR("a") : STR("b"));
    STORE_CODE(f, "find", STORE_RUN(f, notes, .prefix = STR("mark:"), .limit = 1), ERR_OK);
    EXPECT_INT("as many as are asked for", f->call.note_count, 1);
    STORE_CODE(f, "erase", STORE_RUN(f, erase, .key = bob), ERR_OK);
    STORE_CODE(f, "find", STORE_RUN(f, notes, .prefix = STR("mark:")), ERR_OK);
    EXPECT_INT("they go with their conversation", f->call.note_count, 1);
    STORE_CODE(f, "find", STORE_RUN(f, notes, .prefix = STR("marks:")), ERR_OK);
    EXPECT_INT("none", f->call.note_count, 0);
}

STORE_TEST(all_of_a_user_is_erased)
{
    const struct identity user = STORE_RIG_KEY("", "acme", "ann");
    share_notes(f);
    STORE_CODE(f, "note", STORE_RUN(f, keep, .key = user, .note = {STR("e"), STR("May")}), ERR_OK);
    STORE_CODE(f, "run",
               STORE_RUN(f, begin,
                         .run = {.key = STORE_RIG_KEY("lone", "acme", "ann"),
                                 .run_id = STR("r-lone"),
                                 .graph = STR("g"),
                                 .instance = STR("i")},
                         .lease_ms = 1000),
               ERR_OK);
    uint64_t removed = 0;
    do {
        STORE_CODE(f, "erase", STORE_RUN(f, erase, .key = user), ERR_OK);
        removed += f->call.total;
    } while (f->call.total > 0);
    EXPECT_INT("conversations and the run", removed, 4);
    STORE_CODE(f, "list", STORE_RUN(f, list, .key = user), ERR_OK);
    EXPECT_INT("none", f->call.summary_count, 0);
    STORE_CODE(f, "runs", STORE_RUN(f, runs, .key = user), ERR_OK);
    EXPECT_INT("none", f->call.run_count, 0);
    STORE_CODE(f, "load", STORE_RUN(f, load, .key = ann), ERR_OK);
    EXPECT_INT("no notes", f->call.note_count, 0);
    STORE_CODE(f, "others", STORE_RUN(f, load, .key = STORE_RIG_KEY("c-4", "acme", "bob")), ERR_OK);
    EXPECT_INT("untouched", f->call.note_count, 2);
    STORE_CODE(f, "others", STORE_RUN(f, load, .key = STORE_RIG_KEY("c-5", "other", "ann")),
               ERR_OK);
    EXPECT_INT("untouched", f->call.note_count, 2);
}

int main(void)
{
    static const struct CMUnitTest tests[] = {
        T(notes_are_replaced_and_removed),
        T(a_users_notes_come_with_each_conversation),
        T(shared_notes_come_with_the_users_other_conversations),
        T(shared_notes_are_of_the_last_conversations),
        T(notes_of_a_kind_are_found_whosever_they_are),
        T(all_of_a_user_is_erased),
    };
    return store_rig_main(tests, countof(tests));
}
