/* SPDX-License-Identifier: MIT */
/* server/auth/auth_book.c - one JSON file -> tables, strictly.
 *
 * Happy path: every member is one that is known, has its type and its range; files of keys that it
 * names are read.
 * Failure paths: anything else is refused by its JSON pointer, also a member that nobody knows,
 * since a misspelt limit is no limit; a file that cannot be read. Nothing of a refused file is
 * used.
 */
#include "server/auth/auth_book.h"

#include <openssl/crypto.h>
#include <openssl/evp.h>
#include <stdatomic.h>
#include <stdio.h>
#include <time.h>

#include "core/base/file.h"
#include "core/base/mem.h"
#include "proto/json_value.h"

enum {
    FILE_BYTES = 4 * 1024 * 1024,
    ARENA_BYTES = 64 * 1024 * 1024,
    POINTER_BYTES = 120,
    MOST_LEEWAY_S = 300,
    LEEWAY_S = 30,
    MOST_TEXT = 512 /* bytes of a name, an audience, a company */
};

struct reading {
    struct auth_book *book;
    struct err *err;
};

/* A place in the file: a value and its pointer. */
struct place {
    const struct json_value *value;
    char pointer[POINTER_BYTES];
};

static bool refuse(const struct reading *r, const struct place *place, const char *expected)
{
    err_set(r->err, ERR_INVALID, "%s: expected %s, got %s", place->pointer, expected,
            json_value_type_name(place->value));
    return false;
}

static struct place member_of(const struct place *parent, const char *name)
{
    struct place place = {.value = json_value_member(parent->value, str_of(name))};
    snprintf(place.pointer, sizeof place.pointer, "%.60s/%s", parent->pointer, name);
    return place;
}

static struct place item_of(const struct place *parent, const struct json_value *item, size_t i)
{
    struct place place = {.value = item};
    snprintf(place.pointer, sizeof place.pointer, "%.90s/%zu", parent->pointer, i);
    return place;
}

/* Whether each member of place is one of names. */
static bool check_members(const struct reading *r, const struct place *place,
                          const char *const *names, size_t count)
{
    if (place->value == NULL || place->value->type != JSON_OBJECT)
        return refuse(r, place, "an object");
    JSON_EACH(member, place->value) {
        bool is_known = false;
        for (size_t i = 0; i < count; i++)
            is_known = is_known || str_equal(member->key, str_of(names[i]));
        if (!is_known) {
            err_set(r->err, ERR_INVALID, "%s/%.*s: there is no such member", place->pointer,
                    STR_ARG(str_utf8_prefix(member->key, 60)));
            return false;
        }
    }
    return true;
}

/* ---- values ---- */

static bool is_given(const struct place *place)
{
    return place->value != NULL && place->value->type != JSON_NULL;
}

/* A copy of a text of 1 to MOST_TEXT bytes; one that is not given: absent, or refused. */
static bool read_text(const struct reading *r, const struct place *place, bool is_needed,
                      struct str *text)
{
    *text = (struct str){NULL, 0};
    if (!is_given(place) && !is_needed)
        return true;
    if (!is_given(place) || place->value->type != JSON_STRING || place->value->text.len == 0 ||
        place->value->text.len > MOST_TEXT)
        return refuse(r, place, "a text of 1 to 512 bytes");
    *text = arena_str(&r->book->arena, place->value->text);
    return true;
}

static bool read_cstr(const struct reading *r, const struct place *place, const char **text)
{
    struct str found;
    if (!read_text(r, place, false, &found))
        return false;
    *text = str_is_absent(found) ? NULL : arena_cstr(&r->book->arena, found);
    return str_is_absent(found) || *text != NULL || refuse(r, place, "a text without NUL");
}

/* An array of texts, or one text alone; not given: none. */
static bool read_texts(const struct reading *r, const struct place *place, const struct str **texts,
                       size_t *count)
{
    *texts = NULL;
    *count = 0;
    if (!is_given(place))
        return true;
    bool is_array = place->value->type == JSON_ARRAY;
    size_t room = is_array ? place->value->count : 1, i = 0;
    struct str *found = arena_array(&r->book->arena, room + 1, sizeof *found);
    if (found == NULL)
        return refuse(r, place, "fewer texts");
    if (!is_array && !read_text(r, place, true, &found[0]))
        return false;
    if (is_array)
        JSON_EACH(item, place->value) {
            struct place at = item_of(place, item, i);
            if (!read_text(r, &at, true, &found[i++]))
                return false;
        }
    if (room == 0)
        return refuse(r, place, "at least one text");
    *texts = found;
    *count = room;
    return true;
}

