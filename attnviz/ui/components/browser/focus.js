// What Streamlit puts into another place of the page, such as a step that was moved, loses the focus in the
// browser on its way, or is made anew; it gets the focus back.

let last = null;

addEventListener("focusin", ({ target }) => (last = { target, name: named(target) }), true);
// Whoever clicks beside everything wants nothing to have the focus.
addEventListener("pointerdown", () => (last = null), true);

// The class by which Streamlit marks what was given a key.
const named = (target) => [...(target.closest?.('[class*="st-key-"]')?.classList ?? [])].find((name) => name.startsWith("st-key-"));

// A slow page is drawn piece by piece: what had the focus may be made into another step's button where it stands.
const itself = ({ target, name }) => target.isConnected && named(target) === name;

function again() {
  const { target, name } = last;
  if (itself(last)) return target;
  return name ? document.querySelector(`.${CSS.escape(name)} ${target.localName}`) : null;
}

new MutationObserver((records) => {
  if (!last || (document.activeElement !== document.body && document.activeElement !== last.target)) return;
  if (document.activeElement === last.target && itself(last)) return;
  const found = again();
  // A copy of it may have stood in its new place before the old one went.
  const moved = !itself(last) || records.some(({ addedNodes }) => [...addedNodes].some((node) => node.contains(found)));
  if (found && moved) found.focus();
}).observe(document.body, { childList: true, subtree: true, attributes: true, attributeFilter: ["class"] });
