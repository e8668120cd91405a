/* SPDX-License-Identifier: MIT */
/* Questions over the tables of world.h, judged by the rows that their statements give. */
#include "tests/unit/offline/world_rows.h"

static const struct {
    const char *question, *sql;
} read[] = {
    {"How many orders are there?", "SELECT COUNT(*) AS orders_count FROM orders"},
    {"List all clients", "SELECT name, id, city, is_member, created_at FROM clients"},
    {"Show the emails of clients in Oslo",
     "SELECT name, id, email FROM clients WHERE city = 'Oslo'"},
    {"How many members are in Bergen?",
     "SELECT COUNT(*) AS clients_count FROM clients WHERE is_member = 1 AND city = "
     "'Bergen'"},
    {"Which clients are not members?",
     "SELECT name, id, city, is_member, created_at FROM clients WHERE is_member = 0"},
    {"Show orders that are on hold",
     "SELECT order_number, id, client_id, status, total, shipped_date, created_at FROM "
     "orders WHERE status = 'on_hold'"},
    {"Show order OR-17",
     "SELECT order_number, id, client_id, status, total, shipped_date, created_at FROM "
     "orders WHERE order_number = 'OR-17'"},
    {"What is the average price of products?", "SELECT AVG(price) AS average_price FROM products"},
    {"How many kitchen products cost more than 20?",
     "SELECT COUNT(*) AS products_count FROM products WHERE category = 'kitchen' AND price"
     " > 20"},
    {"Products whose price is 20 or more",
     "SELECT name, id, price, category FROM products WHERE price >= 20"},
    {"List products price 20 or more",
     "SELECT name, id, price, category FROM products WHERE price >= 20"},
    {"2 products with the highest price",
     "SELECT name, id, price, category FROM products ORDER BY price DESC, id LIMIT 2"},
    {"Products between 5 and 10",
     "SELECT name, id, price, category FROM products WHERE price BETWEEN 5 AND 10"},
    {"What is the total of orders in May?",
     "SELECT SUM(total) AS total FROM orders WHERE created_at >= '2024-05-01' AND "
     "created_at < '2024-06-01'"},
    {"Which orders were shipped last month?",
     "SELECT order_number, id, client_id, status, total, shipped_date, created_at FROM "
     "orders WHERE shipped_date >= '2024-07-01' AND shipped_date < '2024-08-01'"},
    {"Orders of Ada Stone",
     "SELECT t1.order_number, t1.id, t1.client_id, t1.status, t1.total, t1.shipped_date, "
     "t1.created_at FROM orders AS t1 JOIN clients AS t2 ON t2.id = t1.client_id WHERE "
     "t2.name = 'Ada Stone'"},
    {"Clients without orders",
     "SELECT t1.name, t1.id, t1.city, t1.is_member, t1.created_at FROM clients AS t1 WHERE"
     " NOT EXISTS (SELECT 1 FROM orders AS t3 WHERE t3.client_id = t1.id)"},
    {"Clients with more than 3 orders",
     "SELECT t1.name, t1.id, t1.city, t1.is_member, t1.created_at FROM clients AS t1 WHERE"
     " t1.id IN (SELECT t2.client_id FROM orders AS t2 WHERE t2.client_id IS NOT NULL "
     "GROUP BY t2.client_id HAVING COUNT(*) > 3)"},
    {"Clients with fewer than 2 orders",
     "SELECT t1.name, t1.id, t1.city, t1.is_member, t1.created_at FROM clients AS t1 WHERE"
     " t1.id NOT IN (SELECT t2.client_id FROM orders AS t2 WHERE t2.client_id IS NOT NULL "
     "GROUP BY t2.client_id HAVING COUNT(*) >= 2)"},
    {"Clients with no open orders",
     "SELECT t1.name, t1.id, t1.city, t1.is_member, t1.created_at FROM clients AS t1 WHERE"
     " NOT EXISTS (SELECT 1 FROM orders AS t3 WHERE t3.client_id = t1.id AND t3.status = "
     "'open')"},
    {"Top 3 clients by number of orders",
     "SELECT t2.name, t2.id, COUNT(*) AS orders_count FROM orders AS t1 JOIN clients AS t2"
     " ON t2.id = t1.client_id GROUP BY t2.name, t2.id ORDER BY orders_count DESC, "
     "t2.id LIMIT 3"},
    {"Which client has the highest total?",
     "SELECT t2.name, t2.id, MAX(t1.total) AS highest_total FROM orders AS t1 JOIN clients"
     " AS t2 ON t2.id = t1.client_id GROUP BY t2.name, t2.id ORDER BY highest_total DESC, "
     "t2.id LIMIT 1"},
    {"Show the 5 most expensive products",
     "SELECT name, id, price, category FROM products ORDER BY price DESC, id LIMIT 5"},
    {"Number of orders by status",
     "SELECT status, COUNT(*) AS orders_count FROM orders GROUP BY status"},
    {"Average total per client",
     "SELECT t2.name, t2.id, AVG(t1.total) AS average_total FROM orders AS t1 JOIN clients"
     " AS t2 ON t2.id = t1.client_id GROUP BY t2.name, t2.id"},
    {"How many orders does each client have?",
     "SELECT t1.name, t1.id, COALESCE(c.n, 0) AS orders_count FROM clients AS t1 LEFT JOIN"
     " (SELECT t2.client_id AS k, COUNT(*) AS n FROM orders AS t2 WHERE t2.client_id IS "
     "NOT NULL GROUP BY t2.client_id) AS c ON c.k = t1.id"},
    {"Which products were never ordered?",
     "SELECT t1.name, t1.id, t1.price, t1.category FROM products AS t1 WHERE NOT EXISTS "
     "(SELECT 1 FROM order_items AS t3 JOIN orders AS t4 ON t4.id = t3.order_id WHERE "
     "t3.product_id = t1.id)"},
    {"What percentage of orders are shipped?",
     "SELECT 100.0 * SUM(CASE WHEN status = 'shipped' THEN 1 ELSE 0 END) / COUNT(*) AS "
     "percentage FROM orders"},
    {"Clients with orders of garden products",
     "SELECT t1.name, t1.id, t1.city, t1.is_member, t1.created_at FROM clients AS t1 WHERE"
     " EXISTS (SELECT 1 FROM orders AS t2 JOIN order_items AS t3 ON t3.order_id = t2.id "
     "JOIN products AS t4 ON t4.id = t3.product_id WHERE t2.client_id = t1.id AND "
     "t4.category = 'garden')"},
    {"What did Ada Stone order?",
     "SELECT id FROM orders WHERE client_id IN (SELECT id FROM clients WHERE name = 'Ada Stone')"},
    {"How often did Ada Stone order?", "SELECT COUNT(*) FROM orders WHERE client_id IN (SELECT id "
                                       "FROM clients WHERE name = 'Ada Stone')"},
    {"Authors older than 50 years", "SELECT id FROM author WHERE birthYear < 1974"},
    {"How many books were published after 2020?",
     "SELECT COUNT(*) AS book_count FROM book WHERE publishedDate >= '2021-01-01'"},
    {"Show printed books",
     "SELECT title, id, editorId, pageCount, isPrinted, publishedDate FROM book WHERE "
     "isPrinted = 1"},
    {"Which author has the most books?",
     "SELECT t3.firstName, t3.lastName, t3.id, COUNT(DISTINCT t1.id) AS book_count FROM "
     "book AS t1 JOIN bookAuthor AS t2 ON t2.bookId = t1.id JOIN author AS t3 ON t3.id = "
     "t2.authorId GROUP BY t3.firstName, t3.lastName, t3.id ORDER BY book_count DESC, "
     "t3.id LIMIT 1"},
    {"Number of books per editor",
     "SELECT t2.firstName, t2.lastName, t2.id, COUNT(*) AS book_count FROM book AS t1 JOIN"
     " author AS t2 ON t2.id = t1.editorId GROUP BY t2.firstName, t2.lastName, t2.id"},
    {"Orders above the average",
     "SELECT order_number, id, client_id, status, total, shipped_date, created_at FROM "
     "orders WHERE total > (SELECT AVG(total) FROM orders)"},
    {"Show products sorted by price descending",
     "SELECT name, id, price, category FROM products ORDER BY price DESC"},
    {"What are the different categories?", "SELECT DISTINCT category FROM products"},
    {"How many different cities are there?",
     "SELECT COUNT(DISTINCT city) AS different_city FROM clients"},
    {"For each status, how many orders are there?",
     "SELECT status, COUNT(*) AS orders_count FROM orders GROUP BY status"},
    {"Highest and lowest price",
     "SELECT MAX(price) AS highest_price, MIN(price) AS lowest_price FROM products"},
    {"Number of orders per month in 2023",
     "SELECT strftime('%Y-%m', created_at) AS period, COUNT(*) AS orders_count FROM orders"
     " WHERE created_at >= '2023-01-01' AND created_at < '2024-01-01' GROUP BY "
     "strftime('%Y-%m', created_at) ORDER BY period"},
    {"Clients whose total order amount exceeds 500",
     "SELECT t1.name, t1.id, t1.city, t1.is_member, t1.created_at FROM clients AS t1 WHERE"
     " t1.id IN (SELECT t2.client_id FROM orders AS t2 WHERE t2.client_id IS NOT NULL "
     "GROUP BY t2.client_id HAVING SUM(t2.total) > 500)"},
    {"Clients in Oslo or Bergen",
     "SELECT name, id, city, is_member, created_at FROM clients WHERE city IN ('Oslo', "
     "'Bergen')"},
    {"Orders that are not shipped",
     "SELECT order_number, id, client_id, status, total, shipped_date, created_at FROM "
     "orders WHERE status <> 'shipped'"},
    {"Which categories have more than 10 products?",
     "SELECT category, COUNT(*) AS products_count FROM products GROUP BY category HAVING "
     "COUNT(*) > 10"},
    {"Average number of orders per client",
     "SELECT AVG(v) AS average_count FROM (SELECT COUNT(*) AS v FROM orders AS t1 JOIN clients AS "
     "t2 ON t2.id = t1.client_id GROUP BY t2.name, t2.id) AS s"},
    {"Most expensive product of each category",
     "SELECT t1.category, t1.name, t1.id, t1.price FROM products AS t1 WHERE t1.price = (SELECT "
     "MAX(t2.price) FROM products AS t2 WHERE t2.category = t1.category)"},
    {"Orders that are neither shipped nor open",
     "SELECT order_number, id, client_id, status, total, shipped_date, created_at FROM orders "
     "WHERE status NOT IN ('shipped', 'open')"},
    {"Products priced above the average",
     "SELECT name, id, price, category FROM products WHERE price > (SELECT AVG(price) FROM "
     "products)"},
    {"Show the names of members", "SELECT name, id FROM clients WHERE is_member = 1"},
    {"How much did clients spend?",
     "SELECT (SUM(t1.\"total\")) AS revenue FROM orders AS t1 JOIN clients AS t2 ON t2.id "
     "= t1.client_id"},
    {"Which client spent the most?",
     "SELECT t2.name, t2.id, (SUM(t1.\"total\")) AS revenue FROM orders AS t1 JOIN "
     "clients AS t2 ON t2.id = t1.client_id GROUP BY t2.name, t2.id ORDER BY revenue "
     "DESC, t2.id LIMIT 1"},
    {"Clients who spent over 900",
     "SELECT t1.name, t1.id, t1.city, t1.is_member, t1.created_at FROM clients AS t1 "
     "WHERE t1.id IN (SELECT t2.client_id FROM orders AS t2 WHERE t2.client_id IS NOT "
     "NULL GROUP BY t2.client_id HAVING (SUM(t2.\"total\")) > 900)"},
    {"Revenue by month",
     "SELECT strftime('%Y-%m', created_at) AS period, (SUM(\"total\")) AS revenue FROM "
     "orders GROUP BY strftime('%Y-%m', created_at) ORDER BY period"},
    {"Total revenue per city",
     "SELECT t2.city, (SUM(t1.\"total\")) AS revenue FROM orders AS t1 JOIN clients AS t2 "
     "ON t2.id = t1.client_id GROUP BY t2.city"},
    {"How many kettles were sold?",
     "SELECT SUM(t1.quantity) AS total_quantity FROM order_items AS t1 JOIN products AS "
     "t2 ON t2.id = t1.product_id WHERE t2.name = 'Kettle'"},
    {"How many products were sold in 2023?",
     "SELECT SUM(t1.quantity) AS total_quantity FROM order_items AS t1 JOIN orders AS t2 "
     "ON t2.id = t1.order_id WHERE t2.created_at >= '2023-01-01' AND t2.created_at < "
     "'2024-01-01'"},
    {"Which products have not been bought?",
     "SELECT t1.name, t1.id, t1.price, t1.category FROM products AS t1 WHERE NOT EXISTS "
     "(SELECT 1 FROM order_items AS t3 WHERE t3.product_id = t1.id)"},
    {"Which product sold the most units?",
     "SELECT t2.name, t2.id, SUM(t1.quantity) AS total_quantity FROM order_items AS t1 "
     "JOIN products AS t2 ON t2.id = t1.product_id GROUP BY t2.name, t2.id ORDER BY "
     "total_quantity DESC, t2.id LIMIT 1"},
    {"Products that nobody ordered",
     "SELECT t1.name, t1.id, t1.price, t1.category FROM products AS t1 WHERE NOT EXISTS "
     "(SELECT 1 FROM order_items AS t3 JOIN orders AS t4 ON t4.id = t3.order_id WHERE "
     "t3.product_id = t1.id)"},
    {"Products whose name starts with K",
     "SELECT name, id, price, category FROM products WHERE LOWER(name) LIKE 'k%'"},
    {"Clients whose city doesn't end with 'go'",
     "SELECT name, id, city, is_member, created_at FROM clients WHERE LOWER(city) NOT "
     "LIKE '%go'"},
    {"Books with a title containing \"50%\"",
     "SELECT title, id, editorId, pageCount, isPrinted, publishedDate FROM book WHERE "
     "LOWER(title) LIKE '%50!%%' ESCAPE '!'"},
    {"Orders with a total above twice the average",
     "SELECT order_number, id, client_id, status, total, shipped_date, created_at FROM "
     "orders WHERE total > (SELECT 2 * AVG(total) FROM orders)"},
    {"Clients we've had since 2023",
     "SELECT name, id, city, is_member, created_at FROM clients WHERE created_at >= "
     "'2023-01-01'"},
    {"Number of orders by city, from most to least",
     "SELECT t2.city, COUNT(*) AS orders_count FROM orders AS t1 JOIN clients AS t2 ON "
     "t2.id = t1.client_id GROUP BY t2.city ORDER BY orders_count DESC"},
    {"Orders by client and year",
     "SELECT t2.name, t2.id, strftime('%Y', t1.created_at) AS period, COUNT(*) AS "
     "orders_count FROM orders AS t1 JOIN clients AS t2 ON t2.id = t1.client_id GROUP BY "
     "t2.name, t2.id, strftime('%Y', t1.created_at) ORDER BY period"},
    {"Products by category",
     "SELECT category, COUNT(*) AS products_count FROM products GROUP BY category"},
    {"Unshipped orders",
     "SELECT order_number, id, client_id, status, total, shipped_date, created_at FROM "
     "orders WHERE shipped_date IS NULL"},
    {"How many orders are unshipped?",
     "SELECT COUNT(*) AS orders_count FROM orders WHERE shipped_date IS NULL"},
    {"The dearest product by price",
     "SELECT name, id, price, category FROM products ORDER BY price DESC, id LIMIT 1"},
    {"Orders over the average total",
     "SELECT order_number, id, client_id, status, total, shipped_date, created_at FROM "
     "orders WHERE total > (SELECT AVG(total) FROM orders)"},
    {"Clients with orders in more than one status",
     "SELECT t1.name, t1.id, t1.city, t1.is_member, t1.created_at FROM clients AS t1 "
     "WHERE t1.id IN (SELECT t2.client_id FROM orders AS t2 WHERE t2.client_id IS NOT NULL "
     "GROUP BY t2.client_id HAVING COUNT(DISTINCT t2.status) > 1)"},
    {"What share of order items are kettles?",
     "SELECT 100.0 * SUM(CASE WHEN product_id IN (SELECT id FROM products WHERE name = "
     "'Kettle') THEN 1 ELSE 0 END) / COUNT(*) AS percentage FROM order_items"},
    {"Which client has the most orders? Give me the client name",
     "SELECT t2.name, t2.id, COUNT(*) AS orders_count FROM orders AS t1 JOIN clients AS "
     "t2 ON t2.id = t1.client_id GROUP BY t2.name, t2.id ORDER BY orders_count DESC, "
     "t2.id LIMIT 1"},
    {"What is the most common city of clients?",
     "SELECT city, COUNT(*) AS clients_count FROM clients GROUP BY city ORDER BY "
     "clients_count DESC, city LIMIT 1"},
    {"Clients with 2 or more orders",
     "SELECT t1.name, t1.id, t1.city, t1.is_member, t1.created_at FROM clients AS t1 "
     "WHERE t1.id IN (SELECT t2.client_id FROM orders AS t2 WHERE t2.client_id IS NOT "
     "NULL GROUP BY t2.client_id HAVING COUNT(*) >= 2)"},
    {"Clients that have two orders or more",
     "SELECT t1.name, t1.id, t1.city, t1.is_member, t1.created_at FROM clients AS t1 "
     "WHERE t1.id IN (SELECT t2.client_id FROM orders AS t2 WHERE t2.client_id IS NOT "
     "NULL GROUP BY t2.client_id HAVING COUNT(*) >= 2)"},
    {"For each client, return the number of orders and the city of the client",
     "SELECT t2.name, t2.id, t2.city, COUNT(*) AS orders_count FROM orders AS t1 JOIN "
     "clients AS t2 ON t2.id = t1.client_id GROUP BY t2.name, t2.id, t2.city"},
    {"Which client has the largest number of orders?",
     "SELECT t2.name, t2.id, COUNT(*) AS orders_count FROM orders AS t1 JOIN clients AS "
     "t2 ON t2.id = t1.client_id GROUP BY t2.name, t2.id ORDER BY orders_count DESC, "
     "t2.id LIMIT 1"},
    {"Clients sorted by name",
     "SELECT name, id, city, is_member, created_at FROM clients ORDER BY name"},
};

