// The bar at the bottom while a page is presented: back, where one is, what is to be said, next, the end.
// While a story is walked the arrow keys and those of a clicker (Page Up, Page Down) do the same.

import { Outbox, keeper, painted } from "./messages.js";
import { element, styles } from "./page.js";

styles("components.css");

const STEPS = { ArrowRight: 1, PageDown: 1, ArrowLeft: -1, PageUp: -1 };
const CLICKER = new Set(["PageDown", "PageUp"]);

// What uses these keys itself.
const SLIDER = "input[type=range], [role=slider]";
const OWN = [
  SLIDER, "input:not([type=checkbox], [type=button], [type=submit], [type=reset], [type=file])", "textarea", "select",
  "[contenteditable]:not([contenteditable=false])", "[data-testid=stDataFrame]",
  ...["radio", "tab", "listbox", "option", "combobox", "menuitem", "spinbutton", "grid", "textbox"].map((role) => `[role=${role}]`),
].join(", ");

// Of a clicker's keys a field of one line has no use.
const OWN_OF_CLICKER = "textarea, select, [data-testid=stDataFrame], " + ["listbox", "option", "combobox", "grid"].map((role) => `[role=${role}]`).join(", ");

class Story {
  constructor(parent) {
    this.outbox = new Outbox();
    this.back = element("button", { type: "button", class: "attnviz-button", onclick: () => this.turn(-1) });
    this.next = element("button", { type: "button", class: "attnviz-button", onclick: () => this.turn(1) });
    this.end = element("button", { type: "button", class: "attnviz-button", onclick: () => this.outbox.post("end", { kind: "end" }) });
    this.place = element("span", { class: "attnviz-story-place" });
    this.sentence = element("p", { class: "attnviz-story-sentence", role: "status" });
    this.menu = element("select", { class: "attnviz-button", onchange: () => this.begin() });
    this.root = element("section", { class: "attnviz-story" });
    parent.append(this.root);
    this.listeners = [[document, "keydown", (event) => this.key(event), false],
      [window, "keydown", (event) => this.early(event), true],
      [window, "pointerdown", () => (this.pointed = true), true]];
    for (const [target, name, act, capture] of this.listeners) target.addEventListener(name, act, capture);
  }

  async receive({ seq, page, at, count, sentence, stories, labels }) {
    this.outbox.acknowledge(seq);
    Object.assign(this, { at, count });
    if (this.outbox.idle) this.to = at;
    this.root.setAttribute("aria-label", labels.bar);
    label(this.back, "←", labels.back);
    label(this.next, labels.next, "→");
    label(this.end, "×", labels.end);
    this.place.textContent = labels.place;
    if (this.sentence.textContent !== sentence) this.sentence.textContent = sentence;
    // Still there for who has just pressed it, at either end of the story too.
    this.back.setAttribute("aria-disabled", String(at === 0));
    this.next.setAttribute("aria-disabled", String(at === count - 1));
    this.offer(stories, labels.begin);
    this.arrange(at !== null);
    await styles("components.css");
    // The next step begins at its top, as a page does.
    if (this.page !== undefined && this.page !== page) document.querySelector("[data-testid=stMain]")?.scrollTo(0, 0);
    this.page = page;
    painted(this.root, { seq });
  }

  // Only when it changes: what is put in anew loses the focus.
  arrange(walking) {
    if (this.walking === walking) return;
    this.walking = walking;
    this.root.classList.toggle("is-walking", walking);
    this.root.replaceChildren(...(walking ? [this.back, this.place, this.sentence, this.next, this.end] : [this.menu, this.end]));
  }

  offer(stories, begin) {
    const choices = [["", begin], ...stories];
    if (JSON.stringify(choices) === this.offered) return;
    this.offered = JSON.stringify(choices);
    this.menu.setAttribute("aria-label", begin);
    this.menu.replaceChildren(...choices.map(([value, title]) => element("option", { value }, title)));
  }

  begin() {
    if (this.menu.value) this.outbox.post("begin", { kind: "begin", story: this.menu.value });
    this.menu.value = "";
  }

  // Quick presses add up, and each is one step: what is sent is where to, not how far.
  turn(step) {
    const to = Math.min(Math.max(this.to + step, 0), this.count - 1);
    if (to === this.to) return;
    this.to = to;
    this.outbox.post("go", { kind: "go", to });
  }

  key(event) {
    if (!this.means(event) || event.defaultPrevented) return;
    const field = CLICKER.has(event.key) && !target(event)?.closest?.(SLIDER);
    if (target(event)?.closest?.(field ? OWN_OF_CLICKER : OWN)) return;
    this.take(event);
  }

  // A slider that was just moved by hand would take the keys of the clicker; one that is worked from the
  // keyboard keeps all that are its own.
  early(event) {
    if (!CLICKER.has(event.key)) this.pointed = false;
    if (!this.pointed || !this.means(event) || !target(event)?.closest?.(SLIDER)) return;
    event.stopImmediatePropagation();
    this.take(event);
  }

  means(event) {
    const plain = !event.ctrlKey && !event.metaKey && !event.altKey && !event.shiftKey && !event.isComposing;
    return this.walking && plain && event.key in STEPS;
  }

  take(event) {
    event.preventDefault();
    if (!event.repeat) this.turn(STEPS[event.key]);
  }

  close() {
    for (const [target, name, act, capture] of this.listeners) target.removeEventListener(name, act, capture);
  }
}

const target = (event) => event.composedPath()[0];

// A sign is for the eye alone.
function label(button, ...parts) {
  const signs = parts.map((part) => element("span", part.length === 1 ? { "aria-hidden": "true" } : {}, part));
  if (button.textContent !== parts.join(" ")) button.replaceChildren(signs[0], " ", signs[1]);
}

export default keeper((parent) => new Story(parent));
