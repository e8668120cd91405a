// SPDX-License-Identifier: MIT
// words.js - the page's sentences in the reader's language. A sentence's key is its English; words_<language>.js
// has the others.
//
// Chosen by the reader, else by the browser, else English. A sentence that a language lacks stays English.

const OTHERS = { de: () => import('./words_de.js'), es: () => import('./words_es.js') };
export const LANGUAGES = { en: 'English', de: 'Deutsch', es: 'Español' };

const chosen = () => {
  try {
    return localStorage.getItem('askd.language');
  } catch {
    return null;
  }
};

const known = tag => Object.keys(LANGUAGES).find(name => name === tag?.toLowerCase().split('-')[0]);

export const language = known(chosen()) ?? navigator.languages.map(known).find(Boolean) ?? 'en';

// How numbers and days are written: as the browser says, where that is in the same language.
export const locale = navigator.languages.find(tag => known(tag) === language) ?? language;

const words = language === 'en' ? {} : (await OTHERS[language]()).default;

export const chooseLanguage = name => {
  try {
    localStorage.setItem('askd.language', name);
  } catch { /* the browser's language stays */ }
  location.reload();
};

// t('{name} is removed', { name })
export const t = (text, values = {}) => (words[text] ?? text).replace(/\{(\w+)\}/g, (all, name) => values[name] ?? all);

// The static page: texts and labels that are sentences of ours.
export const translatePage = root => {
  document.documentElement.lang = language;
  if (language === 'en')
    return;
  const walker = document.createTreeWalker(root, NodeFilter.SHOW_TEXT);
  for (let node = walker.nextNode(); node; node = walker.nextNode())
    if (words[node.data.trim()])
      node.data = node.data.replace(node.data.trim(), words[node.data.trim()]);
  for (const name of ['aria-label', 'placeholder', 'title'])
    for (const element of root.querySelectorAll(`[${name}]`))
      element.setAttribute(name, t(element.getAttribute(name)));
};
