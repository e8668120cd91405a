-- runs.sql - the verbs of core/store about runs and their events, as functions. End of the DO block.

-- The run when it may still be written for by this instance at this epoch, locked; else no row.
CREATE OR REPLACE FUNCTION askd_store.v1_fenced(id bytea, by_instance bytea, at_epoch bigint)
RETURNS SETOF askd_store.runs LANGUAGE sql AS $f$
    SELECT * FROM askd_store.runs WHERE run_id = id AND instance = by_instance AND epoch = at_epoch AND
        status = 0 FOR UPDATE
$f$;

-- What the lock of a conversation's beginnings is called: lengths keep the names apart.
CREATE OR REPLACE FUNCTION askd_store.v5_lock(key1 bytea, key2 bytea, key3 bytea)
RETURNS bigint LANGUAGE sql IMMUTABLE AS $f$
    SELECT hashtextextended(length(key2) || ':' || length(key3) || ':' ||
        encode(key2 || key3 || key1, 'hex'), 6100271737)
$f$;

CREATE OR REPLACE FUNCTION askd_store.v5_begin(key1 bytea, key2 bytea, key3 bytea, id bytea,
    new_graph bytea,
    new_input bytea, new_key bytea, by_instance bytea, lease_ms bigint, alone boolean)
RETURNS SETOF askd_store.v1_row LANGUAGE plpgsql AS $f$
DECLARE
    r askd_store.runs;
    now_ms bigint := askd_store.v1_now();
BEGIN
    PERFORM pg_advisory_xact_lock(askd_store.v5_lock(key1, key2, key3));
    SELECT * INTO r FROM askd_store.runs WHERE run_id = id;
    IF r.run_id IS NOT NULL THEN -- sent again: the first answer was lost
        RETURN NEXT askd_store.v1_answer(CASE WHEN r.instance = by_instance THEN 'ok'
                                         ELSE 'conflict' END);
        RETURN NEXT askd_store.v1_run(r);
        RETURN;
    END IF;
    SELECT * INTO r FROM askd_store.runs x WHERE x.conversation = key1 AND
        x.company = key2 AND x.caller = key3 AND
        ((new_key <> '' AND x.idempotency_key = new_key) OR
         (alone AND key1 <> '' AND x.status <= 1))
        ORDER BY (new_key <> '' AND x.idempotency_key = new_key) DESC LIMIT 1;
    IF r.run_id IS NOT NULL THEN
        RETURN NEXT askd_store.v1_answer('conflict');
        RETURN NEXT askd_store.v1_run(r);
        RETURN;
    END IF;
    INSERT INTO askd_store.runs VALUES (id, key1, key2, key3, new_graph, new_input, new_key,
        by_instance, 1, now_ms, now_ms, now_ms + lease_ms, 0, 0, 0) RETURNING * INTO r;
    RETURN NEXT askd_store.v1_answer('ok');
    RETURN NEXT askd_store.v1_run(r);
END $f$;

-- When a run of the user that ends now has ended: behind all that ended before it, for whoever looks at
-- them one after the other. While the user has a job, ends come one at a time; whoever puts a first one
-- waits for those under way (7: v7_put).
CREATE OR REPLACE FUNCTION askd_store.v8_end(key2 bytea, key3 bytea)
RETURNS bigint LANGUAGE plpgsql AS $f$
DECLARE
    of_user text := encode(key2 || '/' || key3, 'hex');
BEGIN
    PERFORM pg_advisory_xact_lock_shared(hashtextextended(of_user, 6100271738));
    IF NOT EXISTS (SELECT FROM askd_store.jobs WHERE company = key2 AND caller = key3) THEN
        RETURN askd_store.v1_now();
    END IF;
    PERFORM pg_advisory_xact_lock(hashtextextended(of_user, 6100271742));
    RETURN greatest(askd_store.v1_now(), (SELECT max(changed_ms) + 1 FROM askd_store.runs
        WHERE company = key2 AND caller = key3 AND status > 1));
END $f$;

CREATE OR REPLACE FUNCTION askd_store.v8_resume(key1 bytea, key2 bytea, key3 bytea, id bytea,
    new_graph bytea,
    new_input bytea, new_key bytea, by_instance bytea, lease_ms bigint, alone boolean, paused_id bytea,
    at_step bigint, new_bytes bytea)
