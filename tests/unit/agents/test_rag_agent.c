/* SPDX-License-Identifier: MIT */
/* The RAG agent over scripted models and stores: answers with sources, sentences nobody supports,
 * no documents, stores that fail; what supports a sentence; answers in the documents' own words. */
#include "tests/unit/agents/graph_rig.h"

#include "agents/docs/ingest.h"
#include "agents/english/language.h"
#include "agents/offline/documents/extractive.h"
#include "agents/rag_agent/cite.h"
#include "agents/rag_agent/state.h"
#include "agents/search/support.h"
#include "tests/lib/fake_embed.h"
#include "tests/lib/fake_text.h"
#include "tests/lib/fake_vec.h"

enum { BUDGET = 32 << 20 };

#define EXPECT_HAS(name, rig, piece)                                                               \
    do {                                                                                           \
        if (strstr((rig)->graph.events, piece) == NULL)                                            \
            fail_msg("%s: '%s' is not in: %s", name, piece, (rig)->graph.events);                  \
    } while (0)
#define EXPECT_HAS_NOT(name, rig, piece)                                                           \
    do {                                                                                           \
        if (strstr((rig)->graph.events, piece) != NULL)                                            \
            fail_msg("%s: '%s' is in: %s", name, piece, (rig)->graph.events);                      \
    } while (0)

struct rig {
    struct graph_rig graph;
    struct fake_embed embed;
    struct fake_vec vec;
    struct fake_text text;
};

static const struct {
    const char *id, *heading, *text, *company;
} passages[] = {
    {"core.md#1", "Overtime",
     "Hours over 40 in a week are overtime. Overtime is paid at 150 percent.", ""},
    {"core.md#2", "Photos", "A photo is added to a work order with the camera button.", ""},
    {"globex.md#1", "Overtime", "CANARY globex pays overtime at 300 percent.", "globex"},
};

static void on_stored(struct op *op)
{
    (void)op;
}

static void store_items(struct rig *rig, const struct docs_item *items, size_t count)
{
    struct docs_ingest *ingest = mem_zalloc(1, sizeof *ingest);
    const struct docs_ingest_request request = {
        .collection = HYBRID_DOCUMENTS, .items = items, .count = count};
    docs_ingest_start(ingest, &rig->graph.has, &request, (struct op_waiter){on_stored, NULL, NULL});
    assert_true(loop_run_dry(rig->graph.loop, 1000));
    EXPECT_INT("stored", ingest->op.err.code, ERR_OK);
    op_release(&ingest->op);
    mem_free(ingest);
}

static void store(struct rig *rig)
{
    struct passage_field fields[countof(passages)][3];
    struct docs_item items[countof(passages)];
    for (size_t i = 0; i < countof(passages); i++) {
        fields[i][0] = (struct passage_field){STR("document"), STR("core.md")};
        fields[i][1] = (struct passage_field){STR("heading"), str_of(passages[i].heading)};
        fields[i][2] = (struct passage_field){STR("company_id"), str_of(passages[i].company)};
        items[i] =
            (struct docs_item){{str_of(passages[i].id), str_of(passages[i].text), fields[i], 3},
                               str_of(passages[i].text)};
    }
    store_items(rig, items, countof(items));
}

static struct rig *rig_make(const struct fake_reply *replies, size_t count, bool with_documents)
{
    struct rig *rig = mem_zalloc(1, sizeof *rig);
    graph_rig_init(&rig->graph, replies, count, NULL, 0);
    fake_embed_init(&rig->embed, rig->graph.loop);
    fake_vec_init(&rig->vec, rig->graph.loop);
    fake_text_init(&rig->text, rig->graph.loop);
    rig->graph.has.embed = &rig->embed.embed;
    rig->graph.has.vec = &rig->vec.vec;
    rig->graph.has.text = &rig->text.text;
    if (with_documents)
        store(rig);
    return rig;
}

static void rig_free(struct rig *rig)
{
    graph_rig_fini(&rig->graph);
    fake_vec_fini(&rig->vec);
    fake_text_fini(&rig->text);
    mem_free(rig);
}

static const struct fake_reply good[] = {
    {"classify", "RAG"},
    {"rag_answer", "Overtime is paid at 150 percent. [1]"},
};