/* What must not be answered, and a piece of the reason. */
static const struct {
    const char *question, *why;
} refused[] = {
    {"Delete all orders", "only reads"},
    {"Please update the orders of Ada Stone", "only reads"},
    {"Show the best clients", "by which measure"},
    {"Show recent orders", "by which measure"},
    {"What is the credit score of Ada Stone?", "'credit'"},
    {"Which branch has the most orders?", "'branch'"},
    {"Show the secret note of Ada Stone", "'secret'"},
    {"Total orders", "go together"},
    {"Clients with more than 3", "'more'"},
    {"Products older than 20", "understood"},
    {"Products 20 or older", "understood"},
    {"Top clients", "by which measure"},
    {"Show the largest orders", "'largest'"},
    {"Which products are shipped?", "more than one thing"},
    {"Shipped clients", "go together"},
    {"Show the date of order OR-17", "more than one thing"},
    {"Books of Mary Shelley", "two ways"},
    {"Show recorded orders", "'recorded'"},
    {"Where is order OR-17?", "go together"},
    {"Show clients and orders", "'Show clients' is understood, but not 'and orders' with it"},
    {"Order items of orders with more than 3 products", "inside a condition"},
    {"Total orders by status", "'by'"},
    {"What is the highest number of orders?", "'highest'"},
    {"Categories of orders", "go together"},
    {"Clients with orders of both kitchen and garden products", "two different rows"},
    {"How are we doing?", "'doing'"},
    {"What is the weather in Oslo today?", "'weather'"},
    {"Orders of Zelda", "'Zelda'"},
    {"average number of orders", "go together"},
    {"clients not", "cut short"},
    {"how many", "cut short"},
    {"per", "cut short"},
    {"", "no question"},
    {"???", "no question"},
};

