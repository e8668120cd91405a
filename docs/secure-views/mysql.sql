-- Secure views on MySQL and MariaDB. Run as the owner of the schema, in the schema.

-- What the application keeps: name, phone and ssn are AES_ENCRYPT(value, key).
CREATE TABLE customer (
    id INT PRIMARY KEY,
    companyId VARCHAR(64) NOT NULL,
    name VARBINARY(272) NOT NULL,
    phone VARBINARY(80),
    isActive BOOLEAN NOT NULL
);
CREATE TABLE employee (
    id INT PRIMARY KEY,
    companyId VARCHAR(64) NOT NULL,
    firstName VARBINARY(144) NOT NULL,
    ssn VARBINARY(48),
    role VARCHAR(32) NOT NULL
);
CREATE TABLE workOrder (
    id INT PRIMARY KEY,
    companyId VARCHAR(64) NOT NULL,
    customerId INT NOT NULL,
    createdBy INT NOT NULL,
    status VARCHAR(16) NOT NULL,
    FOREIGN KEY (customerId) REFERENCES customer (id),
    FOREIGN KEY (createdBy) REFERENCES employee (id)
);

-- A view may not name a user variable (error 1351); a function may.
CREATE FUNCTION aes_key() RETURNS VARBINARY(255) NOT DETERMINISTIC NO SQL RETURN @aesKey;
CREATE FUNCTION company_id() RETURNS VARCHAR(64) CHARACTER SET utf8mb4 NOT DETERMINISTIC NO SQL
    RETURN @company_id;

-- The views run with their owner's rights: who reads them needs no right to the tables or functions.
-- LIMIT lets every row through; because of it no condition of a statement is tried on another
-- company's rows.
CREATE SQL SECURITY DEFINER VIEW secure_customer AS
    SELECT id, companyId,
           CONVERT(AES_DECRYPT(name, aes_key()) USING utf8mb4) AS name,
           CONVERT(AES_DECRYPT(phone, aes_key()) USING utf8mb4) AS phone,
           isActive
    FROM customer
    WHERE companyId = company_id()
    LIMIT 18446744073709551615;
CREATE SQL SECURITY DEFINER VIEW secure_employee AS -- without ssn: what is not here cannot be read
    SELECT id, companyId,
           CONVERT(AES_DECRYPT(firstName, aes_key()) USING utf8mb4) AS firstName,
           role
    FROM employee
    WHERE companyId = company_id()
    LIMIT 18446744073709551615;
CREATE SQL SECURITY DEFINER VIEW secure_workorder AS
    SELECT id, companyId, customerId, createdBy, status
    FROM workOrder
    WHERE companyId = company_id()
    LIMIT 18446744073709551615;
