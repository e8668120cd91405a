-- sqlite.sql - the guard's world for SQLite: a savings union, a service company,
-- and two companies that send parcels.
--
-- Whatever no accepted statement may show begins with CANARY: columns and tables that schema.json
-- lacks or hides, tables behind secure views, rows of a company other than 'acme'.

CREATE TABLE "members"("id" INTEGER, "full_name" TEXT, "email" TEXT, "city" TEXT,
    "joined_on" TEXT, "is_active" BOOLEAN, "credit_score" INTEGER, "update_note" TEXT,
    "tax_number" TEXT, "secret_answer" TEXT, PRIMARY KEY ("id"));
CREATE TABLE "savings"("id" INTEGER, "member_id" INTEGER, "kind" TEXT, "currency" TEXT,
    "balance" NUMERIC, "opened_on" TEXT, "closed_on" TEXT, "pin_code" TEXT, PRIMARY KEY ("id"));
CREATE TABLE "movements"("id" INTEGER, "savings_id" INTEGER, "direction" TEXT, "amount" NUMERIC,
    "category" TEXT, "booked_at" TEXT, "note" TEXT, PRIMARY KEY ("id"));
CREATE TABLE "offices"("id" INTEGER, "name" TEXT, "city" TEXT, "drop_box_count" INTEGER,
    "opened_on" TEXT, "vault_phrase" TEXT, PRIMARY KEY ("id"));
CREATE TABLE "office_members"("office_id" INTEGER, "member_id" INTEGER, "since" TEXT,
    PRIMARY KEY ("office_id", "member_id"));
CREATE TABLE "staff_salaries"("id" INTEGER, "person" TEXT, "salary" NUMERIC, PRIMARY KEY ("id"));
CREATE TABLE "api_tokens"("id" INTEGER, "owner" TEXT, "token_value" TEXT, PRIMARY KEY ("id"));
CREATE TABLE "reading"("id" INTEGER, "sensor" TEXT, "amount" INTEGER, "taken_on" TEXT,
    PRIMARY KEY ("id"));
CREATE TABLE "client"("id" INTEGER, "name" TEXT, "tier" TEXT, "isActive" BOOLEAN,
    "createdAt" TEXT, PRIMARY KEY ("id"));
CREATE TABLE "technician"("id" INTEGER, "firstName" TEXT, "lastName" TEXT, "email" TEXT,
    "isActive" BOOLEAN, "hiredOn" TEXT, "hourlyCost" NUMERIC, "bossId" INTEGER, "badgeCode" TEXT,
    PRIMARY KEY ("id"));
CREATE TABLE "siteVisit"("id" INTEGER, "clientId" INTEGER, "title" TEXT, "status" TEXT,
    "priority" INTEGER, "plannedFor" TEXT, "doneAt" TEXT, "estimate" NUMERIC, PRIMARY KEY ("id"));
CREATE TABLE "visitTechnician"("visitId" INTEGER, "technicianId" INTEGER, "isLead" BOOLEAN,
    "hours" NUMERIC, PRIMARY KEY ("visitId", "technicianId"));
CREATE TABLE "finding"("id" INTEGER, "visitId" INTEGER, "severity" INTEGER, "remark" TEXT,
    "resolved" BOOLEAN, PRIMARY KEY ("id"));
CREATE TABLE "item"("id" INTEGER, "name" TEXT, "price" NUMERIC, "purchaseNote" TEXT,
    PRIMARY KEY ("id"));
CREATE TABLE "depot"("id" INTEGER, "companyId" TEXT, "name" TEXT, "city" TEXT,
    PRIMARY KEY ("id"));
CREATE TABLE "shipment"("id" INTEGER, "companyId" TEXT, "depotId" INTEGER, "parentId" INTEGER,
    "label" TEXT, "status" TEXT, "weightKg" NUMERIC, "sentAt" TEXT, "courierKey" TEXT,
    PRIMARY KEY ("id"));
CREATE TABLE "shipmentLine"("id" INTEGER, "companyId" TEXT, "shipmentId" INTEGER,
    "itemId" INTEGER, "quantity" INTEGER, "remark" TEXT, PRIMARY KEY ("id"));
