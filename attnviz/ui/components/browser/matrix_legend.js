// What the colours of a matrix mean: on the page as elements, in exports on a canvas.

import { element } from "./page.js";
import { STATES } from "./levels.js";
import { stripes } from "./matrix_paint.js";

const css = (colours, code) => {
  const [red, green, blue, opacity] = colours.subarray(code * 4, code * 4 + 4);
  return `rgba(${red},${green},${blue},${opacity / 255})`;
};

const STOPS = Array.from({ length: 22 }, (_, index) => STATES + Math.round((index * (255 - STATES)) / 21));

// colours: 256 × 4 bytes; ticks: [[place 0…1, text], …]
export function legend(colours, ticks, labels, present) {
  const ramp = element("div", { class: "attnviz-ramp" });
  ramp.style.background = `linear-gradient(to right, ${STOPS.map((code) => css(colours, code)).join(", ")})`;
  const marks = ticks.map(([place, text]) => {
    const mark = element("span", {}, text);
    mark.style.left = `${place * 100}%`;
    return mark;
  });
  const states = [...present].sort().map((code) => {
    const patch = element("span", { class: "attnviz-patch", "data-state": code });
    patch.style.backgroundColor = css(colours, code);
    return element("span", { class: "attnviz-state" }, patch, labels.states[code]);
  });
  return element("div", { class: "attnviz-legend" },
    element("div", { class: "attnviz-scale", title: labels.below },
      element("div", { class: "attnviz-scale-title" }, labels.weight), ramp, element("div", { class: "attnviz-ticks" }, ...marks)),
    element("div", { class: "attnviz-states" }, ...states));
}

export const LEGEND_HEIGHT = 64;

// The same on a canvas, at most `width` wide.
export function drawLegend(pencil, left, top, width, { colours, ticks, labels, levels }, paper) {
  const length = Math.min(360, width);
  const ramp = pencil.createLinearGradient(left, 0, left + length, 0);
  STOPS.forEach((code, index) => ramp.addColorStop(index / (STOPS.length - 1), css(colours, code)));
  pencil.font = `12px ${paper.font}`;
  pencil.textBaseline = "top";
  pencil.textAlign = "left";
  pencil.fillStyle = paper.text;
  pencil.fillText(labels.weight, left, top);
  pencil.fillStyle = ramp;
  pencil.fillRect(left, top + 16, length, 10);
  pencil.fillStyle = paper.text;
  pencil.textAlign = "center";
  for (const [place, text] of ticks) pencil.fillText(text, left + place * length, top + 29);
  pencil.textAlign = "left";
  let at = left;
  for (const code of [...levels.present].sort()) {
    pencil.fillStyle = css(colours, code);
    pencil.fillRect(at, top + 48, 14, 14);
    if (code === 1 || code === 2) {
      pencil.fillStyle = pencil.createPattern(stripes(code, paper), "repeat");
      pencil.fillRect(at, top + 48, 14, 14);
    }
    pencil.fillStyle = paper.text;
    pencil.fillText(labels.states[code], at + 20, top + 49);
    at += 20 + pencil.measureText(labels.states[code]).width + 18;
  }
}
