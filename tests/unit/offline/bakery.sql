-- Bakeries that sell to clients, as Rails names things: amounts in cents, rows marked as deleted.
CREATE TABLE bakeries(id INTEGER PRIMARY KEY, name VARCHAR NOT NULL, town VARCHAR, opened_on DATE,
    created_at DATETIME, updated_at DATETIME);
CREATE TABLE staff_members(id INTEGER PRIMARY KEY, first_name VARCHAR, last_name VARCHAR, job_title
    VARCHAR, bakery_id INTEGER REFERENCES bakeries(id), manager_id INTEGER REFERENCES
    staff_members(id), hired_on DATE, left_on DATE, hourly_wage_cents INTEGER, created_at DATETIME,
    updated_at DATETIME);
CREATE TABLE clients(id INTEGER PRIMARY KEY, name VARCHAR NOT NULL, town VARCHAR, rank_no VARCHAR,
    created_at DATETIME, updated_at DATETIME, deleted_at DATETIME);
CREATE TABLE breads(id INTEGER PRIMARY KEY, name VARCHAR NOT NULL, flour VARCHAR, weight_grams
    INTEGER, price_cents INTEGER, cost_cents INTEGER, created_at DATETIME, updated_at DATETIME,
    deleted_at DATETIME);
CREATE TABLE orders(id INTEGER PRIMARY KEY, number VARCHAR, client_id INTEGER REFERENCES
    clients(id), bakery_id INTEGER REFERENCES bakeries(id), channel VARCHAR, placed_on DATE,
    promised_on DATE, delivered_on DATE, created_at DATETIME, updated_at DATETIME, deleted_at
    DATETIME);
CREATE TABLE order_lines(id INTEGER PRIMARY KEY, order_id INTEGER REFERENCES orders(id), bread_id
    INTEGER REFERENCES breads(id), quantity INTEGER, unit_price_cents INTEGER, discount_cents
    INTEGER, created_at DATETIME, updated_at DATETIME);
CREATE TABLE returns(id INTEGER PRIMARY KEY, client_id INTEGER REFERENCES clients(id), returned_on
    DATE, reason VARCHAR, created_at DATETIME, updated_at DATETIME);
CREATE TABLE reviews(id INTEGER PRIMARY KEY, bread_id INTEGER REFERENCES breads(id), score INTEGER,
    created_at DATETIME, updated_at DATETIME);
CREATE TABLE bills(id INTEGER PRIMARY KEY, number VARCHAR, order_id INTEGER REFERENCES orders(id),
    issued_on DATE, due_on DATE, total_cents INTEGER, created_at DATETIME, updated_at DATETIME);
CREATE TABLE bill_payments(id INTEGER PRIMARY KEY, bill_id INTEGER REFERENCES bills(id), paid_on
    DATE, amount_cents INTEGER, created_at DATETIME, updated_at DATETIME);
CREATE TABLE contracts(id INTEGER PRIMARY KEY, client_id INTEGER REFERENCES clients(id), bread_id
    INTEGER REFERENCES breads(id), started_on DATE, cancelled_on DATE, created_at DATETIME,
    updated_at DATETIME);
CREATE TABLE helpers(id INTEGER PRIMARY KEY, first_name VARCHAR, last_name VARCHAR, town VARCHAR,
    started_on DATE, ended_on DATE, created_at DATETIME, updated_at DATETIME);
CREATE TABLE costs(id INTEGER PRIMARY KEY, kind VARCHAR, booked_on DATE, amount_cents INTEGER,
    created_at DATETIME, updated_at DATETIME);
INSERT INTO bakeries VALUES
    (1,'North Mill','Ulm','2015-03-01',0,0), (2,'Old Oven','Trier','2018-09-01',0,0),
    (3,'Quay','Ulm','2021-05-15',0,0);
INSERT INTO staff_members VALUES
    (1,'Ann','Bell','head baker',1,NULL,'2016-01-01',NULL,2900,0,0),
    (2,'Tom','Crane','baker',1,1,'2019-05-01','2024-08-31',2100,0,0),
    (3,'Mia','Dorn','baker',2,1,'2020-02-01',NULL,2250,0,0),
    (4,'Leo','Ernst','driver',3,3,'2021-06-01','2025-03-15',1800,0,0),
    (5,'Ida','Falk','driver',3,3,'2023-07-01',NULL,1750,0,0);
