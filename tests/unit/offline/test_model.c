/* SPDX-License-Identifier: MIT */
#include "tests/unit/offline/world.h"

#include "agents/offline/model.h"
#include "tests/lib/loop_rig.h"

struct rig {
    struct world world;
    struct loop_rig loop;
    struct llm *llm;
    struct llm_chat chat;
    struct llm_field fields[6];
    struct llm_prompt prompt;
    struct arena arena;
    struct buf streamed;
    unsigned pieces;
    size_t first; /* length of the first one */
    bool closed;
};

static bool today(void *owner, int *year, int *month, int *day)
{
    (void)owner;
    *year = 2024;
    *month = 8;
    *day = 15;
    return true;
}

static void on_text(struct llm_chat *chat, struct str text)
{
    struct rig *rig = container_of(chat, struct rig, chat);
    buf_push(&rig->streamed, text);
    if (rig->pieces++ == 0)
        rig->first = text.len;
}

static void on_closed(void *owner)
{
    *(bool *)owner = true;
}

static void rig_init(struct rig *rig, bool knows)
{
    static const struct offline_options options = {.today = today};
    *rig = (struct rig){0};
    world_init(&rig->world);
    loop_rig_init(&rig->loop);
    arena_init(&rig->arena, 1 << 20);
    buf_init(&rig->streamed, 1 << 16);
    rig->llm = offline_model_create(rig->loop.loop, &options);
    assert_non_null(rig->llm);
    if (knows)
        offline_model_know(rig->llm, rig->world.catalog, rig->world.lexicon, rig->world.joins,
                           SQL_SQLITE);
}

static void rig_fini(struct rig *rig)
{
    llm_close(rig->llm, on_closed, &rig->closed);
    loop_rig_dry(&rig->loop);
    EXPECT_TRUE("closed", rig->closed);
    loop_rig_fini(&rig->loop);
    buf_fini(&rig->streamed);
    arena_fini(&rig->arena);
    world_fini(&rig->world);
}

/* fields: name, value, name, value, ... NULL */
static void start(struct rig *rig, const char *task, const char *const *fields)
{
    size_t count = 0;
    for (; fields[2 * count] != NULL; count++)
        rig->fields[count] =
            (struct llm_field){str_of(fields[2 * count]), str_of(fields[2 * count + 1])};
    rig->prompt = (struct llm_prompt){
        .task = task, .fields = rig->fields, .field_count = count, .arena = &rig->arena};
    llm_chat_start(&rig->chat, rig->llm, &rig->prompt, on_text, loop_rig_waiter(&rig->loop));
}

#define COUNT_SQL "SELECT COUNT(*) AS orders_count FROM orders"

