// Plotly from the installed Python package, loaded once a page, and the theme of the page as its template.

import { calm } from "./page.js";

export const PLOTLY_URL = new URL("plotly.min.js", import.meta.url).href;

let loading;

export function plotly() {
  loading ??= new Promise((done, failed) => {
    const script = document.createElement("script");
    script.src = PLOTLY_URL;
    script.onload = () => done(window.Plotly);
    script.onerror = () => {
      loading = null;
      failed(new Error("plotly"));
    };
    document.head.append(script);
  });
  return loading;
}

// Only what a figure leaves open: Plotly prefers the figure's own layout and traces to its template.
export function template(colours) {
  const { text, background, border, font } = colours;
  const axis = {
    automargin: true,
    gridcolor: border,
    linecolor: border,
    tickcolor: border,
    zerolinecolor: border,
    // Turned labels need a margin that only the figure can leave; those that have no room are left out instead.
    tickangle: 0,
    ticklabelstandoff: 3,
    title: { standoff: 8 },
  };
  const wall = { gridcolor: border, zerolinecolor: border, showbackground: false };
  const bar = { outlinewidth: 0, tickcolor: border, thickness: 12 };
  return {
    layout: {
      font: { family: font, size: 13, color: text },
      paper_bgcolor: "rgba(0,0,0,0)",
      plot_bgcolor: "rgba(0,0,0,0)",
      title: { font: { size: 15 }, x: 0, xref: "paper", xanchor: "left" },
      xaxis: axis,
      yaxis: axis,
      scene: { xaxis: wall, yaxis: wall, zaxis: wall },
      coloraxis: { colorbar: bar },
      hoverlabel: { bgcolor: background, bordercolor: border, font: { color: text, family: font } },
      legend: { bgcolor: "rgba(0,0,0,0)" },
      margin: { l: 48, r: 12, t: 36, b: 40 },
      colorway: ["#0072b2", "#d55e00", "#009e73", "#cc79a7", "#56b4e9", "#e69f00", "#999999"],
    },
    data: { heatmap: [{ colorbar: bar }], scatter: [{ marker: { line: { width: 0 } } }] },
  };
}

// What Plotly measures in pixels; the last of them only within these others.
const PIXELS = new Set(["size", "standoff", "ticklabelstandoff", "ticklen", "thickness", "xpad", "ypad", "xgap", "ygap"]);
const PIXELS_WITHIN = { line: ["width"], margin: ["l", "r", "t", "b", "pad"], pad: ["l", "r", "t", "b"] };
const DATA = new Set(["x", "y", "z", "text", "hovertext", "customdata", "meta", "ids", "ticktext", "tickvals", "labelalias"]);

// A copy of a part of a figure with all that is measured in pixels `scale` times as large; data are not copied.
export function scaled(part, scale, within = "") {
  if (scale === 1 || ArrayBuffer.isView(part)) return part;
  if (Array.isArray(part)) return part.map((one) => (one && typeof one === "object" ? scaled(one, scale, within) : one));
  const copy = { ...part };
  for (const [name, value] of Object.entries(part)) {
    if (DATA.has(name)) continue;
    const pixels = PIXELS.has(name) || PIXELS_WITHIN[within]?.includes(name);
    if (pixels && typeof value === "number") copy[name] = value * scale;
    else if (pixels && Array.isArray(value)) copy[name] = value.map((one) => one * scale);
    else if (value && typeof value === "object") copy[name] = scaled(value, scale, name);
  }
  return copy;
}

// The figure as it is drawn with these colours; `size` in CSS pixels, `revision` changes when the view is reset,
// `scale` is how large its type is, `room` is how many pixels are added below.
export function dressed(figure, colours, size, revision, scale = 1, room = 0) {
  // Copies: Plotly writes the ranges of the axes and more into what it is given.
  const layout = { ...scaled({ ...structuredClone(figure.layout), template: template(colours) }, scale), ...size };
  if (room) {
    layout.height += room;
    layout.margin = { ...layout.margin, b: (layout.margin?.b ?? layout.template.layout.margin.b) + room };
  }
  layout.uirevision = `${figure.layout.uirevision ?? ""} ${revision}`;
  if (calm()) delete layout.transition;
  return { data: figure.data.map((trace) => ({ ...scaled(trace, scale) })), layout };
}
