// The chart component: several Plotly figures in a grid, one message for all of them.

import { Outbox, keeper, painted, text, unpack } from "./messages.js";
import { element, onTypeScale, styles, theme, typeScale } from "./page.js";
import { plotly } from "./plotly.js";
import { Figure } from "./figure.js";

// Fetched while the first message is still on its way.
plotly().catch(() => {});
styles("components.css");

// Between two columns, in CSS pixels: as in the style sheet.
const GAP = 16;

class Chart {
  constructor(parent) {
    this.outbox = new Outbox();
    this.figures = new Map();
    this.root = element("div", { class: "attnviz-chart" });
    parent.append(this.root);
    this.observer = new ResizeObserver((entries) => this.resized(entries));
    this.observer.observe(this.root);
    this.deaf = onTypeScale(() => this.retype());
  }

  async receive(data) {
    const { header, parts } = unpack(data);
    this.latest = data;
    this.outbox.acknowledge(header.seq);
    this.arrange(header);
    try {
      await Promise.all([this.Plotly ?? plotly(), styles("components.css")]).then(([Plotly]) => (this.Plotly = Plotly));
    } catch {
      this.root.replaceChildren(element("p", { role: "alert" }, header.labels.failed));
      return;
    }
    // Something newer came while Plotly was loading.
    if (this.latest !== data || this.closed) return;
    await this.draw(header, parts);
  }

  arrange({ figures, labels, clicks, columnsMinWidth }) {
    const wanted = new Set(figures.map(({ name }) => name));
    for (const [name, figure] of this.figures) {
      if (wanted.has(name)) continue;
      this.observer.unobserve(figure.plot);
      figure.close();
      this.figures.delete(name);
    }
    this.columnsMinWidth = columnsMinWidth;
    figures.forEach((description, index) => {
      const figure = this.figures.get(description.name) ?? this.add(description.name, labels);
      figure.describe(description, labels, clicks);
      figure.span = description.span;
      if (this.root.children[index] !== figure.root) this.root.insertBefore(figure.root, this.root.children[index] ?? null);
    });
    this.width ??= this.root.clientWidth;
    this.spread();
  }

  // No figure takes more columns than there are.
  spread() {
    const columnWidth = Math.round(this.columnsMinWidth * typeScale());
    this.root.style.setProperty("--attnviz-column", `${columnWidth}px`);
    const columns = Math.max(1, Math.floor((this.width + GAP) / (columnWidth + GAP)));
    for (const { root, span } of this.figures.values()) root.style.gridColumn = `span ${Math.min(span, columns)}`;
  }

  add(name, labels) {
    const figure = new Figure(name, labels, (topic, message) => this.outbox.post(topic, message));
    this.figures.set(name, figure);
    this.observer.observe(figure.plot);
    return figure;
  }

  async draw(header, parts) {
    const colours = JSON.stringify(theme(this.root));
    const figures = [...this.figures.values()];
    // All widths are read before anything is drawn: reading in between would lay the page out each time.
    for (const figure of figures) figure.width ||= Math.round(figure.plot.clientWidth);
    const drawn = header.figures.map(async ({ name }, index) => {
      const figure = this.figures.get(name);
      const content = text(parts[index]);
      if (this.outbox.idle) figure.handles?.release();
      if (figure.differs(content, colours)) await figure.draw(this.Plotly, content, colours);
    });
    await Promise.all(drawn);
    painted(this.root, { seq: header.seq });
  }

  resized(entries) {
    for (const { target, contentRect } of entries) {
      if (target === this.root && contentRect.width !== this.width) {
        this.width = contentRect.width;
        this.spread();
      }
      for (const figure of this.figures.values()) if (figure.plot === target) figure.resize(contentRect.width);
    }
  }

  // Columns first, so that the figures are measured in their new places.
  retype() {
    if (!this.columnsMinWidth) return;
    this.spread();
    for (const figure of this.figures.values()) figure.retype();
  }

  close() {
    this.closed = true;
    this.deaf();
    this.observer.disconnect();
    for (const figure of this.figures.values()) figure.close();
  }
}

export default keeper((parent) => new Chart(parent));
