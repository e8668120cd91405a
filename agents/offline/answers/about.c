/* SPDX-License-Identifier: MIT */
/* agents/offline/answers/about.c - what the lexicon knows of tables, in sentences.
 *
 * Happy path: the question is one of a few forms; tables that much belongs to are named first;
 * examples are made of the schema, and only those are shown that the engine itself understands.
 * Failure: any other question is not about the database itself. */
#include "agents/offline/answers/about.h"

#include "agents/english/language.h"
#include "agents/lexicon/describe_names.h"
#include "agents/lexicon/glossary.h"
#include "agents/sql/catalog/visible.h"
#include "core/words/stem.h"

enum {
    NAMED = 8,     /* tables that a list names */
    SUGGESTED = 3, /* tables that a refusal names */
    EXAMPLES = 3,
    COLUMNS = 8, /* of a table that are told */
    PHRASE_BYTES = 200,
    ASKED_WORDS = 16, /* of a question about the database; a longer one asks something else */
    EXAMPLE_ARENA = 4 << 20,
};

/* ---- tables by weight ---- */

/* How much belongs to rows of a table, and they to others. */
static int weigh(const struct lexicon *lexicon, size_t table)
{
    const struct catalog *catalog = lexicon->catalog;
    const struct catalog_table *t = &catalog->tables[table];
    int weight = (int)t->reference_count + (lexicon->facts[table].label_count > 0 ? 2 : 0) +
                 (lexicon->facts[table].began != CATALOG_NONE ? 2 : 0);
    for (size_t o = 0; o < catalog->table_count; o++)
        for (size_t r = 0; r < catalog->tables[o].reference_count; r++)
            weight += 2 * (catalog->tables[o].references[r].to_table == (int)table);
    return t->is_view ? 0 : weight;
}

/* The visible tables, the weightiest first, at most max of them; *all is how many there are. */
static size_t list_tables(const struct lexicon *lexicon, int *tables, size_t max, size_t *all)
{
    int weights[NAMED];
    size_t count = 0;
    *all = 0;
    for (size_t t = 0; t < lexicon->catalog->table_count; t++) {
        if (!lexicon->facts[t].visible)
            continue;
        ++*all;
        int weight = weigh(lexicon, t);
        size_t at = count;
        while (at > 0 && weights[at - 1] < weight)
            at--;
        if (at >= max)
            continue;
        count = count < max ? count + 1 : max;
        for (size_t i = count - 1; i > at; i--) {
            weights[i] = weights[i - 1];
            tables[i] = tables[i - 1];
        }
        weights[at] = weight;
        tables[at] = (int)t;
    }
    return count;
}

/* "books, loans or members". */
static void push_tables(const struct lexicon *lexicon, const int *tables, size_t count,
                        const char *last, struct buf *out)
{
    for (size_t i = 0; i < count; i++) {
        buf_push(out, str_of(i == 0 ? "" : i + 1 == count ? last : ", "));
        lexicon_describe_table(lexicon, tables[i], true, out);
    }
}

/* ---- examples ---- */

static bool is_understood(const struct offline_source *source, struct str question)
{
    struct arena arena;
    struct offline_answer *answer = NULL;
    arena_init(&arena, EXAMPLE_ARENA);
    bool ok =
        offline_question_read(source, question, &arena, &answer) == ERR_OK && answer->understood;
    arena_fini(&arena);
    return ok;
}

/* The text that make writes for a table, in quotes, when it is a question that is understood. */
static bool push_example(const struct offline_source *source, int table, bool begun,
                         bool make(const struct lexicon *lexicon, int table, struct buf *out),
                         struct buf *out)
{
    struct buf text;
    buf_init(&text, PHRASE_BYTES * 4);
    bool ok = make(source->lexicon, table, &text) && buf_ok(&text) &&
              is_understood(source, buf_str(&text));
    if (ok) {
        buf_push(out, begun ? STR(" \"") : STR(" For example: \""));
        buf_push(out, buf_str(&text));
        buf_push_char(out, '"');
    }
    buf_fini(&text);
    return ok;
}

static bool make_count(const struct lexicon *lexicon, int table, struct buf *out)
{
    buf_push(out, STR("How many "));
    lexicon_describe_table(lexicon, table, true, out);
    buf_push(out, STR(" are there?"));
    return true;
}

