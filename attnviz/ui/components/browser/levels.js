// A matrix of codes at every size: each level halves the one before, and keeps the largest code of four.
// What is no weight has the smallest codes, so a cell of a smaller level is the largest weight in it, and
// nothing vanishes when a large matrix is shown on few pixels.

export const STATES = 4; // codes below this are no weights: absent, fully masked, NaN, zero

export class Levels {
  // colours: 256 × red, green, blue, opacity. tile: the size of the small maps of an atlas, or null; the last
  // row and column of each only keep it apart from the next, and are neither shown nor explained.
  constructor(codes, rows, columns, colours, tile) {
    this.list = [{ codes, rows, columns }];
    this.colours = new Uint32Array(colours.slice().buffer);
    this.isGap = tile ? (at) => at % tile[1] === tile[1] - 1 || Math.floor(at / columns) % tile[0] === tile[0] - 1 : null;
    // Columns are a whole number of tiles, so the place in the row is the place modulo the tile.
    this.present = new Set(distinctStates(codes, this.isGap));
  }

  level(index) {
    while (this.list.length <= index) this.list.push(halved(this.list.at(-1)));
    return this.list[index];
  }

  // One pixel for each cell, in the colours of the codes.
  image(index) {
    const level = this.level(index);
    level.image ??= painted(level, (code) => this.colours[code], index === 0 ? this.isGap : null);
    return level.image;
  }

  // Opaque where the code is this one: the shape that a hatching fills.
  shape(index, wanted) {
    const level = this.level(index);
    level.shapes ??= new Map();
    if (!level.shapes.has(wanted)) level.shapes.set(wanted, painted(level, (code) => (code === wanted ? 0xff000000 : 0)));
    return level.shapes.get(wanted);
  }

  // The cell with the largest code in the block that one cell of this level stands for.
  strongest(index, row, column) {
    const { codes, rows, columns } = this.list[0];
    const size = 2 ** index;
    let best = [row * size, column * size];
    for (let r = row * size; r < Math.min(rows, (row + 1) * size); r++) {
      for (let c = column * size; c < Math.min(columns, (column + 1) * size); c++) {
        if (codes[r * columns + c] > codes[best[0] * columns + best[1]]) best = [r, c];
      }
    }
    return best;
  }
}

function halved({ codes, rows, columns }) {
  const [down, across] = [Math.ceil(rows / 2), Math.ceil(columns / 2)];
  const next = new Uint8Array(down * across);
  for (let row = 0; row < down; row++) {
    const above = 2 * row * columns;
    // The last row or column of an odd size stands alone.
    const below = 2 * row + 1 < rows ? above + columns : above;
    for (let column = 0; column < across; column++) {
      const left = 2 * column;
      const right = left + 1 < columns ? left + 1 : left;
      next[row * across + column] = Math.max(codes[above + left], codes[above + right], codes[below + left], codes[below + right]);
    }
  }
  return { codes: next, rows: down, columns: across };
}

function painted({ codes, rows, columns }, colour, isGap = null) {
  const table = Uint32Array.from({ length: 256 }, (_, code) => colour(code));
  const canvas = new OffscreenCanvas(columns, rows);
  const pencil = canvas.getContext("2d");
  const pixels = pencil.createImageData(columns, rows);
  const words = new Uint32Array(pixels.data.buffer);
  for (let at = 0; at < codes.length; at++) words[at] = isGap?.(at) ? 0 : table[codes[at]];
  pencil.putImageData(pixels, 0, 0);
  return canvas;
}

function distinctStates(codes, isGap) {
  const found = new Array(STATES).fill(false);
  for (let at = 0; at < codes.length; at++) if (codes[at] < STATES && !isGap?.(at)) found[codes[at]] = true;
  return found.flatMap((there, code) => (there ? [code] : []));
}

// The weight in the middle of what a code stands for.
export const decoded = (code) => 2 ** ((code - STATES) / (251 / 24) - 24);
