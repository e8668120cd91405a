/* SPDX-License-Identifier: MIT */
/* The contract of store, part one: conversations. What was saved is there, in order, for whom it
 * belongs to and for nobody else; of two who write at once one wins; what is erased is gone. */
#include "tests/contract/store_rig.h"
#include "tests/lib/starve.h"

static const struct identity ann = {{"c-1", 3}, {"acme", 4}, {"ann", 3}};

/* Everybody who is not ann, or not quite. */
static const struct identity others[] = {
    {{"c-1", 3}, {"acme", 4}, {"bob", 3}},
    {{"c-1", 3}, {"other", 5}, {"ann", 3}},
    {{"c-1", 3}, {"acme", 4}, {"an", 2}},
    {{"c-1", 3}, {"acmea", 5}, {"nn", 2}},
};

STORE_TEST(a_conversation_begins_and_goes_on)
{
    STORE_CODE(f, "not there", STORE_RUN(f, load, .key = ann), ERR_OK);
    EXPECT_INT("version", f->call.version, 0);
    EXPECT_INT("turns", f->call.turn_count, 0);
    STORE_CODE(f, "first", store_rig_say(f, ann, 0, "how many?", "ten"), ERR_OK);
    EXPECT_INT("version", f->call.version, 1);
    STORE_CODE(f, "second", store_rig_say(f, ann, 1, "", "eleven"), ERR_OK);
    EXPECT_INT("version", f->call.version, 2);
    STORE_CODE(f, "load", STORE_RUN(f, load, .key = ann), ERR_OK);
    EXPECT_INT("version", f->call.version, 2);
    EXPECT_INT("total", f->call.total, 2);
    EXPECT_INT("turns", f->call.turn_count, 2);
    const struct store_turn *turn = f->call.turns;
    EXPECT_STR("question", turn[0].question, STR("how many?"));
    EXPECT_STR("answer", turn[0].answer, STR("ten"));
    EXPECT_STR("details", turn[0].details, STR("{\"rows\":1}"));
    EXPECT_STR("run", turn[0].run_id, STR("run_1"));
    EXPECT_STR("conversation", turn[0].conversation_id, STR("c-1"));
    EXPECT_INT("number", turn[0].number, 1);
    EXPECT_INT("came with", turn[0].version, 1);
    EXPECT_TRUE("time", turn[0].time_ms > UINT64_C(1500000000000));
    EXPECT_INT("number", turn[1].number, 2);
    EXPECT_INT("came with", turn[1].version, 2);
    EXPECT_STR("empty", turn[1].question, STR(""));
}

STORE_TEST(what_is_known_is_not_sent_again)
{
    STORE_CODE(f, "first", store_rig_say(f, ann, 0, "a", "b"), ERR_OK);
    STORE_CODE(f, "same", STORE_RUN(f, load, .key = ann, .since_version = 1), ERR_OK);
    EXPECT_INT("version", f->call.version, 1);
    EXPECT_INT("total", f->call.total, 1);
    EXPECT_INT("no turns", f->call.turn_count, 0);
    STORE_CODE(f, "note", STORE_RUN(f, keep, .key = ann, .note = {STR("n"), STR("1")}), ERR_OK);
    STORE_CODE(f, "same", STORE_RUN(f, load, .key = ann, .since_version = 1), ERR_OK);
    EXPECT_INT("but notes, which change alone", f->call.note_count, 1);
    STORE_CODE(f, "second", store_rig_say(f, ann, 1, "c", "d"), ERR_OK);
    STORE_CODE(f, "newer", STORE_RUN(f, load, .key = ann, .since_version = 1), ERR_OK);
    EXPECT_INT("turns", f->call.turn_count, 2);
}

STORE_TEST(one_of_two_writers_wins)
{
    STORE_CODE(f, "first", store_rig_say(f, ann, 0, "a", "b"), ERR_OK);
    STORE_CODE(f, "again", store_rig_say(f, ann, 0, "c", "d"), ERR_CONFLICT);
    EXPECT_INT("as it is", f->call.version, 1);
    STORE_CODE(f, "too far", store_rig_say(f, ann, 2, "c", "d"), ERR_CONFLICT);
    STORE_CODE(f, "load", STORE_RUN(f, load, .key = ann), ERR_OK);
    EXPECT_INT("nothing came of it", f->call.turn_count, 1);
    STORE_CODE(f, "never begun", store_rig_say(f, STORE_RIG_KEY("c-2", "acme", "ann"), 3, "c", "d"),
               ERR_CONFLICT);
    EXPECT_INT("as it is", f->call.version, 0);
}

