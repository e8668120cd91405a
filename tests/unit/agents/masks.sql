-- SPDX-License-Identifier: MIT
-- What test_masks.c looks for: values that only masks may be seen of, in words of all engines.
CREATE TABLE people (id int PRIMARY KEY, team_id int, name varchar(40), email varchar(80), phone varchar(40), ssn varchar(40), salary int);
INSERT INTO people VALUES (1, 1, 'Anna', 'canary.anna@example.com', 'canary-5551234', 'canary-111', 77001);
INSERT INTO people VALUES (2, 1, 'Ben', 'canary.ben@example.com', 'canary1', 'canary-222', 77002);
INSERT INTO people VALUES (3, 2, 'Cleo', 'canary@odd@example.org', NULL, 'canary-111', 77003);
INSERT INTO people VALUES (4, 2, 'Dan', 'canary without', 'canary-5551234', NULL, NULL);
CREATE TABLE leads (id int PRIMARY KEY, email varchar(80), phone varchar(40), salary int);
INSERT INTO leads VALUES (1, 'canary.anna@example.com', 'canary-5551234', 77001);
CREATE VIEW directory AS SELECT id, name, email, phone FROM people;
