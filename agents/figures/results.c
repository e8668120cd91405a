/* SPDX-License-Identifier: MIT */
/* agents/figures/results.c - reads a model's reading of passages, calculates and compares.
 *
 * Happy path: the object is taken apart; each value becomes a figure, each calculation a result.
 * Failure: a calculation that cannot be done says why and stays; an object of another shape is
 * refused whole. */
#include "agents/figures/results.h"

#include "agents/common/extract.h"
#include "proto/json_value.h"
#include "proto/json_write.h"

enum { FORMULA_BYTES = 4096 };

/* ---- reading ---- */

/* A string or a number as it was written; absent when it is neither. */
static struct str text_of(const struct json_value *object, const char *key)
{
    const struct json_value *value = json_value_member(object, str_of(key));
    bool is_text = value != NULL && (value->type == JSON_STRING || value->type == JSON_INT ||
                                     value->type == JSON_DOUBLE);
    return is_text ? value->text : (struct str){NULL, 0};
}

static int64_t integer_of(const struct json_value *object, const char *key)
{
    const struct json_value *value = json_value_member(object, str_of(key));
    return value != NULL && value->type == JSON_INT ? value->integer : 0;
}

static bool flag_of(const struct json_value *object, const char *key)
{
    const struct json_value *value = json_value_member(object, str_of(key));
    return value != NULL && value->type == JSON_BOOL && value->boolean;
}

/* The value's text with a point for its fraction, if its passage or, where that does not tell, the
 * text itself says that a comma was. */
static struct str with_point(struct arena *arena, struct str text, int64_t chunk,
                             const struct search_hit *hits, size_t hit_count)
{
    enum figures_notation notation = FIGURES_UNTOLD;
    if (chunk > 0 && (uint64_t)chunk <= hit_count)
        notation = figures_numbers_notation(hits[chunk - 1].text);
    if (figures_numbers_notation(text) != FIGURES_UNTOLD)
        notation = figures_numbers_notation(text);
    struct str exchanged =
        notation == FIGURES_COMMA ? figures_numbers_exchange(arena, text) : (struct str){NULL, 0};
    return str_is_absent(exchanged) ? text : exchanged;
}

static void read_value(struct arena *arena, const struct json_value *from,
                       const struct search_hit *hits, size_t hit_count, struct analyst_value *value)
{
    bool is_percent = false;
    *value = (struct analyst_value){
        .company = text_of(from, "company"),
        .metric = text_of(from, "metric"),
        .period = text_of(from, "period"),
        .unit = text_of(from, "unit"),
        .text = text_of(from, "value"),
        .chunk = integer_of(from, "chunk"),
        .is_verified = flag_of(from, "verified"),
    };
    const struct json_value *written = json_value_member(from, STR("value"));
    if (written != NULL && written->type == JSON_STRING)
        value->text = with_point(arena, value->text, value->chunk, hits, hit_count);
    struct str rest = value->text;
    value->is_figure = figures_numbers_next(&rest, &value->number);
    if (!value->is_figure)
        return;
    double scale = figures_numbers_scale(value->unit, &is_percent);
    if (value->number.scale == 1 && scale != 1) {
        value->number.value *= scale;
        value->number.step *= scale;
        value->number.scale = scale;
    }
    value->number.is_percent = value->number.is_percent || is_percent;
    value->number.is_year = false;
}

static int year_of(struct str period)
{
    struct analyst_number number;
    while (figures_numbers_next(&period, &number))
        if (number.is_year)
            return (int)number.value;
    return 0;
}

static const char *scale_word(double scale)
{
    return scale == 1e3 ? "thousand" : scale == 1e6 ? "million" : scale == 1e9 ? "billion" : "";
}

static struct analyst_operand operand_of(struct arena *arena, const struct analyst_value *value,
                                         bool same_scales)
{
    const struct analyst_number *number = &value->number;
    ptrdiff_t point = str_find_char(number->text, '.');
    struct str text = number->text;
    if (number->is_negative)
        text = arena_printf(arena, "(-%.*s)", STR_ARG(text));
    if (!same_scales && number->scale != 1)
        text = arena_printf(arena, "%.*s\\text{ %s}", STR_ARG(text), scale_word(number->scale));
    return (struct analyst_operand){
        .value = number->value,
        .text = text,
        .decimals = point == STR_NONE ? 0 : (unsigned)(number->text.len - (size_t)point - 1),
        .scale = number->scale,
        .year = year_of(value->period),
    };
}