CREATE TABLE "legacyPing"("id" INTEGER, "companyId" INTEGER, "note" TEXT, PRIMARY KEY ("id"));
CREATE TABLE "deviceLease"("id" INTEGER, "companyId" TEXT, "note" TEXT, PRIMARY KEY ("id"));
-- Rows whose company is known only through what they refer to; without that they are nobody's.
CREATE TABLE "company"("id" TEXT, "name" TEXT, PRIMARY KEY ("id"));
CREATE TABLE "parcelEvent"("id" INTEGER, "shipmentId" INTEGER, "what" TEXT, PRIMARY KEY ("id"));
CREATE TABLE "parcelScan"("id" INTEGER, "eventId" INTEGER, "device" TEXT, PRIMARY KEY ("id"));
CREATE TABLE "shelf"("depotId" INTEGER, "shelfNo" INTEGER, "zone" TEXT, PRIMARY KEY ("depotId",
    "shelfNo"));
CREATE TABLE "shelfItem"("id" INTEGER, "depotId" INTEGER, "shelfNo" INTEGER, "itemId" INTEGER,
    "bin" TEXT, PRIMARY KEY ("id"));
CREATE TABLE "crew"("id" INTEGER, "leadId" INTEGER, "name" TEXT, PRIMARY KEY ("id"));
CREATE TABLE "crewMember"("id" INTEGER, "crewId" INTEGER, "depotId" INTEGER, "nick" TEXT,
    PRIMARY KEY ("id"));
CREATE TABLE "tariff"("id" INTEGER, "createdBy" INTEGER, "label" TEXT, PRIMARY KEY ("id"));
CREATE TABLE "driver"("id" INTEGER, "depotId" INTEGER, "name" TEXT, "licence" TEXT, PRIMARY KEY
    ("id"));
CREATE TABLE "drive"("id" INTEGER, "driverId" INTEGER, "route" TEXT, PRIMARY KEY ("id"));
INSERT INTO "members" VALUES
    (1, 'Ada Berg', 'ada@example.org', 'Oslo', '2023-01-15', TRUE, 710, NULL, 'CANARY-TAX-1',
     'CANARY-ANSWER-1'),
    (2, 'Bo Carlsen', 'bo@example.org', 'Bergen', '2023-02-20', TRUE, 640, 'moved',
     'CANARY-TAX-2', 'CANARY-ANSWER-2'),
    (3, 'Cy Dahl', NULL, 'Oslo', '2023-05-05', FALSE, 580, 'please DROP me a note',
     'CANARY-TAX-3', 'CANARY-ANSWER-3'),
    (4, 'Dee Eide', 'dee@example.org', 'Tromso', '2024-01-01', TRUE, 790, NULL, 'CANARY-TAX-4',
     'CANARY-ANSWER-4'),
    (5, 'Grant Foss', 'grant@example.org', 'Bergen', '2024-03-31', TRUE, NULL, 'it''s -- fine',
     'CANARY-TAX-5', 'CANARY-ANSWER-5'),
    (6, 'Eve Grong', 'eve@example.org', 'Hamar', '2024-07-09', FALSE, 455, NULL, 'CANARY-TAX-6',
     'CANARY-ANSWER-6');
INSERT INTO "savings" VALUES
    (1, 1, 'everyday', 'NOK', 1200.50, '2023-01-15', NULL, 'CANARY-PIN-1'),
    (2, 1, 'deposit', 'EUR', 5000.00, '2023-06-01', NULL, 'CANARY-PIN-2'),
    (3, 2, 'everyday', 'NOK', 310.25, '2023-02-21', NULL, 'CANARY-PIN-3'),
    (4, 3, 'everyday', 'NOK', 0.00, '2023-05-06', '2024-02-02', 'CANARY-PIN-4'),
    (5, 4, 'deposit', 'USD', 9900.99, '2024-01-02', NULL, 'CANARY-PIN-5'),
    (6, 5, 'everyday', 'NOK', 75.10, '2024-04-01', NULL, 'CANARY-PIN-6'),
    (7, 5, 'home', 'NOK', 15000.00, '2024-05-17', NULL, 'CANARY-PIN-7');
