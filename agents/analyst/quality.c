/* SPDX-License-Identifier: MIT */
/* agents/analyst/quality.c - checks an answer sentence by sentence, then chart by chart.
 *
 * Happy path: every source mark, figure and chart is found to be supported. Failure: spent memory
 * supports less, so that more errors are found. */
#include "agents/analyst/quality.h"

#include "agents/charts/check.h"
#include "agents/docs/sentences.h"
#include "agents/english/language.h"
#include "agents/search/support.h"
#include "proto/json_value.h"
#include "proto/json_write.h"

enum { MAX_IN_FORMULA = 100, SHOWN_BYTES = 120, MAX_MARK = 1000 };

struct checking {
    struct arena *arena;
    const struct analyst_answer *answer;
    struct json_write *errors;
    size_t count;
};

static void say(struct checking *checking, struct str error)
{
    checking->count++;
    json_write_str(checking->errors, error);
}

/* ---- marks ---- */

/* A bit for each passage that text marks ("[2]", "[1, 3]"); *unknown: a mark that is no passage's,
 * or 0. */
static uint64_t read_marks(struct str text, size_t hit_count, uint64_t *unknown)
{
    uint64_t marks = 0, number = 0;
    bool inside = false;
    *unknown = 0;
    for (size_t i = 0; i < text.len; i++) {
        char c = text.at[i];
        if (inside && str_is_digit(c) && number < MAX_MARK) {
            number = number * 10 + (uint64_t)(c - '0');
            continue;
        }
        if (inside && number > 0 && (c == ']' || c == ',')) {
            if (number <= hit_count && number <= SUPPORT_MAX_PASSAGES)
                marks |= UINT64_C(1) << (number - 1);
            else
                *unknown = number;
        }
        number = 0;
        inside = c == '[' || (inside && (c == ',' || c == ' '));
    }
    return marks;
}

/* ---- figures ---- */

static bool is_formula(struct str sentence)
{
    for (size_t i = 0; i + 1 < sentence.len; i++)
        if (sentence.at[i] == '\\' && str_is_alpha(sentence.at[i + 1]))
            return true;
    return false;
}

static bool is_derived(const struct analyst_answer *answer, const struct analyst_number *figure)
{
    return answer->results != NULL && figures_results_holds(answer->results, figure);
}

/* Whether a passage among marks holds the figure (its heading counts). */
static bool is_in_passages(const struct analyst_answer *answer, uint64_t marks,
                           const struct analyst_number *figure)
{
    for (size_t i = 0; i < size_min(answer->hit_count, SUPPORT_MAX_PASSAGES); i++)
        if ((marks >> i & 1) != 0 && (figures_numbers_occurs(figure, answer->hits[i].text) ||
                                      figures_numbers_occurs(figure, answer->hits[i].heading)))
            return true;
    return false;
}

/* Whether all figures of sentence stand on something; *wrong: the first that does not; *figures:
 * how many are no years. */
static bool check_figures(const struct analyst_answer *answer, struct str sentence, uint64_t marks,
                          struct str *wrong, size_t *figures)
{
    struct analyst_number figure;
    bool formula = is_formula(sentence);
    /* what is not said is told by its year, which no passage has */
    bool is_no = english_language_is_lacking(str_trim(sentence));
    struct str rest = sentence;
    *figures = 0;
    while (figures_numbers_next(&rest, &figure)) {
        *figures += !figure.is_year;
        bool is_plain = formula && figure.step == 1 && figure.value <= MAX_IN_FORMULA &&
                        figure.value >= -MAX_IN_FORMULA;
        if (is_plain || (is_no && figure.is_year) || is_derived(answer, &figure) ||
            is_in_passages(answer, marks, &figure) ||
            figures_numbers_occurs(&figure, answer->question))
            continue;
        *wrong = figure.text;
        return false;
    }
    return true;
}

/* ---- sentences ---- */

/* The sentence without its figures, which are checked by themselves. */
static struct str without_figures(struct arena *arena, struct str sentence)
{
    struct buf words;
    buf_init(&words, sentence.len + 1);
    for (size_t i = 0; i < sentence.len; i++)
        if (!str_is_digit(sentence.at[i]))
            buf_push_char(&words, sentence.at[i]);
    struct str copy = arena_str(arena, buf_str(&words));
    buf_fini(&words);
    return copy;
}

static bool are_words_supported(struct checking *checking, struct str sentence, uint64_t marks)
{
    const struct analyst_answer *answer = checking->answer;
    struct str texts[SUPPORT_MAX_PASSAGES];
    size_t count = 0;
    bool says_nothing;
    for (size_t i = 0; i < size_min(answer->hit_count, SUPPORT_MAX_PASSAGES); i++)
        if ((marks >> i & 1) != 0)
            texts[count++] =
                arena_printf(checking->arena, "%.*s\n%.*s", STR_ARG(answer->hits[i].heading),
                             STR_ARG(answer->hits[i].text));
    const struct support *support = support_create(checking->arena, texts, count);
    return support != NULL &&
           support_find(support, checking->arena, without_figures(checking->arena, sentence),
                        &says_nothing) != SUPPORT_NONE;
}

