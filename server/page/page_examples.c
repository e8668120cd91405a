/* SPDX-License-Identifier: MIT */
/* server/page/page_examples.c - for each kind of question the table that suits it best.
 *
 * Happy path: tables are weighed by their rows; one that has had its question comes after those
 * that have not.
 * Failure: no table suits, or no memory for the words: one question less. */
#include "server/page/page_examples.h"

#include "agents/charts/names.h"
#include "agents/lexicon/describe_names.h"
#include "agents/lexicon/facts.h"
#include "core/words/stem.h"
#include "server/language/sentences.h"

enum {
    WORDS_BYTES = 16 * 1024,
    QUESTION_BYTES = 512,
    SAID_BYTES = 2048,
    USED_MAX = 8,
    VERIFIED_MAX = 3,
    VALUE_BYTES = 80
};

struct asker {
    const struct lexicon *lexicon;
    int used[USED_MAX]; /* tables of the questions before */
    size_t used_count;
    const struct page_examples_about *about; /* NULL: about any table */
    enum language language;                  /* of whoever reads them */
    struct buf question;
};

/* Writes the question of its kind about a table; false: the table does not suit. */
typedef bool ask_fn(struct asker *asker, int table);

static void push_table(struct asker *asker, int table)
{
    struct buf words;
    buf_init(&words, QUESTION_BYTES);
    lexicon_describe_table(asker->lexicon, table, true, &words);
    buf_push(&asker->question, buf_str(&words));
    buf_fini(&words);
}

/* Whether there can be many of them: not of "work time". */
static bool is_countable(const struct asker *asker, int table)
{
    struct buf words;
    buf_init(&words, QUESTION_BYTES);
    lexicon_describe_table(asker->lexicon, table, true, &words);
    const bool does =
        str_ends_with(buf_str(&words), STR("s")) || str_ends_with(buf_str(&words), STR("people"));
    buf_fini(&words);
    return does;
}

static void push_column(struct asker *asker, int table, int column)
{
    lexicon_describe_column(asker->lexicon, table, column, &asker->question);
}

/* The last word of a column's name, in lower case, equals word. */
static bool ends_in(const struct catalog_column *column, const char *word)
{
    struct arena arena;
    struct str words[ENGLISH_WORDS];
    arena_init(&arena, WORDS_BYTES);
    size_t count = stem_split(&arena, column->name, words, ENGLISH_WORDS);
    bool does = count > 0 && str_equal(words[count - 1], str_of(word));
    arena_fini(&arena);
    return does;
}

/* A text column whose name says that its values are few; or CATALOG_NONE. */
static int find_category(const struct lexicon *lexicon, int t)
{
    static const char *const names[] = {"status", "state", "type",     "category", "priority",
                                        "role",   "kind",  "segment",  "result",   "region",
                                        "genre",  "level", "severity", "country",  "department"};
    const struct catalog_table *table = &lexicon->catalog->tables[t];
    for (size_t n = 0; n < countof(names); n++)
        for (size_t c = 0; c < table->column_count; c++) {
            const struct catalog_column *column = &table->columns[c];
            if (ends_in(column, names[n]) && column->type == CATALOG_TEXT && !column->hidden &&
                !column->pii && !column->unique && !column->primary_key &&
                !lexicon_index_is_label(lexicon, (int)t, (int)c))
                return (int)c;
        }
    return CATALOG_NONE;
}

/* Whether people would know its rows by what they are called. */
static bool has_names(const struct lexicon *lexicon, int t)
{
    const struct lexicon_facts *facts = &lexicon->facts[t];
    const struct catalog_table *table = &lexicon->catalog->tables[t];
    return facts->person ||
           (facts->label_count > 0 && ends_in(&table->columns[facts->labels[0]], "name"));
}

static ask_fn ask_categories, ask_ranking, ask_months, ask_newest;

static bool ask_categories(struct asker *asker, int table)
{
    int category = find_category(asker->lexicon, table);
    if (category == CATALOG_NONE || !is_countable(asker, table))
        return false;
    buf_push(&asker->question, STR("How many "));
    push_table(asker, table);
    buf_push(&asker->question, STR(" are there by "));
    push_column(asker, table, category);
    buf_push_char(&asker->question, '?');
    return true;
}

