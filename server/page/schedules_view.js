// SPDX-License-Identifier: MIT
// schedules_view.js - questions that are asked by a clock: one's own, each with its next time and its last answer, run at
// once, paused, removed; and a new one.
//
// A dialog that asks the server anew after each change; what runs is looked at again until it has ended. Failure: said
// where it happened.
import { caller, getJson, Problem, request, whose } from './api.js';
import { openDialog } from './dialogs.js';
import { announce, el, icon, ICONS } from './dom.js';
import { weekday, whenText } from './cron_text.js';
import { loadKept } from './history.js';
import { locale, t } from './words.js';

const LOOK_AGAIN_MS = 1000, LOOKS = 60;
const ZONE = Intl.DateTimeFormat().resolvedOptions().timeZone;

const reason = error => error instanceof Problem ? error.message : t('The server cannot be reached.');
const path = (id = '', rest = '') => `/internal/schedules${id && `/${encodeURIComponent(id)}`}${rest}?${whose()}`;
const send = (method, address, body) => request(address, { method, ...body && { headers: { 'content-type': 'application/json' }, body: JSON.stringify(body) } });
const timeOf = ms => new Date(ms).toLocaleString(locale, { dateStyle: 'medium', timeStyle: 'short' });

// The turn of a schedule's run; null: it goes on, or its answer is kept nowhere.
const findTurn = async ({ conversation_id: id, run_id: run }) => {
  if (!id)
    return null;
  try {
    return (await loadKept(caller, id)).turns.find(one => one.runId === run) ?? null;
  } catch (error) {
    if (error instanceof Problem && error.status === 404)
      return null;
    throw error;
  }
};

const missed = ({ what, text }) => what === 'missed' ? t('It could not run: {why}', { why: text || t('no server was there') }) : t('It could not run: {why}', { why: text });

const nextText = ({ paused, due_ms: due, after }) => paused ? t('Paused') : due ? t('Next: {time}', { time: timeOf(due) }) : after ? t('Waits for such a run') : t('Not again');

// What became of its last time, in place.
const showLast = async (place, last, onOpen) => {
  if (!last)
    return true;
  const time = el('small', {}, timeOf(last.at_ms));
  if (last.what !== 'begun') {
    place.replaceChildren(el('p', { class: 'note' }, time, ' ', missed(last)));
    return true;
  }
  try {
    const turn = await findTurn(last);
    place.replaceChildren(turn ? el('button', { type: 'button', class: 'last-answer', onclick: () => onOpen(last.conversation_id) }, time, el('span', {}, turn.error ? t('Not answered: {why}', { why: turn.error.message }) : turn.text))
      : el('p', { class: 'note' }, time, ' ', last.conversation_id ? t('It is being answered, or its answer is not kept any more.') : t('It ran; its answer was sent, and is not kept here.')));
    return turn !== null || !last.conversation_id;
  } catch (error) {
    place.replaceChildren(el('p', { class: 'error' }, reason(error)));
    return true;
  }
};

const KINDS = () => ({ hour: t('every hour'), day: t('every day'), work: t('on weekdays'), week: t('every week'), month: t('every month'), cron: t('by an expression') });

// The fields that say when; read() gives the expression.
const whenFields = () => {
  const kind = el('select', { 'aria-label': t('How often') }, Object.entries(KINDS()).map(([value, label]) => el('option', { value, selected: value === 'work' }, label)));
  const time = el('input', { type: 'time', value: '07:00', required: true, 'aria-label': t('At what time') });
  const day = el('select', { 'aria-label': t('On which day') }, [1, 2, 3, 4, 5, 6, 0].map(n => el('option', { value: n }, weekday(n))));
  const date = el('input', { type: 'number', min: '1', max: '31', value: '1', required: true, 'aria-label': t('On which day of the month') });
  const cron = el('input', { value: '0 7 * * mon-fri', required: true, maxlength: '256', spellcheck: 'false', 'aria-label': t('Expression: minute, hour, day, month, weekday') });
  const show = () => {
    time.hidden = kind.value === 'hour' || kind.value === 'cron';
    day.hidden = kind.value !== 'week';
    date.hidden = kind.value !== 'month';
    cron.hidden = kind.value !== 'cron';
    for (const input of [time, date, cron])
      input.disabled = input.hidden;
  };
  kind.addEventListener('change', show);
  show();
  const read = () => {
    const [h, m] = time.value.split(':').map(Number), at = `${m} ${h}`;
    return { hour: '@hourly', day: `${at} * * *`, work: `${at} * * mon-fri`, week: `${at} * * ${day.value}`, month: `${at} ${date.value} * *`, cron: cron.value.trim() }[kind.value];
  };
  return { element: el('div', { class: 'when' }, kind, day, date, time, cron), read };
};