INSERT INTO clients
    WITH RECURSIVE n(i) AS (SELECT 1 UNION ALL SELECT i + 1 FROM n WHERE i < 12)
    SELECT i, 'Cafe ' || char(64 + i), CASE i % 3 WHEN 0 THEN 'Ulm' WHEN 1 THEN 'Trier' ELSE
        'Worms' END, i % 4, 0, 0, CASE WHEN i % 6 = 0 THEN '2025-01-10' END FROM n;
INSERT INTO breads VALUES
    (1,'Rye','dark',1000,650,210,0,0,NULL), (2,'Baguette','white',250,180,60,0,0,NULL),
    (3,'Walnut','dark',750,720,390,0,0,NULL), (4,'Toast','white',500,310,95,0,0,'2025-02-01'),
    (5,'Spelt','spelt',800,690,250,0,0,NULL);
INSERT INTO orders
    WITH RECURSIVE n(i) AS (SELECT 1 UNION ALL SELECT i + 1 FROM n WHERE i < 60)
    SELECT i, 'B-' || (1000 + i), 1 + i * 7 % 11, 1 + i % 3,
        CASE i % 3 WHEN 0 THEN 'web' WHEN 1 THEN 'phone' ELSE 'counter' END,
        date('2024-01-10', '+' || (i * 9) || ' days'),
        date('2024-01-12', '+' || (i * 9) || ' days'),
        CASE WHEN i < 55 THEN date('2024-01-11', '+' || (i * 9 + i % 4) || ' days') END, 0, 0,
        CASE WHEN i % 10 = 0 THEN '2025-06-01' END FROM n;
INSERT INTO order_lines
    WITH RECURSIVE n(i) AS (SELECT 1 UNION ALL SELECT i + 1 FROM n WHERE i < 150)
    SELECT i, 1 + i % 60, 1 + i * 3 % 5, 1 + i % 7, 150 + i * 37 % 600, CASE WHEN i % 5 = 0 THEN 40
        WHEN i % 5 = 1 THEN 0 END, 0, 0 FROM n;
INSERT INTO returns
    WITH RECURSIVE n(i) AS (SELECT 1 UNION ALL SELECT i + 1 FROM n WHERE i < 14)
    SELECT i, 1 + i * 5 % 7, date('2024-06-01', '+' || (i * 20) || ' days'),
        CASE i % 2 WHEN 0 THEN 'stale' ELSE 'wrong bread' END, 0, 0 FROM n;
INSERT INTO reviews
    WITH RECURSIVE n(i) AS (SELECT 1 UNION ALL SELECT i + 1 FROM n WHERE i < 20)
    SELECT i, 1 + i % 5, 1 + i * 7 % 5, 0, 0 FROM n;
INSERT INTO bills
    WITH RECURSIVE n(i) AS (SELECT 1 UNION ALL SELECT i + 1 FROM n WHERE i < 40)
    SELECT i, 'R-' || (500 + i), i, date('2024-01-15', '+' || (i * 9) || ' days'),
        date('2024-02-15', '+' || (i * 14) || ' days'), 1000 + i * 77, 0, 0 FROM n;
INSERT INTO bill_payments
    WITH RECURSIVE n(i) AS (SELECT 1 UNION ALL SELECT i + 1 FROM n WHERE i < 40)
    SELECT i, i, date('2024-02-01', '+' || (i * 13) || ' days'), 1000 + i * 77, 0, 0 FROM n
        WHERE i % 4 > 0;
INSERT INTO contracts
    WITH RECURSIVE n(i) AS (SELECT 1 UNION ALL SELECT i + 1 FROM n WHERE i < 20)
    SELECT i, 1 + i % 12, 1 + i % 5, date('2023-01-01', '+' || (i * 20) || ' days'),
        CASE WHEN i % 3 = 0 THEN date('2024-01-01', '+' || (i * 20) || ' days') END, 0, 0 FROM n;
INSERT INTO helpers VALUES
    (1,'Eva','Gall','Ulm','2023-02-01','2024-03-31',0,0), (2,'Jan','Hase','Ulm','2024-02-01',NULL,0,0),
    (3,'Kim','Igel','Trier','2022-02-01','2024-12-31',0,0),
    (4,'Ole','Jung','Trier','2024-05-01','2025-01-31',0,0);
INSERT INTO costs VALUES
    (1,'rent','2024-01-01',90000,0,0), (2,'flour','2024-02-01',45000,0,0),
    (3,'rent','2024-02-01',90000,0,0), (4,'power','2025-02-01',30000,0,0);
