// Keeps the page while a dialog shows something that is shown once: Back and Forward change nothing, and the browser asks
// before the page is left. Loaded before the router starts: a window's listeners for `popstate` run in the order in which
// they were added, and the router would show another page.

interface Kept {
  readonly href: string;
  readonly onLeave: () => void;
}

let kept: Kept | null = null;

addEventListener('popstate', (event) => {
  if (kept === null) return;
  event.stopImmediatePropagation();
  history.pushState(null, '', kept.href);
  kept.onLeave();
});

addEventListener('beforeunload', (event) => {
  if (kept !== null) event.preventDefault();
});

/** `onLeave`: Back or Forward was asked for. Returns what lets the page go again. */
export function keepPage(onLeave: () => void): () => void {
  const mine: Kept = { href: location.href, onLeave };
  kept = mine;
  return () => {
    if (kept === mine) kept = null;
  };
}
