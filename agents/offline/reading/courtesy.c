/* SPDX-License-Identifier: MIT */
/* agents/offline/reading/courtesy.c - a small grammar of how people begin and end.
 *
 * Happy path: at the front greetings, then an occasion ("for the report"), then a wish that ends in
 * a verb of telling ("I was asked to find out") go, in any order and number; at the end thanks go.
 * A wish for a thing, not for an answer, becomes "show".
 * Failure: what fits none of these stays, and is read as part of the question. */
#include "agents/offline/reading/courtesy.h"

#include "agents/english/vocabulary.h"
#include "core/words/stem.h"

#include <string.h>

enum { ROUNDS = 6, OCCASION_WORDS = 5, ASKER_WORDS = 2, PHRASE_WORDS = 6, NAMES = 90 };

/* Words looked up by LISTED stand in the order of str_compare(). */
#define LISTED(token, list) str_is_listed((token)->lower, list, countof(list))

/* The question within its tokens. */
struct span {
    const struct lexicon *lexicon;
    struct offline_token *tokens;
    size_t at, end;
};

static const char *const greetings[] = {"a question",
                                        "a quick question",
                                        "actually",
                                        "alright",
                                        "another question",
                                        "another thing",
                                        "apologies",
                                        "basically",
                                        "btw",
                                        "by the way",
                                        "dear all",
                                        "excuse me",
                                        "first of all",
                                        "good afternoon",
                                        "good evening",
                                        "good morning",
                                        "great",
                                        "hello",
                                        "hello there",
                                        "hey",
                                        "hey there",
                                        "hi",
                                        "hi there",
                                        "if i may",
                                        "if i may ask",
                                        "if possible",
                                        "if you can",
                                        "just curious",
                                        "last question",
                                        "may i ask",
                                        "next question",
                                        "now then",
                                        "ok",
                                        "okay",
                                        "once again",
                                        "one more question",
                                        "one more thing",
                                        "one question",
                                        "out of curiosity",
                                        "pardon",
                                        "please",
                                        "pls",
                                        "quick one",
                                        "quick question",
                                        "real quick",
                                        "right",
                                        "so",
                                        "sorry",
                                        "sorry for asking again",
                                        "sorry to bother you",
                                        "sorry to bother you again",
                                        "thank you",
                                        "thanks",
                                        "to begin with",
                                        "to start with",
                                        "well"};

/* Between two of these: "sorry, but ...". */
static const char *const leads_on[] = {"and", "but", "so"};

static const char *const thanks[] = {"any idea",
                                     "asap",
                                     "btw",
                                     "by the way",
                                     "can you",
                                     "cheers",
                                     "could you",
                                     "do you know",
                                     "for me",
                                     "for me please",
                                     "if i may ask",
                                     "if possible",
                                     "if that is possible",
                                     "if that's possible",
                                     "if you can",
                                     "if you could",
                                     "if you do not mind",
                                     "if you don't mind",
                                     "if you know",
                                     "kindly",

                                     "please",
                                     "pls",
                                     "right away",
                                     "thank you",
                                     "thank you so much",
                                     "thank you very much",
                                     "thanks",
                                     "thanks a lot",
                                     "thanks in advance",
                                     "thx",
                                     "when you have a minute",
                                     "when you have time",
                                     "will you",
                                     "would you"};

static const char *const persons[] = {"anybody",  "anyone",  "i",  "let", "me",
                                      "somebody", "someone", "us", "we",  "you"};

/* What else a wish is made of. */
static const char *const around[] = {
    "a",      "able",     "about",    "again",    "also",    "am",     "any",      "appreciate",
    "are",    "ask",      "asked",    "be",       "been",    "can",    "chance",   "could",
    "did",    "do",       "does",     "enough",   "for",     "going",  "good",     "grateful",
    "great",  "had",      "happen",   "happened", "have",    "help",   "helpful",  "hope",
    "hoping", "how",      "if",       "in",       "is",      "it",     "just",     "kind",
    "kindly", "like",     "look",     "love",     "may",     "maybe",  "might",    "mind",
    "much",   "my",       "need",     "needed",   "nice",    "now",    "out",      "perhaps",
    "please", "possible", "possibly", "quick",    "quickly", "really", "required", "shall",
    "should", "so",       "supposed", "that",     "there",   "to",     "today",    "told",
    "try",    "trying",   "up",       "very",     "want",    "wanted", "was",      "way",
    "what",   "will",     "would"};

