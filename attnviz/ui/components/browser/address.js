// Writes the state of the page into the query string: without an entry in the browser's history, and only
// when the hand has let go and nothing has changed for a moment.

import "./focus.js"; // this component is on every page
import { keeper } from "./messages.js";
import { announceQuery } from "./streamlit.js";

const PAUSE_MS = 250;

// "Copy link" asks for this first, so that the link is never behind the page.
export const FLUSH = "attnviz:flush-address";

let pressed = false;
addEventListener("pointerdown", () => (pressed = true), true);
for (const name of ["pointerup", "pointercancel", "dragend", "blur"]) {
  addEventListener(name, () => {
    pressed = false;
    dispatchEvent(new Event("attnviz:released"));
  }, true);
}

class Address {
  constructor(parent) {
    this.root = parent;
    this.written = new Set();
    this.flush = () => this.write();
    this.released = () => this.later();
    addEventListener(FLUSH, this.flush);
    addEventListener("attnviz:released", this.released);
  }

  receive({ query }) {
    this.query = query;
    // A page that has been left must not write into the address of the next.
    this.path = location.pathname;
    this.later();
  }

  later() {
    clearTimeout(this.timer);
    this.timer = setTimeout(() => { if (!pressed) this.write(); }, PAUSE_MS);
  }

  write() {
    clearTimeout(this.timer);
    if (!this.query || this.path !== location.pathname) return;
    const url = new URL(location.href);
    for (const name of this.written) url.searchParams.delete(name);
    for (const [name, value] of Object.entries(this.query)) {
      if (value === "") url.searchParams.delete(name);
      else url.searchParams.set(name, value);
    }
    this.written = new Set(Object.keys(this.query));
    if (url.href !== location.href) {
      history.replaceState(history.state, "", url);
      announceQuery();
    }
    // Outside what is painted: tests wait for it.
    document.documentElement.dataset.attnvizAddress = location.search;
  }

  close() {
    clearTimeout(this.timer);
    removeEventListener(FLUSH, this.flush);
    removeEventListener("attnviz:released", this.released);
  }
}

export default keeper((parent) => new Address(parent));
