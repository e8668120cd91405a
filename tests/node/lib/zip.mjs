// SPDX-License-Identifier: MIT
// tests/node/lib/zip.mjs - the files of a ZIP archive, by its directory, as other programs read it.
import assert from 'node:assert/strict';
import { crc32, inflateRawSync } from 'node:zlib';

// bytes: a Buffer. Map of name -> Buffer; sizes and checksums are demanded.
export const readZip = bytes => {
  const end = bytes.lastIndexOf(Buffer.from('PK\x05\x06'));
  assert.ok(end >= 0, 'no directory');
  const count = bytes.readUInt16LE(end + 10), files = new Map();
  let at = bytes.readUInt32LE(end + 16);
  for (let i = 0; i < count; i++) {
    assert.equal(bytes.readUInt32LE(at), 0x02014b50);
    const [checksum, packed, plain] = [16, 20, 24].map(place => bytes.readUInt32LE(at + place));
    const [nameLength, extra, comment] = [28, 30, 32].map(place => bytes.readUInt16LE(at + place));
    const local = bytes.readUInt32LE(at + 42), name = bytes.toString('utf8', at + 46, at + 46 + nameLength);
    const from = local + 30 + bytes.readUInt16LE(local + 26) + bytes.readUInt16LE(local + 28);
    const content = inflateRawSync(bytes.subarray(from, from + packed));
    assert.equal(content.length, plain, name);
    assert.equal(crc32(content), checksum, name);
    files.set(name, content);
    at += 46 + nameLength + extra + comment;
  }
  return files;
};