TEST(questions_become_statements)
{
    struct world w;
    sqlite3 *db = world_rows_open();
    world_init(&w);
    TEST_EACH(c, read) {
        const struct offline_answer *answer = world_read(&w, str_of(c->question));
        assert_non_null(answer);
        if (!answer->understood)
            fail_msg("%s: %s", c->question, answer->cannot);
        same_rows_expect(db, c->question, str_of(c->sql), answer->sql);
    }
    world_fini(&w);
    sqlite3_close(db);
}

/* A conversation, and the statement of its last question; NULL: it is not answered. */
static const struct {
    const char *asked, *question, *sql;
} follows[] = {
    {"How many orders were created in 2023?\n", "And in 2024?",
     "SELECT COUNT(*) AS orders_count FROM orders WHERE created_at >= '2024-01-01' AND "
     "created_at < '2025-01-01'"},
    {"How many orders were created in 2023?\n", "And only in May?",
     "SELECT COUNT(*) AS orders_count FROM orders WHERE created_at >= '2023-05-01' AND "
     "created_at < '2023-06-01'"},
    {"How many orders were created in May 2022?\n", "And in December?",
     "SELECT COUNT(*) AS orders_count FROM orders WHERE created_at >= '2022-12-01' AND "
     "created_at < '2023-01-01'"},
    {"How many orders were created in May 2022?\n", "And in April 2023?",
     "SELECT COUNT(*) AS orders_count FROM orders WHERE created_at >= '2023-04-01' AND "
     "created_at < '2023-05-01'"},
    {"How many clients in Oslo are there?\n", "What about Bergen?",
     "SELECT COUNT(*) AS clients_count FROM clients WHERE city = 'Bergen'"},
    {"How many clients in Oslo are there?\n", "Which of them are members?",
     "SELECT name, id, city, is_member, created_at FROM clients WHERE city = 'Oslo' AND "
     "is_member = 1"},
    {"List the shipped orders\n", "How many of them?",
     "SELECT COUNT(*) AS orders_count FROM orders WHERE status = 'shipped'"},
    {"Number of clients by city\nunicorns\n", "top 3",
     "SELECT city, COUNT(*) AS clients_count FROM clients GROUP BY city ORDER BY clients_count "
     "DESC, city LIMIT 3"},
    {"Number of orders by status\n", "only top 3",
     "SELECT status, COUNT(*) AS orders_count FROM orders GROUP BY status ORDER BY orders_count "
     "DESC, status LIMIT 3"},
    {"How many orders are there?\n", "How many products are there?",
     "SELECT COUNT(*) AS products_count FROM products"},
    {"How many orders are there?\n", "And how many products are there?",
     "SELECT COUNT(*) AS products_count FROM products"},
    {"What percentage of orders are shipped?\n", "And in 2024?", NULL},
    {"How many orders are there?\n", "And of unicorns?", NULL},
    {"How many orders are there?\n", "Delete them", NULL},
    {"", "How many of them?", NULL},
    {"", "And in May?", NULL},
};

