// SPDX-License-Identifier: MIT
// api.js - who asks, and requests to the server that this page came from.
//
// Failure: what the server refuses is a Problem with its status and sentence; what never reached it
// is fetch's own TypeError.
import { language, t } from './words.js';

const read = (storage, key, otherwise) => {
  try {
    return JSON.parse(storage.getItem(key)) ?? otherwise;
  } catch {
    return otherwise;
  }
};
const write = (storage, key, value) => {
  try {
    storage.setItem(key, JSON.stringify(value));
  } catch { /* full, or off: it holds until the page is left */ }
};

// company_id and user_id are kept; the key only as long as the tab.
export const caller = { company_id: '', user_id: '', key: '' };

// What nobody has filled in is as the server says.
export const loadCaller = defaults => {
  const kept = read(localStorage, 'askd.caller', {});
  for (const name of ['company_id', 'user_id'])
    caller[name] = kept[name] || defaults[name] || '';
};

export const saveCaller = ({ company_id, user_id, key }) => {
  Object.assign(caller, { company_id, user_id, key });
  write(localStorage, 'askd.caller', { company_id, user_id });
  write(sessionStorage, 'askd.key', key);
};

export const loadKey = () => {
  caller.key = read(sessionStorage, 'askd.key', '');
};

export class Problem extends Error {
  constructor(status, body) {
    super(body?.detail ?? body?.title ?? t('The server answered {status}.', { status }));
    this.status = status;
    this.code = body?.code;
  }
}

// Where these modules came from: the page's own server, also in a page of somebody else's (askd_chat.js).
export const SERVER = new URL('../../', import.meta.url);

// Called when a key is refused; resolves to whether there is another one. Set where keys are short-lived.
let renew = null;
export const setRenewal = fn => {
  renew = fn;
};

export const request = async (path, given = {}) => {
  try {
    return await send(path, given);
  } catch (error) {
    if (!(error instanceof Problem) || error.status !== 401 || !renew || !await renew())
      throw error;
    return send(path, given);
  }
};

const send = async (path, { headers, ...options }) => {
  const response = await fetch(new URL(path.slice(1), SERVER), {
    ...options,
    cache: 'no-store',
    headers: { 'accept-language': language, ...(caller.key && { authorization: `Bearer ${caller.key}` }), ...headers },
  });
  if (response.ok)
    return response;
  let body;
  try {
    body = await response.json();
  } catch { /* not ours: its status has to do */ }
  throw new Problem(response.status, body);
};

export const getJson = async path => (await request(path)).json();

// The part of a query that says whose run it is; what is not known, a token says.
export const whose = ({ company_id, user_id } = caller) =>
  new URLSearchParams({ ...company_id && { company_id }, ...user_id && { user_id } }).toString();
