// The quick way for heatmaps whose numbers alone have changed, as they do while a slider moves.
//
// Plotly.react works out axes, ticks, margins and colour bars anew each time, which is most of what it
// costs. When none of these can have changed, the heatmap is drawn by Plotly's own drawing function alone.
// Whatever does not look as expected is left to Plotly.react.

import { values } from "./table.js";

const NUMBERS = ["z", "text", "hovertext", "customdata"];

// True when the plot now shows `after`.
export function patch(plot, before, after) {
  if (!same(before.layout, after.layout) || before.data.length !== after.data.length) return false;
  const changed = [];
  for (const [index, trace] of after.data.entries()) {
    if (same(before.data[index], trace)) continue;
    if (!patchable(plot, index, before.data[index], trace, after.layout)) return false;
    changed.push(index);
  }
  for (const index of changed) {
    const rewritten = rewrite(plot, index, before.data[index], after.data[index]);
    fill(plot, index, after.data[index]);
    if (!rewritten) redraw(plot, index);
  }
  return true;
}

function patchable(plot, index, before, after, layout) {
  const drawn = plot.calcdata?.[index];
  if (after.type !== "heatmap" || after.zsmooth || after.visible === false || drawn?.length !== 1) return false;
  if (!plot._fullLayout._plots[place(after)] || typeof plot._fullData[index]._module?.plot !== "function") return false;
  const names = new Set([...Object.keys(before), ...Object.keys(after)]);
  for (const name of names) {
    if (NUMBERS.includes(name) ? (name in before) !== (name in after) : !same(before[name], after[name])) return false;
  }
  const z = values(after.z);
  return sameShape(drawn[0].z, z) && (fixedColours(after, layout) || sameEnds(values(before.z), z));
}

// Otherwise the least and the greatest value decide what the colours mean.
function fixedColours(trace, layout) {
  if (trace.coloraxis) {
    const { cmin, cmax } = layout[trace.coloraxis] ?? {};
    return cmin !== undefined && cmax !== undefined;
  }
  return trace.zmin !== undefined && trace.zmax !== undefined;
}

function sameEnds(before, after) {
  const ends = (rows) => {
    let [least, most] = [Infinity, -Infinity];
    for (const row of rows) for (const value of row) {
      if (value === null) continue;
      if (value < least) least = value;
      if (value > most) most = value;
    }
    return `${least} ${most}`;
  };
  return ends(before) === ends(after);
}

function sameShape(drawn, next) {
  return drawn.length === next?.length && drawn.every((row, at) => row.length === next[at].length);
}

function fill(plot, index, trace) {
  const [drawn, full] = [plot.calcdata[index], plot._fullData[index]];
  for (const name of NUMBERS) {
    if (!(name in trace)) continue;
    const next = values(trace[name]);
    plot.data[index][name] = full[name] = next;
    if (name in drawn[0]) drawn[0][name] = name === "z" ? next.map(cleaned) : next;
  }
}

// Plotly draws a gap where a number is undefined.
const cleaned = (row) => Array.from(row, (value) => (value === null || Number.isNaN(value) ? undefined : value));

// Plotly's drawing function takes away what it is not given, and would draw again all that it is given; so
// the other heatmaps of the subplot are kept out of its sight.
function redraw(plot, index) {
  const { trace } = plot.calcdata[index][0];
  const subplot = plot._fullLayout._plots[place(trace)];
  const layer = subplot.plot.select(".heatmaplayer");
  const others = groups(layer.node()).filter((group) => indexOf(group) !== index);
  for (const group of others) group.classList.replace("hm", "attnviz-aside");
  try {
    trace._module.plot(plot, subplot, [plot.calcdata[index]], layer);
  } finally {
    for (const group of others) group.classList.replace("attnviz-aside", "hm");
  }
}

const groups = (layer) => [...layer.children].filter((group) => group.classList.contains("hm"));
const indexOf = (group) => group.__data__?.[0].trace.index;

// Quicker still, where only the printed text changed: its letters are exchanged. That is enough when nothing
// that the text decides changes with it: which cells have one, and its size, which the longest decides.
function rewrite(plot, index, before, after) {
  const others = NUMBERS.filter((name) => name !== "text");
  if (after.texttemplate !== "%{text}" || !after.textfont?.color || !others.every((name) => same(before[name], after[name]))) return false;
  const [old, next] = [values(before.text).flat(), values(after.text).flat()];
  const longest = (texts) => Math.max(...texts.map((text) => text.length));
  const simple = next.every((text, at) => !/[<&]/.test(text) && (text === "") === (old[at] === ""));
  if (!simple || longest(old) !== longest(next)) return false;
  const layer = plot._fullLayout._plots[place(after)].plot.select(".heatmaplayer").node();
  const written = groups(layer).find((group) => indexOf(group) === index)?.querySelectorAll(".heatmap-label > text") ?? [];
  const texts = next.filter((text) => text !== "");
  if (written.length !== texts.length) return false; // zoomed: some are out of sight
  texts.forEach((text, at) => {
    if (written[at].textContent !== text) written[at].textContent = text;
  });
  return true;
}

const place = (trace) => `${trace.xaxis ?? "x"}${trace.yaxis ?? "y"}`;

function same(one, other) {
  if (one === other) return true;
  if (typeof one !== "object" || typeof other !== "object" || !one || !other) return false;
  const names = fields(one);
  return names.length === fields(other).length && names.every((name) => same(one[name], other[name]));
}

// Plotly keeps notes of its own in the arrays that it has decoded.
const fields = (value) => Object.keys(value).filter((name) => !name.startsWith("_"));
