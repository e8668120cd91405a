// SPDX-License-Identifier: MIT
// tests/node/lib/mistakes.mjs - wrong statements, each told by a model that mends what it is told, and by one that
// insists on it and, where two statements are held against each other, trusts one of them: what becomes of the answer.
//
// An outcome is "repaired" (without the model), "corrected" (by it), "refused" (no answer), "warned" (the wrong
// answer with a warning) or "silent" (the wrong answer alone).
import assert from 'node:assert/strict';
import { test } from 'node:test';
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { newConversation, sampleDatabase, sourceDir, startAskd, startMock, tempPath } from './harness.mjs';
import { run } from './process.mjs';
import { line } from './scripts.mjs';

const says = sql => `\`\`\`sql\n${sql}\n\`\`\``;

// The databases that statements are about, and their tables.
const NAMES = {
  sample: 'employeeCrew employee workOrder workTime customerLocation customerContact customers customer inspectionAnswer inspectionQuestion inspections crew accounts transactions',
  school: 'teachers classes students exams marks absences',
  klinik: 'stationen aerzte patienten aufenthalte behandlungen rechnungen',
  hausverwaltung: 'mandant objekt einheit person mietvertrag sollstellung zahlung kostenart dienstleister rechnung schadensmeldung zaehlerstand',
  hotel: 'Hotel RoomType Room Guest Employee Reservation ServiceItem ServiceCharge Payment CleaningTask MaintenanceTicket GuestReview',
  gym: 'plans gyms members trainers classes bookings payments checkIns',
  hospital: 'DEPT_MST WARD_MST INS_MST PAT_MST DOC_MST ADM_HDR ICD_MST DIAG_TRN PROC_MST PROC_TRN LAB_RSLT DRUG_MST BILL_HDR',
  campus: 'department staffMember room term student course courseSection sectionEnrollment leaveRequest feeInvoice',
};
const TABLES = Object.values(NAMES).join(' ').split(' ');
const tablesOf = sql => JSON.stringify(TABLES.filter(name => new RegExp(`\\b${name}\\b`).test(sql)));

const made = {};
// A database of this folder's data, made once a file.
const databaseOf = name => made[name] ??= (async () => {
  if (name === 'sample')
    return sampleDatabase();
  const path = tempPath(`${name}.db`);
  const result = await run('sqlite3', [path], { cwd: '/tmp', input: readFileSync(join(sourceDir, `tests/node/data/${name}.sql`), 'utf8') });
  assert.equal(result.code, 0, result.stderr);
  return path;
})();
const graphs = { sql_agent: { first: 'generate', again: 'correct', calls: 2 }, text_to_sql: { first: 'translate', again: 'translate', calls: 2 } };
const words = [line('answer', 'Here it is.'), line('respond', 'Here it is.')];
const decides = [line('decide', '{"choice": 1}')];

// It sees both statements and their rows, and never takes the wrong one: its number is 1.
const decidesWell = statements => statements.map(([, wrong]) =>
  ({ ...line('decide', '{"choice": 2}'), match: JSON.stringify(wrong).slice(1, -1).replaceAll('<', '&lt;') }));
const obeys = statements => ({ first, again }) => [...decidesWell(statements), ...statements.flatMap(([user, wrong, right]) => [
  line('tables', tablesOf(right), { user }), line(first, says(wrong), { user, times: 1 }), line(again, says(right), { user })])];
const insists = statements => ({ first, again }) => statements.flatMap(([user, wrong, right]) => [
  line('tables', tablesOf(right), { user }), line(first, says(wrong), { user }), line(again, says(wrong), { user })]);
const knows = statements => ({ first }) => statements.flatMap(([user, , right]) => [line('tables', tablesOf(right), { user }), line(first, says(right), { user })]);

const start = async (graph, script, database) => {
  const askd = await startAskd({ mock: await startMock([...script(graphs[graph]), ...words, ...decides]), database: await databaseOf(database),
    env: { SQL_SAMPLE_ROWS: '0', SQL_CANDIDATES: '0', ...(database !== 'sample' && { ASKD_SECURE_VIEWS: undefined, ASKD_SHARED_TABLES: undefined, ASKD_TENANT_COLUMN: '' }) } });
  return async question => {
    const transcript = await askd.ask(question, { conversation: newConversation(), options: { graph, detail: 'nodes' } });
    const complete = transcript.of('complete')[0];
    const retries = transcript.of('retry').map(event => event.reason);
    if (complete === undefined)
      return { retries, stats: transcript.of('error')[0]?.stats };
    const { data, warnings = [], stats } = complete;
    return { rows: data?.rows, warnings: warnings.filter(text => !/^only the first/.test(text)), stats, retries };
  };
};

