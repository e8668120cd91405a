/* SPDX-License-Identifier: MIT */
/* agents/common/prompt.h - prompt sets: read from files, checked, replaced whole; {field} is
 * substituted.
 *
 * A prompt file holds sections that begin with a line "### system" or "### user"; {name} stands for
 * a field, {{ and }} for braces. A field that stands between <data> and </data> cannot close that
 * block: each "<" of its value is rendered as "&lt;". Every placeholder must be a field that the
 * prompt's node renders: a set with a mistake is refused, and the caller keeps the one it has.
 * Immutable once loaded; any thread. */
#ifndef AGENTS_COMMON_PROMPT_H
#define AGENTS_COMMON_PROMPT_H

#include "backends/llm.h"

struct prompt_set;

enum { PROMPT_MAX_FIELDS = 16 };

/* One prompt: name "folder/name" is the file folder/prompts/name.txt; fields are those that the
 * node of the prompt renders, NULL after the last. */
struct prompt_spec {
    const char *name;
    const char *fields[PROMPT_MAX_FIELDS];
};

struct prompt_list {
    const struct prompt_spec *specs; /* static */
    size_t count;
};

/* Read every prompt of the lists from the folder dir. Lists are borrowed for the call, specs are
 * kept. ERR_INVALID: every mistake of every file. Blocking: start-up and reload only. */
MUST_USE enum err_code prompt_set_load(const char *dir, const struct prompt_list *lists,
                                       size_t list_count, struct prompt_set **out, struct err *err);
/* NULL is fine. */
void prompt_set_destroy(struct prompt_set *set);
/* Whether the time or size of a prompt file differs from when the set was loaded. A few stat calls.
 */
bool prompt_set_changed(const struct prompt_set *set);

/* A prompt that stands in no file of the set: any placeholder is one, and whoever renders it looks
 * at prompt_field first. Immutable; lives as long as the arena it was made in. */
struct prompt;

/* Cut a text with sections, as a file has it, or with is_plain a text without sections, which is
 * one. The text must live as long as the arena. NULL: err says what is wrong (ERR_INVALID), or
 * there is no memory. */
const struct prompt *prompt_make(struct str text, bool is_plain, struct arena *arena,
                                 struct err *err);
/* The name of the i-th placeholder; absent: there are no more. A name may come twice. */
struct str prompt_field(const struct prompt *prompt, size_t i);
/* As prompt_render, of a prompt that was made. */
struct llm_message *prompt_write(const struct prompt *prompt, const struct llm_field *fields,
                                 size_t field_count, size_t extra_messages, struct arena *arena,
                                 size_t *count, size_t *extra_at);
/* The text of a plain prompt; absent: the arena is spent. */
struct str prompt_text(const struct prompt *prompt, const struct llm_field *fields,
                       size_t field_count, struct arena *arena);

/* The messages of prompt name ("banking/intent_prompt") with fields filled in, in arena; room for
 * extra messages is left between the system section and the user section, at *extra_at. NULL: the
 * arena is spent. An unknown name is a CHECK. */
struct llm_message *prompt_render(const struct prompt_set *set, const char *name,
                                  const struct llm_field *fields, size_t field_count,
                                  size_t extra_messages, struct arena *arena, size_t *count,
                                  size_t *extra_at);

#endif
