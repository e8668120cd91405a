-- docker/reader.postgres.sql - the role that askd logs in as where docker/compose.yaml serves the
-- sample: it reads and cannot write. See docs/secure-views.md for one that sees views only.
CREATE ROLE askd_reader LOGIN PASSWORD 'reader';
ALTER ROLE askd_reader SET default_transaction_read_only = on;
GRANT SELECT ON ALL TABLES IN SCHEMA public TO askd_reader;
