/* SPDX-License-Identifier: MIT */
/* agents/sql/catalog/sensitive.c - a name is cut into words, then phrases of them are looked up.
 *
 * Cannot fail; words past NAME_WORDS_MAX are ignored. */
#include "agents/sql/catalog/sensitive.h"

#include "agents/sql/catalog/name_words.h"

/* "$" at the end: the phrase must be the name's last words; "^" at the beginning: its first. */
struct phrase {
    const char *text;
    enum sensitive kind;
    bool of_text; /* a number or a date of this name is honest */
};

/* Words that secrets are called by, for parting "authtoken" and "passwordhash". Only a word that is
 * whole made of them is parted, so "secretary" and "keyboard" stay what they are. */
static const char *const parts[] = {
    "password",   "passwords", "passwd",   "passphrase", "passcode", "pass",    "pwd",
    "user",       "client",    "customer", "account",    "secret",   "secrets", "key",
    "keys",       "auth",      "access",   "refresh",    "token",    "tokens",  "private",
    "api",        "app",       "hash",     "hashed",     "salt",     "pin",     "code",
    "codes",      "ssh",       "hmac",     "aes",        "rsa",      "webhook", "signing",
    "encryption", "enc",       "session",  "id",         "reset",    "resets",  "recovery",
    "backup",     "mfa",       "totp",     "otp",        "seed",     "cookie",  "jwt",
    "bearer",     "oauth",     "card",     "value",      "device",   "push",    "login",
    "web",        "admin",     "db",       "master",     "service",  "csrf",    "credentials",
};