static bool read_scopes(const struct reading *r, const struct place *place, unsigned *scopes)
{
    const struct str *texts;
    size_t count;
    if (!read_texts(r, place, &texts, &count))
        return false;
    *scopes = count == 0 ? AUTH_ASK : 0;
    for (size_t i = 0; i < count; i++) {
        unsigned found = 0;
        for (unsigned scope = AUTH_ASK; scope <= AUTH_METRICS; scope <<= 1)
            if (str_equal(texts[i], str_of(auth_grant_scope_name((enum auth_scope)scope))))
                found = scope;
        if (found == 0)
            return refuse(r, place, "ask, admin or metrics");
        *scopes |= found;
    }
    return true;
}

static int hex_of(char c)
{
    c = str_lower(c);
    return str_is_digit(c) ? c - '0' : c >= 'a' && c <= 'f' ? c - 'a' + 10 : -1;
}

static bool read_digest(struct str text, unsigned char *digest)
{
    bool is_hex = text.len == (size_t)AUTH_BOOK_DIGEST_BYTES * 2;
    for (size_t i = 0; is_hex && i < AUTH_BOOK_DIGEST_BYTES; i++) {
        int high = hex_of(text.at[2 * i]), low = hex_of(text.at[2 * i + 1]);
        is_hex = high >= 0 && low >= 0;
        digest[i] = (unsigned char)(high * 16 + low);
    }
    return is_hex;
}

/* "2027-01-31T00:00:00Z" as seconds since 1970; written back it must be the same. */
static bool read_time(const struct reading *r, const struct place *place, uint64_t *seconds)
{
    struct tm date = {0};
    char again[32];
    const char *text = NULL;
    *seconds = 0;
    if (!read_cstr(r, place, &text))
        return false;
    if (text == NULL)
        return true;
    const char *end = strptime(text, "%Y-%m-%dT%H:%M:%SZ", &date);
    time_t at = end == NULL ? -1 : timegm(&date);
    if (at <= 0 || *end != '\0' || gmtime_r(&at, &date) == NULL ||
        strftime(again, sizeof again, "%Y-%m-%dT%H:%M:%SZ", &date) == 0 || strcmp(again, text) != 0)
        return refuse(r, place, "a time like 2027-01-31T00:00:00Z");
    *seconds = (uint64_t)at;
    return true;
}

/* ---- keys ---- */

static bool digest_of(struct str token, unsigned char *digest)
{
    unsigned len = 0;
    return EVP_Digest(token.at, token.len, digest, &len, EVP_sha256(), NULL) == 1 &&
           len == AUTH_BOOK_DIGEST_BYTES;
}

static bool read_digests(const struct reading *r, const struct place *place, struct auth_key *key)
{
    const struct str *texts;
    size_t count;
    if (!read_texts(r, place, &texts, &count))
        return false;
    bool is_fine = count > 0 && count <= AUTH_BOOK_DIGESTS;
    for (size_t i = 0; is_fine && i < count; i++)
        is_fine = read_digest(texts[i], key->digests[i]);
    key->digest_count = count;
    return is_fine || refuse(r, place, "one SHA-256, or two, each as 64 hexadecimal digits");
}

static bool read_key(const struct reading *r, const struct place *place, struct auth_key *key)
{
    static const char *const names[] = {"name", "sha256", "scopes", "companies", "expires"};
    const struct place name = member_of(place, "name"), digests = member_of(place, "sha256"),
                       scopes = member_of(place, "scopes"),
                       companies = member_of(place, "companies"),
                       expires = member_of(place, "expires");
    return check_members(r, place, names, countof(names)) &&
           read_text(r, &name, true, &key->name) && read_digests(r, &digests, key) &&
           read_scopes(r, &scopes, &key->scopes) &&
           read_texts(r, &companies, &key->companies, &key->company_count) &&
           read_time(r, &expires, &key->expires_s);
}

/* Room for those of ASKD_API_KEYS and as many more. */
static struct auth_key *make_keys(struct auth_book *book, const char *api_keys, size_t more)
{
    size_t room = more + 1;
    for (const char *at = api_keys; *at != '\0'; at++)
        room += *at == ',';
    struct auth_key *keys = arena_array(&book->arena, room, sizeof *keys);
    struct str rest = str_of(api_keys);
    while (keys != NULL && !str_is_absent(rest)) {
        struct str token = str_trim(str_split(&rest, ','));
        struct auth_key *key = &keys[book->key_count];
        *key =
            (struct auth_key){.name = STR("ASKD_API_KEYS"), .digest_count = 1, .scopes = AUTH_ALL};
        if (token.len > 0 && digest_of(token, key->digests[0]))
            book->key_count++;
    }
    book->keys = keys;
    return keys;
}

