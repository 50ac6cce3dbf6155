// Pointer, fingers, wheel and keys on a matrix.

const CLICK_PX = 4;
const KEY_ZOOM = 1.5;

export function listen(matrix) {
  const { canvas } = matrix;
  const pointers = new Map();
  let travelled = 0;

  const place = (event) => {
    const box = canvas.getBoundingClientRect();
    return [(event.clientX - box.left) / matrix.type, (event.clientY - box.top) / matrix.type];
  };

  canvas.addEventListener("pointerdown", (event) => {
    if (event.button !== 0 || !matrix.ready) return;
    canvas.setPointerCapture(event.pointerId);
    pointers.set(event.pointerId, place(event));
    if (pointers.size === 1) travelled = 0;
  });

  canvas.addEventListener("pointermove", (event) => {
    if (!matrix.ready) return;
    const now = place(event);
    const before = pointers.get(event.pointerId);
    if (!before) return matrix.point(matrix.under(...now));
    travelled += distance(before, now);
    if (pointers.size === 2) {
      const other = [...pointers].find(([id]) => id !== event.pointerId)[1];
      const middle = [(now[0] + other[0]) / 2, (now[1] + other[1]) / 2];
      matrix.zoom(distance(now, other) / Math.max(1, distance(before, other)), middle);
    } else if (travelled > CLICK_PX) {
      matrix.viewport.move(now[0] - before[0], now[1] - before[1]);
      canvas.classList.add("attnviz-moving");
      matrix.later();
    }
    pointers.set(event.pointerId, now);
  });

  const up = (event) => {
    if (!pointers.delete(event.pointerId)) return;
    canvas.classList.remove("attnviz-moving");
    if (event.type === "pointerup" && pointers.size === 0 && travelled <= CLICK_PX) {
      const cell = matrix.under(...place(event));
      matrix.marks.cursor = cell;
      matrix.point(cell);
      matrix.choose(cell);
    }
  };
  canvas.addEventListener("pointerup", up);
  canvas.addEventListener("pointercancel", up);
  canvas.addEventListener("pointerleave", () => matrix.ready && pointers.size === 0 && matrix.point(null));
  canvas.addEventListener("dblclick", () => matrix.whole());

  // A page that is scrolled past must not be caught by the map: it zooms once it was clicked, or with Ctrl
  // (which is also how browsers report a pinch on a trackpad).
  canvas.addEventListener("wheel", (event) => {
    if (!matrix.ready) return;
    if (!event.ctrlKey && !event.metaKey && document.activeElement !== canvas) return matrix.say(matrix.labels.wheel);
    event.preventDefault();
    matrix.zoom(Math.exp(-event.deltaY * (event.deltaMode === 1 ? 0.05 : 0.002)), place(event));
  }, { passive: false });

  canvas.addEventListener("keydown", (event) => {
    if (!matrix.ready || event.ctrlKey || event.metaKey || event.altKey) return;
    if (key(matrix, event)) event.preventDefault();
  });
}

function key(matrix, event) {
  const { viewport, marks } = matrix;
  const far = event.shiftKey ? 10 : 1;
  const arrow = { ArrowLeft: [0, -1], ArrowRight: [0, 1], ArrowUp: [-1, 0], ArrowDown: [1, 0] }[event.key];
  if (arrow) {
    const from = marks.cursor ?? marks.hovered ?? [Math.ceil(viewport.y), Math.ceil(viewport.x)];
    const steps = marks.cursor ? arrow : [0, 0];
    marks.hovered = null;
    matrix.cursor([
      clamp(from[0] + steps[0] * far, viewport.rows),
      clamp(from[1] + steps[1] * far, viewport.columns),
    ]);
    return true;
  }
  const zoom = (factor) => {
    const { cursor } = marks;
    if (!cursor) return matrix.zoom(factor);
    matrix.zoom(factor, [viewport.left(cursor[1] + 0.5), viewport.top(cursor[0] + 0.5)]);
    viewport.show(cursor);
  };
  switch (event.key) {
    case "+": case "=": zoom(KEY_ZOOM); return true;
    case "-": case "−": zoom(1 / KEY_ZOOM); return true;
    case "0": case "Home": matrix.whole(); return true;
    case "Enter": matrix.choose(marks.cursor); return true;
    case "Escape": matrix.cursor(null); return true;
    default: return false;
  }
}

const clamp = (value, count) => Math.min(count - 1, Math.max(0, value));
const distance = ([x, y], [u, v]) => Math.hypot(x - u, y - v);
