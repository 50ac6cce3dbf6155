// Handles: buttons over the points of a plot that can be dragged, by pointer, finger or arrow keys.

import { element } from "./page.js";
import { plain, values } from "./table.js";

const ARROWS = { ArrowLeft: [-1, 0], ArrowRight: [1, 0], ArrowUp: [0, 1], ArrowDown: [0, -1] };

export class Handles {
  // moved(handle, x, y, done) is told of every move.
  constructor(plot, layer, Plotly, moved) {
    Object.assign(this, { plot, layer, Plotly, moved });
    this.buttons = new Map();
    // Where a handle was put here, until Python has answered: an older answer must not pull it back.
    this.held = new Map();
  }

  // Called before the figure is drawn: what the hand holds stays where the hand is.
  apply(data) {
    this.points = new Map();
    data.forEach((trace, index) => {
      if (!trace.meta?.handles) return;
      const [x, y] = [Array.from(values(trace.x)), Array.from(values(trace.y))];
      trace.meta.handles.forEach((handle, point) => {
        if (handle === null) return;
        this.points.set(handle, { trace, index, point });
        const held = this.held.get(handle);
        if (held) [x[point], y[point]] = held;
      });
      Object.assign(trace, { x, y });
    });
  }

  // Called after the figure is drawn, and when its axes change.
  place() {
    for (const [handle, button] of this.buttons) {
      if (this.points.has(handle)) continue;
      button.remove();
      this.buttons.delete(handle);
    }
    for (const [handle, { trace, point }] of this.points) {
      const button = this.buttons.get(handle) ?? this.make(handle);
      this.put(button, handle, trace.x[point], trace.y[point]);
    }
  }

  axes(handle) {
    const { trace } = this.points.get(handle);
    const axis = (letter) => this.plot._fullLayout[`${letter}axis${(trace[`${letter}axis`] ?? letter).slice(1)}`];
    return [axis("x"), axis("y")];
  }

  put(button, handle, x, y) {
    const [{ trace, point }, [across, up]] = [this.points.get(handle), this.axes(handle)];
    const spoken = plain(trace.meta.labels?.[point] ?? (Array.isArray(trace.text) ? trace.text[point] : null) ?? handle);
    button.setAttribute("aria-label", `${spoken}: ${round(x)}, ${round(y)}`);
    const [left, top] = [across.d2p(x), up.d2p(y)];
    // Zoomed out of sight: a handle over the margin would belong to nothing.
    button.hidden = !(left >= -1 && left <= across._length + 1 && top >= -1 && top <= up._length + 1);
    button.style.transform = `translate(${across._offset + left}px, ${up._offset + top}px)`;
  }

  make(handle) {
    const button = element("button", { class: "attnviz-handle", type: "button", "data-handle": handle });
    button.addEventListener("pointerdown", (event) => this.grab(event, button, handle));
    button.addEventListener("keydown", (event) => this.key(event, button, handle));
    this.buttons.set(handle, button);
    this.layer.append(button);
    return button;
  }

  grab(event, button, handle) {
    if (event.button !== 0) return;
    event.preventDefault();
    button.focus({ preventScroll: true });
    button.setPointerCapture(event.pointerId);
    const { trace, point } = this.points.get(handle);
    const [across, up] = this.axes(handle);
    // The point stays under the same spot of the finger that took it.
    const from = [event.clientX - across.d2p(trace.x[point]), event.clientY - up.d2p(trace.y[point])];
    this.dragging = handle;
    const at = (now) => {
      const [left, top] = this.axes(handle);
      return [left.p2d(now.clientX - from[0]), top.p2d(now.clientY - from[1])];
    };
    const move = (now) => this.move(button, handle, ...at(now), false);
    const drop = (now) => {
      button.removeEventListener("pointermove", move);
      button.removeEventListener("pointerup", drop);
      button.removeEventListener("pointercancel", drop);
      this.dragging = null;
      const last = this.held.get(handle);
      if (now.type === "pointercancel") { if (last) this.move(button, handle, ...last, true); }
      else if (last) this.move(button, handle, ...at(now), true);
    };
    button.addEventListener("pointermove", move);
    button.addEventListener("pointerup", drop);
    button.addEventListener("pointercancel", drop);
  }

  key(event, button, handle) {
    const arrow = ARROWS[event.key];
    if (!arrow || event.ctrlKey || event.metaKey || event.altKey) return;
    event.preventDefault();
    const { trace, point } = this.points.get(handle);
    const step = (trace.meta.step ?? this.ownStep(handle)) * (event.shiftKey ? 5 : 1);
    this.move(button, handle, trace.x[point] + arrow[0] * step, trace.y[point] + arrow[1] * step, true);
  }

  ownStep(handle) {
    const [across] = this.axes(handle);
    const size = Math.abs(across.range[1] - across.range[0]) / 50;
    return 10 ** Math.round(Math.log10(size));
  }

  move(button, handle, x, y, done) {
    const { trace, point } = this.points.get(handle);
    [x, y] = this.axes(handle).map((axis, at) => this.allowed(trace, axis, [x, y][at]));
    if (trace.x[point] !== x || trace.y[point] !== y) {
      [trace.x[point], trace.y[point]] = [x, y];
      this.put(button, handle, x, y);
      this.redraw(handle);
    }
    this.held.set(handle, [x, y]);
    this.moved(handle, x, y, done);
  }

  // On the grid, within the bounds; without bounds within what the axis shows.
  allowed({ meta }, axis, value) {
    const [least, most] = meta.bounds ?? [...axis.range].sort((a, b) => a - b);
    const near = meta.step ? Math.round(value / meta.step) * meta.step : value;
    return Number(Math.min(most, Math.max(least, near)).toPrecision(10));
  }

  // The trace with the handle follows in the next frame: its arrow moves with the hand.
  redraw(handle) {
    this.stale ??= new Set();
    if (this.stale.size === 0) requestAnimationFrame(() => {
      const traces = [...this.stale];
      this.stale.clear();
      const found = traces.map((index) => this.plot.data[index]).filter(Boolean);
      if (found.length < traces.length) return;
      const drawn = (letter) => traces.map((index) => this.traceAt(index)[letter]);
      this.Plotly.restyle(this.plot, { x: drawn("x"), y: drawn("y") }, traces);
    });
    this.stale.add(this.points.get(handle).index);
  }

  traceAt(index) {
    return [...this.points.values()].find((entry) => entry.index === index).trace;
  }

  // Python has seen everything: from here on its figure is right.
  release() {
    for (const handle of this.held.keys()) if (handle !== this.dragging) this.held.delete(handle);
  }
}

const round = (value) => Number(value.toPrecision(3));
