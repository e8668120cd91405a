-- school.sql - a school: classes, teachers, students, their exams, marks and days of absence.
CREATE TABLE teachers(id INTEGER PRIMARY KEY, first_name TEXT NOT NULL, last_name TEXT NOT NULL, field TEXT NOT NULL,
  hired_on DATE NOT NULL, left_on DATE, salary NUMERIC NOT NULL, is_head BOOLEAN NOT NULL);
CREATE TABLE classes(id INTEGER PRIMARY KEY, name TEXT NOT NULL, grade INTEGER NOT NULL,
  teacher_id INTEGER NOT NULL REFERENCES teachers(id), room TEXT NOT NULL);
CREATE TABLE students(id INTEGER PRIMARY KEY, first_name TEXT NOT NULL, last_name TEXT NOT NULL, birth_date DATE NOT NULL,
  class_id INTEGER NOT NULL REFERENCES classes(id), enrolled_on DATE NOT NULL, status TEXT NOT NULL, bus_route TEXT);
CREATE TABLE exams(id INTEGER PRIMARY KEY, class_id INTEGER NOT NULL REFERENCES classes(id), subject TEXT NOT NULL,
  held_on DATE NOT NULL, max_points INTEGER NOT NULL, set_by INTEGER NOT NULL REFERENCES teachers(id));
CREATE TABLE marks(id INTEGER PRIMARY KEY, exam_id INTEGER NOT NULL REFERENCES exams(id),
  student_id INTEGER NOT NULL REFERENCES students(id), points INTEGER NOT NULL, passed BOOLEAN NOT NULL);
CREATE TABLE absences(id INTEGER PRIMARY KEY, student_id INTEGER NOT NULL REFERENCES students(id), day DATE NOT NULL,
  reason TEXT NOT NULL, excused BOOLEAN NOT NULL);

WITH RECURSIVE n(i) AS (SELECT 1 UNION ALL SELECT i + 1 FROM n WHERE i < 12)
INSERT INTO teachers SELECT i, substr('AdaBenCleDanEvaFinGusHalIdaJonKimLou', 3 * i - 2, 3),
  substr('MooreParksQuinnRossiSmithTylerUnderVeganWalshYoungZieglAdler', 5 * i - 4, 5),
  CASE i % 4 WHEN 0 THEN 'mathematics' WHEN 1 THEN 'languages' WHEN 2 THEN 'science' ELSE 'arts' END,
  date('2008-08-01', (i * 17 % 13) || ' years'), CASE WHEN i % 6 = 0 THEN '2024-07-31' END, 41000 + 900 * (i * 7 % 12), i % 6 = 1 FROM n;
WITH RECURSIVE n(i) AS (SELECT 1 UNION ALL SELECT i + 1 FROM n WHERE i < 10)
INSERT INTO classes SELECT i, (5 + i / 2) || substr('ab', 1 + i % 2, 1), 5 + i / 2, 1 + i * 5 % 11, 'R' || (100 + i) FROM n;
WITH RECURSIVE n(i) AS (SELECT 1 UNION ALL SELECT i + 1 FROM n WHERE i < 220)
INSERT INTO students SELECT i, substr('LeaTomMiaNoaZoeSamEmmMaxAnaLuc', 1 + 3 * (i * 7 % 10), 3),
  substr('KernLangMayrNoltOttoPaulRothSeelTietUhde', 1 + 4 * (i * 3 % 10), 4), date('2007-01-15', (i * 37 % 1900) || ' days'),
  1 + i * 7 % 9, date('2019-08-01', (i % 6) || ' years'),
  CASE WHEN i % 23 = 0 THEN 'on leave' WHEN i % 17 = 0 THEN 'left' ELSE 'enrolled' END, CASE WHEN i % 3 > 0 THEN 'line ' || (i % 5) END FROM n;
WITH RECURSIVE n(i) AS (SELECT 1 UNION ALL SELECT i + 1 FROM n WHERE i < 90)
INSERT INTO exams SELECT i, 1 + i % 9, CASE i % 3 WHEN 0 THEN 'algebra' WHEN 1 THEN 'English' ELSE 'biology' END,
  date('2024-01-08', (i * 6) || ' days'), 100, 1 + i * 5 % 12 FROM n;
INSERT INTO marks(exam_id, student_id, points, passed) SELECT e.id, s.id, (e.id * 31 + s.id * 17) % 101, (e.id * 31 + s.id * 17) % 101 >= 40
  FROM exams e JOIN students s ON s.class_id = e.class_id WHERE (e.id + s.id) % 7 > 0;
WITH RECURSIVE n(i) AS (SELECT 1 UNION ALL SELECT i + 1 FROM n WHERE i < 600)
INSERT INTO absences SELECT i, 1 + i * 13 % 180, date('2024-01-08', (i * 7 % 530) || ' days'),
  CASE i % 4 WHEN 0 THEN 'illness' WHEN 1 THEN 'appointment' WHEN 2 THEN 'travel' ELSE 'unknown' END, i % 4 < 2 FROM n;
