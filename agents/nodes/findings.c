/* SPDX-License-Identifier: MIT */
/* agents/nodes/findings.c - asks each module that looks at statements, and words what it says.
 *
 * Happy path: texts, joins, sums, then the question; each says what it has. Failure: what does not
 * fit is left out; without memory a finding is not said. */
#include "agents/nodes/findings.h"

#include <inttypes.h>

#include "agents/english/language.h"
#include "agents/english/synonyms.h"
#include "agents/nodes/facts.h"
#include "agents/nodes/second_look.h"
#include "agents/lexicon/column_values.h"
#include "agents/lexicon/spelling.h"
#include "agents/semantic_query/missed.h"
#include "agents/sql/doubts/doubts.h"
#include "agents/sql/grammar/tree_walk.h"
#include "agents/sql/joins/join_doubts.h"
#include "agents/sql/joins/multiplied.h"
#include "core/words/stem.h"

enum { TEXT_BYTES = 4096, QUOTED_BYTES = 160, NAME_WORDS = 8, QUESTION_WORDS = 96 };

struct look {
    struct sql_tree_walk walk;
    struct node *node;
    const struct findings_source *source;
    struct findings *findings;
    bool is_english; /* the words of the question are ones that are looked for */
};

static void add(struct look *look, const char *kind, struct str told, struct str shown)
{
    struct findings *all = look->findings;
    struct arena *arena = node_arena(look->node);
    told = arena_str(arena, told);
    shown = arena_str(arena, shown);
    if (all->count < FINDINGS_MOST && !str_is_absent(told) && !str_is_absent(shown))
        all->at[all->count++] = (struct finding){.kind = kind, .told = told, .shown = shown};
}

/* The name of a table of the statement. */
static struct str name_of(const struct look *look, int table_ref)
{
    return look->source->parse->tables[table_ref].name;
}

/* Where a whole word of SQL, given in lower case, stands in text; STR_NONE: nowhere. */
static ptrdiff_t find_word(struct str text, const char *word)
{
    const struct str looked = str_of(word);
    for (size_t at = 0; at + looked.len <= text.len; at++) {
        const bool begins = at == 0 || !str_is_alpha(text.at[at - 1]);
        const bool ends = at + looked.len == text.len || !str_is_alpha(text.at[at + looked.len]);
        if (begins && ends && str_equal_nocase(str_slice(text, at, at + looked.len), looked))
            return (ptrdiff_t)at;
    }
    return STR_NONE;
}

static bool holds_word(struct str text, const char *word)
{
    return find_word(text, word) != STR_NONE;
}

/* ---- joins ---- */

/* Whether the question speaks of what the column's name says besides "by", "id" and "at". */
static bool speaks_of(const struct look *look, struct str column)
{
    struct arena *arena = node_arena(look->node);
    struct str names[NAME_WORDS], words[QUESTION_WORDS];
    size_t name_count = stem_split(arena, column, names, NAME_WORDS);
    size_t count = stem_split(arena, look->source->question, words, QUESTION_WORDS);
    for (size_t i = 0; i < name_count; i++)
        for (size_t k = 0; k < count; k++) {
            char one[STEM_BYTES], other[STEM_BYTES];
            if (names[i].len > 2 && str_equal(stem_of(names[i], one), stem_of(words[k], other)))
                return true;
        }
    return false;
}

static void add_audit(struct look *look, const struct join_doubt *doubt)
{
    struct str one = doubt->one->name, two = doubt->two->name;
    struct str text = str_utf8_prefix(doubt->text, QUOTED_BYTES);
    if (str_is_empty(look->source->question) || speaks_of(look, one) || speaks_of(look, two))
        return;
    add(look, "odd_join",
        arena_printf(node_arena(look->node),
                     "%.*s joins by who wrote the row down, of which the question does not speak",
                     STR_ARG(text)),
        arena_printf(node_arena(look->node),
                     "%.*s and %.*s were matched by who wrote them down, of which the question "
                     "does not speak",
                     STR_ARG(name_of(look, doubt->one->table_ref)),
                     STR_ARG(name_of(look, doubt->two->table_ref))));
}

