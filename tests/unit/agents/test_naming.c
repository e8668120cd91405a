/* SPDX-License-Identifier: MIT */
/* The words of names, and which names say who touched a row. */
#include "agents/sql/catalog/naming.h"

#include "core/base/buf.h"
#include "tests/lib/test.h"

TEST(words)
{
    static const struct {
        const char *name, *words;
    } cases[] = {
        {"", ""},
        {"_", ""},
        {"id", "id"},
        {"workOrderId", "work Order Id"},
        {"work_order_id", "work order id"},
        {"HTTPServerURL", "HTTP Server URL"},
        {"ISOWNEDBY", "ISOWNEDBY"},
        {"line2Text", "line2 Text"},
        {" a--b ", "a b"},
    };
    TEST_EACH(c, cases) {
        struct buf out;
        struct str rest = str_of(c->name), word;
        buf_init(&out, 256);
        while (word = sql_naming_next_word(&rest), !str_is_absent(word))
            buf_printf(&out, "%s%.*s", buf_len(&out) > 0 ? " " : "", STR_ARG(word));
        EXPECT_STR(c->name, buf_str(&out), str_of(c->words));
        EXPECT_TRUE(c->name, str_is_absent(sql_naming_next_word(&rest)));
        buf_fini(&out);
    }
}

TEST(who_touched_a_row)
{
    static const struct {
        const char *name;
        bool audit;
    } cases[] = {
        {"createdBy", true},  {"created_by", true},  {"voided_by_id", true},
        {"creator", true},    {"creatorId", true},   {"lastModifiedBy", true},
        {"updateBy", true},   {"customerId", false}, {"created", false},
        {"createdAt", false}, {"ownedBy", false},    {"by", false},
        {"", false},
    };
    TEST_EACH(c, cases)
        EXPECT_INT(c->name, sql_naming_is_audit(str_of(c->name)), c->audit);
}

TEST(one_of)
{
    static const char *const list[] = {"company", "tenant"};
    EXPECT_TRUE("in any case", sql_naming_is_one_of(STR("Tenant"), list, 2));
    EXPECT_TRUE("whole words", !sql_naming_is_one_of(STR("tenants"), list, 2));
    EXPECT_TRUE("none", !sql_naming_is_one_of(STR("tenant"), list, 0));
}

RUN_TESTS(T(words), T(who_touched_a_row), T(one_of))
