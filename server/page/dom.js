// SPDX-License-Identifier: MIT
// dom.js - elements from plain values. Text only ever becomes text nodes: there is no way to markup here.

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

export const byId = id => document.getElementById(id);

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
    const said = await copyText(text()) ? 'Copied' : 'Not copied: the browser does not allow it';
    word.textContent = said;
    announce(said);
    setTimeout(() => { word.textContent = label; }, 2000);
  });
  return button;
};
