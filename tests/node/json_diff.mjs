// SPDX-License-Identifier: MIT
// tests/node/json_diff.mjs JSON_ECHO - our JSON parser against JSON.parse, on generated and
// mutated texts. They must accept the same texts and understand the same values, but for what we
// refuse on purpose: lone surrogates, bytes that are not UTF-8, infinite numbers, numbers longer
// than 64 bytes, more than 64 levels.
import { spawnSync } from 'node:child_process';
import { isDeepStrictEqual } from 'node:util';

const TEXTS = 6000;
let seed = 20240607;
const random = n => {
  seed = (Math.imul(seed, 1664525) + 1013904223) >>> 0;
  return Math.floor(seed / 2 ** 32 * n);
};
const pick = list => list[random(list.length)];

const pieces = ['a', 'key', ' ', '"', '\\', '/', '\n', '\t', '\0', '\u001f', '\u007f', 'é', '€', '😀',
  '\u2028', '\ufeff', '\uffff', '\u{10ffff}', 'x'.repeat(40), '0', '{', ']', ':', ','];
const string = () => Array.from({ length: random(6) }, () => pick(pieces)).join('');
const quoted = text => {
  if (random(3) > 0)
    return JSON.stringify(text);
  let out = '"';
  for (let i = 0; i < text.length; i++)
    out += '\\u' + text.charCodeAt(i).toString(16).padStart(4, '0');
  return out + '"';
};
const numbers = ['0', '-0', '1', '-1', '9007199254740993', '9223372036854775807', '9223372036854775808',
  '-9223372036854775808', '1.5', '1e5', '1E-5', '-2.5e+3', '0.1', '5e-324', '1.7976931348623157e308',
  '2.2250738585072014e-308', '0.30000000000000004', '123456789012345678901234567890', '1e-400'];
const number = () => random(2) ? pick(numbers) : String((random(2 ** 31) - 2 ** 30) / 2 ** random(40));
const blank = () => pick(['', '', '', ' ', '\n', '\t\r ']);
const value = depth => {
  const kind = random(depth > 6 ? 5 : 8);
  if (kind < 3)
    return pick(['null', 'true', 'false']);
  if (kind === 3)
    return number();
  if (kind === 4)
    return quoted(string());
  const items = Array.from({ length: random(kind === 7 ? 14 : 4) }, () =>
    blank() + (kind === 5 ? '' : quoted(string()) + blank() + ':' + blank()) + value(depth + 1) + blank());
  return (kind === 5 ? '[' : '{') + (items.length ? items.join(',') : blank()) + (kind === 5 ? ']' : '}');
};
const junk = ['"', '\\', '{', '}', '[', ']', ',', ':', '0', '-', '.', 'e', 'E', '+', 'u', 'n', 't', ' ', '\n',
  '\x01', '\x0b', '\u00a0', '\ufeff', '\\u', '\\ud800', '\\udc00', '\\x', 'null', 'NaN', 'Infinity', '//', '/**/'];
const mutate = text => {
  const at = random(text.length + 1);
  switch (random(4)) {
    case 0: return text.slice(0, at);
    case 1: return text.slice(0, at) + text.slice(at + 1 + random(3));
    case 2: return text.slice(0, at) + pick(junk) + text.slice(at);
    default: return text.slice(0, at) + pick(junk) + text.slice(at + 1);
  }
};

const texts = ['', ' ', '1', '"', '[]', '{}', '[[', '{"__proto__":1}', '{"a":1,"a":2}', '{"1":1,"0":2}',
  '['.repeat(64) + ']'.repeat(64), '\ufeff1', '1 ', ' 1', '1,', '"\\u00"', '"\\ud83d\\ude00"'];
while (texts.length < TEXTS) {
  let text = value(0);
  for (let i = pick([0, 0, 1, 1, 2, 5]); i > 0; i--)
    text = mutate(text);
  texts.push(text);
}
// A NUL ends a record, and a cut may have left half a pair, which has no UTF-8.
const sent = texts.filter(text => !text.includes('\0') && text.isWellFormed?.() !== false &&
  Buffer.from(text).toString() === text);

const run = spawnSync(process.argv[2], [], {
  input: Buffer.concat(sent.map(text => Buffer.from(text + '\0'))), maxBuffer: 2 ** 28,
});
if (run.status !== 0) {
  console.error(`json_echo ended with ${run.status ?? run.signal ?? run.error}: ${run.stderr}`);
  process.exit(1);
}
const answers = run.stdout.toString().split('\0').slice(0, -1);

const refusedOnPurpose = (text, parsed) => {
  const isOdd = item => typeof item === 'string' ? Buffer.from(item).toString() !== item
    : typeof item === 'number' ? !Number.isFinite(item)
    : item !== null && typeof item === 'object' &&
      Object.entries(item).some(([key, inner]) => isOdd(key) || isOdd(inner));
  return isOdd(parsed) || /[-+.\deE]{65}/.test(text) || /\\u[dD][89a-fA-F]/.test(text) ||
    /\d[eE]\+?\d{3}/.test(text); // may sit in a member that a later one of its name hides
};
let wrong = 0, accepted = 0;
sent.forEach((text, i) => {
  let parsed, theirs = true;
  try {
    parsed = JSON.parse(text);
  } catch {
    theirs = false;
  }
  const ours = answers[i] !== 'error';
  accepted += ours;
  let same = ours === theirs || (theirs && !ours && refusedOnPurpose(text, parsed));
  if (ours && theirs)
    same = isDeepStrictEqual(JSON.parse(answers[i]), parsed);
  if (!same && wrong++ < 10)
    console.error(`differ on ${JSON.stringify(text)}: ours ${answers[i]}, JSON.parse ${theirs ? 'accepts' : 'refuses'}`);
});
console.log(`${sent.length} texts, ${accepted} accepted, ${wrong} differ`);
process.exit(wrong === 0 && answers.length === sent.length && accepted > 500 ? 0 : 1);
