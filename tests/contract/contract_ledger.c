/* SPDX-License-Identifier: MIT */
/* The contract of ledger: entries are put, replaced, listed in order for a company or for all, and
 * removed; one at a time has a claim; two that share a place see the same; each call ends once,
 * cancelled at every turn. */
#include "tests/contract/text_rig.h"

#include "backends/passages/ledger_pg.h"
#include "backends/sqlite/sqlite_ledger.h"
#include "core/base/buf.h"

enum { LIST_BYTES = 1 << 20 };
static const struct str nobody = {NULL, 0}; /* no claim is held */

struct ledger_rig {
    struct rig rig;
    const struct text_rig_store *place;
    char url[TEXT_RIG_PLACE];
    struct ledger *ledger, *other; /* of the same place */
    struct ledger_call call;
    struct arena arena;
};

static struct ledger *open_ledger(struct ledger_rig *f)
{
    struct err err = {0};
    struct ledger *ledger = strcmp(f->place->name, "postgresql") == 0
                                ? ledger_pg_create(f->rig.loop, f->url, &err)
                                : sqlite_ledger_create(f->rig.loop, f->url);
    assert_non_null(ledger);
    return ledger;
}

static void begin(struct ledger_rig *f)
{
    *f = (struct ledger_rig){.place = text_rig_store()};
    f->place->make(f->url);
    rig_begin(&f->rig);
    f->ledger = open_ledger(f);
    f->other = open_ledger(f);
    arena_init(&f->arena, LIST_BYTES);
}

static void end(struct ledger_rig *f)
{
    op_release(&f->call.op);
    ledger_close(f->ledger, rig_on_closed, &f->rig);
    ledger_close(f->other, rig_on_closed, &f->rig);
    rig_end(&f->rig);
    EXPECT_INT("closed", f->rig.closed_calls, 2);
    arena_fini(&f->arena);
    f->place->drop(f->url);
}

static void expect_done(struct ledger_rig *f, const char *name)
{
    for (unsigned run = 0; run < RIG_TURNS && op_is_pending(&f->call.op); run++)
        loop_run(f->rig.loop);
    if (f->call.op.err.code != ERR_OK)
        fail_msg("%s: %s", name, f->call.op.err.text);
}

static struct ledger_entry entry_of(const char *company, const char *user, const char *name,
                                    const char *hash)
{
    return (struct ledger_entry){.collection = STR("documents"),
                                 .company_id = str_of(company),
                                 .user_id = str_of(user),
                                 .name = str_of(name),
                                 .source = STR("upload:ann"),
                                 .title = STR("Größe ‘quoted’ O'Brien"),
                                 .hash = str_of(hash),
                                 .passages = 7,
                                 .added_ms = 1700000000123};
}

static void put(struct ledger_rig *f, const char *company, const char *user, const char *name,
                const char *hash)
{
    const struct ledger_entry entry = entry_of(company, user, name, hash);
    ledger_put_start(&f->call, f->ledger, &entry, nobody, NULL, rig_waiter(&f->rig));
    expect_done(f, name);
}

/* "company/user/name:hash ..." as other lists them; company NULL: all. */
static struct str listed(struct ledger_rig *f, const char *company)
{
    static char text[1024];
    struct buf out = {.at = text, .cap = sizeof text, .limit = sizeof text};
    const struct str company_id = str_of(company);
    arena_fini(&f->arena);
    arena_init(&f->arena, LIST_BYTES);
    ledger_list_start(&f->call, f->other, company == NULL ? NULL : &company_id, &f->arena,
                      rig_waiter(&f->rig));
    expect_done(f, "list");
    for (size_t i = 0; i < f->call.count; i++) {
        const struct ledger_entry *entry = &f->call.entries[i];
        EXPECT_INT("passages", entry->passages, 7);
        EXPECT_TRUE("time", entry->added_ms == 1700000000123);
        EXPECT_STR("title", entry->title, STR("Größe ‘quoted’ O'Brien"));
        EXPECT_STR("source", entry->source, STR("upload:ann"));
        buf_printf(&out, "%s%.*s/%.*s/%.*s:%.*s", i > 0 ? " " : "", STR_ARG(entry->company_id),
                   STR_ARG(entry->user_id), STR_ARG(entry->name), STR_ARG(entry->hash));
    }
    return buf_str(&out);
}

