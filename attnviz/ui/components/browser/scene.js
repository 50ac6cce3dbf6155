// A street seen from above, with a line from the ego to every road user, as thick as its weight.

import { Outbox, keeper, painted, unpack } from "./messages.js";
import { calm, element, onTypeScale, save, styles, theme, typeScale } from "./page.js";
import { DARK, LIGHT } from "./scene_colours.js";
import { Drawing, gripOf } from "./scene_drawing.js";
import { printed, rows } from "./scene_export.js";
import { Hands, TURN, turned } from "./scene_hands.js";
import { BOUNDS } from "./scene_street.js";
import { StreetView } from "./scene_view.js";
import { csv } from "./table.js";
import { relabel, toolbar } from "./toolbar.js";
import { put, short, svg } from "./svg.js";

styles("components.css");
styles("scene.css");

const ROOM = 4; // metres kept free around whoever stands outermost
const FREE = 3.2; // metres between a new road user and its neighbours
const MAGNIFY = 1.4;
const SHARE_OF_SCREEN = 0.62; // of a high screen the street takes more than it was asked to

class Scene {
  constructor(parent) {
    this.outbox = new Outbox();
    this.view = new StreetView();
    this.held = new Map();
    this.coming = [];
    this.stage = svg("svg", { class: "attnviz-street", role: "group" });
    this.handle = svg("g", { class: "attnviz-turn", role: "presentation" });
    this.field = element("input", { type: "text", class: "attnviz-rename", maxlength: 60, hidden: true });
    this.board = element("div", { class: "attnviz-stage attnviz-scene-stage" }, this.stage, this.field);
    this.heads = element("div", { class: "attnviz-heads", role: "group" });
    this.readout = element("p", { class: "attnviz-readout", "aria-live": "off" });
    this.tools = this.makeTools();
    this.bar = toolbar(
      [
        ["out", "−", () => this.magnify(1 / MAGNIFY)],
        ["in", "+", () => this.magnify(MAGNIFY)],
        ["whole", "⟲", () => this.showAll()],
        ["png", "PNG", async () => save(await printed(this).png(), `${this.header.file}.png`)],
        ["svg", "SVG", () => save(printed(this).svg(), `${this.header.file}.svg`, "image/svg+xml")],
        ["html", "HTML", () => save(printed(this).html(), `${this.header.file}.html`, "text/html")],
        ["csv", "CSV", () => save(csv(rows(this)), `${this.header.file}.csv`, "text/csv;charset=utf-8")],
      ],
      {},
    );
    this.root = element("div", { class: "attnviz-scene" }, this.tools, this.heads, this.board, element("div", { class: "attnviz-below" }, this.readout, this.bar));
    parent.append(this.root);
    this.hands = new Hands(this);
    this.listen();
    this.sizes = new ResizeObserver(() => this.resize());
    this.sizes.observe(this.board);
    this.deaf = onTypeScale(() => this.retype());
  }

  makeTools() {
    const button = (name, act) => element("button", { type: "button", class: "attnviz-button", "data-action": name, onclick: act });
    this.adder = element("select", { class: "attnviz-button", "data-action": "add", onchange: () => this.add() });
    this.buttons = {
      left: button("left", () => this.turnBy(this.selected, TURN)),
      right: button("right", () => this.turnBy(this.selected, -TURN)),
      rename: button("rename", () => this.rename(this.selected)),
      remove: button("remove", () => this.remove(this.selected)),
    };
    return element("div", { class: "attnviz-scene-tools", role: "group" }, this.adder, ...Object.values(this.buttons));
  }

  listen() {
    this.field.addEventListener("keydown", (event) => {
      event.stopPropagation();
      if (event.key === "Enter") this.named(true);
      if (event.key === "Escape") this.named(false);
    });
    this.field.addEventListener("blur", () => this.named(true));
    const regard = (event) => this.regard(event.target.closest?.(".attnviz-user")?.dataset.id ?? null);
    for (const name of ["pointerover", "focusin"]) this.stage.addEventListener(name, regard);
    for (const name of ["pointerleave", "focusout"]) this.stage.addEventListener(name, () => this.regard(null));
  }

  async receive(data) {
    const { header } = unpack(data);
    this.outbox.acknowledge(header.seq);
    const first = !this.header;
    const moved = first || this.gathering(header) !== this.gathering(this.header);
    this.header = header;
    if (this.outbox.idle) this.settle();
    this.relabel();
    if (first) await Promise.all([styles("components.css"), styles("scene.css")]);
    this.redress();
    this.resize(moved);
    painted(this.root, { seq: header.seq });
  }

  // Python has seen everything: what it says now is right.
  settle() {
    if (this.hands.dragging) return;
    this.held.clear();
    this.coming = [];
    this.chosen = undefined;
  }

