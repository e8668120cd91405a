/* SPDX-License-Identifier: MIT */
/* agents/charts/chartjs.c - labels and series in Chart.js 4's words.
 *
 * Happy path: type, data, options; category axes have texts, so no date adapter is needed.
 * Failure: none of its own; the caller asks its buf. */
#include "agents/charts/chartjs.h"

#include <math.h>

#include "proto/json_read.h"
#include "proto/json_write.h"

enum { LINE_CHARS = 72, DENSE_POINTS = 60, FEW_LABELS = 25, CHART_BYTES = 1 << 20 };

/* Told apart by people who see few colours, too (Okabe and Ito's, darker yellow). */
static const char *const colours[] = {"#0072b2", "#e69f00", "#009e73", "#cc79a7", "#56b4e9",
                                      "#d55e00", "#b8a500", "#6a3d9a", "#7f7f7f"};

static struct str colour(size_t i)
{
    return str_of(colours[i % countof(colours)]);
}

static bool is_round(const struct charts_spec *spec)
{
    return spec->type == CHARTS_TYPE_PIE || spec->type == CHARTS_TYPE_DOUGHNUT;
}

bool charts_chartjs_draws(const struct charts_spec *spec)
{
    return spec->type != CHARTS_TYPE_TABLE && spec->type != CHARTS_TYPE_METRIC;
}

/* ---- texts and numbers ---- */

static bool is_json_number(struct str digits)
{
    struct json_read reader;
    json_read_init(&reader, digits);
    return json_read_next(&reader) == JSON_TOKEN_NUMBER && reader.text.len == digits.len &&
           json_read_next(&reader) == JSON_TOKEN_END;
}

/* A number in the digits it came in, where JSON has them. */
static void write_cell(struct json_write *writer, const struct charts_cell *cell)
{
    if (cell->type != CHARTS_NUMBER || !isfinite(cell->number))
        json_write_null(writer);
    else if (cell->text.len > 0 && is_json_number(cell->text))
        json_write_raw(writer, cell->text);
    else
        json_write_double(writer, cell->number);
}

/* The bytes of text's first line: as many words as a line has room for, at least one. */
static size_t line_bytes(struct str text)
{
    size_t chars = 0, blank = text.len;
    for (size_t i = 0; i < text.len; i++) {
        chars += ((unsigned char)text.at[i] & 0xC0) != 0x80;
        if (text.at[i] == ' ' && (chars <= LINE_CHARS || blank == text.len))
            blank = i;
        if (chars > LINE_CHARS && blank < text.len)
            return blank;
    }
    return text.len;
}

/* A canvas does not break lines: an array does. */
static void write_lines(struct json_write *writer, struct str text)
{
    size_t bytes = line_bytes(text);
    if (bytes == text.len) {
        json_write_str(writer, text);
        return;
    }
    json_write_array(writer);
    for (; text.len > 0; bytes = line_bytes(text)) {
        json_write_str(writer, str_slice(text, 0, bytes));
        text = str_trim(str_from(text, bytes));
    }
    json_write_array_end(writer);
}

/* "key":{"display":true,"text":...}; nothing for an absent text. */
static void write_caption(struct json_write *writer, struct str key, struct str text)
{
    if (str_is_empty(text))
        return;
    json_write_key(writer, key);
    json_write_object(writer);
    json_write_member_bool(writer, STR("display"), true);
    json_write_key(writer, STR("text"));
    write_lines(writer, text);
    if (str_equal(key, STR("subtitle")))
        json_write_member_raw(writer, STR("padding"), STR("{\"bottom\":12}"));
    json_write_object_end(writer);
}

/* ---- data ---- */

static void write_points(const struct charts_spec *spec, struct json_write *writer)
{
    json_write_array(writer);
    for (size_t i = 0; i < spec->label_count; i++) {
        json_write_object(writer);
        json_write_key(writer, STR("x"));
        write_cell(writer, &spec->xs[i]);
        json_write_key(writer, STR("y"));
        write_cell(writer, &spec->series[0].values[i]);
        json_write_object_end(writer);
    }
    json_write_array_end(writer);
}