RETURNS SETOF askd_store.v1_row LANGUAGE plpgsql AS $f$
DECLARE
    old askd_store.runs;
    was_there boolean;
BEGIN
    PERFORM pg_advisory_xact_lock(askd_store.v5_lock(key1, key2, key3));
    was_there := EXISTS (SELECT FROM askd_store.runs WHERE run_id = id); -- sent again
    IF NOT was_there THEN
        SELECT * INTO old FROM askd_store.runs x WHERE x.run_id = paused_id AND
            askd_store.v1_is_of(x, '', key2, key3) FOR UPDATE;
        IF old.run_id IS NULL THEN
            RETURN NEXT askd_store.v1_answer('not_found');
            RETURN;
        ELSIF old.status <> 1 THEN
            RETURN NEXT askd_store.v1_answer('conflict');
            RETURN NEXT askd_store.v1_run(old);
            RETURN;
        END IF;
        UPDATE askd_store.runs SET status = 2, changed_ms = askd_store.v8_end(key2, key3)
            WHERE run_id = paused_id;
    END IF;
    RETURN QUERY SELECT * FROM askd_store.v5_begin(key1, key2, key3, id, new_graph, new_input, new_key,
        by_instance, lease_ms, alone);
    IF was_there THEN
        RETURN;
    ELSIF NOT EXISTS (SELECT FROM askd_store.runs WHERE run_id = id) THEN -- it has a rival
        UPDATE askd_store.runs SET status = 1, changed_ms = old.changed_ms WHERE run_id = paused_id;
    ELSE
        DELETE FROM askd_store.marks WHERE run_id = paused_id;
        INSERT INTO askd_store.marks VALUES (id, 1, askd_store.v1_now(), at_step, true, new_bytes);
    END IF;
END $f$;

-- The lock by which a session shows that instance lives, as pg_locks has it; who attends takes it as
-- (610027174, hashtext(encode(instance, 'hex'))).
CREATE OR REPLACE FUNCTION askd_store.v6_sign(of_instance bytea) RETURNS bigint LANGUAGE sql IMMUTABLE AS $f$
    SELECT hashtext(encode(of_instance, 'hex'))::bigint & 4294967295
$f$;

-- The leases of those who showed that they live and have not done so for a while are over. A session
-- that was cut has that while, 400 ms, to come again; when the server has started anew it cut all of
-- them, and all have 10 s. One judges at a time. by_instance, whose lock is held, is known from now on.
CREATE OR REPLACE FUNCTION askd_store.v6_end_leases(by_instance bytea, now_ms bigint)
RETURNS void LANGUAGE plpgsql AS $f$
DECLARE
    held bigint[];
BEGIN
    IF EXISTS (SELECT FROM askd_store.alive WHERE instance = by_instance AND gone_ms IS NULL) AND
       NOT EXISTS (SELECT FROM askd_store.runs x JOIN askd_store.alive USING (instance)
                   WHERE x.status = 0 AND x.lease_until_ms > now_ms AND instance <> by_instance) THEN
        RETURN;
    ELSIF NOT pg_try_advisory_xact_lock(6100271740) THEN
        RETURN;
    END IF;
    held := ARRAY(SELECT objid::bigint FROM pg_locks WHERE locktype = 'advisory' AND granted AND
                      classid = 610027174 AND objsubid = 2 AND
                      database = (SELECT oid FROM pg_database WHERE datname = current_database()));
    IF askd_store.v6_sign(by_instance) = ANY (held) THEN
        INSERT INTO askd_store.alive VALUES (by_instance, NULL) ON CONFLICT DO NOTHING;
    END IF;
    UPDATE askd_store.alive SET gone_ms = NULL
        WHERE gone_ms IS NOT NULL AND askd_store.v6_sign(instance) = ANY (held);
    IF clock_timestamp() > pg_postmaster_start_time() + interval '10 s' THEN
        UPDATE askd_store.alive SET gone_ms = now_ms
            WHERE gone_ms IS NULL AND askd_store.v6_sign(instance) <> ALL (held);
    END IF;
    UPDATE askd_store.runs SET lease_until_ms = now_ms WHERE status = 0 AND lease_until_ms > now_ms AND
        instance IN (SELECT instance FROM askd_store.alive WHERE gone_ms <= now_ms - 400);
    DELETE FROM askd_store.alive a WHERE a.gone_ms < now_ms - 60000 AND
        NOT EXISTS (SELECT FROM askd_store.runs x WHERE x.status = 0 AND x.instance = a.instance);
