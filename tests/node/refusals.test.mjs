// SPDX-License-Identifier: MIT
// tests/node/refusals.test.mjs - models that cannot answer, in the languages of those who ask: by the form of a reply, by
// its marker, or in prose alone, which is asked about once and then is the refusal; never an answer of rows.
import assert from 'node:assert/strict';
import { test } from 'node:test';
import { newConversation, startAskd, startMock } from './lib/harness.mjs';
import { line } from './lib/scripts.mjs';

const COUNT = 'SELECT COUNT(*) AS n FROM accounts';
// name: question, what is said, its last words
const said = {
  de: ['Wie wird das Wetter am Montag?', 'Diese Frage kann ich mit den Tabellen nicht beantworten, weil sie kein Wetter enthalten.'],
  es: ['¿Qué tiempo hará mañana?', 'Lo siento, con estas tablas no es posible responder: no hay datos sobre el clima.'],
  fr: ['Quel temps fera-t-il demain ?', 'Avec ces tables, je ne peux pas répondre : elles ne contiennent rien sur la météo.'],
  zh: ['明天天气怎么样?', '抱歉,这些表中没有天气数据。'],
};
// graph: task, how it is asked again, calls of a refusal in prose and of one that is marked
const graphs = {
  sql_agent: ['generate', 'correct', 2, 1],
  text_to_sql: ['translate', 'translate', 2, 1],
  banking: ['bankingSql', 'bankingSql', 3, 2],
};
const words = [line('answer', 'Here.'), line('respond', 'Here.'), line('intent', 'Look it up.'), line('tables', '["accounts"]'),
  line('insight', 'SUMMARY: Here.\nCHART: table')];
const start = async script => startAskd({ mock: await startMock([...script, ...words]), env: { SQL_SAMPLE_ROWS: '0' } });

// What the run ends with: its refusal, or the error of banking, whose answer has five keys.
const ask = async (askd, graph, question) => {
  const transcript = await askd.ask(question, { conversation: newConversation(), options: { graph, detail: 'nodes' } });
  const complete = transcript.of('complete')[0], error = transcript.of('error')[0];
  const retries = transcript.of('retry').map(event => event.reason);
  return { why: complete?.abstained ?? error?.message, data: complete?.data, stats: (complete ?? error).stats, text: transcript.text, retries };
};

for (const [graph, [task, again, inProse, marked]] of Object.entries(graphs)) {
  test(`${graph}: a refusal in prose is asked about once, and then is one`, async () => {
    const askd = await start(Object.values(said).map(([user, prose]) => [line(task, prose, { user }), line(again, prose, { user })]).flat());
    for (const [question, prose] of Object.values(said)) {
      const { why, data, stats, text } = await ask(askd, graph, question);
      assert.equal(why, prose);
      assert.deepEqual([data, stats.sql_attempts, stats.llm_calls], [undefined, 0, inProse], question);
      if (graph !== 'banking')
        assert.equal(text, prose, 'in its own words, which are a sentence');
    }
  });

  test(`${graph}: the marker is a refusal at once, wherever it stands; so is an object without a statement`, async () => {
    const forms = [prose => `CANNOT: ${prose}`, prose => `**CANNOT:** ${prose}`, prose => `Hm.\n\nCANNOT：${prose}`,
      prose => JSON.stringify({ sql: null, cannot: prose })];
    for (const form of forms) {
      const askd = await start(Object.values(said).map(([user, prose]) => line(task, form(prose), { user })));
      for (const [question, prose] of Object.values(said)) {
        const { why, data, stats } = await ask(askd, graph, question);
        assert.deepEqual([why, data, stats.llm_calls], [prose, undefined, marked], form(prose));
      }
    }
  });

  test(`${graph}: told of the marker, a model may find a statement after all; in an object, in backticks, behind prose`, async () => {
    for (const reply of [JSON.stringify({ sql: COUNT, cannot: null }), `Así: \`${COUNT}\``, `Voici :\n${COUNT}\n\nElle compte.`]) {
      const askd = await start([line(task, said.de[1], { times: 1 }), line(again, reply)]);
      const { data, retries } = await ask(askd, graph, 'Wie viele Konten gibt es?');
      assert.equal(data.row_count, 1);
      assert.equal(retries.length, 1);
      assert.match(retries[0], /no statement in this.*CANNOT:/);
    }
  });
}

test('orchestrator: an object that says why there is none, and prose in the place of the statement', async () => {
  for (const [question, prose] of Object.values(said)) {
    const cannot = await start([line('classify', JSON.stringify({ route: 'SQL', sql: null, cannot: prose, search: null }))]);
    const refused = await ask(cannot, undefined, question);
    assert.deepEqual([refused.why, refused.data, refused.stats.llm_calls], [prose, undefined, 1]);
    const talks = await start([line('classify', JSON.stringify({ route: 'SQL', sql: prose, cannot: null, search: null })), line('correct', prose)]);
    const talked = await ask(talks, undefined, question);
    assert.deepEqual([talked.why, talked.data, talked.stats.llm_calls], [prose, undefined, 2]);
  }
});

test('a model that stands by a doubtful statement in prose is believed, with a warning', async () => {
  const askd = await start([line('generate', '```sql\nSELECT SUM(amount) AS s FROM transactions\n```'),
    line('correct', 'Die Anweisung ist richtig, so wie sie ist.')]);
  const transcript = await askd.ask('Total amount of credit transactions', { conversation: newConversation(), options: { graph: 'sql_agent' } });
  const { data, warnings, stats } = transcript.complete();
  assert.equal(data.row_count, 1);
  assert.equal(stats.llm_calls, 3);
  assert.match(warnings.join(), /condition on type of transactions/);
});