static void add_unknown(struct look *look, const struct join_doubt *doubt)
{
    const struct knowledge *knows = knowledge(look->node);
    struct str one = name_of(look, doubt->one->table_ref),
               two = name_of(look, doubt->two->table_ref);
    struct buf known;
    buf_init(&known, TEXT_BYTES);
    join_doubts_write_known(knows->joins, knows->catalog,
                            look->source->parse->tables[doubt->one->table_ref].table,
                            look->source->parse->tables[doubt->two->table_ref].table, &known);
    const bool is_known = buf_ok(&known) && buf_len(&known) > 0;
    struct str way = is_known ? buf_str(&known) : STR("");
    add(look, "odd_join",
        arena_printf(node_arena(look->node),
                     "%.*s joins %.*s and %.*s by columns that no relationship ties%s%.*s",
                     STR_ARG(str_utf8_prefix(doubt->text, QUOTED_BYTES)), STR_ARG(one),
                     STR_ARG(two), is_known ? "; they are related by " : "", STR_ARG(way)),
        arena_printf(node_arena(look->node),
                     "%.*s and %.*s were matched in a way that the database does not know",
                     STR_ARG(one), STR_ARG(two)));
    buf_fini(&known);
}

static void add_null(struct look *look, const struct join_doubt *doubt)
{
    struct str table = name_of(look, doubt->one->table_ref);
    add(look, "odd_join",
        arena_printf(node_arena(look->node),
                     "%.*s is never true here, since the join leaves only rows of %.*s that have "
                     "it; for those without any use LEFT JOIN or NOT EXISTS",
                     STR_ARG(str_utf8_prefix(doubt->text, QUOTED_BYTES)), STR_ARG(table)),
        arena_printf(node_arena(look->node),
                     "the answer looks for what is without %.*s where only what has some was "
                     "looked up, so it may miss all",
                     STR_ARG(table)));
}

static void on_join(void *owner, const struct join_doubt *doubt)
{
    struct look *look = owner;
    switch (doubt->kind) {
    case JOIN_DOUBT_AUDIT:
        add_audit(look, doubt);
        break;
    case JOIN_DOUBT_UNKNOWN:
        add_unknown(look, doubt);
        break;
    case JOIN_DOUBT_NULL:
        add_null(look, doubt);
        break;
    }
}

/* ---- conditions and words ---- */

static bool says_any(const struct str *stems, size_t count, const char *const *words)
{
    for (; *words != NULL; words++)
        for (size_t i = 0; i < count; i++) {
            char stem[STEM_BYTES];
            if (str_equal(stems[i], stem_of(str_of(*words), stem)))
                return true;
        }
    return false;
}

static size_t stems_of_question(const struct look *look, struct str *stems)
{
    struct arena *arena = node_arena(look->node);
    char stem[STEM_BYTES];
    const size_t count = stem_split(arena, look->source->question, stems, QUESTION_WORDS);
    for (size_t i = 0; i < count; i++)
        stems[i] = arena_str(arena, stem_of(stems[i], stem));
    return count;
}

/* A comparison with NULL, which no row passes: every tree has the operator and its two sides. */
static void on_comparison(struct sql_tree_walk *walk, const struct sql_expr *expr)
{
    struct look *look = container_of(walk, struct look, walk);
    const struct str sql = look->source->parse->text;
    for (const struct sql_expr *side = expr->children; expr->compares && side != NULL;
         side = side->next) {
        struct str text = str_slice(sql, side->span.start, side->span.end);
        struct str all = str_slice(sql, expr->span.start, expr->span.end);
        if (!str_equal_nocase(text, STR("null")) || holds_word(all, "is"))
            continue;
        add(look, "odd_condition",
            arena_printf(node_arena(look->node), "%.*s is never true; write IS NULL or IS NOT NULL",
                         STR_ARG(all)),
            STR("a condition looks for what is missing in a way that finds nothing"));
        return;
    }
}

