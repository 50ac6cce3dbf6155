// A figure as a picture or a web page: white paper and dark text whatever the theme, the description above it.

import { Caption, escape } from "./caption.js";
import { thinned } from "./labels.js";
import { PAPER } from "./page.js";
import { PLOTLY_URL, dressed, plotly } from "./plotly.js";

const DENSITY = 2;

// What is seen now, zoom included; `shown` is the drawn element, `figure` what Python sent.
export function printed(shown, figure, size, scale, room) {
  const paper = dressed(figure, PAPER, size, "print", scale, room);
  for (const [name, value] of Object.entries(shown.layout ?? {})) {
    if (/^([xy]axis\d*|scene\d*)$/.test(name)) paper.layout[name] = structuredClone(value);
  }
  thinned(shown, paper.layout);
  paper.layout.paper_bgcolor = paper.layout.plot_bgcolor = PAPER.background;
  return paper;
}

export async function png(paper, description) {
  const { width, height } = paper.layout;
  const image = await createImageBitmap(await drawn(paper, { format: "png", scale: DENSITY }));
  const caption = new Caption(description, width);
  const canvas = new OffscreenCanvas(width * DENSITY, (caption.height + height) * DENSITY);
  const pencil = canvas.getContext("2d");
  pencil.scale(DENSITY, DENSITY);
  pencil.fillStyle = PAPER.background;
  pencil.fillRect(0, 0, canvas.width, canvas.height);
  caption.draw(pencil);
  pencil.drawImage(image, 0, caption.height, width, height);
  return canvas.convertToBlob();
}

export async function svg(paper, description) {
  const { width, height } = paper.layout;
  const inner = await (await drawn(paper, { format: "svg" })).text();
  const caption = new Caption(description, width);
  return frame(width, caption.height + height, description, `${caption.markup()}
${inner.replace(/^[^]*?<svg /, `<svg y="${caption.height}" `)}`);
}

// `content` is markup of our own or Plotly's; the description is text.
export function frame(width, height, description, content) {
  return `<svg xmlns="http://www.w3.org/2000/svg" xmlns:xlink="http://www.w3.org/1999/xlink" width="${width}" height="${height}" viewBox="0 0 ${width} ${height}" role="img">
<title>${escape(description)}</title>
<rect width="100%" height="100%" fill="${PAPER.background}"/>
${content}
</svg>
`;
}

async function drawn(paper, options) {
  const Plotly = await plotly();
  const { width, height } = paper.layout;
  return (await fetch(await Plotly.toImage(paper, { width, height, ...options }))).blob();
}

// JSON inside a script element: no token can close it.
export const embedded = (value) => JSON.stringify(value).replaceAll("<", "\\u003c");

const POLICY =
  "default-src 'none'; script-src 'unsafe-inline' 'unsafe-eval'; style-src 'unsafe-inline'; img-src data: blob:; font-src data:";

// One file that opens offline: Plotly and the figure are inside, and nothing may be fetched.
export async function webPage(paper, description) {
  const source = await (await fetch(PLOTLY_URL)).text();
  const { width, ...layout } = paper.layout;
  return page(description, [
    `<p>${escape(description)}</p>`,
    `<div id="figure" style="height:${Number(layout.height)}px"></div>`,
    `<script>${source}</script>`,
    `<script type="application/json" id="content">${embedded({ data: paper.data, layout })}</script>`,
    `<script>
const { data, layout } = JSON.parse(document.getElementById("content").textContent);
Plotly.newPlot("figure", data, layout, { responsive: true, displaylogo: false });
</script>`,
  ]);
}

// `parts` is markup of our own; the description is text.
export function page(description, parts) {
  return `<!DOCTYPE html>
<html lang="${escape(document.documentElement.lang || "en")}"><head><meta charset="utf-8"><meta name="viewport" content="width=device-width">
<meta http-equiv="Content-Security-Policy" content="${POLICY}">
<title>${escape(description)}</title>
<style>body{margin:1.5rem;background:#fff;color:#1b1b1b;font-family:${PAPER.font}}svg{max-width:100%;height:auto}</style>
</head><body>
${parts.join("\n")}
</body></html>
`;
}
