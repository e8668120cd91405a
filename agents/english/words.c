/* SPDX-License-Identifier: MIT */
/* agents/english/words.c - the tables: phrases and what they do.
 *
 * Happy path: a lookup finds its row. Failure: it finds none and says so; no state, no memory. */
#include "agents/english/words.h"

#include "agents/english/verbs.h"

#define F         RANK_FUNCTION
#define O         RANK_OPERATOR
#define W         RANK_WEAK

/* Longest match wins, so order does not matter. Phrases of a row stand between bars. */
static const struct row {
    struct offline_phrase does;
    const char *phrases;
} rows[] = {
    {{CUE_SKIP, 0, F},
     "the|a|an|all|any|me|us|i|we|our|my|please|there|do|does|did|their|its|his|her|"
     "them|those|these|this|they|it|to|as|also|currently|some|been|be|can|could|you|"
     "see|would|in the system|in the database|in total|together|"
     "only|in our system|still|already|ever|than|either|yet|anything|something|"
     "we have|we hold|we own|we keep|we carry|we stock|we offer|we know|we know of|"
     "at all|so far|right now|at the moment|just|really|actually|kindly|hey|"
     "hello|ok|okay|now|then|did we|in our database|in our records|on record|"
     "on file|out there|do we have|each other|i mean|anybody|anyone|somebody|"
     "someone|single one|up until now|until now|by now|in general|"
     "altogether|all in all|to date|at present|presently|as of now|these days|"
     "basically|in percent|in per cent|as a percentage|hi|thanks|thank "
     "you|quickly|let|got|gotten|here|i wonder|"
     "wondering|curious|interested in|looking for|in all|would like to know|"
     "need to know|want to know|do you know|any idea"},
    {{CUE_COMPARE, OP_EQ, F}, "exactly|="},
    {{CUE_SKIP, 0, W},
     "details|records|entries|exist|exists|list of|belong|belongs|belonging|called|"
     "piece of|pieces of|saw|seen|sees|"
     "named|related|associated|corresponding|respective|items|receive|"
     "dollars|dollar|bucks|euros|euro"},
    {{CUE_REL, 0, F}, "have|has|had|that|whose|where|with|having|along with|together with"},
    {{CUE_BEGAN, 0, W},
     "make|made|makes|work|works|worked|working|performed|done|took place|happened|"
     "conducted|carried out|joined|signed up|registered|opened|created|added|placed|"
     "stars in|star in|starred in|starring|looks after|look after|looked after|deals with|deal "
     "with|dealt with|bring in|brings in|"
     "brought in|work as|works as|worked as|working as|serve as|serves as|comes from|come from|"
     "came from|comes with|generate|generates|generated|used|using|uses|use|"
     "logged|recorded|issued|submitted|entered|join|place|open|sign up|register|log|"
     "perform|conduct|record|place an|carry out|carries out|take place|put in|puts in"},
    {{CUE_SKIP, 1, W},
     "listed|stored|assigned|installed|located|based|owned|held|marked|involved|"
     "taken|received|available|flagged|labelled|labeled|tagged|classified|"
     "categorized"},
    {{CUE_REL, 0, W},
     "include|includes|contain|contains|containing|own|owns|owning|hold|holds|holding"},
    {{CUE_COMPARE, OP_EQ, O}, "equals|equal to"},
    {{CUE_COMPARE, OP_GT, W}, "after|later than"},
    {{CUE_COMPARE, OP_LT, W}, "before|earlier than"},
    {{CUE_SHOW, 0, O},
     "show|list|give|display|find|get|tell|retrieve|fetch|pull up|look up|find out|work out|"
     "figure out|tell me about"},
    {{CUE_SHOW, 0, W},
     "break down|write out|bring up|count up|add up|sum up|provide|present|identify|enumerate|"
     "output|summarize|summarise|name the|name all|name every|name each"},
    {{CUE_SHOW, 0, W}, "return|print|calculate|compute|determine|check|pull"},
    {{CUE_WHICH, 0, F}, "what|which"},
    {{CUE_WHEN, 0, F}, "when"},
    {{CUE_NET, 0, O}, "net"},
    {{CUE_WHO, 0, F}, "who|whom"},
    {{CUE_COUNT, 0, F}, "how many"},
    {{CUE_COUNT, 0, O},
     "number of|count of|count|total number of|counts|the number of|total count of|"
     "numbers of|count the number of"},
    {{CUE_NONE, 0, W}, "amount of time"},
    {{CUE_AGG, AGG_SUM, O}, "total|sum|sum of|totals|overall|combined|total sum of"},
    {{CUE_AGG, AGG_SUM, F}, "how much"},
    {{CUE_AGG, AGG_AVG, O}, "average|averages|avg|mean|the average|on average"},
    {{CUE_SUPER, SUPER_DESC, O}, "maximum|max|highest|largest|biggest|greatest"},
    {{CUE_SUPER, 0, O}, "minimum|min|lowest|smallest"},
    {{CUE_SUPER, SUPER_DESC | SUPER_COUNT, O},
     "most|most often|most frequently|most number of|largest number of|greatest number of|"
     "maximum number of|biggest number of"},
    {{CUE_SUPER, SUPER_COUNT, O},
     "least|fewest|least number of|fewest number of|smallest number of|minimum number of|least "
     "often"},
    {{CUE_SUPER, SUPER_DESC | SUPER_DATE, O}, "most recent|most recently|newest|latest"},
    {{CUE_SUPER, SUPER_DATE, O}, "oldest|earliest"},
    {{CUE_SUPER, SUPER_DESC | SUPER_PRICE, O},
     "most expensive|dearest|priciest|costliest|most costly"},
    {{CUE_SUPER, SUPER_PRICE, O}, "cheapest|least expensive"},
    {{CUE_SUPER, SUPER_DESC | SUPER_COMMON, F}, "most common|most frequent|commonest"},
    {{CUE_SUPER, SUPER_COMMON, F}, "least common|least frequent|rarest"},
    {{CUE_TOP, SUPER_DESC | SUPER_DATE, O}, "last"},
    {{CUE_TOP, SUPER_DATE, O}, "first"},
    {{CUE_TOP, SUPER_DESC, O}, "top"},
    {{CUE_TOP, 0, O}, "bottom"},
    {{CUE_COMPARE, OP_GT, F},
     "more than|greater than|higher than|larger than|bigger than|over|above|"
     "exceeding|exceed|exceeds|in excess of|>|more|higher"},
    {{CUE_COMPARE, OP_LT, F},
     "less than|fewer than|lower than|smaller than|below|under|<|fewer|less|lower"},
    {{CUE_COMPARE, OP_GE, F}, "at least|no less than|not less than|>=|or more|or above|or higher"},
    {{CUE_COMPARE, OP_LE, F},
     "at most|no more than|not more than|up to|or less|or fewer|or below|or lower|"
     "<="},
    {{CUE_BETWEEN, 0, F}, "between"},
    {{CUE_NEG, 0, F},
     "without a single|nobody|no one|nobody has|no one has|nobody ever|no one ever|none of|"
     "not a single|no single|never ever|"
     "no|without|never|not|don't|doesn't|didn't|haven't|hasn't|aren't|isn't|weren't|"
     "wasn't|not yet|not any|not have|neither|hadn't|won't|can't|cannot|couldn't|wouldn't|"
     "no longer|dont|doesnt|didnt|havent|hasnt|isnt|arent|wasnt|werent"},
    {{CUE_NEG, 0, O}, "lack|lacking"},
    {{CUE_MISSING, 0, W}, "missing|is missing"},
    {{CUE_MISSING, 0, F}, "is empty|is unknown"},
    {{CUE_PER, 0, F},
     "per|for each|for every|grouped by|broken down by|split by|group by|in each|"
     "of each|of every|at each|by each|in every"},
    {{CUE_BY, 0, F}, "by"},
    {{CUE_EACH, 0, F}, "each|every"},
    {{CUE_ORDER, 0, F},
     "sorted by|ordered by|order by|sort by|ranked by|in order of|in the order of"},
    {{CUE_ORDER, 1, F}, "in descending order of"},
    {{CUE_ORDER, 2, F}, "in ascending order of"},
    {{CUE_DIR, 1, F},
     "from most to least|most to least|from highest to lowest|from largest to smallest|"
     "highest to lowest|from high to low|most first|starting with the highest|from top to bottom|"
     "starting with the largest|starting with the most|newest to oldest|largest to smallest|"
     "from newest to oldest|"
     "descending|desc|in descending order|highest first|largest first|newest first|"
     "latest first|most recent first|biggest first|most expensive first"},
    {{CUE_DIR, 0, F},
     "from least to most|least to most|from lowest to highest|from smallest to largest|"
     "lowest to highest|from low to high|fewest first|least first|starting with the lowest|"
     "oldest to newest|from oldest to newest|smallest to largest|starting with the smallest|"
     "ascending|asc|in ascending order|lowest first|smallest first|oldest first|"
     "earliest first|cheapest first"},
    {{CUE_DIR, 2, F},
     "alphabetically|in alphabetical order|alphabetical|in ascending alphabetical order|"
     "in alphabetic order|from a to z"},
    {{CUE_PREP, 0, F},
     "of|in|at|on|for|from|during|within|into|across|among|via|through|regarding|"
     "concerning|against|toward|towards|inside|onto|throughout"},
    {{CUE_COPULA, 0, F}, "is|are|was|were|would be|could be|might be"},
    {{CUE_AND, 0, F}, "and|&|as well as"},
    {{CUE_OR, 0, F}, "or|nor"},
    {{CUE_BOTH, 0, F}, "both"},
    {{CUE_BUT, 0, F}, "but"},
    {{CUE_COMMA, 0, F}, ","},
    {{CUE_RATIO, 0, O},
     "percentage of|percent of|share of|proportion of|fraction of|portion of|rate of|"
     "the percentage of all|the share of all"},
    {{CUE_DISTINCT, 0, O}, "different|distinct"},
    {{CUE_DISTINCT, 0, W}, "unique"},
    {{CUE_ZERO, 0, F},
     "with none|none|including zero|including none|including those with none|"
     "including those without|including ones with none|including"},
    {{CUE_GRAIN, GRAIN_DAY, W}, "day|daily|days"},
    {{CUE_GRAIN, GRAIN_MONTH, W}, "month|months|monthly|by month"},
    {{CUE_GRAIN, GRAIN_YEAR, W}, "year|years|yearly|annually|annual"},
    {{CUE_GRAIN, GRAIN_WEEK, W}, "week|weekly"},
    {{CUE_GRAIN, GRAIN_QUARTER, W}, "quarter|quarterly"},
    {{CUE_MINUS, 0, O}, "minus"},
    {{CUE_THAN_AVG, 0, F}, "than the average|than average|than usual|than the mean"},
    {{CUE_COMPARE, OP_GT | COMPARE_AVERAGE, F}, "above average|above the average|over the average"},
    {{CUE_COMPARE, OP_LT | COMPARE_AVERAGE, F},
     "below average|below the average|under the average"},
    {{CUE_TIMES, 200, F}, "twice|double|two times"},
    {{CUE_TIMES, 300, F}, "three times|triple|thrice"},
    {{CUE_TIMES, 400, F}, "four times"},
    {{CUE_TIMES, 50, F}, "half"},
    {{CUE_SAME, 0, F}, "same"},
    {{CUE_LIKE, LIKE_WITHIN, F},
     "contains the word|contain the word|containing the word|contains the text|contain the text|"
     "containing the text|contains the letter|contain the letter|containing the letter|"
     "contains the string|contain the string|containing the string|contains the letters|"
     "contain the letters|containing the letters|contains the substring|containing the substring|"
     "contain the substring|has the substring|have the substring|with the substring|"
     "includes the word|include the word|including the word|with the word|has the word|"
     "have the word|having the word|mention the word|mentions the word|with the letter"},
    {{CUE_LIKE, LIKE_FIRST, F},
     "starts with|start with|starting with|begins with|begin with|beginning with|starts with the "
     "letter|start with the letter|starting with the letter|begins with the letter|begin with the "
     "letter|beginning with the letter|starts with the word|begins with the word"},
    {{CUE_LIKE, LIKE_LAST, F},
     "ends with|end with|ending with|ends in|end in|ending in|ends with the letter|end with the "
     "letter|ending with the letter"},
    {{CUE_WRITE, 0, W},
     "delete|remove|insert|update|set|change|assign|create|add|drop|transfer|cancel|"
     "rename|move|send|pay|close|mark|schedule|approve|truncate|modify|increase|"
     "decrease|book a|book an|book me|reserve a|reserve an|reserve me"},
    {{CUE_SUPER, SUPER_DESC, O}, "longest"},
    {{CUE_SUPER, 0, O}, "shortest"},
    {{CUE_SUPER, SUPER_DESC, O}, "tallest"},
    {{CUE_SUPER, SUPER_DESC, O}, "heaviest"},
    {{CUE_SUPER, 0, O}, "lightest"},
    {{CUE_SUPER, 0, O}, "youngest"},
    {{CUE_SUPER, SUPER_DESC, O}, "fastest"},
    {{CUE_SUPER, 0, O}, "slowest"},
    {{CUE_COMPARE, OP_GT, F}, "longer than"},
    {{CUE_COMPARE, OP_LT, F}, "shorter than"},
    {{CUE_COMPARE, OP_GT, F}, "taller than"},
    {{CUE_COMPARE, OP_GT, F}, "heavier than"},
    {{CUE_COMPARE, OP_LT, F}, "lighter than"},
    {{CUE_COMPARE, OP_GT, F}, "older than"},
    {{CUE_COMPARE, OP_LT, F}, "younger than"},
    {{CUE_COMPARE, OP_GT, F}, "faster than"},
    {{CUE_COMPARE, OP_LT, F}, "slower than"},
    {{CUE_COMPARE, OP_GT, F}, "more expensive than"},
    {{CUE_COMPARE, OP_LT, F}, "cheaper than"},
    {{CUE_SKIP, 2, W}, "member|members"},
    {{CUE_VAGUE, SUPER_DESC, W}, "best|important|popular|big|good|many|large|high"},
    {{CUE_VAGUE, 0, W}, "worst|small|bad|few|low"},
    {{CUE_VAGUE, SUPER_DATE, W}, "recent|recently"},
    {{CUE_VAGUE, 0, F}, "only have|only has|only had|still work|still works|still working"},
    {{CUE_WHO, 0, W}, "people|persons"},
};
#undef F
#undef O
#undef W
#undef OF

/* Whether words[0..count) begin with the phrase; its number of words, or 0. */
static size_t match_phrase(struct str phrase, const struct str *words, size_t count)
{
    struct str rest = phrase;
    size_t n = 0;
    while (!str_is_absent(rest)) {
        struct str word = str_split(&rest, ' ');
        if (n == count || !str_equal(word, words[n]))
            return 0;
        n++;
    }
    return n;
}

const struct offline_phrase *english_words_phrase(const struct str *words, size_t count,
                                                  size_t *length)
{
    const struct offline_phrase *best = NULL;
    *length = 0;
    for (size_t i = 0; i < countof(rows) && count > 0; i++) {
        struct str rest = str_of(rows[i].phrases);
        while (!str_is_absent(rest)) {
            struct str phrase = str_split(&rest, '|');
            size_t n = phrase.at[0] == words[0].at[0] ? match_phrase(phrase, words, count) : 0;
            if (n <= *length)
                continue;
            *length = n;
            best = &rows[i].does;
        }
    }
    return best != NULL && best->cue != CUE_NONE ? best : NULL;
}
