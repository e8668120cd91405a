// SPDX-License-Identifier: MIT
// theme.js - the colours chosen last time, before anything is painted. Not a module: modules come too late.
(() => {
  let chosen = null;
  try {
    chosen = localStorage.getItem('askd.theme');
  } catch { /* storage is off: the system's colours */ }
  if (chosen === 'dark' || chosen === 'light')
    document.documentElement.dataset.theme = chosen;
})();
