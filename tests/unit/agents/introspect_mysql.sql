-- SPDX-License-Identifier: MIT
-- What test_introspect_engines.c looks for, read by a user who may see only a part.
CREATE OR REPLACE USER introspect_reader IDENTIFIED BY 'reader';
CREATE TABLE customer (id int PRIMARY KEY, name varchar(40) NOT NULL UNIQUE COMMENT 'As on the invoice',
    feeling enum('sad', 'int''l'), active tinyint(1), company_id text, password_hash text) COMMENT 'Who buys';
CREATE TABLE pair (region varchar(10), no int, boss_region varchar(10), boss int, paid decimal(12, 2),
    unseen int INVISIBLE DEFAULT 7 UNIQUE,
    PRIMARY KEY (region, no), FOREIGN KEY (boss_region, boss) REFERENCES pair (region, no));
CREATE TABLE note (id int PRIMARY KEY, region varchar(10), no int, customer_id int, hidden text,
    UNIQUE (no, region), FOREIGN KEY (region, no) REFERENCES pair (region, no),
    FOREIGN KEY (customer_id) REFERENCES customer (id));
CREATE VIEW secure_customer AS SELECT id, name, company_id FROM customer;
CREATE TABLE forbidden (id int);
INSERT INTO customer (id, name) VALUES (1, 'c1'), (2, 'c2'), (3, 'c3'), (4, 'c4'), (5, 'c5'), (6, 'c6'), (7, 'c7');
CREATE FUNCTION point(a text) RETURNS text RETURN 'stored';
CREATE FUNCTION `anÿ_value`(a text) RETURNS text RETURN 'stored';
CREATE FUNCTION upper(a text) RETURNS text RETURN 'stored';
CREATE FUNCTION unseen(a text) RETURNS text RETURN 'stored';
EXECUTE IMMEDIATE CONCAT('GRANT EXECUTE ON FUNCTION `', DATABASE(), '`.point TO introspect_reader');
EXECUTE IMMEDIATE CONCAT('GRANT EXECUTE ON FUNCTION `', DATABASE(), '`.`anÿ_value` TO introspect_reader');
EXECUTE IMMEDIATE CONCAT('GRANT EXECUTE ON FUNCTION `', DATABASE(), '`.upper TO introspect_reader');
EXECUTE IMMEDIATE CONCAT('GRANT SELECT ON `', DATABASE(), '`.customer TO introspect_reader');
EXECUTE IMMEDIATE CONCAT('GRANT SELECT ON `', DATABASE(), '`.pair TO introspect_reader');
EXECUTE IMMEDIATE CONCAT('GRANT SELECT (id, region, no, customer_id) ON `', DATABASE(), '`.note TO introspect_reader');
EXECUTE IMMEDIATE CONCAT('GRANT SELECT ON `', DATABASE(), '`.secure_customer TO introspect_reader');
EXECUTE IMMEDIATE CONCAT('GRANT INSERT ON `', DATABASE(), '`.forbidden TO introspect_reader');