const makeForm = (question, onMade) => {
  const text = el('textarea', { class: 'form-text', rows: '2', maxlength: '4000', required: true, 'aria-label': t('The question'), placeholder: t('The question') });
  const when = whenFields(), said = el('p', { class: 'error', role: 'alert', hidden: true });
  text.value = question ?? '';
  return el('form', { class: 'schedule-form', onsubmit: async event => {
    event.preventDefault();
    said.hidden = true;
    try {
      await send('POST', path(), { cron: when.read(), timezone: ZONE, input: { message: text.value.trim() }, conversation: { company_id: caller.company_id, user_id: caller.user_id } });
      text.value = '';
      announce(t('It is scheduled'));
      onMade();
    } catch (error) {
      said.hidden = false;
      said.textContent = reason(error);
    }
  } }, text, el('div', { class: 'schedule-row' }, when.element, el('button', { type: 'submit', class: 'filled-button' }, t('Schedule'))), said);
};

class Schedules {
  constructor(dialog, list, onOpen) {
    Object.assign(this, { dialog, list, onOpen });
  }

  async load() {
    try {
      const { schedules } = await getJson(path());
      this.list.replaceChildren(...schedules.map(one => this.item(one)));
      if (schedules.length === 0)
        this.list.replaceChildren(el('li', { class: 'nothing' }, t('Nothing is scheduled yet.')));
    } catch (error) {
      this.list.replaceChildren(el('li', { class: 'why' }, reason(error)));
    }
  }

  async change(said, what) {
    try {
      await what();
      await this.load();
    } catch (error) {
      said.replaceChildren(el('p', { class: 'error', role: 'alert' }, reason(error)));
    }
  }

  // Until its next run has an end to be shown.
  async follow(id, before, place) {
    for (let looks = 0; looks < LOOKS && this.dialog.open && place.isConnected; looks++) {
      await new Promise(resolve => setTimeout(resolve, LOOK_AGAIN_MS));
      const { runs } = await getJson(path(id));
      if (runs[0]?.run_id !== before && await showLast(place, runs[0], this.onOpen))
        return;
    }
  }

  item(schedule) {
    const { schedule_id: id, name, message, paused, runs: [last] } = schedule;
    const place = el('div', { class: 'last' }), button = (label, onclick, look = 'small') => el('button', { type: 'button', class: look, onclick }, label);
    showLast(place, last, this.onOpen);
    const run = async event => {
      event.currentTarget.disabled = true;
      try {
        await send('POST', path(id, '/run'));
        place.replaceChildren(el('p', { class: 'progress' }, el('span', { class: 'spinner', 'aria-hidden': 'true' }), t('It is asked now')));
        announce(t('It is asked now'));
        await this.follow(id, last?.run_id, place);
        await this.load();
      } catch (error) {
        place.replaceChildren(el('p', { class: 'error', role: 'alert' }, reason(error)));
      }
    };
    return el('li', { class: paused ? 'schedule is-paused' : 'schedule' },
      el('strong', {}, name || message), name && el('p', {}, message),
      el('p', { class: 'schedule-when' }, [whenText(schedule), nextText(schedule)].join(' · ')), place,
      el('div', { class: 'schedule-foot', role: 'group', 'aria-label': name || message }, button(t('Run now'), run),
        button(paused ? t('Go on') : t('Pause'), () => this.change(place, () => send('PATCH', path(id), { paused: !paused }))),
        button(t('Remove'), () => this.change(place, () => send('DELETE', path(id))), 'small danger-item')));
  }
}

// question: to begin with in the form. onOpen(id): the conversation with an answer is looked at.
export const openSchedules = (question, onOpen) => {
  const list = el('ul', { class: 'schedules', 'aria-label': t('Schedules') }, el('li', { class: 'progress' }, el('span', { class: 'spinner', 'aria-hidden': 'true' })));
  const form = el('div'), dialog = openDialog('passage', t('Schedules'), el('p', {}, t('Questions that are asked by themselves; each answer is a conversation in the list.')), form, list);
  const schedules = new Schedules(dialog, list, id => {
    dialog.close();
    onOpen(id);
  });
  form.append(makeForm(question, () => schedules.load()));
  form.querySelector('textarea').focus();
  schedules.load();
};