/* Whether a digest of key is also one of the keys before it: which of the two was meant? */
static bool is_double(const struct auth_book *book, const struct auth_key *key)
{
    for (const struct auth_key *other = book->keys; other < key; other++)
        for (size_t i = 0; i < key->digest_count; i++)
            for (size_t j = 0; j < other->digest_count; j++)
                if (memcmp(key->digests[i], other->digests[j], AUTH_BOOK_DIGEST_BYTES) == 0)
                    return true;
    return false;
}

static bool read_keys(const struct reading *r, const struct place *place, const char *api_keys)
{
    bool is_array = is_given(place) && place->value->type == JSON_ARRAY;
    struct auth_key *keys = make_keys(r->book, api_keys, is_array ? place->value->count : 0);
    size_t i = 0;
    if (keys == NULL)
        return refuse(r, place, "fewer keys");
    if (!is_array)
        return !is_given(place) || refuse(r, place, "an array of keys");
    JSON_EACH(item, place->value) {
        const struct place at = item_of(place, item, i++);
        struct auth_key *key = &keys[r->book->key_count];
        if (!read_key(r, &at, key))
            return false;
        if (is_double(r->book, key)) {
            err_set(r->err, ERR_INVALID, "%s/sha256: a key before it has the same", at.pointer);
            return false;
        }
        r->book->key_count++;
    }
    return true;
}

/* ---- issuers ---- */

/* A claim's name, or its JSON pointer, as a pointer. Not given: otherwise. */
static bool read_claim(const struct reading *r, const struct place *place, const char *otherwise,
                       const char **pointer)
{
    struct str name;
    char text[2 * MOST_TEXT + 2] = "/";
    size_t len = 1;
    if (!read_text(r, place, false, &name))
        return false;
    *pointer = otherwise;
    if (str_is_absent(name))
        return true;
    if (name.at[0] == '/')
        return read_cstr(r, place, pointer);
    for (size_t i = 0; i < name.len; i++) { /* a name such as "https://example.com/company" */
        bool is_mark = name.at[i] == '~' || name.at[i] == '/';
        if (is_mark)
            text[len++] = '~';
        text[len++] = !is_mark ? name.at[i] : name.at[i] == '~' ? '0' : '1';
    }
    *pointer = arena_cstr(&r->book->arena, str_make(text, len));
    return *pointer != NULL || refuse(r, place, "a text without NUL");
}

static bool read_claims(const struct reading *r, const struct place *place,
                        struct auth_issuer *issuer)
{
    static const char *const names[] = {"company", "user", "role"};
    const struct place company = member_of(place, "company"), user = member_of(place, "user"),
                       role = member_of(place, "role");
    issuer->user_claim = "/sub";
    return !is_given(place) || (check_members(r, place, names, countof(names)) &&
                                read_claim(r, &company, NULL, &issuer->company_claim) &&
                                read_claim(r, &user, "/sub", &issuer->user_claim) &&
                                read_claim(r, &role, NULL, &issuer->role_claim));
}

static bool read_algorithms(const struct reading *r, const struct place *place,
                            struct auth_issuer *issuer)
{
    const struct str *texts;
    size_t count;
    enum auth_algorithm algorithm;
    if (!read_texts(r, place, &texts, &count))
        return false;
    for (size_t i = 0; i < AUTH_ALGORITHM_COUNT; i++)
        issuer->algorithms[i] = count == 0;
    for (size_t i = 0; i < count; i++) {
        if (!auth_jwk_algorithm(texts[i], &algorithm))
            return refuse(r, place, "RS256, ES256 or EdDSA");
        issuer->algorithms[algorithm] = true;
    }
    return true;
}

/* Keys that come by plain HTTP from afar could be anybody's. */
static bool is_safe_url(const char *url)
{
    static const char *const here[] = {"http://127.0.0.1", "http://localhost", "http://[::1]"};
    struct str text = str_of(url);
    for (size_t i = 0; i < countof(here); i++) {
        struct str prefix = str_of(here[i]);
        if (str_starts_with(text, prefix) && text.len > prefix.len &&
            (text.at[prefix.len] == ':' || text.at[prefix.len] == '/') &&
            str_find_char(text, '@') == STR_NONE)
            return true;
    }
    return str_find_char(text, '@') == STR_NONE && str_starts_with(text, STR("https://")) &&
           text.len > strlen("https://");
}

