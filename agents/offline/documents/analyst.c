/* SPDX-License-Identifier: MIT */
/* agents/offline/documents/analyst.c - one function per task of the analyst.
 *
 * Happy path: the figures asked for are in the tables of the passages; they go out as the analysis,
 * come back calculated and checked, and are said.
 * Failure: figures that are missing are gaps; without any the answer is extractive. */
#include "agents/offline/documents/analyst.h"

#include "agents/offline/documents/extractive.h"
#include "agents/offline/documents/figures.h"
#include "agents/offline/documents/findings.h"
#include "proto/json_write.h"

enum { MAX_GAPS = 16, SHORTEST_NAME = 3 };

struct task {
    struct arena *arena;
    const struct llm_prompt *prompt;
    struct offline_finance asked;
    struct offline_passage passages[OFFLINE_MAX_PASSAGES]; /* of the companies asked about */
    size_t passage_count;
    struct offline_figures figures;
    struct str gaps[MAX_GAPS];
    size_t gap_count;
    struct buf *out;
    bool says_nothing; /* but that the documents do not say */
};

typedef void task_fn(struct task *task);

static struct str field(const struct task *task, const char *name)
{
    return llm_prompt_field(task->prompt, str_of(name));
}

static void find_figures(struct task *task)
{
    offline_figures_find(task->arena, &task->asked, task->passages, task->passage_count,
                         &task->figures);
}

/* ---- query_processing ---- */

static void write_text_array(struct json_write *json, const char *key, const struct str *texts,
                             size_t count)
{
    json_write_key(json, str_of(key));
    json_write_array(json);
    for (size_t i = 0; i < count; i++)
        json_write_str(json, texts[i]);
    json_write_array_end(json);
}

static void say_query(struct task *task)
{
    const struct offline_finance *asked = &task->asked;
    struct str years[OFFLINE_FINANCE_YEARS], terms[3 * OFFLINE_FINANCE_METRICS];
    struct json_write json;
    size_t year_count = 0, term_count = 0;
    struct str more = STR("");
    for (; year_count < asked->year_count; year_count++)
        years[year_count] = arena_printf(task->arena, "%d", asked->years[year_count]);
    for (size_t i = 0; i < asked->metric_count; i++) {
        const struct offline_finance_metric *metric = asked->metrics[i];
        const char *words[] = {metric->name, metric->part, metric->whole};
        for (size_t k = 0; k < countof(words); k++)
            if (words[k] != NULL)
                terms[term_count++] = str_of(words[k]);
    }
    for (size_t i = 0; i < term_count; i++)
        more = arena_printf(task->arena, "%.*s %.*s", STR_ARG(more), STR_ARG(terms[i]));
    json_write_init(&json, task->out);
    json_write_object(&json);
    write_text_array(&json, "entities", terms, asked->metric_count > 0 ? 1 : 0);
    write_text_array(&json, "companies", NULL, 0);
    write_text_array(&json, "years", years, year_count);
    write_text_array(&json, "keywords", terms, term_count);
    json_write_member_str(
        &json, STR("augmented_query"),
        arena_printf(task->arena, "%.*s%.*s", STR_ARG(asked->question), STR_ARG(more)));
    json_write_object_end(&json);
}

/* ---- context_validation ---- */

static bool has_figure(const struct offline_figures *figures, struct str metric, struct str company,
                       int year)
{
    for (size_t i = 0; i < figures->count; i++) {
        const struct offline_figure *figure = &figures->at[i];
        bool is_metric = str_find(figure->metric, metric) != STR_NONE; /* "Road (... revenue)" */
        if (is_metric && str_equal(figure->company, company) && (year == 0 || figure->year == year))
            return true;
    }
    return false;
}

static void add_gap(struct task *task, const char *metric, struct str company, int year)
{
    struct str when = year == 0 ? STR("") : arena_printf(task->arena, " in %d", year);
    if (task->gap_count < MAX_GAPS && !has_figure(&task->figures, str_of(metric), company, year))
        task->gaps[task->gap_count++] =
            arena_printf(task->arena, "%s of %.*s%.*s", metric, STR_ARG(company), STR_ARG(when));
}

