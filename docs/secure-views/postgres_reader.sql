-- The role askd logs in as: reads the views, and of the tables nothing but keys and companies.
CREATE ROLE askd_reader LOGIN PASSWORD 'change-me';
ALTER ROLE askd_reader SET default_transaction_read_only = on;
GRANT SELECT ON secure_customer, secure_employee, secure_workorder TO askd_reader;
GRANT SELECT (id, "companyId") ON customer, employee TO askd_reader;
GRANT SELECT (id, "companyId", "customerId", "createdBy") ON "workOrder" TO askd_reader;
-- A view's functions are called with the rights of who reads it.
GRANT EXECUTE ON FUNCTION decrypted(BYTEA) TO askd_reader;
-- As a superuser: keeps bound values, the key among them, out of the log of statements.
ALTER ROLE askd_reader SET log_parameter_max_length = 0;
