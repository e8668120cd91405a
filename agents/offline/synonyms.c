/* SPDX-License-Identifier: MIT */
/* agents/offline/synonyms.c - the tables behind synonyms.h; every word is its stem.
 *
 * Happy path: a lookup finds its row. Failure: it finds none and says so; no state, no memory. */
#include "agents/offline/synonyms.h"

enum { GROUP_WORDS = 7 };

/* A word is in at most one group; abbreviations of names are synonyms of what they shorten. */
static const char *const groups[][GROUP_WORDS] = {
    {"customer", "client", "buyer", "cust", "patron"},
    {"employe", "worker", "staf", "personnel", "emp"},
    {"transaction", "txn", "trx", "tx"},
    {"account", "acct", "acc"},
    {"amount", "amt"},
    {"quantity", "qty"},
    {"number", "num"},
    {"description", "desc", "descr"},
    {"department", "dept"},
    {"addres", "addr"},
    {"organization", "organisation", "org"},
    {"company", "firm", "busines"},
    {"category", "cat"},
    {"manager", "mgr", "bos", "supervisor"},
    {"pric", "cost"},
    {"city", "town"},
    {"phon", "telephon", "tel", "mobil", "cellphon"},
    {"email", "mail"},
    {"salary", "wag"},
    {"product", "prod", "item"},
    {"supplier", "vendor"},
    {"invoic", "bil", "inv"},
    {"location", "sit", "loc"},
    {"country", "nation"},
    {"car", "vehicl", "automobil"},
    {"movi", "film"},
    {"track", "song"},
    {"student", "pupil"},
    {"teacher", "instructor", "lecturer", "professor"},
    {"doctor", "physician"},
    {"kind", "typ", "sort"},
    {"gender", "sex"},
    {"hour", "h"},
    {"rat", "star"},
    {"crew", "team"},
    {"pictur", "photo", "imag"},
    {"equipment", "asset", "devic"},
    {"dat", "dt"},
    {"percentag", "pct", "percent"},
    {"length", "duration", "runtim", "millisecond"},
    {"order", "job", "purchas"},
    {"nationality", "citizenship"},
    {"primary", "main", "principal", "default"},
    {"stor", "shop"},
    {"child", "kid"},
    {"dob", "birthday", "birthdat"},
    {"salesperson", "salesman", "salesmen", "saleswoman", "salespeopl", "seller"},
    {"representativ", "rep"},
    {"artist", "musician", "band"},
    {"author", "writer"},
    {"postcod", "zip", "postal", "zipcod"},
    {"diseas", "illnes"},
    {"medication", "drug", "medicin"},
    {"aircraft", "airplan"},
    {"bik", "bicycl"},
    {"shipment", "delivery"},
    {"comment", "remark"},
    {"stat", "provinc"},
    {"apartment", "flat"},
    {"guest", "visitor"},
    {"femal", "woman"},
    {"mal", "man"},
    {"airlin", "carrier"},
    {"trip", "rid"},
    {"exam", "test"},
    {"weight", "weigh"},
    {"population", "inhabitant"},
    {"diagnosis", "diagnos"},
    {"insuranc", "ins"},
    {"approv", "appr"},
    {"register", "reg", "registration"},
    {"certificat", "cert", "certification"},
    {"total", "tot"},
    {"averag", "avg"},
    {"maximum", "max"},
    {"minimum", "min"},
    {"receiv", "rcvd"},
    {"balanc", "bal"},
    {"begin", "start", "commenc"},
    {"complet", "finish"},
    {"end", "expir", "expiry"},
    {"dos", "dosag"},
    {"mileag", "mil"},
    {"color", "colour"},
    {"center", "centr"},
    {"licens", "licenc"},
    {"theater", "theatr"},
    {"lawyer", "attorney"},
    {"enrollment", "enrolment"},
};

/* Stems that are no words. */
static const char *const spelled[][2] = {
    {"employe", "employee"},
    {"staf", "staff"},
    {"addres", "address"},
    {"busines", "business"},
    {"bos", "boss"},
    {"pric", "price"},
    {"phon", "phone"},
    {"telephon", "telephone"},
    {"mobil", "mobile"},
    {"cellphon", "cellphone"},
    {"wag", "wage"},
    {"invoic", "invoice"},
    {"bil", "bill"},
    {"sit", "site"},
    {"vehicl", "vehicle"},
    {"automobil", "automobile"},
    {"movi", "movie"},
    {"typ", "type"},
    {"rat", "rating"},
    {"pictur", "picture"},
    {"imag", "image"},
    {"devic", "device"},
    {"dat", "date"},
    {"percentag", "percentage"},
    {"runtim", "runtime"},
    {"purchas", "purchase"},
    {"stor", "store"},
    {"birthdat", "birthdate"},
    {"representativ", "representative"},
    {"postcod", "postcode"},
    {"zipcod", "zipcode"},
    {"diseas", "disease"},
    {"illnes", "illness"},
    {"medicin", "medicine"},
    {"airplan", "airplane"},
    {"bik", "bike"},
    {"bicycl", "bicycle"},
    {"stat", "state"},
    {"provinc", "province"},
    {"femal", "female"},
    {"mal", "male"},
    {"airlin", "airline"},
    {"rid", "ride"},
    {"diagnos", "diagnoses"},
    {"salespeopl", "salespeople"},
    {"insuranc", "insurance"},
    {"approv", "approved"},
    {"certificat", "certificate"},
    {"averag", "average"},
    {"receiv", "received"},
    {"balanc", "balance"},
    {"commenc", "commence"},
    {"complet", "complete"},
    {"expir", "expire"},
    {"dos", "dose"},
    {"dosag", "dosage"},
    {"mileag", "mileage"},
    {"mil", "miles"},
    {"centr", "centre"},
    {"licens", "license"},
    {"licenc", "licence"},
    {"theatr", "theatre"},
};

