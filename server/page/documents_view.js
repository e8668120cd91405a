// SPDX-License-Identifier: MIT
// documents_view.js - the documents that answers are read from: those there are, adding some by a button or by
// dropping them, how far each is, what was not taken and why, removing.
//
// Files are sent one after another: the server adds a company's one by one. Closing the dialog stops no file that
// was sent.
import { announce, el, icon, ICONS } from './dom.js';
import { getJson, Problem, request, whose } from './api.js';
import { openDialog } from './dialogs.js';
import { plural } from './format.js';
import { readFrames } from './sse.js';
import { t } from './words.js';

const TYPES = '.md,.markdown,.html,.htm,.txt,.pdf,.docx,.xlsx,.csv,.json,.jsonl';
const reason = error => error instanceof Problem ? error.message : t('The server cannot be reached.');
const pathOf = (name, more) => `/internal/documents/${encodeURIComponent(name)}?${whose()}&${new URLSearchParams(more)}`;

const note = ({ state, written, passages, for: whom }) => state === 'incomplete' ? t('Incomplete: add it again') : state !== 'ready'
  ? passages ? t('{written} of {passages} passages', { written, passages }) : t('Being read')
  : [plural(passages, '{n} passage', '{n} passages'), whom === 'everybody' ? t('everybody’s') : whom === 'user' ? t('only yours') : null].filter(Boolean).join(' · ');

const item = (name, text, ...more) => {
  const said = el('small', {}, text);
  return { said, row: el('li', { class: 'document' }, icon(...ICONS.document), el('span', { class: 'document-name' }, name, said), ...more) };
};

// Send one file, for oneself or for the company (whom); show how far it is in said. Resolves to whether it was taken.
const sendFile = async (file, whom, said) => {
  const response = await request(pathOf(file.name, { for: whom }), { method: 'PUT', body: file, headers: { accept: 'text/event-stream', 'content-type': file.type || 'application/octet-stream' } });
  let last = null;
  for await (const { data } of readFrames(response.body, () => {})) {
    last = data;
    if (data.event === 'progress')
      said.textContent = note(data.document);
  }
  if (last?.event !== 'complete')
    throw new Problem(422, { detail: last?.message ?? t('The server cannot be reached.') });
};

export const openDocuments = () => {
  const list = el('ul', { class: 'documents', 'aria-label': t('Documents') });
  const input = el('input', { type: 'file', multiple: true, accept: TYPES, class: 'file-input', 'aria-label': t('Files to add') });
  let addsFor = null; // 'company', 'user'; null: this caller adds none
  const kinds = el('small');
  const drop = el('label', { class: 'drop' }, icon(...ICONS.share), el('span', {}, t('Choose files, or drop them here')), kinds, input);
  const tellWhom = () => {
    drop.hidden = addsFor === null;
    kinds.textContent = addsFor === 'company' ? t('PDF, Word, Excel, CSV, JSON, Markdown, HTML or text; all of your company may ask about them.')
      : t('PDF, Word, Excel, CSV, JSON, Markdown, HTML or text; you alone may ask about them.');
  };

  const remove = (document, row) => el('button', { type: 'button', class: 'icon', 'aria-label': t('Remove {name}', { name: document.id }), onclick: async () => {
    try {
      await request(pathOf(document.id, { for: document.for, kind: document.kind }), { method: 'DELETE' });
      row().remove();
      announce(t('{name} is removed', { name: document.id }));
    } catch (error) {
      row().querySelector('small').textContent = reason(error);
    }
  } }, icon(...ICONS.remove));

  const show = documents => list.replaceChildren(...documents.map(document => {
    let made = null;
    made = item(document.title || document.id, note(document), document.may_change ? remove(document, () => made.row) : null);
    return made.row;
  }));

  const load = async () => {
    try {
      const { documents, adds_for: whom } = await getJson(`/internal/documents?${whose()}`);
      addsFor = whom;
      tellWhom();
      show(documents);
      if (documents.length === 0)
        list.replaceChildren(el('li', { class: 'progress' }, t('There are none yet.')));
    } catch (error) {
      list.replaceChildren(el('li', { class: 'why' }, reason(error)));
    }
  };

  const add = async files => {
    const failed = [];
    for (const file of files) {
      const { row, said } = item(file.name, t('Being sent'));
      list.prepend(row);
      try {
        await sendFile(file, addsFor, said);
      } catch (error) {
        failed.push(item(file.name, t('Not taken: {why}', { why: reason(error) })).row);
      }
    }
    await load();
    list.prepend(...failed);
    failed.forEach(row => row.classList.add('is-failed'));
    announce(failed.length > 0 ? plural(failed.length, '{n} file was not taken', '{n} files were not taken') : t('All is added'));
  };

  input.addEventListener('change', () => {
    add([...input.files]);
    input.value = '';
  });
  for (const type of ['dragenter', 'dragover', 'dragleave', 'drop'])
    drop.addEventListener(type, event => {
      event.preventDefault();
      drop.classList.toggle('is-over', type === 'dragenter' || type === 'dragover');
      if (type === 'drop')
        add([...event.dataTransfer.files]);
    });
  tellWhom();
  openDialog('passage', t('Documents'), drop, list);
  load();
};