/* Rows of a join are only those that have both sides; a question may ask for the others, too. */
static void look_for_none(struct look *look, const struct str *stems, size_t count)
{
    static const char *const too[] = {"including", "even", "also", NULL};
    static const char *const none[] = {"none", "zero", "without", "no", "any", NULL};
    const struct sql_parse *parse = look->source->parse;
    bool is_inner = parse->table_count > 1 && !parse->has_subquery && !parse->has_set_operation;
    for (size_t i = 0; i < parse->table_count; i++)
        is_inner = is_inner && parse->tables[i].inner;
    if (is_inner && parse->has_group_by && says_any(stems, count, too) &&
        says_any(stems, count, none))
        add(look, "odd_join",
            STR("the question asks also for those that have none, which these joins leave out; "
                "use LEFT JOIN and count a column of its right side"),
            STR("what has none may be left out of the answer"));
}

/* A sum so far has an order within its window. */
static void look_for_running(struct look *look, const struct str *stems, size_t count)
{
    static const char *const running[] = {"running", "cumulative", "cumulated", NULL};
    static const char *const total[] = {"total", "sum", "count", "cumulative", "cumulated", NULL};
    const struct sql_parse *parse = look->source->parse;
    const ptrdiff_t over = find_word(parse->text, "over");
    const struct str window = over == STR_NONE ? STR("") : str_from(parse->text, (size_t)over);
    const ptrdiff_t order = find_word(window, "order");
    const bool is_ordered = order != STR_NONE && str_find(window, STR(")")) > order;
    if (says_any(stems, count, running) && says_any(stems, count, total) && !is_ordered &&
        !parse->has_subquery)
        add(look, "odd_window",
            STR("the question asks for a running total, which is SUM(...) OVER (ORDER BY ...); the "
                "statement has no order within OVER"),
            STR("the total may be of all rows, not the one so far"));
}

/* Whether a word of the question begins as a word of the column's name: "completion", completedAt.
 */
static bool names_begin_alike(const struct look *look, struct str column)
{
    enum { ALIKE = 6 };
    struct arena *arena = node_arena(look->node);
    struct str names[NAME_WORDS], words[QUESTION_WORDS];
    const size_t name_count = stem_split(arena, column, names, NAME_WORDS);
    const size_t count = stem_split(arena, look->source->question, words, QUESTION_WORDS);
    for (size_t i = 0; i < name_count; i++)
        for (size_t k = 0; k < count; k++)
            if (names[i].len >= ALIKE && words[k].len >= ALIKE &&
                str_equal(str_slice(names[i], 0, ALIKE), str_slice(words[k], 0, ALIKE)))
                return true;
    return speaks_of(look, column);
}

/* Rows that lack a value, where the question speaks of the column and of nothing that lacks. */
static void on_null_test(struct sql_tree_walk *walk, const struct sql_expr *expr)
{
    static const char *const absence[] = {"no",   "not",     "never", "without", "none",  "miss",
                                          "lack", "empty",   "blank", "unknown", "yet",   "still",
                                          "open", "pending", "isn",   "aren",    "don",   "doesn",
                                          "hasn", "haven",   "didn",  "null",    "unset", NULL};
    struct look *look = container_of(walk, struct look, walk);
    const struct sql_parse *parse = look->source->parse;
    struct str text = str_slice(parse->text, expr->span.start, expr->span.end);
    struct str stems[QUESTION_WORDS];
    const struct sql_column_ref *ref = expr->compares && expr->children != NULL
                                           ? sql_parse_column_at(parse, expr->children)
                                           : NULL;
    if (ref == NULL || ref->table_ref < 0 || !parse->tables[ref->table_ref].inner ||
        !holds_word(text, "is") || !holds_word(text, "null") || holds_word(text, "not") ||
        !names_begin_alike(look, ref->name))
        return;
    if (!says_any(stems, stems_of_question(look, stems), absence))
        add(look, "odd_condition",
            arena_printf(node_arena(look->node),
                         "%.*s keeps rows without a value, and the question speaks of none that "
                         "lack it",
                         STR_ARG(text)),
            arena_printf(node_arena(look->node), "only what has no %.*s was looked up",
                         STR_ARG(ref->name)));
}

