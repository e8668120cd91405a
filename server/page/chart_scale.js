// SPDX-License-Identifier: MIT
// chart_scale.js - from numbers to places on an axis with round ticks.

const STEPS = [1, 2, 2.5, 5, 10];

// A scale over values (zero always on it when fromZero), with about count ticks, onto start..end.
export const linear = (values, { start, end, count = 5, fromZero = true }) => {
  const known = values.filter(value => value !== null && value !== undefined);
  let least = Math.min(...known), most = Math.max(...known);
  if (fromZero) {
    least = Math.min(least, 0);
    most = Math.max(most, 0);
  }
  if (!(most > least))
    most = least + (Math.abs(least) || 1);
  const rough = (most - least) / count, power = 10 ** Math.floor(Math.log10(rough));
  const step = power * STEPS.find(one => one * power >= rough * 0.999);
  const first = Math.floor(least / step + 1e-9), last = Math.ceil(most / step - 1e-9);
  const ticks = Array.from({ length: last - first + 1 }, (_, i) => Number(((first + i) * step).toPrecision(12)));
  const low = ticks[0], high = ticks.at(-1);
  return { ticks, at: value => start + (value - low) / (high - low) * (end - start) };
};

// The middles and the width of count places on start..end.
export const bands = (count, { start, end, gap = 0.28 }) => {
  const whole = (end - start) / Math.max(count, 1);
  return { width: whole * (1 - gap), middle: i => start + whole * (i + 0.5) };
};

// Every how many-th label fits into length when each needs room.
export const everyNth = (count, room, length) => Math.max(1, Math.ceil(count * room / Math.max(length, 1)));

export const cut = (text, chars) => text.length > chars ? `${text.slice(0, Math.max(chars - 1, 1))}…` : text;