static void write_values(const struct charts_spec *spec, const struct charts_series *series,
                         struct json_write *writer)
{
    json_write_array(writer);
    for (size_t i = 0; i < spec->label_count; i++)
        write_cell(writer, &series->values[i]);
    json_write_array_end(writer);
}

static void write_colours(const struct charts_spec *spec, size_t at, struct json_write *writer)
{
    json_write_key(writer, STR("backgroundColor"));
    if (!is_round(spec)) {
        json_write_str(writer, colour(at));
        if (spec->type == CHARTS_TYPE_LINE) {
            json_write_member_str(writer, STR("borderColor"), colour(at));
            json_write_member_str(writer, STR("borderJoinStyle"), STR("round"));
        }
        return;
    }
    json_write_array(writer);
    for (size_t i = 0; i < spec->label_count; i++)
        json_write_str(writer, colour(i));
    json_write_array_end(writer);
}

static void write_dataset(const struct charts_spec *spec, size_t at, struct json_write *writer)
{
    const struct charts_series *series = &spec->series[at];
    bool is_line = spec->type == CHARTS_TYPE_LINE;
    json_write_object(writer);
    json_write_member_str(writer, STR("label"), series->name);
    json_write_key(writer, STR("data"));
    if (spec->type == CHARTS_TYPE_SCATTER)
        write_points(spec, writer);
    else
        write_values(spec, series, writer);
    write_colours(spec, at, writer);
    if (is_line && !str_is_absent(spec->series_by)) /* no row is no zero */
        json_write_member_bool(writer, STR("spanGaps"), true);
    if (is_line && spec->label_count > DENSE_POINTS)
        json_write_member_i64(writer, STR("pointRadius"), 1);
    if (series->on_second_axis)
        json_write_member_str(writer, spec->is_horizontal ? STR("xAxisID") : STR("yAxisID"),
                              spec->is_horizontal ? STR("x1") : STR("y1"));
    json_write_object_end(writer);
}

static void write_data(const struct charts_spec *spec, struct json_write *writer)
{
    json_write_key(writer, STR("data"));
    json_write_object(writer);
    if (spec->type != CHARTS_TYPE_SCATTER) {
        json_write_key(writer, STR("labels"));
        json_write_array(writer);
        for (size_t i = 0; i < spec->label_count; i++)
            json_write_str(writer, spec->labels[i]);
        json_write_array_end(writer);
    }
    json_write_key(writer, STR("datasets"));
    json_write_array(writer);
    for (size_t i = 0; i < spec->series_count; i++)
        write_dataset(spec, i, writer);
    json_write_array_end(writer);
    json_write_object_end(writer);
}

/* ---- options ---- */

struct extent { /* of the numbers at one axis */
    double least, most;
    bool are_integers;
};

static struct extent find_extent(const struct charts_spec *spec, bool second)
{
    struct extent extent = {INFINITY, -INFINITY, true};
    for (size_t i = 0; i < spec->series_count; i++)
        for (size_t at = 0; at < spec->label_count; at++) {
            const struct charts_cell *cell = &spec->series[i].values[at];
            if (spec->series[i].on_second_axis != second || cell->type != CHARTS_NUMBER)
                continue;
            extent.least = fmin(extent.least, cell->number);
            extent.most = fmax(extent.most, cell->number);
            extent.are_integers = extent.are_integers && cell->number == floor(cell->number);
        }
    return extent;
}

static void write_label_axis(const struct charts_spec *spec, struct json_write *writer)
{
    json_write_object(writer);
    if (spec->is_stacked)
        json_write_member_bool(writer, STR("stacked"), true);
    if (spec->type == CHARTS_TYPE_BAR && spec->label_count <= FEW_LABELS)
        json_write_member_raw(writer, STR("ticks"), STR("{\"autoSkip\":false}"));
    write_caption(writer, STR("title"), spec->label_title);
    json_write_object_end(writer);
}

