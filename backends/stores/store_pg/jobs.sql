-- SPDX-License-Identifier: MIT
-- jobs.sql - the verbs of core/store about jobs, which are due at a time. Part of the DO block.

CREATE OR REPLACE FUNCTION askd_store.v7_job(j askd_store.jobs)
RETURNS askd_store.v1_row LANGUAGE sql AS $f$
    SELECT ROW ('job', j.version, j.due_ms, j.began_ms, j.changed_ms, NULL, NULL, NULL,
                j.conversation, j.company, j.caller, j.kind, j.job_id, j.bytes, NULL, NULL
               )::askd_store.v1_row
$f$;

-- One at a time for a user, so that the number of jobs is kept to most.
CREATE OR REPLACE FUNCTION askd_store.v7_put(key1 bytea, key2 bytea, key3 bytea, of_kind bytea, id bytea,
    new_due bigint, new_bytes bytea, expected bigint, most bigint, new_token bytea)
RETURNS SETOF askd_store.v1_row LANGUAGE plpgsql AS $f$
DECLARE
    j askd_store.jobs;
    now_ms bigint := askd_store.v1_now();
    code text := 'ok';
BEGIN
    IF expected = 0 THEN
        PERFORM pg_advisory_xact_lock(hashtextextended(encode(key2 || '/' || key3, 'hex'), 6100271738));
    END IF;
    SELECT * INTO j FROM askd_store.jobs WHERE kind = of_kind AND job_id = id FOR UPDATE;
    IF j.token = new_token THEN -- sent again: the first answer was lost
        RETURN NEXT askd_store.v1_answer('ok');
        RETURN NEXT askd_store.v7_job(j);
        RETURN;
    ELSIF expected > 0 AND (j.job_id IS NULL OR j.company <> key2 OR j.caller <> key3) THEN
        code := 'not_found';
    ELSIF j.version <> expected THEN
        code := 'conflict';
    ELSIF j.job_id IS NULL AND most > 0 AND most <= (SELECT count(*) FROM askd_store.jobs x
        WHERE x.company = key2 AND x.caller = key3 AND x.kind = of_kind) THEN
        code := 'busy';
    ELSIF j.job_id IS NULL THEN
        INSERT INTO askd_store.jobs VALUES (of_kind, id, key1, key2, key3, 1, new_due, now_ms, now_ms,
            new_bytes, new_token) ON CONFLICT DO NOTHING RETURNING * INTO j;
        IF j.job_id IS NULL THEN -- another user's came between
            code := 'conflict';
        END IF;
    ELSE
        UPDATE askd_store.jobs SET conversation = key1, version = version + 1, due_ms = new_due,
            changed_ms = now_ms, bytes = new_bytes, token = new_token
            WHERE kind = of_kind AND job_id = id RETURNING * INTO j;
    END IF;
    RETURN NEXT askd_store.v1_answer(code);
    IF code = 'ok' THEN
        RETURN NEXT askd_store.v7_job(j);
    END IF;
END $f$;

CREATE OR REPLACE FUNCTION askd_store.v7_take(of_kind bytea, lease_ms bigint)
RETURNS SETOF askd_store.v1_row LANGUAGE plpgsql AS $f$
DECLARE
    j askd_store.jobs;
    now_ms bigint := askd_store.v1_now();
BEGIN
    SELECT * INTO j FROM askd_store.jobs WHERE kind = of_kind AND due_ms > 0 AND due_ms <= now_ms
        ORDER BY due_ms LIMIT 1 FOR UPDATE SKIP LOCKED;
    IF j.job_id IS NULL THEN
        RETURN NEXT askd_store.v1_answer('not_found');
        RETURN;
    END IF;
    UPDATE askd_store.jobs SET version = version + 1, due_ms = now_ms + lease_ms, changed_ms = now_ms,
        token = '' WHERE kind = of_kind AND job_id = j.job_id RETURNING * INTO j;
    RETURN NEXT askd_store.v1_answer('ok');
    RETURN NEXT askd_store.v7_job(j);
END $f$;

CREATE OR REPLACE FUNCTION askd_store.v7_jobs(key1 bytea, key2 bytea, key3 bytea, of_kind bytea,
    id bytea, most bigint)
RETURNS SETOF askd_store.v1_row LANGUAGE plpgsql AS $f$
DECLARE
    j askd_store.jobs;
BEGIN
    RETURN NEXT askd_store.v1_answer('ok');
    FOR j IN SELECT * FROM askd_store.jobs x WHERE x.kind = of_kind AND (id = '' OR x.job_id = id) AND
        (key1 = '' OR x.conversation = key1) AND (key2 = '' OR x.company = key2) AND
        (key3 = '' OR x.caller = key3) ORDER BY x.began_ms DESC, x.job_id LIMIT most
    LOOP
        RETURN NEXT askd_store.v7_job(j);
    END LOOP;
END $f$;

CREATE OR REPLACE FUNCTION askd_store.v7_drop(key1 bytea, key2 bytea, key3 bytea, of_kind bytea,
    id bytea, expected bigint)
RETURNS SETOF askd_store.v1_row LANGUAGE plpgsql AS $f$
DECLARE
    j askd_store.jobs;
BEGIN
    SELECT * INTO j FROM askd_store.jobs x WHERE x.kind = of_kind AND x.job_id = id AND
        (key1 = '' OR x.conversation = key1) AND (key2 = '' OR x.company = key2) AND
        (key3 = '' OR x.caller = key3) FOR UPDATE;
    IF j.job_id IS NULL THEN
        RETURN NEXT askd_store.v1_answer('not_found');
    ELSIF expected > 0 AND j.version <> expected THEN
        RETURN NEXT askd_store.v1_answer('conflict');
    ELSE
        DELETE FROM askd_store.jobs WHERE kind = of_kind AND job_id = id;
        RETURN NEXT askd_store.v1_answer('ok');
    END IF;
END $f$;
