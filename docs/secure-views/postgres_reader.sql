-- The role askd logs in as: reads the views, sees the keys of the tables, and reads no table.
CREATE ROLE askd_reader LOGIN PASSWORD 'change-me';
ALTER ROLE askd_reader SET default_transaction_read_only = on;
GRANT SELECT ON secure_customer, secure_employee, secure_workorder TO askd_reader;
-- REFERENCES lets the schema of a table be seen, and nothing of its rows.
GRANT REFERENCES ON customer, employee, "workOrder" TO askd_reader;