static bool make_groups(const struct lexicon *lexicon, int table, struct buf *out)
{
    const struct catalog_table *t = &lexicon->catalog->tables[table];
    for (size_t r = 0; r < t->reference_count; r++) {
        int to = t->references[r].to_table;
        if (to == table || lexicon->facts[to].label_count == 0 || !lexicon->facts[to].visible)
            continue;
        buf_push(out, STR("Number of "));
        lexicon_describe_table(lexicon, table, true, out);
        buf_push(out, STR(" by "));
        lexicon_describe_table(lexicon, to, false, out);
        return true;
    }
    return false;
}

static bool make_average(const struct lexicon *lexicon, int table, struct buf *out)
{
    if (lexicon->facts[table].measure == CATALOG_NONE)
        return false;
    buf_push(out, STR("Average "));
    lexicon_describe_column(lexicon, table, lexicon->facts[table].measure, out);
    buf_push(out, STR(" of "));
    lexicon_describe_table(lexicon, table, true, out);
    return true;
}

static void push_examples(const struct offline_source *source, const int *tables, size_t count,
                          struct buf *out)
{
    bool (*const makes[EXAMPLES])(const struct lexicon *, int,
                                  struct buf *) = {make_count, make_groups, make_average};
    bool begun = false;
    for (size_t m = 0; m < EXAMPLES; m++)
        for (size_t i = 0; i < count; i++)
            if (push_example(source, tables[(i + m) % count], begun, makes[m], out)) {
                begun = true;
                break;
            }
}

size_t offline_about_help(const struct offline_source *source, struct buf *out)
{
    int tables[NAMED];
    size_t all, count = list_tables(source->lexicon, tables, NAMED, &all);
    if (count == 0)
        return buf_len(out);
    buf_push(out, STR("I answer questions about the data here: counts, lists, totals and rankings "
                      "of "));
    push_tables(source->lexicon, tables, size_min(count, SUGGESTED + 2), " and ", out);
    if (all > SUGGESTED + 2)
        buf_printf(out, ", and of %zu more kinds of rows", all - (SUGGESTED + 2));
    buf_push_char(out, '.');
    size_t said = buf_len(out);
    push_examples(source, tables, count, out);
    return said;
}

/* ---- which tables, and what is in one ---- */

static void write_tables(const struct lexicon *lexicon, struct buf *out)
{
    int tables[NAMED];
    size_t all, count = list_tables(lexicon, tables, NAMED, &all);
    buf_printf(out, "There %s %zu %s: ", all == 1 ? "is" : "are", all,
               all == 1 ? "table" : "tables");
    push_tables(lexicon, tables, count, all > count ? ", " : " and ", out);
    if (all > count)
        buf_printf(out, ", and %zu more", all - count);
    buf_push(out, STR(". Ask what is in one of them."));
}

static bool is_told(const struct lexicon *lexicon, int table, int column)
{
    const struct catalog_table *t = &lexicon->catalog->tables[table];
    return sql_visible_told(lexicon->catalog, table, column) &&
           column != lexicon->facts[table].key && column != t->tenant_column &&
           !lexicon_glossary_hides(lexicon, table, column) &&
           lexicon_index_reference(lexicon->catalog, table, column) == NULL;
}

static void push_columns(const struct lexicon *lexicon, int table, struct buf *out)
{
    size_t told = 0, all = 0;
    for (size_t c = 0; c < lexicon->catalog->tables[table].column_count; c++)
        all += is_told(lexicon, table, (int)c);
    for (size_t c = 0; c < lexicon->catalog->tables[table].column_count && told < COLUMNS; c++) {
        if (!is_told(lexicon, table, (int)c))
            continue;
        buf_push(out, told == 0 ? STR("") : told + 1 == all ? STR(" and ") : STR(", "));
        lexicon_describe_column(lexicon, table, (int)c, out);
        told++;
    }
    if (all > told)
        buf_printf(out, " and %zu more", all - told);
    if (all == 0)
        buf_push(out, STR("a number"));
}

