// SPDX-License-Identifier: MIT
// tests/node/mistakes.test.mjs - mistakes that models make in statements, each told by a model that mends what it is
// told, and by one that insists: what becomes of the answer, in how many calls, with how long a prompt.
import { becomes } from './lib/mistakes.mjs';

const count = from => `SELECT COUNT(*) AS n FROM ${from}`;
const HOURS = 'FROM workTime w JOIN employee e ON e.id = w.employeeId';
const OWNED = 'FROM customer c JOIN workOrder o ON o.customerId = c.id';
const TOP = `SELECT c.name, COUNT(o.id) AS n ${OWNED} GROUP BY c.id, c.name ORDER BY n DESC LIMIT`;
const DONE = "completedAt >= '2025-01-01' AND completedAt < '2026-01-01'";

// [question, wrong, right]; the tables are those of the right statement and the wrong one's that exist.
const statements = [
  // of another database
  ['How many active technicians are there on hand?', "SELECT COUNT(*) AS n FROM employee WHERE first_name IS NOT NULL AND isActive = 1 AND role = 'technician'", count("employee WHERE firstName IS NOT NULL AND isActive = 1 AND role = 'technician'")],
  ['How many work orders do we have?', count('work_orders'), count('workOrder')],
  ['How many technicians are there, written like this?', count("employee WHERE role ILIKE 'tech%'"), count("employee WHERE role LIKE 'tech%'")],
  ['Which 3 customers come first by name?', 'SELECT TOP 3 name FROM customer ORDER BY name', 'SELECT name FROM customer ORDER BY name LIMIT 3'],
  ['How many urgent work orders are there?', count('workOrder WHERE priority = "urgent"'), count("workOrder WHERE priority = 'urgent'")],
  ['How many customer contacts do we have?', count('customer_contacts'), count('customerContact')],
  ['How many days do completed work orders take on average?', 'SELECT AVG(DATEDIFF(completedAt, createdAt)) AS d FROM workOrder WHERE completedAt IS NOT NULL', 'SELECT AVG(julianday(date(completedAt)) - julianday(date(createdAt))) AS d FROM workOrder WHERE completedAt IS NOT NULL'],
  ['How many work orders were created in the last 30 days?', count('workOrder WHERE createdAt >= DATE_SUB(CURDATE(), INTERVAL 30 DAY)'), count("workOrder WHERE createdAt >= date('2025-06-30', '-30 days')")],
  ['How many work orders were created in June 2025?', count("workOrder WHERE DATE_TRUNC('month', createdAt) = '2025-06-01'"), count("workOrder WHERE createdAt >= '2025-06-01' AND createdAt < '2025-07-01'")],
  ['How many work orders were created on 2025-06-02?', count("workOrder WHERE createdAt::date = '2025-06-02'"), count("workOrder WHERE date(createdAt) = '2025-06-02'")],
  ['What are the full names of managers?', "SELECT CONCAT(firstName, ' ', lastName) AS name FROM employee WHERE role = 'manager' ORDER BY 1", "SELECT firstName || ' ' || lastName AS name FROM employee WHERE role = 'manager' ORDER BY 1"],
  ['How many crews are there?', `${count('crew')}; ${count('employee')}`, count('crew')],
  ['Which customers have more than 40 work orders?', `SELECT c.name ${OWNED} WHERE COUNT(o.id) > 40 GROUP BY c.id, c.name`, `SELECT c.name ${OWNED} GROUP BY c.id, c.name HAVING COUNT(o.id) > 40`],
  ['How many workers have hours?', `SELECT COUNT(DISTINCT id) AS n ${HOURS}`, `SELECT COUNT(DISTINCT e.id) AS n ${HOURS}`],
  ['How many jobs are overdue?', count("workOrder WHERE status = 'scheduled' AND scheduledStart < {today}"), count("workOrder WHERE status = 'scheduled' AND scheduledStart < '2025-06-30'")],
  ['How many work orders exist with a crew?', count('workOrder, crew'), 'SELECT COUNT(DISTINCT o.id) AS n FROM workOrder o JOIN crew k ON k.workOrderId = o.id'],
  // values
  ['How many work orders are on hold?', count("workOrder WHERE status = 'on_hold'"), count("workOrder WHERE status = 'on hold'")],
  ['How many work orders are completed?', count("workOrder WHERE status = 'Completed'"), count("workOrder WHERE status = 'completed'")],
  ['How many work orders are open or on hold?', count("workOrder WHERE status IN ('open', 'on_hold')"), count("workOrder WHERE status IN ('open', 'on hold')")],
  ['How many employees are active?', count("employee WHERE isActive = 'true'"), count('employee WHERE isActive = 1')],
  ['How many work orders are finished by now?', count("workOrder WHERE status = 'done'"), count("workOrder WHERE status = 'completed'")],
  ['How many technicians are in the company?', count("employee WHERE companyId = 'Acme Corp' AND role = 'technician'"), count("employee WHERE role = 'technician'")],
  ['How many inspections passed?', count("inspections WHERE result = 'Passed'"), count("inspections WHERE result = 'passed'")],
  // parts of the question left out, or made otherwise
  ['How many crews were created in 2024?', count('crew'), count("crew WHERE createdAt >= '2024-01-01' AND createdAt < '2025-01-01'")],
  ['How many work orders were created in 2025?', count("workOrder WHERE createdAt >= '2024-01-01' AND createdAt < '2025-01-01'"), count("workOrder WHERE createdAt >= '2025-01-01' AND createdAt < '2026-01-01'")],
  ['How many active dispatchers are there?', count('employee WHERE isActive = 1'), count("employee WHERE isActive = 1 AND role = 'dispatcher'")],
  ['How many inactive employees are there?', count('employee WHERE isActive = 1'), count('employee WHERE isActive = 0')],
  ['What is the total of hours of overtime?', "SELECT COUNT(hours) AS h FROM workTime WHERE type = 'overtime'", "SELECT SUM(hours) AS h FROM workTime WHERE type = 'overtime'"],
  ['What are the total estimated hours of work orders?', 'SELECT AVG(estimatedHours) AS h FROM workOrder', 'SELECT SUM(estimatedHours) AS h FROM workOrder'],
  ['What is the average hourly rate of employees?', 'SELECT hourlyRate FROM employee', 'SELECT AVG(hourlyRate) AS r FROM employee'],
  ['What is the highest hourly rate of employees?', 'SELECT MIN(hourlyRate) AS r FROM employee', 'SELECT MAX(hourlyRate) AS r FROM employee'],
  ['Top 3 customers by number of work orders', `${TOP} 10`, `${TOP} 3`],
  ['Top 4 customers by number of work orders', `${TOP.replace('DESC', 'ASC')} 4`, `${TOP} 4`],
  ['Which customers have the most work orders, the 6 busiest?', `${TOP} 5`, `${TOP} 6`],
  ['Employees with an hourly rate over 40', 'SELECT firstName, lastName FROM employee WHERE hourlyRate < 40 ORDER BY 1, 2', 'SELECT firstName, lastName FROM employee WHERE hourlyRate > 40 ORDER BY 1, 2'],
  ['Number of work orders by status', count('workOrder'), 'SELECT status, COUNT(*) AS n FROM workOrder GROUP BY status ORDER BY status'],
  ['How many customers have work orders?', `SELECT COUNT(*) AS n ${OWNED}`, `SELECT COUNT(DISTINCT c.id) AS n ${OWNED}`],
  ['How many work orders are not completed?', count("workOrder WHERE status = 'completed'"), count("workOrder WHERE status <> 'completed'")],
  ['How many urgent jobs were there?', count("workOrder WHERE priority = 'low'"), count("workOrder WHERE priority = 'urgent'")],
  ['How many open work orders are urgent?', count("workOrder WHERE status = 'open'"), count("workOrder WHERE status = 'open' AND priority = 'urgent'")],
  ['Total amount of debit transactions', "SELECT SUM(amount) AS s FROM transactions WHERE type = 'credit'", "SELECT SUM(amount) AS s FROM transactions WHERE type = 'debit'"],
  ['Total amount of credit transactions', 'SELECT SUM(amount) AS s FROM transactions', "SELECT SUM(amount) AS s FROM transactions WHERE type = 'credit'"],
  ['How many transactions were there in May 2025?', count("transactions WHERE created_at >= '2025-04-01' AND created_at < '2025-05-01'"), count("transactions WHERE created_at >= '2025-05-01' AND created_at < '2025-06-01'")],
  ['Average balance of accounts', 'SELECT SUM(balance) AS b FROM accounts', 'SELECT AVG(balance) AS b FROM accounts'],
  ['Accounts with a balance over 20000', 'SELECT account_number FROM accounts WHERE balance > 2000 ORDER BY 1', 'SELECT account_number FROM accounts WHERE balance > 20000 ORDER BY 1'],
  ['Customers with more than 25 work orders', `SELECT c.name ${OWNED} GROUP BY c.id, c.name HAVING COUNT(*) > 5 ORDER BY 1`, `SELECT c.name ${OWNED} GROUP BY c.id, c.name HAVING COUNT(*) > 25 ORDER BY 1`],
  ['What share did the wizards of 2024 have?', `SELECT COUNT(*) AS n FROM workOrder WHERE ${DONE}`, count("workOrder WHERE completedAt >= '2024-01-01' AND completedAt < '2025-01-01'")],
  ['On the whole, what did wizardry cost at an average job?', 'SELECT SUM(estimatedHours) AS h FROM workOrder', 'SELECT AVG(estimatedHours) AS h FROM workOrder'],
  // joins
  ['Which bank customers have more than 2 accounts?', 'SELECT c.name FROM customers c JOIN accounts a ON a.id = c.id GROUP BY c.id, c.name HAVING COUNT(*) > 2 ORDER BY 1', 'SELECT c.name FROM customers c JOIN accounts a ON a.customer_id = c.id GROUP BY c.id, c.name HAVING COUNT(*) > 2 ORDER BY 1'],
  ['How many inspections does each customer have?', 'SELECT c.name, COUNT(*) AS n FROM customer c JOIN inspections i ON c.id = i.workOrderId GROUP BY c.id, c.name ORDER BY 1', `SELECT c.name, COUNT(*) AS n ${OWNED} JOIN inspections i ON i.workOrderId = o.id GROUP BY c.id, c.name ORDER BY 1`],
  ['Hours of work per technician of a crew', 'SELECT e.lastName, SUM(w.hours) AS h FROM employee e JOIN crew k ON k.createdBy = e.id JOIN workTime w ON w.employeeId = e.id GROUP BY e.id, e.lastName ORDER BY 1, 2', "SELECT e.lastName, SUM(w.hours) AS h FROM employee e JOIN workTime w ON w.employeeId = e.id WHERE EXISTS (SELECT 1 FROM employeeCrew m WHERE m.employeeId = e.id) GROUP BY e.id, e.lastName ORDER BY 1, 2"],
  ['Which people worked for each job?', "SELECT o.number, e.lastName FROM workOrder o JOIN employee e ON o.createdBy = e.id ORDER BY 1, 2 LIMIT 5", "SELECT o.number, e.lastName FROM workOrder o JOIN workTime w ON w.workOrderId = o.id JOIN employee e ON e.id = w.employeeId ORDER BY 1, 2 LIMIT 5"],
  ['What is the total balance per bank customer?', 'SELECT c.name, SUM(a.balance) AS b FROM customers c JOIN accounts a ON a.customer_id = c.id JOIN transactions t ON t.account_id = a.id GROUP BY c.id, c.name ORDER BY 1', 'SELECT c.name, SUM(a.balance) AS b FROM customers c JOIN accounts a ON a.customer_id = c.id GROUP BY c.id, c.name ORDER BY 1'],
  ['Estimated hours of all jobs with time on them', 'SELECT SUM(o.estimatedHours) AS h FROM workOrder o JOIN workTime w ON w.workOrderId = o.id', 'SELECT SUM(o.estimatedHours) AS h FROM workOrder o WHERE EXISTS (SELECT 1 FROM workTime w WHERE w.workOrderId = o.id)'],
  ['Which customers have no work orders?', `SELECT c.name ${OWNED} WHERE o.id IS NULL`, 'SELECT c.name FROM customer c LEFT JOIN workOrder o ON o.customerId = c.id WHERE o.id IS NULL'],
  ['Which employees never had hours?', `SELECT e.lastName ${HOURS} WHERE w.employeeId IS NULL`, 'SELECT e.lastName FROM employee e LEFT JOIN workTime w ON w.employeeId = e.id WHERE w.id IS NULL'],
  ['How many crew members lead a crew that has hours?', 'SELECT COUNT(DISTINCT m.id) AS n FROM employeeCrew m JOIN workTime w ON w.employeeId = m.crewId WHERE m.isLead = 1', 'SELECT COUNT(DISTINCT m.id) AS n FROM employeeCrew m JOIN workTime w ON w.employeeId = m.employeeId WHERE m.isLead = 1'],
  ['Which inspectors looked at which job?', 'SELECT DISTINCT e.lastName, o.number FROM inspections i JOIN employee e ON e.id = i.inspectorId JOIN workOrder o ON o.id = i.id ORDER BY 1, 2 LIMIT 5', 'SELECT DISTINCT e.lastName, o.number FROM inspections i JOIN employee e ON e.id = i.inspectorId JOIN workOrder o ON o.id = i.workOrderId ORDER BY 1, 2 LIMIT 5'],
  ['How many deficient answers did each inspection have?', 'SELECT i.id, COUNT(*) AS n FROM inspections i JOIN inspectionAnswer a ON a.id = i.id WHERE a.isDeficient = 1 GROUP BY i.id ORDER BY 1 LIMIT 5', 'SELECT i.id, COUNT(*) AS n FROM inspections i JOIN inspectionAnswer a ON a.inspectionId = i.id WHERE a.isDeficient = 1 GROUP BY i.id ORDER BY 1 LIMIT 5'],
  ['Which locations does a customer have?', 'SELECT c.name, l.city FROM customer c JOIN customerLocation l ON l.id = c.id ORDER BY 1, 2', 'SELECT c.name, l.city FROM customer c JOIN customerLocation l ON l.customerId = c.id ORDER BY 1, 2'],
];

becomes(statements);