STORE_TEST(of_many_writers_at_once_one_wins)
{
    enum { WRITERS = 16 };
    static struct store_call calls[WRITERS];
    const struct store_save save = {.key = ann, .checkpoint = {.is_full = true, .bytes = STR("x")}};
    unsigned won = 0, lost = 0;
    for (unsigned i = 0; i < WRITERS; i++)
        store_save_start(&calls[i], f->store, &save, rig_waiter(&f->rig));
    rig_wait("all end", &f->rig, WRITERS);
    for (unsigned i = 0; i < WRITERS; i++) {
        won += calls[i].op.err.code == ERR_OK;
        lost += calls[i].op.err.code == ERR_CONFLICT;
        op_release(&calls[i].op);
    }
    EXPECT_INT("won", won, 1);
    EXPECT_INT("lost", lost, WRITERS - 1);
}

STORE_TEST(it_does_not_exist_for_others)
{
    const struct store_note note = {STR("n"), STR("secret")};
    STORE_CODE(f, "begin",
               STORE_RUN(f, save, .key = ann, .checkpoint = {.is_full = true, .bytes = STR("x")},
                         .notes = &note, .note_count = 1),
               ERR_OK);
    STORE_CODE(f, "say", store_rig_say(f, ann, 1, "secret", "secret"), ERR_OK);
    TEST_EACH(key, others) {
        STORE_CODE(f, "load", STORE_RUN(f, load, .key = *key), ERR_OK);
        EXPECT_INT("nothing", f->call.turn_count + f->call.note_count + f->call.version, 0);
        STORE_CODE(f, "since", STORE_RUN(f, load, .key = *key, .since_version = 2), ERR_OK);
        EXPECT_INT("nothing", f->call.turn_count + f->call.note_count + f->call.version, 0);
        STORE_CODE(f, "restore", STORE_RUN(f, restore, .key = *key), ERR_NOT_FOUND);
        STORE_CODE(f, "save", store_rig_say(f, *key, 2, "a", "b"), ERR_CONFLICT);
        STORE_CODE(f, "keep", STORE_RUN(f, keep, .key = *key, .note = note), ERR_NOT_FOUND);
        STORE_CODE(f, "checkpoints", STORE_RUN(f, checkpoints, .key = *key), ERR_NOT_FOUND);
        STORE_CODE(f, "erase", STORE_RUN(f, erase, .key = *key), ERR_NOT_FOUND);
        STORE_CODE(f, "list", STORE_RUN(f, list, .key = *key), ERR_OK);
        EXPECT_INT("nothing", f->call.summary_count, 0);
        STORE_CODE(f, "search", STORE_RUN(f, search, .key = *key, .text = STR("secret")), ERR_OK);
        EXPECT_INT("nothing", f->call.turn_count, 0);
    }
    STORE_CODE(f, "load", STORE_RUN(f, load, .key = ann), ERR_OK);
    EXPECT_INT("untouched", f->call.version, 2);
}

/* Each says its own number in a conversation of the one id that all of them have. */
static void expect_own(struct store_rig *f, const struct identity *key, char *said)
{
    STORE_CODE(f, "load", STORE_RUN(f, load, .key = *key), ERR_OK);
    EXPECT_INT("its turn", f->call.turn_count, 1);
    EXPECT_STR("its own", f->call.turns[0].question, str_of(said));
    EXPECT_STR("of the id", f->call.turns[0].conversation_id, key->conversation_id);
    STORE_CODE(f, "list", STORE_RUN(f, list, .key = *key), ERR_OK);
    EXPECT_INT("one", f->call.summary_count, 1);
    EXPECT_STR("its title", f->call.summaries[0].title, str_of(said));
    STORE_CODE(f, "search", STORE_RUN(f, search, .key = *key, .text = STR("number")), ERR_OK);
    EXPECT_INT("found", f->call.turn_count, 1);
    STORE_CODE(f, "restore", STORE_RUN(f, restore, .key = *key), ERR_OK);
}

