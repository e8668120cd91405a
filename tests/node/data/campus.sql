-- campus.sql - a school as an application names things: staff, rooms, students, courses, sections, leave, invoices.
CREATE TABLE department(departmentId INTEGER PRIMARY KEY, deptName TEXT NOT NULL, headStaffId INTEGER, budget REAL);
CREATE TABLE staffMember(staffId INTEGER PRIMARY KEY, firstName TEXT NOT NULL, lastName TEXT NOT NULL, jobTitle TEXT NOT NULL,
  departmentId INTEGER REFERENCES department(departmentId), managerId INTEGER REFERENCES staffMember(staffId), hireDate TEXT NOT NULL, terminatedAt TEXT,
  annualSalary REAL NOT NULL);
CREATE TABLE room(roomId INTEGER PRIMARY KEY, roomName TEXT NOT NULL, building TEXT NOT NULL, seats INTEGER NOT NULL);
CREATE TABLE term(termId INTEGER PRIMARY KEY, termName TEXT NOT NULL, startDate TEXT NOT NULL, endDate TEXT NOT NULL);
CREATE TABLE student(studentId INTEGER PRIMARY KEY, firstName TEXT NOT NULL, lastName TEXT NOT NULL, birthDate TEXT NOT NULL, gradeLevel INTEGER NOT NULL,
  homeroomTeacherId INTEGER REFERENCES staffMember(staffId), enrolledOn TEXT NOT NULL, isDeleted INTEGER NOT NULL DEFAULT 0, deletedAt TEXT);
CREATE TABLE course(courseId INTEGER PRIMARY KEY, courseTitle TEXT NOT NULL, departmentId INTEGER NOT NULL REFERENCES department(departmentId),
  credits INTEGER NOT NULL, isElective INTEGER NOT NULL);
CREATE TABLE courseSection(sectionId INTEGER PRIMARY KEY, courseId INTEGER NOT NULL REFERENCES course(courseId), termId INTEGER NOT NULL REFERENCES term(termId),
  teacherId INTEGER NOT NULL REFERENCES staffMember(staffId), roomId INTEGER NOT NULL REFERENCES room(roomId), maxSeats INTEGER NOT NULL);
CREATE TABLE sectionEnrollment(studentId INTEGER NOT NULL REFERENCES student(studentId), sectionId INTEGER NOT NULL REFERENCES courseSection(sectionId),
  enrolledAt TEXT NOT NULL, droppedAt TEXT, finalGrade REAL, PRIMARY KEY (studentId, sectionId));
CREATE TABLE leaveRequest(leaveRequestId INTEGER PRIMARY KEY, staffId INTEGER NOT NULL REFERENCES staffMember(staffId), leaveType TEXT NOT NULL,
  startDate TEXT NOT NULL, endDate TEXT NOT NULL, days INTEGER NOT NULL, requestedAt TEXT NOT NULL, decidedById INTEGER REFERENCES staffMember(staffId));
CREATE TABLE feeInvoice(feeInvoiceId INTEGER PRIMARY KEY, studentId INTEGER NOT NULL REFERENCES student(studentId), termId INTEGER NOT NULL REFERENCES term(termId),
  amount REAL NOT NULL, dueDate TEXT NOT NULL, paidAt TEXT);

INSERT INTO department VALUES (1, 'Mathematics', 1, 93000), (2, 'Science', 5, 217000), (3, 'Languages', 9, 176000), (4, 'Arts', 13, 119000), (5, 'Sports', 17, 88000);
INSERT INTO term VALUES (1, 'Fall 2023', '2023-09-01', '2023-12-20'), (2, 'Spring 2024', '2024-01-15', '2024-06-14'), (3, 'Fall 2024', '2024-09-02', '2024-12-20'),
  (4, 'Spring 2025', '2025-01-13', '2025-06-13');
INSERT INTO room VALUES (1, 'S101', 'South Hall', 48), (2, 'E102', 'East Wing', 24), (3, 'N103', 'North Hall', 36), (4, 'S104', 'South Hall', 30), (5, 'E105', 'East Wing', 48),
  (6, 'N106', 'North Hall', 30), (7, 'N107', 'North Hall', 18);
