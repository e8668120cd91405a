/* SPDX-License-Identifier: MIT */
#include "server/language/event_words.h"
#include "server/language/sentences.h"
#include "tests/lib/test.h"

static void assert_text(struct str text, const char *want)
{
    EXPECT_STR("text", text, str_of(want));
}

static const struct {
    const char *text, *want; /* NULL: it stays */
} texts[] = {
    {"the run was cancelled", "der Lauf wurde abgebrochen"},
    {"the run was cancelled ", NULL},
    {"graph 'a': budget 'b' of 3 is spent", "Graph 'a': das Budget 'b' von 3 ist aufgebraucht"},
    /* the most particular form, and what is put in says the same */
    {"the question asks for an average, the answer may be another number",
     "die Frage verlangt einen Durchschnitt, die Antwort ist vielleicht eine andere Zahl"},
    {"I can't answer that: 'x' is not understood here.",
     "Das kann ich nicht beantworten: 'x' wird hier nicht verstanden."},
    /* sentence by sentence, what is not known as it is */
    {"I can't answer that without a language model. Ask Ann!\nThe rows are in the result.",
     "Das kann ich ohne Sprachmodell nicht beantworten. Ask Ann!\nDie Zeilen stehen im Ergebnis."},
    {"Ask Ann. Or Bob.", NULL},
    {"", NULL},
};

TEST(sentences_are_found_by_their_form)
{
    struct buf out;
    buf_init(&out, 1 << 16);
    for (size_t i = 0; i < countof(texts); i++) {
        buf_clear(&out);
        bool knows = sentences_say(LANGUAGE_DE, str_of(texts[i].text), &out);
        assert_int_equal(knows, texts[i].want != NULL);
        assert_text(buf_str(&out), texts[i].want == NULL ? "" : texts[i].want);
        assert_false(sentences_say(LANGUAGE_EN, str_of(texts[i].text), &out));
    }
    buf_fini(&out);
}

/* What a model may have written is only touched where it begins as the program's answers do. */
TEST(only_answers_of_our_own_are_said)
{
    struct buf out;
    buf_init(&out, 1 << 16);
    assert_false(sentences_say_answer(LANGUAGE_DE, STR("the run was cancelled"), &out));
    assert_false(sentences_say_answer(LANGUAGE_DE, STR("Well. The rows are in the result."), &out));
    assert_int_equal(buf_len(&out), 0);
    assert_true(sentences_say_answer(LANGUAGE_DE, STR("The rows are in the result."), &out));
    buf_fini(&out);
}

TEST(proposed_questions_come_back_in_english)
{
    static const char *const asked[] = {"How many work orders are there by status?",
                                        "How many orders of Young Bruno are there by state?",
                                        "How many orders are there?",
                                        "Which 5 customers have the most work orders?",
                                        "Total hours of work time per month",
                                        "Show the 10 newest accounts"};
    struct buf said, read;
    buf_init(&said, 1 << 16);
    buf_init(&read, 1 << 16);
    TEST_EACH(question, asked) {
        for (int language = LANGUAGE_DE; language < LANGUAGE_COUNT; language++) {
            buf_clear(&said);
            buf_clear(&read);
            EXPECT_TRUE(*question,
                        sentences_say_question((enum language)language, str_of(*question), &said));
            EXPECT_TRUE(*question, !str_equal(buf_str(&said), str_of(*question)));
            EXPECT_TRUE(*question, sentences_read_question(buf_str(&said), &read));
            assert_text(buf_str(&read), *question);
        }
        EXPECT_TRUE(*question, !sentences_read_question(str_of(*question), &read));
        EXPECT_TRUE(*question, !sentences_say_question(LANGUAGE_EN, str_of(*question), &said));
    }
    buf_fini(&said);
    buf_fini(&read);
}

TEST(options_are_known_when_they_come_back)
{
    const struct str option = STR("The 10 customers with the lowest number of orders");
    assert_true(sentences_is_option(option, STR("10 customers: menor valor, número de orders")));
    assert_true(
        sentences_is_option(option, STR(" 10 customers: niedrigster Wert, Anzahl der orders ")));
    assert_false(sentences_is_option(option, STR("10 customers: mayor valor, número de orders")));
    assert_false(sentences_is_option(STR("by state"), STR("by state")));
}

