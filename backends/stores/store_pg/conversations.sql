-- conversations.sql - the verbs of core/store about conversations, as functions. Part of the DO block.

-- Drop a conversation's runs; how many.
CREATE OR REPLACE FUNCTION askd_store.v5_drop_runs(of_conversation bytea, of_company bytea,
    of_caller bytea)
RETURNS bigint LANGUAGE plpgsql AS $f$
DECLARE
    dropped bigint;
BEGIN
    DELETE FROM askd_store.events WHERE run_id IN
        (SELECT run_id FROM askd_store.runs WHERE conversation = of_conversation AND
            company = of_company AND caller = of_caller);
    DELETE FROM askd_store.runs WHERE conversation = of_conversation AND company = of_company AND
        caller = of_caller;
    GET DIAGNOSTICS dropped = ROW_COUNT;
    RETURN dropped;
END $f$;


CREATE OR REPLACE FUNCTION askd_store.v1_drop_conversation(of_row bigint)
RETURNS void LANGUAGE plpgsql AS $f$
BEGIN
    DELETE FROM askd_store.checkpoints WHERE conversation = of_row;
    DELETE FROM askd_store.turns WHERE conversation = of_row;
    DELETE FROM askd_store.notes WHERE conversation = of_row;
    DELETE FROM askd_store.conversations WHERE row = of_row;
END $f$;

CREATE OR REPLACE FUNCTION askd_store.v1_put_note(of_row bigint, new_name bytea, new_bytes bytea)
RETURNS void LANGUAGE plpgsql AS $f$
BEGIN
    IF new_bytes = '' THEN
        DELETE FROM askd_store.notes WHERE conversation = of_row AND name = new_name;
    ELSE
        INSERT INTO askd_store.notes VALUES (of_row, new_name, new_bytes)
            ON CONFLICT (conversation, name) DO UPDATE SET bytes = excluded.bytes;
    END IF;
END $f$;

CREATE OR REPLACE FUNCTION askd_store.v5_load(key1 bytea, key2 bytea, key3 bytea, before_turn bigint,
                                   turn_limit bigint, at_version bigint, since bigint)
RETURNS SETOF askd_store.v1_row LANGUAGE plpgsql AS $f$
DECLARE
    c askd_store.conversations;
    t askd_store.turns;
    n record;
BEGIN
    SELECT * INTO c FROM askd_store.conversations WHERE id = key1 AND company = key2 AND caller = key3;
    RETURN NEXT askd_store.v1_answer('ok', coalesce(c.version, 0), coalesce(c.turns, 0));
    FOR t IN SELECT * FROM
        (SELECT * FROM askd_store.turns x WHERE x.conversation = c.row AND
            (since = 0 OR since <> c.version) AND
            (before_turn = 0 OR x.number < before_turn) AND (at_version = 0 OR x.version <= at_version)
         ORDER BY x.number DESC LIMIT turn_limit) newest ORDER BY newest.number
    LOOP
        RETURN NEXT askd_store.v1_turn(t, key1);
    END LOOP;
    FOR n IN SELECT x.name, x.bytes FROM askd_store.notes x WHERE x.conversation = c.row UNION ALL
        SELECT x.name, x.bytes FROM askd_store.user_notes x WHERE x.company = key2 AND x.caller = key3
    LOOP
        RETURN NEXT askd_store.v1_note(n.name, n.bytes);
    END LOOP;
    -- '@', 40 in hexadecimal: shared among the caller's conversations; 8 of them
    FOR n IN SELECT '\x40'::bytea || x.name AS name, x.bytes FROM
        (SELECT row, changed_ms FROM askd_store.conversations WHERE company = key2 AND caller = key3 AND
            id <> key1 ORDER BY changed_ms DESC LIMIT 8) o
        JOIN askd_store.notes x ON x.conversation = o.row
        WHERE substr(x.name, 1, 1) = '\x40'::bytea ORDER BY o.changed_ms DESC
    LOOP
        RETURN NEXT askd_store.v1_note(n.name, n.bytes);
    END LOOP;
END $f$;

CREATE OR REPLACE FUNCTION askd_store.v1_restore(key1 bytea, key2 bytea, key3 bytea, at_version bigint)
RETURNS SETOF askd_store.v1_row LANGUAGE plpgsql AS $f$
DECLARE
    c askd_store.conversations;
    p askd_store.checkpoints;
    first_version bigint;
    wanted bigint := at_version;
