/* SPDX-License-Identifier: MIT */
/* The file of keys and issuers: what is taken, and what is refused by its pointer. */
#include "server/auth/auth_book.h"
#include "tests/lib/test.h"

/* SHA-256 of "one" and of "two". */
#define ONE       "7692c3ad3540bb803c020b3aee66cd8887123234ea0c6e7143c0add73ff431ed"
#define TWO       "3fc4ccfe745870e2c0d99f71f30ff0656c8dedd41cc1d7d3d376b0dbe685e2f3"
#define KEY(more) "{\"keys\":[{\"name\":\"bff\",\"sha256\":\"" ONE "\"" more "}]}"
#define ISSUER(more)                                                                               \
    "{\"issuers\":[{\"issuer\":\"https://i\",\"audience\":\"a\",\"company\":\"acme\"" more "}]}"
#define URL ",\"jwks_url\":\"https://i/keys\""

static const struct {
    const char *name, *text, *want; /* what err begins with; NULL: it is fine */
} files[] = {
    {"a key", KEY(""), NULL},
    {"two at once", "{\"keys\":[{\"name\":\"b\",\"sha256\":[\"" ONE "\",\"" TWO "\"]}]}", NULL},
    {"all of a key",
     KEY(",\"scopes\":[\"ask\",\"admin\",\"metrics\"],\"companies\":[\"a\"],"
         "\"expires\":\"2027-01-31T00:00:00Z\""),
     NULL},
    {"an issuer", ISSUER(URL), NULL},
    {"an issuer here", ISSUER(",\"jwks_url\":\"http://127.0.0.1:9/k\""), NULL},
    {"nothing", "", "expected"},
    {"an array", "[]", ": expected an object"},
    {"nobody", "{}", "/keys: expected at least one"},
    {"nobody, written", "{\"keys\":[]}", "/keys: expected at least one"},
    {"a misspelt member", "{\"key\":[]}", "/key: there is no such member"},
    {"a misspelt limit", KEY(",\"company\":\"a\""), "/keys/0/company: there is no such"},
    {"keys that are none", "{\"keys\":{}}", "/keys: expected an array"},
    {"a key without a name", "{\"keys\":[{\"sha256\":\"" ONE "\"}]}", "/keys/0/name: expected"},
    {"without a digest", "{\"keys\":[{\"name\":\"a\"}]}", "/keys/0/sha256: expected"},
    {"the key itself", "{\"keys\":[{\"name\":\"a\",\"sha256\":\"secret\"}]}",
     "/keys/0/sha256: expected"},
    {"no hexadecimal",
     "{\"keys\":[{\"name\":\"a\",\"sha256\":\"z692c3ad3540bb803c020b3aee66cd8887123"
     "234ea0c6e7143c0add73ff431ed\"}]}",
     "/keys/0/sha256: expected"},
    {"three at once",
     "{\"keys\":[{\"name\":\"b\",\"sha256\":[\"" ONE "\",\"" TWO "\",\"" ONE "\"]}]}",
     "/keys/0/sha256: expected"},
    {"twice the same",
     "{\"keys\":[{\"name\":\"a\",\"sha256\":\"" ONE "\"},{\"name\":\"b\",\"sha256\":\"" ONE "\"}]}",
     "/keys/1/sha256: a key before"},
    {"no such scope", KEY(",\"scopes\":[\"root\"]"), "/keys/0/scopes: expected ask"},
    {"no scopes", KEY(",\"scopes\":[]"), "/keys/0/scopes: expected"},
    {"no companies is not all", KEY(",\"companies\":[]"), "/keys/0/companies: expected at least"},
    {"an empty company", KEY(",\"companies\":[\"\"]"), "/keys/0/companies/0: expected"},
    {"no time", KEY(",\"expires\":\"tomorrow\""), "/keys/0/expires: expected a time"},
    {"no such day", KEY(",\"expires\":\"2027-02-30T00:00:00Z\""), "/keys/0/expires: expected"},
    {"a number", KEY(",\"expires\":1"), "/keys/0/expires: expected"},
    {"keys from nowhere", ISSUER(""), "/issuers/0: expected either"},
    {"keys from two places", ISSUER(URL ",\"jwks_file\":\"f\""), "/issuers/0: expected either"},
    {"keys by plain HTTP", ISSUER(",\"jwks_url\":\"http://i/keys\""),
     "/issuers/0/jwks_url: expected"},
    {"a name like this machine's", ISSUER(",\"jwks_url\":\"http://127.0.0.1.example.com/k\""),
     "/issuers/0/jwks_url: expected"},
    {"a password like this machine's", ISSUER(",\"jwks_url\":\"http://127.0.0.1:1@i/k\""),
     "/issuers/0/jwks_url: expected"},
    {"none", ISSUER(URL ",\"algorithms\":[\"none\"]"), "/issuers/0/algorithms: expected RS256"},
    {"a secret's", ISSUER(URL ",\"algorithms\":\"HS256\""), "/issuers/0/algorithms: expected"},
    {"too much leeway", ISSUER(URL ",\"leeway_seconds\":301"), "/issuers/0/leeway_seconds"},
    {"two companies", ISSUER(URL ",\"claims\":{\"company\":\"c\"}"),
     "/issuers/0/company: expected"},
    {"no company", "{\"issuers\":[{\"issuer\":\"i\",\"audience\":\"a\"" URL "}]}",
     "/issuers/0/company: expected"},
    {"no audience", "{\"issuers\":[{\"issuer\":\"i\",\"company\":\"a\"" URL "}]}",
     "/issuers/0/audience: expected"},
    {"a password in an address", ISSUER(",\"jwks_url\":\"https://u:p@i/keys\""),
     "/issuers/0/jwks_url: expected"},
    {"a resource with a path", "{\"resource\":\"https://a/b\"}", "/resource: expected"},
    {"a resource without a host", "{\"resource\":\"https://\"}", "/resource: expected"},
    {"a header in the resource", "{\"resource\":\"https://a\\r\\nX: y\"}", "/resource: expected"},
};

