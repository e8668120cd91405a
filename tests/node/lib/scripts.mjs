// SPDX-License-Identifier: MIT
// tests/node/lib/scripts.mjs - what the mock answers, by the task its prompt betrays.
//
// A line fits by words of the system text (the task) and of the question (the scenario); the first
// line that fits wins, so scenarios come before defaults.
const SYSTEM = {
  classify: 'You route questions',
  general: 'You answer general questions',
  tables: 'Choose the tables',
  generate: 'SELECT statement that answers a question',
  correct: 'You repair one',
  decide: 'You decide which of them',
  answer: 'put the result of a database query',
  intent: 'turn a question about a bank',
  bankingSql: 'SELECT statement for an intent',
  insight: 'summarise a query',
  translate: 'You translate a question into one',
  respond: 'You tell the person who asked',
  rag: 'You answer questions from the documents',
  prepare: 'You prepare a financial question',
  judge: 'You judge whether passages',
  analyse: 'You read figures out of financial reports',
  synthesise: 'You write the final answer to a financial question',
  sumUp: 'You sum up a conversation about financial reports',
};

// One line for a task; user: words of the question.
export const line = (task, reply, { user, fault, times } = {}) =>
  ({ task, system: SYSTEM[task], reply, ...(user && { user }), ...(fault && { fault }), ...(times && { times }) });

export const words = count => Array.from({ length: count }, (_, i) => `word${i}`).join(' ');

// A general answer with a fault on the way, for questions that contain the name.
export const faulty = (name, fault, reply = words(20), more = {}) =>
  line('general', reply, { user: name, fault, ...more });

// Words come one by one, for about a second; it may be over before anything else is done.
export const SLOW_TEXT = words(80);
export const slow = (name = 'slow') => faulty(name, 'rate-140', SLOW_TEXT);

// As long as the test wants: words come up to the sixth, the others when the mock is told to release.
export const held = (name = 'held', reply = SLOW_TEXT) => faulty(name, 'hold-10', reply);

// Words that keep coming for minutes, until somebody ends the run.
export const endless = (name = 'endless') => faulty(name, 'rate-100', words(10000));

// What every script ends with: the question is general and so is the answer.
export const general = [line('classify', 'GENERAL'), line('general', 'The sky is blue because of scattering.')];
