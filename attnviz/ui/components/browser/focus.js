// The keyboard's focus, kept with a button that a redrawn page has put elsewhere.

import { keeper, painted } from "./messages.js";
import { element } from "./page.js";

// A run that draws everything anew may take the focus away more than once.
const WATCHED_MS = 3000;

// Outlives the component, which may be mounted anew.
let done = 0;

class Focus {
  constructor(parent) {
    this.root = element("span", { class: "attnviz-focus-keeper", hidden: "" });
    parent.append(this.root);
  }

  receive({ target, turn }) {
    this.root.dataset.turn = turn;
    painted(this.root, { seq: turn });
    if (!turn || turn === done) return;
    done = turn;
    this.watch(target, performance.now() + WATCHED_MS);
  }

  // Until somebody presses something or puts the focus elsewhere: then it is theirs. What is taken away or drawn as
  // something else loses the focus without such an event.
  watch(target, until) {
    this.stop?.abort();
    this.stop = new AbortController();
    const { signal } = this.stop;
    for (const press of ["keydown", "pointerdown"]) addEventListener(press, () => this.stop.abort(), { capture: true, signal });
    const wanted = () => document.querySelector(`.st-key-${CSS.escape(target)} button`);
    addEventListener("focusin", ({ target: found }) => found !== wanted() && this.stop.abort(), { capture: true, signal });
    const give = () => {
      if (signal.aborted || performance.now() > until) return;
      const button = wanted();
      if (button && button !== document.activeElement) button.focus({ preventScroll: true });
      requestAnimationFrame(give);
    };
    give();
  }
}

export default keeper((parent) => new Focus(parent));
