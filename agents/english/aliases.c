/* SPDX-License-Identifier: MIT */
/* agents/english/aliases.c - the tables behind aliases.h.
 *
 * Happy path: the column's name says which table to look into; the value's row holds the rest.
 * Failure: it finds none and says so; no state, no memory. */
#include "agents/english/aliases.h"

/* Words stand between bars. What is only a code is never taken for what somebody said: "in", "no"
 * and "us" are words. */
struct row {
    const char *codes, *said;
};

static const struct row countries[] = {
    {"AR|ARG", "Argentina|Argentinian"},
    {"AU|AUS", "Australia|Australian"},
    {"AT|AUT", "Austria|Austrian"},
    {"BE|BEL", "Belgium|Belgian"},
    {"BR|BRA", "Brazil|Brazilian"},
    {"BG|BGR", "Bulgaria|Bulgarian"},
    {"CA|CAN", "Canada|Canadian"},
    {"CL|CHL", "Chile|Chilean"},
    {"CN|CHN", "China|Chinese"},
    {"CO|COL", "Colombia|Colombian"},
    {"HR|HRV", "Croatia|Croatian"},
    {"CZ|CZE", "Czech Republic|Czech|Czechia"},
    {"DK|DNK", "Denmark|Danish"},
    {"EG|EGY", "Egypt|Egyptian"},
    {"EE|EST", "Estonia|Estonian"},
    {"ET|ETH", "Ethiopia|Ethiopian"},
    {"FI|FIN", "Finland|Finnish"},
    {"FR|FRA", "France|French"},
    {"DE|DEU", "Germany|German"},
    {"GH|GHA", "Ghana|Ghanaian"},
    {"GR|GRC", "Greece|Greek"},
    {"HU|HUN", "Hungary|Hungarian"},
    {"IS|ISL", "Iceland|Icelandic"},
    {"IN|IND", "India|Indian"},
    {"ID|IDN", "Indonesia|Indonesian"},
    {"IR|IRN", "Iran|Iranian"},
    {"IQ|IRQ", "Iraq|Iraqi"},
    {"IE|IRL", "Ireland|Irish"},
    {"IL|ISR", "Israel|Israeli"},
    {"IT|ITA", "Italy|Italian"},
    {"JM|JAM", "Jamaica|Jamaican"},
    {"JP|JPN", "Japan|Japanese"},
    {"KE|KEN", "Kenya|Kenyan"},
    {"LV|LVA", "Latvia|Latvian"},
    {"LT|LTU", "Lithuania|Lithuanian"},
    {"LU|LUX", "Luxembourg|Luxembourgish"},
    {"MY|MYS", "Malaysia|Malaysian"},
    {"MX|MEX", "Mexico|Mexican"},
    {"MA|MAR", "Morocco|Moroccan"},
    {"NL|NLD", "Netherlands|Dutch|Holland"},
    {"NZ|NZL", "New Zealand|New Zealander"},
    {"NG|NGA", "Nigeria|Nigerian"},
    {"NO|NOR", "Norway|Norwegian"},
    {"PK|PAK", "Pakistan|Pakistani"},
    {"PE|PER", "Peru|Peruvian"},
    {"PH|PHL", "Philippines|Philippine"},
    {"PL|POL", "Poland|Polish"},
    {"PT|PRT", "Portugal|Portuguese"},
    {"RO|ROU", "Romania|Romanian"},
    {"RU|RUS", "Russia|Russian"},
    {"SA|SAU", "Saudi Arabia|Saudi"},
    {"RS|SRB", "Serbia|Serbian"},
    {"SG|SGP", "Singapore|Singaporean"},
    {"SK|SVK", "Slovakia|Slovak"},
    {"SI|SVN", "Slovenia|Slovenian"},
    {"ZA|ZAF", "South Africa|South African"},
    {"KR|KOR", "South Korea|South Korean"},
    {"ES|ESP", "Spain|Spanish"},
    {"SE|SWE", "Sweden|Swedish"},
    {"CH|CHE", "Switzerland|Swiss"},
    {"TH|THA", "Thailand|Thai"},
    {"TN|TUN", "Tunisia|Tunisian"},
    {"TR|TUR", "Turkey|Turkish"},
    {"UA|UKR", "Ukraine|Ukrainian"},
    {"GB|GBR", "United Kingdom|British|UK|Great Britain"},
    {"US|USA", "United States|American|USA|United States of America"},
    {"UY|URY", "Uruguay|Uruguayan"},
    {"VE|VEN", "Venezuela|Venezuelan"},
    {"VN|VNM", "Vietnam|Vietnamese"},
};

