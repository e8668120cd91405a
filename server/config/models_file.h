/* SPDX-License-Identifier: MIT */
/* server/config/models_file.h - models.json: named models of any provider, and which of them answer
 * which task, in order.
 *
 * docs/models.md tells of its members. Read with the settings; immutable after; any thread. */
#ifndef SERVER_CONFIG_MODELS_FILE_H
#define SERVER_CONFIG_MODELS_FILE_H

#include "backends/llm.h"
#include "core/base/buf.h"
#include "proto/models/model_traits.h"

enum { MODELS_FILE_MODELS = 16, MODELS_FILE_TASKS = 32 };

struct models_file_model {
    const char *name; /* in the file */
    enum model_wire wire;
    const char *url, *model;
    const char *key;          /* "": none is needed */
    const char *key_variable; /* "": none */
    const char *place;        /* of url, for errors: "/models/NAME/url in models.json" */
    const char *api_version, *reasoning_effort;
    uint64_t max_output_tokens; /* 0: as asked for */
    struct model_traits traits;
    struct llm_prices prices;
};

struct models_file_task {
    const char *task; /* "sql", "sql_generation", ...; NULL: all others */
    unsigned char models[MODELS_FILE_MODELS];
    size_t count;
};

struct models_file {
    struct models_file_model models[MODELS_FILE_MODELS];
    size_t model_count;
    struct models_file_task tasks[MODELS_FILE_TASKS]; /* the first is that of all others */
    size_t task_count;
};

struct models_file_source {
    const char *path;
    struct arena *arena; /* all is made here */
    /* The value of a variable; absent: it is not set. */
    struct str (*find)(void *owner, const char *name);
    void *owner;
    const char *azure_api_version; /* where the file says none */
};

/* Read the file. NULL: problems has a line for each mistake, with its JSON pointer. */
const struct models_file *models_file_read(const struct models_file_source *source,
                                           struct buf *problems);
/* The models of a task: its own, else those of its group, else those of all others. */
const struct models_file_task *models_file_task_for(const struct models_file *file,
                                                    const char *task);
/* The tasks of prompts, one after another; NULL: there are no more. */
const char *models_file_task_at(size_t i);
/* The group that a task is in: "sql" for "sql_correction". NULL: none. */
const char *models_file_group(const char *task);

#endif
