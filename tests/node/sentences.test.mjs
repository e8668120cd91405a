// SPDX-License-Identifier: MIT
// tests/node/sentences.test.mjs - what the server says to readers, in German and Spanish: each sentence that the program
// makes for them is in the file of sentences, none is there that nothing says, and each door says them.
import assert from 'node:assert/strict';
import { readdirSync, readFileSync, statSync } from 'node:fs';
import { join } from 'node:path';
import { test } from 'node:test';
import { question, sourceDir, startAskd, startMock, tempPath } from './lib/harness.mjs';
import { makeDocx } from './lib/office.mjs';
import { general, line } from './lib/scripts.mjs';

// Before the first test: what a file started ends with its last test.
const askd = await startAskd({ env: { ASKD_CHECKPOINT_URL: `sqlite:${tempPath('kept.db')}`, ASKD_VECTOR_URL: `sqlite:${tempPath('documents.db')}`, ASKD_KEYWORD_URL: `sqlite:${tempPath('documents.db')}` } });

// ---- the file ----

const sentences = [];
{
  let section;
  const lines = readFileSync(join(sourceDir, 'server/language/sentences.txt'), 'utf8').split('\n').filter(one => one && !one.startsWith('#'));
  while (lines.length > 0) {
    const said = lines.shift();
    if (/^\[\w+\]$/.test(said))
      section = said.slice(1, -1);
    else
      sentences.push({ section, said, de: lines.shift().replace(/^de: /, ''), es: lines.shift().replace(/^es: /, '') });
  }
}
const forms = sentences.filter(one => one.section !== 'codes').map(one => one.said);
const places = text => (text.match(/\{\d\}/g) ?? []).sort();

test('each sentence has its places in each language, and is there once', () => {
  assert.ok(forms.length > 200, `${forms.length}`);
  for (const { said, de, es } of sentences) {
    assert.deepEqual(places(de), places(said), said);
    assert.deepEqual(places(es), places(said), said);
    assert.deepEqual(places(said), places(said).map((_, i) => `{${i + 1}}`), said);
  }
  assert.deepEqual(forms.filter((one, i) => forms.indexOf(one) !== i), []);
});

// ---- the program ----

