// Copies the page's address. Where the clipboard is refused, shows the address selected in a field.

import { keeper, unpack } from "./messages.js";
import { element, styles } from "./page.js";
import { written } from "./address.js";

styles("components.css");

class Share {
  constructor(parent) {
    this.button = element("button", { type: "button", class: "attnviz-button", onclick: () => this.copy() });
    this.said = element("p", { role: "status" });
    this.field = element("input", { type: "text", readonly: true, hidden: true });
    this.note = element("p", { class: "attnviz-note" });
    parent.append(element("div", { class: "attnviz-share" }, this.button, this.said, this.field, this.note));
  }

  receive(data) {
    this.labels = unpack(data).header.labels;
    this.button.textContent = this.labels.copy;
    this.field.setAttribute("aria-label", this.labels.copy);
    this.note.textContent = this.labels.note;
  }

  async copy() {
    // A change made a moment ago is waited for, so that the link is that of what is seen.
    await written();
    try {
      await navigator.clipboard.writeText(location.href);
      this.field.hidden = true;
      this.said.textContent = this.labels.copied;
    } catch {
      this.said.textContent = this.labels.refused;
      this.field.value = location.href;
      this.field.hidden = false;
      this.field.select();
    }
  }
}

export default keeper((parent) => new Share(parent));
