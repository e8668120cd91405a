/* SPDX-License-Identifier: MIT */
/* The contract of vec, part one: what is put in is found, in order, through filters; what is
 * replaced or removed is not; what does not fit is refused with what to do. */
#include "tests/contract/vec_rig.h"

static const struct vec_rig_point alphabet[] = {
    {"a", "alpha", {"kind", "lang"}, {"letter", "el"}, 0.0},
    {"b", "beta", {"kind"}, {"letter"}, 0.2},
    {"c", "gamma ü \"quoted\" '; DROP", {"kind", "lang"}, {"söund", "d'e"}, 0.4},
    {"d", "", {NULL}, {NULL}, 0.6},
};

VEC_TEST(nearest_come_first)
{
    VEC_CODE(f, "put", vec_rig_put_table(f, "docs", alphabet, countof(alphabet)), ERR_OK);
    VEC_CODE(f, "near a", vec_rig_find(f, "docs", 0.01, 10, NULL, 0), ERR_OK);
    EXPECT_STR("order", vec_rig_ids(f), STR("a b c d"));
    EXPECT_TRUE("cosine", fabs(f->search.hits[0].score - cos(0.01)) < 1e-4);
    EXPECT_TRUE("cosine of the last", fabs(f->search.hits[3].score - cos(0.59)) < 1e-4);
    const struct passage *c = &f->search.hits[2].passage;
    EXPECT_STR("text", c->text, str_of(alphabet[2].text));
    EXPECT_INT("fields", c->field_count, 2);
    EXPECT_STR("field", passage_get(c, STR("kind")), STR("söund"));
    EXPECT_STR("field", passage_get(c, STR("lang")), STR("d'e"));
    EXPECT_STR("empty text", f->search.hits[3].passage.text, STR(""));
    EXPECT_INT("no fields", f->search.hits[3].passage.field_count, 0);
    VEC_CODE(f, "near d", vec_rig_find(f, "docs", 0.7, 2, NULL, 0), ERR_OK);
    EXPECT_STR("two", vec_rig_ids(f), STR("d c"));
    VEC_CODE(f, "opposite", vec_rig_find(f, "docs", 3.14159, 1, NULL, 0), ERR_OK);
    EXPECT_TRUE("negative", f->search.hits[0].score < 0);
}

VEC_TEST(nothing_there_is_no_error)
{
    VEC_CODE(f, "no collection", vec_rig_find(f, "docs", 0, 5, NULL, 0), ERR_OK);
    EXPECT_INT("none", f->search.hit_count, 0);
    VEC_CODE(f, "nothing to do", vec_rig_put(f, "docs", NULL, 0), ERR_OK);
    VEC_CODE(f, "put", vec_rig_put_table(f, "docs", alphabet, 1), ERR_OK);
    VEC_CODE(f, "another collection", vec_rig_find(f, "other", 0, 5, NULL, 0), ERR_OK);
    EXPECT_INT("none", f->search.hit_count, 0);
    VEC_CODE(f, "more than there are", vec_rig_find(f, "docs", 0, 1000, NULL, 0), ERR_OK);
    EXPECT_STR("one", vec_rig_ids(f), STR("a"));
}

VEC_TEST(points_are_replaced)
{
    const struct vec_rig_point moved = {"a", "new", {"kind"}, {"moved"}, 0.9};
    VEC_CODE(f, "put", vec_rig_put_table(f, "docs", alphabet, countof(alphabet)), ERR_OK);
    VEC_CODE(f, "again", vec_rig_put_table(f, "docs", alphabet, countof(alphabet)), ERR_OK);
    VEC_CODE(f, "same", vec_rig_find(f, "docs", 0, 10, NULL, 0), ERR_OK);
    EXPECT_STR("each once", vec_rig_ids(f), STR("a b c d"));
    VEC_CODE(f, "move", vec_rig_put_table(f, "docs", &moved, 1), ERR_OK);
    VEC_CODE(f, "elsewhere", vec_rig_find(f, "docs", 0, 10, NULL, 0), ERR_OK);
    EXPECT_STR("moved", vec_rig_ids(f), STR("b c d a"));
    EXPECT_STR("text", f->search.hits[3].passage.text, STR("new"));
    EXPECT_STR("gone", passage_get(&f->search.hits[3].passage, STR("lang")), STR(""));
    const struct vec_rig_point twice[] = {{"e", "first", {NULL}, {NULL}, 0},
                                          {"e", "second", {NULL}, {NULL}, 0}};
    VEC_CODE(f, "twice in one change", vec_rig_put_table(f, "two", twice, 2), ERR_OK);
    VEC_CODE(f, "one", vec_rig_find(f, "two", 0, 10, NULL, 0), ERR_OK);
    EXPECT_INT("one", f->search.hit_count, 1);
    EXPECT_STR("the later", f->search.hits[0].passage.text, STR("second"));
}