static const struct {
    const char *task, *fields[11], *text;
} cases[] = {
    {"classify", {"question", "How many orders are there?"}, "SQL"},
    {"classify", {"question", "Delete all orders"}, "SQL"},
    {"classify", {"question", "Tell me a joke"}, "GENERAL"},
    {"classify",
     {"question", "Tell me a joke", "documents", "the manual"},
     "RAG\nNO_DATA: 'joke' is not a word of this database; you can ask about orders, books or "
     "clients"},
    {"classify", {"question", "Which tables are there?"}, "GENERAL"},
    {"classify", {"question", "List all tables with their columns"}, "GENERAL"},
    {"classify", {"question", "What's in this database?"}, "GENERAL"},
    {"classify", {"question", "Please give me an overview of the data."}, "GENERAL"},
    {"classify", {"question", "How do I see my data?", "documents", "the manual"}, "RAG"},
    {"sql_generation",
     {"question", "What is in orders?"},
     "```sql\nSELECT t1.order_number, t1.id, t1.client_id, t1.status, t1.total, t1.shipped_date, "
     "t1.created_at, (SELECT t2.name FROM clients AS t2 WHERE t2.id = t1.client_id) AS "
     "clients_name FROM orders AS t1\n```"},
    {"sql_generation",
     {"question", "Wie viele Kunden gibt es?"},
     "CANNOT: Ich verstehe Fragen nur auf Englisch."},
    {"sql_answer",
     {"question", "How many ordrs?", "sql", COUNT_SQL, "columns", "[\"orders_count\"]", "result",
      "[[42]]", "row_count", "1"},
     "There are 42 orders. (I read 'ordrs' as orders.)"},
    {"classify", {"question", "What can you do?", "documents", "the manual"}, "GENERAL"},
    {"classify", {"question", "Hi, what can you do?", "documents", "the manual"}, "GENERAL"},
    {"classify", {"question", "Hello! Thanks.", "documents", "the manual"}, "GENERAL"},
    {"classify", {"question", "Who are you?"}, "GENERAL"},
    {"classify", {"question", "How many unicorns are there?", "documents", "the manual"}, "SQL"},
    {"classify", {"question", "Can I get the orders of May?", "documents", "the manual"}, "SQL"},
    {"classify", {"question", "How do I ship an order?", "documents", "the manual"}, "RAG"},
    {"classify", {"question", "How do I ship an order?"}, "SQL"}, /* there is nothing else */
    {"classify", {"question", "How many orders are there?", "documents", "the manual"}, "SQL"},
    {"classify", {"question", "Which wizards made orders?", "documents", "the manual"}, "SQL"},
    {"classify",
     {"question", "2", "documents", "the manual"},
     "RAG\nNO_DATA: how its words go together is not understood"},
    {"classify", {"question", "2", "asked", "List names", "documents", "the manual"}, "SQL"},
    {"table_selection", {"question", "Orders of Ada Stone"}, "[\"orders\",\"clients\"]"},
    {"table_selection", {"question", "Tell me a joke"}, "[]"},
    {"sql_generation", {"question", "How many orders are there?"}, "```sql\n" COUNT_SQL "\n```"},
    {"sql_generation",
     {"user_query", "How many orders are there?", "intent", "Count all orders"},
     "```sql\n" COUNT_SQL "\n```"},
    {"sql_generation",
     {"question", "List names"},
     "CANNOT: it could mean more than one thing\nOPTION: The name of clients\nREADS: \"SELECT "
     "name, id FROM clients\"\nOPTION: The name of products\nREADS: \"SELECT name, id FROM "
     "products\""},
    {"sql_generation",
     {"question", "Delete all orders"},
     "CANNOT: it only reads data, and 'Delete' would change some"},
    {"sql_generation",
     {"question", "How many orders?", "error_message", "table refused"},
     "CANNOT: table refused"},
    {"sql_correction",
     {"question", "What is in orders?", "sql",
      "SELECT t1.order_number, t1.id, t1.client_id, t1.status, t1.total, t1.shipped_date, "
      "t1.created_at, (SELECT t2.name FROM clients AS t2 WHERE t2.id = t1.client_id) AS "
      "clients_name FROM orders AS t1",
      "error", "clients is closed"},
     "```sql\nSELECT order_number, id, client_id, status, total, shipped_date, created_at FROM "
     "orders\n```"},
    {"sql_generation",
     {"question", "What is in orders?", "error_message", "clients is closed"},
     "```sql\nSELECT order_number, id, client_id, status, total, shipped_date, created_at FROM "
     "orders\n```"},
    {"sql_correction",
     {"question", "What is in orders?", "sql",
      "SELECT order_number, id, client_id, status, total, shipped_date, created_at FROM orders",
      "error", "x"},
     "CANNOT: the statement was refused and there is no other: x"},
    {"sql_correction",
     {"question", "How many orders?", "sql", COUNT_SQL, "error", "no table"},
     "CANNOT: the statement was refused and there is no other: no table"},
    {"sql_correction",
     {"question", "How many orders?", "sql", "SELECT 1", "error", "x"},
     "```sql\n" COUNT_SQL "\n```"},
    {"sql_answer",
     {"question", "How many orders?", "sql", COUNT_SQL, "columns", "[\"orders_count\"]", "result",
      "[[42]]", "row_count", "1"},
     "There are 42 orders."},
    {"insight",
     {"question", "How many orders?", "sql", COUNT_SQL, "columns", "[\"orders_count\"]", "result",
      "[[42]]"},
     "SUMMARY: There are 42 orders.\nCHART: metric"},
    {"intent", {"user_query", "How many orders are there?"}, "Count all orders"},
    {"intent", {"user_query", "Tell me a joke"}, "Tell me a joke"},
    {"general", /* no question at all: somebody tries whether it is there */
     {"message", "ready?"},
     "I can't answer that without a language model. I answer questions about the data here: "
     "counts, lists, totals and rankings of orders, books, clients, authors and products, and of 2 "
     "more kinds of rows. For example: \"How many orders are there?\" \"Number of books by "
     "author\" \"Average price of products\""},
    {"general",
     {"question", "What is in orders?"},
     "Each order has order number, status, total, shipped date and created at. It belongs to a "
     "client; order items belong to it."},
    {"general",
     {"question", "Tell me a joke"},
     "I can't answer that without a language model. I answer questions about the data here: "
     "counts, lists, totals and rankings of orders, books, clients, authors and products, and of 2 "
     "more kinds of rows. For example: \"How many orders are there?\" \"Number of books by "
     "author\" \"Average price of products\""},
};

