// SPDX-License-Identifier: MIT
// composer.js - where a question is written and sent, and where an answer is stopped.
import { announce, byId, el } from './dom.js';
import { nodeTitle } from './format.js';
import { t } from './words.js';

const MOST_HEIGHT = 200;

export class Composer {
  // on: { ask(question, graph), stop(), choose(), last(): the question before }
  constructor(on) {
    Object.assign(this, { on, busy: false, input: byId('question'), graph: byId('graph'), send: byId('send'), stop: byId('stop') });
    byId('composer').addEventListener('submit', event => {
      event.preventDefault();
      this.submit();
    });
    this.stop.addEventListener('click', () => on.stop());
    this.graph.addEventListener('change', () => {
      this.showPurpose();
      on.choose();
    });
    this.input.addEventListener('input', () => this.fit());
    this.input.addEventListener('keydown', event => {
      if (event.key === 'Enter' && !event.shiftKey && !event.isComposing) {
        event.preventDefault();
        this.submit();
      } else if (event.key === 'ArrowUp' && this.input.value === '') {
        this.input.value = on.last() ?? '';
        this.fit();
      }
    });
    addEventListener('keydown', event => {
      if (event.key === 'Escape' && this.busy && !document.querySelector('dialog[open]'))
        on.stop();
    });
    this.fit();
  }

  submit() {
    const question = this.input.value.trim();
    if (question && this.busy)
      this.say(t('An answer still comes; Escape stops it'));
    if (!question || this.busy)
      return;
    this.input.value = '';
    this.fit();
    this.on.ask(question, this.graph.value);
  }

  // Below the field, and aloud.
  say(text) {
    byId('hint').textContent = text;
    announce(text);
  }

  // What the chosen graph is for.
  showPurpose() {
    byId('hint').textContent = this.graph.selectedOptions[0]?.value ? this.graph.selectedOptions[0].title : t('Enter asks, Shift+Enter breaks the line');
  }

  fit() {
    this.input.style.height = 'auto';
    this.input.style.height = `${Math.min(this.input.scrollHeight, MOST_HEIGHT)}px`;
    this.send.disabled = this.input.value.trim() === '';
  }

  // While an answer comes, the one button stops it.
  setBusy(busy) {
    const hadFocus = document.activeElement === this.stop || document.activeElement === this.send;
    this.busy = busy;
    this.send.hidden = busy;
    this.stop.hidden = !busy;
    if (!busy)
      this.showPurpose();
    if (hadFocus)
      this.input.focus();
  }

  setGraphs(graphs) {
    const [first, ...others] = graphs;
    this.graph.replaceChildren(el('option', { value: '', title: first && t(first.purpose) }, t('Choose for me')),
      ...others.map(({ name, purpose }) => el('option', { value: name, title: t(purpose) }, nodeTitle(name))));
  }
}
