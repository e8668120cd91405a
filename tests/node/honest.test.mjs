// SPDX-License-Identifier: MIT
// tests/node/honest.test.mjs - right statements for questions about two databases, written as people and models write
// them (EXISTS, windows, CTEs, CASE, other columns beside): nobody is asked about them, and no reader is warned.
import { areBelieved } from './lib/mistakes.mjs';

const HOURS = 'FROM workTime w JOIN employee e ON e.id = w.employeeId';
const OWNED = 'FROM customer c JOIN workOrder o ON o.customerId = c.id';

areBelieved('sample', [
  ['Which inspector made the most inspections?', `SELECT e.firstName, e.lastName, COUNT(*) AS inspections FROM inspections i JOIN employee e ON e.id = i.inspectorId GROUP BY e.id, e.firstName, e.lastName ORDER BY inspections DESC LIMIT 1`],
  ['Who led the most crews in 2025?', "SELECT e.firstName || ' ' || e.lastName AS who, COUNT(*) AS crews FROM employeeCrew m JOIN employee e ON e.id = m.employeeId JOIN crew k ON k.id = m.crewId WHERE m.isLead = 1 AND k.createdAt BETWEEN '2025-01-01' AND '2025-12-31 23:59:59' GROUP BY e.id ORDER BY crews DESC LIMIT 1"],
  ['Which technicians have more overtime than regular hours?', `SELECT e.firstName, e.lastName ${HOURS} WHERE e.role = 'technician' GROUP BY e.id, e.firstName, e.lastName HAVING SUM(CASE WHEN w.type = 'overtime' THEN w.hours ELSE 0 END) > SUM(CASE WHEN w.type = 'regular' THEN w.hours ELSE 0 END)`],
  ['How long does an urgent job take on average?', "SELECT AVG(julianday(completedAt) - julianday(createdAt)) AS days FROM workOrder WHERE priority = 'urgent' AND completedAt IS NOT NULL"],
  ['Which work orders are still open?', "SELECT number, title, status FROM workOrder WHERE status NOT IN ('completed', 'cancelled')"],
  ['Which customers had no work in 2025?', "SELECT c.name FROM customer c WHERE NOT EXISTS (SELECT 1 FROM workOrder o WHERE o.customerId = c.id AND o.createdAt >= '2025-01-01' AND o.createdAt < '2026-01-01')"],
  ['What share of work orders was completed within a week?', 'SELECT 100.0 * SUM(CASE WHEN julianday(completedAt) - julianday(createdAt) <= 7 THEN 1 ELSE 0 END) / COUNT(*) AS share FROM workOrder'],
  ['Compare the hours of May 2025 with those of April 2025', "SELECT strftime('%Y-%m', startTime) AS month, SUM(hours) AS hours FROM workTime WHERE startTime >= '2025-04-01' AND startTime < '2025-06-01' GROUP BY 1 ORDER BY 1"],
  ['Which cities have the most customers?', 'SELECT l.city, COUNT(DISTINCT l.customerId) AS customers FROM customerLocation l GROUP BY l.city ORDER BY customers DESC LIMIT 10'],
  ['Who earns more than the average?', 'SELECT firstName, lastName, hourlyRate FROM employee WHERE hourlyRate > (SELECT AVG(hourlyRate) FROM employee) ORDER BY hourlyRate DESC'],
  ['Which three customers caused the most overtime?', `SELECT c.name, SUM(w.hours) AS hours ${OWNED} JOIN workTime w ON w.workOrderId = o.id WHERE w.type = 'overtime' GROUP BY c.id, c.name ORDER BY hours DESC LIMIT 3`],
  ['What is the best inspection score of each inspector?', 'SELECT e.lastName, MAX(i.score) AS best FROM inspections i JOIN employee e ON e.id = i.inspectorId GROUP BY e.id, e.lastName ORDER BY best DESC'],
  ['List the newest work order of every customer', 'SELECT name, number, createdAt FROM (SELECT c.name, o.number, o.createdAt, ROW_NUMBER() OVER (PARTITION BY c.id ORDER BY o.createdAt DESC) AS place FROM customer c JOIN workOrder o ON o.customerId = c.id) AS ranked WHERE place = 1'],
  ['How many work orders were created each month of 2025?', "SELECT strftime('%m', createdAt) AS month, COUNT(*) AS n FROM workOrder WHERE strftime('%Y', createdAt) = '2025' GROUP BY month ORDER BY month"],
  ['Which employees worked on more than 10 work orders?', `SELECT e.firstName, e.lastName, COUNT(DISTINCT w.workOrderId) AS orders ${HOURS} GROUP BY e.id, e.firstName, e.lastName HAVING COUNT(DISTINCT w.workOrderId) > 10 ORDER BY orders DESC`],
  ['What did customers deposit this year?', "SELECT SUM(amount) AS deposited FROM transactions WHERE type = 'credit' AND created_at >= '2025-01-01'"],
  ['Which accounts are overdrawn?', 'SELECT account_number, balance FROM accounts WHERE balance < 0 ORDER BY balance'],
  ['How many customers have more than one account?', 'SELECT COUNT(*) AS n FROM (SELECT customer_id FROM accounts GROUP BY customer_id HAVING COUNT(*) > 1) AS several'],
  ['Which month had the largest withdrawals?', "SELECT strftime('%Y-%m', created_at) AS month, SUM(amount) AS withdrawn FROM transactions WHERE type = 'debit' GROUP BY month ORDER BY withdrawn DESC LIMIT 1"],
  ['How did deposits and withdrawals develop per quarter?', "SELECT strftime('%Y', created_at) || '-Q' || ((CAST(strftime('%m', created_at) AS INTEGER) + 2) / 3) AS quarter, SUM(CASE WHEN type = 'credit' THEN amount ELSE 0 END) AS deposits, SUM(CASE WHEN type = 'debit' THEN amount ELSE 0 END) AS withdrawals FROM transactions GROUP BY quarter ORDER BY quarter"],
  ['Which questions fail most often in inspections?', 'SELECT q.text, COUNT(*) AS deficient FROM inspectionAnswer a JOIN inspectionQuestion q ON q.id = a.inspectionQuestionId WHERE a.isDeficient = 1 GROUP BY q.id, q.text ORDER BY deficient DESC LIMIT 5'],
  ['Is there a technician without a single hour?', "SELECT COUNT(*) AS n FROM employee e LEFT JOIN workTime w ON w.employeeId = e.id WHERE e.role = 'technician' AND w.id IS NULL"],
  ['Which crews have only one member?', 'SELECT k.id, k.name FROM crew k JOIN employeeCrew m ON m.crewId = k.id GROUP BY k.id, k.name HAVING COUNT(*) = 1'],
  ['Who was hired most recently?', 'SELECT firstName, lastName, hireDate FROM employee ORDER BY hireDate DESC LIMIT 1'],
]);

