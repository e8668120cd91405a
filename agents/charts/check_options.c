/* SPDX-License-Identifier: MIT */
/* agents/charts/check_options.c - a walk over all members for what JSON cannot hold, then the few
 * places where Chart.js is particular.
 *
 * Happy path: nothing is found. Failure: the first finding, with its pointer. The walk recurses, as
 * deep as the JSON reader allows. */
#include "agents/charts/check_options.h"

#include "agents/charts/check_path.h"
#include "proto/json_value.h"

enum { COLOUR_BYTES = 64 };

static bool is_in(struct str word, const char *const *list, size_t count)
{
    for (size_t i = 0; i < count; i++)
        if (str_equal(word, str_of(list[i])))
            return true;
    return false;
}

static bool is_number(const struct json_value *value)
{
    return value->type == JSON_INT || value->type == JSON_DOUBLE;
}

/* ---- what JSON cannot hold ---- */

static const char *const functions[] = {
    "callbacks",  "callback",  "onClick",        "onHover", "onLeave", "onResize", "onProgress",
    "onComplete", "formatter", "generateLabels", "filter",  "sort",    "itemSort", "external"};
static const char *const reserved[] = {"__proto__", "prototype", "constructor", "parsing"};
static const char *const colour_keys[] = {"backgroundColor",
                                          "borderColor",
                                          "pointBackgroundColor",
                                          "pointBorderColor",
                                          "hoverBackgroundColor",
                                          "hoverBorderColor",
                                          "color"};

static bool is_function(struct str text)
{
    text = str_trim(text);
    return (str_starts_with(text, STR("function")) && str_find_char(text, '(') != STR_NONE) ||
           str_find(text, STR("=>")) != STR_NONE;
}

/* What a reader sees may be any text: a category called "a => b". */
static bool is_shown(const struct json_value *member)
{
    return str_equal(member->key, STR("label")) || str_equal(member->key, STR("text"));
}

static enum err_code check_colour(const struct json_value *value, const char *path, struct err *err)
{
    bool is_fine = value->type == JSON_BOOL || value->type == JSON_NULL ||
                   (value->type == JSON_STRING && value->text.len <= COLOUR_BYTES);
    if (value->type == JSON_ARRAY) {
        is_fine = true;
        JSON_EACH(item, value)
            is_fine = is_fine && item->type == JSON_STRING && item->text.len <= COLOUR_BYTES;
    }
    return is_fine ? ERR_OK
                   : charts_check_path_expect(err, path, "a colour or an array of colours", value);
}

static enum err_code check_member(const struct json_value *member, const char *path,
                                  struct err *err)
{
    if (is_in(member->key, functions, countof(functions)) && member->type != JSON_NULL &&
        member->type != JSON_BOOL)
        return err_set(err, ERR_INVALID, "%s: Chart.js wants a function there, JSON has none",
                       path);
    if (is_in(member->key, reserved, countof(reserved)) || str_starts_with(member->key, STR("_")))
        return err_set(err, ERR_INVALID, "%s: this member is not allowed", path);
    if (is_in(member->key, colour_keys, countof(colour_keys)))
        return check_colour(member, path, err);
    if (member->type == JSON_STRING && is_function(member->text) && !is_shown(member))
        return err_set(err, ERR_INVALID, "%s: expected a value, got the text of a function", path);
    return ERR_OK;
}

static enum err_code walk(const struct json_value *value, const char *path, struct err *err)
{
    enum err_code code = ERR_OK;
    size_t at = 0;
    if (value->type != JSON_OBJECT && value->type != JSON_ARRAY)
        return ERR_OK;
    for (const struct json_value *item = value->first; item != NULL && code == ERR_OK;
         item = item->next) {
        struct charts_check_path here = value->type == JSON_OBJECT
                                            ? charts_check_path_member(path, item->key)
                                            : charts_check_path_item(path, at++);
        if (value->type == JSON_OBJECT)
            code = check_member(item, here.text, err);
        else if (item->type == JSON_STRING && is_function(item->text) && !is_shown(value))
            code = err_set(err, ERR_INVALID, "%s: expected a value, got the text of a function",
                           here.text);
        if (code == ERR_OK)
            code = walk(item, here.text, err);
    }
    return code;
}

