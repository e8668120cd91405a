// SPDX-License-Identifier: MIT
// following.js - a conversation that is read at its end is at its end when it has grown.
//
// It is followed until somebody scrolls up, and again once somebody is back at the end. What has the focus in the newest
// turn stays in view: whoever unfolds something there reads it from its head.
const NEAR_END = 80;
const ROOM = 8; // above what has the focus

// scroll: what scrolls; content: the turns in it; say(follows): whether the end is followed. Gives toEnd, which goes there.
export const followEnd = (scroll, content, say = () => {}) => {
  let follows = true, last = 0;
  const isAtEnd = () => scroll.scrollHeight - scroll.scrollTop - scroll.clientHeight < NEAR_END;
  const toEnd = () => {
    follows = true;
    scroll.scrollTop = scroll.scrollHeight;
    say(true);
  };
  // How far it may be scrolled until what has the focus in the newest turn would leave the view.
  const mostScroll = () => {
    const focused = content.getRootNode().activeElement;
    if (!focused || !content.lastElementChild?.contains(focused))
      return Infinity;
    const above = focused.getBoundingClientRect().top - scroll.getBoundingClientRect().top;
    return above < 0 ? Infinity : scroll.scrollTop + above - ROOM;
  };
  scroll.addEventListener('scroll', () => {
    follows = isAtEnd() || (follows && scroll.scrollTop >= last); // what grew meanwhile is no scrolling up
    last = scroll.scrollTop;
    say(follows);
  }, { passive: true });
  new ResizeObserver(() => {
    if (follows)
      scroll.scrollTop = Math.max(scroll.scrollTop, Math.min(mostScroll(), scroll.scrollHeight));
  }).observe(content);
  return { toEnd };
};
