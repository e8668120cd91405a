-- Secure views on PostgreSQL. Run as the owner of the schema, in the database.

CREATE EXTENSION IF NOT EXISTS pgcrypto;

-- What the application keeps: name, phone and "firstName" are
-- pgp_sym_encrypt(value, key, 'cipher-algo=aes256, s2k-mode=1'): a key of 32 random bytes or more
-- needs no stretching, which would cost a millisecond a value.
CREATE TABLE customer (
    id INT PRIMARY KEY,
    "companyId" TEXT NOT NULL,
    name BYTEA NOT NULL,
    phone BYTEA,
    "isActive" BOOLEAN NOT NULL
);
CREATE TABLE employee (
    id INT PRIMARY KEY,
    "companyId" TEXT NOT NULL,
    "firstName" BYTEA NOT NULL,
    ssn BYTEA,
    role TEXT NOT NULL
);
CREATE TABLE "workOrder" (
    id INT PRIMARY KEY,
    "companyId" TEXT NOT NULL,
    "customerId" INT NOT NULL REFERENCES customer (id),
    "createdBy" INT NOT NULL REFERENCES employee (id),
    status TEXT NOT NULL
);

-- NULL without a key, and with a wrong one, where pgp_sym_decrypt alone would end the statement.
CREATE FUNCTION decrypted(value BYTEA) RETURNS TEXT
    LANGUAGE plpgsql STABLE SECURITY DEFINER SET search_path = public, pg_temp AS $$
BEGIN
    RETURN pgp_sym_decrypt(value, nullif(current_setting('app.aesKey', true), ''));
EXCEPTION WHEN external_routine_invocation_exception THEN
    RETURN NULL;
END
$$;
REVOKE EXECUTE ON FUNCTION decrypted(BYTEA) FROM PUBLIC;

-- The views run with their owner's rights. security_barrier: no condition of a statement is tried
-- on another company's rows.
CREATE VIEW secure_customer WITH (security_barrier) AS
    SELECT id, "companyId", decrypted(name) AS name, decrypted(phone) AS phone, "isActive"
    FROM customer
    WHERE "companyId" = current_setting('app.company_id', true);
CREATE VIEW secure_employee WITH (security_barrier) AS -- without ssn: what is not here cannot be read
    SELECT id, "companyId", decrypted("firstName") AS "firstName", role
    FROM employee
    WHERE "companyId" = current_setting('app.company_id', true);
CREATE VIEW secure_workorder WITH (security_barrier) AS
    SELECT id, "companyId", "customerId", "createdBy", status
    FROM "workOrder"
    WHERE "companyId" = current_setting('app.company_id', true);