TEST(what_a_file_may_say)
{
    TEST_EACH(c, files) {
        struct err err = {0};
        struct auth_book *book = auth_book_make("", str_of(c->text), &err);
        if (c->want == NULL && book == NULL)
            fail_msg("%s: %s", c->name, err.text);
        if (c->want != NULL && !str_starts_with(str_of(err.text), str_of(c->want)) &&
            strcmp(c->want, "expected") != 0)
            fail_msg("%s: got '%s'", c->name, err.text);
        EXPECT_INT(c->name, book != NULL, c->want == NULL);
        EXPECT_TRUE(c->name, str_find(str_of(err.text), STR("secret")) == STR_NONE);
        auth_book_unref(book);
    }
}

TEST(keys_are_found_by_what_they_are)
{
    struct err err = {0};
    struct auth_book *book = auth_book_make("three, four",
                                            str_of("{\"keys\":[{\"name\":\"bff\",\"sha256\":[\"" ONE
                                                   "\",\"" TWO "\"],\"companies\":\"acme\"}]}"),
                                            &err);
    assert_non_null(book);
    static const struct {
        const char *token, *want;
    } cases[] = {{"one", "bff"},
                 {"two", "bff"},
                 {"three", "ASKD_API_KEYS"},
                 {"four", "ASKD_API_KEYS"},
                 {"five", NULL},
                 {"", NULL},
                 {ONE, NULL}};
    TEST_EACH(c, cases) {
        const struct auth_key *key = auth_book_find_key(book, str_of(c->token));
        struct str name = key == NULL ? str_of(NULL) : key->name;
        EXPECT_STR(c->token, name, str_of(c->want));
    }
    EXPECT_INT("all scopes", auth_book_find_key(book, STR("four"))->scopes, AUTH_ALL);
    EXPECT_INT("one scope", auth_book_find_key(book, STR("two"))->scopes, AUTH_ASK);
    auth_book_unref(book);
}

TEST(claims_and_their_pointers)
{
    struct err err = {0};
    struct auth_book *book = auth_book_make(
        "",
        STR("{\"issuers\":[{\"issuer\":\"i\",\"audience\":[\"a\",\"b\"],\"jwks_url\":\"https://i\","
            "\"claims\":{\"company\":\"https://x/~org\",\"user\":\"/user/"
            "id\",\"role\":\"role\"}}]}"),
        &err);
    assert_non_null(book);
    EXPECT_STR("a name", str_of(book->issuers[0].company_claim), STR("/https:~1~1x~1~0org"));
    EXPECT_STR("a pointer", str_of(book->issuers[0].user_claim), STR("/user/id"));
    EXPECT_STR("a role", str_of(book->issuers[0].role_claim), STR("/role"));
    EXPECT_INT("audiences", book->issuers[0].audience_count, 2);
    auth_book_unref(book);
}

TEST(copes_without_memory)
{
    struct auth_book *book = NULL;
    for (uint64_t n = 1; n < 100 && book == NULL; n++) {
        struct err err = {0};
        mem_fail_nth(n);
        book = auth_book_make("a,b", str_of(files[2].text), &err);
        mem_fail_nth(0);
        EXPECT_TRUE("it says so", book != NULL || err.code != ERR_OK);
    }
    assert_non_null(book);
    auth_book_unref(book);
}

RUN_TESTS(T(what_a_file_may_say), T(keys_are_found_by_what_they_are), T(claims_and_their_pointers),
          T(copes_without_memory))