static const struct row states[] = {
    {"AL", "Alabama"},
    {"AK", "Alaska"},
    {"AZ", "Arizona"},
    {"AR", "Arkansas"},
    {"CA", "California"},
    {"CO", "Colorado"},
    {"CT", "Connecticut"},
    {"DE", "Delaware"},
    {"FL", "Florida"},
    {"GA", "Georgia"},
    {"HI", "Hawaii"},
    {"ID", "Idaho"},
    {"IL", "Illinois"},
    {"IN", "Indiana"},
    {"IA", "Iowa"},
    {"KS", "Kansas"},
    {"KY", "Kentucky"},
    {"LA", "Louisiana"},
    {"ME", "Maine"},
    {"MD", "Maryland"},
    {"MA", "Massachusetts"},
    {"MI", "Michigan"},
    {"MN", "Minnesota"},
    {"MS", "Mississippi"},
    {"MO", "Missouri"},
    {"MT", "Montana"},
    {"NE", "Nebraska"},
    {"NV", "Nevada"},
    {"NH", "New Hampshire"},
    {"NJ", "New Jersey"},
    {"NM", "New Mexico"},
    {"NY", "New York"},
    {"NC", "North Carolina"},
    {"ND", "North Dakota"},
    {"OH", "Ohio"},
    {"OK", "Oklahoma"},
    {"OR", "Oregon"},
    {"PA", "Pennsylvania"},
    {"RI", "Rhode Island"},
    {"SC", "South Carolina"},
    {"SD", "South Dakota"},
    {"TN", "Tennessee"},
    {"TX", "Texas"},
    {"UT", "Utah"},
    {"VT", "Vermont"},
    {"VA", "Virginia"},
    {"WA", "Washington"},
    {"WV", "West Virginia"},
    {"WI", "Wisconsin"},
    {"WY", "Wyoming"},
    {"DC", "District of Columbia"},
    {"AB", "Alberta"},
    {"BC", "British Columbia"},
    {"MB", "Manitoba"},
    {"NB", "New Brunswick"},
    {"NL", "Newfoundland"},
    {"NS", "Nova Scotia"},
    {"ON", "Ontario"},
    {"PE", "Prince Edward Island"},
    {"QC", "Quebec"},
    {"SK", "Saskatchewan"},
};

static const struct row genders[] = {
    {"F", "female|woman|girl"},
    {"M", "male|man|boy"},
};

static bool has_word(const char *words, struct str word)
{
    struct str rest = str_of(words);
    while (!str_is_absent(rest))
        if (str_equal_nocase(str_split(&rest, '|'), word))
            return true;
    return false;
}

static size_t find_row(const struct row *rows, size_t count, struct str value, struct str *out)
{
    for (size_t i = 0; i < count; i++) {
        if (!has_word(rows[i].codes, value) && !has_word(rows[i].said, value))
            continue;
        size_t found = 0;
        struct str rest = str_of(rows[i].said);
        while (!str_is_absent(rest) && found < ENGLISH_ALIASES)
            out[found++] = str_split(&rest, '|');
        return found;
    }
    return 0;
}

/* Whether name has part in it, in any case. */
static bool speaks_of(struct str name, struct str part)
{
    for (size_t i = 0; i + part.len <= name.len; i++)
        if (str_equal_nocase(str_slice(name, i, i + part.len), part))
            return true;
    return false;
}

size_t english_aliases_of(struct str column, struct str value, struct str *out)
{
    if (speaks_of(column, STR("countr")) || speaks_of(column, STR("nation")))
        return find_row(countries, countof(countries), value, out);
    if (speaks_of(column, STR("state")) || speaks_of(column, STR("province")))
        return find_row(states, countof(states), value, out);
    if (speaks_of(column, STR("gender")) || speaks_of(column, STR("sex")))
        return find_row(genders, countof(genders), value, out);
    return 0;
}
