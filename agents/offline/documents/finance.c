/* SPDX-License-Identifier: MIT */
/* agents/offline/documents/finance.c - phrases of stems, longest first; four-digit years; a few cue
 * words.
 *
 * Happy path: each place of the question takes the longest phrase of a metric that begins there.
 * Failure: what is not known is not asked for; a spent arena finds less. */
#include "agents/offline/documents/finance.h"

#include "core/words/stem.h"

enum { MAX_WORDS = 96, LEAST_YEAR = 1900, MOST_YEAR = 2100 };

/* Without a name: words of a metric that are about something else. */
static const struct offline_finance_metric metrics[] = {
    {NULL, {"earnings call", "sales team", "cash flow statement", "profit warning"}},
    {"revenue", {"revenue", "sales", "net sales", "turnover", "total revenue", "top line"}},
    {"cost of sales", {"cost of sales", "cost of goods sold", "cost of revenue"}},
    {"gross profit", {"gross profit"}},
    {"operating expenses", {"operating expenses"}},
    {"operating income",
     {"operating income", "operating profit", "operating result", "ebit", "operating earnings"}},
    {"net income",
     {"net income", "net profit", "profit", "earnings", "bottom line", "net earnings"}},
    {"income tax", {"income tax", "taxes"}},
    {"cash flow from operations",
     {"cash flow from operations", "operating cash flow", "cash from operations", "cash flow"}},
    {"capital expenditure", {"capital expenditure", "capex", "capital spending"}},
    {"free cash flow", {"free cash flow"}},
    {"employees",
     {"employees", "employees at year end", "headcount", "staff", "workforce", "people"},
     .is_counted = true},
    {"gross margin", {"gross margin"}, "gross profit", "revenue"},
    {"operating margin", {"operating margin", "ebit margin"}, "operating income", "revenue"},
    {"net margin", {"net margin", "profit margin"}, "net income", "revenue"},
};

static const struct {
    const char *phrase;
    enum offline_finance_aim aim;
} aims[] = {
    {"share", OFFLINE_FINANCE_SHARE},
    {"percentage", OFFLINE_FINANCE_SHARE},
    {"proportion", OFFLINE_FINANCE_SHARE},
    {"portion", OFFLINE_FINANCE_SHARE},
    {"per year", OFFLINE_FINANCE_CAGR},
    {"a year", OFFLINE_FINANCE_CAGR},
    {"annual growth", OFFLINE_FINANCE_CAGR},
    {"cagr", OFFLINE_FINANCE_CAGR},
    {"average", OFFLINE_FINANCE_AVERAGE},
    {"mean", OFFLINE_FINANCE_AVERAGE},
    {"in total", OFFLINE_FINANCE_SUM},
    {"together", OFFLINE_FINANCE_SUM},
    {"sum", OFFLINE_FINANCE_SUM},
    {"difference", OFFLINE_FINANCE_DIFFERENCE},
    {"how much more", OFFLINE_FINANCE_DIFFERENCE},
    {"grow", OFFLINE_FINANCE_GROWTH},
    {"grew", OFFLINE_FINANCE_GROWTH},
    {"growth", OFFLINE_FINANCE_GROWTH},
    {"change", OFFLINE_FINANCE_GROWTH},
    {"increase", OFFLINE_FINANCE_GROWTH},
    {"decrease", OFFLINE_FINANCE_GROWTH},
    {"develop", OFFLINE_FINANCE_GROWTH},
    {"development", OFFLINE_FINANCE_GROWTH},
    {"rise", OFFLINE_FINANCE_GROWTH},
    {"rose", OFFLINE_FINANCE_GROWTH},
    {"fall", OFFLINE_FINANCE_GROWTH},
    {"fell", OFFLINE_FINANCE_GROWTH},
    {"decline", OFFLINE_FINANCE_GROWTH},
    {"shrink", OFFLINE_FINANCE_GROWTH},
    {"shrank", OFFLINE_FINANCE_GROWTH},
    {"trend", OFFLINE_FINANCE_GROWTH},
    {"evolve", OFFLINE_FINANCE_GROWTH},
};

/* Words of questions that no table answers. */
static const char *const prose[] = {"why",      "reason",  "because",     "expect", "expectation",
                                    "guidance", "outlook", "forecast",    "plan",   "risk",
                                    "say",      "said",    "explanation", "when",   "cause"};

static const char *const quarters[][4] = {{"q1", "first quarter"},
                                          {"q2", "second quarter"},
                                          {"q3", "third quarter"},
                                          {"q4", "fourth quarter", "last quarter"}};

struct phrase {
    struct str stems[MAX_WORDS];
    size_t count;
};

static void read_phrase(struct arena *arena, struct str text, struct phrase *phrase)
{
    struct str words[MAX_WORDS];
    char room[STEM_BYTES];
    size_t count = stem_split(arena, text, words, MAX_WORDS);
    for (phrase->count = 0; phrase->count < count; phrase->count++)
        phrase->stems[phrase->count] = arena_str(arena, stem_of(words[phrase->count], room));
}

/* How many words phrase has when it begins at that place of words; 0: it does not. */
static size_t match_at(const struct phrase *words, size_t at, const char *phrase)
{
    struct str rest = str_of(phrase);
    char room[STEM_BYTES];
    size_t count = 0;
    for (; !str_is_absent(rest); count++) {
        struct str stem = stem_of(str_split(&rest, ' '), room);
        if (at + count >= words->count || !str_equal(words->stems[at + count], stem))
            return 0;
    }
    return count;
}

