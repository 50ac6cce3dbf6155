// "Copy link": the address as it is when the button is pressed.

import { FLUSH } from "./address.js";
import { keeper, painted } from "./messages.js";
import { element, styles } from "./page.js";

styles("components.css");

class Share {
  constructor(parent) {
    this.button = element("button", { type: "button", class: "attnviz-button", onclick: () => this.copy() });
    this.said = element("span", { class: "attnviz-said", role: "status" });
    this.field = element("input", { type: "text", readonly: true, class: "attnviz-link" });
    this.field.hidden = true;
    this.note = element("p", { class: "attnviz-note" });
    this.root = element("div", { class: "attnviz-share" }, this.button, this.said, this.field, this.note);
    parent.append(this.root);
  }

  receive({ labels }) {
    this.labels = labels;
    this.button.textContent = labels.copy;
    this.field.setAttribute("aria-label", labels.link);
    this.note.textContent = labels.note;
    painted(this.root);
  }

  async copy() {
    dispatchEvent(new Event(FLUSH));
    try {
      await navigator.clipboard.writeText(location.href);
      this.field.hidden = true;
      this.say(this.labels.copied);
    } catch {
      // No permission, or a page without https: the link is shown, ready to be copied by hand.
      this.field.value = location.href;
      this.field.hidden = false;
      this.field.select();
      this.say(this.labels.byHand);
    }
  }

  say(text) {
    this.said.textContent = text;
    clearTimeout(this.timer);
    this.timer = setTimeout(() => (this.said.textContent = ""), 8000);
  }

  close() {
    clearTimeout(this.timer);
  }
}

export default keeper((parent) => new Share(parent));
