// A figure as a picture or a web page: white paper and dark text whatever the theme, the description inside.

import { PAPER } from "./page.js";
import { PLOTLY_URL, dressed, plotly } from "./plotly.js";

const LINE = 17;

// What is seen now, zoom included; `shown` is the drawn element, `figure` what Python sent.
export function printed(shown, figure, description, size) {
  const paper = dressed(figure, PAPER, size, "print");
  for (const [name, value] of Object.entries(shown.layout ?? {})) {
    if (/^([xy]axis\d*|scene\d*)$/.test(name)) paper.layout[name] = structuredClone(value);
  }
  paper.layout.paper_bgcolor = paper.layout.plot_bgcolor = PAPER.background;
  return withDescription(paper, description, size);
}

function withDescription({ data, layout }, description, { width, height }) {
  const title = typeof layout.title === "string" ? layout.title : layout.title?.text;
  const lines = wrap(description, Math.floor((width - 24) / 6.6)).map(escape);
  const small = `<span style="font-size:12px">${lines.join("<br>")}</span>`;
  const extra = LINE * (lines.length + 1);
  return {
    data,
    layout: {
      ...layout,
      height: height + extra,
      margin: { ...layout.margin, t: (layout.margin?.t ?? 36) + extra },
      title: {
        text: title ? `${title}<br>${small}` : small,
        font: { size: 15 }, x: 0, xref: "container", xanchor: "left",
        y: 1, yref: "container", yanchor: "top", pad: { t: 12, l: 12 },
      },
    },
  };
}

// For Plotly's labels, which would take a token such as <s> for a tag.
export const escape = (text) => text.replaceAll("&", "&amp;").replaceAll("<", "&lt;").replaceAll(">", "&gt;");

export function wrap(text, width) {
  const lines = [""];
  for (const word of text.split(/\s+/)) {
    const line = `${lines.at(-1)} ${word}`.trim();
    if (line.length > width && lines.at(-1)) lines.push(word);
    else lines[lines.length - 1] = line;
  }
  return lines;
}

export async function picture(paper, format) {
  const Plotly = await plotly();
  const { width, height } = paper.layout;
  const url = await Plotly.toImage(paper, { format, width, height, scale: format === "png" ? 2 : 1 });
  return (await fetch(url)).blob();
}

// JSON inside a script element: no token can close it.
export const embedded = (value) => JSON.stringify(value).replaceAll("<", "\\u003c");

const POLICY =
  "default-src 'none'; script-src 'unsafe-inline' 'unsafe-eval'; style-src 'unsafe-inline'; img-src data: blob:; font-src data:";

// One file that opens offline: Plotly and the figure are inside, and nothing may be fetched.
export async function webPage(paper, description) {
  const source = await (await fetch(PLOTLY_URL)).text();
  const { title, width, height, ...layout } = paper.layout;
  return page(description, [
    `<div id="figure" style="height:${Number(height)}px"></div>`,
    `<script>${source}</script>`,
    `<script type="application/json" id="content">${embedded({ data: paper.data, layout: { ...layout, title } })}</script>`,
    `<script>
const { data, layout } = JSON.parse(document.getElementById("content").textContent);
Plotly.newPlot("figure", data, layout, { responsive: true, displaylogo: false });
</script>`,
  ]);
}

// `parts` is markup of our own; the description is text.
export function page(description, parts) {
  const lang = document.documentElement.lang || "en";
  return `<!DOCTYPE html>
<html lang="${escape(lang)}"><head><meta charset="utf-8"><meta name="viewport" content="width=device-width">
<meta http-equiv="Content-Security-Policy" content="${POLICY}">
<title>${escape(description)}</title>
<style>body{margin:1.5rem;background:#fff;color:#1b1b1b;font-family:system-ui,sans-serif}</style>
</head><body>
${parts.join("\n")}
</body></html>
`;
}