static size_t match_metric(const struct phrase *words, size_t at,
                           const struct offline_finance_metric *metric)
{
    size_t longest = 0;
    for (size_t i = 0; i < countof(metric->phrases) && metric->phrases[i] != NULL; i++)
        longest = size_max(longest, match_at(words, at, metric->phrases[i]));
    return longest;
}

static void add_metric(struct offline_finance *asked, const struct offline_finance_metric *metric)
{
    for (size_t i = 0; i < asked->metric_count; i++)
        if (asked->metrics[i] == metric)
            return;
    if (asked->metric_count < OFFLINE_FINANCE_METRICS)
        asked->metrics[asked->metric_count++] = metric;
}

static void read_metrics(const struct phrase *words, struct offline_finance *asked)
{
    for (size_t at = 0; at < words->count;) {
        const struct offline_finance_metric *best = NULL;
        size_t longest = 0;
        for (size_t m = 0; m < countof(metrics); m++) {
            size_t length = match_metric(words, at, &metrics[m]);
            if (length <= longest)
                continue;
            longest = length;
            best = &metrics[m];
        }
        if (best != NULL && best->name != NULL)
            add_metric(asked, best);
        at += size_max(longest, 1);
    }
}

static void add_year(struct offline_finance *asked, int year)
{
    size_t at = asked->year_count;
    for (size_t i = 0; i < asked->year_count; i++)
        if (asked->years[i] == year)
            return;
    if (at == OFFLINE_FINANCE_YEARS)
        return;
    for (asked->year_count++; at > 0 && asked->years[at - 1] > year; at--)
        asked->years[at] = asked->years[at - 1];
    asked->years[at] = year;
}

static void read_years(struct offline_finance *asked)
{
    struct str text = asked->question;
    for (size_t i = 0, end; i < text.len; i = end + 1) {
        uint64_t year;
        for (end = i; end < text.len && str_is_digit(text.at[end]);)
            end++;
        if (end - i == 4 && str_to_u64(str_slice(text, i, end), &year) && year >= LEAST_YEAR &&
            year <= MOST_YEAR)
            add_year(asked, (int)year);
    }
}

static void read_cues(const struct phrase *words, struct offline_finance *asked)
{
    for (size_t p = 0; p < countof(prose); p++)
        for (size_t at = 0; at < words->count; at++)
            if (match_at(words, at, prose[p]) > 0)
                asked->metric_count = 0;
    for (size_t a = 0; a < countof(aims) && asked->aim == OFFLINE_FINANCE_LEVEL; a++)
        for (size_t at = 0; at < words->count; at++)
            if (match_at(words, at, aims[a].phrase) > 0)
                asked->aim = aims[a].aim;
    for (size_t q = 0; q < countof(quarters); q++)
        for (size_t i = 0; i < countof(quarters[q]) && quarters[q][i] != NULL; i++)
            for (size_t at = 0; at < words->count; at++)
                if (match_at(words, at, quarters[q][i]) > 0)
                    asked->quarter = (int)q + 1;
}

void offline_finance_read(struct arena *arena, struct str question, struct offline_finance *asked)
{
    struct phrase words;
    *asked = (struct offline_finance){.question = question};
    asked->stem_count = content_words(arena, question, asked->stems, CONTENT_MAX_WORDS);
    read_phrase(arena, question, &words);
    read_metrics(&words, asked);
    read_years(asked);
    read_cues(&words, asked);
}

bool offline_finance_wants_year(const struct offline_finance *asked, int year, int latest)
{
    bool moves = asked->aim > OFFLINE_FINANCE_SHARE;
    if (asked->year_count == 0)
        return moves || year == latest;
    int first = asked->years[0], last = asked->years[asked->year_count - 1];
    if (asked->year_count == 1 &&
        (asked->aim == OFFLINE_FINANCE_GROWTH || asked->aim == OFFLINE_FINANCE_DIFFERENCE))
        first--;
    if (moves)
        return year >= first && year <= last;
    for (size_t i = 0; i < asked->year_count; i++)
        if (asked->years[i] == year)
            return true;
    return false;
}

const struct offline_finance_metric *offline_finance_label(struct arena *arena, struct str label)
{
    struct phrase words;
    read_phrase(arena, label, &words);
    for (size_t m = 0; m < countof(metrics); m++)
        if (metrics[m].name != NULL && words.count > 0 &&
            match_metric(&words, 0, &metrics[m]) == words.count)
            return &metrics[m];
    return NULL;
}

const struct offline_finance_metric *offline_finance_find(struct str name)
{
    for (size_t m = 0; m < countof(metrics); m++)
        if (metrics[m].name != NULL && str_equal(name, str_of(metrics[m].name)))
            return &metrics[m];
    return NULL;
}

const struct offline_finance_metric *offline_finance_share(struct str part, struct str whole)
{
    for (size_t m = 0; m < countof(metrics); m++)
        if (metrics[m].part != NULL && str_equal(part, str_of(metrics[m].part)) &&
            str_equal(whole, str_of(metrics[m].whole)))
            return &metrics[m];
    return NULL;
}

bool offline_finance_says(struct arena *arena, const struct offline_finance *asked, struct str text)
{
    struct str stems[CONTENT_MAX_WORDS];
    size_t count = content_words(arena, text, stems, CONTENT_MAX_WORDS);
    for (size_t i = 0; i < count; i++)
        if (content_find(asked->stems, asked->stem_count, stems[i]) < 0)
            return false;
    return count > 0;
}
