-- What the contract tests of sql read, in PostgreSQL's dialect.
CREATE TABLE employee(id integer PRIMARY KEY, name text, pay double precision, photo bytea,
    company text);
INSERT INTO employee VALUES (1, 'Ada', 10.5, '\x00ff', 'acme'), (2, 'Böb', NULL, NULL, 'acme'),
    (3, 'Cy', 7.0, '\x41', 'other');
CREATE TABLE numbers(n integer);
INSERT INTO numbers SELECT generate_series(1, 5000);
CREATE SEQUENCE ids;
-- Hears no cancel, no deadline and no lost client; it ends when its process is ended.
CREATE FUNCTION deaf() RETURNS integer LANGUAGE plpgsql AS $$
BEGIN
    PERFORM set_config('client_connection_check_interval', '0', true);
    FOR i IN 1..60 LOOP
        BEGIN
            PERFORM pg_sleep(10);
        EXCEPTION WHEN query_canceled THEN
            NULL;
        END;
    END LOOP;
    RETURN 1;
END $$;