static enum err_code drop(struct vec_rig *f, const struct str *ids, size_t id_count,
                          const struct passage_filter *filters, size_t filter_count)
{
    return vec_rig_change(f, f->vec,
                          &(struct vec_change){.collection = STR("docs"),
                                               .model = VEC_RIG_MODEL,
                                               .dimensions = VEC_RIG_DIMENSIONS,
                                               .remove_ids = ids,
                                               .remove_count = id_count,
                                               .remove_filters = filters,
                                               .remove_filter_count = filter_count});
}

VEC_TEST(points_are_removed)
{
    const struct str ids[] = {STR("b"), STR("no such"), STR("b")};
    const struct str letter[] = {STR("letter")}, none[] = {STR("")};
    const struct passage_filter kind = {STR("kind"), letter, 1}, lacks = {STR("kind"), none, 1};
    VEC_CODE(f, "from nothing", drop(f, ids, 2, &kind, 1), ERR_OK);
    VEC_CODE(f, "put", vec_rig_put_table(f, "docs", alphabet, countof(alphabet)), ERR_OK);
    VEC_CODE(f, "by id", drop(f, ids, 3, NULL, 0), ERR_OK);
    VEC_CODE(f, "find", vec_rig_find(f, "docs", 0, 10, NULL, 0), ERR_OK);
    EXPECT_STR("without b", vec_rig_ids(f), STR("a c d"));
    VEC_CODE(f, "by id again", drop(f, ids, 1, NULL, 0), ERR_OK);
    VEC_CODE(f, "by filter", drop(f, NULL, 0, &kind, 1), ERR_OK);
    VEC_CODE(f, "find", vec_rig_find(f, "docs", 0, 10, NULL, 0), ERR_OK);
    EXPECT_STR("without a", vec_rig_ids(f), STR("c d"));
    VEC_CODE(f, "what lacks it", drop(f, NULL, 0, &lacks, 1), ERR_OK);
    VEC_CODE(f, "find", vec_rig_find(f, "docs", 0, 10, NULL, 0), ERR_OK);
    EXPECT_STR("without d", vec_rig_ids(f), STR("c"));
    VEC_CODE(f, "put back", vec_rig_put_table(f, "docs", alphabet, countof(alphabet)), ERR_OK);
    VEC_CODE(f, "find", vec_rig_find(f, "docs", 0, 10, NULL, 0), ERR_OK);
    EXPECT_STR("all", vec_rig_ids(f), STR("a b c d"));
}

/* Removal comes first: a document's old chunks go and its new ones come in one change. */
VEC_TEST(removal_and_upsert_in_one)
{
    const struct str letter[] = {STR("letter")};
    const struct passage_filter kind = {STR("kind"), letter, 1};
    const struct vec_rig_point fresh = {"e", "epsilon", {"kind"}, {"letter"}, 0.1};
    struct vec_rig_made room;
    struct vec_point point;
    vec_rig_make_point(&fresh, &room, &point);
    VEC_CODE(f, "put", vec_rig_put_table(f, "docs", alphabet, countof(alphabet)), ERR_OK);
    const struct vec_change change = {.collection = STR("docs"),
                                      .model = VEC_RIG_MODEL,
                                      .dimensions = VEC_RIG_DIMENSIONS,
                                      .upsert = &point,
                                      .upsert_count = 1,
                                      .remove_filters = &kind,
                                      .remove_filter_count = 1};
    for (int round = 0; round < 2; round++) {
        VEC_CODE(f, "change", vec_rig_change(f, f->vec, &change), ERR_OK);
        VEC_CODE(f, "find", vec_rig_find(f, "docs", 0, 10, NULL, 0), ERR_OK);
        EXPECT_STR("new for old", vec_rig_ids(f), STR("e c d"));
    }
}

#define ONE(name, value)                                                                           \
    {                                                                                              \
        STR(name), (const struct str[]){STR(value)}, 1                                             \
    }