TEST(answers_with_its_source)
{
    struct rig *rig = rig_make(good, countof(good), true);
    graph_rig_go(&rig->graph, "rag_agent", "How is overtime paid");
    EXPECT_HAS("order", rig,
               "route_decision:rag_agent:|token:final:Overtime is paid at 150 percent. "
               "[1]|complete:");
    EXPECT_HAS("citation", rig,
               "\"citations\":[{\"number\":1,\"document\":\"core.md\",\"heading\":\"Overtime\","
               "\"chunk\":\"core.md#1\",\"score\":");
    EXPECT_HAS_NOT("only what is cited", rig, "camera");
    EXPECT_HAS_NOT("all is supported", rig, "unsupported");
    EXPECT_TRUE("the model saw the passage",
                strstr(rig->graph.llm.last_user, "[1] core.md, Overtime\nHours over 40") != NULL);
    EXPECT_TRUE("and no other company's", strstr(rig->graph.llm.last_user, "CANARY") == NULL);
    rig_free(rig);
}

/* For programs: what was found, and no model asked. */
TEST(the_passages_alone)
{
    struct rig *rig = rig_make(good, countof(good), true);
    graph_rig_go(&rig->graph, "passages", "How is overtime paid");
    EXPECT_HAS("the best first", rig,
               "complete::\"passages\":[{\"number\":1,\"document\":\"core.md\",\"heading\":"
               "\"Overtime\",\"chunk\":\"core.md#1\"");
    EXPECT_HAS_NOT("no other company's", rig, "CANARY");
    EXPECT_INT("no model", rig->graph.llm.calls, 0);
    rig_free(rig);
}

/* Seed 004, "Top 5 chunks". */
TEST(five_passages_are_shown)
{
    static const char *const texts[] = {
        "Overtime of drivers.",  "Overtime of crews.",     "Overtime on Sundays.",
        "Overtime of trainees.", "Overtime in the night.", "Overtime abroad.",
    };
    struct docs_item items[countof(texts)];
    struct passage_field field = {STR("document"), STR("more.md")};
    struct rig *rig = rig_make(good, countof(good), true);
    for (size_t i = 0; i < countof(texts); i++)
        items[i] =
            (struct docs_item){{str_of(texts[i]), str_of(texts[i]), &field, 1}, str_of(texts[i])};
    store_items(rig, items, countof(items));
    graph_rig_go(&rig->graph, "rag_agent", "How is overtime paid");
    EXPECT_TRUE("five", strstr(rig->graph.llm.last_user, "\n[5] ") != NULL);
    EXPECT_TRUE("and no more", strstr(rig->graph.llm.last_user, "\n[6] ") == NULL);
    rig_free(rig);
}

TEST(through_the_orchestrator)
{
    struct rig *rig = rig_make(good, countof(good), true);
    graph_rig_go(&rig->graph, "orchestrator", "How is overtime paid");
    EXPECT_HAS("order", rig,
               "route_decision:rag:|tool_start:rag_agent:|token:final:Overtime is paid");
    EXPECT_HAS("citation", rig, "\"chunk\":\"core.md#1\"");
    EXPECT_INT("kept",
               history_count(rig->graph.has.history,
                             &(struct identity){STR("c1"), STR("acme"), STR("u1")}),
               2);
    rig_free(rig);
}

static const struct {
    const char *name, *reply, *has, *has_not;
} replies[] = {
    {"made up", "Overtime is paid at 150 percent. [1] It is taxed in March by the mayor. [1]",
     "\"unsupported\":[\"It is taxed in March by the mayor. [1]\"]", "\"citations\":[]"},
    {"a number made up", "Overtime is paid at 175 percent. [1]",
     "\"unsupported\":[\"Overtime is paid at 175 percent. [1]\"]", NULL},
    {"a mark made up", "Overtime is paid at 150 percent. [9]", "\"chunk\":\"core.md#1\"",
     "unsupported"},
    {"no marks", "A photo is added with the camera button.", "\"chunk\":\"core.md#2\"",
     "core.md#1\""},
    {"no answer", "The documents do not say who approves it.",
     "\"abstained\":\"The documents do not say who approves it.\"", "core.md#1"},
    {"no answer to a question in German",
     "In den Dokumenten steht es nicht, und ohne Sprachmodell kann ich das nicht beantworten.",
     "\"abstained\":\"In den Dokumenten steht es nicht, und ohne", "core.md#1"},
};

