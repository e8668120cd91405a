// SPDX-License-Identifier: MIT
// cron_text.js - when a schedule runs, in words: the usual expressions are told as people say them, others as they are.
import { locale, t } from './words.js';

const NAMES = ['sun', 'mon', 'tue', 'wed', 'thu', 'fri', 'sat'];
const NICKNAMES = { '@hourly': '0 * * * *', '@daily': '0 0 * * *', '@midnight': '0 0 * * *', '@weekly': '0 0 * * 0', '@monthly': '0 0 1 * *' };

// 0 is Sunday, the first of 2023.
export const weekday = n => new Date(2023, 0, 1 + n).toLocaleDateString(locale, { weekday: 'long' });
const time = (h, m) => new Date(2023, 0, 1, h, m).toLocaleTimeString(locale, { timeStyle: 'short' });

const number = text => /^\d{1,2}$/.test(text) ? Number(text) : null;
const dayNumber = text => NAMES.includes(text.toLowerCase()) ? NAMES.indexOf(text.toLowerCase()) : number(text) === null ? null : number(text) % 7;

const told = ([minute, hour, day, month, on]) => {
  const m = number(minute), h = number(hour);
  if (m === null || month !== '*' || (h === null && hour !== '*'))
    return null;
  if (h === null)
    return day === '*' && on === '*' ? m === 0 ? t('every hour') : t('every hour at minute {m}', { m }) : null;
  const at = time(h, m);
  if (day === '*' && on === '*')
    return t('every day at {time}', { time: at });
  if (day === '*' && /^(mon-fri|1-5)$/i.test(on))
    return t('on weekdays at {time}', { time: at });
  if (day === '*' && dayNumber(on) !== null)
    return t('every {day} at {time}', { day: weekday(dayNumber(on)), time: at });
  return on === '*' && number(day) !== null ? t('on day {n} of each month at {time}', { n: number(day), time: at }) : null;
};

// Of a schedule of the server: { cron, timezone, after }.
export const whenText = ({ cron, timezone, after }) => {
  if (after)
    return t('after each run of {graph}', { graph: after.graph });
  const fields = (NICKNAMES[cron] ?? cron).trim().split(/\s+/), text = fields.length === 5 ? told(fields) : null;
  return `${text ?? cron} (${timezone ?? 'UTC'})`;
};
