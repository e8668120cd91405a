// SPDX-License-Identifier: MIT
// dialogs.js - the three dialogs: who asks, a passage of a document, and a question before something is lost.
import { byId, el, icon, ICONS } from './dom.js';
import { caller, saveCaller } from './api.js';
import { chooseLanguage, language, LANGUAGES, t } from './words.js';

const closeButton = dialog => el('button', { type: 'button', class: 'icon', 'aria-label': t('Close'), onclick: () => dialog.close() }, icon(...ICONS.close));

const head = (dialog, id, title) => el('div', { class: 'dialog-head' }, el('h2', { id, tabindex: '-1' }, title), closeButton(dialog));

const closeOnBackdrop = dialog => {
  dialog.onclick = event => {
    if (event.target === dialog)
      dialog.close();
  };
};

const field = (label, hint, props) => {
  const input = el('input', { autocomplete: 'off', spellcheck: 'false', maxlength: '128', ...props });
  return { input, row: el('label', { class: 'field' }, el('span', {}, label), input, hint ? el('small', {}, hint) : null) };
};

// Ask who asks; onSaved when it is somebody. why: what for, when something is missing, which is a key unless whose is wanted.
export const openSettings = (onSaved, why, wantsWhose = false) => {
  const dialog = byId('settings');
  const company = field(t('Company'), t('Whose rows are shown, where tables belong to companies.'), { value: caller.company_id });
  const user = field(t('User'), null, { value: caller.user_id });
  const key = field(t('Key'), t('Only where the server asks for one. It is forgotten with this tab.'), { type: 'password', value: caller.key, maxlength: '512' });
  const tongue = el('select', { 'aria-label': t('Language') }, Object.entries(LANGUAGES).map(([name, label]) => el('option', { value: name, selected: name === language, lang: name }, label)));
  const save = event => {
    event.preventDefault();
    saveCaller({ company_id: company.input.value.trim(), user_id: user.input.value.trim(), key: key.input.value.trim() });
    dialog.close();
    if (tongue.value !== language)
      chooseLanguage(tongue.value);
    onSaved();
  };
  dialog.replaceChildren(head(dialog, 'settings-title', t('Who asks')), why ? el('p', { class: 'why' }, why) : '',
    el('form', { onsubmit: save }, company.row, user.row, key.row, el('label', { class: 'field' }, el('span', {}, t('Language')), tongue),
      el('div', { class: 'dialog-foot' }, el('button', { type: 'submit', class: 'filled-button' }, t('Save')))));
  closeOnBackdrop(dialog);
  dialog.showModal();
  (why && !wantsWhose ? key : company).input.focus();
};

// Rows belong to companies, and nothing says whose are meant.
export const askWhose = onSaved => openSettings(onSaved, t('Rows belong to companies here: say whose you ask about.'), true);

// A citation's passage: { number, document, title, heading, text }.
export const openPassage = ({ number, document: file, title, heading, text }) => {
  const dialog = byId('passage');
  dialog.replaceChildren(head(dialog, 'passage-title', `[${number}] ${title || file}`),
    el('p', { class: 'passage-from' }, [file, heading && heading !== title ? heading : null].filter(Boolean).join(' · ')),
    el('blockquote', { class: 'passage-text', tabindex: '0' }, text ?? ''));
  closeOnBackdrop(dialog);
  dialog.showModal();
};

// Resolves to whether the answer is yes.
export const confirmLoss = (title, text, yes) => new Promise(resolve => {
  const dialog = byId('confirm');
  let agreed = false;
  const agree = el('button', { type: 'button', class: 'filled-button danger', onclick: () => {
    agreed = true;
    dialog.close();
  } }, yes);
  dialog.replaceChildren(head(dialog, 'confirm-title', title), el('p', {}, text),
    el('div', { class: 'dialog-foot' }, el('button', { type: 'button', class: 'plain-button', onclick: () => dialog.close() }, t('Keep')), agree));
  dialog.onclose = () => resolve(agreed);
  closeOnBackdrop(dialog);
  dialog.showModal();
  dialog.querySelector('.plain-button').focus(); // Enter loses nothing
});

// Something to be looked at alone.
export const openLarge = (title, element) => {
  const dialog = byId('passage');
  dialog.classList.add('large');
  dialog.replaceChildren(head(dialog, 'passage-title', title), element);
  dialog.onclose = () => dialog.classList.remove('large');
  closeOnBackdrop(dialog);
  dialog.showModal();
};

// A dialog of children; its id is one of the page's.
export const openDialog = (id, title, ...children) => {
  const dialog = byId(id);
  dialog.onclose = null;
  dialog.replaceChildren(head(dialog, `${id}-title`, title), ...children);
  closeOnBackdrop(dialog);
  dialog.showModal();
  return dialog;
};

// Ask for a line of text; null: nothing was said.
export const askText = (title, value, yes) => new Promise(resolve => {
  const input = el('input', { value, maxlength: '200', 'aria-label': title, autocomplete: 'off' });
  let said = null;
  const dialog = openDialog('confirm', title, el('form', { onsubmit: event => {
    event.preventDefault();
    said = input.value.trim();
    dialog.close();
  } }, el('label', { class: 'field' }, input), el('div', { class: 'dialog-foot' }, el('button', { type: 'submit', class: 'filled-button' }, yes))));
  dialog.onclose = () => resolve(said);
  input.select();
});
