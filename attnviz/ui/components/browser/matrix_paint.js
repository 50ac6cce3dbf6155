// Draws what is seen of a matrix: cells, hatching, labels, outlines. For the screen and for exports alike.

const FONT = 12;
const LINE = 14;
// Labels need this much room on the left and below.
export const GUTTER = { left: 110, bottom: 78, top: 4, right: 4 };
export const GUTTER_OF_TILES = { left: 84, bottom: 24, top: 4, right: 4 };

// model: { levels, viewport, rowLabels, columnLabels, cell, tile, tileLabels, marks, highlight, density }
export function paint(pencil, model, colours) {
  const { area } = model.viewport;
  pencil.save();
  pencil.beginPath();
  pencil.rect(area.left, area.top, area.width, area.height);
  pencil.clip();
  cells(pencil, model);
  for (const state of [1, 2]) if (model.levels.present.has(state)) hatch(pencil, model, state, colours);
  if (model.tile) tiles(pencil, model, colours);
  outlines(pencil, model, colours);
  pencil.restore();
  pencil.font = `${FONT}px ${colours.font}`;
  pencil.fillStyle = colours.text;
  if (model.tile) tileLabels(pencil, model);
  else positionLabels(pencil, model);
}

// Nearest neighbour: a weight is never mixed with the one beside it.
function cells(pencil, { levels, viewport, density }) {
  const index = viewport.level(density);
  pencil.imageSmoothingEnabled = false;
  stamp(pencil, levels.image(index), viewport, 2 ** index);
}

function stamp(pencil, image, viewport, size) {
  const [wide, high] = viewport.seen();
  // Whole cells only, a little beyond the edges: fractions of a source pixel are rounded differently by browsers.
  const left = Math.floor(viewport.x / size);
  const top = Math.floor(viewport.y / size);
  const right = Math.min(image.width, Math.ceil((viewport.x + wide) / size));
  const bottom = Math.min(image.height, Math.ceil((viewport.y + high) / size));
  if (right <= left || bottom <= top) return;
  pencil.drawImage(
    image, left, top, right - left, bottom - top,
    viewport.left(left * size), viewport.top(top * size),
    (right - left) * size * viewport.scale[0], (bottom - top) * size * viewport.scale[1],
  );
}

// Fully masked rows are hatched, NaN is cross-hatched: told apart without colour, and at every size.
function hatch(pencil, { levels, viewport, density }, state, colours) {
  const { canvas } = pencil;
  const sheet = new OffscreenCanvas(canvas.width, canvas.height);
  const brush = sheet.getContext("2d");
  brush.setTransform(pencil.getTransform());
  brush.imageSmoothingEnabled = false;
  const index = viewport.level(density);
  stamp(brush, levels.shape(index, state), viewport, 2 ** index);
  brush.globalCompositeOperation = "source-in";
  brush.fillStyle = brush.createPattern(stripes(state, colours), "repeat");
  const { area } = viewport;
  brush.fillRect(area.left, area.top, area.width, area.height);
  pencil.save();
  pencil.resetTransform();
  pencil.drawImage(sheet, 0, 0);
  pencil.restore();
}

export function stripes(state, colours) {
  const size = 8;
  const tile = new OffscreenCanvas(size, size);
  const brush = tile.getContext("2d");
  brush.strokeStyle = state === 1 ? colours.text : "#ffffff";
  brush.lineWidth = 1.25;
  brush.beginPath();
  // Beyond the corners, so that the lines of neighbouring tiles meet.
  for (const shift of [-size, 0, size]) {
    brush.moveTo(shift - 1, size + 1);
    brush.lineTo(shift + size + 1, -1);
    if (state !== 2) continue;
    brush.moveTo(shift - 1, -1);
    brush.lineTo(shift + size + 1, size + 1);
  }
  brush.stroke();
  return tile;
}

function tiles(pencil, { viewport, tile: [high, wide] }, colours) {
  pencil.fillStyle = colours.background;
  const gap = Math.min(3, Math.max(1, Math.min(high * viewport.scale[1], wide * viewport.scale[0]) / 16));
  const { area } = viewport;
  for (let row = high; row < viewport.rows; row += high) pencil.fillRect(area.left, viewport.top(row) - gap / 2, area.width, gap);
  for (let column = wide; column < viewport.columns; column += wide) pencil.fillRect(viewport.left(column) - gap / 2, area.top, gap, area.height);
}

