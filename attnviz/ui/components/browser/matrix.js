// The matrix component: a canvas with its own zoom, a cursor for the keyboard, a line that says what is there.

import { page } from "./export.js";
import { Levels, STATES, decoded } from "./levels.js";
import { legend } from "./matrix_legend.js";
import { GUTTER, GUTTER_OF_TILES, isolated, paint } from "./matrix_paint.js";
import { drawing, sheet } from "./matrix_export.js";
import { Outbox, keeper, painted, text, unpack } from "./messages.js";
import { element, onTypeScale, save, styles, theme, typeScale } from "./page.js";
import { listen } from "./matrix_hands.js";
import { relabel, toolbar } from "./toolbar.js";
import { Viewport } from "./viewport.js";

styles("components.css");

// How long a pointer rests on a cell before its exact value is asked for.
const REST_MS = 70;
const STEP = 1.5;
// Cells smaller than this on the screen cannot be aimed at.
const FINE_PX = 3;

// Codes by name, for answers that leave them out; a page that is left and opened again finds them here.
const kept = new Map();
const MOST_KEPT = 4;

function keep(name, content) {
  kept.delete(name);
  kept.set(name, content);
  if (kept.size > MOST_KEPT) kept.delete(kept.keys().next().value);
}

class Matrix {
  constructor(parent) {
    this.outbox = new Outbox();
    this.marks = { selected: [null, null], selectedTile: null, hovered: null, cursor: null };
    this.canvas = element("canvas", { class: "attnviz-canvas", tabindex: "0", role: "application" });
    this.said = element("p", { class: "attnviz-readout", role: "status" });
    this.line = element("div", { class: "attnviz-below" }, this.said);
    this.meaning = element("div");
    this.root = element("div", { class: "attnviz-matrix" }, this.canvas, this.line, this.meaning);
    parent.append(this.root);
    listen(this);
    this.observer = new ResizeObserver(() => this.resized());
    this.observer.observe(this.canvas);
    this.deaf = onTypeScale(() => this.resized());
  }

  async receive(data) {
    const { header, parts } = unpack(data);
    this.latest = data;
    this.outbox.acknowledge(header.seq);
    await styles("components.css");
    if (this.latest !== data || this.closed) return;
    if (!this.take(header, parts)) return;
    this.describe(header);
    this.resized(true);
    painted(this.root, { seq: header.seq });
  }

  // False when the codes are neither sent nor kept: they are asked for.
  take(header, [labels, codes, colours]) {
    if (codes.length) keep(header.name, { ...JSON.parse(text(labels)), codes: codes.slice() });
    const content = kept.get(header.name);
    if (!content) {
      this.outbox.post("need", { kind: "need", held: null });
      return false;
    }
    const { rows, columns, tile } = header;
    const shape = JSON.stringify([rows, columns, tile]);
    if (shape !== this.shape) Object.assign(this, { shape, viewport: new Viewport(rows, columns) });
    if (header.name !== this.name) {
      Object.assign(this, content, { name: header.name, levels: new Levels(content.codes, rows, columns, colours, tile), values: new Map() });
      this.marks.hovered = this.inside(this.marks.hovered);
      this.marks.cursor = this.inside(this.marks.cursor);
    }
    Object.assign(this, { header, colours: colours.slice(), tile, cell: header.cell, highlight: header.highlight, labels: header.labels });
    return true;
  }

  inside(cell) {
    return cell && cell[0] < this.viewport.rows && cell[1] < this.viewport.columns ? cell : null;
  }

  describe({ selected, selectedTile, value, description, labels, ticks }) {
    if (value) this.values.set(`${value.row} ${value.column}`, value.text);
    if (this.outbox.idle) Object.assign(this.marks, { selected, selectedTile });
    this.canvas.setAttribute("aria-label", `${description} ${labels.help}`);
    this.canvas.title = labels.help;
    this.canvas.classList.toggle("attnviz-clickable", this.header.clicks);
    if (!this.bar) this.line.append((this.bar = toolbar(
      [
        ["out", "−", () => this.zoom(1 / STEP)],
        ["in", "+", () => this.zoom(STEP)],
        ["reset", "⟲", () => this.whole()],
        ["png", "PNG", async () => save(await sheet(this).convertToBlob(), `${this.header.file}.png`)],
        ["svg", "SVG", async () => save(await drawing(this), `${this.header.file}.svg`, "image/svg+xml")],
        ["html", "HTML", async () => save(page(description, [await drawing(this)]), `${this.header.file}.html`, "text/html")],
      ],
      labels,
    )));
    relabel(this.bar, labels);
    this.meaning.replaceChildren(legend(this.colours, ticks, labels, this.levels.present));
  }

  // Told what to draw, and given room on the page: a part of a page that is folded away has none.
  get ready() {
    return Boolean(this.viewport?.area);
  }

  // Pixels of the screen for each unit of the drawing: where type is larger, all of the drawing is.
  get density() {
    return (window.devicePixelRatio || 1) * this.type;
  }