INSERT INTO "movements" VALUES
    (1, 1, 'in', 1500.00, 'salary', '2024-01-25 08:00:00', NULL),
    (2, 1, 'out', 45.50, 'food', '2024-01-27 17:30:00', 'lunch; with team'),
    (3, 1, 'out', 254.00, 'travel', '2024-02-02 09:15:00', NULL),
    (4, 2, 'in', 5000.00, 'transfer', '2023-06-01 12:00:00', 'first deposit'),
    (5, 3, 'in', 400.00, 'salary', '2024-01-25 08:00:01', NULL),
    (6, 3, 'out', 89.75, 'food', '2024-02-10 18:00:00', NULL),
    (7, 4, 'out', 12.00, 'fees', '2023-12-31 23:59:59', 'SELECT * FROM nothing'),
    (8, 5, 'in', 9900.99, 'transfer', '2024-01-02 10:00:00', NULL),
    (9, 6, 'in', 100.00, 'gift', '2024-04-02 07:45:00', 'happy birthday'),
    (10, 6, 'out', 24.90, 'food', '2024-04-03 12:00:00', NULL),
    (11, 7, 'in', 15000.00, 'loan', '2024-05-17 11:11:11', NULL),
    (12, 7, 'out', 0.00, 'fees', '2024-06-30 00:00:00', NULL);
INSERT INTO "offices" VALUES
    (1, 'Harbour', 'Oslo', 3, '2001-05-01', 'CANARY-VAULT-1'),
    (2, 'Fjord', 'Bergen', 1, '2010-09-09', 'CANARY-VAULT-2'),
    (3, 'North', 'Tromso', 0, '2022-11-30', 'CANARY-VAULT-3');
INSERT INTO "office_members" VALUES
    (1, 1, '2023-01-15'),
    (1, 3, '2023-05-05'),
    (2, 2, '2023-02-20'),
    (2, 5, '2024-03-31'),
    (3, 4, '2024-01-01'),
    (1, 4, '2024-02-01');
INSERT INTO "staff_salaries" VALUES
    (1, 'CANARY-PERSON-1', 99999.00),
    (2, 'CANARY-PERSON-2', 88888.00);
INSERT INTO "api_tokens" VALUES
    (1, 'CANARY-OWNER', 'CANARY-TOKEN-1'),
    (2, 'CANARY-OWNER', 'CANARY-TOKEN-2');

-- More rows than any LIMIT lets through: 1200.
INSERT INTO "reading"
SELECT n, CASE n % 3 WHEN 0 THEN 'north' WHEN 1 THEN 'east' ELSE 'south' END, n % 50,
       date('2024-01-01', '+' || (n % 360) || ' days')
FROM (SELECT 1 + a.d + 10 * b.d + 100 * c.d + 1000 * e.d AS n
      FROM (SELECT 0 AS d UNION ALL SELECT 1 UNION ALL SELECT 2 UNION ALL SELECT 3 UNION ALL
            SELECT 4 UNION ALL SELECT 5 UNION ALL SELECT 6 UNION ALL SELECT 7 UNION ALL
            SELECT 8 UNION ALL SELECT 9) a
      CROSS JOIN (SELECT 0 AS d UNION ALL SELECT 1 UNION ALL SELECT 2 UNION ALL SELECT 3 UNION ALL
            SELECT 4 UNION ALL SELECT 5 UNION ALL SELECT 6 UNION ALL SELECT 7 UNION ALL
            SELECT 8 UNION ALL SELECT 9) b
      CROSS JOIN (SELECT 0 AS d UNION ALL SELECT 1 UNION ALL SELECT 2 UNION ALL SELECT 3 UNION ALL
            SELECT 4 UNION ALL SELECT 5 UNION ALL SELECT 6 UNION ALL SELECT 7 UNION ALL
            SELECT 8 UNION ALL SELECT 9) c
      CROSS JOIN (SELECT 0 AS d UNION ALL SELECT 1) e
     ) AS numbers WHERE n <= 1200;

INSERT INTO "client" VALUES
    (1, 'CANARY-Fjell AS', 'gold', TRUE, '2023-03-01 09:00:00'),
    (2, 'CANARY-Strand AS', 'silver', TRUE, '2023-08-15 10:30:00'),
    (3, 'CANARY-Dal AS', 'gold', FALSE, '2024-01-20 14:00:00');
