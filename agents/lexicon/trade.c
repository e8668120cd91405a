/* SPDX-License-Identifier: MIT */
/* agents/lexicon/trade.c - sales by their shape: a line has a quantity and a price and belongs to
 * an order; a sale or an invoice has one amount.
 *
 * Happy path: the tables with that shape are found by words and types, what they add up to becomes
 * a metric, and "sold" means a row of them where it is denied, counted or dated.
 * Failure: no memory; a database that sells nothing has none of these words. */
#include "agents/lexicon/trade.h"

#include "agents/english/synonyms.h"
#include "agents/english/vocabulary.h"
#include "agents/lexicon/facts.h"
#include "agents/lexicon/spelling.h"
#include "agents/semantic/model.h"
#include "core/words/stem.h"

enum {
    TRADES = 8,
    PIECES = 6,
    MEANINGS = 16,
    HEADER_SCORE = 100,
    LINE_SCORE = 94,
    PART_SCORE = 84, /* of lines whose order says what they come to */
    SALES_RANK = 3
};

struct trade {
    int table, rank;
    bool line;
    int quantity, price, discount; /* of a line; price alone: of a sale */
    bool subtracted;               /* the discount is an amount, and no part of one */
};

/* The one numeric column whose last word, but for a unit of money, is of the list; CATALOG_NONE:
 * none, or several. */
static int find_column(struct lexicon *lexicon, int t, enum vocabulary_list list)
{
    const struct catalog_table *table = &lexicon->catalog->tables[t];
    int found = CATALOG_NONE;
    for (size_t c = 0; c < table->column_count; c++) {
        const struct lexicon_words *name = lexicon_spelling_column(lexicon, t, (int)c);
        size_t words = lexicon_facts_without_money(name);
        char stem[STEM_BYTES];
        if (words == 0 || table->columns[c].hidden ||
            !lexicon_index_is_number(lexicon->catalog, t, (int)c) ||
            !vocabulary_has(list, stem_of(name->words[words - 1], stem)))
            continue;
        if (found != CATALOG_NONE)
            return CATALOG_NONE;
        found = (int)c;
    }
    return found;
}

/* How surely a table's name says that its rows are sales; 0: it does not. */
static int rank_of(struct lexicon *lexicon, int t)
{
    static const enum vocabulary_list lists[] = {VOCABULARY_PAYMENTS, VOCABULARY_ORDERS,
                                                 VOCABULARY_SALES};
    const struct lexicon_words *name = lexicon_spelling_table(lexicon, t);
    char stem[STEM_BYTES];
    for (int rank = countof(lists); rank > 0; rank--)
        for (size_t i = 0; i < name->count; i++)
            if (vocabulary_has(lists[rank - 1], stem_of(name->words[i], stem)))
                return rank;
    return 0;
}

static bool buys_itself(struct lexicon *lexicon, int t)
{
    const struct catalog_table *table = &lexicon->catalog->tables[t];
    const struct lexicon_words *name = lexicon_spelling_table(lexicon, t);
    char stem[STEM_BYTES];
    for (size_t i = 0; i < name->count; i++)
        if (vocabulary_has(VOCABULARY_PURCHASES, stem_of(name->words[i], stem)))
            return true;
    for (size_t r = 0; r < table->reference_count && rank_of(lexicon, t) < SALES_RANK; r++) {
        name = lexicon_spelling_table(lexicon, table->references[r].to_table);
        if (name->count > 0 &&
            vocabulary_has(VOCABULARY_SUPPLIERS, stem_of(name->words[name->count - 1], stem)))
            return true;
    }
    return false;
}

/* What is taken off a line: a part of it, where a fraction is called just so, or an amount in the
 * unit of its price. False: there is something that says neither. */
static bool find_discount(struct lexicon *lexicon, struct trade *trade)
{
    const struct catalog_table *table = &lexicon->catalog->tables[trade->table];
    int cut = find_column(lexicon, trade->table, VOCABULARY_DISCOUNTS);
    if (cut == CATALOG_NONE || trade->price == CATALOG_NONE)
        return true;
    struct english_unit unit = lexicon_facts_unit(lexicon, trade->table, cut);
    struct english_unit price = lexicon_facts_unit(lexicon, trade->table, trade->price);
    trade->discount = cut;
    trade->subtracted = unit.of == UNIT_OF_MONEY;
    if (trade->subtracted)
        return price.of == UNIT_OF_MONEY && price.size == unit.size;
    return table->columns[cut].type == CATALOG_NUMBER &&
           str_equal_nocase(table->columns[cut].name, STR("discount"));
}

