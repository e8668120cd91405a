-- What the contract tests of sql read, in SQLite's dialect.
CREATE TABLE employee(id INTEGER PRIMARY KEY, name TEXT, pay REAL, photo BLOB, company TEXT);
INSERT INTO employee VALUES (1, 'Ada', 10.5, x'00ff', 'acme'), (2, 'Böb', NULL, NULL, 'acme'),
    (3, 'Cy', 7.0, x'41', 'other');
CREATE TABLE numbers(n INTEGER);
WITH RECURSIVE c(i) AS (SELECT 1 UNION ALL SELECT i + 1 FROM c WHERE i < 5000)
    INSERT INTO numbers SELECT i FROM c;