BEGIN
    SELECT * INTO c FROM askd_store.conversations WHERE id = key1 AND company = key2 AND caller = key3;
    IF wanted = 0 THEN
        wanted := c.version;
    END IF;
    SELECT max(x.version) INTO first_version FROM askd_store.checkpoints x
        WHERE x.conversation = c.row AND x.version <= wanted AND x.is_full;
    IF first_version IS NULL OR wanted > c.version THEN
        RETURN NEXT askd_store.v1_answer('not_found');
        RETURN;
    END IF;
    RETURN NEXT askd_store.v1_answer('ok', wanted);
    FOR p IN SELECT * FROM askd_store.checkpoints x WHERE x.conversation = c.row AND
        x.version BETWEEN first_version AND wanted ORDER BY x.version
    LOOP
        RETURN NEXT askd_store.v1_checkpoint(p, true);
    END LOOP;
END $f$;

CREATE OR REPLACE FUNCTION askd_store.v1_checkpoints(key1 bytea, key2 bytea, key3 bytea,
    before_version bigint,
                                          most bigint)
RETURNS SETOF askd_store.v1_row LANGUAGE plpgsql AS $f$
DECLARE
    c askd_store.conversations;
    p askd_store.checkpoints;
BEGIN
    SELECT * INTO c FROM askd_store.conversations WHERE id = key1 AND company = key2 AND caller = key3;
    IF c.row IS NULL THEN
        RETURN NEXT askd_store.v1_answer('not_found');
        RETURN;
    END IF;
    RETURN NEXT askd_store.v1_answer('ok');
    FOR p IN SELECT x.conversation, x.version, x.time_ms, x.run_id, x.step, x.is_full, ''::bytea
        FROM askd_store.checkpoints x WHERE x.conversation = c.row AND
        (before_version = 0 OR x.version < before_version) ORDER BY x.version DESC LIMIT most
    LOOP
        RETURN NEXT askd_store.v1_checkpoint(p, false);
    END LOOP;
END $f$;

-- turns: six texts each, one turn behind the other; notes: two each. A token that came last already:
-- sent again, since the first answer was lost.
CREATE OR REPLACE FUNCTION askd_store.v5_save(key1 bytea, key2 bytea, key3 bytea, expected bigint,
    new_token bytea, run_id bytea, step bigint, is_full boolean, bytes bytea, new_title bytea,
    new_turns bytea[], new_notes bytea[])
RETURNS SETOF askd_store.v1_row LANGUAGE plpgsql AS $f$
DECLARE
    c askd_store.conversations;
    now_ms bigint := askd_store.v1_now();
    turn_count integer := coalesce(array_length(new_turns, 1), 0) / 6;
BEGIN
    IF expected = 0 THEN
        INSERT INTO askd_store.conversations (id, company, caller, version, turns, began_ms,
            changed_ms, title, token) VALUES (key1, key2, key3, 0, 0, now_ms, now_ms, '', '')
            ON CONFLICT DO NOTHING;
    END IF;
    SELECT * INTO c FROM askd_store.conversations
        WHERE id = key1 AND company = key2 AND caller = key3 FOR UPDATE;
    IF c.token = new_token THEN
        RETURN NEXT askd_store.v1_answer('ok', c.version);
        RETURN;
    END IF;
    IF c.version IS DISTINCT FROM expected THEN
        RETURN NEXT askd_store.v1_answer('conflict', coalesce(c.version, 0));
        RETURN;
    END IF;
    UPDATE askd_store.conversations SET version = expected + 1, turns = c.turns + turn_count,
        changed_ms = now_ms, token = new_token,
        title = CASE WHEN c.turns = 0 AND turn_count > 0 THEN new_title ELSE title END
        WHERE row = c.row;
    INSERT INTO askd_store.checkpoints VALUES
        (c.row, expected + 1, now_ms, run_id, step, is_full, bytes);
    FOR i IN 0 .. turn_count - 1 LOOP
        INSERT INTO askd_store.turns VALUES (c.row, c.turns + 1 + i, expected + 1, now_ms,
            new_turns[6 * i + 1], new_turns[6 * i + 2], new_turns[6 * i + 3], new_turns[6 * i + 4],
            new_turns[6 * i + 5] = '1', new_turns[6 * i + 6]);
    END LOOP;
    FOR i IN 0 .. coalesce(array_length(new_notes, 1), 0) / 2 - 1 LOOP
        PERFORM askd_store.v1_put_note(c.row, new_notes[2 * i + 1], new_notes[2 * i + 2]);
    END LOOP;
    RETURN NEXT askd_store.v1_answer('ok', expected + 1);