/* Whether rows of t are lines of an order or sales, and which columns say how much. */
static bool find_trade(struct lexicon *lexicon, int t, struct trade *trade)
{
    const struct catalog *catalog = lexicon->catalog;
    const struct catalog_table *table = &catalog->tables[t];
    *trade = (struct trade){.table = t, .discount = CATALOG_NONE};
    if (!lexicon->facts[t].visible || table->is_view || buys_itself(lexicon, t))
        return false;
    trade->quantity = find_column(lexicon, t, VOCABULARY_QUANTITIES);
    trade->price = find_column(lexicon, t, VOCABULARY_LINETOTALS);
    bool priced = find_column(lexicon, t, VOCABULARY_UNITPRICES) != CATALOG_NONE;
    trade->line = trade->quantity != CATALOG_NONE &&
                  (table->reference_count >= 2 || (priced && rank_of(lexicon, t) == SALES_RANK));
    if (trade->line && trade->price != CATALOG_NONE) {
        trade->quantity = trade->price;
    } else if (trade->line) {
        trade->price = find_column(lexicon, t, VOCABULARY_UNITPRICES);
        if (!find_discount(lexicon, trade))
            trade->price = CATALOG_NONE;
        return true; /* with the price elsewhere it still says how many */
    }
    trade->rank = rank_of(lexicon, t);
    if (trade->line)
        return true;
    trade->price = find_column(lexicon, t, VOCABULARY_INCOMES);
    if (trade->price == CATALOG_NONE)
        trade->price = find_column(lexicon, t, VOCABULARY_NETINCOMES);
    return trade->rank > 0 && trade->price != CATALOG_NONE;
}

/* The order that a line belongs to: the referenced table with a date that has most to say of a
 * sale; and the thing: the one that is neither that nor a person. */
static void find_sides(struct lexicon *lexicon, const struct trade *trade)
{
    const struct catalog_table *table = &lexicon->catalog->tables[trade->table];
    struct lexicon_facts *facts = &lexicon->facts[trade->table];
    int best = 0;
    for (size_t i = 0; i < table->reference_count; i++) {
        int to = table->references[i].to_table, rank = rank_of(lexicon, to);
        if (trade->line && rank > best && lexicon->facts[to].began != CATALOG_NONE) {
            facts->header = to;
            best = rank;
        }
    }
    int things = 0;
    for (size_t i = 0; i < table->reference_count; i++) {
        int to = table->references[i].to_table;
        const struct lexicon_words *name = lexicon_spelling_table(lexicon, to);
        char stem[STEM_BYTES];
        bool buyer =
            name->count > 0 &&
            vocabulary_has(VOCABULARY_BUYERS,
                           english_synonyms_of(stem_of(name->words[name->count - 1], stem)));
        if (to == facts->header || lexicon->facts[to].person || buyer || rank_of(lexicon, to) > 0)
            continue;
        facts->thing = to;
        things++;
    }
    if (things != 1)
        facts->thing = CATALOG_NONE;
    facts->quantity = find_column(lexicon, trade->table, VOCABULARY_QUANTITIES);
}

static struct semantic_named *make_metric(struct lexicon *lexicon, const struct trade *trade)
{
    struct semantic_named *named = arena_alloc(&lexicon->arena, sizeof *named);
    struct semantic_piece *pieces = arena_array(&lexicon->arena, PIECES, sizeof *pieces);
    size_t n = 0;
    if (named == NULL || pieces == NULL)
        return NULL;
    bool product = trade->line && trade->quantity != trade->price;
    bool cut = product && trade->discount != CATALOG_NONE, part = cut && !trade->subtracted;
    pieces[n++] = (struct semantic_piece){STR("SUM("), trade->price, false};
    if (product)
        pieces[n++] = (struct semantic_piece){STR(" * "), trade->quantity, false};
    if (cut)
        pieces[n++] = (struct semantic_piece){part ? STR(" * (1 - ") : STR(" - COALESCE("),
                                              trade->discount, false};
    if (cut)
        pieces[n++] = (struct semantic_piece){part ? STR(")") : STR(", 0)"), CATALOG_NONE, false};
    bool cents = lexicon_facts_in_cents(lexicon, trade->table, trade->price);
    pieces[n] =
        (struct semantic_piece){cents ? STR(") / 100.0") : STR(")"), CATALOG_NONE, false};
    struct str name = str_of(vocabulary_lists[VOCABULARY_REVENUES][0]);
    *named = (struct semantic_named){.name = name,
                                     .expression = {name, pieces, n + 1},
                                     .is_metric = true,
                                     .additive = true,
                                     .usable = true,
                                     .table = trade->table};
    return named;
}

bool lexicon_trade_is_made(const struct semantic_named *metric)
{
    return metric->table_name.len == 0; /* a file names the table */
}

/* Whether some table goes by the word, which then is its name. */
static bool names_table(const struct lexicon *lexicon, struct str word)
{
    struct lexicon_link links[MEANINGS];
    size_t n = lexicon_index_find(lexicon, &word, 1, links, MEANINGS);
    for (size_t i = 0; i < n; i++)
        if (links[i].kind == LINK_TABLE && links[i].score >= 90)
            return true;
    return false;
}

/* Whether the semantic file says what the word is. */
static bool is_said(const struct lexicon *lexicon, struct str word)
{
    struct lexicon_link links[MEANINGS];
    const struct semantic *semantic = lexicon->semantic;
    size_t n = lexicon_index_find(lexicon, &word, 1, links, MEANINGS);
    for (size_t i = 0; semantic != NULL && i < n; i++)
        for (size_t k = 0; k < semantic->named_count; k++)
            if (links[i].named == &semantic->named[k])
                return true;
    return false;
}

