/* SPDX-License-Identifier: MIT */
/* What is remembered beside the messages: tiers and their extracts, mentions and what a word means
 * by them, notes of a conversation and of a user. */
#include "tests/lib/test.h"

#include <stdio.h>

#include "agents/memory/elsewhere.h"
#include "agents/memory/extracts.h"
#include "agents/memory/history.h"
#include "agents/memory/mentions.h"
#include "agents/memory/notice.h"
#include "agents/memory/recall.h"
#include "agents/memory/tiers.h"
#include "core/base/mem.h"
#include "tests/unit/offline/world.h"

static const struct identity alice = {{"c1", 2}, {"acme", 4}, {"alice", 5}};

/* ---- tiers ---- */

TEST(tiers_are_made_once_and_bounded)
{
    struct tiers tiers = {0};
    struct arena arena;
    struct buf note;
    uint64_t first, last, made = 0, joined = 0;
    arena_init(&arena, 1 << 20);
    buf_init(&note, 16 << 10);
    for (uint64_t turns = 1; turns <= 1000; turns++) {
        if (!tiers_due(&tiers, turns, &first, &last))
            continue;
        made++;
        EXPECT_INT("what comes next", first, tiers_covered(&tiers) + 1);
        EXPECT_TRUE("the last ten messages are not", last + TIERS_FULL <= turns);
        tiers_add(&tiers, last, STR("part"));
        if (tiers_overflows(&tiers)) {
            joined++;
            tiers_join(&tiers, STR("earlier"));
        }
        EXPECT_TRUE("40 messages in parts", tiers.part_count <= TIERS_PARTS);
    }
    EXPECT_INT("one in five turns", made, (1000 - TIERS_FULL) / TIERS_PART);
    EXPECT_INT("the rest joined", joined, made - TIERS_PARTS);
    EXPECT_INT("covered", tiers_covered(&tiers), 995);
    EXPECT_INT("earlier", tiers.earlier.last, 975);
    tiers_write(&tiers, &note);
    struct tiers again;
    EXPECT_TRUE("reads", tiers_read(&again, buf_str(&note), &arena));
    EXPECT_INT("parts", again.part_count, TIERS_PARTS);
    EXPECT_INT("covered", tiers_covered(&again), 995);
    buf_clear(&note);
    tiers_render(&again, &note);
    EXPECT_TRUE(
        "rendered",
        str_starts_with(buf_str(&note), STR("Turns 1 to 975: earlier\nTurns 976 to 980: part\n")));
    buf_fini(&note);
    arena_fini(&arena);
}

TEST(tiers_that_do_not_read_are_none)
{
    static const struct {
        const char *name, *note;
        bool reads;
    } cases[] = {
        {"none", "", true},
        {"no parts", "{\"parts\":[]}", true},
        {"not JSON", "{\"parts\":[", false},
        {"no object", "[]", false},
        {"no text", "{\"parts\":[{\"last\":5}]}", false},
        {"turns go back", "{\"parts\":[{\"last\":5,\"text\":\"a\"},{\"last\":5,\"text\":\"b\"}]}",
         false},
        {"negative", "{\"earlier\":{\"last\":-1,\"text\":\"a\"},\"parts\":[]}", false},
        {"too many",
         "{\"parts\":[{\"last\":1,\"text\":\"\"},{\"last\":2,\"text\":\"\"},{\"last\":3,\"text\":"
         "\"\"},"
         "{\"last\":4,\"text\":\"\"},{\"last\":5,\"text\":\"\"}]}",
         false},
    };
    TEST_EACH(c, cases) {
        struct arena arena;
        struct tiers tiers;
        arena_init(&arena, 1 << 16);
        EXPECT_INT(c->name, tiers_read(&tiers, str_of(c->note), &arena), c->reads);
        EXPECT_INT(c->name, tiers_covered(&tiers), 0);
        arena_fini(&arena);
    }
}