static void add_gaps(struct task *task, struct str company)
{
    const struct offline_finance *asked = &task->asked;
    for (size_t m = 0; m < asked->metric_count; m++) {
        const struct offline_finance_metric *metric = asked->metrics[m];
        const char *parts[] = {metric->part == NULL ? metric->name : metric->part, metric->whole};
        for (size_t i = 0; i < countof(parts) && parts[i] != NULL; i++) {
            if (asked->year_count == 0)
                add_gap(task, parts[i], company, 0);
            for (size_t y = 0; y < asked->year_count; y++)
                add_gap(task, parts[i], company, asked->years[y]);
        }
    }
}

/* "Northbeam" of "Northbeam's", when it is a name by its spelling; else empty. */
static struct str name_in(struct str word)
{
    size_t len = 0;
    while (len < word.len && str_is_alpha(word.at[len]))
        len++;
    bool is_name = len >= SHORTEST_NAME && str_lower(word.at[0]) != word.at[0] &&
                   str_lower(word.at[1]) == word.at[1];
    return str_slice(word, 0, is_name ? len : 0);
}

/* Add the names in the question that no passage has. The first word of a question is not taken for
 * a name by its capital. */
static void add_unknown_names(struct task *task)
{
    struct str rest = task->asked.question;
    (void)str_split(&rest, ' ');
    while (!str_is_absent(rest) && task->asked.metric_count > 0 && task->gap_count < MAX_GAPS) {
        struct str name = name_in(str_split(&rest, ' '));
        if (name.len > 0 && str_find(field(task, "context"), name) == STR_NONE)
            task->gaps[task->gap_count++] = arena_printf(
                task->arena, "%s of %.*s", task->asked.metrics[0]->name, STR_ARG(name));
    }
}

static void find_gaps(struct task *task)
{
    find_figures(task);
    task->gap_count = 0;
    add_unknown_names(task);
    for (size_t c = 0; c < task->figures.company_count; c++)
        add_gaps(task, task->figures.companies[c]);
}

/* "revenue of Calder Freight in 2019, revenue of ..."; empty: there are none. */
static struct str list_gaps(struct task *task)
{
    struct str list = STR("");
    find_gaps(task);
    for (size_t i = 0; i < task->gap_count; i++)
        list = arena_printf(task->arena, "%.*s%s%.*s", STR_ARG(list), i > 0 ? ", " : "",
                            STR_ARG(task->gaps[i]));
    return list;
}

static void say_verdict(struct task *task)
{
    struct json_write json;
    find_gaps(task);
    json_write_init(&json, task->out);
    json_write_object(&json);
    json_write_key(&json, STR("sufficient"));
    json_write_bool(&json, task->gap_count == 0);
    write_text_array(&json, "gaps", task->gaps, task->gap_count);
    json_write_object_end(&json);
}

/* ---- analysis ---- */

static void write_values(const struct offline_figures *figures, struct json_write *json)
{
    json_write_key(json, STR("values"));
    json_write_array(json);
    for (size_t i = 0; i < figures->count; i++) {
        const struct offline_figure *figure = &figures->at[i];
        json_write_object(json);
        json_write_member_str(json, STR("company"), figure->company);
        json_write_member_str(json, STR("metric"), figure->metric);
        json_write_member_str(json, STR("period"), figure->period);
        json_write_member_str(json, STR("value"), figure->value);
        json_write_member_str(json, STR("unit"), figure->unit);
        json_write_member_u64(json, STR("chunk"), figure->passage);
        json_write_object_end(json);
    }
    json_write_array_end(json);
}

static void write_calculation(struct json_write *json, const char *kind, const size_t *of,
                              size_t count)
{
    json_write_object(json);
    json_write_member_str(json, STR("kind"), str_of(kind));
    json_write_key(json, STR("of"));
    json_write_array(json);
    for (size_t i = 0; i < count; i++)
        json_write_u64(json, of[i]);
    json_write_array_end(json);
    json_write_object_end(json);
}

