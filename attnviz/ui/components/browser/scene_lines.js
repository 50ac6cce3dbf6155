// Where lines and numbers go, in pixels: lines of several heads side by side, numbers clear of each other.

const GAP = 1.5;
const ALONG = [0.56, 0.5, 0.62, 0.44, 0.68, 0.38, 0.74, 0.8, 0.32, 0.86, 0.26];
const COVERING = 8; // a covered pixel against a pixel away from where a number belongs
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

const leaves = ({ left, top, right, bottom }, [width, height]) => left < 0 || top < 0 || right > width || bottom > height;

const around = (x, y, width, height) => ({
  left: x - width / 2, right: x + width / 2, top: y - height / 2, bottom: y + height / 2, x, y,
});

// The candidate that covers least; `strain` of a candidate is what it costs even where it covers nothing.
function least(candidates, taken, area) {
  let best = null;
  for (const candidate of candidates) {
    let cost = candidate.strain ?? 0;
    if (best !== null && cost >= best.cost) continue;
    const covers = taken.reduce((sum, other) => sum + overlap(candidate, other), 0);
    cost += covers * COVERING;
    if (area && leaves(candidate, area)) cost += (candidate.right - candidate.left) * 20;
    if (best === null || cost < best.cost) best = { ...candidate, cost, covers };
    if (cost === 0) break;
  }
  return best;
}

// How far a point is from the way between two others.
function distance(x, y, [x1, y1], [x2, y2]) {
  const [across, down] = [x2 - x1, y2 - y1];
  const along = ((x - x1) * across + (y - y1) * down) / (across * across + down * down || 1);
  const nearest = Math.min(Math.max(along, 0), 1);
  return Math.hypot(x - x1 - nearest * across, y - y1 - nearest * down);
}

const CLEAR = 10; // pixels between a number and another line
const APART = 64; // pixels from another road user, whose number it would seem to be

// The place of a number of this size along a line, on it if there is room, away from other lines and road users.
// others: where the other lines end. `previous` is kept where it is still free.
export function onLine([x1, y1], [x2, y2], [width, height], { taken, area, others, previous }) {
  const length = Math.hypot(x2 - x1, y2 - y1) || 1;
  const [across, down] = [-(y2 - y1) / length, (x2 - x1) / length];
  const at = ([along, aside]) => {
    const away = aside * (Math.abs(across) * width + Math.abs(down) * height + 4);
    const place = around(x1 + (x2 - x1) * along + across * away, y1 + (y2 - y1) * along + down * away, width, height);
    let strain = Math.abs(away) * 4;
    for (const other of others) {
      strain += Math.max(0, CLEAR + Math.max(width, height) / 2 - distance(place.x, place.y, [x1, y1], other)) * 6;
      strain += Math.max(0, APART - Math.hypot(place.x - other[0], place.y - other[1])) * 12;
    }
    return { ...place, strain, choice: [along, aside] };
  };
  const choices = ASIDE.flatMap((aside) => ALONG.map((along) => [along, aside]));
  const kept = previous?.length === 2 ? [{ ...at(previous), strain: at(previous).strain * 0.8 }] : [];
  return least([...kept, ...choices.map(at)], taken, area);
}

// The place of a number of this size close to what it belongs to: the nearest that is free.
export function near([x, y], [wide, high], [width, height], taken, area, previous) {
  const at = ([turn, far]) => {
    const [across, down] = [Math.cos(turn), Math.sin(turn)];
    // As far as the edge of what it belongs to, which is `wide` and `high` on either side of its middle.
    const edge = Math.min(wide / Math.max(Math.abs(across), 1e-6), high / Math.max(Math.abs(down), 1e-6));
    const away = edge + far + (Math.abs(across) * width + Math.abs(down) * height) / 2;
    return { ...around(x + across * away, y + down * away, width, height), choice: [turn, far, "near"], strain: far * 0.6 };
  };
  const choices = DISTANCES.flatMap((far) => TURNS.map((turn) => [turn, far]));
  return least([...(previous?.length === 3 ? [{ ...at(previous), strain: 0 }] : []), ...choices.map(at)], taken, area);
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
