// Writes one parameter of the page's address, when no pointer is down and nothing has changed for a moment.
// `replaceState` adds nothing to the history; Streamlit reads the address anew with every message it sends.

import { keeper, painted, unpack } from "./messages.js";
import { element, styles } from "./page.js";

const QUIET_MS = 250;

let pointers = 0;
let timer = null;
let pending = null;
let waiting = [];

addEventListener("pointerdown", () => (pointers += 1), true);
for (const name of ["pointerup", "pointercancel"]) {
  addEventListener(name, () => ((pointers = Math.max(0, pointers - 1)), plan()), true);
}
// A pointer released outside the window is never reported.
addEventListener("blur", () => ((pointers = 0), plan()));

function plan() {
  clearTimeout(timer);
  if (pending && pointers === 0) timer = setTimeout(write, QUIET_MS);
}

function write() {
  const { name, value, root } = pending;
  pending = null;
  const url = new URL(location.href);
  if (value === null) url.searchParams.delete(name);
  else url.searchParams.set(name, value);
  if (url.href !== location.href) history.replaceState(history.state, "", url);
  root.dataset.attnvizWritten = value ?? "";
  painted(root);
  for (const done of waiting.splice(0)) done();
}

// Resolves when the address is that of what is shown.
export const written = () => (pending ? new Promise((done) => waiting.push(done)) : Promise.resolve());

class Address {
  constructor(parent) {
    this.root = element("p", { class: "attnviz-address", role: "status" });
    parent.append(this.root);
  }

  receive(data) {
    styles("components.css");
    const { name, value, said } = unpack(data).header;
    this.root.textContent = said;
    pending = { name, value, root: this.root };
    plan();
  }

  close() {
    // The page is left: what it would have written belongs to no page any more.
    if (pending?.root !== this.root) return;
    clearTimeout(timer);
    pending = null;
    for (const done of waiting.splice(0)) done();
  }
}

export default keeper((parent) => new Address(parent));
