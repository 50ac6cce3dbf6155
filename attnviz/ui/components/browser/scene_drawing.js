// Draws a scene into an SVG element: the same on the page and in what is saved.

import { around, beside, bundle, near, onLine, rings } from "./scene_lines.js";
import { magnified, shape } from "./scene_shapes.js";
import { intended, ownRoad, street } from "./scene_street.js";
import { put, short, svg } from "./svg.js";

const NUMBER = 12.5;
const NAME = 12.5;
const LINE_HEIGHT = 16;
// With more road users than this, a name that would cover something waits until its bearer is looked at.
const MANY = 12;

const CLOSE = 8; // pixels between a road user and a number that is plainly its own
const RING = 12; // pixels from the ego to its first ring
const LITTLE = 24; // square pixels of a number that may be covered

let pencil;

function textWidth(text, size, font, weight = 400) {
  pencil ??= new OffscreenCanvas(1, 1).getContext("2d");
  pencil.font = `${weight} ${size}px ${font}`;
  return pencil.measureText(text).width;
}

// Where the chosen one is taken to be turned: ahead of it.
export function gripOf({ point, turn, far }, away = far + 24) {
  return [point[0] + Math.cos(turn) * away, point[1] - Math.sin(turn) * away];
}

export class Drawing {
  // size: how much larger than usual type and lines are
  constructor(root, { colours, font, size, alive }) {
    Object.assign(this, { root, colours, font, size, alive });
    this.layers = Object.fromEntries(
      ["ground", "path", "halos", "rings", "lines", "users", "leaders", "names", "numbers", "bar"].map((name) => [name, svg("g", { class: `attnviz-scene-${name}` })]),
    );
    root.replaceChildren(...Object.values(this.layers));
    for (const name of ["names", "numbers", "leaders", "bar", "path", "halos"]) put(this.layers[name], { "pointer-events": "none", "aria-hidden": "true" });
    this.path = svg("path", { fill: "none", stroke: colours.path, "stroke-width": 2, "stroke-dasharray": "7 6", opacity: 0.75 });
    this.arrow = svg("path", { d: "M 0 0 L -11 -5.5 L -11 5.5 Z", fill: colours.path, opacity: 0.75 });
    this.layers.path.append(this.path, this.arrow);
    this.users = new Map();
    this.lines = new Map();
    this.numbers = new Map();
    this.chosen = new Map();
  }

  // What Python said: who is there, and how thick their lines are.
  dress(header) {
    // The street is drawn anew only where it is another one.
    if (!this.header || header.street !== this.header.street) this.pave(header.road);
    this.header = header;
    this.everybody = [header.ego, ...header.users];
    this.crowded = header.users.length > MANY;
    const ids = new Set(this.everybody.map(({ id }) => id));
    for (const [id, { node, name, leader }] of this.users) if (!ids.has(id)) [node, name, leader].map((one) => one.remove()), this.users.delete(id);
    for (const user of this.everybody) this.dressUser(user);
    this.shownHeads = header.heads.map((head, index) => ({ ...head, index, colour: this.colours.dark ? head.onDark : head.colour })).filter(({ shown }) => shown);
    this.dressLines();
  }

  pave(road) {
    this.layers.ground.replaceChildren(...(road ? ownRoad(road, this.colours) : street(this.colours)));
  }

  dressUser(user) {
    const ego = user.id === this.header.ego.id;
    const looks = [user.kind, user.length, user.width, ego].join();
    let made = this.users.get(user.id);
    if (!made) {
      const body = svg("g", { class: "attnviz-body" });
      const reach = svg("circle", { class: "attnviz-reach", fill: "transparent" });
      const mark = svg("circle", { class: "attnviz-mark", fill: "none", stroke: this.colours.path, "stroke-width": 2, "stroke-dasharray": "5 4", display: "none" });
      const focus = svg("circle", { class: "attnviz-focus", fill: "none", stroke: this.colours.text, "stroke-width": 2 });
      const node = svg("g", { class: "attnviz-user", "data-id": user.id }, reach, mark, ...(this.alive ? [focus] : []), body);
      const name = this.text("", NAME, { "text-anchor": "middle" });
      this.layers.users.append(node);
      const leader = svg("line", { stroke: this.colours.text, "stroke-width": 0.75, opacity: 0.7, display: "none" });
      this.layers.names.append(name);
      this.layers.leaders.append(leader);
      this.users.set(user.id, (made = { node, body, reach, mark, focus, name, leader }));
    }
    if (made.looks !== looks) made.body.replaceChildren(...shape(user, this.colours, ego));
    Object.assign(made, { looks, user, ego });
    made.name.textContent = user.label;
    if (this.alive) put(made.node, { role: "button", tabindex: 0, "aria-label": user.said, "aria-pressed": user.id === this.header.selected });
  }