STORE_TEST(an_id_is_its_owners_own)
{
    char said[countof(others)][16];
    for (size_t i = 0; i < countof(others); i++) {
        snprintf(said[i], sizeof said[i], "number %zu", i);
        STORE_CODE(f, "begin", store_rig_say(f, others[i], 0, said[i], "b"), ERR_OK);
    }
    for (size_t i = 0; i < countof(others); i++)
        expect_own(f, &others[i], said[i]);
    STORE_CODE(f, "erase", STORE_RUN(f, erase, .key = others[0]), ERR_OK);
    STORE_CODE(f, "gone", STORE_RUN(f, restore, .key = others[0]), ERR_NOT_FOUND);
    STORE_CODE(f, "prune", STORE_RUN(f, prune, .age_ms = 3600000, .instance = STR("i1")), ERR_OK);
    for (size_t i = 1; i < countof(others); i++)
        expect_own(f, &others[i], said[i]);
    STORE_CODE(f, "prune", STORE_RUN(f, prune, .instance = STR("i1")), ERR_OK);
    STORE_CODE(f, "all gone", STORE_RUN(f, restore, .key = others[1]), ERR_NOT_FOUND);
}

STORE_TEST(not_there_is_not_found)
{
    STORE_CODE(f, "restore", STORE_RUN(f, restore, .key = ann), ERR_NOT_FOUND);
    STORE_CODE(f, "checkpoints", STORE_RUN(f, checkpoints, .key = ann), ERR_NOT_FOUND);
    STORE_CODE(f, "erase", STORE_RUN(f, erase, .key = ann), ERR_NOT_FOUND);
    STORE_CODE(f, "keep", STORE_RUN(f, keep, .key = ann, .note = {STR("n"), STR("x")}),
               ERR_NOT_FOUND);
}

/* ---- checkpoints ---- */

static const struct {
    const char *bytes;
    bool is_full;
} steps[] = {{"F1", true}, {"d2", false}, {"d3", false}, {"F4", true}, {"d5", false}};

static void save_steps(struct store_rig *f)
{
    for (size_t i = 0; i < countof(steps); i++)
        STORE_CODE(f, "step",
                   STORE_RUN(f, save, .key = ann, .expected_version = i,
                             .checkpoint = {.run_id = STR("run_7"),
                                            .step = i + 10,
                                            .is_full = steps[i].is_full,
                                            .bytes = str_of(steps[i].bytes)}),
                   ERR_OK);
}

/* What restore gave, one behind the other. */
static struct str restored(struct store_rig *f)
{
    static char text[256];
    size_t len = 0;
    for (size_t i = 0; i < f->call.checkpoint_count; i++)
        len += (size_t)snprintf(text + len, sizeof text - len, "%.*s ",
                                STR_ARG(f->call.checkpoints[i].bytes));
    return str_trim(str_make(text, len));
}

STORE_TEST(a_state_is_a_full_one_and_what_follows)
{
    static const struct {
        uint64_t at;
        const char *want;
    } cases[] = {{1, "F1"}, {2, "F1 d2"}, {3, "F1 d2 d3"}, {4, "F4"}, {5, "F4 d5"}, {0, "F4 d5"}};
    save_steps(f);
    TEST_EACH(c, cases) {
        STORE_CODE(f, c->want, STORE_RUN(f, restore, .key = ann, .at_version = c->at), ERR_OK);
        EXPECT_STR("bytes", restored(f), str_of(c->want));
        EXPECT_INT("version", f->call.version, c->at == 0 ? 5 : c->at);
    }
    const struct store_checkpoint *last = &f->call.checkpoints[1];
    EXPECT_INT("version", last->version, 5);
    EXPECT_INT("step", last->step, 14);
    EXPECT_INT("full", last->is_full, false);
    EXPECT_STR("run", last->run_id, STR("run_7"));
    STORE_CODE(f, "not yet", STORE_RUN(f, restore, .key = ann, .at_version = 6), ERR_NOT_FOUND);
}

/* As long as what a store may look for an answer by. */
#define XS "xxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxx"
#define BEGINNING "\xc3\xa4" XS XS XS XS