TEST(put_listed_replaced_removed)
{
    struct ledger_rig f;
    begin(&f);
    EXPECT_STR("nothing was ever put", listed(&f, NULL), STR(""));
    const struct ledger_entry none = entry_of("acme", "", "none", "");
    ledger_remove_start(&f.call, f.ledger, &none, nobody, rig_waiter(&f.rig));
    expect_done(&f, "nothing to remove");
    put(&f, "acme", "ann", "b.md", "1");
    put(&f, "acme", "", "é.md", "1");
    put(&f, "acme", "", "Z.md", "1");
    put(&f, "acme", "", "a.md", "");
    put(&f, "globex", "", "a.md", "1");
    put(&f, "", "", "all.md", "1");
    EXPECT_STR("byte by byte", listed(&f, NULL),
               STR("//all.md:1 acme//Z.md:1 acme//a.md: acme//é.md:1 acme/ann/b.md:1 "
                   "globex//a.md:1"));
    EXPECT_STR("a company's, and everybody's", listed(&f, "globex"),
               STR("//all.md:1 globex//a.md:1"));
    EXPECT_STR("nobody's", listed(&f, ""), STR("//all.md:1"));
    put(&f, "acme", "", "a.md", "2");
    const struct ledger_entry gone = entry_of("acme", "ann", "b.md", "");
    ledger_remove_start(&f.call, f.ledger, &gone, nobody, rig_waiter(&f.rig));
    expect_done(&f, "removed");
    EXPECT_STR("replaced, removed", listed(&f, "acme"),
               STR("//all.md:1 acme//Z.md:1 acme//a.md:2 acme//é.md:1"));
    end(&f);
}

static enum err_code put_within(struct ledger_rig *f, const char *name, uint64_t documents,
                                uint64_t passages)
{
    const struct ledger_entry entry = entry_of("acme", "ann", name, "");
    const struct ledger_limits limits = {documents, passages};
    ledger_put_start(&f->call, f->ledger, &entry, nobody, &limits, rig_waiter(&f->rig));
    for (unsigned run = 0; run < RIG_TURNS && op_is_pending(&f->call.op); run++)
        loop_run(f->rig.loop);
    return f->call.op.err.code;
}

TEST(put_within_limits)
{
    struct ledger_rig f;
    begin(&f);
    put(&f, "globex", "", "x.md", "1");
    EXPECT_INT("none may be", put_within(&f, "a.md", 0, 100), ERR_TOO_LARGE);
    EXPECT_INT("of 7 passages", put_within(&f, "a.md", 1, 6), ERR_TOO_LARGE);
    EXPECT_STR("nothing was put", listed(&f, "acme"), STR(""));
    EXPECT_INT("the first", put_within(&f, "a.md", 1, 7), ERR_OK);
    EXPECT_INT("the same again", put_within(&f, "a.md", 1, 7), ERR_OK);
    EXPECT_INT("a second", put_within(&f, "b.md", 1, 100), ERR_TOO_LARGE);
    EXPECT_INT("its passages", put_within(&f, "b.md", 2, 13), ERR_TOO_LARGE);
    EXPECT_INT("as many as may be", put_within(&f, "b.md", 2, 14), ERR_OK);
    EXPECT_STR("two", listed(&f, "acme"), STR("acme/ann/a.md: acme/ann/b.md:"));
    end(&f);
}