/* Tables that rows of table lead to, or that lead to it; each once. */
static size_t list_related(const struct lexicon *lexicon, int table, bool parents, int *tables)
{
    const struct catalog *catalog = lexicon->catalog;
    size_t count = 0;
    for (size_t t = 0; t < catalog->table_count; t++)
        for (size_t r = 0; r < catalog->tables[t].reference_count; r++) {
            int from = (int)t, to = catalog->tables[t].references[r].to_table;
            int other = parents ? to : from;
            bool known = (parents ? from : to) != table || other == table || count == NAMED ||
                         !lexicon->facts[other].visible;
            for (size_t i = 0; i < count && !known; i++)
                known = tables[i] == other;
            if (!known)
                tables[count++] = other;
        }
    return count;
}

/* "Each loan has borrowed on, due on and renewals. It belongs to a copy and a member; fines belong
 * to it." */
static void write_table(const struct lexicon *lexicon, int table, struct buf *out)
{
    int parents[NAMED], children[NAMED];
    size_t parent_count = list_related(lexicon, table, true, parents);
    size_t child_count = list_related(lexicon, table, false, children);
    buf_push(out, STR("Each "));
    lexicon_describe_table(lexicon, table, false, out);
    buf_push(out, STR(" has "));
    push_columns(lexicon, table, out);
    buf_push_char(out, '.');
    for (size_t i = 0; i < parent_count; i++) {
        buf_push(out, i == 0                  ? STR(" It belongs to a ")
                      : i + 1 == parent_count ? STR(" and a ")
                                              : STR(", a "));
        lexicon_describe_table(lexicon, parents[i], false, out);
    }
    if (child_count > 0) {
        buf_push(out, parent_count > 0 ? STR("; ") : STR(" To it belong "));
        push_tables(lexicon, children, child_count, " and ", out);
        buf_push(out, parent_count > 0 ? STR(" belong to it") : STR(""));
    }
    buf_push(out, parent_count + child_count > 0 ? STR(".") : STR(""));
}

/* ---- forms ---- */

static bool is_one_of(struct str text, const char *const *list, size_t count)
{
    for (size_t i = 0; i < count; i++)
        if (str_equal_nocase(text, str_of(list[i])))
            return true;
    return false;
}

static bool drop_opening(struct str *text, const char *const *list, size_t count)
{
    for (size_t i = 0; i < count; i++) {
        struct str opening = str_of(list[i]);
        if (text->len > opening.len &&
            str_equal_nocase(str_slice(*text, 0, opening.len), opening)) {
            *text = str_trim(str_from(*text, opening.len));
            return true;
        }
    }
    return false;
}

static struct str drop_closing(struct str text)
{
    static const char *const closings[] = {" have",  " has",     " contain",   " hold",
                                           " table", " made of", " consist of"};
    for (size_t i = 0; i < countof(closings); i++)
        if (str_ends_with_nocase(text, str_of(closings[i])))
            return str_trim(str_slice(text, 0, text.len - str_of(closings[i]).len));
    return text;
}

static struct str without_signs(struct str question)
{
    question = str_trim(question);
    while (question.len > 0 && !str_is_alpha(question.at[question.len - 1]) &&
           !str_is_digit(question.at[question.len - 1]))
        question.len--;
    return question;
}

/* Whether a word names a table of this database: then it is no word about databases. */
static bool is_table(const struct lexicon *lexicon, struct str word)
{
    struct lexicon_link links[8];
    size_t found = lexicon_index_find(lexicon, &word, 1, links, countof(links));
    for (size_t i = 0; i < found; i++)
        if (links[i].kind == LINK_TABLE)
            return true;
    return false;
}

/* Every word is one of asking or of databases, and at least one is of databases. "How do I see my
 * data" asks for a manual. */
