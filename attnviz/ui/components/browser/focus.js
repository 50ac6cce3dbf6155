// What Streamlit puts into another place of the page, such as a step that was moved, loses the focus in the
// browser on its way, or is made anew; it gets the focus back.

let last = null;

addEventListener("focusin", ({ target }) => (last = { target, name: named(target) }), true);
// Whoever clicks beside everything wants nothing to have the focus.
addEventListener("pointerdown", () => (last = null), true);

// The class by which Streamlit marks what was given a key.
const named = (target) => [...(target.closest?.('[class*="st-key-"]')?.classList ?? [])].find((name) => name.startsWith("st-key-"));

function again() {
  const { target, name } = last;
  if (target.isConnected) return target;
  return name ? document.querySelector(`.${CSS.escape(name)} ${target.localName}`) : null;
}

new MutationObserver((records) => {
  if (!last || document.activeElement !== document.body) return;
  const found = again();
  const moved = found && records.some(({ addedNodes }) => [...addedNodes].some((node) => node.contains(found)));
  if (moved) found.focus();
}).observe(document.body, { childList: true, subtree: true });