// The same rows in any order; one may have columns more, as another statement for the same question may.
const sameRows = (rows, right) => {
  const left = rows.map(row => row.map(String));
  return rows.length === right.length && right.every(row => {
    const at = left.findIndex(one => row.every(cell => one?.includes(String(cell))));
    if (at >= 0)
      left[at] = undefined;
    return at >= 0;
  });
};

const outcomeOf = (graph, heard, right) => {
  if (heard.rows === undefined)
    return 'refused';
  if (sameRows(heard.rows, right.rows))
    return heard.stats.llm_calls > graphs[graph].calls ? 'corrected' : 'repaired';
  return heard.warnings.length > 0 ? 'warned' : 'silent';
};

// statements: [question, right]. Nobody is asked about them and no reader is warned; where the rows of askd's own reading
// differ, which one in five may do, one call decides between the two.
export const areBelieved = (database, statements) => { for (const graph of Object.keys(graphs))
  test(`${graph}: ${statements.length} right statements about the ${database} are believed`, async t => {
    const able = await start(graph, knows(statements.map(([question, right]) => [question, right, right])), database);
    const alarms = [], decided = [];
    for (const [question, sql] of statements) {
      const { rows, warnings, stats, retries } = await able(question);
      const more = Number(stats?.decided === true);
      if (more)
        decided.push(question);
      if (rows === undefined || retries.length > 0 || warnings.length > more || stats.llm_calls !== graphs[graph].calls + more)
        alarms.push(`${question} | ${sql} | ${JSON.stringify([retries, warnings, stats?.llm_calls])}`);
    }
    alarms.forEach(text => t.diagnostic(`false alarm: ${text}`));
    t.diagnostic(`decided: ${decided.join("; ")}`);
    assert.deepEqual(alarms, []);
    assert.ok(decided.length <= 0.2 * statements.length, decided.join('\n'));
  }); };

// statements: [question, wrong, right]; the tables are those of the right statement.
export const becomes = (statements, database = 'sample') => { for (const graph of Object.keys(graphs))
  test(`${graph}: what becomes of ${statements.length} wrong statements about the ${database}`, async t => {
    const [obedient, stubborn, able] = [await start(graph, obeys(statements), database), await start(graph, insists(statements), database), await start(graph, knows(statements), database)];
    const seen = { told: {}, insisted: {}, alarms: [], decisions: 0 };
    for (const [question, wrong] of statements) {
      const right = await able(question);
      assert.ok(right.rows, `${question}: ${right.retries}`);
      seen.decisions += right.stats.decided === true;
      if (right.stats.llm_calls > graphs[graph].calls + (right.stats.decided === true))
        seen.alarms.push(`${question}: ${right.retries}`);
      const told = await obedient(question), insisted = await stubborn(question);
      const [one, other] = [outcomeOf(graph, told, right), outcomeOf(graph, insisted, right)];
      (seen.told[one] ??= []).push(wrong);
      (seen.insisted[other] ??= []).push(wrong);
      t.diagnostic(`${one}, insisted: ${other} | ${wrong} | ${told.retries.join(' / ').slice(0, 120)}`);
      assert.ok((told.stats?.llm_calls ?? 0) <= graphs[graph].calls + 4, `${wrong}: ${told.stats?.llm_calls} calls`);
      assert.ok((told.stats?.prompt_tokens ?? 0) < 12000, `${wrong}: ${told.stats?.prompt_tokens} tokens`);
    }
    const tally = Object.fromEntries(Object.entries(seen).map(([name, by]) => [name, !Array.isArray(by) && typeof by === 'object' ? Object.fromEntries(Object.entries(by).map(([kind, all]) => [kind, all.length]))
      : by.length ?? by]));
    t.diagnostic(`${graph}: ${JSON.stringify(tally)}`);
    seen.alarms.forEach(text => t.diagnostic(`false alarm: ${text}`));
    assert.deepEqual([...seen.told.silent ?? [], ...seen.insisted.silent ?? []], [], 'a wrong answer has a warning');
    const mended = statements.length - (seen.told.warned?.length ?? 0);
    assert.ok(mended >= 0.9 * statements.length, `${mended} of ${statements.length} are mended or refused`);
    assert.ok(seen.decisions <= Math.max(3, 0.15 * statements.length), `${seen.decisions} right statements cost a decision`);
    assert.ok(seen.alarms.length <= 0.05 * statements.length, seen.alarms.join('\n'));
  }); };