/* A store may keep the answer of a turn and the checkpoint that comes with it as one. */
STORE_TEST(a_checkpoint_has_the_answer_of_its_turn_wherever_it_holds_it)
{
    enum { ANSWER_BYTES = 3000, MOST_BYTES = 8000 };
    static const char *const around[][3] = {
        {"", "", NULL}, {"", "\1\xff behind", NULL}, {"before \xfe\2", "", NULL},
        {"a", "b", ""}, {"a", "b", "c"},
        {BEGINNING "-", BEGINNING, NULL},
    };
    static char bytes[countof(around)][MOST_BYTES];
    static char answer[ANSWER_BYTES];
    size_t lengths[countof(around)];
    memset(answer, 'x', sizeof answer);
    memcpy(answer, "\xc3\xa4", 2);
    for (size_t i = 0; i < countof(around); i++) {
        const char *const *parts = around[i];
        const int whole = (int)sizeof answer;
        lengths[i] = (size_t)snprintf(bytes[i], MOST_BYTES, "%s%.*s%s%.*s%s", parts[0], whole,
                                      answer, parts[1], parts[2] == NULL ? 0 : whole, answer,
                                      parts[2] == NULL ? "" : parts[2]);
        bytes[i][lengths[i]++] = '\0';
        const struct store_turn turns[] = {
            {.question = STR("q"), .answer = STR("short"), .run_id = STR("r")},
            {.question = STR("q"), .answer = str_make(answer, sizeof answer), .run_id = STR("r")},
        };
        STORE_CODE(f, "save",
                   STORE_RUN(f, save, .key = ann, .expected_version = i,
                             .checkpoint = {.run_id = STR("r"),
                                            .is_full = i % 2 == 0,
                                            .bytes = str_make(bytes[i], lengths[i])},
                             .turns = turns, .turn_count = countof(turns)),
                   ERR_OK);
    }
    for (size_t i = 0; i < countof(around); i++) {
        STORE_CODE(f, "restore", STORE_RUN(f, restore, .key = ann, .at_version = i + 1), ERR_OK);
        EXPECT_INT("with its full one", f->call.checkpoint_count, 1 + i % 2);
        EXPECT_STR("bytes", f->call.checkpoints[i % 2].bytes, str_make(bytes[i], lengths[i]));
    }
}

STORE_TEST(checkpoints_are_listed_newest_first)
{
    save_steps(f);
    STORE_CODE(f, "all", STORE_RUN(f, checkpoints, .key = ann), ERR_OK);
    EXPECT_INT("all", f->call.checkpoint_count, 5);
    EXPECT_INT("newest", f->call.checkpoints[0].version, 5);
    EXPECT_INT("step", f->call.checkpoints[4].step, 10);
    EXPECT_INT("full", f->call.checkpoints[4].is_full, true);
    EXPECT_TRUE("time", f->call.checkpoints[4].time_ms > UINT64_C(1500000000000));
    EXPECT_INT("no bytes", f->call.checkpoints[4].bytes.len, 0);
    STORE_CODE(f, "page", STORE_RUN(f, checkpoints, .key = ann, .before_version = 4, .limit = 2),
               ERR_OK);
    EXPECT_INT("two", f->call.checkpoint_count, 2);
    EXPECT_INT("next", f->call.checkpoints[0].version, 3);
}

STORE_TEST(bytes_come_back_as_they_went)
{
    enum { LARGE = 1 << 20 };
    static char bytes[LARGE];
    for (size_t i = 0; i < sizeof bytes; i++)
        bytes[i] = (char)(i * 7 + (i >> 8));
    const struct str large = str_make(bytes, sizeof bytes), all = str_make(bytes, 4096);
    const struct store_turn turn = {.run_id = STR("r"),
                                    .question = STR("it's \"ü\"; -- \\"),
                                    .answer = STR("%s \xE2\x82\xAC\n\ttab"),
                                    .details = all,
                                    .partial = true};
    const struct store_note note = {STR("na'me"), all};
    STORE_CODE(f, "save",
               STORE_RUN(f, save, .key = ann, .checkpoint = {.is_full = true, .bytes = large},
                         .turns = &turn, .turn_count = 1, .notes = &note, .note_count = 1),
               ERR_OK);
    STORE_CODE(f, "restore", STORE_RUN(f, restore, .key = ann), ERR_OK);
    EXPECT_TRUE("large", str_equal(f->call.checkpoints[0].bytes, large));
    STORE_CODE(f, "load", STORE_RUN(f, load, .key = ann), ERR_OK);
    EXPECT_STR("question", f->call.turns[0].question, turn.question);
    EXPECT_STR("answer", f->call.turns[0].answer, turn.answer);
    EXPECT_TRUE("details", str_equal(f->call.turns[0].details, all));
    EXPECT_INT("partial", f->call.turns[0].partial, true);
    EXPECT_INT("notes", f->call.note_count, 1);
    EXPECT_STR("name", f->call.notes[0].name, note.name);
    EXPECT_TRUE("note", str_equal(f->call.notes[0].bytes, all));
}

