// SPDX-License-Identifier: MIT
// tests/node/mistakes_abroad.test.mjs - harmful mistakes in statements about a hospital whose tables are named as old
// systems name them, and a school whose tables are named as applications name them. They were written before anybody
// looked at what becomes of them: of the 40 mistakes 17 passed unseen the first time.
import { becomes } from './lib/mistakes.mjs';

becomes([
  // values that are codes
  ['How many emergency admissions were there in 2025?', "SELECT COUNT(*) FROM ADM_HDR WHERE ADM_TYP = 'EMERGENCY' AND ADM_DT >= '2025-01-01' AND ADM_DT < '2026-01-01'", "SELECT COUNT(*) FROM ADM_HDR WHERE ADM_TYP = 'E' AND ADM_DT >= '2025-01-01' AND ADM_DT < '2026-01-01'"],
  ['Total amount of the bills that are still open', "SELECT SUM(TOT_AMT) FROM BILL_HDR WHERE BILL_STS = 'open'", "SELECT SUM(TOT_AMT) FROM BILL_HDR WHERE BILL_STS = 'O'"],
  // joins by something that both have
  ['Number of admissions per attending doctor', 'SELECT d.DOC_NM, COUNT(*) FROM ADM_HDR a JOIN WARD_MST w ON w.WARD_CD = a.WARD_CD JOIN DOC_MST d ON d.DEPT_CD = w.DEPT_CD GROUP BY d.DOC_ID, d.DOC_NM', 'SELECT d.DOC_NM, COUNT(*) FROM ADM_HDR a JOIN DOC_MST d ON d.DOC_ID = a.ATT_DOC_ID GROUP BY d.DOC_ID, d.DOC_NM'],
  ['What is the average glucose result during emergency admissions?', "SELECT AVG(l.RSLT_VAL) FROM LAB_RSLT l JOIN ADM_HDR a ON a.PAT_ID = l.PAT_ID WHERE l.TST_NM = 'GLUCOSE' AND a.ADM_TYP = 'E'", "SELECT AVG(l.RSLT_VAL) FROM LAB_RSLT l JOIN ADM_HDR a ON a.ADM_ID = l.ADM_ID WHERE l.TST_NM = 'GLUCOSE' AND a.ADM_TYP = 'E'"],
  // another aggregate
  ['How long do patients stay in each ward on average?', 'SELECT w.WARD_NM, SUM(a.LOS_DAYS) FROM ADM_HDR a JOIN WARD_MST w ON w.WARD_CD = a.WARD_CD GROUP BY w.WARD_CD, w.WARD_NM', 'SELECT w.WARD_NM, AVG(a.LOS_DAYS) FROM ADM_HDR a JOIN WARD_MST w ON w.WARD_CD = a.WARD_CD GROUP BY w.WARD_CD, w.WARD_NM'],
  // the same patient again
  ['How many patients had an MRI scan?', "SELECT COUNT(*) FROM PROC_TRN t JOIN PROC_MST p ON p.PROC_CD = t.PROC_CD JOIN ADM_HDR a ON a.ADM_ID = t.ADM_ID WHERE p.PROC_DESC = 'MRI SCAN'", "SELECT COUNT(DISTINCT a.PAT_ID) FROM PROC_TRN t JOIN PROC_MST p ON p.PROC_CD = t.PROC_CD JOIN ADM_HDR a ON a.ADM_ID = t.ADM_ID WHERE p.PROC_DESC = 'MRI SCAN'"],
  // a day too few, another quarter
  ['How many admissions were there in March 2025?', "SELECT COUNT(*) FROM ADM_HDR WHERE ADM_DT BETWEEN '2025-03-01' AND '2025-03-30'", "SELECT COUNT(*) FROM ADM_HDR WHERE ADM_DT BETWEEN '2025-03-01' AND '2025-03-31'"],
  ['Billed total in the second quarter of 2025', "SELECT SUM(TOT_AMT) FROM BILL_HDR WHERE BILL_DT >= '2025-03-01' AND BILL_DT < '2025-06-01'", "SELECT SUM(TOT_AMT) FROM BILL_HDR WHERE BILL_DT >= '2025-04-01' AND BILL_DT < '2025-07-01'"],
  // a condition forgotten
  ['How many active doctors does each department have?', 'SELECT m.DEPT_NM, COUNT(*) FROM DOC_MST d JOIN DEPT_MST m ON m.DEPT_CD = d.DEPT_CD GROUP BY m.DEPT_CD, m.DEPT_NM', "SELECT m.DEPT_NM, COUNT(*) FROM DOC_MST d JOIN DEPT_MST m ON m.DEPT_CD = d.DEPT_CD WHERE d.ACT_FLG = 'Y' GROUP BY m.DEPT_CD, m.DEPT_NM"],
  // the other end
  ['Welche drei Medikamente haben den niedrigsten Bestand?', 'SELECT DRUG_NM, STK_QTY FROM DRUG_MST ORDER BY STK_QTY DESC LIMIT 3', 'SELECT DRUG_NM, STK_QTY FROM DRUG_MST ORDER BY STK_QTY LIMIT 3'],
  // the column beside
  ['How much did patients pay themselves in 2024? I mean the paid amount', "SELECT SUM(TOT_AMT) FROM BILL_HDR WHERE BILL_DT >= '2024-01-01' AND BILL_DT < '2025-01-01'", "SELECT SUM(PAID_AMT) FROM BILL_HDR WHERE BILL_DT >= '2024-01-01' AND BILL_DT < '2025-01-01'"],
  // what is missing is neither equal nor different
  ['How many patients are not insured by Medicare?', "SELECT COUNT(*) FROM PAT_MST WHERE INS_CD <> 'MCAR'", "SELECT COUNT(*) FROM PAT_MST WHERE INS_CD <> 'MCAR' OR INS_CD IS NULL"],
  ['Which doctors never attended an admission?', 'SELECT DOC_NM FROM DOC_MST WHERE DOC_ID NOT IN (SELECT ATT_DOC_ID FROM ADM_HDR)', 'SELECT d.DOC_NM FROM DOC_MST d WHERE NOT EXISTS (SELECT 1 FROM ADM_HDR a WHERE a.ATT_DOC_ID = d.DOC_ID)'],
  // minutes
  ['How many procedures took longer than 2 hours?', 'SELECT COUNT(*) FROM PROC_TRN WHERE DUR_MIN > 2', 'SELECT COUNT(*) FROM PROC_TRN WHERE DUR_MIN > 120'],
  // the rows that are averaged
  ['What is the average amount billed per patient?', 'SELECT AVG(TOT_AMT) FROM BILL_HDR', 'SELECT AVG(n) FROM (SELECT SUM(TOT_AMT) AS n FROM BILL_HDR GROUP BY PAT_ID) AS x'],
  // whole numbers divided
  ['What share of the admissions are emergencies?', "SELECT SUM(CASE WHEN ADM_TYP = 'E' THEN 1 ELSE 0 END) / COUNT(*) FROM ADM_HDR", "SELECT 1.0 * SUM(CASE WHEN ADM_TYP = 'E' THEN 1 ELSE 0 END) / COUNT(*) FROM ADM_HDR"],
  // rows where groups are meant
  ['Wards whose average stay is more than 7 days', 'SELECT w.WARD_NM, AVG(a.LOS_DAYS) FROM ADM_HDR a JOIN WARD_MST w ON w.WARD_CD = a.WARD_CD WHERE a.LOS_DAYS > 7 GROUP BY w.WARD_CD, w.WARD_NM', 'SELECT w.WARD_NM, AVG(a.LOS_DAYS) FROM ADM_HDR a JOIN WARD_MST w ON w.WARD_CD = a.WARD_CD GROUP BY w.WARD_CD, w.WARD_NM HAVING AVG(a.LOS_DAYS) > 7'],
  // AND before OR
  ['How many female patients live in Riverton or Oakdale?', "SELECT COUNT(*) FROM PAT_MST WHERE SEX_CD = 'F' AND CITY_NM = 'RIVERTON' OR CITY_NM = 'OAKDALE'", "SELECT COUNT(*) FROM PAT_MST WHERE SEX_CD = 'F' AND CITY_NM IN ('RIVERTON', 'OAKDALE')"],
  // the wrong way round
  ['How many patients were born before 1950?', "SELECT COUNT(*) FROM PAT_MST WHERE DOB > '1950-01-01'", "SELECT COUNT(*) FROM PAT_MST WHERE DOB < '1950-01-01'"],
  // rows that come again
  ['Total billed amount of admissions with a circulatory diagnosis', "SELECT SUM(b.TOT_AMT) FROM BILL_HDR b JOIN DIAG_TRN d ON d.ADM_ID = b.ADM_ID JOIN ICD_MST i ON i.ICD_CD = d.ICD_CD WHERE i.CHAP_NM = 'CIRCULATORY'", "SELECT SUM(b.TOT_AMT) FROM BILL_HDR b WHERE b.ADM_ID IN (SELECT d.ADM_ID FROM DIAG_TRN d JOIN ICD_MST i ON i.ICD_CD = d.ICD_CD WHERE i.CHAP_NM = 'CIRCULATORY')"],
], 'hospital');

