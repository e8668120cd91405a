/* SPDX-License-Identifier: MIT */
/* server/schedules/delivery.c - a small JSON object. Failure: bytes that are none of ours. */
#include "server/schedules/delivery.h"

#include "proto/json_value.h"
#include "proto/json_write.h"

enum { MOST_ATTEMPTS = 8, GROWTH = 4, LONGEST_MS = 6 * 3600 * 1000, HUNDRED = 100 };

bool delivery_write(const struct delivery *delivery, struct str id, uint64_t due_ms,
                    struct buf *out, struct store_put *put)
{
    struct json_write json;
    json_write_init(&json, out);
    json_write_object(&json);
    json_write_member_str(&json, STR("key"), delivery->run_key);
    if (delivery->schedule_id.len > 0)
        json_write_member_str(&json, STR("schedule"), delivery->schedule_id);
    json_write_member_str(&json, STR("url"), delivery->url);
    json_write_member_u64(&json, STR("attempts"), delivery->attempts);
    json_write_object_end(&json);
    *put = (struct store_put){.job = {.key = delivery->key,
                                      .kind = STR(DELIVERY_KIND),
                                      .job_id = id,
                                      .due_ms = due_ms,
                                      .bytes = buf_str(out)}};
    return buf_ok(out);
}

enum err_code delivery_read(const struct store_job *job, struct arena *arena,
                            struct delivery *delivery, struct err *err)
{
    const struct json_value *root = json_value_parse(arena, job->bytes, NULL, NULL);
    int64_t attempts = 0;
    *delivery = (struct delivery){.key = job->key, .schedule_id = STR("")};
    if (json_value_str(root, "/key", &delivery->run_key, NULL) != ERR_OK ||
        json_value_str(root, "/url", &delivery->url, NULL) != ERR_OK ||
        json_value_i64(root, "/attempts", &attempts, NULL) != ERR_OK || attempts < 0)
        return err_set(err, ERR_PROTOCOL, "the delivery is not one that this version writes");
    delivery->attempts = (uint64_t)attempts;
    if (json_value_str(root, "/schedule", &delivery->schedule_id, NULL) == ERR_INVALID)
        return err_set(err, ERR_PROTOCOL, "the delivery is not one that this version writes");
    return ERR_OK;
}

uint64_t delivery_pause_ms(uint64_t attempts, uint64_t first_ms, uint64_t chance)
{
    uint64_t ms = first_ms;
    if (attempts >= MOST_ATTEMPTS)
        return 0;
    for (uint64_t i = 1; i < attempts && ms < LONGEST_MS; i++)
        ms *= GROWTH;
    ms = ms < LONGEST_MS ? ms : LONGEST_MS;
    return ms * (HUNDRED - chance % 41 + 20) / HUNDRED + 1; /* from four fifths to six fifths */
}