/* ---- turns ---- */

static void say_five(struct store_rig *f)
{
    static const char *const questions[] = {"one", "two", "Three", "four", "five"};
    for (size_t i = 0; i < countof(questions); i++)
        STORE_CODE(f, "say", store_rig_say(f, ann, i, questions[i], "yes"), ERR_OK);
}

STORE_TEST(the_last_turns_are_loaded)
{
    static const struct {
        const char *name;
        uint64_t before, limit, at_version;
        size_t count;
        uint64_t first;
    } cases[] = {
        {"all", 0, 0, 0, 5, 1},
        {"two", 0, 2, 0, 2, 4},
        {"before the fourth", 4, 2, 0, 2, 2},
        {"before the first", 1, 2, 0, 0, 0},
        {"as of the third", 0, 2, 3, 2, 2},
        {"more than there are", 0, 100, 0, 5, 1},
    };
    say_five(f);
    TEST_EACH(c, cases) {
        STORE_CODE(f, c->name,
                   STORE_RUN(f, load, .key = ann, .before_turn = c->before, .turn_limit = c->limit,
                             .at_version = c->at_version),
                   ERR_OK);
        EXPECT_INT(c->name, f->call.turn_count, c->count);
        EXPECT_INT(c->name, f->call.total, 5);
        for (size_t i = 0; i < c->count; i++)
            EXPECT_INT(c->name, f->call.turns[i].number, c->first + i);
    }
}

STORE_TEST(several_turns_come_with_one_checkpoint)
{
    const struct store_turn turns[] = {
        {.run_id = STR("r1"), .question = STR("a"), .answer = STR("b")},
        {.run_id = STR("r2"), .question = STR("c"), .answer = STR("d")},
    };
    STORE_CODE(f, "save",
               STORE_RUN(f, save, .key = ann, .checkpoint = {.is_full = true, .bytes = STR("x")},
                         .turns = turns, .turn_count = 2),
               ERR_OK);
    STORE_CODE(f, "load", STORE_RUN(f, load, .key = ann), ERR_OK);
    EXPECT_INT("two", f->call.turn_count, 2);
    EXPECT_STR("run", f->call.turns[1].run_id, STR("r2"));
    EXPECT_INT("number", f->call.turns[1].number, 2);
}

STORE_TEST(turns_are_searched)
{
    static const struct {
        const char *text;
        size_t count;
    } cases[] = {{"two", 1}, {"TWO", 1},  {"three", 1}, {"YES", 6}, {"%", 1},
                 {"o_e", 0}, {"zero", 0}, {"i", 2},     {"'", 1}};
    say_five(f);
    STORE_CODE(f, "another",
               store_rig_say(f, STORE_RIG_KEY("c-2", "acme", "ann"), 0, "10% isn't", "Yes"),
               ERR_OK);
    STORE_CODE(f, "bob's", store_rig_say(f, STORE_RIG_KEY("c-3", "acme", "bob"), 0, "two", "yes"),
               ERR_OK);
    TEST_EACH(c, cases) {
        STORE_CODE(f, c->text, STORE_RUN(f, search, .key = ann, .text = str_of(c->text)), ERR_OK);
        EXPECT_INT(c->text, f->call.turn_count, c->count);
        for (size_t i = 1; i < f->call.turn_count; i++)
            EXPECT_TRUE("newest first", f->call.turns[i].time_ms <= f->call.turns[i - 1].time_ms);
    }
    STORE_CODE(f, "two of six", STORE_RUN(f, search, .key = ann, .text = STR("yes"), .limit = 2),
               ERR_OK);
    EXPECT_INT("two", f->call.turn_count, 2);
}

