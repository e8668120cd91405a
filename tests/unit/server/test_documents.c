/* SPDX-License-Identifier: MIT */
/* The queue of documents over HTTP: one after another, limits, who may, and closed at every turn.
 * A script stands for the child that reads a PDF. */
#include "tests/unit/server/documents_rig.h"

#include "server/api/documents/documents.h"

enum { JOBS = 3, SECTIONS = 20, BUDGET = 1 << 20 };

struct rig {
    struct documents_rig with;
    struct config config;
    struct documents *documents;
    unsigned ends, closed;
    enum err_code codes[8];
};

static struct rig *rig_make(void)
{
    struct rig *rig = mem_zalloc(1, sizeof *rig);
    documents_rig_init(&rig->with);
    rig->config.ledger = rig->with.ledger.path;
    rig->config.program = documents_rig_program();
    rig->config.company_documents = 2;
    rig->config.company_passages = 1000;
    rig->documents = documents_create(rig->with.loop, &rig->with.has, &rig->config);
    assert_non_null(rig->documents);
    return rig;
}

static void on_closed(void *owner)
{
    ((struct rig *)owner)->closed++;
}

static void rig_close(struct rig *rig)
{
    documents_close(rig->documents, on_closed, rig);
    EXPECT_INT("later", rig->closed, 0);
    EXPECT_TRUE("the loop ends", loop_run_dry(rig->with.loop, LOOP_RIG_TURNS));
    EXPECT_INT("closed once", rig->closed, 1);
}

static void rig_free(struct rig *rig)
{
    loop_destroy(rig->with.loop); /* CHECKs that no handle, task or timer is left */
    documents_rig_fini(&rig->with);
    mem_free(rig);
}

static void on_end(struct documents_job *job, const struct err *err)
{
    struct rig *rig = job->owner;
    rig->codes[rig->ends++] = err->code;
}

/* A job for acme; heard: somebody waits for its end. */
static struct documents_job *make_job(struct rig *rig, const char *name, bool heard)
{
    struct documents_job *job = documents_make();
    assert_non_null(job);
    job->source = (struct docs_source){DOCS_DOCUMENTS, str_of(name), STR("acme"), STR("")};
    job->file_name = job->source.name;
    job->by = STR("ann");
    job->owner = rig;
    job->on_end = heard ? on_end : NULL;
    return job;
}

static void submit(struct rig *rig, struct documents_job *job, size_t sections)
{
    struct err err;
    buf_init(&job->bytes, BUDGET);
    for (size_t i = 0; i < sections; i++)
        buf_printf(&job->bytes, "<h1>Section %zu</h1><p>Words of section %zu.</p>\n", i, i);
    EXPECT_INT("queued", documents_submit(rig->documents, job, &err), ERR_OK);
}

static enum err_code wait_end(struct rig *rig)
{
    unsigned ends = rig->ends;
    for (unsigned turn = 0; rig->ends == ends; turn++) {
        EXPECT_TRUE("it ends", turn < LOOP_RIG_TURNS);
        (void)!loop_run_dry(rig->with.loop, 1);
    }
    return rig->codes[ends];
}

static enum err_code add(struct rig *rig, const char *name)
{
    submit(rig, make_job(rig, name, true), 2);
    return wait_end(rig);
}

static enum err_code take_out(struct rig *rig, const char *name)
{
    struct documents_job *job = make_job(rig, name, true);
    job->removes = true;
    submit(rig, job, 0);
    return wait_end(rig);
}

TEST(limits_of_a_company)
{
    struct rig *rig = rig_make();
    EXPECT_INT("not there", take_out(rig, "a.html"), ERR_NOT_FOUND);
    EXPECT_INT("one", add(rig, "a.html"), ERR_OK);
    EXPECT_INT("two", add(rig, "b.html"), ERR_OK);
    EXPECT_INT("no third", add(rig, "c.html"), ERR_TOO_LARGE);
    const struct ledger_entry entry = {docs_items_collection(DOCS_DOCUMENTS), STR("acme"), STR(""),
                                       STR("b.html")};
    EXPECT_TRUE("at rest", !documents_is_adding(rig->documents, &entry));
    submit(rig, make_job(rig, "b.html", true), 2);
    EXPECT_TRUE("being added", documents_is_adding(rig->documents, &entry));
    EXPECT_INT("again", wait_end(rig), ERR_OK);
    EXPECT_TRUE("at rest again", !documents_is_adding(rig->documents, &entry));
    EXPECT_INT("removed", take_out(rig, "a.html"), ERR_OK);
    rig->config.company_passages = 3;
    EXPECT_INT("no room", add(rig, "c.html"), ERR_TOO_LARGE);
    rig->config.company_passages = 4;
    EXPECT_INT("room", add(rig, "c.html"), ERR_OK);
    EXPECT_INT("passages", fake_text_count(&rig->with.text, docs_items_collection(DOCS_DOCUMENTS)),
               4);
    rig_close(rig);
    rig_free(rig);
}

/* Three jobs, of which nobody hears the second: each ends once; after the close nothing is
 * embedded that was not under way. Whether all had ended before. */
static bool closed_at(unsigned turn)
{
    struct rig *rig = rig_make();
    rig->config.company_documents = JOBS;
    submit(rig, make_job(rig, "a.pdf", true), SECTIONS);
    submit(rig, make_job(rig, "b.html", false), SECTIONS);
    submit(rig, make_job(rig, "c.html", true), SECTIONS);
    for (unsigned i = 0; i < turn && rig->ends < JOBS - 1; i++)
        (void)!loop_run_dry(rig->with.loop, 1);
    unsigned ended = rig->ends, calls = rig->with.embed.calls;
    rig_close(rig);
    EXPECT_INT("heard once each", rig->ends, JOBS - 1);
    EXPECT_INT("nothing begins", rig->with.embed.calls, calls);
    unsigned whole = 0;
    for (unsigned i = ended; i < rig->ends; i++)
        whole += rig->codes[i] == ERR_OK;
    EXPECT_TRUE("at most the one under way was whole already", whole <= 1);
    rig_free(rig);
    return ended == JOBS - 1;
}

TEST(closed_at_every_turn)
{
    unsigned turn = 0;
    while (!closed_at(turn))
        EXPECT_TRUE("the sweep ends", ++turn < LOOP_RIG_TURNS);
}

RUN_TESTS(T(limits_of_a_company), T(closed_at_every_turn))