  resized(redraw = false) {
    if (!this.viewport) return;
    this.type = typeScale();
    const width = this.canvas.clientWidth / this.type;
    if (!width) {
      // Whatever comes meanwhile is drawn when there is room again, be it as large as before.
      this.size = null;
      return;
    }
    const gutter = this.tile ? GUTTER_OF_TILES : GUTTER;
    const [beside, above] = [gutter.left + gutter.right, gutter.top + gutter.bottom];
    const area = { left: gutter.left, top: gutter.top, width: Math.max(40, width - beside), height: this.header.height - above };
    // A map that is as wide as its place needs no more height than its rows.
    area.height = Math.max(40, Math.min(area.height, this.viewport.neededHeight(area.width)));
    const size = `${width} ${area.height} ${this.density}`;
    if (size !== this.size || !this.viewport.area) {
      this.size = size;
      this.height = area.height + above;
      this.canvas.style.height = `${this.height * this.type}px`;
      this.canvas.width = Math.round(width * this.density);
      this.canvas.height = Math.round(this.height * this.density);
      this.viewport.place(area);
      redraw = true;
    }
    if (!redraw) return;
    this.draw();
    this.say();
  }

  // At once: called for messages and resizes. Movements of the hand are gathered into frames by `later`.
  draw() {
    const pencil = this.canvas.getContext("2d");
    pencil.setTransform(this.density, 0, 0, this.density, 0, 0);
    pencil.clearRect(0, 0, this.canvas.width, this.canvas.height);
    paint(pencil, this, theme(this.root));
    this.root.dataset.attnvizView = [this.viewport.x, this.viewport.y, ...this.viewport.scale].map((part) => part.toFixed(3)).join(" ");
  }

  later() {
    this.frame ??= requestAnimationFrame(() => {
      this.frame = null;
      if (!this.closed && this.ready) this.draw();
    });
  }

  zoom(factor, point) {
    if (!this.ready) return;
    this.viewport.zoom(factor, point);
    this.say();
    this.later();
  }

  whole() {
    if (!this.ready) return;
    this.viewport.reset();
    this.say();
    this.later();
  }

  // The cell that a point of the screen shows: the strongest of those that share a pixel. Where cells are
  // hardly larger than pixels nobody can aim at one, so the pixels around are looked through as well.
  under(left, top) {
    const index = this.viewport.level(this.density);
    const size = Math.min(...this.viewport.scale) * 2 ** index;
    const around = size < FINE_PX ? [0, -1, 1] : [0];
    const cells = around.flatMap((down) => around.map((across) => this.viewport.cell(left + across, top + down)));
    if (!cells[0]) return null;
    const found = cells.filter(Boolean).map(([row, column]) => this.levels.strongest(index, row >> index, column >> index));
    return found.reduce((best, cell) => (this.code(cell) > this.code(best) ? cell : best));
  }

  code([row, column]) {
    return this.codes[row * this.viewport.columns + column];
  }

  point(cell) {
    if (String(cell) === String(this.marks.hovered)) return;
    this.marks.hovered = cell;
    this.asked(cell);
    this.say();
    this.later();
  }

  cursor(cell) {
    this.marks.cursor = cell;
    if (cell) this.viewport.show(cell);
    this.asked(cell);
    this.say();
    this.later();
  }

  asked(cell) {
    clearTimeout(this.rest);
    if (!cell || !this.header.asks || this.values.has(cell.join(" "))) return;
    this.rest = setTimeout(() => this.post("ask", cell), REST_MS);
  }

  choose(cell) {
    if (!cell || !this.header.clicks) return;
    if (this.tile) this.marks.selectedTile = [Math.floor(cell[0] / this.tile[0]), Math.floor(cell[1] / this.tile[1])];
    else this.marks.selected = cell;
    this.later();
    this.post("click", cell);
  }

  post(kind, [row, column]) {
    this.outbox.post(kind, { kind, row, column, held: this.name });
  }

  // What is under the pointer, or else under the cursor: at once from what is here, exactly once it is known.
  say(instead) {
    const cell = this.marks.hovered ?? this.marks.cursor;
    const pooled = 2 ** this.viewport.level(this.density);
    const told = cell ? (this.values.get(cell.join(" ")) ?? this.about(cell)) : "";
    const note = pooled > 1 ? this.labels.pooled.replaceAll("{count}", pooled) : "";
    const line = instead ?? [told, told ? "" : note].filter(Boolean).join(" ");
    if (this.said.textContent !== line) this.said.textContent = line;
    this.said.dataset.exact = String(Boolean(cell && this.values.has(cell.join(" "))));
  }

  about([row, column]) {
    const code = this.code([row, column]);
    const weight = code < STATES ? this.labels.states[code] : `≈ ${decoded(code).toPrecision(2)}`;
    return `${this.placed(row, column)}: ${weight}`;
  }

  placed(row, column) {
    if (this.tile) {
      const [down, across] = [Math.floor(row / this.tile[0]), Math.floor(column / this.tile[1])];
      const [here, there] = this.tileLabels;
      return fill(this.labels.map, { row: here[down] ?? down, column: there[across] ?? across });
    }
    const side = (labels, at, size) => {
      const [first, last] = [at * size, Math.min((at + 1) * size, labels.length || Infinity) - 1];
      const named = (position) => (labels.length ? `“${isolated(labels[position])}” (${position})` : String(position));
      return size > 1 && last > first ? `${named(first)} … ${named(last)}` : named(first);
    };
    return `${side(this.rowLabels, row, this.cell[0])} → ${side(this.columnLabels, column, this.cell[1])}`;
  }

  close() {
    this.closed = true;
    this.deaf();
    clearTimeout(this.rest);
    this.observer.disconnect();
  }
}

// In one pass: a label may itself hold braces.
const fill = (pattern, fields) => pattern.replace(/\{(\w+)\}/g, (whole, name) => fields[name] ?? whole);

export default keeper((parent) => new Matrix(parent));