/* ---- scales ---- */

static enum err_code check_bound(const struct json_value *scale, struct str key, const char *path,
                                 struct err *err)
{
    const struct json_value *bound = json_value_member(scale, key);
    if (bound == NULL || is_number(bound) || bound->type == JSON_STRING)
        return ERR_OK;
    struct charts_check_path here = charts_check_path_member(path, key);
    return charts_check_path_expect(err, here.text, "a number", bound);
}

/* Chart.js must know of every scale which axis it is. */
static bool has_axis(const struct json_value *scale)
{
    static const char *const places[] = {"top", "bottom", "left", "right"};
    const struct json_value *axis = json_value_member(scale, STR("axis"));
    const struct json_value *position = json_value_member(scale, STR("position"));
    char first = str_lower(scale->key.len > 0 ? scale->key.at[0] : '\0');
    if (axis != NULL)
        return axis->type == JSON_STRING && axis->text.len == 1 &&
               str_find_char(STR("xyr"), axis->text.at[0]) != STR_NONE;
    return first == 'x' || first == 'y' || first == 'r' ||
           (position != NULL && position->type == JSON_STRING &&
            is_in(position->text, places, countof(places)));
}

static enum err_code check_scale(const struct json_value *scale, const char *path, struct err *err)
{
    static const char *const known[] = {"category", "linear", "logarithmic", "radialLinear"};
    const struct json_value *type = json_value_member(scale, STR("type"));
    if (scale->type != JSON_OBJECT)
        return charts_check_path_expect(err, path, "an object", scale);
    if (!has_axis(scale))
        return err_set(err, ERR_INVALID, "%s: expected an axis x or y, or a name that begins so",
                       path);
    if (type != NULL) {
        struct charts_check_path here = charts_check_path_member(path, STR("type"));
        if (type->type != JSON_STRING || !is_in(type->text, known, countof(known)))
            return err_set(err, ERR_INVALID,
                           "%s: expected category, linear or logarithmic (times are labels)",
                           here.text);
    }
    enum err_code code = check_bound(scale, STR("min"), path, err);
    return code == ERR_OK ? check_bound(scale, STR("max"), path, err) : code;
}

static enum err_code check_scales(const struct json_value *options, struct err *err)
{
    const struct json_value *scales = json_value_member(options, STR("scales"));
    enum err_code code = ERR_OK;
    if (scales == NULL)
        return ERR_OK;
    if (scales->type != JSON_OBJECT)
        return charts_check_path_expect(err, "/options/scales", "an object", scales);
    for (const struct json_value *scale = scales->first; scale != NULL && code == ERR_OK;
         scale = scale->next) {
        struct charts_check_path here = charts_check_path_member("/options/scales", scale->key);
        code = check_scale(scale, here.text, err);
    }
    return code;
}

/* ---- captions ---- */

static bool is_text(const struct json_value *text)
{
    if (text->type != JSON_ARRAY)
        return text->type == JSON_STRING;
    JSON_EACH(line, text)
        if (line->type != JSON_STRING)
            return false;
    return true;
}

static enum err_code check_captions(const struct json_value *plugins, struct err *err)
{
    static const char *const captions[] = {"title", "subtitle", "legend", "tooltip"};
    for (size_t i = 0; i < countof(captions); i++) {
        const struct json_value *caption = json_value_member(plugins, str_of(captions[i]));
        const struct json_value *text = json_value_member(caption, STR("text"));
        struct charts_check_path here =
            charts_check_path_member("/options/plugins", str_of(captions[i]));
        if (caption == NULL || (caption->type == JSON_BOOL && !caption->boolean))
            continue;
        if (caption->type != JSON_OBJECT)
            return charts_check_path_expect(err, here.text, "an object", caption);
        if (text != NULL && !is_text(text)) {
            here = charts_check_path_member(here.text, STR("text"));
            return charts_check_path_expect(err, here.text, "a text or an array of lines", text);
        }
    }
    return ERR_OK;
}

