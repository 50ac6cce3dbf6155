// What Streamlit puts into another place of the page, such as a step that was moved, loses the focus in the
// browser on its way; it gets it back.

let last = null;

addEventListener("focusin", ({ target }) => (last = target), true);
// Whoever clicks beside everything wants nothing to have the focus.
addEventListener("pointerdown", () => (last = null), true);

new MutationObserver((records) => {
  if (!last?.isConnected || document.activeElement !== document.body) return;
  const moved = records.some(({ addedNodes }) => [...addedNodes].some((node) => node.contains(last)));
  if (moved) last.focus();
}).observe(document.body, { childList: true, subtree: true });
