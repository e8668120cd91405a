-- Secure views on SQLite, which has no cipher of its own: columns are left out, rows are the
-- caller's company's. session_var is askd's; other programs cannot read these views. LIMIT -1 lets
-- every row through; because of it no condition of a statement is tried on another company's rows.
CREATE TABLE customer(
    id INTEGER PRIMARY KEY,
    companyId TEXT NOT NULL,
    name TEXT NOT NULL,
    phone TEXT,
    isActive BOOLEAN NOT NULL
);
CREATE TABLE employee(
    id INTEGER PRIMARY KEY,
    companyId TEXT NOT NULL,
    firstName TEXT NOT NULL,
    ssn TEXT,
    role TEXT NOT NULL
);
CREATE TABLE workOrder(
    id INTEGER PRIMARY KEY,
    companyId TEXT NOT NULL,
    customerId INTEGER NOT NULL REFERENCES customer(id),
    createdBy INTEGER NOT NULL REFERENCES employee(id),
    status TEXT NOT NULL
);
CREATE VIEW secure_customer AS
    SELECT id, companyId, name, phone, isActive
    FROM customer
    WHERE companyId = session_var('company_id')
    LIMIT -1;
CREATE VIEW secure_employee AS -- without ssn: what is not here cannot be read
    SELECT id, companyId, firstName, role
    FROM employee
    WHERE companyId = session_var('company_id')
    LIMIT -1;
CREATE VIEW secure_workorder AS
    SELECT id, companyId, customerId, createdBy, status
    FROM workOrder
    WHERE companyId = session_var('company_id')
    LIMIT -1;
