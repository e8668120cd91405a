// SPDX-License-Identifier: MIT
// chart_data.js - a chart (docs/charts.md) and its rows -> labels and series to draw.
//
// Where the server has prepared the numbers (sums, the largest of many, the order of months), those
// are taken; else they are read from the rows by the columns the chart names. null: nothing to draw.

const toNumber = value => {
  const number = typeof value === 'string' ? Number(value) : value;
  return typeof number === 'number' && Number.isFinite(number) ? number : null;
};

// "firstName lastName" are two columns.
const columnsOf = (names, columns) => {
  const at = columns.indexOf(names);
  if (at >= 0)
    return [at];
  const several = String(names ?? '').split(' ').map(name => columns.indexOf(name));
  return several.includes(-1) ? [] : several;
};

const prepared = ({ chartjs }) => {
  const { labels = [], datasets = [] } = chartjs?.data ?? {};
  if (datasets.length === 0)
    return null;
  const scales = chartjs.options?.scales ?? {};
  const titles = Object.values(scales).map(scale => scale?.title?.text);
  return {
    labels: labels.map(String),
    titles,
    series: datasets.map(set => ({
      name: set.label ?? '',
      second: set.yAxisID === 'y1' || set.xAxisID === 'x1',
      values: set.data.map(value => value !== null && typeof value === 'object' ? { x: toNumber(value.x), y: toNumber(value.y) } : toNumber(value)),
    })),
  };
};

const grouped = (labels, keys, values) => {
  const names = [...new Set(labels)], sets = [...new Set(keys)];
  const series = sets.map(name => ({ name: String(name), values: names.map(() => null) }));
  labels.forEach((label, i) => { series[sets.indexOf(keys[i])].values[names.indexOf(label)] = values[i]; });
  return { labels: names, series };
};

const fromRows = (chart, { columns = [], rows = [] }) => {
  const x = columnsOf(chart.x, columns), y = (chart.y ?? []).map(name => columns.indexOf(name)).filter(at => at >= 0);
  if (y.length === 0 || (x.length === 0 && chart.type !== 'metric'))
    return null;
  if (chart.type === 'scatter')
    return { labels: [], titles: [], series: [{ name: '', values: rows.map(row => ({ x: toNumber(row[x[0]]), y: toNumber(row[y[0]]) })) }] };
  const labels = rows.map(row => x.map(at => row[at]).join(' '));
  const by = columns.indexOf(chart.series);
  const made = by >= 0 ? grouped(labels, rows.map(row => row[by]), rows.map(row => toNumber(row[y[0]])))
    : { labels, series: y.map(at => ({ name: columns[at], values: rows.map(row => toNumber(row[at])) })) };
  return { ...made, titles: [] };
};

export const chartData = (chart, data) => {
  const found = prepared(chart) ?? fromRows(chart, data ?? {});
  const hasNumber = found?.series.some(one => one.values.some(value => value !== null && value?.x !== null));
  return hasNumber ? found : null;
};

// [{ name, value }] of the one row.
export const metrics = (chart, { columns = [], rows = [] } = {}) =>
  (chart.y ?? []).map(name => ({ name, value: rows[0]?.[columns.indexOf(name)] ?? null }));
