-- SPDX-License-Identifier: MIT
-- tables.sql - where store_pg.c keeps what core/store asks of it. First part of one DO block, which
-- runs once in a database: under a lock of its transaction, since two instances may come first. Texts
-- are bytea: they may hold any byte, and are compared as bytes. Functions carry the number of the
-- first format that they are of, as they are: one that does something else from a format on gets its
-- number and is not there in an older store, so that who calls it comes here. What is of an older
-- format is upgraded; functions of older numbers stay for programs of that time that still run, and
-- do as the new ones.
DO $do$
DECLARE
    there integer;
    old record;
BEGIN
PERFORM pg_advisory_xact_lock(6100271735); -- arbitrary, but ours
IF to_regclass('askd_store.format') IS NOT NULL THEN
    SELECT version INTO there FROM askd_store.format;
    IF there = 8 THEN
        RETURN;
    ELSIF there IS NULL OR there NOT IN (1, 2, 3, 4, 5, 6, 7) THEN
        RAISE EXCEPTION 'the store is of format %, and this version of askd knows 8', there
            USING ERRCODE = 'AK001';
    END IF;
    IF to_regproc('askd_store.v1_resume') IS NULL THEN -- the youngest of format 2
        FOR old IN SELECT oid::regprocedure AS name FROM pg_proc
            WHERE pronamespace = 'askd_store'::regnamespace
        LOOP
            EXECUTE 'DROP FUNCTION ' || old.name;
        END LOOP;
    END IF;
END IF;

IF there IS NULL THEN
CREATE SCHEMA IF NOT EXISTS askd_store;
CREATE TABLE askd_store.format (version integer NOT NULL);
INSERT INTO askd_store.format VALUES (1);

CREATE TABLE askd_store.conversations (
    row bigint GENERATED ALWAYS AS IDENTITY PRIMARY KEY, id bytea NOT NULL UNIQUE,
    company bytea NOT NULL, caller bytea NOT NULL, version bigint NOT NULL, turns bigint NOT NULL,
    began_ms bigint NOT NULL, changed_ms bigint NOT NULL, title bytea NOT NULL,
    token bytea NOT NULL); -- token: of the save that came last
CREATE INDEX ON askd_store.conversations (company, caller, changed_ms);
CREATE INDEX ON askd_store.conversations (changed_ms);
CREATE TABLE askd_store.checkpoints (
    conversation bigint NOT NULL, version bigint NOT NULL, time_ms bigint NOT NULL,
    run_id bytea NOT NULL, step bigint NOT NULL, is_full boolean NOT NULL, bytes bytea NOT NULL,
    PRIMARY KEY (conversation, version));
CREATE TABLE askd_store.turns (
    conversation bigint NOT NULL, number bigint NOT NULL, version bigint NOT NULL,
    time_ms bigint NOT NULL, run_id bytea NOT NULL, question bytea NOT NULL, answer bytea NOT NULL,
    details bytea NOT NULL, partial boolean NOT NULL,
    folded bytea NOT NULL, -- question and answer, small, as search looks for it
    PRIMARY KEY (conversation, number));
CREATE TABLE askd_store.notes (
    conversation bigint NOT NULL, name bytea NOT NULL, bytes bytea NOT NULL,
    PRIMARY KEY (conversation, name));
CREATE TABLE askd_store.user_notes (
    company bytea NOT NULL, caller bytea NOT NULL, name bytea NOT NULL, bytes bytea NOT NULL,
    PRIMARY KEY (company, caller, name));
CREATE TABLE askd_store.runs (
    run_id bytea PRIMARY KEY, conversation bytea NOT NULL, company bytea NOT NULL,
    caller bytea NOT NULL, graph bytea NOT NULL, input bytea NOT NULL,
    idempotency_key bytea NOT NULL, instance bytea NOT NULL, epoch bigint NOT NULL,
    began_ms bigint NOT NULL, changed_ms bigint NOT NULL, lease_until_ms bigint NOT NULL,
    last_event_id bigint NOT NULL, status bigint NOT NULL, cancel_asked boolean NOT NULL);
CREATE INDEX ON askd_store.runs (conversation);
CREATE INDEX ON askd_store.runs (company, caller, began_ms);
CREATE INDEX ON askd_store.runs (began_ms);
CREATE INDEX ON askd_store.runs (changed_ms);
CREATE INDEX ON askd_store.runs (lease_until_ms) WHERE status = 0;
CREATE INDEX ON askd_store.runs (began_ms) WHERE status <= 1;
CREATE TABLE askd_store.events (
    run_id bytea NOT NULL, first_id bigint NOT NULL, last_id bigint NOT NULL, bytes bytea NOT NULL,
    PRIMARY KEY (run_id, last_id));
CREATE TABLE askd_store.pruner (
    one integer PRIMARY KEY, instance bytea NOT NULL, at_ms bigint NOT NULL);

-- An answer is a row whose kind is its code, then one row per record.
CREATE TYPE askd_store.v1_row AS (
    kind text, n1 bigint, n2 bigint, n3 bigint, n4 bigint, n5 bigint, n6 bigint, n7 bigint,
    t1 bytea, t2 bytea, t3 bytea, t4 bytea, t5 bytea, t6 bytea, t7 bytea, t8 bytea);
