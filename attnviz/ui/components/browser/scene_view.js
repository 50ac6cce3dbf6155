// Which part of the street is seen: metres to pixels and back. North is up.

const MOST_ZOOM = 8;

export class StreetView {
  constructor() {
    Object.assign(this, { zoom: 1, width: 1, height: 1, bounds: { left: -1, right: 1, bottom: -1, top: 1 } });
    this.reset();
  }

  // bounds: metres that the whole view must hold.
  place(width, height, bounds) {
    Object.assign(this, { width, height, bounds });
    this.fit = Math.min(width / (bounds.right - bounds.left), height / (bounds.top - bounds.bottom));
    if (this.zoom === 1) this.reset();
    else this.clamp();
  }

  get scale() {
    return this.fit * this.zoom;
  }

  get whole() {
    return this.zoom === 1;
  }

  reset() {
    const { left, right, bottom, top } = this.bounds;
    Object.assign(this, { zoom: 1, x: (left + right) / 2, y: (bottom + top) / 2 });
  }

  pixels(x, y) {
    return [this.width / 2 + (x - this.x) * this.scale, this.height / 2 - (y - this.y) * this.scale];
  }

  metres(left, top) {
    return [this.x + (left - this.width / 2) / this.scale, this.y - (top - this.height / 2) / this.scale];
  }

  // Around a point in pixels, which stays where it is.
  magnify(factor, left = this.width / 2, top = this.height / 2) {
    const [x, y] = this.metres(left, top);
    this.zoom = Math.min(Math.max(this.zoom * factor, 1), MOST_ZOOM);
    this.x = x - (left - this.width / 2) / this.scale;
    this.y = y + (top - this.height / 2) / this.scale;
    if (this.zoom === 1) this.reset();
    else this.clamp();
  }

  move(across, down) {
    this.x -= across / this.scale;
    this.y += down / this.scale;
    this.clamp();
  }

  clamp() {
    const { left, right, bottom, top } = this.bounds;
    this.x = Math.min(Math.max(this.x, left), right);
    this.y = Math.min(Math.max(this.y, bottom), top);
  }

  // The nearest place that can be seen, so that nobody is dragged out of sight.
  inside(x, y, margin = 12) {
    const [left, top] = this.metres(margin, margin);
    const [right, bottom] = this.metres(this.width - margin, this.height - margin);
    return [Math.min(Math.max(x, left), right), Math.min(Math.max(y, bottom), top)];
  }
}
