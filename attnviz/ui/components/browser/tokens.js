// A text of tokens: coloured, numbered, each one a button.

import { Outbox, keeper, painted, unpack } from "./messages.js";
import { element, rgba, styles } from "./page.js";

styles("components.css");

// Black or white, whichever is read more easily on this colour (relative luminance, WCAG 2.2).
function ink(colour) {
  const [red, green, blue] = [...rgba(colour)].map((part) => {
    const share = part / 255;
    return share <= 0.04045 ? share / 12.92 : ((share + 0.055) / 1.055) ** 2.4;
  });
  return 0.2126 * red + 0.7152 * green + 0.0722 * blue > 0.179 ? "#000000" : "#ffffff";
}

class Tokens {
  constructor(parent) {
    this.outbox = new Outbox();
    this.side = "query";
    this.buttons = [];
    this.switch = element("div", { class: "attnviz-choice", role: "radiogroup" });
    this.sides = ["query", "key"].map((side) =>
      element("button", { type: "button", role: "radio", "data-side": side, onclick: () => this.choose(side) }));
    this.hint = element("span", { class: "attnviz-note" });
    this.switch.append(...this.sides, this.hint);
    this.line = element("p", { class: "attnviz-line", onkeydown: (event) => this.walk(event) });
    this.root = element("div", { class: "attnviz-tokens", role: "group" }, this.switch, this.line);
    parent.append(this.root);
  }

  async receive(data) {
    const { header } = unpack(data);
    this.outbox.acknowledge(header.seq);
    this.root.setAttribute("aria-label", header.description);
    for (const button of this.sides) button.textContent = header.labels[button.dataset.side];
    this.hint.textContent = [header.labels.hint, header.labels.direction].filter(Boolean).join(" ");
    this.line.dir = header.direction;
    this.choose(this.side);
    await styles("components.css");
    this.fill(header);
    painted(this.root, { seq: header.seq });
  }

  choose(side) {
    this.side = side;
    for (const button of this.sides) button.setAttribute("aria-checked", String(button.dataset.side === side));
  }

  fill({ tokens, query, key }) {
    const at = this.buttons.indexOf(document.activeElement);
    if (this.buttons.length !== tokens.length) {
      this.buttons = tokens.map(() => element("button", { type: "button", class: "attnviz-token" }));
      this.line.replaceChildren();
    }
    tokens.forEach(([position, label, before, colour, number, generated, whole], index) => {
      const button = this.buttons[index];
      button.dataset.position = position;
      button.tabIndex = index === Math.max(at, 0) ? 0 : -1;
      button.replaceChildren(
        // Each token in its own direction, whatever stands beside it; numbers always from the left.
        element("span", { dir: "auto" }, label),
        ...(number ? [element("small", { dir: "ltr" }, number)] : []),
      );
      button.title = whole === label ? "" : whole;
      button.style.background = colour;
      button.style.color = colour ? ink(colour) : "";
      button.classList.toggle("is-query", position === query);
      button.classList.toggle("is-key", position === key);
      button.classList.toggle("is-generated", generated);
      button.setAttribute("aria-pressed", String(position === query || position === key));
      button.onclick = (event) => this.click(position, event.shiftKey);
      if (!button.isConnected) this.line.append(before, button);
      else if (button.previousSibling?.nodeType === Node.TEXT_NODE) button.previousSibling.data = before;
    });
  }

  click(position, other) {
    const side = other ? (this.side === "query" ? "key" : "query") : this.side;
    this.outbox.post("click", { side, position });
  }

  walk(event) {
    const right = this.line.dir === "rtl" ? -1 : 1;
    const step = { ArrowRight: right, ArrowDown: 1, ArrowLeft: -right, ArrowUp: -1 }[event.key];
    const at = this.buttons.indexOf(document.activeElement);
    if (!step || at < 0) return;
    event.preventDefault();
    const next = this.buttons[Math.min(Math.max(at + step, 0), this.buttons.length - 1)];
    this.buttons[at].tabIndex = -1;
    next.tabIndex = 0;
    next.focus();
  }
}

export default keeper((parent) => new Tokens(parent));
