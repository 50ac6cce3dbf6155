// Two things that Streamlit's page offers to its own parts but not to components: its choice of themes, and
// the query string that it sends along with every rerun. Both are found in React's tree by what they offer.
// When they cannot be found, callers do without: the theme changes with a reload, the address with the next page.

function* fibers() {
  const root = document.getElementById("root");
  const name = root && Object.keys(root).find((key) => key.startsWith("__reactContainer$"));
  // React keeps two trees and draws them in turn; `current` is the one on the screen.
  const waiting = name ? [root[name].stateNode?.current ?? root[name]] : [];
  while (waiting.length) {
    const fiber = waiting.pop();
    yield fiber;
    if (fiber.sibling) waiting.push(fiber.sibling);
    if (fiber.child) waiting.push(fiber.child);
  }
}

// { activeTheme, availableThemes, setTheme } or undefined
export function themes() {
  for (const { memoizedProps } of fibers()) {
    const value = memoizedProps?.value;
    if (typeof value?.setTheme === "function" && Array.isArray(value.availableThemes)) return value;
  }
  return undefined;
}

// Tells Streamlit that the query string has changed, without a rerun.
export function announceQuery() {
  for (const { stateNode } of fibers()) {
    if (typeof stateNode?.syncQueryParams !== "function") continue;
    stateNode.syncQueryParams(location.search.replace(/^\?/, ""));
    return;
  }
}

// The address of the site, under which the pages live: ends with "/".
export const SITE = new URL("../../", import.meta.url);