TEST(errors_have_the_sentence_of_their_code)
{
    struct buf out;
    buf_init(&out, 1 << 16);
    assert_true(sentences_say_error(LANGUAGE_ES, STR("overloaded"), STR("why"), &out));
    assert_text(buf_str(&out), "El servidor está sobrecargado; inténtelo más tarde (why)");
    buf_clear(&out);
    assert_true(sentences_say_error(LANGUAGE_ES, STR("overloaded"), STR(""), &out));
    assert_text(buf_str(&out), "El servidor está sobrecargado; inténtelo más tarde");
    assert_false(sentences_say_error(LANGUAGE_ES, STR("of nobody"), STR("why"), &out));
    buf_fini(&out);
}

static const struct {
    const char *object, *want; /* NULL: it stays */
} objects[] = {
    {"{\"warnings\":[\"the run was cancelled\",\"x\"],\"sql\":\"SELECT 1\"}",
     "{\"warnings\":[\"der Lauf wurde abgebrochen\",\"x\"],\"sql\":\"SELECT 1\"}"},
    {"{\"a\":{\"notes\":[ \"the run was cancelled\" ]},\"abstained\":\"the run was cancelled\"}",
     "{\"a\":{\"notes\":[ \"der Lauf wurde abgebrochen\" ]},"
     "\"abstained\":\"der Lauf wurde abgebrochen\"}"},
    {"{\"clarify\":{\"question\":\"it could mean more than one thing\","
     "\"options\":[\"the run was cancelled\"]},\"question\":\"the run was cancelled\"}",
     "{\"clarify\":{\"question\":\"es kann mehr als eines bedeuten\","
     "\"options\":[\"the run was cancelled\"]},\"question\":\"the run was cancelled\"}"},
    {"{\"clarify\":{\"options\":[\"The 10 customers with the highest total balance of accounts\","
     "\"The number of orders with customer Bank of India by month\",\"total 1\"]}}",
     "{\"clarify\":{\"options\":[\"10 customers: höchster Wert, Summe „balance“ der accounts\","
     "\"Anzahl der orders with customer Bank of India by month\",\"total 1\"]}}"},
    {"{\"error\":{\"code\":\"cancelled\",\"message\":\"the run was cancelled\"}}",
     "{\"error\":{\"code\":\"cancelled\",\"message\":\"der Lauf wurde abgebrochen\"}}"},
    {"{\"warnings\":[\"the answer is only about \\\"a\\\"\"]}",
     "{\"warnings\":[\"die Antwort handelt nur von \\\"a\\\"\"]}"},
    /* rows, and members that are not the program's */
    {"{\"data\":{\"warnings\":[\"the run was cancelled\"]},\"message\":\"the run was cancelled\"}",
     NULL},
    {"{\"warnings\":[]}", NULL},
    {"{\"warnings\":[\"the run was cancelled\"", NULL},
    {"{}", NULL},
    {"", NULL},
};

TEST(members_are_said_where_they_are_sentences)
{
    struct buf out;
    buf_init(&out, 1 << 16);
    for (size_t i = 0; i < countof(objects); i++) {
        buf_clear(&out);
        bool knows = event_words_say_object(LANGUAGE_DE, str_of(objects[i].object), &out);
        assert_text(buf_str(&out), objects[i].want == NULL ? "" : objects[i].want);
        assert_int_equal(knows, objects[i].want != NULL);
    }
    buf_fini(&out);
}

static const struct {
    struct event event;
    const char *want; /* NULL: the event itself */
} events[] = {
    {{.kind = EVENT_ERROR,
      .name = STR("model_unavailable"),
      .text = STR("the model is unavailable")},
     "das Modell ist nicht erreichbar"},
    {{.kind = EVENT_ERROR, .name = STR("sql_failed"), .text = STR("no such table: x")},
     "Die Abfrage ist gescheitert (no such table: x)"},
    {{.kind = EVENT_TOKEN, .name = STR("final"), .text = STR("The rows are in the result.")},
     "Die Zeilen stehen im Ergebnis."},
    {{.kind = EVENT_TOKEN, .name = STR("sql"), .text = STR("The rows are in the result.")}, NULL},
    {{.kind = EVENT_TOKEN, .name = STR("final"), .text = STR("the run was cancelled")}, NULL},
    {{.kind = EVENT_COMPLETE,
      .text = STR("\"abstained\":\"there is no question\",\"route\":\"sql\"")},
     "\"abstained\":\"es gibt keine Frage\",\"route\":\"sql\""},
    {{.kind = EVENT_COMPLETE, .text = STR("\"route\":\"sql\"")}, NULL},
    {{.kind = EVENT_COMPLETE}, NULL},
    {{.kind = EVENT_WARNING,
      .name = STR("r"),
      .text = STR("what has none may be left out of the answer")},
     "was keine hat, fehlt vielleicht in der Antwort"},
    {{.kind = EVENT_STATE,
      .name = STR("n"),
      .text = STR("\"warnings\":[\"there is no question\"]")},
     NULL},
};

