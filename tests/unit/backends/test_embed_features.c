/* SPDX-License-Identifier: MIT */
/* What lies near what; the vectors of "hash-1" themselves. */
#include "tests/lib/test.h"

#include <math.h>

#include "backends/models/embed_features.h"

enum { DIMENSIONS = EMBED_FEATURES_DIMENSIONS };

static double dot(const float *a, const float *b)
{
    double sum = 0;
    for (size_t i = 0; i < DIMENSIONS; i++)
        sum += (double)a[i] * (double)b[i];
    return sum;
}

static double nearness(const char *one, const char *other)
{
    float a[DIMENSIONS], b[DIMENSIONS];
    embed_features_of(str_of(one), a);
    embed_features_of(str_of(other), b);
    return dot(a, b);
}

TEST(nearer_than)
{
    static const struct {
        const char *name, *text, *near, *far;
    } cases[] = {
        {"a word", "overtime pay", "how is overtime paid", "how are parts ordered"},
        {"its forms", "cancelled orders", "cancelling an order", "schedule an appointment"},
        {"a typo", "schedule a vacation", "scheduel a vaccation", "export a report"},
        {"a compound", "Wartungsvertrag", "Vertrag zur Wartung", "Rechnung bezahlen"},
        {"accents", "Größe der Überweisung", "grosse uberweisung", "Farbe der Wand"},
        {"case", "CREDIT LIMIT", "credit limit", "price list"},
        {"camel case", "workOrderStatus", "status of a work order", "name of a customer"},
        {"snake case", "crew_lead", "lead of the crew", "lead time"},
        {"neighbours", "the credit note of an invoice", "credit note",
         "note of credit cards, credit"},
        {"stop words weigh little", "what is the tax rate", "tax rate", "what is the date"},
        {"numbers", "invoice 4711", "4711", "0815"},
        {"han", "作業指示を作成する", "作業指示", "顧客一覧"},
        {"cyrillic", "счета клиентов", "счёт клиента", "склад деталей"},
    };
    TEST_EACH(c, cases) {
        double near = nearness(c->text, c->near), far = nearness(c->text, c->far);
        if (near < far + 0.1)
            fail_msg("%s: near %.3f, far %.3f", c->name, near, far);
    }
}

TEST(length_is_one_or_nothing)
{
    static const struct {
        const char *name, *text;
        double length;
    } cases[] = {
        {"empty", "", 0},
        {"signs", " -- ?! \n", 0},
        {"a letter", "x", 1},
        {"stop words", "the", 1},
        {"not UTF-8", "\xFF\xFE", 0},
        {"emoji", "😀", 0},
        {"text", "Hold Shift to assign in spite of a warning.", 1},
    };
    TEST_EACH(c, cases) {
        float vector[DIMENSIONS];
        embed_features_of(str_of(c->text), vector);
        double length = sqrt(dot(vector, vector));
        if (fabs(length - c->length) > 1e-5)
            fail_msg("%s: length %f", c->name, length);
    }
}

/* A word more often counts more, but not in proportion. */
TEST(repetition_is_damped)
{
    double once = nearness("tax invoice", "tax");
    double often = nearness("tax tax tax tax tax tax tax tax invoice", "tax");
    EXPECT_TRUE("more", often > once + 0.05);
    EXPECT_TRUE("but the rest is still seen",
                nearness("tax tax tax tax tax tax tax tax invoice", "invoice") > 0.15);
}

TEST(any_bytes_and_lengths)
{
    static char text[70000];
    float vector[DIMENSIONS];
    uint64_t seed = 1;
    for (size_t i = 0; i < sizeof text; i++) {
        seed = seed * UINT64_C(6364136223846793005) + 1442695040888963407U;
        text[i] = (char)(seed >> 56);
    }
    for (size_t len = 1; len < sizeof text; len = len * 3 / 2 + 1) {
        embed_features_of(str_make(text, len), vector);
        EXPECT_TRUE("finite", isfinite(dot(vector, vector)));
    }
    memset(text, 'x', sizeof text);
    embed_features_of(str_make(text, sizeof text), vector);
    EXPECT_TRUE("an endless word", fabs(dot(vector, vector) - 1) < 1e-4);
}

/* Vectors are stored under the model's name: what "hash-1" gives may never change. */
TEST(hash_1_is_fixed)
{
    float vector[DIMENSIONS];
    double sum = 0;
    embed_features_of(STR("Overtime of crews, Größe 42: 作業"), vector);
    for (size_t i = 0; i < DIMENSIONS; i++)
        sum += (double)vector[i] * sin((double)i);
    if (fabs(sum - -0.034345) > 1e-4)
        fail_msg("sum is %.6f: rename the model", sum);
}

/* Sections of a manual, and questions in other words than theirs. */
TEST(questions_find_their_section)
{
    static const char *const sections[] = {
        "Resetting a password. Use the Forgot password link to receive a mail. After five wrong "
        "passwords the account is locked for fifteen minutes.",
        "Overtime. Hours above eight a day count as overtime and are paid at one and a half times "
        "the rate, on Sundays at twice. A manager approves it beforehand.",
        "Cancelling a work order. A reason is asked for. If the crew is on its way already, a "
        "cancellation fee can be charged.",
        "Merging customers. When a customer was entered twice, choose Merge: locations, orders and "
        "invoices move to the record you keep.",
        "Working without network. The mobile app keeps the day's orders; photos are uploaded as "
        "soon as there is a connection.",
        "Price lists. They hold hourly rates and travel flat rates. Each customer has one.",
        "Certificates and skills. Thirty days before a certificate expires the technician is "
        "reminded.",
        "Refunds. A credit note refunds an invoice or single lines and needs a manager's approval.",
    };
    static const struct {
        const char *question;
        size_t section;
    } cases[] = {
        {"I forgot my password, how do I get a new one?", 0},
        {"why is my account locked", 0},
        {"what are the overtime rules", 1},
        {"how much do we pay for working on a sunday", 1},
        {"cancelation fee", 2},
        {"can a crew on its way be cancelled", 2},
        {"two records of the same customer, can I merge them", 3},
        {"does the app work without a network connection", 4},
        {"uploading photos", 4},
        {"where are hourly rates defined", 5},
        {"what happens when a certificate expires", 6},
        {"refund an invoice", 7},
        {"who has to approve a credit note", 7},
    };
    TEST_EACH(c, cases) {
        size_t best = 0;
        double most = -1;
        for (size_t i = 0; i < countof(sections); i++) {
            double near = nearness(c->question, sections[i]);
            best = near > most ? i : best;
            most = near > most ? near : most;
        }
        EXPECT_INT(c->question, best, c->section);
    }
}

RUN_TESTS(T(nearer_than), T(length_is_one_or_nothing), T(repetition_is_damped),
          T(any_bytes_and_lengths), T(hash_1_is_fixed), T(questions_find_their_section))