TEST(follow_ups_change_the_reading_before)
{
    struct world w;
    sqlite3 *db = world_rows_open();
    world_init(&w);
    TEST_EACH(c, follows) {
        const struct offline_answer *answer =
            world_read_after(&w, str_of(c->asked), str_of(c->question));
        assert_non_null(answer);
        if (c->sql == NULL && answer->understood)
            fail_msg("%s: %.*s", c->question, STR_ARG(answer->sql));
        if (c->sql != NULL && !answer->understood)
            fail_msg("%s: %s", c->question, answer->cannot);
        if (c->sql != NULL)
            same_rows_expect(db, c->question, str_of(c->sql), answer->sql);
    }
    world_fini(&w);
    sqlite3_close(db);
}

TEST(what_is_not_understood_is_refused_with_a_reason)
{
    struct world w;
    world_init(&w);
    TEST_EACH(c, refused) {
        const struct offline_answer *answer = world_read(&w, str_of(c->question));
        assert_non_null(answer);
        if (answer->understood)
            fail_msg("%s: %.*s", c->question, STR_ARG(answer->sql));
        if (str_find(str_of(answer->cannot), str_of(c->why)) < 0)
            fail_msg("%s: '%s' does not say '%s'", c->question, answer->cannot, c->why);
    }
    world_fini(&w);
}

