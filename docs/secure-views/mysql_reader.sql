-- The user askd logs in as: reads the views, sees the keys of the tables, and reads no table.
CREATE USER 'askd_reader'@'%' IDENTIFIED BY 'change-me';
GRANT SELECT ON secure_customer TO 'askd_reader'@'%';
GRANT SELECT ON secure_employee TO 'askd_reader'@'%';
GRANT SELECT ON secure_workorder TO 'askd_reader'@'%';
-- REFERENCES lets the schema of a table be seen, and nothing of its rows.
GRANT REFERENCES ON customer TO 'askd_reader'@'%';
GRANT REFERENCES ON employee TO 'askd_reader'@'%';
GRANT REFERENCES ON workOrder TO 'askd_reader'@'%';