areBelieved('school', [
  ['How many students are enrolled?', "SELECT COUNT(*) AS n FROM students WHERE status = 'enrolled'"],
  ['Who is the class teacher of 7a?', "SELECT t.first_name, t.last_name FROM classes c JOIN teachers t ON t.id = c.teacher_id WHERE c.name = '7a'"],
  ['Which classes have no students?', 'SELECT c.name FROM classes c LEFT JOIN students s ON s.class_id = c.id WHERE s.id IS NULL'],
  ['What is the average number of points in algebra?', "SELECT AVG(m.points) AS points FROM marks m JOIN exams e ON e.id = m.exam_id WHERE e.subject = 'algebra'"],
  ['Which student has the best average?', 'SELECT s.first_name, s.last_name, AVG(m.points) AS average FROM students s JOIN marks m ON m.student_id = s.id GROUP BY s.id, s.first_name, s.last_name ORDER BY average DESC LIMIT 1'],
  ['How many students failed at least three exams?', 'SELECT COUNT(*) AS n FROM (SELECT student_id FROM marks WHERE passed = 0 GROUP BY student_id HAVING COUNT(*) >= 3) AS failing'],
  ['Which students were absent more than five days in 2024?', "SELECT s.first_name, s.last_name, COUNT(*) AS days FROM students s JOIN absences a ON a.student_id = s.id WHERE a.day BETWEEN '2024-01-01' AND '2024-12-31' GROUP BY s.id, s.first_name, s.last_name HAVING COUNT(*) > 5 ORDER BY days DESC"],
  ['What is the pass rate of every class?', 'SELECT c.name, ROUND(100.0 * SUM(m.passed) / COUNT(*), 1) AS rate FROM classes c JOIN exams e ON e.class_id = c.id JOIN marks m ON m.exam_id = e.id GROUP BY c.id, c.name ORDER BY c.name'],
  ['How many absences were not excused?', 'SELECT COUNT(*) AS n FROM absences WHERE excused = 0'],
  ['Which teachers still work here?', 'SELECT first_name, last_name FROM teachers WHERE left_on IS NULL ORDER BY last_name'],
  ['How many teachers left in 2024?', "SELECT COUNT(*) AS n FROM teachers WHERE left_on >= '2024-01-01' AND left_on < '2025-01-01'"],
  ['What do teachers of mathematics earn on average?', "SELECT AVG(salary) AS average FROM teachers WHERE field = 'mathematics'"],
  ['Which teachers set the most exams?', 'SELECT t.first_name, t.last_name, COUNT(*) AS exams FROM teachers t JOIN exams e ON e.set_by = t.id GROUP BY t.id, t.first_name, t.last_name ORDER BY exams DESC LIMIT 5'],
  ['What is the difference between the best and the worst points of each exam?', 'SELECT exam_id, MAX(points) - MIN(points) AS difference FROM marks GROUP BY exam_id ORDER BY exam_id'],
  ['How many students take no bus?', 'SELECT COUNT(*) AS n FROM students WHERE bus_route IS NULL'],
  ['Who is older than 17?', "SELECT first_name, last_name, birth_date FROM students WHERE birth_date <= '2007-06-30' ORDER BY birth_date"],
  ['Who is the youngest student?', 'SELECT first_name, last_name, birth_date FROM students ORDER BY birth_date DESC LIMIT 1'],
  ['How many exams did each subject have per year?', "SELECT subject, strftime('%Y', held_on) AS year, COUNT(*) AS exams FROM exams GROUP BY subject, year ORDER BY subject, year"],
  ['Which students passed every exam?', 'SELECT s.first_name, s.last_name FROM students s WHERE NOT EXISTS (SELECT 1 FROM marks m WHERE m.student_id = s.id AND m.passed = 0) AND EXISTS (SELECT 1 FROM marks m WHERE m.student_id = s.id)'],
  ['Which reasons for absence are the most frequent?', 'SELECT reason, COUNT(*) AS n FROM absences GROUP BY reason ORDER BY n DESC'],
  ['Is the average better in grade 7 or in grade 8?', 'SELECT c.grade, AVG(m.points) AS average FROM classes c JOIN exams e ON e.class_id = c.id JOIN marks m ON m.exam_id = e.id WHERE c.grade IN (7, 8) GROUP BY c.grade'],
  ['How many students joined in each year?', "SELECT strftime('%Y', enrolled_on) AS year, COUNT(*) AS students FROM students GROUP BY year ORDER BY year"],
  ['Which exam was the hardest?', 'SELECT e.id, e.subject, e.held_on, AVG(m.points) AS average FROM exams e JOIN marks m ON m.exam_id = e.id GROUP BY e.id, e.subject, e.held_on ORDER BY average ASC LIMIT 1'],
  ['How many students of each class ride line 2?', "SELECT c.name, COUNT(s.id) AS students FROM classes c LEFT JOIN students s ON s.class_id = c.id AND s.bus_route = 'line 2' GROUP BY c.id, c.name ORDER BY c.name"],
]);

