// SPDX-License-Identifier: MIT
// tests/node/mistakes_more.test.mjs - more mistakes that models make in statements: ranges and their ends, NULL, units,
// integer division, ties, wrong columns and states, rows lost or multiplied by joins, running totals.
import { becomes } from './lib/mistakes.mjs';

const count = from => `SELECT COUNT(*) AS n FROM ${from}`;
const HOURS = 'FROM workTime w JOIN employee e ON e.id = w.employeeId';
const OWNED = 'FROM customer c JOIN workOrder o ON o.customerId = c.id';
const in2025 = column => `${column} >= '2025-01-01' AND ${column} < '2026-01-01'`;
const MAY = column => `${column} >= '2025-05-01' AND ${column} < '2025-06-01'`;

// [question, wrong, right]
becomes([
  // ranges and their ends
  ['How many work orders were created in May 2025?', count("workOrder WHERE createdAt BETWEEN '2025-05-01' AND '2025-05-31'"), count(`workOrder WHERE ${MAY('createdAt')}`)],
  ['How many work orders were completed in the first quarter of 2025?', count("workOrder WHERE completedAt >= '2025-01-01' AND completedAt <= '2025-03-31'"), count("workOrder WHERE completedAt >= '2025-01-01' AND completedAt < '2025-04-01'")],
  ['How many transactions were there yesterday?', count("transactions WHERE date(created_at) = '2025-06-30'"), count("transactions WHERE date(created_at) = '2025-06-29'")],
  ['How many work orders were created last month?', count("workOrder WHERE createdAt >= '2025-06-01' AND createdAt < '2025-07-01'"), count(`workOrder WHERE ${MAY('createdAt')}`)],
  ['How many crews were created last year?', count("crew WHERE createdAt >= date('2025-06-30', '-365 days')"), count("crew WHERE createdAt >= '2024-01-01' AND createdAt < '2025-01-01'")],
  ['How many inspections were there since 2025-03-01?', count("inspections WHERE inspectionDate < '2025-03-01'"), count("inspections WHERE inspectionDate >= '2025-03-01'")],
  ['How many crews were created before 2025?', count("crew WHERE createdAt <= '2025-12-31'"), count("crew WHERE createdAt < '2025-01-01'")],
  ['Number of transactions per month', "SELECT strftime('%m', created_at) AS month, COUNT(*) AS n FROM transactions GROUP BY 1 ORDER BY 1", "SELECT strftime('%Y-%m', created_at) AS month, COUNT(*) AS n FROM transactions GROUP BY 1 ORDER BY 1"],
  ['Number of work orders created per year', "SELECT strftime('%Y-%m', createdAt) AS year, COUNT(*) AS n FROM workOrder GROUP BY 1 ORDER BY 1", "SELECT strftime('%Y', createdAt) AS year, COUNT(*) AS n FROM workOrder GROUP BY 1 ORDER BY 1"],
  ['How many work orders were completed in 2025?', count(`workOrder WHERE ${in2025('createdAt')}`), count(`workOrder WHERE ${in2025('completedAt')}`)],
  ['How many employees were hired in 2019?', count("employee WHERE hireDate = '2019'"), count("employee WHERE hireDate >= '2019-01-01' AND hireDate < '2020-01-01'")],
  ['How many work orders were created on 2025-06-02?', count("workOrder WHERE createdAt = '2025-06-02'"), count("workOrder WHERE date(createdAt) = '2025-06-02'")],
  // NULL
  ['How many work orders have no completion date?', count('workOrder WHERE completedAt = NULL'), count('workOrder WHERE completedAt IS NULL')],
  ['How many customer contacts have no phone?', count("customerContact WHERE phone = ''"), count('customerContact WHERE phone IS NULL')],
  ['How many work orders have a completion date?', count('workOrder WHERE completedAt IS NULL'), count('workOrder WHERE completedAt IS NOT NULL')],
  // groups, distinct
  ['How many different customers had work orders in 2025?', `SELECT COUNT(customerId) AS n FROM workOrder WHERE ${in2025('createdAt')}`, `SELECT COUNT(DISTINCT customerId) AS n FROM workOrder WHERE ${in2025('createdAt')}`],
  ['Number of employees by role', 'SELECT role, lastName, COUNT(*) AS n FROM employee GROUP BY role, lastName ORDER BY 1, 2', 'SELECT role, COUNT(*) AS n FROM employee GROUP BY role ORDER BY 1'],
  ['Number of work orders by priority', 'SELECT status, COUNT(*) AS n FROM workOrder GROUP BY status ORDER BY 1', 'SELECT priority, COUNT(*) AS n FROM workOrder GROUP BY priority ORDER BY 1'],
  ['Number of work orders by status and priority', 'SELECT status, COUNT(*) AS n FROM workOrder GROUP BY status ORDER BY 1', 'SELECT status, priority, COUNT(*) AS n FROM workOrder GROUP BY status, priority ORDER BY 1, 2'],
  ['How many roles do employees have?', 'SELECT COUNT(role) AS n FROM employee', 'SELECT COUNT(DISTINCT role) AS n FROM employee'],
  // units, shares, division
  ['What percentage of work orders is urgent?', "SELECT SUM(CASE WHEN priority = 'urgent' THEN 1 ELSE 0 END) / COUNT(*) AS p FROM workOrder", "SELECT 100.0 * SUM(CASE WHEN priority = 'urgent' THEN 1 ELSE 0 END) / COUNT(*) AS p FROM workOrder"],
  ['What percentage of inspections failed?', "SELECT 1.0 * SUM(CASE WHEN result = 'failed' THEN 1 ELSE 0 END) / COUNT(*) AS p FROM inspections", "SELECT 100.0 * SUM(CASE WHEN result = 'failed' THEN 1 ELSE 0 END) / COUNT(*) AS p FROM inspections"],
  ['What is the average number of work orders per customer?', 'SELECT COUNT(*) / COUNT(DISTINCT customerId) AS a FROM workOrder', 'SELECT 1.0 * COUNT(*) / COUNT(DISTINCT customerId) AS a FROM workOrder'],
  ['What is the average score of failed inspections?', 'SELECT AVG(score) AS s FROM inspections', "SELECT AVG(score) AS s FROM inspections WHERE result = 'failed'"],
  // first, last, ties
  ['Who has the highest hourly rate?', 'SELECT firstName, lastName FROM employee ORDER BY hourlyRate ASC LIMIT 1', 'SELECT firstName, lastName FROM employee ORDER BY hourlyRate DESC LIMIT 1'],
  ['Top 7 customers by number of work orders', `SELECT c.name, COUNT(*) AS n ${OWNED} GROUP BY c.id, c.name LIMIT 7`, `SELECT c.name, COUNT(*) AS n ${OWNED} GROUP BY c.id, c.name ORDER BY n DESC LIMIT 7`],
  ['Which employee was hired first?', 'SELECT firstName, lastName FROM employee ORDER BY hireDate DESC LIMIT 1', 'SELECT firstName, lastName FROM employee ORDER BY hireDate LIMIT 1'],
  ['The 3 latest work orders', 'SELECT number FROM workOrder ORDER BY number LIMIT 3', 'SELECT number FROM workOrder ORDER BY createdAt DESC LIMIT 3'],
  // WHERE and HAVING
  ['Which employees have more than 500 hours of work?', `SELECT e.firstName, e.lastName ${HOURS} WHERE w.hours > 500 GROUP BY e.id, e.firstName, e.lastName ORDER BY 1, 2`, `SELECT e.firstName, e.lastName ${HOURS} GROUP BY e.id, e.firstName, e.lastName HAVING SUM(w.hours) > 500 ORDER BY 1, 2`],
  ['Customers with at least 15 work orders', `SELECT c.name ${OWNED} GROUP BY c.id, c.name HAVING COUNT(*) > 15 ORDER BY 1`, `SELECT c.name ${OWNED} GROUP BY c.id, c.name HAVING COUNT(*) >= 15 ORDER BY 1`],
  ['Customers with fewer than 3 work orders', `SELECT c.name ${OWNED} GROUP BY c.id, c.name HAVING COUNT(*) > 3 ORDER BY 1`, `SELECT c.name ${OWNED} GROUP BY c.id, c.name HAVING COUNT(*) < 3 ORDER BY 1`],
  ['Employees with an hourly rate between 25 and 30', 'SELECT firstName, lastName FROM employee WHERE hourlyRate > 25 AND hourlyRate < 30 ORDER BY 1, 2', 'SELECT firstName, lastName FROM employee WHERE hourlyRate BETWEEN 25 AND 30 ORDER BY 1, 2'],
  // states, columns
  ['How many failed inspections are there?', count("inspections WHERE result = 'passed'"), count("inspections WHERE result = 'failed'")],
  ['How many inactive customers are there?', count('customer WHERE isActive = 1'), count('customer WHERE isActive = 0')],
  ['How many business customers are there?', count('customer'), count("customer WHERE type = 'business'")],
  ['How many urgent work orders are in progress?', count("workOrder WHERE priority = 'urgent' AND status = 'open'"), count("workOrder WHERE priority = 'urgent' AND status = 'in progress'")],
  ['How many open work orders are urgent or high?', count("workOrder WHERE status = 'open' AND priority = 'urgent' OR priority = 'high'"), count("workOrder WHERE status = 'open' AND priority IN ('urgent', 'high')")],
  ['How many hours of travel were there in 2025?', `SELECT SUM(hours) AS h FROM workTime WHERE ${in2025('startTime')}`, `SELECT SUM(hours) AS h FROM workTime WHERE type = 'travel' AND ${in2025('startTime')}`],
  ['How many hours did technicians work in 2025?', `SELECT SUM(w.hours) AS h ${HOURS} WHERE ${in2025('w.startTime')}`, `SELECT SUM(w.hours) AS h ${HOURS} WHERE e.role = 'technician' AND ${in2025('w.startTime')}`],
  ['How many work orders have status cancelled?', count("workOrder WHERE status LIKE '%open%'"), count("workOrder WHERE status = 'cancelled'")],
  ['How many cancelled work orders are there?', count("workOrder WHERE status <> 'cancelled'"), count("workOrder WHERE status = 'cancelled'")],
  // joins
  ['Which inspector made the most inspections?', 'SELECT e.firstName, e.lastName FROM inspections i JOIN workOrder o ON o.id = i.workOrderId JOIN employee e ON e.id = o.createdBy GROUP BY e.id, e.firstName, e.lastName ORDER BY COUNT(*) DESC LIMIT 1', 'SELECT e.firstName, e.lastName FROM inspections i JOIN employee e ON e.id = i.inspectorId GROUP BY e.id, e.firstName, e.lastName ORDER BY COUNT(*) DESC LIMIT 1'],
  ['How many work orders does each customer have, including customers with none?', `SELECT c.name, COUNT(*) AS n ${OWNED} GROUP BY c.id, c.name ORDER BY c.id`, 'SELECT c.name, COUNT(o.id) AS n FROM customer c LEFT JOIN workOrder o ON o.customerId = c.id GROUP BY c.id, c.name ORDER BY c.id'],
  ['What are the estimated hours per crew?', 'SELECT k.name, SUM(o.estimatedHours) AS h FROM crew k JOIN workOrder o ON o.id = k.workOrderId JOIN employeeCrew m ON m.crewId = k.id GROUP BY k.id, k.name ORDER BY k.id LIMIT 20', 'SELECT k.name, SUM(o.estimatedHours) AS h FROM crew k JOIN workOrder o ON o.id = k.workOrderId GROUP BY k.id, k.name ORDER BY k.id LIMIT 20'],
  ['How many employees never led a crew?', 'SELECT COUNT(DISTINCT e.id) AS n FROM employee e JOIN employeeCrew m ON m.employeeId = e.id WHERE m.isLead = 0', 'SELECT COUNT(*) AS n FROM employee e WHERE NOT EXISTS (SELECT 1 FROM employeeCrew m WHERE m.employeeId = e.id AND m.isLead = 1)'],
  ['Which customers have work orders and inspections?', 'SELECT DISTINCT c.name FROM customer c JOIN workOrder o ON o.customerId = c.id ORDER BY 1', 'SELECT DISTINCT c.name FROM customer c JOIN workOrder o ON o.customerId = c.id JOIN inspections i ON i.workOrderId = o.id ORDER BY 1'],
  ['How many work orders of business customers are open?', "SELECT COUNT(*) AS n FROM workOrder o JOIN customer c ON c.id = o.id WHERE c.type = 'business' AND o.status = 'open'", "SELECT COUNT(*) AS n FROM workOrder o JOIN customer c ON c.id = o.customerId WHERE c.type = 'business' AND o.status = 'open'"],
  // over rows
  ['Running total of credit transactions per month in 2025', `SELECT strftime('%Y-%m', created_at) AS m, SUM(SUM(amount)) OVER () AS s FROM transactions WHERE type = 'credit' AND ${in2025('created_at')} GROUP BY 1 ORDER BY 1`, `SELECT strftime('%Y-%m', created_at) AS m, SUM(SUM(amount)) OVER (ORDER BY strftime('%Y-%m', created_at)) AS s FROM transactions WHERE type = 'credit' AND ${in2025('created_at')} GROUP BY 1 ORDER BY 1`],
  ['Credits minus debits in 2025', `SELECT SUM(CASE WHEN type = 'debit' THEN amount ELSE -amount END) AS d FROM transactions WHERE ${in2025('created_at')}`, `SELECT SUM(CASE WHEN type = 'credit' THEN amount ELSE -amount END) AS d FROM transactions WHERE ${in2025('created_at')}`],
  ['Sum of debits in May 2025', `SELECT SUM(amount) AS s FROM transactions WHERE type = 'credit' AND ${MAY('created_at')}`, `SELECT SUM(amount) AS s FROM transactions WHERE type = 'debit' AND ${MAY('created_at')}`],
]);
