// Road users seen from above, to scale: in metres, looking along +x, the middle at 0, 0.

import { svg } from "./svg.js";

const box = (x, y, width, height, rx, fill, more = {}) => svg("rect", { x, y, width, height, rx, fill, ...more });

function car(length, width, body, colours) {
  const [l, w] = [length / 2, width / 2];
  return [
    box(-l, -w, length, width, 0.45, body, { stroke: colours.outline, "stroke-width": 0.09 }),
    // Rear window, windscreen, headlights: which way it looks.
    svg("path", { d: `M ${-l * 0.72} ${-w * 0.68} L ${-l * 0.5} ${-w * 0.58} V ${w * 0.58} L ${-l * 0.72} ${w * 0.68} Z`, fill: colours.glass }),
    svg("path", { d: `M ${l * 0.42} ${-w * 0.74} L ${l * 0.12} ${-w * 0.6} V ${w * 0.6} L ${l * 0.42} ${w * 0.74} Z`, fill: colours.glass }),
    box(l - 0.22, -w + 0.12, 0.17, 0.38, 0.06, colours.light),
    box(l - 0.22, w - 0.5, 0.17, 0.38, 0.06, colours.light),
  ];
}

function parked(length, width, colours) {
  return [
    ...car(length, width, colours.parked, colours),
    svg("text", {
      x: 0, y: 0.36, fill: colours.outline, "font-size": 1, "font-weight": 700, "text-anchor": "middle",
      "font-family": "Arial, Helvetica, sans-serif",
    }, "P"),
  ];
}

function large(length, width, colours) {
  const [l, w] = [length / 2, width / 2];
  return [
    box(-l, -w, length, width, 0.3, colours.vehicle, { stroke: colours.outline, "stroke-width": 0.09 }),
    box(-l + 0.4, -w + 0.25, length - 2.4, width - 0.5, 0.15, colours.parked),
    box(l - 0.9, -w + 0.15, 0.5, width - 0.3, 0.12, colours.glass),
    box(l - 0.2, -w + 0.15, 0.15, 0.4, 0.05, colours.light),
    box(l - 0.2, w - 0.55, 0.15, 0.4, 0.05, colours.light),
  ];
}

// Shoulders, head, and a tip that says which way somebody looks.
function person(length, width, colours) {
  const across = Math.max(length, width) / 2;
  return [
    svg("path", {
      d: `M ${across * 1.3} 0 L ${across * 0.2} ${across * 0.7} V ${-across * 0.7} Z`, fill: colours.person,
      stroke: colours.outline, "stroke-width": 0.05, "stroke-linejoin": "round",
    }),
    svg("ellipse", { rx: across * 0.55, ry: across, fill: colours.person, stroke: colours.outline, "stroke-width": 0.05 }),
    svg("circle", { cx: across * 0.12, r: across * 0.46, fill: colours.hair }),
  ];
}

function rider(length, width, colours) {
  const l = length / 2;
  return [
    svg("path", { d: `M ${-l} 0 H ${l}`, stroke: colours.glass, "stroke-width": width * 0.22, "stroke-linecap": "round" }),
    svg("path", { d: `M ${l * 0.5} ${-width * 0.45} V ${width * 0.45}`, stroke: colours.glass, "stroke-width": 0.08 }),
    svg("ellipse", { cx: -l * 0.05, rx: 0.22, ry: width * 0.48, fill: colours.person, stroke: colours.outline, "stroke-width": 0.05 }),
    svg("circle", { cx: 0.05, r: 0.17, fill: colours.light, stroke: colours.glass, "stroke-width": 0.05 }),
  ];
}

function obstacle(length, width, colours) {
  const [l, w] = [length / 2, width / 2];
  return [
    box(-l, -w, length, width, 0.08, colours.vehicle, { stroke: colours.outline, "stroke-width": 0.06 }),
    svg("path", { d: `M ${-l} ${-w} L ${l} ${w} M ${-l} ${w} L ${l} ${-w}`, stroke: colours.outline, "stroke-width": 0.1 }),
  ];
}

const ON_FOOT = new Set(["pedestrian", "child", "cyclist", "motorcyclist", "obstacle"]);
const LEAST_PIXELS = 20;

export function shape({ kind, length, width }, colours, ego) {
  if (ego) return car(length, width, colours.ego, colours);
  if (kind === "parked-car") return parked(length, width, colours);
  if (kind === "bus" || kind === "truck" || kind === "van") return large(length, width, colours);
  if (kind === "pedestrian" || kind === "child") return person(length, width, colours);
  if (kind === "cyclist" || kind === "motorcyclist") return rider(length, width, colours);
  if (kind === "obstacle") return obstacle(length, width, colours);
  return car(length, width, colours.vehicle, colours);
}

// To scale, but people are never drawn smaller than this: they are what must not be overlooked.
export function magnified({ kind, length, width }, scale) {
  if (!ON_FOOT.has(kind)) return 1;
  return Math.max(1, LEAST_PIXELS / (Math.max(length, width) * scale));
}