// In other languages askd's own engine reads nothing, and words of English are no words of theirs.
areBelieved('klinik', [
  ['Welche Patienten sind noch nicht entlassen?', 'SELECT p.vorname, p.nachname FROM patienten p JOIN aufenthalte a ON a.patient_id = p.id WHERE a.entlassungsdatum IS NULL GROUP BY p.id, p.vorname, p.nachname'],
  ['Wie viele Aufenthalte haben kein Entlassungsdatum?', 'SELECT COUNT(*) AS n FROM aufenthalte WHERE entlassungsdatum IS NULL'],
  ['Wie viele Patienten leben ohne Hausarzt?', 'SELECT COUNT(*) AS n FROM patienten WHERE hausarzt IS NULL'],
  ['Top 3 Stationen nach Aufnahmen im Jahr 2024', "SELECT s.name, COUNT(*) AS aufnahmen FROM stationen s JOIN aufenthalte a ON a.station_id = s.id WHERE a.aufnahmedatum BETWEEN '2024-01-01' AND '2024-12-31' GROUP BY s.id, s.name ORDER BY aufnahmen DESC LIMIT 3"],
  ['Welche Station hat die wenigsten Betten?', 'SELECT name, betten FROM stationen ORDER BY betten LIMIT 1'],
  ['Was kostet eine Operation im Durchschnitt?', "SELECT AVG(kosten) AS kosten FROM behandlungen WHERE art = 'Operation'"],
  ['Umsatz je Monat 2024, auch Monate ohne Rechnung', "SELECT strftime('%Y-%m', gestellt_am) AS monat, SUM(betrag) AS umsatz FROM rechnungen WHERE gestellt_am LIKE '2024%' GROUP BY monat ORDER BY monat"],
  ['Welcher Arzt verdient am meisten, welcher am wenigsten?', 'SELECT nachname, gehalt FROM aerzte WHERE gehalt = (SELECT MAX(gehalt) FROM aerzte) OR gehalt = (SELECT MIN(gehalt) FROM aerzte)'],
  ['¿Cuántas facturas siguen sin pagar?', "SELECT COUNT(*) AS n FROM rechnungen WHERE bezahlt_am IS NULL"],
  ['¿Qué médicos no han tratado a nadie?', 'SELECT a.nachname FROM aerzte a LEFT JOIN behandlungen b ON b.arzt_id = a.id WHERE b.id IS NULL'],
  ['¿Cuál es el total de costes por médico?', 'SELECT a.nachname, SUM(b.kosten) AS costes FROM aerzte a JOIN behandlungen b ON b.arzt_id = a.id GROUP BY a.id, a.nachname ORDER BY costes DESC'],
  ['Los cinco pacientes más jóvenes', 'SELECT vorname, nachname, geburtsdatum FROM patienten ORDER BY geburtsdatum DESC LIMIT 5'],
  ['¿Cuántos ingresos hubo entre 2024 y 2025?', "SELECT COUNT(*) AS n FROM aufenthalte WHERE aufnahmedatum >= '2024-01-01' AND aufnahmedatum < '2026-01-01'"],
  ['Combien de patients sont sortis en mai 2025 ?', "SELECT COUNT(*) AS n FROM aufenthalte WHERE entlassungsdatum >= '2025-05-01' AND entlassungsdatum < '2025-06-01'"],
  ['Quels médecins sont encore en poste ?', 'SELECT vorname, nachname FROM aerzte WHERE ausgeschieden_am IS NULL'],
  ['Quel est le montant moyen des factures par statut ?', 'SELECT status, AVG(betrag) AS moyenne FROM rechnungen GROUP BY status'],
  ['Quelles sont les dix factures les plus élevées ?', 'SELECT id, betrag FROM rechnungen ORDER BY betrag DESC LIMIT 10'],
  ['每个科室有多少名医生?', 'SELECT fachgebiet, COUNT(*) AS n FROM aerzte GROUP BY fachgebiet'],
  ['2025年5月有多少病人住院?', "SELECT COUNT(*) AS n FROM aufenthalte WHERE aufnahmedatum >= '2025-05-01' AND aufnahmedatum < '2025-06-01'"],
  ['费用最高的三次治疗是什么?', 'SELECT id, art, kosten FROM behandlungen ORDER BY kosten DESC LIMIT 3'],
  ['哪些账单还没有付款?', 'SELECT id, betrag FROM rechnungen WHERE bezahlt_am IS NULL'],
  ['Rechnungen mit Status offen', "SELECT id, betrag FROM rechnungen WHERE status = 'offen'"],
]);

