/* SPDX-License-Identifier: MIT */
/* agents/charts/check.c - the configuration: type, data, then a walk over options.
 *
 * Happy path: every dataset fits the labels and the type; scales are ones Chart.js has.
 * Failure: the first thing that is wrong, with its pointer. The walk is as deep as the JSON reader
 * allows. */
#include "agents/charts/check.h"

#include "agents/charts/check_options.h"
#include "agents/charts/check_path.h"
#include "agents/charts/shape.h"
#include "agents/charts/spec.h"
#include "proto/json_value.h"

enum { TEXT_BYTES = 200 };

static const char *const types[] = {"bar",     "line",  "pie",       "doughnut",
                                    "scatter", "radar", "polarArea", "bubble"};

struct checking {
    const struct json_value *labels; /* NULL: none */
    struct str type;
    size_t points, numbers;
    struct err *err;
};

static bool is_type(struct str type, const char *name)
{
    return str_equal(type, str_of(name));
}

static bool is_round(struct str type)
{
    return is_type(type, "pie") || is_type(type, "doughnut") || is_type(type, "polarArea");
}

static bool is_cloud(struct str type)
{
    return is_type(type, "scatter") || is_type(type, "bubble");
}

static bool is_number(const struct json_value *value)
{
    return value != NULL && (value->type == JSON_INT || value->type == JSON_DOUBLE);
}

static enum err_code check_type(const struct json_value *type, const char *path, struct err *err)
{
    if (type == NULL || type->type != JSON_STRING)
        return charts_check_path_expect(err, path, "the name of a chart", type);
    for (size_t i = 0; i < countof(types); i++)
        if (is_type(type->text, types[i]))
            return ERR_OK;
    return err_set(err, ERR_INVALID, "%s: expected bar, line, pie, doughnut or scatter, got '%.*s'",
                   path, STR_ARG(str_utf8_prefix(type->text, 32)));
}

/* ---- labels ---- */

static bool is_label(const struct json_value *label)
{
    if (label->type == JSON_STRING)
        return label->text.len <= TEXT_BYTES;
    if (label->type != JSON_ARRAY) /* of lines */
        return is_number(label);
    JSON_EACH(line, label)
        if (line->type != JSON_STRING || line->text.len > TEXT_BYTES)
            return false;
    return label->count > 0;
}

static enum err_code check_labels(struct checking *c)
{
    size_t at = 0;
    if (c->labels == NULL)
        return ERR_OK;
    if (c->labels->type != JSON_ARRAY)
        return charts_check_path_expect(c->err, "/data/labels", "an array", c->labels);
    if (c->labels->count > CHARTS_MAX_POINTS)
        return err_set(c->err, ERR_INVALID, "/data/labels: expected at most %d, got %zu",
                       CHARTS_MAX_POINTS, c->labels->count);
    JSON_EACH(label, c->labels) {
        if (!is_label(label))
            return err_set(c->err, ERR_INVALID,
                           "/data/labels/%zu: expected a text of at most %d bytes or a number", at,
                           TEXT_BYTES);
        at++;
    }
    return ERR_OK;
}

/* A line says that its labels follow each other. */
static enum err_code check_order(const struct checking *c)
{
    struct str texts[CHARTS_MAX_POINTS];
    size_t count = 0;
    if (c->labels == NULL || c->labels->count < 2)
        return ERR_OK;
    JSON_EACH(label, c->labels) {
        const struct json_value *text = label->type == JSON_ARRAY ? label->first : label;
        texts[count++] = text->text;
    }
    if (charts_shape_is_ordered(texts, count))
        return ERR_OK;
    return err_set(c->err, ERR_INVALID,
                   "/data/labels: a line connects labels that have no order; use a bar chart");
}

/* ---- values ---- */

/* A floating bar: from, to. */
static bool is_span(const struct checking *c, const struct json_value *value)
{
    return is_type(c->type, "bar") && value->type == JSON_ARRAY && value->count == 2 &&
           is_number(value->first) && is_number(value->first->next);
}