  text(content, size, attributes = {}) {
    return svg("text", {
      fill: this.colours.text, stroke: this.colours.paper, "stroke-width": 3, "stroke-linejoin": "round",
      "paint-order": "stroke", "font-family": this.font, "font-size": short(size * this.size), ...attributes,
    }, content);
  }

  dressLines() {
    const wanted = new Set();
    for (const user of this.everybody) {
      const ofUser = this.header.lines[user.id];
      for (const { index, colour, name } of ofUser ? this.shownHeads : []) {
        const key = `${user.id} ${index}`, { width, weight, text } = ofUser[index];
        wanted.add(key);
        if (!this.lines.has(key)) this.lines.set(key, this.newLine(user.id, index));
        const { line, halo, title } = this.lines.get(key);
        put(line, { stroke: colour, "stroke-width": short(width * this.size), "data-weight": weight });
        put(halo, { "stroke-width": short(width * this.size + 2.5) });
        title.textContent = [user.label, name, text].filter(Boolean).join(" · ");
      }
    }
    for (const [key, { line, halo }] of this.lines) if (!wanted.has(key)) line.remove(), halo.remove(), this.lines.delete(key);
    for (const [id, node] of this.numbers) if (!this.header.lines[id]) node.remove(), this.numbers.delete(id), this.chosen.delete(id);
  }

  newLine(id, head) {
    const ring = id === this.header.ego.id;
    const title = svg("title");
    const line = svg(ring ? "circle" : "line", { class: ring ? "attnviz-ring" : "attnviz-weight", "data-user": id, "data-head": head, fill: "none" }, title);
    const halo = svg(ring ? "circle" : "line", { stroke: this.colours.paper, opacity: 0.6, fill: "none" });
    this.layers[ring ? "rings" : "lines"].append(line);
    this.layers.halos.append(halo);
    return { line, halo, title };
  }

  // places: id → { x, y, heading } where the hand is ahead of Python.
  paint(view, places, { selected, regarded } = {}) {
    const at = (user) => places.get(user.id) ?? user;
    const { scale } = view;
    const side = this.header.traffic === "left" || this.header.road ? 1 : -1;
    const [left, top] = view.pixels(0, 0);
    put(this.layers.ground, { transform: `matrix(${short(scale * side)} 0 0 ${-short(scale)} ${short(left)} ${short(top)})` });
    this.paintPath(view, at(this.header.ego), side);
    const spots = new Map();
    for (const [id, made] of this.users) spots.set(id, this.paintUser(made, at(made.user), view, selected === id));
    const area = [view.width, view.height];
    const taken = [...spots.values()].map(({ box }) => box);
    const grip = this.alive && this.header.tools && spots.has(selected) ? gripOf(spots.get(selected)) : null;
    if (grip) taken.push(around(...grip, 20, 20));
    this.paintLines(spots);
    this.paintNumbers(spots, taken, area);
    this.paintNames(spots, taken, area, selected, regarded);
    this.paintBar(view);
    this.spots = spots;
  }

  // The way as it is known, else the one that the ego means to take at the junction; none on a road from a file.
  paintPath(view, place, side) {
    const { way: known, road } = this.header;
    put(this.layers.path, { display: road && !known ? "none" : null });
    if (road && !known) return;
    const way = known ? `M ${known.map((point) => point.join(" ")).join(" L ")}` : intended({ ...place, length: this.header.ego.length }, side);
    const pixels = way.replace(/(-?[\d.]+) (-?[\d.]+)/g, (_all, x, y) => view.pixels(Number(x), Number(y)).map(short).join(" "));
    put(this.path, { d: pixels, "stroke-width": 2 * this.size });
    const [x, y] = pixels.split(" ").slice(-2).map(Number);
    const from = pixels.split(" ").filter((part) => !/[MLC]/.test(part)).slice(-4, -2).map(Number);
    const turn = known ? (Math.atan2(y - from[1], x - from[0]) * 180) / Math.PI : side > 0 ? 0 : 180;
    put(this.arrow, { transform: `translate(${x} ${y}) rotate(${short(turn)}) scale(${this.size})` });
  }

