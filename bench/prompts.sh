#!/bin/sh
# SPDX-License-Identifier: MIT
# bench/prompts.sh [BUILD [NAME DATABASE QUESTIONS [FORMER]]] - calls of the model and tokens of its
# prompts for a question, on the sample and on a schema of 122 tables that is made up here; or on a
# database of yours, with questions of {"question","sql","tables"} a line, and FORMER tokens a
# question to compare with.
#
# The model is bench/prompts.mjs, which gives the right answer to each call, so that nothing is
# corrected. The made-up tables have what large schemas have: a company, four columns that say who
# touched a row, and references to each other.
set -eu
. "$(dirname "$0")/lib.sh"
build=$(cd "${1:-$root/build/release}" && pwd)
node=${NODE:-node}

measure() { # NAME DATABASE QUESTIONS FORMER
    NAME=$1 DATABASE=$2 QUESTIONS=$3 FORMER=$4 ASKD=$(program askd) ASKD_PROMPT_DIR="$root/agents" \
        "$node" "$root/bench/prompts.mjs"
}

if [ $# -gt 1 ]; then
    measure "$2" "$3" "$4" "${5:-}"
    exit
fi

"$(program make_samples)" "$work/sample.db"
cat >"$work/sample.jsonl" <<'QUESTIONS'
{"question":"How many technicians are active?","sql":"SELECT COUNT(*) FROM employee WHERE role = 'technician' AND isActive = 1","tables":["employee"]}
{"question":"Which 5 customers have the most work orders?","sql":"SELECT c.name, COUNT(*) AS n FROM customer c JOIN workOrder o ON o.customerId = c.id GROUP BY c.id, c.name ORDER BY n DESC LIMIT 5","tables":["customer","workOrder"]}
{"question":"How many work orders are on hold?","sql":"SELECT COUNT(*) FROM workOrder WHERE status = 'on hold'","tables":["workOrder"]}
{"question":"What is the total of hours of overtime?","sql":"SELECT SUM(hours) FROM workTime WHERE type = 'overtime'","tables":["workTime"]}
{"question":"How many inspections failed in May 2025?","sql":"SELECT COUNT(*) FROM inspections WHERE result = 'failed' AND inspectionDate >= '2025-05-01' AND inspectionDate < '2025-06-01'","tables":["inspections"]}
{"question":"What is the average balance of accounts?","sql":"SELECT AVG(balance) FROM accounts","tables":["accounts"]}
QUESTIONS

"$node" - "$work" <<'SCHEMA'
const { writeFileSync } = require('node:fs');
const nouns = 'customer branch vendor invoice payment contract asset vehicle tool permit'.split(' ');
const parts = 'note line log type status audit address contact photo rate plan task'.split(' ');
const names = [...nouns, ...nouns.flatMap(noun => parts.map(part => noun + part[0].toUpperCase() + part.slice(1)))].slice(0, 122);
const tables = names.map((name, i) => {
  const columns = ['id INTEGER PRIMARY KEY', 'name TEXT', 'code TEXT', 'amount DECIMAL(12,2)', 'startsOn DATE', 'isActive BOOLEAN'];
  const to = [nouns.find(noun => name.startsWith(noun) && name !== noun), names[(i * 7) % nouns.length]].filter(one => one && one !== name);
  for (const one of new Set(to))
    columns.push(`${one}Id INTEGER REFERENCES "${one}" (id)`);
  columns.push('companyId INTEGER', ...['createdBy', 'updatedBy'].map(by => `${by} INTEGER REFERENCES "branch" (id)`), 'createdAt TIMESTAMP', 'updatedAt TIMESTAMP');
  return `CREATE TABLE "${name}" (${columns.join(', ')});`;
});
writeFileSync(`${process.argv[2]}/large.sql`, tables.join('\n'));
const asked = ['customer', 'invoice', 'vehicleLog', 'contractLine', 'permitLine', 'toolRate', 'vendorContact', 'paymentPlan'];
writeFileSync(`${process.argv[2]}/large.jsonl`, asked.map(table => JSON.stringify({ question: `How many rows of ${table} are active?`,
  sql: `SELECT COUNT(*) FROM "${table}" WHERE isActive = 1`, tables: [table] })).join('\n'));
SCHEMA
sqlite3 "$work/large.db" <"$work/large.sql"

measure sample "sqlite:$work/sample.db" "$work/sample.jsonl" ""
measure "122 tables" "sqlite:$work/large.db" "$work/large.jsonl" 8000