/* The verb that hands the question over. */
static const char *const hands_over[] = {
    "after",     "appreciate", "asking",  "bring",    "check",      "checking", "curious",
    "determine", "fetch",      "figure",  "find",     "finding",    "get",      "getting",
    "give",      "giving",     "hear",    "identify", "interested", "know",     "learn",
    "like",      "look",       "looking", "love",     "need",       "needed",   "out",
    "provide",   "pull",       "query",   "review",   "see",        "seeing",   "send",
    "show",      "showing",    "tell",    "telling",  "understand", "want",     "wanted",
    "wonder",    "wondering",  "work"};

/* What may stand between that verb and the question. */
static const char *const tails[] = {"about", "at",  "for",    "if", "in", "into",    "is",
                                    "me",    "out", "please", "up", "us", "whether", "with"};

/* A question or an order begins so. */
static const char *const begins[] = {
    "are",  "calculate", "compute", "count", "determine", "did",    "display", "do",   "does",
    "find", "for",       "get",     "give",  "has",       "have",   "how",     "in",   "is",
    "list", "name",      "on",      "per",   "retrieve",  "return", "show",    "sum",  "was",
    "were", "what",      "what's",  "when",  "where",     "which",  "who",     "whom", "whose"};

static const char *const occasions[] = {
    "analysis",    "audit",      "board",      "boss",     "budget",   "call",         "ceo",
    "cfo",         "dashboard",  "deck",       "email",    "files",    "management",   "manager",
    "meeting",     "newsletter", "newspaper",  "overview", "planning", "presentation", "project",
    "record",      "report",     "reporting",  "reports",  "review",   "slide",        "slides",
    "spreadsheet", "statement",  "statistics", "summary"};

static const char *const determiners[] = {"a",   "an",   "my",    "next",    "our",
                                          "the", "this", "today", "tomorrow"};

/* What an asker does: "my boss wants to know". */
static const char *const asks[] = {"asked",
                                   "asked for",
                                   "asked me",
                                   "asked me for",
                                   "asked me to check",
                                   "asked me to find",
                                   "asked me to find out",
                                   "asked to know",
                                   "asked to see",
                                   "asked us",
                                   "asked us for",
                                   "asks",
                                   "asks for",
                                   "asks me",
                                   "has asked",
                                   "has asked for",
                                   "has asked me",
                                   "is asking",
                                   "is asking about",
                                   "is asking for",
                                   "is asking me for",
                                   "is curious",
                                   "is interested in",
                                   "is wondering",
                                   "keeps asking",
                                   "keeps asking for",
                                   "needs",
                                   "needs to know",
                                   "needs to see",
                                   "wanted",
                                   "wanted to know",
                                   "wanted to see",
                                   "wants",
                                   "wants to have",
                                   "wants to know",
                                   "wants to see",
                                   "was asking",
                                   "was asking for",
                                   "was wondering",
                                   "wonders",
                                   "would like",
                                   "would like to have",
                                   "would like to know",
                                   "would like to see"};

/* How many tokens from at say phrase; 0: they do not. */
static size_t say(const struct span *s, size_t at, const char *phrase)
{
    struct str rest = str_of(phrase);
    size_t n = 0;
    while (!str_is_absent(rest)) {
        struct str word = str_split(&rest, ' ');
        if (at + n >= s->end || s->tokens[at + n].kind != TOKEN_WORD ||
            !str_equal(s->tokens[at + n].lower, word))
            return 0;
        n++;
    }
    return n;
}

static size_t say_any(const struct span *s, size_t at, const char *const *phrases, size_t count)
{
    size_t longest = 0;
    for (size_t i = 0; i < count; i++)
        longest = size_max(longest, say(s, at, phrases[i]));
    return longest;
}

static bool is_sign(const struct offline_token *token)
{
    return token->kind == TOKEN_SIGN &&
           (str_equal(token->lower, STR(",")) || str_equal(token->lower, STR(";")));
}

/* Whether a sign parts token at from the one before it. */
static bool parted(const struct span *s, size_t at)
{
    if (at == 0 || at >= s->end || is_sign(&s->tokens[at]) || is_sign(&s->tokens[at - 1]))
        return true;
    const char *from = s->tokens[at - 1].text.at + s->tokens[at - 1].text.len;
    for (const char *c = from; c < s->tokens[at].text.at; c++)
        if (*c == ':' || *c == '.' || *c == '?' || *c == '!' || *c == ',' || *c == '-')
            return true;
    return false;
}