static enum err_code check_plugins(const struct json_value *options, struct err *err)
{
    static const char *const moved[] = {"title", "legend", "tooltips", "tooltip"};
    const struct json_value *plugins = json_value_member(options, STR("plugins"));
    for (size_t i = 0; i < countof(moved); i++) {
        struct charts_check_path here = charts_check_path_member("/options", str_of(moved[i]));
        if (json_value_member(options, str_of(moved[i])) != NULL)
            return err_set(err, ERR_INVALID, "%s: Chart.js 4 has it under /options/plugins",
                           here.text);
    }
    if (plugins == NULL)
        return ERR_OK;
    if (plugins->type != JSON_OBJECT)
        return charts_check_path_expect(err, "/options/plugins", "an object", plugins);
    return check_captions(plugins, err);
}

/* ---- axes and what is seen ---- */

static enum err_code check_index_axis(const struct json_value *of, const char *path,
                                      struct err *err)
{
    const struct json_value *axis = json_value_member(of, STR("indexAxis"));
    if (axis == NULL || (axis->type == JSON_STRING &&
                         (str_equal(axis->text, STR("x")) || str_equal(axis->text, STR("y")))))
        return ERR_OK;
    return err_set(err, ERR_INVALID, "%s/indexAxis: expected \"x\" or \"y\"", path);
}

static enum err_code check_dataset(const struct json_value *dataset, const char *path,
                                   struct err *err)
{
    static const char *const ids[] = {"xAxisID", "yAxisID"};
    const struct json_value *hidden = json_value_member(dataset, STR("hidden"));
    enum err_code code = check_index_axis(dataset, path, err);
    if (code == ERR_OK && hidden != NULL && (hidden->type != JSON_BOOL || hidden->boolean))
        return err_set(err, ERR_INVALID, "%s/hidden: expected false", path);
    for (size_t i = 0; i < countof(ids) && code == ERR_OK; i++) {
        const struct json_value *id = json_value_member(dataset, str_of(ids[i]));
        if (id != NULL && (id->type != JSON_STRING || id->text.len == 0))
            code = err_set(err, ERR_INVALID, "%s/%s: expected the name of a scale", path, ids[i]);
    }
    for (const struct json_value *member = dataset->first; member != NULL && code == ERR_OK;
         member = member->next) {
        struct charts_check_path here = charts_check_path_member(path, member->key);
        if (str_equal(member->key, STR("data")))
            continue; /* numbers, looked at already */
        code = check_member(member, here.text, err);
        if (code == ERR_OK)
            code = walk(member, here.text, err);
    }
    return code;
}

static enum err_code check_datasets(const struct json_value *config, struct err *err)
{
    const struct json_value *datasets = json_value_find(config, "/data/datasets");
    enum err_code code = ERR_OK;
    size_t at = 0;
    for (const struct json_value *dataset = datasets->first; dataset != NULL && code == ERR_OK;
         dataset = dataset->next) {
        struct charts_check_path path = charts_check_path_item("/data/datasets", at++);
        code = check_dataset(dataset, path.text, err);
    }
    return code;
}

enum err_code charts_check_options(const struct json_value *config, struct err *err)
{
    const struct json_value *options = json_value_member(config, STR("options"));
    enum err_code code = check_datasets(config, err);
    if (code != ERR_OK || options == NULL)
        return code;
    if (options->type != JSON_OBJECT)
        return charts_check_path_expect(err, "/options", "an object", options);
    code = walk(options, "/options", err);
    if (code == ERR_OK)
        code = check_index_axis(options, "/options", err);
    if (code == ERR_OK)
        code = check_scales(options, err);
    return code == ERR_OK ? check_plugins(options, err) : code;
}
