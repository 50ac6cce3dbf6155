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

// The figure as it is drawn with these colours; `size` in CSS pixels, `revision` changes when the view is reset.
export function dressed(figure, colours, size, revision) {
  // Copies: Plotly writes the ranges of the axes and more into what it is given.
  const layout = { ...structuredClone(figure.layout), ...size, template: template(colours) };
  layout.uirevision = `${figure.layout.uirevision ?? ""} ${revision}`;
  if (calm()) delete layout.transition;
  return { data: figure.data.map((trace) => ({ ...trace })), layout };
}