TEST(events_are_said)
{
    struct buf scratch;
    buf_init(&scratch, 1 << 16);
    for (size_t i = 0; i < countof(events); i++) {
        struct event said;
        const struct event *event = &events[i].event;
        const struct event *told = event_words_say(LANGUAGE_DE, event, &said, &scratch);
        assert_true((told == event) == (events[i].want == NULL));
        if (events[i].want != NULL)
            assert_text(told->text, events[i].want);
        assert_int_equal(told->kind, event->kind);
        assert_true(event_words_say(LANGUAGE_EN, event, &said, &scratch) == event);
    }
    buf_fini(&scratch);
}

static const struct {
    const char *name, *code, *message, *body, *want; /* want NULL: it stays */
} answers[] = {
    {"of a graph", NULL, NULL,
     "{\"final_answer\":\"The rows are in the result.\",\"data\":{\"rows\":[[\"The rows are in the "
     "result.\"]]}}",
     "{\"final_answer\":\"Die Zeilen stehen im Ergebnis.\",\"data\":{\"rows\":[[\"The rows are in "
     "the result.\"]]}}"},
    {"of OpenAI's door", NULL, NULL,
     "{\"choices\":[{\"message\":{\"role\":\"assistant\",\"content\":\"The rows are in the "
     "result.\"}}],\"x_event\":{\"warnings\":[\"the run was cancelled\"]}}",
     "{\"choices\":[{\"message\":{\"role\":\"assistant\",\"content\":\"Die Zeilen stehen im "
     "Ergebnis.\"}}],\"x_event\":{\"warnings\":[\"der Lauf wurde abgebrochen\"]}}"},
    {"a model's words", NULL, NULL,
     "{\"content\":\"Well. The rows are in the result.\",\"general_result\":\"the run was "
     "cancelled\"}",
     NULL},
    {"a failure", "cancelled", "the run was cancelled",
     "{\"error\":\"the run was cancelled\",\"error_code\":\"cancelled\"}",
     "{\"error\":\"der Lauf wurde abgebrochen\",\"error_code\":\"cancelled\"}"},
    {"a failure that is not known", "overloaded", "why",
     "{\"error\":{\"message\":\"why\",\"code\":\"overloaded\"}}",
     "{\"error\":{\"message\":\"Der Server ist überlastet; versuchen Sie es später noch einmal "
     "(why)\","
     "\"code\":\"overloaded\"}}"},
    {"no failure", NULL, NULL, "{\"error\":null,\"errors\":\"the run was cancelled\"}", NULL},
};

TEST(whole_answers_are_said)
{
    TEST_EACH(c, answers) {
        struct buf out;
        buf_init(&out, 1 << 16);
        struct event_words_answer answer = {LANGUAGE_DE, str_of(c->code), str_of(c->message)};
        bool knows = event_words_say_answer(&answer, str_of(c->body), &out);
        if (knows != (c->want != NULL))
            fail_msg("%s: %.*s", c->name, STR_ARG(buf_str(&out)));
        if (c->want != NULL)
            assert_text(buf_str(&out), c->want);
        buf_clear(&out);
        answer.language = LANGUAGE_EN;
        EXPECT_TRUE(c->name, !event_words_say_answer(&answer, str_of(c->body), &out));
        buf_fini(&out);
    }
}

/* Without memory the event is as it was. */
TEST(full_scratch_changes_nothing)
{
    for (size_t limit = 0; limit < 60; limit++) {
        struct buf scratch;
        struct event said;
        buf_init(&scratch, limit);
        const struct event *told = event_words_say(LANGUAGE_DE, &events[0].event, &said, &scratch);
        if (told != &events[0].event)
            assert_text(told->text, events[0].want);
        buf_fini(&scratch);
        buf_init(&scratch, limit);
        told = event_words_say(LANGUAGE_DE, &events[5].event, &said, &scratch);
        if (told != &events[5].event)
            assert_text(told->text, events[5].want);
        buf_fini(&scratch);
    }
}

RUN_TESTS(T(proposed_questions_come_back_in_english), T(options_are_known_when_they_come_back),
          T(sentences_are_found_by_their_form), T(only_answers_of_our_own_are_said),
          T(errors_have_the_sentence_of_their_code), T(members_are_said_where_they_are_sentences),
          T(events_are_said), T(whole_answers_are_said), T(full_scratch_changes_nothing))