END $f$;

CREATE OR REPLACE FUNCTION askd_store.v6_claim(id bytea, by_instance bytea, lease_ms bigint)
RETURNS SETOF askd_store.v1_row LANGUAGE plpgsql AS $f$
DECLARE
    r askd_store.runs;
    now_ms bigint := askd_store.v1_now();
BEGIN
    PERFORM askd_store.v6_end_leases(by_instance, now_ms);
    IF id = '' THEN
        SELECT * INTO r FROM askd_store.runs WHERE status = 0 AND lease_until_ms <= now_ms
            ORDER BY lease_until_ms LIMIT 1 FOR UPDATE SKIP LOCKED;
    ELSE
        SELECT * INTO r FROM askd_store.runs WHERE run_id = id FOR UPDATE;
    END IF;
    IF r.run_id IS NULL THEN
        RETURN NEXT askd_store.v1_answer('not_found');
    ELSIF r.status <> 1 AND (r.status <> 0 OR r.lease_until_ms > now_ms) THEN
        RETURN NEXT askd_store.v1_answer('conflict');
    ELSE
        UPDATE askd_store.runs SET instance = by_instance, epoch = epoch + 1, status = 0,
            changed_ms = now_ms, lease_until_ms = now_ms + lease_ms
            WHERE run_id = r.run_id RETURNING * INTO r;
        RETURN NEXT askd_store.v1_answer('ok');
        RETURN NEXT askd_store.v1_run(r);
    END IF;
END $f$;

CREATE OR REPLACE FUNCTION askd_store.v1_renew(id bytea, by_instance bytea, at_epoch bigint,
    lease_ms bigint)
RETURNS SETOF askd_store.v1_row LANGUAGE plpgsql AS $f$
DECLARE
    r askd_store.runs;
    now_ms bigint := askd_store.v1_now();
BEGIN
    UPDATE askd_store.runs SET changed_ms = now_ms, lease_until_ms = now_ms + lease_ms
        WHERE run_id = id AND instance = by_instance AND epoch = at_epoch AND status = 0
        RETURNING * INTO r;
    IF r.run_id IS NULL THEN
        RETURN NEXT askd_store.v1_answer('conflict');
    ELSE
        RETURN NEXT askd_store.v1_answer('ok');
        RETURN NEXT askd_store.v1_run(r);
    END IF;
END $f$;

CREATE OR REPLACE FUNCTION askd_store.v8_finish(id bytea, by_instance bytea, at_epoch bigint,
    new_status bigint)
RETURNS SETOF askd_store.v1_row LANGUAGE plpgsql AS $f$
DECLARE
    of_run askd_store.runs;
    end_ms bigint := askd_store.v1_now();
BEGIN
    SELECT * INTO of_run FROM askd_store.runs WHERE run_id = id;
    IF of_run.conversation <> '' THEN -- of two that end at once the second sees the first
        PERFORM pg_advisory_xact_lock(askd_store.v5_lock(of_run.conversation, of_run.company,
            of_run.caller));
    END IF;
    IF new_status > 1 AND of_run.status <= 1 THEN
        end_ms := askd_store.v8_end(of_run.company, of_run.caller);
    END IF;
    UPDATE askd_store.runs SET status = new_status,
        changed_ms = CASE WHEN status = new_status THEN changed_ms ELSE end_ms END
        WHERE run_id = id AND instance = by_instance AND epoch = at_epoch AND
              status IN (0, new_status) -- that it has already: sent again
        RETURNING * INTO of_run;
    IF NOT FOUND THEN
        RETURN NEXT askd_store.v1_answer('conflict');
        RETURN;
    END IF;
    IF new_status > 1 THEN -- those of a conversation's newest stay; older ones than these have none
        DELETE FROM askd_store.marks WHERE run_id = id AND of_run.conversation = '';
        DELETE FROM askd_store.marks WHERE of_run.conversation <> '' AND run_id IN (
            SELECT x.run_id FROM askd_store.runs x WHERE x.conversation = of_run.conversation AND
                x.company = of_run.company AND x.caller = of_run.caller AND
                x.status > 1 ORDER BY x.began_ms DESC, x.run_id DESC OFFSET 1 LIMIT 8);
    END IF;
    RETURN NEXT askd_store.v1_answer('ok');