VEC_TEST(filters_narrow_the_search)
{
    const struct str either[] = {STR("letter"), STR("söund")}, lacking[] = {STR(""), STR("letter")};
    const struct {
        const char *name;
        struct passage_filter filters[2];
        size_t count, top_k;
        struct str want;
    } cases[] = {
        {"one", {ONE("kind", "letter")}, 1, 10, STR("a b")},
        {"the second nearest", {ONE("kind", "söund")}, 1, 1, STR("c")},
        {"either", {{STR("kind"), either, 2}}, 1, 10, STR("a b c")},
        {"both", {ONE("kind", "letter"), ONE("lang", "el")}, 2, 10, STR("a")},
        {"neither", {ONE("kind", "söund"), ONE("lang", "el")}, 2, 10, STR("")},
        {"a quote", {ONE("lang", "d'e")}, 1, 10, STR("c")},
        {"what lacks it", {ONE("kind", "")}, 1, 1, STR("d")},
        {"what lacks it, or", {{STR("kind"), lacking, 2}}, 1, 10, STR("a b d")},
        {"nobody has it", {ONE("color", "red")}, 1, 10, STR("")},
        {"nobody has it, so all lack it", {ONE("color", "")}, 1, 10, STR("a b c d")},
        {"no value at all", {{STR("kind"), either, 0}}, 1, 10, STR("")},
        {"another case", {ONE("kind", "Letter")}, 1, 10, STR("")},
        {"a longer one", {ONE("kind", "letters")}, 1, 10, STR("")},
        {"a wild card", {ONE("kind", "%")}, 1, 10, STR("")},
    };
    VEC_CODE(f, "put", vec_rig_put_table(f, "docs", alphabet, countof(alphabet)), ERR_OK);
    TEST_EACH(c, cases) {
        VEC_CODE(f, c->name, vec_rig_find(f, "docs", 0, c->top_k, c->filters, c->count), ERR_OK);
        EXPECT_STR(c->name, vec_rig_ids(f), c->want);
    }
}

VEC_TEST(other_vectors_are_refused)
{
    static float vector[VEC_MAX_DIMENSIONS] = {1};
    const struct {
        const char *name;
        struct str model;
        size_t dimensions;
    } cases[] = {{"another model", STR("test-2"), VEC_RIG_DIMENSIONS},
                 {"fewer", VEC_RIG_MODEL, VEC_RIG_DIMENSIONS - 1},
                 {"more", VEC_RIG_MODEL, VEC_RIG_DIMENSIONS + 1}};
    struct vec_point point = {.passage = {.id = STR("x"), .text = STR("x")}, .vector = vector};
    VEC_CODE(f, "put", vec_rig_put_table(f, "docs", alphabet, countof(alphabet)), ERR_OK);
    TEST_EACH(c, cases) {
        const struct vec_query query = {.collection = STR("docs"),
                                        .model = c->model,
                                        .vector = vector,
                                        .dimensions = c->dimensions,
                                        .top_k = 5};
        const struct vec_change change = {.collection = STR("docs"),
                                          .model = c->model,
                                          .dimensions = c->dimensions,
                                          .upsert = &point,
                                          .upsert_count = 1};
        VEC_CODE(f, c->name, vec_rig_ask(f, f->vec, &query), ERR_INVALID);
        struct str said = str_of(f->search.op.err.text);
        EXPECT_TRUE(f->search.op.err.text, str_find(said, VEC_RIG_MODEL) != STR_NONE);
        EXPECT_TRUE(f->search.op.err.text, str_find(said, c->model) != STR_NONE);
        EXPECT_TRUE(f->search.op.err.text, str_find(said, STR("askd docs remove")) != STR_NONE);
        VEC_CODE(f, c->name, vec_rig_change(f, f->vec, &change), ERR_INVALID);
        said = str_of(f->write.op.err.text);
        EXPECT_TRUE(f->write.op.err.text, str_find(said, STR("askd docs remove")) != STR_NONE);
    }
    op_release(&f->write.op);
    VEC_CODE(f, "as before", vec_rig_find(f, "docs", 0, 10, NULL, 0), ERR_OK);
    EXPECT_STR("nothing was added", vec_rig_ids(f), STR("a b c d"));
    const struct str all[] = {STR("a"), STR("b"), STR("c"), STR("d")};
    struct vec_change swap = {.collection = STR("docs"),
                              .model = STR("test-2"),
                              .dimensions = 3,
                              .upsert = &point,
                              .upsert_count = 1,
                              .remove_ids = all,
                              .remove_count = 4};
    VEC_CODE(f, "emptied, then another", vec_rig_change(f, f->vec, &swap), ERR_OK);
    const struct vec_query query = {.collection = STR("docs"),
                                    .model = STR("test-2"),
                                    .vector = vector,
                                    .dimensions = 3,
                                    .top_k = 5};
    VEC_CODE(f, "its own", vec_rig_ask(f, f->vec, &query), ERR_OK);
    EXPECT_STR("x alone", vec_rig_ids(f), STR("x"));
}