/* table is what is counted; what it refers to, and has a name, is ranked. */
static bool ask_ranking(struct asker *asker, int t)
{
    const struct catalog_table *table = &asker->lexicon->catalog->tables[t];
    const bool counts = is_countable(asker, t);
    for (size_t i = 0; counts && i < table->reference_count; i++) {
        const struct catalog_reference *reference = &table->references[i];
        if (reference->column_count != 1 || reference->to_table == t ||
            !asker->lexicon->facts[reference->to_table].visible ||
            !has_names(asker->lexicon, reference->to_table) ||
            lexicon_facts_is_audit(table->columns[reference->columns[0]].name))
            continue;
        buf_push(&asker->question, STR("Which 5 "));
        push_table(asker, reference->to_table);
        buf_push(&asker->question, STR(" have the most "));
        push_table(asker, t);
        buf_push_char(&asker->question, '?');
        return true;
    }
    return false;
}

static bool ask_months(struct asker *asker, int table)
{
    const struct lexicon_facts *facts = &asker->lexicon->facts[table];
    struct arena arena;
    if (facts->measure == CATALOG_NONE || facts->began == CATALOG_NONE)
        return false;
    struct str column = asker->lexicon->catalog->tables[table].columns[facts->measure].name;
    arena_init(&arena, WORDS_BYTES);
    struct charts_names name = charts_names_read(&arena, column);
    bool says_so = name.count > 0 && str_equal(name.words[0], STR("total")); /* total_amount */
    buf_push(&asker->question, says_so                           ? STR("Sum of ")
                               : charts_names_is_additive(&name) ? STR("Total ")
                                                                 : STR("Average "));
    arena_fini(&arena);
    push_column(asker, table, facts->measure);
    buf_push(&asker->question, STR(" of "));
    push_table(asker, table);
    buf_push(&asker->question, STR(" per month"));
    return true;
}

static bool ask_newest(struct asker *asker, int table)
{
    const struct lexicon_facts *facts = &asker->lexicon->facts[table];
    if (facts->began == CATALOG_NONE || facts->label_count == 0)
        return false;
    buf_push(&asker->question, STR("Show the 10 newest "));
    push_table(asker, table);
    return true;
}

static bool is_used(const struct asker *asker, int table)
{
    for (size_t i = 0; i < asker->used_count; i++)
        if (asker->used[i] == table)
            return true;
    return false;
}

static bool is_asked_about(const struct asker *asker, int table)
{
    for (size_t i = 0; asker->about != NULL && i < asker->about->table_count; i++)
        if (asker->about->tables[i] == table)
            return true;
    return asker->about == NULL;
}

static int64_t weigh(const struct asker *asker, int table)
{
    int64_t rows = asker->lexicon->catalog->tables[table].row_count;
    return is_used(asker, table) ? -1 : rows < 0 ? 0 : rows;
}

/* The heaviest table that suits; its question is in asker->question then. */
static bool ask(struct asker *asker, ask_fn *kind)
{
    const struct catalog *catalog = asker->lexicon->catalog;
    int best = CATALOG_NONE;
    for (int t = 0; t < (int)catalog->table_count; t++) {
        bool usable = asker->lexicon->facts[t].visible && is_asked_about(asker, t) &&
                      catalog->tables[t].row_count != 0 &&
                      (best == CATALOG_NONE || weigh(asker, t) > weigh(asker, best));
        buf_clear(&asker->question);
        if (usable && kind(asker, t))
            best = t;
    }
    buf_clear(&asker->question);
    if (best == CATALOG_NONE || !kind(asker, best))
        return false;
    if (asker->used_count < USED_MAX)
        asker->used[asker->used_count++] = best;
    return buf_ok(&asker->question);
}

/* The question at hand, as its reader says it. */
static void write_question(struct asker *asker, struct json_write *json)
{
    struct buf said;
    if (!buf_ok(&asker->question))
        return;
    buf_init(&said, SAID_BYTES);
    const bool knows =
        sentences_say_question(asker->language, buf_str(&asker->question), &said) && buf_ok(&said);
    json_write_str(json, buf_str(knows ? &said : &asker->question));
    buf_fini(&said);
}

static void write_kinds(struct asker *asker, struct json_write *json)
{
    static ask_fn *const kinds[PAGE_EXAMPLES_MAX] = {ask_categories, ask_ranking, ask_months,
                                                     ask_newest};
    buf_init(&asker->question, QUESTION_BYTES);
    for (size_t i = 0; i < countof(kinds); i++)
        if (ask(asker, kinds[i]))
            write_question(asker, json);
    buf_fini(&asker->question);
}

void page_examples_write(const struct lexicon *lexicon, enum language language,
                         struct json_write *json)
{
    struct asker asker = {.lexicon = lexicon, .language = language};
    write_kinds(&asker, json);
}

