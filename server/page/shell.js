// SPDX-License-Identifier: MIT
// shell.js - the frame around the conversation: drawer, panel, colours, and where it is scrolled to.
import { byId } from './dom.js';
import { followEnd } from './following.js';

const narrow = matchMedia('(max-width: 760px)');
const roomy = matchMedia('(min-width: 1180px)');

const keep = (key, value) => {
  try {
    localStorage.setItem(key, value);
  } catch { /* it holds until the page is left */ }
};

const recall = key => {
  try {
    return localStorage.getItem(key);
  } catch {
    return null;
  }
};

const setUpDrawer = () => {
  const drawer = byId('drawer'), opener = byId('open-drawer');
  const setOpen = open => {
    drawer.classList.toggle('open', open);
    opener.setAttribute('aria-expanded', String(open));
    drawer.inert = narrow.matches && !open;
  };
  const close = () => {
    const hadFocus = drawer.contains(document.activeElement) && narrow.matches;
    setOpen(false);
    if (hadFocus)
      opener.focus();
  };
  opener.addEventListener('click', () => {
    setOpen(true);
    byId('close-drawer').focus();
  });
  byId('close-drawer').addEventListener('click', close);
  drawer.addEventListener('keydown', event => {
    if (event.key === 'Escape' && narrow.matches)
      close();
  });
  document.addEventListener('pointerdown', event => {
    if (drawer.classList.contains('open') && !drawer.contains(event.target))
      close();
  });
  drawer.addEventListener('focusout', ({ relatedTarget }) => {
    if (narrow.matches && relatedTarget && !drawer.contains(relatedTarget))
      setOpen(false);
  });
  narrow.addEventListener('change', () => setOpen(false));
  setOpen(false);
  return close;
};

const setUpRun = () => {
  const run = byId('run'), toggle = byId('toggle-run');
  const show = open => {
    run.hidden = !open;
    toggle.setAttribute('aria-expanded', String(open));
    document.body.classList.toggle('with-run', open);
  };
  const change = open => {
    const hadFocus = run.contains(document.activeElement);
    show(open);
    if (roomy.matches)
      keep('askd.run', open ? 'open' : 'closed');
    if (open && !roomy.matches)
      run.querySelector('button')?.focus();
    if (!open && hadFocus)
      toggle.focus();
  };
  toggle.addEventListener('click', () => change(run.hidden));
  run.addEventListener('keydown', event => {
    if (event.key === 'Escape' && !roomy.matches)
      change(false);
  });
  // Beside the conversation where there is room, else over it, and only when it is asked for.
  const settle = () => show(roomy.matches && recall('askd.run') !== 'closed');
  roomy.addEventListener('change', settle);
  settle();
  return change;
};

const setUpTheme = () => {
  const toggle = byId('toggle-theme'), system = matchMedia('(prefers-color-scheme: dark)');
  const isDark = () => (document.documentElement.dataset.theme ?? (system.matches ? 'dark' : 'light')) === 'dark';
  const show = () => toggle.setAttribute('aria-pressed', String(isDark()));
  toggle.addEventListener('click', () => {
    document.documentElement.dataset.theme = isDark() ? 'light' : 'dark';
    keep('askd.theme', document.documentElement.dataset.theme);
    show();
  });
  system.addEventListener('change', show);
  show();
};

const setUpScroll = () => {
  const button = byId('to-end');
  const { toEnd } = followEnd(byId('scroll'), byId('turns'), follows => { button.hidden = follows; });
  button.addEventListener('click', () => {
    toEnd();
    byId('question').focus();
  });
  return { toEnd };
};

export const setUpShell = () => {
  setUpTheme();
  return { closeDrawer: setUpDrawer(), showRun: setUpRun(), ...setUpScroll() };
};
