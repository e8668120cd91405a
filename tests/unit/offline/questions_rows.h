/* SPDX-License-Identifier: MIT */
/* tests/unit/offline/questions_rows.h - a few rows for every table of the sample schema, so that
 * each question of questions.jsonl tells right from nearly right. */
#ifndef TESTS_UNIT_OFFLINE_QUESTIONS_ROWS_H
#define TESTS_UNIT_OFFLINE_QUESTIONS_ROWS_H

static const char questions_rows[] =
    "INSERT INTO customers VALUES (1,'Ada Stone','ada@x.example','2024-02-01 10:00:00'),"
    "(2,'Ben Hill','ben@x.example','2024-06-01 10:00:00'),"
    "(3,'Cleo Park','cleo@x.example','2025-03-01 10:00:00');"
    "INSERT INTO accounts VALUES (1,1,'AC-100',500,'2024-02-02 10:00:00'),"
    "(2,1,'AC-101',2500,'2024-03-02 10:00:00'),(3,2,'AC-102',900,'2024-06-02 10:00:00');"
    "INSERT INTO transactions VALUES (1,1,'credit',1000,'2025-05-03 10:00:00'),"
    "(2,1,'debit',300,'2025-06-03 10:00:00'),(3,2,'credit',700,'2025-06-04 10:00:00'),"
    "(4,2,'debit',900,'2024-12-04 10:00:00'),(5,3,'credit',50,'2025-06-05 10:00:00');"
    "INSERT INTO employee VALUES"
    "(1,'acme','Hugo','Novak','technician',1,'2018-03-12',49,'h@x.example','s1'),"
    "(2,'acme','Olga','Rossi','technician',0,'2020-04-01',41,'o@x.example','s2'),"
    "(3,'acme','Vera','Brown','dispatcher',1,'2023-04-01',38,'v@x.example','s3'),"
    "(4,'acme','Erik','Moreau','inspector',1,'2021-01-15',55,'e@x.example','s4');"
    "INSERT INTO user VALUES (1,'acme','hugo1','member',1,'2025-06-09 08:20:00','h1');"
    "INSERT INTO customer VALUES (1,'acme','Kaya Studio','business',1,'2023-12-03 09:00:00'),"
    "(2,'acme','Lake Hotel','business',0,'2024-10-21 09:00:00'),"
    "(3,'acme','Mina Zhang','residential',1,'2025-01-21 09:00:00');"
    "INSERT INTO customerLocation VALUES (1,'acme',1,'1 Lake Dr','Austin','TX','78701'),"
    "(2,'acme',2,'2 Main St','Boston','MA','02101'),(3,'acme',2,'3 Oak St','Austin','TX','78702');"
    "INSERT INTO customerContact VALUES (1,'acme',1,'Kira Garcia','555-1','k@x.example',1),"
    "(2,'acme',2,'Samir Kaya','555-2','s@x.example',1);"
    "INSERT INTO workOrder VALUES"
    "(1,'acme','WO-1001',1,1,'Leak search','completed','urgent',10,'2025-02-01 10:00:00',"
    "'2025-02-03 08:00:00','2025-02-03 17:00:00',3),"
    "(2,'acme','WO-1002',2,2,'Boiler repair','open','high',8,'2025-05-01 10:00:00',"
    "'2025-07-03 08:00:00',NULL,3),"
    "(3,'acme','WO-1003',2,3,'Leak search','cancelled','low',4,'2024-05-01 10:00:00',NULL,NULL,3),"
    "(4,'acme','WO-1004',1,1,'Filter change','completed','high',2,'2025-06-01 10:00:00',"
    "'2025-06-02 08:00:00','2025-06-02 12:00:00',3),"
    "(5,'acme','WO-1005',1,1,'Roof inspection','open','low',3,'2025-04-01 10:00:00',NULL,NULL,3);"
    "INSERT INTO workTime VALUES"
    "(1,'acme',1,1,'2025-02-03 08:00:00','2025-02-03 16:00:00',8,'regular'),"
    "(2,'acme',1,4,'2025-05-31 20:00:00','2025-06-01 02:00:00',6,'overtime'),"
    "(3,'acme',2,1,'2025-02-03 08:00:00','2025-02-03 12:00:00',4,'regular'),"
    "(4,'acme',2,4,'2025-06-02 08:00:00','2025-06-02 20:00:00',12,'regular');"
    "INSERT INTO crew VALUES (1,'acme',1,3,'Crew One','2025-02-03 08:00:00'),"
    "(2,'acme',4,3,'Crew Two','2025-06-02 08:00:00'),"
    "(3,'acme',2,3,'Crew Three','2025-07-02 08:00:00');"
    "INSERT INTO employeeCrew VALUES (1,'acme',1,1,1,'2025-02-03 08:00:00'),"
    "(2,'acme',1,2,0,'2025-02-03 08:00:00'),(3,'acme',2,2,0,'2025-06-02 08:00:00');"
    "INSERT INTO inspections VALUES (1,'acme',1,4,'2025-02-04','passed',90),"
    "(2,'acme',4,4,'2025-06-03','failed',40),(3,'acme',1,4,'2024-02-04','failed',55);"
    "INSERT INTO inspectionQuestion VALUES (1,'Is the work area clean?','safety',1);"
    "INSERT INTO inspectionAnswer VALUES (1,'acme',1,1,'yes',0),(2,'acme',2,1,'no',1);";

#endif