static void write_value_axis(const struct charts_spec *spec, bool second, struct json_write *writer)
{
    const struct extent extent = find_extent(spec, second);
    json_write_object(writer);
    if (second) {
        json_write_member_str(writer, STR("position"),
                              spec->is_horizontal ? STR("top") : STR("right"));
        json_write_member_raw(writer, STR("grid"), STR("{\"drawOnChartArea\":false}"));
    }
    if (spec->is_stacked)
        json_write_member_bool(writer, STR("stacked"), true);
    if (spec->type == CHARTS_TYPE_LINE && extent.least >= 0 && extent.least < extent.most / 2)
        json_write_member_bool(writer, STR("beginAtZero"), true); /* bars do by themselves */
    if (spec->type != CHARTS_TYPE_SCATTER && extent.are_integers)
        json_write_member_raw(writer, STR("ticks"), STR("{\"precision\":0}"));
    write_caption(writer, STR("title"), spec->value_titles[second]);
    json_write_object_end(writer);
}

static void write_scales(const struct charts_spec *spec, struct json_write *writer)
{
    bool has_second = false;
    for (size_t i = 0; i < spec->series_count; i++)
        has_second = has_second || spec->series[i].on_second_axis;
    json_write_key(writer, STR("scales"));
    json_write_object(writer);
    json_write_key(writer, spec->is_horizontal ? STR("y") : STR("x"));
    write_label_axis(spec, writer);
    json_write_key(writer, spec->is_horizontal ? STR("x") : STR("y"));
    write_value_axis(spec, false, writer);
    if (has_second) {
        json_write_key(writer, spec->is_horizontal ? STR("x1") : STR("y1"));
        write_value_axis(spec, true, writer);
    }
    json_write_object_end(writer);
}

static void write_options(const struct charts_spec *spec, struct json_write *writer)
{
    bool has_legend = is_round(spec) || spec->series_count > 1;
    json_write_key(writer, STR("options"));
    json_write_object(writer);
    if (spec->is_horizontal)
        json_write_member_str(writer, STR("indexAxis"), STR("y"));
    json_write_member_raw(writer, STR("layout"), STR("{\"padding\":12}"));
    json_write_key(writer, STR("plugins"));
    json_write_object(writer);
    write_caption(writer, STR("title"), spec->title);
    write_caption(writer, STR("subtitle"), spec->note);
    json_write_key(writer, STR("legend"));
    json_write_object(writer);
    json_write_member_bool(writer, STR("display"), has_legend);
    json_write_object_end(writer);
    json_write_object_end(writer);
    if (!is_round(spec))
        write_scales(spec, writer);
    json_write_object_end(writer);
}

void charts_chartjs_write(const struct charts_spec *spec, struct json_write *writer)
{
    CHECK(charts_chartjs_draws(spec));
    json_write_object(writer);
    json_write_member_str(writer, STR("type"), str_of(charts_spec_type_name(spec->type)));
    write_data(spec, writer);
    write_options(spec, writer);
    json_write_object_end(writer);
}

struct str charts_chartjs_chart(const struct charts_spec *spec, struct arena *arena)
{
    struct buf out;
    struct json_write writer;
    struct str chart = {NULL, 0};
    buf_init(&out, CHART_BYTES);
    json_write_init(&writer, &out);
    json_write_object(&writer);
    charts_spec_write_members(spec, &writer);
    if (charts_chartjs_draws(spec)) {
        json_write_key(&writer, STR("chartjs"));
        charts_chartjs_write(spec, &writer);
    }
    json_write_object_end(&writer);
    if (buf_ok(&out))
        chart = arena_str(arena, buf_str(&out));
    buf_fini(&out);
    return chart;
}
