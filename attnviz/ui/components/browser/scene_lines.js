// Where lines and numbers go, in pixels: lines of several heads side by side, numbers clear of each other.

const GAP = 1.5;
const ALONG = [0.56, 0.46, 0.66, 0.36, 0.76, 0.86, 0.26];
const TURNS = Array.from({ length: 16 }, (_one, index) => (index * Math.PI) / 8);
const DISTANCES = [2, 12, 24, 40, 60, 85, 115];
const ASIDE = [0, 1, -1, 2, -2, 3, -3];

// One line for each width, beside each other and touching nowhere, centred on the way from one point to the other.
export function bundle([x1, y1], [x2, y2], widths) {
  const length = Math.hypot(x2 - x1, y2 - y1);
  const [across, down] = length < 1e-6 ? [1, 0] : [-(y2 - y1) / length, (x2 - x1) / length];
  let at = -(widths.reduce((sum, width) => sum + width, 0) + GAP * (widths.length - 1)) / 2;
  return widths.map((width) => {
    const shift = at + width / 2;
    at += width + GAP;
    return { x1: x1 + across * shift, y1: y1 + down * shift, x2: x2 + across * shift, y2: y2 + down * shift };
  });
}

// Radii of rings around a point, the thickest as thick as it is, none on top of another.
export function rings(inner, widths) {
  let at = inner;
  return widths.map((width) => {
    const radius = at + width / 2;
    at += width + GAP;
    return radius;
  });
}

const overlap = (one, other) =>
  Math.max(0, Math.min(one.right, other.right) - Math.max(one.left, other.left)) *
  Math.max(0, Math.min(one.bottom, other.bottom) - Math.max(one.top, other.top));

const around = (x, y, width, height) => ({
  left: x - width / 2, right: x + width / 2, top: y - height / 2, bottom: y + height / 2, x, y,
});

// The candidate that covers least; `strain` of a candidate is what it costs even where it covers nothing.
function least(candidates, taken, area) {
  let best = null;
  for (const candidate of candidates) {
    let cost = candidate.strain ?? 0;
    if (best !== null && cost >= best.cost) continue;
    for (const other of taken) cost += overlap(candidate, other);
    const outside = area ? candidate.right - candidate.left : 0;
    if (area && (candidate.left < 0 || candidate.top < 0 || candidate.right > area[0] || candidate.bottom > area[1])) cost += outside * 20;
    if (best === null || cost < best.cost) best = { ...candidate, cost };
    if (cost === 0) break;
  }
  return best;
}

// The place of a number of this size along a line, on it if there is room. `previous` is kept where it is still free.
export function onLine([x1, y1], [x2, y2], [width, height], taken, area, previous) {
  const length = Math.hypot(x2 - x1, y2 - y1) || 1;
  const [across, down] = [-(y2 - y1) / length, (x2 - x1) / length];
  const at = ([along, aside]) => ({
    ...around(
      x1 + (x2 - x1) * along + across * aside * (Math.abs(across) * width + Math.abs(down) * height + 4),
      y1 + (y2 - y1) * along + down * aside * (Math.abs(across) * width + Math.abs(down) * height + 4),
      width, height,
    ),
    choice: [along, aside],
  });
  const choices = ASIDE.flatMap((aside) => ALONG.map((along) => [along, aside]));
  return least([...(previous ? [previous] : []), ...choices].map(at), taken, area);
}

// The place of a number of this size close to what it belongs to: the nearest that is free.
export function near([x, y], reach, [width, height], taken, area, previous) {
  const at = ([turn, far]) => {
    const [across, down] = [Math.cos(turn), Math.sin(turn)];
    const distance = reach + far + (Math.abs(across) * width + Math.abs(down) * height) / 2;
    return { ...around(x + across * distance, y + down * distance, width, height), choice: [turn, far], strain: far * 0.6 };
  };
  const choices = DISTANCES.flatMap((far) => TURNS.map((turn) => [turn, far]));
  return least([...(previous ? [{ ...at(previous), strain: 0 }] : []), ...choices.map(at)], taken, area);
}

// The place of a name beside what it names: below, above, right, left.
export function beside([x, y], reach, [width, height], taken, area) {
  const places = [
    around(x, y + reach + height / 2, width, height), around(x, y - reach - height / 2, width, height),
    around(x + reach + width / 2, y, width, height), around(x - reach - width / 2, y, width, height),
  ];
  return least(places, taken, area);
}

export { around };