TEST(extracts_say_what_was_said)
{
    struct buf talk, out;
    buf_init(&talk, 1 << 16);
    buf_init(&out, 1 << 16);
    extracts_push_turn(&talk, STR("How many\njobs?"), STR("There are 12. Most of them are open."));
    extracts_push_turn(&talk, STR("And in May?"), STR("3"));
    extracts_sum_up(buf_str(&talk), 1200, &out);
    EXPECT_STR("lines", buf_str(&out), STR("How many jobs? There are 12.\nAnd in May? 3"));
    for (unsigned i = 0; i < 40; i++)
        extracts_push_turn(&talk, STR("What is the name of the one with the most hours?"),
                           STR("Ann Lee"));
    buf_clear(&out);
    extracts_sum_up(buf_str(&talk), 1200, &out);
    EXPECT_TRUE("bounded", buf_len(&out) <= 1200);
    EXPECT_TRUE("says so",
                str_starts_with(buf_str(&out), STR("(What was said before is left out.)\nWhat")));
    EXPECT_TRUE("the newest", str_ends_with(buf_str(&out), STR("hours? Ann Lee")));
    struct str once = buf_str(&out);
    struct buf twice;
    buf_init(&twice, 1 << 16);
    extracts_sum_up(once, 1200, &twice);
    EXPECT_STR("a summary of a summary is itself", str_trim(buf_str(&twice)),
               str_trim(str_from(once, sizeof "(What was said before is left out.)")));
    buf_fini(&twice);
    buf_fini(&talk);
    buf_fini(&out);
}

/* ---- mentions ---- */

static void mention(struct mentions *to, enum mention_sort sort, const char *kind,
                    const char *value, struct arena *arena)
{
    mentions_add(to, &(struct mention){sort, str_of(kind), str_of(value)}, arena);
}

TEST(words_mean_the_last_mentioned)
{
    static const struct {
        const char *question, *meant; /* NULL: itself */
    } cases[] = {
        {"How many hours did she work?", "How many hours did employee Ann Lee work?"},
        {"What is HIS rate?", "What is employee Ann Lee rate?"},
        {"Is he, or was he?", "Is employee Ann Lee, or was employee Ann Lee?"},
        {"What is the status of that work order?", "What is the status of work order 42?"},
        {"Who booked this work order and her hours?", "Who booked work order 42 and her hours?"},
        {"Which employee has the most hours, and what is his rate?", NULL},
        {"How many others are there?", NULL},
        {"The theory of that thing", NULL},
        {"that work orders", NULL},
        {"that", NULL},
        {"that ", NULL},
        {"", NULL},
    };
    struct mentions mentions = {0};
    struct arena arena;
    arena_init(&arena, 1 << 20);
    mention(&mentions, MENTION_PERSON, "employee", "Bob Ray", &arena);
    mention(&mentions, MENTION_THING, "work order", "42", &arena);
    mention(&mentions, MENTION_PERSON, "employee", "Ann Lee", &arena);
    mention(&mentions, MENTION_TIME, "date", "2025-05-01", &arena);
    TEST_EACH(c, cases) {
        struct str meant = mentions_resolve(&mentions, str_of(c->question), &arena);
        EXPECT_INT(c->question, str_is_absent(meant), c->meant == NULL);
        if (c->meant != NULL)
            EXPECT_STR(c->question, meant, str_of(c->meant));
    }
    struct mentions nobody = {0};
    EXPECT_TRUE("nobody", str_is_absent(mentions_resolve(&nobody, STR("Is she?"), &arena)));
    arena_fini(&arena);
}