static bool is_point(const struct json_value *value, bool has_radius)
{
    const struct json_value *x = json_value_member(value, STR("x"));
    const struct json_value *y = json_value_member(value, STR("y"));
    const struct json_value *r = json_value_member(value, STR("r"));
    return is_number(x) && is_number(y) && (!has_radius || (is_number(r) && r->number >= 0));
}

/* {x, y} of a bar or line: x may name a label. */
static bool is_placed(const struct json_value *value)
{
    const struct json_value *x = json_value_member(value, STR("x"));
    const struct json_value *y = json_value_member(value, STR("y"));
    return x != NULL && y != NULL && (is_number(x) || x->type == JSON_STRING) &&
           (is_number(y) || y->type == JSON_NULL);
}

static enum err_code check_value(const struct checking *c, struct str type,
                                 const struct json_value *value, const char *path)
{
    if (is_cloud(type)) {
        bool has_radius = is_type(type, "bubble");
        if (is_point(value, has_radius))
            return ERR_OK;
        return err_set(c->err, ERR_INVALID, "%s: expected {\"x\":number,\"y\":number%s}, got %s",
                       path, has_radius ? ",\"r\":number" : "", json_value_type_name(value));
    }
    if (value->type == JSON_OBJECT && c->labels == NULL && !is_round(type))
        return is_placed(value) ? ERR_OK
                                : err_set(c->err, ERR_INVALID, "%s: expected x and y", path);
    if (!is_number(value) && value->type != JSON_NULL && !is_span(c, value))
        return charts_check_path_expect(c->err, path, "a number", value);
    if (is_round(type) && is_number(value) && value->number < 0)
        return err_set(c->err, ERR_INVALID, "%s: a part of a whole cannot be negative", path);
    return ERR_OK;
}

static enum err_code check_count(const struct checking *c, struct str type,
                                 const struct json_value *data, const char *path)
{
    if (data->count == 0)
        return err_set(c->err, ERR_INVALID, "%s: expected values, got none", path);
    bool needs_labels = !is_cloud(type) && (data->first->type != JSON_OBJECT || is_round(type));
    if (needs_labels && c->labels == NULL)
        return err_set(c->err, ERR_INVALID, "/data/labels: expected one label for each value");
    if (needs_labels && data->count != c->labels->count)
        return err_set(c->err, ERR_INVALID, "%s: expected %zu values, one for each label, got %zu",
                       path, c->labels->count, data->count);
    if (is_round(type) && data->count > CHARTS_MAX_PARTS)
        return err_set(c->err, ERR_INVALID, "%s: expected at most %d parts, got %zu", path,
                       CHARTS_MAX_PARTS, data->count);
    return ERR_OK;
}

static enum err_code check_values(struct checking *c, struct str type,
                                  const struct json_value *data, const char *path)
{
    size_t at = 0;
    double sum = 0;
    enum err_code code = check_count(c, type, data, path);
    for (const struct json_value *value = data->first; value != NULL && code == ERR_OK;
         value = value->next) {
        struct charts_check_path here = charts_check_path_item(path, at++);
        code = check_value(c, type, value, here.text);
        c->numbers += value->type != JSON_NULL;
        sum += is_number(value) ? value->number : 0;
    }
    if (code != ERR_OK)
        return code;
    if (is_round(type) && !(sum > 0))
        return err_set(c->err, ERR_INVALID, "%s: the parts add up to nothing", path);
    c->points += data->count;
    if (c->points > CHARTS_MAX_POINTS)
        return err_set(c->err, ERR_INVALID, "%s: expected at most %d points in all", path,
                       CHARTS_MAX_POINTS);
    return ERR_OK;
}

/* ---- datasets ---- */

/* A dataset of a type of its own: bars and lines go together. */
static enum err_code check_own_type(const struct checking *c, const struct json_value *own,
                                    const char *path)
{
    struct charts_check_path here = charts_check_path_member(path, STR("type"));
    enum err_code code = check_type(own, here.text, c->err);
    if (code != ERR_OK || is_type(own->text, "bar") || is_type(own->text, "line") ||
        str_equal(own->text, c->type))
        return code;
    return err_set(c->err, ERR_INVALID, "%s: expected bar or line beside a %.*s", here.text,
                   STR_ARG(c->type));
}