WITH RECURSIVE n(i) AS (SELECT 1 UNION ALL SELECT i + 1 FROM n WHERE i < 40)
INSERT INTO staffMember SELECT i, substr('IdaJonKimLouMaxNedOlgPia', 1 + 3 * (i % 8), 3), substr('ChenHaasDierVeraOrtzMohrWeisLind', 1 + 4 * (i * 3 % 8), 4),
  CASE WHEN i % 4 = 1 AND i < 20 THEN 'Head of Department' WHEN i % 3 = 0 THEN 'Senior Teacher' ELSE 'Teacher' END, 1 + (i - 1) / 4 % 5,
  CASE WHEN i % 4 = 1 AND i < 20 THEN NULL ELSE 1 + 4 * ((i - 1) / 4 % 5) END, date('2008-03-04', (i * 509 % 6000) || ' days'),
  CASE WHEN i % 9 = 4 THEN date('2023-08-01', (i * 53 % 600) || ' days') END, 41000 + i * 7919 % 38000 FROM n;
WITH RECURSIVE n(i) AS (SELECT 1 UNION ALL SELECT i + 1 FROM n WHERE i < 300)
INSERT INTO student SELECT i, substr('AnaBobCarDotEveFayGilHua', 1 + 3 * (i % 8), 3), substr('MoonReedSatoTimmUlmaVogtWongYang', 1 + 4 * (i * 5 % 8), 4),
  date('2006-09-01', (i * 59 % 2100) || ' days'), 7 + i * 11 % 6, 1 + i * 7 % 36, date('2020-08-15', (i * 31 % 1700) || ' days'), i % 14 = 3,
  CASE WHEN i % 14 = 3 THEN '2024-11-05' END FROM n;
WITH RECURSIVE n(i) AS (SELECT 1 UNION ALL SELECT i + 1 FROM n WHERE i < 24)
INSERT INTO course SELECT i, CASE i % 6 WHEN 0 THEN 'Algebra ' WHEN 1 THEN 'Biology ' WHEN 2 THEN 'French ' WHEN 3 THEN 'Drawing ' WHEN 4 THEN 'Rowing ' ELSE 'Physics ' END || (1 + i / 6),
  1 + i % 5, 1 + i % 5, i % 3 = 0 FROM n;
WITH RECURSIVE n(i) AS (SELECT 1 UNION ALL SELECT i + 1 FROM n WHERE i < 80)
INSERT INTO courseSection SELECT i, 1 + i * 7 % 22, 1 + i % 4, 1 + i * 11 % 34, 1 + i % 6, 20 + i % 15 FROM n;
INSERT INTO sectionEnrollment SELECT s.studentId, c.sectionId, date('2023-08-20', (c.termId * 150 + s.studentId % 20) || ' days'),
  CASE WHEN (s.studentId * 3 + c.sectionId) % 17 = 0 THEN date('2023-09-30', (c.termId * 150) || ' days') END,
  CASE WHEN (s.studentId + c.sectionId * 7) % 11 > 1 THEN 40 + (s.studentId * 13 + c.sectionId * 29) % 61 END
  FROM student s JOIN courseSection c WHERE (s.studentId * 7 + c.sectionId * 11) % 16 = 0;
WITH RECURSIVE n(i) AS (SELECT 1 UNION ALL SELECT i + 1 FROM n WHERE i < 140)
INSERT INTO leaveRequest SELECT i, 1 + i * 13 % 38, CASE i % 3 WHEN 0 THEN 'sick' WHEN 1 THEN 'vacation' ELSE 'parental' END, date('2024-02-01', (i * 71 % 560) || ' days'),
  date('2024-02-01', (i * 71 % 560 + i % 9) || ' days'), 1 + i % 9, date('2024-02-01', (i * 71 % 560 - 20 - i % 40) || ' days'), CASE WHEN i % 6 > 0 THEN 1 + 4 * (i % 5) END FROM n;
WITH RECURSIVE n(i) AS (SELECT 1 UNION ALL SELECT i + 1 FROM n WHERE i < 500)
INSERT INTO feeInvoice SELECT i, 1 + i * 17 % 290, 1 + i % 4, 900 + i * 50 % 1200, date('2024-01-15', (i * 15 % 540) || ' days'),
  CASE WHEN i % 5 > 0 THEN date('2024-01-15', (i * 15 % 540 + i % 13 - 8) || ' days') END FROM n;
