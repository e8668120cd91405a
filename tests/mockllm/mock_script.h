/* SPDX-License-Identifier: MIT */
/* tests/mockllm/mock_script.h - scripted answers: a JSON-lines file, the first line that fits wins.
 *
 *   {"match": "How many", "reply": "SELECT count(*) FROM employee"}
 * match is a substring of the last user message or of the system text; "system" and "user" (both
 * optional) must be substrings of just that one. "times": how often the line may be used (to drive
 * retries: the first reply wrong, the next right). "fault": words of mock_plan. "task" is a label
 * for readers. An empty match fits everything.
 * "calls": [{"name": "run_sql", "arguments": {...}}]: the answer calls tools, after "reply", which
 * may then be absent; arguments may be a text, which is sent as it is. Such a line fits only where
 * tools are offered. "result": a substring of the results of tools at the end of the messages; a
 * line that has it fits only there. */
#ifndef TESTS_MOCKLLM_MOCK_SCRIPT_H
#define TESTS_MOCKLLM_MOCK_SCRIPT_H

#include "core/base/arena.h"
#include "core/base/err.h"
#include "proto/json_value.h"

struct mock_question {
    struct str system, user; /* all system text; the last user message */
    struct str results;      /* of tools, after the last answer; absent: there are none */
    bool has_tools;
};

struct mock_line {
    struct str match, system, user, reply, fault;
    struct str result;              /* absent: wherever */
    const struct json_value *calls; /* an array; NULL: none */
    int64_t times, used;            /* times -1: any number */
};

struct mock_script {
    struct arena arena;
    struct mock_line *lines;
    size_t count;
};

/* Read path; NULL: an empty script. ERR_NOT_FOUND: no file; ERR_INVALID names the line. */
MUST_USE enum err_code mock_script_load(struct mock_script *script, const char *path,
                                        struct err *err);
void mock_script_fini(struct mock_script *script);
/* The line for question, counted as used, or NULL. */
const struct mock_line *mock_script_find(struct mock_script *script,
                                         const struct mock_question *question);

#endif
