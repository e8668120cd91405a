-- The user askd logs in as: reads the views, and of the tables nothing but keys and companies.
CREATE USER 'askd_reader'@'%' IDENTIFIED BY 'change-me';
GRANT SELECT ON secure_customer TO 'askd_reader'@'%';
GRANT SELECT ON secure_employee TO 'askd_reader'@'%';
GRANT SELECT ON secure_workorder TO 'askd_reader'@'%';
-- Without these the schema of the views is not shown. A session reads its own variables anyway.
GRANT EXECUTE ON FUNCTION aes_key TO 'askd_reader'@'%';
GRANT EXECUTE ON FUNCTION company_id TO 'askd_reader'@'%';
-- REFERENCES lets the foreign keys of a table be seen, and nothing of its rows.
GRANT REFERENCES, SELECT (id, companyId) ON customer TO 'askd_reader'@'%';
GRANT REFERENCES, SELECT (id, companyId) ON employee TO 'askd_reader'@'%';
GRANT REFERENCES, SELECT (id, companyId, customerId, createdBy) ON workOrder TO 'askd_reader'@'%';
