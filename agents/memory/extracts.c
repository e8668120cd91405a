/* SPDX-License-Identifier: MIT */
/* agents/memory/extracts.c - goes line by line and keeps as many of the newest lines as fit.
 *
 * Happy path: lines are made into a buffer, then counted from the end. Failure: a full buffer. */
#include "agents/memory/extracts.h"

enum { QUESTION_BYTES = 160, ANSWER_BYTES = 160, LINE_BYTES = 400, TEXT_BYTES = 64 * 1024 };
enum { LEFT_OUT_BYTES = 48 }; /* room for saying so */

static void push_line(struct buf *out, const char *role, struct str text)
{
    text = str_utf8_prefix(str_trim(text), EXTRACTS_LINE_BYTES);
    buf_push(out, str_of(role));
    for (size_t i = 0; i < text.len; i++)
        buf_push_char(out, (unsigned char)text.at[i] < ' ' ? ' ' : text.at[i]);
    buf_push_char(out, '\n');
}

void extracts_push_turn(struct buf *out, struct str question, struct str answer)
{
    push_line(out, "user: ", question);
    push_line(out, "assistant: ", answer);
}

/* Up to the first full stop that ends a sentence. */
static struct str first_sentence(struct str text)
{
    for (size_t i = 0; i + 1 < text.len; i++)
        if ((text.at[i] == '.' || text.at[i] == '!' || text.at[i] == '?') &&
            str_is_blank(text.at[i + 1]))
            return str_slice(text, 0, i + 1);
    return text;
}

/* "Question? Answer." a line, or the line as it is. */
static void push_extracts(struct str conversation, struct buf *out)
{
    const struct str user = STR("user: "), assistant = STR("assistant: ");
    while (!str_is_absent(conversation)) {
        struct str line = str_trim(str_split(&conversation, '\n'));
        bool answers = str_starts_with(line, assistant);
        if (str_starts_with(line, user)) {
            line = str_utf8_prefix(str_from(line, user.len), QUESTION_BYTES);
        } else if (answers) {
            line = first_sentence(str_from(line, assistant.len));
            line = str_utf8_prefix(line, ANSWER_BYTES);
            if (buf_len(out) > 0) { /* behind its question */
                buf_truncate(out, buf_len(out) - 1);
                buf_push_char(out, ' ');
            }
        }
        if (line.len == 0)
            continue;
        buf_push(out, str_utf8_prefix(line, LINE_BYTES));
        buf_push_char(out, '\n');
    }
}

void extracts_sum_up(struct str conversation, size_t max_bytes, struct buf *out)
{
    const struct str left_out = STR("(What was said before is left out.)\n");
    struct buf lines;
    buf_init(&lines, TEXT_BYTES);
    push_extracts(conversation, &lines);
    struct str text = str_trim(buf_str(&lines));
    if (str_starts_with(text, str_trim(left_out)))
        text = str_trim(str_from(text, left_out.len - 1));
    if (text.len > max_bytes) {
        size_t from = text.len - (max_bytes - LEFT_OUT_BYTES);
        while (from < text.len && text.at[from - 1] != '\n')
            from++;
        buf_push(out, left_out);
        text = str_from(text, from);
    }
    buf_push(out, text);
    buf_fini(&lines);
}
