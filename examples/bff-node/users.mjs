// SPDX-License-Identifier: MIT
// users.mjs - who may ask, and for which company. Put your own login in its place: askd needs an id
// and a company for each user, and that both come from here and not from the browser.
import { randomBytes, scryptSync, timingSafeEqual } from 'node:crypto';

const salt = randomBytes(16);
const hash = password => scryptSync(password, salt, 32);

// "name:password:company, ..." as BFF_USERS has it.
export const readUsers = text => new Map(text.split(',').map(part => {
  const [id, password, company] = part.trim().split(':');
  if (!id || !password || !company)
    throw new Error(`BFF_USERS: expected name:password:company, got '${part.trim()}'`);
  return [id, { id, company, hash: hash(password) }];
}));

const nobody = { hash: hash(randomBytes(16).toString('hex')) };

// The user, or undefined. Takes as long for a name that is not there.
export const logIn = (users, name, password) => {
  const user = users.get(name) ?? nobody;
  return timingSafeEqual(hash(String(password)), user.hash) && user !== nobody ? user : undefined;
};
