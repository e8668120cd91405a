/* SPDX-License-Identifier: MIT */
/* server/auth/auth_jwt.c - three parts in base64url; two of them JSON objects.
 *
 * Failure: anything else is refused with one sentence that does not quote it. Members of the header
 * that nobody here reads are passed over, as RFC 7515 has it, but for "crit", which forbids that.
 */
#include "server/auth/auth_jwt.h"

#include "core/base/base64.h"

enum { PARTS = 3 };

static bool is_base64url(struct str text)
{
    for (size_t i = 0; i < text.len; i++)
        if (!str_is_alpha(text.at[i]) && !str_is_digit(text.at[i]) && text.at[i] != '-' &&
            text.at[i] != '_')
            return false;
    return text.len > 0;
}

static bool split(struct str token, struct str parts[PARTS])
{
    for (size_t i = 0; i < PARTS; i++) {
        if (str_is_absent(token))
            return false;
        parts[i] = str_split(&token, '.');
    }
    return str_is_absent(token);
}

bool auth_jwt_is_like(struct str token)
{
    struct str parts[PARTS];
    return split(token, parts);
}

/* The bytes of part; absent: not base64url, or no memory. */
static struct str decode(struct arena *arena, struct str part)
{
    size_t len = 0;
    char *bytes = is_base64url(part) ? arena_raw(arena, base64_decoded_bytes(part)) : NULL;
    if (bytes == NULL || !base64_decode(part, bytes, &len))
        return (struct str){NULL, 0};
    return str_make(bytes, len);
}

static const struct json_value *read_object(struct arena *arena, struct str part)
{
    static const struct json_limits limits = {.refuse_nul = true};
    struct err ignored;
    struct str text = decode(arena, part);
    const struct json_value *object =
        str_is_absent(text) ? NULL : json_value_parse(arena, text, &limits, &ignored);
    return object != NULL && object->type == JSON_OBJECT ? object : NULL;
}

/* "JWT" or an access token's type (RFC 9068), or nothing. */
static bool is_type(const struct json_value *type)
{
    static const char *const types[] = {"jwt", "at+jwt", "application/jwt", "application/at+jwt"};
    for (size_t i = 0; type != NULL && type->type == JSON_STRING && i < countof(types); i++)
        if (str_equal_nocase(type->text, str_of(types[i])))
            return true;
    return type == NULL;
}

static enum err_code read_header(const struct json_value *header, struct auth_jwt *jwt,
                                 struct err *err)
{
    const struct json_value *algorithm = json_value_member(header, STR("alg"));
    const struct json_value *id = json_value_member(header, STR("kid"));
    if (algorithm == NULL || algorithm->type != JSON_STRING ||
        !auth_jwk_algorithm(algorithm->text, &jwt->algorithm))
        return err_set(err, ERR_REJECTED, "the token's alg: expected RS256, ES256 or EdDSA");
    if (json_value_member(header, STR("crit")) != NULL)
        return err_set(err, ERR_REJECTED, "the token's crit: no extension is known here");
    if (!is_type(json_value_member(header, STR("typ"))))
        return err_set(err, ERR_REJECTED, "the token's typ: expected JWT or at+jwt");
    if (id != NULL && id->type != JSON_STRING)
        return err_set(err, ERR_REJECTED, "the token's kid: expected a string");
    jwt->key_id = id == NULL ? (struct str){NULL, 0} : id->text;
    return ERR_OK;
}

enum err_code auth_jwt_read(struct arena *arena, struct str token, struct auth_jwt *jwt,
                            struct err *err)
{
    struct str parts[PARTS];
    *jwt = (struct auth_jwt){0};
    if (!split(token, parts))
        return err_set(err, ERR_REJECTED, "the token has not three parts");
    const struct json_value *header = read_object(arena, parts[0]);
    jwt->claims = read_object(arena, parts[1]);
    jwt->signature = decode(arena, parts[2]);
    jwt->text = str_make(token.at, parts[0].len + 1 + parts[1].len);
    if (!arena_ok(arena))
        return err_set(err, ERR_NO_MEMORY, "no memory for the token");
    if (header == NULL || jwt->claims == NULL || str_is_absent(jwt->signature))
        return err_set(err, ERR_REJECTED, "the token's parts are not JSON objects and a signature");
    if (read_header(header, jwt, err) != ERR_OK)
        return err->code;
    const struct json_value *issuer = json_value_find(jwt->claims, "/iss");
    if (issuer == NULL || issuer->type != JSON_STRING || issuer->text.len == 0)
        return err_set(err, ERR_REJECTED, "the token's iss: expected a string");
    jwt->issuer = issuer->text;
    return ERR_OK;
}

/* Seconds since 1970 at pointer. False: there is no such number. */
static bool read_time(const struct auth_jwt *jwt, const char *pointer, double *seconds)
{
    return json_value_double(jwt->claims, pointer, seconds, NULL) == ERR_OK && *seconds >= 0;
}

enum err_code auth_jwt_check_times(const struct auth_jwt *jwt, uint64_t now_s, uint64_t leeway_s,
                                   struct err *err)
{
    double ends_s = 0, begins_s = 0;
    if (!read_time(jwt, "/exp", &ends_s))
        return err_set(err, ERR_REJECTED, "the token's exp: expected a time in seconds");
    if (ends_s + (double)leeway_s <= (double)now_s)
        return err_set(err, ERR_REJECTED, "the token has expired");
    if (json_value_find(jwt->claims, "/nbf") == NULL)
        return ERR_OK;
    if (!read_time(jwt, "/nbf", &begins_s))
        return err_set(err, ERR_REJECTED, "the token's nbf: expected a time in seconds");
    if (begins_s > (double)now_s + (double)leeway_s)
        return err_set(err, ERR_REJECTED, "the token is not valid yet");
    return ERR_OK;
}

static bool is_among(const struct json_value *text, const struct str *audiences, size_t count)
{
    for (size_t i = 0; text->type == JSON_STRING && i < count; i++)
        if (str_equal(text->text, audiences[i]))
            return true;
    return false;
}

bool auth_jwt_is_for(const struct auth_jwt *jwt, const struct str *audiences, size_t count)
{
    const struct json_value *named = json_value_member(jwt->claims, STR("aud"));
    if (named == NULL || named->type != JSON_ARRAY)
        return named != NULL && is_among(named, audiences, count);
    JSON_EACH(item, named)
        if (is_among(item, audiences, count))
            return true;
    return false;
}

struct str auth_jwt_claim(const struct auth_jwt *jwt, const char *pointer)
{
    const struct json_value *value = json_value_find(jwt->claims, pointer);
    if (value != NULL && value->type == JSON_ARRAY && value->count == 1)
        value = value->first;
    return value != NULL && value->type == JSON_STRING ? value->text : (struct str){NULL, 0};
}
