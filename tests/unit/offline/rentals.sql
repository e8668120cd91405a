-- A car rental in a style of its own: abbreviated names behind the abbreviation of their table.
CREATE TABLE brnch(br_id INTEGER PRIMARY KEY, br_nm TEXT, br_city TEXT, br_opn_dt DATE, br_sqm
    INTEGER);
CREATE TABLE empl(em_id INTEGER PRIMARY KEY, em_fnm TEXT, em_lnm TEXT, em_bdt DATE, em_hire_dt
    TEXT, em_leave_dt DATE, em_sal REAL, em_br_id INTEGER REFERENCES brnch(br_id), em_mgr_id
    INTEGER REFERENCES empl(em_id), em_job TEXT);
CREATE TABLE cust(cu_id INTEGER PRIMARY KEY, cu_fnm TEXT, cu_lnm TEXT, cu_bdt DATE, cu_city TEXT,
    cu_ctry TEXT, cu_email TEXT, cu_reg_dt DATE, cu_lvl INTEGER /* 1=bronze, 2=silver, 3=gold */);
CREATE TABLE mfr(mf_id INTEGER PRIMARY KEY, mf_nm TEXT, mf_ctry TEXT);
CREATE TABLE vehcls(vc_id INTEGER PRIMARY KEY, vc_nm TEXT, vc_day_rate REAL);
CREATE TABLE veh(ve_id INTEGER PRIMARY KEY, ve_plate TEXT, ve_mdl TEXT, ve_mf_id INTEGER
    REFERENCES mfr(mf_id), ve_vc_id INTEGER REFERENCES vehcls(vc_id), ve_br_id INTEGER REFERENCES
    brnch(br_id), ve_seats INTEGER, ve_odo_km INTEGER, ve_wt_kg INTEGER, ve_buy_dt DATE,
    ve_buy_prc REAL, ve_fuel TEXT, ve_sold_dt DATE);
CREATE TABLE rntl(rn_id INTEGER PRIMARY KEY, rn_cu_id INTEGER REFERENCES cust(cu_id), rn_ve_id
    INTEGER REFERENCES veh(ve_id), rn_em_id INTEGER REFERENCES empl(em_id), rn_pick_dt DATE,
    rn_due_dt DATE, rn_ret_dt DATE, rn_km INTEGER, rn_tot_amt REAL, rn_stat TEXT CHECK(rn_stat IN
    ('OPEN','RETURNED','CANCELLED')));
CREATE TABLE pmt(pm_id INTEGER PRIMARY KEY, pm_rn_id INTEGER REFERENCES rntl(rn_id), pm_dt DATE,
    pm_amt REAL, pm_mthd TEXT);
CREATE TABLE dmg(dm_id INTEGER PRIMARY KEY, dm_rn_id INTEGER REFERENCES rntl(rn_id), dm_rep_dt
    TEXT, dm_cost REAL, dm_kind TEXT, dm_sev INTEGER /* 1=light, 2=medium, 3=severe */);
CREATE TABLE srvc(sv_id INTEGER PRIMARY KEY, sv_ve_id INTEGER REFERENCES veh(ve_id), sv_wksp_id
    INTEGER REFERENCES wksp(wk_id), sv_beg_dt DATE, sv_end_dt DATE, sv_cost REAL, sv_kind TEXT);
CREATE TABLE wksp(wk_id INTEGER PRIMARY KEY, wk_nm TEXT, wk_city TEXT);
CREATE TABLE rvw(rv_id INTEGER PRIMARY KEY, rv_cu_id INTEGER REFERENCES cust(cu_id), rv_rn_id
    INTEGER REFERENCES rntl(rn_id), rv_stars INTEGER, rv_txt TEXT, rv_dt DATE);
CREATE TABLE fine(fi_id INTEGER PRIMARY KEY, fi_rn_id INTEGER REFERENCES rntl(rn_id), fi_dt DATE,
    fi_amt REAL, fi_rsn TEXT, fi_paid_dt DATE);
INSERT INTO brnch VALUES
    (1,'Central','Ghent','2012-03-01',800), (2,'Airport','Antwerp','2015-06-15',2200),
    (3,'Harbour','Bruges','2018-09-01',600);
INSERT INTO empl VALUES
    (1,'Wout','Mertens','1966-02-11','2014-04-01',NULL,2997,1,NULL,'manager'),
    (2,'Hanne','Claes','1970-03-12','2015-04-01',NULL,3994,2,NULL,'manager'),
    (3,'Pieter','Leroy','1974-04-13','2016-04-01',NULL,2191,3,NULL,'manager'),
    (4,'Marie','Goossens','1978-05-14','2017-04-01',NULL,3188,1,1,'driver'),
    (5,'Bram','Hermans','1982-06-15','2018-04-01',NULL,4185,2,2,'driver'),
    (6,'Elke','Lambert','1986-07-16','2019-04-01',NULL,2382,3,3,'clerk'),
    (7,'Arne','Peeters','1990-08-17','2020-04-01',NULL,3379,1,1,'clerk'),
    (8,'Noor','Jacobs','1994-09-18','2021-04-01','2025-04-30',4376,2,2,'mechanic'),
    (9,'Tibo','Wouters','1998-01-10','2022-04-01',NULL,2573,3,3,'mechanic');