// What is doubtful by its form elsewhere, and is right here.
areBelieved('hausverwaltung', [
  ['Für wie viele Einheiten ist die Wohnfläche bekannt?', 'SELECT COUNT(wohnflaeche_qm) AS n FROM einheit'],
  ['How many damage reports does each contractor have, those with none too?', 'SELECT d.firmenname, COUNT(s.id) AS n FROM dienstleister d LEFT JOIN schadensmeldung s ON s.dienstleister_id = d.id GROUP BY d.id, d.firmenname'],
  ['Wie viele Objekte haben schon eine Rechnung bekommen?', 'SELECT COUNT(DISTINCT objekt_id) AS n FROM rechnung'],
  ['Rechnungen je Dienstleister und Status', 'SELECT d.firmenname, r.status, COUNT(*) AS n FROM rechnung r JOIN dienstleister d ON d.id = r.dienstleister_id GROUP BY d.id, r.status'],
  ['Miete je Objekt', "SELECT o.bezeichnung, o.ort, SUM(v.kaltmiete) AS miete FROM objekt o JOIN einheit e ON e.objekt_id = o.id JOIN mietvertrag v ON v.einheit_id = e.id WHERE v.status = 'aktiv' GROUP BY o.id"],
  ['Average number of damage reports per building', 'SELECT AVG(n) AS a FROM (SELECT e.objekt_id, COUNT(*) AS n FROM schadensmeldung s JOIN einheit e ON e.id = s.einheit_id GROUP BY e.objekt_id) AS x'],
  ['Welche Verträge enden vor dem 31.12.2025?', "SELECT vertragsnummer, ende_am FROM mietvertrag WHERE ende_am < '2025-12-31'"],
  ['Sollstellungen, die heute schon fällig sind', "SELECT id, betrag FROM sollstellung WHERE faellig_am < '2025-06-30' LIMIT 20"],
  ['Verbrauch je Medium', 'SELECT medium, masseinheit, SUM(verbrauch) AS verbrauch FROM zaehlerstand GROUP BY medium, masseinheit'],
  ['What is the difference between gross and net amounts of invoices in 2024?', "SELECT SUM(betrag_brutto - betrag_netto) AS tax FROM rechnung WHERE rechnungsdatum >= '2024-01-01' AND rechnungsdatum < '2025-01-01'"],
  ['Which insurance value does each building have, in euros?', 'SELECT bezeichnung, versicherungswert_cent / 100.0 AS euro FROM objekt'],
  ['Die letzte Rechnung mit ihrem Betrag', 'SELECT rechnungsnr, betrag_brutto, MAX(rechnungsdatum) AS datum FROM rechnung'],
  ['Welche Personen haben keine E-Mail-Adresse?', 'SELECT vorname, nachname FROM person WHERE email IS NULL'],
  ['Einheiten ohne Mietvertrag', 'SELECT e.nummer FROM einheit e LEFT JOIN mietvertrag v ON v.einheit_id = e.id WHERE v.id IS NULL'],
  ['Wie viele Wohnungen haben einen Balkon?', "SELECT COUNT(*) AS n FROM einheit WHERE nutzungsart = 'WOHNUNG' AND balkon_kz = 1"],
  ['Which tenants do not speak German?', "SELECT DISTINCT p.vorname, p.nachname FROM person p JOIN mietvertrag v ON v.mieter_id = p.id WHERE p.sprache <> 'Deutsch'"],
]);