/* One past the last figure that begin's metric and company have in a row. */
static size_t group_end(const struct offline_figures *figures, size_t begin)
{
    size_t end = begin;
    while (end < figures->count && str_equal(figures->at[end].metric, figures->at[begin].metric) &&
           str_equal(figures->at[end].company, figures->at[begin].company))
        end++;
    return end;
}

/* Growth and the like of one company's figures, from the first year to the last. */
static void calculate_over_years(const struct task *task, size_t begin, size_t end,
                                 struct json_write *json)
{
    size_t ends[] = {begin, end - 1}, all[OFFLINE_FIGURES_MAX], count = 0;
    enum offline_finance_aim aim = task->asked.aim;
    if (end - begin < 2)
        return;
    for (size_t i = begin; i < end; i++)
        all[count++] = i;
    if (aim == OFFLINE_FINANCE_GROWTH || aim == OFFLINE_FINANCE_CAGR)
        write_calculation(json, "growth", ends, 2);
    if (aim == OFFLINE_FINANCE_CAGR)
        write_calculation(json, "cagr", ends, 2);
    if (aim == OFFLINE_FINANCE_DIFFERENCE && task->figures.company_count == 1)
        write_calculation(json, "difference", ends, 2);
    if (aim == OFFLINE_FINANCE_SUM && task->figures.company_count == 1)
        write_calculation(json, "sum", all, count);
    if (aim == OFFLINE_FINANCE_AVERAGE)
        write_calculation(json, "average", all, count);
}

/* Two companies side by side, in the last period that both have. */
static void calculate_beside(const struct task *task, size_t begin, size_t end,
                             struct json_write *json)
{
    const struct offline_figures *figures = &task->figures;
    size_t next = end < figures->count ? group_end(figures, end) : end, pair[2];
    enum offline_finance_aim aim = task->asked.aim;
    if (figures->company_count != 2 || next == end ||
        !str_equal(figures->at[begin].metric, figures->at[end].metric))
        return;
    for (size_t i = end; i-- > begin;)
        for (size_t k = next; k-- > end;) {
            if (!str_equal(figures->at[i].period, figures->at[k].period))
                continue;
            pair[0] = i;
            pair[1] = k;
            if (aim == OFFLINE_FINANCE_LEVEL)
                write_calculation(json, "compare", pair, 2);
            if (aim == OFFLINE_FINANCE_SUM)
                write_calculation(json, "sum", pair, 2);
            if (aim == OFFLINE_FINANCE_DIFFERENCE)
                write_calculation(json, "difference", (size_t[]){k, i}, 2);
            return;
        }
}

/* Margins, and shares of a break-down: each part by its whole of the same company and period. */
static void calculate_shares(const struct task *task, struct json_write *json)
{
    const struct offline_figures *figures = &task->figures;
    for (size_t i = 0; i < figures->count; i++)
        for (size_t k = 0; k < figures->count; k++) {
            const struct offline_figure *part = &figures->at[i], *whole = &figures->at[k];
            bool is_margin = offline_finance_share(part->metric, whole->metric) != NULL;
            bool is_part = task->asked.aim == OFFLINE_FINANCE_SHARE &&
                           offline_finance_find(part->metric) == NULL &&
                           str_find(part->metric, whole->metric) != STR_NONE;
            if (i != k && (is_margin || is_part) && str_equal(part->company, whole->company) &&
                str_equal(part->period, whole->period))
                write_calculation(json, "share", (size_t[]){i, k}, 2);
        }
}

static bool asks_margin(const struct offline_finance *asked)
{
    for (size_t i = 0; i < asked->metric_count; i++)
        if (asked->metrics[i]->part != NULL)
            return true;
    return asked->aim == OFFLINE_FINANCE_SHARE;
}

