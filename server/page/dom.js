// SPDX-License-Identifier: MIT
// dom.js - elements from plain values. Text only ever becomes text nodes: there is no way to markup here.
import { t } from './words.js';

const SVG = 'http://www.w3.org/2000/svg';

const fill = (element, props, children) => {
  for (const [name, value] of Object.entries(props ?? {})) {
    if (value === undefined || value === null || value === false)
      continue;
    if (name.startsWith('on'))
      element.addEventListener(name.slice(2), value);
    else
      element.setAttribute(name, value === true ? '' : String(value));
  }
  element.append(...children.flat(9).filter(child => child !== undefined && child !== null && child !== false));
  return element;
};

// el('button', { type: 'button', onclick }, 'Copy', child...)
export const el = (tag, props, ...children) => fill(document.createElement(tag), props, children);
export const svg = (tag, props, ...children) => fill(document.createElementNS(SVG, tag), props, children);

// Where elements are looked for: the page, or the shadow of a component.
let scope = document;
export const setScope = root => {
  scope = root;
};
export const byId = id => scope.getElementById(id);

// A line drawing on a grid of 24, for buttons that also say what they do.
export const icon = (...paths) =>
  svg('svg', { viewBox: '0 0 24 24', 'aria-hidden': 'true' }, ...paths.map(d => svg('path', { d })));

export const ICONS = {
  copy: ['M9 9h11v11H9z', 'M5 15V4h11'],
  again: ['M20 11a8 8 0 1 0-2 6', 'M20 5v6h-6'],
  fork: ['M6 4v6c0 3 2 4 6 4h6M6 10v10M15 11l3 3l-3 3'],
  run: ['M8 5a2 2 0 1 1-4 0a2 2 0 1 1 4 0', 'M20 12a2 2 0 1 1-4 0a2 2 0 1 1 4 0', 'M8 19a2 2 0 1 1-4 0a2 2 0 1 1 4 0', 'M8 6l8.3 5M8 18l8.3-5'],
  remove: ['M5 7h14M10 7V4h4v3M7 7l1 13h8l1-13'],
  close: ['M6 6l12 12M18 6L6 18'],
  check: ['M5 13l4 4L19 7'],
  save: ['M12 4v11M7 11l5 5 5-5', 'M5 20h14'],
  large: ['M14 4h6v6M20 4l-7 7', 'M10 20H4v-6M4 20l7-7'],
  more: ['M6 12h.01M12 12h.01M18 12h.01'],
  edit: ['M4 20l1-4L16 5l3 3L8 19z', 'M14 7l3 3'],
  up: ['M7 11v9H4v-9z', 'M7 11l4-7c2 0 3 1 2.500 3L13 10h6l-1.500 8.500c-.3 1-1 1.500-2 1.500H7'],
  down: ['M7 13V4H4v9z', 'M7 13l4 7c2 0 3-1 2.500-3L13 14h6l-1.500-8.500c-.3-1-1-1.500-2-1.500H7'],
  why: ['M9 9a3 3 0 1 1 4 2.800c-.7.3-1 .8-1 1.700', 'M12 17h.01', 'M21 12a9 9 0 1 1-18 0a9 9 0 1 1 18 0'],
  earlier: ['M4 12a8 8 0 1 0 3-6.200', 'M4 4v4h4', 'M12 8v4l3 2'],
  pin: ['M9 4h6l-1 6 3 3H7l3-3z', 'M12 13v7'],
  table: ['M4 5h16v14H4zM4 10h16M10 10v9'],
  share: ['M12 15V4M8 8l4-4 4 4', 'M6 12v8h12v-8'],
  play: ['M8 5l11 7-11 7z'],
  document: ['M6 3h8l4 4v14H6z', 'M9 12h6M9 16h6'],
};

// Tell a screen reader, once, without moving the focus.
export const announce = text => {
  const status = byId('status');
  status.textContent = '';
  status.textContent = text;
};

// To the clipboard, also where the page is not served over HTTPS. Resolves to whether it worked.
export const copyText = async text => {
  try {
    await navigator.clipboard.writeText(text);
    return true;
  } catch { /* not allowed, or no such thing here */ }
  const area = el('textarea', { class: 'unseen', 'aria-hidden': 'true' });
  area.value = text;
  document.body.append(area);
  area.select();
  const worked = document.execCommand('copy');
  area.remove();
  return worked;
};

// A small button that copies what text() says, and says so.
export const copyButton = (label, text) => {
  const word = el('span', {}, label);
  const button = el('button', { type: 'button', class: 'small' }, icon(...ICONS.copy), word);
  button.addEventListener('click', async () => {
    const said = await copyText(text()) ? t('Copied') : t('Not copied: the browser does not allow it');
    word.textContent = said;
    announce(said);
    setTimeout(() => { word.textContent = label; }, 2000);
  });
  return button;
};
