// SPDX-License-Identifier: MIT
// chart_view.js - a chart with what people do to it: read its values by mouse, touch and keys, choose another kind,
// leave series out, look at it large, keep it as a picture.
//
// The table beside it is the chart's other form.
import { announce, el, icon, ICONS } from './dom.js';
import { columnTitle, number, shortNumber } from './format.js';
import { chartData, metrics } from './chart_data.js';
import { colour, drawChart, kindsOf } from './chart_draw.js';
import { pictureOf } from './chart_picture.js';
import { openLarge } from './dialogs.js';
import { fileName, saveFile } from './results.js';
import { t } from './words.js';

const BESIDE_LARGE = 200; // of the window's height, what is not for a chart that is looked at alone
const KNOWN = new Set(['bar', 'line', 'scatter', 'pie', 'doughnut']);
const KINDS = () => ({ bar: t('Bars'), line: t('Line'), area: t('Area'), pie: t('Pie'), doughnut: t('Ring'), scatter: t('Points'), histogram: t('Histogram') });
const isRound = kind => kind === 'pie' || kind === 'doughnut';

const metricView = (chart, data) => el('dl', { class: 'metrics' }, metrics(chart, data).map(({ name, value }) =>
  el('div', {}, el('dt', {}, metrics(chart, data).length === 1 && chart.title ? chart.title : columnTitle(name)),
    el('dd', {}, value === null ? '–' : number(value)))));

// Of one line the last value, how it differs from the one before, and the highest.
const tilesOf = (chart, { labels, series }) => {
  if (chart.type !== 'line' || series.length !== 1 || labels.length < 3)
    return null;
  const { values } = series[0], known = values.map((value, i) => [value, labels[i]]).filter(([value]) => value !== null && value !== undefined);
  if (known.length < 3)
    return null;
  const [last, at] = known.at(-1), [before] = known.at(-2), change = before ? (last - before) / Math.abs(before) * 100 : null;
  const [most, when] = known.reduce((best, one) => one[0] > best[0] ? one : best);
  const sign = change > 0 ? '▲' : change < 0 ? '▼' : '';
  const tile = (title, value, more) => el('div', {}, el('dt', {}, title), el('dd', {}, value, more && el('small', {}, more)));
  return el('dl', { class: 'tiles' }, tile(at, shortNumber(last), change === null ? null : t('{change} % to the one before', { change: `${sign} ${number(Math.abs(Math.round(change * 10) / 10))}` })),
    tile(t('Highest'), shortNumber(most), when));
};

class Chart {
  constructor(chart, found, isLarge = false) {
    Object.assign(this, { chart, found, isLarge, kind: chart.type, hidden: new Set(), at: -1 });
    found.series.forEach((one, i) => { one.colour = i; });
    this.tip = el('div', { class: 'tip', hidden: true, 'aria-hidden': 'true' });
    this.drawing = el('div', { class: 'drawing' });
    this.stage = el('div', { class: 'stage', tabindex: '0', role: 'group', 'aria-label': t('{title}. Arrow keys read its values.', { title: chart.title ?? t('Chart') }) }, this.drawing, this.tip);
    this.legend = el('ul', { class: 'legend', 'aria-label': t('Series') });
    this.element = el('figure', { class: 'chart' }, el('div', { class: 'chart-head' }, el('figcaption', {}, chart.title ?? ''), this.tools()), isLarge ? null : tilesOf(chart, found), this.stage, this.legend);
    new ResizeObserver(([{ contentRect }]) => this.draw(Math.floor(contentRect.width))).observe(this.stage);
    this.stage.addEventListener('pointermove', event => this.point(event));
    this.stage.addEventListener('pointerdown', event => this.point(event));
    this.stage.addEventListener('pointerleave', event => event.pointerType === 'mouse' && this.show(-1)); // a finger that is lifted leaves what it showed
    this.stage.addEventListener('blur', () => this.show(-1));
    this.stage.addEventListener('keydown', event => this.onKey(event));
    this.look();
  }

  tools() {
    const kinds = kindsOf(this.chart, this.found), names = KINDS();
    const select = kinds.length > 1 && el('select', { class: 'kind', 'aria-label': t('Kind of chart') }, kinds.map(kind => el('option', { value: kind }, names[kind])));
    select && select.addEventListener('change', () => {
      this.kind = select.value;
      this.hidden.clear();
      this.look();
      this.draw(this.width, true);
    });
    const button = (label, drawing, onclick) => el('button', { type: 'button', class: 'icon', 'aria-label': label, title: label, onclick }, icon(...drawing));
    return el('div', { class: 'chart-tools' }, select, button(t('Save as a picture'), ICONS.save, () => this.save()),
      this.isLarge ? null : button(t('Look at it large'), ICONS.large, () => openLarge(this.chart.title ?? t('Chart'), new Chart(this.chart, this.found, true).element)));
  }

  async save() {
    const picture = await pictureOf(this.drawing.firstChild, this.chart.title ?? '');
    if (picture)
      saveFile(`${fileName(this.chart.title)}.png`, 'image/png', picture);
    announce(picture ? t('Saved') : t('This browser makes no picture of it'));
  }