static void on_condition(struct sql_tree_walk *walk, const struct sql_expr *expr)
{
    on_comparison(walk, expr);
    if (container_of(walk, struct look, walk)->is_english)
        on_null_test(walk, expr);
}

static void look_at_words(struct look *look)
{
    struct str stems[QUESTION_WORDS];
    const size_t count = stems_of_question(look, stems);
    if (second_look_is_offline(look->node))
        return;
    look->is_english = english_language_is(look->source->question);
    look->walk = (struct sql_tree_walk){.on_expr = on_condition};
    if (look->source->parse->tree != NULL)
        sql_tree_walk_select(&look->walk, look->source->parse->tree);
    if (!look->is_english)
        return;
    look_for_none(look, stems, count);
    look_for_running(look, stems, count);
}

/* ---- sums, texts, the question ---- */

/* Whether rows say if the doubt is right: of this part of the statement, where it is not absent. */
static bool is_settled(const struct look *look, const char *kind, struct str of)
{
    const struct prove *proved = look->source->proved;
    for (size_t i = 0; proved != NULL && i < proved->count; i++)
        if (proved->at[i].is_settled && str_equal(str_of(proved->at[i].proof.kind), str_of(kind)) &&
            (str_is_absent(of) || str_equal(proved->at[i].proof.of, of)))
            return true;
    return false;
}

/* What a reader is told of rows that are counted again, with both figures where they are known. */
static struct str say_counted_again(struct arena *arena, const struct proved *one)
{
    if (str_is_empty(one->figure) || str_is_empty(one->once))
        return arena_printf(arena, "%" PRId64 " %.*s", one->count, STR_ARG(one->proof.shown));
    return arena_printf(arena, "%" PRId64 " %.*s: each counted once it is %.*s, not %.*s",
                        one->count, STR_ARG(one->proof.shown), STR_ARG(one->once),
                        STR_ARG(one->figure));
}

static void look_at_proofs(struct look *look)
{
    const struct prove *proved = look->source->proved;
    struct arena *arena = node_arena(look->node);
    for (size_t i = 0; proved != NULL && i < proved->count; i++) {
        const struct proved *one = &proved->at[i];
        if (!one->is_proven)
            continue;
        const size_t before = look->findings->count;
        if (one->count == 0)
            add(look, one->proof.kind, one->proof.told, one->proof.shown);
        else
            add(look, one->proof.kind,
                arena_printf(arena, "%" PRId64 " %.*s", one->count, STR_ARG(one->proof.told)),
                say_counted_again(arena, one));
        if (look->findings->count == before)
            continue;
        look->findings->at[before].is_wrong = one->proof.is_wrong;
        look->findings->at[before].leads = str_equal(str_of(one->proof.kind), STR("multiplied"));
    }
}

static void on_sum(void *owner, const struct sql_multiplied_sum *sum)
{
    struct look *look = owner;
    if (is_settled(look, "multiplied", sum->text))
        return;
    struct str of = name_of(look, sum->of), by = name_of(look, sum->by);
    add(look, "multiplied",
        arena_printf(node_arena(look->node),
                     "%.*s may count rows more than once: one row of %.*s meets several of %.*s in "
                     "this join; aggregate before the join, or use EXISTS where it only filters",
                     STR_ARG(str_utf8_prefix(sum->text, QUOTED_BYTES)), STR_ARG(of), STR_ARG(by)),
        arena_printf(node_arena(look->node),
                     "the figures may count some of %.*s more than once, once for each of %.*s",
                     STR_ARG(of), STR_ARG(by)));
}