TEST(every_task_has_its_form)
{
    TEST_EACH(c, cases) {
        struct rig rig;
        rig_init(&rig, true);
        start(&rig, c->task, c->fields);
        EXPECT_INT("never inside start", rig.loop.done_count, 0);
        loop_rig_dry(&rig.loop);
        EXPECT_INT(c->task, rig.loop.done_count, 1);
        EXPECT_INT(rig.chat.op.err.text, rig.loop.last_code, ERR_OK);
        EXPECT_STR(c->task, rig.chat.text, str_of(c->text));
        EXPECT_STR("streamed", buf_str(&rig.streamed), str_of(c->text));
        EXPECT_STR("model", rig.chat.model, STR("offline"));
        EXPECT_TRUE("usage", rig.chat.usage.estimated && rig.chat.usage.completion_tokens > 0 &&
                                 rig.chat.usage.prompt_tokens > 0);
        rig_fini(&rig);
    }
}

static const char *const joke[] = {"question", "Tell me a joke", NULL, NULL};

TEST(text_comes_over_several_turns)
{
    struct rig rig;
    rig_init(&rig, true);
    start(&rig, "general", joke);
    loop_rig_dry(&rig.loop);
    EXPECT_TRUE("pieces", rig.pieces >= 5);
    rig_fini(&rig);
}

/* They are told by their form to readers of other languages. */
static const struct {
    const char *task;
    const char *fields[12];
    const char *first;
} own[] = {
    {"general",
     {"question", "Tell me a joke"},
     "I can't answer that without a language model. I answer questions about the data here: "
     "counts, lists, totals and rankings of orders, books, clients, authors and products, and of 2 "
     "more kinds of rows."},
    {"sql_answer",
     {"question", "Tell me a joke", "columns", "", "result", "cut"},
     "The rows are in the result."},
    {"sql_response",
     {"question", "How many orders?", "error", "no such table"},
     "The question could not be answered: no such table"},
    {"rag_answer",
     {"question", "How do I ship an order?"},
     "The documents do not say, and I can't answer that without a language model."},
    {"synthesis",
     {"question", "How do I ship an order?"},
     "The documents do not say, and I can't answer that without a language model."},
    {"sql_answer",
     {"question", "How many orders?", "sql", COUNT_SQL, "columns", "[\"orders_count\"]", "result",
      "[[42]]", "row_count", "1"},
     "There are 42"},
};

TEST(sentences_of_its_own_come_in_one_piece)
{
    TEST_EACH(c, own) {
        struct rig rig;
        rig_init(&rig, true);
        start(&rig, c->task, c->fields);
        loop_rig_dry(&rig.loop);
        EXPECT_STR(c->task, str_slice(buf_str(&rig.streamed), 0, rig.first), str_of(c->first));
        rig_fini(&rig);
    }
}

TEST(hold_stops_the_words_and_go_brings_the_rest)
{
    struct rig rig;
    rig_init(&rig, true);
    start(&rig, "general", joke);
    loop_turn(rig.loop.loop, 2);
    unsigned pieces = rig.pieces;
    op_hold(&rig.chat.op);
    loop_turn(rig.loop.loop, 20);
    EXPECT_INT("held", rig.pieces, pieces);
    EXPECT_INT("not done", rig.loop.done_count, 0);
    op_go(&rig.chat.op);
    loop_rig_dry(&rig.loop);
    EXPECT_INT("done", rig.loop.done_count, 1);
    EXPECT_STR("whole", buf_str(&rig.streamed), rig.chat.text);
    rig_fini(&rig);
}

