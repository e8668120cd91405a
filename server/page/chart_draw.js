// SPDX-License-Identifier: MIT
// chart_draw.js - data of a chart as SVG in the page's own colours, for a width.
//
// Marks carry what they say as data-said. Pure but for the elements it makes.
import { svg } from './dom.js';
import { number, shortNumber } from './format.js';
import { bands, cut, everyNth, linear } from './chart_scale.js';
import { t } from './words.js';

const COLOURS = 8, TEXT = 7; // widths of a character of 12px, about
export const colour = i => `series-${i % COLOURS}`;
const gap = value => value === null || value === undefined;
const mark = (tag, props, ...said) => svg(tag, { ...props, 'data-said': said.filter(Boolean).join(', ') });
// The series' own colour, also when others are not shown.
const tint = (one, s) => colour(one.colour ?? s);

const gridY = (scale, left, right) => scale.ticks.map(tick => svg('g', {},
  svg('line', { class: tick === 0 ? 'axis' : 'grid', x1: left, x2: right, y1: scale.at(tick), y2: scale.at(tick) }),
  svg('text', { class: 'tick', x: left - 8, y: scale.at(tick) + 4, 'text-anchor': 'end' }, shortNumber(tick))));

const ticksRight = (scale, right) => scale.ticks.map(tick =>
  svg('text', { class: 'tick', x: right + 8, y: scale.at(tick) + 4 }, shortNumber(tick)));

const widest = texts => Math.max(...texts.map(text => text.length), 1) * TEXT;

// Under their marks, but never past the drawing's edge.
const labelsX = (labels, middle, y, left, right) => {
  const longest = Math.min(widest(labels), 110), nth = everyNth(labels.length, longest + 12, right - left);
  return labels.map((label, i) => {
    const shown = cut(label, 16), half = shown.length * TEXT / 2;
    return i % nth ? null
      : svg('text', { class: 'tick', x: Math.max(half, Math.min(middle(i), right + 12 - half)), y: y + 18, 'text-anchor': 'middle' }, shown);
  });
};

// The values a stack comes to, above and below zero.
const stackEnds = ({ labels, series }) => labels.flatMap((_, i) => [true, false].map(up =>
  series.reduce((sum, { values }) => sum + (values[i] > 0 === up ? values[i] ?? 0 : 0), 0)));

// Where the bar of series s at label i begins and ends, as values.
const barSpan = ({ series }, s, i, stacked) => {
  const value = series[s].values[i];
  if (!stacked)
    return [0, value];
  const below = series.slice(0, s).reduce((sum, { values }) => sum + (values[i] > 0 === value > 0 ? values[i] ?? 0 : 0), 0);
  return [below, below + value];
};

// For each axis the scale of its series; the second is null when there is one unit.
const scalesOf = (found, stacked, place) => [false, true].map(second => {
  const series = found.series.filter(one => Boolean(one.second) === second);
  if (series.length === 0)
    return null;
  return linear(stacked ? stackEnds(found) : series.flatMap(one => one.values), place);
});

const drawBars = (found, { width, height, stacked }) => {
  const left = 58, right = width - (found.series.some(one => one.second) ? 58 : 12), bottom = height - 30;
  const scales = scalesOf(found, stacked, { start: bottom, end: 12 });
  const band = bands(found.labels.length, { start: left, end: right });
  const across = stacked ? 1 : found.series.length, each = Math.min(band.width / across, 56);
  const bars = found.series.flatMap((one, s) => one.values.map((value, i) => {
    if (gap(value))
      return null;
    const scale = scales[one.second ? 1 : 0], [from, to] = barSpan(found, s, i, stacked).map(scale.at);
    const x = band.middle(i) - each * across / 2 + (stacked ? 0 : s * each);
    return mark('rect', { class: `mark ${tint(one, s)}`, x: x + 0.5, width: Math.max(each - 1, 1), y: Math.min(from, to), height: Math.max(Math.abs(from - to), 1), rx: Math.min(3, each / 4) },
      found.labels[i], one.name, number(value));
  }));
  return [gridY(scales[0] ?? scales[1], left, right), scales[1] && scales[0] && ticksRight(scales[1], right), bars, labelsX(found.labels, band.middle, bottom, left, right)];
};

