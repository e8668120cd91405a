/* SPDX-License-Identifier: MIT */
/* agents/offline/describe.c - names split into words, conditions one after the other.
 *
 * Happy path: everything is appended to the buffer. Failure: the buffer's own, asked at the end. */
#include "agents/offline/describe.h"

#include "agents/offline/render.h"
#include "agents/offline/stem.h"

enum { WORDS_BYTES = 2048 };

/* The words of a name, in lower case with blanks; a key's "id" is kept. */
static void push_words(struct str name, struct buf *out)
{
    struct arena arena;
    struct str words[OFFLINE_WORDS];
    arena_init(&arena, WORDS_BYTES);
    size_t count = offline_stem_split(&arena, name, words, OFFLINE_WORDS);
    for (size_t i = 0; i < count; i++) {
        if (i > 0)
            buf_push_char(out, ' ');
        buf_push(out, words[i]);
    }
    if (count == 0)
        buf_push(out, name);
    arena_fini(&arena);
}

static void push_plural(struct buf *out)
{
    static const struct str same[] = {{"equipment", 9}, {"staff", 5}, {"data", 4},
                                      {"people", 6},    {"time", 4},  {"media", 5}};
    struct str text = buf_str(out);
    for (size_t i = 0; i < countof(same); i++)
        if (str_ends_with(text, same[i]))
            return;
    if (str_ends_with(text, STR("s")))
        return;
    bool vowel = text.len > 1 && (text.at[text.len - 2] == 'a' || text.at[text.len - 2] == 'e' ||
                                  text.at[text.len - 2] == 'o');
    if (str_ends_with(text, STR("y")) && !vowel) {
        buf_truncate(out, buf_len(out) - 1);
        buf_push(out, STR("ies"));
        return;
    }
    bool hissing = str_ends_with(text, STR("x")) || str_ends_with(text, STR("ch")) ||
                   str_ends_with(text, STR("sh"));
    buf_push(out, hissing ? STR("es") : STR("s"));
}

void offline_describe_table(const struct lexicon *lexicon, int table, bool plural, struct buf *out)
{
    push_words(lexicon->catalog->tables[table].name, out);
    if (plural) {
        push_plural(out);
        return;
    }
    struct str text = buf_str(out);
    if (str_ends_with(text, STR("ies"))) {
        buf_truncate(out, buf_len(out) - 3);
        buf_push_char(out, 'y');
    } else if (str_ends_with(text, STR("s")) && !str_ends_with(text, STR("ss")) &&
               !str_ends_with(text, STR("us"))) {
        buf_truncate(out, buf_len(out) - 1);
    }
}

void offline_describe_column(const struct lexicon *lexicon, int table, int column, struct buf *out)
{
    push_words(lexicon->catalog->tables[table].columns[column].name, out);
}

static void push_day(struct buf *out, int32_t day)
{
    char text[11];
    offline_dates_text(day, text);
    buf_push(out, str_of(text));
}

static void push_range(struct buf *out, const struct offline_range *range)
{
    if (range->first == OFFLINE_DAY_NONE) {
        buf_push(out, STR(" before "));
        push_day(out, range->end);
    } else if (range->end == OFFLINE_DAY_NONE) {
        buf_push(out, STR(" from "));
        push_day(out, range->first);
        buf_push(out, STR(" on"));
    } else if (range->end == range->first + 1) {
        buf_push(out, STR(" on "));
        push_day(out, range->first);
    } else {
        buf_push(out, STR(" from "));
        push_day(out, range->first);
        buf_push(out, STR(" to "));
        push_day(out, range->end - 1);
    }
}

static void push_values(struct buf *out, const struct reading_filter *filter)
{
    buf_push(out, filter->op == OP_NE ? STR(" is not ") : STR(" is "));
    for (size_t i = 0; i < filter->value_count; i++) {
        if (i > 0)
            buf_push(out, STR(" or "));
        buf_push(out, filter->values[i]);
    }
}

