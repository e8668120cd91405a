// SPDX-License-Identifier: MIT
// tests/node/mistakes_school.test.mjs - mistakes of small models about two databases that askd was not made for: a
// school, and a hospital whose tables and questions are German.
import { becomes } from './lib/mistakes.mjs';

const MARKED = 'FROM marks m JOIN exams e ON e.id = m.exam_id';
const IN_CLASS = 'FROM classes c JOIN students s ON s.class_id = c.id';

becomes([
  ['How many students are on leave?', "SELECT COUNT(*) AS n FROM students WHERE status = 'on_leave'", "SELECT COUNT(*) AS n FROM students WHERE status = 'on leave'"],
  ['How many students are enrolled?', "SELECT COUNT(*) AS n FROM students WHERE status = 'active'", "SELECT COUNT(*) AS n FROM students WHERE status = 'enrolled'"],
  ['How many absences were excused?', "SELECT COUNT(*) AS n FROM absences WHERE excused = 'true'", 'SELECT COUNT(*) AS n FROM absences WHERE excused = 1'],
  ['How many absences were due to illness?', "SELECT COUNT(*) AS n FROM absences WHERE reason = 'Illness'", "SELECT COUNT(*) AS n FROM absences WHERE reason = 'illness'"],
  ['How many teachers teach mathematics?', "SELECT COUNT(*) AS n FROM teachers WHERE subject = 'mathematics'", "SELECT COUNT(*) AS n FROM teachers WHERE field = 'mathematics'"],
  ['How many exams were held in 2024?', "SELECT COUNT(*) AS n FROM exams WHERE YEAR(held_on) = 2024", "SELECT COUNT(*) AS n FROM exams WHERE held_on >= '2024-01-01' AND held_on < '2025-01-01'"],
  ['How many exams were held in March 2025?', "SELECT COUNT(*) AS n FROM exams WHERE held_on >= '2024-03-01' AND held_on < '2024-04-01'", "SELECT COUNT(*) AS n FROM exams WHERE held_on >= '2025-03-01' AND held_on < '2025-04-01'"],
  ['How many students has each class?', `SELECT c.name, COUNT(*) AS n FROM classes c JOIN students s ON s.id = c.id GROUP BY c.id, c.name ORDER BY 1`, `SELECT c.name, COUNT(*) AS n ${IN_CLASS} GROUP BY c.id, c.name ORDER BY 1`],
  ['What is the average salary of teachers?', 'SELECT AVG(t.salary) AS s FROM teachers t JOIN exams e ON e.set_by = t.id', 'SELECT AVG(salary) AS s FROM teachers'],
  ['What is the highest salary of teachers?', 'SELECT MIN(salary) AS s FROM teachers', 'SELECT MAX(salary) AS s FROM teachers'],
  ['Top 3 classes by number of students', `SELECT c.name, COUNT(*) AS n ${IN_CLASS} GROUP BY c.id, c.name ORDER BY n DESC LIMIT 5`, `SELECT c.name, COUNT(*) AS n ${IN_CLASS} GROUP BY c.id, c.name ORDER BY n DESC LIMIT 3`],
  ['Which classes have no students?', `SELECT c.name ${IN_CLASS} WHERE s.id IS NULL`, 'SELECT c.name FROM classes c LEFT JOIN students s ON s.class_id = c.id WHERE s.id IS NULL'],
  ['How many marks were passed?', 'SELECT COUNT(*) AS n FROM marks', 'SELECT COUNT(*) AS n FROM marks WHERE passed = 1'],
  ['How many marks did algebra exams have?', "SELECT COUNT(*) AS n FROM marks m JOIN exams e ON e.id = m.id WHERE e.subject = 'algebra'", `SELECT COUNT(*) AS n ${MARKED} WHERE e.subject = 'algebra'`],
  ['Number of exams by subject', 'SELECT COUNT(*) AS n FROM exams', 'SELECT subject, COUNT(*) AS n FROM exams GROUP BY subject ORDER BY 1'],
  ['What is the total of points of marks?', 'SELECT COUNT(points) AS p FROM marks', 'SELECT SUM(points) AS p FROM marks'],
  ['Teachers with a salary over 45000', 'SELECT last_name FROM teachers WHERE salary > 4500 ORDER BY 1', 'SELECT last_name FROM teachers WHERE salary > 45000 ORDER BY 1'],
  ['How many students were absent in 2025?', "SELECT COUNT(*) AS n FROM students s JOIN absences a ON a.student_id = s.id WHERE a.day >= '2025-01-01'", "SELECT COUNT(DISTINCT s.id) AS n FROM students s JOIN absences a ON a.student_id = s.id WHERE a.day >= '2025-01-01'"],
  ['Who is the youngest student?', 'SELECT first_name, last_name FROM students ORDER BY birth_date LIMIT 1', 'SELECT first_name, last_name FROM students ORDER BY birth_date DESC LIMIT 1'],
  ['How many students have no bus route?', "SELECT COUNT(*) AS n FROM students WHERE bus_route = NULL", 'SELECT COUNT(*) AS n FROM students WHERE bus_route IS NULL'],
  // others share the first place
  ['Which class has the most students?', `SELECT c.name, COUNT(*) AS n ${IN_CLASS} GROUP BY c.id, c.name ORDER BY n DESC LIMIT 1`, `SELECT c.name, COUNT(*) AS n ${IN_CLASS} GROUP BY c.id, c.name HAVING COUNT(*) = (SELECT MAX(n) FROM (SELECT COUNT(*) AS n FROM students GROUP BY class_id) AS x)`],
  ['On which day were the most students absent?', 'SELECT day, COUNT(*) AS n FROM absences GROUP BY day ORDER BY n DESC LIMIT 1', 'SELECT day, COUNT(*) AS n FROM absences GROUP BY day HAVING COUNT(*) = (SELECT MAX(n) FROM (SELECT COUNT(*) AS n FROM absences GROUP BY day) AS x)'],
], 'school');

