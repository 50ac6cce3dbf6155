// A figure as a tidy table: one row for each cell or point, exact values, labels as plain text.

const DTYPES = {
  i1: Int8Array, u1: Uint8Array, i2: Int16Array, u2: Uint16Array,
  i4: Int32Array, u4: Uint32Array, f4: Float32Array, f8: Float64Array,
};

// Plotly writes numeric arrays as base64; this gives an array, or an array of rows.
export function values(spec) {
  if (!spec || spec.bdata === undefined) return spec;
  const bytes = Uint8Array.from(atob(spec.bdata), (letter) => letter.charCodeAt(0));
  const flat = new DTYPES[spec.dtype](bytes.buffer);
  const shape = String(spec.shape ?? flat.length).split(",").map(Number);
  return shape.length < 2 ? flat : fold(flat, shape);
}

function fold(flat, [length, ...rest]) {
  if (rest.length === 0) return flat;
  const size = flat.length / length;
  return Array.from({ length }, (_, at) => fold(flat.subarray(at * size, (at + 1) * size), rest));
}

// Labels are escaped for Plotly, which knows a few tags; a table wants the token itself.
export function plain(label) {
  if (typeof label !== "string") return label;
  const named = { lt: "<", gt: ">", amp: "&", quot: '"', apos: "'", nbsp: "\u00a0" };
  return label
    .replace(/[\u2068\u2069]/g, "")
    .replace(/<br\s*\/?>/gi, " ")
    .replace(/<\/?(b|i|em|strong|u|s|sub|sup|span|a)(\s[^>]*)?>/gi, "")
    .replace(/&(?:#(\d+)|#x([\da-f]+)|(\w+));/gi, (whole, decimal, hex, name) =>
      decimal ? String.fromCodePoint(Number(decimal)) : hex ? String.fromCodePoint(parseInt(hex, 16)) : (named[name] ?? whole));
}

// [header, ...rows]. What cannot be hovered is decoration (printed numbers, frames) and no data.
export function table({ data, layout }) {
  const rows = [];
  const names = ["trace"];
  const add = (row) => {
    for (const name of Object.keys(row)) if (!names.includes(name)) names.push(name);
    rows.push(row);
  };
  data.forEach((trace, index) => {
    if (trace.hoverinfo === "skip") return;
    const called = plain(trace.name) ?? String(index);
    for (const row of (rowsOf[trace.type] ?? points)(trace, layout)) add({ trace: called, ...row });
  });
  return [names, ...rows.map((row) => names.map((name) => row[name] ?? ""))];
}

const rowsOf = { heatmap: cells, contour: cells, surface: cells, image: cells, sankey: links };

function* cells(trace, layout) {
  const z = values(trace.z) ?? [];
  const [x, y, text, custom] = [trace.x, trace.y, trace.text, trace.customdata].map(values);
  for (let row = 0; row < z.length; row++) {
    for (let column = 0; column < z[row].length; column++) {
      // A gap is no cell: another trace says what is there.
      if (trace.hoverongaps === false && (z[row][column] === null || Number.isNaN(z[row][column]))) continue;
      yield {
        row, row_label: named(y?.[row] ?? row, axis(trace, layout, "y")),
        column, column_label: named(x?.[column] ?? column, axis(trace, layout, "x")),
        value: z[row][column],
        ...more(text?.[row]?.[column], custom?.[row]?.[column]),
      };
    }
  }
}

function* points(trace, layout) {
  const [x, y, z] = [trace.x ?? trace.theta ?? trace.labels, trace.y ?? trace.r ?? trace.values, trace.z].map(values);
  const [text, custom] = [trace.text, trace.customdata].map(values);
  const length = Math.max(...[x, y, z].map((list) => list?.length ?? 0));
  for (let point = 0; point < length; point++) {
    if (x?.[point] === null && y?.[point] === null) continue;
    const row = { point, x: named(x?.[point] ?? point, axis(trace, layout, "x")), y: named(y?.[point] ?? point, axis(trace, layout, "y")) };
    if (z) row.z = z[point];
    yield { ...row, ...more(Array.isArray(text) ? text[point] : undefined, custom?.[point]) };
  }
}

function* links(trace) {
  const [source, target, value] = ["source", "target", "value"].map((name) => values(trace.link?.[name]) ?? []);
  const label = values(trace.node?.label) ?? [];
  for (let link = 0; link < value.length; link++) {
    yield {
      source: source[link], source_label: plain(label[source[link]]),
      target: target[link], target_label: plain(label[target[link]]), value: value[link],
    };
  }
}

function more(text, custom) {
  const row = {};
  if (text !== undefined && text !== null) row.text = plain(text);
  if (custom !== undefined && custom !== null) {
    const list = typeof custom === "object" ? Object.values(custom) : [custom];
    list.forEach((value, at) => (row[`custom_${at}`] = plain(value)));
  }
  return row;
}

// "x" → layout.xaxis, "x2" → layout.xaxis2
function axis(trace, layout, letter) {
  return layout[`${letter}axis${(trace[`${letter}axis`] ?? letter).slice(1)}`];
}

// The label that the axis writes at this value, where it has its own.
function named(value, axis) {
  if (axis?.labelalias && String(value) in axis.labelalias) return plain(axis.labelalias[value]);
  const [at, label] = [values(axis?.tickvals), values(axis?.ticktext)];
  const found = at && label ? Array.from(at).indexOf(value) : -1;
  return plain(found < 0 ? value : label[found]);
}

// RFC 4180. A spreadsheet would run a cell that begins like a formula, so such text gets an apostrophe.
export function csv(rows) {
  return rows.map((row) => row.map(field).join(",")).join("\r\n") + "\r\n";
}

function field(value) {
  if (value === null || value === undefined) return "";
  let text = String(value);
  if (typeof value !== "number" && /^[=+\-@\t\r]/.test(text) && !isNumber(text)) text = `'${text}`;
  return /[",\r\n]/.test(text) || text !== text.trim() ? `"${text.replaceAll('"', '""')}"` : text;
}

const isNumber = (text) => /^[+-]?(\d+\.?\d*|\.\d+)(e[+-]?\d+)?$/i.test(text);