static const char *const opposites[][2] = {
    {"fail", "pas"},          {"inactiv", "activ"},       {"unpaid", "pay"},
    {"disabl", "enabl"},      {"clos", "open"},           {"optional", "requir"},
    {"incomplet", "complet"}, {"unavailabl", "availabl"}, {"invalid", "valid"},
    {"unverify", "verify"},   {"secondary", "primary"},   {"offlin", "onlin"},
    {"privat", "public"},     {"unread", "read"},         {"unapprov", "approv"},
};

static const char *const numbers[] = {
    "zero",     "one",     "two",     "three",     "four",     "five",     "six",
    "seven",    "eight",   "nine",    "ten",       "eleven",   "twelve",   "thirteen",
    "fourteen", "fifteen", "sixteen", "seventeen", "eighteen", "nineteen", "twenty",
};

static const char *const tens[] = {"thirty",  "forty",  "fifty", "sixty",
                                   "seventy", "eighty", "ninety"};

static const char *const months[] = {
    "january", "february", "march",     "april",   "may",      "june",
    "july",    "august",   "september", "october", "november", "december",
};

static const char *const general[] = {
    "tim",     "time",   "item", "type", "typ",   "data",   "dat",   "date",
    "info",    "detail", "id",   "valu", "value", "record", "log",   "entry",
    "list",    "code",   "cod",  "key",  "map",   "link",   "statu", "status",
    "history", "number", "name", "nam",  "level", "group",  "set",   "text",
};

static const char *const price_words[] = {"pric", "price", "cost"};
static const char *const amount_words[] = {
    "amount", "amt", "total",  "pric", "price",  "cost", "balanc",  "valu",
    "value",  "sum", "revenu", "sal",  "salary", "fee",  "payment",
};

static bool is_among(struct str s, const char *const *words, size_t count)
{
    for (size_t i = 0; i < count; i++)
        if (str_equal(s, str_of(words[i])))
            return true;
    return false;
}

static const char *const *find_group(struct str stem)
{
    for (size_t g = 0; g < countof(groups); g++)
        for (size_t i = 0; i < GROUP_WORDS && groups[g][i] != NULL; i++)
            if (str_equal(stem, str_of(groups[g][i])))
                return groups[g];
    return NULL;
}

struct str offline_synonyms_of(struct str stem)
{
    const char *const *group = find_group(stem);
    return group == NULL ? stem : str_of(group[0]);
}

static struct str spell(const char *stem)
{
    for (size_t i = 0; i < countof(spelled); i++)
        if (str_equal(str_of(stem), str_of(spelled[i][0])))
            return str_of(spelled[i][1]);
    return str_of(stem);
}

size_t offline_synonyms_group(struct str stem, struct str *words, size_t max)
{
    const char *const *group = find_group(stem);
    size_t count = 0;
    for (; group != NULL && count < GROUP_WORDS && count < max && group[count] != NULL; count++)
        words[count] = spell(group[count]);
    return count;
}

struct str offline_synonyms_opposite(struct str stem)
{
    for (size_t i = 0; i < countof(opposites); i++) {
        if (str_equal(stem, str_of(opposites[i][0])))
            return str_of(opposites[i][1]);
        if (str_equal(stem, str_of(opposites[i][1])))
            return str_of(opposites[i][0]);
    }
    return (struct str){NULL, 0};
}

bool offline_synonyms_number(struct str word, double *value)
{
    for (size_t i = 0; i < countof(numbers); i++)
        if (str_equal_nocase(word, str_of(numbers[i]))) {
            *value = (double)i;
            return true;
        }
    for (size_t i = 0; i < countof(tens); i++)
        if (str_equal_nocase(word, str_of(tens[i]))) {
            *value = (double)(10 * i + 30);
            return true;
        }
    return false;
}

double offline_synonyms_multiplier(struct str word)
{
    return str_equal(word, STR("hundred"))    ? 1e2
           : str_equal(word, STR("thousand")) ? 1e3
           : str_equal(word, STR("million"))  ? 1e6
                                              : 0;
}

int offline_synonyms_month(struct str word)
{
    for (size_t i = 0; i < countof(months); i++) {
        struct str month = str_of(months[i]);
        if (str_equal(word, month) || str_equal(word, str_slice(month, 0, 3)))
            return (int)i + 1;
    }
    return str_equal(word, STR("sept")) ? 9 : 0;
}

int offline_synonyms_ordinal(struct str word)
{
    static const char *const names[][2] = {
        {"first", "1st"}, {"second", "2nd"}, {"third", "3rd"}, {"fourth", "4th"}};
    for (size_t i = 0; i < countof(names); i++)
        if (str_equal(word, str_of(names[i][0])) || str_equal(word, str_of(names[i][1])))
            return (int)i + 1;
    return 0;
}

bool offline_synonyms_is_general(struct str stem)
{
    return is_among(stem, general, countof(general));
}

bool offline_synonyms_is_price(struct str stem)
{
    return is_among(stem, price_words, countof(price_words));
}

bool offline_synonyms_is_amount(struct str stem)
{
    return is_among(stem, amount_words, countof(amount_words));
}
