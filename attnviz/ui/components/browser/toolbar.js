// The row of small buttons under a figure: one stop for the Tab key, arrow keys within (WAI-ARIA toolbar).

import { element } from "./page.js";

// actions: [[name, shown text, what happens], …]; labels: what each name is called, and "toolbar".
export function toolbar(actions, labels) {
  const bar = element("div", { class: "attnviz-toolbar", role: "toolbar" });
  const buttons = actions.map(([name, shown, act]) => {
    const button = element("button", { type: "button", "data-action": name }, shown);
    button.addEventListener("click", () => run(button, act));
    return button;
  });
  bar.append(...buttons);
  const focusable = (index) => buttons.forEach((button, at) => (button.tabIndex = at === index ? 0 : -1));
  focusable(0);
  bar.addEventListener("keydown", (event) => {
    const step = { ArrowRight: 1, ArrowLeft: -1 }[event.key];
    if (!step) return;
    event.preventDefault();
    const next = (buttons.indexOf(event.target) + step + buttons.length) % buttons.length;
    focusable(next);
    buttons[next].focus();
  });
  relabel(bar, labels);
  return bar;
}

// The language may change while the figure stays.
export function relabel(bar, labels) {
  bar.setAttribute("aria-label", labels.toolbar);
  for (const button of bar.children) {
    button.title = labels[button.dataset.action];
    button.setAttribute("aria-label", labels[button.dataset.action]);
  }
}

async function run(button, act) {
  button.setAttribute("aria-busy", "true");
  try {
    await act();
  } finally {
    button.removeAttribute("aria-busy");
  }
}