END IF;

IF there IS NULL OR there = 1 THEN
CREATE TABLE askd_store.marks (
    run_id bytea NOT NULL REFERENCES askd_store.runs ON DELETE CASCADE, version bigint NOT NULL,
    time_ms bigint NOT NULL, step bigint NOT NULL, is_full boolean NOT NULL, bytes bytea NOT NULL,
    PRIMARY KEY (run_id, version));
ALTER TABLE askd_store.runs ALTER cancel_asked TYPE bigint USING cancel_asked::integer; -- 2: forget, too
END IF;
IF there IS NULL OR there < 5 THEN
-- An id is its owner's own.
ALTER TABLE askd_store.conversations DROP CONSTRAINT conversations_id_key,
    ADD UNIQUE (company, caller, id);
DROP INDEX askd_store.runs_conversation_idx;
CREATE INDEX ON askd_store.runs (conversation, company, caller);
END IF;
-- Who shows that it lives, and since when it does not any more.
CREATE TABLE IF NOT EXISTS askd_store.alive (instance bytea PRIMARY KEY, gone_ms bigint);
IF there IS NULL OR there < 7 THEN
CREATE TABLE askd_store.jobs (
    kind bytea NOT NULL, job_id bytea NOT NULL, conversation bytea NOT NULL, company bytea NOT NULL,
    caller bytea NOT NULL, version bigint NOT NULL, due_ms bigint NOT NULL, began_ms bigint NOT NULL,
    changed_ms bigint NOT NULL, bytes bytea NOT NULL, token bytea NOT NULL, -- of the put that came last
    PRIMARY KEY (kind, job_id));
CREATE INDEX ON askd_store.jobs (kind, due_ms) WHERE due_ms > 0;
CREATE INDEX ON askd_store.jobs (company, caller, kind, began_ms);
END IF;
IF there IS NULL OR there < 8 THEN
CREATE INDEX runs_by_end ON askd_store.runs (company, caller, changed_ms, run_id) WHERE status > 1;
END IF;
UPDATE askd_store.format SET version = 8; -- its functions are new

CREATE OR REPLACE FUNCTION askd_store.v1_now() RETURNS bigint LANGUAGE sql AS
    $f$ SELECT floor(extract(epoch FROM clock_timestamp()) * 1000)::bigint $f$;

CREATE OR REPLACE FUNCTION askd_store.v1_answer(code text, version bigint DEFAULT 0,
    total bigint DEFAULT 0,
                                     last_id bigint DEFAULT 0)
RETURNS askd_store.v1_row LANGUAGE sql AS $f$
    SELECT ROW (code, version, total, last_id, NULL, NULL, NULL, NULL, NULL, NULL, NULL, NULL, NULL,
                NULL, NULL, NULL)::askd_store.v1_row
$f$;

CREATE OR REPLACE FUNCTION askd_store.v1_note(name bytea, bytes bytea)
RETURNS askd_store.v1_row LANGUAGE sql AS $f$
    SELECT ROW ('note', NULL, NULL, NULL, NULL, NULL, NULL, NULL, name, bytes, NULL, NULL, NULL, NULL,
                NULL, NULL)::askd_store.v1_row
$f$;

CREATE OR REPLACE FUNCTION askd_store.v1_turn(t askd_store.turns, conversation bytea)
RETURNS askd_store.v1_row LANGUAGE sql AS $f$
    SELECT ROW ('turn', t.number, t.version, t.time_ms, t.partial::integer, NULL, NULL, NULL,
                conversation, t.run_id, t.question, t.answer, t.details, NULL, NULL, NULL
               )::askd_store.v1_row
$f$;

CREATE OR REPLACE FUNCTION askd_store.v1_checkpoint(c askd_store.checkpoints, with_bytes boolean)
RETURNS askd_store.v1_row LANGUAGE sql AS $f$
    SELECT ROW ('checkpoint', c.version, c.time_ms, c.step, c.is_full::integer, NULL, NULL, NULL,
                c.run_id, CASE WHEN with_bytes THEN c.bytes ELSE '' END, NULL, NULL, NULL, NULL, NULL,
                NULL)::askd_store.v1_row
$f$;

CREATE OR REPLACE FUNCTION askd_store.v1_run(r askd_store.runs)
RETURNS askd_store.v1_row LANGUAGE sql AS $f$
    SELECT ROW ('run', r.epoch, r.began_ms, r.changed_ms, r.lease_until_ms, r.last_event_id, r.status,
                r.cancel_asked, r.conversation, r.company, r.caller, r.run_id, r.graph,
                r.input, r.idempotency_key, r.instance)::askd_store.v1_row
$f$;

CREATE OR REPLACE FUNCTION askd_store.v1_is_of(r askd_store.runs, key1 bytea, key2 bytea, key3 bytea)
RETURNS boolean LANGUAGE sql IMMUTABLE AS $f$
    SELECT (key1 = '' OR r.conversation = key1) AND (key2 = '' OR r.company = key2) AND
           (key3 = '' OR r.caller = key3)
$f$;

