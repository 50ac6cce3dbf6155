// System, light or dark: Streamlit's own choice, which it keeps for each address that a page was loaded from.

import { keeper, painted } from "./messages.js";
import { element, styles } from "./page.js";
import { SITE, themes } from "./streamlit.js";

styles("components.css");

const CHOICES = ["System", "Light", "Dark"];

// Streamlit's names for a choice: its own themes, and those that the site's configuration defines.
const NAMES = {
  System: ["Custom Theme Auto", "Use system setting"],
  Light: ["Custom Theme Light", "Light"],
  Dark: ["Custom Theme Dark", "Dark"],
};

const SIGNS = { System: "◐", Light: "☀", Dark: "☾" };

// Where Streamlit stores the choice for pages that are loaded from this path.
const stored = (path) => `stActiveTheme-${path}-v2`;

const [LOADED] = performance.getEntriesByType("navigation");

function kept(path) {
  try {
    const choice = JSON.parse(localStorage.getItem(stored(path)));
    return CHOICES.includes(choice) ? choice : null;
  } catch {
    return null;
  }
}

function current() {
  const name = themes()?.activeTheme.name;
  return CHOICES.find((choice) => NAMES[choice].includes(name)) ?? kept(new URL(LOADED.name).pathname) ?? "System";
}

class Theme {
  constructor(parent) {
    this.buttons = CHOICES.map((choice) =>
      element("button", { type: "button", role: "radio", "data-theme": choice, onclick: () => this.choose(choice) }));
    this.root = element("div", { class: "attnviz-theme", role: "radiogroup" }, ...this.buttons);
    this.root.addEventListener("keydown", (event) => this.key(event));
    parent.append(this.root);
  }

  // Also called when the theme has changed, whoever changed it.
  receive({ labels, paths }) {
    this.paths = paths;
    this.root.setAttribute("aria-label", labels.theme);
    for (const button of this.buttons) {
      const choice = button.dataset.theme;
      button.replaceChildren(element("span", { "aria-hidden": "true" }, SIGNS[choice]), ` ${labels[choice]}`);
    }
    if (this.shown === undefined) this.follow();
    else if (this.shown !== current()) this.remember(current()); // chosen in Streamlit's own menu
    this.mark(current());
    painted(this.root);
  }

  // A page that Streamlit keeps no choice for yet follows the others.
  follow() {
    const others = kept(SITE.pathname);
    if (others && others !== current() && themes() && !LOADED.name.includes("embed_options")) this.choose(others);
  }

  mark(choice) {
    this.shown = choice;
    for (const button of this.buttons) {
      const chosen = button.dataset.theme === choice;
      button.setAttribute("aria-checked", String(chosen));
      button.tabIndex = chosen ? 0 : -1;
    }
  }

  choose(choice) {
    this.remember(choice);
    const offered = themes();
    const theme = offered?.availableThemes.find(({ name }) => NAMES[choice].includes(name));
    if (!theme) return location.reload();
    offered.setTheme(theme);
    this.mark(choice);
  }

  // For every page, since each may be the first to be loaded next time.
  remember(choice) {
    const paths = [SITE.pathname, location.pathname, ...this.paths.map((path) => SITE.pathname + path)];
    try {
      for (const path of new Set(paths)) localStorage.setItem(stored(path), JSON.stringify(choice));
    } catch {
      // Storage may be forbidden; the theme then lasts as long as the page.
    }
  }

  key(event) {
    const step = { ArrowRight: 1, ArrowDown: 1, ArrowLeft: -1, ArrowUp: -1 }[event.key];
    if (!step) return;
    event.preventDefault();
    const next = (this.buttons.indexOf(event.target) + step + CHOICES.length) % CHOICES.length;
    this.choose(CHOICES[next]);
    this.buttons[next].focus();
  }
}

export default keeper((parent) => new Theme(parent));