/* Both put at once, each one of its own, where one has room. */
TEST(two_that_put_at_once_keep_the_limits)
{
    const struct ledger_limits limits = {3, 100};
    struct ledger_rig f;
    struct ledger_call calls[2] = {0};
    begin(&f);
    put(&f, "acme", "", "a.md", "1");
    put(&f, "acme", "", "b.md", "1");
    const struct ledger_entry entries[2] = {entry_of("acme", "ann", "c.md", "1"),
                                            entry_of("acme", "bob", "c.md", "1")};
    for (size_t i = 0; i < 2; i++)
        ledger_put_start(&calls[i], i == 0 ? f.ledger : f.other, &entries[i], nobody, &limits,
                         rig_waiter(&f.rig));
    for (unsigned run = 0; run < RIG_TURNS; run++) {
        if (!op_is_pending(&calls[0].op) && !op_is_pending(&calls[1].op))
            break;
        loop_run(f.rig.loop);
    }
    EXPECT_INT("one of them", calls[0].op.err.code + calls[1].op.err.code, ERR_TOO_LARGE);
    EXPECT_TRUE("the other", calls[0].op.err.code == ERR_OK || calls[1].op.err.code == ERR_OK);
    for (size_t i = 0; i < 2; i++)
        op_release(&calls[i].op);
    EXPECT_STR("three", listed(&f, "acme"),
               calls[0].op.err.code == ERR_OK ? STR("acme//a.md:1 acme//b.md:1 acme/ann/c.md:1")
                                              : STR("acme//a.md:1 acme//b.md:1 acme/bob/c.md:1"));
    end(&f);
}

static enum err_code claim(struct ledger_rig *f, struct ledger *ledger, const char *name,
                           const char *holder, uint64_t lease_ms)
{
    const struct ledger_entry entry = entry_of("acme", "ann", name, "");
    arena_fini(&f->arena);
    arena_init(&f->arena, LIST_BYTES);
    ledger_claim_start(&f->call, ledger, &entry, str_of(holder), lease_ms, &f->arena,
                       rig_waiter(&f->rig));
    for (unsigned run = 0; run < RIG_TURNS && op_is_pending(&f->call.op); run++)
        loop_run(f->rig.loop);
    return f->call.op.err.code;
}

static enum err_code put_held(struct ledger_rig *f, const char *name, const char *holder)
{
    const struct ledger_entry entry = entry_of("acme", "ann", name, "1");
    ledger_put_start(&f->call, f->ledger, &entry, str_of(holder), NULL, rig_waiter(&f->rig));
    for (unsigned run = 0; run < RIG_TURNS && op_is_pending(&f->call.op); run++)
        loop_run(f->rig.loop);
    return f->call.op.err.code;
}

static enum err_code remove_held(struct ledger_rig *f, const char *name, const char *holder)
{
    const struct ledger_entry entry = entry_of("acme", "ann", name, "");
    ledger_remove_start(&f->call, f->ledger, &entry, str_of(holder), rig_waiter(&f->rig));
    for (unsigned run = 0; run < RIG_TURNS && op_is_pending(&f->call.op); run++)
        loop_run(f->rig.loop);
    return f->call.op.err.code;
}

static void yield(struct ledger_rig *f, const char *name, const char *holder)
{
    const struct ledger_entry entry = entry_of("acme", "ann", name, "");
    ledger_yield_start(&f->call, f->ledger, &entry, str_of(holder), rig_waiter(&f->rig));
    expect_done(f, "given back");
}

