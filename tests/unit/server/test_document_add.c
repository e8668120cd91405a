/* SPDX-License-Identifier: MIT */
/* One file into the stores and the ledger: a text, and one that a child reads (a script stands for
 * it); again, changed, too long; removed; cancelled at every turn. */
#include "tests/unit/server/documents_rig.h"

#include "backends/sqlite/sqlite_ledger.h"
#include "server/documents/document_add.h"

enum { SECTIONS = 150, BUDGET = 1 << 20, LEDGER_BYTES = 1 << 20 };

struct rig {
    struct documents_rig with;
    struct loop_rig loop;
    struct ledger *ledger;
    struct document_add_options options;
    struct document_add add;
    struct document_remove removal;
    struct arena arena; /* of the entry */
};

static struct rig *rig_make(const char *file_name)
{
    struct rig *rig = mem_zalloc(1, sizeof *rig);
    documents_rig_init(&rig->with);
    rig->loop.loop = rig->with.loop;
    list_init(&rig->loop.group);
    rig->ledger = sqlite_ledger_create(rig->with.loop, rig->with.ledger.path);
    assert_non_null(rig->ledger);
    rig->options = (struct document_add_options){
        .has = &rig->with.has,
        .ledger = rig->ledger,
        .program = documents_rig_program(),
        .source = {DOCS_DOCUMENTS, str_of(file_name), STR("acme"), STR("")},
        .file_name = str_of(file_name),
        .from = STR("test"),
    };
    arena_init(&rig->arena, LEDGER_BYTES);
    return rig;
}

static void rig_free(struct rig *rig)
{
    ledger_close(rig->ledger, NULL, NULL);
    loop_rig_fini(&rig->loop);
    documents_rig_fini(&rig->with);
    arena_fini(&rig->arena);
    mem_free(rig);
}

/* Turn until nothing is in flight but the ledger's own handle. */
static void settle(struct rig *rig, const struct op *op)
{
    for (unsigned turn = 0; op_is_pending(op); turn++) {
        EXPECT_TRUE("it ends", turn < LOOP_RIG_TURNS);
        (void)!loop_run_dry(rig->loop.loop, 1);
    }
}

static void start(struct rig *rig, size_t sections)
{
    struct buf bytes;
    buf_init(&bytes, BUDGET);
    for (size_t i = 0; i < sections; i++)
        buf_printf(&bytes, "<h1>Section %zu</h1><p>Words of section %zu.</p>\n", i, i);
    document_add_start(&rig->add, rig->loop.loop, &rig->options, &bytes,
                       loop_rig_waiter(&rig->loop));
    EXPECT_INT("the bytes are moved", buf_len(&bytes), 0);
}

static enum err_code add(struct rig *rig, size_t sections)
{
    start(rig, sections);
    settle(rig, &rig->add.op);
    return rig->add.op.err.code;
}

/* What the ledger has of the document; NULL: nothing. */
static const struct ledger_entry *entry_of(struct rig *rig, struct str company_id)
{
    struct ledger_call call = {.count = 0};
    arena_fini(&rig->arena);
    arena_init(&rig->arena, LEDGER_BYTES);
    ledger_list_start(&call, rig->ledger, &company_id, &rig->arena, loop_rig_waiter(&rig->loop));
    settle(rig, &call.op);
    EXPECT_INT("listed", call.op.err.code, ERR_OK);
    const struct ledger_entry *entries = call.entries;
    size_t count = call.count;
    op_release(&call.op);
    return count == 0 ? NULL : entries;
}

static size_t stored(const struct rig *rig)
{
    struct str collection = docs_items_collection(DOCS_DOCUMENTS);
    return fake_vec_count(&rig->with.vec, collection) +
           fake_text_count(&rig->with.text, collection);
}

static void expect_stored(const char *name, const struct rig *rig, size_t count)
{
    struct str collection = docs_items_collection(DOCS_DOCUMENTS);
    EXPECT_INT(name, fake_vec_count(&rig->with.vec, collection), count);
    EXPECT_INT(name, fake_text_count(&rig->with.text, collection), count);
}

static void take_out(struct rig *rig, const struct ledger_entry *entry)
{
    document_remove_start(&rig->removal, rig->loop.loop, &rig->with.has, rig->ledger, entry,
                          (struct str){NULL, 0}, loop_rig_waiter(&rig->loop));
    settle(rig, &rig->removal.op);
    EXPECT_INT("removed", rig->removal.op.err.code, ERR_OK);
}

static const char *const file_names[] = {"a.html", "a.pdf"};