// What is doubtful in other statements of these forms: numbers and their units, ends of ranges, names beside others.
areBelieved('hospital', [
  ['How many procedures took longer than 2 hours?', 'SELECT COUNT(*) AS n FROM PROC_TRN WHERE DUR_MIN > 120'],
  ['How many procedures took at least 30 minutes?', 'SELECT COUNT(*) AS n FROM PROC_TRN WHERE DUR_MIN >= 30'],
  ['Procedures of less than 45 min', 'SELECT PROC_TRN_ID, DUR_MIN FROM PROC_TRN WHERE DUR_MIN < 45 LIMIT 20'],
  ['How many stays were no longer than 3 days?', 'SELECT COUNT(*) AS n FROM ADM_HDR WHERE LOS_DAYS <= 3'],
  ['Wie viele Aufenthalte dauerten mindestens 10 Tage?', 'SELECT COUNT(*) AS n FROM ADM_HDR WHERE LOS_DAYS >= 10'],
  ['¿Cuántas facturas superan más de 5000?', 'SELECT COUNT(*) AS n FROM BILL_HDR WHERE TOT_AMT > 5000'],
  ['How many admissions were there before 1 April 2025?', "SELECT COUNT(*) AS n FROM ADM_HDR WHERE ADM_DT < '2025-04-01'"],
  ['How many admissions were there in the second quarter of 2025?', "SELECT COUNT(*) AS n FROM ADM_HDR WHERE ADM_DT >= '2025-04-01' AND ADM_DT <= '2025-06-30'"],
  ['Wie viele Aufnahmen gab es im März 2025?', "SELECT COUNT(*) AS n FROM ADM_HDR WHERE ADM_DT BETWEEN '2025-03-01' AND '2025-03-31'"],
  ['How many patients died after 2024?', "SELECT COUNT(*) AS n FROM PAT_MST WHERE DTH_DT >= '2025-01-01'"],
  ['Patients who were not discharged yet', 'SELECT DISTINCT p.LST_NM, p.FST_NM FROM PAT_MST p JOIN ADM_HDR a ON a.PAT_ID = p.PAT_ID WHERE a.DIS_DT IS NULL'],
  ['What share of the admissions are emergencies?', "SELECT 100.0 * SUM(CASE WHEN ADM_TYP = 'E' THEN 1 ELSE 0 END) / COUNT(*) AS share FROM ADM_HDR"],
  ['What percentage of bills is paid?', "SELECT 100 * SUM(CASE WHEN BILL_STS = 'P' THEN 1 ELSE 0 END) / COUNT(*) AS p FROM BILL_HDR"],
  ['How many admissions did each doctor attend?', 'SELECT d.DOC_NM, COUNT(*) AS n FROM ADM_HDR a JOIN DOC_MST d ON d.DOC_ID = a.ATT_DOC_ID GROUP BY d.DOC_ID, d.DOC_NM'],
  ['Wards with more than 60 admissions', 'SELECT w.WARD_NM, COUNT(*) AS n FROM ADM_HDR a JOIN WARD_MST w ON w.WARD_CD = a.WARD_CD GROUP BY w.WARD_CD, w.WARD_NM HAVING COUNT(*) > 60'],
  ['Number of stays of more than 10 days per ward', 'SELECT w.WARD_NM, COUNT(*) AS n FROM ADM_HDR a JOIN WARD_MST w ON w.WARD_CD = a.WARD_CD WHERE a.LOS_DAYS > 10 GROUP BY w.WARD_CD, w.WARD_NM'],
  ['What is the average amount of a bill?', 'SELECT AVG(TOT_AMT) AS a FROM BILL_HDR'],
  ['What do emergency admissions cost per ward on average?', "SELECT w.WARD_NM, AVG(b.TOT_AMT) AS a FROM BILL_HDR b JOIN ADM_HDR a ON a.ADM_ID = b.ADM_ID JOIN WARD_MST w ON w.WARD_CD = a.WARD_CD WHERE a.ADM_TYP = 'E' GROUP BY w.WARD_CD, w.WARD_NM"],
  ['Which department is on the highest floor?', 'SELECT DEPT_NM, FLR_NO FROM DEPT_MST ORDER BY FLR_NO DESC LIMIT 1'],
  // rows that a join might repeat, and does not
  ['Billed total of admissions with a lab result', 'SELECT SUM(b.TOT_AMT) AS total FROM BILL_HDR b JOIN LAB_RSLT l ON l.ADM_ID = b.ADM_ID'],
  ['Which procedures are not expensive, under 1000?', 'SELECT PROC_DESC, STD_PRC FROM PROC_MST WHERE STD_PRC < 1000'],
]);