/* Operands as one unit, or why they are not. */
static struct str find_mismatch(const struct figures_results *results,
                                const struct analyst_calculation *calculation)
{
    const struct analyst_value *first = &results->values[calculation->of[0]];
    for (size_t i = 0; i < calculation->count; i++) {
        const struct analyst_value *value = &results->values[calculation->of[i]];
        if (!value->is_figure)
            return STR("an operand is no figure");
        if (value->number.is_percent != first->number.is_percent)
            return STR("its operands have different units");
    }
    return STR("");
}

static void calculate(struct arena *arena, const struct figures_results *results,
                      struct analyst_calculation *calculation)
{
    struct analyst_operand operands[ANALYST_MAX_OPERANDS] = {0};
    struct err err;
    struct buf formula;
    bool same_scales = true, is_verified = true;
    calculation->problem = find_mismatch(results, calculation);
    if (calculation->problem.len > 0)
        return;
    for (size_t i = 0; i < calculation->count; i++) {
        const struct analyst_value *value = &results->values[calculation->of[i]];
        same_scales =
            same_scales && value->number.scale == results->values[calculation->of[0]].number.scale;
        is_verified = is_verified && value->is_verified;
    }
    for (size_t i = 0; i < calculation->count; i++)
        operands[i] = operand_of(arena, &results->values[calculation->of[i]], same_scales);
    calculation->is_done = figures_calculate(calculation->kind, operands, calculation->count,
                                             &calculation->result, &err) == ERR_OK;
    calculation->is_verified = calculation->is_done && is_verified;
    if (!calculation->is_done) {
        calculation->problem = arena_str(arena, str_of(err.text));
        return;
    }
    buf_init(&formula, FORMULA_BYTES);
    figures_calculate_formula(calculation->kind, operands, calculation->count, &calculation->result,
                              &formula);
    calculation->formula = arena_str(arena, buf_str(&formula));
    buf_fini(&formula);
}

static enum err_code read_calculation(const struct json_value *from,
                                      const struct figures_results *results, size_t at,
                                      struct analyst_calculation *calculation, struct err *err)
{
    const struct json_value *of = json_value_member(from, STR("of"));
    struct str kind = text_of(from, "kind");
    if (!figures_calculate_kind(kind, &calculation->kind))
        return err_set(err, ERR_INVALID, "/calculations/%zu/kind: '%.*s' is none", at,
                       STR_ARG(kind));
    if (of == NULL || of->type != JSON_ARRAY || of->count == 0 || of->count > ANALYST_MAX_OPERANDS)
        return err_set(err, ERR_INVALID, "/calculations/%zu/of: expected 1 to %d indices", at,
                       ANALYST_MAX_OPERANDS);
    JSON_EACH(item, of) {
        if (item->type != JSON_INT || item->integer < 0 ||
            (uint64_t)item->integer >= results->value_count)
            return err_set(err, ERR_INVALID, "/calculations/%zu/of: there is no such value", at);
        calculation->of[calculation->count++] = (size_t)item->integer;
    }
    calculation->claimed = text_of(from, "claimed");
    return ERR_OK;
}

/* Find the array at key; NULL: there is none. ERR_INVALID: another type of value; ERR_TOO_LARGE:
 * more than most items. */
static enum err_code find_array(const struct json_value *root, const char *key, size_t most,
                                const struct json_value **array, struct err *err)
{
    const struct json_value *found = json_value_member(root, str_of(key));
    *array = NULL;
    if (found == NULL || found->type == JSON_NULL)
        return ERR_OK;
    if (found->type != JSON_ARRAY)
        return err_set(err, ERR_INVALID, "/%s: expected an array, got %s", key,
                       json_value_type_name(found));
    if (found->count > most)
        return err_set(err, ERR_TOO_LARGE, "/%s: expected at most %zu, got %zu", key, most,
                       found->count);
    *array = found;
    return ERR_OK;
}

static enum err_code read_calculations(struct arena *arena, const struct json_value *root,
                                       struct figures_results *results, struct err *err)
{
    const struct json_value *array;
    enum err_code code = find_array(root, "calculations", ANALYST_MAX_CALCULATIONS, &array, err);
    if (code != ERR_OK || array == NULL)
        return code;
    results->calculations = arena_array(arena, array->count + 1, sizeof *results->calculations);
    if (results->calculations == NULL)
        return err_set(err, ERR_NO_MEMORY, "no memory for the analysis");
    JSON_EACH(item, array) {
        size_t at = results->calculation_count;
        code = read_calculation(item, results, at, &results->calculations[at], err);
        if (code != ERR_OK)
            return code;
        calculate(arena, results, &results->calculations[at]);
        results->calculation_count++;
    }
    return ERR_OK;
}