static bool asks_tables(const struct lexicon *lexicon, struct str question)
{
    static const char *const about[] = {"data",   "database",    "dataset", "db",
                                        "here",   "information", "know",    "overview",
                                        "schema", "structure",   "table",   "tables"};
    static const char *const around[] = {
        "a",     "about",  "all",     "an",      "and",        "any",     "are",      "ask",
        "can",   "column", "columns", "contain", "contains",   "content", "contents", "describe",
        "do",    "does",   "each",    "every",   "everything", "exist",   "explain",  "fields",
        "for",   "get",    "give",    "have",    "hold",       "holds",   "i",        "in",
        "is",    "it",     "its",     "kind",    "kinds",      "list",    "look",     "many",
        "me",    "my",     "name",    "names",   "of",         "our",     "please",   "s",
        "see",   "show",   "sort",    "sorts",   "stored",     "tell",    "that",     "the",
        "their", "there",  "these",   "this",    "to",         "us",      "we",       "what",
        "whats", "which",  "with",    "you",     "your"};
    static const char *const counts[] = {"how many "};
    struct str words[ASKED_WORDS];
    struct arena arena;
    bool is_about = false, is_other = false;
    (void)drop_opening(&question, counts, countof(counts));
    if (question.len > PHRASE_BYTES)
        return false;
    arena_init(&arena, 1 << 14);
    size_t count = stem_split(&arena, question, words, ASKED_WORDS);
    for (size_t i = 0; i < count && !is_other; i++) {
        bool is_word = is_one_of(words[i], about, countof(about));
        is_about = is_about || is_word;
        is_other =
            is_word ? is_table(lexicon, words[i]) : !is_one_of(words[i], around, countof(around));
    }
    arena_fini(&arena);
    return count < ASKED_WORDS && is_about && !is_other;
}

/* The table that the rest of "what is in ..." names; CATALOG_NONE: it is another question. */
static int find_asked_table(const struct lexicon *lexicon, struct str question)
{
    static const char *const openings[] = {"what is in ",
                                           "what's in ",
                                           "whats in ",
                                           "what is stored in ",
                                           "what columns does ",
                                           "which columns does ",
                                           "what fields does ",
                                           "which fields does ",
                                           "what columns do ",
                                           "which columns do ",
                                           "what columns are in ",
                                           "which columns are in ",
                                           "what do you know about ",
                                           "what is known about ",
                                           "what is known of ",
                                           "columns of ",
                                           "fields of ",
                                           "describe ",
                                           "what does "};
    static const char *const articles[] = {"the table ", "table ", "the ", "a ",
                                           "an ",        "our ",   "each "};
    struct lexicon_link links[8];
    struct str words[ENGLISH_WORDS], rest = question;
    struct arena arena;
    int table = CATALOG_NONE;
    bool does = str_equal_nocase(str_slice(question, 0, 10), STR("what does "));
    if (!drop_opening(&rest, openings, countof(openings)) || rest.len > PHRASE_BYTES)
        return CATALOG_NONE;
    struct str noun = drop_closing(rest);
    if (does && noun.len == rest.len)
        return CATALOG_NONE;
    (void)drop_opening(&noun, articles, countof(articles));
    noun = drop_closing(noun);
    arena_init(&arena, 1 << 14);
    size_t count = stem_split(&arena, noun, words, ENGLISH_WORDS);
    size_t found = lexicon_index_find(lexicon, words, count, links, countof(links));
    int best = 0;
    for (size_t i = 0; i < found; i++)
        if (links[i].kind == LINK_TABLE && links[i].score > best) {
            best = links[i].score;
            table = links[i].table;
        }
    arena_fini(&arena);
    return table;
}

bool offline_about_write(const struct offline_source *source, struct str question, struct buf *out)
{
    struct str plain = without_signs(question);
    if (asks_tables(source->lexicon, plain)) {
        write_tables(source->lexicon, out);
        return true;
    }
    int table = find_asked_table(source->lexicon, plain);
    if (table != CATALOG_NONE)
        write_table(source->lexicon, table, out);
    return table != CATALOG_NONE;
}

/* ---- refusals ---- */

bool offline_about_language(struct str question, struct buf *out)
{
    struct str other = english_language_other(question);
    buf_push(out, other);
    return !str_is_absent(other);
}

void offline_about_refusal(const struct offline_source *source, struct str question,
                           const struct offline_answer *answer, struct buf *out)
{
    int tables[NAMED];
    size_t all;
    if (!answer->writes && offline_about_language(question, out))
        return;
    buf_push(out, str_of(answer->cannot));
    if (answer->option_count > 0 || answer->writes || answer->cannot[0] == '\0')
        return;
    size_t count = list_tables(source->lexicon, tables, SUGGESTED, &all);
    if (count == 0 || !str_ends_with(str_of(answer->cannot), STR("is not a word of this database")))
        return;
    buf_push(out, STR("; you can ask about "));
    push_tables(source->lexicon, tables, count, " or ", out);
}
