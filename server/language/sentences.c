/* SPDX-License-Identifier: MIT */
/* server/language/sentences.c - forms with places are held against a text; the most particular one
 * that fits is said.
 *
 * Happy path: the whole text has a form; else each of its sentences is looked up by itself. What
 * stands in the places is looked up in turn.
 * Failure: no form fits: the text stays. Places within places end at MAX_DEPTH. */
#include "server/language/sentences.h"

#include "core/base/defs.h"

enum {
    MAX_PLACES = 9,
    MAX_DEPTH = 3,
    MAX_PHRASES = 6,
    MAX_TEXT = 4096,
    OPTION_BYTES = 16384,
    UNLIKELY_IN_NAME = 8
};

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

static const char *form_of(const struct sentence *sentence, enum language language)
{
    return language == LANGUAGE_EN ? sentence->said : sentence->in[language];
}

/* As names and values may have. */
static bool has_capital(struct str text)
{
    for (size_t i = 0; i < text.len; i++)
        if (text.at[i] >= 'A' && text.at[i] <= 'Z')
            return true;
    return false;
}

/* The form of a part, as language says it, that has most words of its own; NULL: none fits. An
 * answer is one of the others, too; but each token of a stream is looked up, among the few answers
 * alone. A whole option has the first form of options; and where there may be a name, only phrases
 * that could hardly be within one are looked for. */
static const struct sentence *find(enum sentences_part part, enum language language, bool is_whole,
                                   struct str text, struct places *places)
{
    const bool is_option = part == SENTENCES_OPTIONS, is_named = is_option && has_capital(text);
    const size_t begin = part <= SENTENCES_OTHERS ? 0 : sentences_ends[part - 1];
    const size_t end = is_option && is_whole ? begin + 1 : sentences_ends[part];
    const struct sentence *best = NULL;
    size_t most = 0;
    for (size_t i = begin; i < end; i++) {
        const struct sentence *one = &sentences_table[i];
        const char *form = form_of(one, language);
        struct places here = {0};
        size_t words;
        if (!has_form(form, text, &here, &words) || words <= most ||
            (is_named && !is_whole && is_place(form) && words < UNLIKELY_IN_NAME))
            continue;
        most = words;
        best = one;
        *places = here;
    }
    return best;
}