TEST(case_and_punctuation_do_not_matter)
{
    struct world w;
    world_init(&w);
    static const char *const same[] = {"how many orders are there", "HOW MANY ORDERS ARE THERE??",
                                       "  How   many\torders are there ? ", "How many Orders"};
    TEST_EACH(text, same) {
        const struct offline_answer *answer = world_read(&w, str_of(*text));
        EXPECT_STR(*text, answer->sql, STR("SELECT COUNT(*) AS orders_count FROM orders"));
    }
    world_fini(&w);
}

TEST(a_long_question_is_refused)
{
    struct world w;
    char text[OFFLINE_QUESTION_MAX + 2];
    world_init(&w);
    memset(text, 'a', sizeof text);
    EXPECT_TRUE("bytes", !world_read(&w, str_make(text, sizeof text))->understood);
    for (size_t i = 0; i < sizeof text; i += 2)
        text[i] = ' ';
    EXPECT_TRUE("words", !world_read(&w, str_make(text, OFFLINE_QUESTION_MAX))->understood);
    EXPECT_TRUE("not text", !world_read(&w, STR("\xff\xfe orders"))->understood);
    world_fini(&w);
}

/* Every prefix and every question with one byte replaced: no crash, and never an empty reason. */
TEST(any_bytes_are_survived)
{
    struct world w;
    world_init(&w);
    TEST_EACH(c, read) {
        struct str whole = str_of(c->question);
        char text[256];
        for (size_t len = 0; len <= whole.len; len += 3) {
            const struct offline_answer *answer = world_read(&w, str_slice(whole, 0, len));
            EXPECT_TRUE(c->question, answer->understood || answer->cannot[0] != '\0');
        }
        for (size_t i = 0; i < whole.len; i += 5) {
            memcpy(text, whole.at, whole.len);
            text[i] = (char)(i % 2 == 0 ? '9' : '\'');
            assert_non_null(world_read(&w, str_make(text, whole.len)));
        }
    }
    world_fini(&w);
}

