/* SPDX-License-Identifier: MIT */
/* agents/prompt.h - prompt sets from files, checked, swapped whole; {field} substitution.
 *
 * A prompt file holds sections that begin with a line "### system" or "### user"; {name} stands
 * for a field, {{ and }} for braces. Every placeholder must be a field its node renders: a set
 * with a mistake is refused and the last good one stays. Immutable once loaded; any thread. */
#ifndef AGENTS_PROMPT_H
#define AGENTS_PROMPT_H

#include "backends/llm.h"

struct prompt_set;

enum { PROMPT_MAX_FIELDS = 12 };

/* Read every prompt of every graph from dir/<graph>/prompts/<name>.txt. ERR_INVALID: every
 * mistake, file and line. Blocking: start-up and reload only. */
MUST_USE enum err_code prompt_set_load(const char *dir, struct prompt_set **out, struct err *err);
/* NULL is fine. */
void prompt_set_destroy(struct prompt_set *set);
/* Whether a file's time or size differs from when it was loaded. A few stat calls. */
bool prompt_set_changed(const struct prompt_set *set);

/* The messages of prompt name ("banking/intent_prompt") with fields filled in, in arena; room for
 * extra messages is left between the system section and the user section, at *extra_at. NULL: the
 * arena is spent. An unknown name is a CHECK. */
struct llm_message *prompt_render(const struct prompt_set *set, const char *name,
                                  const struct llm_field *fields, size_t field_count,
                                  size_t extra_messages, struct arena *arena, size_t *count,
                                  size_t *extra_at);

#endif