TEST(cancelled_at_every_turn)
{
    bool whole = false;
    for (unsigned turn = 0; !whole && turn < 100; turn++) {
        struct rig rig;
        rig_init(&rig, true);
        start(&rig, "general", joke);
        loop_turn(rig.loop.loop, turn);
        op_cancel(&rig.chat.op);
        op_cancel(&rig.chat.op);
        loop_rig_dry(&rig.loop);
        EXPECT_INT("done", rig.loop.done_count, 1);
        whole = rig.loop.last_code == ERR_OK;
        EXPECT_TRUE("code", whole || rig.loop.last_code == ERR_CANCELLED);
        EXPECT_STR("what was said is kept", rig.chat.text, buf_str(&rig.streamed));
        rig_fini(&rig);
    }
    EXPECT_TRUE("it ends at last", whole);
}

TEST(closing_ends_what_is_in_flight)
{
    struct rig rig;
    rig_init(&rig, true);
    start(&rig, "general", joke);
    loop_turn(rig.loop.loop, 1);
    rig_fini(&rig);
    EXPECT_INT("code", rig.loop.last_code, ERR_CANCELLED);
}

/* What is said without a database; NULL: it is needed. */
static const struct {
    const char *task, *question, *documents, *says;
} blind[] = {
    {"sql_generation", "How many clients are there?", "", NULL},
    {"classify", "How many clients are there?", "documents", "SQL"},
    {"classify", "How is overtime paid?", "documents", "RAG"},
    {"classify", "How is overtime paid?", "", "SQL"},
    {"classify_whole", "hello!", "documents", "GENERAL"},
    {"general", "hello!", "documents",
     "I answer questions about data and documents. The database is unavailable now, so I can only "
     "look into documents."},
};

TEST(without_a_database_documents_and_talk_go_on)
{
    for (size_t i = 0; i < countof(blind); i++) {
        struct rig rig;
        struct err err = {0};
        const char *const fields[] = {
            "question", blind[i].question, "documents", blind[i].documents, NULL, NULL};
        rig_init(&rig, false);
        EXPECT_INT("ready", llm_ready(rig.llm, &err), ERR_OK);
        start(&rig, blind[i].task, fields);
        loop_rig_dry(&rig.loop);
        EXPECT_INT(blind[i].question, rig.loop.last_code,
                   blind[i].says == NULL ? ERR_UNAVAILABLE : ERR_OK);
        if (blind[i].says != NULL)
            EXPECT_STR(blind[i].question, rig.chat.text, str_of(blind[i].says));
        rig_fini(&rig);
    }
}

TEST(no_memory_at_any_allocation)
{
    static const char *const fields[] = {"question", "Clients with no open orders", NULL, NULL};
    bool whole = false;
    for (uint64_t n = 1; !whole && n < 500; n++) {
        struct rig rig;
        rig_init(&rig, true);
        mem_fail_nth(n);
        start(&rig, "sql_generation", fields);
        loop_rig_dry(&rig.loop);
        mem_fail_nth(0);
        EXPECT_INT("done", rig.loop.done_count, 1);
        whole = rig.loop.last_code == ERR_OK && str_starts_with(rig.chat.text, STR("```"));
        EXPECT_TRUE("code",
                    whole || rig.loop.last_code == ERR_NO_MEMORY || rig.loop.last_code == ERR_OK);
        rig_fini(&rig);
    }
    EXPECT_TRUE("it passes at last", whole);
}

RUN_TESTS(T(every_task_has_its_form), T(text_comes_over_several_turns),
          T(sentences_of_its_own_come_in_one_piece), T(hold_stops_the_words_and_go_brings_the_rest),
          T(cancelled_at_every_turn), T(closing_ends_what_is_in_flight),
          T(without_a_database_documents_and_talk_go_on), T(no_memory_at_any_allocation))