const drawBarsAcross = (found, { width, height, stacked }) => {
  const most = Math.min(widest(found.labels), width * 0.4);
  const left = most + 12, right = width - 48, bottom = height - 24;
  const scale = linear(stacked ? stackEnds(found) : found.series.flatMap(one => one.values), { start: left, end: right, count: Math.max(2, Math.floor((right - left) / 90)) });
  const band = bands(found.labels.length, { start: 6, end: bottom });
  const down = stacked ? 1 : found.series.length, each = band.width / down;
  const grid = scale.ticks.map(tick => svg('g', {},
    svg('line', { class: tick === 0 ? 'axis' : 'grid', x1: scale.at(tick), x2: scale.at(tick), y1: 6, y2: bottom }),
    svg('text', { class: 'tick', x: scale.at(tick), y: bottom + 17, 'text-anchor': 'middle' }, shortNumber(tick))));
  const bars = found.series.flatMap((one, s) => one.values.map((value, i) => {
    if (gap(value))
      return null;
    const [from, to] = barSpan(found, s, i, stacked).map(scale.at);
    const y = band.middle(i) - each * down / 2 + (stacked ? 0 : s * each);
    const bar = mark('rect', { class: `mark ${tint(one, s)}`, x: Math.min(from, to), width: Math.max(Math.abs(from - to), 1), y: y + 0.5, height: Math.max(each - 1, 1), rx: Math.min(3, each / 4) },
      found.labels[i], one.name, number(value));
    return stacked || each < 11 ? bar : [bar, svg('text', { class: 'tick', x: Math.max(from, to) + 6, y: y + each / 2 + 4 }, shortNumber(value))];
  }));
  const names = found.labels.map((label, i) =>
    svg('text', { class: 'tick', x: left - 8, y: band.middle(i) + 4, 'text-anchor': 'end' }, cut(label, Math.floor(most / TEXT))));
  return [grid, bars, names];
};

// Pieces of a line between gaps.
const pathOf = points => points.reduce((path, point, i) =>
  point ? `${path}${points[i - 1] ? 'L' : 'M'}${point[0].toFixed(1)} ${point[1].toFixed(1)}` : path, '');

const drawLines = (found, { width, height, isArea }) => {
  const left = 58, right = width - (found.series.some(one => one.second) ? 58 : 16), bottom = height - 30;
  const scales = scalesOf(found, false, { start: bottom, end: 12 });
  const band = bands(found.labels.length, { start: left, end: right, gap: 0 });
  const lines = found.series.map((one, s) => {
    const scale = scales[one.second ? 1 : 0];
    const points = one.values.map((value, i) => gap(value) ? null : [band.middle(i), scale.at(value)]);
    const known = points.map((point, i) => point ? i : -1).filter(i => i >= 0);
    const area = isArea && known.length > 1 && svg('path', { class: `area ${tint(one, s)}`, d: `${pathOf(known.map(i => points[i]))}L${points[known.at(-1)][0].toFixed(1)} ${scale.at(0).toFixed(1)}L${points[known[0]][0].toFixed(1)} ${scale.at(0).toFixed(1)}Z` });
    return svg('g', {}, area, svg('path', { class: `line ${tint(one, s)}`, d: pathOf(points) }), points.map((point, i) =>
      point && mark('circle', { class: `mark dot ${tint(one, s)}`, cx: point[0], cy: point[1], r: found.labels.length > 40 ? 2 : 3.5 },
        found.labels[i], one.name, number(one.values[i]))));
  });
  return [gridY(scales[0] ?? scales[1], left, right), scales[1] && scales[0] && ticksRight(scales[1], right), lines, labelsX(found.labels, band.middle, bottom, left, right)];
};

const drawPoints = (found, { width, height }) => {
  const points = found.series.flatMap(one => one.values).filter(point => point && point.x !== null && point.y !== null);
  const left = 58, right = width - 16, bottom = height - 30;
  const y = linear(points.map(point => point.y), { start: bottom, end: 12, fromZero: false });
  const x = linear(points.map(point => point.x), { start: left, end: right, fromZero: false, count: Math.max(2, Math.floor(width / 110)) });
  return [gridY(y, left, right),
    x.ticks.map(tick => svg('text', { class: 'tick', x: x.at(tick), y: bottom + 18, 'text-anchor': 'middle' }, shortNumber(tick))),
    points.map(point => mark('circle', { class: 'mark point series-0', cx: x.at(point.x), cy: y.at(point.y), r: 4 }, number(point.x), number(point.y)))];
};

