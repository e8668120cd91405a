// SPDX-License-Identifier: MIT
// askd_chat.js - <askd-chat>, a conversation with askd in somebody else's page: one on a page, made of the page's own
// modules, in a shadow of its own.
//
// Attributes: token-url (a POST there gives {"token"}; asked again when a token is refused), company-id and user-id (where
// no token says who asks), graph, conversation-id, history (earlier conversations are offered, and the last one is there
// again after a reload), placeholder, heading, data-theme ("light", "dark"). Colours are CSS variables of the element
// (--accent, --ground, --ink, ...). Events: askd-event for each of a run's, detail is the event; askd-turn when one is
// over. Methods: ask(question), stop(), open(id).
import { caller, getJson, Problem, setRenewal, whose } from './api.js';
import { el, icon, ICONS, setScope } from './dom.js';
import { followEnd } from './following.js';
import { listKept, loadKept } from './history.js';
import { menuButton } from './menu.js';
import { RunStream } from './stream.js';
import { createConversation } from './store.js';
import { applyEvent, createTurn, failTurn, isOver, restartTurn, resumeTurn } from './turn.js';
import { TurnView } from './turn_view.js';
import { showSuggestions } from './suggestions.js';
import { t } from './words.js';

const SILENCE_MS = 45000, AGAIN_MS = 3000;
const LAST = 'askd.chat'; // in this tab: { id, live: { question, graph, runId } }