static enum err_code check_dataset(struct checking *c, const struct json_value *dataset,
                                   const char *path)
{
    struct charts_check_path here = charts_check_path_member(path, STR("label"));
    const struct json_value *data = json_value_member(dataset, STR("data"));
    const struct json_value *label = json_value_member(dataset, STR("label"));
    const struct json_value *own = json_value_member(dataset, STR("type"));
    enum err_code code = ERR_OK;
    if (dataset->type != JSON_OBJECT)
        return charts_check_path_expect(c->err, path, "an object", dataset);
    if (label != NULL && (label->type != JSON_STRING || label->text.len > TEXT_BYTES))
        return charts_check_path_expect(c->err, here.text, "a short text", label);
    if (own != NULL)
        code = check_own_type(c, own, path);
    if (code != ERR_OK)
        return code;
    struct str type = own != NULL ? own->text : c->type;
    here = charts_check_path_member(path, STR("data"));
    if (data == NULL || data->type != JSON_ARRAY)
        return charts_check_path_expect(c->err, here.text, "an array", data);
    code = check_values(c, type, data, here.text);
    if (code == ERR_OK && is_type(type, "line"))
        code = check_order(c);
    return code;
}

static enum err_code check_data(struct checking *c, const struct json_value *data)
{
    size_t at = 0;
    if (data == NULL || data->type != JSON_OBJECT)
        return charts_check_path_expect(c->err, "/data", "an object", data);
    c->labels = json_value_member(data, STR("labels"));
    enum err_code code = check_labels(c);
    if (code != ERR_OK)
        return code;
    const struct json_value *datasets = json_value_member(data, STR("datasets"));
    if (datasets == NULL || datasets->type != JSON_ARRAY)
        return charts_check_path_expect(c->err, "/data/datasets", "an array", datasets);
    if (datasets->count == 0 || datasets->count > CHARTS_CHECK_SERIES)
        return err_set(c->err, ERR_INVALID, "/data/datasets: expected 1 to %d, got %zu",
                       CHARTS_CHECK_SERIES, datasets->count);
    for (const struct json_value *dataset = datasets->first; dataset != NULL && code == ERR_OK;
         dataset = dataset->next) {
        struct charts_check_path path = charts_check_path_item("/data/datasets", at++);
        code = check_dataset(c, dataset, path.text);
    }
    if (code == ERR_OK && c->numbers == 0)
        return err_set(c->err, ERR_INVALID, "/data/datasets: expected a number, got only nulls");
    return code;
}

/* ---- the whole ---- */

static enum err_code check_members(const struct json_value *config, struct err *err)
{
    static const char *const known[] = {"type", "data", "options"};
    JSON_EACH(member, config) {
        size_t i = 0;
        while (i < countof(known) && !is_type(member->key, known[i]))
            i++;
        struct charts_check_path here = charts_check_path_member("", member->key);
        if (i == countof(known))
            return err_set(err, ERR_INVALID, "%s: expected type, data and options only", here.text);
    }
    return ERR_OK;
}

enum err_code charts_check_config(const struct json_value *config, struct err *err)
{
    struct checking c = {.err = err};
    if (config == NULL || config->type != JSON_OBJECT)
        return charts_check_path_expect(err, "", "a Chart.js configuration", config);
    enum err_code code = check_members(config, err);
    const struct json_value *type = json_value_member(config, STR("type"));
    if (code == ERR_OK)
        code = check_type(type, "/type", err);
    if (code != ERR_OK)
        return code;
    c.type = type->text;
    code = check_data(&c, json_value_member(config, STR("data")));
    if (code == ERR_OK)
        code = charts_check_options(config, err);
    return code;
}

enum err_code charts_check_text(struct str json, struct arena *arena, struct err *err)
{
    const struct json_limits limits = {.text_bytes = CHARTS_CHECK_BYTES};
    const struct json_value *config = json_value_parse(arena, json, &limits, err);
    return config == NULL ? err->code : charts_check_config(config, err);
}