STORE_TEST(conversations_are_listed)
{
    const struct identity second = STORE_RIG_KEY("c-2", "acme", "ann");
    say_five(f);
    STORE_CODE(f, "another", store_rig_say(f, second, 0, "hello", "there"), ERR_OK);
    STORE_CODE(f, "bob's", store_rig_say(f, STORE_RIG_KEY("c-3", "acme", "bob"), 0, "x", "y"),
               ERR_OK);
    STORE_CODE(f, "list", STORE_RUN(f, list, .key = ann), ERR_OK);
    EXPECT_INT("two", f->call.summary_count, 2);
    const struct store_summary *first = &f->call.summaries[0], *other = &f->call.summaries[1];
    EXPECT_TRUE("last changed first", first->changed_ms >= other->changed_ms);
    if (!str_equal(other->conversation_id, STR("c-1"))) { /* both in one millisecond */
        first = &f->call.summaries[1];
        other = &f->call.summaries[0];
    }
    EXPECT_STR("id", first->conversation_id, STR("c-2"));
    EXPECT_STR("title", other->title, STR("one"));
    EXPECT_INT("turns", other->turns, 5);
    EXPECT_INT("version", other->version, 5);
    EXPECT_TRUE("began", other->began_ms <= other->changed_ms && other->began_ms > 0);
    STORE_CODE(f, "one", STORE_RUN(f, list, .key = ann, .limit = 1), ERR_OK);
    EXPECT_INT("one", f->call.summary_count, 1);
    STORE_CODE(f, "none", STORE_RUN(f, list, .key = ann, .before_ms = 1), ERR_OK);
    EXPECT_INT("none", f->call.summary_count, 0);
}

/* ---- the end ---- */

STORE_TEST(what_is_erased_is_gone)
{
    const struct identity second = STORE_RIG_KEY("c-2", "acme", "ann");
    STORE_CODE(f, "say", store_rig_say(f, second, 0, "one", "yes"), ERR_OK);
    say_five(f);
    STORE_CODE(f, "note", STORE_RUN(f, keep, .key = ann, .note = {STR("n"), STR("1")}), ERR_OK);
    STORE_CODE(f, "erase", STORE_RUN(f, erase, .key = ann), ERR_OK);
    STORE_CODE(f, "again", STORE_RUN(f, erase, .key = ann), ERR_NOT_FOUND);
    STORE_CODE(f, "load", STORE_RUN(f, load, .key = ann), ERR_OK);
    EXPECT_INT("gone", f->call.version + f->call.turn_count + f->call.note_count, 0);
    STORE_CODE(f, "search", STORE_RUN(f, search, .key = ann, .text = STR("one")), ERR_OK);
    EXPECT_INT("the other's", f->call.turn_count, 1);
    STORE_CODE(f, "anew", store_rig_say(f, ann, 0, "new", "life"), ERR_OK);
    STORE_CODE(f, "load", STORE_RUN(f, load, .key = ann), ERR_OK);
    EXPECT_INT("from the beginning", f->call.turns[0].number, 1);
    EXPECT_INT("nothing old", f->call.turn_count, 1);
}

STORE_TEST(what_is_old_is_pruned)
{
    enum { HOUR_MS = 3600000 };
    const struct identity second = STORE_RIG_KEY("c-2", "acme", "ann");
    say_five(f);
    STORE_CODE(f, "say", store_rig_say(f, second, 0, "one", "yes"), ERR_OK);
    STORE_CODE(f, "nothing old",
               STORE_RUN(f, prune, .age_ms = HOUR_MS, .lock_ms = HOUR_MS, .instance = STR("i1")),
               ERR_OK);
    EXPECT_INT("none", f->call.total, 0);
    STORE_CODE(f, "another's turn", STORE_RUN(f, prune, .lock_ms = HOUR_MS, .instance = STR("i2")),
               ERR_BUSY);
    STORE_CODE(f, "one", STORE_RUN(f, prune, .limit = 1, .instance = STR("i1")), ERR_OK);
    EXPECT_INT("one", f->call.total, 1);
    STORE_CODE(f, "list", STORE_RUN(f, list, .key = ann), ERR_OK);
    EXPECT_INT("one left", f->call.summary_count, 1);
    STORE_CODE(f, "the rest", STORE_RUN(f, prune, .instance = STR("i2")), ERR_OK);
    EXPECT_INT("one", f->call.total, 1);
    STORE_CODE(f, "done", STORE_RUN(f, prune, .instance = STR("i2")), ERR_OK);
    EXPECT_INT("none", f->call.total, 0);
    STORE_CODE(f, "load", STORE_RUN(f, load, .key = ann), ERR_OK);
    EXPECT_INT("gone", f->call.version + f->call.turn_count, 0);
}

STORE_TEST(it_outlives_the_process)
{
    if (!f->of->is_lasting)
        return;
    say_five(f);
    store_rig_reopen(f);
    STORE_CODE(f, "load", STORE_RUN(f, load, .key = ann), ERR_OK);
    EXPECT_INT("all", f->call.turn_count, 5);
    STORE_CODE(f, "goes on", store_rig_say(f, ann, 5, "six", "no"), ERR_OK);
}