TEST(mentions_are_bounded_and_clean)
{
    struct mentions mentions = {0}, again = {0};
    struct arena arena;
    struct buf note;
    char value[512];
    arena_init(&arena, 1 << 20);
    buf_init(&note, 1 << 16);
    for (unsigned i = 0; i < 100; i++) {
        snprintf(value, sizeof value, "%u\tline\nend %0400u", i, i);
        mention(&mentions, MENTION_THING, "job", value, &arena);
    }
    EXPECT_INT("count", mentions.count, MENTIONS_MOST);
    mention(&mentions, MENTION_THING, "job", "", &arena);
    mention(&mentions, MENTION_THING, "", "x", &arena);
    EXPECT_INT("nothing is none", mentions.count, MENTIONS_MOST);
    EXPECT_TRUE("the last first", str_starts_with(mentions.at[0].value, STR("99 line end ")));
    mentions_write(&mentions, &note);
    EXPECT_TRUE("bytes", buf_len(&note) <= MENTIONS_BYTES);
    mentions_read(&again, buf_str(&note));
    EXPECT_TRUE("some", again.count > 10);
    EXPECT_STR("as it was", again.at[0].value, mentions.at[0].value);
    struct mentions nonsense = {0};
    mentions_read(&nonsense, STR("x\ty\tz\np\n\np\tkind\npp\ta\tb\np\ta\tb\np\tA\tB\n"));
    EXPECT_INT("only what is one, once", nonsense.count, 1);
    buf_fini(&note);
    arena_fini(&arena);
}

TEST(a_mention_again_moves_to_the_front)
{
    struct mentions mentions = {0};
    struct arena arena;
    struct buf out;
    arena_init(&arena, 1 << 16);
    buf_init(&out, 1 << 12);
    mention(&mentions, MENTION_PERSON, "employee", "Ann", &arena);
    mention(&mentions, MENTION_TIME, "date", "2025-05-01", &arena);
    mention(&mentions, MENTION_PERSON, "employee", "Bob", &arena);
    mention(&mentions, MENTION_PERSON, "employee", "ann", &arena);
    mentions_render(&mentions, &out);
    EXPECT_STR("rendered", buf_str(&out), STR("employee: ann, Bob; date: 2025-05-01"));
    buf_fini(&out);
    arena_fini(&arena);
}

/* ---- noticing ---- */

static void noticed(const char *sql, const char *result, struct buf *out)
{
    struct world w;
    struct mentions mentions = {0};
    world_init(&w);
    const struct knowledge knows = {
        .dialect = SQL_SQLITE, .catalog = w.catalog, .lexicon = w.lexicon};
    const char *rule;
    struct err err;
    const struct sql_parse *parse = NULL; /* also where it cannot be had */
    enum err_code code = sql_parse_statement(knows.dialect, str_of(sql), knows.catalog, &w.arena,
                                             &parse, &rule, &err);
    assert_true((code == ERR_OK) == (parse != NULL));
    notice_turn(&knows, parse, str_of(result), &mentions, &w.arena);
    buf_clear(out);
    mentions_render(&mentions, out);
    world_fini(&w);
}