TEST(what_is_marked)
{
    TEST_EACH(c, replies) {
        const struct fake_reply script[] = {{"rag_answer", c->reply}};
        struct rig *rig = rig_make(script, 1, true);
        graph_rig_go(&rig->graph, "rag_agent", "How is overtime paid, and the camera button");
        EXPECT_HAS(c->name, rig, c->has);
        if (c->has_not != NULL)
            EXPECT_HAS_NOT(c->name, rig, c->has_not);
        rig_free(rig);
    }
}

TEST(without_documents)
{
    struct rig *rig = rig_make(good, countof(good), false);
    graph_rig_go(&rig->graph, "rag_agent", "How is overtime paid?");
    EXPECT_INT("no model is asked", rig->graph.llm.calls, 0);
    EXPECT_HAS("said", rig, "token:final:There are no documents");
    EXPECT_HAS("complete", rig, "\"abstained\":\"There are no documents");
    rig_free(rig);
}

static const struct {
    const char *name;
    enum err_code embed, vec, text;
    const char *ends;
} failures[] = {
    {"no vectors", ERR_OK, ERR_UNAVAILABLE, ERR_OK, "Only one of two searches"},
    {"no words", ERR_OK, ERR_OK, ERR_UNAVAILABLE, "Only one of two searches"},
    {"no embeddings", ERR_TIMEOUT, ERR_OK, ERR_OK, "Only one of two searches"},
    {"neither", ERR_OK, ERR_UNAVAILABLE, ERR_UNAVAILABLE, "error:retrieval_unavailable"},
};

TEST(stores_that_are_down)
{
    TEST_EACH(c, failures) {
        struct rig *rig = rig_make(good, countof(good), true);
        rig->embed.failure = c->embed;
        rig->vec.failure = c->vec;
        rig->text.failure = c->text;
        graph_rig_go(&rig->graph, "rag_agent", "How is overtime paid");
        EXPECT_HAS(c->name, rig, c->ends);
        rig_free(rig);
    }
    struct rig *rig = rig_make(good, countof(good), true);
    rig->graph.has.vec = NULL;
    rig->graph.has.text = NULL;
    graph_rig_go(&rig->graph, "rag_agent", "How is overtime paid");
    EXPECT_HAS("none configured", rig, "error:retrieval_unavailable");
    rig_free(rig);
}

TEST(cancelled_at_every_turn)
{
    bool ended = false;
    for (unsigned turn = 0; !ended; turn++) {
        struct rig *rig = rig_make(good, countof(good), true);
        EXPECT_TRUE("it ends", turn < 200);
        graph_rig_make(&rig->graph, "rag_agent", "How is overtime paid", EVENT_CORE);
        run_start(rig->graph.run);
        loop_turn(rig->graph.loop, turn);
        ended = rig->graph.ends == 1;
        run_cancel(rig->graph.run, "cancelled", "test");
        assert_true(loop_run_dry(rig->graph.loop, 100000));
        EXPECT_INT("one end", rig->graph.ends, 1);
        rig_free(rig);
    }
}

/* ---- support ---- */

static const struct {
    const char *name, *sentence;
    int want;
    bool says_nothing;
} sentences[] = {
    {"its own words", "Overtime is paid at 150 percent.", 0, false},
    {"other forms of them", "They pay for overtimes 150 percent.", 0, false},
    {"a mark is no number", "Overtime is paid. [7]", 0, false},
    {"another number", "Overtime is paid at 15 percent.", SUPPORT_NONE, false},
    {"part of a number", "Overtime is paid at 50 percent.", SUPPORT_NONE, false},
    {"grouped", "The budget is 12000.", 1, false},
    {"other words", "Bananas grow in the garden.", SUPPORT_NONE, false},
    {"nothing said", "Yes.", SUPPORT_NONE, false},
    {"nothing but empty words", "It is.", 0, true},
};

TEST(support)
{
    const struct str texts[] = {STR("Overtime is paid at 150 percent."),
                                STR("The yearly budget is 12,000 euros.")};
    struct arena arena;
    arena_init(&arena, BUDGET);
    const struct support *all = support_create(&arena, texts, countof(texts));
    TEST_EACH(c, sentences) {
        bool says_nothing;
        EXPECT_INT(c->name, support_find(all, &arena, str_of(c->sentence), &says_nothing), c->want);
        EXPECT_INT(c->name, says_nothing, c->says_nothing);
    }
    arena_fini(&arena);
}