enum err_code figures_results_read(struct arena *arena, struct str answer,
                                   const struct search_hit *hits, size_t hit_count,
                                   struct figures_results *results, struct err *err)
{
    const struct json_value *array;
    struct str json = extract_json(answer, '{');
    *results = (struct figures_results){0};
    if (str_is_absent(json))
        return err_set(err, ERR_INVALID, "expected a JSON object, got none");
    const struct json_value *root = json_value_parse(arena, json, NULL, err);
    if (root == NULL)
        return err->code;
    enum err_code code = find_array(root, "values", ANALYST_MAX_VALUES, &array, err);
    if (code != ERR_OK)
        return code;
    results->primary_metric = text_of(root, "primary_metric");
    results->text = text_of(root, "text");
    results->chart = text_of(root, "chart");
    results->values =
        arena_array(arena, array == NULL ? 1 : array->count + 1, sizeof *results->values);
    if (results->values == NULL)
        return err_set(err, ERR_NO_MEMORY, "no memory for the analysis");
    for (const struct json_value *item = array == NULL ? NULL : array->first; item != NULL;
         item = item->next)
        read_value(arena, item, hits, hit_count, &results->values[results->value_count++]);
    return read_calculations(arena, root, results, err);
}

/* ---- checking ---- */

/* Whether the document says somewhere that its figures have this scale. */
static bool is_scale_of(double scale, struct str document, const struct search_hit *hits,
                        size_t hit_count)
{
    for (size_t i = 0; i < hit_count; i++) {
        struct analyst_number number;
        struct str rest = hits[i].text;
        if (!str_equal(hits[i].document, document))
            continue;
        if (figures_numbers_heading(rest) == scale)
            return true;
        while (figures_numbers_next(&rest, &number))
            if (number.scale == scale)
                return true;
    }
    return false;
}

/* As it stands there; or without the scale, when another passage of the document has that. */
static bool is_held(const struct analyst_value *value, const struct search_hit *chunk,
                    const struct search_hit *hits, size_t hit_count)
{
    struct analyst_number bare = value->number;
    if (figures_numbers_occurs(&value->number, chunk->text))
        return true;
    bare.value /= bare.scale;
    bare.step /= bare.scale;
    bare.scale = 1;
    return value->number.scale != 1 && figures_numbers_occurs(&bare, chunk->text) &&
           is_scale_of(value->number.scale, chunk->document, hits, hit_count);
}

static size_t check_values(struct arena *arena, struct figures_results *results,
                           const struct search_hit *hits, size_t hit_count,
                           struct json_write *errors)
{
    size_t count = 0;
    for (size_t i = 0; i < results->value_count; i++) {
        struct analyst_value *value = &results->values[i];
        bool has_chunk = value->chunk > 0 && (uint64_t)value->chunk <= hit_count;
        value->is_verified = value->is_figure && has_chunk &&
                             is_held(value, &hits[value->chunk - 1], hits, hit_count);
        if (value->is_verified)
            continue;
        count++;
        json_write_str(errors,
                       arena_printf(arena,
                                    has_chunk ? "value %zu: passage [%lld] does not hold %.*s %.*s"
                                              : "value %zu: there is no passage [%lld]: %.*s %.*s",
                                    i, (long long)value->chunk, STR_ARG(value->text),
                                    STR_ARG(value->unit)));
    }
    return count;
}

static bool is_as_claimed(const struct analyst_calculation *calculation)
{
    struct str claimed = calculation->claimed;
    struct analyst_number number;
    return str_is_empty(claimed) ||
           (figures_numbers_next(&claimed, &number) &&
            (number.is_negative == (calculation->result.exact < 0) || number.value == 0) &&
            (figures_numbers_agree(&number, calculation->result.exact) ||
             figures_numbers_agree(&number,
                                   calculation->result.exact / calculation->result.scale)));
}

static size_t check_calculations(struct arena *arena, struct figures_results *results,
                                 struct json_write *errors)
{
    size_t count = 0;
    for (size_t i = 0; i < results->calculation_count; i++) {
        struct analyst_calculation *calculation = &results->calculations[i];
        struct str problem = calculation->problem;
        calculation->is_verified = calculation->is_done;
        for (size_t k = 0; k < calculation->count; k++)
            calculation->is_verified =
                calculation->is_verified && results->values[calculation->of[k]].is_verified;
        if (calculation->is_done && !is_as_claimed(calculation))
            problem = arena_printf(arena, "%.*s was claimed, but %.*s",
                                   STR_ARG(calculation->claimed), STR_ARG(calculation->formula));
        if (problem.len == 0)
            continue;
        count++;
        json_write_str(errors, arena_printf(arena, "calculation %zu: %.*s", i, STR_ARG(problem)));
    }
    return count;
}