END $f$;

CREATE OR REPLACE FUNCTION askd_store.v1_keep(key1 bytea, key2 bytea, key3 bytea, new_name bytea,
    new_bytes bytea)
RETURNS SETOF askd_store.v1_row LANGUAGE plpgsql AS $f$
DECLARE
    c askd_store.conversations;
BEGIN
    IF key1 = '' AND new_bytes = '' THEN
        DELETE FROM askd_store.user_notes WHERE company = key2 AND caller = key3 AND name = new_name;
    ELSIF key1 = '' THEN
        INSERT INTO askd_store.user_notes VALUES (key2, key3, new_name, new_bytes)
            ON CONFLICT (company, caller, name) DO UPDATE SET bytes = excluded.bytes;
    ELSE
        SELECT * INTO c FROM askd_store.conversations
            WHERE id = key1 AND company = key2 AND caller = key3 FOR SHARE;
        IF c.row IS NULL THEN
            RETURN NEXT askd_store.v1_answer('not_found');
            RETURN;
        END IF;
        PERFORM askd_store.v1_put_note(c.row, new_name, new_bytes);
    END IF;
    RETURN NEXT askd_store.v1_answer('ok');
END $f$;

CREATE OR REPLACE FUNCTION askd_store.v1_list(key2 bytea, key3 bytea, before_ms bigint, most bigint)
RETURNS SETOF askd_store.v1_row LANGUAGE plpgsql AS $f$
DECLARE
    c askd_store.conversations;
BEGIN
    RETURN NEXT askd_store.v1_answer('ok');
    FOR c IN SELECT * FROM askd_store.conversations x WHERE x.company = key2 AND x.caller = key3 AND
        (before_ms = 0 OR x.changed_ms < before_ms) ORDER BY x.changed_ms DESC LIMIT most
    LOOP
        RETURN NEXT ROW ('summary', c.version, c.turns, c.began_ms, c.changed_ms, NULL, NULL, NULL,
                         c.id, c.title, NULL, NULL, NULL, NULL, NULL, NULL)::askd_store.v1_row;
    END LOOP;
END $f$;

CREATE OR REPLACE FUNCTION askd_store.v1_search(key2 bytea, key3 bytea, folded_text bytea, most bigint)
RETURNS SETOF askd_store.v1_row LANGUAGE plpgsql AS $f$
DECLARE
    hit record;
BEGIN
    RETURN NEXT askd_store.v1_answer('ok');
    FOR hit IN SELECT x AS turn, c.id FROM askd_store.conversations c
        JOIN askd_store.turns x ON x.conversation = c.row
        WHERE c.company = key2 AND c.caller = key3 AND position(folded_text IN x.folded) > 0
        ORDER BY x.time_ms DESC, x.number DESC LIMIT most
    LOOP
        RETURN NEXT askd_store.v1_turn(hit.turn, hit.id);
    END LOOP;
END $f$;

CREATE OR REPLACE FUNCTION askd_store.v4_notes(prefix bytea, most bigint)
RETURNS SETOF askd_store.v1_row LANGUAGE plpgsql AS $f$
DECLARE
    n record;
BEGIN
    RETURN NEXT askd_store.v1_answer('ok');
    FOR n IN SELECT x.name, x.bytes FROM askd_store.notes x
        JOIN askd_store.conversations c ON c.row = x.conversation
        WHERE substr(x.name, 1, length(prefix)) = prefix
        ORDER BY c.changed_ms DESC, x.name LIMIT most
    LOOP
        RETURN NEXT askd_store.v1_note(n.name, n.bytes);
    END LOOP;
END $f$;

-- All that is the user's, as much of it as about 20 ms remove; how many conversations and runs.
CREATE OR REPLACE FUNCTION askd_store.v1_erase_user(key2 bytea,
    key3 bytea) RETURNS bigint LANGUAGE plpgsql AS $f$
DECLARE
    until_ms bigint := askd_store.v1_now() + 20;
    removed bigint := 0;
    c record;
    r record;