/* A metric that the question names has a definition, which no statement guesses. */
static void look_at_metrics(struct look *look)
{
    const struct knowledge *knows = knowledge(look->node);
    const struct semantic_missed_source source = {.semantic = knows->semantic,
                                                  .catalog = knows->catalog,
                                                  .dialect = knows->dialect,
                                                  .today = facts_today(look->node),
                                                  .question = look->source->question};
    struct arena *arena = node_arena(look->node);
    const struct semantic_named *missed =
        second_look_is_offline(look->node)
            ? NULL
            : semantic_query_missed(&source, look->source->parse, arena);
    if (missed != NULL)
        add(look, "metric", semantic_query_advice(missed, arena),
            arena_printf(arena, "'%.*s' was computed in another way than the one laid down for it",
                         STR_ARG(missed->name)));
}

static void on_difference(void *owner, const struct offline_remark *remark)
{
    struct look *look = owner;
    const size_t before = look->findings->count;
    add(look, "second_look", remark->told, remark->shown);
    if (look->findings->count > before)
        look->findings->at[before].is_stranger = remark->is_stranger;
}

/* ---- the form ---- */

static void on_doubt(void *owner, const struct sql_doubt *doubt)
{
    struct look *look = owner;
    if (!is_settled(look, doubt->kind, (struct str){NULL, 0}))
        add(look, doubt->kind, doubt->told, doubt->shown);
}

bool findings_counted(void *node, int table, struct sql_doubts_rule *rule)
{
    const struct lexicon *lexicon = knowledge(node)->lexicon;
    const struct semantic_named *living = lexicon == NULL ? NULL : lexicon->facts[table].living;
    if (living == NULL || living->expression.piece_count > countof(rule->pieces))
        return false;
    rule->count = living->expression.piece_count;
    rule->is_mark = str_equal(living->name, STR("not deleted"));
    for (size_t i = 0; i < rule->count; i++) {
        const struct semantic_piece *piece = &living->expression.pieces[i];
        if (piece->today)
            return false;
        rule->pieces[i].text = piece->text;
        rule->pieces[i].column = piece->column;
    }
    return true;
}

/* The values of a column that has few, as the caller's company sees them. */
static size_t values_of(void *owner, int table, int column, struct str *values, size_t max)
{
    struct look *look = owner;
    struct str few[LEXICON_FEW];
    bool has_all;
    const struct lexicon *lexicon = knowledge(look->node)->lexicon;
    if (lexicon == NULL)
        return 0;
    const struct lexicon seen =
        lexicon_index_seen_by(lexicon, node_session(look->node)->caller.company_id);
    const size_t count =
        size_min(lexicon_column_values_few(&seen, table, column, few, &has_all), max);
    for (size_t i = 0; i < count; i++)
        values[i] = few[i];
    return count;
}

static bool has_several(void *owner, int table, int column)
{
    struct str values[LEXICON_FEW];
    return values_of(owner, table, column, values, LEXICON_FEW) != 1;
}

/* What a column is called in English, and by who knows the data. */
static size_t words_of(void *owner, int table, int column, struct str *words, size_t max)
{
    struct look *look = owner;
    const struct lexicon *lexicon = knowledge(look->node)->lexicon;
    if (lexicon == NULL)
        return 0;
    const struct lexicon_words *spelled = column < 0
                                              ? lexicon_spelling_table(lexicon, table)
                                              : lexicon_spelling_column(lexicon, table, column);
    const size_t count = size_min(spelled->count, max);
    for (size_t i = 0; i < count; i++)
        words[i] = spelled->words[i];
    return count;
}

static bool mean_the_same(struct str one, struct str other)
{
    char of_one[STEM_BYTES], of_other[STEM_BYTES];
    return str_equal(english_synonyms_of(stem_of(one, of_one)),
                     english_synonyms_of(stem_of(other, of_other)));
}