static bool enter_words(struct lexicon *lexicon, const char *phrase, struct lexicon_link link)
{
    struct str words[ENGLISH_WORDS];
    size_t n = stem_split(&lexicon->arena, str_of(phrase), words, ENGLISH_WORDS);
    return lexicon_index_enter(lexicon, words, n, link);
}

static bool enter_trade(struct lexicon *lexicon, const struct trade *trade, int score, bool verbs)
{
    bool sums = trade->price != CATALOG_NONE;
    const struct semantic_named *named = sums ? make_metric(lexicon, trade) : NULL;
    struct lexicon_link link = {LINK_METRIC, trade->table, CATALOG_NONE, STR(""),
                                false,       score,        named};
    bool ok = named != NULL || !sums;
    const char *const *word = vocabulary_lists[VOCABULARY_REVENUES];
    for (; ok && sums && *word != NULL; word++)
        ok = is_said(lexicon, str_of(*word)) || enter_words(lexicon, *word, link);
    if (ok && sums && !is_said(lexicon, STR("sales")) && !names_table(lexicon, STR("sales")))
        ok = enter_words(lexicon, "sales", link);
    link = (struct lexicon_link){LINK_TABLE, trade->table,       CATALOG_NONE, STR(""),
                                 false,      OFFLINE_SCORE_DEED, NULL};
    for (word = vocabulary_lists[VOCABULARY_DEALS]; ok && verbs && *word != NULL; word++)
        ok = names_table(lexicon, str_of(*word)) || enter_words(lexicon, *word, link);
    int quantity = lexicon->facts[trade->table].quantity;
    link = (struct lexicon_link){LINK_COLUMN, trade->table, quantity, STR(""), false, 96, NULL};
    word = vocabulary_lists[VOCABULARY_PIECES];
    for (; ok && verbs && quantity != CATALOG_NONE && *word != NULL; word++)
        ok = enter_words(lexicon, *word, link);
    return ok;
}

/* The trade whose rows are those of table; NULL. */
static const struct trade *find_of(const struct trade *trades, size_t count, int table)
{
    for (size_t i = 0; i < count; i++)
        if (trades[i].table == table && trades[i].price != CATALOG_NONE)
            return &trades[i];
    return NULL;
}

static bool refers_to(const struct lexicon *lexicon, int from, int to)
{
    const struct catalog_table *table = &lexicon->catalog->tables[from];
    for (size_t i = 0; i < table->reference_count; i++)
        if (table->references[i].to_table == to)
            return true;
    return false;
}

/* Whether rows only put down what others were sold for: the invoices of orders that say it
 * themselves, or by their lines. */
static bool is_repeated(const struct lexicon *lexicon, const struct trade *trades, size_t count,
                        const struct trade *trade)
{
    const struct catalog_table *table = &lexicon->catalog->tables[trade->table];
    for (size_t r = 0; r < table->reference_count && !trade->line; r++) {
        int to = table->references[r].to_table;
        const struct trade *other = to == trade->table ? NULL : find_of(trades, count, to);
        bool is = other != NULL && !(refers_to(lexicon, to, trade->table) &&
                                     (other->rank < trade->rank ||
                                      (other->rank == trade->rank && other > trade)));
        for (size_t i = 0; i < count; i++)
            is = is || (trades[i].line && trades[i].price != CATALOG_NONE &&
                        lexicon->facts[trades[i].table].header == to);
        if (is)
            return true;
    }
    return false;
}

/* How surely the word for all that was sold is the sum of these rows. */
static int score_of(const struct lexicon *lexicon, const struct trade *trades, size_t count,
                    const struct trade *trade)
{
    bool part =
        trade->line && find_of(trades, count, lexicon->facts[trade->table].header) != NULL;
    return part ? PART_SCORE : trade->line ? LINE_SCORE : HEADER_SCORE;
}

bool lexicon_trade_enter(struct lexicon *lexicon)
{
    struct trade trades[TRADES], one;
    size_t count = 0, line_count = 0;
    int best = 0;
    for (size_t t = 0; t < lexicon->catalog->table_count; t++) {
        if (!find_trade(lexicon, (int)t, &one))
            continue;
        if (count == TRADES)
            return true; /* too many kinds of sales to know which is meant */
        trades[count++] = one;
        line_count += one.line;
        best = !one.line && one.rank > best ? one.rank : best;
    }
    for (size_t i = 0; i < count; i++)
        find_sides(lexicon, &trades[i]);
    for (size_t i = 0; i < count; i++) {
        bool verbs = trades[i].line || (line_count == 0 && trades[i].rank >= 2);
        bool known = trades[i].line || trades[i].rank == best;
        int *measure = &lexicon->facts[trades[i].table].measure;
        if (!trades[i].line && *measure == CATALOG_NONE) /* what else it has are parts of that */
            *measure = trades[i].price;
        if (known && !is_repeated(lexicon, trades, count, &trades[i]) &&
            !enter_trade(lexicon, &trades[i], score_of(lexicon, trades, count, &trades[i]), verbs))
            return false;
    }
    return arena_ok(&lexicon->arena);
}
