// One figure of a chart: its plot, handles and toolbar.

import { png, printed, svg, webPage } from "./export.js";
import { Handles } from "./handles.js";
import { thin } from "./labels.js";
import { lacking } from "./legend.js";
import { element, save, typeScale } from "./page.js";
import { patch } from "./patch.js";
import { dressed } from "./plotly.js";
import { csv, table } from "./table.js";
import { relabel, toolbar } from "./toolbar.js";

// Exports are at least as wide, in CSS pixels, however narrow the figure is on the page.
const LEAST_PRINTED = 480;

const CONFIG = { displayModeBar: false, displaylogo: false, showTips: false, responsive: false, doubleClick: "reset" };

export class Figure {
  // post(topic, message) sends to Python.
  constructor(name, labels, post) {
    // `room`: pixels below the plot beyond those that Python left, for a legend that takes more lines here.
    Object.assign(this, { name, post, revision: 0, width: 0, room: 0 });
    this.plot = element("div", { class: "attnviz-plot", role: "img" });
    this.layer = element("div", { class: "attnviz-handles" });
    this.bar = toolbar(
      [
        ["png", "PNG", async () => save(await png(this.printed(), this.description), `${name}.png`)],
        ["svg", "SVG", async () => save(await svg(this.printed(), this.description), `${name}.svg`, "image/svg+xml")],
        ["html", "HTML", async () => save(await webPage(this.printed(), this.description), `${name}.html`, "text/html")],
        ["csv", "CSV", () => save(this.csv(), `${name}.csv`, "text/csv;charset=utf-8")],
        ["reset", "⟲", () => this.reset()],
      ],
      labels,
    );
    const stage = element("div", { class: "attnviz-stage" }, this.plot, this.layer);
    this.root = element("figure", { class: "attnviz-figure", "data-figure": name }, stage, this.bar);
  }

  // What Python says about the figure besides the figure itself.
  describe({ description, height }, labels, clicks) {
    this.description = description;
    this.plot.setAttribute("aria-label", description);
    this.root.classList.toggle("attnviz-clickable", clicks);
    this.clicks = clicks;
    this.usualHeight = height;
    this.stretch();
    relabel(this.bar, labels);
  }

  // The height that Python asked for is that for type of the usual size.
  stretch() {
    this.scale = typeScale();
    const height = Math.round(this.usualHeight * this.scale);
    if (this.height === height) return;
    this.height = height;
    this.keepRoom();
  }

  keepRoom() {
    this.plot.style.height = `${this.height + this.room}px`;
  }

  get resized() {
    return this.width !== this.drawnWidth || this.height !== this.drawnHeight || this.scale !== this.drawnScale;
  }

  // True when the picture is not what it should be.
  differs(text, colours) {
    return text !== this.text || colours !== this.colours || this.resized;
  }

  async draw(Plotly, text, colours) {
    const next = JSON.parse(text);
    this.handles ??= new Handles(this.plot, this.layer, Plotly, (handle, x, y, done) =>
      this.post(`drag ${this.name} ${handle}`, { kind: "drag", figure: this.name, handle, x, y, done }));
    this.handles.apply(next.data);
    const numbersAlone = this.figure && colours === this.colours && !this.resized && patch(this.plot, this.figure, next);
    Object.assign(this, { Plotly, text, colours, figure: next });
    this.measure();
    if (numbersAlone) this.handles.place();
    else await this.react();
    if (this.listening) return;
    this.listening = true;
    this.plot.on("plotly_click", (event) => this.clicked(event));
    // Zooming and panning move the points under their handles, and write other labels.
    for (const name of ["plotly_relayout", "plotly_relayouting"]) this.plot.on(name, () => this.placed());
  }

  measure() {
    Object.assign(this, { drawnWidth: this.width, drawnHeight: this.height, drawnScale: this.scale });
  }

  async react() {
    const size = { width: this.drawnWidth, height: this.drawnHeight };
    const { data, layout } = dressed(this.figure, JSON.parse(this.colours), size, this.revision, this.drawnScale, this.room);
    await this.Plotly.react(this.plot, data, layout, CONFIG);
    await this.fit();
    this.placed();
  }

  // Everything has its place: handles are put over their points, and labels that have no room are left out.
  placed() {
    this.handles.place();
    thin(this.plot);
  }

  // Where a legend has broken into more lines, or into fewer again, the figure grows or shrinks by them.
  async fit() {
    const room = Math.max(0, this.room + lacking(this.plot));
    const more = room - this.room;
    if (!more) return;
    this.room = room;
    this.keepRoom();
    const { height, margin } = this.plot.layout;
    await this.Plotly.relayout(this.plot, { height: height + more, "margin.b": margin.b + more });
  }

  resize(width) {
    this.width = Math.round(width);
    if (!this.Plotly || this.width === this.drawnWidth || !this.width) return;
    this.drawnWidth = this.width;
    this.Plotly.relayout(this.plot, { width: this.width })
      .then(() => this.fit())
      .then(() => this.placed());
  }

  // The type of the page has become larger or smaller.
  retype() {
    this.stretch();
    if (!this.figure || !this.resized) return;
    this.measure();
    this.react();
  }

  // Plotly forgets what was done by hand when the revision changes.
  reset() {
    this.revision += 1;
    return this.react();
  }

  clicked({ points: [point] }) {
    if (!this.clicks || !point) return;
    this.post(`click ${this.name} ${performance.now()}`, {
      kind: "click",
      figure: this.name,
      x: point.x ?? null,
      y: point.y ?? null,
      z: point.z ?? null,
      trace: point.curveNumber,
      point: point.pointNumber ?? point.pointIndex ?? null,
      // Plotly keeps numbers in typed arrays, which JSON would write as objects.
      custom: ArrayBuffer.isView(point.customdata) ? Array.from(point.customdata) : point.customdata ?? null,
    });
  }

  csv() {
    return csv(table(this.figure));
  }

  printed() {
    const width = Math.max(this.drawnWidth, LEAST_PRINTED * this.drawnScale);
    return printed(this.plot, this.figure, { width, height: this.drawnHeight }, this.drawnScale, this.room);
  }

  close() {
    if (this.listening) this.Plotly.purge(this.plot);
    this.root.remove();
  }
}