  paintUser({ node, body, reach, mark, focus, user, ego }, { x, y, heading }, view, selected) {
    const [left, top] = view.pixels(x, y);
    const larger = magnified(user, view.scale);
    const stretch = short(view.scale * larger);
    const turn = (heading * Math.PI) / 180;
    const [length, width] = [user.length * stretch, user.width * stretch];
    const high = Math.abs(Math.sin(turn)) * length + Math.abs(Math.cos(turn)) * width;
    const wide = Math.abs(Math.cos(turn)) * length + Math.abs(Math.sin(turn)) * width;
    const far = Math.hypot(length, width) / 2;
    put(node, { transform: `translate(${short(left)} ${short(top)})`, "data-x": x, "data-y": y, "data-heading": heading });
    put(body, { transform: `scale(${stretch} ${-stretch}) rotate(${short(heading)})` });
    // A letter on a roof stays upright.
    const letter = body.querySelector("text");
    if (letter) put(letter, { transform: Math.abs(heading) > 90 ? "rotate(180) scale(1 -1)" : "scale(1 -1)" });
    put(reach, { r: short(Math.max(far, 20)) });
    put(focus, { r: short(far + 9) });
    put(mark, { r: short(far + 5), display: selected && this.alive ? null : "none" });
    return { id: user.id, point: [left, top], box: around(left, top, wide + 4, high + 4), far, turn, ego };
  }

  // Half of the width and height that a number stays clear of: the road user itself, and the ego's rings.
  halfOf({ id, box, far, ego }) {
    const widths = ego ? this.widthsOf(id) : [];
    const ring = widths.length ? rings(far + RING, widths).at(-1) + widths.at(-1) / 2 : 0;
    return [Math.max((box.right - box.left) / 2, ring), Math.max((box.bottom - box.top) / 2, ring)];
  }

  widthsOf(id) {
    return this.shownHeads.map(({ index }) => this.header.lines[id][index].width * this.size);
  }

  paintLines(spots) {
    const ego = spots.get(this.header.ego.id);
    for (const [id, { point }] of spots) {
      if (!this.header.lines[id]) continue;
      const ring = id === this.header.ego.id;
      const drawn = ring ? rings(ego.far + RING, this.widthsOf(id)) : bundle(ego.point, point, this.widthsOf(id));
      this.shownHeads.forEach(({ index }, place) => {
        const { line, halo } = this.lines.get(`${id} ${index}`);
        const where = ring
          ? { cx: short(point[0]), cy: short(point[1]), r: short(drawn[place]) }
          : Object.fromEntries(Object.entries(drawn[place]).map(([name, value]) => [name, short(value)]));
        put(line, where);
        put(halo, where);
      });
    }
  }

  // Every line has its number; the largest weights choose their place first.
  paintNumbers(spots, taken, area) {
    const ego = spots.get(this.header.ego.id).point;
    const greatest = (id) => Math.max(...this.shownHeads.map(({ index }) => this.header.lines[id][index].weight || 0));
    this.covered = false;
    const ids = [...spots.keys()].filter((id) => this.header.lines[id]).sort((one, other) => greatest(other) - greatest(one));
    for (const id of ids) {
      const texts = this.shownHeads.map(({ index }) => this.header.lines[id][index].text);
      const several = this.header.heads.length > 1;
      const high = LINE_HEIGHT * this.size * texts.length + 4;
      const wide = Math.max(0, ...texts.map((text) => textWidth(text, NUMBER * this.size, this.font, 600))) + 12 + (several ? 13 * this.size : 0);
      const spot = spots.get(id);
      const size = [wide, high], previous = this.chosen.get(id);
      const others = [...spots.values()].filter((one) => one !== spot && !one.ego && this.header.lines[one.id]).map(({ point }) => point);
      const beside = () => near(spot.point, this.halfOf(spot), size, taken, area, previous);
      let place = this.crowded || spot.ego ? beside() : onLine(ego, spot.point, size, { taken, area, others, previous });
      // On top of something else nobody could read it: then beside its road user, with a line that leads there.
      if (place.covers > LITTLE && place.choice.length === 2) place = [place, beside()].sort((one, other) => one.covers - other.covers)[0];
      this.chosen.set(id, place.choice);
      this.covered ||= texts.length > 0 && place.covers > LITTLE;
      taken.push(place);
      this.paintNumber(id, texts, place, several);
      this.paintLeader(id, spot, place);
    }
  }

