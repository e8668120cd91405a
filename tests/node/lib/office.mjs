// SPDX-License-Identifier: MIT
// tests/node/lib/office.mjs - small files of PDF, Word and Excel, made byte by byte.
import { crc32 } from 'node:zlib';

const escape = text => text.replaceAll('&', '&amp;').replaceAll('<', '&lt;');

// A ZIP archive of [path, text] pairs, uncompressed (APPNOTE 4.3).
export const makeZip = parts => {
  const files = [], directory = [];
  let offset = 0;
  for (const [path, text] of parts) {
    const name = Buffer.from(path), bytes = Buffer.from(text);
    const common = Buffer.alloc(26);
    common.writeUInt16LE(20, 0);
    common.writeUInt32LE(crc32(bytes), 10);
    common.writeUInt32LE(bytes.length, 14);
    common.writeUInt32LE(bytes.length, 18);
    common.writeUInt16LE(name.length, 22);
    files.push(Buffer.from('PK\x03\x04', 'latin1'), common, name, bytes);
    const more = Buffer.alloc(14);
    more.writeUInt32LE(offset, 10);
    directory.push(Buffer.from('PK\x01\x02\x14\x00', 'latin1'), common, more, name);
    offset += 30 + name.length + bytes.length;
  }
  const central = Buffer.concat(directory), end = Buffer.alloc(22);
  end.write('PK\x05\x06', 'latin1');
  end.writeUInt16LE(parts.length, 8);
  end.writeUInt16LE(parts.length, 10);
  end.writeUInt32LE(central.length, 12);
  end.writeUInt32LE(offset, 16);
  return Buffer.concat([...files, central, end]);
};

// Paragraphs: [style, text] pairs; the style "Heading1" has the first outline level.
export const makeDocx = paragraphs => makeZip([
  ['word/styles.xml', '<w:styles xmlns:w="w"><w:style w:styleId="Heading1"><w:pPr><w:outlineLvl w:val="0"/></w:pPr></w:style></w:styles>'],
  ['word/document.xml', `<w:document xmlns:w="w"><w:body>${paragraphs.map(([style, text]) =>
    `<w:p><w:pPr>${style && `<w:pStyle w:val="${style}"/>`}</w:pPr><w:r><w:t>${escape(text)}</w:t></w:r></w:p>`).join('')}</w:body></w:document>`],
]);

// One sheet, "Rates", of rows of texts.
export const makeXlsx = rows => makeZip([
  ['xl/workbook.xml', '<workbook xmlns:r="r"><sheets><sheet name="Rates" r:id="rId1"/></sheets></workbook>'],
  ['xl/_rels/workbook.xml.rels', '<Relationships><Relationship Id="rId1" Target="worksheets/sheet1.xml"/></Relationships>'],
  ['xl/worksheets/sheet1.xml', `<worksheet><sheetData>${rows.map(row =>
    `<row>${row.map(text => `<c t="inlineStr"><is><t>${escape(text)}</t></is></c>`).join('')}</row>`).join('')}</sheetData></worksheet>`],
]);

// A page for each line of text.
export const makePdf = lines => {
  const objects = [
    '<< /Type /Catalog /Pages 2 0 R >>',
    `<< /Type /Pages /Count ${lines.length} /Kids [${lines.map((_, i) => `${4 + 2 * i} 0 R`).join(' ')}] >>`,
    '<< /Type /Font /Subtype /Type1 /BaseFont /Helvetica >>',
  ];
  lines.forEach((line, i) => {
    const content = `BT /F1 12 Tf 72 720 Td (${line.replace(/[()\\]/g, '\\$&')}) Tj ET`;
    objects.push(`<< /Type /Page /Parent 2 0 R /MediaBox [0 0 612 792] /Contents ${5 + 2 * i} 0 R /Resources << /Font << /F1 3 0 R >> >> >>`,
      `<< /Length ${content.length} >>\nstream\n${content}\nendstream`);
  });
  let text = '%PDF-1.4\n';
  const offsets = objects.map((object, i) => {
    const offset = text.length;
    text += `${i + 1} 0 obj\n${object}\nendobj\n`;
    return offset;
  });
  const start = text.length;
  text += `xref\n0 ${objects.length + 1}\n0000000000 65535 f \n${offsets.map(one => `${String(one).padStart(10, '0')} 00000 n \n`).join('')}`;
  return Buffer.from(`${text}trailer\n<< /Size ${objects.length + 1} /Root 1 0 R >>\nstartxref\n${start}\n%%EOF\n`, 'latin1');
};