static bool read_leeway(const struct reading *r, const struct place *place, uint64_t *seconds)
{
    *seconds = LEEWAY_S;
    if (!is_given(place))
        return true;
    if (place->value->type != JSON_INT || place->value->integer < 0 ||
        place->value->integer > MOST_LEEWAY_S)
        return refuse(r, place, "a number of seconds from 0 to 300");
    *seconds = (uint64_t)place->value->integer;
    return true;
}

static bool read_source(const struct reading *r, const struct place *place,
                        struct auth_issuer *issuer)
{
    const struct place url = member_of(place, "jwks_url"), file = member_of(place, "jwks_file");
    if (!read_cstr(r, &url, &issuer->jwks_url) || !read_cstr(r, &file, &issuer->jwks_file))
        return false;
    if ((issuer->jwks_url == NULL) == (issuer->jwks_file == NULL))
        return refuse(r, place, "either jwks_url or jwks_file");
    return issuer->jwks_url == NULL || is_safe_url(issuer->jwks_url) ||
           refuse(r, &url, "an address that begins with https://");
}

static bool read_issuer(const struct reading *r, const struct place *place,
                        struct auth_issuer *issuer)
{
    static const char *const names[] = {"issuer",    "audience",   "jwks_url",
                                        "jwks_file", "claims",     "company",
                                        "scopes",    "algorithms", "leeway_seconds"};
    const struct place name = member_of(place, "issuer"), audience = member_of(place, "audience"),
                       claims = member_of(place, "claims"), company = member_of(place, "company"),
                       scopes = member_of(place, "scopes"),
                       algorithms = member_of(place, "algorithms"),
                       leeway = member_of(place, "leeway_seconds");
    if (!check_members(r, place, names, countof(names)) ||
        !read_text(r, &name, true, &issuer->name) ||
        !read_texts(r, &audience, &issuer->audiences, &issuer->audience_count) ||
        !read_source(r, place, issuer) || !read_claims(r, &claims, issuer) ||
        !read_text(r, &company, false, &issuer->company) ||
        !read_scopes(r, &scopes, &issuer->scopes) || !read_algorithms(r, &algorithms, issuer) ||
        !read_leeway(r, &leeway, &issuer->leeway_s))
        return false;
    if (issuer->audience_count == 0)
        return refuse(r, &audience, "the audience that tokens for this server have");
    if (str_is_absent(issuer->company) == (issuer->company_claim == NULL))
        return refuse(r, &company,
                      "either a company for all tokens, or its claim in claims/company");
    return true;
}

static bool read_issuers(const struct reading *r, const struct place *place)
{
    size_t i = 0;
    if (!is_given(place))
        return true;
    if (place->value->type != JSON_ARRAY)
        return refuse(r, place, "an array of issuers");
    r->book->issuers =
        arena_array(&r->book->arena, place->value->count + 1, sizeof *r->book->issuers);
    if (r->book->issuers == NULL)
        return refuse(r, place, "fewer issuers");
    JSON_EACH(item, place->value) {
        const struct place at = item_of(place, item, i);
        struct auth_issuer *issuer = &r->book->issuers[i++];
        if (!read_issuer(r, &at, issuer))
            return false;
        if (auth_book_find_issuer(r->book, issuer->name) != NULL) {
            err_set(r->err, ERR_INVALID, "%s/issuer: an issuer before it has the same name",
                    at.pointer);
            return false;
        }
        r->book->issuer_count++;
    }
    return true;
}

/* ---- the book ---- */

static bool read_resource(const struct reading *r, const struct place *place)
{
    struct str text;
    if (!read_text(r, place, false, &text))
        return false;
    bool is_url = str_starts_with(text, STR("https://")) || str_starts_with(text, STR("http://"));
    while (text.len > 0 && text.at[text.len - 1] == '/')
        text.len--;
    struct str host = str_from(text, str_starts_with(text, STR("https://")) ? 8 : 7);
    is_url = is_url && host.len > 0 && str_find_char(host, '/') == STR_NONE;
    for (size_t i = 0; i < text.len; i++) /* it is written into headers */
        is_url = is_url && text.at[i] > ' ' && text.at[i] < 0x7f && text.at[i] != '"' &&
                 text.at[i] != '\\';
    if (!str_is_absent(text) && !is_url)
        return refuse(r, place,
                      "this server's address without a path, such as https://askd.example.com");
    r->book->resource = text;
    return true;
}

