/* SPDX-License-Identifier: MIT */
/* backends/vectors/vec_pg_wire.c - one table a collection, named by a hash, with one row a passage.
 *
 * Happy path: askd_vec lists the collections with their models; a collection's table is made with
 * its first points, and anew when it is empty and other vectors come. Nearness is the inner product
 * (<#>): of vectors of unit length it is the cosine, but unlike the cosine operator it has a value
 * for the zero vector, which its index can find too. Up to 2000 dimensions, the most it takes, an
 * HNSW index serves large tables; above there is none, and all rows are compared.
 * Failure: no memory; a request that passage_check refuses. */
#include "backends/vectors/vec_pg_wire.h"

#include <openssl/sha.h>
#include <stdio.h>

#include "backends/passages/passage_check.h"
#include "backends/passages/passage_json.h"
#include "backends/passages/passage_pg.h"

enum { CHANGE_BYTES = 256 << 20, TABLE_BYTES = 32, INDEXED_DIMENSIONS = 2000 };
enum { LEAST_WIDTH = 400, MOST_WIDTH = 1000 }; /* of the way through the index; 1000: its limit */

/* Under a lock of the transaction, since two may come first; its number is arbitrary. */
static const char lock_text[] = "SELECT pg_advisory_xact_lock(6100271735)";
static const char make_list_text[] =
    "DO $$ BEGIN PERFORM pg_advisory_xact_lock(6100271735);"
    " IF to_regclass('askd_vec') IS NULL THEN"
    " CREATE EXTENSION IF NOT EXISTS vector;"
    " CREATE TABLE askd_vec (collection text PRIMARY KEY, model text NOT NULL,"
    " dimensions int NOT NULL, passages text NOT NULL);"
    " END IF;";
/* From 0.8 on the way through the index goes on until enough rows pass the filters. */
static const char width_text[] =
    "SELECT set_config('hnsw.ef_search', $1, true),"
    " CASE WHEN string_to_array(extversion, '.')::int[] >= '{0,8}' THEN"
    " set_config('hnsw.iterative_scan', 'strict_order', true) ||"
    " set_config('hnsw.max_scan_tuples', '2147483647', true) END"
    " FROM pg_extension WHERE extname = 'vector'";
/* Fields that searches and removals filter by: the planner keeps statistics of columns only. */
static const char *const columns[] = {"company_id", "user_id", "kind", "document", NULL};

struct table { /* of a collection */
    char name[TABLE_BYTES];
};

static struct table name_table(struct str collection)
{
    struct table table = {"askd_vec_"};
    unsigned char hash[SHA256_DIGEST_LENGTH];
    size_t len = str_of(table.name).len;
    SHA256((const unsigned char *)collection.at, collection.len, hash);
    for (size_t i = 0; i < 8; i++)
        len += (size_t)snprintf(table.name + len, sizeof table.name - len, "%02x", hash[i]);
    return table;
}

/* What is held of the collection that is $1. */
static void add_kind(struct pg_passages_run *run, const struct table *table, struct str collection)
{
    struct passage_pg kind;
    passage_pg_begin(&kind, &run->arena, "SELECT model, dimensions, EXISTS (SELECT FROM ");
    buf_printf(&kind.text, "%s) FROM askd_vec WHERE collection = $1", table->name);
    passage_pg_put_str(&kind, collection);
    run->kind_step = run->task.count;
    passage_pg_end(&kind, &run->task);
}

/* ---- a search ---- */

enum err_code vec_pg_wire_search(struct pg_passages_run *run, const struct vec_query *query,
                                 struct err *err)
{
    struct passage_pg width, search;
    struct buf vector;
    run->task.count = 0;
    if (passage_check_vec_query(query, err) != ERR_OK)
        return err->code;
    if (passage_passes_none(query->filters, query->filter_count))
        return ERR_OK;
    const struct table table = name_table(query->collection);
    size_t most = query->top_k + VEC_PG_WIRE_TIES;
    passage_pg_begin(&width, &run->arena, width_text);
    passage_pg_put_u64(&width, size_min(MOST_WIDTH, size_max(LEAST_WIDTH, most)));
    passage_pg_end(&width, &run->task);
    add_kind(run, &table, query->collection);
    passage_pg_begin(&search, &run->arena,
                     "SELECT id, body, fields, -(embedding <#> $1::vector) FROM ");
    buf_printf(&search.text, "%s WHERE true", table.name);
    buf_init(&vector, PASSAGE_JSON_VECTOR_BYTES);
    passage_json_push_vector(&vector, query->vector, query->dimensions);
    passage_pg_put_buf(&search, &vector);
    passage_pg_put_u64(&search, most);
    passage_pg_push_filters(&search, query->filters, query->filter_count, columns);
    buf_push(&search.text, STR(" ORDER BY embedding <#> $1::vector LIMIT $2::int8"));
    passage_pg_end(&search, &run->task);
    return passage_pg_check(&run->arena, err);
}