const arc = (from, to, outer, inner, [cx, cy]) => {
  const at = (turn, radius) => `${(cx + radius * Math.sin(turn * 2 * Math.PI)).toFixed(2)} ${(cy - radius * Math.cos(turn * 2 * Math.PI)).toFixed(2)}`;
  const end = Math.min(to, from + 0.99999), large = end - from > 0.5 ? 1 : 0;
  const back = inner > 0 ? `L${at(end, inner)}A${inner} ${inner} 0 ${large} 0 ${at(from, inner)}` : `L${cx} ${cy}`;
  return `M${at(from, outer)}A${outer} ${outer} 0 ${large} 1 ${at(end, outer)}${back}Z`;
};

const drawRound = (found, { width, height, isRing }) => {
  const values = found.series[0].values.map(value => Math.max(value ?? 0, 0)), sum = values.reduce((a, b) => a + b, 0) || 1;
  const radius = Math.min(width, height) / 2 - 8, middle = [width / 2, height / 2];
  let from = 0;
  return values.map((value, i) => {
    const start = from;
    from += value / sum;
    return value === 0 ? null : mark('path', { class: `mark slice ${colour(i)}`, d: arc(start, from, radius, isRing ? radius * 0.6 : 0, middle) },
      found.labels[i], number(value), `${(value / sum * 100).toFixed(1)}%`);
  });
};

// Bars lie down where the chart says so, or where their names do not fit under them.
const liesDown = (kind, chart, found, width) => kind === 'bar' && (chart.orientation === 'horizontal' ||
  (found.labels.length <= 25 && everyNth(found.labels.length, widest(found.labels) + 10, width - 70) > 1));

const isRound = kind => kind === 'pie' || kind === 'doughnut';

const heightOf = (kind, chart, found, width, most) => {
  if (liesDown(kind, chart, found, width))
    return found.labels.length * Math.max(26, chart.stacked ? 0 : found.series.length * 16) + 34;
  return isRound(kind) ? Math.min(most * 0.75, width) : Math.round(Math.min(most, Math.max(220, width * 0.5)));
};

// How many values lie where: as bars.
const histogramOf = ({ labels, series: [{ name, values }] }) => {
  const known = values.map(value => value !== null && typeof value === 'object' ? value.y : value).filter(value => !gap(value));
  const { ticks } = linear(known, { start: 0, end: 1, count: Math.max(4, Math.min(12, Math.round(Math.sqrt(known.length)))), fromZero: false });
  const counts = ticks.slice(1).map((end, i) => known.filter(value => value >= ticks[i] && (value < end || (i === ticks.length - 2 && value <= end))).length);
  return { labels: counts.map((_, i) => `${shortNumber(ticks[i])} – ${shortNumber(ticks[i + 1])}`), titles: [], series: [{ name: t('How many'), values: counts, of: name || labels[0] }] };
};

const DRAWINGS = { bar: drawBars, line: drawLines, area: drawLines, scatter: drawPoints, pie: drawRound, doughnut: drawRound, histogram: drawBars };

// The kinds that these data can be drawn as, the chart's own first.
export const kindsOf = (chart, found) => {
  const values = found.series.flatMap(one => one.values), isCloud = chart.type === 'scatter';
  const parts = !isCloud && found.series.length === 1 && found.labels.length > 1 && found.labels.length <= 12 && values.every(value => !gap(value) && value >= 0);
  const all = [!isCloud && 'bar', !isCloud && found.labels.length > 2 && 'line', !isCloud && found.labels.length > 2 && 'area', parts && 'pie', parts && 'doughnut', isCloud && 'scatter',
    found.series.length === 1 && values.length >= 10 && 'histogram'];
  return [chart.type, ...all.filter(kind => kind && kind !== chart.type)];
};

// The drawing of found as kind; most: its height.
export const drawChart = (kind, chart, given, width, most = 320) => {
  const found = kind === 'histogram' ? histogramOf(given) : given;
  const isDown = liesDown(kind, chart, found, width), height = heightOf(kind, chart, found, width, most);
  const size = { width, height, stacked: chart.stacked && kind === 'bar', isRing: kind === 'doughnut', isArea: kind === 'area' };
  const about = t('{title}: a chart of {n} values. The rows are in the table.', { title: chart.title ?? t('Chart'), n: found.labels.length || found.series[0]?.values.length || 0 });
  return svg('svg', { viewBox: `0 0 ${width} ${height}`, width, height, role: 'img', 'aria-label': about }, (isDown ? drawBarsAcross : DRAWINGS[kind])(found, size).flat(9).filter(Boolean));
};
