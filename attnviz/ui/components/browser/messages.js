// What all components share: reading what Python packed, and answering with one message in flight.

const decoder = new TextDecoder();

export const text = (bytes) => decoder.decode(bytes);

// Header length (4 bytes, little-endian), header as JSON, parts one after another.
export function unpack(bytes) {
  const length = new DataView(bytes.buffer, bytes.byteOffset).getUint32(0, true);
  const header = JSON.parse(text(bytes.subarray(4, 4 + length)));
  let at = 4 + length;
  const parts = header.parts.map((size) => bytes.subarray(at, (at += size)));
  return { header, parts };
}

// A newer message would interrupt the script that answers the last one, so the next is sent only
// after Python has echoed the number of the last. A waiting message is replaced by a newer one about
// the same thing; Python that never answers (a page that failed) is waited for no longer than this.
const PATIENCE_MS = 4000;

export class Outbox {
  constructor() {
    this.waiting = new Map();
    this.flying = null;
    // Numbers must not repeat when the component is mounted anew in the same session.
    this.last = Date.now();
    this.send = null;
  }

  post(topic, message) {
    this.waiting.delete(topic);
    this.waiting.set(topic, message);
    this.next();
  }

  // True when Python has seen everything that was said.
  get idle() {
    return this.flying === null && this.waiting.size === 0;
  }

  acknowledge(seq) {
    if (seq !== this.flying) return;
    clearTimeout(this.timer);
    this.flying = null;
    this.next();
  }

  next() {
    if (this.flying !== null || this.waiting.size === 0) return;
    const [topic, message] = this.waiting.entries().next().value;
    this.waiting.delete(topic);
    this.flying = ++this.last;
    this.timer = setTimeout(() => this.acknowledge(this.flying), PATIENCE_MS);
    this.send("message", { ...message, seq: this.flying });
  }

  close() {
    clearTimeout(this.timer);
    this.waiting.clear();
  }
}

// What each mount keeps between messages; Streamlit calls a component again with the same element.
export function keeper(create) {
  const kept = new WeakMap();
  return ({ data, parentElement, setTriggerValue }) => {
    let view = kept.get(parentElement);
    if (!view) kept.set(parentElement, (view = create(parentElement)));
    if (view.outbox) view.outbox.send = setTriggerValue;
    const call = (view.calls = (view.calls ?? 0) + 1);
    view.receive(data);
    // Streamlit also cleans up after a call that a newer one has overtaken: only the end of the last one counts.
    return () => setTimeout(() => {
      if (view.calls !== call) return;
      kept.delete(parentElement);
      view.outbox?.close();
      view.close?.();
      if (view.root !== parentElement) view.root?.remove();
    });
  };
}

// Tests and benchmarks wait for this instead of sleeping.
export function painted(root, detail = {}) {
  const count = Number(root.dataset.attnvizPainted ?? 0) + 1;
  root.dataset.attnvizPainted = String(count);
  root.dispatchEvent(new CustomEvent("attnviz:painted", { bubbles: true, detail: { count, ...detail } }));
}
