// A matrix on paper: what is seen now, its description above, the legend below.

import { Caption } from "./caption.js";
import { frame } from "./export.js";
import { LEGEND_HEIGHT, drawLegend } from "./matrix_legend.js";
import { paint } from "./matrix_paint.js";
import { PAPER } from "./page.js";

const DENSITY = 2;
const EDGE = 12;
// Wide enough for the legend.
const LEAST_WIDTH = 480;

// An OffscreenCanvas at twice the size on screen.
export function sheet(matrix) {
  const { viewport, colours, labels, levels, header } = matrix;
  const beside = viewport.area.left + Math.min(viewport.area.width, viewport.columns * viewport.scale[0]) + EDGE;
  const [width, height] = [Math.max(LEAST_WIDTH, Math.ceil(beside)), matrix.height];
  const caption = new Caption(header.description, width);
  const canvas = new OffscreenCanvas(width * DENSITY, (caption.height + height + LEGEND_HEIGHT + 2 * EDGE) * DENSITY);
  const pencil = canvas.getContext("2d");
  pencil.scale(DENSITY, DENSITY);
  pencil.fillStyle = PAPER.background;
  pencil.fillRect(0, 0, canvas.width, canvas.height);
  caption.draw(pencil);
  pencil.save();
  pencil.translate(0, caption.height);
  paint(pencil, { ...parts(matrix), density: DENSITY, marks: { ...matrix.marks, hovered: null, cursor: null } }, PAPER);
  pencil.restore();
  const below = caption.height + height + EDGE;
  drawLegend(pencil, EDGE, below, width - 2 * EDGE, { colours, ticks: header.ticks, labels, levels }, PAPER);
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
  return frame(width, height, matrix.header.description, `<image width="${width}" height="${height}" href="${url}"/>`);
}

function dataUrl(blob) {
  return new Promise((done, failed) => {
    const reader = new FileReader();
    reader.onload = () => done(reader.result);
    reader.onerror = failed;
    reader.readAsDataURL(blob);
  });
}