/* isActive: "active is yes". */
static void push_boolean(const struct lexicon *lexicon, const struct reading_filter *filter,
                         struct buf *out)
{
    size_t from = buf_len(out);
    offline_describe_column(lexicon, filter->on.table, filter->on.column, out);
    struct str name = str_from(buf_str(out), from);
    if (str_starts_with(name, STR("is ")) && name.len > 3) {
        buf_truncate(out, from);
        push_words(
            str_from(lexicon->catalog->tables[filter->on.table].columns[filter->on.column].name, 2),
            out);
    }
    buf_push(out, filter->number > 0 ? STR(" is yes") : STR(" is no"));
}

static void push_filter(const struct lexicon *lexicon, const struct reading_filter *filter,
                        int table, struct buf *out)
{
    const struct render render = {lexicon->catalog, SQL_SQLITE, out};
    if (filter->on.table != table) {
        offline_describe_table(lexicon, filter->on.table, false, out);
        buf_push_char(out, ' ');
    }
    if (offline_index_is_boolean(lexicon->catalog, filter->on.table, filter->on.column) &&
        filter->op == OP_EQ) {
        push_boolean(lexicon, filter, out);
        return;
    }
    offline_describe_column(lexicon, filter->on.table, filter->on.column, out);
    if (filter->op == OP_RANGE) {
        push_range(out, &filter->range);
    } else if (filter->op == OP_IS_NULL) {
        buf_push(out, STR(" is missing"));
    } else if (filter->value_count > 0) {
        push_values(out, filter);
    } else if (filter->vs_average) {
        buf_printf(out, " %s its average", offline_render_op(filter->op));
    } else {
        buf_push_char(out, ' ');
        offline_render_bound(&render, filter->op, filter->number, filter->high);
    }
}

static void push_scope(const struct lexicon *lexicon, const struct reading_scope *scope,
                       struct buf *out)
{
    const struct render render = {lexicon->catalog, SQL_SQLITE, out};
    int table = scope->tables[0];
    if (scope->kind == SCOPE_NOT) {
        buf_push(out, STR("without "));
        offline_describe_table(lexicon, table, true, out);
    } else {
        const struct reading_out measure = {scope->agg, scope->measure};
        offline_describe_measure(lexicon, &measure, out);
        buf_push_char(out, ' ');
        if (scope->vs_average)
            buf_printf(out, "%s the average", offline_render_op(scope->op));
        else
            offline_render_bound(&render, scope->op, scope->number, scope->high);
    }
    for (size_t i = 0; i < scope->filter_count; i++) {
        buf_push(out, i == 0 ? STR(" whose ") : STR(" and "));
        push_filter(lexicon, &scope->filters[i], table, out);
    }
}

void offline_describe_rows(const struct lexicon *lexicon, const struct offline_reading *reading,
                           int table, bool plural, struct buf *out)
{
    const struct reading_scope *main = &reading->scopes[0];
    offline_describe_table(lexicon, table, plural, out);
    size_t said = 0;
    for (size_t i = 0; i < main->filter_count; i++) {
        if (main->filters[i].out != READING_NONE || main->filters[i].numerator)
            continue;
        buf_push(out, said++ == 0 ? STR(" where ") : STR(" and "));
        push_filter(lexicon, &main->filters[i], table, out);
    }
    for (size_t i = 0; i < main->table_count; i++) {
        if (main->tables[i] == table || said > 0)
            continue;
        buf_push(out, i == 0 ? STR(" with ") : STR(" and "));
        offline_describe_table(lexicon, main->tables[i], true, out);
    }
    for (size_t i = 1; i < reading->scope_count; i++) {
        buf_push(out, i == 1 && said == 0 ? STR(" ") : STR(" and "));
        if (reading->scopes[i].kind == SCOPE_HAVING)
            buf_push(out, STR("with "));
        push_scope(lexicon, &reading->scopes[i], out);
    }
}