static void say_analysis(struct task *task)
{
    struct json_write json;
    find_figures(task);
    json_write_init(&json, task->out);
    json_write_object(&json);
    if (task->figures.count > 0)
        json_write_member_str(&json, STR("primary_metric"), task->figures.at[0].metric);
    write_values(&task->figures, &json);
    json_write_key(&json, STR("calculations"));
    json_write_array(&json);
    if (asks_margin(&task->asked))
        calculate_shares(task, &json);
    for (size_t i = 0, end; i < task->figures.count && !asks_margin(&task->asked); i = end) {
        end = group_end(&task->figures, i);
        calculate_over_years(task, i, end, &json);
        calculate_beside(task, i, end, &json);
    }
    json_write_array_end(&json);
    json_write_object_end(&json);
}

/* ---- synthesis, memory_compression ---- */

static void say_extract(struct task *task)
{
    task->says_nothing = !offline_extractive_answer(task->arena, task->asked.question,
                                                    task->passages, task->passage_count, task->out);
}

/* A figure of one year is no answer to a question about another. */
static void say_extract_of_years(struct task *task)
{
    const struct offline_finance *asked = &task->asked;
    size_t begin = buf_len(task->out);
    struct str gaps = list_gaps(task);
    say_extract(task);
    struct str said = str_from(buf_str(task->out), begin);
    bool is_of_years = asked->year_count == 0 || gaps.len == 0;
    for (size_t i = 0; i < asked->year_count; i++) {
        struct str year = arena_printf(task->arena, "%d", asked->years[i]);
        is_of_years = is_of_years || str_find(said, year) != STR_NONE;
    }
    if (is_of_years)
        return;
    buf_truncate(task->out, begin);
    buf_printf(task->out, "The documents do not say: %.*s.", STR_ARG(gaps));
    task->says_nothing = true;
}

/* An answer that did not pass is not given again. */
static void say_answer(struct task *task)
{
    struct str errors = field(task, "errors");
    bool is_new = str_is_empty(errors) || str_equal(errors, STR("[]"));
    if (!is_new || !offline_findings_answer(task->arena, field(task, "analysis"), task->out)) {
        say_extract_of_years(task);
        return;
    }
    buf_push(task->out, STR("\n\n"));
    buf_push(task->out, field(task, "explanation"));
    struct str gaps = list_gaps(task);
    if (gaps.len > 0)
        buf_printf(task->out, "\n\nThe documents found do not have: %.*s.", STR_ARG(gaps));
}

/* Sum a conversation up by its questions alone: the answers are in the conversation. */
static void say_summary(struct task *task)
{
    struct str rest = field(task, "conversation");
    size_t count = 0;
    while (!str_is_absent(rest)) {
        struct str line = str_split(&rest, '\n');
        if (!str_starts_with(line, STR("user: ")))
            continue;
        buf_printf(task->out, "%s%.*s", count++ == 0 ? "It was asked: " : " ",
                   STR_ARG(str_from(line, STR("user: ").len)));
    }
}

static const struct {
    const char *name;
    task_fn *say;
} tasks[] = {
    {"query_processing", say_query},     {"context_validation", say_verdict},
    {"analysis", say_analysis},          {"synthesis", say_answer},
    {"memory_compression", say_summary},
};

static task_fn *find_task(const struct llm_prompt *prompt)
{
    for (size_t i = 0; i < countof(tasks); i++)
        if (str_equal(str_of(prompt->task), str_of(tasks[i].name)))
            return tasks[i].say;
    return NULL;
}

bool offline_analyst_knows(const struct llm_prompt *prompt)
{
    return find_task(prompt) != NULL;
}

bool offline_analyst_answer(struct arena *arena, const struct llm_prompt *prompt, struct buf *out)
{
    struct task *task = arena_alloc(arena, sizeof *task);
    if (task == NULL)
        return true;
    *task = (struct task){.arena = arena, .prompt = prompt, .out = out};
    offline_finance_read(arena, field(task, "question"), &task->asked);
    task->passage_count = offline_passages_split(field(task, "context"), task->passages);
    task->passage_count =
        offline_figures_of_named(task->asked.question, task->passages, task->passage_count);
    find_task(prompt)(task);
    return !task->says_nothing;
}