INSERT INTO "technician" VALUES
    (1, 'CANARY-Ina', 'CANARY-Ask', 'CANARY-ina@example.org', TRUE, '2019-04-01', 410.00, NULL,
     'CANARY-BADGE-1'),
    (2, 'CANARY-Jon', 'CANARY-Bruun', 'CANARY-jon@example.org', TRUE, '2021-10-15', 355.50, 1,
     'CANARY-BADGE-2'),
    (3, 'CANARY-Kim', 'CANARY-Carl', 'CANARY-kim@example.org', FALSE, '2018-01-08', 300.00, 1,
     'CANARY-BADGE-3'),
    (4, 'CANARY-Liv', 'CANARY-Dybwad', 'CANARY-liv@example.org', TRUE, '2024-02-29', 365.25, 2,
     'CANARY-BADGE-4');
INSERT INTO "siteVisit" VALUES
    (1, 1, 'CANARY-Replace pump', 'done', 1, '2024-02-01 08:00:00', '2024-02-01 11:30:00', 3.50),
    (2, 1, 'CANARY-Inspect boiler', 'open', 2, '2024-09-01 08:00:00', NULL, 2.00),
    (3, 2, 'CANARY-Paint hall', 'done', 3, '2024-03-05 07:00:00', '2024-03-06 16:00:00', 16.00),
    (4, 2, 'CANARY-Fix door', 'open', 1, '2024-09-02 12:00:00', NULL, 1.00),
    (5, 3, 'CANARY-Clean vents', 'cancelled', 3, '2024-04-10 09:00:00', NULL, 4.25),
    (6, 1, 'CANARY-Audit', 'open', 2, '2024-10-15 10:00:00', NULL, NULL);
INSERT INTO "visitTechnician" VALUES
    (1, 1, TRUE, 3.25),
    (1, 2, FALSE, 3.00),
    (3, 3, TRUE, 15.50),
    (3, 2, FALSE, 8.00),
    (4, 4, TRUE, NULL),
    (5, 1, TRUE, 0.50);
INSERT INTO "finding" VALUES
    (1, 1, 2, 'worn seal', TRUE),
    (2, 1, 1, 'noise', FALSE),
    (3, 3, 3, 'cracked wall', FALSE),
    (4, 3, 1, 'dust', TRUE),
    (5, 5, 2, 'blocked', FALSE);
INSERT INTO "item" VALUES
    (1, 'crate', 12.00, 'CANARY-COST-1'),
    (2, 'pallet', 55.00, 'CANARY-COST-2'),
    (3, 'label roll', 3.75, 'CANARY-COST-3');
INSERT INTO "depot" VALUES
    (1, 'acme', 'East', 'Oslo'),
    (2, 'acme', 'West', 'Bergen'),
    (3, 'zenith', 'CANARY-HUB', 'CANARY-CITY'),
    (4, 'zenith', 'CANARY-YARD', 'CANARY-CITY');
INSERT INTO "shipment" VALUES
    (1, 'acme', 1, NULL, 'A-1', 'sent', 10.50, '2024-01-10 08:00:00', 'CANARY-KEY-1'),
    (2, 'acme', 1, 1, 'A-2', 'sent', 4.00, '2024-01-11 08:00:00', 'CANARY-KEY-2'),
    (3, 'acme', 2, NULL, 'A-3', 'packed', 7.25, NULL, 'CANARY-KEY-3'),
    (4, 'acme', 2, 3, 'A-4', 'lost', 1.00, '2024-02-14 16:00:00', 'CANARY-KEY-4'),
    (5, 'zenith', 3, NULL, 'CANARY-Z-1', 'CANARY-SENT', 900.00, '2024-01-10 08:00:00',
     'CANARY-KEY-5'),
    (6, 'zenith', 4, 5, 'CANARY-Z-2', 'CANARY-SENT', 901.00, '2024-01-12 08:00:00', 'CANARY-KEY-6'),
    (7, 'zenith', 1, 1, 'CANARY-Z-3', 'CANARY-LOST', 902.00, NULL, 'CANARY-KEY-7');
INSERT INTO "shipmentLine" VALUES
    (1, 'acme', 1, 1, 3, 'fragile'),
    (2, 'acme', 1, 2, 1, NULL),
    (3, 'acme', 2, 3, 12, 'rush'),
    (4, 'acme', 3, 1, 2, NULL),
    (5, 'acme', 4, 2, 1, 'lost'),
    (6, 'zenith', 5, 1, 700, 'CANARY-LINE'),
    (7, 'zenith', 6, 2, 701, 'CANARY-LINE'),
    (8, 'zenith', 1, 3, 702, 'CANARY-LINE');