END $f$;

CREATE OR REPLACE FUNCTION askd_store.v1_find(key1 bytea, key2 bytea, key3 bytea, id bytea,
    with_key bytea)
RETURNS SETOF askd_store.v1_row LANGUAGE plpgsql AS $f$
DECLARE
    r askd_store.runs;
BEGIN
    IF id <> '' THEN
        SELECT * INTO r FROM askd_store.runs x WHERE x.run_id = id AND
            askd_store.v1_is_of(x, key1, key2, key3);
    ELSIF with_key <> '' THEN
        SELECT * INTO r FROM askd_store.runs x WHERE x.conversation = key1 AND
            x.idempotency_key = with_key AND askd_store.v1_is_of(x, key1, key2, key3) LIMIT 1;
    END IF;
    IF r.run_id IS NULL THEN
        RETURN NEXT askd_store.v1_answer('not_found');
    ELSE
        RETURN NEXT askd_store.v1_answer('ok');
        RETURN NEXT askd_store.v1_run(r);
    END IF;
END $f$;

CREATE OR REPLACE FUNCTION askd_store.v1_runs(key1 bytea, key2 bytea, key3 bytea, most bigint,
    only_open boolean)
RETURNS SETOF askd_store.v1_row LANGUAGE plpgsql AS $f$
DECLARE
    r askd_store.runs;
BEGIN
    RETURN NEXT askd_store.v1_answer('ok');
    IF only_open THEN
        FOR r IN SELECT * FROM askd_store.runs x WHERE x.status <= 1 AND
            askd_store.v1_is_of(x, key1, key2, key3) ORDER BY x.began_ms DESC LIMIT most
        LOOP
            RETURN NEXT askd_store.v1_run(r);
        END LOOP;
    ELSE
        FOR r IN SELECT * FROM askd_store.runs x WHERE askd_store.v1_is_of(x, key1, key2, key3)
            ORDER BY x.began_ms DESC LIMIT most
        LOOP
            RETURN NEXT askd_store.v1_run(r);
        END LOOP;
    END IF;
END $f$;

CREATE OR REPLACE FUNCTION askd_store.v8_ended(key2 bytea, key3 bytea, after_ms bigint, after_id bytea,
    most bigint)
RETURNS SETOF askd_store.v1_row LANGUAGE plpgsql AS $f$
DECLARE
    r askd_store.runs;
BEGIN
    RETURN NEXT askd_store.v1_answer('ok');
    FOR r IN SELECT * FROM askd_store.runs x WHERE x.company = key2 AND x.caller = key3 AND x.status > 1 AND
        (x.changed_ms, x.run_id) > (after_ms, after_id) ORDER BY x.changed_ms, x.run_id LIMIT most
    LOOP
        RETURN NEXT askd_store.v1_run(r);
    END LOOP;
END $f$;

CREATE OR REPLACE FUNCTION askd_store.v1_stop(key1 bytea, key2 bytea, key3 bytea, id bytea, how bigint)
RETURNS SETOF askd_store.v1_row LANGUAGE plpgsql AS $f$
DECLARE
    r askd_store.runs;
BEGIN
    UPDATE askd_store.runs x SET cancel_asked =
        CASE WHEN x.status <= 1 THEN greatest(x.cancel_asked, how) ELSE x.cancel_asked END
        WHERE x.run_id = id AND askd_store.v1_is_of(x, key1, key2, key3) RETURNING * INTO r;
    IF r.run_id IS NULL THEN
        RETURN NEXT askd_store.v1_answer('not_found');
    ELSE
        RETURN NEXT askd_store.v1_answer('ok');
        RETURN NEXT askd_store.v1_run(r);
    END IF;
END $f$;

-- 1000000000 as core/store/event.h has it.
CREATE OR REPLACE FUNCTION askd_store.v3_comes_next(from_id bigint, last bigint, at_epoch bigint)
RETURNS boolean LANGUAGE sql IMMUTABLE AS $f$
    SELECT from_id = last + 1 OR (from_id = (at_epoch - 1) * 1000000000 + 1 AND from_id > last)
$f$;