TEST(what_a_turn_spoke_of)
{
    static const struct {
        const char *name, *sql, *result, *want;
    } cases[] = {
        {"compared with",
         "SELECT COUNT(*) FROM author a WHERE a.firstName = 'Mary' AND a.lastName = 'Shelley'",
         "{\"columns\":[\"COUNT(*)\"],\"rows\":[[1]]}", "author: Mary Shelley"},
        {"one row", "SELECT a.firstName, a.lastName, a.id, 2 AS n FROM author a",
         "{\"columns\":[\"firstName\",\"lastName\",\"id\",\"n\"],\"rows\":[[\"Mary\",\"Shelley\",3,"
         "2]]}",
         "author: Mary Shelley"},
        {"rows in order", "SELECT name FROM products",
         "{\"columns\":[\"name\"],\"rows\":[[\"Kettle\"],[\"Pot\"]]}", "product: Kettle, Pot"},
        {"many rows", "SELECT name FROM products",
         "{\"columns\":[\"name\"],\"rows\":[[\"a\"],[\"b\"],[\"c\"],[\"d\"]]}", ""},
        {"a number", "SELECT status FROM orders WHERE id = 5", "", "order: 5"},
        {"a reference", "SELECT id FROM orders WHERE client_id = 7", "", "client: 7"},
        {"a date, not its end",
         "SELECT id FROM orders WHERE created_at >= '2024-05-01' AND created_at < '2024-06-01'", "",
         "date: 2024-05-01"},
        {"private", "SELECT email FROM clients WHERE email = 'a@b.c'",
         "{\"columns\":[\"email\"],\"rows\":[[\"a@b.c\"]]}", ""},
        {"private under another name", "SELECT email AS name FROM clients",
         "{\"columns\":[\"name\"],\"rows\":[[\"a@b.c\"]]}", ""},
        {"hidden", "SELECT secret_note AS name FROM clients",
         "{\"columns\":[\"name\"],\"rows\":[[\"x\"]]}", ""},
        {"private, made into more", "SELECT upper(email) AS name FROM clients",
         "{\"columns\":[\"name\"],\"rows\":[[\"A@B.C\"]]}", ""},
        {"a star that shows less", "SELECT * FROM clients",
         "{\"columns\":[\"id\",\"name\",\"city\"],\"rows\":[[1,\"Ada Stone\",\"Oslo\"]]}", ""},
        {"a union", "SELECT name FROM products UNION SELECT email FROM clients",
         "{\"columns\":[\"name\"],\"rows\":[[\"a@b.c\"]]}", ""},
        {"a derived table", "SELECT name FROM (SELECT email AS name FROM clients) t",
         "{\"columns\":[\"name\"],\"rows\":[[\"a@b.c\"]]}", ""},
        {"a row too short", "SELECT id, name FROM products",
         "{\"columns\":[\"id\",\"name\"],\"rows\":[[\"x\"]]}", ""},
        {"one of several", "SELECT id FROM products WHERE name = 'a' OR name = 'b'", "",
         "product: b"},
        {"a pattern", "SELECT id FROM products WHERE name LIKE 'Ket%'", "", ""},
        {"quotes", "SELECT id FROM products WHERE name = 'it''s'", "", ""},
        {"no statement", "CANNOT: no", "", ""},
        {"nothing", "", "", ""},
    };
    struct buf out;
    buf_init(&out, 1 << 12);
    TEST_EACH(c, cases) {
        noticed(c->sql, c->result, &out);
        EXPECT_STR(c->name, buf_str(&out), str_of(c->want));
    }
    buf_fini(&out);
}

/* ---- in memory and between it and the store ---- */

TEST(notes_belong_to_their_conversation_and_user)
{
    static const struct identity bob = {{"c1", 2}, {"acme", 4}, {"bob", 3}};
    static const struct identity other = {{"c2", 2}, {"acme", 4}, {"alice", 5}};
    struct history *history = history_create(1 << 20);
    struct mentions mentions;
    history_set_note(history, &alice, HISTORY_SUMMARY, STR("none yet"));
    EXPECT_STR("no conversation, no note", history_note(history, &alice, HISTORY_SUMMARY), STR(""));
    EXPECT_INT("say", history_append(history, &alice, LLM_USER, STR("q"), false), ERR_OK);
    const struct store_note notes[] = {
        {STR("summary"), STR("{\"parts\":[]}")},
        {STR("@mentioned"), STR("p\temployee\tAnn\n")},
        {STR("@@mentioned"), STR("p\temployee\tBob\n")},
        {STR("@@mentioned"), STR("t\tjob\t7\np\temployee\tAnn\n")},
        {STR("statement"), STR("SELECT 1")},
        {STR("other"), STR("x")},
    };
    recall_take(history, &alice, notes, countof(notes), true);
    recall_mentions(history, &alice, true, &mentions);
    EXPECT_INT("each once", mentions.count, 3);
    EXPECT_STR("here first", mentions.at[0].value, STR("Ann"));
    EXPECT_STR("then elsewhere", mentions.at[1].value, STR("Bob"));
    recall_mentions(history, &alice, false, &mentions);
    EXPECT_INT("here alone", mentions.count, 1);
    EXPECT_STR("statement", history_note(history, &alice, HISTORY_STATEMENT), STR("SELECT 1"));
    EXPECT_STR("summary", history_note(history, &alice, HISTORY_SUMMARY), STR("{\"parts\":[]}"));
    recall_mentions(history, &bob, true, &mentions);
    EXPECT_INT("nothing for others", mentions.count, 0);
    recall_mentions(history, &other, true, &mentions);
    EXPECT_INT("elsewhere, in a new one", mentions.count, 3);
    struct store_note given[RECALL_NOTES];
    EXPECT_INT("given", recall_give(history, &alice, given), 2);
    EXPECT_STR("its own", given[0].bytes, STR("p\temployee\tAnn\n"));
    EXPECT_STR("and its statement", given[1].bytes, STR("SELECT 1"));
    recall_take(history, &alice, notes, 0, false);
    recall_mentions(history, &alice, true, &mentions);
    EXPECT_INT("the others were erased", mentions.count, 1);
    EXPECT_INT("say", history_append(history, &other, LLM_USER, STR("q"), false), ERR_OK);
    history_set_note(history, &other, HISTORY_ELSEWHERE, STR("t\tjob\t8\n"));
    history_forget_user(history, &bob);
    EXPECT_INT("another's", history_count(history, &other), 1);
    history_forget_user(history, &alice);
    EXPECT_INT("all of the user", history_count(history, &other), 0);
    EXPECT_STR("elsewhere, too", history_note(history, &other, HISTORY_ELSEWHERE), STR(""));
    EXPECT_INT("say", history_append(history, &alice, LLM_USER, STR("q"), false), ERR_OK);
    EXPECT_TRUE("forget", history_forget(history, &alice));
    EXPECT_STR("gone", history_note(history, &alice, HISTORY_MENTIONED), STR(""));
    history_destroy(history);
}

