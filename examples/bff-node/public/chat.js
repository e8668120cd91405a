// SPDX-License-Identifier: MIT
// chat.js - logging in and out; whoever is in has <askd-chat>, with the modules of the askd that answers.

const $ = id => document.getElementById(id);
const post = (path, body) => fetch(path, { method: 'POST', headers: { 'content-type': 'application/json' }, body: JSON.stringify(body ?? {}) });

const showChat = async ({ user, askd, usesTokens }) => {
  await import(`${askd}/embed.js`);
  const chat = document.createElement('askd-chat');
  chat.setAttribute('history', '');
  if (usesTokens)
    chat.setAttribute('token-url', '/api/token');
  else
    Object.entries({ 'company-id': user.company, 'user-id': user.id }).forEach(([name, value]) => chat.setAttribute(name, value));
  $('chat').replaceChildren(chat);
};

const show = async () => {
  const said = await (await fetch('/api/me')).json(), { user } = said;
  $('login').hidden = Boolean(user);
  $('logout').hidden = $('chat').hidden = !user;
  $('who').textContent = user ? `${user.id}, ${user.company}` : '';
  if (user)
    await showChat(said);
};

$('login').addEventListener('submit', async event => {
  event.preventDefault();
  const response = await post('/api/login', Object.fromEntries(new FormData(event.target)));
  $('refused').textContent = response.ok ? '' : (await response.json()).detail;
  if (response.ok)
    await show();
});
$('logout').addEventListener('click', async () => {
  await post('/api/logout');
  location.reload(); // nothing of the one who was here stays in the page
});
await show();