  // What depends on the kind: colours of parts, the legend.
  look() {
    this.element.className = `chart chart-${this.kind}`;
    const { labels, series } = this.found, values = series[0].values;
    const sum = values.reduce((total, value) => total + Math.max(value ?? 0, 0), 0) || 1;
    const entries = isRound(this.kind) ? labels.map((name, i) => ({ name, more: `${number(values[i])} · ${number(Math.round(Math.max(values[i] ?? 0, 0) / sum * 1000) / 10)} %` }))
      : series.length > 1 ? series : [];
    this.legend.hidden = entries.length === 0;
    this.legend.replaceChildren(...entries.map(({ name, more }, i) => {
      const swatch = el('span', { class: `swatch ${colour(i)}`, 'aria-hidden': 'true' }), inside = [swatch, el('span', {}, name), more ? el('span', { class: 'more' }, more) : null];
      return el('li', {}, el('button', { type: 'button', class: 'series', 'aria-pressed': String(!this.hidden.has(i)), onclick: event => this.toggle(i, entries.length, event.currentTarget) }, inside));
    }));
  }

  toggle(i, all, button) {
    if (!this.hidden.delete(i) && this.hidden.size < all - 1)
      this.hidden.add(i);
    button.setAttribute('aria-pressed', String(!this.hidden.has(i)));
    this.draw(this.width, true);
  }

  // The data without what is left out.
  left() {
    if (this.hidden.size === 0)
      return this.found;
    if (!isRound(this.kind))
      return { ...this.found, series: this.found.series.filter((_, i) => !this.hidden.has(i)) };
    return { ...this.found, series: this.found.series.map(one => ({ ...one, values: one.values.map((value, i) => this.hidden.has(i) ? 0 : value) })) };
  }

  draw(width, again) {
    if (!(width > 0) || (this.width === width && !again))
      return;
    this.width = width;
    this.drawing.replaceChildren(drawChart(this.kind, this.chart, this.left(), width, this.isLarge ? Math.max(240, innerHeight - BESIDE_LARGE) : undefined));
    this.marks = [...this.drawing.querySelectorAll('.mark')];
    this.show(-1);
  }

  show(at) {
    this.marks?.[this.at]?.classList.remove('told');
    this.drawing.classList.toggle('telling', at >= 0);
    this.at = at;
    this.tip.hidden = at < 0;
    if (at < 0)
      return;
    const mark = this.marks[at], box = mark.getBoundingClientRect(), stage = this.stage.getBoundingClientRect();
    const [head, ...rest] = mark.dataset.said.split(', ');
    mark.classList.add('told');
    this.tip.replaceChildren(el('strong', {}, rest.length ? head : ''), el('span', {}, rest.length ? rest.join(' · ') : head));
    const half = this.tip.offsetWidth / 2, x = box.left + box.width / 2 - stage.left, y = box.top - stage.top;
    this.tip.style.left = `${Math.max(half, Math.min(stage.width - half, x))}px`;
    this.tip.style.top = `${y < this.tip.offsetHeight + 8 ? y + box.height + 8 : y - this.tip.offsetHeight - 8}px`;
  }

  // The mark under the pointer; of lines and points the nearest.
  point({ target, clientX, clientY }) {
    const under = this.marks?.indexOf(target) ?? -1;
    if (under >= 0 || isRound(this.kind) || !this.marks?.length) {
      this.show(under);
      return;
    }
    const isLine = this.kind !== 'scatter';
    const far = this.marks.map(mark => {
      const box = mark.getBoundingClientRect(), x = box.left + box.width / 2 - clientX, y = box.top + box.height / 2 - clientY;
      return isLine ? Math.abs(x) * 4 + Math.abs(y) / 8 : Math.hypot(x, y);
    });
    const nearest = far.indexOf(Math.min(...far));
    this.show(isLine || far[nearest] < 40 ? nearest : -1);
  }

  onKey(event) {
    const last = this.marks.length - 1;
    const next = { ArrowRight: Math.min(this.at + 1, last), ArrowLeft: Math.max(this.at - 1, 0), Home: 0, End: last }[event.key];
    if (next !== undefined) {
      event.preventDefault();
      this.show(next);
      announce(this.marks[next]?.dataset.said ?? '');
    } else if (event.key === 'Escape' && this.at >= 0) {
      event.stopPropagation();
      this.show(-1);
    }
  }
}

// A figure, or null where the rows say it all (type "table", or nothing to draw).
export const chartView = (chart, data) => {
  if (!chart)
    return null;
  const notes = [chart.note, chart.remark].filter(Boolean).map(text => el('p', { class: 'chart-note' }, text));
  if (chart.type === 'metric' && metrics(chart, data).length > 0)
    return el('figure', { class: 'chart' }, metricView(chart, data), notes);
  const found = KNOWN.has(chart.type) ? chartData(chart, data) : null;
  if (!found)
    return null;
  const { element } = new Chart(chart, found);
  element.append(...notes);
  return element;
};