static bool say_whole(enum language language, struct str text, enum sentences_part part,
                      unsigned depth, struct buf *out)
{
    struct places places = {0};
    const unsigned most = part == SENTENCES_OPTIONS ? MAX_PHRASES : MAX_DEPTH;
    const enum sentences_part within = part == SENTENCES_ANSWERS ? SENTENCES_OTHERS : part;
    const struct sentence *sentence =
        depth < most ? find(part, LANGUAGE_EN, depth == 0, text, &places) : NULL;
    if (sentence == NULL)
        return false;
    for (const char *at = sentence->in[language]; *at != '\0';) {
        buf_push(out, take_words(&at));
        if (*at == '\0')
            break;
        struct str value = places.at[at[1] - '1'];
        if (part == SENTENCES_QUESTIONS || !say_whole(language, value, within, depth + 1, out))
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

bool sentences_say_option(enum language language, struct str text, struct buf *out)
{
    struct buf said;
    buf_init(&said, OPTION_BYTES);
    const bool knows = language != LANGUAGE_EN && text.len <= MAX_TEXT &&
                       say_whole(language, text, SENTENCES_OPTIONS, 0, &said) && buf_ok(&said) &&
                       buf_len(&said) > 0;
    if (knows) {
        const char first = buf_str(&said).at[0];
        buf_push_char(out, first >= 'a' && first <= 'z' ? (char)(first - 'a' + 'A') : first);
        buf_push(out, str_from(buf_str(&said), 1));
    }
    buf_fini(&said);
    return knows;
}

/* Cut the first line off *rest, when it is known as a whole, or else its first sentence. */
static struct str take_known(struct str *rest, struct str *gap, enum sentences_part part)
{
    struct str lines = *rest, line = str_split(&lines, '\n');
    struct places places;
    if (line.len == rest->len || find(part, LANGUAGE_EN, true, line, &places) == NULL)
        return take_sentence(rest, gap);
    *gap = STR("\n");
    *rest = lines;
    return line;
}

/* "2.", before what is offered second. */
static bool is_numbering(struct str sentence)
{
    for (size_t i = 0; i + 1 < sentence.len; i++)
        if (!str_is_digit(sentence.at[i]))
            return false;
    return sentence.len > 1 && sentence.at[sentence.len - 1] == '.';
}

static bool say(enum language language, struct str text, enum sentences_part part, struct buf *out)
{
    struct str rest = text, gap;
    size_t mark = buf_len(out);
    const bool is_answer = part == SENTENCES_ANSWERS;
    bool knows = false, is_listed = false;
    if (language == LANGUAGE_EN || text.len == 0 || text.len > MAX_TEXT)
        return false;
    if (say_whole(language, text, part, 0, out))
        return true;
    while (rest.len > 0) {
        struct str sentence =
            take_known(&rest, &gap, buf_len(out) == mark ? part : SENTENCES_OTHERS);
        const bool is_first = buf_len(out) == mark;
        const enum sentences_part at = is_answer && is_first    ? SENTENCES_ANSWERS
                                       : is_answer && is_listed ? SENTENCES_OPTIONS
                                                                : SENTENCES_OTHERS;
        bool is_said = sentence.len < text.len && /* else it was looked up */
                       (at == SENTENCES_OPTIONS ? sentences_say_option(language, sentence, out)
                                                : say_whole(language, sentence, at, 0, out));
        if (!is_said)
            buf_push(out, sentence);
        buf_push(out, gap);
        knows = knows || is_said;
        is_listed = is_numbering(sentence);
        if (is_answer && !knows)
            break;
    }
    if (!knows)
        buf_truncate(out, mark);
    return knows;
}

bool sentences_say(enum language language, struct str text, struct buf *out)
{
    return say(language, text, SENTENCES_OTHERS, out);
}

bool sentences_say_answer(enum language language, struct str text, struct buf *out)
{
    return say(language, text, SENTENCES_ANSWERS, out);
}

bool sentences_say_error(enum language language, struct str code, struct str text, struct buf *out)
{
    if (say(language, text, SENTENCES_OTHERS, out))
        return true;
    for (size_t i = sentences_ends[SENTENCES_OTHERS];
         i < sentences_ends[SENTENCES_CODES] && language != LANGUAGE_EN; i++)
        if (str_equal(code, str_of(sentences_table[i].said))) {
            buf_push(out, str_of(sentences_table[i].in[language]));
            if (text.len > 0)
                buf_printf(out, " (%.*s)", STR_ARG(text));
            return true;
        }
    return false;
}

bool sentences_is_option(struct str option, struct str said)
{
    struct buf text;
    bool is = false;
    buf_init(&text, OPTION_BYTES);
    for (int language = LANGUAGE_EN + 1; language < LANGUAGE_COUNT && !is; language++) {
        buf_clear(&text);
        is = sentences_say_option((enum language)language, option, &text) && buf_ok(&text) &&
             str_equal_nocase(buf_str(&text), str_trim(said));
    }
    buf_fini(&text);
    return is;
}

bool sentences_say_question(enum language language, struct str text, struct buf *out)
{
    return language != LANGUAGE_EN && text.len <= MAX_TEXT &&
           say_whole(language, text, SENTENCES_QUESTIONS, 0, out);
}

bool sentences_read_question(struct str text, struct buf *out)
{
    text = str_trim(text);
    for (int language = LANGUAGE_EN + 1; language < LANGUAGE_COUNT && text.len <= MAX_TEXT;
         language++) {
        struct places places = {0};
        const struct sentence *sentence =
            find(SENTENCES_QUESTIONS, (enum language)language, true, text, &places);
        if (sentence == NULL)
            continue;
        for (const char *at = sentence->said; *at != '\0'; at += 3) {
            buf_push(out, take_words(&at));
            if (*at == '\0')
                break;
            buf_push(out, places.at[at[1] - '1']);
        }
        return true;
    }
    return false;
}
