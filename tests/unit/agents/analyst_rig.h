/* SPDX-License-Identifier: MIT */
/* tests/unit/agents/analyst_rig.h - the analyst over a scripted model and stores in memory, with
 * three passages in them; and what a model may say to each of its tasks. */
#ifndef TESTS_UNIT_AGENTS_ANALYST_RIG_H
#define TESTS_UNIT_AGENTS_ANALYST_RIG_H

#include "tests/unit/agents/graph_rig.h"

#include "agents/docs/ingest.h"
#include "agents/search/hybrid.h"
#include "tests/lib/fake_embed.h"
#include "tests/lib/fake_text.h"
#include "tests/lib/fake_vec.h"

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
    const char *id, *heading, *text, *year, *company_id;
} passages[] = {
    {"acme-2022#1", "Results 2022", "Acme's revenue was 100.0 million dollars in 2022.", "2022",
     ""},
    {"acme-2023#1", "Results 2023", "Acme's revenue was 120.5 million dollars in 2023.", "2023",
     ""},
    {"beta#1", "Results 2021", "Beta's revenue was 55.0 million dollars in 2021.", "2021", ""},
    {"globex#1", "Results", "CANARY: Acme's revenue was 999 million dollars.", "2023", "globex"},
};

static void on_stored(struct op *op)
{
    (void)op;
}

static void store(struct rig *rig)
{
    struct docs_ingest *ingest = mem_zalloc(1, sizeof *ingest);
    struct passage_field fields[countof(passages)][5];
    struct docs_item items[countof(passages)];
    for (size_t i = 0; i < countof(passages); i++) {
        fields[i][0] = (struct passage_field){STR("document"), STR("acme.md")};
        fields[i][1] = (struct passage_field){STR("heading"), str_of(passages[i].heading)};
        fields[i][2] = (struct passage_field){STR("company_id"), str_of(passages[i].company_id)};
        fields[i][3] = (struct passage_field){STR("year"), str_of(passages[i].year)};
        fields[i][4] = (struct passage_field){STR("company"), i == 2 ? STR("Beta") : STR("Acme")};
        items[i] =
            (struct docs_item){{str_of(passages[i].id), str_of(passages[i].text), fields[i], 5},
                               str_of(passages[i].text)};
    }
    const struct docs_ingest_request request = {
        .collection = HYBRID_FINANCIAL, .items = items, .count = countof(items)};
    docs_ingest_start(ingest, &rig->graph.has, &request, (struct op_waiter){on_stored, NULL, NULL});
    assert_true(loop_run_dry(rig->graph.loop, 1000));
    EXPECT_INT("stored", ingest->op.err.code, ERR_OK);
    op_release(&ingest->op);
    mem_free(ingest);
}

static UNUSED struct rig *rig_make(const struct fake_reply *replies, size_t count,
                                   bool with_documents)
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

static UNUSED void rig_free(struct rig *rig)
{
    graph_rig_fini(&rig->graph);
    fake_vec_fini(&rig->vec);
    fake_text_fini(&rig->text);
    mem_free(rig);
}

/* As graph_rig_go, with the retries. */
static UNUSED void go(struct rig *rig, const char *question)
{
    struct graph_rig *graph = &rig->graph;
    struct event event;
    size_t len = 0;
    enum event_kind last = EVENT_KIND_COUNT;
    graph_rig_make(graph, "analyst", question, EVENT_NODES);
    run_start(graph->run);
    assert_true(loop_run_dry(graph->loop, 100000));
    EXPECT_INT("one end", graph->ends, 1);
    for (uint64_t id = 0; event_log_after(run_log(graph->run), id, &event) == ERR_OK; id++) {
        if (event_level(event.kind) != EVENT_CORE && event.kind != EVENT_RETRY)
            continue;
        bool joined = event.kind == EVENT_TOKEN && last == EVENT_TOKEN && event.number > 0;
        len += joined ? (size_t)snprintf(graph->events + len, sizeof graph->events - len, "%.*s",
                                         STR_ARG(event.text))
                      : (size_t)snprintf(graph->events + len, sizeof graph->events - len,
                                         "|%s:%.*s:%.*s", event_name(event.kind),
                                         STR_ARG(event.name), STR_ARG(event.text));
        last = event.kind;
        assert_true(len < sizeof graph->events);
    }
}

#define QUESTION "How did the revenue of Acme change?"
#define QUERY                                                                                      \
    {                                                                                              \
        "query_processing", "{\"companies\":[\"Acme\"],\"augmented_query\":\"Acme revenue\"}"      \
    }
#define ENOUGH                                                                                     \
    {                                                                                              \
        "context_validation", "{\"sufficient\":true,\"gaps\":[]}"                                  \
    }
#define NOT_YET                                                                                    \
    {                                                                                              \
        "context_validation", "{\"sufficient\":false,\"gaps\":[\"revenue of 2021\"]}"              \
    }
#define ANALYSIS                                                                                   \
    {                                                                                              \
        "analysis", "{\"primary_metric\":\"revenue\",\"values\":["                                 \
                    "{\"company\":\"Acme\",\"metric\":\"revenue\",\"period\":\"2022\","            \
                    "\"value\":\"100.0\",\"unit\":\"USD million\",\"chunk\":2},"                   \
                    "{\"company\":\"Acme\",\"metric\":\"revenue\",\"period\":\"2023\","            \
                    "\"value\":\"120.5\",\"unit\":\"USD million\",\"chunk\":1}],"                  \
                    "\"calculations\":[{\"kind\":\"growth\",\"of\":[0,1],\"claimed\":20.5}],"      \
                    "\"text\":\"It grew by 20.5%.\"}"                                              \
    }
#define GOOD                                                                                       \
    {                                                                                              \
        "synthesis", "Revenue grew by 20.5% to 120.5 million [1, 2]."                              \
    }
#define BAD                                                                                        \
    {                                                                                              \
        "synthesis", "Revenue grew by 77% [1, 2]."                                                 \
    }
#define CITES                                                                                      \
    {                                                                                              \
        "synthesis", "Revenue was 120.5 million [9]. It was 100 million [1, 2]."                   \
    }

#endif