CREATE OR REPLACE FUNCTION askd_store.v3_append(id bytea, by_instance bytea, at_epoch bigint,
    from_id bigint,
                                     event_count bigint, new_bytes bytea)
RETURNS SETOF askd_store.v1_row LANGUAGE plpgsql AS $f$
DECLARE
    last bigint;
    to_id bigint := from_id + event_count - 1;
BEGIN
    SELECT last_event_id INTO last FROM askd_store.v1_fenced(id, by_instance, at_epoch);
    IF last IS NULL THEN
        RETURN NEXT askd_store.v1_answer('conflict');
    ELSIF to_id <= last THEN -- sent again
        RETURN NEXT askd_store.v1_answer('ok', 0, 0, last);
    ELSIF NOT askd_store.v3_comes_next(from_id, last, at_epoch) THEN
        RETURN NEXT askd_store.v1_answer('conflict', 0, 0, last);
    ELSE
        INSERT INTO askd_store.events VALUES (id, from_id, to_id, new_bytes);
        UPDATE askd_store.runs SET last_event_id = to_id WHERE run_id = id;
        RETURN NEXT askd_store.v1_answer('ok', 0, 0, to_id);
    END IF;
END $f$;

-- Six items for each: run, instance, epoch, first id, count, bytes. Those that may be written are
-- locked in one order, whoever asks.
CREATE OR REPLACE FUNCTION askd_store.v3_write(items bytea[])
RETURNS SETOF askd_store.v1_row LANGUAGE plpgsql AS $f$
BEGIN
    PERFORM 1 FROM askd_store.runs WHERE run_id IN
        (SELECT items[i] FROM generate_series(1, coalesce(cardinality(items), 0), 6) i)
        ORDER BY run_id FOR UPDATE;
    RETURN NEXT askd_store.v1_answer('ok');
    RETURN QUERY
        WITH asked AS (
            SELECT i, items[i] AS id, items[i + 1] AS by_instance,
                convert_from(items[i + 2], 'UTF8')::bigint AS at_epoch,
                convert_from(items[i + 3], 'UTF8')::bigint AS from_id,
                convert_from(items[i + 3], 'UTF8')::bigint +
                    convert_from(items[i + 4], 'UTF8')::bigint - 1 AS to_id,
                items[i + 5] AS new_bytes
            FROM generate_series(1, coalesce(cardinality(items), 0), 6) i),
        judged AS (
            SELECT a.*, r.last_event_id AS last, r.cancel_asked,
                askd_store.v3_comes_next(from_id, r.last_event_id, at_epoch) AS comes
            FROM asked a LEFT JOIN askd_store.runs r ON
                r.run_id = a.id AND r.instance = a.by_instance AND r.epoch = a.at_epoch AND
                r.status = 0),
        added AS (
            INSERT INTO askd_store.events SELECT id, from_id, to_id, new_bytes FROM judged
                WHERE comes),
        moved AS (
            UPDATE askd_store.runs x SET last_event_id = j.to_id FROM judged j
                WHERE x.run_id = j.id AND j.comes)
        SELECT 'verdict', coalesce(to_id <= last OR comes, false)::integer::bigint,
            coalesce(greatest(last, CASE WHEN comes THEN to_id END), 0),
            coalesce(cancel_asked, 0), NULL::bigint, NULL::bigint, NULL::bigint, NULL::bigint,
            NULL::bytea, NULL::bytea, NULL::bytea, NULL::bytea, NULL::bytea, NULL::bytea, NULL::bytea,
            NULL::bytea
        FROM judged ORDER BY i;
END $f$;

CREATE OR REPLACE FUNCTION askd_store.v1_read(key1 bytea, key2 bytea, key3 bytea, id bytea,
    after_id bigint,
                                   limit_bytes bigint)
RETURNS SETOF askd_store.v1_row LANGUAGE plpgsql AS $f$
DECLARE
    r askd_store.runs;
    e askd_store.events;
    read_bytes bigint := 0;
