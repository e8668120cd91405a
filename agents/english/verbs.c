/* SPDX-License-Identifier: MIT */
/* agents/english/verbs.c - the tables behind verbs.h; verbs and scales are stems.
 *
 * Happy path: a lookup finds its row. Failure: it finds none and says so; no state, no memory. */
#include "agents/english/verbs.h"

#include "agents/english/vocabulary.h"

/* A verb with a sense of its own that a schema would have to know ("fail", "win") is not here. */
static const char *const ties[] = {
    "appear",     "apply",   "attach",     "attend",  "author", "belong",  "book",   "borrow",
    "bring",      "buy",     "call",       "carry",   "com",    "come",    "compos", "connect",
    "consist",    "contact", "correspond", "cover",   "deal",   "deliver", "design", "direct",
    "do",         "driv",    "edit",       "employ",  "exist",  "featur",  "fil",    "find",
    "fly",        "follow",  "get",        "giv",     "handl",  "happen",  "hir",    "host",
    "invite",     "involv",  "keep",       "know",    "link",   "liv",     "look",   "manag",
    "manufactur", "mention", "occur",      "off",     "offer",  "operat",  "order",  "organiz",
    "originat",   "own",     "participat", "perform", "play",   "possess", "prepar", "process",
    "produc",     "provid",  "publish",    "purchas", "refer",  "regist",  "releas", "relat",
    "rent",       "report",  "request",    "resid",   "run",    "sell",    "serv",   "ship",
    "sign",       "sing",    "speak",      "spoken",  "stay",   "stock",   "studi",  "study",
    "enrol",      "arriv",   "depart",     "leav",    "land",   "receiv",  "accept", "star",
    "act",        "build",   "carri",      "locat",   "attach", "rais",    "obtain", "acquir",
    "supervis",   "supply",  "support",    "tak",     "teach",  "train",   "treat",  "us",
    "use",        "visit",   "work",       "writ",    "wear",   "cal",     "posses", "proces",
    "sel",        "go",      "lend",       "practic", "suffer", "hous",    "assist", "oversee",
    "travel",     "head",    "develop",    "coach",   "paint",  "stand",  "send",   "sent",
    "issu",
};

static const char *const scales[SCALE_COUNT][8] = {
    [SCALE_LENGTH] = {"length", "duration", "runtim", "millisecond", "minut", "second", "pag",
                      "page"},
    [SCALE_HEIGHT] = {"height", "elevation", "altitud"},
    [SCALE_WEIGHT] = {"weight", "mas"},
    [SCALE_AGE] = {"age"},
    [SCALE_SPEED] = {"spe", "speed", "velocity"},
    [SCALE_SIZE] = {"capacity", "siz", "area", "seat", "acreag", "hectar"},
    [SCALE_WIDTH] = {"width", "breadth"},
    [SCALE_DEPTH] = {"depth"},
};

static const char *const units[] = {
    "kg",        "cm",   "mm",  "km",   "lb",  "lbs",   "usd",     "eur",      "ms",
    "sec",       "secs", "min", "mins", "hrs", "pct",   "percent", "millions", "million",
    "thousands", "amt",  "cnt", "qty",  "num", "hours", "minutes"};

/* Words at the end of column names that nobody says in a question. */
static const char *const technical[] = {"code", "cd", "no", "nbr", "flag", "ind"};

static bool is_among(struct str word, const char *const *words, size_t count)
{
    for (size_t i = 0; i < count && words[i] != NULL; i++)
        if (str_equal(word, str_of(words[i])))
            return true;
    return false;
}

bool english_verbs_ties(struct str stem)
{
    return is_among(stem, ties, countof(ties));
}

struct str english_verbs_maker(struct str stem)
{
    for (size_t i = 0; i < vocabulary_maker_count; i++)
        if (str_equal(stem, str_of(vocabulary_makers[i][0])))
            return str_of(vocabulary_makers[i][1]);
    return (struct str){NULL, 0};
}

struct str english_verbs_of_noun(struct str noun)
{
    static const struct str endings[] = {{"ments", 5}, {"ment", 4}, {"ations", 6}, {"ation", 5},
                                         {"ions", 4},  {"ion", 3},  {"als", 3},    {"al", 2},
                                         {"ings", 4},  {"ing", 3},  {"eries", 5},  {"ery", 3},
                                         {"ships", 5}, {"ship", 4}};
    enum { VERB_MIN = 3 };
    for (size_t i = 0; i < countof(endings); i++)
        if (str_ends_with(noun, endings[i]) && noun.len >= endings[i].len + VERB_MIN) {
            noun.len -= endings[i].len;
            if (endings[i].at[0] == 'e') /* "delivery": deliver */
                noun.len += 2;
            if (endings[i].at[0] == 'm' && noun.at[noun.len - 1] == 'm')
                break; /* "comment" is not of "come" */
            return noun;
        }
    return (struct str){NULL, 0};
}

bool english_verbs_measures(enum offline_scale scale, struct str stem)
{
    return is_among(stem, scales[scale], countof(scales[scale]));
}

bool english_verbs_is_unit(struct str word)
{
    return is_among(word, units, countof(units));
}

bool english_verbs_is_technical(struct str word)
{
    return is_among(word, technical, countof(technical));
}

bool english_verbs_is_kind(struct str word)
{
    static const char *const kinds[] = {"type", "kind", "category", "status", "class", "method"};
    return is_among(word, kinds, countof(kinds));
}

bool english_verbs_is_state(struct str word)
{
    static const char *const states[] = {"status", "stage", "phase"};
    return is_among(word, states, countof(states));
}

struct str english_verbs_time_unit(struct str word)
{
    if (str_equal(word, STR("minutes")) || str_equal(word, STR("minute")))
        return STR("min");
    if (str_equal(word, STR("seconds")) || str_equal(word, STR("second")))
        return STR("sec");
    return STR("");
}
