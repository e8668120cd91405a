// SPDX-License-Identifier: MIT
// tokens.mjs - short-lived tokens (JWT, EdDSA) with which a browser talks to askd itself, as whoever is logged in here.
//
// The key is in a file that all processes of this share, made where there is none; without a file it is gone with the
// process, and askd refuses its tokens until it has fetched the next one.
import { createHash, createPrivateKey, createPublicKey, generateKeyPairSync, sign } from 'node:crypto';
import { existsSync, readFileSync, writeFileSync } from 'node:fs';

const SECONDS = 300;
const encode = value => Buffer.from(JSON.stringify(value)).toString('base64url');

const loadKey = file => {
  if (file && existsSync(file))
    return createPrivateKey(readFileSync(file));
  const { privateKey } = generateKeyPairSync('ed25519');
  if (file)
    writeFileSync(file, privateKey.export({ type: 'pkcs8', format: 'pem' }), { mode: 0o600, flag: 'wx' });
  return privateKey;
};

export class Tokens {
  #key;

  constructor(issuer, file) {
    this.#key = loadKey(file);
    const key = createPublicKey(this.#key).export({ format: 'jwk' });
    this.issuer = issuer;
    this.keyId = createHash('sha256').update(key.x).digest('base64url').slice(0, 16);
    this.keys = { keys: [{ ...key, kid: this.keyId, alg: 'EdDSA', use: 'sig' }] };
  }

  make(user) {
    const now = Math.floor(Date.now() / 1000);
    const text = `${encode({ alg: 'EdDSA', typ: 'JWT', kid: this.keyId })}.${encode({ iss: this.issuer, aud: 'askd', sub: user.id, org: user.company, iat: now, exp: now + SECONDS })}`;
    return `${text}.${sign(null, Buffer.from(text), this.#key).toString('base64url')}`;
  }
}