TEST(what_a_question_meant_is_kept)
{
    struct history *history = history_create(1 << 20);
    struct history_message messages[2];
    EXPECT_INT("q", history_append(history, &alice, LLM_USER, STR("and her?"), false), ERR_OK);
    EXPECT_INT("a", history_append(history, &alice, LLM_ASSISTANT, STR("7"), false), ERR_OK);
    history_set_meant(history, &alice, STR("and Ann?"));
    EXPECT_INT("both", history_last(history, &alice, messages, 2), 2);
    EXPECT_STR("meant", messages[0].meant, STR("and Ann?"));
    EXPECT_TRUE("an answer means itself", str_is_absent(messages[1].meant));
    EXPECT_INT("said", history_said(history, &alice), 2);
    history_set_said(history, &alice, 100);
    EXPECT_INT("again", history_append(history, &alice, LLM_USER, STR("q"), false), ERR_OK);
    EXPECT_INT("counts on", history_said(history, &alice), 101);
    history_destroy(history);
}

#define USER(company, user) (&(const struct identity){STR(""), STR(company), STR(user)})

TEST(users_elsewhere_are_bounded)
{
    struct elsewhere *elsewhere = elsewhere_create(2);
    static char large[2 * ELSEWHERE_BYTES];
    memset(large, 'x', sizeof large);
    large[99] = '\n';
    elsewhere_set(elsewhere, USER("a", "bc"), STR("one"));
    elsewhere_set(elsewhere, USER("ab", "c"), STR("two"));
    EXPECT_STR("names are not run together", elsewhere_get(elsewhere, USER("a", "bc")), STR("one"));
    elsewhere_set(elsewhere, USER("a", "bc"), STR("three"));
    elsewhere_set(elsewhere, USER("d", "e"), str_make(large, sizeof large));
    EXPECT_STR("the stalest goes", elsewhere_get(elsewhere, USER("ab", "c")), STR(""));
    EXPECT_STR("replaced", elsewhere_get(elsewhere, USER("a", "bc")), STR("three"));
    EXPECT_INT("whole lines", elsewhere_get(elsewhere, USER("d", "e")).len, 100);
    elsewhere_set(elsewhere, USER("d", "e"), STR(""));
    EXPECT_STR("removed", elsewhere_get(elsewhere, USER("d", "e")), STR(""));
    elsewhere_destroy(elsewhere);
}

