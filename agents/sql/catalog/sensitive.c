/* SPDX-License-Identifier: MIT */
/* agents/sql/catalog/sensitive.c - a name is cut into words, then phrases of them are looked up.
 *
 * Cannot fail; words past MAX_WORDS are ignored. */
#include "agents/sql/catalog/sensitive.h"

enum { MAX_WORDS = 12 };

struct words {
    struct str at[MAX_WORDS];
    size_t count;
};

/* "$" at the end: the phrase must be the name's last words. */
struct phrase {
    const char *text;
    enum sensitive kind;
};

static const struct phrase phrases[] = {
    {"password", SENSITIVE_SECRET},
    {"passwd", SENSITIVE_SECRET},
    {"pwd", SENSITIVE_SECRET},
    {"passphrase", SENSITIVE_SECRET},
    {"passcode", SENSITIVE_SECRET},
    {"secret", SENSITIVE_SECRET},
    {"token $", SENSITIVE_SECRET},
    {"token hash", SENSITIVE_SECRET},
    {"token value", SENSITIVE_SECRET},
    {"api key", SENSITIVE_SECRET},
    {"apikey", SENSITIVE_SECRET},
    {"private key", SENSITIVE_SECRET},
    {"encryption key", SENSITIVE_SECRET},
    {"access key", SENSITIVE_SECRET},
    {"key value $", SENSITIVE_SECRET},
    {"credential", SENSITIVE_SECRET},
    {"credentials", SENSITIVE_SECRET},
    {"cvv", SENSITIVE_SECRET},
    {"cvc", SENSITIVE_SECRET},
    {"pin hash", SENSITIVE_SECRET},
    {"pin code", SENSITIVE_SECRET},
    {"salt $", SENSITIVE_SECRET},
    {"otp", SENSITIVE_SECRET},
    {"pan $", SENSITIVE_SECRET},
    {"email", SENSITIVE_PII},
    {"mail", SENSITIVE_PII},
    {"phone", SENSITIVE_PII},
    {"mobile", SENSITIVE_PII},
    {"fax", SENSITIVE_PII},
    {"ssn", SENSITIVE_PII},
    {"social security", SENSITIVE_PII},
    {"iban", SENSITIVE_PII},
    {"bic", SENSITIVE_PII},
    {"account number", SENSITIVE_PII},
    {"card number", SENSITIVE_PII},
    {"tax id", SENSITIVE_PII},
    {"taxid", SENSITIVE_PII},
    {"passport", SENSITIVE_PII},
    {"national id", SENSITIVE_PII},
    {"birth date", SENSITIVE_PII},
    {"birthdate", SENSITIVE_PII},
    {"birthday", SENSITIVE_PII},
    {"date of birth", SENSITIVE_PII},
    {"dob", SENSITIVE_PII},
    {"ip address", SENSITIVE_PII},
    {"street", SENSITIVE_PII},
    {"telephone", SENSITIVE_PII},
    {"license number", SENSITIVE_PII},
};

static bool is_upper(char c)
{
    return c >= 'A' && c <= 'Z';
}

static bool is_word(char c)
{
    return str_is_alpha(c) || str_is_digit(c);
}

/* Whether a new word begins at i: after a separator, at aB, and at the last capital of ABc. */
static bool begins(struct str name, size_t i)
{
    char before = name.at[i - 1], here = name.at[i];
    if (!is_word(before))
        return true;
    if (str_is_digit(before) != str_is_digit(here))
        return true;
    if (!is_upper(here))
        return false;
    return !is_upper(before) ||
           (i + 1 < name.len && str_is_alpha(name.at[i + 1]) && !is_upper(name.at[i + 1]));
}

static struct words split(struct str name)
{
    struct words words = {.count = 0};
    size_t start = 0;
    for (size_t i = 0; i <= name.len; i++) {
        bool ends = i == name.len || !is_word(name.at[i]) || (i > start && begins(name, i));
        if (!ends)
            continue;
        if (i > start && words.count < MAX_WORDS)
            words.at[words.count++] = str_slice(name, start, i);
        start = i < name.len && is_word(name.at[i]) ? i : i + 1;
    }
    return words;
}

/* Whether the phrase's words stand at words[first]. */
static bool stands_at(const struct words *words, size_t first, const char *text)
{
    struct str rest = str_of(text);
    while (!str_is_absent(rest)) {
        struct str word = str_split(&rest, ' ');
        if (str_equal(word, STR("$")))
            return first == words->count;
        if (first == words->count || !str_equal_nocase(words->at[first], word))
            return false;
        first++;
    }
    return true;
}

enum sensitive sensitive_column(struct str name)
{
    struct words words = split(name);
    enum sensitive found = SENSITIVE_NOT;
    for (size_t i = 0; i < words.count; i++) {
        for (size_t j = 0; j < countof(phrases); j++) {
            if (phrases[j].kind > found && stands_at(&words, i, phrases[j].text))
                found = phrases[j].kind;
        }
    }
    return found;
}

bool sensitive_table(struct str name)
{
    static const char *const secret[] = {
        "secret",  "secrets",  "credential", "credentials", "password",      "passwords",
        "api key", "api keys", "apikeys",    "api tokens",  "access tokens", "refresh tokens"};
    struct words words = split(name);
    for (size_t i = 0; i < words.count; i++) {
        for (size_t j = 0; j < countof(secret); j++) {
            if (stands_at(&words, i, secret[j]))
                return true;
        }
    }
    return false;
}
