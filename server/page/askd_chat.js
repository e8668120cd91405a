// SPDX-License-Identifier: MIT
// askd_chat.js - <askd-chat>, a conversation with askd in somebody else's page: one on a page, made of the page's own
// modules, in a shadow of its own.
//
// Attributes: token-url (a POST there gives {"token"}; asked again when a token is refused), company-id and user-id (where
// no token says who asks), graph, conversation-id, placeholder, heading, data-theme ("light", "dark"). Colours are CSS
// variables of the element (--accent, --ground, --ink, ...). Events: askd-event for each of a run's, detail is the event;
// askd-turn when one is over. Methods: ask(question), stop().
import { caller, getJson, Problem, setRenewal, whose } from './api.js';
import { el, icon, setScope } from './dom.js';
import { RunStream } from './stream.js';
import { createConversation } from './store.js';
import { applyEvent, createTurn, failTurn, isOver, resumeTurn } from './turn.js';
import { TurnView } from './turn_view.js';
import { showSuggestions } from './suggestions.js';
import { t } from './words.js';

const SILENCE_MS = 45000;

// The page's styles, for a shadow: what they say of the page is said of the element.
const sheet = async name => {
  const text = await (await fetch(new URL(name, import.meta.url))).text();
  const inside = text.replace(/:root((?:\[[^\]]*\]|:not\([^)]*\))+)/g, ':host($1)').replace(/:root/g, ':host').replace(/^html \{.*$/m, '');
  return new CSSStyleSheet().replace(inside);
};

const LOOK = new CSSStyleSheet();
LOOK.replaceSync(`:host { display: flex; flex-direction: column; min-height: 320px; height: 560px; overflow: hidden; border: 1px solid var(--line); border-radius: 16px;
  background: var(--ground); color: var(--ink); font: 15px/1.6 var(--sans); text-align: left; }
:host([hidden]) { display: none; }
h2.heading { padding: 12px 18px; border-bottom: 1px solid var(--line); font-size: 15px; font-weight: 600; }
.scroll { padding: 4px 16px 16px; }
.composer { display: flex; align-items: flex-end; width: auto; margin: 0 12px 12px; }
.composer textarea { flex: 1; }
.turns { max-width: none; }`);

class AskdChat extends HTMLElement {
  async connectedCallback() {
    if (this.shadowRoot)
      return;
    const root = this.attachShadow({ mode: 'open' });
    root.adoptedStyleSheets = [...await Promise.all(['page.css', 'answer.css'].map(sheet)), LOOK];
    setScope(root);
    this.conversation = { ...createConversation(caller), ...this.getAttribute('conversation-id') && { id: this.getAttribute('conversation-id') } };
    this.turns = el('div', { class: 'turns' });
    this.scroll = el('div', { class: 'scroll', tabindex: '0', role: 'region', 'aria-label': t('Conversation') }, this.turns);
    this.input = el('textarea', { rows: '1', placeholder: this.getAttribute('placeholder') ?? t('Ask a question'), 'aria-label': t('Your question') });
    this.send = el('button', { type: 'submit', class: 'primary', 'aria-label': t('Ask') }, icon('M12 19V5', 'M6 11l6-6 6 6'));
    this.halt = el('button', { type: 'button', class: 'primary stop', 'aria-label': t('Stop'), hidden: true, onclick: () => this.stop() }, icon('M7 7h10v10H7z'));
    const form = el('form', { class: 'composer', onsubmit: event => {
      event.preventDefault();
      this.ask(this.input.value);
    } }, this.input, this.send, this.halt);
    this.input.addEventListener('keydown', event => {
      if (event.key === 'Enter' && !event.shiftKey && !event.isComposing) {
        event.preventDefault();
        this.ask(this.input.value);
      }
    });
    root.append(...[this.getAttribute('heading') && el('h2', { class: 'heading' }, this.getAttribute('heading')), this.scroll, form,
      ...['passage', 'confirm'].map(id => el('dialog', { id, class: id === 'passage' ? 'dialog wide-dialog' : 'dialog', 'aria-labelledby': `${id}-title` })),
      el('p', { id: 'status', class: 'unseen', role: 'status' })].filter(Boolean));
    caller.company_id = this.getAttribute('company-id') ?? '';
    caller.user_id = this.getAttribute('user-id') ?? '';
    if (this.getAttribute('token-url')) {
      setRenewal(() => this.renew());
      await this.renew();
    }
    await this.greet();
  }