/* ---- the offline engine's answers ---- */

static const char context[] =
    "[1] core.md, Overtime\nHours over 40 in a week are overtime. Overtime is paid at 150 "
    "percent.\n\n"
    "[2] core.md, Closing a work order\nTo close a work order:\n- Open it from the list.\n- Press "
    "Close.\nIt can be opened again within a week.\n\n"
    "[3] core.md, Inspections\nEach defect gets a deadline:\nCategory | Days\nsafety | 1\n"
    "quality | 5\nAn inspector confirms.\n\n"
    "[4] core.md, Subcontractors\nTheir hours are approved like all others. A file has 25 MB. A "
    "month is closed by an account.";

static const struct {
    const char *question, *want;
} extracts[] = {
    {"How is overtime paid?", "Overtime is paid at 150 percent. [1]"},
    {"How do I close a work order?",
     "To close a work order: [2]\n- Open it from the list. [2]\n- Press Close. [2]"},
    {"What deadline has a defect?", "Each defect gets a deadline: [3]\nCategory | Days [3]\n"
                                    "safety | 1 [3]\nquality | 5 [3]"},
    {"Which quality?", "Category | Days [3]\nquality | 5 [3]"},
    {"Which categories?", "Category | Days [3]\nsafety | 1 [3]\nquality | 5 [3]"},
    {"What are the overtime rules?",
     "Hours over 40 in a week are overtime. [1] Overtime is paid at 150 percent. [1]"},
    {"Explain the policy on inspections",
     "Each defect gets a deadline: [3]\nCategory | Days [3]\nsafety | 1 [3]\nquality | 5 [3]"},
    {"What are the parking rules?",
     "The documents do not say, and I can't answer that without a language model."},
    {"What are the rules?",
     "The documents do not say, and I can't answer that without a language model."},
    {"How do I inspect a month?",
     "The documents do not say, and I can't answer that without a language model."},
    {"What is the weather like?",
     "The documents do not say, and I can't answer that without a language model."},
    {"How do I file my taxes?",
     "The documents do not say, and I can't answer that without a language model."},
    {"How do I close a bank account?",
     "The documents do not say, and I can't answer that without a language model."},
    {"What is the capital of France?",
     "The documents do not say, and I can't answer that without a language model."},
    {"", "The documents do not say, and I can't answer that without a language model."},
};

/* What the documents do not say is told in the language that it is asked in. */
static const struct {
    const char *question, *begins;
} foreign[] = {
    {"Was ist die Hauptstadt von Frankreich?", "In den Dokumenten steht es nicht"},
    {"Quelle est la capitale de la France ?", "Les documents ne le disent pas"},
    {"¿Cuál es la capital de Francia?", "Los documentos no lo dicen"},
    {"What is the capital of France?", "The documents do not say"},
};

TEST(other_languages_are_answered_in_them)
{
    TEST_EACH(c, foreign) {
        struct arena arena;
        struct buf out;
        struct offline_passage split[OFFLINE_MAX_PASSAGES];
        arena_init(&arena, BUDGET);
        buf_init(&out, BUDGET);
        size_t count = offline_passages_split(str_of(context), split);
        EXPECT_TRUE(c->question, !offline_extractive_answer(&arena, str_of(c->question), split,
                                                            count, &out));
        EXPECT_TRUE(c->question, str_starts_with(buf_str(&out), str_of(c->begins)));
        EXPECT_TRUE(c->question, english_language_is_lacking(buf_str(&out)));
        buf_fini(&out);
        arena_fini(&arena);
    }
}

TEST(extractive_answers)
{
    TEST_EACH(c, extracts) {
        struct arena arena;
        struct buf out;
        arena_init(&arena, BUDGET);
        buf_init(&out, BUDGET);
        struct offline_passage split[OFFLINE_MAX_PASSAGES];
        size_t count = offline_passages_split(str_of(context), split);
        offline_extractive_answer(&arena, str_of(c->question), split, count, &out);
        EXPECT_STR(c->question, buf_str(&out), str_of(c->want));
        buf_clear(&out);
        offline_extractive_answer(&arena, str_of(c->question), split, 0, &out);
        EXPECT_STR(
            "no context", buf_str(&out),
            STR("The documents do not say, and I can't answer that without a language model."));
        buf_fini(&out);
        arena_fini(&arena);
    }
}