INSERT INTO "legacyPing" VALUES
    (1, 0, 'CANARY-ZERO'),
    (2, 7, 'CANARY-SEVEN');
INSERT INTO "deviceLease" VALUES
    (1, '7f2c1c9e-5a47-4a41-9d43-000000000001', 'CANARY-LEASE'),
    (2, '00000000-0000-0000-0000-000000000000', 'CANARY-LEASE');
INSERT INTO "company" VALUES
    ('acme', 'Acme Parcels'),
    ('zenith', 'CANARY-ZENITH');
INSERT INTO "parcelEvent" VALUES
    (1, 1, 'picked'),
    (2, 2, 'loaded'),
    (3, 5, 'CANARY-EVENT'),
    (4, 6, 'CANARY-EVENT'),
    (5, NULL, 'CANARY-ORPHAN'),
    (6, 99, 'CANARY-LOST');
INSERT INTO "parcelScan" VALUES
    (1, 1, 'S-1'),
    (2, 2, 'S-2'),
    (3, 3, 'CANARY-SCAN'),
    (4, 5, 'CANARY-SCAN'),
    (5, 1, 'S-3');
INSERT INTO "shelf" VALUES
    (1, 1, 'A'),
    (2, 1, 'B'),
    (2, 2, 'C'),
    (3, 1, 'CANARY-ZONE'),
    (3, 2, 'CANARY-ZONE');
INSERT INTO "shelfItem" VALUES
    (1, 1, 1, 1, 'b-1'),
    (2, 2, 2, 2, 'b-2'),
    (3, 3, 1, 1, 'CANARY-BIN'),
    (4, 1, 2, 1, 'CANARY-NO-SHELF'),
    (5, NULL, 1, 1, 'CANARY-BIN');
INSERT INTO "crew" VALUES
    (1, 1, 'north'),
    (2, 3, 'CANARY-CREW'),
    (3, NULL, 'CANARY-LEADERLESS');
INSERT INTO "crewMember" VALUES
    (1, 1, 1, 'Ann'),
    (2, 1, 2, 'Bob'),
    (3, 2, 3, 'CANARY-NICK');
INSERT INTO "tariff" VALUES
    (1, 1, 'base'),
    (2, 3, 'CANARY-TARIFF');
INSERT INTO "driver" VALUES
    (1, 1, 'CANARY-Dora', 'CANARY-LIC-1'),
    (2, 2, 'CANARY-Dan', 'CANARY-LIC-2'),
    (3, 3, 'CANARY-CANARY-DUNJA', 'CANARY-LIC-3');
INSERT INTO "drive" VALUES
    (1, 1, 'R-1'),
    (2, 2, 'R-2'),
    (3, 3, 'CANARY-ROUTE'),
    (4, 1, 'R-4');

CREATE VIEW "secure_client" AS SELECT "id", substr("name", 8) AS "name", "tier", "isActive",
    "createdAt" FROM "client";
CREATE VIEW "secure_technician" AS SELECT "id", substr("firstName", 8) AS "firstName",
    substr("lastName", 8) AS "lastName", "isActive", "hiredOn", "hourlyCost", "bossId" FROM
    "technician";
CREATE VIEW "secure_sitevisit" AS SELECT "id", "clientId", substr("title", 8) AS "title",
    "status", "priority", "plannedFor", "doneAt", "estimate" FROM "siteVisit";
CREATE VIEW "active_members" AS SELECT id, full_name, city, joined_on FROM members WHERE
    is_active;
CREATE VIEW "depotNames" AS SELECT "id", "name" FROM "depot";
CREATE VIEW "shipmentOverview" AS SELECT "s"."id", "s"."companyId", "s"."label", "d"."name" AS
    "depotName" FROM "shipment" "s" JOIN "depot" "d" ON "d"."id" = "s"."depotId" AND
    "d"."companyId" = "s"."companyId";
CREATE VIEW "secure_driver" AS SELECT "id", "depotId", substr("name", 8) AS "name" FROM "driver";