/* Whether a value says in English what the word does. */
static bool says(void *owner, struct str text, struct str word)
{
    struct look *look = owner;
    struct str words[ENGLISH_WORDS];
    const struct lexicon *lexicon = knowledge(look->node)->lexicon;
    const size_t count = lexicon == NULL ? 0 : lexicon_spelling_value(lexicon, text, words);
    for (size_t i = 0; i < count; i++)
        if (mean_the_same(words[i], word))
            return true;
    return mean_the_same(text, word);
}

static bool period_of(void *owner, struct str question, struct sql_doubts_period *period)
{
    struct look *look = owner;
    struct offline_period named;
    if (!second_look_period(look->node, question, &named))
        return false;
    *period = (struct sql_doubts_period){named.range.first, named.range.end, named.words,
                                         named.is_rolling};
    return true;
}

/* is_read: the second look has said what the question asks for. */
static void look_at_form(struct look *look, bool is_read)
{
    const struct sql_doubts_source source = {.parse = look->source->parse,
                                             .catalog = knowledge(look->node)->catalog,
                                             .question = look->source->question,
                                             .arena = node_arena(look->node),
                                             .is_read = is_read,
                                             .has_several = has_several,
                                             .words = words_of,
                                             .says = says,
                                             .values = values_of,
                                             .period = period_of,
                                             .owner = look};
    if (!second_look_is_offline(look->node))
        sql_doubts_find(&source, on_doubt, look);
}

void findings_look(struct node *node, const struct findings_source *source,
                   struct findings *findings)
{
    const struct knowledge *knows = knowledge(node);
    struct look look = {.node = node, .source = source, .findings = findings};
    findings->count = 0;
    if (source->texts != NULL && !str_is_absent(source->texts->doubt))
        add(&look, "unknown_value", source->texts->doubt, source->texts->remark);
    look_at_proofs(&look);
    join_doubts_find(source->parse, knows->catalog, knows->joins, on_join, &look);
    sql_multiplied_sums(source->parse, knows->catalog, on_sum, &look);
    const size_t before = findings->count;
    if (!str_is_empty(source->question))
        second_look_at(node, source->asked, source->question, source->parse, on_difference, &look);
    look_at_form(&look, findings->count > before);
    if (!str_is_empty(source->question))
        look_at_words(&look);
    if (!str_is_empty(source->question))
        look_at_metrics(&look);
}

struct str findings_tell(struct node *node, const struct findings *findings)
{
    struct buf out;
    buf_init(&out, FINDINGS_MOST * TEXT_BYTES);
    for (size_t i = 0; i < findings->count; i++)
        buf_printf(&out, "%s%.*s", i > 0 ? ". " : "", STR_ARG(findings->at[i].told));
    buf_push(&out, STR(". Mend this where it is a mistake; write the same statement again if it is "
                       "meant as it is."));
    struct str text = findings->count > 0 && buf_ok(&out)
                          ? arena_str(node_arena(node), buf_str(&out))
                          : (struct str){NULL, 0};
    buf_fini(&out);
    return text;
}

void findings_drop_strangers(struct findings *findings)
{
    size_t kept = 0;
    for (size_t i = 0; i < findings->count; i++)
        if (!findings->at[i].is_stranger)
            findings->at[kept++] = findings->at[i];
    findings->count = kept;
}

const struct finding *findings_wrong(const struct findings *findings)
{
    for (size_t i = 0; i < findings->count; i++)
        if (findings->at[i].is_wrong)
            return &findings->at[i];
    return NULL;
}

bool findings_are_new(const struct findings *after, const struct findings *before)
{
    for (size_t i = 0; i < after->count; i++) {
        bool known = false;
        for (size_t k = 0; k < before->count; k++)
            known = known || str_equal(str_of(after->at[i].kind), str_of(before->at[k].kind));
        if (!known)
            return true;
    }
    return false;
}
