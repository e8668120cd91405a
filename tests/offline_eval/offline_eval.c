/* SPDX-License-Identifier: MIT */
/* tests/offline_eval/offline_eval.c - the offline engine over a file of questions.
 *
 *   offline_eval DATABASE.sqlite 2025-06-30 < questions.jsonl > answers.jsonl
 *
 * Reads {"id","question",...} lines, writes {"id","sql","reason"}: sql null when it abstains. */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "proto/json_value.h"
#include "proto/json_write.h"
#include "tests/offline_eval/database.h"

enum { LINE_BYTES = 1 << 16, ARENA_BYTES = 8 << 20 };

static void answer_line(const struct database *world, struct str line)
{
    struct arena arena;
    struct buf out;
    struct json_write writer;
    struct str id = STR(""), question = STR("");
    struct offline_answer *answer;
    arena_init(&arena, ARENA_BYTES);
    const struct json_value *value = json_value_parse(&arena, line, NULL, NULL);
    if (json_value_str(value, "/id", &id, NULL) != ERR_OK ||
        json_value_str(value, "/question", &question, NULL) != ERR_OK ||
        offline_question_read(&world->source, question, &arena, &answer) != ERR_OK) {
        arena_fini(&arena);
        return;
    }
    buf_init(&out, LINE_BYTES);
    json_write_init(&writer, &out);
    json_write_object(&writer);
    json_write_member_str(&writer, STR("id"), id);
    json_write_key(&writer, STR("sql"));
    if (answer->understood)
        json_write_str(&writer, answer->sql);
    else
        json_write_null(&writer);
    json_write_member_str(&writer, STR("reason"), str_of(answer->cannot));
    json_write_object_end(&writer);
    printf("%.*s\n", STR_ARG(buf_str(&out)));
    buf_fini(&out);
    arena_fini(&arena);
}

int main(int argc, char **argv)
{
    static char line[LINE_BYTES];
    struct database world = {0};
    if (argc != 3 || !database_open(&world, argv[1], argv[2])) {
        fprintf(stderr, "usage: %s DATABASE YYYY-MM-DD < questions.jsonl\n", argv[0]);
        return 2;
    }
    while (fgets(line, sizeof line, stdin) != NULL)
        answer_line(&world, str_trim(str_make(line, strlen(line))));
    database_close(&world);
    return 0;
}