function outlines(pencil, { viewport, marks, tile, highlight }, colours) {
  const frame = (row, column, high, wide, colour, width, dash = []) => {
    const [left, top] = [viewport.left(column), viewport.top(row)];
    pencil.setLineDash(dash);
    // A light line within a dark one is seen on every ground.
    for (const [line, ink] of [[width + 2, colours.background], [width, colour]]) {
      pencil.lineWidth = line;
      pencil.strokeStyle = ink;
      pencil.strokeRect(left, top, Math.max(wide * viewport.scale[0], 2), Math.max(high * viewport.scale[1], 2));
    }
    pencil.setLineDash([]);
  };
  const [row, column] = marks.selected;
  if (row !== null) frame(row, 0, 1, viewport.columns, highlight, 1.5);
  if (column !== null) frame(0, column, viewport.rows, 1, highlight, 1.5);
  if (marks.selectedTile && tile) frame(marks.selectedTile[0] * tile[0], marks.selectedTile[1] * tile[1], tile[0], tile[1], highlight, 2);
  if (marks.hovered) frame(...marks.hovered, 1, 1, colours.text, 1.5);
  if (marks.cursor) frame(...marks.cursor, 1, 1, highlight, 2, [4, 2]);
}

function positionLabels(pencil, { viewport, rowLabels, columnLabels, cell }) {
  const { area } = viewport;
  const [wide, high] = viewport.seen();
  pencil.textBaseline = "middle";
  pencil.textAlign = "right";
  for (const row of every(viewport.y, high, viewport.rows, viewport.scale[1])) {
    const label = short(pencil, named(rowLabels, row * cell[0]), area.left - 12);
    pencil.fillText(label, area.left - 6, middle(viewport.top(row), viewport.scale[1], area.top, area.height));
  }
  const bottom = Math.min(area.top + area.height, viewport.top(viewport.rows));
  for (const column of every(viewport.x, wide, viewport.columns, viewport.scale[0])) {
    pencil.save();
    pencil.translate(middle(viewport.left(column), viewport.scale[0], area.left, area.width), bottom + 6);
    pencil.rotate(-Math.PI / 3);
    pencil.fillText(short(pencil, named(columnLabels, column * cell[1]), GUTTER.bottom - 4), 0, 0);
    pencil.restore();
  }
}

// The middle of what is seen of a cell.
const middle = (start, size, from, length) => (Math.max(start, from) + Math.min(start + size, from + length)) / 2;

// Every cell, or every second, fifth, tenth … where they stand closer than lines of text.
function* every(from, length, count, size) {
  let step = 1;
  while (step * size < LINE) step *= /^[15]/.test(String(step)) && String(step)[0] === "1" ? 2 : String(step)[0] === "2" ? 2.5 : 2;
  for (let at = Math.ceil(Math.floor(from) / step) * step; at < Math.min(count, from + length); at += step) yield at;
}

// What is written from right to left would turn the position beside it around.
const RIGHT_TO_LEFT = /[\p{Script=Hebrew}\p{Script=Arabic}\p{Script=Syriac}\p{Script=Thaana}\p{Script=Nko}]/u;
export const isolated = (label) => (RIGHT_TO_LEFT.test(label) ? `\u2068${label}\u2069` : label);

const named = (labels, position) => (labels.length ? [labels[position] ?? "", ` ${position}`] : ["", String(position)]);

// The position stays: it is what tells two equal tokens apart. Of a long label the middle is left out.
function short(pencil, [label, position], room) {
  const fits = (words) => pencil.measureText(words + position).width <= room;
  if (fits(label)) return isolated(label) + position;
  const letters = [...label];
  let kept = letters.length;
  const words = () => {
    const head = Math.ceil(kept * 0.6);
    return `${letters.slice(0, head).join("")}…${letters.slice(letters.length - (kept - head)).join("")}`;
  };
  do kept--; while (kept > 1 && !fits(words()));
  return isolated(words()) + position;
}

function tileLabels(pencil, { viewport, tile: [high, wide], tileLabels: [down, across] }) {
  const { area } = viewport;
  pencil.textBaseline = "middle";
  pencil.textAlign = "right";
  down.forEach((label, index) => {
    const [top, size] = [viewport.top(index * high), high * viewport.scale[1]];
    const at = middle(top, size, area.top, area.height);
    if (size < LINE - 2 && index % Math.ceil(LINE / size)) return;
    if (at > area.top && at < area.top + area.height) pencil.fillText(short(pencil, [label, ""], area.left - 12), area.left - 6, at);
  });
  pencil.textAlign = "center";
  pencil.textBaseline = "top";
  const bottom = Math.min(area.top + area.height, viewport.top(viewport.rows));
  const widest = Math.max(0, ...across.map((label) => pencil.measureText(label).width)) + 6;
  across.forEach((label, index) => {
    const [left, size] = [viewport.left(index * wide), wide * viewport.scale[0]];
    const at = middle(left, size, area.left, area.width);
    if (size < widest && index % Math.ceil(widest / size)) return;
    if (at > area.left && at < area.left + area.width) pencil.fillText(label, at, bottom + 6);
  });
}
