// Text whose tokens are buttons. Tokens are text nodes, never markup.

import { Outbox, keeper, painted } from "./messages.js";
import { element, rgba, styles } from "./page.js";

styles("components.css");

class Tokens {
  constructor(parent) {
    this.outbox = new Outbox();
    this.side = "query";
    this.text = element("div", { class: "attnviz-text", role: "group", dir: "auto" });
    this.sides = ["query", "key"].map((side) =>
      element("button", { type: "button", role: "radio", "data-side": side, onclick: () => this.choose(side) }));
    this.choice = element("span", { class: "attnviz-choice" });
    this.switch = element("div", { class: "attnviz-sides", role: "radiogroup" }, this.choice, ...this.sides);
    this.switch.addEventListener("keydown", (event) => this.turn(event));
    this.root = element("div", { class: "attnviz-tokens" }, this.switch, this.text);
    this.text.addEventListener("click", (event) => this.clicked(event));
    this.text.addEventListener("keydown", (event) => this.key(event));
    this.text.addEventListener("focusin", (event) => this.only(event.target));
    parent.append(this.root);
    this.choose("query");
  }

  receive({ seq, tokens, numbered, query, key, clicks, labels }) {
    this.outbox.acknowledge(seq);
    Object.assign(this, { labels, clicks });
    // An answer to an older click must not take back the last one.
    if (this.outbox.idle) this.chosen = { query, key };
    this.text.setAttribute("aria-label", labels.description);
    this.text.classList.toggle("attnviz-numbered", numbered);
    this.switch.hidden = !clicks;
    this.choice.textContent = `${labels.choose}: `;
    this.choice.id ||= `attnviz-choice-${crypto.getRandomValues(new Uint32Array(1))[0]}`;
    this.switch.setAttribute("aria-labelledby", this.choice.id);
    this.switch.title = labels.help;
    for (const button of this.sides) button.textContent = labels[button.dataset.side];
    this.write(tokens);
    this.mark();
    painted(this.root, { seq });
  }

  // Buttons are kept where they are, so that the focus stays on its token.
  write(tokens) {
    const old = this.buttons ?? [];
    this.buttons = tokens.map((token, index) => old[index] ?? this.make());
    tokens.forEach(([position, text, before, colour, number, generated], index) => {
      const button = this.buttons[index];
      const [gap, [label, digits]] = [button.previousSibling, button.children];
      if (gap.data !== before) gap.data = before;
      if (label.textContent !== text) label.textContent = text;
      if (digits.textContent !== number) digits.textContent = number;
      button.dataset.position = position;
      button.dataset.number = number;
      button.classList.toggle("attnviz-generated", Boolean(generated));
      if (button.dataset.colour === colour) return;
      button.dataset.colour = colour;
      button.style.background = colour;
      button.style.color = colour ? ink(colour) : "";
    });
    for (const button of old.slice(tokens.length)) {
      button.previousSibling.remove();
      button.remove();
    }
    if (!this.buttons.some((button) => button.tabIndex === 0)) this.only(this.buttons[0]);
  }

  make() {
    const button = element("button", { type: "button", class: "attnviz-token", tabindex: "-1" },
      element("span", { class: "attnviz-token-text" }), element("span", { class: "attnviz-number" }));
    this.text.append("", button);
    // append("") makes the empty text node that holds what stands before the token.
    return button;
  }

  // One stop for the Tab key; arrows go on from there.
  only(button) {
    if (!button?.matches?.(".attnviz-token")) return;
    for (const other of this.buttons) other.tabIndex = other === button ? 0 : -1;
  }

  mark() {
    for (const button of this.buttons) {
      const position = Number(button.dataset.position);
      const said = [button.children[0].textContent, button.dataset.number];
      for (const [side, label] of [["query", this.labels.chosenQuery], ["key", this.labels.chosenKey]]) {
        const here = this.chosen[side] === position;
        button.classList.toggle(`attnviz-chosen-${side}`, here);
        if (here) said.push(label);
      }
      button.setAttribute("aria-label", said.filter(Boolean).join(", "));
    }
  }

  choose(side) {
    this.side = side;
    for (const button of this.sides) {
      button.setAttribute("aria-checked", String(button.dataset.side === side));
      button.tabIndex = button.dataset.side === side ? 0 : -1;
    }
  }

  turn(event) {
    if (!/^Arrow/.test(event.key)) return;
    event.preventDefault();
    this.choose(this.side === "query" ? "key" : "query");
    this.sides.find((button) => button.dataset.side === this.side).focus();
  }

  clicked(event) {
    const button = event.target.closest(".attnviz-token");
    const other = this.side === "query" ? "key" : "query";
    if (button) this.take(button, event.shiftKey ? other : this.side);
  }

  key(event) {
    const at = this.buttons.indexOf(event.target);
    if (at < 0 || event.ctrlKey || event.metaKey || event.altKey) return;
    if (event.key === "Enter") this.take(event.target, event.shiftKey ? "key" : "query");
    else {
      const next = this.next(event.key, at);
      if (next === undefined) return;
      this.buttons[Math.min(this.buttons.length - 1, Math.max(0, next))].focus();
    }
    event.preventDefault();
  }

  next(name, at) {
    const forward = getComputedStyle(this.text).direction === "rtl" ? -1 : 1;
    switch (name) {
      case "ArrowRight": return at + forward;
      case "ArrowLeft": return at - forward;
      case "Home": return 0;
      case "End": return this.buttons.length - 1;
      case "ArrowDown": return this.line(at, 1);
      case "ArrowUp": return this.line(at, -1);
      default: return undefined;
    }
  }

  // The token of the next line that is nearest above or below.
  line(at, step) {
    const box = this.buttons[at].getBoundingClientRect();
    let [best, distance, row] = [at, Infinity, null];
    for (let other = at + step; this.buttons[other]; other += step) {
      const there = this.buttons[other].getBoundingClientRect();
      if (Math.abs(there.top - box.top) < box.height / 2) continue;
      row ??= there.top;
      if (Math.abs(there.top - row) > box.height / 2) break;
      const away = Math.abs(there.left + there.width / 2 - box.left - box.width / 2);
      if (away < distance) [best, distance] = [other, away];
    }
    return best;
  }

  take(button, side) {
    if (!this.clicks) return;
    const position = Number(button.dataset.position);
    this.chosen = { ...this.chosen, [side]: position };
    this.mark();
    this.outbox.post(`choose ${side}`, { kind: "choose", position, side });
  }
}

// Black or white, whichever has more contrast (WCAG 2.1 relative luminance).
function ink(colour) {
  const [red, green, blue] = [...rgba(colour)].map((part) => {
    const share = part / 255;
    return share <= 0.04045 ? share / 12.92 : ((share + 0.055) / 1.055) ** 2.4;
  });
  return 0.2126 * red + 0.7152 * green + 0.0722 * blue > 0.179 ? "#000000" : "#ffffff";
}

export default keeper((parent) => new Tokens(parent));