  // A token of whoever is logged in there, and whom it names.
  async renew() {
    try {
      const answer = await fetch(this.getAttribute('token-url'), { method: 'POST', credentials: 'include' });
      const { token } = await answer.json();
      if (!answer.ok || typeof token !== 'string')
        return false;
      caller.key = token;
      return true;
    } catch {
      return false;
    }
  }

  async greet() {
    try {
      const about = await getJson('/internal/about');
      if (!caller.company_id && !this.getAttribute('token-url'))
        Object.assign(caller, about.caller);
      this.turns.replaceChildren(el('ul', { class: 'suggestions', 'aria-label': t('Questions to begin with') }, about.examples.map(text =>
        el('li', {}, el('button', { type: 'button', class: 'suggestion', onclick: () => this.ask(text) }, text)))));
    } catch (error) {
      this.turns.replaceChildren(el('p', { class: 'why', role: 'alert' }, error instanceof Problem ? error.message : t('The server cannot be reached.')));
    }
  }

  ask(text) {
    const question = text.trim();
    if (!question || this.stream)
      return;
    if (this.conversation.turns.length === 0)
      this.turns.replaceChildren();
    const turn = createTurn({ question, graph: this.getAttribute('graph') ?? '' });
    this.input.value = '';
    this.conversation.turns.push(turn);
    this.view?.next.replaceChildren();
    this.view = new TurnView(turn, {
      again: one => this.ask(one.question), choose: option => this.ask(option),
      answer: (value, one) => {
        resumeTurn(one, value);
        this.follow(one);
      },
      next: (place, one) => showSuggestions(place, one, this.conversation.turns.map(other => other.question), next => this.ask(next)),
    });
    this.turns.append(this.view.element);
    this.follow(turn);
  }

  // Who asks: a token's names where there are some, else the element's.
  get names() {
    const { company_id, user_id } = caller;
    return { ...company_id && { company_id }, ...user_id && { user_id } };
  }

  async follow(turn) {
    const { answer } = turn, path = turn.graph ? `/internal/graphs/${encodeURIComponent(turn.graph)}/stream` : '/internal/chat/stream';
    const order = answer ? { caller, key: `${turn.id}-${answer.run}`, path: `/internal/runs/${encodeURIComponent(answer.run)}/resume?${whose()}`, body: { resume: answer.value } }
      : { caller, key: turn.id, path, body: { input: { message: turn.question }, conversation: { id: this.conversation.id, ...this.names }, options: { detail: 'nodes' } } };
    const view = this.view, draw = () => {
      view.update();
      this.scroll.scrollTop = this.scroll.scrollHeight;
    };
    this.busy(true);
    this.stream = new RunStream(order, {
      run: runId => { turn.runId = runId; },
      event: (event, seq) => {
        applyEvent(turn, event, seq);
        draw();
        this.dispatchEvent(new CustomEvent('askd-event', { detail: event, bubbles: true, composed: true }));
      },
      state: state => {
        turn.link = state;
        draw();
      },
      refused: problem => failTurn(turn, problem),
    }, SILENCE_MS);
    await this.stream.follow();
    this.stream = null;
    turn.link = 'closed';
    draw();
    this.busy(false);
    if (isOver(turn))
      this.dispatchEvent(new CustomEvent('askd-turn', { detail: { question: turn.question, state: turn.state, text: turn.text, sql: turn.sql }, bubbles: true, composed: true }));
  }

  busy(is) {
    this.send.hidden = is;
    this.halt.hidden = !is;
  }

  stop() {
    this.stream?.cancel();
  }

  disconnectedCallback() {
    this.stream?.close();
  }
}

customElements.get('askd-chat') ?? customElements.define('askd-chat', AskdChat);