static size_t skip_signs(const struct span *s, size_t at)
{
    while (at < s->end && is_sign(&s->tokens[at]))
        at++;
    return at;
}

/* Whether rows of a table are called so. */
static bool is_known(const struct span *s, const struct offline_token *token)
{
    struct lexicon_link links[OFFLINE_MEANINGS];
    size_t count = lexicon_index_find(s->lexicon, &token->lower, 1, links, OFFLINE_MEANINGS);
    for (size_t i = 0; i < count; i++)
        if (links[i].kind == LINK_TABLE && links[i].score >= NAMES)
            return true;
    return false;
}

static bool take_greeting(struct span *s)
{
    size_t n = say_any(s, s->at, greetings, countof(greetings));
    if (n == 0 || s->at + n >= s->end)
        return false;
    size_t next = skip_signs(s, s->at + n);
    if (next + 1 < s->end && LISTED(&s->tokens[next], leads_on))
        next = skip_signs(s, next + 1);
    if (next >= s->end)
        return false;
    s->at = next;
    return true;
}

/* "For tomorrow's meeting," and "for the report we need". */
static bool take_occasion(struct span *s)
{
    static const char *const opens[] = {"ahead of", "as of", "before", "for", "in", "to prepare"};
    static const char *const next[] = {"can", "could", "find",  "get",    "give", "how",
                                       "i",   "let",   "list",  "please", "show", "tell",
                                       "we",  "what",  "which", "who",    "would"};
    size_t from = s->at + say_any(s, s->at, opens, countof(opens));
    if (from == s->at || from >= s->end || !LISTED(&s->tokens[from], determiners))
        return false;
    for (size_t i = from + 1; i + 1 < s->end && i <= from + OCCASION_WORDS; i++) {
        if (s->tokens[i].kind != TOKEN_WORD)
            return false;
        if (!LISTED(&s->tokens[i], occasions) || is_known(s, &s->tokens[i]) ||
            !(parted(s, i + 1) || LISTED(&s->tokens[i + 1], next)))
            continue;
        s->at = skip_signs(s, i + 1);
        return s->at < s->end;
    }
    return false;
}

/* What is left is the question; a thing that is wished for is shown. */
static void hand_over(struct span *s, size_t next)
{
    bool begun =
        LISTED(&s->tokens[next], begins) ||
        (s->tokens[next].kind == TOKEN_WORD && str_equal(s->tokens[next].lower, STR("there")));
    s->at = next;
    if (begun)
        return;
    s->at--;
    s->tokens[s->at].kind = TOKEN_WORD;
    s->tokens[s->at].lower = STR("show");
}

/* "My boss wants to know". */
static bool take_asker(struct span *s)
{
    static const char *const whose[] = {"a", "my", "our", "the"};
    static const char *const of_all[] = {"people", "somebody", "someone", "they"};
    bool all = LISTED(&s->tokens[s->at], of_all);
    if (!all && !LISTED(&s->tokens[s->at], whose))
        return false;
    for (size_t words = all ? 0 : 1; words <= ASKER_WORDS; words++) {
        size_t from = s->at + 1 + words;
        size_t n = from < s->end ? say_any(s, from, asks, countof(asks)) : 0;
        bool sure = str_equal(s->tokens[s->at].lower, STR("my")) ||
                    str_equal(s->tokens[s->at].lower, STR("our"));
        if (n == 0 || from + n >= s->end || (n < 2 && !sure))
            continue;
        size_t next = skip_signs(s, from + n);
        if (next >= s->end)
            return false;
        hand_over(s, next);
        return true;
    }
    return false;
}