static bool read_file(const struct reading *r, const char *api_keys, const struct json_value *root)
{
    static const char *const names[] = {"keys", "issuers", "resource"};
    const struct place file = {.value = root};
    const struct place keys = member_of(&file, "keys"), issuers = member_of(&file, "issuers"),
                       resource = member_of(&file, "resource");
    if (!check_members(r, &file, names, countof(names)) || !read_keys(r, &keys, api_keys) ||
        !read_issuers(r, &issuers) || !read_resource(r, &resource))
        return false;
    if (auth_book_has_doors(r->book))
        return true;
    err_set(r->err, ERR_INVALID, "/keys: expected at least one key or one issuer");
    return false;
}

struct auth_book *auth_book_make(const char *api_keys, struct str text, struct err *err)
{
    struct arena scratch;
    struct auth_book *book = mem_zalloc(1, sizeof *book);
    if (book == NULL) {
        err_set(err, ERR_NO_MEMORY, "no memory for keys");
        return NULL;
    }
    const struct reading r = {book, err};
    atomic_init(&book->refs, 1);
    arena_init(&book->arena, ARENA_BYTES);
    arena_init(&scratch, ARENA_BYTES);
    bool is_fine;
    if (str_is_absent(text)) {
        is_fine = make_keys(book, api_keys, 0) != NULL;
    } else {
        const struct json_value *root = json_value_parse(&scratch, text, NULL, err);
        book->is_of_file = true;
        is_fine = root != NULL && read_file(&r, api_keys, root);
    }
    arena_fini(&scratch);
    if (is_fine && arena_ok(&book->arena))
        return book;
    if (!arena_ok(&book->arena) || err->code == ERR_OK)
        err_set(err, ERR_NO_MEMORY, "no memory for keys");
    auth_book_unref(book);
    return NULL;
}

/* The keys of issuer from its file, if it has one. */
static bool read_jwks(struct auth_issuer *issuer, struct err *err)
{
    struct buf text;
    if (issuer->jwks_file == NULL)
        return true;
    buf_init(&text, FILE_BYTES);
    if (file_read(issuer->jwks_file, &text, err) == ERR_OK) {
        issuer->keys = auth_jwk_set_create(buf_str(&text), err);
        if (issuer->keys == NULL)
            err_prefix(err, issuer->jwks_file);
    }
    buf_fini(&text);
    return issuer->keys != NULL;
}

struct auth_book *auth_book_load(const char *api_keys, const char *path, struct err *err)
{
    struct buf text;
    struct auth_book *book = NULL;
    if (path[0] == '\0')
        return auth_book_make(api_keys, (struct str){NULL, 0}, err);
    buf_init(&text, FILE_BYTES);
    if (file_read(path, &text, err) == ERR_OK) {
        book = auth_book_make(api_keys, buf_len(&text) == 0 ? STR("") : buf_str(&text), err);
        if (book == NULL)
            err_prefix(err, path);
    }
    buf_fini(&text);
    for (size_t i = 0; book != NULL && i < book->issuer_count; i++)
        if (!read_jwks(&book->issuers[i], err)) {
            auth_book_unref(book);
            book = NULL;
        }
    return book;
}

struct auth_book *auth_book_ref(struct auth_book *book)
{
    atomic_fetch_add(&book->refs, 1);
    return book;
}

void auth_book_unref(struct auth_book *book)
{
    if (book == NULL || atomic_fetch_sub(&book->refs, 1) > 1)
        return;
    for (size_t i = 0; i < book->issuer_count; i++)
        auth_jwk_set_destroy(book->issuers[i].keys);
    arena_fini(&book->arena);
    mem_free(book);
}

bool auth_book_has_doors(const struct auth_book *book)
{
    return book->key_count > 0 || book->issuer_count > 0;
}

const struct auth_key *auth_book_find_key(const struct auth_book *book, struct str token)
{
    const struct auth_key *found = NULL;
    unsigned char digest[AUTH_BOOK_DIGEST_BYTES];
    if (!digest_of(token, digest))
        return NULL;
    for (size_t i = 0; i < book->key_count; i++)
        for (size_t j = 0; j < book->keys[i].digest_count; j++)
            if (CRYPTO_memcmp(digest, book->keys[i].digests[j], sizeof digest) == 0)
                found = &book->keys[i];
    return found;
}

const struct auth_issuer *auth_book_find_issuer(const struct auth_book *book, struct str name)
{
    for (size_t i = 0; i < book->issuer_count; i++)
        if (str_equal(book->issuers[i].name, name))
            return &book->issuers[i];
    return NULL;
}