becomes([
  // a condition forgotten
  ['How many students are in grade 10, without the deleted ones?', 'SELECT COUNT(*) FROM student WHERE gradeLevel = 10', 'SELECT COUNT(*) FROM student WHERE gradeLevel = 10 AND isDeleted = 0'],
  // another teacher of theirs
  ['Number of students per homeroom teacher', 'SELECT t.firstName, t.lastName, COUNT(*) FROM sectionEnrollment e JOIN courseSection c ON c.sectionId = e.sectionId JOIN staffMember t ON t.staffId = c.teacherId GROUP BY t.staffId, t.firstName, t.lastName', 'SELECT t.firstName, t.lastName, COUNT(*) FROM student s JOIN staffMember t ON t.staffId = s.homeroomTeacherId WHERE s.isDeleted = 0 GROUP BY t.staffId, t.firstName, t.lastName'],
  // the wrong way round
  ['Which employees earn more than their manager?', 'SELECT e.firstName, e.lastName, e.annualSalary FROM staffMember e JOIN staffMember m ON m.staffId = e.managerId WHERE e.annualSalary < m.annualSalary', 'SELECT e.firstName, e.lastName, e.annualSalary FROM staffMember e JOIN staffMember m ON m.staffId = e.managerId WHERE e.annualSalary > m.annualSalary'],
  ['The manager of every senior teacher', "SELECT e.lastName, m.lastName FROM staffMember e JOIN staffMember m ON m.managerId = e.staffId WHERE e.jobTitle = 'Senior Teacher'", "SELECT e.lastName, m.lastName FROM staffMember e JOIN staffMember m ON m.staffId = e.managerId WHERE e.jobTitle = 'Senior Teacher'"],
  // ends of ranges
  ['How many leave requests start before June 2025?', "SELECT COUNT(*) FROM leaveRequest WHERE startDate <= '2025-06-30'", "SELECT COUNT(*) FROM leaveRequest WHERE startDate < '2025-06-01'"],
  ['How many fee invoices are due after 10 March 2025?', "SELECT COUNT(*) FROM feeInvoice WHERE dueDate >= '2025-03-10'", "SELECT COUNT(*) FROM feeInvoice WHERE dueDate > '2025-03-10'"],
  ['Which rooms have at least 30 seats?', 'SELECT roomName, seats FROM room WHERE seats > 30', 'SELECT roomName, seats FROM room WHERE seats >= 30'],
  ['Courses with fewer than 3 credits', 'SELECT courseTitle, credits FROM course WHERE credits <= 3', 'SELECT courseTitle, credits FROM course WHERE credits < 3'],
  ['Wie viele Urlaubsanträge dauern mehr als 5 Tage?', 'SELECT COUNT(*) FROM leaveRequest WHERE days >= 5', 'SELECT COUNT(*) FROM leaveRequest WHERE days > 5'],
  // one of several dates
  ['How many leave requests were requested in May 2025?', "SELECT COUNT(*) FROM leaveRequest WHERE startDate >= '2025-05-01' AND startDate < '2025-06-01'", "SELECT COUNT(*) FROM leaveRequest WHERE requestedAt >= '2025-05-01' AND requestedAt < '2025-06-01'"],
  ['How many employees were terminated in 2024?', "SELECT COUNT(*) FROM staffMember WHERE hireDate >= '2024-01-01' AND hireDate < '2025-01-01'", "SELECT COUNT(*) FROM staffMember WHERE terminatedAt >= '2024-01-01' AND terminatedAt < '2025-01-01'"],
  // the same course again
  ['How many different courses were taught in Spring 2024?', "SELECT COUNT(c.courseId) FROM courseSection c JOIN term t ON t.termId = c.termId WHERE t.termName = 'Spring 2024'", "SELECT COUNT(DISTINCT c.courseId) FROM courseSection c JOIN term t ON t.termId = c.termId WHERE t.termName = 'Spring 2024'"],
  // rows that come again
  ['What budget do the departments have that offer electives?', 'SELECT SUM(d.budget) FROM department d JOIN course c ON c.departmentId = d.departmentId WHERE c.isElective = 1', 'SELECT SUM(d.budget) FROM department d WHERE d.departmentId IN (SELECT departmentId FROM course WHERE isElective = 1)'],
  // whole numbers divided
  ['What percentage of fee invoices was paid after the due date?', 'SELECT SUM(CASE WHEN paidAt > dueDate THEN 1 ELSE 0 END) / COUNT(*) * 100 FROM feeInvoice', 'SELECT 100.0 * SUM(CASE WHEN paidAt > dueDate THEN 1 ELSE 0 END) / COUNT(*) FROM feeInvoice'],
  // others share the place
  ['Which room has the most seats?', 'SELECT roomName, seats FROM room ORDER BY seats DESC LIMIT 1', 'SELECT roomName, seats FROM room WHERE seats = (SELECT MAX(seats) FROM room)'],
  // those that have none
  ['Number of sections per room, rooms without any included', 'SELECT r.roomName, COUNT(*) FROM room r JOIN courseSection c ON c.roomId = r.roomId GROUP BY r.roomId, r.roomName', 'SELECT r.roomName, COUNT(c.sectionId) FROM room r LEFT JOIN courseSection c ON c.roomId = r.roomId GROUP BY r.roomId, r.roomName'],
  ['¿Qué empleados no enseñan ninguna sección?', 'SELECT firstName, lastName FROM staffMember s WHERE EXISTS (SELECT 1 FROM courseSection c WHERE c.teacherId = s.staffId)', 'SELECT firstName, lastName FROM staffMember s WHERE NOT EXISTS (SELECT 1 FROM courseSection c WHERE c.teacherId = s.staffId)'],
  ['How many enrollments have no final grade yet?', 'SELECT COUNT(finalGrade) FROM sectionEnrollment WHERE finalGrade IS NULL', 'SELECT COUNT(*) FROM sectionEnrollment WHERE finalGrade IS NULL'],
  // groups of namesakes
  ['Number of sections per teacher', 'SELECT t.lastName, COUNT(*) FROM courseSection c JOIN staffMember t ON t.staffId = c.teacherId GROUP BY t.lastName', 'SELECT t.lastName, COUNT(*) FROM courseSection c JOIN staffMember t ON t.staffId = c.teacherId GROUP BY t.staffId, t.lastName'],
  // a month as a text
  ['How many students were born in May?', "SELECT COUNT(*) FROM student WHERE strftime('%m', birthDate) = '5' AND isDeleted = 0", "SELECT COUNT(*) FROM student WHERE strftime('%m', birthDate) = '05' AND isDeleted = 0"],
], 'campus');