  // A change of who is there, or of the street, shows the whole again; a moved road user does not.
  gathering({ users, traffic, start }) {
    return [traffic, start, ...users.map(({ id }) => id)].join(" ");
  }

  redress() {
    const around = theme(this.root);
    const size = typeScale();
    const looks = [around.dark, around.font, size].join();
    if (this.looks !== looks) {
      this.drawing = new Drawing(this.stage, { colours: around.dark ? DARK : LIGHT, font: around.font, size, alive: true });
      Object.assign(this, { looks, size });
      this.stage.append(this.handle);
      this.drawHandle();
    }
    const focused = this.stage.contains(document.activeElement) ? document.activeElement.dataset.id : null;
    this.drawing.dress(this.header);
    // Whoever had the focus has left the street: it goes to the one that is chosen now.
    if (focused && !this.knows(focused)) this.focus(this.selected);
    put(this.stage, { "aria-label": this.header.description });
  }

  drawHandle() {
    const { text, paper } = this.drawing.colours;
    this.handle.replaceChildren(
      svg("line", { stroke: text, "stroke-width": 1.5, "stroke-dasharray": "3 3" }),
      svg("circle", { r: 18, fill: "transparent" }),
      svg("circle", { r: 7, fill: paper, stroke: text, "stroke-width": 2 }),
      svg("title"),
    );
  }

  relabel() {
    const { labels, kinds, heads, tools } = this.header;
    this.tools.hidden = !tools;
    this.tools.setAttribute("aria-label", labels.tools);
    for (const [name, button] of Object.entries(this.buttons)) {
      button.textContent = { left: "↺ 15°", right: "↻ 15°" }[name] ?? labels[name];
      button.setAttribute("aria-label", labels[name]);
      button.title = labels[`${name}Help`];
    }
    this.adder.setAttribute("aria-label", labels.add);
    this.adder.replaceChildren(
      element("option", { value: "" }, `＋ ${labels.add}`),
      ...kinds.map(([kind, name]) => element("option", { value: kind }, name)),
    );
    this.field.setAttribute("aria-label", labels.rename);
    relabel(this.bar, labels);
    this.heads.hidden = heads.length < 2;
    this.heads.setAttribute("aria-label", labels.heads);
    while (this.heads.children.length > heads.length) this.heads.lastChild.remove();
    const { dark } = theme(this.root);
    heads.forEach(({ name, colour, onDark, shown }, head) => {
      if (!this.heads.children[head]) {
        this.heads.append(element("button", { type: "button", class: "attnviz-button", onclick: () => this.toggle(head) }));
      }
      const button = this.heads.children[head];
      button.setAttribute("aria-pressed", String(shown));
      button.replaceChildren(element("span", { class: "attnviz-swatch", style: `background:${dark ? onDark : colour}`, "aria-hidden": "true" }), name);
    });
  }

  resize(moved = false) {
    const width = this.board.clientWidth;
    if (!this.drawing || !width) return;
    const bounds = moved || !this.bounds ? this.outermost() : this.bounds;
    this.bounds = bounds;
    const shape = (bounds.top - bounds.bottom) / (bounds.right - bounds.left);
    const most = Math.max(this.header.height, innerHeight * SHARE_OF_SCREEN);
    const height = Math.round(Math.max(Math.min(width * shape, most), Math.min(260, width)));
    this.stage.style.height = `${height}px`;
    put(this.stage, { width, height, viewBox: `0 0 ${width} ${height}` });
    this.view.place(width, height, bounds);
    this.paint();
  }

  // The crossing, and everybody.
  outermost() {
    const side = this.header.traffic === "left" || this.header.bounds ? 1 : -1;
    const { left, right, bottom, top } = this.header.bounds ?? BOUNDS;
    const across = [left * side, right * side, ...this.everybody.flatMap(({ x }) => [x - ROOM, x + ROOM])];
    const up = [bottom, top, ...this.everybody.flatMap(({ y }) => [y - ROOM, y + ROOM])];
    return { left: Math.min(...across), right: Math.max(...across), bottom: Math.min(...up), top: Math.max(...up) };
  }

  get everybody() {
    return [this.header.ego, ...this.header.users];
  }

  get selected() {
    return this.chosen ?? this.header.selected;
  }

  place(id) {
    const { x, y, heading } = this.held.get(id) ?? this.everybody.find((user) => user.id === id);
    return { x, y, heading };
  }

  // Own pixels move at once; Python hears of it, while the hand still moves only if places change weights.
  put(id, place, done) {
    this.held.set(id, place);
    if (done || this.header.live) this.outbox.post(`place ${id}`, { kind: "place", id, ...place, done });
    this.frame ??= requestAnimationFrame(() => {
      this.frame = undefined;
      this.paint();
    });
  }

  turnBy(id, degrees) {
    if (!this.knows(id)) return;
    this.choose(id);
    const place = this.place(id);
    this.put(id, { ...place, heading: turned(place.heading + degrees) }, true);
  }

