-- docker/reader.mysql.sql - the user that askd logs in as where docker/compose.yaml serves the
-- sample: it reads and cannot write. See docs/secure-views.md for one that sees views only.
CREATE USER 'askd_reader'@'%' IDENTIFIED BY 'reader';
GRANT SELECT ON sample.* TO 'askd_reader'@'%';