static void check_sentence(struct checking *checking, struct str sentence)
{
    const struct analyst_answer *answer = checking->answer;
    struct str shown = str_utf8_prefix(sentence, SHOWN_BYTES), wrong = {NULL, 0};
    uint64_t unknown, marks = read_marks(sentence, answer->hit_count, &unknown);
    size_t figures;
    if (unknown != 0)
        say(checking, arena_printf(checking->arena, "there is no passage [%llu]: %.*s",
                                   (unsigned long long)unknown, STR_ARG(shown)));
    const uint64_t among = marks == 0 ? ~UINT64_C(0) : marks;
    size_t ignored;
    struct str other, exchanged = figures_numbers_exchange(checking->arena, sentence);
    bool is_known =
        check_figures(answer, sentence, among, &wrong, &figures) ||
        (!str_is_absent(exchanged) && check_figures(answer, exchanged, among, &other, &ignored));
    if (!is_known)
        say(checking,
            arena_printf(checking->arena,
                         marks == 0 ? "no passage holds %.*s, and it was not calculated: %.*s"
                                    : "the passages marked do not hold %.*s, and it was not "
                                      "calculated: %.*s",
                         STR_ARG(wrong), STR_ARG(shown)));
    else if (marks != 0 && figures == 0 && !are_words_supported(checking, sentence, marks))
        say(checking, arena_printf(checking->arena, "the passages marked do not say this: %.*s",
                                   STR_ARG(shown)));
}

/* A heading's or a list's signs are no part of the sentence; its number is none either. */
static struct str without_signs(struct str line)
{
    while (line.len > 0 && str_find_char(STR("#*->| "), line.at[0]) != STR_NONE)
        line = str_from(line, 1);
    return line;
}

static void check_text(struct checking *checking)
{
    struct str rest = checking->answer->text;
    for (;;) {
        struct str sentence = docs_sentences_next(&rest);
        if (str_is_absent(sentence))
            return;
        check_sentence(checking, without_signs(sentence));
    }
}

/* ---- charts ---- */

/* A number of a chart's data, or of a point in it. */
static void check_datum(struct checking *checking, const struct json_value *datum, size_t chart)
{
    struct analyst_number figure;
    if (datum->type != JSON_INT && datum->type != JSON_DOUBLE)
        return;
    struct str rest = datum->text;
    if (figures_numbers_next(&rest, &figure) &&
        (is_derived(checking->answer, &figure) ||
         is_in_passages(checking->answer, ~UINT64_C(0), &figure)))
        return;
    say(checking, arena_printf(checking->arena, "chart %zu: no passage holds its %.*s", chart,
                               STR_ARG(datum->text)));
}

static void check_chart(struct checking *checking, const struct json_value *config, size_t chart)
{
    struct err err;
    if (charts_check_config(config, &err) != ERR_OK) {
        say(checking, arena_printf(checking->arena, "chart %zu: %s", chart, err.text));
        return;
    }
    const struct json_value *sets = json_value_find(config, "/data/datasets");
    if (sets == NULL)
        return;
    JSON_EACH(set, sets) {
        const struct json_value *data = json_value_member(set, STR("data"));
        if (data == NULL || data->type != JSON_ARRAY)
            continue;
        JSON_EACH(datum, data) {
            check_datum(checking, datum, chart);
        }
    }
}

static void check_charts(struct checking *checking)
{
    struct str json = checking->answer->charts;
    struct err err;
    size_t i = 0;
    if (str_is_empty(json))
        return;
    const struct json_value *charts = json_value_parse(checking->arena, json, NULL, &err);
    if (charts == NULL || charts->type != JSON_ARRAY) {
        say(checking, arena_printf(checking->arena, "charts: %s",
                                   charts == NULL ? err.text : "expected an array"));
        return;
    }
    JSON_EACH(chart, charts) {
        const struct json_value *config = json_value_member(chart, STR("chartjs"));
        if (config != NULL)
            check_chart(checking, config, i);
        i++;
    }
}

/* ---- all of it ---- */

size_t analyst_quality_check(struct arena *arena, const struct analyst_answer *answer,
                             struct json_write *errors)
{
    struct checking checking = {arena, answer, errors, 0};
    uint64_t unknown;
    if (str_is_empty(str_trim(answer->text)))
        say(&checking, STR("the answer is empty"));
    else if (answer->hit_count > 0 && !answer->is_refusal &&
             read_marks(answer->text, answer->hit_count, &unknown) == 0)
        say(&checking, STR("the answer marks no passage as its source"));
    check_text(&checking);
    check_charts(&checking);
    return checking.count;
}

void analyst_quality_cite(const struct analyst_answer *answer, struct json_write *citations)
{
    uint64_t unknown, marks = read_marks(answer->text, answer->hit_count, &unknown);
    for (size_t i = 0; i < size_min(answer->hit_count, SUPPORT_MAX_PASSAGES); i++)
        if ((marks >> i & 1) != 0)
            search_write_citation(&answer->hits[i], i + 1, citations);
}