TEST(added_again_changed_and_removed)
{
    TEST_EACH(name, file_names) {
        struct rig *rig = rig_make(*name);
        EXPECT_INT(*name, add(rig, 3), ERR_OK);
        EXPECT_INT(*name, rig->add.count, 3);
        EXPECT_TRUE("new", !rig->add.is_unchanged);
        expect_stored(*name, rig, 3);
        rig->options.before = entry_of(rig, STR("acme"));
        EXPECT_INT("recorded", rig->options.before->passages, 3);
        unsigned calls = rig->with.embed.calls;
        EXPECT_INT("again", add(rig, 3), ERR_OK);
        EXPECT_TRUE("unchanged", rig->add.is_unchanged && rig->add.count == 3);
        EXPECT_INT("not embedded", rig->with.embed.calls, calls);
        EXPECT_INT("less", add(rig, 2), ERR_OK);
        expect_stored("less", rig, 2);
        rig->options.most_passages = 3;
        EXPECT_INT("no room", add(rig, 4), ERR_TOO_LARGE);
        expect_stored("as it was", rig, 2);
        EXPECT_TRUE("another company's list", entry_of(rig, STR("globex")) == NULL);
        const struct ledger_entry *entry = entry_of(rig, STR("acme"));
        take_out(rig, entry);
        expect_stored("removed", rig, 0);
        EXPECT_TRUE("forgotten", entry_of(rig, STR("acme")) == NULL);
        rig_free(rig);
    }
}

/* Reading may take memory by the size of the text, and what is left of the process's. */
TEST(memory_is_bounded)
{
    static const struct {
        const char *name, *part;
        uint64_t most_memory;
        enum err_code code;
    } cases[] = {
        {"a book", "<p>Words of a paragraph, as books have them, some dozens of them.</p>\n", 0,
         ERR_OK},
        {"little memory is left", "<p>Words of a paragraph, as books have them.</p>\n", 65536,
         ERR_BUSY},
    };
    TEST_EACH(c, cases) {
        struct rig *rig = rig_make("a.html");
        struct buf bytes;
        buf_init(&bytes, 2 * BUDGET);
        while (buf_len(&bytes) < BUDGET)
            buf_push(&bytes, str_of(c->part));
        rig->options.most_memory = c->most_memory;
        document_add_start(&rig->add, rig->loop.loop, &rig->options, &bytes,
                           loop_rig_waiter(&rig->loop));
        settle(rig, &rig->add.op);
        EXPECT_INT(c->name, rig->add.op.err.code, c->code);
        EXPECT_TRUE(c->name, c->code == ERR_OK || stored(rig) == 0);
        EXPECT_TRUE(c->name, c->code != ERR_BUSY ||
                                 strstr(rig->add.op.err.text, "ASKD_MEMORY_LIMIT") != NULL);
        EXPECT_TRUE(c->name, rig->add.arena.used <= ((size_t)4 << 20) + 32 * (BUDGET + 128));
        print_message("%s: %zu KiB for %d KiB\n", c->name, rig->add.arena.used >> 10, BUDGET >> 10);
        rig_free(rig);
    }
}

/* Turn count times while the file is added, reading how far it is as a client's events do. */
static bool ended_within(struct rig *rig, unsigned count)
{
    for (unsigned turn = 0; turn < count && op_is_pending(&rig->add.op); turn++) {
        (void)!loop_run_dry(rig->loop.loop, 1);
        EXPECT_TRUE("how far", document_add_stored(&rig->add) <= rig->add.count);
    }
    return !op_is_pending(&rig->add.op);
}

/* Whatever is cancelled ends once, and as cancelled unless all was written before; the ledger knows
 * of all that may be in the stores, so that what follows (the same, a shorter version, a removal)
 * leaves nothing behind. */
static bool cancelled_at(const char *file_name, unsigned turn)
{
    struct rig *rig = rig_make(file_name);
    start(rig, SECTIONS);
    bool ended = ended_within(rig, turn);
    bool is_whole = document_add_stored(&rig->add) == SECTIONS;
    op_cancel(&rig->add.op);
    op_cancel(&rig->add.op);
    settle(rig, &rig->add.op);
    enum err_code code = rig->add.op.err.code;
    EXPECT_INT("done once", rig->loop.done_count, 1);
    EXPECT_TRUE("how", code == ERR_CANCELLED || (code == ERR_OK && is_whole));
    EXPECT_TRUE("an end stays", !ended || code == ERR_OK);
    rig->options.before = entry_of(rig, STR("acme"));
    const struct ledger_entry *entry = entry_of(rig, STR("acme"));
    bool is_recorded = entry != NULL && !str_is_empty(entry->hash);
    EXPECT_TRUE("recorded", is_recorded == (code == ERR_OK) || is_whole);
    EXPECT_TRUE("what is stored is announced", entry != NULL || stored(rig) == 0);
    rig->options.before = entry;
    if (turn % 3 == 0 && entry != NULL)
        take_out(rig, entry);
    else
        EXPECT_INT("again", add(rig, turn % 3 == 1 ? 2 : SECTIONS), ERR_OK);
    expect_stored("all of it, and nothing else", rig,
                  turn % 3 == 0 && entry != NULL ? 0
                  : turn % 3 == 1                ? 2
                                                 : SECTIONS);
    rig_free(rig);
    return ended;
}

TEST(cancelled_at_every_turn)
{
    TEST_EACH(name, file_names) {
        unsigned turn = 0;
        while (!cancelled_at(*name, turn))
            EXPECT_TRUE("the sweep ends", ++turn < LOOP_RIG_TURNS);
    }
}

RUN_TESTS(T(added_again_changed_and_removed), T(memory_is_bounded), T(cancelled_at_every_turn))