const STAYS = 'FROM stationen s JOIN aufenthalte a ON a.station_id = s.id';
const TREATED = 'FROM behandlungen b JOIN aerzte a ON a.id = b.arzt_id';
becomes([
  ['Wie viele Rechnungen sind offen?', "SELECT COUNT(*) AS n FROM rechnungen WHERE status = 'OFFEN'", "SELECT COUNT(*) AS n FROM rechnungen WHERE status = 'offen'"],
  ['Wie viele Rechnungen wurden angemahnt?', "SELECT COUNT(*) AS n FROM rechnungen WHERE status = 'angemahnt'", "SELECT COUNT(*) AS n FROM rechnungen WHERE status = 'gemahnt'"],
  ['Wie viele Patientinnen gibt es?', "SELECT COUNT(*) AS n FROM patienten WHERE geschlecht = 'w'", "SELECT COUNT(*) AS n FROM patienten WHERE geschlecht = 'weiblich'"],
  ['Wie viele Patienten sind privat versichert?', "SELECT COUNT(*) AS n FROM patienten WHERE versicherung = 'Private'", "SELECT COUNT(*) AS n FROM patienten WHERE versicherung = 'privat'"],
  ['Wie viele Fälle hatte die Pädiatrie?', `SELECT COUNT(*) AS n ${STAYS} WHERE s.name = 'Paediatrie'`, `SELECT COUNT(*) AS n ${STAYS} WHERE s.name = 'Pädiatrie'`],
  ['Wie viele Ärzte haben wir?', 'SELECT COUNT(*) AS n FROM arzt', 'SELECT COUNT(*) AS n FROM aerzte'],
  ['Wie viele Betten gibt es insgesamt?', 'SELECT SUM(s.betten) AS n FROM stationen s JOIN aufenthalte a ON a.station_id = s.id', 'SELECT SUM(betten) AS n FROM stationen'],
  ['Welche Kosten hat jede Station verursacht?', `SELECT s.name, SUM(b.kosten) AS k ${STAYS} JOIN behandlungen b ON b.id = a.id GROUP BY s.id, s.name ORDER BY 1`, `SELECT s.name, SUM(b.kosten) AS k ${STAYS} JOIN behandlungen b ON b.aufenthalt_id = a.id GROUP BY s.id, s.name ORDER BY 1`],
  ['Umsatz je Station', `SELECT s.name, SUM(r.betrag) AS u ${STAYS} JOIN rechnungen r ON r.aufenthalt_id = a.id JOIN behandlungen b ON b.aufenthalt_id = a.id GROUP BY s.id, s.name ORDER BY 1`, `SELECT s.name, SUM(r.betrag) AS u ${STAYS} JOIN rechnungen r ON r.aufenthalt_id = a.id GROUP BY s.id, s.name ORDER BY 1`],
  ['Welche Stationen hatten keinen Aufenthalt?', `SELECT s.name ${STAYS} WHERE a.id IS NULL`, 'SELECT s.name FROM stationen s LEFT JOIN aufenthalte a ON a.station_id = s.id WHERE a.id IS NULL'],
  ['Wie viele Aufenthalte gab es 2024?', "SELECT COUNT(*) AS n FROM aufenthalte WHERE aufnahmedatum >= '2025-01-01'", "SELECT COUNT(*) AS n FROM aufenthalte WHERE aufnahmedatum >= '2024-01-01' AND aufnahmedatum < '2025-01-01'"],
  ['Top 3 Ärzte nach Behandlungen', `SELECT a.nachname, COUNT(*) AS n ${TREATED} GROUP BY a.id, a.nachname ORDER BY n DESC, a.id LIMIT 10`, `SELECT a.nachname, COUNT(*) AS n ${TREATED} GROUP BY a.id, a.nachname ORDER BY n DESC, a.id LIMIT 3`],
  ['Wie viele Rechnungen sind unbezahlt?', 'SELECT COUNT(*) AS n FROM rechnungen WHERE bezahlt_am = NULL', 'SELECT COUNT(*) AS n FROM rechnungen WHERE bezahlt_am IS NULL'],
  ['Wie lange dauert ein Aufenthalt im Schnitt?', 'SELECT AVG(DATEDIFF(entlassungsdatum, aufnahmedatum)) AS d FROM aufenthalte', 'SELECT AVG(julianday(entlassungsdatum) - julianday(aufnahmedatum)) AS d FROM aufenthalte'],
  ['Wie hoch ist das Gehalt in der Kardiologie?', "SELECT AVG(gehalt) AS g FROM aerzte WHERE abteilung = 'Kardiologie'", "SELECT AVG(gehalt) AS g FROM aerzte WHERE fachgebiet = 'Kardiologie'"],
], 'klinik');