/* ---- a change ---- */

static void push_make_table(struct buf *text, const struct table *table, size_t dimensions)
{
    buf_printf(text,
               " CREATE TABLE %s (id text COLLATE \"C\" PRIMARY KEY, body text NOT NULL,"
               " fields jsonb NOT NULL, embedding vector(%zu) NOT NULL",
               table->name, dimensions);
    for (size_t i = 0; columns[i] != NULL; i++)
        buf_printf(text, ", %s text NOT NULL", columns[i]);
    buf_printf(text, "); CREATE INDEX ON %s (company_id, user_id, document);", table->name);
    if (dimensions <= INDEXED_DIMENSIONS)
        buf_printf(text, " CREATE INDEX ON %s USING hnsw (embedding vector_ip_ops);", table->name);
}

/* The list and the table, unless they are there. */
static void add_making(struct pg_passages_run *run, const struct table *table, size_t dimensions)
{
    struct passage_pg make;
    passage_pg_begin(&make, &run->arena, make_list_text);
    buf_printf(&make.text, " IF to_regclass('%s') IS NULL THEN", table->name);
    push_make_table(&make.text, table, dimensions);
    buf_push(&make.text, STR(" END IF; END $$"));
    passage_pg_end(&make, &run->task);
}

/* An empty table takes the change's vectors, whatever it was made for. */
static void add_adapting(struct pg_passages_run *run, const struct table *table,
                         const struct vec_change *change)
{
    struct passage_pg adapt, list;
    passage_pg_begin(&adapt, &run->arena, "DO $$ BEGIN IF (SELECT atttypmod FROM pg_attribute");
    buf_printf(&adapt.text,
               " WHERE attrelid = '%s'::regclass AND attname = 'embedding') <> %zu"
               " AND NOT EXISTS (SELECT FROM %s) THEN DROP TABLE %s;",
               table->name, change->dimensions, table->name, table->name);
    push_make_table(&adapt.text, table, change->dimensions);
    buf_push(&adapt.text, STR(" END IF; END $$"));
    passage_pg_end(&adapt, &run->task);
    passage_pg_begin(&list, &run->arena,
                     "INSERT INTO askd_vec VALUES ($1, $2, $3::int, $4) ON CONFLICT (collection)"
                     " DO UPDATE SET model = excluded.model, dimensions = excluded.dimensions"
                     " WHERE NOT EXISTS (SELECT FROM ");
    buf_printf(&list.text, "%s)", table->name);
    passage_pg_put_str(&list, change->collection);
    passage_pg_put_str(&list, change->model);
    passage_pg_put_u64(&list, change->dimensions);
    passage_pg_put_str(&list, str_of(table->name));
    passage_pg_end(&list, &run->task);
}

/* Fails, and with it the transaction, unless vectors of the change belong here. */
static void add_guard(struct pg_passages_run *run, const struct vec_change *change)
{
    struct passage_pg guard;
    passage_pg_begin(&guard, &run->arena,
                     "SELECT 1 / count(*) FROM askd_vec"
                     " WHERE collection = $1 AND model = $2 AND dimensions = $3::int");
    passage_pg_put_str(&guard, change->collection);
    passage_pg_put_str(&guard, change->model);
    passage_pg_put_u64(&guard, change->dimensions);
    passage_pg_end(&guard, &run->task);
}

