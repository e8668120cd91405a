// SPDX-License-Identifier: MIT
// tabs.js - panels of which one is shown; arrow keys, Home and End move between them.
import { el } from './dom.js';

let made = 0;

// panels: [{ label, content }], at least one.
export const tabs = (panels, about) => {
  const id = `tabs-${++made}`;
  const buttons = panels.map(({ label }, i) => el('button', { type: 'button', role: 'tab', id: `${id}-tab-${i}`, 'aria-controls': `${id}-panel-${i}` }, label));
  const bodies = panels.map(({ content }, i) => el('div', { role: 'tabpanel', id: `${id}-panel-${i}`, 'aria-labelledby': `${id}-tab-${i}` }, content));
  const choose = chosen => buttons.forEach((button, i) => {
    button.setAttribute('aria-selected', String(i === chosen));
    button.tabIndex = i === chosen ? 0 : -1;
    bodies[i].hidden = i !== chosen;
  });
  const list = el('div', { role: 'tablist', 'aria-label': about }, buttons);
  buttons.forEach((button, i) => button.addEventListener('click', () => choose(i)));
  list.addEventListener('keydown', event => {
    const at = buttons.indexOf(event.target), count = buttons.length;
    const next = { ArrowRight: (at + 1) % count, ArrowLeft: (at + count - 1) % count, Home: 0, End: count - 1 }[event.key];
    if (next === undefined || at < 0)
      return;
    event.preventDefault();
    choose(next);
    buttons[next].focus();
  });
  choose(0);
  return el('div', { class: 'tabs' }, list, bodies);
};
