/* SPDX-License-Identifier: MIT */
/* server/wiring/schema_indexing.c - one index run at a time; the newest knowledge wins.
 *
 * Happy path: the index run compares, writes what changed, and logs it. Failure paths: no store or
 * no catalog: nothing is done; the index run fails: a line in the log; newer knowledge meanwhile:
 * the index run is cancelled, and the next one begins at its end. */
#include "server/wiring/schema_indexing.h"

#include <inttypes.h>
#include <stdio.h>

static void on_indexed(struct op *op);

/* Name the source of the passages after the address of the database, without user and password. */
static void start(struct schema_indexing *keeping, struct knowledge_pin *pin)
{
    struct str url = str_of(keeping->url);
    ptrdiff_t at = str_find_char(url, '@');
    snprintf(keeping->source, sizeof keeping->source, "%016" PRIx64,
             str_hash(at == STR_NONE ? url : str_from(url, (size_t)at + 1)));
    const struct schema_index_of of = {pin->set->schema, str_of(keeping->source)};
    keeping->pin = pin;
    pin->runs++;
    op_release(&keeping->run.op);
    schema_index_start(&keeping->run, keeping->has, &of,
                       (struct op_waiter){.done = on_indexed, .owner = keeping});
}

static void on_indexed(struct op *op)
{
    struct schema_indexing *keeping = op_owner(op);
    struct knowledge_pin *pin = keeping->pin, *next = keeping->next;
    const struct log *log = keeping->has->log;
    keeping->next = keeping->pin = NULL;
    if (op->err.code != ERR_OK && op->err.code != ERR_CANCELLED)
        LOG(log, WARN, "schema.not_indexed", "code=%s reason=\"%s\"", err_name(op->err.code),
            op->err.text);
    else if (op->err.code == ERR_OK && keeping->run.passage_count > 0)
        LOG(log, INFO, "schema.indexed", "passages=%zu", keeping->run.passage_count);
    if (knowledge_unpin(pin))
        keeping->on_unpinned(keeping->owner, pin);
    if (next != NULL)
        start(keeping, next);
}

void schema_indexing_know(struct schema_indexing *keeping, struct knowledge_pin *pin)
{
    bool has_work =
        pin->set->schema != NULL && keeping->has->vec != NULL && keeping->has->embed != NULL;
    keeping->next = NULL;
    if (keeping->pin != NULL) {
        keeping->next = has_work ? pin : NULL;
        op_cancel(&keeping->run.op);
        return;
    }
    if (has_work)
        start(keeping, pin);
}

void schema_indexing_stop(struct schema_indexing *keeping)
{
    keeping->next = NULL;
    if (keeping->pin != NULL)
        op_cancel(&keeping->run.op);
}
