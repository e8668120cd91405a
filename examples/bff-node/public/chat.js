// SPDX-License-Identifier: MIT
// chat.js - a chat over fetch, which POSTs and reads the stream; and over EventSource, which goes on
// with a run after the page was loaded again or the network was away.
import { readEvents } from './events.js';

const $ = id => document.getElementById(id);
const conversation = sessionStorage.conversation ??= crypto.randomUUID();
let running = null; // { run, after, answer, leave }

// ---- one answer on the page ----

const addMessage = (kind, text) => {
  const item = document.createElement('li');
  item.className = kind;
  const steps = Object.assign(document.createElement('p'), { className: 'steps' });
  const body = Object.assign(document.createElement('div'), { textContent: text });
  item.append(...(kind === 'answer' ? [steps, body] : [body]));
  $('messages').append(item);
  item.scrollIntoView({ block: 'end' });
  return { item, steps, body };
};

const show = (answer, event) => {
  if (event.event === 'tool_start')
    answer.steps.textContent = `${event.tool} …`;
  if (event.event === 'token' && event.channel === 'final')
    answer.body.textContent = (event.reset ? '' : answer.body.textContent) + event.content;
  if (event.event === 'complete') {
    answer.steps.textContent = `${event.route} · ${event.stats.duration_ms} ms`;
    if (event.sql)
      answer.item.append(Object.assign(document.createElement('pre'), { textContent: event.sql }));
  }
  if (event.event === 'error') {
    answer.item.classList.add('failed');
    answer.body.textContent += `${answer.body.textContent && '\n\n'}${event.message}`;
  }
};

// ---- a run, until its last word ----

// Where to go on is kept, so that a page that is loaded again finds its run.
const remember = id => {
  const [run] = id.split(':');
  Object.assign(running, { run, after: id });
  sessionStorage.pending = JSON.stringify({ run, after: id, text: running.answer.body.textContent });
};

const finish = () => {
  running = null;
  delete sessionStorage.pending;
  $('stop').hidden = true;
  $('send').disabled = false;
};

const begin = (answer, leave) => {
  running = { answer, leave };
  $('stop').hidden = false;
  $('send').disabled = true;
};

// True: it was the last one.
const take = (event, id) => {
  show(running.answer, event);
  if (id)
    remember(id);
  const isLast = event.event === 'complete' || event.event === 'error';
  if (isLast)
    finish();
  return isLast;
};

const goOn = (run, after, answer) => {
  const source = new EventSource(`/api/runs/${encodeURIComponent(run)}/stream?after=${encodeURIComponent(after)}`);
  begin(answer, () => source.close());
  running.run = run;
  source.onmessage = message => {
    if (take(JSON.parse(message.data), message.lastEventId))
      source.close();
  };
  source.onerror = () => { // it tries again by itself, unless there is nothing more to come
    if (source.readyState === EventSource.CLOSED && running)
      finish();
  };
};

const ask = async text => {
  const leaving = new AbortController();
  addMessage('question', text);
  const answer = addMessage('answer', '');
  begin(answer, () => leaving.abort());
  try {
    const response = await fetch(`/api/conversations/${conversation}/messages`, {
      method: 'POST',
      signal: leaving.signal,
      headers: { 'content-type': 'application/json', 'idempotency-key': crypto.randomUUID() },
      body: JSON.stringify({ message: text }),
    });
    if (!response.ok) {
      const problem = await response.json().catch(() => ({}));
      take({ event: 'error', message: problem.detail ?? problem.error ?? `refused (${response.status})` });
      return;
    }
    for await (const { id, data } of readEvents(response.body))
      if (take(JSON.parse(data), id))
        return;
  } catch {
    if (running?.run) // the network went away: go on after the last event that came
      goOn(running.run, running.after, answer);
    else if (running)
      take({ event: 'error', message: 'the connection was lost; ask again' });
  }
};

// ---- the page ----

$('ask').addEventListener('submit', event => {
  event.preventDefault();
  const text = $('message').value.trim();
  if (!text || running)
    return;
  $('message').value = '';
  ask(text);
});

$('stop').addEventListener('click', async () => {
  if (running?.run)
    await fetch(`/api/runs/${encodeURIComponent(running.run)}/cancel`, { method: 'POST' });
});

const enter = user => {
  $('login').hidden = !!user;
  $('chat').hidden = $('logout').hidden = !user;
  $('who').textContent = user ? `${user.id}, ${user.company}` : '';
  const pending = user && sessionStorage.pending && JSON.parse(sessionStorage.pending);
  if (pending)
    goOn(pending.run, pending.after, addMessage('answer', pending.text));
};

$('login').addEventListener('submit', async event => {
  event.preventDefault();
  const response = await fetch('/api/login', {
    method: 'POST',
    headers: { 'content-type': 'application/json' },
    body: JSON.stringify(Object.fromEntries(new FormData(event.target))),
  });
  const answer = await response.json();
  $('refused').textContent = response.ok ? '' : answer.error;
  if (response.ok)
    enter(answer);
});

$('logout').addEventListener('click', async () => {
  running?.leave();
  sessionStorage.clear();
  await fetch('/api/logout', { method: 'POST' });
  location.reload();
});

enter((await (await fetch('/api/me')).json()).user);