  // A number that stands beside its road user and not on its line is led to where it is not close.
  paintLeader(id, { point, box, ego }, place) {
    const { leader } = this.users.get(id);
    const across = Math.max(place.left - box.right, box.left - place.right, 0);
    const down = Math.max(place.top - box.bottom, box.top - place.bottom, 0);
    const shown = place.choice.length === 3 && !ego && Math.hypot(across, down) > CLOSE;
    put(leader, { x1: short(point[0]), y1: short(point[1]), x2: short(place.x), y2: short(place.y), display: shown ? null : "none" });
  }

  paintNumber(id, texts, { left, top, right, bottom, x, y }, several) {
    let node = this.numbers.get(id);
    if (!node) {
      node = svg("g", { class: "attnviz-number", "data-user": id });
      this.layers.numbers.append(node);
      this.numbers.set(id, node);
    }
    // Beside its line a number is led back to it only by its colour and its nearness: so it stays near.
    const parts = [svg("rect", {
      x: short(left), y: short(top), width: short(right - left), height: short(bottom - top), rx: 4 * this.size,
      fill: this.colours.paper, opacity: texts.length ? 0.88 : 0, stroke: this.colours.kerb, "stroke-width": 0.75,
    })];
    texts.forEach((text, place) => {
      const line = top + 2 + (place + 0.5) * LINE_HEIGHT * this.size;
      if (several) {
        const side = 9 * this.size;
        parts.push(svg("rect", { x: short(left + 5), y: short(line - side / 2), width: side, height: side, rx: 2, fill: this.shownHeads[place].colour }));
      }
      parts.push(svg("text", {
        x: short(several ? left + 5 + 13 * this.size : x), y: short(line + 4.4 * this.size), fill: this.colours.text, "font-weight": 600,
        "font-size": short(NUMBER * this.size), "font-family": this.font, "text-anchor": several ? "start" : "middle",
      }, text));
    });
    node.replaceChildren(...parts);
    put(node, { "data-x": short(x), "data-y": short(y) });
  }

  paintNames(spots, taken, area, selected, regarded) {
    const first = (id) => Number(id === selected || id === regarded || spots.get(id).ego);
    const order = [...spots.keys()].sort((one, other) => first(other) - first(one));
    for (const id of order) {
      const { name, user } = this.users.get(id), spot = spots.get(id);
      const size = [textWidth(user.label, NAME * this.size, this.font) + 6, LINE_HEIGHT * this.size];
      const reach = Math.max((spot.box.bottom - spot.box.top) / 2, 8);
      const place = beside(spot.point, reach, size, taken, area);
      const shown = !this.crowded || place.cost === 0 || spot.ego || id === selected || id === regarded;
      put(name, { x: short(place.x), y: short(place.y + 4.4 * this.size), display: shown ? null : "none" });
      if (shown) taken.push(place);
    }
  }

  // How long five metres are, and which side is driven on is seen.
  paintBar(view) {
    const metres = view.scale * 5 > 60 ? 5 : view.scale * 10 > 40 ? 10 : 20;
    const [left, top] = [14, view.height - 14];
    const length = metres * view.scale;
    if (!this.bar) {
      this.bar = svg("path", { fill: "none", stroke: this.colours.text, "stroke-width": 1.5 });
      this.barText = this.text("", 11);
      this.layers.bar.append(this.bar, this.barText);
    }
    put(this.bar, { d: `M ${left} ${top - 4} V ${top} H ${short(left + length)} V ${top - 4}` });
    put(this.barText, { x: left + 5, y: top - 6 });
    this.barText.textContent = `${metres} ${this.header.labels.metre}`;
  }
}