/* Sections beside each other that are about what is asked answer together, each by its beginning.
 */
TEST(sections_answer_together)
{
    static const char sections[] =
        "[1] m.md, Work > Overtime > How overtime is paid\nOvertime is paid at 150 percent. "
        "Sundays are "
        "more.\n\n"
        "[2] m.md, Work > Overtime > When hours become overtime\nOvertime begins after 40 hours. "
        "No "
        "hour twice."
        "\n\n"
        "[3] m.md, Work > Travel\nTravel is paid. Overtime is not earned by it.\n\n"
        "[4] m.md, Billing > Overtime and customers\nCustomers pay double.";
    static const struct {
        const char *question, *want;
    } cases[] = {
        {"What are the overtime rules?",
         "Overtime is paid at 150 percent. [1] Overtime begins after 40 hours. [2]"},
        {"How is overtime paid?", "Overtime is paid at 150 percent. [1] Sundays are more. [1]"},
        {"Tell me about travel", "Travel is paid. [3] Overtime is not earned by it. [3]"},
        {"Does overtime come from travel? Is it earned?",
         "Travel is paid. [3] Overtime is not earned by it. [3]"},
    };
    TEST_EACH(c, cases) {
        struct arena arena;
        struct buf out;
        struct offline_passage split[OFFLINE_MAX_PASSAGES];
        arena_init(&arena, BUDGET);
        buf_init(&out, BUDGET);
        size_t count = offline_passages_split(str_of(sections), split);
        EXPECT_TRUE(c->question,
                    offline_extractive_answer(&arena, str_of(c->question), split, count, &out));
        EXPECT_STR(c->question, buf_str(&out), str_of(c->want));
        buf_fini(&out);
        arena_fini(&arena);
    }
}

/* Documents answer in their own language: what every question has counts for nothing there, either.
 */
TEST(german_documents_answer)
{
    static const char sections[] =
        "[1] u.md, Urlaub > Anspruch\nAlle haben Anspruch auf 30 Urlaubstage. Teilzeit "
        "anteilig.\n\n"
        "[2] u.md, Urlaub > Übertragung\nResturlaub verfällt am 31. März des Folgejahres.\n\n"
        "[3] u.md, Arbeit > Überstunden\nÜberstunden werden ab der 41. Stunde bezahlt. Der "
        "Zuschlag "
        "ist 25 Prozent, an Sonntagen 50 Prozent.";
    static const struct {
        const char *question, *want; /* NULL: nothing does */
    } cases[] = {
        {"Wie viele Urlaubstage habe ich?", "Alle haben Anspruch auf 30 Urlaubstage. [1]"},
        {"Wann verfällt Resturlaub?", "Resturlaub verfällt am 31. März des Folgejahres. [2]"},
        {"Welche Regeln gelten für Überstunden?",
         "Überstunden werden ab der 41. Stunde bezahlt. [3] Der Zuschlag ist 25 Prozent, an "
         "Sonntagen 50 Prozent. [3]"},
        {"Wie hoch ist der Zuschlag am Sonntag?",
         "Der Zuschlag ist 25 Prozent, an Sonntagen 50 Prozent. [3]"},
        {"Wie wird das Wetter am Sonntag?", NULL},
        {"Wer ist der Geschäftsführer?", NULL},
    };
    TEST_EACH(c, cases) {
        struct arena arena;
        struct buf out;
        struct offline_passage split[OFFLINE_MAX_PASSAGES];
        arena_init(&arena, BUDGET);
        buf_init(&out, BUDGET);
        size_t count = offline_passages_split(str_of(sections), split);
        EXPECT_INT(c->question,
                   offline_extractive_answer(&arena, str_of(c->question), split, count, &out),
                   c->want != NULL);
        if (c->want != NULL)
            EXPECT_STR(c->question, buf_str(&out), str_of(c->want));
        buf_fini(&out);
        arena_fini(&arena);
    }
}

RUN_TESTS(T(answers_with_its_source), T(the_passages_alone), T(five_passages_are_shown),
          T(through_the_orchestrator), T(what_is_marked), T(without_documents),
          T(stores_that_are_down), T(cancelled_at_every_turn), T(support),
          T(other_languages_are_answered_in_them), T(extractive_answers),
          T(sections_answer_together), T(german_documents_answer))
