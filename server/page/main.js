// SPDX-License-Identifier: MIT
// main.js - the page begins: its parts are told of each other, then the server is greeted.
//
// The page is there before anything is asked of the server.
import { caller, loadCaller, loadKey } from './api.js';
import { app } from './app.js';
import { answer, ask, keepAll, setOnLocked, setOnNobody, stop } from './asking.js';
import { openBrowser } from './browser.js';
import { openDocuments } from './documents_view.js';
import { Composer } from './composer.js';
import { askInstead, fork, openById, openConversation, pinConversation, readKept, removeConversation, renameConversation, saveConversation, search } from './conversations.js';
import { askWhose, openSettings } from './dialogs.js';
import { byId } from './dom.js';
import { drawState, runView, setActions, shell } from './drawing.js';
import { greet } from './greeting.js';
import { openSchedules } from './schedules_view.js';
import { openSharing, sharedToken, showShared } from './sharing.js';
import { createConversation } from './store.js';
import { translatePage } from './words.js';

// One that is chosen in the drawer is read beside it; where it lies over the conversation, it goes.
const choose = id => {
  shell.closeDrawer();
  return openById(id);
};

setActions({ answer, ask, askInstead, fork, open: choose, rename: renameConversation, pin: pinConversation, share: openSharing, save: saveConversation, remove: removeConversation });
setOnLocked(why => openSettings(greet, why));
setOnNobody(() => askWhose(greet));

app.composer = new Composer({ ask, stop, last: () => app.current.turns.at(-1)?.question, choose: () => app.selected ?? runView.show(null) });

byId('search').addEventListener('input', search);
byId('new-conversation').addEventListener('click', () => {
  shell.closeDrawer();
  openConversation(null);
  byId('question').focus();
});
byId('open-browser').addEventListener('click', openBrowser);
byId('open-documents').addEventListener('click', openDocuments);
byId('open-schedules').addEventListener('click', () => openSchedules(app.current.turns.at(-1)?.question, async id => {
  await readKept();
  openById(id);
}));
byId('open-settings').addEventListener('click', () => openSettings(greet));

// What was said so far is kept when the page is left; the rest is heard when it is back.
addEventListener('pagehide', keepAll);

translatePage(document.body);
if (matchMedia('(pointer: fine)').matches)
  byId('question').focus(); // where no keyboard comes up over the page
loadKey();
loadCaller({});
app.current = createConversation(caller);
drawState();
if (sharedToken())
  showShared(sharedToken());
else
  greet();
addEventListener('hashchange', () => sharedToken() && location.reload());
