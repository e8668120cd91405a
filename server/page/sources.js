// SPDX-License-Identifier: MIT
// sources.js - citations in the order in which the text names them: the first that a reader meets is 1.

// Each with shown, its number for the reader; those that the text does not name come last.
export const inOrder = (text, citations) => {
  const named = [...text.matchAll(/\[(\d+(?:\s*,\s*\d+)*)\]/g)].flatMap(([, numbers]) => numbers.split(',').map(Number));
  const place = one => {
    const at = named.indexOf(one.number);
    return at < 0 ? named.length + one.number : at;
  };
  return [...citations].sort((a, b) => place(a) - place(b)).map((one, i) => ({ ...one, shown: i + 1 }));
};
