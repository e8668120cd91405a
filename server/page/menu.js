// SPDX-License-Identifier: MIT
// menu.js - a button that opens a few choices below it: arrows move, Escape and a click elsewhere close it.
import { el, icon } from './dom.js';

let made = 0;

// choices: [{ label, hint, onchoose, isDanger }]. drawing: the button's icon; label: its word, unseen when isQuiet.
export const menuButton = (label, drawing, choices, { isQuiet = false, look = 'small' } = {}) => {
  const id = `menu-${++made}`;
  const button = el('button', { type: 'button', class: isQuiet ? 'icon' : look, 'aria-haspopup': 'menu', 'aria-expanded': 'false', 'aria-controls': id, ...(isQuiet && { 'aria-label': label }) },
    icon(...drawing), isQuiet ? null : el('span', {}, label));
  const list = el('div', { class: 'menu', id, role: 'menu', 'aria-label': label, hidden: true });
  const whole = el('div', { class: 'menu-place' }, button, list);
  const items = () => [...list.children];
  const close = focus => {
    list.hidden = true;
    button.setAttribute('aria-expanded', 'false');
    removeEventListener('pointerdown', outside, true);
    if (focus)
      button.focus();
  };
  const outside = event => event.composedPath().includes(whole) || close(false); // also in a shadow
  const open = () => {
    list.replaceChildren(...(typeof choices === 'function' ? choices() : choices).map(({ label: text, hint, onchoose, isDanger }) =>
      el('button', { type: 'button', role: 'menuitem', tabindex: '-1', class: isDanger ? 'danger-item' : undefined, onclick: () => {
        close(true);
        onchoose();
      } }, el('span', {}, text), hint ? el('small', {}, hint) : null)));
    list.hidden = false;
    const box = button.getBoundingClientRect();
    const bottom = whole.closest('.scroll, #conversations')?.getBoundingClientRect().bottom ?? innerHeight;
    whole.classList.toggle('upwards', box.bottom + list.offsetHeight + 8 > bottom && box.top > list.offsetHeight);
    button.setAttribute('aria-expanded', 'true');
    addEventListener('pointerdown', outside, true);
    items()[0]?.focus();
  };
  button.addEventListener('click', () => list.hidden ? open() : close(true));
  whole.addEventListener('keydown', event => {
    if (list.hidden)
      return;
    const all = items(), at = all.indexOf(event.target);
    const next = { ArrowDown: (at + 1) % all.length, ArrowUp: (at + all.length - 1) % all.length, Home: 0, End: all.length - 1 }[event.key];
    if (next !== undefined) {
      event.preventDefault();
      all[next].focus();
    } else if (event.key === 'Escape' || event.key === 'Tab') {
      event.stopPropagation();
      if (event.key === 'Escape')
        event.preventDefault();
      close(event.key === 'Escape');
    }
  });
  return whole;
};