/* ---- sweeps ---- */

STORE_TEST(cancelled_at_every_turn)
{
    say_five(f);
    const struct store_load load = {.key = ann};
    bool whole = false;
    for (unsigned turns = 0; !whole; turns = rig_after(turns)) {
        unsigned before = f->rig.done_calls;
        store_load_start(store_rig_fresh(f), f->store, &load, rig_waiter(&f->rig));
        whole = rig_turn(&f->rig, turns, before + 1);
        op_cancel(&f->call.op);
        op_cancel(&f->call.op);
        rig_wait("ends once", &f->rig, before + 1);
        EXPECT_TRUE("cancelled or whole",
                    f->call.op.err.code == ERR_CANCELLED ||
                        (f->call.op.err.code == ERR_OK && f->call.turn_count == 5));
    }
}

STORE_TEST(closed_with_calls_in_flight)
{
    enum { CALLS = 8 };
    static struct store_call calls[CALLS];
    const struct store_load load = {.key = ann};
    for (unsigned i = 0; i < CALLS; i++)
        store_load_start(&calls[i], f->store, &load, rig_waiter(&f->rig));
    store_close(f->store, rig_on_closed, &f->rig);
    f->store = NULL;
    rig_wait("all end", &f->rig, CALLS);
    assert_true(loop_run_dry(f->rig.loop, RIG_TURNS));
    EXPECT_INT("closed", f->rig.closed_calls, 1);
    f->rig.closed_calls = 0;
    for (unsigned i = 0; i < CALLS; i++)
        op_release(&calls[i].op);
}

static void close_at_done(struct rig *rig)
{
    struct store_rig *f = container_of(rig, struct store_rig, rig);
    store_close(f->store, rig_on_closed, rig);
    f->store = NULL;
    EXPECT_INT("not from inside", rig->closed_calls, 0);
}

STORE_TEST(closed_from_inside_a_done)
{
    enum { CALLS = 4 };
    static struct store_call calls[CALLS];
    const struct store_load load = {.key = ann};
    say_five(f);
    op_release(&f->call.op);
    unsigned before = f->rig.done_calls;
    f->rig.at_done = close_at_done;
    for (unsigned i = 0; i < CALLS; i++)
        store_load_start(&calls[i], f->store, &load, rig_waiter(&f->rig));
    rig_wait("all end", &f->rig, before + CALLS);
    assert_true(loop_run_dry(f->rig.loop, RIG_TURNS));
    EXPECT_INT("closed", f->rig.closed_calls, 1);
    f->rig.closed_calls = 0;
    for (unsigned i = 0; i < CALLS; i++) {
        EXPECT_TRUE("whole or cancelled",
                    calls[i].op.err.code == ERR_OK || calls[i].op.err.code == ERR_CANCELLED);
        op_release(&calls[i].op);
    }
}

STORE_TEST(the_nth_allocation_fails)
{
    say_five(f);
    enum err_code code = ERR_NO_MEMORY;
    for (unsigned n = 1; code != ERR_OK; n++) {
        store_rig_fresh(f);
        mem_fail_nth(n);
        code = STORE_RUN(f, load, .key = ann);
        mem_fail_nth(0);
        EXPECT_TRUE("all or an error", code != ERR_OK || f->call.turn_count == 5);
        EXPECT_TRUE("the sweep ends", n < 1000);
    }
}

/* libpq forgets an answer for which it had no memory: the deadline ends the call. */
static void reopen_with_little_patience(struct store_rig *f)
{
    enum { PATIENCE_MS = 300 };
    struct err err;
    store_rig_reopen(f);
    if (strcmp(f->of->name, "postgres") != 0)
        return;
    store_close(f->store, NULL, NULL);
    f->store = store_pg_create(
        f->rig.loop, &(struct store_pg_options){.url = f->place, .timeout_ms = PATIENCE_MS}, &err);
    assert_non_null(f->store);
}

/* A verb of one's own things that are called n. */
typedef enum err_code play_fn(struct store_rig *f, const char *n);

static enum err_code play_load(struct store_rig *f, const char *n)
{
    (void)n;
    enum err_code code = STORE_RUN(f, load, .key = ann);
    EXPECT_TRUE("all or an error", code != ERR_OK || f->call.turn_count == 5);
    return code;
}