TEST(the_nth_allocation_fails)
{
    for (unsigned n = 1; n < 60; n++) {
        struct history *history;
        mem_fail_nth(n);
        history = history_create(1 << 20);
        if (history != NULL) {
            (void)!history_append(history, &alice, LLM_USER, STR("q"), false);
            history_set_note(history, &alice, HISTORY_SUMMARY, STR("s"));
            history_set_note(history, &alice, HISTORY_ELSEWHERE, STR("p\ta\tb\n"));
            history_set_meant(history, &alice, STR("m"));
        }
        mem_fail_nth(0);
        history_destroy(history);
    }
}

TEST(tiers_are_cut_to_what_was_said)
{
    static const struct {
        uint64_t turns, covered, earlier;
    } cases[] = {{60, 50, 30}, {55, 50, 30}, {54, 45, 30}, {41, 35, 30},
                 {39, 30, 30}, {35, 30, 30}, {34, 0, 0},   {0, 0, 0}};
    TEST_EACH(c, cases) {
        struct tiers tiers = {.earlier = {30, STR("a")}};
        for (uint64_t last = 35; last <= 50; last += 5)
            tiers_add(&tiers, last, STR("p"));
        tiers_cut(&tiers, c->turns);
        EXPECT_INT("covered", tiers_covered(&tiers), c->covered);
        EXPECT_INT("earlier", tiers.earlier.last, c->earlier);
    }
}

TEST(a_fork_has_the_notes_of_its_turns)
{
    static const struct store_turn turns[] = {
        {.question = {"Who has the most hours?", 23}, .answer = {"Vera Brown.", 11}},
        {.question = {"And in May?", 11},
         .answer = {"", 0},
         .details = {"{\"sql\":\"... >= '2025-05-01'\"}", 30}}};
    static const char summary[] = "{\"parts\":[{\"last\":5,\"text\":\"s\"}]}";
    const struct store_note notes[] = {
        {STR("@@mentioned"), STR("p\temployee\tVera Brown\n")}, /* of another conversation */
        {STR("@mentioned"),
         STR("p\temployee\tHugo Novak\nd\tdate\t2025-05-01\np\temployee\tVera Brown\n")},
        {STR("langgraph.metadata"), STR("{}")},
        {STR("summary"), str_of(summary)}};
    const struct store_call loaded = {
        .turns = turns, .turn_count = 2, .notes = notes, .note_count = countof(notes)};
    struct arena arena;
    size_t count;
    arena_init(&arena, 1 << 16);
    const struct store_note *kept = recall_fork(&loaded, true, &arena, &count);
    EXPECT_INT("whole: all of its own", count, 3);
    EXPECT_STR("as it is", kept[0].bytes, notes[1].bytes);
    EXPECT_STR("as it is", kept[2].bytes, notes[3].bytes);
    kept = recall_fork(&loaded, false, &arena, &count);
    EXPECT_INT("earlier", count, 3);
    EXPECT_STR("what was said later is not mentioned", kept[0].bytes,
               STR("d\tdate\t2025-05-01\np\temployee\tVera Brown\n"));
    EXPECT_STR("metadata", kept[1].bytes, STR("{}"));
    EXPECT_STR("no summary of what is shown", kept[2].bytes, STR("{\"parts\":[]}"));
    arena_fini(&arena);
}

RUN_TESTS(T(tiers_are_cut_to_what_was_said), T(a_fork_has_the_notes_of_its_turns),
          T(tiers_are_made_once_and_bounded), T(tiers_that_do_not_read_are_none),
          T(extracts_say_what_was_said), T(words_mean_the_last_mentioned),
          T(mentions_are_bounded_and_clean), T(a_mention_again_moves_to_the_front),
          T(what_a_turn_spoke_of), T(notes_belong_to_their_conversation_and_user),
          T(what_a_question_meant_is_kept), T(users_elsewhere_are_bounded),
          T(the_nth_allocation_fails))
