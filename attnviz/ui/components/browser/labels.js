// Labels along axes that have no room are left out evenly: how many fit depends on the width, which only the page knows.
// What is left out is still said on hover, and stands in the table.

// Between two labels on a line, in CSS pixels.
const BETWEEN = 5;
// Lines may come so near, in heights of a line: the boxes of letters have room above and below.
const NEARER = 0.2;

// Hides the labels of the drawn plot that have no room; shows again those that have.
export function thin(plot) {
  const found = axes(plot);
  // All are measured before any is hidden: reading in between would lay the page out each time.
  const measured = found.map(({ texts }) => texts.map(box));
  // Axes of the same direction stand beside each other.
  const taken = { x: [], y: [] };
  found.forEach(({ name, texts }, place) => {
    const chosen = texts.flatMap((text, index) => (bold(text) ? [index] : []));
    const kept = even(measured[place], chosen, taken[name[0]]);
    texts.forEach((text, index) => (text.style.visibility = kept.has(index) ? "" : "hidden"));
    taken[name[0]].push(...at(measured[place], [...kept]));
  });
}

// The same axes, for a copy of the plot: `layout` has, of each axis with labels left out, only those that are shown.
export function thinned(plot, layout) {
  for (const { name, axis, texts } of axes(plot)) {
    const hidden = new Set(texts.filter((text) => text.style.visibility === "hidden").map((text) => text.__data__.x));
    if (!hidden.size || !layout[name]) continue;
    const names = axis.ticktext ?? [];
    const left = [...(axis.tickvals ?? axis._categories)]
      .map((value, at) => [value, names[at] ?? String(value)])
      .filter(([value]) => !hidden.has(axis.d2l(value)));
    layout[name] = {
      ...layout[name],
      tickmode: "array",
      tickvals: left.map(([value]) => value),
      ticktext: left.map(([, text]) => text),
    };
  }
  return layout;
}

// Which of the labels of one axis are kept, given their boxes in the order of the axis: those that are chosen, the
// first, the last, and every second, third … counted from the chosen. None touches another, nor one of those that are taken.
export function even(boxes, chosen = [], taken = []) {
  const free = (index, others) => !others.some((other) => touch(boxes[index], other));
  const kept = [];
  for (const index of [...chosen, 0, boxes.length - 1]) {
    if (boxes[index] && !kept.includes(index) && free(index, [...taken, ...at(boxes, kept)])) kept.push(index);
  }
  for (let step = 1; step < boxes.length; step += 1) {
    const every = boxes.map((_box, index) => index).filter((index) => index % step === (chosen[0] ?? 0) % step);
    if (every.some((index, place) => place && touch(boxes[index], boxes[every[place - 1]]))) continue;
    const fixed = [...taken, ...at(boxes, kept)];
    return new Set([...kept, ...every.filter((index) => free(index, fixed))]);
  }
  return new Set(kept);
}

const at = (boxes, indices) => indices.map((index) => boxes[index]);

// Boxes of labels that are turned differently are on different axes, and do not meet.
function touch(one, other) {
  if (Math.abs(one.turn - other.turn) > 0.01) return false;
  const near = NEARER * Math.min(one.bottom - one.top, other.bottom - other.top);
  return (
    one.from < other.to + BETWEEN && other.from < one.to + BETWEEN &&
    one.top < other.bottom - near && other.top < one.bottom - near
  );
}

// The axes whose labels are given, name by name; those of a scale are chosen by Plotly so that they fit.
function axes(plot) {
  const found = [];
  for (const [name, axis] of Object.entries(plot._fullLayout)) {
    if (!/^[xy]axis\d*$/.test(name) || !(axis.tickmode === "array" || axis.type === "category")) continue;
    // Plotly itself hides what would reach beyond the figure.
    const texts = [...plot.querySelectorAll(`.${axis._id}tick > text`)].filter((text) => text.textContent && text.style.display !== "none");
    texts.sort((one, other) => one.__data__.x - other.__data__.x);
    if (texts.length) found.push({ name, axis, texts });
  }
  return found;
}

const bold = (text) => [...text.querySelectorAll("tspan")].some((part) => /bold|[6-9]00/.test(part.style.fontWeight));

// Where a label is, in the directions of its own line: slanted labels stand closer than the boxes around them.
function box(text) {
  const { x, y, width, height } = text.getBBox();
  const { a, b, c, d, e, f } = text.getScreenCTM();
  const turn = Math.atan2(b, a);
  const corners = [[x, y], [x + width, y], [x, y + height], [x + width, y + height]].map(([px, py]) => [
    a * px + c * py + e,
    b * px + d * py + f,
  ]);
  const along = corners.map(([px, py]) => px * Math.cos(turn) + py * Math.sin(turn));
  const across = corners.map(([px, py]) => py * Math.cos(turn) - px * Math.sin(turn));
  return { turn, from: Math.min(...along), to: Math.max(...along), top: Math.min(...across), bottom: Math.max(...across) };
}