BEGIN
    FOR c IN SELECT row, id FROM askd_store.conversations WHERE company = key2 AND caller = key3 FOR UPDATE
    LOOP
        PERFORM askd_store.v5_drop_runs(c.id, key2, key3);
        PERFORM askd_store.v1_drop_conversation(c.row);
        removed := removed + 1;
        EXIT WHEN askd_store.v1_now() > until_ms;
    END LOOP;
    FOR r IN SELECT run_id FROM askd_store.runs WHERE company = key2 AND caller = key3 FOR UPDATE
    LOOP
        EXIT WHEN askd_store.v1_now() > until_ms AND removed > 0;
        DELETE FROM askd_store.events WHERE run_id = r.run_id;
        DELETE FROM askd_store.runs WHERE run_id = r.run_id;
        removed := removed + 1;
    END LOOP;
    IF removed = 0 THEN
        DELETE FROM askd_store.user_notes WHERE company = key2 AND caller = key3;
    END IF;
    RETURN removed;
END $f$;

CREATE OR REPLACE FUNCTION askd_store.v7_erase(key1 bytea, key2 bytea, key3 bytea)
RETURNS SETOF askd_store.v1_row LANGUAGE plpgsql AS $f$
DECLARE
    c askd_store.conversations;
    removed bigint;
BEGIN
    IF key1 = '' THEN
        removed := askd_store.v1_erase_user(key2, key3);
        IF removed = 0 THEN
            DELETE FROM askd_store.jobs WHERE company = key2 AND caller = key3;
        END IF;
        RETURN NEXT askd_store.v1_answer('ok', 0, removed);
        RETURN;
    END IF;
    SELECT * INTO c FROM askd_store.conversations
        WHERE id = key1 AND company = key2 AND caller = key3 FOR UPDATE;
    IF askd_store.v5_drop_runs(key1, key2, key3) = 0 AND c.row IS NULL THEN
        RETURN NEXT askd_store.v1_answer('not_found');
        RETURN;
    END IF;
    DELETE FROM askd_store.jobs WHERE company = key2 AND caller = key3 AND conversation = key1;
    PERFORM askd_store.v1_drop_conversation(c.row);
    RETURN NEXT askd_store.v1_answer('ok');
END $f$;

-- Holds what it locks no longer than about 20 ms, so it may stop before the limit; not before it has
-- removed something.
CREATE OR REPLACE FUNCTION askd_store.v5_prune(age_ms bigint, most bigint, lock_ms bigint,
    by_instance bytea)
RETURNS SETOF askd_store.v1_row LANGUAGE plpgsql AS $f$
DECLARE
    now_ms bigint := askd_store.v1_now();
    before bigint := now_ms - age_ms;
    removed bigint := 0;
    c record;
    r record;
BEGIN
    IF NOT pg_try_advisory_xact_lock(6100271736) THEN
        RETURN NEXT askd_store.v1_answer('busy');
        RETURN;
    END IF;
    INSERT INTO askd_store.pruner VALUES (1, by_instance, now_ms)
        ON CONFLICT (one) DO UPDATE SET instance = by_instance, at_ms = now_ms
        WHERE pruner.instance = by_instance OR pruner.at_ms + lock_ms <= now_ms;
    IF NOT FOUND THEN
        RETURN NEXT askd_store.v1_answer('busy');
        RETURN;
    END IF;
    FOR c IN SELECT x.row, x.id, x.company, x.caller FROM askd_store.conversations x
        WHERE x.changed_ms <= before AND
        NOT EXISTS (SELECT FROM askd_store.runs y WHERE y.conversation = x.id AND
                    y.company = x.company AND y.caller = x.caller AND y.changed_ms > before)
        ORDER BY x.changed_ms LIMIT most FOR UPDATE OF x SKIP LOCKED
    LOOP
        EXIT WHEN askd_store.v1_now() > now_ms + 20 AND removed > 0;
        PERFORM askd_store.v5_drop_runs(c.id, c.company, c.caller);
        PERFORM askd_store.v1_drop_conversation(c.row);
        removed := removed + 1;
    END LOOP;
    FOR r IN SELECT x.run_id FROM askd_store.runs x WHERE x.changed_ms <= before
        ORDER BY x.changed_ms LIMIT most - removed FOR UPDATE SKIP LOCKED
    LOOP
        EXIT WHEN askd_store.v1_now() > now_ms + 20 AND removed > 0;
        DELETE FROM askd_store.events WHERE run_id = r.run_id;
        DELETE FROM askd_store.runs WHERE run_id = r.run_id;
        removed := removed + 1;
    END LOOP;
    RETURN NEXT askd_store.v1_answer('ok', 0, removed);
END $f$;

