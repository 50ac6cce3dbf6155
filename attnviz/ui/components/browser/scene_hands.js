// Hands on the street: pointers and keys that drag, turn and choose road users, move the view and magnify it.

const ARROWS = { ArrowRight: [1, 0], ArrowLeft: [-1, 0], ArrowUp: [0, 1], ArrowDown: [0, -1] };
const STEP = 0.5;
const LARGE_STEP = 2.5;
const TURN = 15;
const TENTHS = 10;
// A press that moves less than this is a click.
const STILL = 3;

const round = (metres) => Math.round(metres * TENTHS) / TENTHS;
export const turned = (degrees) => ((((degrees + 180) % 360) + 360) % 360) - 180;

export class Hands {
  // scene: offers place(id), put(id, place, done), select(id), view, stage, paint(), remove(id), rename(id)
  constructor(scene) {
    this.scene = scene;
    const { stage } = scene;
    stage.addEventListener("pointerdown", (event) => this.down(event));
    stage.addEventListener("keydown", (event) => this.key(event));
    stage.addEventListener("dblclick", (event) => this.twice(event));
    // A finger on a road user drags it; elsewhere it scrolls the page. touch-action knows no parts of a drawing.
    stage.addEventListener("touchstart", (event) => {
      if (event.target.closest(".attnviz-user, .attnviz-turn")) event.preventDefault();
    }, { passive: false });
    stage.addEventListener("wheel", (event) => this.wheel(event), { passive: false });
  }

  down(event) {
    if (event.button !== 0 || this.dragging) return;
    const handle = event.target.closest(".attnviz-turn");
    const user = event.target.closest(".attnviz-user");
    if (handle) this.turn(event, this.scene.selected);
    else if (user) this.drag(event, user.dataset.id);
    else if (!this.scene.view.whole) this.pan(event);
  }

  drag(event, id) {
    event.preventDefault();
    this.scene.choose(id);
    this.scene.focus(id);
    const from = this.scene.place(id);
    const start = this.metres(event);
    let moved = false;
    this.follow(event, {
      move: (now) => {
        if (this.scene.header.fixed || (!moved && Math.hypot(now.clientX - event.clientX, now.clientY - event.clientY) < STILL)) return;
        moved = true;
        const [x, y] = this.metres(now);
        this.put(id, { ...from, x: from.x + x - start[0], y: from.y + y - start[1] }, false);
      },
      end: () => (moved ? this.scene.put(id, this.scene.place(id), true) : this.scene.select(id)),
      cancel: () => this.scene.put(id, from, true),
    });
  }

  turn(event, id) {
    event.preventDefault();
    this.scene.focus(id);
    const from = this.scene.place(id);
    this.follow(event, {
      move: (now) => {
        const [x, y] = this.metres(now);
        const degrees = (Math.atan2(y - from.y, x - from.x) * 180) / Math.PI;
        this.scene.put(id, { ...from, heading: turned(Math.round(degrees / 5) * 5) }, false);
      },
      end: () => this.scene.put(id, this.scene.place(id), true),
      cancel: () => this.scene.put(id, from, true),
    });
  }

  pan(event) {
    event.preventDefault();
    let [x, y] = [event.clientX, event.clientY];
    this.follow(event, {
      move: (now) => {
        this.scene.view.move(now.clientX - x, now.clientY - y);
        [x, y] = [now.clientX, now.clientY];
        this.scene.paint();
      },
      end: () => {},
      cancel: () => {},
    });
  }

  // Until the pointer is lifted; Escape puts everything back.
  follow(event, { move, end, cancel }) {
    const { stage } = this.scene;
    const stop = new AbortController();
    const finish = (act) => {
      stop.abort();
      this.dragging = null;
      act();
    };
    this.dragging = event.pointerId;
    stage.setPointerCapture(event.pointerId);
    const own = (act) => (now) => now.pointerId === event.pointerId && act(now);
    stage.addEventListener("pointermove", own(move), stop);
    stage.addEventListener("pointerup", own(() => finish(end)), stop);
    stage.addEventListener("pointercancel", own(() => finish(cancel)), stop);
    addEventListener("keydown", (pressed) => {
      if (pressed.key !== "Escape") return;
      pressed.preventDefault();
      finish(cancel);
    }, { capture: true, signal: stop.signal });
  }

  put(id, { x, y, heading }, done) {
    const [inX, inY] = this.scene.view.inside(x, y);
    this.scene.put(id, { x: round(inX), y: round(inY), heading }, done);
  }

  metres(event) {
    const { left, top } = this.scene.stage.getBoundingClientRect();
    return this.scene.view.metres(event.clientX - left, event.clientY - top);
  }

  key(event) {
    const id = event.target.closest?.(".attnviz-user")?.dataset.id;
    if (!id || event.ctrlKey || event.metaKey || event.altKey) return;
    const act = this.action(event, id);
    if (!act) return;
    event.preventDefault();
    act();
  }

  action(event, id) {
    const place = this.scene.place(id);
    const arrow = ARROWS[event.key];
    const { tools, fixed } = this.scene.header;
    if (arrow && fixed) return null;
    // Before a projector the arrow keys turn the story, whatever has the focus; with Shift they still move.
    if (arrow && !tools && !event.shiftKey) return null;
    if (arrow) {
      const step = event.shiftKey && tools ? LARGE_STEP : STEP;
      return () => {
        this.scene.choose(id);
        this.put(id, { ...place, x: place.x + arrow[0] * step, y: place.y + arrow[1] * step }, true);
      };
    }
    if (event.key === "Enter" || event.key === " ") return () => this.scene.select(id);
    if (!tools) return null;
    // By place on the keyboard, so that it is the same key on a Russian or a Japanese one.
    if (event.code === "KeyQ" || event.code === "KeyE") return () => this.scene.turnBy(id, event.code === "KeyQ" ? TURN : -TURN);
    if (event.key === "Delete" || event.key === "Backspace") return () => this.scene.remove(id);
    if (event.key === "F2") return () => this.scene.rename(id);
    return null;
  }

  twice(event) {
    const user = event.target.closest(".attnviz-user");
    if (user && this.scene.header.tools) this.scene.rename(user.dataset.id);
  }

  // As on a map: with Ctrl, so that the page still scrolls.
  wheel(event) {
    if (!event.ctrlKey) return;
    event.preventDefault();
    const { left, top } = this.scene.stage.getBoundingClientRect();
    this.scene.magnify(event.deltaY < 0 ? 1.2 : 1 / 1.2, event.clientX - left, event.clientY - top);
  }
}

export { TURN };