static const struct phrase phrases[] = {
    {"password", SENSITIVE_SECRET, false},
    {"passwords", SENSITIVE_SECRET, false},
    {"passwd", SENSITIVE_SECRET, false},
    {"pwd", SENSITIVE_SECRET, false},
    {"passphrase", SENSITIVE_SECRET, false},
    {"passcode", SENSITIVE_SECRET, false},
    {"pass hash", SENSITIVE_SECRET, false},
    {"pass word", SENSITIVE_SECRET, false},
    {"pass phrase", SENSITIVE_SECRET, false},
    {"pass salt", SENSITIVE_SECRET, false},
    {"user pass $", SENSITIVE_SECRET, false},
    {"login pass $", SENSITIVE_SECRET, false},
    {"db pass $", SENSITIVE_SECRET, false},
    {"admin pass $", SENSITIVE_SECRET, false},
    {"hashed pass $", SENSITIVE_SECRET, false},
    {"secret", SENSITIVE_SECRET, false},
    {"secrets", SENSITIVE_SECRET, false},
    {"token $", SENSITIVE_SECRET, false},
    {"token hash", SENSITIVE_SECRET, false},
    {"token value", SENSITIVE_SECRET, false},
    {"token enc", SENSITIVE_SECRET, false},
    {"api key", SENSITIVE_SECRET, false},
    {"api keys", SENSITIVE_SECRET, false},
    {"apikey", SENSITIVE_SECRET, false},
    {"private key", SENSITIVE_SECRET, false},
    {"private keys", SENSITIVE_SECRET, false},
    {"encryption key", SENSITIVE_SECRET, false},
    {"signing key", SENSITIVE_SECRET, false},
    {"ssh key", SENSITIVE_SECRET, false},
    {"ssh keys", SENSITIVE_SECRET, false},
    {"hmac key", SENSITIVE_SECRET, false},
    {"webhook key", SENSITIVE_SECRET, false},
    {"aes key", SENSITIVE_SECRET, false},
    {"rsa key", SENSITIVE_SECRET, false},
    {"jwt key", SENSITIVE_SECRET, false},
    {"master key", SENSITIVE_SECRET, false},
    {"secret key", SENSITIVE_SECRET, false},
    {"service key", SENSITIVE_SECRET, false},
    {"session key", SENSITIVE_SECRET, false},
    {"auth key", SENSITIVE_SECRET, false},
    {"access key", SENSITIVE_SECRET, false},
    {"access keys", SENSITIVE_SECRET, false},
    {"key value $", SENSITIVE_SECRET, false},
    {"credential", SENSITIVE_SECRET, false},
    {"credentials", SENSITIVE_SECRET, false},
    {"cvv", SENSITIVE_SECRET, false},
    {"cvc", SENSITIVE_SECRET, false},
    {"pin hash", SENSITIVE_SECRET, false},
    {"pin code", SENSITIVE_SECRET, false},
    {"pin codes", SENSITIVE_SECRET, false},
    {"card pin", SENSITIVE_SECRET, false},
    {"user pin $", SENSITIVE_SECRET, false},
    {"login pin $", SENSITIVE_SECRET, false},
    {"^ pin $", SENSITIVE_SECRET, false},
    {"salt $", SENSITIVE_SECRET, false},
    {"otp", SENSITIVE_SECRET, false},
    {"pan $", SENSITIVE_SECRET, false},
    {"mfa seed", SENSITIVE_SECRET, false},
    {"mfa code", SENSITIVE_SECRET, false},
    {"mfa codes", SENSITIVE_SECRET, false},
    {"mfa key", SENSITIVE_SECRET, false},
    {"totp seed", SENSITIVE_SECRET, false},
    {"otp seed", SENSITIVE_SECRET, false},
    {"recovery code", SENSITIVE_SECRET, false},
    {"recovery codes", SENSITIVE_SECRET, false},
    {"backup code", SENSITIVE_SECRET, false},
    {"backup codes", SENSITIVE_SECRET, false},
    {"security answer", SENSITIVE_SECRET, false},
    {"bearer $", SENSITIVE_SECRET, false},
    {"^ tokens $", SENSITIVE_SECRET, true},
    {"access tokens $", SENSITIVE_SECRET, true},
    {"refresh tokens $", SENSITIVE_SECRET, true},
    {"auth tokens $", SENSITIVE_SECRET, true},
    {"api tokens $", SENSITIVE_SECRET, true},
    {"user tokens $", SENSITIVE_SECRET, true},
    {"oauth tokens $", SENSITIVE_SECRET, true},
    {"session tokens $", SENSITIVE_SECRET, true},
    {"reset tokens $", SENSITIVE_SECRET, true},
    {"device tokens $", SENSITIVE_SECRET, true},
    {"push tokens $", SENSITIVE_SECRET, true},
    {"bearer tokens $", SENSITIVE_SECRET, true},
    {"totp", SENSITIVE_SECRET, true},
    {"jwt", SENSITIVE_SECRET, true},
    {"jwts", SENSITIVE_SECRET, true},
    {"session id $", SENSITIVE_SECRET, true},
    {"session cookie", SENSITIVE_SECRET, true},
    {"auth cookie", SENSITIVE_SECRET, true},
    {"login cookie", SENSITIVE_SECRET, true},
    {"^ cookie $", SENSITIVE_SECRET, true},
    {"^ cookies $", SENSITIVE_SECRET, true},
    {"cookie value", SENSITIVE_SECRET, true},
    {"key hash $", SENSITIVE_SECRET, true},
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

/* Part word into known words, the longest first wherever there is a choice that works out. Depth is
 * bounded by the word's length. */
static bool part_word(struct str word, struct name_words *to)
{
    if (word.len == 0)
        return true;
    if (to->count == NAME_WORDS_MAX)
        return false;
    for (size_t len = word.len; len > 1; len--) {
        struct str head = str_slice(word, 0, len);
        bool known = false;
        for (size_t i = 0; i < countof(parts) && !known; i++)
            known = str_equal_nocase(head, str_of(parts[i]));
        if (!known)
            continue;
        size_t before = to->count;
        to->at[to->count++] = head;
        if (part_word(str_from(word, len), to))
            return true;
        to->count = before;
    }
    return false;
}

static struct name_words split(struct str name)
{
    struct name_words whole = name_words_split(name), words = {.count = 0};
    for (size_t i = 0; i < whole.count && words.count < NAME_WORDS_MAX; i++) {
        size_t before = words.count;
        if (part_word(whole.at[i], &words))
            continue;
        words.count = before;
        words.at[words.count++] = whole.at[i];
    }
    return words;
}

static bool has_phrase(const struct name_words *words, const char *phrase)
{
    for (size_t i = 0; i < words->count; i++) {
        if (name_words_stand_at(words, i, phrase))
            return true;
    }
    return false;
}

static bool has_any(struct str name, const char *const *list, size_t count)
{
    struct name_words words = split(name);
    for (size_t i = 0; i < count; i++) {
        if (has_phrase(&words, list[i]))
            return true;
    }
    return false;
}

enum sensitive sensitive_column(struct str name, bool may_be_text)
{
    struct name_words words = split(name);
    enum sensitive found = SENSITIVE_NOT;
    for (size_t j = 0; j < countof(phrases); j++) {
        if (phrases[j].kind > found && (may_be_text || !phrases[j].of_text) &&
            has_phrase(&words, phrases[j].text))
            found = phrases[j].kind;
    }
    return found;
}

bool sensitive_table(struct str name)
{
    static const char *const secret[] = {
        "secret",         "secrets",        "credential",    "credentials",    "password",
        "passwords",      "api key",        "api keys",      "apikeys",        "ssh keys",
        "private keys",   "token $",        "tokens $",      "password reset", "recovery codes",
        "backup codes",   "login sessions", "user sessions", "web sessions",   "auth sessions",
        "session cookies"};
    return has_any(name, secret, countof(secret));
}

bool sensitive_may_be_logins(struct str table)
{
    static const char *const names[] = {"^ sessions $", "^ session $"};
    return has_any(table, names, countof(names));
}

bool sensitive_is_of_logins(struct str column)
{
    static const char *const names[] = {"user agent", "payload", "ip address", "last activity",
                                        "sess",       "csrf",    "cookie",     "expires",
                                        "expiry",     "token",   "sid",        "session data"};
    return has_any(column, names, countof(names));
}