// Where sentences for readers are made, and by which functions. "no memory ..." and what names a field of the caller's
// body is for whoever wrote the client: it is told behind the sentence of its code.
const makers = [
  [/^agents\/offline\/(reading|grammar|compose)\/|^agents\/offline\/answers\/(question|turn)\.c|^agents\/offline\/model\.c/, /\b(?:offline_turn_refuse|stop|want|refuse|err_set|op_finish|arena_printf)\(/g],
  [/^agents\/offline\/second_look\//, /\b(?:say|say_halves|say_of_text|snprintf)\(/g],
  [/^agents\/nodes\/(notes|ask|search|approve_sql)\.c|^agents\/agent\/turn\.c/, /\b(?:say|warn|arena_printf|node_emit|answer)\(/g],
  [/^agents\/docs\/formats\/|^backends\/extract\/|^server\/documents\/|^server\/wiring\/document_worker\.c|^server\/api\/documents\//, /\b(?:err_set|op_finish|fail|refuse)\(/g],
  [/^server\/api\/(api_resume|api_live_runs|api_graphs|cancel_elsewhere)\.c|^server\/api\/conversations\/|^server\/(feedback|results|records|runs)\//, /\b(?:err_set|problem_set|refuse|fail)\(/g],
  [/^server\/http\/(judge|exchange|conn)\.c|^server\/page\//, /\b(?:err_set|problem_set)\(/g],
  [/^core\/store\/wire_code\.c/, /\brows\[\] = \(?/g],
];
// What is no sentence, or said to whoever looks after the server or writes a client.
const others = [/^no memory/, /^%s[:/]/, /expected/, /^\/\w/, /^(?:Idempotency-Key|Last-Event-ID|Content-Type|the query|the path|the conversation)\b/,
  /^(?:the stored events|the store judged|it was given up|cancelled|it was gone on with)/, / not supported here$/, / is not a method of this path$/, /^%\.\*s: /, /^something else$/,
  /^ASKD_|^cannot listen/, /^, (?:the statement|which is not in the statement|which the statement)/, /^the statement has /, /^(?:sql|model|database|retrieval)\.?_?\w*$/,
  /^the (?:request's|connection could|reader of documents|name of a company|definition of|list does|run's events? |text does|checkpoint|events after|state is)/,
  /^this (?:request began)/, /^not every worker/, /^it has not been read/, /^\w+: expected/, /^of the statement/, /^No more tools can be called/];

const filesOf = folder => readdirSync(join(sourceDir, folder)).flatMap(name => {
  const path = `${folder}/${name}`;
  return statSync(join(sourceDir, path)).isDirectory() ? filesOf(path) : /\.[ch]$/.test(name) ? [path] : [];
});
const literal = '"(?:[^"\\\\]|\\\\.)*"';
const noCharacters = code => code.replace(new RegExp(`${literal}|'(?:\\\\.|[^'\\\\])'`, 'g'), all => all[0] === '"' ? all : '0');

// The text between the parenthesis at `at` and its end.
const argumentsAt = (code, at) => {
  for (let depth = 1, i = at, text = false; i < code.length; i++) {
    if (text)
      code[i] === '\\' ? i++ : text = code[i] !== '"';
    else if (code[i] === '"')
      text = true;
    else if ('({'.includes(code[i]))
      depth++;
    else if (')}'.includes(code[i]) && --depth === 0)
      return code.slice(at, i);
  }
  return '';
};

const said = new Map(); // as printf has it -> file
const written = new Set(); // all texts of the program, to see what nothing says
for (const file of ['agents', 'backends', 'core', 'server'].flatMap(filesOf)) {
  const code = noCharacters(readFileSync(join(sourceDir, file), 'utf8')).replace(/\/\*.*?\*\//gs, ' ').replace(/^#include.*$/gm, '').replace(/\bPRI[a-z]\d+/g, '"u"');
  const texts = part => [...part.matchAll(new RegExp(`${literal}(?:\\s*${literal})*`, 'g'))].map(([all]) => [...all.matchAll(new RegExp(literal, 'g'))].map(([one]) => one.slice(1, -1)).join('').replace(/\\(.)/g, '$1'));
  texts(code).forEach(text => written.add(text));
  for (const [files, calls] of file.endsWith('.h') ? [] : makers)
    if (files.test(file))
      for (const call of code.matchAll(calls))
        for (const text of texts(argumentsAt(code, call.index + call[0].length)))
          if (/[a-z]{2} [a-z]/.test(text))
            said.set(text, file);
}
const escape = text => text.replace(/[.*+?^${}()|[\]\\]/g, '\\$&');
const asForm = form => new RegExp(`^${form.split(/\{\d\}/).map(escape).join('(.*)')}$`, 's');
const known = forms.map(asForm);
const conversion = /%(?:\.\*)?(?:l{0,2}|z)?[sdu]/g;

test('no sentence for readers is in no language', () => {
  assert.ok(said.size > 150, `${said.size}`);
  const missing = [...said].filter(([text]) => !others.some(pattern => pattern.test(text)))
    .filter(([text]) => ![text, `x${text}`, `${text}x`].some(one => known.some(form => form.test(one.replace(conversion, 'x').trim()))));
  assert.deepEqual(missing.map(([text, file]) => `${file}: ${text}`), []);
});

test('no sentence is there that nothing says', () => {
  // The longest run of words of a form is in a text of the program.
  const all = [...written].map(text => text.replace(conversion, '\u0000')).join('\n');
  // Of a phrase, whose parts are put together, each word is.
  const phrases = new Set(sentences.filter(one => one.section === 'options').map(one => one.said));
  const unsaid = forms.filter(form => !form.split(phrases.has(form) ? /\{\d\}| / : /\{\d\}|(?<=\.) /).filter(part => /\w{3}/.test(part)).every(part => all.includes(part.trim().replace(/^[,;:.] ?| ?[,;:]$/g, ''))));
  assert.deepEqual(unsaid, []);
});

// ---- the doors ----

const german = { 'accept-language': 'de-AT,de;q=0.9,en;q=0.8' }, spanish = { 'accept-language': 'es' };
const chat = (headers, options) => askd.ask('Show the frobnications', { headers, options });

test('an answer that is a refusal, and why', async () => {
  const plain = await chat({}), de = await chat(german), es = await chat(spanish);
  assert.match(plain.text, /^I can't answer that: 'frobnications' is not a word of this database; you can ask about /);
  assert.match(de.text, /^Das kann ich nicht beantworten: 'frobnications' ist kein Wort dieser Datenbank; fragen können Sie nach \w/);
  assert.match(es.text, /^No puedo responder a eso: 'frobnications' no es una palabra de esta base de datos; puede preguntar por \w/);
  assert.equal(de.last.abstained, de.text);
});

test('an answer of the engine’s own, which comes word by word where it is not', async () => {
  const plain = await askd.ask('Tell me a joke', { path: '/internal/graphs/general_agent/stream' }), de = await askd.ask('Tell me a joke', { path: '/internal/graphs/general_agent/stream', headers: german });
  assert.match(plain.text, /^I can't answer that without a language model\. I answer questions about the data here: /);
  assert.match(de.text, /^Das kann ich ohne Sprachmodell nicht beantworten\. Ich beantworte Fragen zu den Daten hier: /);
});

test('the body chooses before the header, and names what is wrong', async () => {
  assert.match((await chat(german, { language: 'es' })).text, /^No puedo/);
  assert.match((await chat({}, { language: 'de-CH' })).text, /^Das kann ich/);
  const wrong = await askd.post('/internal/chat/stream', { ...question('x'), options: { language: 'tlh' } });
  assert.equal(wrong.status, 422);
  const problem = await wrong.json();
  assert.equal(problem.pointer, '/options/language');
});

test('readings to choose from: said in the reader’s language, through every door, and known when they come back', async () => {
  const asked = 'Who are our top customers?', conversation = id => ({ id, company_id: 'acme', user_id: 'ann' });
  const plain = await askd.ask(asked, { conversation: conversation('choose-en') });
  const sql = [];
  for (const option of plain.last.clarify.options)
    sql.push((await askd.ask(option, { conversation: conversation('choose-en') })).last.sql, (await askd.ask(asked, { conversation: conversation('choose-en') })).last.sql);
  for (const [headers, expected] of [[german, /^10 customers: höchster Wert, /], [spanish, /^10 customers: mayor valor, /]]) {
    const id = `choose-${headers['accept-language'].slice(0, 2)}`;
    for (const [i, option] of plain.last.clarify.options.entries()) {
      const said = await askd.ask(asked, { headers, conversation: conversation(id) });
      assert.equal(said.last.clarify.options.length, plain.last.clarify.options.length);
      assert.match(said.last.clarify.options[i], expected, option);
      assert.doesNotMatch(said.last.clarify.options[i], / with the | of |highest|number of|total of/);
      assert.ok(said.text.includes(`\n${i + 1}. ${said.last.clarify.options[i]}`), said.text);
      const chosen = await askd.ask(said.last.clarify.options[i], { headers, conversation: conversation(id) });
      assert.equal(chosen.last.sql, sql[i * 2], said.last.clarify.options[i]);
    }
  }
  const old = await (await askd.fetch('/internal/conversations/choose-es?company_id=acme&user_id=ann', { headers: german })).json();
  assert.match(old.messages.find(one => one.details?.result?.clarify).details.result.clarify.options[0], /^10 customers: höchster Wert, /);
  const completion = await (await askd.post('/v1/chat/completions', { model: 'orchestrator', messages: [{ role: 'user', content: asked }] }, { headers: german })).json();
  assert.match(completion.choices[0].message.content, /\n1\. 10 customers: höchster Wert, /);
});

test('questions that are proposed: in the reader’s language, and answered as in English', async () => {
  const get = async (path, headers) => (await askd.fetch(path, { headers })).json();
  const next = '/internal/suggestions?company_id=acme&user_id=ann&tables=customer,workOrder&column=name&value=Young%20Bruno';
  const lists = async headers => [...(await get('/internal/about', headers)).examples, ...(await get(next, headers)).suggestions];
  const plain = await lists({});
  assert.ok(plain.length > 5, plain.join());
  for (const [headers, english] of [[german, /\b(?:how many|are there|per month|show|which|the most|average|total)\b/i], [spanish, /\b(?:how many|are there|per month|show|which|the most|average)\b/i]]) {
    const said = await lists(headers);
    assert.equal(said.length, plain.length);
    for (const [i, text] of said.entries()) {
      assert.doesNotMatch(text, english);
      const asked = await askd.ask(text, { headers }), same = await askd.ask(plain[i], { headers });
      assert.ok(same.last.sql, plain[i]);
      assert.equal(asked.last.sql, same.last.sql, text);
    }
  }
});

test('what stands in the data stays as it is', async () => {
  const plain = await askd.ask('How many work orders are there?'), de = await askd.ask('How many work orders are there?', { headers: german });
  assert.equal(de.text, plain.text);
  assert.deepEqual(de.last.data.rows, plain.last.data.rows);
});

test('problems: known ones whole, others behind the sentence of their code', async () => {
  const gone = await (await askd.fetch('/internal/conversations/none?company_id=acme&user_id=u', { headers: german })).json();
  assert.equal(gone.detail, 'diese Unterhaltung gibt es nicht');
  const wrong = await (await askd.post('/internal/chat/stream', { input: {} }, { headers: spanish })).json();
  assert.equal(wrong.detail, 'La petición no es correcta (/input/message: expected a string, got nothing)');
  assert.equal(wrong.pointer, '/input/message');
});

test('a document that cannot be read', async () => {
  const put = (name, body, headers) => askd.fetch(`/internal/documents/${name}?company_id=acme&user_id=u`, { method: 'PUT', body, headers: { 'content-type': 'application/octet-stream', ...headers } });
  assert.match((await (await put('a.pdf', Buffer.from('no pdf'), german)).json()).detail, /^es ist kein PDF/);
  const stream = await (await put('b.docx', makeDocx([]).subarray(0, 40), { ...spanish, accept: 'text/event-stream' })).text();
  assert.match(stream, /"message":"no es un archivo de su formato/);
});

test('history is read in the reader’s language, whatever it was asked in', async () => {
  const conversation = { id: 'kept', company_id: 'acme', user_id: 'ann' };
  await askd.ask('Show the frobnications', { conversation });
  const read = async headers => (await (await askd.fetch('/internal/conversations/kept?company_id=acme&user_id=ann', { headers })).json()).messages.at(-1);
  const plain = await read({}), de = await read(german);
  assert.match(plain.content, /^I can't answer that/);
  assert.match(de.content, /^Das kann ich nicht beantworten/);
  assert.match(de.details.result.abstained, /ist kein Wort dieser Datenbank/);
  assert.deepEqual({ ...de, content: 0, details: 0 }, { ...plain, content: 0, details: 0 });
});

test('other doors', async () => {
  const body = { model: 'orchestrator', stream: true, messages: [{ role: 'user', content: 'Show the frobnications' }] };
  assert.match(await (await askd.post('/v1/chat/completions', body, { headers: german })).text(), /Das kann ich nicht beantworten/);
  assert.match(await (await askd.post('/v1/responses', { model: 'orchestrator', stream: true, input: 'Show the frobnications' }, { headers: german })).text(), /Das kann ich nicht beantworten/);
});

test('answers in one piece, through every door', async () => {
  const whole = async (path, body, headers = german) => (await (await askd.post(path, body, { headers })).json());
  const ask = question('Show the frobnications');
  const plain = await whole('/internal/graphs/orchestrator/invoke', ask, {}), de = await whole('/internal/graphs/orchestrator/invoke', ask);
  assert.match(plain.final_answer, /^I can't answer that: /);
  assert.match(de.final_answer, /^Das kann ich nicht beantworten: 'frobnications' ist kein Wort dieser Datenbank/);
  const messages = [{ role: 'user', content: 'Show the frobnications' }];
  const completion = await whole('/v1/chat/completions', { model: 'orchestrator', messages });
  assert.match(completion.choices[0].message.content, /^Das kann ich nicht beantworten/);
  assert.match(completion.x_event.abstained, /ist kein Wort dieser Datenbank/);
  const response = await whole('/v1/responses', { model: 'orchestrator', input: 'Show the frobnications' }, spanish);
  assert.match(response.output[0].content[0].text, /^No puedo responder a eso/);
  const thread = await whole('/runs/wait', { assistant_id: 'orchestrator', input: { messages } });
  assert.match(thread.messages.at(-1).content, /^Das kann ich nicht beantworten/);
  const mock = await startMock([{ status: 500, ...general[0] }]);
  const failing = await startAskd({ mock, env: { ASKD_LLM_ATTEMPTS: '1', OPENAI_MODEL: 'mock-500' } });
  const failed = await (await failing.post('/internal/graphs/general_agent/invoke', question('Hello'), { headers: german })).json();
  assert.match(failed.error, /^das Modell ist nicht erreichbar/, JSON.stringify(failed));
  await failing.stop();
  await mock.stop();
});

test('a setting chooses for who names none; a model’s words are its own', async () => {
  const mock = await startMock([line('classify', 'GENERAL'), line('general', "I can't help there."), ...general]);
  const own = await startAskd({ mock, env: { ASKD_LANGUAGE: 'de' } });
  const gone = async headers => (await (await own.fetch('/internal/runs/run_0/stream', { headers })).json()).detail;
  assert.equal(await gone({}), 'diesen Lauf gibt es nicht');
  assert.equal(await gone({ 'accept-language': 'en' }), 'there is no such run');
  assert.equal((await own.ask('Hello there, you')).text, "I can't help there.");
  await mock.stop();
  const failed = await own.ask('And again?');
  assert.equal(failed.last.code, 'model_unavailable');
  assert.equal(failed.last.message, 'das Modell ist nicht erreichbar');
});
