// Which part of a matrix is seen, and how large: cells to pixels and back. Kept while the numbers change.

const LARGEST_CELL = 56;
// Beyond this difference the two directions are stretched apart, so that a long narrow map fills its place.
const MOST_UNEVEN = 4;

export class Viewport {
  // rows, columns: of the matrix; area: { left, top, width, height } in CSS pixels.
  constructor(rows, columns) {
    Object.assign(this, { rows, columns, whole: true, x: 0, y: 0 });
  }

  // The place on the page has changed: the whole map stays whole, a part keeps its size of cells.
  place(area) {
    this.area = area;
    const [across, down] = [area.width / this.columns, area.height / this.rows];
    const even = Math.min(across, down);
    const uneven = Math.max(across, down) / even > MOST_UNEVEN;
    this.fit = uneven ? [across, down] : [even, even];
    if (this.whole || !this.scale) this.reset();
    else this.clamp();
  }

  // Beyond this the whole map, at this width, would leave its place empty.
  neededHeight(width) {
    return Math.ceil((this.rows * width) / this.columns);
  }

  reset() {
    Object.assign(this, { x: 0, y: 0, scale: [...this.fit], whole: true });
  }

  // Around a point in CSS pixels, which keeps the cell that is there.
  zoom(factor, [left, top] = this.middle()) {
    const [column, row] = this.at(left, top);
    const most = Math.max(LARGEST_CELL, ...this.fit);
    const possible = Math.min(factor, most / Math.max(...this.scale));
    this.scale = this.scale.map((size, axis) => Math.max(size * possible, this.fit[axis]));
    this.x = column - (left - this.area.left) / this.scale[0];
    this.y = row - (top - this.area.top) / this.scale[1];
    this.clamp();
  }

  move(across, down) {
    this.x -= across / this.scale[0];
    this.y -= down / this.scale[1];
    this.clamp();
  }

  clamp() {
    this.whole = this.scale.every((size, axis) => size <= this.fit[axis] * 1.0001);
    const [wide, high] = this.seen();
    this.x = Math.min(Math.max(this.x, 0), Math.max(0, this.columns - wide));
    this.y = Math.min(Math.max(this.y, 0), Math.max(0, this.rows - high));
  }

  // How many columns and rows have room.
  seen() {
    return [this.area.width / this.scale[0], this.area.height / this.scale[1]];
  }

  middle() {
    return [this.area.left + this.area.width / 2, this.area.top + this.area.height / 2];
  }

  // [column, row], with fractions
  at(left, top) {
    return [this.x + (left - this.area.left) / this.scale[0], this.y + (top - this.area.top) / this.scale[1]];
  }

  left(column) {
    return this.area.left + (column - this.x) * this.scale[0];
  }

  top(row) {
    return this.area.top + (row - this.y) * this.scale[1];
  }

  // The cell under a point, or null beside the map.
  cell(left, top) {
    const { area } = this;
    if (left < area.left || top < area.top || left >= area.left + area.width || top >= area.top + area.height) return null;
    const [column, row] = this.at(left, top).map(Math.floor);
    return row >= 0 && row < this.rows && column >= 0 && column < this.columns ? [row, column] : null;
  }

  show([row, column]) {
    const [wide, high] = this.seen();
    if (column < this.x) this.x = column;
    if (column + 1 > this.x + wide) this.x = column + 1 - wide;
    if (row < this.y) this.y = row;
    if (row + 1 > this.y + high) this.y = row + 1 - high;
    this.clamp();
  }

  // The level of which no cell is smaller than a pixel of the screen.
  level(density) {
    const smallest = Math.min(...this.scale) * density;
    return smallest >= 1 ? 0 : Math.ceil(-Math.log2(smallest) - 1e-9);
  }
}