  knows(id) {
    return this.everybody.some((user) => user.id === id);
  }

  // Only here; a place that is told chooses, too.
  choose(id) {
    this.chosen = id;
    this.paint();
  }

  select(id) {
    if (this.header.selected !== id) this.outbox.post("select", { kind: "select", id });
    this.choose(id);
  }

  focus(id) {
    this.drawing.users.get(id)?.node.focus({ preventScroll: true });
  }

  remove(id) {
    if (id !== this.header.ego.id && this.knows(id)) this.outbox.post(`remove ${id}`, { kind: "remove", id });
  }

  // Somewhere near the middle of what is seen, where nobody stands.
  add() {
    const kind = this.adder.value;
    this.adder.value = "";
    if (!kind) return;
    const taken = [...this.everybody.map(({ id }) => this.place(id)), ...this.coming];
    const free = (x, y) => taken.every((place) => Math.hypot(place.x - x, place.y - y) > FREE);
    let spot = [this.view.x, this.view.y];
    for (let step = 0; step < 200 && !free(...spot); step++) {
      const [turn, far] = [step * 2.4, 0.6 * Math.sqrt(step) * 2];
      spot = this.view.inside(this.view.x + Math.cos(turn) * far, this.view.y + Math.sin(turn) * far);
    }
    const [x, y] = spot.map((metres) => Math.round(metres * 10) / 10);
    this.coming.push({ x, y });
    this.outbox.post(`add ${performance.now()}`, { kind: "add", what: kind, x, y });
  }

  rename(id) {
    if (!this.knows(id) || id === this.header.ego.id) return;
    const { point } = this.drawing.spots.get(id);
    this.renaming = id;
    this.field.value = this.everybody.find((user) => user.id === id).label;
    this.field.hidden = false;
    this.field.style.left = `${Math.min(Math.max(point[0], 90), this.view.width - 90)}px`;
    this.field.style.top = `${Math.min(point[1] + 14, this.view.height - 34)}px`;
    this.field.focus();
    this.field.select();
  }

  named(taken) {
    const id = this.renaming;
    if (!id) return;
    this.renaming = null;
    const name = this.field.value.trim();
    if (taken && name !== this.everybody.find((user) => user.id === id)?.label) {
      this.outbox.post(`rename ${id}`, { kind: "rename", id, name });
    }
    this.field.hidden = true;
    this.focus(id);
  }

  toggle(head) {
    this.outbox.post(`head ${head}`, { kind: "head", head });
  }

  magnify(factor, left, top) {
    this.view.magnify(factor, left, top);
    this.paint();
  }

  showAll() {
    this.view.reset();
    this.resize(true);
  }

  regard(id) {
    if (this.regarded === id) return;
    this.regarded = id;
    if (this.drawing) this.paint();
  }

  paint() {
    const { selected, regarded } = this;
    this.drawing.paint(this.view, this.held, { selected, regarded });
    this.stage.classList.toggle("attnviz-zoomed", !this.view.whole);
    this.stage.classList.toggle("attnviz-calm", calm());
    this.paintHandle();
    this.tell();
    const other = selected !== this.header.ego.id && this.knows(selected);
    for (const name of ["rename", "remove"]) this.buttons[name].disabled = !other;
    for (const name of ["left", "right"]) this.buttons[name].disabled = !this.knows(selected);
  }

  paintHandle() {
    const spot = this.drawing.spots.get(this.selected);
    put(this.handle, { display: spot && this.header.tools ? null : "none" });
    if (!spot) return;
    const [x1, y1] = gripOf(spot, spot.far + 5).map(short);
    const [x2, y2] = gripOf(spot).map(short);
    const [line, reach, knob, title] = this.handle.children;
    put(line, { x1, y1, x2, y2 });
    for (const circle of [reach, knob]) put(circle, { cx: x2, cy: y2 });
    title.textContent = this.header.labels.turn;
  }

  // Who is looked at, in full: the exact weight, and where it stands.
  tell() {
    const id = this.regarded ?? this.selected;
    const user = this.everybody.find((one) => one.id === id);
    if (!user) return (this.readout.textContent = this.header.labels.help);
    const { x, y, heading } = this.place(id);
    const { place } = this.header.labels;
    const where = place.replace("{x}", x.toFixed(1)).replace("{y}", y.toFixed(1)).replace("{heading}", String(Math.round(heading)));
    const covered = this.drawing.covered ? ` · ${this.header.labels.covered}` : "";
    this.readout.textContent = `${user.said} · ${where.replaceAll("-", "−")}${covered}`;
  }

  retype() {
    if (!this.drawing) return;
    this.redress();
    this.resize();
  }

  close() {
    this.deaf();
    this.sizes.disconnect();
    cancelAnimationFrame(this.frame);
  }
}

export default keeper((parent) => new Scene(parent));