TEST(no_allocation_is_taken_for_granted)
{
    static const char *const texts[] = {
        "Top 3 clients by number of orders",
        "Clients with no open orders",
        "How many orders does each client have?",
        "Clients with more than 3 orders",
    };
    struct world w;
    world_init(&w);
    TEST_EACH(text, texts) {
        bool passed = false;
        for (uint64_t n = 1; !passed && n < 500; n++) {
            mem_fail_nth(n);
            const struct offline_answer *answer = world_read(&w, str_of(*text));
            mem_fail_nth(0);
            passed = answer != NULL && answer->understood;
        }
        EXPECT_TRUE(*text, passed);
    }
    world_fini(&w);
}

TEST(no_memory_makes_no_lexicon)
{
    struct world w;
    world_init(&w);
    struct lexicon *lexicon = NULL;
    for (uint64_t n = 1; lexicon == NULL && n < 2000; n++) {
        mem_fail_nth(n);
        lexicon = lexicon_create(w.catalog, NULL);
        mem_fail_nth(0);
    }
    assert_non_null(lexicon);
    lexicon_destroy(lexicon);
    world_fini(&w);
}

TEST(without_a_join_graph_one_table_still_works)
{
    struct world w;
    struct offline_answer *answer;
    world_init(&w);
    struct offline_source source = world_source(&w);
    source.joins = NULL;
    source.finder = NULL;
    EXPECT_INT("one", offline_question_read(&source, STR("How many orders?"), &w.arena, &answer),
               ERR_OK);
    EXPECT_TRUE("one", answer->understood);
    EXPECT_INT("two", offline_question_read(&source, STR("Orders of Ada Stone"), &w.arena, &answer),
               ERR_OK);
    EXPECT_TRUE("two", !answer->understood);
    world_fini(&w);
}