areBelieved('campus', [
  ['Which employees earn less than their manager?', 'SELECT e.firstName, e.lastName FROM staffMember e JOIN staffMember m ON m.staffId = e.managerId WHERE e.annualSalary < m.annualSalary'],
  ['Who earns more than the manager?', 'SELECT e.firstName, e.lastName FROM staffMember m JOIN staffMember e ON m.staffId = e.managerId WHERE m.annualSalary < e.annualSalary'],
  ['How many people report to each manager?', 'SELECT m.staffId, m.lastName, COUNT(*) AS n FROM staffMember m JOIN staffMember e ON e.managerId = m.staffId GROUP BY m.staffId, m.lastName'],
  ['Which rooms have 30 or more seats?', 'SELECT roomName, seats FROM room WHERE seats >= 30'],
  ['Rooms with between 20 and 40 seats', 'SELECT roomName, seats FROM room WHERE seats BETWEEN 20 AND 40'],
  ['Which courses give no more than 2 credits?', 'SELECT courseTitle, credits FROM course WHERE credits <= 2'],
  ['How many leave requests were requested in May 2025?', "SELECT COUNT(*) AS n FROM leaveRequest WHERE requestedAt >= '2025-05-01' AND requestedAt < '2025-06-01'"],
  ['How many leave requests that start in June 2025 were requested in May 2025?', "SELECT COUNT(*) AS n FROM leaveRequest WHERE requestedAt >= '2025-05-01' AND requestedAt < '2025-06-01' AND startDate >= '2025-06-01' AND startDate < '2025-07-01'"],
  ['Invoices that were paid late, after they were due', 'SELECT feeInvoiceId, dueDate, paidAt FROM feeInvoice WHERE paidAt > dueDate'],
  ['How many invoices are not paid?', 'SELECT COUNT(*) AS n FROM feeInvoice WHERE paidAt IS NULL'],
  ['How many leave requests are for sick leave, not vacation?', "SELECT COUNT(*) AS n FROM leaveRequest WHERE leaveType = 'sick'"],
  ['How many students are in grade 10 or above?', 'SELECT COUNT(*) AS n FROM student WHERE gradeLevel >= 10 AND isDeleted = 0'],
  ['How many sections does each course have?', 'SELECT c.courseTitle, COUNT(*) AS n FROM course c JOIN courseSection s ON s.courseId = c.courseId GROUP BY c.courseId, c.courseTitle'],
  ['What is the average number of sections per teacher?', 'SELECT 1.0 * COUNT(*) / COUNT(DISTINCT teacherId) AS a FROM courseSection'],
  ['Which department has the largest budget?', 'SELECT deptName, budget FROM department ORDER BY budget DESC LIMIT 1'],
  ['How many enrollments have a final grade?', 'SELECT COUNT(finalGrade) AS n FROM sectionEnrollment'],
  ['How many students were born in May?', "SELECT COUNT(*) AS n FROM student WHERE strftime('%m', birthDate) = '05' AND isDeleted = 0"],
  ['Wie viele Urlaubsanträge dauern mehr als 5 Tage?', 'SELECT COUNT(*) AS n FROM leaveRequest WHERE days > 5'],
]);

areBelieved('hausverwaltung', [
  ['Which buildings are insured for more than 5 million euros?', 'SELECT bezeichnung FROM objekt WHERE versicherungswert_cent > 500000000'],
  ['Objekte mit einem Versicherungswert über 900000000 Cent', 'SELECT bezeichnung FROM objekt WHERE versicherungswert_cent > 900000000'],
  ['Verträge, die nach dem 31.12.2024 begonnen haben', "SELECT vertragsnummer FROM mietvertrag WHERE beginn_am >= '2025-01-01'"],
  ['Verträge, die vor 2024 abgeschlossen wurden', "SELECT vertragsnummer FROM mietvertrag WHERE abgeschlossen_am < '2024-01-01'"],
  ['Which tenants have a lease that ends in 2025?', "SELECT DISTINCT p.vorname, p.nachname FROM mietvertrag v JOIN person p ON p.id = v.mieter_id WHERE v.ende_am >= '2025-01-01' AND v.ende_am < '2026-01-01'"],
  ['Welche Schäden sind noch nicht erledigt?', "SELECT id, kategorie FROM schadensmeldung WHERE status <> 'erledigt'"],
]);