void offline_describe_share(const struct lexicon *lexicon, const struct offline_reading *reading,
                            struct buf *out)
{
    const struct reading_scope *main = &reading->scopes[0];
    size_t said = 0;
    for (size_t i = 0; i < main->filter_count; i++) {
        if (!main->filters[i].numerator)
            continue;
        if (said++ > 0)
            buf_push(out, STR(" and "));
        push_filter(lexicon, &main->filters[i], reading->counted, out);
    }
}

void offline_describe_measure(const struct lexicon *lexicon, const struct reading_out *measure,
                              struct buf *out)
{
    static const char *const names[] = {
        [AGG_NONE] = "",       [AGG_COUNT] = "number of ", [AGG_DISTINCT] = "number of different ",
        [AGG_SUM] = "total ",  [AGG_AVG] = "average ",     [AGG_MIN] = "lowest ",
        [AGG_MAX] = "highest "};
    buf_push(out, str_of(names[measure->agg]));
    if (measure->on.column == READING_NONE) {
        offline_describe_table(lexicon, measure->on.table, true, out);
        return;
    }
    size_t from = buf_len(out);
    offline_describe_column(lexicon, measure->on.table, measure->on.column, out);
    struct str name = str_from(buf_str(out), from);
    if (measure->agg == AGG_SUM && str_starts_with(name, STR("total "))) {
        buf_truncate(out, from - str_of(names[AGG_SUM]).len);
        offline_describe_column(lexicon, measure->on.table, measure->on.column, out);
    }
}

static void push_groups(const struct lexicon *lexicon, const struct offline_reading *reading,
                        struct buf *out)
{
    static const char *const grains[] = {"", "day", "week", "month", "quarter", "year"};
    for (size_t i = 0; i < reading->group_count; i++) {
        const struct reading_group *group = &reading->groups[i];
        buf_push(out, i == 0 ? STR(", grouped by ") : STR(" and "));
        if (group->grain != GRAIN_NONE)
            buf_push(out, str_of(grains[group->grain]));
        else if (group->on.column == READING_NONE)
            offline_describe_table(lexicon, group->on.table, false, out);
        else
            offline_describe_column(lexicon, group->on.table, group->on.column, out);
    }
}

static void push_order(const struct lexicon *lexicon, const struct offline_reading *reading,
                       struct buf *out)
{
    if (reading->ordered) {
        buf_push(out, STR(", ordered by "));
        if (reading->order_out != READING_NONE)
            offline_describe_measure(lexicon, &reading->outs[reading->order_out], out);
        else
            offline_describe_column(lexicon, reading->order_on.table, reading->order_on.column,
                                    out);
        buf_push(out, reading->descending ? STR(" descending") : STR(" ascending"));
    }
    if (reading->limit > 0)
        buf_printf(out, ", limited to %u", reading->limit);
}

void offline_describe_intent(const struct lexicon *lexicon, const struct offline_reading *reading,
                             struct buf *out)
{
    int table = reading->counted != READING_NONE ? reading->counted : reading->target;
    bool counts = reading->out_count == 1 && reading->outs[0].agg == AGG_COUNT && !reading->ratio;
    if (table == READING_NONE)
        return;
    if (reading->ratio) {
        buf_push(out, STR("Calculate a percentage of "));
    } else if (counts) {
        buf_push(out, STR("Count all "));
    } else if (reading->out_count > 0 && reading->outs[0].agg != AGG_NONE) {
        buf_push(out, STR("Calculate "));
        for (size_t i = 0; i < reading->out_count; i++) {
            if (i > 0)
                buf_push(out, STR(", "));
            offline_describe_measure(lexicon, &reading->outs[i], out);
        }
        buf_push(out, STR(" of "));
    } else {
        buf_push(out, STR("Retrieve "));
        for (size_t i = 0; i < reading->out_count; i++) {
            if (i > 0)
                buf_push(out, STR(", "));
            offline_describe_column(lexicon, reading->outs[i].on.table, reading->outs[i].on.column,
                                    out);
        }
        if (reading->out_count > 0)
            buf_push(out, STR(" of "));
    }
    offline_describe_rows(lexicon, reading, table, true, out);
    push_groups(lexicon, reading, out);
    push_order(lexicon, reading, out);
}
