-- SPDX-License-Identifier: MIT
-- What test_introspect_engines.c looks for, read by a role that may see only a part.
DO $$ BEGIN
    CREATE ROLE introspect_reader LOGIN;
EXCEPTION WHEN duplicate_object THEN NULL;
END $$;
CREATE SCHEMA crm;
CREATE SCHEMA secret;
CREATE TYPE mood AS ENUM ('sad', 'int''l');
CREATE DOMAIN amount AS numeric(12, 2);
CREATE TABLE customer (id int PRIMARY KEY, "Id" text, name varchar(40) NOT NULL UNIQUE,
    feeling mood, company_id text, password_hash text);
COMMENT ON TABLE customer IS 'Who buys';
COMMENT ON COLUMN customer.name IS 'As on the invoice';
CREATE TABLE crm.customer (region text, no int, boss_region text, boss int, paid amount,
    days date[], PRIMARY KEY (region, no),
    FOREIGN KEY (boss_region, boss) REFERENCES crm.customer (region, no));
CREATE TABLE crm.note (id int PRIMARY KEY, region text, no int, customer_id int REFERENCES customer,
    hidden text, UNIQUE (no, region), FOREIGN KEY (region, no) REFERENCES crm.customer (region, no));
CREATE TABLE sale (id int, day date, customer_id int REFERENCES customer, PRIMARY KEY (id, day))
    PARTITION BY RANGE (day);
CREATE TABLE sale_2024 PARTITION OF sale FOR VALUES FROM ('2024-01-01') TO ('2025-01-01');
CREATE TABLE sale_2025 PARTITION OF sale FOR VALUES FROM ('2025-01-01') TO ('2026-01-01');
CREATE TABLE old_customer (closed date) INHERITS (customer);
CREATE TABLE older_customer () INHERITS (old_customer);
CREATE TABLE old_note () INHERITS (crm.note);
CREATE VIEW secure_customer AS SELECT id, name, company_id FROM customer;
CREATE MATERIALIZED VIEW totals AS SELECT count(*) AS n FROM sale;
CREATE TABLE forbidden (id int);
CREATE TABLE secret.plan (id int);
CREATE UNIQUE INDEX partly ON crm.note (customer_id) WHERE id > 5;
INSERT INTO customer (id, name) SELECT i, 'c' || i FROM generate_series(1, 7) i;
INSERT INTO sale SELECT i, '2024-03-01', 1 FROM generate_series(1, 3) i;
INSERT INTO sale SELECT i, '2025-03-01', 1 FROM generate_series(1, 2) i;
GRANT USAGE ON SCHEMA crm TO introspect_reader;
GRANT SELECT ON customer, crm.customer, sale, secure_customer, totals, old_customer, older_customer,
    old_note TO introspect_reader;
GRANT SELECT (id, region, no, customer_id) ON crm.note TO introspect_reader;
GRANT SELECT ON secret.plan TO introspect_reader;
GRANT INSERT ON forbidden TO introspect_reader;
