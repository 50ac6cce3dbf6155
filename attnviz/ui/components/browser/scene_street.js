// The street itself, in metres, for left-hand traffic; for right-hand traffic it is mirrored as a whole.

import { svg } from "./svg.js";

const HALF = 3.4; // half the width of the carriageway: one lane each way
const CORNER = 2.2; // radius of the kerb at a corner
const PAVEMENT = 2.4;
const FAR = 600; // arms run out of sight
const CROSSING = [5.9, 8.9]; // from the middle of the junction, along each arm
const STOP = 9.6;
const BAY = { from: 11.2, to: 21.8, depth: 2.2, slant: 1.2 };

export const BOUNDS = { left: -15.5, right: 25.5, bottom: -16.5, top: 13.8 };
// Where the ego wants to go: into the arm on its right, past the crossing and the parking bay.
const EXIT = [[5.2, 1.7], [11, 1.7], [23.5, 1.7]];

export function street(colours) {
  const parts = [
    svg("rect", { x: -FAR, y: -FAR, width: 2 * FAR, height: 2 * FAR, fill: colours.ground }),
    ...blocks(colours),
    svg("path", { d: cross(HALF + PAVEMENT, CORNER * 0.5), fill: colours.pavement }),
    svg("path", { d: bay(PAVEMENT, HALF + BAY.depth + PAVEMENT), fill: colours.pavement }),
    svg("path", { d: cross(HALF, CORNER), fill: colours.asphalt, stroke: colours.kerb, "stroke-width": 0.22 }),
    svg("path", { d: bay(0, HALF + BAY.depth), fill: colours.bay, stroke: colours.kerb, "stroke-width": 0.22 }),
    // The kerb is open where the bay joins the lane.
    svg("path", { d: `M ${BAY.from} ${HALF} H ${BAY.to}`, stroke: colours.asphalt, "stroke-width": 0.3 }),
    svg("path", {
      d: `M ${BAY.from} ${HALF} H ${BAY.to}`, stroke: colours.marking, "stroke-width": 0.12, "stroke-dasharray": "0.6 0.4",
    }),
  ];
  for (const turn of [0, 90, 180, 270]) parts.push(svg("g", { transform: `rotate(${turn})` }, ...arm(colours)));
  return parts;
}

// A road that was read from a file: outlines and lines, in metres.
export function ownRoad({ areas, crossings, lanes, middles }, colours) {
  const points = (line) => line.map(([x, y]) => `${x},${y}`).join(" ");
  return [
    svg("rect", { x: -FAR, y: -FAR, width: 2 * FAR, height: 2 * FAR, fill: colours.ground }),
    ...areas.map((area) => svg("polygon", { points: points(area), fill: colours.asphalt, stroke: colours.asphalt, "stroke-width": 0.3 })),
    ...crossings.map((area) => svg("polygon", { points: points(area), fill: colours.marking, opacity: 0.75 })),
    ...lanes.map((line) => svg("polyline", { points: points(line), fill: "none", stroke: colours.kerb, "stroke-width": 0.18 })),
    ...middles.map((line) => svg("polyline", { points: points(line), fill: "none", stroke: colours.marking, "stroke-width": 0.14, "stroke-dasharray": "1.6 1.2" })),
  ];
}

// One arm, running to the east.
function arm(colours) {
  const stripes = [];
  for (let across = -HALF + 0.45; across < HALF; across += 1) {
    stripes.push(svg("rect", { x: CROSSING[0], y: across, width: CROSSING[1] - CROSSING[0], height: 0.5, fill: colours.marking }));
  }
  return [
    ...stripes,
    // Whoever comes from the east keeps to the left: in the southern half of this arm.
    svg("rect", { x: STOP, y: -HALF + 0.15, width: 0.35, height: HALF - 0.15, fill: colours.marking }),
    svg("path", {
      d: `M ${STOP} 0 H ${FAR}`, stroke: colours.marking, "stroke-width": 0.14, "stroke-dasharray": "1.6 1.2", fill: "none",
    }),
  ];
}

// A plus sign with rounded inner corners.
function cross(half, corner) {
  const [x1, y1, cx, cy, x2, y2] = [half, half + corner, half, half, half + corner, half];
  return [
    `M ${x1} ${FAR} L ${x1} ${y1} Q ${cx} ${cy} ${x2} ${y2} L ${FAR} ${y2}`,
    `L ${FAR} ${-y2} L ${x2} ${-y2} Q ${cx} ${-cy} ${x1} ${-y1} L ${x1} ${-FAR}`,
    `L ${-x1} ${-FAR} L ${-x1} ${-y1} Q ${-cx} ${-cy} ${-x2} ${-y2} L ${-FAR} ${-y2}`,
    `L ${-FAR} ${y2} L ${-x2} ${y2} Q ${-cx} ${cy} ${-x1} ${y1} L ${-x1} ${FAR} Z`,
  ].join(" ");
}

// The parking bay beside the lane that the ego wants to enter, `wider` at both ends, as far as `top`.
function bay(wider, top) {
  const { from, to, slant } = BAY;
  return `M ${from - wider} ${HALF} L ${from - wider + slant} ${top} H ${to + wider - slant} L ${to + wider} ${HALF} Z`;
}

function blocks(colours) {
  const edge = HALF + PAVEMENT + 1.6;
  const houses = [[edge + 4, edge + 3, 10, 8], [-edge - 12, edge, 12, 10], [-edge - 12, -edge - 12, 12, 12], [edge, -edge - 12, 9, 12], [edge + 11, -edge - 10, 9, 10]];
  return houses.map(([x, y, width, height]) => svg("rect", { x, y, width, height, rx: 0.8, fill: colours.block }));
}

// The way that the ego means to take, from its front; `side` is −1 for right-hand traffic.
export function intended(ego, side) {
  const turn = (ego.heading * Math.PI) / 180;
  const ahead = (distance) => [ego.x + Math.cos(turn) * distance, ego.y + Math.sin(turn) * distance];
  const point = ([x, y]) => `${x.toFixed(2)} ${y.toFixed(2)}`;
  const exit = EXIT.map(([x, y]) => [x * side, y]);
  return `M ${point(ahead(ego.length / 2 + 0.4))} C ${point(ahead(10.5))} ${point(exit[0])} ${point(exit[1])} L ${point(exit[2])}`;
}