/* Where what is asked begins, when a wish to be told stands before it; s->at: none does. */
static size_t end_of_wish(const struct span *s)
{
    static const char *const asking_you[] = {"are",  "did", "do", "does",
                                             "have", "how", "is", "what"};
    bool person = false, you = false, open = false;
    size_t end = s->at;
    for (size_t i = s->at; i < s->end && s->tokens[i].kind == TOKEN_WORD; i++) {
        const struct offline_token *token = &s->tokens[i];
        bool hands = LISTED(token, hands_over);
        if (!hands && !LISTED(token, persons) && !LISTED(token, around))
            break;
        person = person || LISTED(token, persons);
        you = you || str_equal(token->lower, STR("you"));
        open = open || str_equal(token->lower, STR("chance")) ||
               str_equal(token->lower, STR("possible")) || str_equal(token->lower, STR("way"));
        if (hands && (person || open) && i > s->at)
            end = i + 1;
    }
    if (end == s->at || (LISTED(&s->tokens[s->at], asking_you) && !you && !open &&
                         !(end < s->end && str_equal(s->tokens[end].lower, STR("is")))))
        return s->at;
    while (end < s->end && s->tokens[end].kind == TOKEN_WORD && LISTED(&s->tokens[end], tails) &&
           !parted(s, end))
        end++;
    return end;
}

static bool take_wish(struct span *s)
{
    size_t end = end_of_wish(s);
    size_t next = skip_signs(s, end);
    if (end == s->at || next >= s->end)
        return false;
    hand_over(s, next);
    return true;
}

/* "Are there any orders that": show them. */
static bool take_existence(struct span *s)
{
    static const char *const asks_for_some[] = {
        "are there any",   "is there any",    "were there any",   "do we have any",
        "do you have any", "have we got any", "have you got any", "have we any"};
    size_t n = say_any(s, s->at, asks_for_some, countof(asks_for_some));
    if (n == 0 || s->at + n >= s->end)
        return false;
    hand_over(s, s->at + n);
    return true;
}

/* "The people who", "list everybody who": who. */
static void name_persons(struct span *s)
{
    static const char *const before[] = {"all",   "find", "get",  "give", "list", "me", "name",
                                         "names", "of",   "show", "tell", "the",  "us"};
    static const char *const all[] = {"anybody", "anyone", "everybody", "everyone",
                                      "people",  "person", "persons",   "those"};
    size_t i = s->at;
    while (i < s->end && LISTED(&s->tokens[i], before))
        i++;
    if (i + 2 < s->end && LISTED(&s->tokens[i], all) && !is_known(s, &s->tokens[i]) &&
        str_equal(s->tokens[i + 1].lower, STR("who")))
        s->at = i + 1;
}

static void drop_thanks(struct span *s)
{
    for (bool drops = true; drops && s->end > s->at + 1;) {
        drops = false;
        while (s->end > s->at + 1 && is_sign(&s->tokens[s->end - 1]))
            s->end--;
        for (size_t n = PHRASE_WORDS; n > 0 && !drops; n--) {
            if (s->at + n >= s->end)
                continue;
            size_t from = s->end - n;
            drops = say_any(s, from, thanks, countof(thanks)) == n;
            s->end = drops ? from : s->end;
        }
    }
}

size_t offline_courtesy_drop(const struct lexicon *lexicon, struct offline_token *tokens,
                             size_t count)
{
    struct span s = {.lexicon = lexicon, .tokens = tokens, .at = 0, .end = count};
    bool took = count > 1;
    for (size_t round = 0; took && round < ROUNDS; round++)
        took = take_greeting(&s) || take_occasion(&s) || take_asker(&s) || take_wish(&s);
    (void)take_existence(&s);
    if (count > 1) {
        name_persons(&s);
        drop_thanks(&s);
    }
    if (s.at > 0) {
        memmove(tokens, &tokens[s.at], (s.end - s.at) * sizeof tokens[0]);
        tokens[0].capital = false;
    }
    return s.end - s.at;
}

struct english_unit offline_courtesy_drop_unit(struct offline_token *tokens, size_t *count)
{
    for (size_t i = 1; i + 1 < *count; i++) {
        size_t from = i, end = i + 2;
        struct english_unit unit = english_units_find(tokens[i + 1].lower);
        if (!str_equal(tokens[i].lower, STR("in")) || tokens[i + 1].kind != TOKEN_WORD ||
            unit.of == UNIT_OF_NOTHING)
            continue;
        if (i > 1 && str_equal(tokens[i - 1].text, STR(","))) { /* "per month, in euros" */
            from--;
            end +=
                end < *count && str_equal(tokens[end].text, STR(",")); /* ", in hours, per gym" */
        }
        memmove(&tokens[from], &tokens[end], (*count - end) * sizeof *tokens);
        *count -= end - from;
        return unit;
    }
    return (struct english_unit){UNIT_OF_NOTHING, 0};
}