static enum err_code play_save(struct store_rig *f, const char *n)
{
    const struct identity key = {str_of(n), STR("acme"), STR("ann")};
    return store_rig_say(f, key, 0, "how many?", "ten");
}

static enum err_code play_erase(struct store_rig *f, const char *n)
{
    const struct identity key = {str_of(n), STR("acme"), STR("ann")};
    enum err_code code = STORE_RUN(f, erase, .key = key);
    return code == ERR_NOT_FOUND ? ERR_OK : code;
}

static enum err_code play_list(struct store_rig *f, const char *n)
{
    (void)n;
    return STORE_RUN(f, runs, .key = ann, .limit = 10);
}

static enum err_code play_begin(struct store_rig *f, const char *n)
{
    return STORE_RUN(f, begin, .run = {.key = ann, .run_id = str_of(n), .instance = STR("i")},
                     .lease_ms = 60000);
}

static enum err_code play_append(struct store_rig *f, const char *n)
{
    enum err_code code = STORE_RUN(f, append, .fence = {str_of(n), STR("i"), 1},
                                   .batch = {1, 2, STR("one and two")});
    return code == ERR_NOT_FOUND || code == ERR_CONFLICT ? ERR_OK : code; /* it was not begun */
}

static enum err_code play_finish(struct store_rig *f, const char *n)
{
    enum err_code code =
        STORE_RUN(f, finish, .fence = {str_of(n), STR("i"), 1}, .status = STORE_COMPLETE);
    return code == ERR_NOT_FOUND || code == ERR_CONFLICT ? ERR_OK : code;
}

static bool play_starved(struct store_rig *f, play_fn *play, uint64_t n, uint64_t count)
{
    enum { BACK_MS = 60000 };
    char name[32];
    snprintf(name, sizeof name, "s-%llu", (unsigned long long)n);
    reopen_with_little_patience(f);
    starve_at(n, count);
    enum err_code code = play(f, name);
    bool was_starved = starve_end() >= n;
    uint64_t until_ms = loop_now_ms(f->rig.loop) + BACK_MS;
    while (code != ERR_OK && loop_now_ms(f->rig.loop) < until_ms)
        code = play_load(f, name);
    STORE_CODE(f, "goes on", code, ERR_OK);
    return was_starved;
}

/* Allocations of the store's library, on whatever thread it is at work. A call ends once, with all
 * or with an error, and the store goes on afterwards. */
STORE_TEST(the_nth_allocation_of_a_library_fails)
{
    static play_fn *const plays[] = {play_load,   play_save, play_begin, play_append,
                                     play_finish, play_list, play_erase};
    static const uint64_t counts[] = {1, 20};
    if (!f->of->is_lasting)
        return;
    say_five(f);
    TEST_EACH(count, counts) {
        bool is_wanted = *count == 1 || strcmp(f->of->name, "postgres") != 0; /* it takes long */
        for (size_t i = 0; is_wanted && i < countof(plays); i++)
            for (uint64_t n = 1; play_starved(f, plays[i], n, *count);
                 n += i == 0 || n < 50 ? 1 : 1 + n / 8)
                EXPECT_TRUE("the sweep ends", n < 20000);
    }
}

int main(void)
{
    static const struct CMUnitTest tests[] = {
        T(a_conversation_begins_and_goes_on),
        T(what_is_known_is_not_sent_again),
        T(one_of_two_writers_wins),
        T(of_many_writers_at_once_one_wins),
        T(it_does_not_exist_for_others),
        T(an_id_is_its_owners_own),
        T(not_there_is_not_found),
        T(a_state_is_a_full_one_and_what_follows),
        T(a_checkpoint_has_the_answer_of_its_turn_wherever_it_holds_it),
        T(checkpoints_are_listed_newest_first),
        T(bytes_come_back_as_they_went),
        T(the_last_turns_are_loaded),
        T(several_turns_come_with_one_checkpoint),
        T(turns_are_searched),
        T(conversations_are_listed),
        T(what_is_erased_is_gone),
        T(what_is_old_is_pruned),
        T(it_outlives_the_process),
        T(cancelled_at_every_turn),
        T(closed_with_calls_in_flight),
        T(closed_from_inside_a_done),
        T(the_nth_allocation_fails),
        T(the_nth_allocation_of_a_library_fails),
    };
    return store_rig_main(tests, countof(tests));
}
