/* SPDX-License-Identifier: MIT */
/* server/language/sentences.c - forms with places are held against a text; the most particular one
 * that fits is said.
 *
 * Happy path: the whole text has a form; else each of its sentences is looked up by itself. What
 * stands in the places is looked up in turn.
 * Failure: no form fits: the text stays. Places within places end at MAX_DEPTH. */
#include "server/language/sentences.h"

#include "core/base/defs.h"

enum { MAX_PLACES = 9, MAX_DEPTH = 3, MAX_TEXT = 4096 };

struct places {
    struct str at[MAX_PLACES];
};

static bool is_place(const char *at)
{
    return at[0] == '{' && at[1] >= '1' && at[1] <= '9' && at[2] == '}';
}

/* The words of form from *at to its next place or its end; *at moves behind them. */
static struct str take_words(const char **at)
{
    const char *begin = *at;
    while (**at != '\0' && !is_place(*at))
        ++*at;
    return str_make(begin, (size_t)(*at - begin));
}

/* Whether text has the form: each run of words is looked for behind the one before, the last one at
 * the end. *words: how many bytes of it are the form's own. */
static bool has_form(const char *form, struct str text, struct places *places, size_t *words)
{
    struct str piece = take_words(&form);
    if (!str_starts_with(text, piece))
        return false;
    *words = piece.len;
    text = str_from(text, piece.len);
    while (*form != '\0') {
        size_t place = (size_t)(form[1] - '1');
        form += 3;
        piece = take_words(&form);
        bool is_last = *form == '\0';
        ptrdiff_t found = piece.len == 0               ? (is_last ? (ptrdiff_t)text.len : 0)
                          : !is_last                   ? str_find(text, piece)
                          : str_ends_with(text, piece) ? (ptrdiff_t)(text.len - piece.len)
                                                       : STR_NONE;
        if (found == STR_NONE)
            return false;
        places->at[place] = str_slice(text, 0, (size_t)found);
        text = str_from(text, (size_t)found + piece.len);
        *words += piece.len;
    }
    return text.len == 0;
}

/* The form that has most words of its own; NULL: none fits. Each token of a stream is looked up,
 * but among the few answers alone. */
static const struct sentence *find(struct str text, bool is_answer, struct places *places)
{
    const struct sentence *best = NULL;
    size_t most = 0, end = is_answer ? sentences_answers : sentences_codes;
    for (size_t i = 0; i < end; i++) {
        const struct sentence *one = &sentences_table[i];
        struct places here = {0};
        size_t words;
        if (!has_form(one->said, text, &here, &words) || words <= most)
            continue;
        most = words;
        best = one;
        *places = here;
    }
    return best;
}

static bool say_whole(enum language language, struct str text, bool is_answer, unsigned depth,
                      struct buf *out)
{
    struct places places = {0};
    const struct sentence *sentence = depth < MAX_DEPTH ? find(text, is_answer, &places) : NULL;
    if (sentence == NULL)
        return false;
    for (const char *at = sentence->in[language]; *at != '\0';) {
        buf_push(out, take_words(&at));
        if (*at == '\0')
            break;
        struct str value = places.at[at[1] - '1'];
        if (!say_whole(language, value, false, depth + 1, out))
            buf_push(out, value);
        at += 3;
    }
    return true;
}

/* Cut the first sentence, with what ends it, off *rest; what is between it and the next one goes to
 * *gap. */
static struct str take_sentence(struct str *rest, struct str *gap)
{
    size_t end = 0, next;
    for (; end < rest->len; end++) {
        bool ends = rest->at[end] == '.' || rest->at[end] == '?' || rest->at[end] == '!';
        if (rest->at[end] == '\n' || (ends && end + 2 < rest->len && rest->at[end + 1] == ' ' &&
                                      rest->at[end + 2] >= 'A' && rest->at[end + 2] <= 'Z')) {
            end += ends;
            break;
        }
    }
    struct str sentence = str_slice(*rest, 0, end);
    for (next = end; next < rest->len && str_is_blank(rest->at[next]);)
        next++;
    *gap = str_slice(*rest, end, next);
    *rest = str_from(*rest, next);
    return sentence;
}

static bool say(enum language language, struct str text, bool is_answer, struct buf *out)
{
    struct str rest = text, gap;
    size_t mark = buf_len(out);
    bool knows = false;
    if (language == LANGUAGE_EN || text.len == 0 || text.len > MAX_TEXT)
        return false;
    if (say_whole(language, text, is_answer, 0, out))
        return true;
    while (rest.len > 0) {
        struct str sentence = take_sentence(&rest, &gap);
        bool is_first = buf_len(out) == mark;
        bool is_said = sentence.len < text.len && /* else it was looked up */
                       say_whole(language, sentence, is_answer && is_first, 0, out);
        if (!is_said)
            buf_push(out, sentence);
        buf_push(out, gap);
        knows = knows || is_said;
        if (is_answer && !knows)
            break;
    }
    if (!knows)
        buf_truncate(out, mark);
    return knows;
}

bool sentences_say(enum language language, struct str text, struct buf *out)
{
    return say(language, text, false, out);
}

bool sentences_say_answer(enum language language, struct str text, struct buf *out)
{
    return say(language, text, true, out);
}

bool sentences_say_error(enum language language, struct str code, struct str text, struct buf *out)
{
    if (say(language, text, false, out))
        return true;
    for (size_t i = sentences_codes; i < sentences_count && language != LANGUAGE_EN; i++)
        if (str_equal(code, str_of(sentences_table[i].said))) {
            buf_push(out, str_of(sentences_table[i].in[language]));
            if (text.len > 0)
                buf_printf(out, " (%.*s)", STR_ARG(text));
            return true;
        }
    return false;
}
