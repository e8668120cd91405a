// SPDX-License-Identifier: MIT
// words_de.js - the sentences of words.js in German.
export default {
};