static void put_points(struct passage_pg *statement, const struct vec_change *change)
{
    struct buf text, vector;
    struct json_write json;
    buf_init(&text, CHANGE_BYTES);
    buf_init(&vector, PASSAGE_JSON_VECTOR_BYTES);
    json_write_init(&json, &text);
    json_write_array(&json);
    for (size_t i = 0; i < change->upsert_count && buf_ok(&text); i++) {
        const struct passage *passage = &change->upsert[i].passage;
        buf_clear(&vector);
        passage_json_push_vector(&vector, change->upsert[i].vector, change->dimensions);
        json_write_object(&json);
        json_write_member_str(&json, STR("id"), passage->id);
        json_write_member_str(&json, STR("body"), passage->text);
        json_write_member_str(&json, STR("embedding"),
                              buf_str(&vector)); /* as PostgreSQL reads it */
        json_write_key(&json, STR("fields"));
        passage_json_write_fields(&json, passage->fields, passage->field_count);
        json_write_object_end(&json);
        text.failed = text.failed || !buf_ok(&vector);
    }
    json_write_array_end(&json);
    buf_fini(&vector);
    passage_pg_put_buf(statement, &text);
}

/* The last of those that share an id holds. */
static void add_points(struct pg_passages_run *run, const struct table *table,
                       const struct vec_change *change)
{
    struct passage_pg upsert;
    passage_pg_begin(&upsert, &run->arena, "INSERT INTO ");
    buf_printf(&upsert.text, "%s (id, body, fields, embedding", table->name);
    for (size_t i = 0; columns[i] != NULL; i++)
        buf_printf(&upsert.text, ", %s", columns[i]);
    buf_push(&upsert.text, STR(") SELECT DISTINCT ON (p->>'id') p->>'id', p->>'body', p->'fields',"
                               " (p->>'embedding')::vector"));
    for (size_t i = 0; columns[i] != NULL; i++)
        buf_printf(&upsert.text, ", coalesce(p->'fields'->>'%s', '')", columns[i]);
    buf_push(&upsert.text, STR(" FROM jsonb_array_elements($1::jsonb) WITH ORDINALITY AS list(p, n)"
                               " ORDER BY p->>'id', n DESC ON CONFLICT (id) DO UPDATE SET"
                               " body = excluded.body, fields = excluded.fields,"
                               " embedding = excluded.embedding"));
    for (size_t i = 0; columns[i] != NULL; i++)
        buf_printf(&upsert.text, ", %s = excluded.%s", columns[i], columns[i]);
    put_points(&upsert, change);
    passage_pg_end(&upsert, &run->task);
}

static void add_removals(struct pg_passages_run *run, const struct table *table,
                         const struct vec_change *change)
{
    struct passage_pg removal;
    if (change->remove_count > 0) {
        passage_pg_begin(&removal, &run->arena, "DELETE FROM ");
        buf_printf(&removal.text, "%s WHERE id IN (SELECT jsonb_array_elements_text($1::jsonb))",
                   table->name);
        passage_pg_put_strings(&removal, change->remove_ids, change->remove_count);
        passage_pg_end(&removal, &run->task);
    }
    if (change->remove_filter_count > 0 &&
        !passage_passes_none(change->remove_filters, change->remove_filter_count)) {
        passage_pg_begin(&removal, &run->arena, "DELETE FROM ");
        buf_printf(&removal.text, "%s WHERE true", table->name);
        passage_pg_push_filters(&removal, change->remove_filters, change->remove_filter_count,
                                columns);
        passage_pg_end(&removal, &run->task);
    }
}

enum err_code vec_pg_wire_change(struct pg_passages_run *run, const struct vec_change *change,
                                 struct err *err)
{
    struct passage_pg lock;
    run->task.count = 0;
    if (passage_check_vec_change(change, err) != ERR_OK)
        return err->code;
    const struct table table = name_table(change->collection);
    run->kind_step = PG_TASK_MOST; /* nobody asks what is held, unless points come */
    if (change->upsert_count > 0) {
        add_making(run, &table, change->dimensions);
        add_removals(run, &table, change);
        add_adapting(run, &table, change);
        add_kind(run, &table, change->collection);
        add_guard(run, change);
        add_points(run, &table, change);
        return passage_pg_check(&run->arena, err);
    }
    passage_pg_begin(&lock, &run->arena, lock_text);
    passage_pg_end(&lock, &run->task);
    add_removals(run, &table, change);
    if (run->task.count == 1)
        run->task.count = 0; /* a lock alone changes nothing */
    return passage_pg_check(&run->arena, err);
}
