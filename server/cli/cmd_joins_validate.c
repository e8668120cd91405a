/* SPDX-License-Identifier: MIT */
/* server/cli/cmd_joins_validate.c - configuration, a loop, the model, the review, and all closed
 * again.
 *
 * Happy path: doubtful relationships are judged batch by batch; after each the caller saves the
 * graph, so that a validation that was stopped goes on where it was.
 * Failure paths: configuration is wrong (said on stderr), no model, no memory, the model's errors;
 * a graph that cannot be saved cancels the review. */
#include "server/cli/cmd_joins_validate.h"

#include <limits.h>
#include <stdio.h>
#include <string.h>
#include <unistd.h>

#include "agents/graphs.h"
#include "server/cli/cli.h"
#include "server/wiring/knowledge.h"
#include "server/wiring/wiring.h"

struct validating {
    const struct cmd_joins_validate_options *options;
    struct loop *loop;
    struct prompt_set *prompts;
    struct join_graph_review review;
    bool kept;
};

static void on_reviewed(struct op *op)
{
    struct validating *v = op_owner(op);
    loop_stop(v->loop);
}

static void say(const struct join_graph_review *review)
{
    size_t done = review->confirmed + review->refused + review->unclear + review->unanswered;
    if (isatty(STDERR_FILENO))
        fprintf(stderr, "\r%zu of %zu: %zu confirmed, %zu refused, %zu unclear, %zu unanswered ",
                done, review->doubtful, review->confirmed, review->refused, review->unclear,
                review->unanswered);
    else
        fprintf(stderr,
                "{\"doubtful\":%zu,\"done\":%zu,\"confirmed\":%zu,\"refused\":%zu,"
                "\"unclear\":%zu,\"unanswered\":%zu}\n",
                review->doubtful, done, review->confirmed, review->refused, review->unclear,
                review->unanswered);
}

static void on_batch(void *owner, const struct join_graph_review *review)
{
    struct validating *v = owner;
    say(review);
    if (v->kept && !v->options->keep(v->options->owner)) {
        v->kept = false;
        op_cancel(&v->review.op);
    }
}

static void stop_loop(void *owner)
{
    loop_stop(owner);
}

/* The prompts of the configuration: ERR_INVALID with every mistake in them. */
static enum err_code read_prompts(const struct config *config, struct prompt_set **prompts,
                                  struct err *err)
{
    char room[PATH_MAX];
    return graphs_load_prompts(knowledge_prompt_dir(config, room, sizeof room), prompts, err);
}

static enum err_code review(struct validating *v, const struct config *config,
                            struct join_graph *graph, struct err *err)
{
    const struct log log = {.level = LOG_WARN, .format = config->log_format};
    struct wiring wiring;
    const struct join_graph_review_options options = {
        .prompts = v->prompts, .below = v->options->below, .on_batch = on_batch, .owner = v};
    enum err_code code =
        wiring_open(&wiring, v->loop, config, &log, &(struct wiring_share){.workers = 1}, err);
    if (code == ERR_OK)
        code = llm_ready(wiring.llm, err);
    if (code == ERR_OK) {
        join_graph_review_start(&v->review, graph, wiring.llm, &options,
                                (struct op_waiter){.done = on_reviewed, .owner = v});
        loop_run(v->loop);
        *err = v->review.op.err;
        op_release(&v->review.op);
        if (isatty(STDERR_FILENO))
            fputc('\n', stderr);
    }
    wiring_close(&wiring, stop_loop, v->loop);
    loop_run(v->loop);
    return err->code;
}

enum err_code cmd_joins_validate(struct join_graph *graph,
                                 const struct cmd_joins_validate_options *options, struct err *err)
{
    struct validating v = {.options = options, .kept = true};
    const struct cli cli = {.env_file = ".env"};
    err->code = ERR_OK;
    if (join_graph_doubtful(graph, options->below) == 0)
        return ERR_OK;
    struct config *config = cli_load_config(&cli);
    if (config == NULL)
        return err_set(err, ERR_INVALID, "the configuration is wrong");
    if (strcmp(config->model, "offline") == 0)
        err_set(err, ERR_NOT_CONFIGURED,
                "%zu relationships are doubtful, and there is no model to judge them: ASKD_MODEL "
                "is offline",
                join_graph_doubtful(graph, options->below));
    else if ((v.loop = loop_create()) == NULL)
        err_set(err, ERR_NO_MEMORY, "no memory or no descriptors for a loop");
    else if (read_prompts(config, &v.prompts, err) == ERR_OK)
        err->code = review(&v, config, graph, err);
    if (v.loop != NULL)
        loop_destroy(v.loop);
    prompt_set_destroy(v.prompts);
    config_destroy(config);
    return err->code;
}