TEST(claimed_by_one_at_a_time)
{
    enum { HOUR_MS = 3600 * 1000 };
    struct ledger_rig f;
    begin(&f);
    EXPECT_INT("free", claim(&f, f.ledger, "a.md", "one", HOUR_MS), ERR_OK);
    EXPECT_INT("nothing is there", f.call.count, 0);
    EXPECT_INT("taken", claim(&f, f.other, "a.md", "two", HOUR_MS), ERR_CONFLICT);
    EXPECT_INT("another document", claim(&f, f.other, "b.md", "two", HOUR_MS), ERR_OK);
    EXPECT_INT("renewed", claim(&f, f.other, "a.md", "one", HOUR_MS), ERR_OK);
    EXPECT_INT("put by another", put_held(&f, "a.md", "two"), ERR_CONFLICT);
    EXPECT_STR("nothing was put", listed(&f, "acme"), STR(""));
    EXPECT_INT("put", put_held(&f, "a.md", "one"), ERR_OK);
    EXPECT_INT("renewed again", claim(&f, f.ledger, "a.md", "one", HOUR_MS), ERR_OK);
    EXPECT_INT("what is there", f.call.count, 1);
    EXPECT_STR("its hash", f.call.entries[0].hash, STR("1"));
    EXPECT_INT("removed by another", remove_held(&f, "a.md", "two"), ERR_CONFLICT);
    yield(&f, "a.md", "two");
    EXPECT_INT("still taken", claim(&f, f.other, "a.md", "two", HOUR_MS), ERR_CONFLICT);
    yield(&f, "a.md", "one");
    EXPECT_INT("free again", claim(&f, f.other, "a.md", "two", HOUR_MS), ERR_OK);
    EXPECT_INT("put without it", put_held(&f, "a.md", "one"), ERR_CONFLICT);
    EXPECT_INT("removed", remove_held(&f, "a.md", "two"), ERR_OK);
    EXPECT_STR("nothing is left", listed(&f, "acme"), STR(""));
    end(&f);
}

TEST(a_claim_is_over_after_its_lease)
{
    struct ledger_rig f;
    enum err_code code = ERR_CONFLICT;
    begin(&f);
    EXPECT_INT("for a moment", claim(&f, f.ledger, "a.md", "one", 1), ERR_OK);
    for (unsigned tries = 0; tries < RIG_TURNS && code == ERR_CONFLICT; tries++)
        code = claim(&f, f.other, "a.md", "two", 60 * 1000);
    EXPECT_INT("taken over", code, ERR_OK);
    EXPECT_INT("put by the first", put_held(&f, "a.md", "one"), ERR_CONFLICT);
    end(&f);
}

TEST(cancelled_at_every_turn)
{
    bool ended = false;
    for (unsigned turns = 0; !ended; turns = rig_after(turns)) {
        struct ledger_rig f;
        const struct ledger_entry entry = entry_of("acme", "", "a.md", "1");
        begin(&f);
        ledger_put_start(&f.call, f.ledger, &entry, nobody, NULL, rig_waiter(&f.rig));
        ended = rig_turn(&f.rig, turns, 1);
        op_cancel(&f.call.op);
        op_cancel(&f.call.op);
        rig_wait("cancelled", &f.rig, 1);
        EXPECT_TRUE("cancelled or done",
                    f.call.op.err.code == ERR_CANCELLED || f.call.op.err.code == ERR_OK);
        EXPECT_TRUE("an end stays", !ended || f.call.op.err.code == ERR_OK);
        end(&f);
        EXPECT_INT("done once", f.rig.done_calls, 1);
    }
}

TEST(closed_while_asked)
{
    struct ledger_rig f;
    const struct ledger_entry entry = entry_of("acme", "", "a.md", "1");
    begin(&f);
    ledger_put_start(&f.call, f.ledger, &entry, nobody, NULL, rig_waiter(&f.rig));
    ledger_close(f.ledger, rig_on_closed, &f.rig);
    f.ledger = open_ledger(&f);
    rig_wait("ended", &f.rig, 1);
    op_release(&f.call.op);
    ledger_close(f.ledger, rig_on_closed, &f.rig);
    ledger_close(f.other, rig_on_closed, &f.rig);
    rig_end(&f.rig);
    EXPECT_INT("closed", f.rig.closed_calls, 3);
    arena_fini(&f.arena);
    f.place->drop(f.url);
}

RUN_TESTS(T(put_listed_replaced_removed), T(put_within_limits),
          T(two_that_put_at_once_keep_the_limits), T(claimed_by_one_at_a_time),
          T(a_claim_is_over_after_its_lease), T(cancelled_at_every_turn), T(closed_while_asked))