/* Whether a statement has the name as a word of its own. */
static bool names(struct str sql, struct str name)
{
    for (size_t at = 0; at + name.len <= sql.len; at++) {
        const bool begins = at == 0 || !(str_is_alpha(sql.at[at - 1]) || sql.at[at - 1] == '_');
        const size_t end = at + name.len;
        const bool ends = end == sql.len || !(str_is_alpha(sql.at[end]) || sql.at[end] == '_');
        if (begins && ends && str_equal_nocase(str_slice(sql, at, end), name))
            return true;
    }
    return false;
}

static bool is_about(const struct lexicon *lexicon, const struct page_examples_about *about,
                     struct str sql)
{
    for (size_t i = 0; i < about->table_count; i++)
        if (names(sql, lexicon->catalog->tables[about->tables[i]].name))
            return true;
    return false;
}

/* The asked table that has the column as a name of its rows; or CATALOG_NONE. */
static int find_named(const struct asker *asker)
{
    const struct page_examples_about *about = asker->about;
    for (size_t i = 0; i < about->table_count; i++) {
        const struct catalog_table *table = &asker->lexicon->catalog->tables[about->tables[i]];
        for (size_t c = 0; c < table->column_count; c++)
            if (str_equal_nocase(table->columns[c].name, about->column) &&
                !table->columns[c].hidden && !table->columns[c].pii &&
                lexicon_index_is_label(asker->lexicon, about->tables[i], (int)c))
                return about->tables[i];
    }
    return CATALOG_NONE;
}

static bool refers_to(const struct catalog_table *table, int to)
{
    for (size_t i = 0; i < table->reference_count; i++)
        if (table->references[i].to_table == to && table->references[i].column_count == 1 &&
            !lexicon_facts_is_audit(table->columns[table->references[i].columns[0]].name))
            return true;
    return false;
}

/* "How many work orders of Young Bruno are there by status?" */
static void write_of_row(struct asker *asker, struct json_write *json)
{
    const struct catalog *catalog = asker->lexicon->catalog;
    const struct str value = asker->about->value;
    const int named = value.len == 0 || value.len > VALUE_BYTES ? CATALOG_NONE : find_named(asker);
    int best = CATALOG_NONE;
    for (int t = 0; t < (int)catalog->table_count && named != CATALOG_NONE; t++)
        if (asker->lexicon->facts[t].visible && refers_to(&catalog->tables[t], named) &&
            is_countable(asker, t) &&
            (best == CATALOG_NONE || is_asked_about(asker, t) > is_asked_about(asker, best)))
            best = t;
    if (best == CATALOG_NONE)
        return;
    const int category = find_category(asker->lexicon, best);
    buf_clear(&asker->question);
    buf_push(&asker->question, STR("How many "));
    push_table(asker, best);
    buf_printf(&asker->question, " of %.*s are there", STR_ARG(value));
    if (category != CATALOG_NONE) {
        buf_push(&asker->question, STR(" by "));
        push_column(asker, best, category);
    }
    buf_push_char(&asker->question, '?');
    write_question(asker, json);
}

static void write_verified(const struct asker *asker, struct json_write *json)
{
    const struct semantic *semantic = asker->about->semantic;
    size_t written = 0;
    for (size_t i = 0; i < semantic->verified_count && written < VERIFIED_MAX; i++)
        if (is_about(asker->lexicon, asker->about, semantic->verified[i].sql)) {
            json_write_str(json, semantic->verified[i].question);
            written++;
        }
}

/* "Show billable hours per month", of the first metric of the tables that have a date. */
static void write_metric(struct asker *asker, struct json_write *json)
{
    const struct semantic *semantic = asker->about->semantic;
    for (size_t i = 0; i < semantic->metric_count; i++) {
        const struct semantic_named *metric = &semantic->named[i];
        if (!metric->usable || !is_asked_about(asker, metric->table) ||
            asker->lexicon->facts[metric->table].began == CATALOG_NONE)
            continue;
        buf_clear(&asker->question);
        buf_printf(&asker->question, "Show %.*s per month", STR_ARG(metric->name));
        write_question(asker, json);
        return;
    }
}

void page_examples_write_about(const struct lexicon *lexicon,
                               const struct page_examples_about *about, struct json_write *json)
{
    struct asker asker = {.lexicon = lexicon, .about = about, .language = about->language};
    buf_init(&asker.question, QUESTION_BYTES);
    write_of_row(&asker, json);
    if (about->semantic != NULL) {
        write_verified(&asker, json);
        write_metric(&asker, json);
    }
    buf_fini(&asker.question);
    write_kinds(&asker, json);
}
