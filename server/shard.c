/* SPDX-License-Identifier: MIT */
/* server/shard.c - which shard has what, and letters between shards.
 *
 * Happy path: a letter is opened by one shard after the other, each of which sends it on.
 * Failure paths:
 * - a shard that stops may send no more: the letter ends there;
 * - no memory for a letter that cancels: the run goes on to its end. */
#include "server/shard.h"

#include <string.h>

#include "core/base/mem.h"

size_t shard_of_run(const struct shard *shard, struct str run_id)
{
    unsigned index;
    return id_run_worker(run_id, &index) ? index : shard->group->count;
}

size_t shard_of_conversation(const struct shard *shard, struct str conversation_id)
{
    return conversation_id.len == 0 ? shard->index
                                    : str_hash(conversation_id) % shard->group->count;
}

void shard_count(const struct shard *shard, enum meter meter, int64_t amount)
{
    meters_add(shard->group->meters, shard->metrics, meter, amount);
}

/* ---- to all at once ---- */

struct cancel_letter {
    struct letter letter;
    struct runs *runs; /* of whom it is sent to */
    const char *why;
    char call[];
};

static void open_cancel(struct letter *letter, void *receiver)
{
    struct cancel_letter *cancel = container_of(letter, struct cancel_letter, letter);
    (void)receiver;
    runs_cancel_call(cancel->runs, str_of(cancel->call), cancel->why);
    mem_free(cancel);
}

void shard_cancel_call(const struct shard *shard, struct str call, const char *why)
{
    for (size_t i = 0; i < shard->group->count; i++) {
        const struct shard *to = shard->group->shards[i];
        struct cancel_letter *cancel = mem_zalloc(1, sizeof *cancel + call.len + 1);
        if (cancel == NULL)
            return;
        cancel->runs = to->runs;
        cancel->why = why;
        memcpy(cancel->call, call.at, call.len);
        inbox_send(to->inbox, &cancel->letter, open_cancel);
    }
}

/* ---- from one to the next ---- */

static void open_next(struct letter *letter, void *receiver);

static void send_on(struct shard_letter *letter)
{
    const struct shard_group *group = letter->at->group;
    letter->at = group->shards[(letter->at->index + 1) % group->count];
    inbox_send(letter->at->inbox, &letter->letter, open_next);
}

static void open_next(struct letter *sealed, void *receiver)
{
    struct shard_letter *letter = container_of(sealed, struct shard_letter, letter);
    (void)receiver;
    if (letter->at->stopping) {
        letter->end(letter, NULL);
    } else if (letter->at == letter->home) {
        letter->end(letter, letter->home);
    } else {
        letter->visit(letter, letter->at);
        send_on(letter);
    }
}

void shard_send_around(struct shard *home, struct shard_letter *letter)
{
    letter->home = letter->at = home;
    letter->visit(letter, home);
    if (home->group->count == 1)
        letter->end(letter, home);
    else
        send_on(letter);
}
