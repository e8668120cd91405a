// SPDX-License-Identifier: MIT
// words_es.js - the sentences of words.js in Spanish.
export default {
};