INSERT INTO cust VALUES
    (1,'Lotte','Dubois','1965-02-10','Antwerp','Belgium','lotte@mail.be','2022-02-15',1),
    (2,'Bram','Simon','1982-03-11','Leuven','France','bram@mail.be','2023-03-15',2),
    (3,'Sofie','Wouters','1999-04-12','Namur','Germany','sofie@mail.be','2024-04-15',3),
    (4,'Pieter','Jacobs','1958-05-13','Bruges','Belgium','pieter@mail.be','2021-05-15',1),
    (5,'Noor','Peeters','1975-06-14','Ghent','Belgium','noor@mail.be','2022-06-15',1),
    (6,'Wout','Lambert','1992-07-15','Antwerp','France','wout@mail.be','2023-07-15',2),
    (7,'Elke','Hermans','1951-08-16','Leuven','Germany',NULL,'2024-08-15',3),
    (8,'Jonas','Goossens','1968-09-17','Namur','Belgium','jonas@mail.be','2021-09-15',1),
    (9,'Marie','Leroy','1985-10-18','Bruges','Belgium','marie@mail.be','2022-01-15',1),
    (10,'Tibo','Claes','2002-11-19','Ghent','France','tibo@mail.be','2023-02-15',2),
    (11,'Hanne','Mertens','1961-12-20','Antwerp','Germany','hanne@mail.be','2024-03-15',3),
    (12,'Arne','Maes','1978-01-21','Leuven','Belgium','arne@mail.be','2021-04-15',1);
INSERT INTO mfr VALUES
    (1,'Opel','Germany'), (2,'Renault','France'), (3,'Toyota','Japan');
INSERT INTO vehcls VALUES
    (1,'compact',39.0), (2,'family',59.0), (3,'van',79.0);
INSERT INTO veh VALUES
    (1,'1-ABA-113','Clio',2,2,1,5,11973,1273,'2017-02-11',16177.0,'diesel',NULL),
    (2,'1-ABB-126','Yaris',3,3,2,7,21946,1646,'2018-03-12',23354.0,'electric',NULL),
    (3,'1-ABC-139','Astra',1,1,3,9,31919,2019,'2019-04-13',30531.0,'petrol',NULL),
    (4,'1-ABD-152','Megane',2,2,1,4,41892,2392,'2020-05-14',37708.0,'diesel',NULL),
    (5,'1-ABE-165','Corolla',3,3,2,5,51865,1265,'2021-06-15',44885.0,'electric',NULL),
    (6,'1-ABF-178','Vivaro',1,1,3,7,61838,1638,'2022-07-16',52062.0,'petrol',NULL),
    (7,'1-ABG-191','Trafic',2,2,1,9,71811,2011,'2023-08-17',9239.0,'diesel',NULL),
    (8,'1-ABH-204','Proace',3,3,2,4,81784,2384,'2024-09-18',16416.0,'electric',NULL),
    (9,'1-ABI-217','Corsa',1,1,3,5,91757,1257,'2016-01-10',23593.0,'petrol','2025-03-01'),
    (10,'1-ABJ-230','Clio',2,2,1,7,101730,1630,'2017-02-11',30770.0,'diesel',NULL);
INSERT INTO wksp VALUES
    (1,'Garage Noord','Ghent'), (2,'AutoFix','Antwerp');
WITH RECURSIVE n(i) AS (SELECT 1 UNION ALL SELECT i + 1 FROM n WHERE i < 90)
INSERT INTO rntl SELECT i, (i * 4 + i % 3) % 11 + 1, i * 7 % 9 + 1, i % 7 + 1, p,
    date(p, '+' || (i * 5 % 20 + 1) || ' days'),
    CASE WHEN i % 15 = 0 OR p > '2025-06-10' THEN NULL
         ELSE date(p, '+' || (i * 5 % 20 + 1 + i % 3) || ' days') END,
    CASE WHEN i % 15 = 0 THEN NULL ELSE 30 + i * 271 % 2400 END, 39 * (i * 5 % 20 + 1) + i,
    CASE WHEN i % 15 = 0 THEN 'CANCELLED' WHEN p > '2025-06-10' THEN 'OPEN' ELSE 'RETURNED' END
FROM (SELECT i, date('2022-06-01', '+' || (i * i * 3 % 1117) || ' days') AS p FROM n);
INSERT INTO pmt SELECT rn_id, rn_id, date(rn_pick_dt, '+2 days'), rn_tot_amt,
    CASE rn_id % 3 WHEN 0 THEN 'card' WHEN 1 THEN 'cash' ELSE 'transfer' END
FROM rntl WHERE rn_stat <> 'CANCELLED' AND rn_id % 5 <> 0;
INSERT INTO dmg SELECT rn_id, rn_id, date(rn_pick_dt, '+2 days'), 80.5 + rn_id * 17,
    CASE rn_id % 2 WHEN 0 THEN 'scratch' ELSE 'dent' END, rn_id % 3 + 1
FROM rntl WHERE rn_id % 4 = 1;
INSERT INTO fine SELECT rn_id, rn_id, date(rn_pick_dt, '+1 day'), 30.5 + rn_id,
    CASE rn_id % 2 WHEN 0 THEN 'speeding' ELSE 'parking' END,
    CASE WHEN rn_id % 3 = 0 THEN NULL ELSE date(rn_pick_dt, '+30 days') END
FROM rntl WHERE rn_id % 6 < 2;
INSERT INTO rvw SELECT rn_id, rn_cu_id, rn_id, rn_id % 5 + 1, 'ok', date(rn_pick_dt, '+25 days')
FROM rntl WHERE rn_id % 4 = 0;
INSERT INTO srvc SELECT rn_id, rn_ve_id, rn_id % 2 + 1, rn_due_dt,
    CASE WHEN rn_id % 29 = 0 THEN NULL ELSE date(rn_due_dt, '+' || (rn_id % 23 + 1) || ' days') END,
    60.5 + rn_id * 31 % 900, CASE rn_id % 3 WHEN 0 THEN 'brakes' ELSE 'inspection' END
FROM rntl WHERE rn_id % 3 <> 0;