const remember = value => {
  try {
    sessionStorage.setItem(LAST, JSON.stringify(value));
  } catch { /* a reload begins anew */ }
};
const recall = () => {
  try {
    return JSON.parse(sessionStorage.getItem(LAST)) ?? {};
  } catch {
    return {};
  }
};

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
.head { display: flex; align-items: center; gap: 4px; padding: 8px 10px 8px 18px; border-bottom: 1px solid var(--line); }
h2.heading { flex: 1; min-width: 0; overflow: hidden; padding: 4px 0; font-size: 15px; font-weight: 600; text-overflow: ellipsis; white-space: nowrap; }
.head .menu { max-height: 360px; overflow-y: auto; }
.head .menu button > span { overflow: hidden; text-overflow: ellipsis; white-space: nowrap; }
.scroll { padding: 4px 16px 16px; }
.composer { display: flex; align-items: flex-end; width: auto; max-width: none; margin: 0 12px 12px; }
.composer textarea { flex: 1; }
.turns { max-width: none; }`);

class AskdChat extends HTMLElement {
  async connectedCallback() {
    if (this.shadowRoot)
      return;
    const root = this.attachShadow({ mode: 'open' });
    root.adoptedStyleSheets = [...await Promise.all(['page.css', 'answer.css'].map(sheet)), LOOK];
    setScope(root);
    this.kept = [];
    this.turns = el('div', { class: 'turns' });
    this.scroll = el('div', { class: 'scroll', tabindex: '0', role: 'region', 'aria-label': t('Conversation') }, this.turns);
    ({ toEnd: this.toEnd } = followEnd(this.scroll, this.turns));
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
    root.append(...[this.makeHead(), this.scroll, form,
      ...['passage', 'confirm'].map(id => el('dialog', { id, class: id === 'passage' ? 'dialog wide-dialog' : 'dialog', 'aria-labelledby': `${id}-title` })),
      el('p', { id: 'status', class: 'unseen', role: 'status' })].filter(Boolean));
    caller.company_id = this.getAttribute('company-id') ?? '';
    caller.user_id = this.getAttribute('user-id') ?? '';
    if (this.getAttribute('token-url')) {
      setRenewal(() => this.renew());
      await this.renew();
    }
    while (!await this.greet()) {
      await new Promise(resolve => setTimeout(resolve, AGAIN_MS));
      if (!this.isConnected)
        return;
    }
    const last = this.getAttribute('conversation-id') ? { id: this.getAttribute('conversation-id') } : this.hasAttribute('history') ? recall() : {};
    await this.open(last.id, last.live);
  }

  makeHead() {
    const heading = this.getAttribute('heading'), offers = this.hasAttribute('history');
    this.earlier = offers && menuButton(t('Earlier conversations'), ICONS.earlier, () => this.kept.map(one => ({ label: one.title, onchoose: () => this.open(one.id) })), { isQuiet: true });
    if (offers)
      this.earlier.hidden = true;
    return (heading || offers) && el('div', { class: 'head' }, el('h2', { class: 'heading' }, heading ?? t('Conversation')), offers && [this.earlier,
      el('button', { type: 'button', class: 'icon', 'aria-label': t('New conversation'), title: t('New conversation'), onclick: () => this.open(null) }, icon('M12 5v14M5 12h14'))]);
  }

  // The earlier ones that are offered.
  async list() {
    if (!this.earlier || !this.isKeeping)
      return;
    this.kept = await listKept(caller).catch(() => this.kept);
    this.earlier.hidden = this.kept.length === 0;
  }

  // Show a conversation; null: a new one, at once. live: what was being answered in it when the page was left. What is asked
  // until a kept one is there waits for it; of two that are opened the later one is shown.
  async open(id, live) {
    this.stream?.close();
    this.stream = null;
    this.busy(false);
    this.view = null;
    this.conversation = null;
    this.waiting = null;
    const opening = this.opening = {}, fresh = { ...createConversation(caller), ...id && { id } };
    const opened = id ? await this.load(id, live, fresh) : fresh;
    if (this.opening !== opening)
      return;
    this.conversation = opened;
    const { turns } = opened;
    if (live?.runId && !turns.some(one => one.runId === live.runId))
      turns.push(Object.assign(createTurn(live), { runId: live.runId }));
    remember({ id: opened.id, live });
    if (turns.length > 0 || this.turns.querySelector('article'))
      this.turns.replaceChildren(...turns.length === 0 && this.suggestions ? [this.suggestions] : []);
    for (const turn of turns)
      this.show(turn);
    const last = turns.at(-1);
    if (last && !isOver(last))
      this.follow(last);
    this.toEnd();
    this.askWaiting();
    if (!id)
      this.list();
  }

  // The kept conversation; fresh: it has begun, and is not kept yet; or it is gone.
  async load(id, live, fresh) {
    try {
      await this.list();
      const isKept = this.isKeeping && (!live || this.kept.some(one => one.id === id)); // its first answer still comes
      return isKept ? await loadKept(caller, id) : fresh;
    } catch (error) {
      if (!this.conversation && !(error instanceof Problem && error.status === 404)) // else another is open by now
        this.turns.replaceChildren(el('p', { class: 'why', role: 'alert' }, error instanceof Problem ? error.message : t('The server cannot be reached.')));
      return fresh;
    }
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

  // Whether there is no use in trying again.
  async greet() {
    try {
      const about = await getJson('/internal/about');
      if (!caller.company_id && !this.getAttribute('token-url'))
        Object.assign(caller, about.caller);
      this.isKeeping = about.features.includes('conversations');
      this.suggestions = el('ul', { class: 'suggestions', 'aria-label': t('Questions to begin with') }, about.examples.map(text =>
        el('li', {}, el('button', { type: 'button', class: 'suggestion', onclick: () => this.ask(text) }, text))));
      this.turns.replaceChildren(this.suggestions);
      return true;
    } catch (error) {
      this.turns.replaceChildren(el('p', { class: 'why', role: 'alert' }, error instanceof Problem ? error.message : t('The server cannot be reached.')));
      return error instanceof Problem && error.status < 500;
    }
  }

  ask(text) {
    const question = text.trim();
    if (!question)
      return;
    if (!this.conversation || (this.stream && isOver(this.conversation.turns.at(-1)))) {
      this.waiting = question; // until the conversation is there, or the stream of an answer that is whole is closed
      return;
    }
    if (this.stream)
      return;
    if (this.conversation.turns.length === 0)
      this.turns.replaceChildren();
    const turn = createTurn({ question, graph: this.getAttribute('graph') ?? '' });
    this.input.value = '';
    this.conversation.turns.push(turn);
    this.show(turn);
    this.follow(turn);
  }

  askWaiting() {
    const { waiting } = this;
    this.waiting = null;
    if (waiting)
      this.ask(waiting);
  }

  show(turn) {
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
  }

  // Who asks: a token's names where there are some, else the element's.
  get names() {
    const { company_id, user_id } = caller;
    return { ...company_id && { company_id }, ...user_id && { user_id } };
  }

  async follow(turn) {
    const { answer } = turn, path = turn.graph ? `/internal/graphs/${encodeURIComponent(turn.graph)}/stream` : '/internal/chat/stream';
    const order = answer ? { caller, key: `${turn.id}-${answer.run}`, path: `/internal/runs/${encodeURIComponent(answer.run)}/resume?${whose()}`, body: { resume: answer.value } }
      : { caller, key: turn.id, runId: turn.runId, path, body: { input: { message: turn.question }, conversation: { id: this.conversation.id, ...this.names }, options: { detail: 'nodes' } } };
    if (turn.runId)
      restartTurn(turn);
    const view = this.view, draw = () => view.update();
    this.toEnd();
    this.busy(true);
    this.stream = new RunStream(order, {
      run: runId => {
        turn.runId = runId;
        remember({ id: this.conversation.id, live: { question: turn.question, graph: turn.graph, runId } });
      },
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
    const { stream } = this;
    await stream.follow();
    if (this.stream !== stream)
      return; // another conversation is open by now
    this.stream = null;
    turn.link = 'closed';
    draw();
    this.busy(false);
    remember({ id: this.conversation.id });
    this.list();
    if (isOver(turn))
      this.dispatchEvent(new CustomEvent('askd-turn', { detail: { question: turn.question, state: turn.state, text: turn.text, sql: turn.sql }, bubbles: true, composed: true }));
    this.askWaiting();
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
