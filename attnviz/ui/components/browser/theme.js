// Light, dark or the system's theme.
//
// Streamlit has no call for this. Its own menu switches live, so its buttons are pressed, unseen, and the
// choice is stored for every page as Streamlit stores it for one. Where the menu has no such buttons the
// stored choice takes effect when the page is loaded again.

import { keeper, unpack } from "./messages.js";
import { element, styles } from "./page.js";

const CHOICES = ["System", "Light", "Dark"];
const SYMBOLS = { System: "◐", Light: "☀", Dark: "☾" };
const FRAMES_TO_WAIT = 60;

styles("components.css");

// The page's address without its last part, which names the page.
const base = () => location.pathname.replace(/[^/]*$/, "");
const stored = (path) => `stActiveTheme-${path}-v2`;

function current() {
  try {
    const found = JSON.parse(localStorage.getItem(stored(location.pathname)));
    return CHOICES.includes(found) ? found : "System";
  } catch {
    return "System";
  }
}

function remember(choice, paths) {
  const pages = new Set([base(), location.pathname, ...paths.map((path) => base() + path)]);
  for (const path of pages) localStorage.setItem(stored(path), JSON.stringify(choice));
}

const frame = () => new Promise((done) => requestAnimationFrame(done));
const item = (choice) => document.querySelector(`[data-testid="stMainMenuItem-theme-${choice}"]`);

async function pressMenu(choice) {
  const menu = document.querySelector('[data-testid="stMainMenu"] button');
  if (!menu) return false;
  const unseen = element("style", {}, '[data-testid="stMainMenuPopover"] { visibility: hidden !important; }');
  const focused = document.activeElement;
  document.head.append(unseen);
  try {
    menu.click();
    for (let waited = 0; waited < FRAMES_TO_WAIT && !item(choice); waited++) await frame();
    const found = item(choice);
    found?.click();
    if (document.querySelector('[data-testid="stMainMenuPopover"]')) menu.click();
    for (let waited = 0; waited < FRAMES_TO_WAIT && item(choice); waited++) await frame();
    return Boolean(found);
  } finally {
    unseen.remove();
    focused?.focus({ preventScroll: true });
  }
}

class Theme {
  constructor(parent) {
    this.root = element("div", { class: "attnviz-choice", role: "radiogroup" });
    this.buttons = new Map(CHOICES.map((choice) => [choice, this.button(choice)]));
    this.root.append(...this.buttons.values());
    parent.append(this.root);
  }

  button(choice) {
    return element("button", {
      type: "button",
      role: "radio",
      "data-choice": choice,
      onclick: () => this.choose(choice),
      onkeydown: (event) => this.key(event, choice),
    });
  }

  receive(data) {
    const { header } = unpack(data);
    this.paths = header.paths;
    this.root.setAttribute("aria-label", header.labels.group);
    for (const [choice, button] of this.buttons) button.textContent = `${SYMBOLS[choice]} ${header.labels[choice]}`;
    // A page that was never opened before takes the choice made on another.
    this.show(current());
  }

  show(chosen) {
    for (const [choice, button] of this.buttons) {
      button.setAttribute("aria-checked", String(choice === chosen));
      button.tabIndex = choice === chosen ? 0 : -1;
    }
  }

  async choose(choice) {
    this.show(choice);
    const live = await pressMenu(choice);
    remember(choice, this.paths);
    if (!live) location.reload();
  }

  key(event, choice) {
    const step = { ArrowRight: 1, ArrowDown: 1, ArrowLeft: -1, ArrowUp: -1 }[event.key];
    if (!step) return;
    event.preventDefault();
    const next = CHOICES[(CHOICES.indexOf(choice) + step + CHOICES.length) % CHOICES.length];
    this.buttons.get(next).focus();
    this.choose(next);
  }
}

export default keeper((parent) => new Theme(parent));
