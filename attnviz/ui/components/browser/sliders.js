// Groups of numbers that are moved: each a slider and a field, heard of while the hand still moves.

import { Outbox, keeper, painted, unpack } from "./messages.js";
import { element, styles } from "./page.js";

styles("components.css");
styles("scene.css");

class Sliders {
  constructor(parent) {
    this.outbox = new Outbox();
    this.rows = new Map();
    this.held = new Map();
    this.root = element("div", { class: "attnviz-sliders", role: "group" });
    parent.append(this.root);
  }

  async receive(data) {
    const { header } = unpack(data);
    this.outbox.acknowledge(header.seq);
    this.header = header;
    if (this.outbox.idle) this.held.clear();
    this.root.setAttribute("aria-label", header.description);
    await styles("scene.css");
    this.fill();
    painted(this.root, { seq: header.seq });
  }

  fill() {
    const wanted = this.header.groups.map(({ title, numbers }) => [title, ...numbers.map(({ id }) => id)].join("\n")).join("\n\n");
    if (this.filled !== wanted) this.build();
    this.filled = wanted;
    this.header.groups.forEach(({ note, numbers }, group) => {
      this.notes[group].textContent = note;
      this.notes[group].hidden = !note;
      for (const number of numbers) this.show(number);
    });
  }

  build() {
    this.rows.clear();
    this.notes = [];
    this.root.replaceChildren(...this.header.groups.map(({ title, numbers }) => {
      const note = element("p", { class: "attnviz-note" });
      this.notes.push(note);
      return element("fieldset", { class: "attnviz-group" }, element("legend", {}, title), note, ...numbers.map(({ id }) => this.row(id)));
    }));
  }

  row(id) {
    const name = element("span", { class: "attnviz-number-name" });
    const range = element("input", { type: "range", "data-number": id });
    const field = element("input", { type: "text", inputmode: "decimal", autocomplete: "off", class: "attnviz-link attnviz-number-field", "data-number": id });
    range.addEventListener("input", () => this.change(id, Number(range.value), false));
    range.addEventListener("change", () => this.change(id, Number(range.value), true));
    field.addEventListener("change", () => this.typed(id, field));
    field.addEventListener("keydown", (event) => { if (event.key === "Enter") this.typed(id, field); });
    this.rows.set(id, { name, range, field });
    return element("div", { class: "attnviz-number-row" }, name, range, field);
  }

  show({ id, label, spoken, value, least, most, step }) {
    const { name, range, field } = this.rows.get(id);
    const shown = this.held.get(id) ?? value;
    name.textContent = label;
    Object.assign(range, { min: Math.min(least, shown), max: Math.max(most, shown), step });
    range.setAttribute("aria-label", spoken);
    field.setAttribute("aria-label", `${spoken}, ${this.header.labels.field}`);
    if (Number(range.value) !== shown) range.value = shown;
    if (document.activeElement !== field || this.held.has(id)) field.value = written(shown);
  }

  typed(id, field) {
    const { value, floor, ceiling } = this.numbers().find((number) => number.id === id);
    const read = Number(field.value.trim().replace("−", "-").replace(",", "."));
    const good = field.value.trim() !== "" && Number.isFinite(read);
    if (!good) field.value = written(this.held.get(id) ?? value);
    else this.change(id, Math.min(Math.max(read, floor), ceiling), true);
  }

  change(id, value, done) {
    const known = this.numbers().find((number) => number.id === id);
    const before = this.held.get(id) ?? known.value;
    const { range, field } = this.rows.get(id);
    if (Number(range.value) !== value) {
      Object.assign(range, { min: Math.min(range.min, value), max: Math.max(range.max, value) });
      range.value = value;
    }
    field.value = written(value);
    if (before === value) return;
    this.held.set(id, value);
    this.outbox.post(`number ${id}`, { kind: "number", id, value, done });
  }

  numbers() {
    return this.header.groups.flatMap(({ numbers }) => numbers);
  }
}

const written = (value) => String(Number(value.toFixed(4))).replace("-", "−");

export default keeper((parent) => new Sliders(parent));