BEGIN
    SELECT * INTO r FROM askd_store.runs x WHERE x.run_id = id AND
        askd_store.v1_is_of(x, key1, key2, key3);
    IF r.run_id IS NULL THEN
        RETURN NEXT askd_store.v1_answer('not_found');
        RETURN;
    END IF;
    RETURN NEXT askd_store.v1_answer('ok', 0, 0, r.last_event_id);
    RETURN NEXT askd_store.v1_run(r);
    FOR e IN SELECT * FROM askd_store.events x WHERE x.run_id = id AND x.last_id > after_id
        ORDER BY x.last_id
    LOOP
        EXIT WHEN read_bytes > 0 AND read_bytes + length(e.bytes) > limit_bytes;
        read_bytes := read_bytes + greatest(length(e.bytes), 1);
        RETURN NEXT ROW ('batch', e.first_id, e.last_id - e.first_id + 1, NULL, NULL, NULL, NULL, NULL,
                         e.bytes, NULL, NULL, NULL, NULL, NULL, NULL, NULL)::askd_store.v1_row;
    END LOOP;
END $f$;

CREATE OR REPLACE FUNCTION askd_store.v1_mark(id bytea, by_instance bytea, at_epoch bigint,
    new_version bigint,
                                   at_step bigint, new_full boolean, new_bytes bytea)
RETURNS SETOF askd_store.v1_row LANGUAGE plpgsql AS $f$
BEGIN
    PERFORM 1 FROM askd_store.v1_fenced(id, by_instance, at_epoch);
    IF FOUND THEN
        INSERT INTO askd_store.marks VALUES (id, new_version, askd_store.v1_now(), at_step, new_full,
                                             new_bytes) ON CONFLICT DO NOTHING;
        RETURN NEXT askd_store.v1_answer('ok');
    ELSE
        RETURN NEXT askd_store.v1_answer('conflict');
    END IF;
END $f$;

CREATE OR REPLACE FUNCTION askd_store.v1_marks(key1 bytea, key2 bytea, key3 bytea, id bytea,
    before bigint,
                                    most bigint, only_list boolean)
RETURNS SETOF askd_store.v1_row LANGUAGE plpgsql AS $f$
DECLARE
    r askd_store.runs;
BEGIN
    SELECT * INTO r FROM askd_store.runs x WHERE x.run_id = id AND
        askd_store.v1_is_of(x, key1, key2, key3);
    IF r.run_id IS NULL THEN
        RETURN NEXT askd_store.v1_answer('not_found');
        RETURN;
    END IF;
    RETURN NEXT askd_store.v1_answer('ok');
    RETURN NEXT askd_store.v1_run(r);
    RETURN QUERY
        SELECT 'checkpoint', m.version, m.time_ms, m.step, m.is_full::integer::bigint, NULL::bigint,
            NULL::bigint, NULL::bigint, m.run_id, CASE WHEN only_list THEN '' ELSE m.bytes END,
            NULL::bytea, NULL::bytea, NULL::bytea, NULL::bytea, NULL::bytea, NULL::bytea
        FROM (SELECT * FROM askd_store.marks x WHERE x.run_id = id AND
                  (before = 0 OR x.version < before) ORDER BY x.version DESC LIMIT most) m
        ORDER BY m.version;
END $f$;

-- As programs of older formats call them: with the same parameters.
FOR old IN SELECT o.name, p.proname AS of_now, pg_get_function_arguments(p.oid) AS params,
        ARRAY(SELECT '$' || i FROM generate_series(1, p.pronargs) i) AS words
    FROM (VALUES ('v1_load', 'v5_load'), ('v1_save', 'v5_save'), ('v1_erase', 'v7_erase'),
        ('v5_erase', 'v7_erase'), ('v1_prune', 'v5_prune'), ('v1_begin', 'v5_begin'),
        ('v1_resume', 'v8_resume'), ('v5_resume', 'v8_resume'), ('v1_claim', 'v6_claim'),
        ('v1_finish', 'v8_finish'), ('v3_finish', 'v8_finish'), ('v5_finish', 'v8_finish'),
        ('v1_append', 'v3_append'), ('v1_write', 'v3_write')
        ) o (name, now_name)
    JOIN pg_proc p ON p.pronamespace = 'askd_store'::regnamespace AND p.proname = o.now_name
LOOP
    EXECUTE format('CREATE OR REPLACE FUNCTION askd_store.%I(%s) RETURNS SETOF askd_store.v1_row'
        ' LANGUAGE sql AS %L', old.name, old.params, format('SELECT * FROM askd_store.%I(%s)',
        old.of_now, array_to_string(old.words, ', ')));
END LOOP;

END $do$
