/* SPDX-License-Identifier: MIT */
/* agents/sql/catalog/company_name.c - a noun and what makes it a key: "company id", "tenant".
 *
 * A noun alone is a key only where it has no other meaning; "company" alone is the name of
 * somebody's employer as often. Cannot fail. */
#include "agents/sql/catalog/company_name.h"

#include "agents/sql/catalog/name_words.h"

static const char *const nouns[] = {"company",      "tenant",        "org",       "organization",
                                    "organisation", "organizations", "workspace", "companies"};
static const char *const keys[] = {"id", "uuid", "guid", "key", "code", "ref", "no", "fk"};
static const char *const run_together[] = {"companyid",      "tenantid",       "orgid",
                                           "organizationid", "organisationid", "workspaceid"};

static bool is_one_of(struct str word, const char *const *list, size_t count)
{
    for (size_t i = 0; i < count; i++) {
        if (str_equal_nocase(word, str_of(list[i])))
            return true;
    }
    return false;
}

/* Words before the noun qualify it (owner_company_id); only a last key makes the column one. */
enum company_name company_name_of(struct str column)
{
    struct name_words words = name_words_split(column);
    if (words.count == 0)
        return COMPANY_NAME_NOT;
    struct str last = words.at[words.count - 1];
    if (is_one_of(last, run_together, countof(run_together)) ||
        (words.count == 1 && str_equal_nocase(last, STR("tenant"))))
        return COMPANY_NAME_KEY;
    if (words.count < 2 || !is_one_of(last, keys, countof(keys)))
        return COMPANY_NAME_NOT;
    struct str noun = words.at[words.count - 2];
    if (is_one_of(noun, nouns, countof(nouns)))
        return COMPANY_NAME_KEY;
    return words.count == 2 && str_equal_nocase(noun, STR("account")) ? COMPANY_NAME_ACCOUNT
                                                                      : COMPANY_NAME_NOT;
}