TEST(names_are_quoted_by_dialect)
{
    static const struct {
        enum sql_dialect dialect;
        const char *sql;
    } dialects[] = {
        {SQL_SQLITE, "SELECT COUNT(*) AS book_count FROM book WHERE isPrinted = 1"},
        {SQL_POSTGRES, "SELECT COUNT(*) AS book_count FROM book WHERE \"isPrinted\" = TRUE"},
        {SQL_MYSQL, "SELECT COUNT(*) AS book_count FROM book WHERE isPrinted = 1"},
    };
    struct world w;
    struct offline_answer *answer;
    world_init(&w);
    struct offline_source source = world_source(&w);
    TEST_EACH(d, dialects) {
        source.dialect = d->dialect;
        EXPECT_INT(d->sql,
                   offline_question_read(&source, STR("How many printed books are there?"),
                                         &w.arena, &answer),
                   ERR_OK);
        EXPECT_STR(d->sql, answer->sql, str_of(d->sql));
    }
    world_fini(&w);
}

RUN_TESTS(T(questions_become_statements), T(follow_ups_change_the_reading_before),
          T(what_is_not_understood_is_refused_with_a_reason), T(case_and_punctuation_do_not_matter),
          T(a_long_question_is_refused), T(any_bytes_are_survived),
          T(no_allocation_is_taken_for_granted), T(no_memory_makes_no_lexicon),
          T(without_a_join_graph_one_table_still_works), T(names_are_quoted_by_dialect))
