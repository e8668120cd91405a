/* SPDX-License-Identifier: MIT */
/* agents/offline/words.c - the tables: phrases and what they do.
 *
 * Happy path: a lookup finds its row. Failure: it finds none and says so; no state, no memory. */
#include "agents/offline/words.h"

#define F RANK_FUNCTION
#define O RANK_OPERATOR
#define W RANK_WEAK

/* Longest match wins, so order does not matter. */
static const struct offline_phrase phrases[] = {
    {"the", CUE_SKIP, 0, F}, {"a", CUE_SKIP, 0, F}, {"an", CUE_SKIP, 0, F},
    {"all", CUE_SKIP, 0, F}, {"any", CUE_SKIP, 0, F}, {"me", CUE_SKIP, 0, F},
    {"us", CUE_SKIP, 0, F}, {"i", CUE_SKIP, 0, F}, {"we", CUE_SKIP, 0, F},
    {"our", CUE_SKIP, 0, F}, {"my", CUE_SKIP, 0, F}, {"please", CUE_SKIP, 0, F},
    {"there", CUE_SKIP, 0, F}, {"do", CUE_SKIP, 0, F}, {"does", CUE_SKIP, 0, F},
    {"did", CUE_SKIP, 0, F}, {"their", CUE_SKIP, 0, F}, {"its", CUE_SKIP, 0, F},
    {"his", CUE_SKIP, 0, F}, {"her", CUE_SKIP, 0, F}, {"them", CUE_SKIP, 0, F},
    {"those", CUE_SKIP, 0, F}, {"these", CUE_SKIP, 0, F}, {"this", CUE_SKIP, 0, F},
    {"they", CUE_SKIP, 0, F}, {"it", CUE_SKIP, 0, F}, {"to", CUE_SKIP, 0, F},
    {"as", CUE_SKIP, 0, F}, {"also", CUE_SKIP, 0, F}, {"currently", CUE_SKIP, 0, F},
    {"some", CUE_SKIP, 0, F}, {"been", CUE_SKIP, 0, F}, {"be", CUE_SKIP, 0, F},
    {"can", CUE_SKIP, 0, F}, {"could", CUE_SKIP, 0, F}, {"you", CUE_SKIP, 0, F},
    {"want", CUE_SKIP, 0, F}, {"see", CUE_SKIP, 0, F}, {"need", CUE_SKIP, 0, F},
    {"would", CUE_SKIP, 0, F}, {"like", CUE_SKIP, 0, F}, {"know", CUE_SKIP, 0, F},
    {"in the system", CUE_SKIP, 0, F}, {"in the database", CUE_SKIP, 0, F},
    {"in total", CUE_SKIP, 0, F}, {"together", CUE_SKIP, 0, F}, {"only", CUE_SKIP, 0, F},
    {"in our system", CUE_SKIP, 0, F}, {"exactly", CUE_COMPARE, OP_EQ, F},
    {"details", CUE_SKIP, 0, W}, {"records", CUE_SKIP, 0, W}, {"entries", CUE_SKIP, 0, W},
    {"exist", CUE_SKIP, 0, W}, {"exists", CUE_SKIP, 0, W}, {"list of", CUE_SKIP, 0, W},
    {"have", CUE_REL, 0, F}, {"has", CUE_REL, 0, F}, {"had", CUE_REL, 0, F},
    {"make", CUE_BEGAN, 0, W}, {"made", CUE_BEGAN, 0, W}, {"makes", CUE_BEGAN, 0, W},
    {"work", CUE_BEGAN, 0, W}, {"works", CUE_BEGAN, 0, W}, {"worked", CUE_BEGAN, 0, W},
    {"working", CUE_BEGAN, 0, W}, {"belong", CUE_SKIP, 0, W}, {"belongs", CUE_SKIP, 0, W},
    {"belonging", CUE_SKIP, 0, W}, {"performed", CUE_BEGAN, 0, W}, {"done", CUE_BEGAN, 0, W},
    {"took place", CUE_BEGAN, 0, W}, {"happened", CUE_BEGAN, 0, W},
    {"conducted", CUE_BEGAN, 0, W}, {"carried out", CUE_BEGAN, 0, W},
    {"joined", CUE_BEGAN, 0, W}, {"signed up", CUE_BEGAN, 0, W},
    {"registered", CUE_BEGAN, 0, W}, {"opened", CUE_BEGAN, 0, W}, {"created", CUE_BEGAN, 0, W},
    {"added", CUE_BEGAN, 0, W}, {"placed", CUE_BEGAN, 0, W}, {"logged", CUE_BEGAN, 0, W},
    {"recorded", CUE_BEGAN, 0, W}, {"issued", CUE_BEGAN, 0, W}, {"submitted", CUE_BEGAN, 0, W},
    {"entered", CUE_BEGAN, 0, W}, {"join", CUE_BEGAN, 0, W}, {"place", CUE_BEGAN, 0, W},
    {"open", CUE_BEGAN, 0, W}, {"sign up", CUE_BEGAN, 0, W}, {"register", CUE_BEGAN, 0, W},
    {"log", CUE_BEGAN, 0, W}, {"listed", CUE_SKIP, 1, W}, {"stored", CUE_SKIP, 1, W},
    {"include", CUE_REL, 0, W}, {"includes", CUE_REL, 0, W}, {"contain", CUE_REL, 0, W},
    {"contains", CUE_REL, 0, W}, {"containing", CUE_REL, 0, W}, {"own", CUE_REL, 0, W},
    {"owns", CUE_REL, 0, W}, {"hold", CUE_REL, 0, W}, {"holds", CUE_REL, 0, W},
    {"assigned", CUE_SKIP, 1, W}, {"installed", CUE_SKIP, 1, W}, {"located", CUE_SKIP, 1, W},
    {"based", CUE_SKIP, 1, W}, {"owned", CUE_SKIP, 1, W}, {"held", CUE_SKIP, 1, W},
    {"called", CUE_SKIP, 0, W}, {"named", CUE_SKIP, 0, W}, {"marked", CUE_SKIP, 1, W},
    {"related", CUE_SKIP, 0, W}, {"associated", CUE_SKIP, 0, W}, {"corresponding", CUE_SKIP, 0, W},
    {"respective", CUE_SKIP, 0, W}, {"involved", CUE_SKIP, 1, W}, {"taken", CUE_SKIP, 1, W},
    {"perform", CUE_BEGAN, 0, W}, {"conduct", CUE_BEGAN, 0, W}, {"record", CUE_BEGAN, 0, W},
    {"items", CUE_SKIP, 0, W}, {"place an", CUE_BEGAN, 0, W}, {"receive", CUE_SKIP, 0, W},
    {"received", CUE_SKIP, 1, W}, {"equals", CUE_COMPARE, OP_EQ, O},
    {"equal to", CUE_COMPARE, OP_EQ, O},
    {"show", CUE_SHOW, 0, O}, {"list", CUE_SHOW, 0, O}, {"give", CUE_SHOW, 0, O},
    {"display", CUE_SHOW, 0, O}, {"find", CUE_SHOW, 0, O}, {"get", CUE_SHOW, 0, O},
    {"return", CUE_SHOW, 0, W}, {"tell", CUE_SHOW, 0, O}, {"print", CUE_SHOW, 0, W},
    {"retrieve", CUE_SHOW, 0, O}, {"fetch", CUE_SHOW, 0, O}, {"pull up", CUE_SHOW, 0, O},
    {"what", CUE_WHICH, 0, F}, {"which", CUE_WHICH, 0, F}, {"what's", CUE_WHICH, 0, F},
    {"who", CUE_WHO, 0, F}, {"whom", CUE_WHO, 0, F},
    {"how many", CUE_COUNT, 0, F}, {"number of", CUE_COUNT, 0, O}, {"count of", CUE_COUNT, 0, O},
    {"count", CUE_COUNT, 0, O}, {"total number of", CUE_COUNT, 0, O}, {"counts", CUE_COUNT, 0, O},
    {"the number of", CUE_COUNT, 0, O}, {"total count of", CUE_COUNT, 0, O},
    {"numbers of", CUE_COUNT, 0, O}, {"amount of time", CUE_NONE, 0, W},
    {"total", CUE_AGG, AGG_SUM, O}, {"sum", CUE_AGG, AGG_SUM, O}, {"sum of", CUE_AGG, AGG_SUM, O},
    {"totals", CUE_AGG, AGG_SUM, O}, {"overall", CUE_AGG, AGG_SUM, O},
    {"combined", CUE_AGG, AGG_SUM, O}, {"how much", CUE_AGG, AGG_SUM, F},
    {"total sum of", CUE_AGG, AGG_SUM, O}, {"average", CUE_AGG, AGG_AVG, O},
    {"averages", CUE_AGG, AGG_AVG, O}, {"avg", CUE_AGG, AGG_AVG, O}, {"mean", CUE_AGG, AGG_AVG, O},
    {"the average", CUE_AGG, AGG_AVG, O}, {"on average", CUE_AGG, AGG_AVG, O},
    {"maximum", CUE_SUPER, SUPER_DESC, O}, {"max", CUE_SUPER, SUPER_DESC, O},
    {"minimum", CUE_SUPER, 0, O}, {"min", CUE_SUPER, 0, O},
    {"highest", CUE_SUPER, SUPER_DESC, O}, {"largest", CUE_SUPER, SUPER_DESC, O},
    {"biggest", CUE_SUPER, SUPER_DESC, O}, {"greatest", CUE_SUPER, SUPER_DESC, O},
    {"lowest", CUE_SUPER, 0, O}, {"smallest", CUE_SUPER, 0, O},
    {"most", CUE_SUPER, SUPER_DESC | SUPER_COUNT, O},
    {"most often", CUE_SUPER, SUPER_DESC | SUPER_COUNT, O},
    {"most frequently", CUE_SUPER, SUPER_DESC | SUPER_COUNT, O},
    {"least", CUE_SUPER, SUPER_COUNT, O}, {"fewest", CUE_SUPER, SUPER_COUNT, O},
    {"most recent", CUE_SUPER, SUPER_DESC | SUPER_DATE, O},
    {"most recently", CUE_SUPER, SUPER_DESC | SUPER_DATE, O},
    {"newest", CUE_SUPER, SUPER_DESC | SUPER_DATE, O},
    {"latest", CUE_SUPER, SUPER_DESC | SUPER_DATE, O},
    {"oldest", CUE_SUPER, SUPER_DATE, O}, {"earliest", CUE_SUPER, SUPER_DATE, O},
    {"most expensive", CUE_SUPER, SUPER_DESC | SUPER_PRICE, O},
    {"priciest", CUE_SUPER, SUPER_DESC | SUPER_PRICE, O},
    {"costliest", CUE_SUPER, SUPER_DESC | SUPER_PRICE, O},
    {"most costly", CUE_SUPER, SUPER_DESC | SUPER_PRICE, O},
    {"cheapest", CUE_SUPER, SUPER_PRICE, O}, {"least expensive", CUE_SUPER, SUPER_PRICE, O},
    {"last", CUE_TOP, SUPER_DESC | SUPER_DATE, O}, {"first", CUE_TOP, SUPER_DATE, O},
    {"top", CUE_TOP, SUPER_DESC, O}, {"bottom", CUE_TOP, 0, O},
    {"more than", CUE_COMPARE, OP_GT, F}, {"greater than", CUE_COMPARE, OP_GT, F},
    {"higher than", CUE_COMPARE, OP_GT, F}, {"larger than", CUE_COMPARE, OP_GT, F},
    {"bigger than", CUE_COMPARE, OP_GT, F}, {"over", CUE_COMPARE, OP_GT, F},
    {"above", CUE_COMPARE, OP_GT, F}, {"exceeding", CUE_COMPARE, OP_GT, F},
    {"exceed", CUE_COMPARE, OP_GT, F}, {"exceeds", CUE_COMPARE, OP_GT, F},
    {"in excess of", CUE_COMPARE, OP_GT, F}, {">", CUE_COMPARE, OP_GT, F},
    {"less than", CUE_COMPARE, OP_LT, F}, {"fewer than", CUE_COMPARE, OP_LT, F},
    {"lower than", CUE_COMPARE, OP_LT, F}, {"smaller than", CUE_COMPARE, OP_LT, F},
    {"below", CUE_COMPARE, OP_LT, F}, {"under", CUE_COMPARE, OP_LT, F},
    {"<", CUE_COMPARE, OP_LT, F},
    {"at least", CUE_COMPARE, OP_GE, F}, {"no less than", CUE_COMPARE, OP_GE, F},
    {"not less than", CUE_COMPARE, OP_GE, F}, {">=", CUE_COMPARE, OP_GE, F},
    {"or more", CUE_COMPARE, OP_GE, F}, {"or above", CUE_COMPARE, OP_GE, F},
    {"or higher", CUE_COMPARE, OP_GE, F}, {"at most", CUE_COMPARE, OP_LE, F},
    {"no more than", CUE_COMPARE, OP_LE, F}, {"not more than", CUE_COMPARE, OP_LE, F},
    {"up to", CUE_COMPARE, OP_LE, F}, {"or less", CUE_COMPARE, OP_LE, F},
    {"or fewer", CUE_COMPARE, OP_LE, F}, {"or below", CUE_COMPARE, OP_LE, F},
    {"or lower", CUE_COMPARE, OP_LE, F}, {"<=", CUE_COMPARE, OP_LE, F},
    {"=", CUE_COMPARE, OP_EQ, F}, {"more", CUE_COMPARE, OP_GT, F}, {"fewer", CUE_COMPARE, OP_LT, F},
    {"less", CUE_COMPARE, OP_LT, F}, {"higher", CUE_COMPARE, OP_GT, F},
    {"lower", CUE_COMPARE, OP_LT, F}, {"than", CUE_SKIP, 0, F}, {"between", CUE_BETWEEN, 0, F},
    {"no", CUE_NEG, 0, F}, {"without", CUE_NEG, 0, F}, {"never", CUE_NEG, 0, F},
    {"not", CUE_NEG, 0, F}, {"don't", CUE_NEG, 0, F}, {"doesn't", CUE_NEG, 0, F},
    {"didn't", CUE_NEG, 0, F}, {"haven't", CUE_NEG, 0, F}, {"hasn't", CUE_NEG, 0, F},
    {"aren't", CUE_NEG, 0, F}, {"isn't", CUE_NEG, 0, F}, {"weren't", CUE_NEG, 0, F},
    {"wasn't", CUE_NEG, 0, F}, {"lack", CUE_NEG, 0, O}, {"lacking", CUE_NEG, 0, O},
    {"not yet", CUE_NEG, 0, F}, {"not any", CUE_NEG, 0, F}, {"not have", CUE_NEG, 0, F},
    {"missing", CUE_MISSING, 0, W}, {"is missing", CUE_MISSING, 0, W},
    {"is empty", CUE_MISSING, 0, F}, {"is unknown", CUE_MISSING, 0, F},
    {"per", CUE_PER, 0, F}, {"for each", CUE_PER, 0, F}, {"for every", CUE_PER, 0, F},
    {"grouped by", CUE_PER, 0, F}, {"broken down by", CUE_PER, 0, F}, {"split by", CUE_PER, 0, F},
    {"group by", CUE_PER, 0, F}, {"in each", CUE_PER, 0, F}, {"of each", CUE_PER, 0, F},
    {"of every", CUE_PER, 0, F}, {"at each", CUE_PER, 0, F}, {"by each", CUE_PER, 0, F},
    {"in every", CUE_PER, 0, F}, {"by", CUE_BY, 0, F}, {"each", CUE_EACH, 0, F},
    {"every", CUE_EACH, 0, F}, {"sorted by", CUE_ORDER, 0, F}, {"ordered by", CUE_ORDER, 0, F},
    {"order by", CUE_ORDER, 0, F}, {"sort by", CUE_ORDER, 0, F}, {"ranked by", CUE_ORDER, 0, F},
    {"in order of", CUE_ORDER, 0, F}, {"in descending order of", CUE_ORDER, 1, F},
    {"in ascending order of", CUE_ORDER, 2, F}, {"descending", CUE_DIR, 1, F},
    {"desc", CUE_DIR, 1, F}, {"in descending order", CUE_DIR, 1, F},
    {"highest first", CUE_DIR, 1, F},
    {"largest first", CUE_DIR, 1, F}, {"newest first", CUE_DIR, 1, F},
    {"latest first", CUE_DIR, 1, F}, {"most recent first", CUE_DIR, 1, F},
    {"biggest first", CUE_DIR, 1, F}, {"most expensive first", CUE_DIR, 1, F},
    {"ascending", CUE_DIR, 0, F}, {"asc", CUE_DIR, 0, F}, {"in ascending order", CUE_DIR, 0, F},
    {"lowest first", CUE_DIR, 0, F}, {"smallest first", CUE_DIR, 0, F},
    {"oldest first", CUE_DIR, 0, F}, {"earliest first", CUE_DIR, 0, F},
    {"cheapest first", CUE_DIR, 0, F}, {"alphabetically", CUE_DIR, 2, F},
    {"in alphabetical order", CUE_DIR, 2, F}, {"that", CUE_REL, 0, F}, {"whose", CUE_REL, 0, F},
    {"where", CUE_REL, 0, F}, {"with", CUE_REL, 0, F}, {"having", CUE_REL, 0, F},
    {"along with", CUE_REL, 0, F}, {"together with", CUE_REL, 0, F}, {"of", CUE_PREP, 0, F},
    {"in", CUE_PREP, 0, F}, {"at", CUE_PREP, 0, F}, {"on", CUE_PREP, 0, F}, {"for", CUE_PREP, 0, F},
    {"from", CUE_PREP, 0, F}, {"during", CUE_PREP, 0, F}, {"within", CUE_PREP, 0, F},
    {"into", CUE_PREP, 0, F}, {"across", CUE_PREP, 0, F}, {"among", CUE_PREP, 0, F},
    {"is", CUE_COPULA, 0, F}, {"are", CUE_COPULA, 0, F}, {"was", CUE_COPULA, 0, F},
    {"were", CUE_COPULA, 0, F}, {"and", CUE_AND, 0, F}, {"&", CUE_AND, 0, F},
    {"as well as", CUE_AND, 0, F}, {"or", CUE_OR, 0, F}, {"either", CUE_SKIP, 0, F},
    {"both", CUE_BOTH, 0, F}, {"but", CUE_BUT, 0, F}, {",", CUE_COMMA, 0, F},
    {"percentage of", CUE_RATIO, 0, O}, {"percent of", CUE_RATIO, 0, O},
    {"share of", CUE_RATIO, 0, O}, {"proportion of", CUE_RATIO, 0, O},
    {"fraction of", CUE_RATIO, 0, O}, {"different", CUE_DISTINCT, 0, O},
    {"distinct", CUE_DISTINCT, 0, O}, {"unique", CUE_DISTINCT, 0, W},
    {"with none", CUE_ZERO, 0, F}, {"none", CUE_ZERO, 0, F},
    {"including zero", CUE_ZERO, 0, F}, {"including none", CUE_ZERO, 0, F},
    {"including those with none", CUE_ZERO, 0, F}, {"including those without", CUE_ZERO, 0, F},
    {"including ones with none", CUE_ZERO, 0, F}, {"including", CUE_ZERO, 0, F},
    {"day", CUE_GRAIN, GRAIN_DAY, W}, {"daily", CUE_GRAIN, GRAIN_DAY, W},
    {"days", CUE_GRAIN, GRAIN_DAY, W}, {"month", CUE_GRAIN, GRAIN_MONTH, W},
    {"months", CUE_GRAIN, GRAIN_MONTH, W}, {"monthly", CUE_GRAIN, GRAIN_MONTH, W},
    {"by month", CUE_GRAIN, GRAIN_MONTH, W}, {"year", CUE_GRAIN, GRAIN_YEAR, W},
    {"years", CUE_GRAIN, GRAIN_YEAR, W}, {"yearly", CUE_GRAIN, GRAIN_YEAR, W},
    {"annually", CUE_GRAIN, GRAIN_YEAR, W}, {"annual", CUE_GRAIN, GRAIN_YEAR, W},
    {"week", CUE_GRAIN, GRAIN_WEEK, W}, {"weekly", CUE_GRAIN, GRAIN_WEEK, W},
    {"quarter", CUE_GRAIN, GRAIN_QUARTER, W}, {"quarterly", CUE_GRAIN, GRAIN_QUARTER, W},
    {"minus", CUE_MINUS, 0, O}, {"than the average", CUE_THAN_AVG, 0, F},
    {"than average", CUE_THAN_AVG, 0, F}, {"above average", CUE_COMPARE, OP_GT | 64, F},
    {"below average", CUE_COMPARE, OP_LT | 64, F},
    {"above the average", CUE_COMPARE, OP_GT | 64, F},
    {"below the average", CUE_COMPARE, OP_LT | 64, F},
    {"over the average", CUE_COMPARE, OP_GT | 64, F},
    {"under the average", CUE_COMPARE, OP_LT | 64, F},
    {"delete", CUE_WRITE, 0, W}, {"remove", CUE_WRITE, 0, W}, {"insert", CUE_WRITE, 0, W},
    {"update", CUE_WRITE, 0, W}, {"set", CUE_WRITE, 0, W}, {"change", CUE_WRITE, 0, W},
    {"assign", CUE_WRITE, 0, W}, {"create", CUE_WRITE, 0, W}, {"add", CUE_WRITE, 0, W},
    {"drop", CUE_WRITE, 0, W}, {"transfer", CUE_WRITE, 0, W}, {"cancel", CUE_WRITE, 0, W},
    {"rename", CUE_WRITE, 0, W}, {"move", CUE_WRITE, 0, W}, {"send", CUE_WRITE, 0, W},
    {"pay", CUE_WRITE, 0, W}, {"close", CUE_WRITE, 0, W}, {"mark", CUE_WRITE, 0, W},
    {"schedule", CUE_WRITE, 0, W}, {"approve", CUE_WRITE, 0, W}, {"truncate", CUE_WRITE, 0, W},
    {"modify", CUE_WRITE, 0, W}, {"increase", CUE_WRITE, 0, W}, {"decrease", CUE_WRITE, 0, W},
    {"best", CUE_VAGUE, 0, W}, {"worst", CUE_VAGUE, 0, W}, {"recent", CUE_VAGUE, 0, W},
    {"recently", CUE_VAGUE, 0, W}, {"important", CUE_VAGUE, 0, W}, {"popular", CUE_VAGUE, 0, W},
    {"big", CUE_VAGUE, 0, W}, {"small", CUE_VAGUE, 0, W}, {"good", CUE_VAGUE, 0, W},
    {"bad", CUE_VAGUE, 0, W}, {"many", CUE_VAGUE, 0, W}, {"few", CUE_VAGUE, 0, W},
    {"large", CUE_VAGUE, 0, W}, {"high", CUE_VAGUE, 0, W}, {"low", CUE_VAGUE, 0, W},
};
#undef F
#undef O
#undef W

/* Whether words[0..count) begin with the phrase; its number of words, or 0. */
static size_t match_phrase(const char *phrase, const struct str *words, size_t count)
{
    struct str rest = str_of(phrase);
    size_t n = 0;
    while (!str_is_absent(rest)) {
        struct str word = str_split(&rest, ' ');
        if (n == count || !str_equal(word, words[n]))
            return 0;
        n++;
    }
    return n;
}

const struct offline_phrase *offline_words_phrase(const struct str *words, size_t count,
                                                  size_t *length)
{
    const struct offline_phrase *best = NULL;
    *length = 0;
    for (size_t i = 0; i < countof(phrases); i++) {
        if (count == 0 || phrases[i].words[0] != words[0].at[0])
            continue;
        size_t n = match_phrase(phrases[i].words, words, count);
        if (n > *length) {
            *length = n;
            best = &phrases[i];
        }
    }
    return best != NULL && best->cue != CUE_NONE ? best : NULL;
}