VEC_TEST(misshapen_requests_are_refused)
{
    static float good[VEC_RIG_DIMENSIONS] = {1}, bad[VEC_RIG_DIMENSIONS] = {1, NAN},
                 endless[VEC_RIG_DIMENSIONS] = {INFINITY};
    const struct passage_field twice[] = {{STR("k"), STR("1")}, {STR("k"), STR("2")}};
    const struct passage_field odd[] = {{STR("k y"), STR("1")}};
    const struct passage_field raw[] = {{STR("k"), STR("\xff")}};
    const struct vec_point points[] = {
        {{STR("x"), STR("")}, bad},
        {{STR("x"), STR("")}, endless},
        {{STR(""), STR("")}, good},
        {{STR("a\0b"), STR("")}, good},
        {{STR("\xc3"), STR("")}, good},
        {{STR("x"), STR("\xff\xfe")}, good},
        {{STR("x"), STR(""), twice, 2}, good},
        {{STR("x"), STR(""), odd, 1}, good},
        {{STR("x"), STR(""), raw, 1}, good},
    };
    for (size_t i = 0; i < countof(points); i++) {
        char name[32];
        snprintf(name, sizeof name, "point %zu", i);
        const struct vec_point both[] = {{{STR("fine"), STR("")}, good}, points[i]};
        VEC_CODE(f, name, vec_rig_put(f, "docs", both, 2), ERR_INVALID);
    }
    op_release(&f->write.op);
    const struct passage_filter blank = {STR("a b"), NULL, 0};
    const struct vec_query queries[] = {
        {STR("docs"), VEC_RIG_MODEL, bad, VEC_RIG_DIMENSIONS, 5},
        {STR("docs"), VEC_RIG_MODEL, good, VEC_RIG_DIMENSIONS, 0},
        {STR("docs"), VEC_RIG_MODEL, good, VEC_RIG_DIMENSIONS, 1001},
        {STR("docs"), VEC_RIG_MODEL, good, 0, 5},
        {STR("docs"), STR(""), good, VEC_RIG_DIMENSIONS, 5},
        {STR(""), VEC_RIG_MODEL, good, VEC_RIG_DIMENSIONS, 5},
        {STR("a/b"), VEC_RIG_MODEL, good, VEC_RIG_DIMENSIONS, 5},
        {STR("docs"), VEC_RIG_MODEL, good, VEC_RIG_DIMENSIONS, 5, &blank, 1},
    };
    for (size_t i = 0; i < countof(queries); i++) {
        char name[32];
        snprintf(name, sizeof name, "query %zu", i);
        VEC_CODE(f, name, vec_rig_ask(f, f->vec, &queries[i]), ERR_INVALID);
    }
    VEC_CODE(f, "nothing came in", vec_rig_find(f, "docs", 0, 5, NULL, 0), ERR_OK);
    EXPECT_INT("none", f->search.hit_count, 0);
}

/* The zero vector is what an empty text has: near to nothing, but there. */
VEC_TEST(zero_vectors_are_there)
{
    static float zero[VEC_RIG_DIMENSIONS];
    const struct vec_point empty = {{STR("zero"), STR("")}, zero};
    VEC_CODE(f, "put", vec_rig_put_table(f, "docs", alphabet, 2), ERR_OK);
    VEC_CODE(f, "put zero", vec_rig_put(f, "docs", &empty, 1), ERR_OK);
    VEC_CODE(f, "find", vec_rig_find(f, "docs", 0, 10, NULL, 0), ERR_OK);
    EXPECT_STR("last", vec_rig_ids(f), STR("a b zero"));
    EXPECT_TRUE("no number at all", f->search.hits[2].score == 0);
}

VEC_TEST(ties_are_by_id)
{
    static const char *const ids[] = {"m",  "z", "b",   "é",  "a b", "B",
                                      "10", "9", "a'b", "\"", "a/b"};
    struct vec_rig_point same[countof(ids)] = {0};
    for (size_t i = 0; i < countof(ids); i++)
        same[i] = (struct vec_rig_point){ids[i], "same", {NULL}, {NULL}, 0.5};
    VEC_CODE(f, "put", vec_rig_put_table(f, "docs", same, countof(same)), ERR_OK);
    for (size_t top_k = 1; top_k <= countof(ids); top_k++) {
        VEC_CODE(f, "find", vec_rig_find(f, "docs", 0.5, top_k, NULL, 0), ERR_OK);
        EXPECT_INT("as many", f->search.hit_count, top_k);
        for (size_t i = 1; i < top_k; i++)
            EXPECT_TRUE("in order", str_compare(f->search.hits[i - 1].passage.id,
                                                f->search.hits[i].passage.id) < 0);
        EXPECT_STR("the first of all", f->search.hits[0].passage.id, STR("\""));
    }
}

int main(void)
{
    const struct CMUnitTest all[] = {
        T(nearest_come_first),        T(nothing_there_is_no_error),
        T(points_are_replaced),       T(points_are_removed),
        T(removal_and_upsert_in_one), T(filters_narrow_the_search),
        T(other_vectors_are_refused), T(misshapen_requests_are_refused),
        T(zero_vectors_are_there),    T(ties_are_by_id),
    };
    return vec_rig_main(all, countof(all));
}
