// A matrix on paper: what is seen now, its description above, the legend below.

import { escape, wrap } from "./export.js";
import { LEGEND_HEIGHT, drawLegend } from "./matrix_legend.js";
import { paint } from "./matrix_paint.js";
import { PAPER } from "./page.js";

const DENSITY = 2;
const EDGE = 12;
const LINE = 17;

// An OffscreenCanvas at twice the size on screen.
export function sheet(matrix) {
  const [width, height] = [matrix.canvas.clientWidth, matrix.canvas.clientHeight];
  const lines = wrap(matrix.header.description, Math.floor((width - 2 * EDGE) / 6.6));
  const above = EDGE + lines.length * LINE + 6;
  const canvas = new OffscreenCanvas(width * DENSITY, (above + height + LEGEND_HEIGHT + 2 * EDGE) * DENSITY);
  const pencil = canvas.getContext("2d");
  pencil.scale(DENSITY, DENSITY);
  pencil.fillStyle = PAPER.background;
  pencil.fillRect(0, 0, canvas.width, canvas.height);
  pencil.fillStyle = PAPER.text;
  pencil.font = `13px ${PAPER.font}`;
  pencil.textBaseline = "top";
  lines.forEach((line, index) => pencil.fillText(line, EDGE, EDGE + index * LINE));
  pencil.save();
  pencil.translate(0, above);
  paint(pencil, { ...parts(matrix), density: DENSITY, marks: { ...matrix.marks, hovered: null, cursor: null } }, PAPER);
  pencil.restore();
  const { colours, labels, levels } = matrix;
  drawLegend(pencil, EDGE, above + height + EDGE, width - 2 * EDGE, { colours, ticks: matrix.header.ticks, labels, levels }, PAPER);
  return canvas;
}

function parts({ levels, viewport, rowLabels, columnLabels, cell, tile, tileLabels, highlight }) {
  return { levels, viewport, rowLabels, columnLabels, cell, tile, tileLabels, highlight };
}

// The picture inside an SVG that says what it shows.
export async function drawing(matrix) {
  const canvas = sheet(matrix);
  const [width, height] = [canvas.width / DENSITY, canvas.height / DENSITY];
  const url = await dataUrl(await canvas.convertToBlob());
  return `<svg xmlns="http://www.w3.org/2000/svg" width="${width}" height="${height}" viewBox="0 0 ${width} ${height}" role="img">
<title>${escape(matrix.header.description)}</title>
<image width="${width}" height="${height}" href="${url}"/>
</svg>
`;
}

function dataUrl(blob) {
  return new Promise((done, failed) => {
    const reader = new FileReader();
    reader.onload = () => done(reader.result);
    reader.onerror = failed;
    reader.readAsDataURL(blob);
  });
}