bool figures_results_holds(const struct figures_results *results,
                           const struct analyst_number *figure)
{
    for (size_t i = 0; i < results->value_count; i++) {
        const struct analyst_value *value = &results->values[i];
        double found = value->number.value;
        bool is_finer = figure->step * (figure->scale == 1 ? value->number.scale : 1) <
                        value->number.step * (1 - 1e-9);
        if (value->is_verified && !is_finer &&
            (figures_numbers_agree(figure, found) ||
             (figure->scale == 1 && figures_numbers_agree(figure, found / value->number.scale))))
            return true;
    }
    for (size_t i = 0; i < results->calculation_count; i++) {
        const struct analyst_calculation *calculation = &results->calculations[i];
        double exact = calculation->result.exact;
        if (calculation->is_verified &&
            (figures_numbers_agree(figure, exact) ||
             (figure->scale == 1 &&
              figures_numbers_agree(figure, exact / calculation->result.scale))))
            return true;
    }
    return false;
}

static size_t check_text(struct arena *arena, const struct figures_results *results,
                         struct str question, const struct search_hit *hits, size_t hit_count,
                         struct json_write *errors)
{
    struct str rest = results->text;
    struct analyst_number figure;
    size_t count = 0;
    while (figures_numbers_next(&rest, &figure)) {
        bool is_known =
            figures_results_holds(results, &figure) || figures_numbers_occurs(&figure, question);
        for (size_t i = 0; i < hit_count && !is_known; i++)
            is_known = figures_numbers_occurs(&figure, hits[i].text);
        if (is_known)
            continue;
        count++;
        json_write_str(errors,
                       arena_printf(arena, "text: no passage holds %.*s, and it was not calculated",
                                    STR_ARG(figure.text)));
    }
    return count;
}

size_t figures_results_check(struct arena *arena, struct figures_results *results,
                             struct str question, const struct search_hit *hits, size_t hit_count,
                             struct json_write *errors)
{
    size_t count = check_values(arena, results, hits, hit_count, errors);
    count += check_calculations(arena, results, errors);
    return count + check_text(arena, results, question, hits, hit_count, errors);
}

/* ---- writing ---- */

static void write_value(const struct analyst_value *value, struct json_write *json)
{
    json_write_object(json);
    json_write_member_str(json, STR("company"), value->company);
    json_write_member_str(json, STR("metric"), value->metric);
    json_write_member_str(json, STR("period"), value->period);
    json_write_member_str(json, STR("value"), value->text);
    json_write_member_str(json, STR("unit"), value->unit);
    json_write_member_i64(json, STR("chunk"), value->chunk);
    json_write_member_bool(json, STR("verified"), value->is_verified);
    json_write_object_end(json);
}

static void write_calculation(const struct analyst_calculation *calculation,
                              struct json_write *json)
{
    struct buf result;
    buf_init(&result, FORMULA_BYTES);
    json_write_object(json);
    json_write_member_str(json, STR("kind"), str_of(figures_calculate_name(calculation->kind)));
    json_write_key(json, STR("of"));
    json_write_array(json);
    for (size_t i = 0; i < calculation->count; i++)
        json_write_u64(json, calculation->of[i]);
    json_write_array_end(json);
    json_write_member_str(json, STR("claimed"), calculation->claimed);
    if (calculation->is_done) {
        figures_calculate_write(&calculation->result, false, &result);
        json_write_member_str(json, STR("result"), buf_str(&result));
        json_write_member_str(json, STR("formula"), calculation->formula);
    } else {
        json_write_member_str(json, STR("problem"), calculation->problem);
    }
    json_write_member_bool(json, STR("verified"), calculation->is_verified);
    json_write_object_end(json);
    buf_fini(&result);
}

void figures_results_write(const struct figures_results *results, struct json_write *json)
{
    json_write_object(json);
    json_write_member_str(json, STR("primary_metric"), results->primary_metric);
    json_write_key(json, STR("values"));
    json_write_array(json);
    for (size_t i = 0; i < results->value_count; i++)
        write_value(&results->values[i], json);
    json_write_array_end(json);
    json_write_key(json, STR("calculations"));
    json_write_array(json);
    for (size_t i = 0; i < results->calculation_count; i++)
        write_calculation(&results->calculations[i], json);
    json_write_array_end(json);
    json_write_member_str(json, STR("text"), results->text);
    json_write_member_str(json, STR("chart"), results->chart);
    json_write_object_end(json);
}
